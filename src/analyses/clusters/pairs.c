#include "analyses/clusters/pairs.h"

#include <stdlib.h>

#include "base/pool.h"

enum {
	LANES = 16, /* rows are padded to full vectors */
	BLOCK = 32, /* patterns per job */
	PAIR = 1,   /* bits of `move`: which last operations cost least */
	SKIP_Q = 2,
	SKIP_P = 4,
};

typedef uint8_t lanes8 __attribute__((vector_size(LANES)));
typedef uint16_t lanes16 __attribute__((vector_size(2 * LANES)));

/* As in align.c: a unit weighs more than all matches together. */
static const int64_t unit_weight = (int64_t)1 << 20, gap = LODE_SUB_ONE * ((int64_t)1 << 20);

/* What all threads share: patterns in the order of their functions. */
struct sorted {
	const struct lode_similarity *similarity;
	const struct lode_sub_table *subs;
	size_t n;
	uint32_t *pattern; /* place -> pattern */
	size_t *start;	   /* place -> its functions (n + 1) */
	uint32_t *shared;  /* functions that it begins with like the place before */
	uint32_t *function;
	float *uni;   /* per function: Uni, 0 where there are no weights */
	float *least; /* parallel to `function`: the least omega it can have there */
	size_t width; /* longest pattern, in full vectors */
	uint32_t longest;
	uint32_t cut;
	float ratio;		/* W(M) / (W(ID) + W(S)) below which no pair reaches the cut */
	lode_pair_vec *found;	/* per job */
	struct finder *finders; /* per worker */
};

/* What a function of Q adds to the bounds: Uni if P has it, else half its least Sub to P's. */
struct part {
	float has, lack;
};

/* What one thread keeps for the pattern P that it compares with all behind it. */
struct finder {
	uint32_t place, n; /* of P; its length */
	uint32_t *column;  /* whose functions the columns of `code` stand for */
	uint32_t n_column;
	uint16_t *code;	      /* function * width: Sub codes with P's functions */
	uint8_t *bytes;	      /* the same in 1/255, rounded down, for the bounds */
	uint8_t *byte_weight; /* per function of P: its least omega in 1/255, rounded down */
	struct part *part;    /* per function */
	/* By the number of functions of Q that are done; row 0 is none. */
	float *common, *unlike;
	uint8_t *nearest; /* * width: least Sub of each of P's functions to those of Q */
	int64_t *cost;	  /* * (width + 1): of the alignment, matches taken off */
	uint8_t *move;	  /* * (width + 1) */
	uint32_t nearest_done, aligned_done; /* rows that hold for the current Q */
	uint8_t *op;
	int64_t *weight_of; /* per code: units as in `cost` */
	float *half_of;	    /* per code: half of Sub */
	uint8_t *byte_of;   /* per code: Sub in 1/255, rounded down */
};

/* ---- Shared parts ---- */

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
	if (n_x != n_y)
		return n_x < n_y ? -1 : 1;
	return (x > y) - (x < y);
}

static uint32_t shared_beginning(const uint32_t *a, size_t n_a, const uint32_t *b, size_t n_b)
{
	uint32_t i = 0;

	while (i < n_a && i < n_b && a[i] == b[i])
		i++;
	return i;
}

static uint32_t length_at(const struct sorted *s, size_t place)
{
	return (uint32_t)(s->start[place + 1] - s->start[place]);
}

static void sorted_init(struct sorted *s)
{
	const struct lode_similarity *similarity = s->similarity;
	const struct lode_pattern_set *patterns = similarity->patterns;
	size_t at = 0, from, place, i;

	s->pattern = lode_alloc(s->n * sizeof(*s->pattern));
	s->start = lode_alloc((s->n + 1) * sizeof(*s->start));
	s->shared = lode_alloc(s->n * sizeof(*s->shared));
	s->function = lode_alloc(patterns->items.n * sizeof(*s->function));
	s->least = lode_alloc(patterns->items.n * sizeof(*s->least));
	s->uni = lode_alloc0(similarity->n_functions, sizeof(*s->uni));
	for (place = 0; place < s->n; place++)
		s->pattern[place] = (uint32_t)place;
	qsort_r(s->pattern, s->n, sizeof(*s->pattern), compare_places,
		(void *)(uintptr_t)similarity);
	for (place = 0; place < s->n; place++) {
		s->start[place] = at;
		from = patterns->start.at[s->pattern[place]];
		for (i = from; i < patterns->start.at[s->pattern[place] + 1]; i++, at++) {
			const struct lode_weight *w = &similarity->weights[i];

			s->function[at] = similarity->functions[i];
			s->least[at] = (float)(w->uni * (w->fbi + w->bbi) / 2);
			s->uni[similarity->functions[i]] = (float)w->uni;
		}
		s->start[place + 1] = at;
		if (at - s->start[place] > s->longest)
			s->longest = (uint32_t)(at - s->start[place]);
		s->shared[place] =
			place ? shared_beginning(s->function + s->start[place - 1],
						 length_at(s, place - 1),
						 s->function + s->start[place], length_at(s, place))
			      : 0;
	}
	s->width = (s->longest + LANES - 1) / LANES * LANES;
}

static void sorted_release(struct sorted *s)
{
	free(s->pattern);
	free(s->start);
	free(s->shared);
	free(s->function);
	free(s->least);
	free(s->uni);
}

static void finder_init(struct finder *f, const struct sorted *s)
{
	size_t n_functions = s->similarity->n_functions, rows = s->longest + (size_t)1;
	size_t n_codes = s->subs->n_codes;

	memset(f, 0, sizeof(*f));
	f->column = lode_alloc(s->width * sizeof(*f->column));
	f->code = lode_alloc0(n_functions * s->width, sizeof(*f->code));
	f->part = lode_alloc(n_functions * sizeof(*f->part));
	f->common = lode_alloc0(rows + 1, sizeof(*f->common));
	f->unlike = lode_alloc0(rows + 1, sizeof(*f->unlike));
	f->nearest = lode_alloc(rows * s->width);
	f->bytes = lode_alloc0(n_functions * s->width, 1);
	f->byte_weight = lode_alloc0(s->width, sizeof(*f->byte_weight));
	f->byte_of = lode_alloc(n_codes);
	f->cost = lode_alloc(rows * (s->width + 1) * sizeof(*f->cost));
	f->move = lode_alloc(rows * (s->width + 1));
	f->op = lode_alloc(2 * rows);
	f->weight_of = lode_alloc(n_codes * sizeof(*f->weight_of));
	f->half_of = lode_alloc(n_codes * sizeof(*f->half_of));
	for (size_t i = 0; i < n_codes; i++) {
		f->weight_of[i] = s->subs->units[i] * unit_weight;
		f->half_of[i] = (float)(s->subs->sub[i] / 2);
		f->byte_of[i] = (uint8_t)(s->subs->sub[i] * 255);
	}
}

static void finder_release(struct finder *f)
{
	free(f->column);
	free(f->code);
	free(f->part);
	free(f->bytes);
	free(f->byte_of);
	free(f->byte_weight);
	free(f->common);
	free(f->unlike);
	free(f->nearest);
	free(f->cost);
	free(f->move);
	free(f->op);
	free(f->weight_of);
	free(f->half_of);
}

/* ---- The pattern P ---- */

/* Columns of functions that P shares with the P before it stay. */
static void set_columns(struct finder *f, const struct sorted *s, const uint32_t *function)
{
	const struct lode_sub_table *subs = s->subs;
	uint32_t from = shared_beginning(f->column, f->n_column, function, f->n);

	for (uint32_t k = from; k < f->n; k++) {
		const uint16_t *row = subs->code + function[k] * subs->n;

		f->column[k] = function[k];
		for (size_t g = 0; g < subs->n; g++) {
			f->code[g * s->width + k] = row[g];
			f->bytes[g * s->width + k] = f->byte_of[row[g]];
		}
	}
	f->n_column = f->n;
}

static void set_pattern(struct finder *f, const struct sorted *s, uint32_t place)
{
	const uint32_t *function = s->function + s->start[place];
	uint8_t least;
	size_t k;

	f->place = place;
	f->n = length_at(s, place);
	set_columns(f, s, function);
	for (size_t g = 0; g < s->subs->n; g++) {
		const uint8_t *sub = f->bytes + g * s->width;

		least = f->n ? UINT8_MAX : 0;
		for (k = 0; k < f->n; k++)
			least = sub[k] < least ? sub[k] : least;
		f->part[g] = (struct part){.lack = (float)least / (2 * 255)};
	}
	memset(f->byte_weight, 0, s->width * sizeof(*f->byte_weight));
	for (k = 0; k < f->n; k++) {
		f->part[function[k]] = (struct part){.has = s->uni[function[k]]};
		f->byte_weight[k] = (uint8_t)(s->least[s->start[place] + k] * 255);
	}
	memset(f->nearest, 0xff, s->width);
	for (k = 0; k <= f->n; k++) {
		f->cost[k] = (int64_t)k * gap;
		f->move[k] = SKIP_P;
	}
	f->nearest_done = f->aligned_done = 0;
}

/* ---- Bounds ---- */

/* Sums over the functions of Q from the `from`-th on; what stands before has not changed. */
static void sum_functions(struct finder *f, const uint32_t *function, const float *least,
			  uint32_t from, uint32_t n)
{
	float common = f->common[from], unlike = f->unlike[from];

	for (uint32_t i = from; i < n; i++) {
		common += f->part[function[i]].has;
		unlike += f->part[function[i]].lack * least[i];
		f->common[i + 1] = common;
		f->unlike[i + 1] = unlike;
	}
}

static lanes8 load_lanes(const uint8_t *from)
{
	lanes8 v;

	memcpy(&v, from, sizeof(v));
	return v;
}

/*
 * What P's functions must add, from the least Sub of each to any function of Q. All in bytes: 16
 * functions are one vector on any x86-64 or ARM, and their least Subs one instruction.
 */
static float sum_own(struct finder *f, const struct sorted *s, const uint32_t *function, uint32_t n)
{
	const size_t n_lanes = (f->n + LANES - 1) / LANES * (size_t)LANES;
	lanes16 sum = {0};
	uint32_t total = 0;

	for (size_t i = f->nearest_done; i < n; i++)
		for (size_t k = 0; k < n_lanes; k += LANES) {
			lanes8 above = load_lanes(f->nearest + i * s->width + k);
			lanes8 sub = load_lanes(f->bytes + function[i] * s->width + k);
			lanes8 less = (lanes8)(above < sub), least = (above & less) | (sub & ~less);

			memcpy(f->nearest + (i + 1) * s->width + k, &least, sizeof(least));
		}
	f->nearest_done = n;
	for (size_t k = 0; k < n_lanes; k += LANES) {
		lanes8 least = load_lanes(f->nearest + n * s->width + k);
		lanes8 weight = load_lanes(f->byte_weight + k);

		/* Should a lane wrap (patterns of 4,000 functions), the bound is lower still. */
		sum += (__builtin_convertvector(least, lanes16) *
			__builtin_convertvector(weight, lanes16)) >>
		       8;
	}
	for (int k = 0; k < LANES; k++)
		total += sum[k];
	return (float)total * (float)(256.0 / (255.0 * 255.0 * 2));
}

/* ---- Alignment ---- */

static void align_row(struct finder *f, const struct sorted *s, uint32_t function, size_t row)
{
	const uint32_t *column = f->column;
	const uint16_t *code = f->code + function * s->width;
	const int64_t *above = f->cost + (row - 1) * (s->width + 1);
	int64_t *cost = f->cost + row * (s->width + 1), pair, skip_q, skip_p, best;
	uint8_t *move = f->move + row * (s->width + 1);

	cost[0] = (int64_t)row * gap;
	move[0] = SKIP_Q;
	for (size_t k = 1; k <= f->n; k++) {
		pair = above[k - 1] + (column[k - 1] == function ? -1 : f->weight_of[code[k - 1]]);
		skip_q = above[k] + gap;
		skip_p = cost[k - 1] + gap;
		best = pair < skip_q ? pair : skip_q;
		best = best < skip_p ? best : skip_p;
		cost[k] = best;
		move[k] = (uint8_t)((pair == best) | (skip_q == best) << 1 | (skip_p == best) << 2);
	}
}

/*
 * The operations from the end to the start, written backwards: the choice among equals is that of
 * lode_align for the canonical order of the two, whichever of them is P. Gives where they begin;
 * NULL when the functions that are matched cannot outweigh the others: omega is at most Uni.
 */
static uint8_t *trace_back(struct finder *f, const struct sorted *s, const uint32_t *function,
			   uint32_t n, bool p_is_first)
{
	const float *least_p = s->least + s->start[f->place];
	const float *least_q = s->least + (function - s->function);
	const uint8_t deleted = p_is_first ? SKIP_P : SKIP_Q;
	uint8_t *op = f->op + 2 * (s->longest + (size_t)1), move;
	float matched = 0, other = 0;
	size_t i = n, k = f->n;

	while (i || k) {
		move = f->move[i * (s->width + 1) + k];
		if (move & PAIR) {
			i--;
			k--;
			if (f->column[k] == function[i]) {
				*--op = LODE_ALIGN_MATCH;
				matched += s->uni[function[i]];
			} else {
				*--op = LODE_ALIGN_SUBSTITUTE;
				other += f->half_of[f->code[function[i] * s->width + k]] *
					 (least_p[k] + least_q[i]);
			}
			continue;
		}
		move = move & deleted ? deleted : (uint8_t)(move & ~PAIR);
		*--op = move == deleted ? LODE_ALIGN_DELETE : LODE_ALIGN_INSERT;
		if (move == SKIP_P)
			other += least_p[--k];
		else
			other += least_q[--i];
	}
	return matched < s->ratio * other ? NULL : op;
}

/* The similarity if it reaches the cut, else anything below. */
static uint32_t exact(struct finder *f, const struct sorted *s, uint32_t place, uint32_t n)
{
	const uint32_t *function = s->function + s->start[place];
	/* The canonical order: the shorter first, of equally long ones the one with smaller names.
	 */
	bool p_is_first = f->n <= n;
	uint32_t p = s->pattern[f->place], q = s->pattern[place];
	uint8_t *op;

	for (size_t row = f->aligned_done; row < n; row++)
		align_row(f, s, function[row], row + 1);
	f->aligned_done = n;
	op = trace_back(f, s, function, n, p_is_first);
	if (!op)
		return 0;
	return lode_similarity_fixed(lode_similarity_of_ops(
		s->similarity, s->subs, p_is_first ? p : q, p_is_first ? q : p, op,
		(size_t)(f->op + 2 * (s->longest + (size_t)1) - op)));
}

/* ---- All pairs ---- */

/* Whether no alignment of P with the pattern at `place` can reach the cut. */
static bool is_hopeless(struct finder *f, const struct sorted *s, uint32_t place, uint32_t n)
{
	const uint32_t *function = s->function + s->start[place];
	float common = f->common[n];

	if (common < s->ratio * f->unlike[n])
		return true;
	/* Nothing that weighs is common: 0, but for equal patterns. */
	if (common <= 0)
		return n != f->n || memcmp(function, f->column, n * sizeof(*function)) != 0;
	return common < s->ratio * (f->unlike[n] + sum_own(f, s, function, n));
}

static void compare_with_later(struct finder *f, const struct sorted *s, uint32_t place,
			       lode_pair_vec *found)
{
	uint32_t n, shared = 0, p = s->pattern[place], q, similarity;

	set_pattern(f, s, place);
	for (uint32_t other = place + 1; other < s->n; other++) {
		n = length_at(s, other);
		shared = other == place + 1 ? 0 : s->shared[other];
		f->nearest_done = f->nearest_done < shared ? f->nearest_done : shared;
		f->aligned_done = f->aligned_done < shared ? f->aligned_done : shared;
		/* The least omega of the last shared function depends on what stands behind it. */
		sum_functions(f, s->function + s->start[other], s->least + s->start[other],
			      shared ? shared - 1 : 0, n);
		if (is_hopeless(f, s, other, n))
			continue;
		similarity = exact(f, s, other, n);
		if (similarity < s->cut)
			continue;
		q = s->pattern[other];
		lode_vec_append(found,
				((struct lode_pair){p < q ? p : q, p < q ? q : p, similarity}));
	}
}

static void compare_block(void *context, size_t job, unsigned worker)
{
	struct sorted *s = context;
	size_t end = (job + 1) * BLOCK < s->n ? (job + 1) * BLOCK : s->n;

	for (size_t place = job * BLOCK; place < end; place++)
		compare_with_later(&s->finders[worker], s, (uint32_t)place, &s->found[job]);
}

static void find_with_table(lode_pair_vec *out, struct sorted *s, unsigned n_threads)
{
	size_t n_jobs = (s->n + BLOCK - 1) / BLOCK;

	sorted_init(s);
	s->found = lode_alloc0(n_jobs, sizeof(*s->found));
	s->finders = lode_alloc(n_threads * sizeof(*s->finders));
	for (unsigned i = 0; i < n_threads; i++)
		finder_init(&s->finders[i], s);
	lode_pool_run(n_threads, n_jobs, compare_block, s);
	for (size_t i = 0; i < n_jobs; i++) {
		lode_vec_reserve(out, out->n + s->found[i].n);
		if (s->found[i].n)
			memcpy(out->at + out->n, s->found[i].at, s->found[i].n * sizeof(*out->at));
		out->n += s->found[i].n;
		lode_vec_release(&s->found[i]);
	}
	for (unsigned i = 0; i < n_threads; i++)
		finder_release(&s->finders[i]);
	free(s->finders);
	free(s->found);
	sorted_release(s);
}

/* Where there are too many functions for a table, or names of too many words. */
static void find_plainly(lode_pair_vec *out, const struct lode_similarity *similarity, uint32_t cut)
{
	struct lode_aligner aligner = {0};
	uint32_t found;

	for (uint32_t b = 0; b < similarity->patterns->n; b++)
		for (uint32_t a = 0; a < b; a++) {
			found = lode_similarity_fixed(
				lode_pattern_similarity(similarity, a, b, &aligner));
			if (found >= cut)
				lode_vec_append(out, ((struct lode_pair){a, b, found}));
		}
	lode_aligner_release(&aligner);
}

void lode_pairs_find(lode_pair_vec *out, const struct lode_similarity *similarity, uint32_t cut,
		     unsigned n_threads)
{
	/* Floats and the rounding of similarities must not cost a pair: the bound is a bit low. */
	double least = (double)cut / LODE_SIMILARITY_ONE - 1e-5;
	struct lode_sub_table subs;
	struct sorted s = {
		.similarity = similarity,
		.subs = &subs,
		.n = similarity->patterns->n,
		.cut = cut,
		.ratio = least > 0 ? (float)(least / (1 - least) * (1 - 1e-4)) : 0,
	};

	lode_sub_table_init(&subs, &similarity->words, similarity->n_functions, n_threads);
	if (subs.n)
		find_with_table(out, &s, n_threads);
	else
		find_plainly(out, similarity, cut);
	lode_sub_table_release(&subs);
}
