/*
 * What each cluster costs in each stream: own costs, so that a stream's cells add up to what
 * clusters explain of it.
 */
#pragma once

#include "engine/diff/diff.h"
#include "engine/mine/mine.h"

struct lode_cluster_costs {
	/* Cluster behind cluster, each by stream; more than 0. */
	LODE_VEC(struct lode_diff_cost) cells;
	size_t *start; /* n_clusters + 1, into cells */
};

/* O(symptoms that clusters are in + streams). */
void lode_cluster_costs_build(struct lode_cluster_costs *out, const struct lode_mined *mined);
void lode_cluster_costs_release(struct lode_cluster_costs *costs);
