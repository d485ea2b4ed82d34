/*
 * One line of function_graph text. Which columns there are is known from the line itself.
 *
 *   1234.567890 |   0)    bash-123    |  d..1 |   0.734 us    |    read_page();
 *   time           CPU    task           flags    duration         function
 *
 * Pure functions on text: results point into the line. trace-cmd's report of the same events is
 * understood as well:
 *
 *   bash-123   [000]  1234.567890: funcgraph_entry:        0.734 us   |    read_page();
 */
#pragma once

#include <stdint.h>

#include "base/slice.h"

enum lode_graph_kind {
	LODE_GRAPH_NOTHING, /* comments, headings, marks of interrupts, other events */
	LODE_GRAPH_ENTER,   /* "read_page() {" */
	LODE_GRAPH_LEAF,    /* "read_page();" */
	LODE_GRAPH_EXIT,    /* "}", maybe with a comment that names the function */
	LODE_GRAPH_SWITCH,  /* "0)  bash-123  =>  sshd-456" */
	LODE_GRAPH_LOST,    /* "CPU:1 [LOST 23 EVENTS]" */
	LODE_GRAPH_BAD,	    /* none of these */
};

struct lode_graph_task {
	struct lode_slice comm; /* `at` NULL: not printed */
	int32_t tid;
};

struct lode_graph_line {
	enum lode_graph_kind kind;
	bool has_time, has_duration;
	int64_t t_ns, duration_ns;
	int32_t cpu;		     /* -1: not printed */
	struct lode_graph_task task; /* of the line; of a switch: who left */
	struct lode_graph_task next; /* of a switch */
	struct lode_slice function;  /* empty: not named */
	struct lode_slice module;    /* "[ext4]" without its brackets; empty: the kernel */
	uint64_t n_lost;
};

/* Fills `out`; kind LODE_GRAPH_BAD is a line that means nothing here. */
void lode_graph_parse(struct lode_graph_line *out, const char *line, size_t len);
