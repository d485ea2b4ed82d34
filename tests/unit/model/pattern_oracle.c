#include "unit/model/pattern_oracle.h"

#include "base/mem.h"

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

			next[j] = is_open &&
				  lode_signature_step_matches(steps[i].glob, tree, frames[j]);
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
