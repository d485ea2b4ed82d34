/*
 * UTF-8 that came from outside: where its characters end, and what stands for bytes that are none.
 * Overlong forms, surrogates and what lies beyond Unicode are no characters.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <unistr.h>

/* U+FFFD: what a byte that is not UTF-8 becomes where only UTF-8 may stand. */
#define LODE_UTF8_REPLACEMENT "\xef\xbf\xbd"

/* Bytes of the character at `text`, of which `left` bytes (not 0) are there; 0: it is none. */
static inline size_t lode_utf8_take(uint32_t *c, const char *text, size_t left)
{
	const uint8_t *s = (const uint8_t *)text;
	int n = 1;

	*c = *s;
	if (*s >= 0x80)
		n = u8_mbtoucr(c, s, left);
	return n > 0 ? (size_t)n : 0;
}
