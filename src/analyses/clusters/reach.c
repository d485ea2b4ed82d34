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
	r->begin = lode_alloc(n_nodes * sizeof(*r->begin));
	for (size_t i = 0; i < n_nodes; i++) {
		r->skip[i] = (int16_t)(places->nodes[i].least * r->differ);
		r->begin[i] =
			(int16_t)((places->nodes[i].least + places->nodes[i].front) * r->differ);
	}
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
	free(r->begin);
	free(r->least);
	free(r->half_of);
	memset(r, 0, sizeof(*r));
}

/* ---- One block ---- */

/* The most that alignments of two beginnings reach which end with a match, and with anything else.
 */
struct cell {
	lanes match, other;
};

/* What a column, the functions at one depth of the patterns of the block, takes off. */
struct column {
	lanes skip;  /* left out */
	lanes begin; /* left out first after a match: what stands before it cannot make it lighter
		      */
	lanes joint; /* matched next to a match: the two make each other lighter */
};

/* A block at work. Shorter patterns are padded. */
struct work {
	const struct lode_reach *reach;
	uint32_t first, n; /* places of the block */
	uint32_t n_columns;
	lanes *table; /* function * n_columns: what it adds to take it for those of the column */
	struct column *columns;
	struct cell *rows; /* depth * (n_columns + 1) */
	lode_place_vec *found;
};

/* Room for so many bytes of vectors, at an address that suits them. */
#define ROOM(vec, n_bytes) aligned((lode_vec_reserve((vec), (n_bytes) + sizeof(lanes)), (vec)->at))

static void *aligned(uint8_t *at)
{
	return at + (-(uintptr_t)at & (sizeof(lanes) - 1));
}

static void fill_columns(struct work *w, uint32_t *function, int32_t *least)
{
	const struct lode_reach *r = w->reach;
	const struct lode_places *p = r->places;

	for (uint32_t lane = 0; lane < w->n; lane++)
		for (uint32_t k = 0; k < lode_place_length(p, w->first + lane); k++) {
			size_t at = p->start[w->first + lane] + k, to = k * LANES + lane;
			const struct lode_place_weight *at_k = &p->weight[at];
			struct column *column = &w->columns[k];
			float lighter = at_k->alone - at_k->fbi;

			function[to] = p->function[at];
			least[to] = (int32_t)(lode_place_least(at_k) * r->differ);
			column->skip[lane] = (int16_t)least[to];
			column->begin[lane] = (int16_t)((at_k->bbi + at_k->alone) * r->differ);
			if (k)
				lighter += at_k[-1].alone - at_k[-1].bbi;
			column->joint[lane] = (int16_t)(lighter * r->match);
		}
}

static void fill_table(struct work *w)
{
	const struct lode_reach *r = w->reach;
	const size_t n = (size_t)w->n_columns * LANES;
	int32_t *least = lode_alloc0(n, sizeof(*least));
	uint32_t *column = lode_alloc(n * sizeof(*column));
	int16_t *out = (int16_t *)w->table;

	memset(column, 0xff, n * sizeof(*column));
	memset(w->columns, 0, w->n_columns * sizeof(*w->columns));
	fill_columns(w, column, least);
	for (size_t f = 0; f < r->subs->n; f++, out += n) {
		const uint16_t *code = r->subs->code + f * r->subs->n;
		const int16_t match = (int16_t)ceilf(r->places->uni[f] * r->match);

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

/* The row below the one of `depth`. */
static inline __attribute__((always_inline)) void
add_row(const struct work *w, uint32_t function, uint32_t depth, int16_t skip, int16_t begin)
{
	const uint32_t n = w->n_columns;
	const struct cell *above = w->rows + depth * (size_t)(n + 1);
	const struct column *column = w->columns;
	const lanes *add = w->table + function * (size_t)n;
	struct cell *row = w->rows + (depth + 1) * (size_t)(n + 1);
	const lanes none = (lanes){0} - MOST;
	lanes match = none, other, pair, up, left, best, joint, is_match;

	/* Here all of Q's functions are left out. */
	other = above[0].other - skip;
	row[0].match = match;
	row[0].other = other;
	for (uint32_t k = 0; k < n; k++) {
		is_match = add[k] > 0;
		joint = above[k].match - column[k].joint;
		best = LARGER(above[k].match, above[k].other);
		pair = LARGER(joint, above[k].other);
		pair = (pair & is_match) | (best & ~is_match);
		pair = pair + add[k];
		up = above[k + 1].other - skip;
		best = above[k + 1].match - begin;
		up = LARGER(up, best);
		left = other - column[k].skip;
		best = match - column[k].begin;
		left = LARGER(left, best);
		other = LARGER(left, up);
		match = (pair & is_match) | (none & ~is_match);
		pair = (none & is_match) | (pair & ~is_match);
		other = LARGER(other, pair);
		row[k + 1].match = match;
		row[k + 1].other = other;
	}
}

/* More than 0: less than nothing is never similar, and nothing is only without a match. */
static inline __attribute__((always_inline)) void note_found(struct work *w, uint32_t place)
{
	const size_t length = lode_place_length(w->reach->places, place);
	const struct cell *end = w->rows + (length + 1) * (w->n_columns + 1) - 1;
	const lanes above = (end->match > 0) | (end->other > 0);
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
	const int16_t *skip = w->reach->skip, *begin = w->reach->begin;
	const uint32_t *node = p->node_of + p->start[w->first];

	w->rows[0].match = (lanes){0} - MOST;
	w->rows[0].other = (lanes){0};
	for (uint32_t k = 0; k < w->n_columns; k++) {
		w->rows[k + 1].match = w->rows[0].match;
		w->rows[k + 1].other = w->rows[k].other - w->columns[k].skip;
	}
	for (uint32_t i = 0; i < lode_place_length(p, w->first); i++)
		add_row(w, p->nodes[node[i]].function, i, skip[node[i]], begin[node[i]]);
	for (uint32_t place = w->first + 1; place < p->n; place++) {
		/* A place without a node of its own is equal to the one before. */
		for (uint32_t i = p->first_node[place]; i < p->first_node[place + 1]; i++)
			add_row(w, p->nodes[i].function, p->nodes[i].depth, skip[i], begin[i]);
		note_found(w, place);
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
	w.table = ROOM(&block->table, reach->subs->n * w.n_columns * sizeof(*w.table));
	w.columns = ROOM(&block->columns, w.n_columns * sizeof(*w.columns));
	w.rows = ROOM(&block->rows, (p->longest + (size_t)1) * (w.n_columns + 1) * sizeof(*w.rows));
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
	lode_vec_release(&block->columns);
	for (int lane = 0; lane < LANES; lane++)
		lode_vec_release(&block->found[lane]);
}
