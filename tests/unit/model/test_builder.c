/* The state machine against a simulated scheduler's own account, and against broken recordings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "model/builder.h"
#include "unit/model/sched_sim.h"
#include "unit/model/unsampled_oracle.h"

enum { N_SEEDS = 4000, N_RECORDS = 200 };

static struct lode_stream *build(const struct sim *sim, const struct lode_narrow *narrow)
{
	struct lode_builder *b = lode_builder_new("sim", "sim", "ns", narrow);

	for (size_t i = 0; i < sim->records.n; i++)
		sim_feed(b, &sim->records.at[i]);
	return sim_finish(b);
}

/* ---- The oracle ---- */

struct expected {
	enum lode_event_kind kind;
	int64_t start_ns, cost_ns;
	uint32_t stack;
	unsigned flags;
	uint32_t cpu;
	const struct sim_event *event;
};
typedef LODE_VEC(struct expected) expected_vec;

/* One entry per sample of a run, and one per other event; what has no length is not there. */
static void expect_thread(expected_vec *out, const struct sim_thread *t)
{
	for (size_t i = 0; i < t->events.n; i++) {
		const struct sim_event *e = &t->events.at[i];
		int64_t length = e->end_ns - e->start_ns, start = e->start_ns;
		size_t n = e->n_samples ? e->n_samples : 1;
		size_t last = length < (int64_t)n ? (size_t)length : n;
		struct expected x = {.kind = e->kind, .event = e};

		for (size_t k = 0; k < last; k++) {
			x.start_ns = start;
			x.cost_ns = length / (int64_t)n + ((int64_t)k < length % (int64_t)n);
			start += x.cost_ns;
			x.stack = e->n_samples ? t->samples.at[e->first_sample + k] : e->stack;
			x.cpu = e->kind == LODE_EVENT_RUNNING ? e->cpu : e->left_cpu;
			x.flags = e->flags;
			if (e->kind == LODE_EVENT_RUNNING && !e->n_samples)
				x.flags |= LODE_EVENT_UNSAMPLED;
			if (k > 0)
				x.flags &= ~(unsigned)LODE_EVENT_CUT_START;
			if (k + 1 < last)
				x.flags &= ~(unsigned)LODE_EVENT_CUT_END;
			lode_vec_append(out, x);
		}
	}
}

/* Who ran longest on the CPU during a ready event, looked up run by run. */
static int longest_runner(const struct sim *sim, const struct sim_event *ready)
{
	int64_t best = 0, best_start = 0;
	int who = -1;

	for (size_t i = 0; i < sim->threads.n; i++) {
		for (size_t k = 0; k < sim->threads.at[i].events.n; k++) {
			const struct sim_event *e = &sim->threads.at[i].events.at[k];
			int64_t start =
				e->start_ns > ready->start_ns ? e->start_ns : ready->start_ns;
			int64_t end = e->end_ns < ready->end_ns ? e->end_ns : ready->end_ns;

			if (e->kind != LODE_EVENT_RUNNING || e->cpu != ready->cpu || end <= start)
				continue;
			if (end - start > best || (end - start == best && start < best_start)) {
				best = end - start;
				best_start = start;
				who = (int)i;
			}
		}
	}
	return who;
}

/* The stream's thread for a simulated one: the same tid, as many lives before it. */
static lode_thread_id find_thread(const struct lode_stream *stream, const struct sim *sim, int i)
{
	size_t lives = 0;

	for (int k = 0; k < i; k++)
		lives += sim->threads.at[k].tid == sim->threads.at[i].tid;
	for (lode_thread_id id = 0; id < stream->threads.n; id++)
		if (stream->threads.at[id].tid == sim->threads.at[i].tid && lives-- == 0)
			return id;
	return LODE_NONE;
}

static lode_thread_id expect_other(const struct lode_stream *stream, const struct sim *sim,
				   const struct sim_event *e)
{
	int who = -1;

	if (e->kind == LODE_EVENT_READY)
		who = longest_runner(sim, e);
	else if (e->kind == LODE_EVENT_WAITING)
		who = e->waker;
	return who < 0 ? LODE_NONE : find_thread(stream, sim, who);
}

static void compare_thread(uint64_t seed, const struct lode_stream *stream, const struct sim *sim,
			   int i, const uint32_t *nodes, const struct lode_events *placed)
{
	lode_thread_id id = find_thread(stream, sim, i);
	expected_vec all = {0};
	const struct lode_events *e;

	expect_thread(&all, &sim->threads.at[i]);
	if (id == LODE_NONE) {
		if (all.n)
			FAIL_AT(seed, "thread %d is missing\n", sim->threads.at[i].tid);
		lode_vec_release(&all);
		return;
	}
	e = &stream->threads.at[id].events;
	if (stream->threads.at[id].died_ns != sim->threads.at[i].died_ns)
		FAIL_AT(seed, "thread %d died at %lld, expected %lld\n", sim->threads.at[i].tid,
			(long long)stream->threads.at[id].died_ns,
			(long long)sim->threads.at[i].died_ns);
	for (size_t k = 0; k < all.n || k < e->n; k++) {
		const struct expected *x = &all.at[k];

		if (k >= all.n || k >= e->n)
			FAIL_AT(seed, "thread %d has %zu events, expected %zu\n",
				sim->threads.at[i].tid, e->n, all.n);
		if (e->kind[k] != x->kind || e->start_ns[k] != x->start_ns ||
		    e->cost_ns[k] != x->cost_ns || e->flags[k] != x->flags)
			FAIL_AT(seed,
				"thread %d event %zu: %s %lld+%lld flags %u, expected %s %lld+%lld "
				"flags %u\n",
				sim->threads.at[i].tid, k,
				lode_event_kind_name((enum lode_event_kind)e->kind[k]),
				(long long)e->start_ns[k], (long long)e->cost_ns[k], e->flags[k],
				lode_event_kind_name(x->kind), (long long)x->start_ns,
				(long long)x->cost_ns, x->flags);
		if (e->stack[k] != placed[id].stack[k] ||
		    e->other[k] != expect_other(stream, sim, x->event) ||
		    e->other_stack[k] != nodes[x->event->waker_stack] ||
		    e->cpu[k] != (x->cpu < SIM_CPUS ? x->cpu : UINT16_MAX))
			FAIL_AT(seed, "thread %d event %zu: stack %u other %u cpu %u\n",
				sim->threads.at[i].tid, k, e->stack[k], e->other[k], e->cpu[k]);
		if ((e->device[k] != LODE_DEVICE_NONE) != x->event->by_interrupt ||
		    (x->event->waker_stack >= SIM_INTERRUPT && x->event->by_interrupt &&
		     e->device[k] != LODE_DEVICE_NETWORK))
			FAIL_AT(seed, "thread %d event %zu: device %u\n", sim->threads.at[i].tid, k,
				e->device[k]);
	}
	lode_vec_release(&all);
}

/* All threads; where no sample fell, stacks are those of the oracle. */
static void compare_threads(uint64_t seed, const struct lode_stream *stream, const struct sim *sim,
			    const uint32_t *nodes)
{
	struct lode_events *placed = lode_alloc0(stream->threads.n, sizeof(*placed));

	for (size_t i = 0; i < sim->threads.n; i++) {
		lode_thread_id id = find_thread(stream, sim, (int)i);
		expected_vec all = {0};

		expect_thread(&all, &sim->threads.at[i]);
		for (size_t k = 0; id != LODE_NONE && k < all.n; k++) {
			const struct expected *x = &all.at[k];
			size_t at = lode_events_append(&placed[id], x->kind, x->start_ns,
						       x->cost_ns, nodes[x->stack]);

			placed[id].flags[at] = (uint8_t)x->flags;
		}
		lode_vec_release(&all);
	}
	unsampled_oracle(stream, placed);
	for (size_t i = 0; i < sim->threads.n; i++)
		compare_thread(seed, stream, sim, (int)i, nodes, placed);
	for (size_t i = 0; i < stream->threads.n; i++)
		lode_events_release(&placed[i]);
	free(placed);
}

static void complete_recordings_give_the_schedulers_own_account(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= N_SEEDS; seed++) {
		struct sim sim = {0};
		struct lode_stream *stream;
		uint32_t nodes[SIM_RAW];

		sim_play(&sim, seed, 1 + seed % N_RECORDS);
		stream = build(&sim, NULL);
		sim_nodes(&stream->tree, nodes);
		if (stream->has_switches) {
			sim_check_tiles(seed, stream);
			compare_threads(seed, stream, &sim, nodes);
			for (int k = 0; k < LODE_N_LOSS_KINDS; k++)
				if (stream->losses.by_kind[k].count)
					FAIL_AT(seed, "loss: %s\n",
						stream->losses.by_kind[k].detail);
		}
		lode_stream_free(stream);
		sim_release(&sim);
	}
}

/*
 * Of a thread with an exit record whose last switch was lost, nothing is left behind the last
 * record that shows it; nobody else's account changes.
 */
static void who_exits_unrecorded_ends_when_last_seen(void **state)
{
	size_t n_lost = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= N_SEEDS; seed++) {
		struct sim sim = {.lose_last_pct = 70};
		struct lode_stream *stream;
		uint32_t nodes[SIM_RAW];

		sim_play(&sim, seed, 1 + seed % N_RECORDS);
		stream = build(&sim, NULL);
		sim_nodes(&stream->tree, nodes);
		if (stream->has_switches) {
			sim_check_tiles(seed, stream);
			compare_threads(seed, stream, &sim, nodes);
			if (stream->losses.by_kind[LODE_LOSS_CONTRADICTION].count > sim.n_lost)
				FAIL_AT(seed, "more contradictions than lost switches\n");
		}
		n_lost += sim.n_lost;
		lode_stream_free(stream);
		sim_release(&sim);
	}
	assert_true(n_lost > N_SEEDS / 10);
}

/* ---- Broken recordings: whatever is missing or moved, lives are tiled ---- */

static void spoil(struct sim *sim, struct test_random *random, struct lode_builder *b)
{
	uint32_t drop = test_random_below(random, 4) * 10, shuffle = test_random_below(random, 3);

	for (size_t i = 0; i < sim->records.n; i++) {
		struct sim_record *r = &sim->records.at[i];
		uint32_t what = test_random_below(random, 100);

		if (what < drop) {
			if (test_random_below(random, 2))
				lode_builder_lost(b, r->t_ns,
						  test_random_below(random, 2) ? r->sw.cpu
									       : UINT32_MAX);
			continue;
		}
		if (what >= 100 - shuffle && i + 1 < sim->records.n) {
			sim_feed(b, &sim->records.at[i + 1]); /* twice, and too early */
			sim_feed(b, r);
			continue;
		}
		if (what == 50) /* tids that nobody knows, CPUs that nobody has */
			lode_builder_switch(
				b,
				&(struct lode_switch){
					.t_ns = r->t_ns,
					.cpu = test_random_below(random, 2) ? 70000 : 1,
					.prev_pid = (int32_t)test_random_below(random, 120) - 1,
					.next_pid = (int32_t)test_random_below(random, 120) - 1,
					.left = (enum lode_left_state)test_random_below(random, 3),
					.stack = test_random_below(random, 20)});
		if (what == 51)
			lode_builder_syscall_enter(b, r->t_ns, 100, 1, "read");
		if (what == 52)
			lode_builder_syscall_exit(b, r->t_ns, 101);
		sim_feed(b, r);
	}
}

static void broken_recordings_still_tile_every_life(void **state)
{
	uint64_t n_losses[LODE_N_LOSS_KINDS] = {0};

	(void)state;
	for (uint64_t seed = 1; seed <= N_SEEDS; seed++) {
		struct test_random random = {seed};
		struct lode_builder *b = lode_builder_new("sim", "sim", "ns", NULL);
		struct lode_stream *stream;
		struct sim sim = {0};

		sim_play(&sim, seed, 1 + seed % N_RECORDS);
		spoil(&sim, &random, b);
		stream = sim_finish(b);
		if (stream->has_switches)
			sim_check_tiles(seed, stream);
		for (int k = 0; k < LODE_N_LOSS_KINDS; k++)
			n_losses[k] += stream->losses.by_kind[k].count;
		lode_stream_free(stream);
		sim_release(&sim);
	}
	assert_true(n_losses[LODE_LOSS_CONTRADICTION] > 0);
	assert_true(n_losses[LODE_LOSS_NO_SWITCH_IN] > 0);
	assert_true(n_losses[LODE_LOSS_IDLE_GAP] > 0);
	assert_true(n_losses[LODE_LOSS_NO_WAKER] > 0);
	assert_true(n_losses[LODE_LOSS_UNORDERED] > 0);
}

/* ---- Windows ---- */

/*
 * Only a record behind the window told that the thread had been there since the start: it has no
 * events in the window.
 */
static bool is_seen_later(const struct lode_stream *part, const struct lode_stream *whole,
			  lode_thread_id id)
{
	return part->threads.at[id].events.n == 0 && whole->threads.at[id].events.n > 0 &&
	       whole->threads.at[id].events.flags[0] & LODE_EVENT_CUT_START;
}

/* What a thread did at one moment: kind, and off the CPU also with which stack; -1 nothing. */
static int64_t doing(const struct lode_stream *stream, lode_thread_id id, int64_t t_ns)
{
	const struct lode_events *e = &stream->threads.at[id].events;
	size_t i = lode_events_find(e, t_ns);

	if (i == e->n || e->start_ns[i] > t_ns)
		return -1;
	return e->kind[i] == LODE_EVENT_RUNNING ? 0 : (int64_t)e->stack[i] << 2 | e->kind[i];
}

static void a_window_shows_what_the_whole_shows_there(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 600; seed++) {
		struct test_random random = {seed};
		struct lode_narrow narrow = lode_narrow_none;
		struct lode_stream *whole, *part;
		struct sim sim = {0};
		int64_t length;

		sim_play(&sim, seed, 20 + seed % N_RECORDS);
		whole = build(&sim, NULL);
		length = whole->t1_ns - whole->t0_ns + 2;
		narrow.from_ns =
			whole->t0_ns - 1 + (int64_t)(test_random_next(&random) % (uint64_t)length);
		narrow.to_ns = narrow.from_ns + 1 +
			       (int64_t)(test_random_next(&random) % (uint64_t)length);
		part = build(&sim, &narrow);
		sim_check_tiles(seed, part);
		assert_int_equal(part->threads.n, whole->threads.n);
		assert_true(part->t0_ns >= narrow.from_ns || part->t0_ns == part->t1_ns);
		assert_true(part->t1_ns <= narrow.to_ns);
		for (int k = 0; k < 200; k++) {
			int64_t t =
				part->t0_ns + (int64_t)(test_random_next(&random) %
							(uint64_t)(part->t1_ns - part->t0_ns + 1));

			for (lode_thread_id id = 0; t < part->t1_ns && id < whole->threads.n; id++)
				if (doing(part, id, t) != doing(whole, id, t) &&
				    !is_seen_later(part, whole, id))
					FAIL_AT(seed, "thread %u at %lld: %lld, whole %lld\n", id,
						(long long)t, (long long)doing(part, id, t),
						(long long)doing(whole, id, t));
		}
		lode_stream_free(whole);
		lode_stream_free(part);
		sim_release(&sim);
	}
}

static void one_cpu_gives_its_running_events_alone(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct lode_narrow narrow = lode_narrow_none;
		struct lode_stream *whole, *part;
		int64_t whole_ns = 0, part_ns = 0;
		struct sim sim = {0};

		sim_play(&sim, seed, 100);
		narrow.cpu = (int32_t)(seed % SIM_CPUS);
		whole = build(&sim, NULL);
		part = build(&sim, &narrow);
		for (size_t i = 0; i < whole->threads.n; i++) {
			const struct lode_events *e = &whole->threads.at[i].events;

			for (size_t k = 0; k < e->n; k++)
				if (e->kind[k] == LODE_EVENT_RUNNING && e->cpu[k] == narrow.cpu)
					whole_ns += e->cost_ns[k];
		}
		for (size_t i = 0; part->has_switches && i < part->threads.n; i++) {
			const struct lode_events *e = &part->threads.at[i].events;

			for (size_t k = 0; k < e->n; k++) {
				assert_int_equal(e->kind[k], LODE_EVENT_RUNNING);
				part_ns += e->cost_ns[k];
			}
		}
		if (part->has_switches && whole_ns != part_ns)
			FAIL_AT(seed, "CPU %d ran %lld ns, alone %lld ns\n", narrow.cpu,
				(long long)whole_ns, (long long)part_ns);
		lode_stream_free(whole);
		lode_stream_free(part);
		sim_release(&sim);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(complete_recordings_give_the_schedulers_own_account),
		cmocka_unit_test(who_exits_unrecorded_ends_when_last_seen),
		cmocka_unit_test(broken_recordings_still_tile_every_life),
		cmocka_unit_test(a_window_shows_what_the_whole_shows_there),
		cmocka_unit_test(one_cpu_gives_its_running_events_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
