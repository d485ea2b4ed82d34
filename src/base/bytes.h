/*
 * A bounded cursor over bytes: the only way in which readers touch a file's content.
 *
 * Reading past the end gives 0 and sets `overrun`, which stays set; check once per record. Values
 * are little-endian. A record gets a sub-cursor of its declared size, so that a bad one cannot eat
 * the next.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct lode_bytes {
	const uint8_t *at, *end;
	bool overrun;
	int64_t base_offset; /* offset in the file of `start`, for messages */
	const uint8_t *start;
};

static inline struct lode_bytes lode_bytes_make(const void *data, size_t size, int64_t offset)
{
	const uint8_t *p = data;

	return (struct lode_bytes){.at = p, .end = p + size, .base_offset = offset, .start = p};
}

static inline size_t lode_bytes_left(const struct lode_bytes *b)
{
	return (size_t)(b->end - b->at);
}

static inline int64_t lode_bytes_offset(const struct lode_bytes *b)
{
	return b->base_offset + (b->at - b->start);
}

/* `n` bytes in place, or NULL (and overrun) if fewer are left. */
static inline const void *lode_bytes_take(struct lode_bytes *b, size_t n)
{
	const uint8_t *p = b->at;

	if (lode_bytes_left(b) < n) {
		b->overrun = true;
		b->at = b->end;
		return NULL;
	}
	b->at += n;
	return p;
}

/* The next `n` bytes as a cursor of their own; empty and overrun if fewer are left. */
static inline struct lode_bytes lode_bytes_sub(struct lode_bytes *b, size_t n)
{
	int64_t offset = lode_bytes_offset(b);
	const void *p = lode_bytes_take(b, n);
	struct lode_bytes sub = lode_bytes_make(p ? p : b->end, p ? n : 0, offset);

	sub.overrun = !p;
	return sub;
}

#define LODE_BYTES_READER(name, type)                             \
	static inline type name(struct lode_bytes *b)             \
	{                                                         \
		const void *p = lode_bytes_take(b, sizeof(type)); \
		type value = 0;                                   \
                                                                  \
		if (p)                                            \
			memcpy(&value, p, sizeof(value));         \
		return value;                                     \
	}

LODE_BYTES_READER(lode_bytes_u8, uint8_t)
LODE_BYTES_READER(lode_bytes_u16, uint16_t)
LODE_BYTES_READER(lode_bytes_u32, uint32_t)
LODE_BYTES_READER(lode_bytes_u64, uint64_t)
LODE_BYTES_READER(lode_bytes_i32, int32_t)

/* A NUL-terminated text inside the cursor's bytes; without NUL: overrun and "". */
static inline const char *lode_bytes_string(struct lode_bytes *b)
{
	const uint8_t *p = b->at;
	const void *nul = b->at == b->end ? NULL : memchr(p, 0, lode_bytes_left(b));

	if (!nul) {
		b->overrun = true;
		b->at = b->end;
		return "";
	}
	b->at = (const uint8_t *)nul + 1;
	return (const char *)p;
}
