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

static struct lode_stream *finish(struct lode_builder *b)
{
	uint32_t nodes[SIM_RAW];

	sim_nodes(&lode_builder_stream(b)->tree, nodes);
	return lode_builder_finish(b, nodes, SIM_RAW);
}

static struct lode_stream *build(const struct sim *sim, const struct lode_narrow *narrow)
{
	struct lode_builder *b = lode_builder_new("sim", "sim", "ns", narrow);

	for (size_t i = 0; i < sim->records.n; i++)
		sim_feed(b, &sim->records.at[i]);
	return finish(b);
}

#define FAIL_AT(seed, ...)                                              \
	do {                                                            \
		print_error("seed %llu: ", (unsigned long long)(seed)); \
		print_error(__VA_ARGS__);                               \
		fail();                                                 \
	} while (0)

/* ---- Invariants of every stream ---- */

static void check_tiles(uint64_t seed, const struct lode_stream *stream)
{
	for (size_t i = 0; i < stream->threads.n; i++) {
		const struct lode_thread *thread = &stream->threads.at[i];
		const struct lode_events *e = &thread->events;

		for (size_t k = 0; k < e->n; k++) {
			if (e->cost_ns[k] <= 0)
				FAIL_AT(seed, "thread %zu event %zu costs %lld\n", i, k,
					(long long)e->cost_ns[k]);
			if (k > 0 && e->start_ns[k] != lode_event_end_ns(e, k - 1))
				FAIL_AT(seed, "thread %zu event %zu starts at %lld after %lld\n", i,
					k, (long long)e->start_ns[k],
					(long long)lode_event_end_ns(e, k - 1));
			assert_in_range(e->kind[k], 0, LODE_N_EVENT_KINDS - 1);
			assert_in_range(e->reason[k], 0, LODE_N_REASONS - 1);
			assert_in_range(e->device[k], 0, LODE_N_DEVICES - 1);
			assert_true(e->stack[k] < stream->tree.nodes.n);
			assert_true(e->other_stack[k] < stream->tree.nodes.n);
			assert_true(e->other[k] == LODE_NONE || e->other[k] < stream->threads.n);
			assert_true((e->reason[k] == LODE_REASON_NONE) ==
				    (e->kind[k] != LODE_EVENT_WAITING));
		}
		if (e->n == 0)
			continue;
		assert_true(e->start_ns[0] >= stream->t0_ns);
		assert_true(lode_event_end_ns(e, e->n - 1) <= stream->t1_ns);
		assert_true(lode_event_end_ns(e, e->n - 1) <= thread->died_ns);
	}
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
			check_tiles(seed, stream);
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
			check_tiles(seed, stream);
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
		stream = finish(b);
		if (stream->has_switches)
			check_tiles(seed, stream);
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
		check_tiles(seed, part);
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

/* ---- Single cases, by hand ---- */

struct want {
	enum lode_event_kind kind;
	int64_t start_ns, cost_ns;
	unsigned flags;
};

static const struct lode_thread *thread_with_tid(const struct lode_stream *stream, int32_t tid)
{
	uint32_t id = lode_map_find(&stream->thread_index, (uint32_t)tid);

	assert_int_not_equal(id, LODE_NONE);
	return &stream->threads.at[id];
}

static void check_events(const struct lode_stream *stream, int32_t tid, const struct want *want,
			 size_t n)
{
	const struct lode_events *e = &thread_with_tid(stream, tid)->events;

	for (size_t i = 0; i < n && i < e->n; i++)
		if (e->kind[i] != want[i].kind || e->start_ns[i] != want[i].start_ns ||
		    e->cost_ns[i] != want[i].cost_ns || e->flags[i] != want[i].flags)
			fail_msg("tid %d event %zu is %s %lld+%lld flags %u", tid, i,
				 lode_event_kind_name((enum lode_event_kind)e->kind[i]),
				 (long long)e->start_ns[i], (long long)e->cost_ns[i], e->flags[i]);
	assert_int_equal(e->n, n);
}

#define CHECK_EVENTS(stream, tid, ...)                                            \
	do {                                                                      \
		const struct want want_[] = {__VA_ARGS__};                        \
		check_events(stream, tid, want_, sizeof(want_) / sizeof(*want_)); \
	} while (0)

static void on_switch(struct lode_builder *b, int64_t t, uint32_t cpu, int32_t prev,
		      enum lode_left_state left, int32_t next)
{
	lode_builder_switch(b, &(struct lode_switch){.t_ns = t,
						     .cpu = cpu,
						     .prev_pid = prev,
						     .next_pid = next,
						     .left = left,
						     .stack = 1});
}

static void on_waking(struct lode_builder *b, int64_t t, uint32_t cpu, int32_t waker, int32_t wakee)
{
	lode_builder_waking(b, &(struct lode_waking){.t_ns = t,
						     .cpu = cpu,
						     .waker_tid = waker,
						     .wakee_tid = wakee,
						     .has_context = true,
						     .in_interrupt = waker == 0});
}

static void on_sample(struct lode_builder *b, int64_t t, uint32_t cpu, int32_t tid)
{
	lode_builder_sample(b, &(struct lode_sample){
				       .t_ns = t, .cpu = cpu, .pid = tid, .tid = tid, .stack = 1});
}

/* Who sent is known by the stack of its softirq, and by it why a thread waited that had no stack.
 */
static void a_sender_wakes_and_an_interrupt_above_it_does_not(void **state)
{
	static const struct {
		bool in_hardirq;
		uint32_t stack;
		bool is_sender;
	} rows[] = {{false, SIM_SENT, true}, {true, SIM_SENT, false}, {false, 0, false}};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct lode_builder *b = lode_builder_new("x", "x", "ns", NULL);
		const struct lode_events *e;
		struct lode_stream *stream;

		on_switch(b, 100, 0, 9, LODE_LEFT_RUNNABLE, 8);
		lode_builder_waking(b, &(struct lode_waking){.t_ns = 150,
							     .cpu = 0,
							     .waker_tid = 8,
							     .wakee_tid = 7,
							     .has_context = true,
							     .in_interrupt = true,
							     .in_hardirq = rows[i].in_hardirq,
							     .stack = rows[i].stack});
		stream = finish(b);
		e = &thread_with_tid(stream, 7)->events;
		assert_int_equal(e->kind[0], LODE_EVENT_WAITING);
		assert_int_equal(e->other[0] != LODE_NONE, rows[i].is_sender);
		assert_int_equal(e->device[0] == LODE_DEVICE_NONE, rows[i].is_sender);
		assert_int_equal(e->reason[0],
				 rows[i].is_sender ? LODE_REASON_NETWORK : LODE_REASON_OTHER);
		lode_stream_free(stream);
	}
}

static uint64_t n_lost(const struct lode_stream *stream, enum lode_loss_kind kind)
{
	return stream->losses.by_kind[kind].count;
}

/* An idle CPU that is not traced: the switch from idle is missing, the waking is there. */
static void a_woken_thread_takes_an_idle_cpu_at_once(void **state)
{
	struct lode_builder *b = lode_builder_new("x", "x", "ns", NULL);
	struct lode_stream *stream;

	(void)state;
	on_switch(b, 100, 1, 7, LODE_LEFT_SLEEPING, 0);
	on_switch(b, 110, 0, 9, LODE_LEFT_RUNNABLE, 8);
	on_waking(b, 150, 0, 8, 7);
	on_sample(b, 180, 1, 7);
	on_switch(b, 200, 1, 7, LODE_LEFT_SLEEPING, 0);
	stream = finish(b);
	CHECK_EVENTS(stream, 7, {LODE_EVENT_WAITING, 100, 50, 0},
		     {LODE_EVENT_RUNNING, 150, 50, LODE_EVENT_INFERRED});
	assert_int_equal(n_lost(stream, LODE_LOSS_NO_SWITCH_IN), 1);
	assert_int_equal(stream->losses.by_kind[LODE_LOSS_NO_SWITCH_IN].cost_ns, 30);
	assert_int_equal(n_lost(stream, LODE_LOSS_IDLE_GAP), 1);
	assert_int_equal(n_lost(stream, LODE_LOSS_CONTRADICTION), 0);
	lode_stream_free(stream);
}

/* The same without the waking: until it is seen at work nothing is known. */
static void a_thread_without_a_waking_waits_until_it_is_seen(void **state)
{
	struct lode_builder *b = lode_builder_new("x", "x", "ns", NULL);
	struct lode_stream *stream;

	(void)state;
	on_switch(b, 100, 1, 7, LODE_LEFT_SLEEPING, 0);
	on_sample(b, 180, 1, 7);
	on_switch(b, 200, 1, 7, LODE_LEFT_SLEEPING, 0);
	on_switch(b, 300, 1, 7, LODE_LEFT_SLEEPING, 0);
	on_switch(b, 400, 1, 0, LODE_LEFT_RUNNABLE, 7);
	stream = finish(b);
	CHECK_EVENTS(stream, 7,
		     {LODE_EVENT_WAITING, 100, 80, LODE_EVENT_NO_WAKER | LODE_EVENT_INFERRED},
		     {LODE_EVENT_RUNNING, 180, 20, LODE_EVENT_INFERRED},
		     {LODE_EVENT_WAITING, 200, 100, LODE_EVENT_NO_WAKER | LODE_EVENT_INFERRED},
		     {LODE_EVENT_WAITING, 300, 100, LODE_EVENT_NO_WAKER});
	assert_int_equal(n_lost(stream, LODE_LOSS_NO_SWITCH_IN), 2);
	assert_int_equal(n_lost(stream, LODE_LOSS_NO_WAKER), 3);
	assert_int_equal(stream->losses.by_kind[LODE_LOSS_NO_WAKER].cost_ns, 280);
	lode_stream_free(stream);
}

/* A CPU free since before the waking is taken at the waking, one freed later when it is free. */
static void an_inferred_switch_in_waits_for_its_cpu(void **state)
{
	struct lode_builder *b = lode_builder_new("x", "x", "ns", NULL);
	struct lode_stream *stream;

	(void)state;
	on_switch(b, 100, 1, 7, LODE_LEFT_SLEEPING, 5);
	on_waking(b, 120, 0, 8, 7);
	on_switch(b, 160, 1, 5, LODE_LEFT_SLEEPING, 0);
	on_switch(b, 200, 1, 7, LODE_LEFT_SLEEPING, 0);
	stream = finish(b);
	CHECK_EVENTS(stream, 7, {LODE_EVENT_WAITING, 100, 20, 0},
		     {LODE_EVENT_READY, 120, 40, LODE_EVENT_INFERRED},
		     {LODE_EVENT_RUNNING, 160, 40, LODE_EVENT_INFERRED | LODE_EVENT_UNSAMPLED});
	assert_int_equal(thread_with_tid(stream, 7)->events.other[1],
			 lode_map_find(&stream->thread_index, 5));
	lode_stream_free(stream);
}

static void a_missing_switch_out_is_a_contradiction(void **state)
{
	for (int lost = 0; lost < 2; lost++) {
		struct lode_builder *b = lode_builder_new("x", "x", "ns", NULL);
		struct lode_stream *stream;

		on_switch(b, 100, 0, 0, LODE_LEFT_RUNNABLE, 7);
		if (lost)
			lode_builder_lost(b, 140, UINT32_MAX);
		on_switch(b, 150, 0, 8, LODE_LEFT_SLEEPING, 0);
		on_waking(b, 170, 0, 0, 7);
		on_switch(b, 180, 0, 0, LODE_LEFT_RUNNABLE, 7);
		on_switch(b, 190, 0, 7, LODE_LEFT_DEAD, 0);
		stream = finish(b);
		CHECK_EVENTS(
			stream, 7,
			{LODE_EVENT_RUNNING, 100, 50, LODE_EVENT_INFERRED | LODE_EVENT_UNSAMPLED},
			{LODE_EVENT_WAITING, 150, 20, LODE_EVENT_INFERRED | LODE_EVENT_FROM_IDLE},
			{LODE_EVENT_READY, 170, 10, 0},
			{LODE_EVENT_RUNNING, 180, 10, LODE_EVENT_UNSAMPLED});
		assert_int_equal(n_lost(stream, LODE_LOSS_CONTRADICTION), !lost);
		assert_int_equal(thread_with_tid(stream, 7)->died_ns, 190);
		lode_stream_free(stream);
	}
	(void)state;
}

/* PERF_RECORD_SWITCH: each half knows its own thread only. */
/* As seen in a recording's first moments, and where a CPU traces nothing while it idles. */
static void an_exit_without_a_last_switch_is_an_end(void **state)
{
	struct lode_builder *b = lode_builder_new("x", "x", "ns", NULL);
	struct lode_stream *stream;

	(void)state;
	on_switch(b, 100, 0, 0, LODE_LEFT_RUNNABLE, 7);
	on_switch(b, 100, 1, 0, LODE_LEFT_RUNNABLE, 8);
	on_switch(b, 120, 1, 8, LODE_LEFT_SLEEPING, 0);
	lode_builder_exit(b, 150, 7, 7);
	on_sample(b, 155, 0, -1);	 /* still there */
	lode_builder_exit(b, 160, 8, 8); /* it had not been seen to run again */
	on_switch(b, 900, 2, 0, LODE_LEFT_RUNNABLE, 9);
	on_switch(b, 950, 2, 9, LODE_LEFT_SLEEPING, 0);
	stream = finish(b);
	CHECK_EVENTS(stream, 7, {LODE_EVENT_RUNNING, 100, 55, LODE_EVENT_INFERRED});
	CHECK_EVENTS(stream, 8, {LODE_EVENT_RUNNING, 100, 20, LODE_EVENT_UNSAMPLED},
		     {LODE_EVENT_WAITING, 120, 40, LODE_EVENT_INFERRED | LODE_EVENT_NO_WAKER});
	assert_int_equal(thread_with_tid(stream, 7)->died_ns, 155);
	assert_int_equal(thread_with_tid(stream, 8)->died_ns, 160);
	lode_stream_free(stream);
}

static void halves_of_switches_make_whole_ones(void **state)
{
	struct lode_builder *b = lode_builder_new("x", "x", "ns", NULL);
	struct lode_stream *stream;

	(void)state;
	on_switch(b, 100, 0, -1, LODE_LEFT_RUNNABLE, 7);
	on_switch(b, 150, 0, 7, LODE_LEFT_SLEEPING, -1);
	on_switch(b, 151, 0, -1, LODE_LEFT_RUNNABLE, 8);
	on_switch(b, 180, 0, 8, LODE_LEFT_RUNNABLE, -1);
	on_switch(b, 180, 0, -1, LODE_LEFT_RUNNABLE, 7);
	on_switch(b, 190, 0, 7, LODE_LEFT_DEAD, -1);
	stream = finish(b);
	CHECK_EVENTS(stream, 7, {LODE_EVENT_RUNNING, 100, 50, LODE_EVENT_UNSAMPLED},
		     {LODE_EVENT_WAITING, 150, 30, LODE_EVENT_NO_WAKER},
		     {LODE_EVENT_RUNNING, 180, 10, LODE_EVENT_UNSAMPLED});
	CHECK_EVENTS(stream, 8, {LODE_EVENT_RUNNING, 151, 29, LODE_EVENT_UNSAMPLED},
		     {LODE_EVENT_READY, 180, 10, LODE_EVENT_PREEMPTED | LODE_EVENT_CUT_END});
	assert_int_equal(n_lost(stream, LODE_LOSS_CONTRADICTION), 0);
	lode_stream_free(stream);
}

static void without_switches_samples_count_by_weight(void **state)
{
	for (int told = 0; told < 2; told++) {
		struct lode_builder *b = lode_builder_new("x", "x", "ns", NULL);
		struct lode_sample sample = {
			.t_ns = 10, .cpu = 0, .pid = 7, .tid = 7, .weight_ns = 1000, .stack = 1};
		struct lode_stream *stream;

		if (told)
			lode_builder_expect_switches(b, false);
		lode_builder_sample(b, &sample);
		sample.t_ns = 20;
		lode_builder_sample(b, &sample);
		sample.t_ns = 30;
		sample.weight_ns = 5000;
		lode_builder_offcpu(b, &sample);
		stream = finish(b);
		CHECK_EVENTS(stream, 7, {LODE_EVENT_RUNNING, 10, 1000, 0},
			     {LODE_EVENT_RUNNING, 20, 1000, 0},
			     {LODE_EVENT_WAITING, 30, 5000, LODE_EVENT_NO_WAKER});
		assert_false(stream->has_switches);
		assert_int_equal(stream->t0_ns, 10);
		assert_int_equal(stream->t1_ns, 30);
		lode_stream_free(stream);
	}
	(void)state;
}

static void the_command_is_what_perf_started_and_its_children(void **state)
{
	struct lode_builder *b = lode_builder_new("x", "x", "ns", NULL);
	struct lode_stream *stream;

	(void)state;
	lode_builder_fork(b, 0, 2, 2, 0, 0);
	lode_builder_fork(b, 0, 5, 5, 2, 2);
	lode_builder_comm(b, 0, 7, 7, "perf-exec", false);
	lode_builder_comm(b, 0, 9, 9, "sshd", false);
	lode_builder_comm(b, 50, 7, 7, "git", true);
	lode_builder_fork(b, 60, 7, 8, 7, 7);
	lode_builder_fork(b, 70, 10, 10, 9, 9);
	stream = finish(b);
	assert_true(thread_with_tid(stream, 7)->is_command);
	assert_int_equal(thread_with_tid(stream, 7)->exec_ns, 50);
	assert_true(thread_with_tid(stream, 8)->is_command);
	assert_int_equal(thread_with_tid(stream, 8)->pid, 7);
	assert_int_equal(thread_with_tid(stream, 8)->born_ns, 60);
	assert_string_equal(stream->tree.strings.text.at[thread_with_tid(stream, 8)->comm], "git");
	assert_false(thread_with_tid(stream, 10)->is_command);
	assert_true(thread_with_tid(stream, 5)->is_kernel);
	assert_true(thread_with_tid(stream, 2)->is_kernel);
	assert_false(thread_with_tid(stream, 9)->is_kernel);
	lode_stream_free(stream);
}

static void times_and_weights_that_cannot_be_are_counted(void **state)
{
	struct lode_builder *b = lode_builder_new("x", "x", "ns", NULL);
	struct lode_sample sample = {
		.t_ns = 5, .pid = 7, .tid = 7, .weight_ns = INT64_MAX / 4, .stack = 1};
	struct lode_stream *stream;

	(void)state;
	on_switch(b, 100, 0, 0, LODE_LEFT_RUNNABLE, 7);
	on_switch(b, INT64_MAX, 0, 7, LODE_LEFT_SLEEPING, 0);
	on_waking(b, INT64_MIN, 0, 0, 7);
	on_switch(b, 200, 0, 0, LODE_LEFT_RUNNABLE, 7);
	stream = finish(b);
	check_tiles(0, stream);
	CHECK_EVENTS(stream, 7, {LODE_EVENT_READY, 100, 100, 0});
	assert_int_equal(n_lost(stream, LODE_LOSS_BAD_RECORD), 1);
	assert_int_equal(n_lost(stream, LODE_LOSS_UNORDERED), 1);
	lode_stream_free(stream);

	b = lode_builder_new("x", "x", "ns", NULL);
	for (int i = 0; i < 4; i++)
		lode_builder_sample(b, &sample);
	stream = finish(b);
	assert_int_equal(thread_with_tid(stream, 7)->events.n, 2);
	assert_int_equal(n_lost(stream, LODE_LOSS_BAD_RECORD), 2);
	lode_stream_free(stream);
}

/* perf knows mappings and names before its events begin: nobody saw who ran then. */
static void what_was_open_at_the_start_began_with_the_events(void **state)
{
	struct lode_builder *b = lode_builder_new("x", "x", "ns", NULL);
	struct lode_stream *stream;

	(void)state;
	lode_builder_time(b, 10);
	lode_builder_comm(b, 20, 7, 7, "x", false);
	on_waking(b, 100, 0, 0, 9);
	on_switch(b, 150, 1, 7, LODE_LEFT_RUNNABLE, 0);
	on_waking(b, 160, 0, 0, 8);
	stream = finish(b);
	assert_int_equal(stream->t0_ns, 10);
	CHECK_EVENTS(stream, 7,
		     {LODE_EVENT_RUNNING, 100, 50, LODE_EVENT_CUT_START | LODE_EVENT_UNSAMPLED},
		     {LODE_EVENT_READY, 150, 10, LODE_EVENT_PREEMPTED | LODE_EVENT_CUT_END});
	CHECK_EVENTS(stream, 8,
		     {LODE_EVENT_WAITING, 100, 60, LODE_EVENT_CUT_START | LODE_EVENT_FROM_IDLE});
	lode_stream_free(stream);
}

static void nothing_at_all_is_an_empty_stream(void **state)
{
	struct lode_builder *b = lode_builder_new("x", "x", "ns", NULL);
	struct lode_stream *stream = lode_builder_finish(b, NULL, 0);

	(void)state;
	assert_int_equal(stream->threads.n, 0);
	assert_int_equal(stream->t0_ns, 0);
	assert_int_equal(stream->t1_ns, 0);
	lode_stream_free(stream);
	lode_builder_free(lode_builder_new("x", "x", "ns", NULL));
	lode_builder_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(complete_recordings_give_the_schedulers_own_account),
		cmocka_unit_test(who_exits_unrecorded_ends_when_last_seen),
		cmocka_unit_test(broken_recordings_still_tile_every_life),
		cmocka_unit_test(a_window_shows_what_the_whole_shows_there),
		cmocka_unit_test(one_cpu_gives_its_running_events_alone),
		cmocka_unit_test(a_woken_thread_takes_an_idle_cpu_at_once),
		cmocka_unit_test(a_sender_wakes_and_an_interrupt_above_it_does_not),
		cmocka_unit_test(a_thread_without_a_waking_waits_until_it_is_seen),
		cmocka_unit_test(an_inferred_switch_in_waits_for_its_cpu),
		cmocka_unit_test(a_missing_switch_out_is_a_contradiction),
		cmocka_unit_test(an_exit_without_a_last_switch_is_an_end),
		cmocka_unit_test(halves_of_switches_make_whole_ones),
		cmocka_unit_test(without_switches_samples_count_by_weight),
		cmocka_unit_test(the_command_is_what_perf_started_and_its_children),
		cmocka_unit_test(times_and_weights_that_cannot_be_are_counted),
		cmocka_unit_test(what_was_open_at_the_start_began_with_the_events),
		cmocka_unit_test(nothing_at_all_is_an_empty_stream),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
