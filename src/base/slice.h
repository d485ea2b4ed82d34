/*
 * A piece of a text: borrowed, not NUL-terminated. `at` NULL: there is none.
 */
#pragma once

#include <stddef.h>
#include <string.h>

#include "base/ascii.h"

struct lode_slice {
	const char *at;
	size_t len;
};

static inline struct lode_slice lode_slice_between(const char *at, const char *end)
{
	return (struct lode_slice){at, (size_t)(end - at)};
}

static inline bool lode_slice_is(struct lode_slice slice, const char *text)
{
	return slice.len == strlen(text) && !memcmp(slice.at, text, slice.len);
}

static inline bool lode_slice_begins(struct lode_slice slice, const char *text)
{
	return slice.len >= strlen(text) && !memcmp(slice.at, text, strlen(text));
}

static inline bool lode_slice_ends(struct lode_slice slice, const char *text)
{
	size_t n = strlen(text);

	return slice.len >= n && !memcmp(slice.at + slice.len - n, text, n);
}

/* Where `word` stands in it first; NULL: nowhere. */
static inline const char *lode_slice_find(struct lode_slice slice, const char *word)
{
	return memmem(slice.at, slice.len, word, strlen(word));
}

static inline bool lode_text_begins(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

/* Moves *at behind `text` where that stands there. */
static inline bool lode_text_skip(const char **at, const char *end, const char *text)
{
	bool is_there = lode_slice_begins(lode_slice_between(*at, end), text);

	*at += is_there ? strlen(text) : 0;
	return is_there;
}

/* Without the blanks at either end. */
static inline struct lode_slice lode_slice_trim(struct lode_slice slice)
{
	while (slice.len && lode_is_blank(*slice.at)) {
		slice.at++;
		slice.len--;
	}
	while (slice.len && lode_is_blank(slice.at[slice.len - 1]))
		slice.len--;
	return slice;
}
