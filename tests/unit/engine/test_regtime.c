/* engine/regtime: the items, with their trees, are those of the definition read word by word, and
   nothing is lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/regtime/regtime.h"
#include "unit/model/random_calls.h"
#include "cases.h"

/* Of the case at hand; checks name it. */
static uint64_t seed;

static void broken(const char *what, int line)
{
	fail_msg("line %d, seed %llu: %s", line, (unsigned long long)seed, what);
}

#define CHECK(condition) ((condition) ? (void)0 : broken(#condition, __LINE__))

/* ---- The definition, on a plain list of calls ---- */

struct plain_item {
	enum lode_regtime_kind kind;
	int64_t start, end;
	uint32_t depth;
	size_t call;		/* index, of a single call */
	LODE_VEC(size_t) calls; /* of an expression */
};

typedef LODE_VEC(struct plain_item) plain_items;

struct thresholds {
	int64_t long_call, gap, expression;
};

static int64_t duration(const struct plain_call *call)
{
	return call->end - call->start;
}

static void push_item(plain_items *items, enum lode_regtime_kind kind, int64_t start, int64_t end,
		      uint32_t depth)
{
	struct plain_item item = {.kind = kind, .start = start, .end = end, .depth = depth};

	lode_vec_append(items, item);
}

/* Whether the expression that is the last item ends before call `i`. */
static bool ends(const struct plain_item *expression, const struct plain_call *call,
		 const struct thresholds *t, const int64_t *borders, size_t n_borders)
{
	if (call->depth != expression->depth)
		return call->depth < expression->depth;
	for (size_t i = 0; i < n_borders; i++)
		if (borders[i] > expression->start && borders[i] <= call->start)
			return true;
	return duration(call) > t->long_call || call->start - expression->end > t->gap ||
	       call->end - expression->start > t->expression;
}

/* The calls chosen[0..n) of a thread, in order. */
static void plain_regtime(plain_items *items, const struct plain_thread *thread,
			  const size_t *chosen, size_t n, const struct thresholds *t,
			  const int64_t *borders, size_t n_borders)
{
	bool is_open = false;

	for (size_t k = 0; k < n; k++) {
		const struct plain_call *call = &thread->calls.at[chosen[k]];
		struct plain_item *last = items->n ? &items->at[items->n - 1] : NULL;

		if (is_open && ends(last, call, t, borders, n_borders))
			is_open = false;
		if (!is_open) {
			bool is_long = duration(call) > t->long_call;

			push_item(items, is_long ? LODE_REGTIME_CALL : LODE_REGTIME_EXPRESSION,
				  call->start, call->end, call->depth);
			last = &items->at[items->n - 1];
			last->call = chosen[k];
			is_open = !is_long;
		}
		if (is_open) {
			lode_vec_append(&last->calls, chosen[k]);
			if (call->depth == last->depth)
				last->end = call->end;
		}
	}
}

static void release_items(plain_items *items)
{
	for (size_t i = 0; i < items->n; i++)
		lode_vec_release(&items->at[i].calls);
	lode_vec_release(items);
}

/* Gaps of ours, found by looking: a call that can be seen, and the one before of its caller. */
static size_t count_gaps(const struct plain_thread *thread, const size_t *chosen, size_t n,
			 const plain_items *items, int64_t gap)
{
	size_t n_gaps = 0;

	for (size_t i = 0; i < items->n; i++) {
		const struct plain_item *item = &items->at[i];
		const struct plain_call *call = &thread->calls.at[item->call];

		for (size_t k = n; k-- > 0;) {
			const struct plain_call *before = &thread->calls.at[chosen[k]];

			if (chosen[k] >= item->call || before->depth > call->depth)
				continue;
			n_gaps += before->depth == call->depth && call->start - before->end > gap;
			break;
		}
	}
	return n_gaps;
}

/* ---- What lode says against it ---- */

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

/* A call's own time: without that of its callees in the expression. (All are, but in a window those
   that ended before it.) */
static int64_t own_time(const struct plain_thread *plain, const struct plain_item *item, size_t i)
{
	int64_t own = duration(&plain->calls.at[i]);

	for (size_t k = 0; k < item->calls.n; k++)
		if (plain->calls.at[item->calls.at[k]].caller == i)
			own -= duration(&plain->calls.at[item->calls.at[k]]);
	return own;
}

static void check_nodes(const struct lode_regtime_thread *got, const struct lode_regtime_item *item,
			const struct plain_thread *plain, const struct plain_item *want)
{
	const struct lode_regtime_node *nodes = got->nodes.at + item->first_node;
	size_t n_seen = 0;

	CHECK(item->n_calls == want->calls.n);
	/* Nodes are in order of first occurrence. */
	for (size_t k = 0; k < want->calls.n; k++) {
		bool is_new = true;

		for (size_t b = 0; b < k && is_new; b++)
			is_new = !plain_same_stack(plain, want->calls.at[b], want->calls.at[k]);
		if (!is_new)
			continue;
		CHECK(n_seen < item->n_nodes);
		CHECK(same_stack(got->thread, nodes[n_seen].stack, plain, want->calls.at[k]));
		n_seen++;
	}
	CHECK(n_seen == item->n_nodes);
	for (size_t i = 0; i < item->n_nodes; i++) {
		uint64_t n = 0, total = 0, own = 0;
		uint32_t caller = got->thread->stacks.at.at[nodes[i].stack].caller;

		for (size_t k = 0; k < want->calls.n; k++) {
			if (!same_stack(got->thread, nodes[i].stack, plain, want->calls.at[k]))
				continue;
			n++;
			total += (uint64_t)duration(&plain->calls.at[want->calls.at[k]]);
			own += (uint64_t)own_time(plain, want, want->calls.at[k]);
		}
		CHECK(nodes[i].n_calls == n && nodes[i].total_ns == total &&
		      nodes[i].own_ns == own);
		if (nodes[i].caller == LODE_NONE)
			CHECK(lode_call_depth(got->thread, nodes[i].stack) == item->depth);
		else
			CHECK(nodes[i].caller < i && nodes[nodes[i].caller].stack == caller);
	}
}

static void check_items(const struct lode_regtime_thread *got, const struct plain_thread *plain,
			const plain_items *want)
{
	size_t k = 0, n_gaps = 0;

	for (size_t i = 0; i < got->items.n; i++) {
		const struct lode_regtime_item *item = &got->items.at[i];

		CHECK(i == 0 || got->items.at[i - 1].start_ns <= item->start_ns);
		if (item->kind == LODE_REGTIME_GAP) {
			n_gaps++;
			CHECK(item->end_ns - item->start_ns > got->gap_ns);
			CHECK(i + 1 < got->items.n && item[1].depth == item->depth);
			CHECK(item[1].start_ns == item->end_ns);
			continue;
		}
		CHECK(k < want->n && item->kind == want->at[k].kind);
		CHECK(item->start_ns == want->at[k].start && item->end_ns == want->at[k].end);
		CHECK(item->depth == want->at[k].depth);
		if (item->kind == LODE_REGTIME_CALL)
			CHECK(same_stack(got->thread, item->stack, plain, want->at[k].call));
		else
			check_nodes(got, item, plain, &want->at[k]);
		k++;
	}
	CHECK(k == want->n && n_gaps == got->n_gaps);
}

/* What a thread has of a function. */
static struct lode_regtime_function function_of(const struct lode_regtime_thread *thread,
						uint32_t function)
{
	for (size_t i = 0; i < thread->functions.n; i++)
		if (thread->functions.at[i].function == function)
			return thread->functions.at[i];
	return (struct lode_regtime_function){0};
}

/* Folding hides no time and no call, folds only what is negligible, and folds whole branches. */
static void check_folding(const struct lode_regtime_thread *got, bool is_classic)
{
	uint64_t n_glyphs = 0;

	for (size_t i = 0; i < got->items.n; i++) {
		const struct lode_regtime_item *item = &got->items.at[i];
		const struct lode_regtime_node *nodes =
			item->n_nodes ? got->nodes.at + item->first_node : NULL;
		uint64_t ns = 0, calls = 0, n = 0, n_negligible = 0;

		n_glyphs += item->kind == LODE_REGTIME_CALL;
		for (size_t k = 0; k < item->n_nodes; k++) {
			uint32_t f = lode_call_function(got->thread, nodes[k].stack);
			bool is_negligible =
				nodes[k].total_ns < (uint64_t)got->negligible_ns ||
				function_of(got, f).total_ns < (uint64_t)got->negligible_ns;

			n_negligible += is_negligible;
			if (!nodes[k].is_folded)
				continue;
			n++;
			ns += nodes[k].own_ns;
			calls += nodes[k].n_calls;
			CHECK(is_negligible || nodes[nodes[k].caller].is_folded);
		}
		CHECK(!is_classic || n == 0);
		/* All but the heaviest outermost one. */
		CHECK(is_classic || n + 1 >= n_negligible);
		CHECK(item->n_nodes == 0 || n < item->n_nodes);
		CHECK(item->n_folded == n && item->folded_ns == ns && item->folded_calls == calls);
		n_glyphs += item->n_nodes - n + (n > 0);
	}
	CHECK(n_glyphs == got->n_glyphs);
}

/* Times and numbers of calls, by function, over glyphs and over calls. */
static void check_conserved(const struct lode_regtime_thread *got, const struct plain_thread *plain,
			    const size_t *chosen, size_t n)
{
	CHECK(got->n_calls == n);
	for (uint32_t f = 0; f < RANDOM_MAX_FUNCTIONS; f++) {
		uint64_t calls = 0, ns = 0, glyph_ns = 0;

		for (size_t k = 0; k < n; k++) {
			const struct plain_call *call = &plain->calls.at[chosen[k]];

			if (call->function != f)
				continue;
			calls++;
			ns += (uint64_t)duration(call);
		}
		CHECK(function_of(got, f).n_calls == calls);
		CHECK(function_of(got, f).total_ns == ns);
		for (size_t i = 0; i < got->items.n; i++) {
			const struct lode_regtime_item *item = &got->items.at[i];

			if (item->kind == LODE_REGTIME_CALL &&
			    lode_call_function(got->thread, item->stack) == f)
				glyph_ns += (uint64_t)(item->end_ns - item->start_ns);
			for (size_t k = item->first_node; k < item->first_node + item->n_nodes; k++)
				if (lode_call_function(got->thread, got->nodes.at[k].stack) == f)
					glyph_ns += got->nodes.at[k].total_ns;
		}
		CHECK(glyph_ns == ns);
	}
}

/* ---- Random traces ---- */

struct fixture {
	struct random_trace trace;
	struct plain_thread plain[RANDOM_MAX_THREADS];
	struct lode_regtime_options options;
};

static int64_t span_start(const struct fixture *f, size_t i)
{
	return f->options.t0_ns < f->options.t1_ns ? f->options.t0_ns
						   : f->plain[i].calls.at[0].start;
}

static int64_t span_end(const struct fixture *f, size_t i)
{
	int64_t end = INT64_MIN;

	if (f->options.t0_ns < f->options.t1_ns)
		return f->options.t1_ns;
	for (size_t k = 0; k < f->plain[i].calls.n; k++)
		if (f->plain[i].calls.at[k].end > end)
			end = f->plain[i].calls.at[k].end;
	return end;
}

/* Which calls of a thread are summarised: all, or those that overlap the window. */
static size_t choose(size_t *chosen, const struct fixture *f, size_t i)
{
	size_t n = 0;

	for (size_t k = 0; k < f->plain[i].calls.n; k++) {
		const struct plain_call *call = &f->plain[i].calls.at[k];

		if (f->options.t0_ns < f->options.t1_ns &&
		    (call->start >= f->options.t1_ns ||
		     (call->start < f->options.t0_ns && call->end <= f->options.t0_ns)))
			continue;
		chosen[n++] = k;
	}
	return n;
}

static struct thresholds thresholds_of(const struct fixture *f, size_t i)
{
	int64_t whole = span_end(f, i) - span_start(f, i);

	return (struct thresholds){lode_regtime_threshold_ns(f->options.long_call, whole),
				   lode_regtime_threshold_ns(f->options.gap, whole),
				   lode_regtime_threshold_ns(f->options.expression, whole)};
}

/* Starts and ends of the long calls of the others, within the thread's time. */
static size_t borders_of(int64_t *borders, const struct fixture *f, size_t i)
{
	size_t n = 0;

	if (f->options.is_classic)
		return 0;
	for (size_t other = 0; other < f->trace.n_threads; other++) {
		size_t chosen[1024], n_chosen;

		if (other == i || !f->plain[other].calls.n)
			continue;
		n_chosen = choose(chosen, f, other);
		for (size_t k = 0; k < n_chosen; k++) {
			const struct plain_call *call = &f->plain[other].calls.at[chosen[k]];

			if (duration(call) <= thresholds_of(f, other).long_call)
				continue;
			borders[n] = call->start;
			n += borders[n] > span_start(f, i) && borders[n] < span_end(f, i);
			borders[n] = call->end;
			n += borders[n] > span_start(f, i) && borders[n] < span_end(f, i);
		}
	}
	return n;
}

static void check_thread(const struct fixture *f, const struct lode_regtime_thread *got, size_t i)
{
	struct thresholds t = thresholds_of(f, i);
	size_t chosen[1024], n = choose(chosen, f, i);
	static int64_t borders[8 * 1024];
	plain_items items = {0};

	CHECK(got->long_call_ns == t.long_call && got->gap_ns == t.gap);
	CHECK(got->expression_ns == t.expression);
	plain_regtime(&items, &f->plain[i], chosen, n, &t, borders, borders_of(borders, f, i));
	check_items(got, &f->plain[i], &items);
	check_folding(got, f->options.is_classic);
	check_conserved(got, &f->plain[i], chosen, n);
	CHECK(got->n_gaps ==
	      (f->options.is_classic ? 0 : count_gaps(&f->plain[i], chosen, n, &items, t.gap)));
	release_items(&items);
}

static struct lode_regtime_threshold random_threshold(struct test_random *random, unsigned of_100)
{
	if (test_random_below(random, 4) == 0)
		return LODE_REGTIME_TIME(test_random_below(random, 200));
	return LODE_REGTIME_SHARE(test_random_below(random, of_100 * 10) / 1000.0);
}

static void random_options(struct fixture *f, struct test_random *random)
{
	f->options = lode_regtime_defaults();
	f->options.keep_folded = true;
	f->options.n_threads = 1 + test_random_below(random, 3);
	if (test_random_below(random, 5)) {
		f->options.long_call = random_threshold(random, 30);
		f->options.gap = random_threshold(random, 10);
		f->options.expression = random_threshold(random, 60);
		f->options.negligible = random_threshold(random, 20);
	}
	if (test_random_below(random, 4) == 0) {
		f->options.t0_ns = 500 + test_random_below(random, 1500);
		f->options.t1_ns = f->options.t0_ns + 1 + test_random_below(random, 2000);
	}
}

/* Without the folded nodes, all else is the same. */
static void check_dropped(const struct lode_regtime *kept, struct lode_call_trace *trace,
			  struct lode_regtime_options options)
{
	struct lode_regtime *got;

	options.keep_folded = false;
	CHECK(lode_regtime_run(&got, trace, &options, NULL) == 0);
	for (size_t i = 0; i < got->n_threads; i++) {
		const struct lode_regtime_thread *a = &kept->threads[i], *b = &got->threads[i];

		CHECK(a->items.n == b->items.n && a->n_glyphs == b->n_glyphs);
		for (size_t k = 0; k < a->items.n; k++) {
			const struct lode_regtime_item *x = &a->items.at[k], *y = &b->items.at[k];
			size_t n = 0;

			CHECK(x->n_folded == y->n_folded && x->folded_ns == y->folded_ns);
			CHECK(x->n_nodes == y->n_nodes + y->n_folded);
			for (size_t j = x->first_node; j < x->first_node + x->n_nodes; j++) {
				const struct lode_regtime_node *p = &a->nodes.at[j], *q;

				if (p->is_folded)
					continue;
				q = &b->nodes.at[y->first_node + n++];
				CHECK(p->stack == q->stack && p->n_calls == q->n_calls);
				CHECK(p->total_ns == q->total_ns && p->own_ns == q->own_ns);
				CHECK((p->caller == LODE_NONE) == (q->caller == LODE_NONE));
				if (p->caller != LODE_NONE)
					CHECK(a->nodes.at[x->first_node + p->caller].stack ==
					      b->nodes.at[y->first_node + q->caller].stack);
			}
			CHECK(n == y->n_nodes);
		}
	}
	lode_regtime_free(got);
}

static void check_case(void)
{
	struct test_random random = {seed};
	struct random_options making = {.max_events = seed % 40 ? 50 : 400,
					.depth = 2 + test_random_below(&random, 10),
					.faults = seed % 3 ? 0 : 5,
					.long_step = seed % 4 ? 200 : 2000};
	struct lode_regtime *got;
	struct lode_call_trace *trace;
	struct fixture f;

	random_trace_make(&f.trace, &random, &making);
	random_options(&f, &random);
	for (size_t i = 0; i < f.trace.n_threads; i++)
		plain_pair(&f.plain[i], &f.trace.threads[i]);
	trace = random_trace_intake(&f.trace, 1, 1 + test_random_below(&random, 4));
	for (unsigned classic = 0; classic < 2; classic++) {
		f.options.is_classic = classic;
		CHECK(lode_regtime_run(&got, trace, &f.options, NULL) == 0);
		for (size_t k = 0; k < got->n_threads; k++)
			check_thread(&f, &got->threads[k],
				     (size_t)(100 - got->threads[k].thread->tid));
		if (!classic)
			check_dropped(got, trace, f.options);
		lode_regtime_free(got);
	}
	lode_call_trace_free(trace);
	for (size_t i = 0; i < f.trace.n_threads; i++)
		lode_vec_release(&f.plain[i].calls);
	random_trace_release(&f.trace);
}

static void random_traces_are_compressed_by_the_definition(void **state)
{
	(void)state;
	for (seed = 1; seed <= TEST_CASES(5000); seed++)
		check_case();
}

/* ---- By hand ---- */

static void a_share_is_exact_beyond_53_bits(void **state)
{
	(void)state;
	assert_int_equal(lode_regtime_threshold_ns(LODE_REGTIME_SHARE(0.01), 1000), 10);
	assert_int_equal(lode_regtime_threshold_ns(LODE_REGTIME_SHARE(0.001), 1999), 1);
	assert_true(lode_regtime_threshold_ns(LODE_REGTIME_SHARE(0.5), ((int64_t)1 << 61) + 2) ==
		    ((int64_t)1 << 60) + 1);
	assert_int_equal(lode_regtime_threshold_ns(LODE_REGTIME_TIME(77), 5), 77);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_traces_are_compressed_by_the_definition),
		cmocka_unit_test(a_share_is_exact_beyond_53_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
