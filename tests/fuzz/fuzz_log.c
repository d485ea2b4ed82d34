/* Any bytes at all, read as a request log; the first byte chooses a format. */
#include "fuzz/fuzz.h"

#include "base/input.h"
#include "base/mem.h"
#include "input/formats/log/request_source.h"

struct seen {
	const struct lode_request_names *names;
	uint64_t n;
};

static int take(void *context, const struct lode_request *at, size_t n, struct lode_error *err)
{
	struct seen *seen = context;

	(void)err;
	for (size_t i = 0; i < n; i++) {
		FUZZ_CHECK(at[i].response_ns >= 0 && at[i].status < 1000);
		FUZZ_CHECK(at[i].upstream_ns >= LODE_UPSTREAM_UNKNOWN);
		FUZZ_CHECK(at[i].action < seen->names->actions.text.n);
		FUZZ_CHECK(at[i].user == LODE_NONE || at[i].user < seen->names->users.text.n);
	}
	seen->n += n;
	return LODE_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const formats[] = {
		NULL,
		"haproxy",
		"json",
		"$msec $request_time $upstream_response_time \"$request\" $remote_user",
		"%h %l %u %t \"%r\" %>s %b %D",
	};
	struct lode_request_names names = {0};
	struct lode_losses losses = {0};
	struct seen seen = {.names = &names};
	struct lode_request_sink sink = {
		.context = &seen, .names = &names, .requests = take, .losses = &losses};
	struct lode_log_options options = {.n_threads = 1};
	struct lode_log_facts facts;
	struct lode_error err = {0};
	int rc;

	if (!size)
		return 0;
	options.format = formats[data[0] % (sizeof(formats) / sizeof(formats[0]))];
	(void)lode_format_log.recognise(data + 1,
					size - 1 < LODE_PEEK_BYTES ? size - 1 : LODE_PEEK_BYTES);
	rc = lode_requests_read(&sink, fuzz_file(data + 1, size - 1), &options, &facts, &err);
	FUZZ_CHECK((rc == 0) == (seen.n > 0));
	FUZZ_CHECK(rc == 0 || (err.status == (enum lode_status)rc && err.message[0]));
	FUZZ_CHECK(facts.n_requests == seen.n + losses.by_kind[LODE_LOSS_CLOCK_JUMP].count);
	FUZZ_CHECK(facts.n_lines >=
		   seen.n + facts.n_no_response + losses.by_kind[LODE_LOSS_BAD_RECORD].count);
	lode_request_names_release(&names);
	return 0;
}
