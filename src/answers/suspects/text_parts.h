/*
 * Parts that the texts of lode suspects are made of. Inside of answers/suspects only.
 */
#pragma once

#include "answers/suspects/suspects.h"

/* ---- Tables ---- */

typedef void lode_suspects_print(FILE *out, const struct lode_suspects_answer *answer,
				 const struct lode_text_page *page);
lode_suspects_print lode_suspects_print_metrics, lode_suspects_print_metrics_of_sides;
lode_suspects_print lode_suspects_print_functions, lode_suspects_print_functions_of_sides;
/* `only`: of one function. */
void lode_suspects_print_contrasts(FILE *out, const struct lode_suspects_answer *answer,
				   const struct lode_text_page *page,
				   const struct lode_suspects_choice *choice, bool only);

/* ---- What they share ---- */

static inline const struct lode_calltree *
lode_suspects_tree(const struct lode_suspects_answer *answer)
{
	return &answer->suspects->tally.set->tree;
}

struct lode_table;
/* Four cells from `column` on: calls and time of one recording, of slow ones and of fast ones. */
void lode_suspects_set_sides(struct lode_table *table, size_t row, size_t column,
			     const struct lode_suspects_pace *pace, const char *unit);

/* Bars, one line to a bucket; `other` (may be NULL) stands beside them. */
struct lode_bars {
	const struct lode_latency_histogram *histogram, *other;
	const char *title, *other_title;	  /* of the columns */
	const struct lode_thresholds *thresholds; /* NULL: none */
	const char *unit;
};
void lode_bars_print(FILE *out, const struct lode_bars *bars, unsigned columns);
