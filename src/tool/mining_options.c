/* Options of mining. */
#include "tool/mining_options.h"

#include "tool/reading_options.h"
#include "document/units.h"

const char *const lode_linkage_choices[] = {"average", "complete", "single", NULL};

void lode_mining_values_init(struct lode_mining_values *values)
{
	memset(values, 0, sizeof(*values));
	values->rank = LODE_UNSET;
	values->similarity = LODE_CUT_BY_DATA;
}

void lode_mining_values_settle(struct lode_mining_values *values)
{
	if (values->rank == LODE_UNSET)
		values->rank = values->is_classic ? LODE_RANK_AVERAGE : LODE_RANK_OWN;
}

const char *lode_mining_values_misuse(const struct lode_mining_values *values)
{
	bool has_min_cost = values->min_cost.amount || values->min_cost.share > 0;

	if ((values->prevalence > 0) != (values->delay_ns > 0))
		return "--prevalence and --delay must be used together";
	if (has_min_cost + (values->prevalence > 0) + (values->patterns > 0) > 1)
		return "--min-cost, --prevalence and --patterns all set λ: give only one";
	return NULL;
}

struct lode_mine_options lode_mining_values_options(const struct lode_mining_values *values,
						    unsigned n_threads)
{
	return (struct lode_mine_options){
		.min_cost = values->min_cost.amount,
		.min_cost_share = values->min_cost.share,
		.prevalence = values->prevalence,
		.delay_ns = values->delay_ns,
		.patterns = values->patterns,
		.max_patterns = values->max_patterns,
		.classic = values->is_classic,
		.linkage = (enum lode_linkage)values->linkage,
		.min_similarity = values->similarity,
		.rank = (enum lode_rank)values->rank,
		.n_threads = n_threads,
	};
}

const char *lode_lambda_words(const struct lode_mining_values *values, char *buffer, size_t size)
{
	char delay[LODE_UNITS_BUFFER];

	if (values->min_cost.amount)
		snprintf(buffer, size, "as given");
	else if (values->prevalence > 0)
		snprintf(buffer, size, "%g %% of the recordings delayed by %s",
			 100 * values->prevalence, lode_format_cost(delay, values->delay_ns, "ns"));
	else if (values->patterns)
		snprintf(buffer, size, "smallest with at most %zu patterns", values->patterns);
	else
		snprintf(buffer, size, "%g %% of the area of interest",
			 values->min_cost.share > 0 ? 100 * values->min_cost.share : 0.2);
	return buffer;
}
