/* The functions in the text of lode suspects, and the contrasts of their callers. */
#include <math.h>

#include "answers/suspects/text_parts.h"
#include "base/escape.h"
#include "answers/clusters/common_part.h"
#include "document/table.h"
#include "document/units.h"
#include "document/prose.h"

enum { name_bytes = 2400, least_room = 20 };

enum column {
	RANK,
	EXTRA,
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

static enum lode_suspect_order order_of(const struct lode_suspects_answer *answer)
{
	return answer->suspects->options.order;
}

static double score_of(const struct lode_suspects_answer *answer, const struct lode_suspect *f)
{
	switch (order_of(answer)) {
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
static bool has_key(const struct lode_suspects_answer *answer)
{
	enum lode_suspect_order order = order_of(answer);

	return order == LODE_ORDER_OCHIAI || order == LODE_ORDER_TARANTULA ||
	       order == LODE_ORDER_DSTAR || order == LODE_ORDER_IMPORTANCE;
}

static const char *format_key(char *buffer, const struct lode_suspects_answer *answer, double key)
{
	if (isinf(key))
		snprintf(buffer, LODE_UNITS_BUFFER, "∞");
	else if (key == 0)
		snprintf(buffer, LODE_UNITS_BUFFER, "0");
	else if (order_of(answer) == LODE_ORDER_DSTAR)
		snprintf(buffer, LODE_UNITS_BUFFER, key < 1000 ? "%.3g" : "%.0f", key);
	else
		snprintf(buffer, LODE_UNITS_BUFFER, has_key(answer) ? "%.3f" : "%+.3f", key);
	return buffer;
}

/* Where Increase is what it is by definition, that stands in the place of an interval. */
static void set_interval(struct lode_table *table, size_t row,
			 const struct lode_suspects_answer *answer,
			 const struct lode_suspects_function *f)
{
	const struct lode_evidence *e = &f->evidence;
	const struct lode_interval *ci = order_of(answer) == LODE_ORDER_IMPORTANCE
						 ? &f->of.scores.importance_ci
						 : &f->of.scores.increase_ci;

	if (e->o_failed + e->o_success == 0)
		lode_table_set(table, row, INTERVAL, "no evidence");
	else if (e->d_failed + e->d_success == 0)
		lode_table_set(table, row, INTERVAL, "never last");
	else if (e->d_failed == e->o_failed && e->d_success == e->o_success)
		lode_table_set(table, row, INTERVAL, "always last");
	else
		lode_table_set(table, row, INTERVAL, "%+.3f…%+.3f", ci->low, ci->high);
}

/* "function  module", and on further lines who always occurs together with it. */
static void set_function(struct lode_table *table, const struct lode_suspects_answer *answer,
			 size_t row, size_t column, const struct lode_suspect *f, size_t room,
			 size_t more_room)
{
	const struct lode_suspects *s = answer->suspects;
	const struct lode_calltree *tree = &s->tally.set->tree;
	char label[name_bytes], name[name_bytes], line[name_bytes], cell[2 * name_bytes + 40];
	size_t used = 0, left = f->n_group - 1;

	lode_short_label(name, sizeof(name), tree, f->function->frame);
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
	snprintf(cell, sizeof(cell), "%s%s%s%s", lode_escape_width(name) > room ? "\n" : "", name,
		 line[0] ? "\n┆ always with " : "", line);
	lode_table_set(table, row, column, "%s", cell);
}

/* One line to a group, at the place of its first. */
static bool is_line(const struct lode_suspects_answer *answer, size_t i)
{
	return answer->listed[i]->group == answer->listed[i]->rank;
}

/* Fills the last column, which is as wide as the others leave it, and prints all. */
static void print_with_names(FILE *out, const struct lode_suspects_answer *answer,
			     const struct lode_text_page *page, struct lode_table *table,
			     size_t narrow, size_t column)
{
	size_t more_room,
		room = lode_table_fit(table, page->columns, least_room, narrow, &more_room);

	for (size_t i = 0, row = 0; i < answer->n_listed; i++) {
		if (is_line(answer, i))
			set_function(table, answer, row++, column, answer->listed[i], room,
				     more_room);
	}
	lode_table_end(table, out, page);
}

/* "12.3 % of 5,594" */
static void set_slow_share(struct lode_table *table, size_t row, size_t column, uint64_t failed,
			   uint64_t n)
{
	char share[LODE_UNITS_BUFFER], count[LODE_UNITS_BUFFER];

	lode_table_set(table, row, column, "%s of %s",
		       lode_format_share(share, (int64_t)failed, (int64_t)n),
		       lode_format_count(count, n));
}

/* "70.2 %" of the extra time; "-": there is none. */
static const char *format_extra(char *buffer, double share)
{
	if (!(share > 0))
		return "-";
	return lode_format_pct(buffer, 100 * (share < 1 ? share : 1));
}

/* What goes with slow executions, without the scores of others. */
static void print_sure(FILE *out, const struct lode_suspects_answer *answer,
		       const struct lode_text_page *page)
{
	static const struct lode_table_column columns[] = {
		{"slow time", true, 0}, {"slow with it", true, 0}, {"without", true, 2},
		{"q", true, 0},		{"mean", true, 1},	   {"function", false, 0},
	};
	struct lode_table *table = lode_table_new(columns, 6, 0);
	uint64_t n_all = answer->sides[LODE_SIDE_SUBJECT].n_executions;
	struct lode_suspects_function f;
	char text[LODE_UNITS_BUFFER];

	for (size_t i = 0; i < answer->n_listed; i++) {
		uint64_t n, failed;
		size_t row;

		if (!is_line(answer, i))
			continue;
		lode_suspects_function_at(&f, answer, i);
		n = f.of.function->n[LODE_SIDE_SUBJECT];
		failed = f.evidence.o_failed;
		row = lode_table_row(table);
		lode_table_set(table, row, 0, "%s", format_extra(text, f.extra_share));
		set_slow_share(table, row, 1, failed, n);
		set_slow_share(table, row, 2, answer->all.failed - failed, n_all - n);
		lode_table_set(table, row, 3, "%s", lode_format_log_p(text, f.chance.log10_q));
		if (f.values.n)
			lode_table_set_cost(table, row, 4, f.values.mean, "ns");
	}
	print_with_names(out, answer, page, table, 0, 5);
}

static void set_function_numbers(struct lode_table *table,
				 const struct lode_suspects_answer *answer,
				 const struct lode_suspects_function *f, bool has_score)
{
	const struct lode_evidence *e = &f->evidence;
	char text[LODE_UNITS_BUFFER];
	size_t row = lode_table_row(table), by = has_score ? 0 : 2;

	lode_table_set(table, row, RANK, "%u", f->of.rank);
	lode_table_set(table, row, EXTRA, "%s", format_extra(text, f->extra_share));
	if (has_score) {
		lode_table_set(table, row, KEY, "%s",
			       format_key(text, answer, score_of(answer, &f->of)));
		set_interval(table, row, answer, f);
	}
	lode_table_set(table, row, FAILURE - by, "%.3f", f->of.scores.failure);
	lode_table_set(table, row, CONTEXT - by, "%.3f", f->of.scores.context);
	lode_table_set_count(table, row, FAILED - by, e->o_failed);
	lode_table_set_count(table, row, OF - by, e->o_failed + e->o_success);
	lode_table_set(table, row, Q - by, "%s", lode_format_log_p(text, f->chance.log10_q));
	if (!f->values.n)
		return;
	lode_table_set_cost(table, row, MEAN - by, f->values.mean, "ns");
	lode_table_set_cost(table, row, STD - by, f->values.std, "ns");
}

/* Increase is 0 of what is always last, and of what never failed: a column of zeros says nothing.
 */
static bool has_increase(const struct lode_suspects_answer *answer)
{
	char text[LODE_UNITS_BUFFER];
	bool is_any = has_key(answer) || order_of(answer) == LODE_ORDER_INCREASE;

	for (size_t i = 0; i < answer->n_listed && !is_any; i++) {
		snprintf(text, sizeof(text), "%.3f", answer->listed[i]->scores.increase);
		is_any = strcmp(text, "0.000") != 0 && strcmp(text, "-0.000") != 0;
	}
	return is_any;
}

void lode_suspects_print_functions(FILE *out, const struct lode_suspects_answer *answer,
				   const struct lode_text_page *page)
{
	struct lode_table_column all[n_columns] = {
		[RANK] = {"#", true},
		[EXTRA] = {"slow time", true},
		[KEY] = {"Increase", true},
		[INTERVAL] = {"95 %", true, 3},
		[FAILURE] = {"Failure", true, 4},
		[CONTEXT] = {"Context", true, 4},
		[FAILED] = {"slow", true},
		[OF] = {"of", true},
		[Q] = {"q", true},
		[MEAN] = {"mean", true, 2},
		[STD] = {"σ", true, 1},
		[FUNCTION] = {"function", false},
	};
	/* Without Increase the columns begin two later; the first two take their places. */
	bool has_score = has_increase(answer);
	struct lode_table_column *columns = has_score ? all : &all[2];
	struct lode_suspects_function f;
	struct lode_table *table;

	if (answer->are_sure) {
		print_sure(out, answer, page);
		return;
	}
	if (has_key(answer))
		all[KEY].title = answer->order;
	if (!has_score) {
		all[KEY] = all[RANK];
		all[INTERVAL] = all[EXTRA];
	}
	table = lode_table_new(columns, n_columns - (has_score ? 0 : 2), 0);
	for (size_t i = 0; i < answer->n_listed; i++) {
		if (!is_line(answer, i))
			continue;
		lode_suspects_function_at(&f, answer, i);
		set_function_numbers(table, answer, &f, has_score);
	}
	print_with_names(out, answer, page, table, has_score ? FAILURE : FAILURE - 2,
			 has_score ? FUNCTION : FUNCTION - 2);
	if (!has_score && answer->n_listed)
		lode_prose(out, page, 2,
			   "Increase is 0 for all of them, as each is always last; --sort increase "
			   "gives the paper's order.\n");
}

void lode_suspects_print_functions_of_sides(FILE *out, const struct lode_suspects_answer *answer,
					    const struct lode_text_page *page)
{
	static const struct lode_table_column columns[] = {
		{"#", true},	   {"extra time", true}, {"excess", true, 3},
		{"calls A", true}, {"B", true},		 {"time A", true, 2},
		{"B", true, 2},	   {"q", true, 1},	 {"function", false},
	};
	struct lode_table *table = lode_table_new(columns, 9, 0);
	struct lode_suspects_function f;
	char text[LODE_UNITS_BUFFER];

	for (size_t i = 0; i < answer->n_listed; i++) {
		size_t row;

		if (!is_line(answer, i))
			continue;
		lode_suspects_function_at(&f, answer, i);
		row = lode_table_row(table);
		lode_table_set(table, row, 0, "%u", f.of.rank);
		lode_table_set(table, row, 1, "%s", format_extra(text, f.extra_share));
		if (f.of.excess.low <= -1)
			lode_table_set(table, row, 2, "-");
		else
			/* Never rounded up to what it is not known to be. */
			lode_table_set(table, row, 2, "≥ %.1f %%",
				       floor(1000 * f.of.excess.low) / 10);
		lode_suspects_set_sides(table, row, 3, &f.pace, "ns");
		lode_table_set(table, row, 7, "%s", lode_format_log_p(text, f.chance.log10_q));
	}
	print_with_names(out, answer, page, table, 2, 8);
}

/* ---- Contrasts ---- */

static void set_half(struct lode_table *table, size_t row, size_t column,
		     const struct lode_suspects_part *half)
{
	set_slow_share(table, row, column, half->n_failed, half->n);
}

static const char *format_mean(char *buffer, const struct lode_suspects_part *half,
			       const char *unit)
{
	return half->n ? lode_format_cost(buffer, half->mean, unit) : "-";
}

/* "gobble_file › do_lstat": callers that always occur together there. */
static void set_callers(struct lode_table *table, const struct lode_calltree *tree, size_t row,
			size_t column, const struct lode_suspects_contrast *c, size_t room)
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
	lode_table_set_name(table, row, column, text, room);
}

/* Of a system call the function says which metric it is. */
static bool has_metrics(const struct lode_suspects_answer *answer,
			const struct lode_suspects_choice *choice)
{
	struct lode_suspects_contrast c;

	for (size_t i = 0; i < choice->n; i++) {
		lode_suspects_contrast_at(&c, answer, choice->at[i]);
		if (c.metric && strncmp(c.metric, "syscall:", 8) != 0)
			return true;
	}
	return false;
}

void lode_suspects_print_contrasts(FILE *out, const struct lode_suspects_answer *answer,
				   const struct lode_text_page *page,
				   const struct lode_suspects_choice *choice, bool only)
{
	bool versus = answer->is_versus;
	struct lode_table_column columns[] = {
		{"metric", false, 3}, {"last function", false}, {"slow with", true},
		{"between", true, 5}, {"without", true, 5},	{"mean with", true, 2},
		{"without", true, 1}, {"q", true, 4},		{"with this caller", false},
	};
	const struct lode_calltree *tree = lode_suspects_tree(answer);
	/* Of two sets no call is in between. */
	size_t room, by = has_metrics(answer, choice) ? 0 : 1, end = (versus ? 7 : 8) - by;
	struct lode_table *table;
	char text[LODE_UNITS_BUFFER], label[name_bytes];
	struct lode_suspects_contrast c;

	if (versus)
		memmove(&columns[3], &columns[4], 5 * sizeof(*columns));
	table = lode_table_new(&columns[by], end + 1, 0);
	for (size_t i = 0; i < choice->n; i++) {
		size_t row = lode_table_row(table);

		lode_suspects_contrast_at(&c, answer, choice->at[i]);
		lode_short_label(label, sizeof(label), tree, c.leaf);
		if (!by)
			lode_table_set(table, row, 0, "%s", c.metric ? c.metric : "");
		lode_table_set(table, row, 1 - by, "%s", label);
		set_half(table, row, 2 - by, &c.with);
		if (!versus)
			set_slow_share(table, row, end - 5,
				       c.with.n - c.with.n_failed - c.with.n_succeeded, c.with.n);
		set_half(table, row, end - 4, &c.without);
		lode_table_set(table, row, end - 3, "%s", format_mean(text, &c.with, c.unit));
		lode_table_set(table, row, end - 2, "%s", format_mean(text, &c.without, c.unit));
		lode_table_set(table, row, end - 1, "%s",
			       lode_format_log_p(text, c.chance.log10_q));
	}
	room = lode_table_fit(table, page->columns, 24, 1, NULL);
	for (size_t i = 0; i < choice->n; i++) {
		lode_suspects_contrast_at(&c, answer, choice->at[i]);
		set_callers(table, tree, i, end, &c, room);
	}
	if (choice->n) {
		fprintf(out, "\nWhich caller makes the same call %s:\n",
			versus ? "more frequent in A" : "slow");
		lode_table_print(table, out, page->has_color);
		if (choice->n_significant > choice->n)
			fprintf(out, "%zu more%s.\n", choice->n_significant - choice->n,
				only ? "" : "; --explain FUNCTION lists those of one");
	} else if (answer->n_contrast_tests && !only) {
		lode_prose(out, page, 2,
			   "\nNo caller makes the same call %s than its other callers do "
			   "(%zu tests).\n",
			   versus ? "more frequent in A" : "slower", answer->n_contrast_tests);
	}
	lode_table_free(table);
}
