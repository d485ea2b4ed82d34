/*
 * Untrusted text on a terminal. Names in traces are whatever a program called itself: they may hold
 * escape sequences, invalid UTF-8 or marks that reorder the line.
 *
 *   "\033[2J"           ->  \x1b[2J             control characters
 *   "a\xff"             ->  a\xff               bytes that are not UTF-8
 *   U+202E, U+200B ...  ->  \u202e \u200b       bidi marks, invisible characters
 *
 * Everything else, backslashes too, stays as it is. Whatever prints names follows this rule: tables
 * and messages, stacks in lines, exports; JSON writes the same characters as \uXXXX. Widths are
 * columns of a terminal: 2 for wide East Asian characters and emoji, 0 for combining marks. Needs
 * no locale.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Whether a character is escaped: it controls a terminal, reorders a line, or cannot be seen. */
bool lode_escape_hides(uint32_t c);

/* Bytes at the beginning of `text` that no rule changes: ASCII that can be printed. */
static inline size_t lode_escape_plain(const char *text, size_t len)
{
	const uint64_t one = 0x0101010101010101;
	uint64_t word;
	size_t i = 0;

	/* Eight at once: none is below 0x20, 0x7f, or above. Carries come only from such bytes. */
	for (; i + sizeof(word) <= len; i += sizeof(word)) {
		memcpy(&word, text + i, sizeof(word));
		if ((word | (word - 0x20 * one) | (word + one)) & 0x80 * one)
			break;
	}
	while (i < len && (unsigned char)text[i] - 0x20U < 0x7f - 0x20)
		i++;
	return i;
}

/*
 * `text` made harmless, in `buffer` (always NUL-terminated, never cut inside an escape or a
 * character; what does not fit is left out). Gives `buffer`. Four times the length (plus one)
 * always fits.
 */
const char *lode_escape(char *buffer, size_t size, const char *text);

/* As lode_escape, for a text of known length that may hold NUL bytes. */
const char *lode_escape_n(char *buffer, size_t size, const char *text, size_t len);

/* As lode_escape, and at most `columns` wide: a text that is longer ends in "…". */
const char *lode_escape_fit(char *buffer, size_t size, const char *text, size_t columns);

/*
 * The same without cutting a name: what does not fit is left out from a blank on, and " …" stands
 * for it. A first name that is wider stays whole, and the text is that wide.
 */
const char *lode_escape_fit_names(char *buffer, size_t size, const char *text, size_t columns);

/* Columns that `text` takes once escaped. */
size_t lode_escape_width(const char *text);
