/*
 * What filters of pages add up: where cost is, in as few cells as distinguish recordings,
 * threads, kinds, reasons and ends of chains.
 *
 *	rows of the digest --> (cluster, recording, thread, kind, reason, end) --> cost
 *	symptoms           --> (recording, thread)                             --> number, time
 *
 * Cells sum to the area of interest, those of a cluster to its own cost, so any choice of
 * recordings, threads, kinds and reasons has its exact costs.
 */
#pragma once

#include "document/fields.h"
#include "engine/mine/mine.h"

struct lode_cluster_cell {
	uint32_t cluster;	 /* by rank, from 0; LODE_NONE: no pattern explains it */
	uint32_t stream, thread; /* index into the digest's streams, into `threads` */
	uint8_t kind, reason;
	uint8_t end, waited; /* chain_ends.h; `reason` where its chain has several threads */
	int64_t cost_ns;
};

struct lode_symptom_cell {
	uint32_t stream, thread;
	uint32_t n_symptoms;
	int64_t symptom_ns;
};

/* LIMIT: cells of a document, so that it stays a page that can be mailed. */
enum { LODE_MOST_CELLS = 40000 };

struct lode_cluster_cells {
	const char *const *kinds, *const *reasons, *const *ends; /* names of numbers in cells */
	size_t n_kinds, n_reasons, n_ends;
	const char *end_names[LODE_N_ENDS];
	LODE_VEC(struct lode_cluster_cell) cells; /* in order of their members */
	LODE_VEC(struct lode_symptom_cell) symptoms;
	LODE_VEC(uint32_t) threads; /* string ids: names of threads that had symptoms */
};

/* False: there would be more than `most`; `out` is then empty. O(rows). */
bool lode_cluster_cells_build(struct lode_cluster_cells *out, const struct lode_mined *mined,
			      size_t most);
void lode_cluster_cells_release(struct lode_cluster_cells *cells);

/* Costs by stack of what a filter leaves of one cluster. */
struct lode_cell_filter {
	const bool *has_stream;	 /* per stream; NULL: all */
	uint32_t thread;	 /* string id; LODE_NONE: all */
	unsigned kinds, reasons; /* bits; 0: all */
};
typedef LODE_VEC(struct lode_cluster_stack) lode_filtered_stacks;
/* Appended, by node. O(rows), and no more than the cluster's stacks. */
void lode_cluster_filter(lode_filtered_stacks *out, const struct lode_mined *mined,
			 const struct lode_cluster *cluster, const struct lode_cell_filter *filter);

/* Of struct lode_cluster_cells; names are lode_tree_names'. */
extern const struct lode_record lode_cluster_cells_record;
