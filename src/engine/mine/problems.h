/*
 * Clusters by problem: what clusters/cut.h finds, put into patterns and owners.
 *
 * Patterns that are alike are a cluster; but where stacks show in which symptoms they cost, those
 * of one problem are one, however they differ, and those of two are two, however alike they are.
 * Patterns that have a problem's name are its cluster. Its stacks go to them: to the longest that
 * they contain, else to the one that they share most with. So what later rounds find in scraps,
 * without the caller that tells, owns scraps alone.
 */
#pragma once

#include "engine/mine/rounds.h"
#include "engine/mine/stackset.h"
#include "model/digest.h"

struct lode_problems {
	uint32_t *name_of_stack;   /* per stack: the frame that its problem goes by, or LODE_NONE */
	uint32_t *name_of_cluster; /* per cluster: the same */
	bool has_names;		   /* any of them has one */
};

/*
 * Rewrites rounds->owner and the patterns' clusters, which stay dense and numbered by their first
 * patterns. Arrays live in `arena`.
 */
void lode_problems_part(struct lode_problems *out, struct lode_rounds *rounds, uint32_t *cluster_of,
			size_t *n_clusters, const struct lode_stackset *set,
			const struct lode_digest *digest, const uint32_t *name_rank,
			unsigned n_threads, struct lode_arena *arena);

/* None has a name: clusters as they are. */
void lode_problems_none(struct lode_problems *out, size_t n_stacks, size_t n_clusters,
			struct lode_arena *arena);
