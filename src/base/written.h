/*
 * What is written to a FILE, as a text in memory.
 */
#pragma once

#include <stdio.h>

/* What `put` writes of `what`: the caller's to free, *size bytes and a NUL. */
char *lode_written(size_t *size, void (*put)(FILE *out, const void *what), const void *what);
