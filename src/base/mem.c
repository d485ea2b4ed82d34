/* Allocation that cannot fail, and arenas. */
#include "base/mem.h"

#include <malloc.h>
#include <stdio.h>

#include "base/memory_bound.h"
#include "base/temporary_folder.h"

static void __attribute__((noreturn)) oom_exit(size_t size_bytes)
{
	fprintf(stderr, "lode: out of memory (allocating %zu bytes); see --memory\n", size_bytes);
	lode_temporary_abandon();
	_Exit(4);
}

void (*lode_oom)(size_t size_bytes) __attribute__((noreturn)) = oom_exit;

/* Before a block is made: is it one for a file? */
static bool is_for_file(size_t size_bytes)
{
	if (size_bytes >= LODE_LARGE_BYTES)
		return lode_memory_is_short(size_bytes);
	lode_memory_count_small(size_bytes);
	return false;
}

void *lode_alloc(size_t size_bytes)
{
	bool is_filed = is_for_file(size_bytes);
	void *p = malloc(size_bytes ? size_bytes : 1);

	if (!p)
		lode_oom(size_bytes);
	if (is_filed)
		lode_memory_to_file(p, size_bytes, NULL, 0);
	return p;
}

void *lode_alloc0(size_t n, size_t size_bytes)
{
	size_t total;
	bool is_filed;
	void *p;

	if (__builtin_mul_overflow(n, size_bytes, &total))
		lode_oom(SIZE_MAX);
	is_filed = is_for_file(total);
	p = calloc(n ? n : 1, size_bytes ? size_bytes : 1);
	if (!p)
		lode_oom(total);
	if (is_filed)
		lode_memory_to_file(p, total, NULL, 0);
	return p;
}

void lode_free(void *block)
{
	lode_memory_forget(block);
	(free)(block);
}

/* A large block grows while memory is short: its content moves to a file. */
static void *grow_in_file(void *p, size_t old_bytes, size_t size_bytes)
{
	void *grown = malloc(size_bytes);

	if (!grown)
		lode_oom(size_bytes);
	lode_memory_to_file(grown, size_bytes, p, old_bytes);
	free(p);
	return grown;
}

void *lode_realloc_n(void *p, size_t n, size_t size_bytes)
{
	size_t total, old;

	if (__builtin_mul_overflow(n, size_bytes, &total))
		lode_oom(SIZE_MAX);
	if (total < LODE_LARGE_BYTES) {
		lode_memory_count_small(total);
	} else {
		old = malloc_usable_size(p);
		if (total > old && lode_memory_is_short(total - old))
			return grow_in_file(p, old, total);
	}
	lode_memory_forget(p);
	p = realloc(p, total ? total : 1);
	if (!p)
		lode_oom(total);
	return p;
}

char *lode_strdup(const char *s)
{
	size_t size = strlen(s) + 1;

	return memcpy(lode_alloc(size), s, size);
}

struct lode_arena_block {
	struct lode_arena_block *next;
	max_align_t data[];
};

/* Arenas double up to LARGE and then grow by a quarter: of small ones there may be a million. */
enum { LEAST_BLOCK_BYTES = 1000, LARGE_ARENA_BYTES = 256 << 10, MOST_BLOCK_BYTES = 4 << 20 };

void *lode_arena_alloc(struct lode_arena *arena, size_t size_bytes, size_t align)
{
	uintptr_t at = ((uintptr_t)arena->next + align - 1) & ~(uintptr_t)(align - 1);
	struct lode_arena_block *block;
	size_t room;

	if (!arena->next || at + size_bytes > (uintptr_t)arena->end || at + size_bytes < at) {
		room = arena->size_bytes;
		if (room > LARGE_ARENA_BYTES)
			room /= 4;
		if (room < LEAST_BLOCK_BYTES)
			room = LEAST_BLOCK_BYTES;
		if (room > MOST_BLOCK_BYTES)
			room = MOST_BLOCK_BYTES;
		if (room < size_bytes + align)
			room = size_bytes + align;
		block = lode_alloc(sizeof(*block) + room);
		block->next = arena->blocks;
		arena->blocks = block;
		arena->size_bytes += sizeof(*block) + room;
		arena->next = (char *)block->data;
		arena->end = arena->next + room;
		at = ((uintptr_t)arena->next + align - 1) & ~(uintptr_t)(align - 1);
	}
	arena->next = (char *)(at + size_bytes);
	return (void *)at;
}

char *lode_arena_strndup(struct lode_arena *arena, const char *s, size_t len)
{
	char *copy = lode_arena_alloc(arena, len + 1, 1);

	memcpy(copy, s, len);
	copy[len] = '\0';
	return copy;
}

char *lode_arena_strdup(struct lode_arena *arena, const char *s)
{
	return s ? lode_arena_strndup(arena, s, strlen(s)) : NULL;
}

void lode_arena_join(struct lode_arena *arena, struct lode_arena *from)
{
	struct lode_arena_block **end = &from->blocks;

	while (*end)
		end = &(*end)->next;
	*end = arena->blocks;
	arena->blocks = from->blocks;
	arena->size_bytes += from->size_bytes;
	memset(from, 0, sizeof(*from));
}

void lode_arena_release(struct lode_arena *arena)
{
	struct lode_arena_block *block, *next;

	for (block = arena->blocks; block; block = next) {
		next = block->next;
		free(block);
	}
	memset(arena, 0, sizeof(*arena));
}

void *lode_vec_grow(void *at, size_t *capacity, size_t need, size_t item_bytes)
{
	size_t n = *capacity + *capacity / 2;

	if (n < need)
		n = need;
	if (n < 8)
		n = 8;
	*capacity = n;
	return lode_realloc_n(at, n, item_bytes);
}

void *lode_vec_resize(void *at, size_t *capacity, size_t need, size_t item_bytes)
{
	size_t before = *capacity;
	void *fits;

	*capacity = need;
	if (need >= before)
		return lode_realloc_n(at, need, item_bytes);
	/* realloc would leave a hole behind each of a million small blocks. */
	fits = need ? memcpy(lode_alloc(need * item_bytes), at, need * item_bytes) : NULL;
	free(at);
	return fits;
}
