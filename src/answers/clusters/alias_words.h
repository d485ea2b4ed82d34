/*
 * Functions that are one over recordings (engine/aliases), in words and as a list.
 */
#pragma once

#include <stdio.h>

#include "model/digest.h"

struct lode_record;

/* " (in 18 recordings get_v2)": how the function of that label is called elsewhere; "": by no other
   name. */
const char *lode_alias_words(struct lode_arena *arena, const struct lode_digest *digest,
			     const char *label);

/* Lines of "Data and method"; none where there is no alias. */
void lode_alias_lines(FILE *out, const struct lode_digest *digest);

/* "aliases" of a document, from its digest. */
extern const struct lode_record lode_aliases_record;
