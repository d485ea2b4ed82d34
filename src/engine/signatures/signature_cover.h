/*
 * Coverage: the share of the symptoms' time that signatures explain (docs/signatures.md;
 * StackMine §VII.A Q2).
 *
 *   coverage    cost of the events that any signature matches / total symptom time
 *   total       of one signature: cost of the events that it matches
 *   exclusive   of these, what no other one matches
 *
 * Each event counts once, however many signatures and patterns match it. Retired signatures stand
 * aside: they have totals, and what they alone match has returned, but explains nothing.
 */
#pragma once

#include "engine/signatures/signature_match.h"
#include "model/digest.h"
#include "model/signature.h"

/* What one signature matches, in all streams. */
struct lode_signature_cost {
	int64_t total_ns;
	/* What no other signature matches that is not retired; of a retired one, what no other
	 * does. */
	int64_t exclusive_ns;
	int64_t split_ns[LODE_N_EVENT_KINDS]; /* of total_ns */
	uint64_t n_events;
	uint32_t n_streams, n_symptoms;
	/* The symptom that it costs most (LODE_NONE: none), and the costliest event there. */
	uint32_t worst_symptom;
	int64_t worst_ns, worst_t0_ns;
};

/* The same in one stream; only those that are not empty. */
struct lode_signature_in_stream {
	uint32_t signature, stream; /* index into the digest's streams */
	int64_t total_ns, exclusive_ns;
	uint64_t n_events;
};

struct lode_stream_cover {
	int64_t symptom_ns, aoi_ns; /* symptoms' lengths; cost of all rows */
	int64_t covered_ns;	    /* what any signature matches that is not retired */
	int64_t returned_ns;	    /* what only retired ones match */
};

struct lode_coverage {
	struct lode_stream_cover all;
	struct lode_signature_cost *signatures; /* n_signatures, as numbered in the match */
	size_t n_signatures;
	struct lode_stream_cover *streams; /* n_streams, as in the digest */
	size_t n_streams;
	LODE_VEC(struct lode_signature_in_stream) in_streams; /* by signature, then stream */
	size_t *in_start; /* n_signatures + 1, into in_streams */
	/* Cost per set of signatures (numbers as in the match): what a choice of signatures covers
	   is the sum over the sets that have one of them. */
	int64_t *set_ns;
	size_t n_sets;
};

/* O(rows x signatures that match one). `list` is that of the matcher. */
void lode_coverage_build(struct lode_coverage *out, const struct lode_signature_match *match,
			 const struct lode_signature *list, size_t n_signatures,
			 const struct lode_digest *digest);
void lode_coverage_release(struct lode_coverage *coverage);

/*
 * Coverage by groups of streams: releases, hosts, days. What of a group's symptom time each
 * signature costs, so that problems that come and go are seen.
 */

struct lode_trend_cell {
	int64_t total_ns, exclusive_ns;
	uint32_t n_streams; /* that have it */
};

struct lode_signature_trend {
	struct lode_stream_cover *groups; /* n_groups */
	uint32_t *n_streams;		  /* per group */
	size_t n_groups, n_signatures;
	struct lode_trend_cell *cells; /* of signature s in group g: [s * n_groups + g] */
};

/* group_of[stream] < n_groups. O(streams + (signature, stream) pairs + cells). */
void lode_signature_trend_build(struct lode_signature_trend *out,
				const struct lode_coverage *coverage, const uint32_t *group_of,
				size_t n_groups);
void lode_signature_trend_release(struct lode_signature_trend *trend);

static inline const struct lode_trend_cell *
lode_trend_cell(const struct lode_signature_trend *trend, size_t signature, size_t group)
{
	return &trend->cells[signature * trend->n_groups + group];
}
