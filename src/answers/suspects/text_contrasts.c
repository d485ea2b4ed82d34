/* The contrasts in the texts of lode suspects. */
#include "answers/suspects/text_parts.h"
#include "base/escape.h"
#include "answers/clusters/common_part.h"
#include "document/prose.h"
#include "document/table.h"
#include "document/units.h"

enum { name_bytes = 2400 };

/* "47.5 % of 400" */
static void set_half(struct lode_table *table, size_t row, size_t column,
		     const struct lode_suspects_part *half)
{
	uint64_t n = half->n_failed + half->n_succeeded;
	char a[LODE_UNITS_BUFFER], b[LODE_UNITS_BUFFER];

	lode_table_set(table, row, column, "%s of %s",
		       lode_format_share(a, (int64_t)half->n_failed, (int64_t)n),
		       lode_format_count(b, n));
}

static const char *format_mean(char *buffer, const struct lode_suspects_part *half)
{
	return half->n ? lode_format_cost(buffer, half->mean, "ns") : "-";
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

void lode_suspects_print_contrasts(FILE *out, const struct lode_suspects_answer *answer,
				   const struct lode_text_page *page,
				   const struct lode_suspects_choice *choice, bool only)
{
	bool versus = answer->is_versus;
	const struct lode_table_column columns[] = {
		{"last function", false},    {"slow with", true},  {"without", true, 4},
		{"mean with", true, 2},	     {"without", true, 1}, {"q", true, 3},
		{"with this caller", false},
	};
	const struct lode_calltree *tree = lode_suspects_tree(answer);
	struct lode_table *table = lode_table_new(columns, 7, 0);
	char text[LODE_UNITS_BUFFER], label[name_bytes];
	struct lode_suspects_contrast c;
	size_t room;

	for (size_t i = 0; i < choice->n; i++) {
		size_t row = lode_table_row(table);

		lode_suspects_contrast_at(&c, answer, choice->at[i]);
		lode_short_label(label, sizeof(label), tree, c.leaf);
		lode_table_set(table, row, 0, "%s", label);
		set_half(table, row, 1, &c.with);
		set_half(table, row, 2, &c.without);
		lode_table_set(table, row, 3, "%s", format_mean(text, &c.with));
		lode_table_set(table, row, 4, "%s", format_mean(text, &c.without));
		lode_table_set(table, row, 5, "%s", lode_format_log_p(text, c.chance.log10_q));
	}
	room = lode_table_fit(table, page->columns, 24, 1, NULL);
	for (size_t i = 0; i < choice->n; i++) {
		lode_suspects_contrast_at(&c, answer, choice->at[i]);
		set_callers(table, tree, i, 6, &c, room);
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
