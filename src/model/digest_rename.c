/* Renames functions in the stacks, rows and name statistics of a digest. */
#include "model/digest_rename.h"

static void rename_nodes(struct lode_digest *digest, const uint32_t *frame_of)
{
	struct lode_calltree *tree = &digest->tree;
	size_t n = tree->nodes.n;
	struct lode_callnode *old = tree->nodes.at;
	uint32_t *node_of = lode_alloc0(n, sizeof(*node_of));

	memset(&tree->nodes, 0, sizeof(tree->nodes));
	lode_pair_index_clear(&tree->child_index);
	lode_vec_append(&tree->nodes, old[0]);
	for (size_t i = 1; i < n; i++) {
		uint32_t parent = node_of[old[i].parent], frame = frame_of[old[i].frame];

		node_of[i] = frame == LODE_NONE ? parent : lode_calltree_child(tree, parent, frame);
	}
	for (size_t i = 0; i < digest->rows.n; i++)
		digest->rows.at[i].stack = node_of[digest->rows.at[i].stack];
	lode_digest_rows_sort(digest->rows.at, digest->rows.n);
	free(old);
	free(node_of);
}

/* Pairs with a function that is left out go: its callers and callees are no pair that was counted.
 */
static void rename_names(struct lode_name_stats *names, const uint32_t *frame_of)
{
	struct lode_name_stats old = *names;
	uint32_t *to = lode_alloc((old.n_with.n + 1) * sizeof(*to));
	size_t n = 0;

	for (size_t i = 0; i < old.n_with.n; i++) {
		to[i] = frame_of[i] == LODE_NONE ? 0 : frame_of[i];
		if (frame_of[i] == LODE_NONE)
			old.n_with.at[i] = old.n_callee.at[i] = old.n_caller.at[i] = 0;
	}
	for (size_t i = 0; i < old.pairs.n; i++)
		if (frame_of[old.pairs.at[i].caller] != LODE_NONE &&
		    frame_of[old.pairs.at[i].callee] != LODE_NONE)
			old.pairs.at[n++] = old.pairs.at[i];
	old.pairs.n = n;
	memset(names, 0, sizeof(*names));
	lode_name_stats_merge(names, &old, to, old.n_with.n);
	lode_name_stats_release(&old);
	free(to);
}

void lode_digest_rename(struct lode_digest *digest, const uint32_t *frame_of)
{
	rename_nodes(digest, frame_of);
	rename_names(&digest->names, frame_of);
}
