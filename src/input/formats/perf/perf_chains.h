/*
 * Recorded callchains, each distinct one once: the table of one decoding thread.
 *
 *   words  KERNEL k0 k1 k2 USER u0 u1      chain = (kernel part k0 k1 k2, user part u0 u1)
 *
 * Parts are interned by their words (hash, then exact compare) and chains by their two parts: most
 * memory of a recording is the same kernel path below many user paths and the other way round.
 * What is new goes into a list that the block's consumer copies, so that it never looks into a
 * table that is growing. Words stay where they are until the table is released.
 */
#pragma once

#include "base/mem.h"

/* Leaf first, as recorded. Words that are context markers stand for code of a guest. */
struct lode_perf_part {
	const uint64_t *words;
	uint32_t n;
};

struct lode_perf_chain {
	uint32_t kernel, user; /* parts; 0: none */
	bool is_truncated;     /* as deep as the recorder goes, or damaged */
};

/* What a block added to its table: the ids go on from those of the blocks before. */
struct lode_perf_new_chains {
	LODE_VEC(struct lode_perf_part) kernel, user;
	LODE_VEC(struct lode_perf_chain) chains;
};

struct lode_perf_chains;

/* A callchain that is to be looked up, and where its id is wanted. */
struct lode_perf_chain_request {
	const uint8_t *words; /* borrowed until the answer */
	uint32_t n;
	uint16_t max_stack;
	uint32_t record; /* of the caller's */
	uint32_t chain;	 /* the answer */
	uint64_t hash;	 /* the table's own */
};

enum { LODE_PERF_CHAIN_REQUESTS = 16 }; /* answered together */

struct lode_perf_chains *lode_perf_chains_new(void);
void lode_perf_chains_free(struct lode_perf_chains *chains);

/*
 * Id of the callchain of `n` words at `words` (leaf first, with context markers); 0: it has no
 * frames. `max_stack` is the recorder's limit. New ids are appended to `fresh`.
 */
uint32_t lode_perf_chains_intern(struct lode_perf_chains *chains, const uint8_t *words, size_t n,
				 uint16_t max_stack, struct lode_perf_new_chains *fresh);

/* The same for up to LODE_PERF_CHAIN_REQUESTS at once, which waits for memory less often. */
void lode_perf_chains_intern_all(struct lode_perf_chains *chains,
				 struct lode_perf_chain_request *requests, size_t n,
				 struct lode_perf_new_chains *fresh);

/* A word of a kernel part that stands for "code of a guest or the hypervisor". */
static inline bool lode_perf_is_marker(uint64_t word)
{
	return word >= (uint64_t)-4095;
}
