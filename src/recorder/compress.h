/*
 * A file compressed with zstd.
 */
#ifndef LODE_COMPRESS_H
#define LODE_COMPRESS_H

#include "base/error.h"

/* Writes `from`, compressed, to the new file `to`; a file half written is removed. */
int lode_compress_file(const char *to, const char *from, struct lode_error *err);

/* A plain copy; the mode of `from` is not kept. */
int lode_copy_file(const char *to, const char *from, struct lode_error *err);

#endif
