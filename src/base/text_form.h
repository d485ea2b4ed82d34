/*
 * Texts in forms that no reader of lines knows, as UTF-8 with line feeds: UTF-16 with a byte order
 * mark, as Windows' tools write it, and lines that end with a carriage return alone.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum lode_text_form {
	LODE_TEXT_PLAIN, /* or no text at all */
	LODE_TEXT_UTF16_LE,
	LODE_TEXT_UTF16_BE,
	LODE_TEXT_CR,
};

/* By the first bytes of a file. */
enum lode_text_form lode_text_form_recognise(const uint8_t *head, size_t size);

/* `{ .form = ... }` is ready. */
struct lode_text_converter {
	enum lode_text_form form;
	uint8_t odd;   /* first byte of a unit that is cut */
	uint16_t high; /* first half of a pair; 0: none */
	uint8_t has_odd, is_begun;
};

enum { LODE_TEXT_GROWTH = 3 }; /* times the input, and as much again */

/* Converts `size` bytes into `out`, which has room for LODE_TEXT_GROWTH * (size + 1); gives how
   many it is. What is no character becomes U+FFFD. */
size_t lode_text_convert(struct lode_text_converter *converter, uint8_t *out, const uint8_t *bytes,
			 size_t size);
