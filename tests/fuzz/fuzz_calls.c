#include "fuzz/fuzz_calls.h"

#include <string.h>

#include "base/mem.h"
#include "fuzz/fuzz.h"
#include "input/call_source.h"

struct seen {
	uint32_t n_threads, n_functions;
	uint64_t n_events;
	size_t n_about;
};

static void on_about(void *context, const struct lode_calls_about *about)
{
	struct seen *seen = context;

	FUZZ_CHECK(about->format && *about->format && seen->n_about++ == 0);
	FUZZ_CHECK(seen->n_events == 0);
}

/* Every thread anew: a dense index, though not always the same for the same one. */
static uint32_t on_thread(void *context, int32_t pid, int32_t tid, const char *name)
{
	struct seen *seen = context;

	(void)pid;
	(void)tid;
	FUZZ_CHECK(!name || strlen(name) < SIZE_MAX);
	return seen->n_threads++;
}

static uint32_t on_function(void *context, const char *module, const char *name)
{
	struct seen *seen = context;

	FUZZ_CHECK(name && strlen(name) < SIZE_MAX);
	FUZZ_CHECK(!module || strlen(module) < SIZE_MAX);
	return seen->n_functions++;
}

static int on_events(void *context, uint32_t thread, const struct lode_call_event *at, size_t n,
		     struct lode_error *err)
{
	struct seen *seen = context;

	(void)err;
	FUZZ_CHECK(thread < seen->n_threads && n > 0);
	for (size_t i = 0; i < n; i++) {
		FUZZ_CHECK(at[i].kind <= LODE_CALL_STILL_OPEN);
		FUZZ_CHECK(at[i].kind >= LODE_CALL_EXIT_ANY || at[i].function < seen->n_functions);
	}
	seen->n_events += n;
	return LODE_OK;
}

/* Some calls of a text are two events of a few bytes; nothing is blown up beyond that. */
static void check(int rc, const struct lode_error *err, const struct seen *seen, size_t size)
{
	FUZZ_CHECK(rc <= 0);
	FUZZ_CHECK(rc == LODE_OK || (err->status == (enum lode_status)rc && err->message[0]));
	FUZZ_CHECK(rc != LODE_OK || seen->n_events > 0);
	FUZZ_CHECK(seen->n_events <= 2 * size + 64);
}

static struct lode_call_sink sink_of(struct seen *seen, struct lode_losses *losses)
{
	return (struct lode_call_sink){.context = seen,
				       .about = on_about,
				       .thread = on_thread,
				       .function = on_function,
				       .events = on_events,
				       .losses = losses};
}

void fuzz_call_source(const struct lode_format *source, const uint8_t *data, size_t size)
{
	static const struct lode_call_options options = {.n_threads = 1, .memory_bytes = 1 << 20};
	struct lode_losses losses = {0};
	struct seen seen = {0};
	struct lode_call_sink sink = sink_of(&seen, &losses);
	struct lode_input *input;
	struct lode_error err = {0};
	int rc;

	source->recognise(data, size < LODE_PEEK_BYTES ? size : LODE_PEEK_BYTES);
	FUZZ_CHECK(lode_input_open(&input, fuzz_file(data, size), &err) == 0);
	rc = source->read_calls(input, &options, &sink, &err);
	lode_input_close(input);
	check(rc, &err, &seen, size);
}

void fuzz_call_path(const char *path, size_t size)
{
	static const struct lode_call_options options = {.n_threads = 1};
	struct lode_losses losses = {0};
	struct seen seen = {0};
	struct lode_call_sink sink = sink_of(&seen, &losses);
	struct lode_error err = {0};
	int rc = lode_calls_read(path, &options, &sink, &err);

	check(rc, &err, &seen, size);
}
