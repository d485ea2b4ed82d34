/* What the paper prints: Algorithm 1, Table 2 with Figure 3; and definitions on random logs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/pio/intensity.h"
#include "engine/pio/request_log.h"
#include "engine/pio/rules.h"
#include "base/random.h"
#include "cases.h"

static int max(int a, int b)
{
	return a > b ? a : b;
}

/* Algorithm 1, its lines in their order. */
static int algorithm_1(int n, const uint8_t *classes, int n_classes, int intensity)
{
	int low = 0, med = 0, high = 0, most;

	for (int i = max(0, n_classes - n); i < n_classes; i++) {
		low += classes[i] == LODE_PIO_LOW;
		med += classes[i] == LODE_PIO_MED;
		high += classes[i] == LODE_PIO_HIGH;
	}
	most = max(low, max(med, high));
	if (most == high)
		intensity = intensity + 2;
	else if (most == med)
		intensity = max(intensity - 1, 0);
	else
		intensity = max(intensity - 2, 0);
	return intensity;
}

static void intensity_is_algorithm_1(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(1000); seed++) {
		struct lode_random random = {seed};
		uint8_t classes[60];
		uint32_t intensity[60];
		int expected = 0, window = 1 + (int)lode_random_below(&random, 9);

		for (int i = 0; i < 60; i++)
			classes[i] = (uint8_t)lode_random_below(&random, 3);
		lode_intensity_all(intensity, classes, 60, (size_t)window);
		for (int i = 0; i < 60; i++) {
			expected = algorithm_1(window, classes, i + 1, expected);
			if ((int)intensity[i] != expected)
				fail_msg("seed %llu: interval %d", (unsigned long long)seed, i);
		}
	}
}

static void intervals_without_a_class_leave_the_intensity(void **state)
{
	const uint8_t classes[] = {LODE_PIO_HIGH, LODE_PIO_NONE, LODE_PIO_NONE, LODE_PIO_LOW};
	uint32_t intensity[4];

	(void)state;
	lode_intensity_all(intensity, classes, 4, 1);
	assert_int_equal(intensity[0], 2);
	assert_int_equal(intensity[2], 2);
	assert_int_equal(intensity[3], 0);
}

/* ---- Table 2 and Figure 3 ---- */

enum { S1PC1, S1PC2, S2PC1, N_COUNTERS, N_MEASUREMENTS = 6 };

static void add_rule(struct lode_ruleset *set, uint32_t class, size_t n,
		     const struct lode_rule_condition *conditions)
{
	struct lode_rule rule = {.class = class};

	for (size_t i = 0; i < n; i++)
		lode_vec_append(&rule.conditions, conditions[i]);
	lode_vec_append(&set->rules, rule);
}

/*
 * The rules of Table 2 as two lists: high and med rules say OTHER; the second list says which. The
 * printed ones compare with > and <, which for these integers is >= and <= the next.
 */
static void worked_example_of_table_2(void **state)
{
	const double values[N_COUNTERS][N_MEASUREMENTS] = {
		{40, 95, 98, 98, 98, 40}, {60, 60, 80, 95, 80, 45}, {80, 80, 80, 55, 80, 80}};
	const double *columns[] = {values[0], values[1], values[2]};
	const struct lode_rule_condition one[] = {{S1PC1, LODE_AT_LEAST, 81},
						  {S2PC1, LODE_AT_MOST, 59}};
	const struct lode_rule_condition two[] = {{S1PC1, LODE_AT_LEAST, 71},
						  {S1PC2, LODE_AT_LEAST, 71}};
	const struct lode_rule_condition three[] = {{S1PC1, LODE_AT_LEAST, 91}};
	const struct lode_rule_condition four[] = {{S1PC2, LODE_AT_MOST, 29}};
	const size_t fired[N_MEASUREMENTS] = {LODE_NO_RULE, 2, 1, 0, 1, LODE_NO_RULE};
	/* What the rules give. t = 3: rule 1 (S1PC1 98 > 80, S2PC1 55 < 60) stands before rule 2.
	 */
	const float expected[N_MEASUREMENTS][N_COUNTERS] = {{0, 0, 0}, {1, 0, 0}, {2, 1, 0},
							    {3, 1, 1}, {4, 2, 1}, {4, 2, 1}};
	struct lode_pio_rules rules = {0};
	float column[N_COUNTERS] = {0};
	bool is_moved[N_COUNTERS];

	(void)state;
	add_rule(&rules.low_other, LODE_RULES_OTHER, 2, one);
	add_rule(&rules.low_other, LODE_RULES_OTHER, 2, two);
	add_rule(&rules.low_other, LODE_RULES_OTHER, 1, three);
	add_rule(&rules.low_other, LODE_RULES_OTHER, 1, four);
	rules.low_other.default_class = LODE_RULES_LOW;
	add_rule(&rules.med_high, LODE_RULES_MED, 1, four);
	rules.med_high.default_class = LODE_RULES_HIGH;
	for (size_t t = 0; t < N_MEASUREMENTS; t++) {
		struct lode_pio_fired f;
		enum lode_pio_class class =
			lode_pio_rules_classify(&rules, columns, N_COUNTERS, t, &f);

		assert_int_equal(class, fired[t] == LODE_NO_RULE ? LODE_PIO_LOW : LODE_PIO_HIGH);
		assert_true(f.low_other == fired[t]);
		lode_pio_coverage_step(column, N_COUNTERS, &rules, class, &f, 1, is_moved);
		for (int c = 0; c < N_COUNTERS; c++)
			assert_true(column[c] == expected[t][c]);
	}
	lode_ruleset_release(&rules.low_other);
	lode_ruleset_release(&rules.med_high);
}

/* A counter in two rules that decided moves once; LOW moves down, not below 0; MED stays. */
static void counters_move_once_per_measurement(void **state)
{
	const struct lode_rule_condition both[] = {{0, LODE_AT_LEAST, 1}, {1, LODE_AT_LEAST, 1}};
	struct lode_pio_rules rules = {0};
	struct lode_pio_fired fired = {0, 0};
	float column[2] = {0};
	bool is_moved[2];

	(void)state;
	add_rule(&rules.low_other, LODE_RULES_OTHER, 2, both);
	add_rule(&rules.med_high, LODE_RULES_HIGH, 1, both);
	lode_pio_coverage_step(column, 2, &rules, LODE_PIO_HIGH, &fired, 1, is_moved);
	assert_true(column[0] == 1 && column[1] == 1);
	lode_pio_coverage_step(column, 2, &rules, LODE_PIO_MED, &fired, 1, is_moved);
	assert_true(column[0] == 1 && column[1] == 1);
	lode_pio_coverage_step(column, 2, &rules, LODE_PIO_LOW, &fired, 1, is_moved);
	lode_pio_coverage_step(column, 2, &rules, LODE_PIO_LOW, &fired, 1, is_moved);
	assert_true(column[0] == 0 && column[1] == 0);
	lode_ruleset_release(&rules.low_other);
	lode_ruleset_release(&rules.med_high);
}

/* ---- SARatio on random logs ---- */

enum { MAX_REQUESTS = 600, N_INTERVALS = 20, N_ACTIONS = 4, N_USERS = 5 };
#define STEP 1000000000LL
#define T0   (1000 * STEP)

struct world {
	struct lode_request requests[MAX_REQUESTS];
	size_t n;
	bool is_log, is_per_action, is_by_start, is_whole;
	uint32_t min_requests;
};

static void make_world(struct world *w, struct lode_random *random)
{
	w->n = 1 + lode_random_below(random, MAX_REQUESTS);
	w->is_log = lode_random_below(random, 2);
	w->is_per_action = lode_random_below(random, 4) == 0;
	w->is_by_start = lode_random_below(random, 2);
	w->is_whole = lode_random_below(random, 2);
	w->min_requests = (uint32_t)lode_random_below(random, 12);
	for (size_t i = 0; i < w->n; i++) {
		struct lode_request *r = &w->requests[i];

		r->action = (uint32_t)lode_random_below(random, N_ACTIONS);
		r->user = lode_random_below(random, 8) == 0
				  ? LODE_NONE
				  : (uint32_t)lode_random_below(random, N_USERS);
		r->response_ns = (int64_t)lode_random_below(random, 2000) * 1000000;
		if (lode_random_below(random, 3) == 0)
			r->response_ns += (int64_t)lode_random_below(random, 1000000);
		r->upstream_ns = lode_random_below(random, 3) == 0
					 ? LODE_UPSTREAM_UNKNOWN
					 : (int64_t)lode_random_below(random, 2200) * 1000000;
		r->end_ns = T0 + (int64_t)lode_random_below(random, N_INTERVALS * STEP);
	}
}

static int64_t judged(const struct world *w, const struct lode_request *r)
{
	if (w->is_whole || r->upstream_ns < 0 || r->upstream_ns > r->response_ns)
		return r->response_ns;
	return r->upstream_ns;
}

static double value(const struct world *w, const struct lode_request *r)
{
	double x = (double)judged(w, r);

	return w->is_log ? log(x > 0 ? x : 5e5) : x;
}

/* Mean + deviation over the requests that are like `like`; the user counts if `is_pair`. */
static size_t plain_bound(const struct world *w, const struct lode_request *like, bool is_pair,
			  double *bound)
{
	double sum = 0, squares = 0;
	size_t n = 0;

	for (size_t i = 0; i < w->n; i++) {
		const struct lode_request *r = &w->requests[i];

		if (r->action != like->action || (is_pair && r->user != like->user))
			continue;
		sum += value(w, r);
		n++;
	}
	for (size_t i = 0; i < w->n; i++) {
		const struct lode_request *r = &w->requests[i];

		if (r->action == like->action && (!is_pair || r->user == like->user))
			squares += pow(value(w, r) - sum / (double)n, 2);
	}
	*bound = sum / (double)n + sqrt(squares / (double)n);
	return n;
}

static bool is_close(double x, double bound)
{
	return fabs(x - bound) <= 1e-9 * fmax(1, fabs(bound));
}

/* -1: too close to the bound to tell by doubles. */
static int is_slow(const struct world *w, const struct lode_request *r)
{
	double bound;

	if (w->is_per_action || plain_bound(w, r, true, &bound) < w->min_requests)
		plain_bound(w, r, false, &bound);
	return is_close(value(w, r), bound) ? -1 : value(w, r) > bound;
}

static void deliver(struct lode_request_log *log, const struct world *w, size_t from, size_t to)
{
	struct lode_request_names names = {0};
	struct lode_request_sink sink = lode_request_log_sink(log, &names);
	struct lode_error err;

	assert_int_equal(sink.requests(sink.context, w->requests + from, to - from, &err), 0);
}

static void check_counts(const struct world *w, const struct lode_request_log *log,
			 const char *what, uint64_t seed)
{
	struct lode_interval_counts plain[2 * N_INTERVALS] = {{0}}, unsure[2 * N_INTERVALS] = {{0}};

	for (size_t i = 0; i < w->n; i++) {
		const struct lode_request *r = &w->requests[i];
		int64_t t = w->is_by_start ? r->end_ns - r->response_ns : r->end_ns;
		size_t at = (size_t)(t / STEP - T0 / STEP + N_INTERVALS);
		int slow = is_slow(w, r);

		plain[at].n++;
		plain[at].n_slow += slow == 1;
		unsure[at].n_slow += slow == -1;
	}
	for (int64_t i = 0; i < 2 * N_INTERVALS; i++) {
		const struct lode_interval_counts *t =
			lode_interval_tally_find(&log->tally, T0 / STEP - N_INTERVALS + i);
		uint32_t n = t ? t->n : 0, slow = t ? t->n_slow : 0;

		if (n != plain[i].n || slow < plain[i].n_slow ||
		    slow > plain[i].n_slow + unsure[i].n_slow)
			fail_msg("seed %llu, %s: interval %lld has %u of %u slow, not %u of %u",
				 (unsigned long long)seed, what, (long long)i, slow, n,
				 plain[i].n_slow, plain[i].n);
	}
}

/* Learning (with a spool in a file, too), and judging by what was learnt. */
static void slow_requests_are_those_of_the_definition(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 150; seed++) {
		static struct world w;
		struct lode_random random = {seed};
		struct lode_usual usual = {0};
		struct lode_request_log learning, judging;
		struct lode_request_log_options options = {.step_ns = STEP};
		struct lode_error err;

		make_world(&w, &random);
		options.is_by_start = w.is_by_start;
		options.is_whole_response = w.is_whole;
		options.memory_bytes = seed % 2;
		usual.is_log = w.is_log;
		usual.is_per_action = w.is_per_action;
		usual.min_requests = w.min_requests;
		lode_request_log_init(&learning, &options, &usual, false);
		deliver(&learning, &w, 0, w.n);
		lode_usual_settle(&usual);
		assert_int_equal(lode_request_log_count(&learning, &err), 0);
		check_counts(&w, &learning, "learnt", seed);

		lode_request_log_init(&judging, &options, &usual, true);
		deliver(&judging, &w, 0, w.n / 2);
		deliver(&judging, &w, w.n / 2, w.n);
		check_counts(&w, &judging, "judged", seed);

		lode_request_log_release(&learning);
		lode_request_log_release(&judging);
		lode_usual_release(&usual);
	}
}

/* Many requests, little memory: most blocks go to the file, and all come back in order. */
static void requests_come_back_from_the_temporary_file(void **state)
{
	struct lode_request_spool *spool = lode_request_spool_new(1 << 20);
	struct lode_request_spool_reader reader = {0};
	struct lode_spooled_request item;
	struct lode_random random = {5}, again = {5};
	struct lode_error err;
	enum { N = 700000 };

	(void)state;
	for (int i = 0; i < N; i++) {
		item = (struct lode_spooled_request){
			(int64_t)lode_random_below(&random, 1000) - 500,
			(int64_t)(lode_random_next(&random) >> 20), (uint32_t)i};
		assert_int_equal(lode_request_spool_add(spool, &item, &err), 0);
	}
	for (int i = 0; i < N; i++) {
		assert_int_equal(lode_request_spool_next(spool, &reader, &item, &err), 1);
		assert_int_equal(item.interval, (int64_t)lode_random_below(&again, 1000) - 500);
		assert_int_equal(item.response_ns, (int64_t)(lode_random_next(&again) >> 20));
		assert_int_equal(item.pair, i);
	}
	assert_int_equal(lode_request_spool_next(spool, &reader, &item, &err), 0);
	lode_request_spool_reader_release(&reader);
	lode_request_spool_free(spool);
}

static void percentiles_are_linear_between_ranks(void **state)
{
	const double values[] = {NAN, 3, 1, 2, 4, NAN};

	(void)state;
	assert_true(lode_percentile(values, 6, 0) == 1);
	assert_true(lode_percentile(values, 6, 100) == 4);
	assert_true(lode_percentile(values, 6, 50) == 2.5);
	assert_true(isnan(lode_percentile(values, 1, 50)));
	assert_int_equal(lode_pio_class_of(0, 0, 0), LODE_PIO_LOW);
	assert_int_equal(lode_pio_class_of(0.1, 0, 0), LODE_PIO_HIGH);
	assert_int_equal(lode_pio_class_of(0.1, 0.1, 0.2), LODE_PIO_MED);
	assert_int_equal(lode_pio_class_of(NAN, 0.1, 0.2), LODE_PIO_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intensity_is_algorithm_1),
		cmocka_unit_test(intervals_without_a_class_leave_the_intensity),
		cmocka_unit_test(worked_example_of_table_2),
		cmocka_unit_test(counters_move_once_per_measurement),
		cmocka_unit_test(slow_requests_are_those_of_the_definition),
		cmocka_unit_test(requests_come_back_from_the_temporary_file),
		cmocka_unit_test(percentiles_are_linear_between_ranks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
