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
 * LIMIT: of more than 4,096 of them none is asked; nor is any compressed one if these are more
 * than 256 MiB together.
 */
void lode_siblings_lend(struct lode_symboliser *symboliser, char *const *recordings, size_t n);
