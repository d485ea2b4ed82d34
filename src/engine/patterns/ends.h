/*
 * What all sequences begin and end with: it is in every maximal pattern, and need not be mined.
 *
 *   main  loop  loop  loop  parse  read  exit_hook
 *   main  loop  loop  loop  draw         exit_hook
 *   |------ front ------|                |- back -|
 *
 * Where P is contained in sequences that all begin with C, so is C with what of P does not fit into
 * C behind it; the same from the end. So the maximal patterns are C, then one of the rest, then the
 * back: those of the rest one for one, and the ends alone when the rest has none. A stack of
 * 300,000 functions is mined so without looking for anything.
 */
#pragma once

#include "engine/patterns/miner.h"
#include "engine/patterns/reduce.h"
#include "engine/patterns/turns.h"

/* `{ 0 }`: there are none. The caller's items. */
struct lode_ends {
	LODE_VEC(uint32_t) front;
	LODE_VEC(uint32_t) back; /* the last one first */
	int64_t cost;		 /* of the ends alone */
};

/* Takes long ends off `reduced`, which is reduced again. */
int lode_ends_take(struct lode_ends *ends, struct lode_reduced *reduced,
		   const struct lode_miner_options *options, struct lode_error *err);

/* Puts them around all results; without results they are one. */
void lode_ends_put(struct lode_results *results, const struct lode_ends *ends);
void lode_ends_release(struct lode_ends *ends);
