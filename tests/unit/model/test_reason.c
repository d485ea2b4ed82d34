/* model/reason.h on stacks as kernels 4.x to 6.x record them, innermost frame first as perf shows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "model/reason.h"

/* The node of "innermost<...<root"; user frames are marked "u:". */
static uint32_t push(struct lode_calltree *tree, const char *stack)
{
	uint32_t node = 0;
	const char *end = stack + strlen(stack);

	while (end > stack) {
		const char *at = end;
		char name[64];
		bool is_user;

		while (at > stack && at[-1] != '<')
			at--;
		is_user = !strncmp(at, "u:", 2);
		at += is_user ? 2 : 0;
		assert_true((size_t)(end - at) < sizeof(name));
		memcpy(name, at, (size_t)(end - at));
		name[end - at] = '\0';
		node = lode_calltree_push(tree, node,
					  lode_frame_intern(tree,
							    is_user ? "libc.so.6" : "[kernel]",
							    name, is_user ? 0 : LODE_FRAME_KERNEL));
		end = at - (is_user ? 2 : 0);
		end -= end > stack;
	}
	return node;
}

#define K6 "__schedule<schedule<"

struct row {
	const char *stack, *hint; /* hint: name of the system call */
	bool is_disk_sleep;
	enum lode_device device;
	enum lode_wait_reason expected;
};

static void check_row(const struct row *row)
{
	struct lode_stack_meaning *meanings;
	struct lode_calltree tree;
	enum lode_wait_reason hint = LODE_REASON_NONE, reason;
	uint32_t node;

	lode_calltree_init(&tree);
	node = push(&tree, row->stack);
	meanings = lode_stack_meanings(&tree);
	if (row->hint)
		hint = lode_reason_of_syscall(row->hint);
	reason = lode_reason_of_wait(&meanings[node], hint, row->is_disk_sleep, row->device);
	if (reason != row->expected)
		fail_msg("%s (%s): %s, not %s", row->stack, row->hint ? row->hint : "-",
			 lode_wait_reason_name(reason), lode_wait_reason_name(row->expected));
	free(meanings);
	lode_calltree_release(&tree);
}

static void check_rows(const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		check_row(&rows[i]);
}

static void locks_are_told_by_the_kernel_s_frames(void **state)
{
	static const struct row rows[] = {
		{K6 "futex_do_wait<__futex_wait<futex_wait<do_futex<u:pthread_cond_wait", NULL, 0,
		 0, LODE_REASON_LOCK},
		{K6 "futex_wait_queue_me<futex_wait<do_futex<__x64_sys_futex", NULL, 0,
		 LODE_DEVICE_TIMER, LODE_REASON_LOCK},
		{K6 "schedule_preempt_disabled<rwsem_down_write_slowpath<down_write_killable", NULL,
		 1, 0, LODE_REASON_LOCK},
		{K6 "schedule_preempt_disabled<__mutex_lock.constprop.0<ext4_foo", NULL, 1, 0,
		 LODE_REASON_LOCK},
		{K6 "rwsem_down_read_slowpath<down_read<lock_mm_and_find_vma<exc_page_fault", NULL,
		 1, 0, LODE_REASON_LOCK},
	};

	(void)state;
	check_rows(rows, sizeof(rows) / sizeof(*rows));
}

static void disks_and_page_faults_are_told_apart(void **state)
{
	static const struct row rows[] = {
		{K6 "io_schedule<folio_wait_bit_common<filemap_get_pages<filemap_read<vfs_read",
		 NULL, 1, 0, LODE_REASON_DISK},
		{K6 "io_schedule<wait_on_page_bit_common<__lock_page<generic_file_buffered_read",
		 NULL, 1, 0, LODE_REASON_DISK},
		{K6
		 "io_schedule<folio_wait_bit_common<filemap_fault<__do_fault<exc_page_fault<u:main",
		 NULL, 1, 0, LODE_REASON_FAULT},
		{K6 "io_schedule<__lock_page_or_retry<do_swap_page<__handle_mm_fault<do_page_fault",
		 NULL, 1, 0, LODE_REASON_FAULT},
		{K6 "io_schedule<folio_wait_bit_common<filemap_fault<asm_exc_page_fault<copy_from_"
		    "user<"
		    "vfs_write",
		 NULL, 1, 0, LODE_REASON_FAULT},
		{K6 "schedule_timeout<io_schedule_timeout<wait_for_completion_io_timeout<"
		    "submit_bio_wait<blkdev_issue_flush<ext4_sync_file<do_fsync",
		 NULL, 1, 0, LODE_REASON_DISK},
		{K6 "jbd2_log_wait_commit<ext4_sync_file<do_fsync", NULL, 1, 0, LODE_REASON_DISK},
		{K6 "io_schedule<bit_wait_io<jbd2_journal_commit_transaction<kjournald2<kthread",
		 NULL, 1, 0, LODE_REASON_DISK},
	};

	(void)state;
	check_rows(rows, sizeof(rows) / sizeof(*rows));
}

static void networks_are_told_from_neighbours_on_the_machine(void **state)
{
	static const struct row rows[] = {
		{K6 "schedule_timeout<wait_woken<sk_wait_data<tcp_recvmsg_locked<tcp_recvmsg", NULL,
		 0, 0, LODE_REASON_NETWORK},
		{K6 "schedule_timeout<inet_csk_accept<inet_accept", NULL, 0, 0,
		 LODE_REASON_NETWORK},
		{K6 "schedule_timeout<unix_stream_data_wait<unix_stream_read_generic<sock_recvmsg",
		 NULL, 0, 0, LODE_REASON_IPC},
		{K6 "schedule_timeout<__skb_wait_for_more_packets<__skb_recv_datagram<"
		    "unix_dgram_recvmsg",
		 NULL, 0, 0, LODE_REASON_IPC},
		{K6 "schedule_timeout<__skb_wait_for_more_packets<__skb_recv_udp<udp_recvmsg", NULL,
		 0, 0, LODE_REASON_NETWORK},
		{K6 "pipe_wait<pipe_read<__vfs_read<vfs_read", NULL, 0, 0, LODE_REASON_IPC},
		{K6 "anon_pipe_read<vfs_read<ksys_read<u:read", NULL, 0, 0, LODE_REASON_IPC},
		{K6 "schedule_hrtimeout_range_clock<poll_schedule_timeout.constprop.0<do_sys_poll",
		 NULL, 0, 0, LODE_REASON_POLL},
		{K6 "schedule_hrtimeout_range_clock<do_epoll_wait", NULL, 0, LODE_DEVICE_NETWORK,
		 LODE_REASON_POLL},
		{K6 "request_wait_answer<fuse_simple_request", NULL, 0, 0, LODE_REASON_IPC},
	};

	(void)state;
	check_rows(rows, sizeof(rows) / sizeof(*rows));
}

static void timers_children_and_the_rest_are_told(void **state)
{
	static const struct row rows[] = {
		{K6 "schedule_hrtimeout_range_clock<ep_poll<do_epoll_wait", NULL, 0,
		 LODE_DEVICE_TIMER, LODE_REASON_TIMER},
		{K6 "do_nanosleep<hrtimer_nanosleep<common_nsleep_timens", NULL, 0,
		 LODE_DEVICE_TIMER, LODE_REASON_TIMER},
		{K6 "schedule_timeout<msleep<some_driver", NULL, 1, 0, LODE_REASON_TIMER},
		{K6 "schedule_timeout<some_kthread<kthread", NULL, 0, 0, LODE_REASON_TIMER},
		{K6 "do_wait<kernel_wait4<__do_sys_wait4", NULL, 0, 0, LODE_REASON_CHILD},
		{K6 "schedule_timeout<__wait_for_common<wait_for_completion_state<kernel_clone<"
		    "__x64_sys_vfork",
		 NULL, 0, 0, LODE_REASON_CHILD},
		{K6 "worker_thread<kthread<ret_from_fork", NULL, 0, 0, LODE_REASON_OTHER},
		{K6 "schedule_timeout<wait_for_completion<affine_move_task", NULL, 1, 0,
		 LODE_REASON_OTHER},
	};

	(void)state;
	check_rows(rows, sizeof(rows) / sizeof(*rows));
}

static void the_system_call_tells_what_an_unknown_kernel_function_waited_for(void **state)
{
	static const struct row rows[] = {
		{K6 "some_module_wait<do_syscall_64", "futex", 0, 0, LODE_REASON_LOCK},
		{K6 "some_module_wait<do_syscall_64", "sys_enter_recvfrom", 0, 0,
		 LODE_REASON_NETWORK},
		{K6 "some_module_wait<do_syscall_64", "read", 1, 0, LODE_REASON_DISK},
		{K6 "some_module_wait<do_syscall_64", NULL, 1, 0, LODE_REASON_DISK},
		{K6 "some_module_wait<do_syscall_64<u:nanosleep", NULL, 0, 0, LODE_REASON_OTHER},
		{K6 "pipe_read<vfs_read", "poll", 0, 0, LODE_REASON_IPC},
	};

	(void)state;
	check_rows(rows, sizeof(rows) / sizeof(*rows));
}

static void without_kernel_frames_the_program_s_own_are_all_there_is(void **state)
{
	static const struct row rows[] = {
		{"u:__GI___poll<u:main", NULL, 0, 0, LODE_REASON_POLL},
		{"u:__GI___poll<u:main", NULL, 0, LODE_DEVICE_TIMER, LODE_REASON_TIMER},
		{"u:___pthread_cond_timedwait64<u:main", NULL, 0, 0, LODE_REASON_LOCK},
		{"u:__lll_lock_wait<u:pthread_mutex_lock<u:main", NULL, 0, 0, LODE_REASON_LOCK},
		{"u:clock_nanosleep@@GLIBC_2.17<u:main", NULL, 0, 0, LODE_REASON_TIMER},
		{"u:__libc_read<u:main", NULL, 0, 0, LODE_REASON_IPC},
		{"u:__libc_read<u:main", NULL, 1, 0, LODE_REASON_DISK},
		{"u:read_config<u:main", NULL, 0, 0, LODE_REASON_OTHER},
		{"u:read_config<u:main", "recvmsg", 0, 0, LODE_REASON_NETWORK},
		{"u:fsync<u:main", NULL, 0, 0, LODE_REASON_DISK},
		{"", NULL, 0, 0, LODE_REASON_OTHER},
		{"", NULL, 1, 0, LODE_REASON_DISK},
		/* The names of the kernel in a program are the program's. */
		{"u:io_schedule<u:futex_loop", NULL, 0, 0, LODE_REASON_OTHER},
	};

	(void)state;
	check_rows(rows, sizeof(rows) / sizeof(*rows));
}

static void interrupts_tell_their_device(void **state)
{
#define IRQ6 "asm_sysvec_apic_timer_interrupt<do_syscall_64"
	static const struct {
		const char *waker, *waiting;
		bool is_interrupt;
		enum lode_device expected;
	} rows[] = {
		{"try_to_wake_up<hrtimer_wakeup<__hrtimer_run_queues<hrtimer_interrupt<" IRQ6,
		 "do_nanosleep", true, LODE_DEVICE_TIMER},
		{"try_to_wake_up<call_timer_fn.isra.0<run_timer_softirq<handle_softirqs<irq_exit_"
		 "rcu<"
		 "sysvec_apic_timer_interrupt",
		 "schedule_timeout", true, LODE_DEVICE_TIMER},
		{"try_to_wake_up<folio_wake_bit<ext4_end_bio<blk_mq_end_request<virtblk_done<"
		 "common_interrupt<asm_common_interrupt<u:main",
		 "io_schedule", true, LODE_DEVICE_DISK},
		{"sock_def_readable<tcp_v4_rcv<ip_rcv<__netif_receive_skb_one_core<process_backlog<"
		 "net_rx_action<__do_softirq<do_softirq<tcp_sendmsg",
		 "ep_poll", true, LODE_DEVICE_NETWORK},
		/* What was interrupted is not what interrupted. */
		{"try_to_wake_up<rcu_core<handle_softirqs<sysvec_apic_timer_interrupt<blk_mq_"
		 "submit_bio",
		 "pipe_read", true, LODE_DEVICE_OTHER},
		{"try_to_wake_up<sysvec_call_function_single", "io_schedule", true,
		 LODE_DEVICE_DISK},
		{"try_to_wake_up<sysvec_call_function_single", "tcp_recvmsg", true,
		 LODE_DEVICE_NETWORK},
		{"", "do_nanosleep", false, LODE_DEVICE_TIMER},
		{"try_to_wake_up<wake_up_q<futex_wake<do_futex", "futex_wait", false,
		 LODE_DEVICE_OTHER},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct lode_stack_meaning *meanings;
		struct lode_calltree tree;
		uint32_t waker, waiting;
		enum lode_device device;

		lode_calltree_init(&tree);
		waker = push(&tree, rows[i].waker);
		waiting = push(&tree, rows[i].waiting);
		meanings = lode_stack_meanings(&tree);
		device = lode_device_of_waking(&meanings[waker], &meanings[waiting],
					       LODE_REASON_NONE);
		if (device != rows[i].expected)
			fail_msg("%s wakes %s: %s, not %s", rows[i].waker, rows[i].waiting,
				 lode_device_name(device), lode_device_name(rows[i].expected));
		assert_int_equal(!!(meanings[waker].marks & LODE_MARK_INTERRUPT),
				 rows[i].is_interrupt);
		free(meanings);
		lode_calltree_release(&tree);
	}
}

static void threads_of_the_kernel_are_told_by_their_root(void **state)
{
	struct lode_stack_meaning *meanings;
	struct lode_calltree tree;
	uint32_t kernel, user;

	(void)state;
	lode_calltree_init(&tree);
	kernel = push(&tree, "schedule<worker_thread<kthread<ret_from_fork");
	user = push(&tree, "schedule<do_syscall_64<u:kthread");
	meanings = lode_stack_meanings(&tree);
	assert_int_equal(meanings[kernel].marks, LODE_MARK_KERNEL | LODE_MARK_KTHREAD);
	assert_int_equal(meanings[user].marks, LODE_MARK_KERNEL | LODE_MARK_USER);
	assert_int_equal(meanings[0].marks, 0);
	free(meanings);
	lode_calltree_release(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(locks_are_told_by_the_kernel_s_frames),
		cmocka_unit_test(disks_and_page_faults_are_told_apart),
		cmocka_unit_test(networks_are_told_from_neighbours_on_the_machine),
		cmocka_unit_test(timers_children_and_the_rest_are_told),
		cmocka_unit_test(the_system_call_tells_what_an_unknown_kernel_function_waited_for),
		cmocka_unit_test(without_kernel_frames_the_program_s_own_are_all_there_is),
		cmocka_unit_test(interrupts_tell_their_device),
		cmocka_unit_test(threads_of_the_kernel_are_told_by_their_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
