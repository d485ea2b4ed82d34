#include <string.h>

#include "base/escape.h"
#include "reports/suspects_parts.h"
#include "reports/units.h"

/* ---- Above the tables ---- */

static lode_u128 time_of(const struct lode_suspects *s, enum lode_side side)
{
	lode_u128 sum = 0;

	for (size_t i = 0; i < s->tally.metrics.n; i++) {
		if (strcmp(s->tally.metrics.at[i].unit, "ns") == 0)
			sum += s->tally.metrics.at[i].moments[side].sum;
	}
	return sum;
}

static void print_heading(FILE *out, const struct lode_suspects_report *report)
{
	const struct lode_suspects *s = report->suspects;
	char a[LODE_UNITS_BUFFER], b[LODE_UNITS_BUFFER], c[LODE_UNITS_BUFFER], d[LODE_UNITS_BUFFER];
	uint64_t n = s->n[LODE_SIDE_SUBJECT];
	size_t n_metrics = 0;

	for (size_t i = 0; i < s->tally.metrics.n; i++)
		n_metrics += s->tally.metrics.at[i].moments[LODE_SIDE_SUBJECT].n > 0;
	if (lode_suspects_is_versus(report)) {
		fprintf(out, "%s, %s of %s; ",
			lode_format_plural(a, s->n_streams[LODE_SIDE_SUBJECT], "slow stream"),
			lode_format_plural(b, n, "execution"),
			lode_format_sum(c, time_of(s, LODE_SIDE_SUBJECT)));
		fprintf(out, "%s, %s of %s\n",
			lode_format_plural(a, s->n_streams[LODE_SIDE_OTHER], "fast stream"),
			lode_format_plural(b, s->n[LODE_SIDE_OTHER], "execution"),
			lode_format_sum(c, time_of(s, LODE_SIDE_OTHER)));
		return;
	}
	fprintf(out,
		"%s, %s of %s: ", lode_format_plural(a, s->n_streams[LODE_SIDE_SUBJECT], "stream"),
		lode_format_plural(b, n, "execution"), lode_format_plural(c, n_metrics, "metric"));
	fprintf(out, "%s failed (%s), %s succeeded, %s between\n",
		lode_format_count(a, s->all.failed),
		lode_format_share(b, (int64_t)s->all.failed, (int64_t)n),
		lode_format_count(c, s->all.succeeded),
		lode_format_count(d, n - s->all.failed - s->all.succeeded));
}

/* ---- Below the tables ---- */

static void print_rest(FILE *out, const struct lode_suspects_report *report)
{
	const struct lode_suspects *s = report->suspects;
	size_t n_shown = lode_suspects_n_shown(report);

	if (n_shown < s->functions.n)
		fprintf(out, "%zu more of %zu functions; --top 0 shows all.\n",
			s->functions.n - n_shown, s->functions.n);
}

/* σ of values with a long tail is that of a few of them. */
static void print_tails(FILE *out, const struct lode_suspects_report *report)
{
	const struct lode_suspects *s = report->suspects;
	const struct lode_tally_options *tally = &s->options.tally;
	const struct lode_tally_metric *worst = NULL;
	enum { least_n = 30, tail = 5 };
	char name[600];

	if (lode_suspects_is_versus(report) || tally->robust || tally->by_hand ||
	    tally->source != LODE_THRESHOLDS_SUBJECT)
		return;
	for (size_t i = 0; i < s->tally.metrics.n; i++) {
		const struct lode_tally_metric *m = &s->tally.metrics.at[i];
		const struct lode_moments *moments = &m->moments[LODE_SIDE_SUBJECT];

		if (moments->n < least_n ||
		    lode_moments_std(moments) / tail < lode_moments_mean(moments))
			continue;
		if (!worst || m->failed_sum > worst->failed_sum)
			worst = m;
	}
	if (worst)
		fprintf(out,
			"Long tails: of %s, σ is %lld times the mean. A few extreme\nexecutions "
			"decide what is slow; --robust labels by median and MAD.\n",
			lode_escape_fit(name, sizeof(name), worst->name, 28),
			(long long)(lode_moments_std(&worst->moments[LODE_SIDE_SUBJECT]) /
				    (lode_moments_mean(&worst->moments[LODE_SIDE_SUBJECT]) + 1)));
}

static void print_method(FILE *out, const struct lode_suspects_report *report)
{
	const struct lode_suspects *s = report->suspects;
	char text[1024];

	fputc('\n', out);
	if (lode_suspects_is_versus(report))
		fprintf(out,
			"Excess: at least this share (95 %%) of a function's calls, or of their "
			"time,\nis not in the fast recordings. Calls and times are of one "
			"recording.\n");
	else
		fprintf(out,
			"Failed: %s.\nIncrease: Failure (where the function is last) less Context "
			"(where it occurs);\n0 if it is always last, -Context if it never is. "
			"--sort "
			"ochiai, importance and\nothers compare those too.\n",
			report->thresholds);
	print_tails(out, report);
	fprintf(out,
		"q: chance that a function, or a caller, goes with %s by\naccident; Fisher's exact "
		"test, %s over %zu groups of functions and over\n%zu callers.\n",
		lode_suspects_is_versus(report) ? "slow recordings" : "what failed",
		report->correction, s->n_groups, s->n_contrast_tests);
	if (report->job && report->job->symptom_text)
		fprintf(out, "Only executions in slow windows count: %s.\n",
			lode_escape(text, sizeof(text), report->job->symptom_text));
}

static const char *loss_words(enum lode_execution_loss loss)
{
	static const char *const words[LODE_N_EXECUTION_LOSSES] = {
		[LODE_EXECUTION_NO_START] = "without a recorded start",
		[LODE_EXECUTION_NO_END] = "without a recorded end",
		[LODE_EXECUTION_MISMATCHED] = "whose start and end do not fit",
		[LODE_EXECUTION_DIED] = "in which the thread ended",
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

static void print_losses(FILE *out, const struct lode_suspects_report *report)
{
	const struct lode_suspects *s = report->suspects;
	const struct lode_suspects_job *jobs[2] = {report->job, report->other_job};
	uint64_t n[LODE_N_EXECUTION_LOSSES] = {0}, lost = 0, unlabelled = 0;
	char a[LODE_UNITS_BUFFER], text[1024];

	for (size_t i = 0; i < s->tally.metrics.n; i++) {
		const struct lode_tally_metric *m = &s->tally.metrics.at[i];

		for (unsigned k = 0; k < LODE_N_EXECUTION_LOSSES; k++)
			n[k] += m->losses[k];
		unlabelled += m->is_labelled ? 0 : m->moments[LODE_SIDE_SUBJECT].n;
	}
	print_losses_from(out, "Not measured: ", n, 0, LODE_EXECUTION_UNROOTED);
	print_losses_from(out, "Of those measured, ", n, LODE_EXECUTION_UNROOTED,
			  LODE_N_EXECUTION_LOSSES);
	if (unlabelled && !lode_suspects_is_versus(report))
		fprintf(out,
			"%s of metrics that the baseline does not have: not labelled. --versus "
			"compares\nwhat is done at all.\n",
			lode_format_plural(a, unlabelled, "execution"));
	for (unsigned k = 0; k < 2; k++)
		lost += jobs[k] ? jobs[k]->n_lost : 0;
	if (lost)
		fprintf(out, "The recorder dropped %s.\n", lode_format_plural(a, lost, "event"));
	for (unsigned k = 0; k < 2; k++) {
		for (size_t i = 0; jobs[k] && i < jobs[k]->notes.n && i < 3; i++)
			fprintf(out, "Note: %s.\n",
				lode_escape_fit(text, sizeof(text), jobs[k]->notes.at[i].text,
						report->columns - 8));
	}
}

static void print_skipped(FILE *out, const struct lode_suspects_report *report)
{
	const struct lode_suspects_job *jobs[2] = {report->job, report->other_job};
	size_t skipped = 0, incomplete = 0, inputs = 0;

	for (unsigned k = 0; k < 2; k++) {
		skipped += jobs[k] ? jobs[k]->skipped.n : 0;
		incomplete += jobs[k] ? jobs[k]->incomplete.n : 0;
		inputs += jobs[k] ? jobs[k]->n_inputs : 0;
	}
	if (skipped)
		fprintf(out, "Skipped: %zu of %zu inputs (see stderr).\n", skipped, inputs);
	if (incomplete)
		fprintf(out, "Incomplete: %zu of %zu inputs are cut or damaged (see stderr).\n",
			incomplete, inputs);
}

void lode_suspects_report_table(FILE *out, const struct lode_suspects_report *report)
{
	const struct lode_suspects *s = report->suspects;
	bool versus = lode_suspects_is_versus(report);

	print_heading(out, report);
	fputc('\n', out);
	if (versus)
		lode_suspects_print_metrics_of_sides(out, report);
	else
		lode_suspects_print_metrics(out, report);
	if (lode_suspects_n_shown(report)) {
		fputc('\n', out);
		if (versus)
			lode_suspects_print_functions_of_sides(out, report);
		else
			lode_suspects_print_functions(out, report);
	}
	print_rest(out, report);
	lode_suspects_print_contrasts(out, report, NULL);
	print_method(out, report);
	print_losses(out, report);
	print_skipped(out, report);
	if (s->functions.n)
		fprintf(out, "\nlode suspects --explain FUNCTION ... tells one of them in full.\n");
}
