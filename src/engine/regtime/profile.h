/*
 * Flat profile of a trace's calls: what each function took, with and without its callees, and from
 * where it was called.
 *
 *   main |------------------|     function   calls  total  self      caller  callee  calls  total
 *   read   |----|   |----|        main           1     19     7      -       main        1     19
 *   lock    |--|                  read           2     12     9      main    read        2     12
 *                                 lock           1      3     3      read    lock        1      3
 *
 * Self times of all functions add up to the time in which anything was called, over all threads.
 */
#pragma once

#include "model/call_trace.h"

struct lode_profile_row {
	uint32_t function;
	uint64_t n_calls;  /* that overlap the span */
	uint64_t total_ns; /* with callees; of calls within calls of the same function, the
			      outermost */
	uint64_t self_ns;  /* without callees */
	size_t n_threads;  /* that call it */
};

struct lode_profile_edge {
	uint32_t caller; /* LODE_NONE: outermost calls of a thread */
	uint32_t callee;
	uint64_t n_calls, total_ns; /* of these calls, with their callees */
};

struct lode_profile {
	uint64_t self_ns; /* of all functions */
	/* By self time, then by name. */
	LODE_VEC(struct lode_profile_row) rows;
	/* By callee, then by time, then by caller's name. */
	LODE_VEC(struct lode_profile_edge) edges;
};

/* Which calls: all threads' or one's, in the whole trace (t0_ns == t1_ns) or within [t0, t1), where
   calls that reach beyond count with their parts inside. */
struct lode_profile_span {
	const struct lode_call_thread *only; /* NULL: all */
	int64_t t0_ns, t1_ns;
};

int lode_profile_make(struct lode_profile *out, struct lode_call_trace *trace,
		      const struct lode_profile_span *span, struct lode_error *err);
void lode_profile_release(struct lode_profile *profile);
/* NULL: it was not called. */
const struct lode_profile_row *lode_profile_find(const struct lode_profile *profile,
						 uint32_t function);
