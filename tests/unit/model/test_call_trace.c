/* model/call_*.h: events become calls by the stated rules, and every way to read them agrees with
   the plain list of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/open_calls.h"
#include "unit/model/random_calls.h"
#include "cases.h"

/* Of the case at hand; checks name it. */
static uint64_t seed;

static void broken(const char *what, int line)
{
	fail_msg("line %d, seed %llu: %s", line, (unsigned long long)seed, what);
}

#define CHECK(condition) ((condition) ? (void)0 : broken(#condition, __LINE__))

/* The thread of a trace with this plain one's number; NULL if it has no calls. */
static const struct lode_call_thread *thread_of(const struct lode_call_trace *trace, size_t i)
{
	for (size_t k = 0; k < trace->threads.n; k++)
		if (trace->threads.at[k]->tid == 100 - (int32_t)i)
			return trace->threads.at[k];
	return NULL;
}

static bool same_stack(const struct lode_call_thread *thread, uint32_t stack,
		       const struct plain_thread *plain, size_t i)
{
	for (; i != SIZE_MAX && stack; i = plain->calls.at[i].caller) {
		if (lode_call_function(thread, stack) != plain->calls.at[i].function)
			return false;
		stack = thread->stacks.at.at[stack].caller;
	}
	return i == SIZE_MAX && stack == 0;
}

static void check_calls(struct lode_call_cursor *cursor, const struct plain_thread *plain)
{
	const struct lode_call_thread *thread = cursor->thread;
	int64_t last = INT64_MIN;

	CHECK(thread->n_calls == plain->calls.n);
	for (size_t i = 0; i < plain->calls.n; i++) {
		const struct lode_call *call = lode_call_at(cursor, i);
		const struct plain_call *want = &plain->calls.at[i];

		CHECK(call->start_ns == want->start && lode_call_end(call) == want->end);
		CHECK(lode_call_depth(thread, call->stack) == want->depth);
		CHECK(same_stack(thread, call->stack, plain, i));
		last = want->end > last ? want->end : last;
	}
	CHECK(thread->first_ns == plain->calls.at[0].start && thread->last_ns == last);
}

/* ---- Spans: what they promise, from the calls below them ---- */

static void check_span(const struct lode_call_span *span, const struct plain_thread *plain)
{
	uint64_t end = span->first_call + span->n_calls;
	uint32_t min_depth = UINT32_MAX;
	int64_t max_duration = 0, max_gap = -1;
	size_t top = 0;

	for (uint64_t i = span->first_call; i < end; i++) {
		const struct plain_call *call = &plain->calls.at[i];

		min_depth = call->depth < min_depth ? call->depth : min_depth;
		if (call->end - call->start > max_duration)
			max_duration = call->end - call->start;
	}
	for (uint64_t i = span->first_call; i < end; i++) {
		const struct plain_call *call = &plain->calls.at[i];

		if (call->depth != min_depth)
			continue;
		top = i;
		for (size_t k = i; k-- > 0;)
			if (plain->calls.at[k].depth <= call->depth) {
				if (plain->calls.at[k].depth == call->depth &&
				    call->start - plain->calls.at[k].end > max_gap)
					max_gap = call->start - plain->calls.at[k].end;
				break;
			}
	}
	CHECK(span->first_ns == plain->calls.at[span->first_call].start);
	CHECK(span->min_depth == min_depth && span->max_duration_ns == max_duration);
	CHECK(span->max_gap_ns == max_gap);
	CHECK(span->top_start_ns == plain->calls.at[top].start);
	CHECK(span->top_end_ns == plain->calls.at[top].end);
}

/* Of a block: the longest of the calls that end in it, and how long the second one is. */
static void check_longest(const struct lode_call_thread *thread, const struct lode_call_span *block,
			  const struct plain_thread *plain)
{
	int64_t first = -1, second = -1;

	for (uint64_t i = block->first_call; i < block->first_call + block->n_calls; i++) {
		const struct plain_call *call = &plain->calls.at[i];
		bool is_late = false;

		for (uint32_t k = 0; k < block->n_late; k++)
			is_late |= thread->late.at[block->first_late + k].index ==
				   i - block->first_call;
		if (is_late)
			continue;
		if (call->end - call->start > first) {
			second = first;
			first = call->end - call->start;
		} else if (call->end - call->start > second) {
			second = call->end - call->start;
		}
	}
	CHECK(block->longest.duration_ns == first && block->second_ns == second);
	if (first >= 0)
		CHECK(block->longest.start_ns ==
		      plain->calls.at[block->first_call + block->longest_index].start);
}

/* ---- Sums ---- */

/* [t0, t1) of the calls [from, to) summed by stack must be what `sums` says. */
static void check_sums(const struct lode_call_sums *sums, const struct lode_call_thread *thread,
		       const struct plain_thread *plain, size_t from, size_t to, int64_t t0,
		       int64_t t1)
{
	uint64_t n_sums = 0, n_calls = 0;

	for (size_t i = 0; i < sums->at.n; i++) {
		const struct lode_call_sum *sum = &sums->at.at[i];
		uint64_t n = 0, ns = 0;

		for (size_t k = from; k < to; k++) {
			const struct plain_call *call = &plain->calls.at[k];
			int64_t start = call->start > t0 ? call->start : t0;
			int64_t end = call->end < t1 ? call->end : t1;

			if (call->start >= t1 || (call->end <= t0 && call->start < t0) ||
			    !same_stack(thread, sum->stack, plain, k))
				continue;
			n++;
			ns += (uint64_t)(end - start);
		}
		CHECK(sum->n == n && sum->ns == ns);
		n_sums += sum->n;
	}
	for (size_t k = from; k < to; k++) {
		const struct plain_call *call = &plain->calls.at[k];

		n_calls += call->start < t1 && !(call->end <= t0 && call->start < t0);
	}
	CHECK(n_sums == n_calls);
}

static void check_reading(struct lode_call_cursor *cursor, const struct plain_thread *plain,
			  struct test_random *random)
{
	const struct lode_call_thread *thread = cursor->thread;
	struct lode_call_sums sums = {0};
	lode_call_vec calls = {0};
	uint32_t n = (uint32_t)plain->calls.n;
	uint32_t span_ns = (uint32_t)(thread->last_ns - thread->first_ns);
	size_t from = test_random_below(random, n + 1), to = test_random_below(random, n + 1), i, k;
	int64_t t0 = thread->first_ns - 2 + test_random_below(random, span_ns + 6);
	int64_t t1 = t0 + test_random_below(random, span_ns + 6), longer;

	lode_call_sums_reserve(&sums, thread->stacks.at.n);
	CHECK(lode_call_sum_range(&sums, cursor, from, to) == 0);
	check_sums(&sums, thread, plain, from, to < from ? from : to, INT64_MIN, INT64_MAX);
	lode_call_sums_clear(&sums);
	CHECK(lode_call_sum_window(&sums, cursor, t0, t1) == 0);
	check_sums(&sums, thread, plain, 0, n, t0, t1);
	for (i = 0; i < n && plain->calls.at[i].start < t0; i++)
		;
	CHECK(lode_call_find(cursor, t0) == i);
	CHECK(lode_call_open_at(&calls, cursor, i, t0) == 0);
	for (k = 0, to = 0; k < i; k++)
		if (plain->calls.at[k].end > t0) {
			CHECK(to < calls.n && calls.at[to].start_ns == plain->calls.at[k].start);
			CHECK(lode_call_end(&calls.at[to++]) == plain->calls.at[k].end);
		}
	CHECK(to == calls.n);
	longer = test_random_below(random, span_ns + 1);
	calls.n = 0;
	from = test_random_below(random, n + 1);
	CHECK(lode_call_find_long(&calls, cursor, from, n, longer) == 0);
	for (k = from, to = 0; k < n; k++)
		if (plain->calls.at[k].end - plain->calls.at[k].start > longer) {
			CHECK(to < calls.n);
			CHECK(calls.at[to++].start_ns == plain->calls.at[k].start);
		}
	CHECK(to == calls.n);
	lode_vec_release(&calls);
	lode_call_sums_release(&sums);
}

/* ---- What is open from time to time ---- */

struct followed {
	LODE_VEC(struct lode_call) open;
};

static void follow(void *context, const struct lode_call *call, bool is_opened)
{
	struct followed *followed = context;

	if (is_opened) {
		lode_vec_append(&followed->open, *call);
		return;
	}
	CHECK(followed->open.n > 0);
	CHECK(followed->open.at[--followed->open.n].start_ns == call->start_ns);
}

/* Calls that are open at times that follow each other: those of each time alone, and what was told
   of changes comes to the same. */
static void check_following(struct lode_call_cursor *cursor, struct test_random *random)
{
	const struct lode_call_thread *thread = cursor->thread;
	uint64_t span_ns = (uint64_t)(thread->last_ns - thread->first_ns);
	uint64_t step_ns = 2 + span_ns / (1 + test_random_below(random, 40));
	struct lode_open_calls open = {0};
	struct followed followed = {0};
	lode_call_vec want = {0};

	lode_open_calls_start(&open, follow, &followed);
	for (int64_t t = thread->first_ns - 2; t < thread->last_ns + 6;
	     t += (int64_t)(test_random_next(random) % step_ns)) {
		uint64_t index = lode_call_find(cursor, t);

		CHECK(lode_open_calls_move(&open, cursor, index, t) == 0);
		CHECK(lode_call_open_at(&want, cursor, index, t) == 0);
		CHECK(open.at.n == want.n && followed.open.n == want.n);
		for (size_t i = 0; i < want.n; i++) {
			CHECK(open.at.at[i].start_ns == want.at[i].start_ns);
			CHECK(open.at.at[i].duration_ns == want.at[i].duration_ns);
			CHECK(open.at.at[i].stack == want.at[i].stack);
			CHECK(followed.open.at[i].stack == want.at[i].stack);
		}
	}
	lode_open_calls_release(&open);
	lode_vec_release(&followed.open);
	lode_vec_release(&want);
}

/* ---- Spreads ---- */

static int compare_times(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void check_spread(const struct lode_call_trace *trace, uint32_t function,
			 const struct plain_thread *plain, size_t n_threads)
{
	const struct lode_call_spread *spread = &trace->spreads.at[function];
	LODE_VEC(int64_t) times = {0};
	uint64_t total = 0;

	for (size_t i = 0; i < n_threads; i++)
		for (size_t k = 0; k < plain[i].calls.n; k++) {
			const struct plain_call *call = &plain[i].calls.at[k];

			if (call->function != function)
				continue;
			lode_vec_append(&times, call->end - call->start);
			total += (uint64_t)(call->end - call->start);
		}
	CHECK(spread->n == times.n && spread->total_ns == total);
	if (times.n) {
		qsort(times.at, times.n, sizeof(*times.at), compare_times);
		CHECK(spread->min_ns == times.at[0]);
		CHECK(spread->max_ns == times.at[times.n - 1]);
		CHECK(spread->median_ns == times.at[(times.n + 1) / 2 - 1]);
		CHECK(spread->p99_ns == times.at[(times.n * 99 + 99) / 100 - 1]);
	}
	lode_vec_release(&times);
}

/* What is read of `random_trace` is what plain pairing makes of `want`: its threads, or those with
   other times. */
static void check_trace(struct random_trace *random_trace, const struct random_trace *want,
			struct test_random *random)
{
	unsigned block_bits = 1 + test_random_below(random, 4);
	unsigned n_ours = 1 + test_random_below(random, 3);
	struct lode_call_trace *trace = random_trace_intake(random_trace, n_ours, block_bits);
	struct plain_thread plain[RANDOM_MAX_THREADS];

	for (size_t i = 0; i < random_trace->n_threads; i++) {
		const struct lode_call_thread *thread = thread_of(trace, i);
		struct lode_call_cursor cursor;

		plain_pair(&plain[i], &want->threads[i]);
		CHECK((thread != NULL) == (plain[i].calls.n > 0));
		if (!thread)
			continue;
		for (unsigned k = 0; k < LODE_N_REPAIRS; k++)
			CHECK(lode_call_repairs(thread, k) == plain[i].repairs[k]);
		lode_call_cursor_init(&cursor, trace, thread);
		check_calls(&cursor, &plain[i]);
		for (unsigned level = 0; level < thread->n_levels; level++)
			for (size_t k = 0; k < thread->levels[level].n; k++)
				check_span(&thread->levels[level].at[k], &plain[i]);
		for (size_t k = 0; k < thread->levels[0].n; k++)
			check_longest(thread, &thread->levels[0].at[k], &plain[i]);
		for (unsigned k = 0; k < 4; k++)
			check_reading(&cursor, &plain[i], random);
		check_following(&cursor, random);
		lode_call_cursor_release(&cursor);
	}
	for (uint32_t f = 0; f < random_trace->n_functions; f++)
		check_spread(trace, f, plain, random_trace->n_threads);
	for (size_t i = 0; i < random_trace->n_threads; i++)
		lode_vec_release(&plain[i].calls);
	lode_call_trace_free(trace);
}

static void random_traces_are_paired_by_the_rules(void **state)
{
	(void)state;
	for (seed = 1; seed <= TEST_CASES(4000); seed++) {
		struct test_random random = {seed};
		struct random_options options = {
			.max_events = seed % 50 ? 60 : 800,
			.depth = 2 + test_random_below(&random, 12),
			.faults = seed % 2 ? test_random_below(&random, 30) : 0,
			.long_step = seed % 7 ? 300 : 300000,
		};
		struct random_trace trace;

		random_trace_make(&trace, &random, &options);
		check_trace(&trace, &trace, &random);
		random_trace_release(&trace);
	}
}

/* ---- Wrong times ---- */

enum { DAY_S = 86400, PAUSE_DAYS = 30 };

static int64_t days(int64_t n)
{
	return n * DAY_S * 1000000000;
}

/* More than a day, forward or backward, up to 50 years. */
static int64_t far_away(struct test_random *random)
{
	static const uint32_t up_to[] = {3, 28, 60, 18000};
	int64_t n = 1 + test_random_below(random, up_to[test_random_below(random, 4)]);

	n = days(n) + 1000000 + test_random_below(random, 1000000000);
	return test_random_below(random, 2) ? n : -n;
}

static bool may_pause(int64_t ns)
{
	return ns >= 0 && ns <= days(PAUSE_DAYS);
}

/* Single wrong times in a thread; `want` is what they become. How many there are. */
static uint64_t add_strays(struct random_thread *is, struct random_thread *want,
			   struct test_random *random)
{
	size_t n = is->events.n;
	uint64_t n_strays = 0;

	for (size_t i = test_random_below(random, 20); n > 2 && i < n;
	     i += 3 + test_random_below(random, 40)) {
		struct lode_call_event *at = &is->events.at[i];
		int64_t by = far_away(random);

		at->t_ns += by;
		if (i == 0 && (i + 2 >= n || may_pause(-by)))
			want->events.at[i].t_ns = at->t_ns;
		else if (i == n - 1 && may_pause(by))
			want->events.at[i].t_ns = at->t_ns;
		else
			want->events.at[i].t_ns = want->events.at[i ? i - 1 : 1].t_ns;
		n_strays += want->events.at[i].t_ns != at->t_ns;
	}
	return n_strays;
}

/* From one event on, all times are so much later; later on the clock may be as it was. */
static void add_leap(struct random_thread *is, struct random_thread *want,
		     struct test_random *random)
{
	size_t n = is->events.n, from, to;
	int64_t by = far_away(random), lost;

	if (n < 24)
		return;
	from = 3 + test_random_below(random, (uint32_t)n - 20);
	to = may_pause(by) || test_random_below(random, 2) ? n : from + 12;
	lost = want->events.at[from].t_ns - want->events.at[from - 1].t_ns;
	for (size_t i = from; i < to; i++) {
		is->events.at[i].t_ns += by;
		want->events.at[i].t_ns += may_pause(by) ? by : -lost;
	}
}

static void copy_threads(struct random_trace *to, const struct random_trace *from)
{
	*to = *from;
	for (size_t i = 0; i < from->n_threads; i++) {
		memset(&to->threads[i], 0, sizeof(to->threads[i]));
		for (size_t k = 0; k < from->threads[i].events.n; k++)
			lode_vec_append(&to->threads[i].events, from->threads[i].events.at[k]);
	}
}

static uint64_t jumps_of(struct random_trace *random_trace)
{
	struct lode_call_trace *trace = random_trace_intake(random_trace, 2, 3);
	const struct lode_loss *loss = &trace->losses.by_kind[LODE_LOSS_CLOCK_JUMP];
	uint64_t n = loss->count;

	CHECK(!n || (strstr(loss->detail, "thread ") && strstr(loss->detail, ", event ")));
	lode_call_trace_free(trace);
	return n;
}

static void a_wrong_time_moves_its_own_event_alone(void **state)
{
	(void)state;
	for (seed = 1; seed <= TEST_CASES(2000); seed++) {
		struct test_random random = {seed};
		struct random_options options = {.max_events = seed % 50 ? 80 : 800,
						 .depth = 2 + test_random_below(&random, 12),
						 .long_step = 300};
		struct random_trace clean, want, is;
		uint64_t n = 0;

		random_trace_make(&clean, &random, &options);
		copy_threads(&want, &clean);
		copy_threads(&is, &clean);
		for (size_t i = 0; i < is.n_threads; i++)
			n += add_strays(&is.threads[i], &want.threads[i], &random);
		check_trace(&is, &want, &random);
		CHECK(jumps_of(&is) == n && jumps_of(&clean) == 0);
		random_trace_release(&want);
		random_trace_release(&is);
		random_trace_release(&clean);
	}
}

static void a_clock_that_is_set_goes_on_from_there(void **state)
{
	(void)state;
	for (seed = 1; seed <= TEST_CASES(1000); seed++) {
		struct test_random random = {seed};
		struct random_options options = {.max_events = 120, .depth = 4, .long_step = 300};
		struct random_trace want, is;

		random_trace_make(&want, &random, &options);
		copy_threads(&is, &want);
		add_leap(&is.threads[0], &want.threads[0], &random);
		check_trace(&is, &want, &random);
		random_trace_release(&want);
		random_trace_release(&is);
	}
}

/* ---- Buffers that were written twice ---- */

static bool is_same_event(const struct lode_call_event *a, const struct lode_call_event *b)
{
	return a->t_ns == b->t_ns && a->function == b->function && a->kind == b->kind;
}

/* `clean` with the `n` events from `from` on once more, before event `end`. False where nothing
   shows that they are a repeat, or where it ends. */
static bool repeat(struct random_thread *out, const struct random_thread *clean, size_t from,
		   size_t n, size_t end)
{
	const struct lode_call_event *at = clean->events.at;

	if (at[from].t_ns == at[end - 1].t_ns)
		return false;
	if (from + n < end && end < clean->events.n && is_same_event(&at[from + n], &at[end]))
		return false;
	for (size_t i = 0; i < end; i++)
		lode_vec_append(&out->events, at[i]);
	for (size_t i = from; i < from + n; i++)
		lode_vec_append(&out->events, at[i]);
	for (size_t i = end; i < clean->events.n; i++)
		lode_vec_append(&out->events, at[i]);
	return true;
}

static void check_repeat(const struct random_thread *clean, struct random_trace *twice, size_t n)
{
	struct lode_call_trace *trace = random_trace_intake(twice, 1, 3);
	struct lode_call_cursor cursor;
	struct plain_thread plain;

	plain_pair(&plain, clean);
	CHECK(trace->threads.n == 1);
	CHECK(trace->repairs[LODE_REPAIR_DUPLICATE] == n);
	CHECK(trace->repairs[LODE_REPAIR_BACKWARDS] == 0);
	lode_call_cursor_init(&cursor, trace, trace->threads.at[0]);
	check_calls(&cursor, &plain);
	lode_call_cursor_release(&cursor);
	lode_call_trace_free(trace);
	lode_vec_release(&plain.calls);
}

static void a_buffer_that_comes_twice_counts_once(void **state)
{
	(void)state;
	for (seed = 1; seed <= 500; seed++) {
		struct test_random random = {seed};
		struct random_options options = {.max_events = 200, .depth = 6, .long_step = 300};
		struct random_trace clean, twice = {.n_threads = 1};
		size_t n_events, n, from, end;

		random_trace_make(&clean, &random, &options);
		twice.n_functions = clean.n_functions;
		n_events = clean.threads[0].events.n;
		if (n_events >= 30) {
			n = 8 + test_random_below(&random, (uint32_t)n_events - 20);
			from = test_random_below(&random, (uint32_t)(n_events - n));
			/* Right behind itself, or somewhat later. */
			end = from + n +
			      test_random_below(&random, (uint32_t)(n_events - from - n) + 1);
			if (repeat(&twice.threads[0], &clean.threads[0], from, n, end))
				check_repeat(&clean.threads[0], &twice, n);
		}
		random_trace_release(&twice);
		random_trace_release(&clean);
	}
}

/* ---- Deep stacks, wide blocks, a file for what does not fit ---- */

static int read_deep(void *context, struct lode_call_sink *sink, struct lode_error *err)
{
	uint32_t n = *(uint32_t *)context, thread = sink->thread(sink->context, 1, 100, "deep");
	uint32_t function = sink->function(sink->context, "m", "recurse");
	struct lode_call_event event = {.function = function};
	int rc = LODE_OK;

	for (uint32_t i = 0; i < 2 * n && rc == LODE_OK; i++) {
		event.t_ns = i;
		event.kind = i < n ? LODE_CALL_ENTER : LODE_CALL_EXIT;
		rc = sink->events(sink->context, thread, &event, 1, err);
	}
	return rc;
}

static void recursion_of_any_depth_is_read(void **state)
{
	uint32_t n = 30000;
	struct lode_call_intake_options options = {.n_threads = 2, .memory_bytes = 1};
	struct lode_call_trace *trace;
	struct lode_call_cursor cursor;

	(void)state;
	/* memory_bytes = 1: all but the chunk at hand goes to the file. */
	assert_int_equal(lode_call_intake(&trace, "deep", read_deep, &n, &options, NULL), 0);
	assert_int_equal(trace->n_calls, n);
	assert_int_equal(trace->threads.at[0]->max_depth, n);
	lode_call_cursor_init(&cursor, trace, trace->threads.at[0]);
	for (uint32_t i = 0; i < n; i += 7) {
		const struct lode_call *call = lode_call_at(&cursor, i);

		assert_int_equal(call->start_ns, i);
		assert_int_equal(call->duration_ns, 2 * n - 1 - 2 * i);
	}
	assert_int_equal(cursor.rc, 0);
	lode_call_cursor_release(&cursor);
	lode_call_trace_free(trace);
}

/* ---- More stacks than are kept ---- */

enum { wide_functions = 60, wide_depth = 8, wide_paths = 40000 };

/* Paths down to the same depth, nearly all of them different; each call lasts 1 ns of its own
   beside its callees. */
static int read_wide(void *context, struct lode_call_sink *sink, struct lode_error *err)
{
	struct test_random random = {*(uint64_t *)context};
	uint32_t thread = sink->thread(sink->context, 1, 100, NULL), ids[wide_functions];
	struct lode_call_event events[2 * wide_depth];
	int64_t t_ns = 0;
	int rc = LODE_OK;

	for (uint32_t i = 0; i < wide_functions; i++) {
		char name[16];

		snprintf(name, sizeof(name), "f%u", i);
		ids[i] = sink->function(sink->context, "m", name);
	}
	for (uint32_t k = 0; k < wide_paths && rc == LODE_OK; k++) {
		for (uint32_t i = 0; i < wide_depth; i++) {
			uint32_t f = ids[test_random_below(&random, wide_functions)];

			events[i] = (struct lode_call_event){
				.t_ns = t_ns + i, .function = f, .kind = LODE_CALL_ENTER};
			events[2 * wide_depth - 1 - i] =
				(struct lode_call_event){.t_ns = t_ns + 2 * wide_depth - 1 - i,
							 .function = f,
							 .kind = LODE_CALL_EXIT};
		}
		t_ns += 2 * wide_depth;
		rc = sink->events(sink->context, thread, events, 2 * wide_depth, err);
	}
	return rc;
}

/* Behind the limit a call still knows its time, its depth, its function and its caller's. */
static void check_wide(const struct lode_call_thread *thread, struct lode_call_cursor *cursor)
{
	struct test_random random = {seed};
	uint32_t path[wide_depth];
	uint64_t n_cut = 0;

	for (uint32_t k = 0; k < wide_paths; k++) {
		for (uint32_t i = 0; i < wide_depth; i++) {
			const struct lode_call *call =
				lode_call_at(cursor, (uint64_t)k * wide_depth + i);
			uint32_t stack = call->stack, n = 0;

			path[i] = test_random_below(&random, wide_functions);
			CHECK(call->start_ns == (int64_t)k * 2 * wide_depth + i);
			CHECK(call->duration_ns == 2 * (int64_t)(wide_depth - i) - 1);
			CHECK(lode_call_depth(thread, stack) == i);
			for (; stack; stack = thread->stacks.at.at[stack].caller, n++)
				CHECK(lode_call_function(thread, stack) == path[i - n]);
			CHECK(n == i + 1 || (i >= 1 && n >= 2));
			n_cut += n < i + 1;
		}
	}
	CHECK(n_cut == thread->n_cut && n_cut > wide_paths);
}

static void more_stacks_than_are_kept_are_shared_and_counted(void **state)
{
	(void)state;
	for (seed = 1; seed <= 2; seed++) {
		struct lode_call_intake_options options = {.n_threads = (unsigned)seed};
		struct lode_call_cursor cursor;
		struct lode_call_trace *trace;
		const struct lode_call_thread *thread;

		CHECK(lode_call_intake(&trace, "wide", read_wide, &seed, &options, NULL) == 0);
		thread = trace->threads.at[0];
		CHECK(thread->n_calls == (uint64_t)wide_paths * wide_depth);
		CHECK(thread->stacks.at.n > LODE_CALL_MAX_STACKS);
		CHECK(thread->stacks.at.n <=
		      LODE_CALL_MAX_STACKS + wide_depth * wide_functions * (wide_functions + 1));
		lode_call_cursor_init(&cursor, trace, thread);
		check_wide(thread, &cursor);
		CHECK(trace->losses.by_kind[LODE_LOSS_CALLERS].count == thread->n_cut);
		CHECK(strstr(trace->losses.by_kind[LODE_LOSS_CALLERS].detail, "thread 100"));
		lode_call_cursor_release(&cursor);
		lode_call_trace_free(trace);
	}
}

static void exits_of_what_is_not_open_cost_no_search(void **state)
{
	enum { n = 100000 };
	struct random_trace random_trace = {.n_threads = 1, .n_functions = 2};
	struct lode_call_trace *trace;

	(void)state;
	for (int64_t i = 0; i < n; i++)
		lode_vec_append(&random_trace.threads[0].events,
				((struct lode_call_event){.t_ns = i, .kind = LODE_CALL_ENTER}));
	for (int64_t i = 0; i < n; i++)
		lode_vec_append(&random_trace.threads[0].events,
				((struct lode_call_event){
					.t_ns = n + i, .function = 1, .kind = LODE_CALL_EXIT}));
	trace = random_trace_intake(&random_trace, 1, 11);
	assert_int_equal(trace->repairs[LODE_REPAIR_EXIT_ALONE], n);
	assert_int_equal(trace->repairs[LODE_REPAIR_CUT_AT_END], n);
	lode_call_trace_free(trace);
	random_trace_release(&random_trace);
}

static int read_nothing(void *context, struct lode_call_sink *sink, struct lode_error *err)
{
	(void)context;
	(void)sink;
	return lode_fail(err, LODE_ERR_FORMAT, "x", 7, "nothing of use");
}

static void an_error_of_the_source_is_given(void **state)
{
	struct lode_call_intake_options options = {.n_threads = 2};
	struct lode_call_trace *trace;
	struct lode_error err;

	(void)state;
	assert_int_equal(lode_call_intake(&trace, "x", read_nothing, NULL, &options, &err),
			 LODE_ERR_FORMAT);
	assert_null(trace);
	assert_string_equal(err.message, "nothing of use");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_traces_are_paired_by_the_rules),
		cmocka_unit_test(a_wrong_time_moves_its_own_event_alone),
		cmocka_unit_test(a_clock_that_is_set_goes_on_from_there),
		cmocka_unit_test(a_buffer_that_comes_twice_counts_once),
		cmocka_unit_test(recursion_of_any_depth_is_read),
		cmocka_unit_test(more_stacks_than_are_kept_are_shared_and_counted),
		cmocka_unit_test(exits_of_what_is_not_open_cost_no_search),
		cmocka_unit_test(an_error_of_the_source_is_given),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
