/*
 * What all fuzz targets share. A target checks promises, not only that nothing crashes: it aborts
 * through FUZZ_CHECK when one is broken.
 */
#ifndef LODE_FUZZ_H
#define LODE_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define FUZZ_CHECK(condition)                                                                   \
	((condition) ? (void)0                                                                  \
		     : (fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #condition), \
			abort()))

/* The one function of a target; `data` is `size` bytes. Gives 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct lode_stream;

/* Checks what must hold for any stream, and for digests of it, and frees it. */
void fuzz_check_stream(struct lode_stream *stream);

/* A file in memory that holds `data`; gives its path ("/proc/self/fd/N"), valid until the next
   call. */
const char *fuzz_file(const uint8_t *data, size_t size);

#endif
