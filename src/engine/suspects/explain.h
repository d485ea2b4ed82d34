/*
 * One function in full: what speaks for it and against it, and where to look.
 */
#pragma once

#include "engine/suspects/suspects.h"

/* Executions of one metric with the function in their stacks, and the others of that metric. */
struct lode_explained_metric {
	uint32_t metric; /* of the tally */
	struct lode_outcome with, without;
	struct lode_moments moments_with, moments_without;
	struct lode_latency_histogram histogram_with, histogram_without;
};

/* Who calls it, or whom it calls: the next frame of the stack. */
struct lode_explained_neighbour {
	uint32_t frame; /* LODE_NONE: it is the outermost or the last one */
	struct lode_outcome outcome;
	uint64_t n;
	lode_u128 sum; /* of values in ns */
};

enum { LODE_EXPLAIN_WORST = 10 };

struct lode_explanation {
	const struct lode_suspect *suspect;
	LODE_VEC(struct lode_explained_metric) metrics;		    /* longest time with it first */
	LODE_VEC(struct lode_explained_neighbour) callers, callees; /* most failed first */
	struct lode_execution worst[LODE_EXPLAIN_WORST]; /* longest times first; `metric` is the
							    tally's */
	size_t n_worst;
};

/*
 * The suspect of that name: "statfs", or "libc.so!statfs" where several modules have one. Of
 * several, the first by rank; *n_found says how many there are. NULL: none.
 */
const struct lode_suspect *lode_suspects_find(const struct lode_suspects *suspects,
					      const char *name, size_t *n_found);

/* Reads the executions once more. */
int lode_explain(struct lode_explanation *out, const struct lode_suspects *suspects,
		 const struct lode_suspect *suspect, struct lode_error *err);
void lode_explanation_release(struct lode_explanation *explanation);
