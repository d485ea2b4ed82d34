/*
 * Similarity of two patterns (StackMine §VI.B; design §3.4).
 *
 *   Sim = W(M) / (W(M) + W(ID) + W(S))
 *
 * W(M) and W(ID) sum omega over the functions of the matched and of the inserted or deleted
 * segments; W(S) sums Sub(l, r) * (omega(l) + omega(r)) / 2 over the substituted pairs. A segment
 * is a maximal run of one operation. Symmetric to the bit, in [0, 1]; 0/0 is 1 for equal patterns
 * and 0 for others.
 */
#pragma once

#include "engine/clusters/align.h"
#include "engine/clusters/subtable.h"
#include "engine/clusters/weights.h"
#include "engine/clusters/words.h"
#include "engine/patterns/miner.h"
#include "model/digest.h"

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
