/* RIPPER finds what was planted, and its parts do what their definitions say. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/ripper/learner.h"
#include "base/random.h"
#include "engine/ripper/ripper.h"
#include "base/number_sort.h"

enum { MAX_ROWS = 400, MAX_COLUMNS = 8 };

/* A random table: numeric columns with ties and holes, nominal ones with three values. */
struct table {
	struct lode_dataset data;
	struct lode_attribute attributes[MAX_COLUMNS];
	const double *columns[MAX_COLUMNS];
	double values[MAX_COLUMNS][MAX_ROWS];
	uint32_t classes[MAX_ROWS];
};

static const char *const nominal_values[] = {"a", "b", "c"};
static const char *const class_names[] = {"no", "yes", "maybe"};

static void fill(struct table *t, struct lode_random *random, size_t n_rows, size_t n_columns,
		 size_t n_classes)
{
	t->data = (struct lode_dataset){.n_rows = n_rows,
					.attributes = t->attributes,
					.columns = t->columns,
					.n_attributes = n_columns,
					.classes = t->classes,
					.class_names = class_names,
					.n_classes = n_classes};
	for (size_t c = 0; c < n_columns; c++) {
		bool is_nominal = c % 4 == 3;

		t->attributes[c] = (struct lode_attribute){"x", is_nominal ? nominal_values : NULL,
							   is_nominal ? 3 : 0};
		t->columns[c] = t->values[c];
		for (size_t r = 0; r < n_rows; r++) {
			t->values[c][r] = is_nominal ? (double)lode_random_below(random, 3)
						     : (double)lode_random_below(random, 20) - 10;
			if (lode_random_below(random, 15) == 0)
				t->values[c][r] = NAN;
		}
	}
	for (size_t r = 0; r < n_rows; r++)
		t->classes[r] = (uint32_t)lode_random_below(random, n_classes);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void rows_are_sorted_by_value_and_equal_ones_keep_their_order(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct lode_random random = {seed};
		size_t n = lode_random_below(&random, MAX_ROWS);
		double column[MAX_ROWS], column2[MAX_ROWS], sorted[MAX_ROWS];
		uint32_t rows[MAX_ROWS];

		for (size_t i = 0; i < n; i++) {
			column[i] = (double)(int64_t)lode_random_below(&random, 50) - 25;
			if (seed % 4 == 0)
				column[i] *= 1e-300 * (double)lode_random_below(&random, 9);
			if (seed % 4 == 1)
				column[i] = exp(column[i]) * (i % 2 ? -1 : 1);
			/* Far from 0 and close together, beside one that is far away. */
			if (seed % 4 == 2)
				column[i] = i == 7 ? -1e300 : 1e9 + column[i] * 1e-6;
			sorted[i] = column2[i] = column[i];
			rows[i] = (uint32_t)i;
		}
		qsort(sorted, n, sizeof(*sorted), compare);
		lode_sort_rows(rows, n, column);
		lode_sort_doubles(column2, n);
		for (size_t i = 0; i < n; i++) {
			if (column2[i] != sorted[i])
				fail_msg("seed %llu: value %zu", (unsigned long long)seed, i);
		}
		for (size_t i = 0; i < n; i++) {
			if (column[rows[i]] != sorted[i])
				fail_msg("seed %llu: place %zu", (unsigned long long)seed, i);
			if (i && column[rows[i]] == column[rows[i - 1]])
				assert_true(rows[i] > rows[i - 1]);
		}
	}
}

static double gain_of(const struct table *t, const bool *is_in, uint32_t class,
		      const struct lode_rule_condition *c)
{
	double p = 0, n = 0, p0 = 0, n0 = 0;

	for (size_t r = 0; r < t->data.n_rows; r++) {
		bool is_positive = t->classes[r] == class;

		if (!is_in[r])
			continue;
		p0 += is_positive;
		n0++;
		if (lode_rule_condition_holds(c, t->columns[c->attribute][r])) {
			p += is_positive;
			n++;
		}
	}
	return p * (log2((p + 1) / (n + 1)) - log2((p0 + 1) / (n0 + 1)));
}

/* A numeric condition that only asks whether there is a value: no threshold, so none of lode's. */
static bool parts_nothing(const struct table *t, const bool *is_in,
			  const struct lode_rule_condition *c)
{
	for (size_t r = 0; r < t->data.n_rows; r++) {
		double x = t->columns[c->attribute][r];

		if (is_in[r] && !isnan(x) && !lode_rule_condition_holds(c, x))
			return false;
	}
	return c->comparison != LODE_EQUAL;
}

/* Every condition that there is, one after another. */
static double best_gain(const struct table *t, const bool *is_in, uint32_t class,
			const struct lode_rule *rule, size_t n_used)
{
	double best = 0;

	for (uint32_t a = 0; a < t->data.n_attributes; a++) {
		bool is_nominal = t->attributes[a].n_values > 0, is_used = false;

		for (size_t i = 0; i < n_used; i++)
			is_used |= is_nominal && rule->conditions.at[i].attribute == a;
		for (size_t r = 0; r < t->data.n_rows && !is_used; r++) {
			double x = t->columns[a][r];

			for (int k = 0; k < 2 && !isnan(x) && is_in[r]; k++) {
				struct lode_rule_condition c = {a,
								is_nominal ? LODE_EQUAL
								: k	   ? LODE_AT_LEAST
									   : LODE_AT_MOST,
								x};

				if (!parts_nothing(t, is_in, &c))
					best = fmax(best, gain_of(t, is_in, class, &c));
			}
		}
	}
	return best;
}

static void each_condition_of_a_grown_rule_has_the_highest_gain(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 400; seed++) {
		static struct table t;
		struct lode_random random = {seed};
		size_t n_rows = 5 + lode_random_below(&random, 60);
		lode_row_word *all, *positive;
		struct lode_rule_grower *grower;
		struct lode_rule rule = {.class = 1};
		bool is_in[MAX_ROWS];
		size_t n_left = n_rows, n_positive = 0;

		fill(&t, &random, n_rows, 1 + lode_random_below(&random, MAX_COLUMNS - 1), 2);
		all = lode_rows_new(n_rows);
		positive = lode_rows_new(n_rows);
		for (size_t r = 0; r < n_rows; r++) {
			is_in[r] = true;
			lode_rows_add(all, r);
			if (t.classes[r] == 1)
				lode_rows_add(positive, r);
		}
		grower = lode_rule_grower_new(&t.data, all, 1);
		lode_grow_rule(grower, &rule, all, positive, 1);
		for (size_t i = 0; i < rule.conditions.n; i++) {
			double best = best_gain(&t, is_in, 1, &rule, i);
			double got = gain_of(&t, is_in, 1, &rule.conditions.at[i]);

			if (fabs(best - got) > 1e-9)
				fail_msg("seed %llu: condition %zu gains %g, best is %g",
					 (unsigned long long)seed, i, got, best);
			n_left = n_positive = 0;
			for (size_t r = 0; r < n_rows; r++) {
				const struct lode_rule_condition *c = &rule.conditions.at[i];

				is_in[r] &=
					lode_rule_condition_holds(c, t.columns[c->attribute][r]);
				n_left += is_in[r];
				n_positive += is_in[r] && t.classes[r] == 1;
			}
		}
		/* It stopped where nothing gains, or nothing is left to part. */
		if (rule.conditions.n && n_left != n_positive &&
		    best_gain(&t, is_in, 1, &rule, rule.conditions.n) > 1e-9)
			fail_msg("seed %llu: stopped early", (unsigned long long)seed);
		lode_rule_release(&rule);
		lode_rule_grower_free(grower);
		free(all);
		free(positive);
	}
}

static void what_a_list_takes_is_what_the_first_covering_rule_takes(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		static struct table t;
		struct lode_random random = {seed};
		size_t n_rows = 5 + lode_random_below(&random, 200);
		struct lode_learner learner = {.data = &t.data, .class = 1};
		lode_learnt_rules rules = {0};
		struct lode_taken taken;
		uint32_t covered[5] = {0}, right[5] = {0}, uncovered = 0, missed = 0;

		fill(&t, &random, n_rows, 3, 2);
		learner.all = lode_rows_new(n_rows);
		learner.positive = lode_rows_new(n_rows);
		for (size_t r = 0; r < n_rows; r++) {
			lode_rows_add(learner.all, r);
			if (t.classes[r] == 1)
				lode_rows_add(learner.positive, r);
		}
		for (int i = 0; i < 5; i++) {
			struct lode_learnt_rule rule = {{{0}}, lode_rows_new(n_rows)};
			struct lode_rule_condition c = {(uint32_t)lode_random_below(&random, 3),
							i % 2 ? LODE_AT_LEAST : LODE_AT_MOST,
							(double)lode_random_below(&random, 20) -
								10};

			lode_vec_append(&rule.rule.conditions, c);
			lode_learner_cover(&learner, &rule.rule, learner.all, rule.covers);
			lode_vec_append(&rules, rule);
		}
		for (size_t r = 0; r < n_rows; r++) {
			size_t i = 0;

			while (i < 5 && !lode_rule_covers(&rules.at[i].rule, t.columns, r))
				i++;
			uncovered += i == 5;
			missed += i == 5 && t.classes[r] == 1;
			if (i < 5) {
				covered[i]++;
				right[i] += t.classes[r] == 1;
			}
		}
		lode_learner_take(&learner, &rules, SIZE_MAX, &taken);
		for (int i = 0; i < 5; i++) {
			if (taken.covered[i] != covered[i] || taken.right[i] != right[i])
				fail_msg("seed %llu: rule %d", (unsigned long long)seed, i);
		}
		assert_int_equal(taken.total.uncovered, uncovered);
		assert_int_equal(taken.total.false_negatives, missed);
		lode_taken_release(&taken);
		lode_learnt_rules_release(&rules);
		free(learner.all);
		free(learner.positive);
	}
}

/* By hand: 8 rows, 4 covered with 1 wrong, 4 not covered with 1 missed: log2 9 bits for the count,
   and twice 4 x the entropy of a quarter. */
static void description_lengths_are_what_the_formulas_say(void **state)
{
	struct lode_rule_counts c = {4, 4, 1, 1};
	double quarter = -log2(0.25) - 3 * log2(0.75);

	(void)state;
	/* covered <= uncovered: those not covered are expected to hold half of the 2 errors. */
	assert_true(fabs(lode_mdl_exceptions(&c, 0.5) - (log2(9) + 2 * quarter)) < 1e-9);
	c = (struct lode_rule_counts){0, 10, 0, 5};
	assert_true(fabs(lode_mdl_exceptions(&c, 0.5) -
			 (log2(11) - 5 * log2(0.25) - 5 * log2(0.75))) < 1e-9);
	assert_true(lode_mdl_rule(0, 100) == 0);
	/* 2 of 100 conditions: log2 2 + 2 log2 log2 2 + the subset, halved. */
	assert_true(fabs(lode_mdl_rule(2, 100) - (1 + 0 - 2 * log2(0.02) - 98 * log2(0.98)) / 2) <
		    1e-9);
}

static double uniform(struct lode_random *random)
{
	return (double)(lode_random_next(random) >> 11) / 9007199254740992.0;
}

/* yes where x0 > 0.8 and x1 < 0.5, or x2 > 0.9; 12 columns, a twentieth of the classes flipped. */
static void planted_rules_come_out_with_their_thresholds(void **state)
{
	enum { N = 3000, COLUMNS = 12 };
	static double values[COLUMNS][N];
	static uint32_t classes[N];
	static struct lode_attribute attributes[COLUMNS];
	const double *columns[COLUMNS];
	struct lode_ripper_options options = lode_ripper_defaults();

	(void)state;
	for (uint64_t seed = 1; seed <= 5; seed++) {
		struct lode_random random = {seed};
		struct lode_dataset data = {N,	     attributes,  columns, COLUMNS,
					    classes, class_names, 2};
		struct lode_ruleset rules;
		size_t n_wrong = 0;
		bool has_first = false, has_second = false;

		for (size_t r = 0; r < N; r++) {
			for (size_t c = 0; c < COLUMNS; c++)
				values[c][r] = uniform(&random);
			classes[r] =
				(values[0][r] > 0.8 && values[1][r] < 0.5) || values[2][r] > 0.9;
		}
		for (size_t c = 0; c < COLUMNS; c++) {
			attributes[c] = (struct lode_attribute){"x", NULL, 0};
			columns[c] = values[c];
		}
		for (size_t r = 0; r < N / 20; r++)
			classes[lode_random_below(&random, N)] ^= 1;
		options.seed = seed;
		lode_ripper_train(&rules, &data, NULL, 0, &options);
		for (size_t i = 0; i < rules.rules.n; i++) {
			const struct lode_rule *rule = &rules.rules.at[i];
			bool has0 = false, has1 = false;

			for (size_t k = 0; k < rule->conditions.n; k++) {
				const struct lode_rule_condition *c = &rule->conditions.at[k];

				has0 |= c->attribute == 0 && c->comparison == LODE_AT_LEAST &&
					fabs(c->value - 0.8) < 0.02;
				has1 |= c->attribute == 1 && c->comparison == LODE_AT_MOST &&
					fabs(c->value - 0.5) < 0.04;
				has_second |= c->attribute == 2 && c->comparison == LODE_AT_LEAST &&
					      fabs(c->value - 0.9) < 0.02;
			}
			has_first |= has0 && has1;
		}
		for (size_t r = 0; r < N; r++) {
			bool truth =
				(values[0][r] > 0.8 && values[1][r] < 0.5) || values[2][r] > 0.9;

			n_wrong += lode_ruleset_classify(&rules, columns, r, NULL) != truth;
		}
		if (!has_first || !has_second || n_wrong > N / 50)
			fail_msg("seed %llu: %d %d, %zu wrong", (unsigned long long)seed, has_first,
				 has_second, n_wrong);
		lode_ruleset_release(&rules);
	}
}

static void same_rules(const struct lode_ruleset *a, const struct lode_ruleset *b, uint64_t seed)
{
	bool is_same = a->rules.n == b->rules.n && a->default_class == b->default_class;

	for (size_t i = 0; is_same && i < a->rules.n; i++) {
		const struct lode_rule *x = &a->rules.at[i], *y = &b->rules.at[i];

		is_same = x->conditions.n == y->conditions.n && x->class == y->class;
		for (size_t k = 0; is_same && k < x->conditions.n; k++)
			is_same =
				x->conditions.at[k].attribute == y->conditions.at[k].attribute &&
				x->conditions.at[k].comparison == y->conditions.at[k].comparison &&
				x->conditions.at[k].value == y->conditions.at[k].value;
	}
	if (!is_same)
		fail_msg("seed %llu: rules differ", (unsigned long long)seed);
}

/* Three classes; all rows or a list of all rows; one thread or four. */
static void a_seed_gives_the_same_rules_and_counts_add_up(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 100; seed++) {
		static struct table t;
		struct lode_random random = {seed};
		struct lode_ripper_options options = lode_ripper_defaults();
		struct lode_ruleset a, b;
		uint32_t rows[MAX_ROWS], n_wrong = 0, n_counted;
		size_t n_rows = 10 + lode_random_below(&random, MAX_ROWS - 10);

		fill(&t, &random, n_rows, MAX_COLUMNS, 3);
		for (size_t r = 0; r < n_rows; r++) {
			rows[r] = (uint32_t)r;
			if (t.values[0][r] > 3)
				t.classes[r] = 2;
		}
		options.seed = seed;
		options.n_threads = 1;
		lode_ripper_train(&a, &t.data, NULL, 0, &options);
		options.n_threads = 4;
		lode_ripper_train(&b, &t.data, rows, n_rows, &options);
		same_rules(&a, &b, seed);
		n_counted = a.n_covered;
		for (size_t i = 0; i < a.rules.n; i++)
			n_counted += a.rules.at[i].n_covered;
		assert_int_equal(n_counted, n_rows);
		for (size_t r = 0; r < n_rows; r++)
			n_wrong += lode_ruleset_classify(&a, t.columns, r, NULL) != t.classes[r];
		n_counted = a.n_wrong;
		for (size_t i = 0; i < a.rules.n; i++)
			n_counted += a.rules.at[i].n_wrong;
		assert_int_equal(n_counted, n_wrong);
		lode_ruleset_release(&a);
		lode_ruleset_release(&b);
	}
}

static void nothing_to_learn_from_gives_the_default(void **state)
{
	static struct table t;
	struct lode_random random = {1};
	struct lode_ripper_options options = lode_ripper_defaults();
	struct lode_ruleset rules;

	(void)state;
	fill(&t, &random, 50, 3, 2);
	lode_ripper_train(&rules, &t.data, t.classes, 0, &options);
	assert_int_equal(rules.rules.n, 0);
	lode_ruleset_release(&rules);
	for (size_t r = 0; r < 50; r++)
		t.classes[r] = 1;
	lode_ripper_train(&rules, &t.data, NULL, 0, &options);
	assert_int_equal(rules.rules.n, 0);
	assert_int_equal(rules.default_class, 1);
	assert_int_equal(rules.n_covered, 50);
	lode_ruleset_release(&rules);
}

/* No structure: nothing beats the larger class by much, and nothing is learnt by heart. */
static void cross_validation_counts_every_row_once(void **state)
{
	static struct table t;
	struct lode_random random = {7};
	struct lode_ripper_options options = lode_ripper_defaults();
	struct lode_confusion confusion;
	uint32_t sum = 0, wrong = 0;

	(void)state;
	fill(&t, &random, MAX_ROWS, 4, 2);
	for (size_t r = 0; r < MAX_ROWS; r++)
		t.classes[r] = t.values[1][r] > 2;
	lode_ripper_cross_validate(&confusion, &t.data, NULL, 0, 10, &options);
	for (size_t i = 0; i < 4; i++) {
		sum += confusion.counts[i];
		wrong += i == 1 || i == 2 ? confusion.counts[i] : 0;
	}
	assert_int_equal(sum, MAX_ROWS);
	assert_int_equal(confusion.n, MAX_ROWS);
	assert_int_equal(confusion.n_wrong, wrong);
	assert_true(wrong < MAX_ROWS / 50);
	lode_confusion_release(&confusion);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_sorted_by_value_and_equal_ones_keep_their_order),
		cmocka_unit_test(each_condition_of_a_grown_rule_has_the_highest_gain),
		cmocka_unit_test(what_a_list_takes_is_what_the_first_covering_rule_takes),
		cmocka_unit_test(description_lengths_are_what_the_formulas_say),
		cmocka_unit_test(planted_rules_come_out_with_their_thresholds),
		cmocka_unit_test(a_seed_gives_the_same_rules_and_counts_add_up),
		cmocka_unit_test(nothing_to_learn_from_gives_the_default),
		cmocka_unit_test(cross_validation_counts_every_row_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
