#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/waits/lanes.h"
#include "unit/engine/random_stream.h"
#include "cases.h"

static int64_t tid_at(const struct lode_stream *stream, const struct lode_critpath *path, int64_t t)
{
	for (size_t i = 0; i < path->spans.n; i++)
		if (t >= path->spans.at[i].start_ns && t < path->spans.at[i].end_ns)
			return stream->threads.at[path->links.at[path->spans.at[i].link].thread]
				.tid;
	return -1;
}

/* Spans touch and are the symptom; each is of a thread that has some of that time. */
static void check_spans(const struct lode_lanes *lanes, const struct lode_stream *stream,
			const struct lode_critpath *path, uint64_t seed)
{
	int64_t at = lanes->t0_ns;
	uint64_t n_merged = 0;

	for (size_t i = 0; i < lanes->spans.n; i++) {
		const struct lode_lane_span *span = &lanes->spans.at[i];
		bool is_its = false;

		if (span->start_ns != at || span->end_ns <= at)
			fail_msg("seed %lu: span %zu starts at %ld, not at %ld", seed, i,
				 span->start_ns, at);
		at = span->end_ns;
		n_merged += span->merged;
		for (int64_t t = span->start_ns; span->lane != LODE_NONE && t < at; t++)
			is_its |= tid_at(stream, path, t) == lanes->lanes.at[span->lane].tid;
		if (span->lane != LODE_NONE && !is_its)
			fail_msg("seed %lu: span %zu is none of its lane's", seed, i);
	}
	if (lanes->t1_ns > lanes->t0_ns && at != lanes->t1_ns)
		fail_msg("seed %lu: spans end at %ld, not at %ld", seed, at, lanes->t1_ns);
	if (n_merged != path->spans.n)
		fail_msg("seed %lu: %lu spans stand for %zu", seed, n_merged, path->spans.n);
}

/* A lane's events are in order, do not overlap, lie in the symptom, and each began as it says or
   was merged. */
static void check_events(const struct lode_lanes *lanes, uint64_t seed)
{
	for (size_t i = 0; i < lanes->lanes.n; i++) {
		const struct lode_thread_lane *lane = &lanes->lanes.at[i];
		int64_t at = lanes->t0_ns;

		for (size_t k = 0; k < lane->events.n; k++) {
			if (lane->events.at[k].start_ns < at ||
			    lane->events.at[k].end_ns <= lane->events.at[k].start_ns)
				fail_msg("seed %lu: lane %zu, event %zu", seed, i, k);
			at = lane->events.at[k].end_ns;
		}
		if (at > lanes->t1_ns)
			fail_msg("seed %lu: lane %zu ends late", seed, i);
	}
}

static void check_wakes(const struct lode_lanes *lanes, uint64_t seed)
{
	for (size_t i = 0; i < lanes->wakes.n; i++) {
		const struct lode_lane_wake *wake = &lanes->wakes.at[i];

		if (wake->to >= lanes->lanes.n || wake->from == wake->to ||
		    (wake->from != LODE_NONE && wake->from >= lanes->lanes.n) ||
		    wake->t_ns <= lanes->t0_ns || wake->t_ns > lanes->t1_ns ||
		    (i > 0 && wake->t_ns < lanes->wakes.at[i - 1].t_ns))
			fail_msg("seed %lu: wake %zu", seed, i);
	}
}

/* Unmerged, each lane has just the time that the path gives its thread. */
static void check_exact(const struct lode_lanes *lanes, const struct lode_stream *stream,
			const struct lode_critpath *path, uint64_t seed)
{
	assert_int_equal(lanes->spans.n, path->spans.n);
	for (size_t i = 0; i < lanes->lanes.n; i++) {
		int64_t of_path = 0;

		for (int64_t t = lanes->t0_ns; t < lanes->t1_ns; t++)
			of_path += tid_at(stream, path, t) == lanes->lanes.at[i].tid;
		if (of_path != lanes->lanes.at[i].path_ns)
			fail_msg("seed %lu: lane %zu has %ld of the path, not %ld", seed, i,
				 lanes->lanes.at[i].path_ns, of_path);
	}
}

static void test_lanes_are_the_critical_path(void **state)
{
	static const struct lode_lanes_bounds small = {3, 4, 5, 2};
	struct lode_critpath path = {0};
	struct lode_lanes lanes;
	size_t n_wakes = 0, n_merged = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(2000); seed++) {
		struct rng rng = {seed};
		struct lode_stream *stream = random_stream(&rng);
		struct lode_symptom symptom = random_symptom(&rng, stream);

		lode_critpath_build(&path, stream, &symptom);
		lode_lanes_build(&lanes, stream, &symptom, &LODE_LANES_BOUNDS);
		check_spans(&lanes, stream, &path, seed);
		check_exact(&lanes, stream, &path, seed);
		check_events(&lanes, seed);
		check_wakes(&lanes, seed);
		n_wakes += lanes.wakes.n;
		lode_lanes_release(&lanes);

		lode_lanes_build(&lanes, stream, &symptom, &small);
		check_spans(&lanes, stream, &path, seed);
		check_events(&lanes, seed);
		check_wakes(&lanes, seed);
		assert_true(lanes.lanes.n <= 3 && lanes.wakes.n <= 2);
		if (lanes.lanes.n)
			assert_int_equal(lanes.lanes.at[0].tid,
					 stream->threads.at[symptom.thread].tid);
		n_merged += lanes.spans.n < path.spans.n;
		lode_lanes_release(&lanes);
		lode_stream_free(stream);
	}
	assert_true(n_wakes > TEST_CASES(1000) && n_merged > TEST_CASES(200));
	lode_critpath_release(&path);
}

static void stack_text(char *out, size_t size, const struct lode_calltree *tree, uint32_t stack)
{
	uint32_t frames[256];
	size_t n = lode_calltree_path(tree, stack, frames), used = 0;
	char name[256];

	out[0] = '\0';
	for (size_t i = 0; i < n && used < size; i++)
		used += (size_t)snprintf(out + used, size - used, ";%s",
					 lode_frame_full_name(tree, frames[i], name, sizeof(name)));
}

/* What a lane should have: the thread's events within the symptom, of one stack those that touch.
 */
static void check_whole(const struct lode_lanes *lanes, const struct lode_stream *stream,
			uint64_t seed)
{
	char want[4096], got[4096];

	for (size_t i = 0; i < lanes->lanes.n; i++) {
		const struct lode_thread_lane *lane = &lanes->lanes.at[i];
		const struct lode_events *events = NULL;
		size_t k = 0;

		for (size_t t = 0; t < stream->threads.n; t++)
			if (stream->threads.at[t].tid == lane->tid)
				events = &stream->threads.at[t].events;
		assert_non_null(events);
		for (size_t e = 0; e < events->n; e++) {
			int64_t start = events->start_ns[e], end = lode_event_end_ns(events, e);

			start = start < lanes->t0_ns ? lanes->t0_ns : start;
			end = end > lanes->t1_ns ? lanes->t1_ns : end;
			if (end <= start)
				continue;
			while (k < lane->events.n && lane->events.at[k].end_ns <= start)
				k++;
			if (k == lane->events.n || lane->events.at[k].start_ns > start ||
			    lane->events.at[k].end_ns < end ||
			    lane->events.at[k].kind != events->kind[e] ||
			    lane->events.at[k].reason != events->reason[e])
				fail_msg("seed %lu: lane %zu lacks event %zu", seed, i, e);
			stack_text(want, sizeof(want), &stream->tree, events->stack[e]);
			stack_text(got, sizeof(got), &lanes->tree, lane->events.at[k].stack);
			if (strcmp(want, got) != 0)
				fail_msg("seed %lu: event %zu has stack %s, not %s", seed, e, got,
					 want);
		}
	}
}

static void test_whole_lanes_have_every_event_and_its_stack(void **state)
{
	size_t n_events = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(2000); seed++) {
		struct rng rng = {seed};
		struct lode_stream *stream = random_stream(&rng);
		struct lode_symptom symptom = random_symptom(&rng, stream);
		struct lode_lanes lanes;
		struct lode_critpath path = {0};

		lode_critpath_build(&path, stream, &symptom);
		lode_lanes_build(&lanes, stream, &symptom, &LODE_LANES_WHOLE);
		check_exact(&lanes, stream, &path, seed);
		check_events(&lanes, seed);
		check_whole(&lanes, stream, seed);
		for (size_t i = 0; i < lanes.lanes.n; i++)
			n_events += lanes.lanes.at[i].events.n;
		lode_lanes_release(&lanes);
		lode_critpath_release(&path);
		lode_stream_free(stream);
	}
	assert_true(n_events > TEST_CASES(5000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lanes_are_the_critical_path),
		cmocka_unit_test(test_whole_lanes_have_every_event_and_its_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
