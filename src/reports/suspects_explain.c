#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "reports/common_part.h"
#include "reports/suspects_parts.h"
#include "reports/sheet.h"
#include "reports/units.h"

enum { shown_histograms = 3, shown_neighbours = 8, name_bytes = 2400, indent = 2 };

/* ---- What it comes to ---- */

static void print_scores(FILE *out, const struct lode_suspects_report *report,
			 const struct lode_suspect *f)
{
	const struct lode_suspects *s = report->suspects;
	const struct lode_evidence *e = &f->function->evidence;
	const struct lode_scores *sc = &f->scores;
	bool versus = lode_suspects_is_versus(report);
	const char *failed = versus ? "of slow recordings" : "failed";
	char a[LODE_UNITS_BUFFER], b[LODE_UNITS_BUFFER], c[LODE_UNITS_BUFFER];

	fprintf(out, "\n  last function  %s of %s %s: Failure %.4f\n",
		lode_format_count(a, e->d_failed), lode_format_count(b, e->d_failed + e->d_success),
		failed, sc->failure);
	fprintf(out, "  occurs         %s of %s %s: Context %.4f\n",
		lode_format_count(a, e->o_failed), lode_format_count(b, e->o_failed + e->o_success),
		failed, sc->context);
	fprintf(out, "  all            %s of %s %s\n", lode_format_count(a, s->all.failed),
		lode_format_count(b, s->all.failed + s->all.succeeded), failed);
	fprintf(out, "  Increase       %+.4f", sc->increase);
	if (e->d_failed + e->d_success == 0)
		fputs(": never the last function, so -Context\n", out);
	else if (e->d_failed == e->o_failed && e->d_success == e->o_success)
		fputs(": always the last function, so 0\n", out);
	else
		fprintf(out, ", 95 %% interval %+.4f to %+.4f\n", sc->increase_ci.low,
			sc->increase_ci.high);
	fprintf(out, "  other scores   Ochiai %.4f, Tarantula %.4f, DStar ", sc->ochiai,
		sc->tarantula);
	fprintf(out, isinf(sc->dstar) ? "∞" : "%.4g", sc->dstar);
	fprintf(out, ", Importance %.4f (%.4f to %.4f)\n", sc->importance, sc->importance_ci.low,
		sc->importance_ci.high);
	fprintf(out,
		"  chance         p = %s that as many fail with it by accident; q = %s for "
		"all %zu groups\n",
		lode_format_log_p(a, f->log_p), lode_format_log_p(c, f->log_q), s->n_groups);
	if (versus)
		fprintf(out,
			"  excess         %.1f %% of its calls, %.1f %% of their time is not in "
			"fast "
			"recordings\n",
			100 * f->excess.calls, 100 * f->excess.time);
}

static void print_group(FILE *out, const struct lode_suspects_report *report,
			const struct lode_suspect *f)
{
	const struct lode_suspects *s = report->suspects;
	char name[name_bytes];
	bool is_first = true;

	if (f->n_group < 2)
		return;
	fputs("  always with    ", out);
	for (size_t i = 0; i < s->functions.n; i++) {
		if (s->ranked[i].group != f->group || &s->ranked[i] == f)
			continue;
		fprintf(out, "%s%s", is_first ? "" : ", ",
			lode_short_label(name, sizeof(name), &s->tally.set->tree,
					 s->ranked[i].function->frame));
		is_first = false;
	}
	fputc('\n', out);
}

/* ---- Metrics, with it and without ---- */

static void set_outcome(struct lode_sheet *sheet, size_t row, size_t column,
			const struct lode_outcome *o, const struct lode_moments *m,
			const char *unit)
{
	char a[LODE_UNITS_BUFFER], b[LODE_UNITS_BUFFER];
	uint64_t n = o->failed + o->succeeded;

	lode_sheet_set(sheet, row, column, "%s",
		       n ? lode_format_share(a, (int64_t)o->failed, (int64_t)n) : "-");
	lode_sheet_set(sheet, row, column + 1, "%s", lode_format_count(b, m->n));
	lode_sheet_set(sheet, row, column + 2, "%s",
		       m->n ? lode_format_cost(a, lode_moments_mean(m), unit) : "-");
	lode_sheet_set(sheet, row, column + 3, "%s",
		       m->n ? lode_format_cost(a, lode_moments_std(m), unit) : "-");
}

static void print_metrics(FILE *out, const struct lode_suspects_report *report,
			  const struct lode_explanation *x)
{
	static const struct lode_sheet_column columns[] = {
		{"metric", false}, {"failed with", true}, {"n", true},
		{"mean", true},	   {"σ", true},		  {"failed without", true},
		{"n", true},	   {"mean", true},	  {"σ", true},
	};
	struct lode_sheet *sheet = lode_sheet_new(columns, 9, indent);
	char name[name_bytes];

	for (size_t i = 0; i < x->metrics.n && i < shown_neighbours; i++) {
		const struct lode_explained_metric *m = &x->metrics.at[i];
		const struct lode_tally_metric *t = &report->suspects->tally.metrics.at[m->metric];
		size_t row = lode_sheet_row(sheet);

		lode_sheet_set(sheet, row, 0, "%s",
			       lode_escape_fit(name, sizeof(name), t->name, 24));
		set_outcome(sheet, row, 1, &m->with, &m->moments_with, t->unit);
		set_outcome(sheet, row, 5, &m->without, &m->moments_without, t->unit);
	}
	fputc('\n', out);
	lode_sheet_fit(sheet, report->columns, 8, 8, NULL);
	lode_sheet_print(sheet, out, report->is_terminal);
	lode_sheet_free(sheet);
}

static void print_histograms(FILE *out, const struct lode_suspects_report *report,
			     const struct lode_explanation *x)
{
	char name[name_bytes];

	for (size_t i = 0; i < x->metrics.n && i < shown_histograms; i++) {
		const struct lode_explained_metric *m = &x->metrics.at[i];
		const struct lode_tally_metric *t = &report->suspects->tally.metrics.at[m->metric];
		struct lode_bars bars = {
			.histogram = &m->histogram_with,
			.other = m->moments_without.n ? &m->histogram_without : NULL,
			.title = "with",
			.other_title = "without",
			.thresholds = t->is_labelled && !lode_suspects_is_versus(report)
					      ? &t->thresholds
					      : NULL,
			.unit = t->unit,
		};

		if (!m->moments_with.n)
			continue;
		fprintf(out, "\n  %s, with it in the stack%s\n",
			lode_escape_fit(name, sizeof(name), t->name, 60),
			bars.other ? " and without (each on its own scale)" : "");
		lode_bars_print(out, &bars, report->columns);
	}
}

/* ---- Who calls it, whom it calls ---- */

static void print_neighbours(FILE *out, const struct lode_suspects_report *report,
			     const char *title, const char *nobody,
			     const struct lode_explained_neighbour *at, size_t n)
{
	const struct lode_sheet_column columns[] = {
		{"failed", true}, {"of", true}, {"share", true}, {"mean", true}, {title, false}};
	struct lode_sheet *sheet = lode_sheet_new(columns, 5, indent);
	size_t n_shown = n < shown_neighbours ? n : shown_neighbours;
	char text[LODE_UNITS_BUFFER], name[name_bytes], label[name_bytes];

	for (size_t i = 0; i < n_shown; i++) {
		uint64_t counted = at[i].outcome.failed + at[i].outcome.succeeded;
		size_t row = lode_sheet_row(sheet);

		lode_sheet_set(sheet, row, 0, "%s", lode_format_count(text, at[i].outcome.failed));
		lode_sheet_set(sheet, row, 1, "%s", lode_format_count(text, counted));
		lode_sheet_set(sheet, row, 2, "%s",
			       lode_format_share(text, (int64_t)at[i].outcome.failed,
						 (int64_t)counted));
		lode_sheet_set(sheet, row, 3, "%s",
			       at[i].sum ? lode_format_sum(text, at[i].sum / at[i].n) : "-");
		if (at[i].frame == LODE_NONE)
			lode_sheet_set(sheet, row, 4, "%s", nobody);
		else
			lode_sheet_set(
				sheet, row, 4, "%s",
				lode_escape_fit(name, sizeof(name),
						lode_short_label(label, sizeof(label),
								 &report->suspects->tally.set->tree,
								 at[i].frame),
						48));
	}
	fputc('\n', out);
	lode_sheet_print(sheet, out, report->is_terminal);
	if (n_shown < n)
		fprintf(out, "  and %zu more\n", n - n_shown);
	lode_sheet_free(sheet);
}

/* ---- Where to look ---- */

/* "main › … › do_lstat › fstatat": both ends, as many of the inner frames as fit. */
static void put_stack(FILE *out, const struct lode_calltree *tree, uint32_t stack, size_t columns)
{
	size_t depth = tree->nodes.at[stack].depth, first = depth, width = 0;
	uint32_t *frames = lode_alloc((depth + 1) * sizeof(*frames));
	char label[name_bytes];

	lode_calltree_path(tree, stack, frames);
	while (first > 0) {
		size_t more = 3 + lode_escape_width(lode_short_label(label, sizeof(label), tree,
								     frames[first - 1]));

		if (width + more + 4 > columns && first < depth)
			break;
		width += more;
		first--;
	}
	fputs(first > 0 ? "… › " : "", out);
	for (size_t i = first; i < depth; i++)
		fprintf(out, "%s%s", i > first ? " › " : "",
			lode_short_label(label, sizeof(label), tree, frames[i]));
	fputs(depth ? "\n" : "no stack\n", out);
	free(frames);
}

static void print_worst(FILE *out, const struct lode_suspects_report *report,
			const struct lode_explanation *x)
{
	const struct lode_execution_set *set = report->suspects->tally.set;
	char a[LODE_UNITS_BUFFER], path[name_bytes], metric[name_bytes];

	if (!x->n_worst)
		return;
	fprintf(out, "\n  Its longest executions:\n");
	for (size_t i = 0; i < x->n_worst; i++) {
		const struct lode_execution *e = &x->worst[i];
		size_t width;

		lode_format_cost(a, e->value, "ns");
		width = lode_escape_width(a);
		fprintf(out, "  %*s%s  %s  thread %d at %lld.%09lld s  %s\n",
			(int)(width < 8 ? 8 - width : 0), "", a,
			lode_escape_fit(metric, sizeof(metric),
					report->suspects->tally.metrics.at[e->metric].name, 24),
			(int)e->tid, (long long)(e->start_ns / 1000000000),
			(long long)(e->start_ns % 1000000000),
			lode_escape_fit(path, sizeof(path), set->streams.at[e->stream], 40));
		fputs("            ", out);
		put_stack(out, &set->tree, e->stack, report->columns - 12);
	}
}

void lode_suspects_report_function(FILE *out, const struct lode_suspects_report *report,
				   const struct lode_explanation *x)
{
	const struct lode_suspects *s = report->suspects;
	const struct lode_suspect *f = x->suspect;
	char name[name_bytes], safe[name_bytes];

	lode_frame_full_name(&s->tally.set->tree, f->function->frame, name, sizeof(name));
	fprintf(out, "%s: rank %u of %zu by %s\n", lode_escape(safe, sizeof(safe), name), f->rank,
		s->functions.n, lode_suspect_order_name(s->options.order));
	print_scores(out, report, f);
	print_group(out, report, f);
	print_metrics(out, report, x);
	print_histograms(out, report, x);
	print_neighbours(out, report, "called by", "(nobody: it is the outermost)", x->callers.at,
			 x->callers.n);
	print_neighbours(out, report, "calls", "(nobody: it is the last)", x->callees.at,
			 x->callees.n);
	lode_suspects_print_contrasts(out, report, f);
	print_worst(out, report, x);
}

/* ---- All metrics ---- */

void lode_suspects_report_histograms(FILE *out, const struct lode_suspects_report *report)
{
	const struct lode_suspects *s = report->suspects;
	uint32_t *order = lode_suspects_metric_order(s);
	bool versus = lode_suspects_is_versus(report), is_first = true;
	char a[LODE_UNITS_BUFFER], b[LODE_UNITS_BUFFER], c[LODE_UNITS_BUFFER], name[name_bytes];

	for (size_t i = 0; i < s->tally.metrics.n; i++) {
		const struct lode_tally_metric *m = &s->tally.metrics.at[order[i]];
		const struct lode_moments *moments = &m->moments[LODE_SIDE_SUBJECT];
		struct lode_bars bars = {
			.histogram = m->histogram[LODE_SIDE_SUBJECT],
			.other = versus ? m->histogram[LODE_SIDE_OTHER] : NULL,
			.title = versus ? "slow" : "n",
			.other_title = "fast",
			.thresholds = versus || !m->is_labelled ? NULL : &m->thresholds,
			.unit = m->unit,
		};

		if (!bars.histogram)
			continue;
		fprintf(out, "%s%s: %s, mean %s, σ %s\n", is_first ? "" : "\n",
			lode_escape_fit(name, sizeof(name), m->name, 60),
			lode_format_plural(a, moments->n, "execution"),
			lode_format_cost(b, lode_moments_mean(moments), m->unit),
			lode_format_cost(c, lode_moments_std(moments), m->unit));
		lode_bars_print(out, &bars, report->columns);
		is_first = false;
	}
	free(order);
}
