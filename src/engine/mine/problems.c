/* Groups patterns by the problems that the cut found, and gives each its stacks. */
#include "engine/mine/problems.h"

#include "engine/clusters/threads_cut.h"
#include "engine/mine/adopt.h"

static const double nearly_all = 0.95; /* of the cost, as in cut.c */

/* The program's own functions: functions in which all programs wait, and awaited threads, are no
 * names. */
static bool may_name(const struct lode_calltree *tree, uint32_t frame)
{
	const unsigned never = LODE_FRAME_KERNEL | LODE_FRAME_UNKNOWN | LODE_FRAME_LINK;

	return !(tree->frames.at[frame].flags & never) && !lode_frame_is_c_library(tree, frame) &&
	       strcmp(lode_frame_module(tree, frame), LODE_CLIENT_MODULE) != 0;
}

/* What stacks are cut by; arrays in `arena`. */
static struct lode_forks_input input_of(const struct lode_stackset *set,
					const struct lode_digest *digest, const uint32_t *name_rank,
					struct lode_arena *arena)
{
	size_t n_frames = digest->tree.frames.n, n_rows = set->row_start[set->n];
	struct lode_cut_cost *costs = lode_arena_array(arena, struct lode_cut_cost, n_rows);
	uint8_t *is_name = lode_arena_array(arena, uint8_t, n_frames);
	uint8_t *is_link = lode_arena_array(arena, uint8_t, n_frames);
	uint32_t *module = lode_arena_array(arena, uint32_t, n_frames);
	struct lode_forks_input in = {
		.stacks =
			{
				.n = set->n,
				.n_frames = n_frames,
				.n_symptoms = digest->symptoms.n,
				.items = set->items,
				.start = set->start,
				.costs = costs,
				.cost_start = set->row_start,
				.may_name = is_name,
				.name_rank = name_rank,
			},
		.module = module,
		.is_link = is_link,
	};

	for (size_t i = 0; i < n_rows; i++) {
		const struct lode_digest_row *row = &digest->rows.at[set->rows[i]];

		costs[i] = (struct lode_cut_cost){row->symptom, row->cost_ns};
	}
	for (uint32_t i = 0; i < n_frames; i++) {
		const struct lode_frame *frame = &digest->tree.frames.at[i];

		is_name[i] = may_name(&digest->tree, i);
		is_link[i] = (frame->flags & LODE_FRAME_LINK) != 0;
		module[i] = frame->module;
	}
	return in;
}

/* What a pattern owns of one problem. */
struct own {
	uint32_t pattern, name;
	int64_t cost_ns;
};

static bool has_frame(const struct lode_round_pattern *pattern, uint32_t frame)
{
	for (size_t i = 0; i < pattern->n_frames; i++)
		if (pattern->frames[i] == frame)
			return true;
	return false;
}

/* Of the names that a pattern has, and none, what most of its own cost goes by; of a pattern that
   owns nothing, the deepest. */
static void name_patterns(uint32_t *name_of_pattern, const struct lode_rounds *rounds,
			  const struct lode_stackset *set, const uint32_t *name_of_stack,
			  size_t n_frames)
{
	int64_t *most = lode_alloc0(rounds->n_patterns, sizeof(*most));
	bool *is_name = lode_alloc0(n_frames, sizeof(*is_name));
	LODE_VEC(struct own) owns = {0};
	struct lode_map index = {0};

	for (size_t s = 0; s < set->n; s++) {
		uint32_t p = rounds->owner[s], slot;

		if (name_of_stack[s] != LODE_NONE)
			is_name[name_of_stack[s]] = true;
		if (p == LODE_NONE)
			continue;
		slot = lode_map_number(&index, (uint64_t)p << 32 | name_of_stack[s], owns.n);
		if (slot == owns.n)
			lode_vec_append(&owns, ((struct own){p, name_of_stack[s], 0}));
		lode_vec_is_there(&owns);
		owns.at[slot].cost_ns += set->cost_ns[s];
	}
	for (size_t p = 0; p < rounds->n_patterns; p++) {
		const struct lode_round_pattern *pattern = &rounds->patterns[p];

		name_of_pattern[p] = LODE_NONE;
		for (size_t i = 0; i < pattern->n_frames; i++)
			if (is_name[pattern->frames[i]])
				name_of_pattern[p] = pattern->frames[i];
	}
	for (size_t i = 0; i < owns.n; i++) {
		const struct own *own = &owns.at[i];

		if (own->cost_ns <= most[own->pattern] ||
		    (own->name != LODE_NONE &&
		     !has_frame(&rounds->patterns[own->pattern], own->name)))
			continue;
		most[own->pattern] = own->cost_ns;
		name_of_pattern[own->pattern] = own->name;
	}
	lode_vec_release(&owns);
	lode_map_release(&index);
	free(most);
	free(is_name);
}

/* Which stacks without a name are in the one cluster without a name that holds nearly all cost;
   false: none does. */
static bool find_dominant(bool *is_in, const struct lode_rounds *rounds, const uint32_t *cluster_of,
			  const uint32_t *name_of_pattern, size_t n_clusters,
			  const struct lode_stackset *set, const uint32_t *name_of_stack)
{
	int64_t *cost_ns = lode_alloc0(n_clusters, sizeof(*cost_ns)), all_ns = 0;
	uint32_t dominant = LODE_NONE;

	for (size_t s = 0; s < set->n; s++) {
		uint32_t p = rounds->owner[s];

		all_ns += set->cost_ns[s];
		if (p != LODE_NONE && name_of_pattern[p] == LODE_NONE)
			cost_ns[cluster_of[p]] += set->cost_ns[s];
	}
	for (uint32_t c = 0; c < n_clusters; c++)
		if ((double)cost_ns[c] >= nearly_all * (double)all_ns)
			dominant = c;
	for (size_t s = 0; s < set->n; s++) {
		uint32_t p = rounds->owner[s];

		is_in[s] = p != LODE_NONE && name_of_pattern[p] == LODE_NONE &&
			   cluster_of[p] == dominant && name_of_stack[s] == LODE_NONE;
	}
	free(cost_ns);
	return dominant != LODE_NONE;
}

/* Clusters of equal names are one; a cluster of similar patterns keeps those without a name. */
static size_t number_clusters(uint32_t *cluster_of, const uint32_t *name_of_pattern,
			      size_t n_patterns)
{
	struct lode_map index = {0};
	uint32_t n = 0;

	for (size_t p = 0; p < n_patterns; p++) {
		uint64_t key = name_of_pattern[p] == LODE_NONE
				       ? cluster_of[p]
				       : (uint64_t)1 << 32 | name_of_pattern[p];
		uint32_t *slot = lode_map_slot(&index, key);

		if (*slot == LODE_NONE)
			*slot = n++;
		cluster_of[p] = *slot;
	}
	lode_map_release(&index);
	return n;
}

/* Of problems that no pattern is of, stacks stay where they are. */
static void forget_unused(uint32_t *name_of_stack, size_t n_stacks, const uint32_t *name_of_pattern,
			  size_t n_patterns, size_t n_frames)
{
	bool *is_used = lode_alloc0(n_frames, sizeof(*is_used));

	for (size_t p = 0; p < n_patterns; p++)
		if (name_of_pattern[p] != LODE_NONE)
			is_used[name_of_pattern[p]] = true;
	for (size_t s = 0; s < n_stacks; s++)
		if (name_of_stack[s] != LODE_NONE && !is_used[name_of_stack[s]])
			name_of_stack[s] = LODE_NONE;
	free(is_used);
}

void lode_problems_part(struct lode_problems *out, struct lode_rounds *rounds, uint32_t *cluster_of,
			size_t *n_clusters, const struct lode_stackset *set,
			const struct lode_digest *digest, const uint32_t *name_rank,
			unsigned n_threads, struct lode_arena *arena)
{
	struct lode_forks_input in = input_of(set, digest, name_rank, arena);
	size_t n_frames = digest->tree.frames.n, n_patterns = rounds->n_patterns;
	bool *is_in = lode_arena_array(arena, bool, set->n);
	uint32_t *name_of_pattern = lode_alloc(n_patterns * sizeof(*name_of_pattern));
	uint32_t *cluster_of_name = lode_alloc(n_frames * sizeof(*cluster_of_name));

	out->name_of_stack = lode_arena_array(arena, uint32_t, set->n);
	if (digest->symptoms.n < 2)
		lode_cut_by_forks(out->name_of_stack, &in);
	else
		lode_cut(out->name_of_stack, &in.stacks);
	name_patterns(name_of_pattern, rounds, set, out->name_of_stack, n_frames);
	if (digest->symptoms.n > 1 && find_dominant(is_in, rounds, cluster_of, name_of_pattern,
						    *n_clusters, set, out->name_of_stack)) {
		lode_cut_by_threads(out->name_of_stack, &in, is_in);
		name_patterns(name_of_pattern, rounds, set, out->name_of_stack, n_frames);
	}
	forget_unused(out->name_of_stack, set->n, name_of_pattern, n_patterns, n_frames);
	*n_clusters = number_clusters(cluster_of, name_of_pattern, n_patterns);
	out->name_of_cluster = lode_arena_array(arena, uint32_t, *n_clusters);
	for (size_t p = 0; p < n_patterns; p++) {
		out->name_of_cluster[cluster_of[p]] = name_of_pattern[p];
		if (name_of_pattern[p] != LODE_NONE)
			cluster_of_name[name_of_pattern[p]] = cluster_of[p];
	}
	out->has_names = false;
	for (size_t c = 0; c < *n_clusters; c++)
		out->has_names |= out->name_of_cluster[c] != LODE_NONE;
	lode_rounds_regroup(rounds, set, name_of_pattern, out->name_of_stack, n_threads);
	for (size_t s = 0; s < set->n; s++) {
		uint32_t name = out->name_of_stack[s], p = rounds->owner[s];

		if (p != LODE_NONE && name != LODE_NONE && name_of_pattern[p] != name)
			rounds->owner[s] = lode_closest_pattern(rounds, set, cluster_of, s,
								cluster_of_name[name]);
	}
	free(name_of_pattern);
	free(cluster_of_name);
}

void lode_problems_none(struct lode_problems *out, size_t n_stacks, size_t n_clusters,
			struct lode_arena *arena)
{
	out->has_names = false;
	out->name_of_stack = lode_arena_array(arena, uint32_t, n_stacks);
	out->name_of_cluster = lode_arena_array(arena, uint32_t, n_clusters);
	memset(out->name_of_stack, 0xff, n_stacks * sizeof(*out->name_of_stack));
	memset(out->name_of_cluster, 0xff, n_clusters * sizeof(*out->name_of_cluster));
}
