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
 * LIMIT: of more than 4,096 of them none is asked. Of compressed ones, which must be unpacked for
 * it, some 8 MiB are asked at most: if they are more together, every second, third and so on of
 * them.
 */
void lode_siblings_lend(struct lode_symboliser *symboliser, char *const *recordings, size_t n);
