/*
 * Calls of formats that promise no order, and that have whole calls (start, length) beside entries
 * and exits -> each thread's events in order of time, properly nested.
 *
 *   in, any order     read 20+5     main 10+30     begin 50 f     end 60
 *   out               > main 10  > read 20  < read 25  < main 40  > f 50  < 60
 *
 * Of calls that start at one time the longer one is the caller; entries and exits of one time stay
 * in the order in which they came. A call that outlasts the one it starts in is cut at that one's
 * end and counted (up to 1 ns is rounding, and not counted).
 *
 * A time more than a day from those beside it in the order of coming, and from all others of the
 * trace, is wrong (model/clock_guard.h): it becomes that of the record before it, of its thread. A
 * whole call lasts no time then: what it would take from those around it is not its own. So does
 * one that would end a month behind all others' starts.
 *
 * Memory is bounded: what is more goes to a file without a name, sorted, and is merged at the end.
 */
#pragma once

#include "model/calls.h"

/* In place of a length: */
#define LODE_CALL_SORT_ENTER	INT64_C(-1)
#define LODE_CALL_SORT_EXIT	INT64_C(-2)
#define LODE_CALL_SORT_EXIT_ANY INT64_C(-3)

struct lode_call_sort;

/* `memory_bytes` 0: 256 MiB. */
struct lode_call_sort *lode_call_sort_new(size_t memory_bytes);
void lode_call_sort_free(struct lode_call_sort *sort);

/* An entry, an exit or a whole call. */
struct lode_call_sorted {
	uint32_t thread;       /* dense, from 0, the caller's */
	int64_t t_ns, span_ns; /* a length, or one of the above */
	uint32_t function;
	int32_t tid;	/* for messages, as is */
	uint64_t event; /* its number in the file */
};

int lode_call_sort_add(struct lode_call_sort *sort, const struct lode_call_sorted *call,
		       struct lode_error *err);

/* Hands all to the sink, thread after thread; `threads[thread]` is the sink's index. */
int lode_call_sort_finish(struct lode_call_sort *sort, struct lode_call_sink *sink,
			  const uint32_t *threads, struct lode_error *err);
