/*
 * Integers in as few bytes as they need: 7 bits a byte, least first, the top bit says that more
 * follow. Signed ones are folded so that small ones of either sign are short: 0 -1 1 -2 -> 0 1 2 3.
 */
#pragma once

#include "base/bytes.h"
#include "base/mem.h"

typedef LODE_VEC(uint8_t) lode_byte_vec;

static inline void lode_varint_put(lode_byte_vec *to, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		lode_vec_append(to, (uint8_t)(value | 0x80));
	lode_vec_append(to, (uint8_t)value);
}

/* Of 1 to 8 bytes, the first of which is the word's lowest; `last` is the top bit of the last. */
static inline uint64_t lode_varint_of_word(uint64_t word, uint64_t last)
{
	word &= last - 1;
	word = (word & 0x007f007f007f007f) | (word & 0x7f007f007f007f00) >> 1;
	word = (word & 0x00003fff00003fff) | (word & 0x3fff00003fff0000) >> 2;
	return (word & 0x000000000fffffff) | (word & 0x0fffffff00000000) >> 4;
}

/* More than 64 bits are an overrun: no writer makes them. */
static inline uint64_t lode_varint_get(struct lode_bytes *from)
{
	uint64_t value = 0;

	if (from->at < from->end && *from->at < 0x80)
		return *from->at++;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	if (from->end - from->at >= 8) {
		uint64_t word, ends;

		memcpy(&word, from->at, sizeof(word));
		ends = ~word & 0x8080808080808080;
		if (ends) {
			from->at += __builtin_ctzll(ends) / 8 + 1;
			return lode_varint_of_word(word, ends & -ends);
		}
	}
#endif
	for (unsigned shift = 0; from->at < from->end && shift < 64; shift += 7) {
		uint8_t byte = *from->at++;

		if (shift == 63 && byte > 1)
			break;
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	from->overrun = true;
	from->at = from->end;
	return 0;
}

/* `value - base`, whatever the two are: differences wrap around and come back. */
static inline void lode_varint_put_delta(lode_byte_vec *to, uint64_t value, uint64_t base)
{
	uint64_t delta = value - base;

	lode_varint_put(to, delta << 1 ^ (delta >> 63 ? UINT64_MAX : 0));
}

static inline uint64_t lode_varint_get_delta(struct lode_bytes *from, uint64_t base)
{
	uint64_t folded = lode_varint_get(from);

	return base + (folded >> 1 ^ (folded & 1 ? UINT64_MAX : 0));
}
