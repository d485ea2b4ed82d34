/*
 * Patterns in the order of their functions, so that neighbours begin alike.
 *
 *   place 0   main open read         nodes  main, open, read
 *   place 1   main open read wait           wait
 *   place 2   main stat                     stat
 *
 * A function that a pattern does not share with the one before it is a node of the tree of all
 * patterns; nodes stand in depth-first order. What is computed for a node holds for all patterns
 * that begin alike.
 */
#pragma once

#include "engine/clusters/similarity.h"
#include "engine/clusters/subtable.h"

/* Tables for what is at most so long are kept whole: 38 MB for each thread. */
enum { LODE_PLACE_LONGEST = 2048 };

struct lode_place_node {
	uint32_t function, depth;
	float least; /* the least omega that it can have in any pattern that has the node */
	float front; /* how much more at least when nothing of its segment stands before it */
};

/* The parts of omega of one function at its place in a pattern (similarity.h), halved. */
struct lode_place_weight {
	float alone; /* Uni / 2 */
	float fbi;   /* Uni * FBi / 2 */
	float bbi;   /* Uni * BBi / 2 */
};

/* Immutable: share it freely. */
struct lode_places {
	struct lode_arena arena; /* of the arrays */
	size_t n;
	uint32_t longest; /* pattern of those that have rows */
	uint32_t longest_of_all;
	uint32_t *pattern; /* place -> pattern */
	size_t *start;	   /* place -> its functions (n + 1) */
	uint32_t *function;
	uint32_t *row;	    /* of `subs`, parallel to `function` */
	bool *has_rows;	    /* per place: each of its functions has a row of its own, and it is no
			       longer than LODE_PLACE_LONGEST */
	uint32_t *place_of; /* pattern -> place */
	uint32_t *node_of;  /* parallel to `function` */
	struct lode_place_weight *weight; /* parallel to `function` */
	float *sum;			  /* of Uni: lode_place_sums */
	struct lode_place_node *nodes;
	uint32_t *first_node; /* place -> its own nodes (n + 1) */
	float *uni;	      /* per function */
};

void lode_places_init(struct lode_places *places, const struct lode_similarity *similarity,
		      const struct lode_sub_table *subs);
void lode_places_release(struct lode_places *places);

static inline uint32_t lode_place_length(const struct lode_places *places, size_t place)
{
	return (uint32_t)(places->start[place + 1] - places->start[place]);
}

/* Item k is the sum of Uni over the first k functions, the last one that over all. */
static inline const float *lode_place_sums(const struct lode_places *places, size_t place)
{
	return places->sum + places->start[place] + place;
}

/* How many functions the patterns at two places begin with alike. */
uint32_t lode_places_shared(const struct lode_places *places, size_t a, size_t b);

static inline float lode_place_least(const struct lode_place_weight *w)
{
	return w->fbi + w->bbi;
}
