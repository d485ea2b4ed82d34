/*
 * λ for so many patterns of sequences that nobody reads or reports: for tests and benches.
 */
#ifndef LODE_TEST_FIND_MIN_COST_H
#define LODE_TEST_FIND_MIN_COST_H

#include "engine/patterns/miner.h"

/* The smallest λ that gives at most `max_patterns` patterns (engine/patterns/min_cost.h has the
 * small print). */
int lode_mine_find_min_cost(int64_t *min_cost, const struct lode_sequences *sequences,
			    size_t max_patterns, const struct lode_miner_options *options,
			    struct lode_error *err);

#endif
