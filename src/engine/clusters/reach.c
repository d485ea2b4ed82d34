/* Upper bounds on the similarity of a block of patterns with each of the others. */
#include "engine/clusters/reach.h"

#include <math.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

enum {
	/* Sums stay within it, so a sum and one more number stay within 16 bits. */
	MOST = 16000,
	FINEST = 1024,
	/* LIMIT: past this for the table, all pairs of the block are found, and aligned; past this
	   for the rows, or so many columns, all pairs with the patterns that are longer. */
	MOST_BYTES = 64 << 20,
	MOST_COLUMNS = 512,
	ALIGNMENT = 64,
};

/* ---- What all blocks share ---- */

/* Each number is at most `one`, and an alignment adds at most one per function of both. */
static int32_t find_one(uint32_t longest)
{
	int32_t one = (int32_t)(MOST / (2 * (int64_t)longest + 2));

	return one < FINEST ? one : FINEST;
}

void lode_reach_init(struct lode_reach *r, const struct lode_places *places,
		     const struct lode_sub_table *subs, size_t n_functions, double ratio,
		     enum lode_reach_kind kind)
{
	size_t n_nodes = places->first_node[places->n];

	*r = (struct lode_reach){
		.places = places, .subs = subs, .n_functions = n_functions, .kind = kind};
	r->n_lanes = kind == LODE_REACH_AVX512 ? 32 : 16;
	r->one = find_one(places->longest);
	r->match = (float)(ratio > 1 ? r->one / ratio : r->one);
	r->differ = (float)(ratio > 1 ? r->one : r->one * ratio);
	r->skip = lode_alloc(n_nodes * sizeof(*r->skip));
	r->begin = lode_alloc(n_nodes * sizeof(*r->begin));
	for (size_t i = 0; i < n_nodes; i++) {
		r->skip[i] = (int16_t)(places->nodes[i].least * r->differ);
		r->begin[i] =
			(int16_t)((places->nodes[i].least + places->nodes[i].front) * r->differ);
	}
	r->sub_of = lode_alloc(subs->n_codes * sizeof(*r->sub_of));
	for (size_t i = 0; i < subs->n_codes; i++)
		r->sub_of[i] = (int32_t)(subs->sub[i] * INT16_MAX);
}

void lode_reach_release(struct lode_reach *r)
{
	free(r->skip);
	free(r->begin);
	free(r->sub_of);
	memset(r, 0, sizeof(*r));
}

/* ---- One block ---- */

/* A block at work. Of each vector there are n_lanes numbers; shorter patterns are padded. */
struct work {
	const struct lode_reach *reach;
	uint32_t first, n; /* places of the block */
	uint32_t n_columns;
	uint32_t n_rows; /* longer patterns are not looked at, but found */
	uint32_t lanes;	 /* bits: those that are looked at, all but longer ones than n_columns */
	int16_t *table;	 /* function * n_columns: what it adds to take it for those of the column */
	int16_t *columns; /* n_columns * COLUMN_PARTS */
	int16_t *rows;	  /* depth * (n_columns + 1) * CELL_PARTS */
	lode_place_vec *found;
};

/* What it does to take a function of Q for one of P. */
enum {
	ADD, /* more than 0: a match; else what P's function takes off */
	SUB, /* in 2^-15: this part of half of what Q's can take off goes as well; match: 0 */
	ENTRY_PARTS,
};

/* What a column, the functions at one depth of the patterns of the block, takes off. */
enum {
	SKIP,  /* left out */
	BEGIN, /* left out first after a match: what stands before it cannot make it lighter */
	JOINT, /* matched next to a match: the two make each other lighter */
	COLUMN_PARTS,
};

/* The most that alignments of two beginnings reach which end so. */
enum { WITH_MATCH, WITH_OTHER, CELL_PARTS };

/* Room for so many bytes of vectors, at an address that suits them. */
#define ROOM(vec, n_bytes) aligned((lode_vec_reserve((vec), (n_bytes) + ALIGNMENT), (vec)->at))

static void *aligned(uint8_t *at)
{
	return at + (-(uintptr_t)at & (ALIGNMENT - 1));
}

/* One function of one lane: where it stands in a row of the table, and what it costs to lose it. */
struct entry {
	uint32_t to, function, row; /* `row` of the Subs */
	int32_t least;
};

static size_t fill_columns(struct work *w, struct entry *entry)
{
	const struct lode_reach *r = w->reach;
	const struct lode_places *p = r->places;
	const uint32_t n_lanes = r->n_lanes;
	size_t n = 0;

	memset(w->columns, 0, w->n_columns * sizeof(int16_t) * COLUMN_PARTS * n_lanes);
	for (uint32_t lane = 0; lane < w->n; lane++)
		for (uint32_t k = 0;
		     w->lanes >> lane & 1 && k < lode_place_length(p, w->first + lane); k++) {
			size_t at = p->start[w->first + lane] + k;
			const struct lode_place_weight *at_k = &p->weight[at];
			int16_t *column = w->columns + (size_t)k * COLUMN_PARTS * n_lanes + lane;
			float lighter = at_k->alone - at_k->fbi;

			column[SKIP * n_lanes] = (int16_t)(lode_place_least(at_k) * r->differ);
			column[BEGIN * n_lanes] = (int16_t)((at_k->bbi + at_k->alone) * r->differ);
			if (k)
				lighter += at_k[-1].alone - at_k[-1].bbi;
			column[JOINT * n_lanes] = (int16_t)(lighter * r->match);
			entry[n++] =
				(struct entry){k * ENTRY_PARTS * n_lanes + lane, p->function[at],
					       p->row[at], column[SKIP * n_lanes]};
		}
	return n;
}

/* One row for each function. */
static void fill_table(struct work *w)
{
	const struct lode_reach *r = w->reach;
	const uint32_t n_lanes = r->n_lanes;
	const size_t row_size = (size_t)w->n_columns * ENTRY_PARTS * n_lanes;
	struct entry *entry = lode_alloc((size_t)w->n_columns * n_lanes * sizeof(*entry));
	const size_t n = fill_columns(w, entry);
	int16_t *out = w->table;

	for (uint32_t f = 0; f < r->n_functions; f++, out += row_size) {
		const uint16_t *code = lode_sub_codes(r->subs, r->subs->row[f]);
		const int16_t match = (int16_t)ceilf(r->places->uni[f] * r->match);

		for (uint32_t k = 0; k < w->n_columns; k++)
			for (uint32_t lane = 0; lane < n_lanes; lane++) {
				out[(k * ENTRY_PARTS + ADD) * n_lanes + lane] = -MOST;
				out[(k * ENTRY_PARTS + SUB) * n_lanes + lane] = 0;
			}
		for (size_t i = 0; i < n; i++) {
			const struct entry *e = &entry[i];
			int32_t sub = r->sub_of[code[e->row]];
			bool is_match = e->function == f;

			out[e->to] = is_match ? match : (int16_t) - (sub * e->least >> 16);
			out[e->to + SUB * n_lanes] = is_match ? 0 : (int16_t)sub;
		}
	}
	free(entry);
}

/*
 * The walk, for each kind of machine. A mask says of which lanes something holds.
 *
 *   LARGER(a, b)           the larger of two
 *   POSITIVE(x)            mask: x > 0
 *   SUB_IF(m, a, b)        a - b where m holds, else a
 *   LARGER_UNLESS(m, a, b) LARGER(a, b) where m does not hold, else a
 *   CHOOSE(m, a, b)        a where m holds, else b
 *   BITS(m)                one bit for each lane
 *   PART(a, b)             a * b / 2^16
 */
#ifdef __x86_64__
#define WALK_NAME(name) name##_avx512
#define WALK_TARGET	__attribute__((target("avx512f,avx512bw")))
#define WALK_LANES	32
#define WALK_MASK	__mmask32
#define WIDE(x)		((__m512i)(x))
#define LARGER(a, b)	((WALK_NAME(lanes))_mm512_max_epi16(WIDE(a), WIDE(b)))
#define POSITIVE(x)	_mm512_cmpgt_epi16_mask(WIDE(x), _mm512_setzero_si512())
#define SUB_IF(m, a, b) ((WALK_NAME(lanes))_mm512_mask_sub_epi16(WIDE(a), m, WIDE(a), WIDE(b)))
#define LARGER_UNLESS(m, a, b) \
	((WALK_NAME(lanes))_mm512_mask_max_epi16(WIDE(a), ~(m), WIDE(a), WIDE(b)))
#define CHOOSE(m, a, b) ((WALK_NAME(lanes))_mm512_mask_blend_epi16(m, WIDE(b), WIDE(a)))
#define BITS(m)		((uint32_t)(m))
#define PART(a, b)	((WALK_NAME(lanes))_mm512_mulhi_epi16(WIDE(a), WIDE(b)))
#include "engine/clusters/reach_walk.inc"

#define WALK_NAME(name) name##_avx2
#define WALK_TARGET	__attribute__((target("avx2")))
#define WALK_LANES	16
#define WALK_MASK	__m256i
#define WIDE(x)		((__m256i)(x))
#define LARGER(a, b)	((WALK_NAME(lanes))_mm256_max_epi16(WIDE(a), WIDE(b)))
#define POSITIVE(x)	_mm256_cmpgt_epi16(WIDE(x), _mm256_setzero_si256())
#define SUB_IF(m, a, b) ((a) - (WALK_NAME(lanes))_mm256_and_si256(m, WIDE(b)))
#define LARGER_UNLESS(m, a, b) \
	((WALK_NAME(lanes))_mm256_max_epi16(WIDE(a), _mm256_blendv_epi8(WIDE(b), WIDE(a), m)))
#define PART(a, b)	((WALK_NAME(lanes))_mm256_mulhi_epi16(WIDE(a), WIDE(b)))
#define CHOOSE(m, a, b) ((WALK_NAME(lanes))_mm256_blendv_epi8(WIDE(b), WIDE(a), m))
#define BITS(m)                       \
	((uint32_t)_mm_movemask_epi8( \
		_mm_packs_epi16(_mm256_castsi256_si128(m), _mm256_extracti128_si256(m, 1))))
#include "engine/clusters/reach_walk.inc"
#endif

typedef int16_t plain_mask __attribute__((vector_size(32)));
typedef int32_t plain_wide __attribute__((vector_size(64)));

static uint32_t bits_of(const plain_mask *m)
{
	uint32_t bits = 0;

	for (uint32_t lane = 0; lane < 16; lane++)
		bits |= (uint32_t)((*m)[lane] & 1) << lane;
	return bits;
}

#define WALK_NAME(name) name##_plain
#define WALK_TARGET
#define WALK_LANES	       16
#define WALK_MASK	       plain_mask
#define CHOOSE(m, a, b)	       (((a) & (m)) | ((b) & ~(m)))
#define LARGER(a, b)	       CHOOSE((a) > (b), a, b)
#define POSITIVE(x)	       ((x) > 0)
#define SUB_IF(m, a, b)	       ((a) - ((b) & (m)))
#define LARGER_UNLESS(m, a, b) CHOOSE(((a) > (b)) | (m), a, b)
#define BITS(m)		       bits_of(&(m))
#define WIDE(x)		       __builtin_convertvector(x, plain_wide)
#define PART(a, b)	       __builtin_convertvector(WIDE(a) * WIDE(b) >> 16, plain_mask)
#include "engine/clusters/reach_walk.inc"

enum lode_reach_kind lode_reach_best_kind(void)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("avx512bw"))
		return LODE_REACH_AVX512;
	if (__builtin_cpu_supports("avx2"))
		return LODE_REACH_AVX2;
#endif
	return LODE_REACH_PLAIN;
}

static void walk(struct work *w)
{
#ifdef __x86_64__
	if (w->reach->kind == LODE_REACH_AVX512) {
		walk_avx512(w);
		return;
	}
	if (w->reach->kind == LODE_REACH_AVX2) {
		walk_avx2(w);
		return;
	}
#endif
	walk_plain(w);
}

/* For the lanes that are not looked at. */
static void find_all(struct work *w)
{
	for (uint32_t lane = 0; lane < w->n; lane++)
		for (uint32_t place = w->first + lane + 1;
		     !(w->lanes >> lane & 1) && place < w->reach->places->n; place++)
			w->found[lane].at[w->found[lane].n++] = place;
}

void lode_reach_find(struct lode_reach_block *block, const struct lode_reach *reach, uint32_t first,
		     uint32_t n)
{
	struct work w = {.reach = reach, .first = first, .n = n, .found = block->found};
	const struct lode_places *p = reach->places;
	size_t vector_bytes, table_bytes, row_bytes;

	for (uint32_t lane = 0; lane < n; lane++) {
		uint32_t length = lode_place_length(p, first + lane);

		if (length <= MOST_COLUMNS) {
			w.n_columns = length > w.n_columns ? length : w.n_columns;
			w.lanes |= UINT32_C(1) << lane;
		}
		block->found[lane].n = 0;
		lode_vec_reserve(&block->found[lane], p->n);
	}
	vector_bytes = reach->n_lanes * sizeof(int16_t);
	table_bytes = reach->n_functions * w.n_columns * ENTRY_PARTS * vector_bytes;
	row_bytes = (w.n_columns + (size_t)1) * CELL_PARTS * vector_bytes;
	if (!reach->one || table_bytes > MOST_BYTES)
		w.lanes = 0;
	find_all(&w);
	if (!w.lanes)
		return;
	w.n_rows = (uint32_t)(MOST_BYTES / row_bytes - 1);
	if (w.n_rows > p->longest_of_all)
		w.n_rows = p->longest_of_all;
	w.table = ROOM(&block->table, table_bytes);
	w.columns = ROOM(&block->columns, w.n_columns * COLUMN_PARTS * vector_bytes);
	w.rows = ROOM(&block->rows, (w.n_rows + (size_t)1) * row_bytes);
	fill_table(&w);
	walk(&w);
}

void lode_reach_block_release(struct lode_reach_block *block)
{
	lode_vec_release(&block->table);
	lode_vec_release(&block->rows);
	lode_vec_release(&block->columns);
	for (int lane = 0; lane < LODE_REACH_MOST_LANES; lane++)
		lode_vec_release(&block->found[lane]);
}
