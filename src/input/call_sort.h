/*
 * Calls of formats that promise no order, and that have whole calls (start, length) and spans with
 * an id beside entries and exits -> the events of tracks, in order of time, properly nested.
 *
 *   in, any order     read 20+5     main 10+30     begin 50 f     end 60
 *   out               > main 10  > read 20  < read 25  < main 40  > f 50  < 60
 *
 * Of calls that start at one time the longer one is the caller; entries and exits of one time stay
 * in the order in which they came. What does not nest goes to further tracks of its thread:
 *
 *   in                a 10+30   b 20+40   c 45+5          spans: begin #7 10   begin #8 15   end #7
 * 20 track 0           > a 10  < a 40  > c 45  < c 50             > #7 10  < 20 track 1           >
 * b 20  < b 60                             > #8 15  ...
 *
 * A whole call goes to the first track on which it ends within the call it starts in (ending up to
 * 1 ns later is rounding: it is cut there). While a span is open, its track takes only spans of the
 * same id, which nest in it. Beyond LODE_CALL_TRACKS tracks of a thread, whole calls are cut at the
 * end of the call they start in (LODE_LOSS_OVERLAP), and spans are left out (LODE_LOSS_LEFT_OUT),
 * as are ends of spans that have no begin. Spans without an end last to the end of the trace
 * (LODE_CALL_STILL_OPEN).
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
/* Of a span that need not nest in others: its begin and its end have the same id. */
#define LODE_CALL_SORT_BEGIN(id) (INT64_C(-4) - 2 * (int64_t)(id))
#define LODE_CALL_SORT_END(id)	 (INT64_C(-5) - 2 * (int64_t)(id))
#define LODE_CALL_SORT_MAX_ID	 ((UINT64_C(1) << 61) - 1)

enum { LODE_CALL_TRACKS = 256 };

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

/* Gives the sink's index of a thread's track (0: the thread itself), once for each. */
struct lode_call_tracks {
	uint32_t (*track)(void *context, uint32_t thread, uint32_t track);
	void *context;
};

/* Hands all to the sink, thread after thread. */
int lode_call_sort_finish(struct lode_call_sort *sort, struct lode_call_sink *sink,
			  const struct lode_call_tracks *tracks, struct lode_error *err);
