/* Any bytes at all, read as a file of counters. */
#include "fuzz/fuzz.h"

#include <string.h>

#include "base/input.h"
#include "input/formats/counters/counter_source.h"
#include "input/format.h"

/* By its first bytes as inputs give them: without a byte order mark, as UTF-8. */
static bool is_recognised(const char *path)
{
	struct lode_input *input;
	uint8_t head[LODE_PEEK_LEAST_BYTES];
	bool is_known;
	ssize_t n;

	if (lode_input_open(&input, path, NULL) < 0)
		return false;
	n = lode_input_peek(input, head, sizeof(head), NULL);
	is_known = n >= 0 && lode_format_find(LODE_HOLDS_COUNTERS, head, (size_t)n);
	lode_input_close(input);
	return is_known;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lode_counter_log *log = lode_counter_log_new();
	struct lode_counter_facts facts;
	struct lode_counters grid;
	struct lode_error err = {0};
	uint16_t magic = 0;
	int rc;

	if (size >= 2)
		memcpy(&magic, data, 2);
	/* sar's files are sadf's to read, and each would start a process */
	if (magic != 0xd596 && magic != 0x96d5) {
		const char *path = fuzz_file(data, size);
		bool is_known = is_recognised(path);

		rc = lode_counters_read(log, path, NULL, &facts, &err);
		FUZZ_CHECK((rc == 0) == (facts.n_rows > 0));
		FUZZ_CHECK(rc == 0 || (err.status == (enum lode_status)rc && err.message[0]));
		FUZZ_CHECK(rc < 0 || is_known);
		if (rc == 0 && lode_counters_align(&grid, log, 1000000000, NULL, &err) == 0) {
			FUZZ_CHECK(grid.n_intervals > 0);
			lode_counters_release(&grid);
		}
	}
	lode_counter_log_free(log);
	return 0;
}
