/*
 * Where to cut a cluster with nearly all cost of every symptom: where its stacks go to other
 * threads.
 *
 *   requests  JavaMain … EnterI … park         → reporter  sumLedger     8.7 s   a problem
 *   requests  JavaMain … Thread.sleep … park   → timer                   1.9 s   another one
 *   requests  JavaMain … park                                            2.2 s   the rest
 *
 * Problems with the same share of all symptoms leave no evidence to separate them (cut.h), and
 * stacks that wait in one function are similar. Cut by forks alone (forks.h), a scan would fall
 * into the functions that it calls. So a fork is a problem of its own only if it goes through other
 * threads: the links of most of its cost, in their order, belong to no other problem, nor to the
 * rest.
 */
#pragma once

#include "engine/clusters/forks.h"

/*
 * Of the stacks s with is_in[s], name_of[s] becomes the frame that names its problem, or LODE_NONE;
 * others keep their names. Equal costs: the links of the first stack count. Time as
 * lode_cut_by_forks, and O(problems^2).
 */
void lode_cut_by_threads(uint32_t *name_of, const struct lode_forks_input *in, const bool *is_in);
