/*
 * A small service and a model of it, for tests of lode pio watch: a request every 167 ms, and one
 * server, "c", whose waits go up while requests are slow.
 */
#ifndef LODE_TEST_PIO_SERVICE_H
#define LODE_TEST_PIO_SERVICE_H

#include <stdio.h>
#include <stdlib.h>

#include "engine/pio/model_file.h"
#include "engine/pio/train.h"
#include "base/map.h"

static inline void service_check(bool is_right)
{
	if (!is_right)
		abort();
}

enum { SERVICE_INTERVALS = 120, SERVICE_COUNTERS = 2, SERVICE_REQUESTS = 6 };

static const int64_t service_step_ns = 1000000000,
		     service_start_ns = INT64_C(1795200000) * 1000000000;

static inline bool service_is_slow(int interval)
{
	return interval % 50 >= 30 && interval % 50 < 40;
}

static inline void service_counters(struct lode_counters *out)
{
	static const struct lode_counter_column columns[SERVICE_COUNTERS] = {
		{"c", "cpu", LODE_COUNTER_RATE}, {"c", "waits", LODE_COUNTER_RATE}};
	struct lode_counter_log *log = lode_counter_log_new();
	uint32_t group = lode_counter_log_group(log, columns, SERVICE_COUNTERS);
	struct lode_error err;

	for (int i = 0; i < SERVICE_INTERVALS; i++) {
		double row[SERVICE_COUNTERS] = {40 + i % 7 + 30 * service_is_slow(i),
						i % 2 + 12 * service_is_slow(i)};

		lode_counter_log_row(log, group, service_start_ns + (i + 1) * service_step_ns, row);
	}
	service_check(lode_counters_align(out, log, service_step_ns, NULL, &err) == 0);
	lode_counter_log_free(log);
}

static inline void service_requests(const struct lode_request_sink *sink)
{
	uint32_t action = lode_strings_intern(&sink->names->actions, "/x", 2);
	uint32_t user = lode_strings_intern(&sink->names->users, "u", 1);
	struct lode_error err;

	for (int i = 0; i < SERVICE_INTERVALS * SERVICE_REQUESTS; i++) {
		int interval = i / SERVICE_REQUESTS;
		int64_t response_ns =
			(20 + i % 5) * (service_is_slow(interval) ? 8 : 1) * service_step_ns / 1000;
		struct lode_request r = {.end_ns = service_start_ns + interval * service_step_ns +
						   response_ns,
					 .response_ns = response_ns,
					 .upstream_ns = LODE_UPSTREAM_UNKNOWN,
					 .action = action,
					 .user = user,
					 .status = 200};

		service_check(sink->requests(sink->context, &r, 1, &err) == 0);
	}
}

/* The model, as a file holds it. */
static inline char *service_model_text(size_t *size)
{
	struct lode_pio_model model = {.settings = lode_pio_settings_default(false)};
	struct lode_pio_train_options how = {.n_threads = 1};
	struct lode_request_log_options options = {.step_ns = service_step_ns, .is_by_start = true};
	struct lode_request_log requests;
	struct lode_counters counters;
	struct lode_pio_training training = {&requests, &counters};
	struct lode_request_sink sink;
	struct lode_error err;
	char *text = NULL;
	FILE *out;

	model.settings.step_ns = service_step_ns;
	model.settings.n_rulesets = 1;
	model.usual.is_log = model.settings.is_log;
	model.usual.min_requests = model.settings.min_requests;
	service_counters(&counters);
	lode_request_log_init(&requests, &options, &model.usual, false);
	sink = lode_request_log_sink(&requests, &model.names);
	service_requests(&sink);
	service_check(lode_pio_train(&model, &training, 1, &how, &err) == 0);
	out = open_memstream(&text, size);
	service_check(out != NULL);
	lode_pio_model_write(out, &model);
	fclose(out);
	lode_request_log_release(&requests);
	lode_counters_release(&counters);
	lode_pio_model_release(&model);
	return text;
}

#endif
