/* Hash maps with 64-bit keys, and string interning. */
#include "base/map.h"

#include "base/memory_bound.h"

/* ---- Maps ---- */

uint32_t *lode_alloc_none(size_t n)
{
	return memset(lode_alloc(n * sizeof(uint32_t)), 0xff, n * sizeof(uint32_t));
}

uint64_t lode_hash_u64(uint64_t x)
{
	/* The finaliser of SplitMix64: every input bit reaches every output bit. */
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9u;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebu;
	x ^= x >> 31;
	return x;
}

uint64_t lode_hash_bytes(const void *data, size_t size_bytes, uint64_t seed)
{
	const unsigned char *p = data;
	uint64_t h = seed ^ (size_bytes * 0x9e3779b97f4a7c15u), word;

	for (; size_bytes >= 8; p += 8, size_bytes -= 8) {
		memcpy(&word, p, 8);
		h = (h ^ word) * 0x9fb21c651e98df25u;
		h ^= h >> 32;
	}
	word = 0;
	memcpy(&word, p, size_bytes);
	return lode_hash_u64(h ^ word);
}

uint64_t lode_stable_hash(const void *data, size_t size_bytes, uint64_t seed)
{
	const unsigned char *p = data;
	uint64_t h = 0xcbf29ce484222325u ^ seed;

	for (size_t i = 0; i < size_bytes; i++)
		h = (h ^ p[i]) * 0x100000001b3u;
	return lode_hash_u64(h);
}

/* A free slot's key is 0, as its value is LODE_NONE: one compare finds either end of a search. */
static struct lode_map_slot *free_slot(const struct lode_map *map, uint64_t key)
{
	size_t i = lode_map_place(map, key);

	while (map->slots[i].value != LODE_NONE)
		i = (i + 1) & map->mask;
	return &map->slots[i];
}

static void resize(struct lode_map *map, size_t n_slots)
{
	struct lode_map old = *map;

	lode_memory_count_table(n_slots * sizeof(*map->slots));
	map->slots = lode_alloc(n_slots * sizeof(*map->slots));
	map->mask = n_slots - 1;
	for (size_t i = 0; i < n_slots; i++)
		map->slots[i] = (struct lode_map_slot){0, LODE_NONE};
	for (size_t i = 0; old.slots && i <= old.mask; i++)
		if (old.slots[i].value != LODE_NONE)
			*free_slot(map, old.slots[i].key) = old.slots[i];
	free(old.slots);
}

/* Keys that fit into a table. */
static size_t room(size_t n_slots)
{
	return n_slots / 8 * 5;
}

void lode_map_reserve(struct lode_map *map, size_t n)
{
	size_t n_slots = map->slots ? map->mask + 1 : 16;

	while (room(n_slots) < n)
		n_slots *= 2;
	if (!map->slots || n_slots > map->mask + 1)
		resize(map, n_slots);
}

uint32_t *lode_map_add(struct lode_map *map, uint64_t key)
{
	struct lode_map_slot *slot;

	if (!map->slots || map->n + 1 > room(map->mask + 1))
		resize(map, map->slots ? (map->mask + 1) * 2 : 16);
	slot = free_slot(map, key);
	slot->key = key;
	map->n++;
	return &slot->value;
}

void lode_map_release(struct lode_map *map)
{
	free(map->slots);
	memset(map, 0, sizeof(*map));
}

/* Keys are hashes of the text; equal hashes of different texts step to the next key. */
static uint32_t strings_probe(const struct lode_strings *strings, const char *s, size_t len,
			      uint64_t *key)
{
	uint32_t id;

	for (*key = lode_hash_bytes(s, len, 0);; ++*key) {
		id = lode_map_find(&strings->index, *key);
		if (id == LODE_NONE ||
		    (strings->len.at[id] == len && !memcmp(strings->text.at[id], s, len)))
			return id;
	}
}

uint32_t lode_strings_find(const struct lode_strings *strings, const char *s, size_t len)
{
	uint64_t key;

	return strings_probe(strings, s, len, &key);
}

uint32_t lode_strings_intern(struct lode_strings *strings, const char *s, size_t len)
{
	uint64_t key;
	uint32_t id = strings_probe(strings, s, len, &key);

	if (id != LODE_NONE)
		return id;
	id = (uint32_t)strings->text.n;
	lode_vec_append(&strings->text, lode_arena_strndup(&strings->arena, s, len));
	lode_vec_append(&strings->len, (uint32_t)len);
	*lode_map_slot(&strings->index, key) = id;
	return id;
}

void lode_strings_release(struct lode_strings *strings)
{
	lode_arena_release(&strings->arena);
	lode_vec_release(&strings->text);
	lode_vec_release(&strings->len);
	lode_map_release(&strings->index);
}

/* ---- Items by two numbers ---- */

/* One id fewer than half of the slots: that one, with all bits of the tag set, means "free". */
static uint32_t pair_room(const struct lode_pair_index *index)
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
static void resize_pairs(struct lode_pair_index *index, const void *items, size_t item_bytes,
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
		resize_pairs(index, items, item_bytes, n_bits);
}

void lode_pair_index_add(struct lode_pair_index *index, const void *items, size_t item_bytes,
			 uint32_t a, uint32_t b)
{
	if (index->n >= pair_room(index))
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
