/*
 * Shell-like patterns for names: functions, modules, comms.
 *
 *   *      any text, also none            [a-z]  one byte of the set
 *   ?      any one byte                   [!x]   one byte that is not (also [^x])
 *   \c     the byte c itself              ]      stands for itself first in a set
 *
 * Bytes are compared as they are: no locale, no special treatment of '/' or a leading dot. A '['
 * that is never closed stands for itself, as does a '\' at the end.
 */
#pragma once

#include <stdbool.h>

bool lode_glob_match_from(const char *glob, const char *text);

/* Whether a byte of a glob stands for itself. */
static inline bool lode_glob_is_plain(char c)
{
	return c != '*' && c != '?' && c != '[' && c != '\\';
}

/* Whether all of `text` matches. At most length of glob x length of text steps, no recursion. */
static inline bool lode_glob_match(const char *glob, const char *text)
{
	/* Where many globs are tried, the first byte rules out nearly all of them. */
	return (*glob == *text || !lode_glob_is_plain(*glob)) && lode_glob_match_from(glob, text);
}
