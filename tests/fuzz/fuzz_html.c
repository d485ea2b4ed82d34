/*
 * Any bytes as a page: an error that says something, or reports whose names are words and whose
 * text ends where it says.
 */
#include "fuzz/fuzz.h"

#include <string.h>

#include "document/html_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lode_html_reports reports = {0};
	struct lode_error err = {0};
	int rc = lode_html_read_bytes(&reports, (const char *)data, size, "page.html", &err);

	if (rc < 0)
		FUZZ_CHECK(err.message[0] && err.offset >= 0 && (size_t)err.offset <= size);
	else
		FUZZ_CHECK(reports.parts.n > 0);
	for (size_t i = 0; i < reports.parts.n; i++) {
		const struct lode_html_part *part = &reports.parts.at[i];

		FUZZ_CHECK(*part->name &&
			   strspn(part->name, "abcdefghijklmnopqrstuvwxyz0123456789-") ==
				   strlen(part->name));
		FUZZ_CHECK(part->json[part->json_bytes] == 0);
	}
	lode_html_reports_release(&reports);
	return 0;
}
