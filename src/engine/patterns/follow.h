/*
 * What can follow a prefix, and what can follow that: the inner loops of the search by enumeration.
 *
 * The database of a prefix holds what stands behind its leftmost embedding in each sequence, and of
 * that only the items that can follow the prefix (with a cost of λ or more), numbered from 0. One
 * walk over it gives the costs of all pairs x, y: prefix, then x, then y. That settles two levels
 * of the search at once, and most prefixes have nothing below these, so that most are never
 * visited.
 *
 *   sequence  a b a c b      last occurrences   a(2) c(3) b(4)
 *   firsts    a(0) b(1) c(3)  pairs: for each first, all lasts behind it: a-a a-c a-b, b-c b-b, c-b
 *
 * Every pair is met exactly once in a sequence that way: no marks, no branches in the inner loop.
 */
#pragma once

#include "base/mem.h"

struct lode_follow_db {
	uint32_t n_items;
	LODE_VEC(uint32_t) global; /* item -> reduced item; ascending */
	LODE_VEC(uint32_t) items;
	LODE_VEC(uint32_t) start; /* n + 1 */
	LODE_VEC(int64_t) weight;
};

/* Scratch of one thread. */
struct lode_follow_scratch {
	LODE_VEC(uint32_t) behind; /* item -> lasts behind its first; LODE_NONE between calls */
	LODE_VEC(uint32_t) last;   /* the sequence's last occurrences, from its end */
	LODE_VEC(uint32_t) number; /* item -> its number in the next database */
	LODE_VEC(struct lode_occurrence) seen;
	uint64_t work; /* steps; the owner resets it */
};

/* Where items have their first occurrences: sequence, and place in `items`. */
struct lode_occurrence {
	uint32_t row, sequence, at;
};

struct lode_follow_places {
	LODE_VEC(uint8_t) is_wanted; /* per row, set by the caller */
	LODE_VEC(uint32_t) first;    /* per row, into `list`; n + 1 */
	LODE_VEC(struct lode_occurrence) list;
};

void lode_follow_db_release(struct lode_follow_db *db);
void lode_follow_places_release(struct lode_follow_places *places);
void lode_follow_scratch_release(struct lode_follow_scratch *scratch);

/* cost[(x - from) * n_items + y], for x = from..end - 1 and all y. */
void lode_follow_count(int64_t *cost, const struct lode_follow_db *db, uint32_t from, uint32_t end,
		       struct lode_follow_scratch *scratch);

/* Empties it, with `n` rows. */
void lode_follow_places_begin(struct lode_follow_places *places, uint32_t n);
/* Fills `list` for the rows that are wanted: row i is item `from` + i. */
void lode_follow_places_find(struct lode_follow_places *places, const struct lode_follow_db *db,
			     uint32_t from, struct lode_follow_scratch *scratch);

/*
 * The database of the prefix and the item of `row`, with those y whose cost[y] >= min_cost. What is
 * too short for a pair is left out. Gives the weight of the rest.
 */
int64_t lode_follow_project(struct lode_follow_db *out, const struct lode_follow_db *db,
			    const struct lode_follow_places *places, uint32_t row,
			    const int64_t *cost, int64_t min_cost,
			    struct lode_follow_scratch *scratch);
