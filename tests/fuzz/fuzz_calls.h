/*
 * What the targets of function traces share: reads with a source, and checks what it promises to
 * its sink (model/calls.h, input/call_source.h).
 */
#ifndef LODE_FUZZ_CALLS_H
#define LODE_FUZZ_CALLS_H

#include <stddef.h>
#include <stdint.h>

struct lode_format;

/* Any bytes through one source: recognised or not. */
void fuzz_call_source(const struct lode_format *source, const uint8_t *data, size_t size);
/* A file or directory through all of them; `size` bytes stand in it. */
void fuzz_call_path(const char *path, size_t size);

#endif
