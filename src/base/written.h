/*
 * What is written to a FILE, as a text in memory. Nothing of it can fail.
 *
 *	char *text;
 *	size_t size;
 *	FILE *out = lode_written_open(&text, &size);
 *
 *	fprintf(out, ...);
 *	lode_written_close(out);
 */
#pragma once

#include <stdio.h>

#include "base/mem.h"

/* Once closed, *text has *size bytes and a NUL: to be freed. Both must stay where they are. */
FILE *lode_written_open(char **text, size_t *size);
void lode_written_close(FILE *out);
/* Closes it, and moves the text to the arena. */
const char *lode_written_keep(FILE *out, char **text, const size_t *size, struct lode_arena *arena);
