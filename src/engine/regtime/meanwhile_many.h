/*
 * What every thread did during many spans, as meanwhile.h has it of one: each thread's calls are
 * passed over once, in order of time, however the spans overlap.
 *
 *   spans    |----------|      |----|
 *                 |-------------|         ends   t0 t2 t1 t4 t3 t5
 *
 * Leaf times up to each end are known on the way; a span's are the difference of its two.
 */
#pragma once

#include "engine/regtime/meanwhile.h"

/*
 * Fills out[0..n), whose t0 < t1 and clock are set; released one by one. `most_leaves` are kept of
 * each thread; 0: all. After an error all of them are empty.
 */
int lode_meanwhile_make_many(struct lode_meanwhile *out, size_t n, struct lode_call_trace *trace,
			     size_t most_leaves, unsigned n_threads, struct lode_error *err);
