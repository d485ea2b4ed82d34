#include "analyses/clusters/reach.h"

#include <math.h>
#include <stdlib.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

enum {
	LANES = LODE_REACH_LANES,
	/* Sums stay within it, so a sum and one more number stay within 16 bits. */
	MOST = 16000,
	FINEST = 1024,
	/* LIMIT: past this for the table or the rows, all pairs of the block are found, and
	   aligned. */
	MOST_BYTES = 64 << 20,
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

#ifdef __x86_64__
#define WALK_NAME(name) name##_avx2
#define WALK_TARGET	__attribute__((target("avx2")))
#define LARGER(a, b)	((lanes)_mm256_max_epi16((__m256i)(a), (__m256i)(b)))
#include "analyses/clusters/reach_walk.inc"
#endif

#define WALK_NAME(name) name##_plain
#define WALK_TARGET
#define LARGER(a, b) (((a) & ((a) > (b))) | ((b) & ~((a) > (b))))
#include "analyses/clusters/reach_walk.inc"

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
	size_t table_bytes, rows_bytes;

	for (uint32_t lane = 0; lane < n; lane++) {
		uint32_t length = lode_place_length(p, first + lane);

		w.n_columns = length > w.n_columns ? length : w.n_columns;
		block->found[lane].n = 0;
		lode_vec_reserve(&block->found[lane], p->n);
	}
	table_bytes = reach->subs->n * w.n_columns * sizeof(*w.table);
	rows_bytes = (p->longest + (size_t)1) * (w.n_columns + 1) * sizeof(*w.rows);
	if (!reach->one || table_bytes > MOST_BYTES || rows_bytes > MOST_BYTES) {
		find_all(&w);
		return;
	}
	w.table = ROOM(&block->table, table_bytes);
	w.columns = ROOM(&block->columns, w.n_columns * sizeof(*w.columns));
	w.rows = ROOM(&block->rows, rows_bytes);
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
