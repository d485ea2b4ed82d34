/*
 * An input made addressable: a plain file is read where it lies; what comes compressed or through a
 * pipe is first unpacked into memory, and from LODE_SPOOL_MEMORY_BYTES on into a file without a
 * name (base/unnamed_file.h).
 */
#pragma once

#include "base/input.h"

#define LODE_SPOOL_MEMORY_BYTES ((size_t)64 << 20)

struct lode_spool {
	struct lode_input *input; /* borrowed; NULL once all of it is in memory or in `fd` */
	const char *path;	  /* borrowed, for messages */
	uint8_t *memory;	  /* the whole content; NULL: in a file */
	int fd;			  /* of the unnamed file, or -1 */
	int64_t size_bytes;
	struct lode_error fault; /* compressed input broke off: what is before it is there */
};

/*
 * Takes the whole input, from its beginning. A fault behind bytes that could be read is kept in
 * `fault` (status LODE_OK: none); one before any byte fails.
 */
int lode_spool_open(struct lode_spool *spool, struct lode_input *input, struct lode_error *err);
void lode_spool_close(struct lode_spool *spool);

/* Fills `buffer` from `offset` unless the end comes first; the number of bytes, or < 0. May be
 * called from several threads. */
ssize_t lode_spool_read(const struct lode_spool *spool, void *buffer, size_t size, int64_t offset,
			struct lode_error *err);
