/*
 * Matching: how much of recordings' symptoms signatures explain, that is problems which have a name
 * already (`lode coverage`, `lode triage`).
 */
#ifndef LODE_PUBLIC_MATCHING_H
#define LODE_PUBLIC_MATCHING_H

#include <lode/error.h>
#include <lode/mining.h>

#ifdef __cplusplus
extern "C" {
#endif

struct lode_matching;

/*
 * `signatures`: a file as `lode sign --export` writes it. Inputs and options as in lode_mining_run;
 * min_cost does not matter.
 */
int lode_matching_run(struct lode_matching **out, const char *signatures, const char *const *inputs,
		      size_t n_inputs, const struct lode_mining_options *options,
		      struct lode_error *err);
void lode_matching_free(struct lode_matching *matching);

struct lode_matching_sums {
	const char *unit;
	int64_t symptom_ns; /* sum of the symptoms' lengths */
	int64_t explained;  /* by any signature that is not retired; each nanosecond once */
	int64_t returned;   /* by retired ones alone: what was fixed is back */
	size_t n_streams, n_signatures;
};
void lode_matching_tell(const struct lode_matching *matching, struct lode_matching_sums *out);

struct lode_matching_signature {
	const char *name, *bug; /* "" none */
	bool is_retired;
	int64_t total;	   /* cost of what it matches */
	int64_t exclusive; /* of that, what no other does */
	size_t n_streams, n_symptoms;
};
/* In the order of their names; `signature` counts from 0. */
void lode_matching_signature(const struct lode_matching *matching, size_t signature,
			     struct lode_matching_signature *out);

#ifdef __cplusplus
}
#endif

#endif
