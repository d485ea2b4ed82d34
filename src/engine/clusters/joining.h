/*
 * Agglomeration without a matrix: from the pairs that are similar enough.
 *
 * Clusters are only ever joined when some pair between them reaches the cut, so the pairs that do
 * are the whole neighbourhood. For average linkage the others count as well, but all that is known
 * of them, that they are below the cut, is often enough to see that a cluster is not the nearest;
 * they are computed one by one, only while the answer hangs on them.
 *
 * The result is exactly that of the plain method on the full matrix
 * (tests/unit/engine/linkage_oracle.h).
 */
#pragma once

#include "engine/clusters/clusters.h"
#include "engine/clusters/pairs.h"

struct lode_joining {
	size_t n;				/* items */
	const struct lode_similar_pairs *pairs; /* all whose similarity is >= cut */
	enum lode_linkage linkage;
	uint32_t cut; /* > 0 */
	/* Similarity of a pair that is not among them. */
	uint32_t (*similarity)(void *context, uint32_t a, uint32_t b);
	void *context;
};

/* first_of[i] becomes the smallest item of i's cluster. */
void lode_join_similar(uint32_t *first_of, const struct lode_joining *joining);
