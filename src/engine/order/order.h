/*
 * In which order to open streams, so that the first ones tell most (StackMine §VII.A Q3, Figure 4).
 *
 *   stream    signatures in it          best      total     max       random
 *   s1        lock, disk                s1        s2        s3        any
 *   s2        disk                      s3        s3        s2
 *   s3        crc                       s2        s1        s1
 *
 * Who opens a stream sees the signatures in it. Coverage is the share of all symptom time, that of
 * streams not opened included, that the signatures seen so far explain; each event counts once,
 * however many signatures match it. The orders:
 *
 *   best      the stream with the best signature not seen yet: that which adds most coverage
 *
 * Of the streams that have it, the one that adds most with all that is new in it; ties by what the
 * signature costs there. Once all are seen: what is least explained.
 *
 *   total     longest sum of symptoms first (Greedy-Total)
 *   max       longest symptom first (Greedy-Max)
 *   random    any order is as likely as any other: the expectation, exactly
 *
 * Ties that are left go to the stream that comes first in the input.
 */
#pragma once

#include "base/map.h"

struct lode_order_stream {
	int64_t symptom_ns; /* sum of its symptoms' lengths */
	int64_t longest_ns; /* its longest symptom */
	int64_t covered_ns; /* of its symptoms, what any signature explains */
	bool is_opened;	    /* already: what is in it is seen, and it is in no order */
};

/* A signature in a stream, and what it costs there: more than 0. */
struct lode_order_sight {
	uint32_t signature;
	int64_t cost_ns;
};

struct lode_order_input {
	const struct lode_order_stream *streams;
	size_t n_streams;
	/* sights[sight_start[i] .. sight_start[i + 1]) are those of stream i, each signature once.
	 */
	const struct lode_order_sight *sights;
	const size_t *sight_start; /* n_streams + 1 */
	size_t n_signatures;
	/* Cost that is covered as soon as one of certain signatures is seen: part p of part_ns[p]
	   by part_signatures[part_start[p] .. part_start[p + 1]). What none explains is no part. */
	const int64_t *part_ns;
	const uint32_t *part_signatures;
	const size_t *part_start; /* n_parts + 1 */
	size_t n_parts;
};

struct lode_order_step {
	uint32_t stream;
	uint32_t signature; /* that it is opened for; LODE_NONE: nothing new is in it */
	uint32_t n_new;	    /* signatures seen here first */
	int64_t covered_ns; /* after it */
};

struct lode_stream_order {
	LODE_VEC(struct lode_order_step) steps; /* streams that were not opened, at most as asked */
	int64_t start_ns;			/* covered by what was opened before */
	size_t n_seen;				/* signatures seen there */
};

enum lode_order_kind { LODE_ORDER_BEST, LODE_ORDER_TOTAL, LODE_ORDER_MAX };

/* `*out` must be { 0 }. At most `most` steps (0: all streams). O(sights + parts of signatures, a
 * few times; streams * log). */
void lode_stream_order_build(struct lode_stream_order *out, const struct lode_order_input *input,
			     enum lode_order_kind kind, size_t most);
void lode_stream_order_release(struct lode_stream_order *order);

/*
 * What a random order is expected to cover after k streams, k = 0 .. n, into `covered_ns` (room for
 * n + 1, n being the streams not opened). Exact: a part that d of n streams show is covered by k of
 * them unless all k are among the n - d others. O(streams * distinct d + streams of each part).
 */
void lode_stream_order_random(double *covered_ns, const struct lode_order_input *input);
