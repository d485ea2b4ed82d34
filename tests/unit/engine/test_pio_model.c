/* Models: written and read back they say the same; broken ones are refused; what is learnt holds.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/pio/analyse.h"
#include "engine/pio/model_file.h"
#include "engine/pio/train.h"
#include "base/random.h"

#define STEP 1000000000LL
#define T0   (1700000000 * STEP)
enum { N = 600, N_SERVERS = 3 };

static const char *const servers[N_SERVERS] = {"app", "db", "web"};

/* Which server is at fault in an interval, or -1: every 100 intervals, 15 long, in turns. */
static int fault_at(int i, int shift)
{
	int at = (i + shift) % 100;

	return at >= 60 && at < 75 ? (i + shift) / 100 % N_SERVERS : -1;
}

static double uniform(struct lode_random *random)
{
	return (double)(lode_random_next(random) >> 11) / 9007199254740992.0;
}

/*
 * Per server: load, a counter of its own trouble, and a queue that grows whoever is in trouble; a
 * counter that wanders.
 */
static void make_counters(struct lode_counters *out, uint64_t seed, int shift)
{
	struct lode_counter_log *log = lode_counter_log_new();
	struct lode_random random = {seed};
	struct lode_counter_column columns[4 * N_SERVERS];
	static const char *const names[] = {"load", "trouble", "queue", "memory"};
	double memory[N_SERVERS] = {500, 500, 500};
	struct lode_error err;

	for (int c = 0; c < 4 * N_SERVERS; c++)
		columns[c] = (struct lode_counter_column){servers[c / 4], names[c % 4],
							  LODE_COUNTER_RATE};
	lode_counter_log_group(log, columns, 4 * N_SERVERS);
	for (int i = 0; i < N; i++) {
		int fault = fault_at(i, shift);
		double row[4 * N_SERVERS];

		for (int s = 0; s < N_SERVERS; s++) {
			memory[s] += uniform(&random) < 0.5 ? -3 : 3;
			row[4 * s] = 100 + 20 * uniform(&random) - (fault >= 0 ? 40 : 0);
			row[4 * s + 1] = 10 * uniform(&random) + (fault == s ? 60 : 0);
			row[4 * s + 2] = floor(3 * uniform(&random)) + (fault >= 0 ? 25 : 0);
			row[4 * s + 3] = memory[s];
			if (uniform(&random) < 0.01)
				row[4 * s] = NAN;
		}
		lode_counter_log_row(log, 0, T0 + (i + 1) * STEP, row);
	}
	assert_int_equal(lode_counters_align(out, log, STEP, NULL, &err), 0);
	lode_counter_log_free(log);
}

static void make_requests(struct lode_request_log *log, struct lode_request_names *names,
			  uint64_t seed, int shift)
{
	struct lode_request_sink sink = lode_request_log_sink(log, names);
	struct lode_random random = {seed};
	struct lode_error err;

	lode_strings_intern(&names->actions, "a", 1);
	lode_strings_intern(&names->actions, "b \"quoted\" \xff", 13);
	lode_strings_intern(&names->users, "u", 1);
	lode_strings_intern(&names->users, "v", 1);
	for (int i = 0; i < N; i++) {
		for (int k = 0; k < 20; k++) {
			double ms = 20 + 10 * uniform(&random);
			struct lode_request r = {.upstream_ns = LODE_UPSTREAM_UNKNOWN};

			if (fault_at(i, shift) >= 0)
				ms *= 6;
			r.action = (uint32_t)(k % 2);
			r.user = k % 3 == 2 ? LODE_NONE : (uint32_t)(k % 3);
			r.response_ns = (int64_t)(ms * 1e6);
			r.end_ns = T0 + i * STEP + k * 10000000 + r.response_ns;
			assert_int_equal(sink.requests(sink.context, &r, 1, &err), 0);
		}
	}
}

static void train(struct lode_pio_model *model, uint64_t seed, bool is_classic, uint64_t rules_seed)
{
	struct lode_request_log_options options = {.step_ns = STEP, .is_by_start = true};
	struct lode_pio_train_options how = {.n_folds = 3, .n_threads = 1};
	struct lode_request_log log;
	struct lode_counters counters;
	struct lode_pio_training training = {&log, &counters};
	struct lode_error err;

	memset(model, 0, sizeof(*model));
	model->settings = lode_pio_settings_default(is_classic);
	model->settings.step_ns = STEP;
	model->settings.seed = rules_seed;
	model->usual.is_log = model->settings.is_log;
	model->usual.min_requests = model->settings.min_requests;
	make_counters(&counters, seed, 0);
	lode_request_log_init(&log, &options, &model->usual, false);
	make_requests(&log, &model->names, seed, 0);
	assert_int_equal(lode_pio_train(model, &training, 1, &how, &err), 0);
	lode_request_log_release(&log);
	lode_counters_release(&counters);
}

/* Every fault is found at its first interval, and its server is first; nothing else is. */
static void check_analysis(struct lode_pio_model *model, uint64_t seed, bool has_log)
{
	struct lode_request_log_options options = {.step_ns = STEP, .is_by_start = true};
	struct lode_request_log log;
	struct lode_counters counters;
	struct lode_pio_analysis a;
	int shift = 40, n_found = 0;

	make_counters(&counters, seed + 1000, shift);
	lode_request_log_init(&log, &options, &model->usual, true);
	make_requests(&log, &model->names, seed + 1000, shift);
	lode_pio_analyse(&a, model, &counters, has_log ? &log : NULL);
	for (int i = 1; i < N; i++) {
		const struct lode_pio_period *p;
		int fault = fault_at(i, shift);

		if (fault < 0 || fault_at(i - 1, shift) == fault)
			continue;
		assert_true((size_t)n_found < a.periods.n);
		p = &a.periods.at[n_found++];
		if (p->first != (size_t)i || p->last != (size_t)i + 14 ||
		    p->reported > p->first + 3)
			fail_msg("seed %llu: fault at %d: %zu to %zu, known at %zu",
				 (unsigned long long)seed, i, p->first, p->last, p->reported);
		assert_true(p->servers.n > 0);
		if (p->servers.at[0].at != (uint32_t)fault || p->n_at_fault != 1)
			fail_msg("seed %llu: fault at %d of %s", (unsigned long long)seed, i,
				 servers[fault]);
		assert_string_equal(model->counters.at[p->counters.at[0].at].name, "trouble");
		assert_true(!has_log ||
			    (p->n_slow == p->n && p->actions.n == 2 && p->users.n == 2));
	}
	assert_int_equal(a.periods.n, n_found);
	assert_int_equal(a.unfelt.n + a.unexplained.n, 0);
	lode_pio_analysis_release(&a);
	lode_request_log_release(&log);
	lode_counters_release(&counters);
}

static void faults_are_found_and_blamed_on_their_servers(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 6; seed++) {
		struct lode_pio_model model;

		train(&model, seed, false, seed * 7);
		for (size_t c = 0; c < model.counters.n; c++)
			assert_int_equal(model.counters.at[c].is_drifting,
					 strcmp(model.counters.at[c].name, "memory") == 0);
		check_analysis(&model, seed, true);
		check_analysis(&model, seed, false);
		lode_pio_model_release(&model);
	}
}

/* Means over a window of what is independent, held for a few intervals as scrapes are, do not
   wander; a random walk, growth, and their means do. */
static void smoothed_counters_do_not_drift(void **state)
{
	enum { ROWS = 900, KINDS = 5, MOST = 60 };
	static const char *const kinds[KINDS] = {"growth", "held", "mean", "mean_walk", "walk"};
	static const bool drifts[KINDS] = {true, false, false, true, true};

	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct lode_pio_train_options how = {.n_threads = 1};
		struct lode_pio_model model = {.settings = lode_pio_settings_default(false)};
		struct lode_counter_log *log = lode_counter_log_new();
		struct lode_random random = {seed};
		struct lode_counter_column columns[KINDS];
		double white[ROWS + MOST], walk[ROWS + MOST], row[KINDS];
		int window = 25 + (int)(seed % 4) * 10;
		struct lode_counters counters;
		struct lode_pio_training training = {NULL, &counters};
		struct lode_error err;

		for (int c = 0; c < KINDS; c++)
			columns[c] = (struct lode_counter_column){"s", kinds[c], LODE_COUNTER_RATE};
		lode_counter_log_group(log, columns, KINDS);
		for (int i = 0; i < ROWS + MOST; i++) {
			white[i] = 100 + 50 * uniform(&random);
			walk[i] = (i ? walk[i - 1] : 1000) + uniform(&random) - 0.5;
		}
		for (int i = 0; i < ROWS; i++) {
			double sum = 0, sum_walk = 0;

			for (int k = 0; k < window; k++) {
				sum += white[i + k] / window;
				sum_walk += walk[i + k] / window;
			}
			row[0] = 1e6 + 100 * i + 50 * uniform(&random);
			if (i % 5 == 0)
				row[1] = sum;
			row[2] = sum;
			row[3] = sum_walk;
			row[4] = walk[i];
			lode_counter_log_row(log, 0, T0 + (i + 1) * STEP, row);
		}
		assert_int_equal(lode_counters_align(&counters, log, STEP, NULL, &err), 0);
		lode_counter_log_free(log);
		model.settings.step_ns = STEP;
		assert_int_equal(lode_pio_train(&model, &training, 1, &how, &err), 0);
		for (int c = 0; c < KINDS; c++)
			if (model.counters.at[c].is_drifting != drifts[c])
				fail_msg("seed %llu: %s", (unsigned long long)seed, kinds[c]);
		lode_counters_release(&counters);
		lode_pio_model_release(&model);
	}
}

static char *write_text(const struct lode_pio_model *model, size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);

	assert_non_null(out);
	lode_pio_model_write(out, model);
	fclose(out);
	return text;
}

static int read_text(struct lode_pio_model *out, const char *text, size_t size,
		     struct lode_error *err)
{
	char path[] = "/tmp/lode-model-XXXXXX";
	int fd = mkstemp(path), rc;

	assert_true(fd >= 0 && write(fd, text, size) == (ssize_t)size);
	close(fd);
	rc = lode_pio_model_read(out, path, err);
	unlink(path);
	return rc;
}

static void a_model_reads_back_as_it_was_written(void **state)
{
	(void)state;
	for (int is_classic = 0; is_classic < 2; is_classic++) {
		struct lode_pio_model model, again;
		size_t size, size_again;
		char *text, *text_again;
		struct lode_error err;

		train(&model, 3, is_classic, 1);
		text = write_text(&model, &size);
		assert_int_equal(read_text(&again, text, size, &err), 0);
		text_again = write_text(&again, &size_again);
		/* Bytes that are no UTF-8 were replaced once, for good. */
		assert_int_equal(size, size_again);
		assert_memory_equal(text, text_again, size);
		if (!is_classic)
			check_analysis(&again, 3, false);
		free(text);
		free(text_again);
		lode_pio_model_release(&model);
		lode_pio_model_release(&again);
	}
}

/* Cut anywhere, or with bytes flipped: an error or a model, never a crash. */
static void broken_models_are_refused(void **state)
{
	struct lode_pio_model model, again;
	struct lode_random random = {9};
	struct lode_error err;
	size_t size;
	char *text;

	(void)state;
	train(&model, 4, false, 1);
	text = write_text(&model, &size);
	for (int i = 0; i < 60; i++) {
		size_t cut = lode_random_below(&random, size - 3);

		assert_true(read_text(&again, text, cut, &err) < 0);
	}
	for (int i = 0; i < 400; i++) {
		char *bad = lode_alloc(size);

		memcpy(bad, text, size);
		for (int k = 0; k < 3; k++)
			bad[lode_random_below(&random, size)] =
				"0\"[]{},:x-9"[lode_random_below(&random, 11)];
		if (read_text(&again, bad, size, &err) == 0)
			lode_pio_model_release(&again);
		free(bad);
	}
	free(text);
	lode_pio_model_release(&model);
}

/* A tree that deep would be freed by as deep a recursion: it is refused before it is made. */
static void deeply_nested_models_are_refused(void **state)
{
	enum { DEPTH = 2000000 };
	struct lode_pio_model model;
	struct lode_error err;
	char *text = lode_alloc(2 * DEPTH + 2);

	(void)state;
	memset(text, '[', DEPTH);
	memset(text + DEPTH, ']', DEPTH);
	assert_int_equal(read_text(&model, text, 2 * (size_t)DEPTH, &err), LODE_ERR_LIMIT);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(faults_are_found_and_blamed_on_their_servers),
		cmocka_unit_test(smoothed_counters_do_not_drift),
		cmocka_unit_test(a_model_reads_back_as_it_was_written),
		cmocka_unit_test(broken_models_are_refused),
		cmocka_unit_test(deeply_nested_models_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
