/*
 * uftrace data directories: one file of entries and exits per thread, symbols beside them, and the
 * scheduler's events, which become calls of `linux:schedule` inside the function that was left.
 */
#ifndef LODE_UFTRACE_H
#define LODE_UFTRACE_H

#include <stdbool.h>

#include "sources/call_source.h"

/* A directory whose file `info` has uftrace's magic number. */
bool lode_uftrace_recognise(const char *directory);

int lode_uftrace_read(const char *directory, const struct lode_call_options *options,
		      struct lode_call_sink *sink, struct lode_error *err);

/* "DIR/NAME" on the heap. */
char *lode_uftrace_path(const char *directory, const char *name);

#endif
