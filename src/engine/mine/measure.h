/*
 * What a cluster costs (docs/mining.md): each event counted once however many of the cluster's
 * patterns it matches; own costs by the stacks that belong to the cluster.
 */
#pragma once

#include "engine/mine/stackset.h"
#include "engine/mine/mine.h"
#include "engine/mine/rounds.h"

struct lode_measure {
	const struct lode_digest *digest;
	const struct lode_stackset *set;
	const struct lode_postings *postings;
	const struct lode_rounds *rounds;
	const uint32_t *cluster_of;    /* per pattern of `rounds` */
	const uint32_t *name_rank;     /* per frame, see lode_rounds_mine */
	struct lode_cluster *clusters; /* n_clusters, to be filled; common parts are there */
	size_t n_clusters;
	unsigned n_threads;
	struct lode_arena *arena; /* the results' */
};

/*
 * Fills per pattern: cost over all stacks, own cost, events, streams; per cluster: own, total,
 * average, split, reasons, events, occurrences, their mean, streams, symptoms, worst symptoms,
 * wakers, stacks, costs by stream. Patterns of a cluster are ordered by cost, then as in `rounds`.
 */
void lode_measure_clusters(const struct lode_measure *measure, uint32_t kind_group);
