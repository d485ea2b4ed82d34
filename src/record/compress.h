/*
 * A file compressed with zstd.
 */
#pragma once

#include "base/error.h"

/* Writes `from`, compressed, to `to`, which is there whole or not at all. */
int lode_compress_file(const char *to, const char *from, struct lode_error *err);

/* As lode_compress_file, a plain copy; the mode of `from` is not kept. */
int lode_copy_file(const char *to, const char *from, struct lode_error *err);
