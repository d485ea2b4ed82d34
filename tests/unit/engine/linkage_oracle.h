/*
 * Agglomeration from a matrix, what engine/clusters/joining is held to: joins the two most similar
 * clusters until none are similar enough (docs/clusters.md).
 *
 *   average   mean of all similarities between the two clusters' members
 *   complete  the lowest of them
 *   single    the highest of them
 *
 * Among equally similar pairs of clusters the one goes first whose smaller, then whose larger first
 * member is smallest. Sums are whole numbers, so the result is exactly that of the plain method,
 * whatever the order of work.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "engine/clusters/clusters.h"

/* Where the similarity of i < k stands in a triangle of similarities. */
static inline size_t lode_triangle_at(size_t i, size_t k)
{
	return k * (k - 1) / 2 + i;
}

/*
 * Items 0..n-1 with their similarities (LODE_SIMILARITY_ONE = 1) in a triangle: joins while the
 * linkage is >= `cut`. first_of[i] becomes the smallest item of i's cluster. O(n^2) time.
 */
void lode_agglomerate(uint32_t *first_of, size_t n, const uint32_t *triangle,
		      enum lode_linkage linkage, uint32_t cut);
