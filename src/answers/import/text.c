/* lode import for terminals. */
#include "answers/import/import.h"
#include "base/escape.h"

void lode_import_line(FILE *out, const char *path, enum lode_repo_added added, size_t n_streams)
{
	char safe[8192];

	fprintf(out, "%s  %s", lode_repo_added_names[added], lode_escape(safe, sizeof(safe), path));
	if (n_streams > 1)
		fprintf(out, " (%zu recordings)", n_streams);
	fputc('\n', out);
}
