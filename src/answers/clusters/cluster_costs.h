/*
 * What each cluster costs in each stream: own costs, so that a stream's cells add up to what
 * clusters explain of it.
 */
#pragma once

#include "engine/diff/diff.h"
#include "engine/mine/mine.h"
#include "engine/signatures/signature_cover.h"
#include "answers/clusters/cluster_drill.h"
#include "streams/stream_set.h"

struct lode_cluster_costs {
	/* Cluster behind cluster, each by stream; more than 0. */
	LODE_VEC(struct lode_diff_cost) cells;
	size_t *start; /* n_clusters + 1, into cells */
};

/* O(symptoms that clusters are in + streams). */
void lode_cluster_costs_build(struct lode_cluster_costs *out, const struct lode_mined *mined);
void lode_cluster_costs_release(struct lode_cluster_costs *costs);

/*
 * What one cluster, or one signature, costs in groups of streams: how a problem comes and goes.
 */
struct lode_group_cost {
	uint32_t n_streams, n_with; /* streams of the group; those that have it */
	int64_t symptom_ns;	    /* sum of the lengths of the group's symptoms */
	int64_t cost_ns;
};

/* groups->n of them, the caller's to free. Costs of the cluster as answers/clusters/cluster_drill.h
 * says. */
struct lode_group_cost *lode_group_costs_of_cluster(const struct lode_stream_groups *groups,
						    const struct lode_drill *drill,
						    const struct lode_cluster *cluster);
/* What signature number `signature` of the coverage matches, as `lode coverage --by` tells it. */
struct lode_group_cost *lode_group_costs_of_signature(const struct lode_stream_groups *groups,
						      const struct lode_drill *drill,
						      const struct lode_coverage *coverage,
						      size_t signature);
