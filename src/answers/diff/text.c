/* lode diff for terminals. */
#include <math.h>

#include "answers/diff/diff.h"
#include "answers/clusters/alias_words.h"
#include "base/escape.h"
#include "answers/clusters/cluster_brief.h"
#include "answers/clusters/headline.h"
#include "document/prose.h"
#include "document/table.h"
#include "document/units.h"

enum { lines_per_change = 3, least_room = 30 };

static const char *cost_text(char *buffer, const struct lode_diff_answer *answer, double cost)
{
	return lode_format_cost(buffer, llround(cost), answer->unit);
}

/* "+1.52 s", "-340 ms" */
static const char *change_text(char *buffer, size_t size, const struct lode_diff_answer *answer,
			       double change)
{
	char cost[LODE_UNITS_BUFFER];

	snprintf(buffer, size, "%s%s", change < 0 ? "-" : "+",
		 cost_text(cost, answer, fabs(change)));
	return buffer;
}

/* "× 3.4", "-42 %": how many times as much, or how much less. */
static const char *ratio_text(char *buffer, size_t size, double ratio)
{
	double less_pct = 100 * (1 - ratio);

	buffer[0] = '\0';
	if (isnan(ratio) || ratio <= 0)
		return buffer;
	if (ratio < 1) {
		snprintf(buffer, size, "-%.0f %%", less_pct);
		return less_pct < 99.5 ? buffer : "-99+ %";
	}
	snprintf(buffer, size, "× %.*f", ratio < 9.95 ? 1 : 0, ratio);
	return ratio < 999.5 ? buffer : "× 999+";
}

static const char *p_text(char *buffer, size_t size, double p)
{
	if (p >= 0.0995)
		snprintf(buffer, size, "%.2f", p);
	else if (p >= 0.00095)
		snprintf(buffer, size, "%.3f", p);
	else
		snprintf(buffer, size, "%.1g", p);
	return buffer;
}

/* ---- Above the table: the two sets ---- */

static void print_side(FILE *out, const struct lode_diff_answer *answer, unsigned s)
{
	const struct lode_diff_set *set = &answer->sets[s];
	const struct lode_diff_change *total = &answer->diff->total;
	char a[LODE_UNITS_BUFFER], b[LODE_UNITS_BUFFER], c[LODE_UNITS_BUFFER], name[400], p[16];

	fprintf(out, "%c: %s, ", s == LODE_DIFF_A ? 'A' : 'B',
		lode_format_plural(a, set->n_streams, "recording"));
	if (!answer->is_cpu_time)
		fprintf(out, "%s, ", lode_format_plural(b, set->n_symptoms, "symptom"));
	fprintf(out, "%s %sper %s", lode_format_cost(c, set->per_symptom_ns, answer->unit),
		answer->is_cpu_time ? "of CPU time " : "", lode_diff_per(answer));
	if (s == LODE_DIFF_B && !isnan(answer->total.ratio))
		fprintf(out, " (%+.0f %%, p = %s)", 100 * (answer->total.ratio - 1),
			p_text(p, sizeof(p), total->p));
	fprintf(out, ": %s", lode_escape_fit(name, sizeof(name), set->name, 50));
	fputc('\n', out);
}

static void print_counts(FILE *out, const struct lode_diff *diff)
{
	bool is_any = false;

	for (unsigned k = 0; k < LODE_DIFF_SAME; k++) {
		if (!diff->n_of[k])
			continue;
		fprintf(out, "%s%zu %s", is_any ? ", " : "", diff->n_of[k],
			lode_diff_class_names[k]);
		is_any = true;
	}
	fprintf(out, "%s%zu the same\n", is_any ? ", " : "", diff->n_of[LODE_DIFF_SAME]);
}

/* ---- The table ---- */

enum column {
	NUMBER,
	CLASS,
	COST_A,
	COST_B,
	CHANGE,
	RATIO,
	HIT_A,
	HIT_B,
	P,
	WHY,
	COMMON,
	n_columns
};

static const struct lode_table_column columns[n_columns] = {
	[NUMBER] = {"#", true, 0},
	[CLASS] = {"", false, 0},
	[COST_A] = {"A", true, 0},
	[COST_B] = {"B", true, 0},
	[CHANGE] = {"change", true, 5},
	[RATIO] = {"", true, 1},
	[HIT_A] = {"in A", true, 3},
	[HIT_B] = {"in B", true, 4},
	[P] = {"p", true, 0},
	[WHY] = {"why", false, 2},
	[COMMON] = {"who waits → for whom", false, 0},
};

static const enum lode_style styles[LODE_N_DIFF_CLASSES] = {
	[LODE_DIFF_NEW] = LODE_STYLE_BAD,    [LODE_DIFF_GONE] = LODE_STYLE_GOOD,
	[LODE_DIFF_WORSE] = LODE_STYLE_BAD,  [LODE_DIFF_BETTER] = LODE_STYLE_GOOD,
	[LODE_DIFF_SAME] = LODE_STYLE_QUIET,
};

static void set_numbers(struct lode_table *table, const struct lode_diff_answer *answer,
			const struct lode_diff_change *change)
{
	const struct lode_diff *diff = answer->diff;
	char text[LODE_UNITS_BUFFER + 8];
	size_t row = lode_table_row(table);

	lode_table_set(table, row, NUMBER, "%zu", (size_t)(change - diff->changes) + 1);
	lode_table_set(table, row, CLASS, "%s",
		       change->class == LODE_DIFF_SAME ? "?"
						       : lode_diff_class_names[change->class]);
	lode_table_set(table, row, COST_A, "%s",
		       cost_text(text, answer, change->per_symptom[LODE_DIFF_A]));
	lode_table_set(table, row, COST_B, "%s",
		       cost_text(text, answer, change->per_symptom[LODE_DIFF_B]));
	lode_table_set(table, row, CHANGE, "%s",
		       change_text(text, sizeof(text), answer, change->change));
	lode_table_set(table, row, RATIO, "%s", ratio_text(text, sizeof(text), change->ratio));
	lode_table_set(table, row, HIT_A, "%zu/%zu", change->n_streams[LODE_DIFF_A],
		       diff->sides[LODE_DIFF_A].n_streams);
	lode_table_set(table, row, HIT_B, "%zu/%zu", change->n_streams[LODE_DIFF_B],
		       diff->sides[LODE_DIFF_B].n_streams);
	lode_table_set(table, row, P, "%s", p_text(text, sizeof(text), change->p_adjusted));
	lode_cluster_set_why(table, row, WHY, &answer->mined->clusters[change->item]);
	lode_table_style(table, row, CLASS, styles[change->class]);
}

static void print_changes(FILE *out, const struct lode_diff_answer *answer, size_t from, size_t n,
			  const struct lode_text_page *page)
{
	const struct lode_diff_change *changes = &answer->diff->changes[from];
	struct lode_table *table = lode_table_new(columns, n_columns, 0);
	size_t room, more_room;

	for (size_t i = 0; i < n; i++)
		set_numbers(table, answer, &changes[i]);
	room = lode_table_fit(table, page->columns, least_room, COST_A, &more_room);
	for (size_t i = 0; i < n; i++)
		lode_cluster_set_headline(table, i, COMMON, answer->mined,
					  &answer->mined->clusters[changes[i].item], room,
					  more_room, lines_per_change);
	lode_table_end(table, out, page);
}

/* ---- One change in full ---- */

static void print_change(FILE *out, const struct lode_diff_answer *answer,
			 const struct lode_diff_change *change)
{
	const struct lode_diff *diff = answer->diff;
	char a[LODE_UNITS_BUFFER + 8], b[LODE_UNITS_BUFFER + 8], text[LODE_UNITS_BUFFER + 8], p[16];

	fprintf(out, "change      %s per %s: %s in A, %s in B",
		change_text(text, sizeof(text), answer, change->change), lode_diff_per(answer),
		cost_text(a, answer, change->per_symptom[LODE_DIFF_A]),
		cost_text(b, answer, change->per_symptom[LODE_DIFF_B]));
	if (change->has_interval)
		fprintf(out, "; 95 %% interval %s to %s",
			change_text(a, sizeof(a), answer, change->low),
			change_text(b, sizeof(b), answer, change->high));
	fprintf(out,
		"\n"
		"p-value     %s, corrected for all %zu clusters\n",
		p_text(p, sizeof(p), change->p_adjusted), diff->n_changes);
	fprintf(out, "recordings  %zu of %zu in A, %zu of %zu in B\n",
		change->n_streams[LODE_DIFF_A], diff->sides[LODE_DIFF_A].n_streams,
		change->n_streams[LODE_DIFF_B], diff->sides[LODE_DIFF_B].n_streams);
}

static void print_shown(FILE *out, const struct lode_diff_answer *answer,
			const struct lode_text_page *page)
{
	const struct lode_diff_shown *shown = answer->shown;
	struct lode_prose prose;

	fprintf(out, "Cluster %zu of %zu  (id %016llx)\n\n", shown->number, answer->diff->n_changes,
		(unsigned long long)shown->cluster.cluster->id);
	lode_cluster_shown_headline(out, &shown->cluster, page);
	print_change(lode_prose_open(&prose), answer, shown->change);
	lode_prose_close(out, page, LODE_SHOWN_LABEL, &prose);
	fputc('\n', out);
	fputs("In both sets together\n", out);
	lode_cluster_shown_text(out, &shown->cluster, page);
}

/* ---- Below the table: what it stands on ---- */

static void print_power(FILE *out, const struct lode_diff_answer *answer)
{
	const struct lode_diff *diff = answer->diff;
	size_t enough = answer->enough_streams;
	char p[16];

	if (answer->has_enough)
		return;
	fprintf(out,
		"\n"
		"Too few recordings for significance: with %zu and %zu%s, p is at least %s. ",
		diff->sides[LODE_DIFF_A].n_streams, diff->sides[LODE_DIFF_B].n_streams,
		diff->has_strata ? ", compared only within their group" : "",
		p_text(p, sizeof(p), diff->least_p));
	fprintf(out, "At least %zu and %zu%s are needed for %g.\n", enough, enough,
		diff->has_strata ? " in one group" : "", diff->level);
}

static void print_method(FILE *out, const struct lode_diff_answer *answer)
{
	const struct lode_diff *diff = answer->diff;
	const struct lode_mined *m = answer->mined;
	char a[LODE_UNITS_BUFFER], b[LODE_UNITS_BUFFER], c[LODE_UNITS_BUFFER], within[200];

	fprintf(out,
		"\n"
		"A change is reported if p <= %g, corrected for all %zu clusters, and it is at "
		"least %s per %s and %g %%.\n",
		diff->level, diff->n_changes,
		lode_format_cost(a, answer->min_change_ns, answer->unit), lode_diff_per(answer),
		100 * diff->min_relative);
	if (diff->is_exact)
		fprintf(out, "p is from all %s splits of these recordings",
			lode_format_count(b, diff->n_splits));
	else
		fprintf(out, "p is from %s random splits of these recordings",
			lode_format_count(b, diff->n_splits));
	if (answer->within)
		fprintf(out, " within each %s (groups: %zu)",
			lode_escape_fit(within, sizeof(within), answer->within, 40),
			answer->read->n_strata);
	fprintf(out,
		".\n"
		"Patterns under λ = %s (%s%s) ignored: %s.\n",
		lode_format_cost_long(a, m->min_cost, answer->unit), answer->lambda,
		answer->job->is_lambda_coarse
			? "; that of the smaller set would give too many patterns"
			: "",
		lode_format_plural(c, m->n_patterns, "pattern"));
	lode_alias_lines(out, m->digest);
}

static void print_rest(FILE *out, const struct lode_diff_answer *answer)
{
	const struct lode_diff_set *sets = answer->sets;
	char a[LODE_UNITS_BUFFER], b[LODE_UNITS_BUFFER];

	fprintf(out, "Not explained by any cluster: %s per %s in A, %s in B.\n",
		lode_format_cost(a, sets[LODE_DIFF_A].other_per_symptom_ns, answer->unit),
		lode_diff_per(answer),
		lode_format_cost(b, sets[LODE_DIFF_B].other_per_symptom_ns, answer->unit));
	for (unsigned s = 0; s < LODE_N_DIFF_SIDES; s++)
		if (sets[s].n_without)
			fprintf(out, "%s of %c without symptoms: left out.\n",
				lode_format_plural(a, sets[s].n_without, "recording"),
				s == LODE_DIFF_A ? 'A' : 'B');
	if (answer->read->n_in_both)
		fprintf(out, "%s in both sets: left out.\n",
			lode_format_plural(a, answer->read->n_in_both, "recording"));
	if (answer->read->n_repeated)
		fprintf(out, "%s more than once in a set: counted once.\n",
			lode_format_plural(a, answer->read->n_repeated, "recording"));
	for (unsigned s = 0; s < LODE_N_DIFF_SIDES; s++) {
		const struct lode_digest_job *job = sets[s].read;

		if (job->skipped.n + job->incomplete.n)
			fprintf(out, "%c: %zu input%s skipped, %zu incomplete (see stderr).\n",
				s == LODE_DIFF_A ? 'A' : 'B', job->skipped.n,
				job->skipped.n == 1 ? "" : "s", job->incomplete.n);
	}
}

static void print_verdict(FILE *out, const struct lode_diff_verdict *verdict)
{
	if (!verdict)
		return;
	fprintf(out, "\n%s: --fail-on ", verdict->has_failed ? "FAILED" : "passed");
	for (size_t i = 0; i < verdict->n_classes; i++)
		fprintf(out, "%s%s", i ? "," : "", verdict->classes[i]);
	fputs(".\n", out);
}

void lode_diff_text(FILE *out, const struct lode_diff_answer *answer,
		    const struct lode_text_page *page)
{
	struct lode_prose prose;
	FILE *words;

	lode_opening_put(out, &answer->opening, page);
	fputc('\n', out);
	if (answer->shown) {
		print_shown(out, answer, page);
		print_verdict(out, answer->verdict);
		return;
	}
	words = lode_prose_open(&prose);
	print_side(words, answer, LODE_DIFF_A);
	print_side(words, answer, LODE_DIFF_B);
	print_counts(words, answer->diff);
	lode_prose_close(out, page, 3, &prose);
	if (answer->n_told) {
		fputc('\n', out);
		print_changes(out, answer, 0, answer->n_told, page);
	}
	if (answer->n_told_more)
		fprintf(out, "%zu more; --top 0 shows all.\n", answer->n_told_more);
	if (answer->n_doubtful) {
		fprintf(out, "\nNot significant, though large enough to matter:\n\n");
		print_changes(out, answer, answer->first_doubtful, answer->n_doubtful, page);
	}
	words = lode_prose_open(&prose);
	print_power(words, answer);
	print_method(words, answer);
	print_rest(words, answer);
	lode_prose_close(out, page, 2, &prose);
	print_verdict(out, answer->verdict);
}
