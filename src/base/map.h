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

/* The value for `key`; an absent one is given `n`: its place in a list of so many, to be appended.
 */
static inline uint32_t lode_map_number(struct lode_map *map, uint64_t key, size_t n)
{
	uint32_t *slot = lode_map_slot(map, key);

	if (*slot == LODE_NONE)
		*slot = (uint32_t)n;
	return *slot;
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

/*
 * Finds items of an array by the two 32-bit numbers that each of them begins with.
 *
 *   slots:  tag and id, 4 bytes        items:  a  b  ...   (the owner's array; ids are places in
 * it)
 *
 * As lode_map with a << 32 | b for a key, in a quarter of the memory: the key is not kept beside
 * the id, since the item has it. An id is smaller than half of the slots, so the bits above it are
 * free for a part of the key's hash: another item is seldom looked at in vain. What finding costs
 * is two cache lines, the slot's and the item's.
 *
 * All items from 0 on are in it: the next to be added is item `n`. Not thread-safe.
 */

/* `{ 0 }` is empty. */
struct lode_pair_index {
	uint32_t *slots; /* LODE_NONE: free */
	uint32_t n;	 /* items in it */
	unsigned n_bits; /* of a slot's number */
};

/* Makes room for `n` items. `items` are those that are in it. */
void lode_pair_index_reserve(struct lode_pair_index *index, const void *items, size_t item_bytes,
			     size_t n);
void lode_pair_index_release(struct lode_pair_index *index);
/* Takes all items out, and keeps the room. */
void lode_pair_index_clear(struct lode_pair_index *index);

/* Adds item `n` of the array, or one that its owner appends next, which (a, b) did not find. */
void lode_pair_index_add(struct lode_pair_index *index, const void *items, size_t item_bytes,
			 uint32_t a, uint32_t b);

/* The bits of a slot that are the id. */
static inline uint32_t lode_pair_id_mask(const struct lode_pair_index *index)
{
	return (uint32_t)(((uint64_t)1 << (index->n_bits - 1)) - 1);
}

/* The item (a, b), or LODE_NONE. */
static inline uint32_t lode_pair_index_find(const struct lode_pair_index *index, const void *items,
					    size_t item_bytes, uint32_t a, uint32_t b)
{
	uint64_t hash;
	uint32_t ids, tag;
	size_t mask;

	if (!index->slots)
		return LODE_NONE;
	hash = lode_map_hash((uint64_t)a << 32 | b);
	ids = lode_pair_id_mask(index);
	tag = (uint32_t)(hash >> 32);
	mask = ((size_t)1 << index->n_bits) - 1;
	for (size_t i = hash & mask;; i = (i + 1) & mask) {
		uint32_t slot = index->slots[i];
		const uint32_t *item;

		if (slot == LODE_NONE)
			return LODE_NONE;
		if ((slot ^ tag) & ~ids)
			continue;
		item = (const uint32_t *)((const char *)items + (slot & ids) * item_bytes);
		if (item[0] == a && item[1] == b)
			return slot & ids;
	}
}
