#include "base/map.h"

#include <stdlib.h>

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

uint32_t lode_map_find(const struct lode_map *map, uint64_t key)
{
	if (!map->slots)
		return LODE_NONE;
	for (size_t i = lode_hash_u64(key) & map->mask;; i = (i + 1) & map->mask) {
		if (map->slots[i].value == LODE_NONE)
			return LODE_NONE;
		if (map->slots[i].key == key)
			return map->slots[i].value;
	}
}

static void map_grow(struct lode_map *map)
{
	struct lode_map old = *map;
	size_t n = old.slots ? (old.mask + 1) * 2 : 16, i, k;

	map->slots = lode_alloc(n * sizeof(*map->slots));
	map->mask = n - 1;
	for (i = 0; i < n; i++)
		map->slots[i].value = LODE_NONE;
	for (k = 0; old.slots && k <= old.mask; k++) {
		if (old.slots[k].value == LODE_NONE)
			continue;
		i = lode_hash_u64(old.slots[k].key) & map->mask;
		while (map->slots[i].value != LODE_NONE)
			i = (i + 1) & map->mask;
		map->slots[i] = old.slots[k];
	}
	free(old.slots);
}

uint32_t *lode_map_slot(struct lode_map *map, uint64_t key)
{
	size_t i;

	if (!map->slots || (map->n + 1) * 4 > (map->mask + 1) * 3)
		map_grow(map);
	for (i = lode_hash_u64(key) & map->mask; map->slots[i].value != LODE_NONE;
	     i = (i + 1) & map->mask)
		if (map->slots[i].key == key)
			return &map->slots[i].value;
	map->slots[i].key = key;
	map->n++;
	return &map->slots[i].value;
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
