/*
 * A common name for the threads at one place of a chain, if too few of a cluster's stacks agree on
 * one.
 *
 *   → gcc giant.c → cc1 giant.c   1.1 s        → gcc → cc1      one program, with several titles
 *   → gcc         → cc1           0.9 s
 *
 *   → worker-a                    1.1 s        → …              several programs
 *   → worker-b                    0.9 s
 *
 * Names with enough of the cost stay unchanged, and so do those of the shared call path. Of
 * the others, those of one program get its name if they have enough together, each stack
 * counted once; the remaining ones become "…", if they have enough. A program is the first word of
 * a name, with what follows it in "inferred" brackets or after ", busy with".
 */
#pragma once

#include "engine/mine/mine.h"

enum { LODE_HOP_NAME = 160 };
extern const char lode_hop_any[]; /* "…" */

struct lode_hop_name {
	uint32_t frame; /* the costliest link that has it; equals: the first by name */
	char text[LODE_HOP_NAME];
};

struct lode_hop_names {
	LODE_VEC(struct lode_hop_name) names;
	struct lode_map told_as; /* link frame -> the frame of its name */
};

/* `cost_ns` per stack of the cluster. `*out` must be `{ 0 }`. O(frames of the stacks). */
void lode_hop_names_find(struct lode_hop_names *out, const struct lode_digest *digest,
			 const struct lode_cluster *cluster, const int64_t *cost_ns,
			 int64_t enough_ns);
void lode_hop_names_release(struct lode_hop_names *names);

/* Frames of a stack, links under the frame of their name. */
void lode_hop_names_apply(const struct lode_hop_names *names, uint32_t *path, size_t n);
/* What the link is called without "→": a name of these, or its own. */
const char *lode_hop_name_of(const struct lode_hop_name *names, size_t n,
			     const struct lode_calltree *tree, uint32_t link);
/* "postgres: app shop" -> "postgres", as above; in `buffer`. */
const char *lode_hop_program(char *buffer, size_t size, const char *name);
