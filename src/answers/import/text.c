/* lode import for terminals. */
#include "answers/import/import.h"
#include "base/escape.h"
#include "document/units.h"

void lode_import_line(FILE *out, const char *path, enum lode_repo_added added, size_t n_streams)
{
	char safe[8192];

	fprintf(out, "%s  %s", lode_repo_added_names[added], lode_escape(safe, sizeof(safe), path));
	if (n_streams > 1)
		fprintf(out, " (%zu recordings)", n_streams);
	fputc('\n', out);
}

void lode_import_text(FILE *out, const struct lode_import_answer *answer)
{
	size_t n_skipped = answer->job->skipped.n;
	char path[4096], n[LODE_UNITS_BUFFER], all[LODE_UNITS_BUFFER], bytes[LODE_UNITS_BUFFER];

	fprintf(out, "%s added", lode_format_plural(n, answer->n_streams_added, "recording"));
	if (answer->n_replaced)
		fprintf(out, ", %s replaced", lode_format_plural(n, answer->n_replaced, "input"));
	if (answer->n_there)
		fprintf(out, ", %s there already", lode_format_plural(n, answer->n_there, "input"));
	if (n_skipped)
		fprintf(out, ", %s skipped", lode_format_plural(n, n_skipped, "input"));
	fprintf(out, "; %s: %s, %s\n", lode_escape(path, sizeof(path), answer->repo),
		lode_format_plural(all, (uint64_t)answer->n_streams, "recording"),
		lode_format_bytes(bytes, answer->file_bytes));
}
