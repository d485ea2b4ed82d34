/*
 * Stacks of functions, as one thread had them: a tree of (caller's stack, function).
 *
 *   0 -+- 1 main -+- 2 read_page          stack 2 = main > read_page
 *      |          +- 3 evict
 *      +- 4 idle
 *
 * A call's stack tells its function and its depth, so that is all a call keeps. Ids are in order of
 * first sight, a caller's is smaller than its callees'. Each thread has its own tree, so that
 * threads are read side by side and ids do not depend on which was first.
 *
 * LIMIT: a thread has LODE_CALL_MAX_STACKS stacks of their own (a real server's threads have some
 * hundreds to some thousands). What comes then and is new is distinguished by depth, function and
 * caller's function only: it stands below a stack of just that caller, whose own callers are not
 * known (n_functions says how deep it is). Calls, times, depths, and each function's time with and
 * without its callees stay exact; how many calls stand below such stacks is counted as a loss.
 */
#pragma once

#include "base/map.h"

#define LODE_CALL_MAX_STACKS ((size_t)1 << 17)

struct lode_call_stack {
	uint32_t caller;      /* stack; 0 for outermost calls */
	uint32_t function;    /* LODE_NONE of stack 0 */
	uint32_t n_functions; /* 0 for stack 0; the depth of its calls is one less */
	uint32_t last_callee; /* stack last found here: calls repeat themselves */
};

/* `{ 0 }` must be given to lode_call_stacks_init. */
struct lode_call_stacks {
	LODE_VEC(struct lode_call_stack) at;
	struct lode_map callees; /* (caller, function) -> stack; while stacks come */
};

static inline void lode_call_stacks_init(struct lode_call_stacks *stacks)
{
	lode_vec_fit(&stacks->at, 1);
	lode_vec_append(&stacks->at, ((struct lode_call_stack){.function = LODE_NONE}));
}

/* No more stacks come. */
static inline void lode_call_stacks_end(struct lode_call_stacks *stacks)
{
	lode_vec_fit(&stacks->at, stacks->at.n);
	lode_map_release(&stacks->callees);
}

static inline void lode_call_stacks_release(struct lode_call_stacks *stacks)
{
	lode_vec_release(&stacks->at);
	lode_map_release(&stacks->callees);
}

/* Any stack of so many functions that ends in `function`: what is beyond the limit shares it. */
static inline uint32_t lode_call_stacks_shared(struct lode_call_stacks *stacks, uint32_t function,
					       uint32_t n_functions)
{
	uint32_t slot = lode_map_number(&stacks->callees,
					(uint64_t)1 << 63 | (uint64_t)n_functions << 32 | function,
					stacks->at.n);

	if (slot == stacks->at.n)
		lode_vec_append(&stacks->at,
				((struct lode_call_stack){.function = function,
							  .n_functions = n_functions}));
	return slot;
}

/* A stack that was not found. */
static inline uint32_t lode_call_stacks_add(struct lode_call_stacks *stacks, uint32_t caller,
					    uint32_t function)
{
	uint32_t slot;

	if (stacks->at.n >= LODE_CALL_MAX_STACKS && caller)
		caller = lode_call_stacks_shared(stacks, stacks->at.at[caller].function,
						 stacks->at.at[caller].n_functions);
	slot = lode_map_number(&stacks->callees, (uint64_t)caller << 32 | function, stacks->at.n);
	if (slot == stacks->at.n)
		lode_vec_append(&stacks->at,
				((struct lode_call_stack){
					.caller = caller,
					.function = function,
					.n_functions = stacks->at.at[caller].n_functions + 1}));
	return slot;
}

/* The stack of a call of `function` from `caller`; made if it is new. */
static inline uint32_t lode_call_stacks_callee(struct lode_call_stacks *stacks, uint32_t caller,
					       uint32_t function)
{
	uint32_t found = stacks->at.at[caller].last_callee;
	const struct lode_call_stack *last = &stacks->at.at[found];

	if (last->caller == caller && last->function == function)
		return found;
	found = lode_map_find(&stacks->callees, (uint64_t)caller << 32 | function);
	if (found == LODE_NONE)
		found = lode_call_stacks_add(stacks, caller, function);
	stacks->at.at[caller].last_callee = found;
	return found;
}

/* Whether some callers between a stack and its caller are not known: then it is shared. */
static inline bool lode_call_stacks_is_shared(const struct lode_call_stacks *stacks, uint32_t stack)
{
	const struct lode_call_stack *s = &stacks->at.at[stack];

	return stack && s->n_functions != stacks->at.at[s->caller].n_functions + 1;
}
