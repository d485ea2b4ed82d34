/* Collects stacks with costs for speedscope and pprof. */
#include "document/export/export_stacks.h"

#include "base/escape.h"

const char *lode_export_name(char buffer[LODE_EXPORT_NAME_BYTES], const struct lode_calltree *tree,
			     uint32_t frame)
{
	char label[LODE_EXPORT_NAME_BYTES / 4];

	if (frame == LODE_NONE)
		return "[no stack]";
	return lode_escape(buffer, LODE_EXPORT_NAME_BYTES,
			   lode_frame_label(tree, frame, label, sizeof(label)));
}

const char *lode_export_text(char buffer[LODE_EXPORT_NAME_BYTES], const char *text)
{
	return lode_escape(buffer, LODE_EXPORT_NAME_BYTES, text);
}

void lode_export_path_of(lode_export_path *path, const struct lode_calltree *tree, uint32_t stack)
{
	size_t depth = tree->nodes.at[stack].depth;

	lode_vec_reserve(path, depth + 1);
	path->n = lode_calltree_path(tree, stack, path->at);
	if (path->n == 0)
		lode_vec_append(path, LODE_NONE);
}

void lode_export_stacks_release(struct lode_export_stacks *stacks)
{
	for (size_t i = 0; i < stacks->groups.n; i++)
		free(stacks->groups.at[i].name);
	lode_vec_release(&stacks->groups);
	lode_vec_release(&stacks->samples);
	free(stacks->title);
	stacks->title = NULL;
}
