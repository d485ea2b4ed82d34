/* Any bytes at all, read as a file of counters. */
#include "fuzz/fuzz.h"

#include <string.h>

#include "input/formats/counters/counter_source.h"
#include "input/format.h"

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
		/* Inputs are read without a byte order mark. */
		size_t mark = size >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
		bool is_known = lode_format_find_unnamed(LODE_HOLDS_COUNTERS, data + mark,
							 size - mark < 4096 ? size - mark : 4096);

		rc = lode_counters_read(log, fuzz_file(data, size), NULL, &facts, &err);
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
