/*
 * Critical paths of symptoms, as documents draw them: columns of spans, lanes, wakes and stacks.
 */
#pragma once

#include "document/fields.h"
#include "answers/clusters/cluster_paths.h"

struct lode_path_lane {
	int32_t pid, tid;
	const char *comm;
	int64_t path_ns;
	int64_t *start_ns, *duration_ns; /* of events; from the symptom's start */
	const struct lode_lane_event *events;
	size_t n;
};

/* Columns; times are from the symptom's start. */
struct lode_path_spans {
	int64_t *start_ns, *duration_ns;
	const struct lode_lane_span *spans;
	size_t n;
};

struct lode_path_wakes {
	int64_t *t_ns;
	const struct lode_lane_wake *wakes;
	size_t n;
};

/* The tree of the spans' stacks: node 0 is the empty one. */
struct lode_path_stacks {
	uint32_t *parent, *function; /* LODE_NONE of node 0 */
	size_t n;
	const char **functions;
	size_t n_functions;
};

struct lode_path_picture {
	size_t n_threads; /* with those beyond the last lane */
	struct lode_path_lane *lanes;
	size_t n_lanes;
	struct lode_path_spans spans;
	struct lode_path_wakes wakes;
	struct lode_path_stacks stacks;
};

struct lode_path_row {
	const struct lode_digest_stream *stream;
	const struct lode_digest_symptom *symptom;
	uint64_t *clusters; /* whose worst symptom it is */
	size_t n_clusters;
	const char *missing;			 /* why there is no picture; NULL: there is one */
	const struct lode_path_picture *picture; /* or NULL */
};

/* All of a document, with what its numbers stand for. */
struct lode_path_rows {
	const char *const *reasons, *const *devices;
	size_t n_reasons, n_devices;
	const struct lode_path_row *at;
	size_t n;
};

/* Rows borrow the paths and what was mined; what is made is the arena's. */
void lode_path_rows_make(struct lode_path_rows *out, const struct lode_mined *mined,
			 const struct lode_cluster_path *paths, size_t n, struct lode_arena *arena);

/* Of struct lode_path_rows: "reasons" and "devices"; of struct lode_path_row: a path that may be
   missing; one that is there. Names are lode_tree_names' of the digest. */
extern const struct lode_record lode_path_words_record, lode_path_record, lode_path_there_record;
/* Of struct lode_digest_symptom: whose symptom it is, and when; wherever lode mine lists one. */
extern const struct lode_record lode_mine_symptom_record;
