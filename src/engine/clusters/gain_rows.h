/*
 * What is gained by aligning the beginnings of one pattern P with those of others, over leaving out
 * all functions of both: a row for each beginning of Q, a column for each of P.
 *
 *            main  open  read
 *        0    0     0     0      G(i, k) = max of G(i - 1, k), G(i, k - 1)
 *   main 0    2     2     2                and G(i - 1, k - 1) + 2 - Sub of the two functions
 *   stat 0    2     2     2
 *
 * The cost of an alignment (similarity.h) is then i + k - G(i, k). In this form nothing is added
 * from one column to the next, so that 4 or 8 columns are made at once. Numbers are whole ones that
 * a double holds exactly; a match gains one of the smallest units more than a substitution that
 * costs nothing.
 */
#pragma once

#include "engine/clusters/places.h"
#include "engine/clusters/reach.h"
#include "engine/clusters/subtable.h"

/* One thread's. */
struct lode_gain_rows {
	const struct lode_sub_table *subs; /* borrowed */
	double *gain_of;		   /* per code of `subs` */
	enum lode_reach_kind kind;
	size_t pitch; /* of rows and profiles */
	double *row;  /* of each beginning of Q; row 0 is that of none */

	/* P, and what its functions gain with one function each: a profile. */
	const uint32_t *column;
	uint32_t n;
	uint32_t n_profiles;
	double *profile;
	uint32_t *profile_of; /* the function that it is of; LODE_NONE */
};

/* For patterns of `longest` functions at most. `kind`: no better than the machine's best. */
void lode_gain_rows_init(struct lode_gain_rows *rows, const struct lode_sub_table *subs,
			 uint32_t longest, enum lode_reach_kind kind);
void lode_gain_rows_release(struct lode_gain_rows *rows);

/* P: `n` functions by their rows of the table of Subs; borrowed. */
void lode_gain_rows_set(struct lode_gain_rows *rows, const uint32_t *column, uint32_t n);
/* Fills row i (1 and up) from the one before, for Q's function there. */
void lode_gain_rows_add(struct lode_gain_rows *rows, uint32_t function, size_t i);

/* G(i, 0) and, behind it, the others of the row. */
static inline const double *lode_gain_row(const struct lode_gain_rows *rows, size_t i)
{
	return rows->row + i * rows->pitch;
}

/* Of a substitution. */
static inline double lode_gain_of(const struct lode_gain_rows *rows, uint32_t a, uint32_t b)
{
	return rows->gain_of[lode_sub_codes(rows->subs, a)[b]];
}
