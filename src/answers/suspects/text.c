/* The text of lode suspects: the ranked table with what it stands on. */
#include <math.h>

#include "answers/suspects/text_parts.h"
#include "base/escape.h"
#include "document/prose.h"
#include "document/table.h"
#include "document/units.h"

/* ---- Cells that several tables have ---- */

/* Amounts of one recording of each set. */
static void set_pace(struct lode_table *table, size_t row, size_t column, const double *amounts,
		     const char *unit)
{
	for (unsigned side = 0; side < LODE_N_SIDES; side++) {
		double amount = amounts[side] < 9e18 ? amounts[side] + 0.5 : 9e18;

		lode_table_set_cost(table, row, column + side, (int64_t)amount, unit);
	}
}

void lode_suspects_set_sides(struct lode_table *table, size_t row, size_t column,
			     const struct lode_suspects_pace *pace, const char *unit)
{
	set_pace(table, row, column, pace->calls, "");
	set_pace(table, row, column + 2, pace->sum, unit);
}

/* ---- Above the tables ---- */

static void print_side(FILE *out, const struct lode_suspects_side *side, const char *what)
{
	char a[LODE_UNITS_BUFFER], b[LODE_UNITS_BUFFER], c[LODE_UNITS_BUFFER];

	fprintf(out, "%s, %s of %s", lode_format_plural(a, side->n_streams, what),
		lode_format_plural(b, side->n_executions, "call"),
		lode_format_cost(c, side->time_ns, "ns"));
}

static void print_heading_suspects_text(FILE *out, const struct lode_suspects_answer *answer)
{
	const struct lode_suspects_side *subject = &answer->sides[LODE_SIDE_SUBJECT];
	char a[LODE_UNITS_BUFFER], b[LODE_UNITS_BUFFER], c[LODE_UNITS_BUFFER], d[LODE_UNITS_BUFFER];

	if (answer->is_versus) {
		print_side(out, subject, "slow recording");
		fputs("; ", out);
		print_side(out, answer->other, "fast recording");
		fputc('\n', out);
		return;
	}
	fprintf(out, "%s, %s of %s: ", lode_format_plural(a, subject->n_streams, "recording"),
		lode_format_plural(b, subject->n_executions, "call"),
		lode_format_plural(c, answer->n_metrics_asked, "metric"));
	fprintf(out, "%s slow (%s), %s not slow, %s in between\n",
		lode_format_count(a, answer->all.failed),
		lode_format_share(b, (int64_t)answer->all.failed, (int64_t)subject->n_executions),
		lode_format_count(c, answer->all.succeeded),
		lode_format_count(d, answer->n_between));
}

/* ---- Below the tables ---- */

static void print_long_tail(FILE *out, const struct lode_suspects_metric *m)
{
	char name[600];

	fprintf(out,
		"Long tails: of %s, σ is %lld times the mean. A few extreme calls determine what "
		"is slow; --robust uses median and MAD instead.\n",
		lode_escape_fit(name, sizeof(name), m->of.name, 28),
		(long long)(m->values.std / (m->values.mean + 1)));
}

static void print_method(FILE *out, const struct lode_suspects_answer *answer)
{
	const char *symptoms = answer->sides[LODE_SIDE_SUBJECT].job.symptom_text;
	char text[1024];

	if (answer->is_versus)
		fprintf(out, "Excess: lower bound (95 %%) of the share of a function's calls, or "
			     "of their time, that fast recordings do not have. Calls and times are "
			     "per recording.\n");
	else
		fprintf(out,
			"Slow (\"failed\" in the paper): %s.\n"
			"Slow time: the part of the time of all slow calls that has the function "
			"in "
			"its stack.\n"
			"More scores (-v, --sort): Increase is Failure (share of slow calls where "
			"the "
			"function is last) minus Context (where it is anywhere); 0 if it is always "
			"last, "
			"-Context if it never is. Ochiai, importance and others rank those as "
			"well.\n",
			answer->thresholds);
	if (answer->long_tail)
		print_long_tail(out, answer->long_tail);
	fprintf(out,
		"q: probability of such an association with %s by chance; Fisher's exact test%s, "
		"%s "
		"over %zu groups of functions and over %zu callers.\n",
		answer->is_versus ? "slow recordings" : "slow calls",
		answer->is_versus ? " of calls, and a normal one of their time" : "",
		answer->correction, answer->n_groups, answer->n_contrast_tests);
	if (symptoms)
		fprintf(out, "Only calls within symptoms count: %s.\n",
			lode_escape(text, sizeof(text), symptoms));
}

static const char *loss_words(enum lode_execution_loss loss)
{
	static const char *const words[LODE_N_EXECUTION_LOSSES] = {
		[LODE_EXECUTION_NO_START] = "without a recorded start",
		[LODE_EXECUTION_NO_END] = "without a recorded end",
		[LODE_EXECUTION_MISMATCHED] = "whose start and end do not fit",
		[LODE_EXECUTION_DIED] = "in which the thread ended",
		[LODE_EXECUTION_DOUBTFUL] =
			("whose end is uncertain, since events of their CPU were lost meanwhile"),
		[LODE_EXECUTION_UNROOTED] = "with a stack that does not reach its thread's entry",
		[LODE_EXECUTION_NO_STACK] = "without a stack",
	};

	return words[loss];
}

/* "Not measured: 1 without a recorded start, 2 in which the thread ended." */
static void print_losses_from(FILE *out, const char *what, const uint64_t *n, unsigned first,
			      unsigned end)
{
	char a[LODE_UNITS_BUFFER];
	bool is_any = false;

	for (unsigned k = first; k < end; k++) {
		if (!n[k])
			continue;
		fprintf(out, "%s%s %s", is_any ? ", " : what, lode_format_count(a, n[k]),
			loss_words((enum lode_execution_loss)k));
		is_any = true;
	}
	fputs(is_any ? ".\n" : "", out);
}

static void print_unmeasured(FILE *out, const struct lode_suspects_answer *answer)
{
	char a[LODE_UNITS_BUFFER], text[1024];

	print_losses_from(out, "Not measured: ", answer->losses, 0, LODE_EXECUTION_UNROOTED);
	print_losses_from(out, "Of those measured, ", answer->losses, LODE_EXECUTION_UNROOTED,
			  LODE_N_EXECUTION_LOSSES);
	if (answer->n_unlabelled && !answer->is_versus)
		fprintf(out,
			"%s not labelled: the baseline does not have their metrics. Use --versus "
			"to compare such calls.\n",
			lode_format_plural(a, answer->n_unlabelled, "call"));
	if (answer->n_lost)
		fprintf(out, "The recorder dropped %s.\n",
			lode_format_plural(a, answer->n_lost, "event"));
	for (unsigned k = 0; k < LODE_N_SIDES; k++) {
		const struct lode_suspects_job *job = &answer->sides[k].job;

		for (size_t i = 0; i < job->notes.n && i < 3; i++)
			fprintf(out, "Note: %s.\n",
				lode_escape(text, sizeof(text), job->notes.at[i].text));
	}
}

static void print_all_functions(FILE *out, const struct lode_suspects_answer *answer,
				const struct lode_text_page *page)
{
	if (answer->n_listed) {
		fprintf(out, "\n%s:\n",
			!answer->are_sure   ? "Functions"
			: answer->is_versus ? "What slow recordings do more (q < 0.05)"
					    : "Functions associated with slow calls (q < 0.05)");
		(answer->is_versus ? lode_suspects_print_functions_of_sides
				   : lode_suspects_print_functions)(out, answer, page);
	}
	if (answer->are_sure && answer->n_functions)
		lode_prose(out, page, 2,
			   "%s%zu of %zu functions %s; -v lists them, with all scores.\n",
			   answer->n_listed ? "" : "\n", answer->n_functions - answer->n_listed,
			   answer->n_functions,
			   answer->is_versus ? "do not differ significantly, or only slightly"
					     : "are not significantly associated with slow calls");
	else if (answer->n_ranked_more)
		fprintf(out, "%zu more of %zu functions; --top 0 shows all.\n",
			answer->n_ranked_more, answer->n_functions);
}

void lode_suspects_text(FILE *out, const struct lode_suspects_answer *answer,
			const struct lode_text_page *page)
{
	struct lode_prose prose;
	FILE *words;

	lode_opening_put(out, &answer->opening, page);
	if (answer->stack_note)
		lode_prose(out, page, 2, "Note: %s.\n", answer->stack_note);
	/* What parts slow calls from fast ones comes first; of two sets, what is done more. */
	if (answer->is_versus)
		print_all_functions(out, answer, page);
	lode_suspects_print_contrasts(out, answer, page, &answer->contrasts, false);
	if (!answer->is_versus)
		print_all_functions(out, answer, page);
	fputs("\nWhat was measured:\n", out);
	(answer->is_versus ? lode_suspects_print_metrics_of_sides
			   : lode_suspects_print_metrics)(out, answer, page);
	words = lode_prose_open(&prose);
	fputs("\nData and method\n", words);
	print_heading_suspects_text(words, answer);
	print_method(words, answer);
	print_unmeasured(words, answer);
	if (answer->n_skipped)
		fprintf(words, "Skipped: %zu of %zu inputs (see stderr).\n", answer->n_skipped,
			answer->n_inputs);
	if (answer->n_incomplete)
		fprintf(words, "Incomplete: %zu of %zu inputs are cut or damaged (see stderr).\n",
			answer->n_incomplete, answer->n_inputs);
	lode_prose_close(out, page, 2, &prose);
}
