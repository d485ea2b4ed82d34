/* Any bytes at all behind the head of a state of lode pio watch: it is taken or refused, and what
   is taken can be watched on. */
#include "fuzz/fuzz.h"

#include <string.h>

#include "engine/pio/model_file.h"
#include "engine/pio/train.h"
#include "answers/pio/watch.h"
#include "answers/pio/watch_parts.h"
#include "base/mem.h"

enum { N_INTERVALS = 120, N_COUNTERS = 2, PER_INTERVAL = 6 };

static const int64_t step_ns = 1000000000, start_ns = INT64_C(1795200000) * 1000000000;

static bool is_slow(int interval)
{
	return interval % 50 >= 30 && interval % 50 < 40;
}

static void make_counters(struct lode_counters *out)
{
	static const struct lode_counter_column columns[N_COUNTERS] = {
		{"c", "cpu", LODE_COUNTER_RATE}, {"c", "waits", LODE_COUNTER_RATE}};
	struct lode_counter_log *log = lode_counter_log_new();
	uint32_t group = lode_counter_log_group(log, columns, N_COUNTERS);
	struct lode_error err;

	for (int i = 0; i < N_INTERVALS; i++) {
		double row[N_COUNTERS] = {40 + i % 7 + 30 * is_slow(i), i % 2 + 12 * is_slow(i)};

		lode_counter_log_row(log, group, start_ns + (i + 1) * step_ns, row);
	}
	FUZZ_CHECK(lode_counters_align(out, log, step_ns, NULL, &err) == 0);
	lode_counter_log_free(log);
}

static void make_requests(const struct lode_request_sink *sink)
{
	uint32_t action = lode_strings_intern(&sink->names->actions, "/x", 2);
	uint32_t user = lode_strings_intern(&sink->names->users, "u", 1);
	struct lode_error err;

	for (int i = 0; i < N_INTERVALS * PER_INTERVAL; i++) {
		int interval = i / PER_INTERVAL;
		int64_t response_ns = (20 + i % 5) * (is_slow(interval) ? 8 : 1) * step_ns / 1000;
		struct lode_request r = {.end_ns = start_ns + interval * step_ns + response_ns,
					 .response_ns = response_ns,
					 .upstream_ns = LODE_UPSTREAM_UNKNOWN,
					 .action = action,
					 .user = user,
					 .status = 200};

		FUZZ_CHECK(sink->requests(sink->context, &r, 1, &err) == 0);
	}
}

/* A model of a small service, as a file holds it: the same for every input. */
static char *model_text(size_t *size)
{
	struct lode_pio_model model = {.settings = lode_pio_settings_default(false)};
	struct lode_pio_train_options how = {.n_threads = 1};
	struct lode_request_log_options options = {.step_ns = step_ns, .is_by_start = true};
	struct lode_request_log requests;
	struct lode_counters counters;
	struct lode_pio_training training = {&requests, &counters};
	struct lode_request_sink sink;
	struct lode_error err;
	char *text = NULL;
	FILE *out;

	model.settings.step_ns = step_ns;
	model.settings.n_rulesets = 1;
	model.usual.is_log = model.settings.is_log;
	model.usual.min_requests = model.settings.min_requests;
	make_counters(&counters);
	lode_request_log_init(&requests, &options, &model.usual, false);
	sink = lode_request_log_sink(&requests, &model.names);
	make_requests(&sink);
	FUZZ_CHECK(lode_pio_train(&model, &training, 1, &how, &err) == 0);
	out = open_memstream(&text, size);
	FUZZ_CHECK(out);
	lode_pio_model_write(out, &model);
	fclose(out);
	lode_request_log_release(&requests);
	lode_counters_release(&counters);
	lode_pio_model_release(&model);
	return text;
}

static void tell(void *context, const struct lode_pio_event *event)
{
	(void)context;
	FUZZ_CHECK(event->found.start_utc);
}

static void warn(void *context, const struct lode_error *what)
{
	(void)context;
	FUZZ_CHECK(what->message[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct lode_pio_watcher watcher = {.tell = tell, .warn = warn};
	struct lode_pio_watch_options options = {0};
	struct lode_pio_watch *watch;
	struct lode_pio_model model;
	struct lode_error err = {0};
	size_t n_head, n_text;
	char head[80], *state, *text = model_text(&n_text);
	int rc = lode_pio_model_read(&model, fuzz_file((const uint8_t *)text, n_text), &err);

	FUZZ_CHECK(rc == 0);
	n_head = (size_t)snprintf(head, sizeof(head), "lode-pio-watch 1\nmodel %lld\n",
				  (long long)lode_watch_model_hash(&model));
	state = lode_alloc(n_head + size + 1);
	memcpy(state, head, n_head);
	memcpy(state + n_head, data, size);
	options.state_path = fuzz_file((const uint8_t *)state, n_head + size);
	watch = lode_pio_watch_new(&model, &options);
	lode_pio_watch_add_log(watch, "no-such-folder/a.log");
	lode_pio_watch_add_counters(watch, "no-such-folder/c.csv", NULL);
	rc = lode_pio_watch_resume(watch, &watcher, &err);
	FUZZ_CHECK(rc == 1 || (err.status == (enum lode_status)rc && err.message[0]));
	if (rc == 1)
		(void)lode_pio_watch_poll(watch, &watcher);
	lode_pio_watch_free(watch);
	lode_pio_model_release(&model);
	free(state);
	free(text);
	return 0;
}
