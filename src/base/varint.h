/*
 * Integers in as few bytes as they need: 7 bits a byte, least first, the top bit says that more
 * follow. Signed ones are folded so that small ones of either sign are short: 0 -1 1 -2 -> 0 1 2 3.
 */
#ifndef LODE_VARINT_H
#define LODE_VARINT_H

#include <stdint.h>

#include "base/bytes.h"
#include "base/mem.h"

typedef LODE_VEC(uint8_t) lode_byte_vec;

static inline void lode_varint_put(lode_byte_vec *to, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		lode_vec_append(to, (uint8_t)(value | 0x80));
	lode_vec_append(to, (uint8_t)value);
}

/* More than 64 bits are an overrun: no writer makes them. */
static inline uint64_t lode_varint_get(struct lode_bytes *from)
{
	uint64_t value = 0;

	if (from->at < from->end && *from->at < 0x80)
		return *from->at++;
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

#endif
