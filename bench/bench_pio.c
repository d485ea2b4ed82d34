/*
 * Preparing and training at the paper's size: requests and counter values, generated and streamed
 * into the same sinks that sources fill.
 *
 *   bench_pio [--requests N] [--intervals N] [--counters N] [--threads N]
 *
 * 800,000 (action, user) pairs, whose requests follow Zipf's law; log-normal response times; a
 * twentieth of the intervals is slow. One JSON line: seconds, CPU seconds, peak memory.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "engine/pio/train.h"
#include "base/random.h"

enum { N_ACTIONS = 1067, N_USERS = 17237, BATCH = 1024 };
#define STEP 60000000000LL

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double uniform(struct lode_random *random)
{
	return (double)(lode_random_next(random) >> 11) / 9007199254740992.0;
}

static bool is_slow(uint64_t interval)
{
	return interval % 400 < 20;
}

/* About 800,000 of the pairs occur: every user has some 47 actions. */
static void pick_pair(struct lode_random *random, uint32_t *action, uint32_t *user)
{
	double u = uniform(random), v = uniform(random);

	*user = (uint32_t)(N_USERS * u * u);
	*action = (uint32_t)((*user * 31 + (uint32_t)(47 * v * v) * 23) % N_ACTIONS);
}

static void name_all(struct lode_request_names *names)
{
	char name[32];

	for (int i = 0; i < N_ACTIONS; i++)
		lode_strings_intern(&names->actions, name,
				    (size_t)snprintf(name, sizeof(name), "/action/%d", i));
	for (int i = 0; i < N_USERS; i++)
		lode_strings_intern(&names->users, name,
				    (size_t)snprintf(name, sizeof(name), "user%d", i));
}

/* Logarithms of response times come from a table: the generator should not be what is measured. */
static int make_requests(const struct lode_request_sink *sink, uint64_t n, uint64_t n_intervals)
{
	static int64_t times[4096];
	struct lode_request batch[BATCH];
	struct lode_random random = {1};
	struct lode_error err;

	for (int i = 0; i < 4096; i++) {
		double gauss = 0;

		for (int k = 0; k < 12; k++)
			gauss += uniform(&random);
		times[i] = (int64_t)(exp(3 + 0.8 * (gauss - 6))) * 1000000;
	}
	for (uint64_t i = 0; i < n;) {
		size_t k = 0;

		for (; k < BATCH && i < n; k++, i++) {
			uint64_t interval = (uint64_t)((double)i / (double)n * (double)n_intervals);
			struct lode_request *r = &batch[k];

			pick_pair(&random, &r->action, &r->user);
			r->response_ns = times[lode_random_next(&random) & 4095] *
					 (is_slow(interval) ? 5 : 1);
			r->upstream_ns = LODE_UPSTREAM_UNKNOWN;
			r->end_ns = (int64_t)(interval + 1) * STEP - 1;
			r->status = 200;
		}
		if (sink->requests(sink->context, batch, k, &err) < 0)
			return -1;
	}
	return 0;
}

static void make_counters(struct lode_counters *out, size_t n_counters, size_t n_intervals)
{
	struct lode_counter_log *log = lode_counter_log_new();
	struct lode_counter_column *columns = lode_alloc0(n_counters, sizeof(*columns));
	double *row = lode_alloc0(n_counters, sizeof(*row));
	struct lode_random random = {2};
	struct lode_error err;

	for (size_t c = 0; c < n_counters; c++) {
		char name[32];

		snprintf(name, sizeof(name), "server%zu", c % 18);
		columns[c].server = lode_strdup(name);
		snprintf(name, sizeof(name), "counter%zu", c);
		columns[c].name = lode_strdup(name);
		columns[c].kind = LODE_COUNTER_RATE;
	}
	lode_counter_log_group(log, columns, n_counters);
	for (size_t i = 0; i < n_intervals; i++) {
		for (size_t c = 0; c < n_counters; c++) {
			row[c] = floor(1000 * uniform(&random));
			if (c % 40 == 0 && is_slow(i) && (i / 400) % 8 == c / 40)
				row[c] += 3000;
		}
		lode_counter_log_row(log, 0, (int64_t)(i + 1) * STEP, row);
	}
	lode_counters_align(out, log, STEP, NULL, &err);
	lode_counter_log_free(log);
	for (size_t c = 0; c < n_counters; c++) {
		free((char *)columns[c].server);
		free((char *)columns[c].name);
	}
	free(columns);
	free(row);
}

int main(int argc, char **argv)
{
	uint64_t n_requests = 135000000, n_intervals = 95040, n_counters = 295;
	struct lode_pio_model model = {.settings = lode_pio_settings_default(false)};
	struct lode_pio_train_options how = {0};
	struct lode_request_log_options options = {.step_ns = STEP, .memory_bytes = 1 << 30};
	struct lode_request_log log;
	struct lode_counters counters;
	struct lode_pio_training training = {&log, &counters};
	struct lode_request_sink sink;
	struct lode_error err;
	struct rusage u;
	double start = now(), made, read;

	for (int i = 1; i + 1 < argc; i += 2) {
		uint64_t value = strtoull(argv[i + 1], NULL, 10);

		if (strcmp(argv[i], "--requests") == 0)
			n_requests = value;
		else if (strcmp(argv[i], "--intervals") == 0)
			n_intervals = value;
		else if (strcmp(argv[i], "--counters") == 0)
			n_counters = value;
		else if (strcmp(argv[i], "--threads") == 0)
			how.n_threads = (unsigned)value;
	}
	model.settings.step_ns = STEP;
	model.usual.is_log = model.settings.is_log;
	model.usual.min_requests = model.settings.min_requests;
	make_counters(&counters, n_counters, n_intervals);
	name_all(&model.names);
	lode_request_log_init(&log, &options, &model.usual, false);
	sink = lode_request_log_sink(&log, &model.names);
	made = now();
	if (make_requests(&sink, n_requests, n_intervals) < 0)
		return 4;
	read = now();
	if (lode_pio_train(&model, &training, 1, &how, &err) < 0) {
		fprintf(stderr, "%s\n", err.message);
		return 4;
	}
	getrusage(RUSAGE_SELF, &u);
	printf("{\"requests\": %llu, \"values\": %llu, \"pairs\": %zu, \"counters_s\": %.1f, "
	       "\"requests_s\": %.1f, \"train_s\": %.1f, \"seconds\": %.1f, \"cpu_seconds\": %.1f, "
	       "\"peak_mb\": %.0f}\n",
	       (unsigned long long)n_requests, (unsigned long long)(n_counters * n_intervals),
	       model.usual.pairs.n, made - start, read - made, now() - read, now() - start,
	       (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
		       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6,
	       (double)u.ru_maxrss / 1024);
	lode_request_log_release(&log);
	lode_counters_release(&counters);
	lode_pio_model_release(&model);
	return 0;
}
