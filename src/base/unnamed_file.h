/*
 * A file without a name, for data that memory should not hold: gone when it is closed, however lode
 * ends. It lies in $TMPDIR, else in /var/tmp: /tmp is memory on many machines.
 *
 * Messages name the folder or the work; callers may put their purpose before it
 * (lode_error_context).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* `*fd` is the caller's to close; -1 upon a failure. */
int lode_unnamed_file_open(int *fd, struct lode_error *err);

/* All of `size` bytes at `offset`. Threads may write and read different parts at once. */
int lode_unnamed_file_write(int fd, const void *data, size_t size, int64_t offset,
			    struct lode_error *err);
/* Exactly `size` bytes from `offset`; fewer are an error. */
int lode_unnamed_file_read(int fd, void *data, size_t size, int64_t offset, struct lode_error *err);
