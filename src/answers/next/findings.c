/* lode next in a few lines: the first streams to open. */
#include <inttypes.h>
#include <math.h>

#include "answers/next/next.h"
#include "document/findings.h"
#include "document/units.h"

void lode_next_findings(struct lode_findings *out, const void *of, struct lode_arena *arena)
{
	const struct lode_next_answer *answer = of;
	int64_t whole_ns = answer->symptom_ns;
	char n[LODE_UNITS_BUFFER], share[LODE_UNITS_BUFFER], adds[LODE_UNITS_BUFFER];

	*out = (struct lode_findings){.weight = whole_ns};
	out->summary = lode_finding_text(arena, "%s; %zu %s explain %s of their symptoms' time",
					 lode_format_plural(n, answer->n_streams, "recording"),
					 answer->n_known,
					 answer->is_of_clusters ? "clusters" : "signatures",
					 lode_format_share(share, answer->explained_ns, whole_ns));
	for (size_t i = 0; i < answer->n_steps && lode_findings_have_room(out); i++) {
		const struct lode_next_step *step = &answer->steps[i];

		if (step->n_new == 0)
			break;
		lode_findings_add(
			out,
			lode_finding_text(arena,
					  "%zu  %s: %" PRIu32 " new, adds %s, covers %s then",
					  i + 1, step->stream, step->n_new,
					  lode_format_share(adds, step->adds_ns, whole_ns),
					  lode_format_share(share, step->covered_ns, whole_ns)),
			lode_finding_id(arena, step->stream_id))
			->share = whole_ns > 0 ? (double)step->adds_ns / (double)whole_ns : NAN;
	}
}
