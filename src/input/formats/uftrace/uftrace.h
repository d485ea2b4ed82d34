/*
 * uftrace data directories: one file of entries and exits per thread, symbols beside them, and the
 * scheduler's events, which become calls of `linux:schedule` inside the function that was left.
 */
#ifndef LODE_UFTRACE_H
#define LODE_UFTRACE_H

#include "input/call_source.h"

extern const struct lode_format lode_format_uftrace;

#endif
