/*
 * function_graph text of ftrace (`cat /sys/kernel/tracing/trace`, or trace-cmd's report of it).
 */
#pragma once

#include "input/call_source.h"

extern const struct lode_format lode_format_graph;
