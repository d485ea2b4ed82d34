/*
 * Where to cut when there is one symptom: which stacks are one problem, by how they fork.
 *
 * What costs a twentieth of everything is substantial. Of the stacks below a function, branches are
 * taken, the costliest first: what stands in a substantial part of those that are left, and leaves
 * out a substantial part of all of them.
 *
 *   run 100 %
 *   +- load 44 % --- read_config 14 % --+-- look_up 40 %     many callers, one problem
 *   |            +-- read_plugins 26 % -+
 *   +- render 50 % - scale 48 %                              another one
 *   +- scraps 6 %
 *
 * A function is a problem if two thirds of its cost or more are not in branches, else these are.
 * What a library does for a function is one branch, however that forks: the problem is who calls
 * it, as long as it stays in the thread. What holds all but scraps of everything is a problem only
 * if it has no branch.
 *
 * Nor is it a problem if who calls it tells what it does: if functions below it come in one half
 * more of the stacks with some substantial caller than in those without (a server's loop, a
 * library), or if a substantial part of its callers is in another module, and another part is not.
 *
 * Problems take their stacks, those with most left first. Each is named by a function that stands
 * in all but scraps of its cost, and little else: of the module of the first of these, that which
 * holds least. What holds all but scraps of everything gives no name.
 */
#pragma once

#include "engine/clusters/cut.h"

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
