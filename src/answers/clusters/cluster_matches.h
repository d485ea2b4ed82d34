/*
 * Which signatures are about which clusters: how much of a cluster's own cost each of them matches.
 */
#pragma once

#include "engine/mine/mine.h"
#include "engine/signatures/signature_match.h"

/* The rows of a digest by the node of their stack: made once for many matches. */
struct lode_rows_of_nodes {
	size_t *start; /* nodes + 1, into rows */
	uint32_t *rows;
};
void lode_rows_of_nodes_build(struct lode_rows_of_nodes *out, const struct lode_digest *digest);
void lode_rows_of_nodes_release(struct lode_rows_of_nodes *rows);

struct lode_cluster_match {
	uint32_t cluster;   /* index into the mined clusters */
	uint32_t signature; /* as numbered in the match */
	int64_t matched_ns; /* of its own cost; of a cluster that owns nothing, of what it matches
			     */
};
typedef LODE_VEC(struct lode_cluster_match) lode_cluster_matches;

/* Appends pairs that have anything in common: by cluster, then by cost, then by signature. `match`
   is that of the digest that was mined. O(rows of clusters' stacks x signatures that match one). */
void lode_cluster_matches_build(lode_cluster_matches *out, const struct lode_mined *mined,
				const struct lode_rows_of_nodes *rows,
				const struct lode_signature_match *match, size_t n_signatures);
