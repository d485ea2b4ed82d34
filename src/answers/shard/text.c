/* lode shard for terminals. */
#include "answers/shard/shard.h"
#include "base/escape.h"
#include "document/prose.h"
#include "document/units.h"

void lode_shard_text(FILE *out, const struct lode_shard_answer *answer,
		     const struct lode_text_page *page)
{
	struct lode_prose prose;
	FILE *words = lode_prose_open(&prose);
	char folder[4096], bytes[LODE_UNITS_BUFFER];
	double average = (double)answer->cost / (double)answer->n_parts;

	fprintf(words, "%zu recording%s in %zu part%s in %s: %s", answer->n_recordings,
		answer->n_recordings == 1 ? "" : "s", answer->n_parts,
		answer->n_parts == 1 ? "" : "s",
		lode_escape(folder, sizeof(folder), answer->folder),
		lode_format_bytes(bytes, answer->bytes));
	if (answer->n_parts > 1)
		fprintf(words, "; the parts cost %.2f to %.2f of their average",
			(double)answer->least_cost / average, (double)answer->most_cost / average);
	fputc('\n', words);
	if (answer->n_unmeasured)
		fprintf(words,
			"The size of %zu is not known (not a file here, and no bytes= in the "
			"manifest): taken as average\n",
			answer->n_unmeasured);
	lode_prose_close(out, page, 2, &prose);
}
