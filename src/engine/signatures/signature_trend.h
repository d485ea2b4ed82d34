/*
 * Coverage by groups of streams: releases, hosts, days. What of a group's symptom time each
 * signature costs, so that problems that come and go are seen.
 */
#pragma once

#include "engine/signatures/signature_cover.h"

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
