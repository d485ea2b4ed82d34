/* Distinct stacks of a digest with their costs. */
#include "engine/mine/stackset.h"

#include "model/tracers.h"

/* ---- Matching ---- */

void lode_postings_count(struct lode_postings *out, const struct lode_stackset *set,
			 size_t n_frames, struct lode_arena *arena)
{
	/* last[f]: the latest stack counted for f, so that recursion counts once. */
	uint32_t *last = lode_alloc_none(n_frames);

	*out = (struct lode_postings){.n_frames = n_frames};
	out->start = lode_arena_array(arena, size_t, n_frames + 2);
	memset(out->start, 0, (n_frames + 2) * sizeof(*out->start));
	for (size_t s = 0; s < set->n; s++) {
		lode_stackset_pass(set, s);
		for (size_t i = set->start[s]; i < set->start[s + 1]; i++)
			if (last[set->items[i]] != s) {
				last[set->items[i]] = (uint32_t)s;
				out->start[set->items[i] + 1]++;
			}
	}
	for (size_t f = 0; f < n_frames; f++)
		out->start[f + 1] += out->start[f];
	free(last);
}

void lode_postings_build(struct lode_postings *out, const struct lode_stackset *set,
			 size_t n_frames, struct lode_arena *arena)
{
	uint32_t *last = lode_alloc_none(n_frames);
	size_t *fill = lode_alloc((n_frames + 1) * sizeof(*fill));

	lode_postings_count(out, set, n_frames, arena);
	memcpy(fill, out->start, (n_frames + 1) * sizeof(*fill));
	out->stacks = lode_arena_array(arena, uint32_t, out->start[n_frames]);
	for (size_t s = 0; s < set->n; s++) {
		lode_stackset_pass(set, s);
		for (size_t i = set->start[s]; i < set->start[s + 1]; i++)
			if (last[set->items[i]] != s) {
				last[set->items[i]] = (uint32_t)s;
				out->stacks[fill[set->items[i]]++] = (uint32_t)s;
			}
	}
	free(fill);
	free(last);
}

uint32_t lode_postings_rarest(const struct lode_postings *postings, const uint32_t *frames,
			      size_t n_frames)
{
	uint32_t best = frames[0];

	for (size_t i = 1; i < n_frames; i++)
		if (postings->start[frames[i] + 1] - postings->start[frames[i]] <
		    postings->start[best + 1] - postings->start[best])
			best = frames[i];
	return best;
}

uint64_t lode_frames_filter(const uint32_t *frames, size_t n_frames)
{
	uint64_t filter = 0;

	for (size_t i = 0; i < n_frames; i++)
		filter |= lode_frame_bit(frames[i]);
	return filter;
}

/* ---- The set ---- */

static bool is_in_set(const struct lode_digest_row *row, unsigned kinds, uint32_t recording)
{
	return kinds >> row->kind & 1 && row->stack != recording;
}

/* Rows grouped by stack node: a counting sort over nodes, so that the order is that of the tree. */
static void group_rows(struct lode_stackset *set, const struct lode_digest *digest, unsigned kinds,
		       uint32_t *stack_of_node, struct lode_arena *arena)
{
	uint32_t recording = lode_tracers_recording(&digest->tree);
	size_t n_rows = 0, n = 0;

	for (size_t i = 0; i < digest->rows.n; i++)
		if (is_in_set(&digest->rows.at[i], kinds, recording))
			stack_of_node[digest->rows.at[i].stack] = 0;
	for (size_t node = 0; node < digest->tree.nodes.n; node++)
		if (stack_of_node[node] != LODE_NONE)
			stack_of_node[node] = (uint32_t)n++;
	set->n = n;
	set->row_start = lode_arena_array(arena, size_t, n + 1);
	memset(set->row_start, 0, (n + 1) * sizeof(*set->row_start));
	for (size_t i = 0; i < digest->rows.n; i++)
		if (is_in_set(&digest->rows.at[i], kinds, recording)) {
			set->row_start[stack_of_node[digest->rows.at[i].stack] + 1]++;
			n_rows++;
		}
	for (size_t s = 0; s < n; s++)
		set->row_start[s + 1] += set->row_start[s];
	set->rows = lode_arena_array(arena, uint32_t, n_rows);
	for (size_t i = 0; i < digest->rows.n; i++)
		if (is_in_set(&digest->rows.at[i], kinds, recording))
			set->rows[set->row_start[stack_of_node[digest->rows.at[i].stack]]++] =
				(uint32_t)i;
	/* Filling moved every start to the next stack's: move them back. */
	for (size_t s = n; s > 0; s--)
		set->row_start[s] = set->row_start[s - 1];
	set->row_start[0] = 0;
}

void lode_stackset_build(struct lode_stackset *out, const struct lode_digest *digest,
			 unsigned kinds, struct lode_arena *arena)
{
	size_t n_nodes = digest->tree.nodes.n, n_items = 0;
	uint32_t *stack_of_node = lode_alloc_none(n_nodes);

	memset(out, 0, sizeof(*out));
	group_rows(out, digest, kinds, stack_of_node, arena);
	out->start = lode_arena_array(arena, size_t, out->n + 1);
	out->cost_ns = lode_arena_array(arena, int64_t, out->n);
	out->frames = lode_arena_array(arena, uint64_t, out->n);
	for (size_t node = 0; node < n_nodes; node++)
		if (stack_of_node[node] != LODE_NONE)
			n_items += digest->tree.nodes.at[node].depth;
	out->items = lode_arena_array(arena, uint32_t, n_items);
	n_items = 0;
	for (size_t node = 0; node < n_nodes; node++) {
		uint32_t s = stack_of_node[node];

		if (s == LODE_NONE)
			continue;
		out->start[s] = n_items;
		n_items += lode_calltree_path(&digest->tree, (uint32_t)node, &out->items[n_items]);
		out->frames[s] = 0;
		for (size_t i = out->start[s]; i < n_items; i++)
			out->frames[s] |= lode_frame_bit(out->items[i]);
		out->cost_ns[s] = 0;
		for (size_t r = out->row_start[s]; r < out->row_start[s + 1]; r++)
			out->cost_ns[s] += digest->rows.at[out->rows[r]].cost_ns;
		out->total_ns += out->cost_ns[s];
	}
	out->start[out->n] = n_items;
	free(stack_of_node);
}

struct lode_sequences lode_stackset_sequences(const struct lode_stackset *set, const uint8_t *pick,
					      struct lode_arena *arena)
{
	size_t n = 0, n_items = 0;
	uint32_t *items;
	size_t *start;
	int64_t *cost;

	if (!pick)
		return (struct lode_sequences){set->n, set->items, set->start, set->cost_ns};
	for (size_t s = 0; s < set->n; s++) {
		n += pick[s];
		n_items += pick[s] ? set->start[s + 1] - set->start[s] : 0;
	}
	items = lode_arena_array(arena, uint32_t, n_items);
	start = lode_arena_array(arena, size_t, n + 1);
	cost = lode_arena_array(arena, int64_t, n);
	n = n_items = 0;
	for (size_t s = 0; s < set->n; s++) {
		size_t len = set->start[s + 1] - set->start[s];

		lode_stackset_pass(set, s);
		if (!pick[s])
			continue;
		start[n] = n_items;
		cost[n++] = set->cost_ns[s];
		memcpy(&items[n_items], &set->items[set->start[s]], len * sizeof(*items));
		n_items += len;
	}
	start[n] = n_items;
	return (struct lode_sequences){n, items, start, cost};
}
