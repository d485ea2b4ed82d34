/* Splits stacks into problems where call paths fork into branches of substantial cost. */
#include "engine/clusters/forks.h"

#include <math.h>

#include "engine/clusters/stack_functions.h"
#include "base/map.h"

/* ---- Paths ---- */

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
struct fork_place {
	uint32_t path;
	size_t at; /* into the paths' functions */
};

struct fork_paths {
	/* Functions, costliest first, equals by name. */
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
	struct fork_place *places;
	size_t *first_place;
};

/*
 * LIMIT: looking at all functions takes some third power of a path's length; where that comes to
 * more than some seconds, the cheaper half of the functions is left out until it does not.
 */
enum { MAX_FUNCTIONS = 4096, MAX_WORK = 1 << 30 };

/* Fills the functions; `function_of` gets each frame's, or LODE_NONE. */
static void find_functions(struct fork_paths *x, uint32_t *function_of,
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
static void find_paths(struct fork_paths *x, const uint32_t *function_of,
		       const struct lode_forks_input *in, const int64_t *stack_ns)
{
	const struct lode_cut_stacks *stacks = &in->stacks;
	uint32_t *last = lode_alloc_none(x->n_functions);
	struct step {
		uint32_t function, links;
	} *steps = lode_alloc(x->n_functions * sizeof(*steps));
	struct lode_map of_hash = {0};

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

static double work_of(const struct fork_paths *x)
{
	double work = 0;

	for (size_t p = 0; p < x->n; p++) {
		double length = (double)(x->start.at[p + 1] - x->start.at[p]);

		work += length * length * length / 6;
	}
	return work;
}

static void list_places(struct fork_paths *x)
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
				(struct fork_place){(uint32_t)p, i};
}

/* Of functions that hold `least_ns` or more; of the costliest ones only if they are very many. */
static void fork_paths_find(struct fork_paths *paths, const struct lode_forks_input *in,
			    int64_t least_ns)
{
	const struct lode_cut_stacks *stacks = &in->stacks;
	uint32_t *function_of = lode_alloc(stacks->n_frames * sizeof(*function_of));
	int64_t *stack_ns = lode_alloc0(stacks->n, sizeof(*stack_ns));

	for (size_t s = 0; s < stacks->n; s++)
		for (size_t k = stacks->cost_start[s]; k < stacks->cost_start[s + 1]; k++)
			stack_ns[s] += stacks->costs[k].cost_ns;
	*paths = (struct fork_paths){
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

static void fork_paths_release(struct fork_paths *paths)
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

/* ---- Problems ---- */

static const double substantial = 0.05; /* of all cost */
static const double in_branches = 0.65; /* of a function's cost, where it forks */
static const double told_apart = 0.5;	/* of the stacks with a caller, and of those without */

enum { ANY = LODE_NONE - 1 }; /* the problem of a path that has no name */

struct forks {
	struct fork_paths paths;
	int64_t sum_ns, least_ns;
	/* Of the function that is looked at; what is below it is a function, or a module. */
	int64_t *below, *left, *above, *called, *with; /* costs */
	uint8_t *is_taken;			       /* per place: it is in a branch */
	size_t *seen; /* per module: 1 + the place that counted it last */
};

static bool is_substantial(const struct forks *x, int64_t part_ns, int64_t all_ns)
{
	return part_ns >= x->least_ns && all_ns - part_ns >= x->least_ns;
}

static bool holds_all(const struct forks *x, uint32_t f)
{
	return x->sum_ns - x->paths.held_ns[f] < x->least_ns;
}

/* What the function at place `j`, below that at `i`, counts as: itself, or its library. */
static uint32_t branch_at(const struct forks *x, size_t i, size_t j)
{
	const struct fork_paths *paths = &x->paths;
	uint32_t f = paths->functions.at[i], k = paths->functions.at[j];

	if (paths->module[k] == paths->module[f] || paths->links.at[i] != paths->links.at[j] ||
	    holds_all(x, f))
		return k;
	return (uint32_t)paths->n_functions + paths->module[k];
}

/* Adds a cost to all that is below a place, modules once. */
static void add_below(struct forks *x, int64_t *sums, const struct fork_place *place,
		      int64_t cost_ns)
{
	for (size_t j = place->at + 1; j < x->paths.start.at[place->path + 1]; j++) {
		uint32_t k = branch_at(x, place->at, j);

		if (k >= x->paths.n_functions) {
			size_t *seen = &x->seen[k - x->paths.n_functions];

			if (*seen == place->at + 1)
				continue;
			*seen = place->at + 1;
		}
		sums[k] += cost_ns;
	}
	memset(x->seen, 0, x->paths.n_modules * sizeof(*x->seen));
}

static bool has_branch(const struct forks *x, const struct fork_place *place, uint32_t k)
{
	for (size_t j = place->at + 1; j < x->paths.start.at[place->path + 1]; j++)
		if (branch_at(x, place->at, j) == k)
			return true;
	return false;
}

/* What the branches of a function hold together. */
static int64_t branches_ns(struct forks *x, uint32_t f)
{
	const struct fork_paths *paths = &x->paths;
	size_t n = paths->n_functions + paths->n_modules;
	int64_t sum_ns = 0;

	memset(x->below, 0, n * sizeof(*x->below));
	for (size_t i = paths->first_place[f]; i < paths->first_place[f + 1]; i++) {
		add_below(x, x->below, &paths->places[i], paths->cost_ns.at[paths->places[i].path]);
		x->is_taken[i] = false;
	}
	memcpy(x->left, x->below, n * sizeof(*x->left));
	for (;;) {
		uint32_t best = LODE_NONE;

		for (uint32_t k = 0; k < n; k++)
			if (x->left[k] >= x->least_ns &&
			    is_substantial(x, x->below[k], paths->held_ns[f]) &&
			    (best == LODE_NONE || x->left[k] > x->left[best]))
				best = k;
		if (best == LODE_NONE)
			return sum_ns;
		sum_ns += x->left[best];
		for (size_t i = paths->first_place[f]; i < paths->first_place[f + 1]; i++)
			if (!x->is_taken[i] && has_branch(x, &paths->places[i], best)) {
				x->is_taken[i] = true;
				add_below(x, x->left, &paths->places[i],
					  -paths->cost_ns.at[paths->places[i].path]);
			}
	}
}

/* What is above and below a function, and what calls it without a link between. */
static void find_neighbours(struct forks *x, uint32_t f)
{
	const struct fork_paths *paths = &x->paths;
	size_t bytes = paths->n_functions * sizeof(int64_t);

	memset(x->above, 0, bytes);
	memset(x->called, 0, bytes);
	memset(x->below, 0, bytes);
	for (size_t i = paths->first_place[f]; i < paths->first_place[f + 1]; i++) {
		const struct fork_place *place = &paths->places[i];
		int64_t cost_ns = paths->cost_ns.at[place->path];

		for (size_t j = paths->start.at[place->path]; j < place->at; j++) {
			x->above[paths->functions.at[j]] += cost_ns;
			if (paths->links.at[j] == paths->links.at[place->at])
				x->called[paths->functions.at[j]] += cost_ns;
		}
		for (size_t j = place->at + 1; j < paths->start.at[place->path + 1]; j++)
			x->below[paths->functions.at[j]] += cost_ns;
	}
}

/* Whether functions below `f` come with a caller, or without it. */
static bool tells(struct forks *x, uint32_t caller, uint32_t f)
{
	const struct fork_paths *paths = &x->paths;
	double with = (double)x->above[caller], without = (double)paths->held_ns[f] - with;

	memset(x->with, 0, paths->n_functions * sizeof(*x->with));
	for (size_t i = paths->first_place[f]; i < paths->first_place[f + 1]; i++) {
		const struct fork_place *place = &paths->places[i];
		size_t j = paths->start.at[place->path];

		while (j < place->at && paths->functions.at[j] != caller)
			j++;
		if (j == place->at)
			continue;
		for (j = place->at + 1; j < paths->start.at[place->path + 1]; j++)
			x->with[paths->functions.at[j]] += paths->cost_ns.at[place->path];
	}
	for (size_t k = 0; k < paths->n_functions; k++)
		if (fabs((double)x->with[k] / with -
			 (double)(x->below[k] - x->with[k]) / without) >= told_apart)
			return true;
	return false;
}

static bool is_problem(struct forks *x, uint32_t f)
{
	const struct fork_paths *paths = &x->paths;
	int64_t held_ns = paths->held_ns[f], forked_ns = branches_ns(x, f);

	if (holds_all(x, f) ? forked_ns > 0 : (double)forked_ns >= in_branches * (double)held_ns)
		return false;
	find_neighbours(x, f);
	for (uint32_t h = 0; h < paths->n_functions; h++)
		if ((paths->module[h] != paths->module[f] &&
		     is_substantial(x, x->called[h], held_ns)) ||
		    (is_substantial(x, x->above[h], held_ns) && tells(x, h, f)))
			return false;
	return true;
}

/* Whether a function holds all but scraps of a problem, and little else. */
static bool is_specific(const struct forks *x, uint32_t k, int64_t held_ns, int64_t problem_ns)
{
	return problem_ns - held_ns < x->least_ns && x->paths.held_ns[k] - held_ns < x->least_ns;
}

/* The name of the problem of the paths with `f` that have none in name[]. */
static uint32_t name_of_problem(struct forks *x, uint32_t f, const uint32_t *name)
{
	const struct fork_paths *paths = &x->paths;
	int64_t *held = x->above, *is_first = x->with;
	uint32_t first = f, best;

	memset(held, 0, paths->n_functions * sizeof(*held));
	memset(is_first, 0, paths->n_functions * sizeof(*is_first));
	for (size_t i = paths->first_place[f]; i < paths->first_place[f + 1]; i++) {
		uint32_t p = paths->places[i].path;

		for (size_t j = paths->start.at[p];
		     name[p] == LODE_NONE && j < paths->start.at[p + 1]; j++)
			held[paths->functions.at[j]] += paths->cost_ns.at[p];
	}
	for (size_t i = paths->first_place[f]; i < paths->first_place[f + 1]; i++) {
		uint32_t p = paths->places[i].path;
		size_t j = paths->start.at[p];

		while (j < paths->start.at[p + 1] &&
		       !is_specific(x, paths->functions.at[j], held[paths->functions.at[j]],
				    held[f]))
			j++;
		if (name[p] == LODE_NONE && j < paths->start.at[p + 1])
			is_first[paths->functions.at[j]] += paths->cost_ns.at[p];
	}
	for (uint32_t k = 0; k < paths->n_functions; k++)
		if (is_first[k] > is_first[first])
			first = k;
	best = first;
	for (uint32_t k = 0; k < paths->n_functions; k++)
		if (paths->module[k] == paths->module[first] &&
		    is_specific(x, k, held[k], held[f]) && held[k] <= held[best])
			best = k;
	return best;
}

/* name[p] becomes the function that names the problem of path p; ANY or LODE_NONE: it has none. */
static void name_paths(struct forks *x, uint32_t *name)
{
	const struct fork_paths *paths = &x->paths;
	int64_t *left = lode_alloc0(paths->n_functions, sizeof(*left));

	for (uint32_t f = 0; f < paths->n_functions; f++)
		left[f] = is_problem(x, f) ? paths->held_ns[f] : 0;
	memset(name, 0xff, paths->n * sizeof(*name));
	for (;;) {
		uint32_t best = LODE_NONE, called;

		for (uint32_t f = 0; f < paths->n_functions; f++)
			if (left[f] >= x->least_ns && (best == LODE_NONE || left[f] > left[best]))
				best = f;
		if (best == LODE_NONE)
			break;
		called = holds_all(x, best) ? ANY : name_of_problem(x, best, name);
		for (size_t i = paths->first_place[best]; i < paths->first_place[best + 1]; i++) {
			uint32_t p = paths->places[i].path;

			if (name[p] != LODE_NONE)
				continue;
			name[p] = called;
			for (size_t j = paths->start.at[p]; j < paths->start.at[p + 1]; j++)
				left[paths->functions.at[j]] -= paths->cost_ns.at[p];
		}
	}
	free(left);
}

static void cut_paths(struct forks *x, uint32_t *name_of, size_t n_stacks)
{
	size_t n = x->paths.n_functions + x->paths.n_modules;
	uint32_t *name = lode_alloc(x->paths.n * sizeof(*name));
	int64_t *costs = lode_alloc(5 * n * sizeof(*costs));

	x->below = costs;
	x->left = costs + n;
	x->above = costs + 2 * n;
	x->called = costs + 3 * n;
	x->with = costs + 4 * n;
	x->is_taken = lode_alloc(x->paths.functions.n);
	x->seen = lode_alloc0(x->paths.n_modules, sizeof(*x->seen));
	name_paths(x, name);
	for (size_t s = 0; s < n_stacks; s++) {
		uint32_t f = name[x->paths.path_of[s]];

		if (f < ANY)
			name_of[s] = x->paths.frame[f];
	}
	free(name);
	free(costs);
	free(x->is_taken);
	free(x->seen);
}

void lode_cut_by_forks(uint32_t *name_of, const struct lode_forks_input *in)
{
	struct forks x = {0};

	for (size_t s = 0; s < in->stacks.n; s++)
		name_of[s] = LODE_NONE;
	for (size_t k = 0; k < in->stacks.cost_start[in->stacks.n]; k++)
		x.sum_ns += in->stacks.costs[k].cost_ns;
	if (x.sum_ns <= 0)
		return;
	x.least_ns = (int64_t)(substantial * (double)x.sum_ns) + 1;
	fork_paths_find(&x.paths, in, x.least_ns);
	if (x.paths.n_functions)
		cut_paths(&x, name_of, in->stacks.n);
	fork_paths_release(&x.paths);
}
