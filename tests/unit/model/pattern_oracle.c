#include "unit/model/pattern_oracle.h"

#include <stdio.h>

#include "base/glob.h"
#include "base/mem.h"

bool pattern_step_matches(const char *glob, const struct lode_calltree *tree, uint32_t frame)
{
	uint32_t flags = tree->frames.at[frame].flags;
	const char *module = lode_frame_module(tree, frame);
	const char *function = lode_frame_function(tree, frame);
	char small[512];
	size_t size = strlen(module) + strlen(function) + 8; /* room for "!", "[]" or "→ " */
	char *name = size <= sizeof(small) ? small : lode_alloc(size);
	bool found;

	found = lode_glob_match(glob, lode_frame_full_name(tree, frame, name, size));
	if (!found && flags & LODE_FRAME_UNKNOWN) {
		snprintf(name, size, "%s!", module);
		found = lode_glob_match(glob, name);
	} else if (!found && !(flags & LODE_FRAME_LINK)) {
		found = lode_glob_match(glob, function);
	}
	if (name != small)
		free(name);
	return found;
}

bool pattern_holds(const struct lode_signature_step *steps, size_t n,
		   const struct lode_calltree *tree, uint32_t stack)
{
	size_t depth = tree->nodes.at[stack].depth;
	uint32_t *frames = lode_alloc(depth * sizeof(*frames));
	uint8_t *reached = lode_alloc0(depth, 1), *next = lode_alloc0(depth, 1), *swap;
	bool holds = true;

	lode_calltree_path(tree, stack, frames);
	for (size_t i = 0; i < n && holds; i++) {
		bool was_reached = i == 0; /* at any frame before this one */

		holds = false;
		for (size_t j = 0; j < depth; j++) {
			bool is_open = !steps[i].is_direct ? was_reached
				       : i == 0		   ? j == 0
							   : j > 0 && reached[j - 1];

			next[j] = is_open && pattern_step_matches(steps[i].glob, tree, frames[j]);
			holds |= next[j];
			was_reached |= reached[j];
		}
		swap = reached;
		reached = next;
		next = swap;
	}
	free(frames);
	free(reached);
	free(next);
	return holds;
}
