/*
 * Where to cut what holds nearly all cost of every symptom: where its stacks go to other threads.
 *
 *   requests  JavaMain … EnterI … park         → reporter  sumLedger     8.7 s   a problem
 *   requests  JavaMain … Thread.sleep … park   → timer                   1.9 s   another one
 *   requests  JavaMain … park                                            2.2 s   the rest
 *
 * Problems of the same share in all symptoms leave no evidence to part them by (cut.h), and stacks
 * that wait in one function are alike. Cut by how stacks fork (forks.h) alone, a scan would come
 * apart into the functions that it calls. So what forks is a problem of its own only if it goes
 * through other threads: the links of most of its cost are, in their order, those of no other
 * problem's, nor of the rest.
 */
#pragma once

#include <stdbool.h>

#include "engine/clusters/forks.h"

/*
 * Of the stacks s with is_in[s], name_of[s] becomes the frame that names its problem, or LODE_NONE;
 * others keep their names. Equal costs: the links of the first stack count. Time as
 * lode_cut_by_forks, and O(problems^2).
 */
void lode_cut_by_threads(uint32_t *name_of, const struct lode_forks_input *in, const bool *is_in);
