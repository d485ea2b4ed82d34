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
#pragma once

#include "base/map.h"

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
