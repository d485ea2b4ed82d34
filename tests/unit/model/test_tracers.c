/* Frames and threads of the recorder, and threads of Go programs without a goroutine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "model/builder.h"
#include "model/go_idle.h"
#include "model/tracers.h"

/* A stack, the root first: names in capitals are the program's, all others the kernel's. `event`,
   `sample`: how many frames are left of it; RECORDED: `[recording]` is. */
enum { RECORDED = -1 };
struct traced {
	const char *functions[8];
	int event, sample;
};

static const struct traced traced[] = {
	{{"MAIN", "read", "schedule", "__schedule"}, 4, 4},
	{{"MAIN", "schedule", "__schedule", "__traceiter_sched_switch"}, 3, RECORDED},
	{{"MAIN", "__schedule", "__traceiter_sched_switch", "bpf_trace_run4",
	  "bpf_prog_6deef7357e7b4530_sw"},
	 2,
	 RECORDED},
	{{"MAIN", "__schedule", "perf_trace_sched_switch", "perf_tp_event", "memcpy"}, 2, RECORDED},
	{{"MAIN", "try_to_wake_up", "trace_event_raw_event_sched_waking"}, 2, RECORDED},
	{{"MAIN", "vfs_read", "bpf_trampoline_6442505109", "bpf_prog_ab12_f"}, 2, RECORDED},
	/* The traced function itself, called by a trampoline. */
	{{"MAIN", "ksys_read", "bpf_trampoline_6442505109", "vfs_read", "schedule"}, 5, 5},
	{{"MAIN", "ksys_read", "ftrace_regs_caller", "kprobe_ftrace_handler"}, 2, RECORDED},
	/* A filter of a socket. */
	{{"MAIN", "sk_filter_trim_cap", "bpf_prog_ab12_f"}, 2, 3},
	/* Blocked in tracing code. */
	{{"MAIN", "do_exit", "perf_event_exit_task", "mutex_lock", "schedule", "__schedule"},
	 RECORDED,
	 RECORDED},
	/* A program's function may have any name. */
	{{"MAIN", "PERF_EVENT_OPEN"}, 2, 2},
};

static uint32_t stack_of(struct lode_calltree *tree, const char *const *functions, size_t n)
{
	uint32_t stack = 0;

	for (size_t i = 0; i < n && functions[i]; i++) {
		bool is_user = functions[i][0] >= 'A' && functions[i][0] <= 'Z';

		stack = lode_calltree_child(tree, stack,
					    lode_frame_intern(tree, is_user ? "prog" : "[kernel]",
							      functions[i],
							      is_user ? 0 : LODE_FRAME_KERNEL));
	}
	return stack;
}

static void check_left(const struct lode_calltree *tree, uint32_t whole, uint32_t left, int n)
{
	if (n == RECORDED) {
		assert_int_equal(left, lode_tracers_recording(tree));
		return;
	}
	assert_int_equal(tree->nodes.at[left].depth, n);
	while (whole != left)
		whole = tree->nodes.at[whole].parent;
}

static void tracers_at_the_leaf_are_not_the_programs(void **state)
{
	(void)state;
	for (size_t k = 0; k < sizeof(traced) / sizeof(*traced); k++) {
		struct lode_calltree tree;
		struct lode_tracers tracers;
		uint32_t stack;

		lode_calltree_init(&tree);
		stack = stack_of(&tree, traced[k].functions, 8);
		lode_tracers_find(&tracers, &tree);
		check_left(&tree, stack, tracers.event[stack], traced[k].event);
		check_left(&tree, stack, tracers.sample[stack], traced[k].sample);
		lode_tracers_release(&tracers);
		lode_calltree_release(&tree);
	}
}

static void a_tree_without_tracers_stays_as_it_is(void **state)
{
	struct lode_calltree tree;
	struct lode_tracers tracers;
	size_t n;

	(void)state;
	lode_calltree_init(&tree);
	stack_of(&tree, traced[0].functions, 8);
	n = tree.nodes.n;
	lode_tracers_find(&tracers, &tree);
	assert_int_equal(tree.nodes.n, n);
	assert_int_equal(lode_tracers_recording(&tree), LODE_NONE);
	for (uint32_t i = 0; i < n; i++)
		assert_true(tracers.event[i] == i && tracers.sample[i] == i);
	lode_tracers_release(&tracers);
	lode_calltree_release(&tree);
}

static uint32_t thread_of(struct lode_stream *stream, const char *comm, bool is_command)
{
	struct lode_thread *thread = lode_vec_append_zero(&stream->threads);

	thread->comm = lode_strings_intern(&stream->tree.strings, comm, strlen(comm));
	thread->is_command = is_command;
	return (uint32_t)stream->threads.n - 1;
}

static void the_recorders_threads_have_its_name(void **state)
{
	static const char *const comms[] = {"perf", "lode-stacks", "perf-exec", "svc"};
	struct lode_stream stream = {0};

	(void)state;
	lode_calltree_init(&stream.tree);
	for (size_t i = 0; i < 4; i++)
		thread_of(&stream, comms[i], false);
	thread_of(&stream, "perf", true);
	lode_tracers_name_recorder(&stream);
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(stream.threads.at[i].is_recorder, i < 2);
		if (i < 2)
			assert_string_equal(lode_thread_name(&stream, (lode_thread_id)i),
					    "lode's recorder");
	}
	lode_vec_release(&stream.threads);
	lode_calltree_release(&stream.tree);
}

/* ---- Go ---- */

struct parked {
	const char *functions[8]; /* as above, but "runtime." and "main." are the program's too */
	bool is_idle;
};

static const struct parked parked[] = {
	{{"main.serve", "runtime.gopark", "runtime.mcall", "runtime.park_m", "runtime.schedule",
	  "runtime.findRunnable", "runtime.epollwait", "ep_poll"},
	 true},
	{{"runtime.mstart1", "runtime.schedule", "runtime.findRunnable", "runtime.stopm",
	  "futex_wait"},
	 true},
	{{"main.read", "runtime.mcall", "runtime.exitsyscall0", "runtime.stopm", "futex_wait"},
	 true},
	{{"runtime.mstart1", "runtime.sysmon", "runtime.usleep", "hrtimer_nanosleep"}, true},
	{{"runtime.mstart1", "runtime.templateThread", "runtime.notesleep", "futex_wait"}, true},
	/* A goroutine in a system call keeps its thread; so do C code and locks of the runtime. */
	{{"main.save", "syscall.fsync", "runtime.entersyscall", "jbd2_log_wait_commit"}, false},
	{{"main.call", "runtime.cgocall", "runtime.asmcgocall", "futex_wait"}, false},
	{{"main.alloc", "runtime.mallocgc", "runtime.lock2", "futex_wait"}, false},
	/* Names alike, of no Go program. */
	{{"main.schedule", "main.findRunnable", "futex_wait"}, false},
	{{"runtime.findRunnable", "futex_wait"}, false},
};

static uint32_t go_stack(struct lode_calltree *tree, const struct parked *of, bool is_split)
{
	uint32_t stack = 0;

	for (size_t i = 0; i < 8 && of->functions[i]; i++) {
		const char *name = of->functions[i];
		bool is_user = strchr(name, '.');
		const char *module = !is_user ? "[kernel]" : is_split && i % 2 ? "other" : "svc";

		stack = lode_calltree_child(tree, stack,
					    lode_frame_intern(tree, module, name,
							      is_user ? 0 : LODE_FRAME_KERNEL));
	}
	return stack;
}

static bool is_go_idle(const struct parked *of, bool is_split)
{
	struct lode_calltree tree;
	uint32_t stack, *idle;
	bool is_idle = false;

	lode_calltree_init(&tree);
	stack = go_stack(&tree, of, is_split);
	idle = lode_go_idle_stacks(&tree);
	if (idle && idle[stack]) {
		const struct lode_callnode *node = &tree.nodes.at[idle[stack]];

		is_idle = true;
		assert_int_equal(node->parent, 0);
		assert_string_equal(lode_frame_function(&tree, node->frame), LODE_GO_IDLE);
		assert_string_equal(lode_frame_module(&tree, node->frame), "svc");
	}
	free(idle);
	lode_calltree_release(&tree);
	return is_idle;
}

static void threads_without_a_goroutine_are_told_by_the_scheduler(void **state)
{
	(void)state;
	for (size_t k = 0; k < sizeof(parked) / sizeof(*parked); k++) {
		assert_int_equal(is_go_idle(&parked[k], false), parked[k].is_idle);
		assert_false(is_go_idle(&parked[k], true)); /* of two files */
	}
}

/* Thread 7 waits without a goroutine until 9 wakes it: no waker, and a reason of its own. */
static void such_a_wait_has_no_waker(void **state)
{
	struct lode_builder *b = lode_builder_new("made", "made", "ns", NULL);
	const struct lode_switch switches[] = {
		{.t_ns = 100, .prev_pid = 9, .next_pid = 7, .left = LODE_LEFT_SLEEPING},
		{.t_ns = 300, .prev_pid = 7, .next_pid = 9, .left = LODE_LEFT_SLEEPING, .stack = 1},
		{.t_ns = 700, .prev_pid = 9, .next_pid = 7, .left = LODE_LEFT_SLEEPING},
		{.t_ns = 800, .prev_pid = 7, .next_pid = 9, .left = LODE_LEFT_SLEEPING},
	};
	const struct lode_events *e;
	struct lode_stream *stream;
	uint32_t nodes[2] = {0};
	size_t i = 0;

	(void)state;
	nodes[1] = go_stack(&lode_builder_stream(b)->tree, &parked[0], false);
	lode_builder_switch(b, &switches[0]);
	lode_builder_switch(b, &switches[1]);
	lode_builder_waking(b, &(struct lode_waking){.t_ns = 600,
						     .waker_tid = 9,
						     .wakee_tid = 7,
						     .has_context = true});
	lode_builder_switch(b, &switches[2]);
	lode_builder_switch(b, &switches[3]);
	stream = lode_builder_finish(b, nodes, 2);
	e = &stream->threads.at[lode_map_find(&stream->thread_index, 7)].events;
	while (e->kind[i] != LODE_EVENT_WAITING)
		i++;
	assert_int_equal(e->cost_ns[i], 300);
	assert_int_equal(e->reason[i], LODE_REASON_IDLE);
	assert_int_equal(e->other[i], LODE_NONE);
	assert_int_equal(e->device[i], LODE_DEVICE_NONE);
	assert_int_equal(stream->tree.nodes.at[e->stack[i]].depth, 1);
	lode_stream_free(stream);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tracers_at_the_leaf_are_not_the_programs),
		cmocka_unit_test(a_tree_without_tracers_stays_as_it_is),
		cmocka_unit_test(the_recorders_threads_have_its_name),
		cmocka_unit_test(threads_without_a_goroutine_are_told_by_the_scheduler),
		cmocka_unit_test(such_a_wait_has_no_waker),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
