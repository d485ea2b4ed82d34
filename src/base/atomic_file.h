/*
 * Files that are there whole or not at all, whatever happens while they are written.
 *
 * The one place that writes files for people; which of them may be replaced is store/outputs.h's.
 */
#pragma once

#include <stddef.h>

#include "base/error.h"

/*
 * Writes `path`: beside it first, under a hidden name that tells the process, then, once the data
 * are on the disk, in place of what was there, whose permissions it keeps. A link stays, and what
 * it leads to is replaced. What is no regular file (a pipe, /dev/null, /dev/stdout) is written as
 * it is. Two threads must not write the same path. What writers of the path that were killed have
 * left is removed, at once: the lock of such a file is free.
 */
int lode_atomic_write(const char *path, const void *data, size_t size, struct lode_error *err);
/* The same with data of recordings (base/private_file.h). */
int lode_atomic_write_private(const char *path, const void *data, size_t size,
			      struct lode_error *err);

/* The same in parts, for files that are too large for memory. */
struct lode_atomic_file;

int lode_atomic_open(struct lode_atomic_file **out, const char *path, struct lode_error *err);
int lode_atomic_open_private(struct lode_atomic_file **out, const char *path,
			     struct lode_error *err);
/* At an offset: holes are zeros, what was written may be written again (not of a pipe). */
int lode_atomic_write_at(struct lode_atomic_file *file, const void *data, size_t size,
			 int64_t offset, struct lode_error *err);
/* Puts the file in place; frees `file`, also on failure. */
int lode_atomic_commit(struct lode_atomic_file *file, struct lode_error *err);
/* Leaves what was at `path`; frees `file`. NULL does nothing. */
void lode_atomic_abandon(struct lode_atomic_file *file);

/* Where `path` is written: the end of its links, also where that is not there yet. To be freed. */
char *lode_atomic_place(const char *path);

/*
 * Removes from the folder what writers that were killed have left of files whose names end in
 * `suffix`. Files that are being written are locked, and stay.
 */
void lode_atomic_sweep(const char *folder, const char *suffix);
