/*
 * Files that lode finds by itself, beside those that the user names: notes and tables of bundles,
 * files of folders, symbols. Only regular files are read: opening a FIFO would wait for a writer
 * that may never come, and reading a device may have effects.
 */
#pragma once

#include <stdio.h>

/* A descriptor to read from, or -1 and errno; ENXIO: it is no regular file. */
int lode_found_open(const char *path);
/* The same as a stream, or NULL. */
FILE *lode_found_stream(const char *path);
