/*
 * Recordings that lie beside others: what one lacks of build-ids, they may know.
 */
#pragma once

#include <stddef.h>

struct lode_symboliser;

/*
 * Lets the symboliser ask `recordings` (a job's inputs), and all that is named like a recording in
 * their folders. Nothing is read before it asks.
 *
 * A compressed one must be unpacked for it: the inputs are, and of the others the nearest by name,
 * until one knows the path.
 *
 * LIMIT: of more than 4,096 of them none is asked; at most eight compressed ones are that are no
 * inputs, and none any more once 256 MiB of compressed ones were read.
 */
void lode_siblings_lend(struct lode_symboliser *symboliser, char *const *recordings, size_t n);
