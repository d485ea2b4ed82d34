#include "analyses/clusters/reach.h"

#include <math.h>
#include <stdlib.h>

enum {
	LANES = LODE_REACH_LANES,
	/* Sums stay within it, so a sum and one more number stay within 16 bits. */
	MOST = 16000,
	FINEST = 1024,
	/* A table of more bytes is not made: then all pairs of the block are found. */
	TABLE_BYTES = 64 << 20,
};

typedef int16_t lanes __attribute__((vector_size(2 * LANES)));

/* ---- What all blocks share ---- */

/* Each number is at most `one`, and an alignment adds at most one per function of both. */
static int32_t find_one(uint32_t longest)
{
	int32_t one = (int32_t)(MOST / (2 * (int64_t)longest + 2));

	return one < FINEST ? one : FINEST;
}

void lode_reach_init(struct lode_reach *r, const struct lode_places *places,
		     const struct lode_sub_table *subs, double ratio)
{
	size_t n_nodes = places->first_node[places->n];

	*r = (struct lode_reach){.places = places, .subs = subs, .one = find_one(places->longest)};
	r->match = (float)(ratio > 1 ? r->one / ratio : r->one);
	r->differ = (float)(ratio > 1 ? r->one : r->one * ratio);
	r->skip = lode_alloc(n_nodes * sizeof(*r->skip));
	for (size_t i = 0; i < n_nodes; i++)
		r->skip[i] = (int16_t)(places->nodes[i].least * r->differ);
	r->least = lode_alloc(subs->n * sizeof(*r->least));
	for (size_t f = 0; f < subs->n; f++)
		r->least[f] = (int16_t)(places->least[f] * r->differ);
	r->half_of = lode_alloc(subs->n_codes * sizeof(*r->half_of));
	for (size_t i = 0; i < subs->n_codes; i++)
		r->half_of[i] = (int32_t)(subs->sub[i] * (1 << 14));
}

void lode_reach_release(struct lode_reach *r)
{
	free(r->skip);
	free(r->least);
	free(r->half_of);
	memset(r, 0, sizeof(*r));
}

/* ---- One block ---- */

/* A block at work. Columns are functions of the patterns of the block; shorter ones are padded. */
struct work {
	const struct lode_reach *reach;
	uint32_t first, n; /* places of the block */
	uint32_t n_columns;
	lanes *table; /* function * n_columns: what it adds to take it for those of the column */
	lanes *skip;  /* per column: what it costs to leave it out */
	lanes *rows;  /* depth * (n_columns + 1) */
	lode_place_vec *found;
};

/* Room for n vectors, at an address that suits them. */
#define ROOM(vec, n) aligned((lode_vec_reserve((vec), ((n) + 1) * sizeof(lanes)), (vec)->at))

static lanes *aligned(uint8_t *at)
{
	return (lanes *)(void *)(at + (-(uintptr_t)at & (sizeof(lanes) - 1)));
}

static void fill_table(struct work *w)
{
	const struct lode_reach *r = w->reach;
	const struct lode_places *p = r->places;
	int32_t *least = lode_alloc0((size_t)w->n_columns * LANES, sizeof(*least));
	uint32_t *column = lode_alloc((size_t)w->n_columns * LANES * sizeof(*column));
	int16_t *skip = (int16_t *)w->skip, *out = (int16_t *)w->table;
	size_t n = (size_t)w->n_columns * LANES;

	memset(column, 0xff, n * sizeof(*column));
	for (uint32_t lane = 0; lane < w->n; lane++)
		for (uint32_t k = 0; k < lode_place_length(p, w->first + lane); k++) {
			size_t at = p->start[w->first + lane] + k, to = k * LANES + lane;

			column[to] = p->function[at];
			least[to] = (int32_t)(lode_place_least(&p->weight[at]) * r->differ);
		}
	for (size_t i = 0; i < n; i++)
		skip[i] = (int16_t)least[i];
	for (size_t f = 0; f < r->subs->n; f++, out += n) {
		const uint16_t *code = r->subs->code + f * r->subs->n;
		const int16_t match = (int16_t)ceilf(p->uni[f] * r->match);

		for (size_t i = 0; i < n; i++)
			out[i] = column[i] == LODE_NONE ? -MOST
				 : column[i] == f	? match
							: (int16_t) - (r->half_of[code[column[i]]] *
									       (least[i] + r->least[f]) >>
								       15);
	}
	free(least);
	free(column);
}

#define LARGER(a, b) (((a) & ((a) > (b))) | ((b) & ~((a) > (b))))

/* The row below the one of `depth`; gives its last column. */
static inline __attribute__((always_inline)) const lanes *
add_row(const struct work *w, uint32_t function, uint32_t depth, int16_t skip)
{
	const uint32_t n = w->n_columns;
	const lanes *above = w->rows + depth * (size_t)(n + 1),
		    *add = w->table + function * (size_t)n;
	lanes *row = w->rows + (depth + 1) * (size_t)(n + 1);
	lanes left = above[0] - skip, pair, up;

	row[0] = left;
	for (uint32_t k = 0; k < n; k++) {
		pair = above[k] + add[k];
		up = above[k + 1] - skip;
		pair = LARGER(pair, up);
		left = left - w->skip[k];
		left = LARGER(left, pair);
		row[k + 1] = left;
	}
	return &row[n];
}

/* More than 0: less than nothing is never similar, and nothing is only without a match. */
static inline __attribute__((always_inline)) void note_found(struct work *w, uint32_t place,
							     const lanes *reached)
{
	const lanes above = *reached > 0;
	uint64_t parts[sizeof(lanes) / sizeof(uint64_t)], any = 0;

	memcpy(parts, &above, sizeof(parts));
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		any |= parts[i];
	if (!any)
		return;
	for (uint32_t lane = 0; lane < w->n; lane++) {
		lode_place_vec *found = &w->found[lane];

		if (above[lane] && place > w->first + lane)
			found->at[found->n++] = place;
	}
}

static inline __attribute__((always_inline)) void walk(struct work *w)
{
	const struct lode_places *p = w->reach->places;
	const int16_t *skip = w->reach->skip;
	const lanes *reached = w->rows + w->n_columns;
	size_t start = p->start[w->first];

	w->rows[0] = (lanes){0};
	for (uint32_t k = 0; k < w->n_columns; k++)
		w->rows[k + 1] = w->rows[k] - w->skip[k];
	for (uint32_t i = 0; i < lode_place_length(p, w->first); i++)
		reached = add_row(w, p->function[start + i], i, skip[p->node_of[start + i]]);
	for (uint32_t place = w->first + 1; place < p->n; place++) {
		/* A place without a node of its own is equal to the one before. */
		for (uint32_t i = p->first_node[place]; i < p->first_node[place + 1]; i++)
			reached = add_row(w, p->nodes[i].function, p->nodes[i].depth, skip[i]);
		note_found(w, place, reached);
	}
}

#ifdef __x86_64__
static __attribute__((target("avx2"))) void walk_avx2(struct work *w)
{
	walk(w);
}
#endif

static void walk_plain(struct work *w)
{
	walk(w);
}

static void find_all(struct work *w)
{
	for (uint32_t lane = 0; lane < w->n; lane++)
		for (uint32_t place = w->first + lane + 1; place < w->reach->places->n; place++)
			w->found[lane].at[w->found[lane].n++] = place;
}

void lode_reach_find(struct lode_reach_block *block, const struct lode_reach *reach, uint32_t first,
		     uint32_t n)
{
	struct work w = {.reach = reach, .first = first, .n = n, .found = block->found};
	const struct lode_places *p = reach->places;

	for (uint32_t lane = 0; lane < n; lane++) {
		uint32_t length = lode_place_length(p, first + lane);

		w.n_columns = length > w.n_columns ? length : w.n_columns;
		block->found[lane].n = 0;
		lode_vec_reserve(&block->found[lane], p->n);
	}
	if (!reach->one || reach->subs->n * w.n_columns > TABLE_BYTES / sizeof(lanes)) {
		find_all(&w);
		return;
	}
	w.table = ROOM(&block->table, reach->subs->n * w.n_columns);
	w.skip = ROOM(&block->skip, (size_t)w.n_columns);
	w.rows = ROOM(&block->rows, (p->longest + (size_t)1) * (w.n_columns + 1));
	fill_table(&w);
#ifdef __x86_64__
	if (__builtin_cpu_supports("avx2")) {
		walk_avx2(&w);
		return;
	}
#endif
	walk_plain(&w);
}

void lode_reach_block_release(struct lode_reach_block *block)
{
	lode_vec_release(&block->table);
	lode_vec_release(&block->rows);
	lode_vec_release(&block->skip);
	for (int lane = 0; lane < LANES; lane++)
		lode_vec_release(&block->found[lane]);
}
