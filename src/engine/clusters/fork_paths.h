/*
 * What cutting by forks looks at: each stack's functions of substantial cost, in order.
 *
 * Functions that always stand in the same stacks are one, which goes by the deepest of them; a
 * function stands where it stands last. Stacks with the same functions are one path.
 *
 *   stacks                                     functions            paths
 *   main > run > parse > read            30    0 run (and main)     0 1        30
 *   main > run > render > draw > scale   50    1 parse              0 2 3      50
 *   main > run > render > draw           20    2 draw (and render)  0 2        20
 *                                              3 scale
 */
#pragma once

#include "engine/clusters/forks.h"

#include "base/mem.h"

struct lode_fork_place {
	uint32_t path;
	size_t at; /* into the paths' functions */
};

struct lode_fork_paths {
	/* Functions, dearest first, equals by name. */
	size_t n_functions;
	uint32_t *frame;  /* that it goes by */
	uint32_t *module; /* of that: 0 .. n_modules - 1 */
	size_t n_modules;
	int64_t *held_ns; /* of all stacks that have it */
	/* Paths, by their first stacks. */
	size_t n;
	uint32_t *path_of; /* per stack */
	LODE_VEC(uint32_t) functions;
	LODE_VEC(uint32_t) links; /* beside functions: how many links are behind it in the path */
	LODE_VEC(size_t) start;	  /* n + 1 */
	LODE_VEC(int64_t) cost_ns;
	/* Where functions are: places[first_place[f] .. first_place[f + 1]), in order of paths. */
	struct lode_fork_place *places;
	size_t *first_place;
};

/* Of functions that hold `least_ns` or more; of the dearest ones only if they are very many. */
void lode_fork_paths_find(struct lode_fork_paths *paths, const struct lode_forks_input *in,
			  int64_t least_ns);
void lode_fork_paths_release(struct lode_fork_paths *paths);
