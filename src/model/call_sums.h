/*
 * Calls summed by their stack, in order of first occurrence: what an expression of RegTime is, and
 * what blocks of calls keep of themselves.
 *
 *   calls   main>a 5 ns, main>b 2 ns, main>a 4 ns    ->    main>a 2 calls 9 ns, main>b 1 call 2 ns
 *
 * Emptying costs nothing, so one is used again and again. Times are sums modulo 2^64: a trace whose
 * calls last longer than 292 years in all is not measured.
 */
#pragma once

#include <assert.h>

#include "base/mem.h"

struct lode_call_sum {
	uint32_t stack;
	uint64_t n;
	uint64_t ns; /* inclusive */
};

/* `{ 0 }` is empty. */
struct lode_call_sums {
	LODE_VEC(struct lode_call_sum) at;
	uint32_t *slot_of; /* by stack: where it is in `at`, if it is */
	size_t n_slots;
};

/* Room for stacks below `n_stacks`; must be called before a stack of that size is added. */
static inline void lode_call_sums_reserve(struct lode_call_sums *sums, size_t n_stacks)
{
	size_t n = sums->n_slots ? sums->n_slots : 64;

	if (n_stacks <= sums->n_slots)
		return;
	while (n < n_stacks)
		n *= 2;
	sums->slot_of = lode_realloc_n(sums->slot_of, n, sizeof(*sums->slot_of));
	memset(sums->slot_of + sums->n_slots, 0, (n - sums->n_slots) * sizeof(*sums->slot_of));
	sums->n_slots = n;
}

static inline struct lode_call_sum *lode_call_sums_find(const struct lode_call_sums *sums,
							uint32_t stack)
{
	uint32_t slot = stack < sums->n_slots ? sums->slot_of[stack] : 0;

	return slot < sums->at.n && sums->at.at[slot].stack == stack ? &sums->at.at[slot] : NULL;
}

static inline void lode_call_sums_add(struct lode_call_sums *sums, uint32_t stack, uint64_t n,
				      uint64_t ns)
{
	uint32_t slot;

	assert(stack < sums->n_slots && sums->slot_of);
	slot = sums->slot_of[stack];
	if (slot >= sums->at.n || sums->at.at[slot].stack != stack) {
		slot = sums->slot_of[stack] = (uint32_t)sums->at.n;
		lode_vec_append(&sums->at, ((struct lode_call_sum){.stack = stack}));
	}
	sums->at.at[slot].n += n;
	sums->at.at[slot].ns += ns;
}

/* Whether sums of `n_calls` calls are short enough to be kept beside these. */
static inline bool lode_call_sums_pay(const struct lode_call_sums *sums, uint64_t n_calls)
{
	return sums->at.n <= n_calls / 4;
}

static inline void lode_call_sums_clear(struct lode_call_sums *sums)
{
	sums->at.n = 0;
}

static inline void lode_call_sums_release(struct lode_call_sums *sums)
{
	lode_vec_release(&sums->at);
	free(sums->slot_of);
	sums->slot_of = NULL;
	sums->n_slots = 0;
}
