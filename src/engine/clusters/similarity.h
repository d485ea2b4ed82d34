/*
 * Similarity of two patterns (StackMine §VI.B; docs/clusters.md).
 *
 *   Sim = W(M) / (W(M) + W(ID) + W(S))
 *
 * W(M) and W(ID) sum omega over the functions of the matched and of the inserted or deleted
 * segments; W(S) sums Sub(l, r) * (omega(l) + omega(r)) / 2 over the substituted pairs. A segment
 * is a maximal run of one operation. Symmetric to the bit, in [0, 1]; 0/0 is 1 for equal patterns
 * and 0 for others.
 */
#pragma once

#include "engine/clusters/row_table.h"
#include "engine/clusters/subtable.h"
#include "engine/patterns/miner.h"
#include "model/digest.h"

/*
 * Alignment of two patterns, as in the edit distance (StackMine §VI.A; docs/clusters.md).
 *
 *   main  load_all  resolve  stat            match       costs 0
 *    |              ~~~~~~    |              substitute  costs Sub of the two names
 *   main            find_icon stat           insert, delete  cost 1
 *
 * Of the alignments of least cost, one with the most matches is taken; among those, reading from
 * the leaf, a pair goes before a deletion and a deletion before an insertion.
 */

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

/*
 * Weights of functions: how much a function tells apart (StackMine §VI.C; docs/clusters.md).
 *
 *   Uni(f)     1 - stacks with f / stacks                       small for `main`
 *   FBi(a, b)  1 - a with callee b / a with a callee            small when a always calls b
 *   BBi(a, b)  1 - b with caller a / b with a caller            small when only a calls b
 *   omega(X_j) Uni(X_j) * (FBi(X_j-1, X_j) + BBi(X_j, X_j+1)) / 2
 *
 * Neighbours are those within the segment of an alignment; where there is none the factor is 1.
 * 0/0 counts as 0: what the statistics never saw (a link between threads, say) weighs in full.
 */
double lode_weight_uni(const struct lode_name_stats *names, uint32_t frame);
double lode_weight_fbi(const struct lode_name_stats *names, uint32_t caller, uint32_t callee);
double lode_weight_bbi(const struct lode_name_stats *names, uint32_t caller, uint32_t callee);

/* The factors of one function at its place in a pattern; 1 where the pattern starts or ends. */
struct lode_weight {
	double uni;
	double fbi; /* with the function before it */
	double bbi; /* with the function behind it */
};

/* omega, given whether the neighbours before and behind belong to the same segment. */
static inline double lode_weight_omega(const struct lode_weight *w, bool has_before,
				       bool has_behind)
{
	return w->uni * ((has_before ? w->fbi : 1) + (has_behind ? w->bbi : 1)) / 2;
}

/*
 * Patterns made ready to be compared. Functions are renumbered in the order of their names, so
 * that no result depends on the order in which names were first seen. Immutable: share it freely.
 */
struct lode_similarity {
	const struct lode_pattern_set *patterns; /* borrowed */
	size_t n_functions;
	uint32_t *frame_of;	     /* function -> frame id */
	struct lode_words words;     /* per function */
	uint32_t *functions;	     /* parallel to patterns->items */
	struct lode_weight *weights; /* parallel to patterns->items */
};

/* Borrows `patterns`, which must outlive it; `tree` and `names` are not needed afterwards. */
void lode_similarity_init(struct lode_similarity *similarity,
			  const struct lode_pattern_set *patterns, const struct lode_calltree *tree,
			  const struct lode_name_stats *names);
void lode_similarity_release(struct lode_similarity *similarity);

/* Sim of patterns `a` and `b` (indices). `aligner` is the calling thread's own. */
double lode_pattern_similarity(const struct lode_similarity *similarity, uint32_t a, uint32_t b,
			       struct lode_aligner *aligner);

/*
 * Sim of the alignment `op` (n operations) of `first` with `second`: what lode_pattern_similarity
 * gives when that is the alignment of the pair in its canonical order. `subs` may be NULL;
 * else all functions must have rows of their own.
 */
double lode_similarity_of_ops(const struct lode_similarity *similarity,
			      const struct lode_sub_table *subs, uint32_t first, uint32_t second,
			      const uint8_t *op, size_t n);

/*
 * The rule above, turned around: Sim >= `least` only if W(M) >= ratio * (W(ID) + W(S)). pairs.h
 * rules pairs out by it; 0: it rules none out, and each pair is aligned.
 */
double lode_similarity_ratio(double least);

/* The alignment that the similarity stands on, from `a` to `b`, in `aligner->op`. */
void lode_pattern_align(const struct lode_similarity *similarity, uint32_t a, uint32_t b,
			struct lode_aligner *aligner);

/*
 * Similarities as whole numbers, 2^30 = 1: clustering adds and compares these, so that no result
 * hangs on the order of additions. A difference below 1e-9 is none.
 */
enum { LODE_SIMILARITY_ONE = 1 << 30 };
uint32_t lode_similarity_fixed(double similarity);

static inline size_t lode_pattern_length(const struct lode_pattern_set *patterns, uint32_t i)
{
	return patterns->start.at[i + 1] - patterns->start.at[i];
}
