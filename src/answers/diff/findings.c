/* lode diff in a sentence or two, and in a few lines: the most important changes. */
#include <inttypes.h>
#include <math.h>

#include "answers/diff/diff.h"
#include "answers/clusters/cluster_brief.h"
#include "document/findings.h"
#include "document/units.h"

/* ---- In a sentence or two ---- */

/* "B takes 30 % longer a symptom than A (1.30 s, A 1.00 s)" */
static const char *total_words(struct lode_arena *arena, const struct lode_diff_answer *answer)
{
	const struct lode_diff_set *a = &answer->sets[LODE_DIFF_A], *b = &answer->sets[LODE_DIFF_B];
	bool is_time = strcmp(answer->unit, "ns") == 0;
	char in_a[LODE_UNITS_BUFFER], in_b[LODE_UNITS_BUFFER];
	double pct = 100 * (answer->total.ratio - 1);
	const char *more,
		*what = answer->is_cpu_time ? "the CPU time of a recording is" : "a symptom takes";

	lode_format_cost(in_a, a->per_symptom_ns, answer->unit);
	lode_format_cost(in_b, b->per_symptom_ns, answer->unit);
	if (isnan(answer->total.ratio))
		return lode_finding_text(arena, "%s %s in B, %s in A", what, in_b, in_a);
	if (fabs(pct) < 0.5)
		return lode_finding_text(arena,
					 answer->is_cpu_time ? "%s the same in B as in A (%s, %s)"
							     : "%s as long in B as in A (%s, %s)",
					 what, in_b, in_a);
	more = answer->is_cpu_time ? (pct > 0 ? "higher" : "lower")
	       : is_time	   ? (pct > 0 ? "longer" : "shorter")
	       : pct > 0	   ? "more"
				   : "less";
	return lode_finding_text(arena, "%s %.0f %% %s in B than in A (%s, A %s)", what, fabs(pct),
				 more, in_b, in_a);
}

/* Of those that are changes, the one that changed most. */
static const struct lode_diff_change *largest_change(const struct lode_diff *diff)
{
	const struct lode_diff_change *largest = NULL;

	for (size_t i = 0; i < diff->n_changes; i++)
		if (diff->changes[i].class != LODE_DIFF_SAME &&
		    (!largest || fabs(diff->changes[i].change) > fabs(largest->change)))
			largest = &diff->changes[i];
	return largest;
}

static const char *change_words(struct lode_arena *arena, const struct lode_diff_answer *answer,
				const struct lode_diff_change *change, size_t n)
{
	const struct lode_cluster *c = &answer->mined->clusters[change->item];
	unsigned side = change->change > 0 ? LODE_DIFF_B : LODE_DIFF_A;
	char cost[LODE_UNITS_BUFFER];

	return lode_finding_text(
		arena, "%s %s: %s (%s), %s%s per %s, in %zu of %zu recordings of %c",
		n == 1 ? "The only change is" : "Of the changes the largest is",
		lode_diff_class_names[change->class], lode_finding_name(arena, answer->mined, c),
		lode_finding_why(arena, c), change->change < 0 ? "−" : "+",
		lode_format_cost(cost, llround(fabs(change->change)), answer->unit),
		lode_diff_per(answer), change->n_streams[side], answer->diff->sides[side].n_streams,
		side == LODE_DIFF_A ? 'A' : 'B');
}

static const char *diff_words(struct lode_arena *arena, const struct lode_diff_answer *answer)
{
	const struct lode_diff *diff = answer->diff;
	const struct lode_diff_change *largest = largest_change(diff);
	const char *total = total_words(arena, answer), *of_total;
	char p[32];

	snprintf(p, sizeof(p), diff->total.p < 0.001 ? "%.1g" : "%.2g", diff->total.p);
	if (!answer->has_enough)
		return lode_finding_text(
			arena,
			"Too few recordings for a significant change: %s; the sets have %zu and "
			"%zu recordings, but %zu and %zu are needed.",
			total, diff->sides[LODE_DIFF_A].n_streams,
			diff->sides[LODE_DIFF_B].n_streams, answer->enough_streams,
			answer->enough_streams);
	if (diff->total.class != LODE_DIFF_SAME)
		of_total = lode_finding_text(arena, "Overall, %s; p = %s.", total, p);
	else if (diff->total.p <= diff->level)
		of_total = lode_finding_text(arena, "No relevant change overall: %s; p = %s.",
					     total, p);
	else
		of_total = lode_finding_text(
			arena, "No significant change overall: %s, which could be chance; p = %s.",
			total, p);
	if (!largest)
		return lode_finding_text(arena, "%s None of %zu clusters changed significantly.",
					 of_total, diff->n_changes);
	return lode_finding_text(arena, "%s %s.", of_total,
				 change_words(arena, answer, largest,
					      diff->n_changes - diff->n_of[LODE_DIFF_SAME]));
}

/* ", +1.53 s a symptom (A 0 ns, B 1.53 s), in 18 of 18 recordings of B" */
static const char *shown_words(struct lode_arena *arena, const struct lode_diff_answer *answer)
{
	const struct lode_diff_shown *shown = answer->shown;
	const struct lode_diff_change *change = shown->change;
	const struct lode_cluster *c = shown->cluster.cluster;
	unsigned side = change->change < 0 ? LODE_DIFF_A : LODE_DIFF_B;
	char cost[LODE_UNITS_BUFFER], a[LODE_UNITS_BUFFER], b[LODE_UNITS_BUFFER], p[32];

	snprintf(p, sizeof(p), change->p_adjusted < 0.001 ? "%.1g" : "%.2g", change->p_adjusted);
	return lode_finding_text(
		arena,
		"Cluster %zu, %s (%s), %s%s: %s%s per %s (A %s, B %s; p = %s), in %zu of %zu "
		"recordings of %c.",
		shown->number, lode_finding_name(arena, answer->mined, c),
		lode_finding_why(arena, c),
		change->class == LODE_DIFF_SAME ? "did not change significantly" : "is ",
		change->class == LODE_DIFF_SAME ? "" : lode_diff_class_names[change->class],
		change->change < 0 ? "−" : "+",
		lode_format_cost(cost, llround(fabs(change->change)), answer->unit),
		lode_diff_per(answer),
		lode_format_cost(a, shown->figures.of[LODE_DIFF_A].per_symptom_ns, answer->unit),
		lode_format_cost(b, shown->figures.of[LODE_DIFF_B].per_symptom_ns, answer->unit), p,
		change->n_streams[side], answer->diff->sides[side].n_streams,
		side == LODE_DIFF_A ? 'A' : 'B');
}

/* What changed most is shown in full; where nothing did, the slower set is opened. */
static const char *next_of(struct lode_arena *arena, const struct lode_diff_answer *answer,
			   const struct lode_diff_request *request)
{
	const struct lode_diff_sets_options *sets = &request->sets;
	const struct lode_diff_change *largest = largest_change(answer->diff);
	unsigned side = answer->diff->total.change < 0 ? LODE_DIFF_A : LODE_DIFF_B;

	if (answer->shown)
		return answer->shown->worst
			       ? lode_finding_text(arena, "lode mine%s %s",
						   request->asked->next_options,
						   lode_next_word(arena, answer->shown->worst))
			       : NULL;
	if (largest)
		return lode_next_again(arena, request->asked, "--show %zu",
				       (size_t)(largest - answer->diff->changes) + 1);
	if (sets->repo && sets->n_inputs[side] != 1)
		return lode_next_again(arena, request->asked, "--html diff.html");
	if (sets->repo)
		return lode_finding_text(arena, "lode mine%s --where %s",
					 request->asked->next_options,
					 lode_next_word(arena, sets->inputs[side][0]));
	return lode_finding_text(arena, "lode mine%s%s", request->asked->next_options,
				 lode_next_words(arena, (const char *const *)sets->inputs[side],
						 sets->n_inputs[side]));
}

struct lode_opening lode_diff_opening(const struct lode_diff_answer *answer,
				      const struct lode_diff_request *request,
				      struct lode_arena *arena)
{
	return (struct lode_opening){
		.finding = answer->shown ? shown_words(arena, answer) : diff_words(arena, answer),
		.next_command = request->asked ? next_of(arena, answer, request) : NULL,
	};
}

/* ---- In a few lines ---- */

void lode_diff_findings(struct lode_findings *out, const void *of, struct lode_arena *arena)
{
	const struct lode_diff_answer *answer = of;
	char cost[LODE_UNITS_BUFFER];

	lode_findings_open(out, &answer->opening, arena);
	out->weight = answer->sets[LODE_DIFF_B].symptom_ns;
	for (size_t i = 0; i < answer->n_rows && lode_findings_have_room(out); i++) {
		const struct lode_diff_row *row = &answer->rows[i];
		const struct lode_cluster *c = row->cluster;
		int64_t change = row->figures.change_ns;

		if (row->change->class == LODE_DIFF_SAME)
			break;
		lode_findings_add(
			out,
			lode_finding_text(
				arena, "%s  %s%s per symptom  %s: %s",
				lode_diff_class_names[row->change->class], change < 0 ? "-" : "+",
				lode_format_cost(cost, change < 0 ? -change : change, answer->unit),
				lode_finding_line(arena, answer->mined, c),
				lode_finding_why(arena, c)),
			lode_finding_id(arena, c->id));
	}
}
