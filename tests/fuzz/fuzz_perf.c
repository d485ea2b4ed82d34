/* Any bytes at all, read as a perf.data file or pipe: the same result for one thread and for two.
 */
#include "fuzz/fuzz.h"

#include "sources/source.h"

static int load(const uint8_t *data, size_t size, unsigned n_threads, struct lode_stream **stream)
{
	struct lode_source_options options = {.narrow = lode_narrow_none, .n_threads = n_threads};
	struct lode_input *input;
	struct lode_error err = {0};
	int rc;

	FUZZ_CHECK(lode_input_open(&input, fuzz_file(data, size), &err) == 0);
	rc = lode_source_perf.load(stream, input, &options, &err);
	lode_input_close(input);
	FUZZ_CHECK((rc == 0) == (*stream != NULL));
	FUZZ_CHECK(rc == 0 || (rc < 0 && err.status == (enum lode_status)rc && err.message[0]));
	return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lode_stream *one, *two;
	int rc;

	lode_source_perf.recognise(data, size < LODE_PEEK_BYTES ? size : LODE_PEEK_BYTES);
	rc = load(data, size, 1, &one);
	FUZZ_CHECK(load(data, size, 2, &two) == rc);
	if (rc < 0)
		return 0;
	FUZZ_CHECK(one->content_hash == two->content_hash && one->n_samples == two->n_samples &&
		   one->threads.n == two->threads.n && one->tree.nodes.n == two->tree.nodes.n &&
		   one->t0_ns == two->t0_ns && one->t1_ns == two->t1_ns);
	fuzz_check_stream(one);
	fuzz_check_stream(two);
	return 0;
}
