/*
 * function_graph text of ftrace (`cat /sys/kernel/tracing/trace`, or trace-cmd's report of it).
 */
#ifndef LODE_GRAPH_H
#define LODE_GRAPH_H

#include "input/call_source.h"

extern const struct lode_format lode_format_graph;

#endif
