/* lode shard for terminals. */
#include "answers/shard/shard.h"
#include "base/escape.h"
#include "document/units.h"

void lode_shard_text(FILE *out, const struct lode_shard_answer *answer)
{
	char folder[4096], bytes[LODE_UNITS_BUFFER];
	double average = (double)answer->cost / (double)answer->n_parts;

	fprintf(out, "%zu recording%s in %zu part%s in %s: %s", answer->n_recordings,
		answer->n_recordings == 1 ? "" : "s", answer->n_parts,
		answer->n_parts == 1 ? "" : "s",
		lode_escape(folder, sizeof(folder), answer->folder),
		lode_format_bytes(bytes, answer->bytes));
	if (answer->n_parts > 1)
		fprintf(out, "; the parts cost %.2f to %.2f of their average",
			(double)answer->least_cost / average, (double)answer->most_cost / average);
	fputc('\n', out);
	if (answer->n_unmeasured)
		fprintf(out,
			"The size of %zu is not known (not a file here, and no bytes= in the "
			"manifest): taken as average\n",
			answer->n_unmeasured);
}
