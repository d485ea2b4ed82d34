/*
 * "Was ... meant?": the name that a mistyped one is closest to.
 */
#pragma once

/* The name of the list (NULL-terminated) that is closest to `word`, or NULL when none is close: up
   to a slip in each three letters, where neighbours that are swapped are one slip. Where none is,
   the shortest one that begins with `word`. */
const char *lode_closest_name(const char *word, const char *const *names);
