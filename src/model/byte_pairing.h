/*
 * Which send a receive got its bytes from: one direction of one connection.
 *
 *   sends     a:100       b:100         c:40      what goes in first comes out first:
 *   receives        1:100       2:60 3:80         1 has a's bytes, 2 b's, 3 b's and c's
 *
 * Bytes are counted at both ends. Where both counts begin with the connection's first byte, that is
 * all. In a connection that is older than the recording, and behind every gap in it, some bytes may
 * be in flight when counting begins. Two bounds give their number:
 *
 *   at least   nothing is received before its send began
 *   at most    a reader that goes to sleep for more has received all that was sent before
 *
 * Where they meet, the number is known. Where they do not, or contradict each other, nothing is
 * paired, up to the next gap.
 *
 * LIMIT: "all that was sent before" assumes that sent bytes have arrived. Within a host they have;
 * between hosts, those that were sent longer ago than slack_ns.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A send or a receive. When in [before_ns, t_ns] its bytes moved is not known. */
struct lode_moved {
	int64_t t_ns;	   /* when it was over */
	int64_t before_ns; /* it began at this time or later; INT64_MIN: not known */
	int64_t n_bytes;   /* above 0, below 2^32 */
	uint32_t who;	   /* thread */
};

/* `who` sleeps from t_ns on, until there is something to receive. */
struct lode_sleep_for_more {
	int64_t t_ns;
	uint32_t who;
};

/* (from_ns, to_ns]: records may be missing. */
struct lode_record_gap {
	int64_t from_ns, to_ns;
};

struct lode_byte_pairing {
	/* All in order of t_ns; gaps do not overlap. */
	const struct lode_moved *sends, *receives;
	const struct lode_sleep_for_more *sleeps;
	const struct lode_record_gap *gaps;
	size_t n_sends, n_receives, n_sleeps, n_gaps;
	bool is_whole; /* both begin with the connection's first byte */
	/* Of two hosts: how long bytes take, and by how much the clocks may differ; else 0. */
	int64_t slack_ns;
};

/* Indices of the sends of a receive's first and last byte; LODE_NONE: not known. */
struct lode_byte_pair {
	uint32_t first, last;
};

/*
 * Two threads that send into one connection within this time of each other cannot be distinguished:
 * the records are made behind the lock that puts their bytes in order.
 */
#define LODE_PAIRING_BLUR_NS INT64_C(20000)

/* Fills out[n_receives]. O(n log n). */
void lode_byte_pairing_run(struct lode_byte_pair *out, const struct lode_byte_pairing *in);
