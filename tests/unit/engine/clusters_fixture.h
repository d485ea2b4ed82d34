/*
 * Random patterns with statistics that fit them, for the tests of clustering.
 */
#ifndef CLUSTERS_FIXTURE_H
#define CLUSTERS_FIXTURE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "engine/clusters/similarity.h"
#include "model/digest.h"

struct fixture {
	struct lode_calltree tree;
	struct lode_name_stats names;
	struct lode_pattern_set patterns;
	struct lode_pattern_set stacks; /* what the statistics were counted from */
};

/* cmocka's own comparison is of floats. */
static inline void check_near(double found, double expected, double most)
{
	if (!(fabs(found - expected) <= most))
		fail_msg("found %.17g, expected %.17g", found, expected);
}

static inline uint64_t random_u64(uint64_t *state)
{
	*state += 0x9e3779b97f4a7c15u;
	return lode_hash_u64(*state);
}

static inline uint32_t random_below(uint64_t *state, uint32_t n)
{
	return (uint32_t)((random_u64(state) >> 32) * n >> 32);
}

/* Names of one to four words out of few, in several spellings, so that words are often shared. */
static inline void random_name(uint64_t *state, char *name, size_t size)
{
	static const char *const words[] = {"read", "page", "cache", "lock", "io"};
	uint32_t n = 1 + random_below(state, 4), style = random_below(state, 3);
	size_t at = 0;

	for (uint32_t i = 0; i < n && at < size; i++) {
		const char *word = words[random_below(state, 5)];

		at += (size_t)snprintf(name + at, size - at, "%s%s",
				       !i	    ? ""
				       : style == 0 ? "_"
				       : style == 1 ? "::"
						    : "2",
				       word);
	}
	if (random_below(state, 12) == 0)
		snprintf(name, size, "%u", random_below(state, 3)); /* not a word in it */
}

static inline void set_append(struct lode_pattern_set *set, const uint32_t *frames, size_t n)
{
	if (!set->start.n)
		lode_vec_append(&set->start, (size_t)0);
	for (size_t i = 0; i < n; i++)
		lode_vec_append(&set->items, frames[i]);
	lode_vec_append(&set->start, set->items.n);
	lode_vec_append(&set->cost, (int64_t)1);
	set->n++;
}

static inline void set_release(struct lode_pattern_set *set)
{
	lode_vec_release(&set->items);
	lode_vec_release(&set->start);
	lode_vec_release(&set->cost);
}

static inline void vec_count(uint64_t *at, size_t n, uint32_t frame)
{
	if (frame < n)
		at[frame]++;
}

/* Counts a stack as lode_name_stats_add_stream does. */
static inline void fixture_count_stack(struct fixture *f, const uint32_t *frames, size_t n)
{
	struct lode_name_stats *names = &f->names;
	struct lode_name_pair pair = {0};
	uint32_t *slot;
	bool seen;

	while (names->n_with.n < f->tree.frames.n) {
		lode_vec_append(&names->n_with, (uint64_t)0);
		lode_vec_append(&names->n_callee, (uint64_t)0);
		lode_vec_append(&names->n_caller, (uint64_t)0);
	}
	set_append(&f->stacks, frames, n);
	names->n_stacks++;
	for (size_t i = 0; i < n; i++) {
		seen = false;
		for (size_t k = 0; k < i; k++)
			seen |= frames[k] == frames[i];
		if (!seen)
			vec_count(names->n_with.at, names->n_with.n, frames[i]);
		if (i + 1 == n)
			break;
		names->n_callee.at[frames[i]]++;
		names->n_caller.at[frames[i + 1]]++;
		slot = lode_map_slot(&names->pair_index, (uint64_t)frames[i] << 32 | frames[i + 1]);
		if (*slot == LODE_NONE) {
			*slot = (uint32_t)names->pairs.n;
			pair.caller = frames[i];
			pair.callee = frames[i + 1];
			lode_vec_append(&names->pairs, pair);
		}
		names->pairs.at[*slot].n++;
	}
}

/*
 * `n` patterns of up to `longest` functions out of `n_functions`, the first of which (a link to a
 * thread) no stack has, and some stacks. Every other pattern is a variant of an earlier one.
 */
static inline void fixture_random(struct fixture *f, uint64_t *state, size_t n, uint32_t longest,
				  uint32_t n_functions)
{
	uint32_t frames[64], length;
	char name[64];

	memset(f, 0, sizeof(*f));
	lode_calltree_init(&f->tree);
	lode_frame_link(&f->tree, "worker");
	while (f->tree.frames.n < n_functions) {
		random_name(state, name, sizeof(name));
		snprintf(name + strlen(name), sizeof(name) - strlen(name), "_%zu",
			 f->tree.frames.n); /* a number adds no word */
		lode_frame_intern(&f->tree, "m", name, 0);
	}
	for (size_t i = 0; i < n; i++) {
		length = 1 + random_below(state, longest);
		for (uint32_t k = 0; k < length; k++)
			frames[k] = random_below(state, n_functions);
		if (i && random_below(state, 2)) {
			size_t from = f->patterns.start.at[random_below(state, (uint32_t)i)];

			for (uint32_t k = 0; k < length && from < f->patterns.items.n; k++)
				if (random_below(state, 4))
					frames[k] = f->patterns.items.at[from++];
		}
		set_append(&f->patterns, frames, length);
	}
	for (uint32_t i = 0, stacks = random_below(state, 12); i < stacks; i++) {
		length = 1 + random_below(state, longest);
		for (uint32_t k = 0; k < length; k++)
			frames[k] = 1 + random_below(state, n_functions - 1);
		fixture_count_stack(f, frames, length);
	}
}

static inline void fixture_release(struct fixture *f)
{
	lode_calltree_release(&f->tree);
	lode_name_stats_release(&f->names);
	set_release(&f->patterns);
	set_release(&f->stacks);
}

#endif
