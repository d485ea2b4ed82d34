/* Splits stacks into problems by what they cost in each symptom. */
#include "engine/clusters/cut.h"

#include <math.h>

#include "base/map.h"
#include "base/sorted.h"
#include "engine/clusters/stack_functions.h"

static const double observations = 30;	 /* of an even symptom */
static const double expected = 0.1;	 /* of them, before anything is seen */
static const double least_share = 0.002; /* of all cost: what a name must hold, and leave */
static const double nearly_all = 0.95;	 /* of the symptoms that a function stands in */
static const double agreed_share = 0.8;	 /* of a problem's cost, as in its headline */

/*
 * LIMIT: the costliest symptoms get a cell each, the others share groups, so that there are no
 * more cells (functions by symptoms) than this. Names within names go so deep.
 */
enum { MAX_SYMPTOMS = 256, MAX_CELLS = 1 << 22, MAX_DEPTH = 24 };

/* Stacks that are to be parted, and their costs by function and symptom. */
struct part {
	uint32_t *stacks;
	size_t n;
	int64_t *cells; /* functions x symptoms */
	int64_t *total; /* per symptom */
	bool *is_all;	/* per function: of the part that this one was taken from, it holds nearly
			   all in its symptoms */
};

struct cut {
	const struct lode_cut_stacks *in;
	uint32_t *name_of;
	size_t n_cells;		 /* symptoms, or groups of them */
	const uint32_t *cell_of; /* per symptom */
	double weight;		 /* of what is expected, in observations */
	double *prior;		 /* per cell: its part of that, by its share of all cost */
	double *prior_gamma;	 /* ln G of that */
	double unit;		 /* ns of an observation */
	int64_t least_ns;
	/* Functions that always stand in the same stacks are one. */
	size_t n_functions;
	uint32_t *function_of; /* per frame; LODE_NONE: it can be no name */
	uint32_t *frame_of;    /* per function */
	uint32_t *functions;   /* of each stack, each once: listed[start[s] .. start[s + 1]) */
	size_t *start;
	int64_t *stack_ns;
};

static double ln_gamma(double x)
{
	int sign; /* lgamma would write a global */

	return lgamma_r(x, &sign);
}

/* ---- Evidence ---- */

/* A symptom's part of the evidence. */
static double of_cell(const struct cut *c, size_t cell, int64_t cost_ns)
{
	if (!cost_ns)
		return 0;
	return ln_gamma(c->prior[cell] + (double)cost_ns / c->unit) - c->prior_gamma[cell];
}

static double of_sum(const struct cut *c, int64_t cost_ns)
{
	return ln_gamma(c->weight) - ln_gamma(c->weight + (double)cost_ns / c->unit);
}

/* What is gained by telling stacks with a function, which cost cells[], from those without. */
static double gain_of(const struct cut *c, const int64_t *total, const double *cell_evidence,
		      int64_t sum, const int64_t *cells, int64_t with)
{
	double gain = of_sum(c, with) + of_sum(c, sum - with) - of_sum(c, sum);

	for (size_t s = 0; s < c->n_cells; s++)
		if (cells[s] && cells[s] != total[s]) /* else one of both has it all, as before */
			gain += of_cell(c, s, cells[s]) + of_cell(c, s, total[s] - cells[s]) -
				cell_evidence[s];
	return gain - log((double)c->n_functions);
}

static int64_t sum_of(const int64_t *cells, size_t n)
{
	int64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += cells[i];
	return sum;
}

/* The function that parts them best, or LODE_NONE. */
static uint32_t best_function(const struct cut *c, const struct part *part)
{
	int64_t sum = sum_of(part->total, c->n_cells);
	double *evidence = lode_alloc(c->n_cells * sizeof(*evidence)), best = 0;
	uint32_t found = LODE_NONE;

	for (size_t s = 0; s < c->n_cells; s++)
		evidence[s] = of_cell(c, s, part->total[s]);
	for (uint32_t f = 0; f < c->n_functions; f++) {
		const int64_t *cells = &part->cells[f * c->n_cells];
		int64_t with = sum_of(cells, c->n_cells);
		double gain;

		if (with < c->least_ns || sum - with < c->least_ns)
			continue;
		gain = gain_of(c, part->total, evidence, sum, cells, with);
		if (gain > best + 1e-9) {
			best = gain;
			found = f;
		}
	}
	free(evidence);
	return found;
}

/* ---- Parting ---- */

/* Room for a part of at most `n` stacks. */
static void part_init(struct part *part, const struct cut *c, size_t n)
{
	part->stacks = lode_alloc(n * sizeof(*part->stacks));
	part->n = 0;
	part->cells = lode_alloc0(c->n_functions * c->n_cells, sizeof(*part->cells));
	part->total = lode_alloc0(c->n_cells, sizeof(*part->total));
	part->is_all = lode_alloc0(c->n_functions, sizeof(*part->is_all));
}

static void part_release(struct part *part)
{
	free(part->stacks);
	free(part->cells);
	free(part->total);
	free(part->is_all);
}

static void part_add(struct part *part, const struct cut *c, uint32_t s)
{
	part->stacks[part->n++] = s;
	for (size_t k = c->in->cost_start[s]; k < c->in->cost_start[s + 1]; k++) {
		size_t cell = c->cell_of[c->in->costs[k].symptom];

		part->total[cell] += c->in->costs[k].cost_ns;
		for (size_t i = c->start[s]; i < c->start[s + 1]; i++)
			part->cells[c->functions[i] * c->n_cells + cell] += c->in->costs[k].cost_ns;
	}
}

static bool has_function(const struct cut *c, uint32_t s, uint32_t f)
{
	for (size_t i = c->start[s]; i < c->start[s + 1]; i++)
		if (c->functions[i] == f)
			return true;
	return false;
}

/* Moves the stacks that have `f` to `with`. */
static void take_out(struct part *with, struct part *part, const struct cut *c, uint32_t f)
{
	size_t n = 0;

	part_init(with, c, part->n);
	for (size_t i = 0; i < part->n; i++)
		if (has_function(c, part->stacks[i], f))
			part_add(with, c, part->stacks[i]);
		else
			part->stacks[n++] = part->stacks[i];
	part->n = n;
	for (size_t i = 0; i < c->n_functions * c->n_cells; i++)
		part->cells[i] -= with->cells[i];
	for (size_t s = 0; s < c->n_cells; s++)
		part->total[s] -= with->total[s];
}

/* Functions that hold nearly all cost of the symptoms that they stand in. */
static void find_all(bool *is_all, const struct part *part, const struct cut *c)
{
	for (size_t f = 0; f < c->n_functions; f++) {
		const int64_t *cells = &part->cells[f * c->n_cells];
		double with = 0, there = 0;

		for (size_t s = 0; s < c->n_cells; s++) {
			with += (double)cells[s];
			there += cells[s] ? (double)part->total[s] : 0;
		}
		is_all[f] = with >= nearly_all * there;
	}
}

/* How many functions of a stack four fifths of the cost do not share, behind the first of those
   that they do. */
static size_t n_open(const struct cut *c, const struct part *part, const bool *is_agreed,
		     uint32_t s, uint32_t *last)
{
	bool is_behind = false;
	size_t n = 0;

	for (size_t i = c->in->start[s]; i < c->in->start[s + 1]; i++) {
		uint32_t frame = c->in->items[i], f = c->function_of[frame];

		if (f == LODE_NONE || part->is_all[f] || last[frame] == s)
			continue;
		last[frame] = s;
		is_behind |= is_agreed[f];
		n += is_behind && !is_agreed[f];
	}
	return n;
}

/* Whether what its stacks share is at least as much as what they differ in: functions, by cost.
   Callers count for neither, nor what all the symptoms have. */
static bool is_one(const struct cut *c, const struct part *part)
{
	bool *is_agreed = lode_alloc0(c->n_functions, sizeof(*is_agreed));
	uint32_t *last = lode_alloc(c->in->n_frames * sizeof(*last));
	double sum = (double)sum_of(part->total, c->n_cells), open = 0, agreed = 0;

	for (size_t f = 0; f < c->n_functions; f++)
		is_agreed[f] = !part->is_all[f] && (double)sum_of(&part->cells[f * c->n_cells],
								  c->n_cells) >= agreed_share * sum;
	for (size_t i = 0; i < c->in->n_frames; i++) {
		last[i] = LODE_NONE;
		agreed += c->function_of[i] != LODE_NONE && is_agreed[c->function_of[i]];
	}
	for (size_t i = 0; i < part->n; i++)
		open += (double)c->stack_ns[part->stacks[i]] *
			(double)n_open(c, part, is_agreed, part->stacks[i], last);
	free(is_agreed);
	free(last);
	return open <= agreed * sum;
}

/* The function that all of what is left has, and nothing that was taken out; `held` is what
   functions held before. Two problems that share all cost: each is what the other leaves. */
static uint32_t name_of_rest(const struct cut *c, const struct part *part, const int64_t *held,
			     const bool *is_all)
{
	int64_t sum = sum_of(part->total, c->n_cells);

	for (uint32_t f = 0; f < c->n_functions; f++)
		if (!is_all[f] && held[f] == sum &&
		    sum_of(&part->cells[f * c->n_cells], c->n_cells) == sum)
			return f;
	return LODE_NONE;
}

/* Parts what `name` (a function or LODE_NONE) holds, as long as that gains something. */
static void part_all(const struct cut *c, struct part *part, uint32_t name, size_t depth)
{
	bool *is_all = lode_alloc(c->n_functions * sizeof(*is_all));
	int64_t *held = lode_alloc(c->n_functions * sizeof(*held));
	uint32_t f;

	find_all(is_all, part, c);
	for (f = 0; f < c->n_functions; f++)
		held[f] = sum_of(&part->cells[f * c->n_cells], c->n_cells);
	while (depth < MAX_DEPTH && (f = best_function(c, part)) != LODE_NONE) {
		struct part with;

		take_out(&with, part, c, f);
		memcpy(with.is_all, is_all, c->n_functions * sizeof(*is_all));
		part_all(c, &with, is_all[f] ? name : f, depth + 1);
		part_release(&with);
	}
	f = name_of_rest(c, part, held, is_all);
	if (f != LODE_NONE) {
		name = f;
		memcpy(part->is_all, is_all, c->n_functions * sizeof(*is_all));
	}
	if (name != LODE_NONE && part->n && is_one(c, part))
		for (size_t i = 0; i < part->n; i++)
			if (has_function(c, part->stacks[i], name)) /* all that cost anything */
				c->name_of[part->stacks[i]] = c->frame_of[name];
	free(is_all);
	free(held);
}

/* ---- Symptoms and functions ---- */

struct weighed {
	int64_t cost_ns;
	uint32_t at;
};

LODE_COMPARE(dearest_first, struct weighed,
	     LODE_ORDER(b->cost_ns, a->cost_ns) ?: LODE_ORDER(a->at, b->at))

/* Symptoms into cells; an observation's cost. Gives the cell of each symptom. */
static uint32_t *find_cells(struct cut *c, size_t max_cells)
{
	size_t n = c->in->n_symptoms;
	struct weighed *symptoms = lode_alloc0(n, sizeof(*symptoms));
	uint32_t *cell_of = lode_alloc(n * sizeof(*cell_of));
	double all = 0, squares = 0;

	for (uint32_t i = 0; i < n; i++)
		symptoms[i].at = i;
	for (size_t k = 0; k < c->in->cost_start[c->in->n]; k++)
		symptoms[c->in->costs[k].symptom].cost_ns += c->in->costs[k].cost_ns;
	lode_sort(symptoms, n, dearest_first);
	c->n_cells = n < max_cells ? n : max_cells;
	c->prior = lode_alloc0(c->n_cells, sizeof(*c->prior));
	c->prior_gamma = lode_alloc(c->n_cells * sizeof(*c->prior_gamma));
	for (size_t i = 0; i < n; i++) {
		size_t cell = i < c->n_cells ? i : c->n_cells - 1;
		double cost = (double)symptoms[i].cost_ns;

		cell_of[symptoms[i].at] = (uint32_t)cell;
		c->prior[cell] += cost;
		all += cost;
		squares += cost * cost;
	}
	c->weight = expected * all * all / squares;
	for (size_t s = 0; s < c->n_cells; s++) {
		c->prior[s] *= c->weight / all;
		c->prior_gamma[s] = ln_gamma(c->prior[s]);
	}
	c->unit = squares / all / observations;
	c->least_ns = (int64_t)(least_share * all) + 1;
	free(symptoms);
	return cell_of;
}

/* Each stack's functions. */
static void list_functions(struct cut *c)
{
	uint32_t *last = lode_alloc_none(c->n_functions + 1);
	size_t n = 0;

	for (uint32_t s = 0; s < c->in->n; s++) {
		c->start[s] = n;
		for (size_t i = c->in->start[s]; i < c->in->start[s + 1]; i++) {
			uint32_t f = c->function_of[c->in->items[i]];

			if (f == LODE_NONE || last[f] == s)
				continue;
			last[f] = s;
			c->functions[n++] = f;
		}
	}
	c->start[c->in->n] = n;
	free(last);
}

static void cut_all(struct cut *c)
{
	struct part part;
	size_t most;
	uint32_t *cell_of;

	c->n_functions = lode_stack_functions(c->frame_of, c->function_of, NULL, c->in, c->stack_ns,
					      (int64_t)ceil(least_share *
							    (double)sum_of(c->stack_ns, c->in->n)),
					      SIZE_MAX, LODE_FUNCTIONS_BY_NAME);
	if (c->n_functions < 2)
		return;
	list_functions(c);
	most = MAX_CELLS / c->n_functions;
	c->cell_of = cell_of = find_cells(c, most > MAX_SYMPTOMS ? MAX_SYMPTOMS
					     : most < 2		 ? 2
								 : most);
	part_init(&part, c, c->in->n);
	for (uint32_t s = 0; s < c->in->n; s++)
		part_add(&part, c, s);
	part_all(c, &part, LODE_NONE, 0);
	part_release(&part);
	free(cell_of);
	free(c->prior);
	free(c->prior_gamma);
}

void lode_cut(uint32_t *name_of, const struct lode_cut_stacks *stacks)
{
	struct cut c = {.in = stacks, .name_of = name_of};
	int64_t sum = 0;

	for (size_t s = 0; s < stacks->n; s++)
		name_of[s] = LODE_NONE;
	for (size_t k = 0; k < stacks->cost_start[stacks->n]; k++)
		sum += stacks->costs[k].cost_ns;
	if (stacks->n_symptoms < 2 || sum <= 0)
		return;
	c.function_of = lode_alloc(stacks->n_frames * sizeof(*c.function_of));
	c.frame_of = lode_alloc(stacks->n_frames * sizeof(*c.frame_of));
	c.functions = lode_alloc(stacks->start[stacks->n] * sizeof(*c.functions));
	c.start = lode_alloc((stacks->n + 1) * sizeof(*c.start));
	c.stack_ns = lode_alloc0(stacks->n, sizeof(*c.stack_ns));
	for (size_t s = 0; s < stacks->n; s++)
		for (size_t k = stacks->cost_start[s]; k < stacks->cost_start[s + 1]; k++)
			c.stack_ns[s] += stacks->costs[k].cost_ns;
	cut_all(&c);
	free(c.function_of);
	free(c.frame_of);
	free(c.functions);
	free(c.start);
	free(c.stack_ns);
}
