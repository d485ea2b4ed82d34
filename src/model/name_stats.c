/* Statistics of functions and of callers with callees. */
#include "model/digest.h"

/* Room for frames up to `n_frames`; new ones have not been seen. */
static void reserve_frames(struct lode_name_stats *names, size_t n_frames)
{
	lode_vec_reserve(&names->n_with, n_frames);
	lode_vec_reserve(&names->n_callee, n_frames);
	lode_vec_reserve(&names->n_caller, n_frames);
	while (names->n_with.n < n_frames) {
		lode_vec_append(&names->n_with, 0);
		lode_vec_append(&names->n_callee, 0);
		lode_vec_append(&names->n_caller, 0);
	}
}

void lode_name_stats_add_pair(struct lode_name_stats *names, const struct lode_name_pair *pair)
{
	uint64_t key = (uint64_t)pair->caller << 32 | pair->callee;
	uint32_t slot = lode_map_number(&names->pair_index, key, names->pairs.n);

	if (slot == names->pairs.n) {
		lode_vec_append(&names->pairs, *pair);
		return;
	}
	names->pairs.at[slot].n += pair->n;
}

void lode_name_stats_merge(struct lode_name_stats *names, const struct lode_name_stats *from,
			   const uint32_t *frame_of, size_t n_frames)
{
	struct lode_name_pair pair;

	reserve_frames(names, n_frames);
	names->n_stacks += from->n_stacks;
	for (size_t i = 0; i < from->n_with.n; i++) {
		if (!(from->n_with.at[i] | from->n_callee.at[i] | from->n_caller.at[i]))
			continue;
		names->n_with.at[frame_of[i]] += from->n_with.at[i];
		names->n_callee.at[frame_of[i]] += from->n_callee.at[i];
		names->n_caller.at[frame_of[i]] += from->n_caller.at[i];
	}
	for (size_t i = 0; i < from->pairs.n; i++) {
		pair = from->pairs.at[i];
		pair.caller = frame_of[pair.caller];
		pair.callee = frame_of[pair.callee];
		lode_name_stats_add_pair(names, &pair);
	}
}

void lode_name_stats_release(struct lode_name_stats *names)
{
	lode_vec_release(&names->n_with);
	lode_vec_release(&names->n_callee);
	lode_vec_release(&names->n_caller);
	lode_map_release(&names->pair_index);
	lode_vec_release(&names->pairs);
	names->n_stacks = 0;
}

uint64_t lode_name_stats_pair(const struct lode_name_stats *names, uint32_t caller, uint32_t callee)
{
	uint32_t i = lode_map_find(&names->pair_index, (uint64_t)caller << 32 | callee);

	return i == LODE_NONE ? 0 : names->pairs.at[i].n;
}

/* ---- Counting a stream: per node of its tree, not per event and frame ---- */

/* Events whose stack passes through each node (is it, or goes on from it). */
static uint64_t *events_through_nodes(const struct lode_stream *stream)
{
	size_t n_nodes = stream->tree.nodes.n;
	uint64_t *n_through = lode_alloc0(n_nodes, sizeof(*n_through));

	for (size_t t = 0; t < stream->threads.n; t++) {
		const struct lode_events *events = &stream->threads.at[t].events;

		for (size_t i = 0; i < events->n; i++)
			if (events->kind[i] != LODE_EVENT_READY ||
			    events->flags[i] & LODE_EVENT_PREEMPTED)
				n_through[events->stack[i]]++;
	}
	n_through[0] = 0; /* events without a stack */
	for (size_t i = n_nodes - 1; i > 0; i--)
		n_through[stream->tree.nodes.at[i].parent] += n_through[i];
	return n_through;
}

/*
 * Marks the nodes whose frame stands further out in the same stack already: recursion must not
 * count a stack twice. A walk over the tree in depth-first order with one counter per frame; going
 * up from every node would cost its depth each time, which hostile input can make large.
 */
static bool *recursive_nodes(const struct lode_calltree *tree)
{
	size_t n_nodes = tree->nodes.n;
	bool *is_recursive = lode_alloc0(n_nodes, sizeof(*is_recursive));
	uint32_t *n_open = lode_alloc0(tree->frames.n, sizeof(*n_open));
	uint32_t *first_child = lode_alloc0(n_nodes, sizeof(*first_child));
	uint32_t *sibling = lode_alloc0(n_nodes, sizeof(*sibling));
	uint32_t node, next;

	for (size_t i = n_nodes - 1; i > 0; i--) {
		sibling[i] = first_child[tree->nodes.at[i].parent];
		first_child[tree->nodes.at[i].parent] = (uint32_t)i;
	}
	for (node = first_child[0]; node; node = next) {
		is_recursive[node] = n_open[tree->nodes.at[node].frame]++ > 0;
		next = first_child[node];
		while (!next && node) {
			n_open[tree->nodes.at[node].frame]--;
			next = sibling[node];
			node = tree->nodes.at[node].parent;
		}
	}
	free(n_open);
	free(first_child);
	free(sibling);
	return is_recursive;
}

void lode_name_stats_add_stream(struct lode_name_stats *names, struct lode_calltree *tree,
				const struct lode_stream *stream)
{
	const struct lode_calltree *from = &stream->tree;
	uint64_t *n_through = events_through_nodes(stream);
	bool *is_recursive = recursive_nodes(from);
	uint32_t *frame_of = lode_alloc(from->frames.n * sizeof(*frame_of));
	const struct lode_callnode *node;
	uint32_t frame, caller;
	struct lode_name_pair pair;

	for (size_t i = 0; i < from->frames.n; i++)
		frame_of[i] = LODE_NONE;
	names->n_stacks += n_through[0];
	for (size_t i = 1; i < from->nodes.n; i++) {
		node = &from->nodes.at[i];
		if (!n_through[i])
			continue;
		if (frame_of[node->frame] == LODE_NONE)
			frame_of[node->frame] = lode_frame_copy(tree, from, node->frame);
		frame = frame_of[node->frame];
		reserve_frames(names, tree->frames.n);
		if (!is_recursive[i])
			names->n_with.at[frame] += n_through[i];
		if (!node->parent)
			continue;
		caller = frame_of[from->nodes.at[node->parent].frame];
		names->n_caller.at[frame] += n_through[i];
		names->n_callee.at[caller] += n_through[i];
		pair = (struct lode_name_pair){caller, frame, n_through[i]};
		lode_name_stats_add_pair(names, &pair);
	}
	reserve_frames(names, tree->frames.n);
	free(frame_of);
	free(is_recursive);
	free(n_through);
}
