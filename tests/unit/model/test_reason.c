/* model/reason.h on stacks as kernels 4.x to 6.x record them, innermost frame first as perf shows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/reason.h"
#include "random.h"

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

#define RECEIVED "try_to_wake_up<sock_def_readable<tcp_v4_rcv<ip_rcv<"
#define SENT	 "do_softirq<__local_bh_enable_ip<__dev_queue_xmit<ip_finish_output2<tcp_sendmsg"

static bool is_sender(const char *stack)
{
	struct lode_stack_meaning *meanings;
	struct lode_calltree tree;
	uint32_t node;
	bool is;

	lode_calltree_init(&tree);
	node = push(&tree, stack);
	meanings = lode_stack_meanings(&tree);
	is = lode_is_sender(&meanings[node]);
	free(meanings);
	lode_calltree_release(&tree);
	return is;
}

static void a_softirq_that_its_own_thread_s_packet_caused_is_the_sender_s(void **state)
{
	static const char *const own[] = {
		/* 6.18, 5.10, 4.19 */
		RECEIVED "process_backlog<__napi_poll<net_rx_action<handle_softirqs<do_softirq."
			 "part.0<__local_bh_enable_ip<__dev_queue_xmit<ip_finish_output2<ip_output<"
			 "__tcp_transmit_skb<tcp_write_xmit<tcp_sendmsg<sock_write_iter<u:write",
		RECEIVED "process_backlog<net_rx_action<__softirqentry_text_start<asm_call_irq_on_"
			 "stack<do_softirq_own_stack<do_softirq<__local_bh_enable_ip<ip_finish_"
			 "output2<udp_send_skb<udp_sendmsg<u:sendto",
		RECEIVED "process_backlog<net_rx_action<__do_softirq<do_softirq_own_stack<" SENT,
		/* A veth pair with NAPI, behind a bridge. */
		RECEIVED
		"process_backlog<veth_xmit<dev_hard_start_xmit<__dev_queue_xmit<br_dev_"
		"queue_push_xmit<veth_poll<__napi_poll<net_rx_action<handle_softirqs<" SENT,
		/* Who reads makes room for who writes. */
		"try_to_wake_up<sk_stream_write_space<tcp_v4_rcv<process_backlog<net_rx_action<"
		"handle_softirqs<do_softirq<__local_bh_enable_ip<__dev_queue_xmit<__tcp_transmit_"
		"skb<tcp_send_ack<tcp_cleanup_rbuf<tcp_recvmsg<u:read",
	};
	static const char *const others[] = {
		/* The thread only let softirqs run. */
		RECEIVED "process_backlog<net_rx_action<handle_softirqs<do_softirq<__local_bh_"
			 "enable_ip<release_sock<tcp_sendmsg<u:write",
		/* A network card's packet. */
		RECEIVED "napi_gro_receive<virtnet_poll<net_rx_action<handle_softirqs<" SENT,
		/* On the way out of an interrupt that came while it sent. */
		RECEIVED "process_backlog<net_rx_action<handle_softirqs<__irq_exit_rcu<sysvec_"
			 "apic_timer_interrupt<__dev_queue_xmit<tcp_sendmsg<u:write",
		/* An interrupt that came while its packet was received. */
		"try_to_wake_up<hrtimer_wakeup<hrtimer_interrupt<asm_sysvec_apic_timer_interrupt<"
		"tcp_v4_rcv<process_backlog<net_rx_action<handle_softirqs<" SENT,
		RECEIVED "process_backlog<net_rx_action<handle_softirqs<run_ksoftirqd<smpboot_"
			 "thread_fn<kthread<ret_from_fork",
		/* A packet that the softirq sent, not the thread below it. */
		RECEIVED "process_backlog<__dev_queue_xmit<tcp_send_ack<tcp_delack_timer<run_"
			 "timer_softirq<handle_softirqs<__irq_exit_rcu<u:main",
		/* Too little is left of the stack. */
		RECEIVED "process_backlog<net_rx_action<handle_softirqs<do_softirq",
		RECEIVED "process_backlog",
		"",
		/* No softirq at all: then nobody asks. */
		"try_to_wake_up<unix_stream_sendmsg<sock_write_iter",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		if (!is_sender(own[i]))
			fail_msg("not the sender's: %s", own[i]);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (is_sender(others[i]))
			fail_msg("the sender's: %s", others[i]);
}

/*
 * Random stacks against the rule, root first: no interrupt (i) anywhere, and a frame that transmits
 * (x) before the first softirq (s), behind which packets are taken from a queue (q).
 */
static void random_stacks_are_the_sender_s_by_the_rule(void **state)
{
	static const struct {
		char letter;
		const char *name;
	} frames[] = {{'x', "__dev_queue_xmit"}, {'s', "handle_softirqs"},
		      {'q', "process_backlog"},	 {'i', "asm_common_interrupt"},
		      {'o', "tcp_v4_rcv"},	 {'o', "tcp_sendmsg"}};
	struct test_random random = {20261122};
	unsigned n_own = 0;

	(void)state;
	for (unsigned n = 0; n < 10000; n++) {
		char stack[400] = "", letters[12] = "";
		unsigned depth = 1 + test_random_below(&random, 9);
		const char *interrupt, *softirq, *sent;

		for (unsigned i = 0; i < depth; i++) {
			unsigned pick = test_random_below(&random, 6);
			char longer[400];

			snprintf(longer, sizeof(longer), "%s%s%.300s", frames[pick].name,
				 i ? "<" : "", stack);
			strcpy(stack, longer);
			letters[i] = frames[pick].letter;
		}
		interrupt = strchr(letters, 'i');
		softirq = strchr(letters, 's');
		sent = strchr(letters, 'x');
		if (is_sender(stack) != (!interrupt && softirq && sent && sent < softirq &&
					 strchr(softirq, 'q') != NULL))
			fail_msg("stack %u, %s: %s", n, letters, stack);
		n_own += is_sender(stack);
	}
	assert_true(n_own > 100);
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
		cmocka_unit_test(a_softirq_that_its_own_thread_s_packet_caused_is_the_sender_s),
		cmocka_unit_test(random_stacks_are_the_sender_s_by_the_rule),
		cmocka_unit_test(threads_of_the_kernel_are_told_by_their_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
