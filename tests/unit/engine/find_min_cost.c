/* The search for λ, each λ by mining with it. */
#include "find_min_cost.h"

#include "engine/patterns/min_cost.h"

struct mining {
	const struct lode_sequences *sequences;
	struct lode_miner_options options;
};

static int mine_at(void *context, int64_t min_cost, enum lode_effort effort, int64_t *crowded_to,
		   struct lode_error *err)
{
	struct mining *m = context;
	struct lode_pattern_set set = {0};
	struct lode_miner_stop stop;
	int rc;

	(void)effort;
	m->options.min_cost = min_cost;
	m->options.stop = &stop;
	rc = lode_mine_patterns(&set, m->sequences, &m->options, err);
	lode_pattern_set_release(&set);
	*crowded_to = stop.crowded_to;
	return rc == LODE_ERR_LIMIT ? 0 : rc < 0 ? rc : 1;
}

int lode_mine_find_min_cost(int64_t *min_cost, const struct lode_sequences *sequences,
			    size_t max_patterns, const struct lode_miner_options *options,
			    struct lode_error *err)
{
	struct mining m = {.sequences = sequences, .options = *options};
	struct lode_min_cost_search search = {.probe = mine_at, .context = &m};

	*min_cost = 0;
	if (max_patterns == 0)
		return lode_fail(err, LODE_ERR_ARG, NULL, -1,
				 "the number of patterns must be positive");
	for (size_t i = 0; i < sequences->n; i++)
		if (sequences->cost[i] < 0 ||
		    __builtin_add_overflow(search.total, sequences->cost[i], &search.total) ||
		    search.total == INT64_MAX)
			return lode_fail(err, LODE_ERR_LIMIT, NULL, -1,
					 "the sum of all costs is not within 0 .. 2^63 - 2");
	m.options.max_patterns = max_patterns;
	m.options.progress = NULL;
	if (sequences->n)
		search.max_upward = lode_min_cost_max_upward(sequences->start[sequences->n] -
							     sequences->start[0]);
	return lode_min_cost_find(min_cost, &search, err);
}
