/* Interns frames and stacks: the call tree. */
#include "model/frame.h"

#include "base/ascii.h"
#include "base/sorted.h"

#include <stdio.h>

void lode_calltree_init(struct lode_calltree *tree)
{
	memset(tree, 0, sizeof(*tree));
	lode_strings_intern(&tree->strings, "", 0); /* string 0 is the empty one */
	lode_vec_append(&tree->nodes, (struct lode_callnode){.frame = LODE_NONE});
}

void lode_calltree_release(struct lode_calltree *tree)
{
	lode_strings_release(&tree->strings);
	lode_vec_release(&tree->frames);
	lode_map_release(&tree->frame_index);
	lode_vec_release(&tree->nodes);
	lode_pair_index_release(&tree->child_index);
}

/* Links live in a key space of their own: no module has the string id that marks them. */
static const uint32_t link_module = LODE_NONE - 1;

static uint32_t frame_of_frame(struct lode_calltree *tree, uint32_t key_module, uint32_t module,
			       uint32_t function, uint32_t flags)
{
	uint32_t slot = lode_map_number(&tree->frame_index, (uint64_t)key_module << 32 | function,
					tree->frames.n);

	if (slot == tree->frames.n)
		lode_vec_append(&tree->frames, ((struct lode_frame){module, function, flags}));
	return slot;
}

uint32_t lode_frame_intern(struct lode_calltree *tree, const char *module, const char *function,
			   uint32_t flags)
{
	uint32_t m = lode_strings_intern(&tree->strings, module, strlen(module));
	uint32_t f = lode_strings_intern(&tree->strings, function, strlen(function));

	if (!*function)
		flags |= LODE_FRAME_UNKNOWN;
	return frame_of_frame(tree, m, m, f, flags);
}

uint32_t lode_frame_add(struct lode_calltree *tree, uint32_t module, uint32_t function,
			uint32_t flags)
{
	return frame_of_frame(tree, flags & LODE_FRAME_LINK ? link_module : module, module,
			      function, flags);
}

uint32_t lode_frame_link(struct lode_calltree *tree, const char *comm)
{
	uint32_t f = lode_strings_intern(&tree->strings, comm, strlen(comm));

	return frame_of_frame(tree, link_module, 0, f, LODE_FRAME_LINK);
}

/* Nodes that were appended without a look-up. */
static void index_nodes(struct lode_calltree *tree)
{
	const struct lode_callnode *nodes = tree->nodes.at;

	lode_pair_index_reserve(&tree->child_index, nodes, sizeof(*nodes), tree->nodes.n);
	while (tree->child_index.n < tree->nodes.n) {
		const struct lode_callnode *node = &nodes[tree->child_index.n];

		lode_pair_index_add(&tree->child_index, nodes, sizeof(*nodes), node->parent,
				    node->frame);
	}
}

uint32_t lode_calltree_child(struct lode_calltree *tree, uint32_t parent, uint32_t frame)
{
	uint32_t found;

	if (tree->child_index.n < tree->nodes.n)
		index_nodes(tree);
	found = lode_pair_index_find(&tree->child_index, tree->nodes.at, sizeof(*tree->nodes.at),
				     parent, frame);
	if (found != LODE_NONE)
		return found;
	lode_pair_index_add(&tree->child_index, tree->nodes.at, sizeof(*tree->nodes.at), parent,
			    frame);
	return lode_calltree_append(tree, parent, frame);
}

uint32_t lode_calltree_push(struct lode_calltree *tree, uint32_t parent, uint32_t frame)
{
	/* Equal frames without a symbol are the same module: the run collapses. */
	if (parent && tree->frames.at[frame].flags & LODE_FRAME_UNKNOWN &&
	    tree->nodes.at[parent].frame == frame)
		return parent;
	return lode_calltree_child(tree, parent, frame);
}

size_t lode_calltree_path(const struct lode_calltree *tree, uint32_t stack, uint32_t *frames)
{
	size_t depth = tree->nodes.at[stack].depth;

	for (size_t i = depth; i > 0; i--) {
		frames[i - 1] = tree->nodes.at[stack].frame;
		stack = tree->nodes.at[stack].parent;
	}
	return depth;
}

uint32_t lode_frame_copy(struct lode_calltree *tree, const struct lode_calltree *from,
			 uint32_t frame)
{
	const struct lode_frame *f = &from->frames.at[frame];

	if (f->flags & LODE_FRAME_LINK)
		return lode_frame_link(tree, lode_frame_function(from, frame));
	return lode_frame_intern(tree, lode_frame_module(from, frame),
				 lode_frame_function(from, frame), f->flags);
}

uint32_t lode_calltree_graft(struct lode_calltree *tree, uint32_t parent,
			     const struct lode_calltree *from, uint32_t stack)
{
	size_t depth = from->nodes.at[stack].depth;
	uint32_t small[256];
	uint32_t *path = depth <= 256 ? small : lode_alloc(depth * sizeof(*path));

	lode_calltree_path(from, stack, path);
	for (size_t i = 0; i < depth; i++)
		parent = lode_calltree_child(tree, parent, lode_frame_copy(tree, from, path[i]));
	if (path != small)
		free(path);
	return parent;
}

const char *lode_frame_full_name(const struct lode_calltree *tree, uint32_t frame, char *buffer,
				 size_t size)
{
	const struct lode_frame *f = &tree->frames.at[frame];
	const char *function = lode_frame_function(tree, frame);
	const char *module = lode_frame_module(tree, frame);

	if (f->flags & LODE_FRAME_LINK)
		snprintf(buffer, size, "→ %s", function);
	else if (f->flags & LODE_FRAME_UNKNOWN)
		snprintf(buffer, size, module[0] == '[' ? "%s" : "[%s]", module);
	else if (!*module) /* folded stacks often name none */
		snprintf(buffer, size, "%s", function);
	else
		snprintf(buffer, size, "%s!%s", module, function);
	return buffer;
}

const char *lode_frame_label(const struct lode_calltree *tree, uint32_t frame, char *buffer,
			     size_t size)
{
	uint32_t flags = tree->frames.at[frame].flags;
	const char *function = lode_frame_function(tree, frame);
	const char *module = lode_frame_module(tree, frame);
	bool has_symbol = !(flags & (LODE_FRAME_LINK | LODE_FRAME_UNKNOWN));

	if (has_symbol && !lode_is_blank_text(function))
		snprintf(buffer, size, "%s", function);
	else if (!(flags & LODE_FRAME_LINK) && lode_is_blank_text(module))
		snprintf(buffer, size, "%s", LODE_UNNAMED);
	else if (has_symbol)
		snprintf(buffer, size, "%s in %s", LODE_UNNAMED, module);
	else
		lode_frame_full_name(tree, frame, buffer, size);
	return buffer;
}

/* A link and a function can have the same texts; nothing else can. */
LODE_COMPARE_WITH(compare_frames, uint32_t, const struct lode_calltree *tree,
		  strcmp(lode_frame_function(tree, *a), lode_frame_function(tree, *b))
			  ?: strcmp(lode_frame_module(tree, *a), lode_frame_module(tree, *b))
			  ?: LODE_ORDER(tree->frames.at[*a].flags & LODE_FRAME_LINK,
				       tree->frames.at[*b].flags & LODE_FRAME_LINK))

uint32_t *lode_frames_by_name(const struct lode_calltree *tree)
{
	return lode_order_by(tree->frames.n, compare_frames, tree);
}
