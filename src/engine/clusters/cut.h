/*
 * Where to cut: which stacks are one problem, by their cost in each symptom.
 *
 * Problems come and go independently: the cost of one in a symptom does not predict the others,
 * while the parts of one problem (its callers, its CPU time and its waits) are expensive in the
 * same symptoms. So stacks are split by the function that best predicts where the cost falls:
 *
 *   all stacks 33.8 s                       gain of the best function
 *   +- with load_documents 7.28 s           151.8   a problem of its own
 *   +- without 26.5 s
 *      +- with metrics_count 8.14 s         100.3
 *      +- without ...
 *
 * Stacks C cost n_s observations in symptom s, n in all; p_s is the symptom's share of all cost,
 * and S = 1 / sum p_s^2 the equivalent number of even symptoms. An observation is 1/30 of an even
 * one: as much as runs of one program differ by. The evidence is the likelihood of these costs when
 * nothing is known of C but a tenth of an observation for each even symptom (Dirichlet, a_s = S p_s
 * / 10):
 *
 *   E(C) = ln G(a) - ln G(a + n) + sum over s of [ln G(a_s + n_s) - ln G(a_s)],     a = S / 10
 *
 *   gain of f = E(C with f) + E(C without f) - E(C) - ln(functions to choose from)
 *
 * The function of the highest gain splits C, if the gain is above 0: what two groups save in
 * describing where the cost falls has to pay for one more name. Both parts are split further.
 *
 * A function with nearly all cost of the symptoms that it occurs in (`main`, a server's loop)
 * marks a kind of symptom, not a problem: the search continues inside it, but it gives no name. Nor
 * does one whose stacks share fewer functions than they differ in.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct lode_cut_cost {
	uint32_t symptom;
	int64_t cost_ns;
};

struct lode_cut_stacks {
	size_t n, n_frames, n_symptoms;
	const uint32_t *items; /* frames, stack behind stack, root first */
	const size_t *start;   /* n + 1, into items */
	/* What stacks cost in symptoms; a symptom may come more than once in one stack. */
	const struct lode_cut_cost *costs;
	const size_t *cost_start;  /* n + 1, into costs */
	const uint8_t *may_name;   /* per frame: it can be the name of a problem */
	const uint32_t *name_rank; /* per frame: its place among all names, which decides ties */
};

/*
 * name_of[s] becomes the frame that names the problem of stack s, which has it, or LODE_NONE.
 * O(splits * functions * symptoms + frames of the stacks * splits they are in), functions being
 * those with 0.2 % of the cost or more that different stacks have, symptoms at most 256.
 */
void lode_cut(uint32_t *name_of, const struct lode_cut_stacks *stacks);
