#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "reports/common_part.h"
#include "reports/suspects_parts.h"
#include "reports/sheet.h"
#include "reports/units.h"

enum { shown_contrasts = 8, contrasts_per_leaf = 3, name_bytes = 2400 };

/* "47.5 % of 400" */
static void set_half(struct lode_sheet *sheet, size_t row, size_t column,
		     const struct lode_contrast_half *half)
{
	uint64_t n = half->outcome.failed + half->outcome.succeeded;
	char a[LODE_UNITS_BUFFER], b[LODE_UNITS_BUFFER];

	lode_sheet_set(sheet, row, column, "%s of %s",
		       lode_format_share(a, (int64_t)half->outcome.failed, (int64_t)n),
		       lode_format_count(b, n));
}

static const char *mean_of(char *buffer, const struct lode_contrast_half *half)
{
	return half->n ? lode_format_sum(buffer, half->sum / half->n) : "-";
}

/* "gobble_file › do_lstat": callers that always occur together there. */
static void set_callers(struct lode_sheet *sheet, const struct lode_calltree *tree, size_t row,
			size_t column, const struct lode_contrast *c, size_t room)
{
	char text[name_bytes] = "", label[name_bytes];
	size_t first = c->n_callers - 1, used = 0, width;

	/* The innermost ones, as many as fit. */
	width = lode_escape_width(lode_short_label(label, sizeof(label), tree, c->callers[first]));
	while (first > 0) {
		lode_short_label(label, sizeof(label), tree, c->callers[first - 1]);
		if (width + 5 + lode_escape_width(label) > room)
			break;
		width += 3 + lode_escape_width(label);
		first--;
	}
	if (first > 0)
		used = (size_t)snprintf(text, sizeof(text), "… ");
	for (size_t i = first; i < c->n_callers && used < sizeof(text); i++) {
		lode_short_label(label, sizeof(label), tree, c->callers[i]);
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
					 i > first ? " › " : "", label);
	}
	lode_sheet_set(sheet, row, column, "%s", lode_escape_fit(label, sizeof(label), text, room));
}

/* Stands at either end of it. */
static bool concerns(const struct lode_contrast *c, uint32_t frame)
{
	for (size_t i = 0; i < c->n_callers; i++) {
		if (c->callers[i] == frame)
			return true;
	}
	return c->leaf == frame;
}

struct choice {
	size_t chosen[shown_contrasts], n, n_significant;
};

/* The most significant ones, but few of one leaf. */
static void choose(struct choice *choice, const struct lode_suspects *s,
		   const struct lode_suspect *only)
{
	choice->n = choice->n_significant = 0;
	for (size_t i = 0; i < s->contrasts.n; i++) {
		const struct lode_contrast *c = &s->contrasts.at[i];
		size_t same = 0;

		/* One execution is an anecdote, however unlikely. */
		if (c->log_q > log(LODE_SUSPECTS_LEVEL) || c->with.outcome.failed < 2 ||
		    (only && !concerns(c, only->function->frame)))
			continue;
		choice->n_significant++;
		for (size_t k = 0; k < choice->n; k++)
			same += s->contrasts.at[choice->chosen[k]].leaf == c->leaf &&
				s->contrasts.at[choice->chosen[k]].metric == c->metric;
		if ((only || same < contrasts_per_leaf) && choice->n < shown_contrasts)
			choice->chosen[choice->n++] = i;
	}
}

void lode_suspects_print_contrasts(FILE *out, const struct lode_suspects_report *report,
				   const struct lode_suspect *only)
{
	bool versus = lode_suspects_is_versus(report);
	const struct lode_sheet_column columns[] = {
		{"last function", false},    {versus ? "slow with" : "failed with", true},
		{"without", true},	     {"mean with", true},
		{"without", true},	     {"q", true},
		{"with this caller", false},
	};
	const struct lode_suspects *s = report->suspects;
	const struct lode_calltree *tree = &s->tally.set->tree;
	struct lode_sheet *sheet = lode_sheet_new(columns, 7, 0);
	char text[LODE_UNITS_BUFFER], label[name_bytes], name[name_bytes];
	struct choice choice;
	size_t room;

	choose(&choice, s, only);
	for (size_t i = 0; i < choice.n; i++) {
		const struct lode_contrast *c = &s->contrasts.at[choice.chosen[i]];
		size_t row = lode_sheet_row(sheet);

		lode_short_label(label, sizeof(label), tree, c->leaf);
		lode_sheet_set(sheet, row, 0, "%s", lode_escape_fit(name, sizeof(name), label, 22));
		set_half(sheet, row, 1, &c->with);
		set_half(sheet, row, 2, &c->without);
		lode_sheet_set(sheet, row, 3, "%s", mean_of(text, &c->with));
		lode_sheet_set(sheet, row, 4, "%s", mean_of(text, &c->without));
		lode_sheet_set(sheet, row, 5, "%s", lode_format_log_p(text, c->log_q));
	}
	room = lode_sheet_fit(sheet, report->columns, 15, 6, NULL);
	for (size_t i = 0; i < choice.n; i++)
		set_callers(sheet, tree, i, 6, &s->contrasts.at[choice.chosen[i]], room);
	if (choice.n) {
		fprintf(out, "\nWhich caller makes the same call %s:\n",
			versus ? "one of slow recordings" : "slow");
		lode_sheet_print(sheet, out, report->is_terminal);
		if (choice.n_significant > choice.n)
			fprintf(out, "%zu more%s.\n", choice.n_significant - choice.n,
				only ? "" : "; --explain FUNCTION tells those of one");
	} else if (s->n_contrast_tests && !only) {
		fprintf(out,
			"\nNo caller makes the same call %s than its other callers do "
			"(%zu tests).\n",
			versus ? "more often one of slow recordings" : "slower",
			s->n_contrast_tests);
	}
	lode_sheet_free(sheet);
}
