/* lode import in a sentence. */
#include "answers/import/import.h"
#include "document/findings.h"
#include "document/units.h"

struct lode_opening lode_import_opening(const struct lode_import_answer *answer,
					struct lode_arena *arena)
{
	size_t n_skipped = answer->job->skipped.n;
	char n[LODE_UNITS_BUFFER], bytes[LODE_UNITS_BUFFER];
	const char *words =
		lode_finding_text(arena, "%s added",
				  lode_format_plural(n, answer->n_streams_added, "recording"));

	if (answer->n_replaced)
		words = lode_finding_text(arena, "%s, %s replaced", words,
					  lode_format_plural(n, answer->n_replaced, "input"));
	if (answer->n_there)
		words = lode_finding_text(arena, "%s, %s there already", words,
					  lode_format_plural(n, answer->n_there, "input"));
	if (n_skipped)
		words = lode_finding_text(arena, "%s, %s skipped", words,
					  lode_format_plural(n, n_skipped, "input"));
	return (struct lode_opening){
		.finding = lode_finding_text(arena, "%s; %s: %s, %s.", words, answer->repo,
					     lode_format_plural(n, (uint64_t)answer->n_streams,
								"recording"),
					     lode_format_bytes(bytes, answer->file_bytes)),
		.next_command =
			answer->n_streams ? lode_next_of_repo(arena, "mine", answer->repo) : NULL,
	};
}
