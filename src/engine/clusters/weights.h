/*
 * Weights of functions: how much a function tells apart (StackMine §VI.C; design §3.4).
 *
 *   Uni(f)     1 - stacks with f / stacks                       small for `main`
 *   FBi(a, b)  1 - a with callee b / a with a callee            small when a always calls b
 *   BBi(a, b)  1 - b with caller a / b with a caller            small when only a calls b
 *   omega(X_j) Uni(X_j) * (FBi(X_j-1, X_j) + BBi(X_j, X_j+1)) / 2
 *
 * Neighbours are those within the segment of an alignment; where there is none the factor is 1.
 * 0/0 counts as 0: what the statistics never saw (a link between threads, say) weighs in full.
 */
#pragma once

#include "model/digest.h"

double lode_weight_uni(const struct lode_name_stats *names, uint32_t frame);
double lode_weight_fbi(const struct lode_name_stats *names, uint32_t caller, uint32_t callee);
double lode_weight_bbi(const struct lode_name_stats *names, uint32_t caller, uint32_t callee);

/* The factors of one function at its place in a pattern; 1 where the pattern starts or ends. */
struct lode_weight {
	double uni;
	double fbi; /* with the function before it */
	double bbi; /* with the function behind it */
};

void lode_weights_of_pattern(struct lode_weight *weights, const struct lode_name_stats *names,
			     const uint32_t *frames, size_t n);

/* omega, given whether the neighbours before and behind belong to the same segment. */
static inline double lode_weight_omega(const struct lode_weight *w, bool has_before,
				       bool has_behind)
{
	return w->uni * ((has_before ? w->fbi : 1) + (has_behind ? w->bbi : 1)) / 2;
}
