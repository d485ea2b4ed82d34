/* Mines again what no pattern explains, until nothing is found (docs/mining.md). */
#include "engine/mine/rounds.h"

#include "base/pool.h"
#include "base/sorted.h"

int lode_frames_compare(const uint32_t *name_rank, const uint32_t *a, size_t n_a, const uint32_t *b,
			size_t n_b)
{
	for (size_t i = 0; i < n_a && i < n_b; i++)
		if (a[i] != b[i])
			return name_rank[a[i]] < name_rank[b[i]] ? -1 : 1;
	return n_a < n_b ? -1 : n_a > n_b;
}

/* How patterns of one round compare: cost first, then names. */
LODE_COMPARE_WITH(by_cost_then_name, struct lode_round_pattern, const uint32_t *name_rank,
		  LODE_ORDER(b->cost_ns, a->cost_ns)
			  ?: lode_frames_compare(name_rank, a->frames, a->n_frames, b->frames,
						 b->n_frames))

typedef LODE_VEC(struct lode_round_pattern) pattern_vec;

static void append_round(pattern_vec *all, const struct lode_pattern_set *set, uint32_t round,
			 const uint32_t *name_rank, struct lode_arena *arena)
{
	size_t first = all->n;

	for (size_t i = 0; i < set->n; i++) {
		size_t len = set->start.at[i + 1] - set->start.at[i];
		uint32_t *frames = lode_arena_array(arena, uint32_t, len);

		memcpy(frames, &set->items.at[set->start.at[i]], len * sizeof(*frames));
		lode_vec_append(all, ((struct lode_round_pattern){
					     .frames = frames,
					     .n_frames = len,
					     .round = round,
					     .filter = lode_frames_filter(frames, len),
					     .cost_ns = set->cost.at[i],
				     }));
	}
	lode_sort_r(&all->at[first], all->n - first, by_cost_then_name, (void *)name_rank);
}

/* One round's patterns against the stacks that are still open, a block of stacks per job. */
struct explain {
	const struct lode_stackset *set;
	const struct lode_round_pattern *patterns;
	size_t first, end;	   /* the round's patterns */
	const size_t *of_rarest;   /* n_frames + 1: patterns by their rarest frame */
	const uint32_t *by_rarest; /* pattern indices */
	uint32_t *owner;
	const uint8_t *open;
	/* A pattern can only own stacks of its own group; NULL: there are no groups. */
	const uint32_t *group_of_pattern, *group_of_stack;
};

enum { EXPLAIN_BLOCK = 1024 };

/* Longest first; the patterns are in order of cost and name, so the smaller index wins ties. */
static bool is_better(const struct lode_round_pattern *patterns, uint32_t p, uint32_t best)
{
	if (best == LODE_NONE)
		return true;
	if (patterns[p].n_frames != patterns[best].n_frames)
		return patterns[p].n_frames > patterns[best].n_frames;
	return p < best;
}

static void explain_block(void *context, size_t block, unsigned worker)
{
	const struct explain *x = context;
	const struct lode_stackset *set = x->set;
	size_t end = (block + 1) * EXPLAIN_BLOCK;

	(void)worker;
	for (size_t s = block * EXPLAIN_BLOCK; s < end && s < set->n; s++) {
		uint32_t best = LODE_NONE;

		lode_stackset_pass(set, s);
		if (!x->open[s])
			continue;
		for (size_t i = set->start[s]; i < set->start[s + 1]; i++) {
			uint32_t f = set->items[i];

			for (size_t k = x->of_rarest[f]; k < x->of_rarest[f + 1]; k++) {
				uint32_t p = x->by_rarest[k];
				const struct lode_round_pattern *q = &x->patterns[p];

				if (x->group_of_stack &&
				    x->group_of_pattern[p] != x->group_of_stack[s])
					continue;
				if (is_better(x->patterns, p, best) &&
				    lode_stack_contains(set, s, q->frames, q->n_frames, q->filter))
					best = p;
			}
		}
		x->owner[s] = best;
	}
}

static void explain_round(struct explain *x, const struct lode_postings *postings,
			  unsigned n_threads)
{
	size_t n = x->end - x->first;
	size_t *start = lode_alloc0(postings->n_frames + 2, sizeof(*start));
	uint32_t *rarest = lode_alloc(n * sizeof(*rarest)), *index = lode_alloc(n * sizeof(*index));

	for (size_t i = 0; i < n; i++) {
		const struct lode_round_pattern *p = &x->patterns[x->first + i];

		rarest[i] = lode_postings_rarest(postings, p->frames, p->n_frames);
		start[rarest[i] + 2]++;
	}
	for (size_t f = 0; f < postings->n_frames; f++)
		start[f + 2] += start[f + 1];
	for (size_t i = 0; i < n; i++)
		index[start[rarest[i] + 1]++] = (uint32_t)(x->first + i);
	x->of_rarest = start;
	x->by_rarest = index;
	lode_pool_run(n_threads, (x->set->n + EXPLAIN_BLOCK - 1) / EXPLAIN_BLOCK, explain_block, x);
	free(start);
	free(rarest);
	free(index);
}

static size_t count_frames(const struct lode_stackset *set)
{
	size_t n = 0;

	for (size_t s = 0; s < set->n; s++) {
		lode_stackset_pass(set, s);
		for (size_t i = set->start[s]; i < set->start[s + 1]; i++)
			if (set->items[i] >= n)
				n = set->items[i] + 1;
	}
	return n;
}

void lode_rounds_regroup(struct lode_rounds *rounds, const struct lode_stackset *set,
			 const uint32_t *group_of_pattern, const uint32_t *group_of_stack,
			 unsigned n_threads)
{
	uint8_t *open = lode_alloc(set->n);
	uint32_t *owner = lode_alloc(set->n * sizeof(*owner));
	struct lode_arena arena = {0};
	struct lode_postings postings;
	struct explain x = {
		.set = set,
		.patterns = rounds->patterns,
		.end = rounds->n_patterns,
		.owner = owner,
		.open = open,
		.group_of_pattern = group_of_pattern,
		.group_of_stack = group_of_stack,
	};

	lode_postings_count(&postings, set, count_frames(set), &arena);
	for (size_t s = 0; s < set->n; s++) {
		owner[s] = rounds->owner[s];
		open[s] = owner[s] != LODE_NONE && group_of_pattern[owner[s]] != group_of_stack[s];
	}
	explain_round(&x, &postings, n_threads);
	for (size_t s = 0; s < set->n; s++)
		if (owner[s] != LODE_NONE)
			rounds->owner[s] = owner[s];
	lode_arena_release(&arena);
	free(open);
	free(owner);
}

int lode_rounds_mine(struct lode_rounds *out, const struct lode_stackset *set,
		     const uint32_t *name_rank, const struct lode_miner_options *options,
		     bool classic, struct lode_arena *arena, struct lode_error *err)
{
	struct lode_miner_options left = *options;
	struct lode_arena frames_arena = {0}, round_arena = {0};
	struct lode_postings postings;
	uint8_t *open = lode_alloc(set->n);
	pattern_vec all = {0};
	int rc = 0;

	memset(out, 0, sizeof(*out));
	out->owner = lode_arena_array(arena, uint32_t, set->n);
	memset(out->owner, 0xff, set->n * sizeof(*out->owner));
	memset(open, 1, set->n);
	lode_postings_count(&postings, set, count_frames(set), &frames_arena);
	do {
		struct lode_pattern_set found = {0};
		/* In the first round all are open: no copy is needed. */
		struct lode_sequences sequences =
			lode_stackset_sequences(set, all.n ? open : NULL, &round_arena);
		struct explain x = {.set = set, .first = all.n, .owner = out->owner, .open = open};

		/* At the bound, one pattern more is one too many; 0 would mean no bound. */
		if (options->max_patterns)
			left.max_patterns =
				options->max_patterns > all.n ? options->max_patterns - all.n : 1;
		rc = lode_mine_patterns(&found, &sequences, &left, err);
		lode_arena_release(&round_arena);
		if (options->stop && all.n) /* that of round 1 holds; of later ones it does not */
			options->stop->crowded_to = 0;
		if (rc == 0 && options->max_patterns && all.n + found.n > options->max_patterns)
			rc = lode_fail(err, LODE_ERR_LIMIT, NULL, -1,
				       "more than %zu maximal patterns", options->max_patterns);
		if (rc < 0) {
			lode_pattern_set_release(&found);
			break;
		}
		if (found.n)
			append_round(&all, &found, ++out->n_rounds, name_rank, arena);
		lode_pattern_set_release(&found);
		x.patterns = all.at;
		x.end = all.n;
		if (x.first == x.end)
			break;
		explain_round(&x, &postings, options->n_threads);
		for (size_t s = 0; s < set->n; s++)
			open[s] = out->owner[s] == LODE_NONE;
	} while (!classic);
	if (rc == 0 && all.n) {
		out->patterns = lode_arena_array(arena, struct lode_round_pattern, all.n);
		memcpy(out->patterns, all.at, all.n * sizeof(*all.at));
		out->n_patterns = all.n;
	}
	lode_vec_release(&all);
	lode_arena_release(&frames_arena);
	free(open);
	return rc;
}
