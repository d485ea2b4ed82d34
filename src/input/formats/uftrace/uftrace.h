/*
 * uftrace data directories: one file of entries and exits per thread, symbols beside them, and the
 * scheduler's events, which become calls of `linux:schedule` inside the function that was left.
 */
#pragma once

#include "input/call_source.h"

extern const struct lode_format lode_format_uftrace;
