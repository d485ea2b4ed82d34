/*
 * What each address of one function cost in the symptoms of one recording, which is read once more:
 * digests know functions, not addresses.
 *
 * Costs are those of the digest, taken apart: over all addresses, exclusive ones sum to the
 * function's exclusive cost in this recording's rows. Inclusive ones sum to its inclusive cost, but
 * for stacks in which it stands several times, at different addresses.
 */
#pragma once

#include "engine/mine/mine.h"
#include "input/symbols/function_addresses.h"
#include "streams/digest_job.h"

struct lode_code_cost {
	int64_t own_ns;			     /* innermost there */
	int64_t kind_ns[LODE_N_EVENT_KINDS]; /* with all that was called from there */
};

static inline int64_t lode_code_cost_total(const struct lode_code_cost *cost)
{
	int64_t total_ns = 0;

	for (int kind = 0; kind < LODE_N_EVENT_KINDS; kind++)
		total_ns += cost->kind_ns[kind];
	return total_ns;
}

static inline void lode_code_cost_add(struct lode_code_cost *to, const struct lode_code_cost *cost)
{
	to->own_ns += cost->own_ns;
	for (int kind = 0; kind < LODE_N_EVENT_KINDS; kind++)
		to->kind_ns[kind] += cost->kind_ns[kind];
}

/*
 * Costs of a function ("module!function") in each stream of a digest, `out` has room for all.
 * LODE_ERR_EMPTY: no stack has it. O(frames + nodes + rows).
 */
int lode_function_costs(struct lode_code_cost *out, const struct lode_digest *digest,
			const char *function, struct lode_error *err);

struct lode_code_costs {
	struct lode_symboliser *symboliser; /* has the modules of the addresses */
	struct lode_function_addresses addresses;
	struct lode_code_cost *at; /* of each address */
	struct lode_code_cost all; /* of the function */
};

/*
 * `file` as lode_stream_again_find has it, whose failures it has. LODE_ERR_UNSUPPORTED: the
 * recording has no addresses, or what was read of it was filtered by functions' names. `function`
 * must outlive `out`, which is `{ 0 }` after a failure.
 */
int lode_code_costs_load(struct lode_code_costs *out, const struct lode_digest *digest,
			 uint32_t stream, const char *file, const char *function,
			 const struct lode_digest_job_options *options, struct lode_error *err);
void lode_code_costs_release(struct lode_code_costs *costs);
