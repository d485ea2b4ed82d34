#include "analyses/clusters/pairs.h"

#include <stdlib.h>

#include "base/pool.h"

enum {
	LANES = 16,  /* rows are padded to full vectors */
	CHUNK = 256, /* patterns that are bounded at a time */
	BLOCK = 32,  /* patterns per job */
	PAIR = 1,    /* bits of `move`: which last operations cost least */
	SKIP_Q = 2,
	SKIP_P = 4,
};

typedef uint8_t lanes8 __attribute__((vector_size(LANES)));
typedef uint16_t lanes16 __attribute__((vector_size(2 * LANES)));

/* As in align.c: a unit weighs more than all matches together. */
static const int64_t unit_weight = (int64_t)1 << 20, gap = LODE_SUB_ONE * ((int64_t)1 << 20);

/*
 * A function of a pattern that the pattern before does not share: a node of the tree of all
 * patterns, in depth-first order. The parts of its least omega, which is Uni * (FBi + BBi) / 2,
 * where BBi depends on the function behind it and so stands there, for the one before.
 */
struct node {
	uint32_t function, depth;
	float before; /* Uni * FBi / 2 */
	float above;  /* Uni * BBi / 2 of the function before it */
	float end;    /* Uni / 2: when nothing stands behind it */
};

/* What all threads share: patterns in the order of their functions. */
struct sorted {
	const struct lode_similarity *similarity;
	const struct lode_sub_table *subs;
	size_t n;
	uint32_t *pattern; /* place -> pattern */
	size_t *start;	   /* place -> its functions (n + 1) */
	uint32_t *shared;  /* functions that it begins with like the place before */
	uint32_t *function;
	struct node *nodes;
	size_t *first_node; /* place -> its nodes (n + 1) */
	float *uni;	    /* per function: Uni, 0 where there are no weights */
	float *least;	    /* parallel to `function`: the least omega it can have there */
	size_t width;	    /* longest pattern, in full vectors */
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

/* Of the bounds on W(M) and on W(ID) + W(S), up to some function of Q. */
struct sums {
	float common, unlike, lack;
};

/* A pattern that the first step did not rule out. */
struct survivor {
	uint32_t place, shared; /* functions shared with the survivor before */
	float common, unlike;
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
	struct sums *path;    /* by the number of functions of Q that are done */
	struct sums *node;    /* of a chunk of patterns; `common` and `unlike` if it is the last */
	struct survivor *survivors; /* of the chunk */
	struct sums carried;	    /* of the last node of the chunk before */
	/* By the number of functions of Q that are done; row 0 is none. */
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

static void list_nodes(struct sorted *s)
{
	const struct lode_similarity *similarity = s->similarity;
	size_t n = 0, i;

	s->first_node = lode_alloc((s->n + 1) * sizeof(*s->first_node));
	s->nodes = lode_alloc(s->start[s->n] * sizeof(*s->nodes));
	for (size_t place = 0; place < s->n; place++) {
		const struct lode_weight *w =
			similarity->weights + similarity->patterns->start.at[s->pattern[place]];
		const uint32_t *function = s->function + s->start[place];

		s->first_node[place] = n;
		for (i = s->shared[place]; i < length_at(s, place); i++)
			s->nodes[n++] = (struct node){
				.function = function[i],
				.depth = (uint32_t)i,
				.before = (float)(w[i].uni * w[i].fbi / 2),
				.above = i ? (float)(w[i - 1].uni * w[i - 1].bbi / 2) : 0,
				.end = (float)(w[i].uni / 2),
			};
	}
	s->first_node[s->n] = n;
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
	list_nodes(s);
}

static void sorted_release(struct sorted *s)
{
	free(s->pattern);
	free(s->start);
	free(s->shared);
	free(s->function);
	free(s->least);
	free(s->nodes);
	free(s->first_node);
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
	f->path = lode_alloc0(rows, sizeof(*f->path));
	f->node = lode_alloc(CHUNK * rows * sizeof(*f->node));
	f->survivors = lode_alloc((CHUNK + 1) * sizeof(*f->survivors));
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
	free(f->path);
	free(f->node);
	free(f->survivors);
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

/* Sums of the beginning that Q, the pattern behind P, shares with P: all of it is common. */
static void start_path(struct finder *f, const struct sorted *s, const uint32_t *function,
		       uint32_t shared)
{
	for (uint32_t i = 0; i < shared; i++)
		f->path[i + 1] = (struct sums){.common = f->path[i].common + s->uni[function[i]]};
}

/*
 * First step for the patterns from `place` to `end`: a sum per node of their tree, without a branch
 * that could be guessed wrong, then one comparison per pattern. Gives the number of survivors;
 * `*shared` is the least number of functions shared since the last of them.
 */
static uint32_t bound_chunk(struct finder *f, const struct sorted *s, uint32_t place, uint32_t end,
			    uint32_t *shared)
{
	const size_t first = s->first_node[place], last = s->first_node[end];
	struct sums *path = f->path;
	uint32_t n = 0, least = *shared;

	for (size_t i = first; i < last; i++) {
		const struct node *node = &s->nodes[i];
		const struct part *part = &f->part[node->function];
		/* One number at a time: a whole struct would wait for its parts to be stored. */
		const struct sums *above = &path[node->depth];
		float lack = part->lack, common = above->common + part->has;
		float unlike = above->unlike + lack * node->before + above->lack * node->above;

		path[node->depth + 1].common = common;
		path[node->depth + 1].unlike = unlike;
		path[node->depth + 1].lack = lack;
		f->node[i - first].common = common;
		f->node[i - first].unlike = unlike + lack * node->end;
	}
	for (uint32_t p = place; p < end; p++) {
		/* A pattern without a node of its own is equal to the one before. */
		size_t at = s->first_node[p + 1] - 1 - first;
		const struct sums *sums = s->first_node[p + 1] > first ? &f->node[at] : &f->carried;

		least = s->shared[p] < least ? s->shared[p] : least;
		f->survivors[n] = (struct survivor){p, least, sums->common, sums->unlike};
		if (sums->common >= s->ratio * sums->unlike) {
			n++;
			least = UINT32_MAX;
		}
	}
	if (last > first)
		f->carried = f->node[last - 1 - first];
	*shared = least;
	return n;
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

/* Second step: whether no alignment of P with the pattern can reach the cut. */
static bool is_hopeless(struct finder *f, const struct sorted *s, const struct survivor *q,
			uint32_t n)
{
	const uint32_t *function = s->function + s->start[q->place];

	/* Nothing that weighs is common: 0, but for equal patterns. */
	if (q->common <= 0)
		return n != f->n || memcmp(function, f->column, n * sizeof(*function)) != 0;
	return q->common < s->ratio * (q->unlike + sum_own(f, s, function, n));
}

static void compare_survivor(struct finder *f, const struct sorted *s, const struct survivor *q,
			     lode_pair_vec *found)
{
	uint32_t n = length_at(s, q->place), similarity;
	uint32_t a = s->pattern[f->place], b = s->pattern[q->place];

	f->nearest_done = f->nearest_done < q->shared ? f->nearest_done : q->shared;
	f->aligned_done = f->aligned_done < q->shared ? f->aligned_done : q->shared;
	if (is_hopeless(f, s, q, n))
		return;
	similarity = exact(f, s, q->place, n);
	if (similarity >= s->cut)
		lode_vec_append(found,
				((struct lode_pair){a < b ? a : b, a < b ? b : a, similarity}));
}

static void compare_with_later(struct finder *f, const struct sorted *s, uint32_t place,
			       lode_pair_vec *found)
{
	uint32_t shared = 0, end, n;

	if (place + 1 == s->n)
		return;
	set_pattern(f, s, place);
	start_path(f, s, s->function + s->start[place], s->shared[place + 1]);
	f->carried = f->path[s->shared[place + 1]];
	for (uint32_t from = place + 1; from < s->n; from = end) {
		end = s->n - from < CHUNK ? (uint32_t)s->n : from + CHUNK;
		n = bound_chunk(f, s, from, end, &shared);
		for (uint32_t i = 0; i < n; i++)
			compare_survivor(f, s, &f->survivors[i], found);
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
