/*
 * Hash maps with 64-bit keys and 32-bit values, and string interning.
 *
 * Open addressing, linear probing, growth at 5/8. Iteration order is never used for output:
 * results must not depend on hashes. Not thread-safe.
 *
 * What a look-up costs is the one cache line that it touches: keys are compared where they lie,
 * four slots stand on a line, and looking, mixing the key included, is inlined at the caller.
 */
#pragma once

#include "base/mem.h"

#define LODE_NONE UINT32_MAX /* "no id": the value a map gives for an absent key */

/* n of them, all LODE_NONE: to be freed. */
LODE_NEVER_NULL uint32_t *lode_alloc_none(size_t n);

struct lode_map_slot {
	uint64_t key;
	uint32_t value; /* LODE_NONE: the slot is free */
};

/* `{ 0 }` is an empty map. */
struct lode_map {
	struct lode_map_slot *slots;
	size_t n, mask;
};

/* Makes room for `n` keys, so that adding them moves nothing. */
void lode_map_reserve(struct lode_map *map, size_t n);
void lode_map_release(struct lode_map *map);

/* Adds a key that lode_map_slot did not find; its value is LODE_NONE until the caller sets it. */
uint32_t *lode_map_add(struct lode_map *map, uint64_t key);

/* Both halves of a product of 128 bits: every bit of the key reaches every bit of the sum, at the
   price of one multiplication. */
static inline uint64_t lode_map_hash(uint64_t key)
{
	unsigned __int128 product =
		(unsigned __int128)(key ^ 0x2d358dccaa6c78a5u) * 0x8bb84b93962eacc9u;

	return (uint64_t)(product >> 64) ^ (uint64_t)product;
}

/* Where `key` is looked for first. */
static inline size_t lode_map_place(const struct lode_map *map, uint64_t key)
{
	return (size_t)lode_map_hash(key) & map->mask;
}

/* Value of `key`, or LODE_NONE. */
static inline uint32_t lode_map_find(const struct lode_map *map, uint64_t key)
{
	if (!map->slots)
		return LODE_NONE;
	for (size_t i = lode_map_place(map, key);; i = (i + 1) & map->mask) {
		const struct lode_map_slot *slot = &map->slots[i];

		if (slot->key == key || slot->value == LODE_NONE)
			return slot->value;
	}
}

/* The slot's value for `key`, made (holding LODE_NONE) if absent: the caller must then set it. */
static inline uint32_t *lode_map_slot(struct lode_map *map, uint64_t key)
{
	if (map->slots)
		for (size_t i = lode_map_place(map, key);; i = (i + 1) & map->mask) {
			struct lode_map_slot *slot = &map->slots[i];

			if (slot->value == LODE_NONE)
				break;
			if (slot->key == key)
				return &slot->value;
		}
	return lode_map_add(map, key);
}

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
