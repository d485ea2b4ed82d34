/* Shell-like patterns for functions, modules and comms. */
#include "base/glob.h"

#include <stddef.h>
#include <string.h>

/*
 * Matches `c` against the set that starts behind '['. Gives what follows the set, or NULL if it is
 * never closed.
 */
static const char *set_match(const char *at, unsigned char c, bool *matches)
{
	bool negated = *at == '!' || *at == '^', found = false;
	const char *first;

	at += negated;
	for (first = at; *at && (*at != ']' || at == first);) {
		unsigned char low, high;

		if (*at == '\\' && at[1])
			at++;
		low = high = (unsigned char)*at++;
		if (*at == '-' && at[1] && at[1] != ']') {
			at += at[1] == '\\' && at[2] ? 2 : 1;
			high = (unsigned char)*at++;
		}
		found |= c >= low && c <= high;
	}
	*matches = found != negated;
	return *at == ']' ? at + 1 : NULL;
}

/* Matches one item of the glob (no '*') against `c`; gives the next item, or NULL. */
static const char *item_match(const char *glob, char c)
{
	const char *after;
	bool matches;

	switch (*glob) {
	case '?':
		return glob + 1;
	case '[':
		after = set_match(glob + 1, (unsigned char)c, &matches);
		if (after)
			return matches ? after : NULL;
		break;
	case '\\':
		if (glob[1])
			glob++;
		break;
	default:
		break;
	}
	return *glob == c ? glob + 1 : NULL;
}

/* Where what follows a star can match, at `text` or behind; NULL: nowhere. */
static const char *start_match(const char *glob, const char *text)
{
	return lode_glob_is_plain(*glob) ? strchr(text, *glob) : text;
}

bool lode_glob_match_from(const char *glob, const char *text)
{
	/* Only the latest star can need more text: an earlier one already did with the least. */
	const char *star = NULL, *star_text = NULL, *next;

	while (*text) {
		if (*glob == '*') {
			star = ++glob;
			if (!*glob)
				return true;
			star_text = text = start_match(glob, text);
			if (!text)
				return false;
			continue;
		}
		next = *glob ? item_match(glob, *text) : NULL;
		if (next) {
			glob = next;
			text++;
		} else if (star) {
			glob = star;
			star_text = text = start_match(glob, star_text + 1);
			if (!text)
				return false;
		} else {
			return false;
		}
	}
	while (*glob == '*')
		glob++;
	return !*glob;
}
