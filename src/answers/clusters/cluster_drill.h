/*
 * From a cluster down: the streams that have it, and the symptoms there.
 *
 *   cluster --> stream, cost --> symptom, cost, costliest event --> critical path (cluster_paths.h)
 *
 * Costs are the cluster's own, so that a stream's add up over clusters; of a cluster that owns
 * nothing they are those of the stacks that it matches (as struct lode_cluster's `worst`).
 */
#pragma once

#include "engine/mine/mine.h"

/* Which symptoms each stream has. Immutable once built. */
struct lode_drill {
	const struct lode_mined *mined; /* borrowed */
	/* Of stream s: symptoms[start[s] .. start[s + 1]), as they stand in the digest. */
	size_t *start;
	uint32_t *symptoms;
	uint32_t *number;    /* per symptom: its place among those of its stream */
	int64_t *symptom_ns; /* per stream: sum of its symptoms' lengths */
};

/* O(streams + symptoms). */
void lode_drill_build(struct lode_drill *out, const struct lode_mined *mined);
void lode_drill_release(struct lode_drill *drill);

/* A stream by its content hash, 16 hex digits, or by its number in the digest. LODE_ERR_ARG. */
int lode_drill_find_stream(uint32_t *stream, const struct lode_drill *drill, const char *name,
			   struct lode_error *err);

enum { LODE_DRILL_WORST = 3 };

struct lode_drill_stream {
	uint32_t stream;
	int64_t cost_ns;
	uint32_t n_symptoms;		  /* that it costs something */
	uint32_t worst[LODE_DRILL_WORST]; /* of these the costliest: indices into cluster->worst */
};
typedef LODE_VEC(struct lode_drill_stream) lode_drill_streams;

/* The costliest first. O(symptoms that the cluster is in). `*out` must be `{ 0 }`. */
void lode_drill_streams_of(lode_drill_streams *out, const struct lode_drill *drill,
			   const struct lode_cluster *cluster);

/* Symptoms of one stream, by cost: indices into cluster->worst. `*out` must be `{ 0 }`. */
typedef LODE_VEC(uint32_t) lode_drill_symptoms;
void lode_drill_symptoms_of(lode_drill_symptoms *out, const struct lode_drill *drill,
			    const struct lode_cluster *cluster, uint32_t stream);
