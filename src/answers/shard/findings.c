/* lode shard in a sentence or two. */
#include "answers/shard/shard.h"
#include "document/findings.h"
#include "document/units.h"

struct lode_opening lode_shard_opening(const struct lode_shard_answer *answer,
				       struct lode_arena *arena)
{
	char bytes[LODE_UNITS_BUFFER];
	double average = (double)answer->cost / (double)answer->n_parts;
	const char *parts = "", *rest = "";

	if (answer->n_parts > 1)
		parts = lode_finding_text(arena, "; the parts cost %.2f to %.2f of their average",
					  (double)answer->least_cost / average,
					  (double)answer->most_cost / average);
	if (answer->n_unmeasured)
		rest = lode_finding_text(arena,
					 " The size of %zu is not known (not a file here, and no "
					 "bytes= in the manifest): treated as average.",
					 answer->n_unmeasured);
	return (struct lode_opening){
		.finding = lode_finding_text(arena, "%zu recording%s in %zu part%s in %s: %s%s.%s",
					     answer->n_recordings,
					     answer->n_recordings == 1 ? "" : "s", answer->n_parts,
					     answer->n_parts == 1 ? "" : "s", answer->folder,
					     lode_format_bytes(bytes, answer->bytes), parts, rest),
		/* On as many machines as there are parts: this is what one does. */
		.next_command =
			answer->n_listed
				? lode_finding_text(arena, "lode digest -o digests %s",
						    lode_next_word(arena, answer->list[0].path))
				: NULL,
	};
}
