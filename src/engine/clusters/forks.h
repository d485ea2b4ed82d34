/*
 * Where to cut when there is one symptom: which stacks are one problem, by how they fork.
 *
 * A twentieth of all cost is substantial. The branches of a function are the functions below it,
 * costliest first, that occur in a substantial part of its remaining stacks, while a substantial
 * part of all its stacks is without them.
 *
 *   run 100 %
 *   +- load 44 % --- read_config 14 % --+-- look_up 40 %     many callers, one problem
 *   |            +-- read_plugins 26 % -+
 *   +- render 50 % - scale 48 %                              another one
 *   +- scraps 6 %
 *
 * A function is a problem if less than 65 % of its cost is in branches; otherwise the branches are
 * examined. What a library does for a function is one branch, however that forks: the problem is
 * the caller, as long as it stays in the thread. A function with all cost but a small remainder is
 * a problem only if it has no branch.
 *
 * Nor is a function a problem if it behaves differently for a caller: if some function below it
 * occurs in one half more of the stacks with a substantial caller than in those without (a server's
 * loop, a library), or if a substantial part of its callers is in another module, and another part
 * is not.
 *
 * Problems take their stacks, those with most left first. Each gets the name of a function that
 * nearly all of its cost has, and little else: of the module of the first such function, the one
 * with the smallest cost. A function with nearly all of the total cost gives no name.
 */
#pragma once

#include "engine/clusters/cut.h"
#include "base/mem.h"

struct lode_forks_input {
	struct lode_cut_stacks stacks;
	const uint32_t *module; /* per frame: the same number for frames of one module */
	const uint8_t *is_link; /* per frame: it leads to another thread */
};

/*
 * name_of[s] becomes the frame that names the problem of stack s, or LODE_NONE. Nearly all of a
 * problem's cost has that frame; a few of its stacks may not. Symptoms are not looked at.
 */
void lode_cut_by_forks(uint32_t *name_of, const struct lode_forks_input *in);
