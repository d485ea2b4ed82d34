/* lode next in a sentence or two, and in a few lines: the first streams to open. */
#include <inttypes.h>
#include <math.h>

#include "answers/next/next.h"
#include "base/escape.h"
#include "document/findings.h"
#include "document/recording_names.h"
#include "document/units.h"

/* ---- In a sentence or two ---- */

static const char *problem_words(struct lode_arena *arena, const struct lode_next_answer *answer,
				 size_t n)
{
	char count[LODE_UNITS_BUFFER];

	return lode_finding_text(
		arena, "%s",
		lode_format_plural(count, n, answer->is_of_clusters ? "cluster" : "known problem"));
}

/* How many recordings show everything. */
static const char *enough_words(struct lode_arena *arena, const struct lode_next_answer *answer)
{
	size_t n_new = answer->n_known - answer->n_seen;
	char n[LODE_UNITS_BUFFER], all[LODE_UNITS_BUFFER];

	if (!answer->n_known)
		return answer->is_of_clusters ? "No clusters were found"
					      : "There are no signatures yet";
	if (!answer->n_enough && answer->n_opened)
		return n_new ? lode_finding_text(
				       arena,
				       "No further recording shows any of the %s not seen yet",
				       problem_words(arena, answer, n_new))
			     : lode_finding_text(arena, "The recordings reviewed show all %s",
						 problem_words(arena, answer, answer->n_known));
	if (!answer->n_enough)
		return lode_finding_text(arena, "No recording shows any of %s",
					 problem_words(arena, answer, answer->n_known));
	return lode_finding_text(
		arena, "%s of %s show%s %s%s%s", lode_format_count(n, answer->n_enough),
		lode_format_plural(all, answer->n_streams - answer->n_opened,
				   answer->n_opened ? "further recording" : "recording"),
		answer->n_enough == 1 ? "s" : "", answer->n_seen || n_new == 1 ? "the " : "all ",
		problem_words(arena, answer, n_new), answer->n_seen ? " not seen yet" : "");
}

/* The recording with the largest rest, then all. */
static const char *path_of_rest(const void *context, size_t row)
{
	const struct lode_next_answer *answer = context;
	const struct lode_digest *digest = answer->digest;

	return row ? digest->tree.strings.text.at[digest->streams.at[row - 1].path]
		   : answer->rest->stream;
}

static const char *rest_words(struct lode_arena *arena, const struct lode_next_answer *answer)
{
	char share[LODE_UNITS_BUFFER], rest[LODE_UNITS_BUFFER], here[LODE_UNITS_BUFFER];
	char rest_share[LODE_UNITS_BUFFER], whole[LODE_UNITS_BUFFER], name[1024], **names;

	lode_format_share(share, answer->explained_ns, answer->symptom_ns);
	lode_format_cost_long(whole, answer->symptom_ns, answer->unit);
	if (answer->unexplained_ns <= 0)
		return lode_finding_text(arena, "%s of %s is explained", share, whole);
	lode_format_share(rest_share, answer->unexplained_ns, answer->symptom_ns);
	lode_format_cost(rest, answer->unexplained_ns, answer->unit);
	if (!answer->rest)
		return lode_finding_text(arena, "%s of %s is explained, %s (%s) is not", share,
					 whole, rest_share, rest);
	names = lode_recording_names(answer->digest->streams.n + 1, path_of_rest, answer);
	lode_escape_fit(name, sizeof(name), names[0], 200);
	free(names);
	return lode_finding_text(
		arena, "%s of %s is explained; %s (%s) is not, %s in %s (%s)", share, whole,
		rest_share, rest,
		lode_opening_part(answer->rest->unexplained_ns, answer->unexplained_ns), name,
		lode_format_cost(here, answer->rest->unexplained_ns, answer->unit));
}

static const char *open_words(struct lode_arena *arena, const struct lode_asked *asked,
			      const char *stream, uint64_t id)
{
	/* Of a repository, the digest is what is there for sure. */
	return *asked->operands
		       ? lode_finding_text(arena, "lode mine%s %s", asked->next_options,
					   lode_next_word(arena, stream))
		       : lode_finding_text(arena, "lode mine%s --where id=%s", asked->next_options,
					   lode_finding_id(arena, id));
}

/* Opens the recording that shows most that is new; if none does, the one with most unexplained. */
struct lode_opening lode_next_opening(const struct lode_next_answer *answer,
				      const struct lode_asked *asked, struct lode_arena *arena)
{
	const struct lode_next_step *step =
		answer->n_enough && answer->n_steps ? &answer->steps[0] : NULL;
	const struct lode_next_rest *rest = answer->rest;

	return (struct lode_opening){
		.finding = lode_finding_text(arena, "%s. %s.", enough_words(arena, answer),
					     rest_words(arena, answer)),
		.next_command = !asked ? NULL
				: step ? open_words(arena, asked, step->stream, step->stream_id)
				: rest ? open_words(arena, asked, rest->stream, rest->stream_id)
				       : NULL,
	};
}

/* ---- In a few lines ---- */

void lode_next_findings(struct lode_findings *out, const void *of, struct lode_arena *arena)
{
	const struct lode_next_answer *answer = of;
	int64_t whole_ns = answer->symptom_ns;
	char share[LODE_UNITS_BUFFER], adds[LODE_UNITS_BUFFER];

	lode_findings_open(out, &answer->opening, arena);
	out->weight = whole_ns;
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
