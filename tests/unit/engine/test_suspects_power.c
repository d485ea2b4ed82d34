/*
 * What `lode suspects` finds where something was planted, and does not find where nothing was.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/suspects/suspects.h"
#include "random.h"

enum { n_callers = 10, n_leaves = 4, n_executions = 4000 };

struct made {
	struct lode_execution_set *set;
	uint32_t stacks[n_callers][n_leaves];
	uint32_t planted_caller, planted_leaf; /* n_callers: nothing is planted */
	double share;			       /* of the planted ones that are slow */
};

/* main > handler-K > [helper >] wrapper > leaf-L */
static void make_stacks(struct made *m, struct test_random *r)
{
	struct lode_calltree *tree = &m->set->tree;
	char name[32];

	for (uint32_t c = 0; c < n_callers; c++) {
		bool has_helper = test_random_below(r, 2);

		for (uint32_t l = 0; l < n_leaves; l++) {
			uint32_t node =
				lode_calltree_child(tree, 0,
						    lode_frame_intern(tree, "app", "main", 0));

			snprintf(name, sizeof(name), "handler-%u", c);
			node = lode_calltree_child(tree, node,
						   lode_frame_intern(tree, "app", name, 0));
			if (has_helper)
				node = lode_calltree_child(
					tree, node, lode_frame_intern(tree, "app", "helper", 0));
			node = lode_calltree_child(tree, node,
						   lode_frame_intern(tree, "app", "wrapper", 0));
			snprintf(name, sizeof(name), "leaf-%u", l);
			m->stacks[c][l] =
				lode_calltree_child(tree, node,
						    lode_frame_intern(tree, "libc", name, 0));
		}
	}
}

static void add_executions(struct made *m, struct test_random *r)
{
	uint32_t nodes[n_callers * n_leaves];
	uint32_t metrics[n_leaves];
	struct lode_error err;
	char name[32];

	for (uint32_t l = 0; l < n_leaves; l++) {
		snprintf(name, sizeof(name), "syscall:%u", l);
		metrics[l] = lode_execution_set_metric(m->set, name, "ns");
	}
	lode_execution_set_begin(m->set, "made");
	for (uint32_t i = 0; i < n_executions; i++) {
		uint32_t c = test_random_below(r, n_callers), l = test_random_below(r, n_leaves);
		/* Metrics differ in length and in how many of theirs are slow. */
		int64_t value = 1000 * (l + 1) + test_random_below(r, 500);
		bool is_slow = test_random_below(r, 100) < l;

		if (c == m->planted_caller && l == m->planted_leaf)
			is_slow |= test_random_below(r, 1000) < (uint32_t)(1000 * m->share);
		if (is_slow)
			value += 50000 + test_random_below(r, 20000);
		assert_int_equal(lode_execution_set_append(
					 m->set,
					 &(struct lode_execution){.start_ns = i,
								  .value = value,
								  .metric = metrics[l],
								  .stack = c * n_leaves + l},
					 &err),
				 0);
	}
	for (uint32_t i = 0; i < n_callers * n_leaves; i++)
		nodes[i] = m->stacks[i / n_leaves][i % n_leaves];
	lode_execution_set_end(m->set, nodes, n_callers * n_leaves);
}

static struct lode_suspects *make(struct made *m, struct test_random *r,
				  enum lode_correction correction)
{
	struct lode_suspects_options options = {.tally.n_subject_streams = UINT32_MAX,
						.correction = correction};
	struct lode_suspects *s;
	struct lode_error err;

	m->set = lode_execution_set_new(1 << 20);
	make_stacks(m, r);
	add_executions(m, r);
	assert_int_equal(lode_suspects(&s, m->set, &options, &err), 0);
	return s;
}

static void release(struct made *m, struct lode_suspects *s)
{
	lode_suspects_free(s);
	lode_execution_set_free(m->set);
}

static const char *function_at(const struct lode_suspects *s, uint32_t frame)
{
	return lode_frame_function(&s->tally.set->tree, frame);
}

static void the_planted_caller_is_first(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct test_random r = {seed};
		struct made m = {
			.planted_caller = test_random_below(&r, n_callers),
			.planted_leaf = test_random_below(&r, n_leaves),
			.share = 0.15 + 0.01 * test_random_below(&r, 60),
		};
		struct lode_suspects *s = make(&m, &r, LODE_CORRECTION_HOLM);
		char caller[32], leaf[32];

		snprintf(caller, sizeof(caller), "handler-%u", m.planted_caller);
		snprintf(leaf, sizeof(leaf), "leaf-%u", m.planted_leaf);
		if (!s->contrasts.n || s->contrasts.at[0].log_q > log(0.05) ||
		    strcmp(function_at(s, s->contrasts.at[0].leaf), leaf) != 0 ||
		    strcmp(function_at(s, s->contrasts.at[0].callers[0]), caller) != 0)
			fail_msg("seed %llu: %s from %s is not the first contrast",
				 (unsigned long long)seed, leaf, caller);
		release(&m, s);
	}
}

/*
 * 400 runs without anything planted: those in which a caller is called significant at 5 %. Were it
 * 5 % of them, more than 33 would come by chance once in 1,000 tries; seeds are fixed.
 */
static void nothing_planted_nothing_found(void **state)
{
	enum { n_runs = 400, most = 33 };
	int contrasts = 0, plain = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= n_runs; seed++) {
		struct test_random r = {seed * 7919};
		struct made m = {.planted_caller = n_callers};
		struct lode_suspects *s = make(&m, &r, LODE_CORRECTION_HOLM);

		contrasts += s->contrasts.n && s->contrasts.at[0].log_q <= log(0.05);
		plain += s->contrasts.n && s->contrasts.at[0].log_p <= log(0.05);
		release(&m, s);
	}
	if (contrasts > most)
		fail_msg("%d of %d runs find a caller where there is none", contrasts, n_runs);
	/* The test can fail: without the correction for many tests it does. */
	assert_true(plain > 2 * most);
}

/* The same of functions, where all calls are of one metric, in which any is slow by chance alone.
 */
static void no_function_is_suspected_by_chance(void **state)
{
	enum { n_runs = 400, most = 33 };
	int found[2] = {0}, plain = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= n_runs; seed++) {
		for (int how = 0; how < 2; how++) {
			struct test_random r = {seed * 104729};
			struct made m = {.set = lode_execution_set_new(1 << 20)};
			struct lode_suspects_options options = {
				.tally.n_subject_streams = UINT32_MAX,
				.correction = (enum lode_correction)how};
			struct lode_suspects *s;
			struct lode_error err;
			uint32_t nodes[n_callers * n_leaves], metric;
			bool is_found = false, is_plain = false;

			make_stacks(&m, &r);
			metric = lode_execution_set_metric(m.set, "syscall:read", "ns");
			lode_execution_set_begin(m.set, "made");
			for (uint32_t i = 0; i < 2000; i++) {
				struct lode_execution e = {
					.value = test_random_below(&r, 33) == 0 ? 90000 : 1000,
					.metric = metric,
					.stack = test_random_below(&r, n_callers * n_leaves)};

				assert_int_equal(lode_execution_set_append(m.set, &e, &err), 0);
			}
			for (uint32_t i = 0; i < n_callers * n_leaves; i++)
				nodes[i] = m.stacks[i / n_leaves][i % n_leaves];
			lode_execution_set_end(m.set, nodes, n_callers * n_leaves);
			assert_int_equal(lode_suspects(&s, m.set, &options, &err), 0);
			assert_true(s->all.failed > 20);
			for (size_t k = 0; k < s->functions.n; k++) {
				is_found |= s->ranked[k].log_q <= log(0.05);
				is_plain |= s->ranked[k].log_p <= log(0.05);
			}
			found[how] += is_found;
			plain += is_plain;
			release(&m, s);
		}
	}
	if (found[0] > most || found[1] > most)
		fail_msg("%d (Holm), %d (Benjamini-Hochberg) of %d runs suspect a function where "
			 "there is nothing",
			 found[0], found[1], n_runs);
	assert_true(plain > 2 * most);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_planted_caller_is_first),
		cmocka_unit_test(nothing_planted_nothing_found),
		cmocka_unit_test(no_function_is_suspected_by_chance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
