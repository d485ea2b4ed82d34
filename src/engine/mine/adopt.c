/* Gives scraps of late rounds to the clusters whose shared path they hold. */
#include "engine/mine/adopt.h"

#include "base/pool.h"
#include "base/sorted.h"

static const double core_share = 0.95;

static int64_t *own_costs(const struct lode_rounds *rounds, const struct lode_stackset *set)
{
	int64_t *own = lode_alloc0(rounds->n_patterns, sizeof(*own));

	for (size_t s = 0; s < set->n; s++)
		if (rounds->owner[s] != LODE_NONE)
			own[rounds->owner[s]] += set->cost_ns[s];
	return own;
}

static int64_t *cluster_costs(const int64_t *own, const uint32_t *cluster_of, size_t n_patterns,
			      size_t n_clusters)
{
	int64_t *sum = lode_alloc0(n_clusters, sizeof(*sum));

	for (size_t p = 0; p < n_patterns; p++)
		sum[cluster_of[p]] += own[p];
	return sum;
}

/* Costliest first; the patterns' order, which is by round, cost and name, decides ties. */
LODE_COMPARE_WITH(by_own_cost, uint32_t, const int64_t *cost,
		  LODE_ORDER(cost[*b], cost[*a]) ?: LODE_ORDER(*a, *b))

void lode_core_patterns(uint8_t *is_core, const struct lode_rounds *rounds,
			const struct lode_stackset *set, const uint32_t *cluster_of,
			size_t n_clusters)
{
	size_t n = rounds->n_patterns;
	int64_t *own = own_costs(rounds, set);
	int64_t *all = cluster_costs(own, cluster_of, n, n_clusters);
	int64_t *taken = lode_alloc0(n_clusters, sizeof(*taken));
	uint32_t *order = lode_order_by(n, by_own_cost, own);

	for (size_t i = 0; i < n; i++) {
		uint32_t p = order[i], c = cluster_of[p];

		is_core[p] = all[c] == 0 || (double)taken[c] < core_share * (double)all[c];
		taken[c] += own[p];
	}
	free(own);
	free(all);
	free(taken);
	free(order);
}

struct adoption {
	struct lode_rounds *rounds;
	const struct lode_stackset *set;
	const uint32_t *cluster_of;
	const uint32_t *name_of_stack;
	const struct lode_cluster *clusters;
	size_t n_clusters;
	uint32_t *order;   /* clusters: longest common part first, then costliest, then by number */
	uint64_t *filters; /* per cluster: of its common part */
	const int64_t *own;
};

enum { ADOPT_BLOCK = 256 };

LODE_COMPARE_WITH(by_common_part, uint32_t, const struct adoption *x,
		  LODE_ORDER(x->clusters[*b].n_common, x->clusters[*a].n_common)
			  ?: LODE_ORDER(x->own[*b], x->own[*a])
			  ?: LODE_ORDER(*a, *b))

/* Length of the longest common subsequence: how much of a pattern a stack shows. What both begin
   and end with alike is in one of these. */
static size_t shared_length(const uint32_t *a, size_t n_a, const uint32_t *b, size_t n_b,
			    size_t *row)
{
	size_t n_alike = 0;

	for (; n_a && n_b && *a == *b; n_a--, n_b--, n_alike++) {
		a++;
		b++;
	}
	for (; n_a && n_b && a[n_a - 1] == b[n_b - 1]; n_a--, n_b--)
		n_alike++;
	memset(row, 0, (n_b + 1) * sizeof(*row));
	for (size_t i = 0; i < n_a; i++)
		for (size_t j = 1, diagonal = 0; j <= n_b; j++) {
			size_t above = row[j];

			if (a[i] == b[j - 1])
				row[j] = diagonal + 1;
			else if (row[j - 1] > row[j])
				row[j] = row[j - 1];
			diagonal = above;
		}
	return n_alike + row[n_b];
}

uint32_t lode_closest_pattern(const struct lode_rounds *rounds, const struct lode_stackset *set,
			      const uint32_t *cluster_of, size_t s, uint32_t cluster)
{
	const uint32_t *stack = &set->items[set->start[s]];
	size_t depth = set->start[s + 1] - set->start[s], most = 0;
	size_t *row = lode_alloc((depth + 1) * sizeof(*row));
	uint32_t best = LODE_NONE;

	for (size_t p = 0; p < rounds->n_patterns; p++) {
		const struct lode_round_pattern *pattern = &rounds->patterns[p];
		size_t shared;

		if (cluster_of[p] != cluster || (best != LODE_NONE && pattern->n_frames <= most))
			continue;
		shared = shared_length(pattern->frames, pattern->n_frames, stack, depth, row);
		if (best == LODE_NONE || shared > most) {
			best = (uint32_t)p;
			most = shared;
		}
	}
	free(row);
	return best;
}

static void adopt_block(void *context, size_t block, unsigned worker)
{
	const struct adoption *x = context;
	size_t end = (block + 1) * ADOPT_BLOCK;

	(void)worker;
	for (size_t s = block * ADOPT_BLOCK; s < end && s < x->set->n; s++) {
		uint32_t owner = x->rounds->owner[s];
		const struct lode_round_pattern *pattern;

		if (owner == LODE_NONE || x->rounds->patterns[owner].round == 1 ||
		    x->name_of_stack[s] != LODE_NONE)
			continue;
		pattern = &x->rounds->patterns[owner];
		for (size_t i = 0; i < x->n_clusters; i++) {
			uint32_t c = x->order[i];
			const struct lode_cluster *cluster = &x->clusters[c];

			if (cluster->n_common <= pattern->n_frames)
				break;
			if (!lode_stack_contains(x->set, s, cluster->common, cluster->n_common,
						 x->filters[c]))
				continue;
			if (c != x->cluster_of[owner])
				x->rounds->owner[s] = lode_closest_pattern(x->rounds, x->set,
									   x->cluster_of, s, c);
			break;
		}
	}
}

void lode_adopt_stacks(struct lode_rounds *rounds, const struct lode_stackset *set,
		       const uint32_t *cluster_of, const uint32_t *name_of_stack,
		       const struct lode_cluster *clusters, size_t n_clusters, unsigned n_threads)
{
	int64_t *pattern_own = own_costs(rounds, set);
	int64_t *own = cluster_costs(pattern_own, cluster_of, rounds->n_patterns, n_clusters);
	struct adoption x = {
		.rounds = rounds,
		.set = set,
		.cluster_of = cluster_of,
		.name_of_stack = name_of_stack,
		.clusters = clusters,
		.n_clusters = n_clusters,
		.filters = lode_alloc(n_clusters * sizeof(*x.filters)),
		.own = own,
	};

	for (size_t c = 0; c < n_clusters; c++)
		x.filters[c] = lode_frames_filter(clusters[c].common, clusters[c].n_common);
	x.order = lode_order_by(n_clusters, by_common_part, &x);
	lode_pool_run(n_threads, (set->n + ADOPT_BLOCK - 1) / ADOPT_BLOCK, adopt_block, &x);
	free(x.order);
	free(x.filters);
	free(own);
	free(pattern_own);
}
