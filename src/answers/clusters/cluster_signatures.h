/*
 * From clusters to signatures: the patterns that a signature of a cluster holds, so that it matches
 * what the cluster costs in total.
 *
 * These are the cluster's patterns. Stacks of later rounds may belong to a cluster for its common
 * part alone (engine/mine/adopt.h); where the patterns and the common part together come closer
 * to the cluster's total than the patterns alone, the common part is one more. A pattern that has
 * another one in it is left out: it matches nothing that the other does not.
 */
#pragma once

#include "engine/mine/mine.h"
#include "engine/signatures/signature_match.h"

struct lode_cluster_signature {
	const char *const *patterns; /* model/signature_pattern.h, sorted */
	size_t n_patterns;
	unsigned kinds;	  /* as struct lode_signature; only where kinds were mined apart */
	int64_t total_ns; /* what it matches of the digest that was mined */
};

struct lode_cluster_signatures {
	struct lode_cluster_signature *at; /* n, as the clusters they were made of */
	size_t n;
	struct lode_arena arena;
};

/* Of clusters[0..n) of `mined`. O(rows x clusters that match one). */
void lode_cluster_signatures_build(struct lode_cluster_signatures *out,
				   const struct lode_mined *mined,
				   const struct lode_cluster *clusters, size_t n);
void lode_cluster_signatures_release(struct lode_cluster_signatures *signatures);

/*
 * Which signatures are about which clusters: how much of a cluster's own cost each of them matches.
 */

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
