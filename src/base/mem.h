/*
 * Memory: allocation that cannot fail, arenas, growable arrays.
 *
 * A size that lode computed and that cannot be had ends the process through lode_oom (exit 4). A
 * size that came from a file must be checked against the bytes that are left before it gets here.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Called when memory is exhausted; must not return. Replaceable by tests and embedders. */
extern void (*lode_oom)(size_t size_bytes) __attribute__((noreturn));

#define LODE_NEVER_NULL __attribute__((returns_nonnull))

/* malloc, calloc and an overflow-checked realloc, or lode_oom */
LODE_NEVER_NULL void *lode_alloc(size_t size_bytes);
LODE_NEVER_NULL void *lode_alloc0(size_t n, size_t size_bytes);
LODE_NEVER_NULL void *lode_realloc_n(void *p, size_t n, size_t size_bytes);
LODE_NEVER_NULL char *lode_strdup(const char *s);

/*
 * free(), for blocks of lode as for all others: pages of a block on a file must not be given up
 * once it is freed (base/memory_bound.h). tests/cli/frees.sh checks that no source of lode frees
 * without it.
 */
void lode_free(void *block);
#ifndef __clang_analyzer__ /* knows free() */
#define free(block) lode_free(block)
#endif

/* ---- Arena: one lifetime, freed at once. `{ 0 }` is empty and ready. Not thread-safe. ---- */

struct lode_arena_block;
struct lode_arena {
	struct lode_arena_block *blocks;
	char *next, *end;
	size_t size_bytes; /* taken from the system so far */
};

LODE_NEVER_NULL void *lode_arena_alloc(struct lode_arena *arena, size_t size_bytes, size_t align);
LODE_NEVER_NULL char *lode_arena_strndup(struct lode_arena *arena, const char *s, size_t len);
/* The whole text; of NULL, NULL. */
char *lode_arena_strdup(struct lode_arena *arena, const char *s);
/* What `from` holds is `arena`'s from here on; `from` is empty. */
void lode_arena_join(struct lode_arena *arena, struct lode_arena *from);
void lode_arena_release(struct lode_arena *arena);

#define lode_arena_array(arena, type, n) \
	((type *)lode_arena_alloc(arena, sizeof(type) * (size_t)(n), _Alignof(type)))
/* All 0. */
#define lode_arena_array0(arena, type, n) \
	((type *)memset(lode_arena_array(arena, type, n), 0, sizeof(type) * (size_t)(n)))

/* ---- Vec: a growable array. Declare `LODE_VEC(int64_t) starts = { 0 };` ---- */

#define LODE_VEC(type)              \
	struct {                    \
		type *at;           \
		size_t n, capacity; \
	}

LODE_NEVER_NULL void *lode_vec_grow(void *at, size_t *capacity, size_t need, size_t item_bytes);
void *lode_vec_resize(void *at, size_t *capacity, size_t need, size_t item_bytes);

/* What the analyzer cannot see: room for something is never nowhere. */
#ifdef __clang_analyzer__
#define lode_vec_is_there(v) ((v)->at ? (void)0 : __builtin_unreachable())
#else
#define lode_vec_is_there(v) ((void)0)
#endif

#define lode_vec_reserve(v, need)                                                                  \
	((need) <= (v)->capacity ? (void)0                                                         \
				 : (void)((v)->at = lode_vec_grow((v)->at, &(v)->capacity, (need), \
								  sizeof(*(v)->at))),              \
	 lode_vec_is_there(v))
#define lode_vec_append(v, item) \
	(lode_vec_reserve(v, (v)->n + 1), (void)((v)->at[(v)->n++] = (item)))
/* Appends `count` of what an array holds. */
#define lode_vec_append_all(v, items, count)                                                     \
	(lode_vec_reserve(v, (v)->n + (count)),                                                  \
	 (void)((count) ? memcpy(&(v)->at[(v)->n], (items), (count) * sizeof(*(v)->at)) : NULL), \
	 (void)((v)->n += (count)))
/* Room for exactly so many, no fewer than there are: for vectors of which there are very many. */
#define lode_vec_fit(v, need)                                                                \
	((v)->capacity == (need) ? (void)0                                                   \
				 : (void)((v)->at = lode_vec_resize((v)->at, &(v)->capacity, \
								    (need), sizeof(*(v)->at))))
/* Appends one zeroed item and gives its address (valid until the next append). */
#define lode_vec_append_zero(v)                                                          \
	(lode_vec_reserve(v, (v)->n + 1), memset(&(v)->at[(v)->n], 0, sizeof(*(v)->at)), \
	 &(v)->at[(v)->n++])
#define lode_vec_release(v) (free((v)->at), (v)->at = NULL, (v)->n = (v)->capacity = 0)
/* NOLINTBEGIN(bugprone-macro-parentheses): a declared name and a statement have none */
/* The same, with `release` done first for each item: `it` is its address. */
#define lode_vec_release_each(v, it, release)                  \
	do {                                                   \
		__typeof__((v)->at) it = (v)->at;              \
                                                               \
		for (size_t left = (v)->n; left; left--, it++) \
			release;                               \
		lode_vec_release(v);                           \
	} while (0)
/* NOLINTEND(bugprone-macro-parentheses) */
