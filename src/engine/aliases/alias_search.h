/*
 * The search for aliases: what its parts share. Inside of engine/aliases only.
 *
 *   aliases          rounds: two names of one function; joining
 *   alias_layers     functions that only some recordings have between the same neighbours
 *   alias_evidence   what speaks for and against a join
 *
 * docs/mining.md has the test, and says what the constants were chosen on.
 */
#pragma once

#include "engine/aliases/alias_tree.h"
#include "engine/clusters/subtable.h"

static const double lode_alias_neglected = 0.1; /* share of a cost */
static const double lode_alias_alike = 0.5;    /* of paths, neighbours and names: the paper's cut */
static const double lode_alias_ratio = 4;      /* of costs per recording, at most */
static const double lode_alias_ratio_leaf = 2; /* the same, where a leaf was inlined */

/* Evidence, in logarithms of odds. */
static const double lode_alias_enough = 2.99; /* 1 in 20 */
static const double lode_alias_one_side = 5;  /* if only callers or only callees are alike */
static const double lode_alias_complete = 1;  /* one of both is wherever it can be */

enum lode_alias_side { LODE_ALIAS_CALLERS, LODE_ALIAS_CALLEES, LODE_ALIAS_N_SIDES };

/* A neighbour of a function, with the cost of what they have together. LODE_NONE: none, it is first
   or last. */
struct lode_alias_neighbour {
	uint32_t frame, other;
	int64_t cost;
};

struct lode_alias_join {
	uint32_t frame, as; /* as: LODE_NONE: a layer */
	double evidence;
	struct lode_alias_streams streams[2]; /* with one and the other; borrowed, or the arena's */
};

/* Recordings on the two sides of a release, as far as aliases show. */
struct lode_alias_border {
	struct lode_alias_streams side[2];
};

struct lode_alias_search {
	const struct lode_digest *digest;
	size_t n_frames, n_streams;
	uint32_t *frame_of;
	struct lode_alias_tree tree;
	struct lode_words names, modules;
	bool *is_candidate;
	LODE_VEC(struct lode_alias_neighbour)
	sides[LODE_ALIAS_N_SIDES];	   /* of candidates, by frame, then other */
	size_t *start[LODE_ALIAS_N_SIDES]; /* per frame, n_frames + 1 */
	LODE_VEC(struct lode_alias_join) joins;
	LODE_VEC(struct lode_alias_border) borders;
	struct lode_arena arena; /* of these */
	/* Scratch, per frame: costs of paths, for two sides. */
	double *above[2], *below[2];
	bool *is_on_path;
	LODE_VEC(uint32_t) on_path;
	size_t n_steps;
};

/* -ln of the probability that random sets of a and b of m recordings are disjoint. */
double lode_alias_exclusion(double m, double a, double b);

static inline double lode_alias_ratio_of(double a, double b)
{
	return a > b ? a / b : b / a;
}

/* How unlikely it is that two functions keep by chance to the sides of a border that is known. */
double lode_alias_border_evidence(const struct lode_alias_search *s,
				  const struct lode_alias_streams *a,
				  const struct lode_alias_streams *b);
void lode_alias_keep_border(struct lode_alias_search *s, const struct lode_alias_streams *a,
			    const struct lode_alias_streams *b);

/*
 * What the kernel's releases of two groups of recordings say: none is in both (evidence for), one
 * is in both (against), or they are not known.
 */
double lode_alias_kernel_evidence(const struct lode_alias_search *s, uint32_t frame,
				  const struct lode_alias_streams *a,
				  const struct lode_alias_streams *b);

/* Share of two functions' cost that has the same neighbours on one side. */
double lode_alias_overlap(const struct lode_alias_search *s, enum lode_alias_side side, uint32_t f,
			  uint32_t g);
/* Recordings in which one of both can be expected: those that have a caller of both, or a callee of
   both if these are fewer. */
double lode_alias_possible(const struct lode_alias_search *s, uint32_t f, uint32_t g);

/* Paths of two sides, 0 and 1: a node's callers, and what it calls, by cost. */
void lode_alias_clear_paths(struct lode_alias_search *s);
void lode_alias_add_path(struct lode_alias_search *s, double *sums, uint32_t frame, double cost);
void lode_alias_add_paths(struct lode_alias_search *s, int which, uint32_t node, bool with_node);
/* Similarity of what was added as 0 and as 1, which cost so much in these streams. */
double lode_alias_likeness(const struct lode_alias_search *s, const double *cost,
			   const struct lode_alias_streams *streams);

/* Appends the layers to `joins`. */
void lode_alias_find_layers(struct lode_alias_search *s);
