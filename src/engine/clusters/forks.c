/* Splits stacks into problems where call paths fork into branches of substantial cost. */
#include "engine/clusters/forks.h"

#include <math.h>

#include "engine/clusters/fork_paths.h"
#include "base/map.h"

static const double substantial = 0.05; /* of all cost */
static const double in_branches = 0.65; /* of a function's cost, where it forks */
static const double told_apart = 0.5;	/* of the stacks with a caller, and of those without */

enum { ANY = LODE_NONE - 1 }; /* the problem of a path that has no name */

struct forks {
	struct lode_fork_paths paths;
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
	const struct lode_fork_paths *paths = &x->paths;
	uint32_t f = paths->functions.at[i], k = paths->functions.at[j];

	if (paths->module[k] == paths->module[f] || paths->links.at[i] != paths->links.at[j] ||
	    holds_all(x, f))
		return k;
	return (uint32_t)paths->n_functions + paths->module[k];
}

/* Adds a cost to all that is below a place, modules once. */
static void add_below(struct forks *x, int64_t *sums, const struct lode_fork_place *place,
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

static bool has_branch(const struct forks *x, const struct lode_fork_place *place, uint32_t k)
{
	for (size_t j = place->at + 1; j < x->paths.start.at[place->path + 1]; j++)
		if (branch_at(x, place->at, j) == k)
			return true;
	return false;
}

/* What the branches of a function hold together. */
static int64_t branches_ns(struct forks *x, uint32_t f)
{
	const struct lode_fork_paths *paths = &x->paths;
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
	const struct lode_fork_paths *paths = &x->paths;
	size_t bytes = paths->n_functions * sizeof(int64_t);

	memset(x->above, 0, bytes);
	memset(x->called, 0, bytes);
	memset(x->below, 0, bytes);
	for (size_t i = paths->first_place[f]; i < paths->first_place[f + 1]; i++) {
		const struct lode_fork_place *place = &paths->places[i];
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
	const struct lode_fork_paths *paths = &x->paths;
	double with = (double)x->above[caller], without = (double)paths->held_ns[f] - with;

	memset(x->with, 0, paths->n_functions * sizeof(*x->with));
	for (size_t i = paths->first_place[f]; i < paths->first_place[f + 1]; i++) {
		const struct lode_fork_place *place = &paths->places[i];
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
	const struct lode_fork_paths *paths = &x->paths;
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
	const struct lode_fork_paths *paths = &x->paths;
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
	const struct lode_fork_paths *paths = &x->paths;
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
	lode_fork_paths_find(&x.paths, in, x.least_ns);
	if (x.paths.n_functions)
		cut_paths(&x, name_of, in->stacks.n);
	lode_fork_paths_release(&x.paths);
}
