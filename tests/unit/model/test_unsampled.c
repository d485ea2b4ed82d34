/* Time on a CPU without a sample: by the definition, and against programs whose times are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "model/unsampled.h"
#include "unit/model/sched_sim.h"
#include "unit/model/unsampled_oracle.h"

enum { N_SEEDS = 1500, MOST_EVENTS = 100 };

static struct lode_stream *new_stream(void)
{
	struct lode_stream *stream = lode_alloc0(1, sizeof(*stream));

	lode_calltree_init(&stream->tree);
	stream->has_switches = true;
	return stream;
}

static struct lode_events *add_thread(struct lode_stream *stream, int32_t pid, int32_t tid,
				      const char *comm)
{
	struct lode_thread *thread = lode_vec_append_zero(&stream->threads);

	thread->pid = pid;
	thread->tid = tid;
	thread->comm = lode_strings_intern(&stream->tree.strings, comm, strlen(comm));
	*lode_map_slot(&stream->thread_index, (uint32_t)tid) = (uint32_t)stream->threads.n - 1;
	return &thread->events;
}

static void add_event(struct lode_events *e, enum lode_event_kind kind, int64_t cost_ns,
		      uint32_t stack, unsigned flags)
{
	int64_t start_ns = e->n ? lode_event_end_ns(e, e->n - 1) : 0;
	size_t i = lode_events_append(e, kind, start_ns, cost_ns, stack);

	e->flags[i] = (uint8_t)flags;
}

static uint32_t stack_of(struct lode_stream *stream, const char *a, const char *b, const char *c)
{
	const char *const frames[] = {a, b, c};
	uint32_t node = 0;

	for (size_t i = 0; i < 3 && frames[i]; i++)
		node = lode_calltree_child(&stream->tree, node,
					   lode_frame_intern(&stream->tree, "app", frames[i], 0));
	return node;
}

/* ---- The definition ---- */

static void random_threads(struct lode_stream *stream, struct test_random *random)
{
	static const char *const comms[] = {"db", "web", "db"};
	uint32_t nodes[SIM_RAW], n_threads = 1 + test_random_below(random, 5);
	/* Few stacks: many samples of one kind. */
	uint32_t n_stacks = 2 + test_random_below(random, SIM_RAW - 2);

	sim_nodes(&stream->tree, nodes);
	for (uint32_t t = 0; t < n_threads; t++) {
		/* Processes of two programs; some threads have one that is not in the recording. */
		int32_t pid = (int32_t)(100 + test_random_below(random, 4));
		struct lode_events *e = add_thread(stream, pid, (int32_t)(100 + t), comms[pid % 3]);
		uint32_t n = test_random_below(random, MOST_EVENTS);

		for (uint32_t i = 0; i < n; i++) {
			uint32_t what = test_random_below(random, 10);
			enum lode_event_kind kind = what < 5   ? LODE_EVENT_RUNNING
						    : what < 9 ? LODE_EVENT_WAITING
							       : LODE_EVENT_READY;
			bool is_gap = test_random_below(random, 3) > 0;

			add_event(e, kind, 1 + test_random_below(random, 500),
				  nodes[test_random_below(random, n_stacks)],
				  kind == LODE_EVENT_RUNNING && is_gap ? LODE_EVENT_UNSAMPLED : 0);
		}
	}
}

static void runs_have_the_samples_of_their_kind(void **state)
{
	size_t n_gaps = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= N_SEEDS; seed++) {
		struct test_random random = {seed};
		struct lode_stream *stream = new_stream();
		struct lode_events *expected;

		random_threads(stream, &random);
		expected = lode_alloc0(stream->threads.n, sizeof(*expected));
		for (size_t t = 0; t < stream->threads.n; t++) {
			const struct lode_events *e = &stream->threads.at[t].events;

			for (size_t i = 0; i < e->n; i++)
				add_event(&expected[t], e->kind[i], e->cost_ns[i], e->stack[i],
					  e->flags[i]);
		}
		unsampled_oracle(stream, expected);
		lode_unsampled_place(stream);
		for (size_t t = 0; t < stream->threads.n; t++) {
			const struct lode_events *e = &stream->threads.at[t].events;

			for (size_t i = 0; i < e->n; i++) {
				n_gaps += e->flags[i] & LODE_EVENT_UNSAMPLED;
				if (e->stack[i] == expected[t].stack[i])
					continue;
				print_error("seed %llu: thread %zu event %zu: stack %u, not %u\n",
					    (unsigned long long)seed, t, i, e->stack[i],
					    expected[t].stack[i]);
				fail();
			}
			lode_events_release(&expected[t]);
		}
		free(expected);
		lode_stream_free(stream);
	}
	assert_true(n_gaps > N_SEEDS);
}

static void without_samples_only_what_is_certain_is_left(void **state)
{
	struct lode_stream *stream = new_stream();
	uint32_t load = stack_of(stream, "main", "load", "read");
	uint32_t draw = stack_of(stream, "main", "draw", "write");
	uint32_t other = stack_of(stream, "start", "log", NULL);
	struct lode_events *e = add_thread(stream, 1, 1, "app");

	(void)state;
	add_event(e, LODE_EVENT_RUNNING, 10, load, LODE_EVENT_UNSAMPLED);
	add_event(e, LODE_EVENT_WAITING, 10, load, 0);
	add_event(e, LODE_EVENT_RUNNING, 10, draw, LODE_EVENT_UNSAMPLED);
	add_event(e, LODE_EVENT_WAITING, 10, draw, 0);
	add_event(e, LODE_EVENT_RUNNING, 10, other, LODE_EVENT_UNSAMPLED);
	add_event(e, LODE_EVENT_WAITING, 10, other, 0);
	lode_unsampled_place(stream);
	assert_int_equal(e->stack[0], load); /* nothing is known from before */
	assert_int_equal(e->stack[2], stack_of(stream, "main", NULL, NULL));
	assert_int_equal(e->stack[4], other); /* nothing in common */
	lode_stream_free(stream);
}

static void programs_keep_their_samples_to_themselves(void **state)
{
	struct lode_stream *stream = new_stream();
	uint32_t poll = stack_of(stream, "poll", NULL, NULL),
		 work = stack_of(stream, "work", NULL, NULL);
	const char *const comms[] = {"a", "b", "a"};

	(void)state;
	for (int t = 0; t < 3; t++) {
		struct lode_events *e = add_thread(stream, 10 + t, 10 + t, comms[t]);

		for (int i = 0; i < 2 * LODE_UNSAMPLED_ENOUGH; i++)
			add_event(e, i % 2 ? LODE_EVENT_RUNNING : LODE_EVENT_WAITING, 10,
				  i % 2 && !t ? work : poll, i % 2 && t ? LODE_EVENT_UNSAMPLED : 0);
		add_event(e, LODE_EVENT_WAITING, 10, poll, 0);
	}
	lode_unsampled_place(stream);
	assert_int_equal(stream->threads.at[1].events.stack[1], poll);
	assert_int_equal(stream->threads.at[2].events.stack[1], work);
	lode_stream_free(stream);
}

/* ---- Programs whose times are known ---- */

/* Runs of up to two parts each, sampled each ms; `true_ns` what the parts took. */
struct program {
	struct lode_stream *stream;
	struct lode_events *events;
	uint32_t parts[2], wait;
	int64_t true_ns[2], now_ns;
};

/* A run: so much of the first part, then of the second. What a CPU sees is when it is sampled. */
static void run_parts(struct program *p, int64_t first_ns, int64_t second_ns)
{
	const int64_t ms = 1000000;
	int64_t length = first_ns + second_ns, start = p->now_ns, tick = (start / ms + 1) * ms;
	size_t n = 0, first = p->events->n;

	for (; tick < start + length; tick += ms, n++)
		add_event(p->events, LODE_EVENT_RUNNING, 1, p->parts[tick >= start + first_ns], 0);
	if (!n)
		add_event(p->events, LODE_EVENT_RUNNING, length, p->wait, LODE_EVENT_UNSAMPLED);
	for (size_t i = 0; i < n; i++)
		p->events->cost_ns[first + i] = length / (int64_t)n;
	add_event(p->events, LODE_EVENT_WAITING, 77777, p->wait, 0);
	p->true_ns[0] += first_ns;
	p->true_ns[1] += second_ns;
	p->now_ns += length + 77777;
}

static double error_of(const struct program *p)
{
	int64_t found[2] = {0}, all_ns = p->true_ns[0] + p->true_ns[1], off_ns = 0;

	lode_unsampled_place(p->stream);
	for (size_t i = 0; i < p->events->n; i++)
		for (int k = 0; k < 2; k++)
			if (p->events->kind[i] == LODE_EVENT_RUNNING &&
			    p->events->stack[i] == p->parts[k])
				found[k] += p->events->cost_ns[i];
	for (int k = 0; k < 2; k++)
		off_ns += llabs(found[k] - p->true_ns[k]);
	return (double)off_ns / (double)all_ns;
}

static struct program new_program(void)
{
	struct program p = {.stream = new_stream()};

	p.parts[0] = stack_of(p.stream, "main", "alpha", NULL);
	p.parts[1] = stack_of(p.stream, "main", "beta", NULL);
	p.wait = stack_of(p.stream, "main", "ask", "read");
	p.events = add_thread(p.stream, 1, 1, "app");
	add_event(p.events, LODE_EVENT_WAITING, 1, p.wait, 0);
	return p;
}

/* Bursts of 50 to 500 us: most have no sample. All of these would be the wait's otherwise. */
static void short_bursts_come_to_their_true_times(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct test_random random = {seed};
		struct program p = new_program();

		for (int i = 0; i < 20000; i++)
			run_parts(&p, 30000 + test_random_below(&random, 270000),
				  20000 + test_random_below(&random, 180000));
		assert_true(error_of(&p) < 0.05);
		lode_stream_free(p.stream);
	}
}

/* Long runs are sampled more often than short ones, which do something else. */
static void short_runs_do_not_get_what_long_runs_do(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct test_random random = {seed};
		struct program p = new_program();

		for (int i = 0; i < 20000; i++)
			if (test_random_below(&random, 5))
				run_parts(&p, 0, 100000);
			else
				run_parts(&p, 900000, 0);
		assert_true(error_of(&p) < 0.05);
		lode_stream_free(p.stream);
	}
}

/* What it does changes, its waits do not: each half of the time has its own. */
static void a_program_that_changes_is_followed(void **state)
{
	struct test_random random = {7};
	struct program p = new_program();
	int64_t late_ns = 0;
	size_t half;

	(void)state;
	for (int i = 0; i < 10000; i++)
		run_parts(&p, 100000 + test_random_below(&random, 100000), 0);
	half = p.events->n;
	for (int i = 0; i < 10000; i++)
		run_parts(&p, 0, 100000 + test_random_below(&random, 100000));
	assert_true(error_of(&p) < 0.05);
	for (size_t i = half; i < p.events->n; i++)
		if (p.events->stack[i] == p.parts[0])
			late_ns += p.events->cost_ns[i];
	assert_true(late_ns < p.true_ns[0] / 20);
	lode_stream_free(p.stream);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_have_the_samples_of_their_kind),
		cmocka_unit_test(without_samples_only_what_is_certain_is_left),
		cmocka_unit_test(programs_keep_their_samples_to_themselves),
		cmocka_unit_test(short_bursts_come_to_their_true_times),
		cmocka_unit_test(short_runs_do_not_get_what_long_runs_do),
		cmocka_unit_test(a_program_that_changes_is_followed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
