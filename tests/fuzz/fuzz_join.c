/*
 * Two recordings as perf script text, parted by a line "====", joined as those of two hosts: one
 * stream that keeps its promises, or an error and both as they were.
 */
#include "fuzz/fuzz.h"

#include <string.h>

#include "base/mem.h"
#include "input/source.h"
#include "model/join.h"

static struct lode_stream *load(const uint8_t *data, size_t size)
{
	struct lode_source_options options = {.narrow = lode_narrow_none, .n_threads = 1};
	struct lode_stream *stream = NULL;
	struct lode_input *input;
	struct lode_error err = {0};

	FUZZ_CHECK(lode_input_open(&input, fuzz_file(data, size), &err) == 0);
	(void)lode_format_script.load(&stream, input, &options, &err);
	lode_input_close(input);
	return stream;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char mark[] = "\n====";
	const uint8_t *cut = memmem(data, size, mark, sizeof(mark) - 1);
	const uint8_t *second = cut ? cut + sizeof(mark) - 1 : NULL;
	struct lode_join_part parts[2] = {0};
	struct lode_error err = {0};
	size_t n_threads;
	int rc;

	if (!cut)
		return 0;
	parts[0].stream = load(data, (size_t)(cut - data) + 1);
	parts[1].stream = load(second, (size_t)(data + size - second));
	if (parts[0].stream && parts[1].stream) {
		/* The byte behind the mark says how far apart they begin. */
		int64_t apart_ns = second < data + size ? (int64_t)1 << *second % 62 : 0;

		parts[1].has_offset = true;
		if (__builtin_sub_overflow(parts[0].stream->t0_ns, parts[1].stream->t0_ns,
					   &parts[1].offset_ns) ||
		    __builtin_add_overflow(parts[1].offset_ns, apart_ns, &parts[1].offset_ns))
			parts[1].offset_ns = 0;
		n_threads = parts[0].stream->threads.n + parts[1].stream->threads.n;
		rc = lode_streams_join(parts, 2, &err);
		FUZZ_CHECK(rc == 0 ? !parts[1].stream && parts[0].stream->threads.n == n_threads
				   : parts[1].stream && err.message[0]);
	}
	for (int i = 0; i < 2; i++)
		if (parts[i].stream)
			fuzz_check_stream(parts[i].stream);
	return 0;
}
