/* Converts UTF-16 and lines that end with a carriage return. */
#include "base/text_form.h"

#include <stdbool.h>

/* Printable text whose lines end with a carriage return alone. */
static bool is_cr_text(const uint8_t *head, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < size; i++) {
		if ((head[i] < 0x20 && head[i] != '\t' && head[i] != '\r') || head[i] == 0x7f)
			return false;
		n += head[i] == '\r';
	}
	return n > 1;
}

enum lode_text_form lode_text_form_recognise(const uint8_t *head, size_t size)
{
	if (size >= 2 && head[0] == 0xff && head[1] == 0xfe)
		/* With two zeros behind it, it is UTF-32. */
		return size >= 4 && !head[2] && !head[3] ? LODE_TEXT_PLAIN : LODE_TEXT_UTF16_LE;
	if (size >= 2 && head[0] == 0xfe && head[1] == 0xff)
		return LODE_TEXT_UTF16_BE;
	return is_cr_text(head, size) ? LODE_TEXT_CR : LODE_TEXT_PLAIN;
}

static size_t put_character(uint8_t *out, uint32_t c)
{
	if (c < 0x80) {
		out[0] = (uint8_t)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (uint8_t)(0xc0 | c >> 6);
		out[1] = (uint8_t)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (uint8_t)(0xe0 | c >> 12);
		out[1] = (uint8_t)(0x80 | (c >> 6 & 0x3f));
		out[2] = (uint8_t)(0x80 | (c & 0x3f));
		return 3;
	}
	out[0] = (uint8_t)(0xf0 | c >> 18);
	out[1] = (uint8_t)(0x80 | (c >> 12 & 0x3f));
	out[2] = (uint8_t)(0x80 | (c >> 6 & 0x3f));
	out[3] = (uint8_t)(0x80 | (c & 0x3f));
	return 4;
}

static size_t put_unit(struct lode_text_converter *converter, uint8_t *out, uint16_t unit)
{
	enum { REPLACEMENT = 0xfffd };
	uint16_t high = converter->high;
	size_t n = 0;

	converter->high = 0;
	if (high && unit >> 10 == 0x37)
		return put_character(out,
				     0x10000 + ((uint32_t)(high & 0x3ff) << 10) + (unit & 0x3ff));
	if (high)
		n = put_character(out, REPLACEMENT);
	if (unit >> 10 == 0x36)
		converter->high = unit;
	else
		n += put_character(out + n, unit >> 10 == 0x37 ? REPLACEMENT : unit);
	return n;
}

static size_t convert_utf16(struct lode_text_converter *converter, uint8_t *out,
			    const uint8_t *bytes, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < size; i++) {
		uint8_t first = converter->odd, second = bytes[i];
		uint16_t unit = converter->form == LODE_TEXT_UTF16_LE
					? (uint16_t)(first | second << 8)
					: (uint16_t)(second | first << 8);

		converter->has_odd = !converter->has_odd;
		converter->odd = second;
		if (converter->has_odd)
			continue;
		/* The mark itself. */
		if (!converter->is_begun && unit == 0xfeff) {
			converter->is_begun = 1;
			continue;
		}
		converter->is_begun = 1;
		n += put_unit(converter, out + n, unit);
	}
	return n;
}

size_t lode_text_convert(struct lode_text_converter *converter, uint8_t *out, const uint8_t *bytes,
			 size_t size)
{
	if (converter->form != LODE_TEXT_CR)
		return convert_utf16(converter, out, bytes, size);
	for (size_t i = 0; i < size; i++)
		out[i] = bytes[i] == '\r' ? '\n' : bytes[i];
	return size;
}
