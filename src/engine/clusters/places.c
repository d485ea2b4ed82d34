/* Orders patterns by their functions, so that neighbours begin alike. */
#include "engine/clusters/places.h"

#include "base/sorted.h"

static int compare_places(const void *a, const void *b, void *context)
{
	const struct lode_similarity *s = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	size_t n_x = lode_pattern_length(s->patterns, x), n_y = lode_pattern_length(s->patterns, y);
	const uint32_t *f = s->functions + s->patterns->start.at[x];
	const uint32_t *g = s->functions + s->patterns->start.at[y];

	for (size_t i = 0; i < n_x && i < n_y; i++)
		if (f[i] != g[i])
			return f[i] < g[i] ? -1 : 1;
	return LODE_ORDER(n_x, n_y) ?: LODE_ORDER(x, y);
}

uint32_t lode_places_shared(const struct lode_places *p, size_t a, size_t b)
{
	const uint32_t *f = p->function + p->start[a], *g = p->function + p->start[b];
	uint32_t n_a = lode_place_length(p, a), n_b = lode_place_length(p, b), i = 0;

	while (i < n_a && i < n_b && f[i] == g[i])
		i++;
	return i;
}

/* The functions of a place, and what they weigh. Gives where they end. */
static size_t list_functions(struct lode_places *p, const struct lode_similarity *similarity,
			     const struct lode_sub_table *subs, size_t place, size_t at)
{
	size_t from = similarity->patterns->start.at[p->pattern[place]];
	size_t to = similarity->patterns->start.at[p->pattern[place] + 1];
	float *sum = p->sum + at + place;

	*sum = 0;
	for (size_t i = from; i < to; i++, at++) {
		const struct lode_weight *w = &similarity->weights[i];
		uint32_t function = similarity->functions[i];

		p->function[at] = function;
		p->row[at] = subs->row[function];
		p->has_rows[place] &= p->row[at] < subs->n;
		p->weight[at] = (struct lode_place_weight){
			.alone = (float)(w->uni / 2),
			.fbi = (float)(w->uni * w->fbi / 2),
			.bbi = (float)(w->uni * w->bbi / 2),
		};
		p->uni[function] = (float)w->uni;
		sum[1] = sum[0] + (float)w->uni;
		sum++;
	}
	return at;
}

static void list_nodes(struct lode_places *p)
{
	uint32_t n = 0, shared;

	for (size_t place = 0; place < p->n; place++) {
		size_t start = p->start[place];

		p->first_node[place] = n;
		shared = place ? lode_places_shared(p, place - 1, place) : 0;
		for (uint32_t i = 0; i < lode_place_length(p, place); i++) {
			const struct lode_place_weight *w = &p->weight[start + i];
			float least = lode_place_least(w);
			struct lode_place_node *node;

			if (i < shared) {
				p->node_of[start + i] = p->node_of[p->start[place - 1] + i];
				node = &p->nodes[p->node_of[start + i]];
				node->least = least < node->least ? least : node->least;
			} else {
				p->node_of[start + i] = n;
				p->nodes[n++] = (struct lode_place_node){p->function[start + i], i,
									 least, w->alone - w->fbi};
			}
		}
	}
	p->first_node[p->n] = n;
}

void lode_places_init(struct lode_places *p, const struct lode_similarity *similarity,
		      const struct lode_sub_table *subs)
{
	const struct lode_pattern_set *patterns = similarity->patterns;
	size_t at = 0;

	memset(p, 0, sizeof(*p));
	p->n = patterns->n;
	p->pattern = lode_arena_array(&p->arena, uint32_t, p->n);
	p->start = lode_arena_array(&p->arena, size_t, p->n + 1);
	p->function = lode_arena_array(&p->arena, uint32_t, patterns->items.n);
	p->row = lode_arena_array(&p->arena, uint32_t, patterns->items.n);
	p->has_rows = lode_arena_array(&p->arena, bool, p->n);
	p->place_of = lode_arena_array(&p->arena, uint32_t, p->n);
	p->node_of = lode_arena_array(&p->arena, uint32_t, patterns->items.n);
	p->weight = lode_arena_array(&p->arena, struct lode_place_weight, patterns->items.n);
	p->sum = lode_arena_array(&p->arena, float, patterns->items.n + p->n);
	p->nodes = lode_arena_array(&p->arena, struct lode_place_node, patterns->items.n);
	p->first_node = lode_arena_array(&p->arena, uint32_t, p->n + 1);
	p->uni = lode_arena_array0(&p->arena, float, similarity->n_functions);
	for (size_t place = 0; place < p->n; place++)
		p->pattern[place] = (uint32_t)place;
	lode_sort_r(p->pattern, p->n, compare_places, (void *)(uintptr_t)similarity);
	for (size_t place = 0; place < p->n; place++) {
		p->start[place] = at;
		p->has_rows[place] =
			lode_pattern_length(patterns, p->pattern[place]) <= LODE_PLACE_LONGEST;
		p->place_of[p->pattern[place]] = (uint32_t)place;
		at = list_functions(p, similarity, subs, place, at);
		p->start[place + 1] = at;
		if (p->has_rows[place] && lode_place_length(p, place) > p->longest)
			p->longest = lode_place_length(p, place);
		if (lode_place_length(p, place) > p->longest_of_all)
			p->longest_of_all = lode_place_length(p, place);
	}
	list_nodes(p);
}

void lode_places_release(struct lode_places *p)
{
	lode_arena_release(&p->arena);
	memset(p, 0, sizeof(*p));
}
