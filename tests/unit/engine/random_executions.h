/*
 * Random sets of executions, small enough for plain definitions of what `lode suspects` makes of
 * them.
 */
#pragma once

#include "engine/suspects/suspects.h"

enum { max_executions = 60, max_depth = 6, n_names = 7, max_metrics = 4 };

extern const char *const random_metric_names[max_metrics];

struct execution {
	uint32_t metric, depth, frames[max_depth], stream;
	int64_t value;
};

struct random_executions {
	uint64_t seed;
	uint32_t n, n_streams;
	struct execution e[max_executions];
	struct lode_suspects_options options;
	lode_threshold_rules rules;
};

void random_executions_make(struct random_executions *in, uint64_t seed);
/* On standard error, for a test that fails. */
void random_executions_print(const struct random_executions *in);
/* Both results are the caller's. */
struct lode_suspects *random_executions_run(const struct random_executions *in,
					    struct lode_execution_set **set);
