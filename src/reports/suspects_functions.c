#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "reports/common_part.h"
#include "reports/suspects_parts.h"
#include "reports/sheet.h"
#include "reports/units.h"

enum { name_bytes = 2400, least_room = 20 };

enum column {
	RANK,
	KEY,
	INTERVAL,
	FAILURE,
	CONTEXT,
	FAILED,
	OF,
	Q,
	MEAN,
	STD,
	FUNCTION,
	n_columns
};

static double key_of(const struct lode_suspects *s, const struct lode_suspect *f)
{
	switch (s->options.order) {
	case LODE_ORDER_OCHIAI:
		return f->scores.ochiai;
	case LODE_ORDER_TARANTULA:
		return f->scores.tarantula;
	case LODE_ORDER_DSTAR:
		return f->scores.dstar;
	case LODE_ORDER_IMPORTANCE:
		return f->scores.importance;
	default:
		return f->scores.increase;
	}
}

/* Ranked by something that has no column of its own. */
static bool has_key(const struct lode_suspects *s)
{
	return s->options.order == LODE_ORDER_OCHIAI || s->options.order == LODE_ORDER_TARANTULA ||
	       s->options.order == LODE_ORDER_DSTAR || s->options.order == LODE_ORDER_IMPORTANCE;
}

static const char *format_key(char *buffer, const struct lode_suspects *s, double key)
{
	if (isinf(key))
		snprintf(buffer, LODE_UNITS_BUFFER, "∞");
	else if (key == 0)
		snprintf(buffer, LODE_UNITS_BUFFER, "0");
	else if (s->options.order == LODE_ORDER_DSTAR)
		snprintf(buffer, LODE_UNITS_BUFFER, key < 1000 ? "%.3g" : "%.0f", key);
	else
		snprintf(buffer, LODE_UNITS_BUFFER, has_key(s) ? "%.3f" : "%+.3f", key);
	return buffer;
}

/* Where Increase is what it is by definition, that stands in the place of an interval. */
static void set_interval(struct lode_sheet *sheet, size_t row, const struct lode_suspects *s,
			 const struct lode_suspect *f)
{
	const struct lode_evidence *e = &f->function->evidence;
	const struct lode_interval *ci = s->options.order == LODE_ORDER_IMPORTANCE
						 ? &f->scores.importance_ci
						 : &f->scores.increase_ci;

	if (e->o_failed + e->o_success == 0)
		lode_sheet_set(sheet, row, INTERVAL, "no evidence");
	else if (e->d_failed + e->d_success == 0)
		lode_sheet_set(sheet, row, INTERVAL, "never last");
	else if (e->d_failed == e->o_failed && e->d_success == e->o_success)
		lode_sheet_set(sheet, row, INTERVAL, "always last");
	else
		lode_sheet_set(sheet, row, INTERVAL, "%+.3f…%+.3f", ci->low, ci->high);
}

static void set_numbers(struct lode_sheet *sheet, const struct lode_suspects_report *report,
			const struct lode_suspect *f)
{
	const struct lode_suspects *s = report->suspects;
	const struct lode_evidence *e = &f->function->evidence;
	const struct lode_moments *m = &f->function->moments[LODE_SIDE_SUBJECT];
	char text[LODE_UNITS_BUFFER];
	size_t row = lode_sheet_row(sheet);

	lode_sheet_set(sheet, row, RANK, "%u", f->rank);
	lode_sheet_set(sheet, row, KEY, "%s", format_key(text, s, key_of(s, f)));
	set_interval(sheet, row, s, f);
	lode_sheet_set(sheet, row, FAILURE, "%.3f", f->scores.failure);
	lode_sheet_set(sheet, row, CONTEXT, "%.3f", f->scores.context);
	lode_sheet_set(sheet, row, FAILED, "%s", lode_format_count(text, e->o_failed));
	lode_sheet_set(sheet, row, OF, "%s", lode_format_count(text, e->o_failed + e->o_success));
	lode_sheet_set(sheet, row, Q, "%s", lode_format_log_p(text, f->log_q));
	if (!m->n)
		return;
	lode_sheet_set(sheet, row, MEAN, "%s", lode_format_cost(text, lode_moments_mean(m), "ns"));
	lode_sheet_set(sheet, row, STD, "%s", lode_format_cost(text, lode_moments_std(m), "ns"));
}

/* "function  module", and on further lines who always occurs together with it. */
static void set_function(struct lode_sheet *sheet, const struct lode_suspects_report *report,
			 size_t row, size_t column, const struct lode_suspect *f, size_t room,
			 size_t more_room)
{
	const struct lode_suspects *s = report->suspects;
	const struct lode_calltree *tree = &s->tally.set->tree;
	char label[name_bytes], name[name_bytes], line[name_bytes];
	size_t used = 0, left = f->n_group - 1;

	lode_short_label(label, sizeof(label), tree, f->function->frame);
	lode_escape_fit(name, sizeof(name), label, room);
	line[0] = '\0';
	for (size_t i = f->rank; left && i < s->functions.n; i++) {
		if (s->ranked[i].group != f->rank)
			continue;
		lode_short_label(label, sizeof(label), tree, s->ranked[i].function->frame);
		if (used + strlen(label) + 40 > sizeof(line) ||
		    lode_escape_width(line) + lode_escape_width(label) + 20 > more_room)
			break;
		used += (size_t)snprintf(line + used, sizeof(line) - used, "%s%s", used ? ", " : "",
					 label);
		left--;
	}
	if (left && used)
		snprintf(line + used, sizeof(line) - used, " and %zu more", left);
	else if (left)
		snprintf(line, sizeof(line), "%zu others", left);
	lode_sheet_set(sheet, row, column, "%s%s%s", name, line[0] ? "\n┆ always with " : "", line);
}

static bool is_line(const struct lode_suspects_report *report, const struct lode_suspect *f)
{
	/* One line to a group, at the place of its first. */
	return f->group == f->rank &&
	       (!report->has_min_increase || f->scores.increase >= report->min_increase);
}

void lode_suspects_print_functions(FILE *out, const struct lode_suspects_report *report)
{
	const struct lode_suspects *s = report->suspects;
	struct lode_sheet_column columns[n_columns] = {
		[RANK] = {"#", true},
		[KEY] = {"Increase", true},
		[INTERVAL] = {"95 %", true, 3},
		[FAILURE] = {"Failure", true, 4},
		[CONTEXT] = {"Context", true, 4},
		[FAILED] = {"failed", true},
		[OF] = {"of", true},
		[Q] = {"q", true},
		[MEAN] = {"mean", true, 2},
		[STD] = {"σ", true, 1},
		[FUNCTION] = {"function", false},
	};
	size_t n = lode_suspects_n_shown(report), row = 0, room, more_room;
	struct lode_sheet *sheet;

	if (has_key(s))
		columns[KEY].title = lode_suspect_order_name(s->options.order);
	sheet = lode_sheet_new(columns, n_columns, 0);
	for (size_t i = 0; i < n; i++) {
		if (is_line(report, &s->ranked[i]))
			set_numbers(sheet, report, &s->ranked[i]);
	}
	room = lode_sheet_fit(sheet, report->columns, least_room, FAILURE, &more_room);
	for (size_t i = 0; i < n; i++) {
		if (is_line(report, &s->ranked[i]))
			set_function(sheet, report, row++, FUNCTION, &s->ranked[i], room,
				     more_room);
	}
	lode_sheet_print(sheet, out, report->is_terminal);
	lode_sheet_free(sheet);
}

void lode_suspects_print_functions_of_sides(FILE *out, const struct lode_suspects_report *report)
{
	static const struct lode_sheet_column columns[] = {
		{"#", true},	     {"excess", true}, {"calls slow", true}, {"fast", true},
		{"time slow", true}, {"fast", true},   {"q", true, 1},	     {"function", false},
	};
	const struct lode_suspects *s = report->suspects;
	size_t n = lode_suspects_n_shown(report), room, more_room, row = 0;
	struct lode_sheet *sheet = lode_sheet_new(columns, 8, 0);
	char text[LODE_UNITS_BUFFER];

	for (size_t i = 0; i < n; i++) {
		const struct lode_suspect *f = &s->ranked[i];

		if (!is_line(report, f))
			continue;
		row = lode_sheet_row(sheet);
		lode_sheet_set(sheet, row, 0, "%u", f->rank);
		if (f->excess.low <= -1)
			lode_sheet_set(sheet, row, 1, "-");
		else
			/* Never rounded up to what it is not known to be. */
			lode_sheet_set(sheet, row, 1, "≥ %.1f %%",
				       floor(1000 * f->excess.low) / 10);
		lode_suspects_set_sides(sheet, s, row, 2, f->function->n, f->function->moments,
					"ns");
		lode_sheet_set(sheet, row, 6, "%s", lode_format_log_p(text, f->log_q));
	}
	room = lode_sheet_fit(sheet, report->columns, least_room, 2, &more_room);
	row = 0;
	for (size_t i = 0; i < n; i++) {
		if (is_line(report, &s->ranked[i]))
			set_function(sheet, report, row++, 7, &s->ranked[i], room, more_room);
	}
	lode_sheet_print(sheet, out, report->is_terminal);
	lode_sheet_free(sheet);
}
