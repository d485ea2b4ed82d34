#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/waits/critpath.h"
#include "model/rearmed.h"
#include "unit/engine/random_stream.h"
#include "cases.h"

/* A stack "module!function;...", the root first. */
static uint32_t stack_at(struct lode_stream *stream, const char *text)
{
	char module[32], function[32];
	uint32_t stack = 0, flags;
	int n;

	for (; sscanf(text, "%31[^!]!%31[^;]%n", module, function, &n) == 2;
	     text += n + (text[n] == ';')) {
		flags = strcmp(module, "[kernel]") == 0 ? LODE_FRAME_KERNEL : 0;
		stack = lode_calltree_child(&stream->tree, stack,
					    lode_frame_intern(&stream->tree, module, function,
							      flags));
	}
	return stack;
}

#define TIME_OUT "[kernel]!hrtimer_interrupt;[kernel]!hrtimer_wakeup;[kernel]!try_to_wake_up"
#define SIGNAL	 "[kernel]!hrtimer_interrupt;[kernel]!it_real_fn;[kernel]!try_to_wake_up"
#define PUT_OFF	 "[kernel]!call_timer_fn;[kernel]!delayed_work_timer_fn"
#define LATCH	 "app!main;app!ProcSleep;libc!epoll_wait;[kernel]!ep_poll"
#define LEAF	 "libc!futex_wait;[kernel]!futex_do_wait"
#define GARBAGE	 "[unknown]!x;libc!futex_wait;[kernel]!futex_do_wait"

enum { WAITER, HOLDER, OTHER, N_THREADS };

static struct lode_stream *new_stream(void)
{
	static const char *const comms[N_THREADS] = {"waiter", "holder", "other"};

	return stream_of_threads(comms, N_THREADS);
}

static struct lode_events *waiter_of(struct lode_stream *stream)
{
	return &stream->threads.at[WAITER].events;
}

/* The waiter's next event, behind the one before. */
static size_t add_next(struct lode_stream *stream, enum lode_event_kind kind, int64_t length,
		       const char *stack)
{
	struct lode_events *e = waiter_of(stream);
	int64_t start_ns = e->n ? lode_event_end_ns(e, e->n - 1) : 0;

	return lode_events_append(e, kind, start_ns, length, stack_at(stream, stack));
}

/* A wait that a timer ended, as the stack of the waking tells. */
static size_t add_timed(struct lode_stream *stream, int64_t length, const char *stack,
			const char *waking)
{
	size_t i = add_next(stream, LODE_EVENT_WAITING, length, stack);
	struct lode_events *e = waiter_of(stream);

	e->device[i] = LODE_DEVICE_TIMER;
	e->other_stack[i] = stack_at(stream, waking);
	e->reason[i] = strstr(stack, "poll") ? LODE_REASON_TIMER : LODE_REASON_LOCK;
	return i;
}

static size_t add_ended(struct lode_stream *stream, int64_t length, const char *stack,
			lode_thread_id by)
{
	size_t i = add_next(stream, LODE_EVENT_WAITING, length, stack);
	struct lode_events *e = waiter_of(stream);

	e->other[i] = by;
	e->reason[i] = strstr(stack, "poll") ? LODE_REASON_POLL : LODE_REASON_LOCK;
	if (by == LODE_NONE)
		e->flags[i] = LODE_EVENT_NO_WAKER;
	return i;
}

static void check_wait(const struct lode_stream *stream, size_t i, lode_thread_id by,
		       enum lode_device device, enum lode_wait_reason reason, bool is_rearmed)
{
	const struct lode_events *e = &stream->threads.at[WAITER].events;

	assert_int_equal(e->other[i], by);
	assert_int_equal(e->device[i], device);
	assert_int_equal(e->reason[i], reason);
	assert_int_equal(!!(e->flags[i] & LODE_EVENT_REARMED), is_rearmed);
}

/* PostgreSQL: deadlock_timeout sends SIGALRM into the wait for a row. */
static void test_a_wait_that_a_timer_interrupts_ends_by_whom_it_ends_at_last(void **state)
{
	struct lode_stream *stream = new_stream();
	struct lode_symptom symptom = {.thread = WAITER};
	struct lode_critpath path = {0};
	int64_t holders_ns = 0;

	(void)state;
	add_timed(stream, 1000, LATCH, SIGNAL);
	add_next(stream, LODE_EVENT_READY, 200, LATCH);
	add_next(stream, LODE_EVENT_RUNNING, 30, "app!main");
	add_ended(stream, 700, LATCH, HOLDER);
	add_run(stream, HOLDER, 0, 2000, "work");
	lode_stream_join_rearmed(stream);
	check_wait(stream, 0, HOLDER, LODE_DEVICE_NONE, LODE_REASON_POLL, true);
	check_wait(stream, 3, HOLDER, LODE_DEVICE_NONE, LODE_REASON_POLL, false);

	/* All but the waiter's own 30 ns is what the holder did, ready time included. */
	symptom.t1_ns = 1930;
	lode_critpath_build(&path, stream, &symptom);
	for (size_t i = 0; i < path.spans.n; i++)
		if (path.links.at[path.spans.at[i].link].thread == HOLDER)
			holders_ns += path.spans.at[i].end_ns - path.spans.at[i].start_ns;
	assert_int_equal(holders_ns, 1900);
	lode_critpath_release(&path);
	lode_stream_free(stream);
}

/* The wait is interrupted by a timer; its second part has an unwound stack where that is given. */
static void check_turn(const char *chain, const char *dump, int64_t dumps_ns, bool is_joined)
{
	struct lode_stream *stream = new_stream();

	stream->dumps_ns = dumps_ns;
	add_timed(stream, 1000, chain, SIGNAL);
	add_next(stream, LODE_EVENT_RUNNING, 30, "app!main");
	add_ended(stream, 700, dump, HOLDER);
	lode_stream_join_rearmed(stream);
	check_wait(stream, 0, is_joined ? HOLDER : LODE_NONE,
		   is_joined ? LODE_DEVICE_NONE : LODE_DEVICE_TIMER,
		   is_joined ? LODE_REASON_POLL : LODE_REASON_TIMER, is_joined);
	check_wait(stream, 2, HOLDER, LODE_DEVICE_NONE, LODE_REASON_POLL, false);
	lode_stream_free(stream);
}

/* PostgreSQL as lode record has it, where stack dumps begin in the middle of a wait for a row. */
static void test_a_wait_goes_on_where_stack_dumps_begin(void **state)
{
	static const char chain[] = "[unknown]!x;app!main;app!ProcSleep;app!WaitLatch;"
				    "libc!epoll_wait;[kernel]!ep_poll";
	static const char dump[] = "app!_start;app!main;app!heap_update;app!ProcSleep;"
				   "app!WaitLatch;app!WaitEventSetWait;libc!epoll_wait;"
				   "[kernel]!ep_poll";

	(void)state;
	check_turn(chain, dump, 500, true);
	/* In whatever else waits is a wait of its own. */
	check_turn(chain, "app!main;app!WaitLatch;libc!epoll_wait;[kernel]!ep_poll", 500, false);
	check_turn(chain, "app!main;app!ProcSleep;app!WaitLatch;libc!poll;[kernel]!ep_poll", 500,
		   false);
	/* No dumps began there: the stacks are as they are. */
	check_turn(chain, dump, 0, false);
	check_turn(chain, dump, 1500, false);
}

/* CPython without frame pointers: the stack is one function of libc, the time-outs are equal. */
static void test_equal_time_outs_tell_a_loop_whose_stack_does_not(void **state)
{
	struct lode_stream *stream = new_stream();

	(void)state;
	for (int i = 0; i < 5; i++) {
		add_timed(stream, 5000 + i, LEAF, TIME_OUT);
		add_next(stream, LODE_EVENT_RUNNING, 10, "python!take_gil");
	}
	add_ended(stream, 2000, LEAF, HOLDER);
	lode_stream_join_rearmed(stream);
	for (size_t i = 0; i < 10; i += 2)
		check_wait(stream, i, HOLDER, LODE_DEVICE_NONE, LODE_REASON_LOCK, true);
	lode_stream_free(stream);
}

/* Java: a sleep of 10 ms, then a monitor, which is asked for after 1, 8 and 64 ms. */
static void test_a_sleep_before_it_is_no_part_of_a_back_off(void **state)
{
	static const int64_t lengths[] = {10000, 1000, 8000, 64000};
	struct lode_stream *stream = new_stream();

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		add_timed(stream, lengths[i], GARBAGE, TIME_OUT);
		add_next(stream, LODE_EVENT_RUNNING, 20, "");
	}
	add_ended(stream, 250000, GARBAGE, HOLDER);
	lode_stream_join_rearmed(stream);
	check_wait(stream, 0, LODE_NONE, LODE_DEVICE_TIMER, LODE_REASON_LOCK, false);
	for (size_t i = 2; i < 8; i += 2)
		check_wait(stream, i, HOLDER, LODE_DEVICE_NONE, LODE_REASON_LOCK, true);
	lode_stream_free(stream);
}

/* curl 7.88: the rest of a connection's 200 ms, a millisecond that rounding left, then its usual
   second. Its stack is one function of libc. A sleep of any length before is none of select's. */
static void test_time_outs_of_any_length_tell_of_a_poll(void **state)
{
	static const char *const stacks[] = {"libc!__poll;[kernel]!do_sys_poll;[kernel]!poll_wait",
					     "libc!select;[kernel]!do_select;[kernel]!poll_wait"};
	static const int64_t lengths[] = {199000, 1050};

	(void)state;
	for (int is_select = 0; is_select < 2; is_select++) {
		struct lode_stream *stream = new_stream();

		for (size_t i = 0; i < 2; i++) {
			add_timed(stream, lengths[i], stacks[is_select], TIME_OUT);
			add_next(stream, LODE_EVENT_RUNNING, 40, "");
		}
		add_ended(stream, 98000, stacks[is_select], HOLDER);
		lode_stream_join_rearmed(stream);
		for (size_t i = 0; i < 4; i += 2)
			check_wait(stream, i, is_select ? LODE_NONE : HOLDER,
				   is_select ? LODE_DEVICE_TIMER : LODE_DEVICE_NONE,
				   is_select ? LODE_REASON_TIMER : LODE_REASON_POLL, !is_select);
		lode_stream_free(stream);
	}
}

/* A worker of the kernel that a timer brings work has been given work. */
static void test_a_timer_that_brings_work_ends_the_wait_for_it(void **state)
{
	struct lode_stream *stream = new_stream();

	(void)state;
	add_timed(stream, 1000, LATCH, PUT_OFF);
	add_ended(stream, 1000, LATCH, HOLDER);
	lode_stream_join_rearmed(stream);
	check_wait(stream, 0, LODE_NONE, LODE_DEVICE_TIMER, LODE_REASON_TIMER, false);
	lode_stream_free(stream);
}

/* The waking of the last wait was lost: nobody may be named for the earlier ones. */
static void test_no_waker_is_invented(void **state)
{
	struct lode_stream *stream = new_stream();

	(void)state;
	add_timed(stream, 1000, LATCH, SIGNAL);
	add_timed(stream, 1000, LATCH, SIGNAL);
	add_ended(stream, 700, LATCH, LODE_NONE);
	add_run(stream, HOLDER, 0, 5000, "work");
	lode_stream_join_rearmed(stream);
	for (size_t i = 0; i < 2; i++) {
		check_wait(stream, i, LODE_NONE, LODE_DEVICE_NONE, LODE_REASON_POLL, true);
		assert_true(waiter_of(stream)->flags[i] & LODE_EVENT_NO_WAKER);
	}
	lode_stream_free(stream);
}

/* CPython's interpreter lock where CPUs that idle trace nothing: time-outs of 5 ms have no waking,
   the holder's has. Without that one, nobody is named. */
static void test_untraced_time_outs_end_by_whom_the_last_wait_ends(void **state)
{
	(void)state;
	for (int is_lost = 0; is_lost < 2; is_lost++) {
		struct lode_stream *stream = new_stream();
		struct lode_cpu *cpu = lode_vec_append_zero(&stream->cpus);

		for (int64_t i = 0; i < 4; i++) {
			size_t run;

			add_ended(stream, i < 3 ? 5000 : 2000, LEAF,
				  i < 3 || is_lost ? LODE_NONE : HOLDER);
			run = add_next(stream, LODE_EVENT_RUNNING, 10, LEAF);
			waiter_of(stream)->cpu[run] = 0;
			lode_vec_append(&cpu->runs, ((struct lode_cpu_run){i * 5010, LODE_IDLE}));
			lode_vec_append(
				&cpu->runs,
				((struct lode_cpu_run){waiter_of(stream)->start_ns[run], WAITER}));
		}
		add_run(stream, HOLDER, 0, 20000, "work");
		lode_stream_join_rearmed(stream);
		for (size_t i = 0; i < 6; i += 2)
			check_wait(stream, i, is_lost ? LODE_NONE : HOLDER, LODE_DEVICE_NONE,
				   LODE_REASON_LOCK, i < 4 || !is_lost);
		lode_stream_free(stream);
	}
}

/* curl 7.88, which polls while a thread of its own resolves a name, where CPUs that idle trace
   nothing: time-outs of whole milliseconds with what the kernel adds to them, then the resolver.
   What comes over the network ends polls after any time. */
static void test_untraced_polls_of_whole_milliseconds_timed_out(void **state)
{
	static const char poll[] = "libc!__poll;[kernel]!do_sys_poll;[kernel]!poll_wait";
	static const int64_t lengths[][4] = {
		{3060000, 1080000, 250330000, 98400000},
		{3060000, 1450000, 250700000, 98400000},
		{1700000, 250600000, 3060000, 98400000}, /* by chance, but of one alone */
	};

	(void)state;
	for (size_t k = 0; k < 3; k++) {
		struct lode_stream *stream = new_stream();
		struct lode_cpu *cpu = lode_vec_append_zero(&stream->cpus);

		for (size_t i = 0; i < 4; i++) {
			size_t run;

			add_ended(stream, lengths[k][i], poll, i < 3 ? LODE_NONE : HOLDER);
			run = add_next(stream, LODE_EVENT_RUNNING, 20000, poll);
			waiter_of(stream)->cpu[run] = 0;
			lode_vec_append(&cpu->runs, ((struct lode_cpu_run){
							    waiter_of(stream)->start_ns[run] - 1000,
							    LODE_IDLE}));
			lode_vec_append(
				&cpu->runs,
				((struct lode_cpu_run){waiter_of(stream)->start_ns[run], WAITER}));
		}
		lode_stream_join_rearmed(stream);
		for (size_t i = 0; i < 6; i += 2)
			check_wait(stream, i, k == 0 ? HOLDER : LODE_NONE, LODE_DEVICE_NONE,
				   LODE_REASON_POLL, k == 0);
		lode_stream_free(stream);
	}
}

/* ---- Random schedules against the definition ---- */

static const char *const places[] = {
	LATCH,
	"app!main;app!ProcSleep;libc!epoll_wait;[kernel]!ep_poll;[kernel]!schedule",
	LEAF,
	GARBAGE,
	"app!a;[unknown]!x;libc!futex_wait;[kernel]!futex_do_wait",
	"go!a;go!b;go!c;[kernel]!futex_do_wait",
	"go!a;go!b;[kernel]!futex_do_wait",
	"libc!poll;[kernel]!do_sys_poll;[kernel]!schedule",
	"libc!poll;[kernel]!do_sys_poll;[kernel]!poll_schedule_timeout;[kernel]!schedule",
	"[kernel]!kthread;[kernel]!schedule_timeout",
	"",
};
static const char *const wakings[] = {
	TIME_OUT, SIGNAL, PUT_OFF, "", "app!main;libc!hrtimer_wakeup", TIME_OUT, TIME_OUT};
#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

/* A CPU that runs what the waiter runs, and idles or runs another thread in between. */
static void random_cpu(struct rng *rng, struct lode_stream *stream)
{
	struct lode_events *e = waiter_of(stream);
	struct lode_cpu *cpu = lode_vec_append_zero(&stream->cpus);
	int64_t end_ns = -1;

	for (size_t i = 0; i < e->n; i++) {
		lode_thread_id before = rng_chance(rng, 70) ? LODE_IDLE : OTHER;

		e->cpu[i] = rng_chance(rng, 95) ? 0 : UINT16_MAX;
		if (e->kind[i] != LODE_EVENT_RUNNING)
			continue;
		if (end_ns < e->start_ns[i])
			lode_vec_append(&cpu->runs, ((struct lode_cpu_run){end_ns, before}));
		lode_vec_append(&cpu->runs, ((struct lode_cpu_run){e->start_ns[i], WAITER}));
		end_ns = lode_event_end_ns(e, i);
	}
	lode_vec_append(&cpu->runs, ((struct lode_cpu_run){end_ns, LODE_NONE}));
}

/* Makes it one of milliseconds, with what the kernel adds to them, or with anything else. */
static void scale_to_ms(struct rng *rng, struct lode_events *e)
{
	int64_t start_ns = 0;

	for (size_t i = 0; i < e->n; i++) {
		e->cost_ns[i] *= e->kind[i] == LODE_EVENT_WAITING ? 1000000 : 100000;
		if (e->kind[i] == LODE_EVENT_WAITING)
			e->cost_ns[i] += rng_below(rng, rng_chance(rng, 90) ? 300000 : 1000000);
		e->start_ns[i] = start_ns;
		start_ns += e->cost_ns[i];
	}
}

static struct lode_stream *random_schedule(struct rng *rng)
{
	struct lode_stream *stream = new_stream();
	const char *place = places[rng_below(rng, N_OF(places))], *at;
	uint32_t time_out = 1 + rng_below(rng, 60), n = 2 + rng_below(rng, 12);
	struct lode_events *e = waiter_of(stream);
	bool is_untraced = rng_chance(rng, 35);
	size_t i;

	while (n--) {
		at = rng_chance(rng, 88) ? place : places[rng_below(rng, N_OF(places))];
		if (is_untraced && rng_chance(rng, 70)) {
			i = add_ended(stream, time_out + rng_below(rng, 1 + time_out / 6), at,
				      LODE_NONE);
		} else if (rng_chance(rng, 70)) {
			i = add_timed(stream, time_out + rng_below(rng, 1 + time_out / 6), at,
				      wakings[rng_below(rng, N_OF(wakings))]);
		} else {
			i = add_ended(stream, 1 + rng_below(rng, 90), at,
				      rng_chance(rng, 70) ? 1 + rng_below(rng, 2) : LODE_NONE);
			if (e->other[i] == LODE_NONE && rng_chance(rng, 40))
				e->device[i] = (uint8_t)rng_below(rng, LODE_N_DEVICES);
		}
		if (rng_chance(rng, 10))
			e->reason[i] = (uint8_t)(1 + rng_below(rng, LODE_N_REASONS - 1));
		if (rng_chance(rng, 10))
			time_out = 1 + rng_below(rng, 60);
		else if (rng_chance(rng, 10))
			time_out *= 2;
		if (rng_chance(rng, 70))
			add_next(stream, LODE_EVENT_READY, 1 + rng_below(rng, 40), at);
		if (rng_chance(rng, 70))
			add_next(stream, LODE_EVENT_RUNNING, 1 + rng_below(rng, 6), "app!main");
		if (rng_chance(rng, 10))
			add_next(stream, LODE_EVENT_READY, 1 + rng_below(rng, 40), at);
		if (rng_chance(rng, 10) && e->n)
			e->cost_ns[e->n - 1] += rng_below(rng, 8);
	}
	if (rng_chance(rng, 30))
		e->flags[e->n - 1] |= LODE_EVENT_CUT_END;
	if (rng_chance(rng, 40))
		scale_to_ms(rng, e);
	if (rng_chance(rng, 70))
		random_cpu(rng, stream);
	return stream;
}

static bool oracle_from_idle(const struct lode_stream *stream, const struct lode_events *e,
			     size_t i)
{
	lode_thread_id before = LODE_NONE;

	for (i++; i < e->n && e->kind[i] == LODE_EVENT_READY;)
		i++;
	if (i >= e->n || e->kind[i] != LODE_EVENT_RUNNING || e->cpu[i] == UINT16_MAX ||
	    !stream->cpus.n)
		return false;
	for (size_t k = 0; k < stream->cpus.at[0].runs.n; k++)
		if (stream->cpus.at[0].runs.at[k].start_ns < e->start_ns[i])
			before = stream->cpus.at[0].runs.at[k].thread;
	return before == LODE_IDLE;
}

/* As long as some time-out of whole milliseconds, with what the kernel adds: up to 50 us before
   that, as the switch is later than the call, and up to 250 us behind. */
static bool oracle_whole_ms(int64_t length)
{
	for (int64_t ms = 1; ms * 1000000 <= length; ms++) {
		int64_t due_ns = ms * 1000000 + (ms < 50 ? 50000 : ms * 1000);

		if (length >= due_ns - 50000 && length <= due_ns + 250000)
			return true;
	}
	return false;
}

/* Ended by an interrupt of an idle CPU that was not recorded. */
static bool oracle_untraced(const struct lode_stream *stream, const struct lode_events *e, size_t i)
{
	return e->other[i] == LODE_NONE && !e->device[i] &&
	       (e->reason[i] == LODE_REASON_LOCK ||
		(e->reason[i] == LODE_REASON_POLL && oracle_whole_ms(e->cost_ns[i]))) &&
	       e->flags[i] & LODE_EVENT_NO_WAKER && oracle_from_idle(stream, e, i);
}

/* The frames of a place by name, and whether they tell it from others. */
static void describe_place(const struct lode_stream *stream, uint32_t stack, char *name,
			   bool *is_certain)
{
	const struct lode_calltree *tree = &stream->tree;
	uint32_t frames[16], n_files = 0, n_users = 0, first = LODE_NONE;
	size_t n = lode_calltree_path(tree, stack, frames);

	*name = '\0';
	*is_certain = false;
	for (size_t i = 0; i < n; i++)
		n_users += !(tree->frames.at[frames[i]].flags & LODE_FRAME_KERNEL);
	for (size_t i = 0; i < n; i++) {
		if (n_users && tree->frames.at[frames[i]].flags & LODE_FRAME_KERNEL)
			continue;
		strcat(name, lode_frame_module(tree, frames[i]));
		strcat(strcat(name, "!"), lode_frame_function(tree, frames[i]));
		if (*lode_frame_module(tree, frames[i]) == '[')
			continue;
		if (first == LODE_NONE)
			first = tree->frames.at[frames[i]].module;
		*is_certain |= ++n_files >= 3 || tree->frames.at[frames[i]].module != first;
	}
}

/* poll, or epoll_wait, by any function of the kernel. */
static bool oracle_of_files(const struct lode_stream *stream, const struct lode_events *e, size_t i)
{
	uint32_t frames[16];
	size_t n = lode_calltree_path(&stream->tree, e->stack[i], frames);

	while (n--) {
		const char *name = lode_frame_function(&stream->tree, frames[n]);

		if ((!strcmp(name, "do_sys_poll") || !strcmp(name, "ep_poll")) &&
		    !strcmp(lode_frame_module(&stream->tree, frames[n]), "[kernel]"))
			return true;
	}
	return false;
}

static bool oracle_timed_out(const struct lode_stream *stream, const struct lode_events *e,
			     size_t i)
{
	uint32_t frames[16];
	size_t n = lode_calltree_path(&stream->tree, e->other_stack[i], frames);

	if (e->other[i] == LODE_NONE && !e->device[i] && e->reason[i] == LODE_REASON_TIMER)
		return true;
	if (oracle_untraced(stream, e, i))
		return true;
	if (e->device[i] != LODE_DEVICE_TIMER || e->other[i] != LODE_NONE)
		return false;
	while (n--) {
		const char *name = lode_frame_function(&stream->tree, frames[n]);

		if ((!strcmp(name, "hrtimer_wakeup") || !strcmp(name, "it_real_fn")) &&
		    !strcmp(lode_frame_module(&stream->tree, frames[n]), "[kernel]"))
			return true;
	}
	return false;
}

/* The wait that takes `i` up again; LODE_NONE: none does. */
static uint32_t oracle_next(const struct lode_stream *stream, const struct lode_events *e,
			    uint32_t i)
{
	char place[256], other[256];
	bool is_certain;
	int64_t elsewhere_ns = 0;
	uint32_t before = LODE_NONE;

	describe_place(stream, e->stack[i], place, &is_certain);
	for (uint32_t k = i + 1; k < e->n; k++) {
		describe_place(stream, e->stack[k], other, &is_certain);
		if (e->kind[k] != LODE_EVENT_WAITING || strcmp(place, other) != 0) {
			elsewhere_ns += e->kind[k] == LODE_EVENT_READY ? 0 : e->cost_ns[k];
			continue;
		}
		if (!oracle_timed_out(stream, e, i) || elsewhere_ns * 10 > e->cost_ns[i])
			return LODE_NONE;
		if (e->reason[i] != e->reason[k] &&
		    !(e->reason[i] == LODE_REASON_TIMER && e->reason[k] == LODE_REASON_POLL) &&
		    !(e->reason[i] == LODE_REASON_POLL && e->reason[k] == LODE_REASON_TIMER))
			return LODE_NONE;
		if (is_certain && !oracle_untraced(stream, e, i))
			return k;
		for (uint32_t b = 0; b < i; b++)
			if (e->kind[b] == LODE_EVENT_WAITING && oracle_next(stream, e, b) == i)
				before = b;
		if (oracle_of_files(stream, e, i) && oracle_of_files(stream, e, k))
			return !oracle_untraced(stream, e, i) || before != LODE_NONE ||
					       oracle_timed_out(stream, e, k)
				       ? k
				       : LODE_NONE;
		if (oracle_timed_out(stream, e, k))
			return e->cost_ns[k] * 8 >= e->cost_ns[i] * 7 ? k : LODE_NONE;
		if (before != LODE_NONE && e->cost_ns[before] < e->cost_ns[i])
			return e->cost_ns[k] * e->cost_ns[before] * 8 <=
					       e->cost_ns[i] * e->cost_ns[i] * 9
				       ? k
				       : LODE_NONE;
		return e->cost_ns[k] * 8 <= e->cost_ns[i] * 9 ? k : LODE_NONE;
	}
	return LODE_NONE;
}

/* The wait whose ending counts for `i`: its own, unless it is known what a later one ended by. */
static uint32_t oracle_last(const struct lode_stream *stream, const struct lode_events *e,
			    uint32_t i)
{
	uint32_t next = oracle_next(stream, e, i), last;

	if (next == LODE_NONE)
		return i;
	last = oracle_last(stream, e, next);
	if (e->device[last] == LODE_DEVICE_TIMER || e->reason[last] == LODE_REASON_TIMER ||
	    e->flags[last] & LODE_EVENT_CUT_END || oracle_untraced(stream, e, last))
		return i;
	if (last == next && e->other[last] == LODE_NONE && e->device[last] == LODE_DEVICE_NONE &&
	    llabs(e->cost_ns[last] - e->cost_ns[i]) <= e->cost_ns[i] / 8)
		return i;
	return last;
}

static void test_random_schedules_end_as_the_definition_says(void **state)
{
	size_t n_rearmed = 0, n_uncertain = 0, n_unknown = 0, n_untraced = 0, n_polls = 0;
	char name[256];
	bool is_certain;

	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(20000); seed++) {
		struct rng rng = {seed}, again = {seed};
		struct lode_stream *stream = random_schedule(&rng), *as_it_was;
		const struct lode_events *is = waiter_of(stream), *was;

		as_it_was = random_schedule(&again);
		was = waiter_of(as_it_was);
		lode_stream_join_rearmed(stream);
		for (uint32_t i = 0; i < is->n; i++) {
			uint32_t last = was->kind[i] == LODE_EVENT_WAITING
						? oracle_last(as_it_was, was, i)
						: i;
			bool is_rearmed = was->kind[i] == LODE_EVENT_WAITING &&
					  oracle_next(as_it_was, was, i) != LODE_NONE;

			if (was->kind[i] == LODE_EVENT_READY && i > 0 &&
			    was->kind[i - 1] == LODE_EVENT_WAITING)
				is_rearmed = oracle_next(as_it_was, was, i - 1) != LODE_NONE;
			if (is->other[i] != was->other[last] ||
			    is->other_stack[i] != was->other_stack[last] ||
			    is->device[i] != was->device[last] ||
			    is->reason[i] != was->reason[last] ||
			    !!(is->flags[i] & LODE_EVENT_REARMED) != is_rearmed ||
			    (is->flags[i] & LODE_EVENT_NO_WAKER) !=
				    (was->flags[last] & LODE_EVENT_NO_WAKER) ||
			    is->start_ns[i] != was->start_ns[i] ||
			    is->cost_ns[i] != was->cost_ns[i] || is->stack[i] != was->stack[i])
				fail_msg("seed %lu: event %u is not as event %u", seed, i, last);
			describe_place(as_it_was, was->stack[i], name, &is_certain);
			n_rearmed += last != i;
			n_uncertain += last != i && !is_certain;
			n_untraced += last != i && oracle_untraced(as_it_was, was, i);
			n_polls += last != i && was->reason[i] == LODE_REASON_POLL &&
				   oracle_untraced(as_it_was, was, i);
			n_unknown += last != i && is->flags[i] & LODE_EVENT_NO_WAKER;
		}
		lode_stream_free(stream);
		lode_stream_free(as_it_was);
	}
	/* The inputs are worth something. */
	assert_true(n_rearmed > TEST_CASES(5000));
	assert_true(n_uncertain > TEST_CASES(1000));
	assert_true(n_unknown > TEST_CASES(1000));
	assert_true(n_untraced > TEST_CASES(200));
	assert_true(n_polls > TEST_CASES(100));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_wait_that_a_timer_interrupts_ends_by_whom_it_ends_at_last),
		cmocka_unit_test(test_a_wait_goes_on_where_stack_dumps_begin),
		cmocka_unit_test(test_equal_time_outs_tell_a_loop_whose_stack_does_not),
		cmocka_unit_test(test_a_sleep_before_it_is_no_part_of_a_back_off),
		cmocka_unit_test(test_time_outs_of_any_length_tell_of_a_poll),
		cmocka_unit_test(test_a_timer_that_brings_work_ends_the_wait_for_it),
		cmocka_unit_test(test_no_waker_is_invented),
		cmocka_unit_test(test_untraced_time_outs_end_by_whom_the_last_wait_ends),
		cmocka_unit_test(test_untraced_polls_of_whole_milliseconds_timed_out),
		cmocka_unit_test(test_random_schedules_end_as_the_definition_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
