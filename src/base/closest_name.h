/*
 * "Was ... meant?": the name that a mistyped one is closest to.
 */
#ifndef LODE_CLOSEST_NAME_H
#define LODE_CLOSEST_NAME_H

/* The name of the list (NULL-terminated) that is closest to `word`, or NULL when none is close: up
   to a slip in each three letters, where neighbours that are swapped are one slip. */
const char *lode_closest_name(const char *word, const char *const *names);

#endif
