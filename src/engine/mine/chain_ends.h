/*
 * What the last thread of a chain did: why the time passed, whatever the first one waited in.
 *
 *   main > wait4 > do_wait > → xz > compress            child; at the end: cpu
 *   main > lock > futex_wait > → store > fsync > → disk lock; at the end: disk
 *   main > read > → disk                                disk: it waited for no thread
 */
#pragma once

#include "model/digest.h"

/* The reasons of waits, of which LODE_REASON_NONE is "unknown", and: */
enum lode_chain_end {
	LODE_END_CPU = LODE_N_REASONS,
	LODE_END_READY, /* others had the CPU */
	LODE_END_CPU_LIMIT,
	LODE_N_ENDS,
};

const char *lode_chain_end_name(unsigned end);

struct lode_chain_ends {
	uint8_t *of_wait;  /* per node: the end of a wait there; LODE_N_ENDS: its own reason */
	bool *has_threads; /* per node: the chain has more than one */
};

/* O(frames + nodes). */
void lode_chain_ends_find(struct lode_chain_ends *out, const struct lode_calltree *tree);
void lode_chain_ends_release(struct lode_chain_ends *ends);

/* Of a row; of ready time in which others had the CPU. */
unsigned lode_chain_end_of(const struct lode_chain_ends *ends, const struct lode_digest_row *row);
