#include "base/escape.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct range {
	uint32_t first, last;
};

static const struct range wide[] = {
#include "base/width_wide.inc"
};
static const struct range combining[] = {
#include "base/width_combining.inc"
};
static const struct range invisible[] = {
#include "base/width_invisible.inc"
};

#define IS_IN(table, c) is_in(table, sizeof(table) / sizeof(*(table)), c)

static bool is_in(const struct range *ranges, size_t n, uint32_t c)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (c > ranges[mid].last)
			low = mid + 1;
		else
			high = mid;
	}
	return low < n && c >= ranges[low].first;
}

/* Length of the well-formed UTF-8 character at `s`, or 0. Overlong forms and surrogates are not. */
static size_t decode(const unsigned char *s, size_t left, uint32_t *c)
{
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t n = *s < 0x80   ? 1
		   : *s < 0xc2 ? 0
		   : *s < 0xe0 ? 2
		   : *s < 0xf0 ? 3
		   : *s < 0xf5 ? 4
			       : 0;

	if (n == 0 || n > left)
		return 0;
	*c = n == 1 ? *s : *s & (0x7fU >> n);
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*c = *c << 6 | (s[i] & 0x3f);
	}
	if (*c < smallest[n] || *c > 0x10ffff || (*c >= 0xd800 && *c <= 0xdfff))
		return 0;
	return n;
}

/* One character of the text as it will be shown. */
struct piece {
	char text[12];
	size_t len, columns;
	size_t used; /* bytes of the input that it stands for */
};

static void escape_as(struct piece *piece, const char *format, uint32_t c)
{
	piece->len = (size_t)snprintf(piece->text, sizeof(piece->text), format, c);
	piece->columns = piece->len;
}

static void take(struct piece *piece, const unsigned char *s, size_t left)
{
	uint32_t c = 0;
	size_t n;

	piece->used = 1;
	if (*s >= 0x20 && *s < 0x7f) {
		piece->text[0] = (char)*s;
		piece->len = piece->columns = 1;
		return;
	}
	n = decode(s, left, &c);
	if (n == 0) {
		escape_as(piece, "\\x%02x", *s);
		return;
	}
	piece->used = n;
	if (c == '\n')
		escape_as(piece, "\\n", 0);
	else if (c == '\t')
		escape_as(piece, "\\t", 0);
	else if (c < 0x80)
		escape_as(piece, "\\x%02x", c);
	else if (IS_IN(invisible, c))
		escape_as(piece, c > 0xffff ? "\\U%08x" : "\\u%04x", c);
	else {
		memcpy(piece->text, s, n);
		piece->len = n;
		piece->columns = IS_IN(combining, c) ? 0 : IS_IN(wide, c) ? 2 : 1;
	}
}

/*
 * Copies what fits into `size` bytes and `columns`; gives the number of bytes of `text` that were
 * taken and, in *shown, the columns used.
 */
static size_t copy(char *buffer, size_t size, const char *text, size_t len, size_t columns,
		   size_t *shown)
{
	const unsigned char *s = (const unsigned char *)text;
	struct piece piece;
	size_t at = 0, i = 0;

	*shown = 0;
	while (i < len) {
		take(&piece, s + i, len - i);
		if (piece.len >= size - at || piece.columns > columns - *shown)
			break;
		memcpy(buffer + at, piece.text, piece.len);
		at += piece.len;
		*shown += piece.columns;
		i += piece.used;
	}
	buffer[at] = '\0';
	return i;
}

const char *lode_escape_n(char *buffer, size_t size, const char *text, size_t len)
{
	size_t shown;

	if (size)
		copy(buffer, size, text, len, SIZE_MAX, &shown);
	return buffer;
}

const char *lode_escape(char *buffer, size_t size, const char *text)
{
	return lode_escape_n(buffer, size, text, strlen(text));
}

const char *lode_escape_fit(char *buffer, size_t size, const char *text, size_t columns)
{
	static const char ellipsis[] = "…";
	size_t len = strlen(text);
	size_t shown;

	if (!size)
		return buffer;
	if (copy(buffer, size, text, len, columns, &shown) == len)
		return buffer;
	if (!columns || size < sizeof(ellipsis)) {
		*buffer = '\0';
		return buffer;
	}
	copy(buffer, size - (sizeof(ellipsis) - 1), text, len, columns - 1, &shown);
	memcpy(buffer + strlen(buffer), ellipsis, sizeof(ellipsis));
	return buffer;
}

size_t lode_escape_width(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t left = strlen(text);
	size_t width = 0;
	struct piece piece;

	while (left) {
		take(&piece, s, left);
		width += piece.columns;
		s += piece.used;
		left -= piece.used;
	}
	return width;
}
