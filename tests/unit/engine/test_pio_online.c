/*
 * engine/pio/online.h: fed interval by interval, with restarts anywhere, it tells the periods
 * that analysing all at once finds; and what it keeps does not grow.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/pio/online.h"
#include "engine/pio/train.h"
#include "random.h"

#define STEP 1000000000LL
#define T0   (1700000000 * STEP)
enum { N_COUNTERS = 8, N_TRAINING = 400 };
enum { TRAINING = 5 }; /* its seed: all faults are felt */

static double uniform(struct test_random *r)
{
	return test_random_below(r, 1 << 20) / (double)(1 << 20);
}

/* Which server (0, 1) is at fault in an interval, or -1: at random, and for some time. */
static void make_faults(int8_t *faults, int n, struct test_random *r)
{
	memset(faults, -1, (size_t)n);
	for (int k = 0; k < n / 40; k++) {
		int at = (int)test_random_below(r, (uint32_t)n);
		int length = 1 + (int)test_random_below(r, 25);

		for (int i = at; i < at + length && i < n; i++)
			faults[i] = (int8_t)(k % 2);
	}
}

enum { HIDDEN = 2 }; /* slow, and no counter says so */

static void hide_faults(int8_t *faults, int n, struct test_random *r)
{
	int at = (int)test_random_below(r, (uint32_t)n), length = 4 + (int)test_random_below(r, 50);

	for (int i = at; i < at + length && i < n; i++)
		faults[i] = HIDDEN;
}

static void make_counters(struct lode_counters *out, const int8_t *faults, int n,
			  struct test_random *r)
{
	static const char *const names[] = {"load", "trouble", "queue", "waits"};
	struct lode_counter_column columns[N_COUNTERS];
	struct lode_counter_log *log = lode_counter_log_new();
	struct lode_error err;

	for (int c = 0; c < N_COUNTERS; c++)
		columns[c] = (struct lode_counter_column){c / 4 ? "web" : "db", names[c % 4],
							  LODE_COUNTER_RATE};
	lode_counter_log_group(log, columns, N_COUNTERS);
	for (int i = 0; i < n; i++) {
		double row[N_COUNTERS];

		for (int c = 0; c < N_COUNTERS; c++) {
			bool is_its = faults[i] == c / 4;

			row[c] = 20 + 10 * uniform(r);
			if (c % 4 == 1 || c % 4 == 3)
				row[c] += is_its ? 40 + 60 * uniform(r) : 0;
			if (c % 4 == 2)
				row[c] += faults[i] >= 0 && faults[i] != HIDDEN
						  ? 20 + 40 * uniform(r)
						  : 0;
			if (test_random_below(r, 60) == 0)
				row[c] = NAN;
		}
		lode_counter_log_row(log, 0, T0 + (i + 1) * STEP, row);
	}
	assert_int_equal(lode_counters_align(out, log, STEP, NULL, &err), 0);
	assert_int_equal(out->n_intervals, n);
	lode_counter_log_free(log);
}

/* Requests of the intervals [from, to); some faults are not felt. */
static void make_requests(struct lode_request_sink *sink, const int8_t *faults, int from, int to,
			  uint64_t seed)
{
	struct lode_error err;

	for (int i = from; i < to; i++) {
		struct test_random r = {seed + (uint64_t)i * 77};
		bool is_felt = faults[i] >= 0 && (seed == TRAINING || (i / 50) % 4 != 3);

		for (int k = 0; k < 12; k++) {
			struct lode_request q = {.upstream_ns = LODE_UPSTREAM_UNKNOWN,
						 .action = (uint32_t)k % 2,
						 .user = k % 3 == 2 ? LODE_NONE : (uint32_t)k % 3};

			q.response_ns =
				(int64_t)((20 + 10 * uniform(&r)) * 1e6 * (is_felt ? 6 : 1));
			q.end_ns = T0 + i * STEP + k * 10000000 + q.response_ns;
			assert_int_equal(sink->requests(sink->context, &q, 1, &err), 0);
		}
	}
}

static void make_model(struct lode_pio_model *model, bool is_classic, struct test_random *r)
{
	struct lode_request_log_options options = {.step_ns = STEP, .is_by_start = true};
	struct lode_pio_train_options how = {.n_threads = 1};
	int8_t faults[N_TRAINING];
	struct lode_request_log log;
	struct lode_counters counters;
	struct lode_pio_training training = {&log, &counters};
	struct lode_request_sink sink;
	struct lode_error err;

	memset(model, 0, sizeof(*model));
	model->settings = lode_pio_settings_default(is_classic);
	model->settings.step_ns = STEP;
	model->settings.n_rulesets = is_classic ? 1 : 2;
	model->usual.is_log = model->settings.is_log;
	model->usual.min_requests = model->settings.min_requests;
	lode_strings_intern(&model->names.actions, "a", 1);
	lode_strings_intern(&model->names.actions, "b", 1);
	lode_strings_intern(&model->names.users, "u", 1);
	lode_strings_intern(&model->names.users, "v", 1);
	make_faults(faults, N_TRAINING, r);
	make_counters(&counters, faults, N_TRAINING, r);
	lode_request_log_init(&log, &options, &model->usual, false);
	sink = lode_request_log_sink(&log, &model->names);
	make_requests(&sink, faults, 0, N_TRAINING, TRAINING);
	assert_int_equal(lode_pio_train(model, &training, 1, &how, &err), 0);
	lode_request_log_release(&log);
	lode_counters_release(&counters);
}

/* ---- What was told ---- */

struct told {
	int64_t start_ns, end_ns, known_ns;
	double server, counter; /* what is ranked first, and its value */
	uint64_t n, n_slow;
	bool is_ended;
};
struct listening {
	LODE_VEC(struct told) periods, silences;
	uint64_t seed, n_withdrawn;
};

static double first_of(const lode_pio_ranking *ranking)
{
	return ranking->n ? ranking->at[0].at * 1e6 + ranking->at[0].value : -1;
}

static void tell(void *context, const struct lode_pio_news *news)
{
	struct listening *l = context;
	struct told *t;

	if (news->kind == LODE_PIO_UNEXPLAINED) {
		t = lode_vec_append_zero(&l->silences);
		t->start_ns = news->start_ns;
		return;
	}
	if (news->kind == LODE_PIO_UNEXPLAINED_ENDED) {
		assert_true(l->silences.n > 0);
		t = &l->silences.at[l->silences.n - 1];
		assert_false(t->is_ended);
		assert_true(t->start_ns == news->start_ns);
		t->is_ended = true;
		t->end_ns = news->end_ns;
		t->n_slow = news->period->n_slow;
		return;
	}
	if (news->kind == LODE_PIO_STARTED) {
		t = lode_vec_append_zero(&l->periods);
		t->start_ns = news->start_ns;
		t->known_ns = news->known_ns;
		return;
	}
	assert_true(l->periods.n > 0);
	t = &l->periods.at[l->periods.n - 1];
	if (t->is_ended || t->start_ns != news->start_ns)
		fail_msg("seed %llu: another period ended", (unsigned long long)l->seed);
	if (news->kind == LODE_PIO_WITHDRAWN) {
		l->periods.n--;
		l->n_withdrawn++;
		return;
	}
	t->is_ended = true;
	t->end_ns = news->end_ns;
	t->server = first_of(&news->period->servers);
	t->counter = first_of(&news->period->counters);
	t->n = news->period->n;
	t->n_slow = news->period->n_slow;
}

/* Written and read back, by another that is new. */
static struct lode_pio_online *restarted(struct lode_pio_online *online,
					 const struct lode_pio_model *model,
					 struct lode_request_log *log)
{
	struct lode_state_words words = {0};
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	lode_pio_online_save(out, online);
	assert_int_equal(fclose(out), 0);
	lode_pio_online_free(online);
	online = lode_pio_online_new(model, log);
	words.at = text;
	words.end = text + size;
	assert_true(lode_pio_online_load(online, &words));
	free(text);
	return online;
}

static void compare(const struct lode_pio_analysis *a, const struct listening *l)
{
	const char *what = NULL;
	size_t n = a->periods.n;

	/* The last one may not be over for who has not seen more. */
	if (l->periods.n != n)
		what = "how many";
	for (size_t i = 0; i < n && !what; i++) {
		const struct lode_pio_period *p = &a->periods.at[i];
		const struct told *t = &l->periods.at[i];

		if (t->start_ns != lode_pio_time(a, p->first))
			what = "start";
		else if (!a->has_log && t->known_ns != lode_pio_time(a, p->reported + 1))
			what = "when it was known";
		else if (!t->is_ended && i + 1 < n)
			what = "not ended";
		else if (t->is_ended && t->end_ns != lode_pio_time(a, p->last + 1))
			what = "end";
		else if (t->is_ended && (t->n != p->n || t->n_slow != p->n_slow))
			what = "requests";
		else if (t->is_ended && (fabs(t->server - first_of(&p->servers)) > 1e-6 ||
					 fabs(t->counter - first_of(&p->counters)) > 1e-6))
			what = "ranking";
		if (what)
			fail_msg("seed %llu: period %zu: %s", (unsigned long long)l->seed, i, what);
	}
	if (what)
		fail_msg("seed %llu: %zu told, %zu found", (unsigned long long)l->seed,
			 l->periods.n, n);
}

static void compare_silences(const struct lode_pio_analysis *a, const struct listening *l)
{
	size_t n = a->unexplained.n;
	int64_t told_until =
		lode_pio_time(a, a->n_intervals - 2 * (size_t)a->model->settings.window);

	/* What came last is told later. */
	while (n && lode_pio_time(a, a->unexplained.at[n - 1].reported) >= told_until)
		n--;
	if (l->silences.n != n)
		fail_msg("seed %llu: %zu unexplained told, %zu found", (unsigned long long)l->seed,
			 l->silences.n, n);
	for (size_t i = 0; i < n; i++) {
		const struct lode_pio_period *p = &a->unexplained.at[i];
		const struct told *t = &l->silences.at[i];

		if (t->start_ns != lode_pio_time(a, p->first) || (!t->is_ended && i + 1 < n) ||
		    (t->is_ended &&
		     (t->end_ns != lode_pio_time(a, p->last + 1) || t->n_slow != p->n_slow)))
			fail_msg("seed %llu: unexplained %zu: %lld to %lld told, %zu to %zu found",
				 (unsigned long long)l->seed, i, (long long)(t->start_ns / STEP),
				 (long long)(t->end_ns / STEP), p->first, p->last);
	}
}

static uint64_t check(uint64_t seed, const struct lode_pio_model *model, struct lode_usual *usual,
		      struct lode_request_names *names, bool has_log, uint64_t *n_silences)
{
	enum { N = 250 };
	struct lode_request_log_options options = {.step_ns = STEP,
						   .is_by_start = model->settings.is_by_start};
	struct test_random r = {seed};
	struct listening heard = {.seed = seed};
	struct lode_pio_listener listener = {&heard, tell};
	struct lode_request_log all, live;
	struct lode_request_sink to_all, to_live;
	struct lode_pio_online *online;
	struct lode_counters counters;
	struct lode_pio_analysis a;
	int8_t faults[N];
	uint64_t n;

	make_faults(faults, N, &r);
	if (seed % 3 == 0)
		hide_faults(faults, N, &r);
	make_counters(&counters, faults, N, &r);
	lode_request_log_init(&all, &options, usual, true);
	lode_request_log_init(&live, &options, usual, true);
	to_all = lode_request_log_sink(&all, names);
	to_live = lode_request_log_sink(&live, names);
	make_requests(&to_all, faults, 0, N, seed);
	lode_pio_analyse(&a, model, &counters, has_log ? &all : NULL);
	online = lode_pio_online_new(model, has_log ? &live : NULL);
	for (int i = 0; i < N; i++) {
		double values[N_COUNTERS];

		make_requests(&to_live, faults, i, i + 1, seed);
		for (int c = 0; c < N_COUNTERS; c++)
			values[c] = counters.counters[c].at[i];
		lode_pio_online_step(online, T0 / STEP + i, values, &listener);
		if (test_random_below(&r, 9) == 0)
			online = restarted(online, model, has_log ? &live : NULL);
	}
	compare(&a, &heard);
	compare_silences(&a, &heard);
	n = heard.periods.n;
	*n_silences += heard.silences.n;
	lode_vec_release(&heard.silences);
	lode_pio_online_free(online);
	lode_pio_analysis_release(&a);
	lode_request_log_release(&all);
	lode_request_log_release(&live);
	lode_counters_release(&counters);
	lode_vec_release(&heard.periods);
	return n;
}

static void it_tells_what_batch_analysis_finds(void **state)
{
	(void)state;
	for (int is_classic = 0; is_classic < 2; is_classic++) {
		uint64_t n_periods = 0, n_silences = 0;

		for (uint64_t m = 1; m <= 6; m++) {
			struct test_random r = {m};
			struct lode_pio_model model;

			make_model(&model, is_classic, &r);
			for (uint64_t seed = 1; seed <= 25; seed++)
				n_periods += check(m * 1000 + seed, &model, &model.usual,
						   &model.names, seed % 2, &n_silences);
			lode_pio_model_release(&model);
		}
		print_message("%llu periods\n", (unsigned long long)n_periods);
		assert_true(n_periods > 200); /* else there was nothing to compare */
		print_message("%llu unexplained\n", (unsigned long long)n_silences);
		assert_true(is_classic || n_silences > 10);
	}
}

/* Hours of it: rows, requests and state stay as many as they were. */
static void what_it_keeps_does_not_grow(void **state)
{
	enum { HOURS = 3, N = HOURS * 3600, BLOCK = 600 };
	struct lode_request_log_options options = {.step_ns = STEP, .is_by_start = true};
	struct test_random r = {1};
	struct listening heard = {0};
	struct lode_pio_listener listener = {&heard, tell};
	struct lode_pio_model model;
	struct lode_request_log log;
	struct lode_request_sink sink;
	struct lode_pio_online *online;

	(void)state;
	make_model(&model, false, &r);
	lode_request_log_init(&log, &options, &model.usual, true);
	sink = lode_request_log_sink(&log, &model.names);
	online = lode_pio_online_new(&model, &log);
	for (int b = 0; b < N / BLOCK; b++) {
		int8_t faults[N];
		struct lode_counters counters;
		int64_t kept;

		memset(faults, -1, sizeof(faults));
		if (b % 3)
			make_faults(faults + (ptrdiff_t)b * BLOCK, BLOCK, &r);
		make_counters(&counters, faults + (ptrdiff_t)b * BLOCK, BLOCK, &r);
		for (int i = 0; i < BLOCK; i++) {
			double values[N_COUNTERS];

			make_requests(&sink, faults, b * BLOCK + i, b * BLOCK + i + 1, 3);
			for (int c = 0; c < N_COUNTERS; c++)
				values[c] = counters.counters[c].at[i];
			lode_pio_online_step(online, T0 / STEP + (int64_t)b * BLOCK + i, values,
					     &listener);
			kept = lode_pio_online_next(online) - lode_pio_online_oldest(online);
			assert_true(kept < 400);
			assert_true(log.tally.pages.n < 500 / LODE_TALLY_PAGE && log.hits.n < 4000);
		}
		lode_counters_release(&counters);
	}
	assert_true(heard.periods.n > 20);
	lode_pio_online_free(online);
	lode_request_log_release(&log);
	lode_pio_model_release(&model);
	lode_vec_release(&heard.periods);
}

static void broken_states_are_refused(void **state)
{
	struct test_random r = {5};
	struct lode_pio_model model;
	struct lode_pio_online *online;
	struct listening heard = {0};
	struct lode_pio_listener listener = {&heard, tell};
	double values[N_COUNTERS] = {1, 2, 3, NAN, 5.25, 1e300, -7, 0};
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	make_model(&model, true, &r);
	online = lode_pio_online_new(&model, NULL);
	for (int i = 0; i < 20; i++)
		lode_pio_online_step(online, 1000 + i, values, &listener);
	lode_pio_online_save(out, online);
	fclose(out);
	lode_pio_online_free(online);
	for (int i = 0; i < 2000; i++) {
		size_t cut = i % 2 ? size : test_random_below(&r, (uint32_t)size - 2);
		char *copy = lode_alloc(cut + 1);
		struct lode_state_words words = {copy, copy + cut, false};

		memcpy(copy, text, cut);
		copy[cut] = '\0';
		for (int k = 0; k < 3 && i % 2; k++)
			copy[test_random_below(&r, (uint32_t)cut)] =
				"0 9-:x\n"[test_random_below(&r, 7)];
		online = lode_pio_online_new(&model, NULL);
		if (!lode_pio_online_load(online, &words))
			assert_true(words.is_bad);
		else
			assert_true(i % 2); /* a cut one is never whole */
		lode_pio_online_free(online);
		free(copy);
	}
	free(text);
	lode_pio_model_release(&model);
	lode_vec_release(&heard.periods);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_tells_what_batch_analysis_finds),
		cmocka_unit_test(what_it_keeps_does_not_grow),
		cmocka_unit_test(broken_states_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
