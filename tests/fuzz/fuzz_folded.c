/* Any bytes at all, read as folded stacks. */
#include "fuzz/fuzz.h"

#include "input/source.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lode_source_options options = {.narrow = lode_narrow_none, .n_threads = 1};
	struct lode_stream *stream;
	struct lode_input *input;
	struct lode_error err = {0};
	int rc;

	lode_format_folded.recognise(data, size < LODE_PEEK_BYTES ? size : LODE_PEEK_BYTES);
	FUZZ_CHECK(lode_input_open(&input, fuzz_file(data, size), &err) == 0);
	rc = lode_format_folded.load(&stream, input, &options, &err);
	lode_input_close(input);
	FUZZ_CHECK((rc == 0) == (stream != NULL));
	if (stream)
		fuzz_check_stream(stream);
	else
		FUZZ_CHECK(rc < 0 && err.status == (enum lode_status)rc && err.message[0]);
	return 0;
}
