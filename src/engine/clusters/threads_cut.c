/* Splits stacks into problems where they fork and go to other threads. */
#include "engine/clusters/threads_cut.h"

#include "base/map.h"

/* Some of the stacks, with the place of each among all. */
struct subset {
	struct lode_forks_input in;
	uint32_t *stack_of;
	struct lode_arena arena;
};

static void take_stacks(struct subset *out, const struct lode_forks_input *in, const bool *is_in)
{
	const struct lode_cut_stacks *from = &in->stacks;
	uint32_t *items = lode_arena_array(&out->arena, uint32_t, from->start[from->n]);
	size_t *start = lode_arena_array(&out->arena, size_t, from->n + 1);
	size_t *cost_start = lode_arena_array(&out->arena, size_t, from->n + 1);
	struct lode_cut_cost *costs =
		lode_arena_array(&out->arena, struct lode_cut_cost, from->cost_start[from->n]);
	size_t n = 0;

	out->stack_of = lode_arena_array(&out->arena, uint32_t, from->n);
	start[0] = cost_start[0] = 0;
	for (size_t s = 0; s < from->n; s++) {
		size_t n_items = from->start[s + 1] - from->start[s];
		size_t n_costs = from->cost_start[s + 1] - from->cost_start[s];

		if (!is_in[s])
			continue;
		memcpy(items + start[n], from->items + from->start[s], n_items * sizeof(*items));
		memcpy(costs + cost_start[n], from->costs + from->cost_start[s],
		       n_costs * sizeof(*costs));
		out->stack_of[n++] = (uint32_t)s;
		start[n] = start[n - 1] + n_items;
		cost_start[n] = cost_start[n - 1] + n_costs;
	}
	out->in = *in;
	out->in.stacks.n = n;
	out->in.stacks.items = items;
	out->in.stacks.start = start;
	out->in.stacks.costs = costs;
	out->in.stacks.cost_start = cost_start;
}

/* A problem's cost that goes through the same links. */
struct way {
	uint64_t links; /* a hash of them, in order */
	uint32_t name;	/* LODE_NONE: of the rest */
	int64_t cost_ns;
};

typedef LODE_VEC(struct way) way_vec;

static void find_ways(way_vec *ways, const struct lode_forks_input *in, const uint32_t *name)
{
	const struct lode_cut_stacks *stacks = &in->stacks;
	struct lode_map place_of = {0};

	for (size_t s = 0; s < stacks->n; s++) {
		struct way way = {.name = name[s]};
		uint32_t place;

		for (size_t i = stacks->start[s]; i < stacks->start[s + 1]; i++)
			if (in->is_link[stacks->items[i]])
				way.links = lode_hash_u64(way.links ^ (stacks->items[i] + 1));
		for (size_t k = stacks->cost_start[s]; k < stacks->cost_start[s + 1]; k++)
			way.cost_ns += stacks->costs[k].cost_ns;
		place = lode_map_number(&place_of, lode_hash_u64(way.links ^ way.name), ways->n);
		if (place == ways->n) {
			lode_vec_append(ways, way);
		} else {
			lode_vec_is_there(ways);
			ways->at[place].cost_ns += way.cost_ns;
		}
	}
	lode_map_release(&place_of);
}

/* Keeps the costliest way of each problem. */
static void keep_main_ways(way_vec *ways)
{
	struct lode_map place_of = {0};
	size_t n = 0;

	for (size_t i = 0; i < ways->n; i++) {
		struct way way = ways->at[i];
		uint32_t place = lode_map_number(&place_of, way.name, n);

		if (place == n)
			ways->at[n++] = way;
		else if (way.cost_ns > ways->at[place].cost_ns)
			ways->at[place] = way;
	}
	ways->n = n;
	lode_map_release(&place_of);
}

static bool goes_its_own_way(const way_vec *ways, uint32_t name)
{
	uint64_t links = 0;
	size_t n = 0;

	for (size_t i = 0; i < ways->n; i++)
		if (ways->at[i].name == name)
			links = ways->at[i].links;
	for (size_t i = 0; i < ways->n; i++)
		n += ways->at[i].links == links;
	return n == 1;
}

void lode_cut_by_threads(uint32_t *name_of, const struct lode_forks_input *in, const bool *is_in)
{
	struct subset subset = {0};
	way_vec ways = {0};
	uint32_t *name;

	take_stacks(&subset, in, is_in);
	name = lode_arena_array(&subset.arena, uint32_t, subset.in.stacks.n);
	lode_cut_by_forks(name, &subset.in);
	find_ways(&ways, &subset.in, name);
	keep_main_ways(&ways);
	for (size_t i = 0; i < subset.in.stacks.n; i++)
		name_of[subset.stack_of[i]] =
			name[i] != LODE_NONE && goes_its_own_way(&ways, name[i]) ? name[i]
										 : LODE_NONE;
	lode_vec_release(&ways);
	lode_arena_release(&subset.arena);
}
