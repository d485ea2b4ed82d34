/*
 * The functions that stacks can be cut by: frames that can be names and hold enough. Those that
 * always stand in the same stacks are one, which goes by the deepest of them.
 */
#pragma once

#include "engine/clusters/cut.h"

enum lode_function_order {
	LODE_FUNCTIONS_BY_NAME,
	LODE_FUNCTIONS_BY_COST, /* costliest first, equals by name */
};

/*
 * Numbers up to `most` functions of `least_ns` or more in that order: function_of[frame] becomes
 * the number, or LODE_NONE; frame_of[number] the frame that it goes by, held_ns[number] (may be
 * NULL) what its stacks cost. `stack_ns` per stack. Gives how many. O(frames of the stacks).
 */
size_t lode_stack_functions(uint32_t *frame_of, uint32_t *function_of, int64_t *held_ns,
			    const struct lode_cut_stacks *in, const int64_t *stack_ns,
			    int64_t least_ns, size_t most, enum lode_function_order order);
