/*
 * Frames and stacks: interned functions and the call tree that holds every stack.
 *
 *   frame   (module, function), once each: id 0..n-1
 *   stack   a node of the call tree: (parent, frame); node 0 is the empty stack
 *
 *        0
 *        +- 1 pluginhost!main
 *        |  +- 2 pluginhost!config_load_all      stack 2 = main > config_load_all
 *        +- 3 [kernel]!ret_from_fork_asm
 *
 * Equal stacks have equal ids, a prefix of a stack is an ancestor of its node, and a parent's id is
 * smaller than its children's. Kernel frames carry the module `[kernel]`. A frame without a symbol
 * has the empty function name and shows as `[module]`. Ids are in order of first sight, so two
 * trees filled in the same order are equal. Not thread-safe while it grows; const use is.
 */
#pragma once

#include "base/map.h"

enum lode_frame_flag {
	LODE_FRAME_KERNEL = 1,	/* kernel or kernel module code */
	LODE_FRAME_UNKNOWN = 2, /* no symbol: shown as [module] */
	LODE_FRAME_LINK = 4,	/* "→ comm": joins the stacks of two threads (docs/waits.md) */
	LODE_FRAME_INLINED = 8, /* made by the compiler's inlining, from DWARF */
};

/* Module of frames "(busy with COMM, inferred)", behind links: for whom their thread worked. */
#define LODE_CLIENT_MODULE "[client]"

/* Shown for names that are empty, or of blanks alone. */
#define LODE_UNNAMED "[unnamed]"

struct lode_frame {
	uint32_t module;   /* string id */
	uint32_t function; /* string id; the empty string when unknown */
	uint32_t flags;	   /* enum lode_frame_flag */
};

struct lode_callnode {
	uint32_t parent; /* node id, smaller than this node's */
	uint32_t frame;	 /* both are the key of an index */
	uint32_t depth;	 /* number of frames; 0 for node 0 */
};

/* `{ 0 }` must be given to lode_calltree_init before use. */
struct lode_calltree {
	struct lode_strings strings;
	LODE_VEC(struct lode_frame) frames;
	struct lode_map frame_index; /* (module, function, link) -> frame */
	LODE_VEC(struct lode_callnode) nodes;
	struct lode_pair_index child_index; /* of the first of them, by parent and frame */
};

void lode_calltree_init(struct lode_calltree *tree);
void lode_calltree_release(struct lode_calltree *tree);

/* Frame id of (module, function); flags are those of the first sight. */
uint32_t lode_frame_intern(struct lode_calltree *tree, const char *module, const char *function,
			   uint32_t flags);
/* As lode_frame_intern, from ids of the tree's own strings; links (LODE_FRAME_LINK) too. */
uint32_t lode_frame_add(struct lode_calltree *tree, uint32_t module, uint32_t function,
			uint32_t flags);
/* The frame "→ comm" that joins stacks of two threads. */
uint32_t lode_frame_link(struct lode_calltree *tree, const char *comm);
/* Another tree's frame in this one. */
uint32_t lode_frame_copy(struct lode_calltree *tree, const struct lode_calltree *from,
			 uint32_t frame);

/* The stack `parent` with `frame` called from its innermost function. */
uint32_t lode_calltree_child(struct lode_calltree *tree, uint32_t parent, uint32_t frame);

/*
 * The same for a stack that the caller knows not to be there yet: no look-up. The index catches up
 * when lode_calltree_child is called next, so that trees without look-ups never have one.
 */
static inline uint32_t lode_calltree_append(struct lode_calltree *tree, uint32_t parent,
					    uint32_t frame)
{
	struct lode_callnode node = {parent, frame, tree->nodes.at[parent].depth + 1};

	lode_vec_append(&tree->nodes, node);
	return (uint32_t)tree->nodes.n - 1;
}

/*
 * As lode_calltree_child, but a frame without a symbol collapses into its caller when that is
 * an unknown frame of the same module (docs/model.md). What sources use.
 */
uint32_t lode_calltree_push(struct lode_calltree *tree, uint32_t parent, uint32_t frame);

/* The frames of `stack`, root first, into `frames` (room for its depth); gives the depth. */
size_t lode_calltree_path(const struct lode_calltree *tree, uint32_t stack, uint32_t *frames);

/* Appends another tree's stack to `parent` (whose ids are this tree's): frames are interned here.
 */
uint32_t lode_calltree_graft(struct lode_calltree *tree, uint32_t parent,
			     const struct lode_calltree *from, uint32_t stack);

static inline const char *lode_frame_module(const struct lode_calltree *tree, uint32_t frame)
{
	return tree->strings.text.at[tree->frames.at[frame].module];
}

static inline const char *lode_frame_function(const struct lode_calltree *tree, uint32_t frame)
{
	return tree->strings.text.at[tree->frames.at[frame].function];
}

/* Whether it is of the C library or the dynamic linker, which every program has. */
static inline bool lode_frame_is_c_library(const struct lode_calltree *tree, uint32_t frame)
{
	const char *module = lode_frame_module(tree, frame);

	return strncmp(module, "libc.", 5) == 0 || strncmp(module, "libc-", 5) == 0 ||
	       strncmp(module, "ld-", 3) == 0 || strncmp(module, "libpthread", 10) == 0;
}

/* "function", "[module]" when it has no symbol, "[unnamed] in module" when its symbol is blank,
   "→ comm" for a link: what tables show. */
const char *lode_frame_label(const struct lode_calltree *tree, uint32_t frame, char *buffer,
			     size_t size);
/* "module!function" (docs/glossary.md), "function" where no module is known: what JSON and exact
 * comparisons use. */
const char *lode_frame_full_name(const struct lode_calltree *tree, uint32_t frame, char *buffer,
				 size_t size);

/* All frames, sorted by function, module, and functions before links: to be freed. */
uint32_t *lode_frames_by_name(const struct lode_calltree *tree);
