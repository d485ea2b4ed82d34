/* One function of lode suspects in full. */
#include <math.h>

#include "answers/suspects/text_parts.h"
#include "base/escape.h"
#include "answers/clusters/common_part.h"
#include "document/prose.h"
#include "document/recording_names.h"
#include "document/table.h"
#include "document/units.h"

enum { shown_histograms = 3, shown_neighbours = 8, least_name = 20, name_bytes = 2400, indent = 2 };

/* ---- What it comes to ---- */

static void print_scores(FILE *out, const struct lode_suspects_answer *answer,
			 const struct lode_suspects_explained *x)
{
	const struct lode_suspect *f = &x->of;
	const struct lode_evidence *e = &f->function->evidence;
	const struct lode_scores *sc = &f->scores;
	bool versus = answer->is_versus;
	const char *failed = versus ? "in A" : "slow";
	char a[LODE_UNITS_BUFFER], b[LODE_UNITS_BUFFER], c[LODE_UNITS_BUFFER];

	fprintf(out, "\n  last function  %s of %s %s: Failure %.4f\n",
		lode_format_count(a, e->d_failed), lode_format_count(b, e->d_failed + e->d_success),
		failed, sc->failure);
	fprintf(out, "  occurs         %s of %s %s: Context %.4f\n",
		lode_format_count(a, e->o_failed), lode_format_count(b, e->o_failed + e->o_success),
		failed, sc->context);
	fprintf(out, "  all            %s of %s %s\n", lode_format_count(a, answer->all.failed),
		lode_format_count(b, answer->all.failed + answer->all.succeeded), failed);
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
	fprintf(out, "  significance   p = %s; q = %s, corrected for all %zu groups\n",
		lode_format_log_p(a, x->chance.log10_p), lode_format_log_p(c, x->chance.log10_q),
		answer->n_groups);
	if (versus)
		fprintf(out,
			"  excess         %.1f %% of its calls, %.1f %% of their time is not in "
			"fast recordings\n",
			100 * f->excess.calls, 100 * f->excess.time);
}

static void print_companions(FILE *out, const struct lode_suspects_answer *answer,
			     const struct lode_suspect *f)
{
	const struct lode_suspects *s = answer->suspects;
	char name[name_bytes];
	bool is_first = true;

	if (f->n_group < 2)
		return;
	fputs("  always with    ", out);
	for (size_t i = 0; i < s->functions.n; i++) {
		if (s->ranked[i].group != f->group || s->ranked[i].rank == f->rank)
			continue;
		fprintf(out, "%s%s", is_first ? "" : ", ",
			lode_short_label(name, sizeof(name), &s->tally.set->tree,
					 s->ranked[i].function->frame));
		is_first = false;
	}
	fputc('\n', out);
}

/* ---- Metrics, with it and without ---- */

static void set_outcome(struct lode_table *table, size_t row, size_t column,
			const struct lode_suspects_explained_half *half, const char *unit)
{
	const struct lode_suspects_values *values = &half->values;
	uint64_t n = half->outcome.failed + half->outcome.succeeded;
	char text[LODE_UNITS_BUFFER];

	lode_table_set(table, row, column, "%s",
		       n ? lode_format_share(text, (int64_t)half->outcome.failed, (int64_t)n)
			 : "-");
	lode_table_set_count(table, row, column + 1, values->n);
	lode_table_set(table, row, column + 2, "%s",
		       values->n ? lode_format_cost(text, values->mean, unit) : "-");
	lode_table_set(table, row, column + 3, "%s",
		       values->n ? lode_format_cost(text, values->std, unit) : "-");
}

static void print_outcomes(FILE *out, const struct lode_suspects_explained *x,
			   const struct lode_text_page *page)
{
	static const struct lode_table_column columns[] = {
		{"metric", false}, {"slow with", true}, {"n", true, 2},
		{"mean", true},	   {"σ", true, 1},	{"slow without", true},
		{"n", true, 2},	   {"mean", true},	{"σ", true, 1},
	};
	struct lode_table *table = lode_table_new(columns, 9, indent);

	for (size_t i = 0; i < x->n_metrics && i < shown_neighbours; i++) {
		const struct lode_suspects_explained_metric *m = &x->metrics[i];
		size_t row = lode_table_row(table);

		lode_table_set_text(table, row, 0, m->metric, 24);
		set_outcome(table, row, 1, &m->with, m->unit);
		set_outcome(table, row, 5, &m->without, m->unit);
	}
	fputc('\n', out);
	lode_table_fit(table, page->columns, 8, 8, NULL);
	lode_table_end(table, out, page);
}

static void print_histograms(FILE *out, const struct lode_suspects_explained *x,
			     const struct lode_text_page *page)
{
	char name[name_bytes];

	for (size_t i = 0; i < x->n_metrics && i < shown_histograms; i++) {
		const struct lode_suspects_explained_metric *m = &x->metrics[i];
		struct lode_bars bars = {
			.histogram = m->with.values.histogram,
			.other = m->without.values.n ? m->without.values.histogram : NULL,
			.title = "with",
			.other_title = "without",
			.thresholds = m->thresholds,
			.unit = m->unit,
		};

		if (!m->with.values.n)
			continue;
		fprintf(out, "\n  %s, with it in the stack%s\n",
			lode_escape_fit(name, sizeof(name), m->metric, 60),
			bars.other ? " and without (each on its own scale)" : "");
		lode_bars_print(out, &bars, page->columns);
	}
}

/* ---- Who calls it, whom it calls ---- */

static void print_neighbours(FILE *out, const struct lode_suspects_answer *answer,
			     const struct lode_text_page *page, const char *title,
			     const char *at_the_end, const struct lode_suspects_part *at, size_t n)
{
	const struct lode_table_column columns[] = {
		{"slow", true}, {"of", true}, {"share", true}, {"mean", true}, {title, false}};
	struct lode_table *table = lode_table_new(columns, 5, indent);
	size_t n_shown = n < shown_neighbours ? n : shown_neighbours;
	char text[LODE_UNITS_BUFFER], label[name_bytes];

	for (size_t i = 0; i < n_shown; i++) {
		uint64_t counted = at[i].n_failed + at[i].n_succeeded;
		size_t row = lode_table_row(table);

		lode_table_set_count(table, row, 0, at[i].n_failed);
		lode_table_set_count(table, row, 1, counted);
		lode_table_set_share(table, row, 2, (int64_t)at[i].n_failed, (int64_t)counted);
		lode_table_set(table, row, 3, "%s",
			       at[i].total ? lode_format_cost(text, at[i].mean, "ns") : "-");
		if (at[i].frame == LODE_NONE)
			lode_table_set(table, row, 4, "%s", at_the_end);
		else
			lode_table_set_name(table, row, 4,
					    lode_short_label(label, sizeof(label),
							     lode_suspects_tree(answer),
							     at[i].frame),
					    page->columns - 44);
	}
	fputc('\n', out);
	lode_table_fit(table, page->columns, least_name, 0, NULL);
	lode_table_end(table, out, page);
	if (n_shown < n)
		fprintf(out, "  and %zu more\n", n - n_shown);
}

/* ---- Where to look ---- */

/* "main › … › do_lstat › fstatat": both ends, as many of the inner frames as fit. */
static void put_stack(FILE *out, const struct lode_calltree *tree,
		      const struct lode_suspects_worst *worst, size_t columns)
{
	size_t first = worst->n_frames, width = 0;
	char label[name_bytes];

	while (first > 0) {
		size_t more = 3 + lode_escape_width(lode_short_label(label, sizeof(label), tree,
								     worst->frames[first - 1]));

		if (width + more + 4 > columns && first < worst->n_frames)
			break;
		width += more;
		first--;
	}
	fputs(first > 0 ? "… › " : "", out);
	for (size_t i = first; i < worst->n_frames; i++)
		fprintf(out, "%s%s", i > first ? " › " : "",
			lode_short_label(label, sizeof(label), tree, worst->frames[i]));
	fputs(worst->n_frames ? "\n" : "no stack\n", out);
}

static void print_worst(FILE *out, const struct lode_suspects_answer *answer,
			const struct lode_suspects_explained *x, const struct lode_text_page *page)
{
	char a[LODE_UNITS_BUFFER], path[name_bytes], metric[name_bytes], **names;

	if (!x->n_worst)
		return;
	names = LODE_RECORDING_NAMES(x->worst, x->n_worst, stream);
	fprintf(out, "\n"
		     "  Longest calls with it:\n");
	for (size_t i = 0; i < x->n_worst; i++) {
		const struct lode_suspects_worst *e = &x->worst[i];
		size_t width;

		lode_format_cost(a, e->value, "ns");
		width = lode_escape_width(a);
		lode_prose(out, page, 12, "  %*s%s  %s  thread %d at %lld.%09lld s  %s\n",
			   (int)(width < 8 ? 8 - width : 0), "", a,
			   lode_escape_fit(metric, sizeof(metric), e->metric, 24), (int)e->tid,
			   (long long)(e->start_ns / 1000000000),
			   (long long)(e->start_ns % 1000000000),
			   lode_escape_fit(path, sizeof(path), names[i], 40));
		fputs("            ", out);
		put_stack(out, lode_suspects_tree(answer), e, page->columns - 12);
	}
	free(names);
}

void lode_suspects_explained_text(FILE *out, const struct lode_suspects_answer *answer,
				  const struct lode_text_page *page)
{
	const struct lode_suspects_explained *x = answer->explained;
	char name[name_bytes], safe[name_bytes];
	struct lode_prose prose;
	FILE *words;

	lode_opening_put(out, &answer->opening, page);
	fputc('\n', out);
	lode_frame_full_name(lode_suspects_tree(answer), x->frame, name, sizeof(name));
	fprintf(out, "%s: rank %u of %zu by %s\n", lode_escape(safe, sizeof(safe), name),
		x->of.rank, answer->n_functions, answer->order);
	words = lode_prose_open(&prose);
	print_scores(words, answer, x);
	print_companions(words, answer, &x->of);
	lode_prose_close(out, page, 17, &prose);
	print_outcomes(out, x, page);
	print_histograms(out, x, page);
	print_neighbours(out, answer, page, "called by", "(none: it is the outermost)", x->callers,
			 x->n_callers);
	print_neighbours(out, answer, page, "calls", "(none: it is the last)", x->callees,
			 x->n_callees);
	lode_suspects_print_contrasts(out, answer, page, &x->contrasts, true);
	print_worst(out, answer, x, page);
}
