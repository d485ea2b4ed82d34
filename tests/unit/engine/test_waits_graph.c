#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/waits/waitgraph.h"
#include "unit/engine/random_stream.h"
#include "cases.h"

enum { MAX_EVENTS = 512 };

/* One event of the stream, numbered over all threads. */
struct numbered {
	lode_thread_id thread;
	uint32_t event;
};

struct oracle {
	size_t n;
	struct numbered events[MAX_EVENTS];
	bool node[MAX_EVENTS];
	bool edge[MAX_EVENTS][MAX_EVENTS];
};

/* Figure 2, line by line, until nothing changes any more. */
static void oracle_build(struct oracle *o, const struct lode_stream *stream,
			 const struct lode_symptom *symptom)
{
	bool changed = true;

	memset(o, 0, sizeof(*o));
	for (uint32_t t = 0; t < stream->threads.n; t++)
		for (uint32_t i = 0; i < stream->threads.at[t].events.n; i++) {
			const struct lode_events *events = &stream->threads.at[t].events;

			assert_true(o->n < MAX_EVENTS);
			o->node[o->n] = t == symptom->thread &&
					events->start_ns[i] >= symptom->t0_ns &&
					events->start_ns[i] + events->cost_ns[i] <= symptom->t1_ns;
			o->events[o->n++] = (struct numbered){t, i};
		}
	while (changed) {
		changed = false;
		for (size_t e = 0; e < o->n; e++) {
			const struct lode_events *a =
				&stream->threads.at[o->events[e].thread].events;
			uint32_t i = o->events[e].event;

			if (!o->node[e] || a->kind[i] != LODE_EVENT_WAITING)
				continue;
			for (size_t e2 = 0; e2 < o->n; e2++) {
				const struct lode_events *b =
					&stream->threads.at[o->events[e2].thread].events;
				uint32_t k = o->events[e2].event;
				int64_t end = b->start_ns[k] + b->cost_ns[k];

				if (o->events[e2].thread != a->other[i] || end < a->start_ns[i] ||
				    end > a->start_ns[i] + a->cost_ns[i] || o->edge[e][e2])
					continue;
				o->node[e2] = o->edge[e][e2] = changed = true;
			}
		}
	}
}

static size_t number_of(const struct oracle *o, lode_thread_id thread, uint32_t event)
{
	for (size_t e = 0; e < o->n; e++)
		if (o->events[e].thread == thread && o->events[e].event == event)
			return e;
	fail_msg("the graph has event %u of thread %u, the stream does not", event, thread);
	return 0;
}

/* Takes what the graph has away from the oracle's: each must be there once, and none be left. */
static void check_same(struct oracle *o, const struct lode_waitgraph *graph, uint64_t seed)
{
	for (size_t n = 0; n < graph->nodes.n; n++) {
		const struct lode_waitgraph_node *node = &graph->nodes.at[n];
		size_t e = number_of(o, node->thread, node->event);

		if (!o->node[e])
			fail_msg("seed %lu: node %u/%u is none, or is there twice", seed,
				 node->thread, node->event);
		o->node[e] = false;
		for (uint32_t k = 0; node->waker != LODE_NONE && k < node->n_edges; k++) {
			size_t e2 = number_of(o, node->waker, node->first_edge + k);

			if (!o->edge[e][e2])
				fail_msg("seed %lu: edge %zu -> %zu is none", seed, e, e2);
			o->edge[e][e2] = false;
		}
	}
	for (size_t e = 0; e < o->n; e++) {
		if (o->node[e])
			fail_msg("seed %lu: node %zu is missing", seed, e);
		for (size_t e2 = 0; e2 < o->n; e2++)
			if (o->edge[e][e2])
				fail_msg("seed %lu: edge %zu -> %zu is missing", seed, e, e2);
	}
}

static void test_graph_is_figure_2(void **state)
{
	struct oracle *o = malloc(sizeof(*o));
	struct lode_waitgraph graph = {0};
	size_t n_foreign = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(10000); seed++) {
		struct rng rng = {seed};
		struct lode_stream *stream = random_stream(&rng);
		struct lode_symptom symptom = random_symptom(&rng, stream);

		lode_waitgraph_build(&graph, stream, &symptom);
		for (size_t n = 0; n < graph.nodes.n; n++)
			n_foreign += graph.nodes.at[n].thread != symptom.thread;
		oracle_build(o, stream, &symptom);
		check_same(o, &graph, seed);
		lode_stream_free(stream);
	}
	/* The inputs are worth something: wakers were followed. */
	assert_true(n_foreign > TEST_CASES(10000));
	lode_waitgraph_release(&graph);
	free(o);
}

static void test_graph_of_samples_is_the_thread_in_the_symptom(void **state)
{
	struct lode_waitgraph graph = {0};

	(void)state;
	for (uint64_t seed = 1; seed <= 500; seed++) {
		struct rng rng = {seed};
		struct lode_stream *stream = random_samples(&rng);
		struct lode_symptom symptom = random_symptom(&rng, stream);
		const struct lode_events *events = &stream->threads.at[symptom.thread].events;
		size_t n = 0;

		lode_waitgraph_build(&graph, stream, &symptom);
		for (size_t i = 0; i < events->n; i++) {
			int64_t t = events->start_ns[i];

			if (t < symptom.t0_ns || t > symptom.t1_ns ||
			    (t == symptom.t1_ns && t < stream->t1_ns))
				continue;
			assert_true(n < graph.nodes.n);
			assert_int_equal(graph.nodes.at[n].event, i);
			assert_int_equal(graph.nodes.at[n].n_edges, 0);
			n++;
		}
		assert_int_equal(n, graph.nodes.n);
		lode_stream_free(stream);
	}
	lode_waitgraph_release(&graph);
}

/* The picture of the header: UI waits for a worker, which waits for a disk. */
static void test_graph_of_ui_worker_disk(void **state)
{
	static const char *const comms[] = {"ui", "worker"};
	struct lode_stream *stream = stream_of_threads(comms, 2);
	struct lode_symptom symptom = {.thread = 0, .t0_ns = 0, .t1_ns = 40};
	struct lode_waitgraph graph = {0};

	(void)state;
	add_run(stream, 0, 0, 5, "main");
	add_wait(stream, 0, 5, 30, "main;lock", 1, LODE_DEVICE_NONE);
	add_run(stream, 0, 30, 40, "main");
	add_run(stream, 1, 2, 4, "idle");
	add_run(stream, 1, 4, 12, "work");
	add_wait(stream, 1, 12, 20, "work;read", LODE_NONE, LODE_DEVICE_DISK);
	add_run(stream, 1, 20, 31, "work");
	lode_waitgraph_build(&graph, stream, &symptom);
	assert_int_equal(graph.nodes.n, 5);
	assert_int_equal(graph.nodes.at[1].waker, 1);
	assert_int_equal(graph.nodes.at[1].first_edge, 1);
	assert_int_equal(graph.nodes.at[1].n_edges, 2);
	assert_int_equal(graph.nodes.at[3].thread, 1);
	assert_int_equal(graph.nodes.at[3].event, 1);
	assert_int_equal(graph.nodes.at[4].event, 2);
	assert_int_equal(graph.nodes.at[4].waker, LODE_NONE);
	lode_waitgraph_release(&graph);
	lode_stream_free(stream);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_graph_is_figure_2),
		cmocka_unit_test(test_graph_of_samples_is_the_thread_in_the_symptom),
		cmocka_unit_test(test_graph_of_ui_worker_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
