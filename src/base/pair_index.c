/* An index over items that begin with their keys. */
#include "base/pair_index.h"

#include "base/memory_bound.h"

/* One id fewer than half of the slots: that one, with all bits of the tag set, means "free". */
static uint32_t room(const struct lode_pair_index *index)
{
	return index->slots ? lode_pair_id_mask(index) : 0;
}

static void put_pair(struct lode_pair_index *index, uint32_t id, uint32_t a, uint32_t b)
{
	uint64_t hash = lode_map_hash((uint64_t)a << 32 | b);
	size_t mask = ((size_t)1 << index->n_bits) - 1, i = hash & mask;

	while (index->slots[i] != LODE_NONE)
		i = (i + 1) & mask;
	index->slots[i] = ((uint32_t)(hash >> 32) & ~lode_pair_id_mask(index)) | id;
}

/* The items themselves say where they belong: the old slots go before the new ones come. */
static void resize(struct lode_pair_index *index, const void *items, size_t item_bytes,
		   unsigned n_bits)
{
	size_t size = sizeof(*index->slots) << n_bits;

	free(index->slots);
	lode_memory_count_table(size);
	index->slots = memset(lode_alloc(size), 0xff, size);
	index->n_bits = n_bits;
	for (uint32_t id = 0; id < index->n; id++) {
		const uint32_t *item = (const uint32_t *)((const char *)items + id * item_bytes);

		put_pair(index, id, item[0], item[1]);
	}
}

void lode_pair_index_reserve(struct lode_pair_index *index, const void *items, size_t item_bytes,
			     size_t n)
{
	unsigned n_bits = index->slots ? index->n_bits : 4;

	while (((size_t)1 << (n_bits - 1)) - 1 < n)
		n_bits++;
	if (!index->slots || n_bits > index->n_bits)
		resize(index, items, item_bytes, n_bits);
}

void lode_pair_index_add(struct lode_pair_index *index, const void *items, size_t item_bytes,
			 uint32_t a, uint32_t b)
{
	if (index->n >= room(index))
		lode_pair_index_reserve(index, items, item_bytes, (size_t)index->n + 1);
	put_pair(index, index->n++, a, b);
}

void lode_pair_index_release(struct lode_pair_index *index)
{
	free(index->slots);
	memset(index, 0, sizeof(*index));
}

void lode_pair_index_clear(struct lode_pair_index *index)
{
	if (index->n)
		memset(index->slots, 0xff, sizeof(*index->slots) << index->n_bits);
	index->n = 0;
}
