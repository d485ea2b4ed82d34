/*
 * Aliases: functions that are one, over recordings of several releases, kernels or machines.
 *
 *   recordings 0 2 4 ...    main > get    > entry > do_syscall > ...     get and get_v2 are one
 *   recordings 1 3 5 ...    main > get_v2 > entry > do_syscall > ...
 *
 *   recordings 0 2 4 ...    main > get > wrap > entry > ...              wrap is a layer: left out
 *   recordings 1 3 5 ...    main > get > entry > ...
 *
 * The cut (clusters/cut.h) asks which functions predict in which recordings cost falls. A function
 * that has another name in some recordings, is inlined or wrapped there, predicts exactly that. So
 * these are found first, and the digest gets one name for each. docs/mining.md has the test and its
 * constants.
 */
#pragma once

#include "model/digest.h"

/*
 * frame_of[f] becomes the frame that f goes by (often f itself), or LODE_NONE: it is left out; one
 * per frame of the digest. n_streams[f]: recordings that have it. Returns how many functions
 * changed. Depends on costs, stacks and names alone. O(rounds * (nodes + rows + candidates)), a
 * round for each chain of renamed neighbours.
 */
size_t lode_aliases_find(uint32_t *frame_of, uint32_t *n_streams, const struct lode_digest *digest);

/* Finds them, renames them in the digest, and lists them there. */
void lode_aliases_join(struct lode_digest *digest);
