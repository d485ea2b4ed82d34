/*
 * Classes of characters of ASCII, the same in any locale.
 */
#pragma once

#include <stdbool.h>

static inline bool lode_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool lode_is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Of an identifier of C. */
static inline bool lode_is_word(char c)
{
	return lode_is_letter(c) || lode_is_digit(c) || c == '_';
}

static inline bool lode_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Nothing but blanks, or nothing. */
static inline bool lode_is_blank_text(const char *text)
{
	while (lode_is_blank(*text))
		text++;
	return !*text;
}

/* Its value; -1: none. */
static inline int lode_hex_digit(char c)
{
	if (lode_is_digit(c))
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}
