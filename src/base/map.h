/*
 * Hash maps with 64-bit keys and 32-bit values, and string interning.
 *
 * Open addressing, linear probing, growth at 3/4. Iteration order is never used for output:
 * results must not depend on hashes. Not thread-safe.
 */
#ifndef LODE_MAP_H
#define LODE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

#define LODE_NONE UINT32_MAX /* "no id": the value a map gives for an absent key */

struct lode_map_slot {
	uint64_t key;
	uint32_t value; /* LODE_NONE: the slot is free */
};

/* `{ 0 }` is an empty map. */
struct lode_map {
	struct lode_map_slot *slots;
	size_t n, mask;
};

/* Value of `key`, or LODE_NONE. */
uint32_t lode_map_find(const struct lode_map *map, uint64_t key);
/* The slot's value for `key`, made (holding LODE_NONE) if absent: the caller must then set it. */
uint32_t *lode_map_slot(struct lode_map *map, uint64_t key);
void lode_map_release(struct lode_map *map);

/* A good 64-bit mixer and a hash of bytes (for tables in memory only; never stored). */
uint64_t lode_hash_u64(uint64_t x);
uint64_t lode_hash_bytes(const void *data, size_t size_bytes, uint64_t seed);

/* A stable 64-bit content hash (FNV-1a, then mixed) for ids that users see and keep. */
uint64_t lode_stable_hash(const void *data, size_t size_bytes, uint64_t seed);

/* ---- Strings: each distinct text once, as a dense id in order of first sight ---- */

struct lode_strings {
	struct lode_arena arena;
	LODE_VEC(const char *) text; /* id -> NUL-terminated text, borrowed from the arena */
	LODE_VEC(uint32_t) len;
	struct lode_map index;
};

uint32_t lode_strings_intern(struct lode_strings *strings, const char *s, size_t len);
uint32_t lode_strings_find(const struct lode_strings *strings, const char *s, size_t len);
void lode_strings_release(struct lode_strings *strings);

#endif
