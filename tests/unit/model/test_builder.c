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

static uint32_t expect_node(const struct lode_stream *stream, const uint32_t *nodes,
			    const struct expected *x)
{
	uint32_t node = nodes[x->stack], user = node;

	if (!(x->flags & LODE_EVENT_UNSAMPLED))
		return node;
	while (user && !strcmp(lode_frame_module(&stream->tree, stream->tree.nodes.at[user].frame),
			       "[kernel]"))
		user = stream->tree.nodes.at[user].parent;
	return user ? user : node;
}

static void compare_thread(uint64_t seed, const struct lode_stream *stream, const struct sim *sim,
			   int i, const uint32_t *nodes)
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
		if (e->stack[k] != expect_node(stream, nodes, x) ||
		    e->other[k] != expect_other(stream, sim, x->event) ||
		    e->other_stack[k] != nodes[x->event->waker_stack] ||
		    e->cpu[k] != (x->cpu < SIM_CPUS ? x->cpu : UINT16_MAX))
			FAIL_AT(seed, "thread %d event %zu: stack %u other %u cpu %u\n",
				sim->threads.at[i].tid, k, e->stack[k], e->other[k], e->cpu[k]);
		if ((e->device[k] != LODE_DEVICE_NONE) != x->event->by_interrupt ||
		    (x->event->waker_stack == SIM_RAW - 1 && x->event->by_interrupt &&
		     e->device[k] != LODE_DEVICE_NETWORK))
			FAIL_AT(seed, "thread %d event %zu: device %u\n", sim->threads.at[i].tid, k,
				e->device[k]);
	}
	lode_vec_release(&all);
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
			for (size_t i = 0; i < sim.threads.n; i++)
				compare_thread(seed, stream, &sim, (int)i, nodes);
			for (int k = 0; k < LODE_N_LOSS_KINDS; k++)
				if (stream->losses.by_kind[k].count)
					FAIL_AT(seed, "loss: %s\n",
						stream->losses.by_kind[k].detail);
		}
		lode_stream_free(stream);
		sim_release(&sim);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(complete_recordings_give_the_schedulers_own_account),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
