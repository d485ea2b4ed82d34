/* Builds the tree of stacks, units and sets of streams in which aliases are looked for. */
#include "engine/aliases/alias_tree.h"

enum { SEVERAL = 0xfffffffe }; /* more than one caller or callee */

/* ---- Nodes ---- */

static void take_nodes(struct lode_alias_tree *tree, const uint32_t *frame_of)
{
	const struct lode_calltree *from = &tree->digest->tree;
	size_t n_rows = tree->digest->rows.n;
	uint32_t *node_of = lode_alloc0(from->nodes.n, sizeof(*node_of));
	struct lode_map children = {0};

	tree->nodes.n = 0;
	lode_vec_append_zero(&tree->nodes);
	tree->nodes.at[0].frame = LODE_NONE;
	for (size_t i = 1; i < from->nodes.n; i++) {
		uint32_t parent = node_of[from->nodes.at[i].parent];
		uint32_t frame = frame_of[from->nodes.at[i].frame];

		if (frame == LODE_NONE) {
			node_of[i] = parent;
			continue;
		}
		node_of[i] =
			lode_map_number(&children, (uint64_t)parent << 32 | frame, tree->nodes.n);
		if (node_of[i] == tree->nodes.n)
			lode_vec_append(&tree->nodes, ((struct lode_alias_node){.parent = parent,
										.frame = frame}));
	}
	tree->all = 0;
	for (size_t i = 0; i < n_rows; i++) {
		const struct lode_digest_row *row = &tree->digest->rows.at[i];

		tree->node_of_row[i] = node_of[row->stack];
		tree->nodes.at[node_of[row->stack]].self += row->cost_ns;
		tree->all += row->cost_ns;
	}
	lode_map_release(&children);
	free(node_of);
}

static void sum_nodes(struct lode_alias_tree *tree)
{
	size_t n_frames = tree->digest->tree.frames.n;

	memset(tree->first_of_frame, 0, n_frames * sizeof(*tree->first_of_frame));
	memset(tree->cost, 0, n_frames * sizeof(*tree->cost));
	for (size_t i = tree->nodes.n - 1; i > 0; i--) {
		struct lode_alias_node *node = &tree->nodes.at[i];
		struct lode_alias_node *parent = &tree->nodes.at[node->parent];

		node->cost += node->self;
		parent->cost += node->cost;
		if (node->cost <= 0)
			continue;
		node->sibling = parent->child;
		parent->child = (uint32_t)i;
		node->next_of_frame = tree->first_of_frame[node->frame];
		tree->first_of_frame[node->frame] = (uint32_t)i;
		tree->cost[node->frame] += node->cost;
	}
}

/* ---- Streams ---- */

/* Rows of a stream lie together, so that a node is passed once per stream. */
static void mark_streams(struct lode_alias_tree *tree)
{
	const struct lode_digest *digest = tree->digest;
	size_t n_frames = digest->tree.frames.n, n_words = (digest->streams.n + 63) / 64;
	uint32_t *last = lode_alloc_none(tree->nodes.n);

	for (size_t f = 0; f < n_frames; f++) {
		tree->streams[f] = (struct lode_alias_streams){0};
		if (tree->cost[f] > 0)
			tree->streams[f].bits = lode_arena_array0(&tree->arena, uint64_t, n_words);
	}
	for (size_t i = 0; i < digest->rows.n; i++) {
		uint32_t s = digest->symptoms.at[digest->rows.at[i].symptom].stream;

		if (digest->rows.at[i].cost_ns <= 0)
			continue;
		for (uint32_t n = tree->node_of_row[i]; n && last[n] != s;
		     n = tree->nodes.at[n].parent) {
			struct lode_alias_streams *streams =
				&tree->streams[tree->nodes.at[n].frame];
			uint64_t bit = (uint64_t)1 << (s & 63);

			last[n] = s;
			streams->n += !(streams->bits[s / 64] & bit);
			streams->bits[s / 64] |= bit;
		}
	}
	free(last);
}

bool lode_alias_exclude(const struct lode_alias_streams *a, const struct lode_alias_streams *b,
			size_t n_streams)
{
	if (a->n + b->n > n_streams)
		return false;
	for (size_t i = 0; i < (n_streams + 63) / 64; i++)
		if (a->bits[i] & b->bits[i])
			return false;
	return true;
}

/* ---- Units ---- */

static void note(uint32_t *only, uint32_t other)
{
	*only = *only == LODE_NONE || *only == other ? other : SEVERAL;
}

/* Functions that not all streams have and of which one is the other's only callee, and that one's
 * only caller. */
static void find_units(struct lode_alias_tree *tree)
{
	const struct lode_digest *digest = tree->digest;
	size_t n_frames = digest->tree.frames.n;
	uint32_t *caller = lode_alloc_none(n_frames), *callee = lode_alloc_none(n_frames);

	for (size_t i = 1; i < tree->nodes.n; i++) {
		const struct lode_alias_node *node = &tree->nodes.at[i];

		if (node->cost <= 0)
			continue;
		note(&caller[node->frame],
		     node->parent ? tree->nodes.at[node->parent].frame : SEVERAL);
		if (node->parent)
			note(&callee[tree->nodes.at[node->parent].frame], node->frame);
		if (node->self > 0)
			callee[node->frame] = SEVERAL;
	}
	for (uint32_t f = 0; f < n_frames; f++) {
		uint32_t to = callee[f];

		tree->next_in_unit[f] = LODE_NONE;
		if (to < SEVERAL && caller[to] == f && tree->streams[f].n < digest->streams.n &&
		    !((digest->tree.frames.at[f].flags | digest->tree.frames.at[to].flags) &
		      LODE_FRAME_LINK))
			tree->next_in_unit[f] = to;
	}
	free(caller);
	free(callee);
}

void lode_alias_tree_build(struct lode_alias_tree *tree, const struct lode_digest *digest,
			   const uint32_t *frame_of)
{
	size_t n_frames = digest->tree.frames.n;
	uint32_t *heads;

	lode_alias_tree_release(tree);
	tree->digest = digest;
	tree->node_of_row = lode_alloc((digest->rows.n + 1) * sizeof(*tree->node_of_row));
	tree->first_of_frame = lode_alloc((n_frames + 1) * sizeof(*tree->first_of_frame));
	tree->cost = lode_alloc((n_frames + 1) * sizeof(*tree->cost));
	tree->next_in_unit = lode_alloc((n_frames + 1) * sizeof(*tree->next_in_unit));
	tree->streams = lode_alloc0(n_frames + 1, sizeof(*tree->streams));
	take_nodes(tree, frame_of);
	sum_nodes(tree);
	mark_streams(tree);
	find_units(tree);
	/* Once more, with the first function of each unit alone. */
	heads = lode_alloc((n_frames + 1) * sizeof(*heads));
	memcpy(heads, frame_of, n_frames * sizeof(*heads));
	for (uint32_t f = 0; f < n_frames; f++)
		if (tree->next_in_unit[f] != LODE_NONE)
			heads[tree->next_in_unit[f]] = LODE_NONE;
	for (uint32_t f = 0; f < n_frames; f++)
		if (heads[f] != LODE_NONE && heads[f] != f)
			heads[f] = heads[heads[f]]; /* an alias of what is no head */
	take_nodes(tree, heads);
	sum_nodes(tree);
	free(heads);
}

void lode_alias_tree_release(struct lode_alias_tree *tree)
{
	lode_vec_release(&tree->nodes);
	free(tree->node_of_row);
	free(tree->first_of_frame);
	free(tree->cost);
	free(tree->next_in_unit);
	free(tree->streams);
	lode_arena_release(&tree->arena);
	memset(tree, 0, sizeof(*tree));
}
