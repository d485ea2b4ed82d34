/* Reduces stacks to paths of functions of substantial cost. */
#include "engine/clusters/fork_paths.h"

#include "base/map.h"
#include "engine/clusters/stack_functions.h"

/*
 * LIMIT: looking at all functions takes some third power of a path's length; where that comes to
 * more than some seconds, the cheaper half of the functions is left out until it does not.
 */
enum { MAX_FUNCTIONS = 4096, MAX_WORK = 1 << 30 };

/* Fills the functions; `function_of` gets each frame's, or LODE_NONE. */
static void find_functions(struct lode_fork_paths *x, uint32_t *function_of,
			   const struct lode_forks_input *in, const int64_t *stack_ns,
			   int64_t least_ns)
{
	struct lode_map of_module = {0};

	x->n_functions =
		lode_stack_functions(x->frame, function_of, x->held_ns, &in->stacks, stack_ns,
				     least_ns, MAX_FUNCTIONS, LODE_FUNCTIONS_BY_COST);
	for (size_t f = 0; f < x->n_functions; f++) {
		uint32_t *slot = lode_map_slot(&of_module, in->module[x->frame[f]]);

		if (*slot == LODE_NONE)
			*slot = (uint32_t)x->n_modules++;
		x->module[f] = *slot;
	}
	lode_map_release(&of_module);
}

/* The paths of the first `n_functions`. */
static void find_paths(struct lode_fork_paths *x, const uint32_t *function_of,
		       const struct lode_forks_input *in, const int64_t *stack_ns)
{
	const struct lode_cut_stacks *stacks = &in->stacks;
	uint32_t *last = lode_alloc(x->n_functions * sizeof(*last));
	struct step {
		uint32_t function, links;
	} *steps = lode_alloc(x->n_functions * sizeof(*steps));
	struct lode_map of_hash = {0};

	memset(last, 0xff, x->n_functions * sizeof(*last));
	x->n = x->functions.n = x->links.n = x->start.n = x->cost_ns.n = 0;
	lode_vec_append(&x->start, 0);
	for (uint32_t s = 0; s < stacks->n; s++) {
		size_t first = x->n_functions;
		uint32_t *path, n_links = 0;
		uint64_t hash = 0;

		for (size_t i = stacks->start[s + 1]; i-- > stacks->start[s];) {
			uint32_t f = function_of[stacks->items[i]];

			n_links += in->is_link[stacks->items[i]];
			if (f >= x->n_functions || last[f] == s)
				continue;
			last[f] = s;
			steps[--first] = (struct step){f, n_links};
			hash = lode_hash_u64(hash ^ ((uint64_t)n_links << 32 | (f + 1)));
		}
		path = lode_map_slot(&of_hash, hash);
		if (*path == LODE_NONE) {
			*path = (uint32_t)x->n++;
			for (size_t i = first; i < x->n_functions; i++) {
				lode_vec_append(&x->functions, steps[i].function);
				lode_vec_append(&x->links, steps[i].links);
			}
			lode_vec_append(&x->start, x->functions.n);
			lode_vec_append(&x->cost_ns, 0);
		}
		x->path_of[s] = *path;
		x->cost_ns.at[*path] += stack_ns[s];
	}
	lode_map_release(&of_hash);
	free(last);
	free(steps);
}

static double work_of(const struct lode_fork_paths *x)
{
	double work = 0;

	for (size_t p = 0; p < x->n; p++) {
		double length = (double)(x->start.at[p + 1] - x->start.at[p]);

		work += length * length * length / 6;
	}
	return work;
}

static void list_places(struct lode_fork_paths *x)
{
	size_t n = 0;

	x->places = lode_alloc(x->functions.n * sizeof(*x->places));
	x->first_place = lode_alloc0(x->n_functions + 1, sizeof(*x->first_place));
	for (size_t i = 0; i < x->functions.n; i++)
		x->first_place[x->functions.at[i]]++;
	for (size_t f = 0; f <= x->n_functions; f++) {
		n += x->first_place[f];
		x->first_place[f] = n;
	}
	for (size_t p = x->n; p-- > 0;)
		for (size_t i = x->start.at[p]; i < x->start.at[p + 1]; i++)
			x->places[--x->first_place[x->functions.at[i]]] =
				(struct lode_fork_place){(uint32_t)p, i};
}

void lode_fork_paths_find(struct lode_fork_paths *paths, const struct lode_forks_input *in,
			  int64_t least_ns)
{
	const struct lode_cut_stacks *stacks = &in->stacks;
	uint32_t *function_of = lode_alloc(stacks->n_frames * sizeof(*function_of));
	int64_t *stack_ns = lode_alloc0(stacks->n, sizeof(*stack_ns));

	for (size_t s = 0; s < stacks->n; s++)
		for (size_t k = stacks->cost_start[s]; k < stacks->cost_start[s + 1]; k++)
			stack_ns[s] += stacks->costs[k].cost_ns;
	*paths = (struct lode_fork_paths){
		.frame = lode_alloc(MAX_FUNCTIONS * sizeof(*paths->frame)),
		.module = lode_alloc(MAX_FUNCTIONS * sizeof(*paths->module)),
		.held_ns = lode_alloc(MAX_FUNCTIONS * sizeof(*paths->held_ns)),
		.path_of = lode_alloc(stacks->n * sizeof(*paths->path_of)),
	};
	find_functions(paths, function_of, in, stack_ns, least_ns);
	find_paths(paths, function_of, in, stack_ns);
	while (work_of(paths) > MAX_WORK) {
		paths->n_functions /= 2;
		find_paths(paths, function_of, in, stack_ns);
	}
	list_places(paths);
	free(function_of);
	free(stack_ns);
}

void lode_fork_paths_release(struct lode_fork_paths *paths)
{
	free(paths->frame);
	free(paths->module);
	free(paths->held_ns);
	free(paths->path_of);
	lode_vec_release(&paths->functions);
	lode_vec_release(&paths->links);
	lode_vec_release(&paths->start);
	lode_vec_release(&paths->cost_ns);
	free(paths->places);
	free(paths->first_place);
}
