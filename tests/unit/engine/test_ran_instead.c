/* Who ran while a thread was ready: run by run over all threads, of a scheduler that never was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "engine/waits/ran_instead.h"
#include "unit/model/sched_sim.h"

enum { N_SEEDS = 2000, N_RECORDS = 200 };

static struct lode_stream *play(struct sim *sim, uint64_t seed)
{
	struct lode_builder *b = lode_builder_new("sim", "sim", "ns", NULL);

	sim_play(sim, seed, 1 + seed % N_RECORDS);
	for (size_t i = 0; i < sim->records.n; i++)
		sim_feed(b, &sim->records.at[i]);
	return sim_finish(b);
}

/* In whose queue it stood, by the definition. */
static uint16_t plain_queue(const struct lode_events *e, size_t i)
{
	if (e->flags[i] & LODE_EVENT_PREEMPTED)
		return e->cpu[i];
	for (size_t k = i + 1; k < e->n && e->kind[k] == LODE_EVENT_RUNNING; k++)
		return e->cpu[k] == UINT16_MAX ? e->cpu[i] : e->cpu[k];
	return e->cpu[i];
}

static int64_t plain_run_ns(const struct lode_thread *thread, uint16_t cpu, int64_t start_ns,
			    int64_t end_ns)
{
	const struct lode_events *e = &thread->events;
	int64_t sum_ns = 0;

	for (size_t i = 0; i < e->n; i++) {
		int64_t from = e->start_ns[i] > start_ns ? e->start_ns[i] : start_ns;
		int64_t to = lode_event_end_ns(e, i) < end_ns ? lode_event_end_ns(e, i) : end_ns;

		if (e->kind[i] == LODE_EVENT_RUNNING && e->cpu[i] == cpu && from < to)
			sum_ns += to - from;
	}
	return sum_ns;
}

/* A part of a ready event, as the critical path takes; the sum of shares is its length. */
static void check_part(uint64_t seed, const struct lode_stream *stream, lode_thread_id thread,
		       size_t event, int64_t start_ns, int64_t end_ns, bool is_complete,
		       size_t *near)
{
	int64_t *found = lode_alloc0(stream->threads.n, sizeof(*found)), sum_ns = 0;
	uint16_t cpu = plain_queue(&stream->threads.at[thread].events, event);
	struct lode_ran_instead ran;

	lode_ran_instead_begin(&ran, stream, thread, event, start_ns, end_ns, near);
	while (lode_ran_instead_next(&ran)) {
		assert_true(ran.cost_ns > 0);
		sum_ns += ran.cost_ns;
		if (ran.thread < stream->threads.n)
			found[ran.thread] += ran.cost_ns;
	}
	assert_true(sum_ns == end_ns - start_ns);
	for (size_t t = 0; is_complete && t < stream->threads.n; t++)
		if (found[t] != plain_run_ns(&stream->threads.at[t], cpu, start_ns, end_ns))
			fail_msg("seed %llu: thread %zu ran %lld ns instead of %u",
				 (unsigned long long)seed, t, (long long)found[t], thread);
	free(found);
}

static size_t check_stream(uint64_t seed, const struct lode_stream *stream, bool is_complete)
{
	size_t *near = lode_alloc0(stream->cpus.n + 1, sizeof(*near));
	struct test_random random = {seed};
	size_t n = 0;

	for (lode_thread_id t = 0; t < stream->threads.n; t++) {
		const struct lode_events *e = &stream->threads.at[t].events;

		for (size_t i = 0; i < e->n; i++) {
			int64_t from = e->start_ns[i], to = lode_event_end_ns(e, i), cut;

			if (e->kind[i] != LODE_EVENT_READY)
				continue;
			n++;
			check_part(seed, stream, t, i, from, to, is_complete, near);
			cut = from + test_random_below(&random, (uint32_t)(to - from) + 1);
			check_part(seed, stream, t, i, from, cut, is_complete, NULL);
			check_part(seed, stream, t, i, cut, to, is_complete, near);
		}
	}
	free(near);
	return n;
}

static void shares_are_those_of_the_runs_on_the_cpu(void **state)
{
	size_t n = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= N_SEEDS; seed++) {
		struct sim sim = {0};
		struct lode_stream *stream = play(&sim, seed);

		n += check_stream(seed, stream, true);
		lode_stream_free(stream);
		sim_release(&sim);
	}
	assert_true(n > N_SEEDS);
}

static void shares_sum_to_the_ready_time_whatever_is_missing(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= N_SEEDS; seed++) {
		struct sim sim = {.lose_last_pct = 70};
		struct lode_stream *stream = play(&sim, seed);

		check_stream(seed, stream, false);
		for (size_t c = 0; c < stream->cpus.n; c++)
			for (size_t i = 1; i < stream->cpus.at[c].runs.n; i++)
				assert_true(stream->cpus.at[c].runs.at[i].start_ns >
					    stream->cpus.at[c].runs.at[i - 1].start_ns);
		lode_stream_free(stream);
		sim_release(&sim);
	}
}

/* CPU 0: thread 7 is woken at 200, while 9 runs until 300, then nobody, until 7 comes at 350. */
static void idle_and_unrecorded_are_told_apart(void **state)
{
	struct lode_builder *b = lode_builder_new("made", "made", "ns", NULL);
	const struct lode_switch switches[] = {
		{.t_ns = 100, .prev_pid = 7, .next_pid = 9, .left = LODE_LEFT_SLEEPING},
		{.t_ns = 300, .prev_pid = 9, .next_pid = 0, .left = LODE_LEFT_SLEEPING},
		{.t_ns = 350, .prev_pid = 0, .next_pid = 7},
		{.t_ns = 400, .prev_pid = 7, .next_pid = 0, .left = LODE_LEFT_SLEEPING},
	};
	uint32_t nodes[] = {0};
	const lode_thread_id nobody[] = {LODE_IDLE, LODE_NONE};
	struct lode_ran_instead ran;
	struct lode_stream *stream;
	lode_thread_id woken;
	size_t ready = 0;

	(void)state;
	lode_builder_switch(b, &switches[0]);
	lode_builder_waking(b, &(struct lode_waking){.t_ns = 200,
						     .cpu = 0,
						     .waker_tid = 9,
						     .wakee_tid = 7,
						     .has_context = true});
	for (size_t i = 1; i < 4; i++)
		lode_builder_switch(b, &switches[i]);
	stream = lode_builder_finish(b, nodes, 1);
	woken = lode_map_find(&stream->thread_index, 7);
	while (stream->threads.at[woken].events.kind[ready] != LODE_EVENT_READY)
		ready++;
	lode_ran_instead_begin(&ran, stream, woken, ready, 200, 350, NULL);
	assert_true(lode_ran_instead_next(&ran));
	assert_int_equal(ran.thread, lode_map_find(&stream->thread_index, 9));
	assert_int_equal(ran.cost_ns, 100);
	assert_true(lode_ran_instead_next(&ran));
	assert_int_equal(ran.thread, nobody[0]);
	assert_int_equal(ran.cost_ns, 50);
	assert_false(lode_ran_instead_next(&ran));
	/* Before the first record and behind the last nobody knows. */
	lode_ran_instead_begin(&ran, stream, woken, ready, 50, 60, NULL);
	assert_true(lode_ran_instead_next(&ran));
	assert_int_equal(ran.thread, nobody[1]);
	lode_ran_instead_begin(&ran, stream, woken, ready, 500, 600, NULL);
	assert_true(lode_ran_instead_next(&ran));
	assert_int_equal(ran.thread, nobody[1]);
	lode_stream_free(stream);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_are_those_of_the_runs_on_the_cpu),
		cmocka_unit_test(shares_sum_to_the_ready_time_whatever_is_missing),
		cmocka_unit_test(idle_and_unrecorded_are_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
