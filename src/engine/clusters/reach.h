/*
 * The best that a block of patterns can reach with each of many others: a bound on Sim from above,
 * for 16 or 32 pairs at a time, as the machine can.
 *
 *              P of the block, one per lane     Sim >= cut only if W(M) >= ratio * (W(ID) + W(S))
 *   Q  main  | . . . . . . . . . . . . . . . .
 *      open  | . . . . . . . . . . . . . . . .  a row of the table for each node of the tree of Qs
 *      read  | . . . . . . . . . . . . . . . .
 *
 * The table holds the most that W(M) - ratio * (W(ID) + W(S)) can be for any alignment of two
 * beginnings, whatever it costs: matches count the most that omega can be, given whether they stand
 * next to matches, and all else the least. Whole numbers of 16 bits, rounded in favour of the pair.
 */
#pragma once

#include "engine/clusters/places.h"
#include "engine/clusters/subtable.h"

enum { LODE_REACH_MOST_LANES = 32 };

/* What the walk is compiled for. The result is the same. */
enum lode_reach_kind {
	LODE_REACH_PLAIN,  /* any machine */
	LODE_REACH_AVX2,   /* 16 lanes at once */
	LODE_REACH_AVX512, /* 32; needs AVX-512BW */
};

/* The best that this machine has. */
enum lode_reach_kind lode_reach_best_kind(void);

typedef LODE_VEC(uint32_t) lode_place_vec;

/* What all threads share. */
struct lode_reach {
	const struct lode_places *places;
	const struct lode_sub_table *subs;
	size_t n_functions;
	enum lode_reach_kind kind;
	uint32_t n_lanes;    /* patterns of a block at most */
	int32_t one;	     /* 1 as a whole number */
	float match, differ; /* factors of what matches and of what does not */
	int16_t *skip;	     /* per node: what it costs to leave it out */
	int16_t *begin;	     /* the same for the first that is left out after a match */
	int32_t *sub_of;     /* per code of `subs`: Sub in 2^-15, rounded down */
};

/* One thread's. `{ 0 }` is ready. */
struct lode_reach_block {
	LODE_VEC(uint8_t) table, rows, columns; /* vectors, behind what aligns them */
	/* Per lane: the places behind the block's that may reach the cut, ascending. */
	lode_place_vec found[LODE_REACH_MOST_LANES];
};

/* `ratio`: as above, at most what the cut demands. `kind`: no better than the best. */
void lode_reach_init(struct lode_reach *reach, const struct lode_places *places,
		     const struct lode_sub_table *subs, size_t n_functions, double ratio,
		     enum lode_reach_kind kind);
void lode_reach_release(struct lode_reach *reach);

/*
 * Fills block->found for the patterns at places first..first + n - 1 (n <= reach->n_lanes) with
 * each place behind their own. Leaves none out that reaches the cut, but for equal patterns without
 * weight.
 */
void lode_reach_find(struct lode_reach_block *block, const struct lode_reach *reach, uint32_t first,
		     uint32_t n);
void lode_reach_block_release(struct lode_reach_block *block);
