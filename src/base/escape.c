/* Escapes untrusted text for a terminal. */
#include "base/escape.h"

#include <stdio.h>
#include <unictype.h>
#include <uniwidth.h>

#include "base/utf8.h"

bool lode_escape_hides(uint32_t c)
{
	static const uint32_t kinds = UC_CATEGORY_MASK_Cc | UC_CATEGORY_MASK_Cf |
				      UC_CATEGORY_MASK_Zl | UC_CATEGORY_MASK_Zp;
	/* Fillers of Hangul, letters by category, are blank. */
	bool is_filler = c == 0x115f || c == 0x1160 || c == 0x3164 || c == 0xffa0;

	return is_filler || uc_is_general_category_withtable(c, kinds) ||
	       uc_is_property_not_a_character(c);
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

static void take_escape(struct piece *piece, const unsigned char *s, size_t left)
{
	uint32_t c = 0;
	size_t n;

	piece->used = 1;
	if (*s >= 0x20 && *s < 0x7f) {
		piece->text[0] = (char)*s;
		piece->len = piece->columns = 1;
		return;
	}
	n = lode_utf8_take(&c, (const char *)s, left);
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
	else if (lode_escape_hides(c))
		escape_as(piece, c > 0xffff ? "\\U%08x" : "\\u%04x", c);
	else {
		memcpy(piece->text, s, n);
		piece->len = n;
		piece->columns = (size_t)uc_width(c, "UTF-8");
	}
}

/*
 * Copies what fits into `size` bytes and `columns`; gives the number of bytes of `text` that were
 * taken and, in *shown, the columns used.
 */
static size_t copy_escape(char *buffer, size_t size, const char *text, size_t len, size_t columns,
			  size_t *shown)
{
	const unsigned char *s = (const unsigned char *)text;
	struct piece piece;
	size_t at = 0, i = 0;

	*shown = 0;
	while (i < len) {
		take_escape(&piece, s + i, len - i);
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

	if (len < size && lode_escape_plain(text, len) == len) {
		memcpy(buffer, text, len);
		buffer[len] = '\0';
	} else if (size) {
		copy_escape(buffer, size, text, len, SIZE_MAX, &shown);
	}
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
	if (copy_escape(buffer, size, text, len, columns, &shown) == len)
		return buffer;
	if (!columns || size < sizeof(ellipsis)) {
		*buffer = '\0';
		return buffer;
	}
	copy_escape(buffer, size - (sizeof(ellipsis) - 1), text, len, columns - 1, &shown);
	memcpy(buffer + strlen(buffer), ellipsis, sizeof(ellipsis));
	return buffer;
}

const char *lode_escape_fit_names(char *buffer, size_t size, const char *text, size_t columns)
{
	static const char rest[] = " …";
	size_t len = strlen(text), end, width, shown, used = 0;

	if (!size || lode_escape_width(text) <= columns)
		return lode_escape(buffer, size, text);
	/* Word by word, as long as what stands for the others has room behind it; of these, no
	   separator alone. */
	for (size_t at = strcspn(text, " "); at < len; at = end) {
		end = at + 1 + strcspn(text + at + 1, " ");
		copy_escape(buffer, size, text, at, SIZE_MAX, &width);
		if (used && width + 2 > columns)
			break;
		used = at;
	}
	if (!used)
		return lode_escape(buffer, size, text);
	while (used > 4 &&
	       (memcmp(text + used - 4, " ›", 4) == 0 || memcmp(text + used - 4, " …", 4) == 0 ||
		memcmp(text + used - 4, " →", 4) == 0))
		used -= 4;
	copy_escape(buffer, size > sizeof(rest) ? size - sizeof(rest) : 1, text, used, SIZE_MAX,
		    &shown);
	strncat(buffer, rest, size - strlen(buffer) - 1);
	return buffer;
}

size_t lode_escape_width(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t left = strlen(text);
	size_t width = 0;
	struct piece piece;

	while (left) {
		take_escape(&piece, s, left);
		width += piece.columns;
		s += piece.used;
		left -= piece.used;
	}
	return width;
}
