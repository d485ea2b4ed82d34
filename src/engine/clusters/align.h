/*
 * Alignment of two patterns, as in the edit distance (StackMine §VI.A; design §3.4).
 *
 *   main  load_all  resolve  stat            match       costs 0
 *    |              ~~~~~~    |              substitute  costs Sub of the two names
 *   main            find_icon stat           insert, delete  cost 1
 *
 * Of the alignments of least cost, one with the most matches is taken; among those, reading from
 * the leaf, a pair goes before a deletion and a deletion before an insertion.
 */
#pragma once

#include "engine/clusters/row_table.h"
#include "engine/clusters/words.h"

enum lode_align_op {
	LODE_ALIGN_MATCH,
	LODE_ALIGN_SUBSTITUTE,
	LODE_ALIGN_DELETE, /* stands in the first pattern only */
	LODE_ALIGN_INSERT, /* stands in the second pattern only */
};

/* Memory that calls share; `{ 0 }` is ready. One per thread. */
struct lode_aligner {
	struct lode_row_table table; /* of least costs */
	LODE_VEC(uint8_t) op;	     /* result: enum lode_align_op, root first */
};

/*
 * Aligns `a` with `b` (ids of names in `words`; equal id = same function) and leaves the
 * operations in `aligner->op`. Gives the cost in units of 1/LODE_SUB_ONE. O(n_a * n_b) time; memory
 * as row_table.h says.
 */
int64_t lode_align(struct lode_aligner *aligner, const struct lode_words *words, const uint32_t *a,
		   size_t n_a, const uint32_t *b, size_t n_b);
void lode_aligner_release(struct lode_aligner *aligner);
