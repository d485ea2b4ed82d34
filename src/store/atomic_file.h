/*
 * Files that are there whole or not at all, whatever happens while they are written.
 */
#ifndef LODE_ATOMIC_FILE_H
#define LODE_ATOMIC_FILE_H

#include <stddef.h>

#include "base/error.h"

/*
 * Writes `path`: beside it first, under a hidden name that tells the process, then, once the data
 * are on the disk, in place of what was there. Two threads must not write the same path.
 */
int lode_atomic_write(const char *path, const void *data, size_t size, struct lode_error *err);

/*
 * Removes from the folder what writers that were killed have left of files whose names end in
 * `suffix`. Nobody else may be writing such files there.
 */
void lode_atomic_sweep(const char *folder, const char *suffix);

#endif
