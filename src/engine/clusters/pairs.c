/* Finds the pairs of patterns that are similar enough, without aligning all. */
#include "engine/clusters/pairs.h"

#include <math.h>

#include "engine/clusters/gain_rows.h"
#include "base/pool.h"

/* Of a block of patterns, lane by lane: those that come later and are similar. */
struct found {
	LODE_VEC(struct lode_similar) similar;
	size_t end[LODE_REACH_MOST_LANES]; /* of each lane */
	bool is_done;
};

/* What all threads share. */
struct lode_pair_search {
	const struct lode_similarity *similarity;
	struct lode_sub_table subs;
	struct lode_places places;
	struct lode_reach reach;
	uint32_t cut;
	unsigned n_threads;
	float ratio;		/* W(M) / (W(ID) + W(S)) below which no pair reaches the cut */
	float *sub_of;		/* per code */
	size_t n_jobs;		/* blocks of patterns */
	struct found *found;	/* per job */
	struct finder *finders; /* per worker */
};

enum { STEPS_BETWEEN = 8 };

/* What one thread keeps for the pattern P that it aligns with others. */
struct finder {
	struct lode_reach_block block;
	uint32_t place, n;	    /* of P; its length */
	uint32_t before;	    /* place of the Q that `done` rows are of */
	const uint32_t *column;	    /* P's functions, by their rows of the table of Subs */
	struct lode_gain_rows rows; /* by the number of functions of Q that are done */
	uint32_t done;		    /* rows that hold for the last Q */
	uint8_t *op;
	struct lode_aligner aligner; /* where there are no rows */
};

static void finder_init(struct finder *f, const struct lode_pair_search *s)
{
	size_t rows = s->places.longest + (size_t)1;

	memset(f, 0, sizeof(*f));
	lode_gain_rows_init(&f->rows, &s->subs, s->places.longest, s->reach.kind);
	f->op = lode_alloc(2 * rows);
	f->place = LODE_NONE;
}

static void finder_release(struct finder *f)
{
	lode_reach_block_release(&f->block);
	lode_gain_rows_release(&f->rows);
	free(f->op);
	lode_aligner_release(&f->aligner);
}

static void set_pattern(struct finder *f, const struct lode_pair_search *s, uint32_t place)
{
	f->place = place;
	if (!s->places.has_rows[place])
		return;
	f->n = lode_place_length(&s->places, place);
	f->column = s->places.row + s->places.start[place];
	lode_gain_rows_set(&f->rows, f->column, f->n);
	f->done = 0;
	f->before = place;
}

/* ---- Alignment ---- */

/*
 * The last operation of the best alignments of Q's first i functions with P's first k. Whether it
 * can be to take two functions for one another: equal ones always are.
 */
static bool is_paired(const struct finder *f, const uint32_t *function, size_t i, size_t k)
{
	if (!i || !k)
		return false;
	return f->column[k - 1] == function[i - 1] ||
	       lode_gain_row(&f->rows, i)[k] ==
		       lode_gain_row(&f->rows, i - 1)[k - 1] +
			       lode_gain_of(&f->rows, function[i - 1], f->column[k - 1]);
}

/* Else which of both has a function left out: the first one, where either may. */
static bool is_p_left_out(const struct finder *f, size_t i, size_t k, bool p_is_first)
{
	const double *row = lode_gain_row(&f->rows, i);

	if (!i || !k)
		return !i;
	return p_is_first ? row[k] == row[k - 1] : row[k] != lode_gain_row(&f->rows, i - 1)[k];
}

/* Sums of omega along an alignment that is read from its end. */
struct weighing {
	float matched, other;
	bool is_match;	    /* where the front of the operation behind counts */
	float alone, joint; /* what it adds there: alone in its segment, or not */
	enum lode_align_op segment;
};

/* Not through a pointer, so that sums stay in registers. */
static inline void add_weight(struct weighing *w, float weight)
{
	w->matched += w->is_match ? weight : 0;
	w->other += w->is_match ? 0 : weight;
}

/* One operation before those that were weighed; `b` NULL: there is one function only. */
static inline void weigh(struct weighing *w, enum lode_align_op segment, float factor,
			 const struct lode_place_weight *a, const struct lode_place_weight *b)
{
	bool is_joint = w->segment == segment;
	float alone = a->alone + (b ? b->alone : 0), behind = a->bbi + (b ? b->bbi : 0);

	add_weight(w, is_joint ? w->joint : w->alone);
	w->is_match = segment == LODE_ALIGN_MATCH;
	add_weight(w, factor * (is_joint ? behind : alone));
	w->alone = factor * alone;
	w->joint = factor * (a->fbi + (b ? b->fbi : 0));
	w->segment = segment;
}

/* Which similarities are wanted, as W(M) / (W(ID) + W(S)): what is clearly outside is not. */
struct wanted {
	float least, most;
};
static const struct wanted any_wanted = {0, INFINITY};

/*
 * The operations from the end to the start, written backwards: the choice among equals is that of
 * lode_align for the canonical order of the two, whichever of them is P. Gives where they begin;
 * NULL when the similarity is not wanted: it is summed on the way, in floats.
 */
static uint8_t *trace_back(struct finder *f, const struct lode_pair_search *s, uint32_t place,
			   uint32_t n, bool p_is_first, struct wanted wanted)
{
	const struct lode_place_weight *of_p = s->places.weight + s->places.start[f->place];
	const struct lode_place_weight *of_q = s->places.weight + s->places.start[place];
	const uint32_t *function = s->places.row + s->places.start[place];
	const float *rest_p = lode_place_sums(&s->places, f->place);
	const float *rest_q = lode_place_sums(&s->places, place);
	uint8_t *op = f->op + 2 * (s->places.longest + (size_t)1);
	struct weighing w = {.segment = LODE_ALIGN_INSERT}; /* which is none of those used here */
	size_t i = n, k = f->n, n_steps = 0;
	bool skips_p;

	while (i || k) {
		/* What is left of either can at most be matched, all of it, or none of it. Asked
		   now and then: asking takes as long as a step. */
		if (n_steps++ % STEPS_BETWEEN == 0 &&
		    (w.matched + w.alone + (rest_p[k] < rest_q[i] ? rest_p[k] : rest_q[i]) <
			     wanted.least * w.other ||
		     w.matched > wanted.most * (w.other + w.alone + rest_p[k] + rest_q[i])))
			return NULL;
		if (is_paired(f, function, i, k)) {
			i--;
			k--;
			if (f->column[k] == function[i]) {
				*--op = LODE_ALIGN_MATCH;
				weigh(&w, LODE_ALIGN_MATCH, 1, &of_p[k], NULL);
			} else {
				uint16_t code = lode_sub_codes(&s->subs, function[i])[f->column[k]];

				*--op = LODE_ALIGN_SUBSTITUTE;
				weigh(&w, LODE_ALIGN_SUBSTITUTE, s->sub_of[code] / 2, &of_p[k],
				      &of_q[i]);
			}
			continue;
		}
		skips_p = is_p_left_out(f, i, k, p_is_first);
		*--op = skips_p == p_is_first ? LODE_ALIGN_DELETE : LODE_ALIGN_INSERT;
		weigh(&w, LODE_ALIGN_DELETE, 1, skips_p ? &of_p[--k] : &of_q[--i], NULL);
	}
	add_weight(&w, w.alone);
	return w.matched < wanted.least * w.other || w.matched > wanted.most * w.other ? NULL : op;
}

/* How many functions both end with alike: they are matched, so no rows are needed for them. */
static uint32_t common_end(const uint32_t *a, uint32_t n_a, const uint32_t *b, uint32_t n_b)
{
	uint32_t n = 0;

	while (n < n_a && n < n_b && a[n_a - 1 - n] == b[n_b - 1 - n])
		n++;
	return n;
}

/* Aligns P, all of whose functions have rows, with such a Q. */
static void align(struct finder *f, const struct lode_pair_search *s, uint32_t place)
{
	const uint32_t *function = s->places.row + s->places.start[place];
	uint32_t n = lode_place_length(&s->places, place);
	uint32_t shared = lode_places_shared(&s->places, f->before, place);
	uint32_t row = shared < f->done ? shared : f->done;

	n -= common_end(function, n, f->column, f->n);
	f->done = row > n ? row : n;
	for (; row < n; row++)
		lode_gain_rows_add(&f->rows, function[row], row + (size_t)1);
	f->before = place;
}

/* The similarity if it is wanted, else that or -1. */
static double similarity_of(struct finder *f, const struct lode_pair_search *s, uint32_t place,
			    struct wanted wanted)
{
	/* The canonical order: the shorter first, of equally long ones the one with smaller names.
	 */
	uint32_t n = lode_place_length(&s->places, place);
	bool p_is_first = f->n < n || (f->n == n && f->place < place);
	uint32_t p = s->places.pattern[f->place], q = s->places.pattern[place];
	uint8_t *op;

	align(f, s, place);
	op = trace_back(f, s, place, n, p_is_first, wanted);
	if (!op)
		return -1;
	return lode_similarity_of_ops(s->similarity, &s->subs, p_is_first ? p : q,
				      p_is_first ? q : p, op,
				      (size_t)(f->op + 2 * (s->places.longest + (size_t)1) - op));
}

/* The same where some function of either has no row of its own. */
static double similarity_by_words(const struct lode_pair_search *s, uint32_t p, uint32_t q,
				  struct lode_aligner *aligner)
{
	return lode_pattern_similarity(s->similarity, s->places.pattern[p], s->places.pattern[q],
				       aligner);
}

/* Of the finder's pattern, which `set_pattern` has set, and another one. */
static double similarity_to(struct finder *f, const struct lode_pair_search *s, uint32_t place,
			    struct wanted wanted)
{
	if (s->places.has_rows[f->place] && s->places.has_rows[place])
		return similarity_of(f, s, place, wanted);
	return similarity_by_words(s, f->place, place, &f->aligner);
}

uint32_t lode_pair_similarity(struct lode_pair_search *s, uint32_t a, uint32_t b)
{
	struct finder *f = &s->finders[0];
	uint32_t p = s->places.place_of[a], q = s->places.place_of[b];

	if (f->place != p)
		set_pattern(f, s, p);
	return lode_similarity_fixed(similarity_to(f, s, q, any_wanted));
}

/* ---- All pairs ---- */

static void compare(struct finder *f, const struct lode_pair_search *s, uint32_t place,
		    struct found *found)
{
	uint32_t similarity = lode_similarity_fixed(
		similarity_to(f, s, place, (struct wanted){s->ratio, INFINITY}));

	if (similarity >= s->cut)
		lode_vec_append(&found->similar,
				((struct lode_similar){s->places.pattern[place], similarity}));
}

/* The pattern at `place` with those that it may be similar to. */
static void compare_lane(struct finder *f, const struct lode_pair_search *s, uint32_t place,
			 const lode_place_vec *others, struct found *found)
{
	const struct lode_places *p = &s->places;
	uint32_t i;

	set_pattern(f, s, place);
	/* Equal patterns have no nodes of their own. They are similar even if they weigh nothing.
	 */
	for (i = place + 1; i < p->n && p->first_node[i] == p->first_node[i + 1]; i++)
		compare(f, s, i, found);
	for (size_t k = 0; k < others->n; k++)
		if (others->at[k] >= i)
			compare(f, s, others->at[k], found);
}

static void compare_block(void *context, size_t job, unsigned worker)
{
	struct lode_pair_search *s = context;
	struct finder *f = &s->finders[worker];
	struct found *found = &s->found[job];
	uint32_t n_lanes = s->reach.n_lanes, first = (uint32_t)job * n_lanes;
	uint32_t n = s->places.n - first < n_lanes ? (uint32_t)s->places.n - first : n_lanes;

	if (found->is_done)
		return;
	lode_reach_find(&f->block, &s->reach, first, n);
	for (uint32_t lane = 0; lane < n; lane++) {
		compare_lane(f, s, first + lane, &f->block.found[lane], found);
		found->end[lane] = found->similar.n;
	}
	found->is_done = true;
}

/* How many blocks are looked at to tell how many pairs there are. */
enum { SAMPLE_BLOCKS = 16 };

struct sample {
	struct lode_pair_search *search;
	size_t n;
};

/* Spread over all patterns. */
static size_t sampled_job(const struct sample *sample, size_t i)
{
	return (2 * i + 1) * sample->search->n_jobs / (2 * sample->n);
}

static void compare_sampled(void *context, size_t i, unsigned worker)
{
	const struct sample *sample = context;

	compare_block(sample->search, sampled_job(sample, i), worker);
}

uint64_t lode_pairs_expected(struct lode_pair_search *s)
{
	struct sample sample = {s, s->n_jobs < SAMPLE_BLOCKS ? s->n_jobs : SAMPLE_BLOCKS};
	double n = (double)s->places.n, n_found = 0, n_compared = 0;

	lode_pool_run(s->n_threads, sample.n, compare_sampled, &sample);
	for (size_t i = 0; i < sample.n; i++) {
		size_t job = sampled_job(&sample, i), first = job * s->reach.n_lanes;

		n_found += (double)s->found[job].similar.n;
		for (size_t at = first; at < first + s->reach.n_lanes && at < s->places.n; at++)
			n_compared += n - 1 - (double)at;
	}
	return n_compared > 0 ? (uint64_t)(n_found * (n * (n - 1) / 2) / n_compared + 0.5) : 0;
}

/* Calls `take` for each lane with its similar patterns; `is_last`: frees them behind it. */
static void each_lane(struct lode_pair_search *s, bool is_last,
		      void (*take)(struct lode_similar_pairs *out, uint32_t pattern,
				   const struct lode_similar *similar, size_t n),
		      struct lode_similar_pairs *out)
{
	for (size_t job = 0; job < s->n_jobs; job++) {
		struct found *found = &s->found[job];
		size_t first = job * s->reach.n_lanes, from = 0;

		for (size_t lane = 0; lane < s->reach.n_lanes && first + lane < s->places.n;
		     lane++) {
			if (found->end[lane] > from)
				take(out, s->places.pattern[first + lane], found->similar.at + from,
				     found->end[lane] - from);
			from = found->end[lane];
		}
		if (is_last)
			lode_vec_release(&found->similar);
	}
}

static void count_lane(struct lode_similar_pairs *out, uint32_t pattern,
		       const struct lode_similar *similar, size_t n)
{
	out->start[pattern + 2] += n;
	for (size_t i = 0; i < n; i++)
		out->start[similar[i].other + 2]++;
}

static void put_lane(struct lode_similar_pairs *out, uint32_t pattern,
		     const struct lode_similar *similar, size_t n)
{
	memcpy(out->at + out->start[pattern + 1], similar, n * sizeof(*similar));
	out->start[pattern + 1] += n;
	for (size_t i = 0; i < n; i++)
		out->at[out->start[similar[i].other + 1]++] =
			(struct lode_similar){pattern, similar[i].similarity};
}

/* Each pattern's pairs in the order of the other side: numbers that are there once, below n. */
static void sort_sides(struct lode_similar_pairs *pairs, size_t n)
{
	uint64_t *is_there = lode_alloc0(n / 64 + 1, sizeof(*is_there)), word;
	uint32_t *similarity = lode_alloc(n * sizeof(*similarity)), other;

	for (size_t i = 0; i < n; i++) {
		struct lode_similar *to = pairs->at + pairs->start[i];

		for (size_t k = pairs->start[i]; k < pairs->start[i + 1]; k++) {
			other = pairs->at[k].other;
			is_there[other / 64] |= (uint64_t)1 << other % 64;
			similarity[other] = pairs->at[k].similarity;
		}
		if (to == pairs->at + pairs->start[i + 1])
			continue;
		for (size_t w = 0; w <= n / 64; w++)
			for (word = is_there[w], is_there[w] = 0; word; word &= word - 1) {
				other = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(word);
				*to++ = (struct lode_similar){other, similarity[other]};
			}
	}
	free(is_there);
	free(similarity);
}

void lode_pairs_find(struct lode_similar_pairs *out, struct lode_pair_search *s)
{
	size_t n = s->places.n;

	lode_pool_run(s->n_threads, s->n_jobs, compare_block, s);
	out->start = lode_alloc0(n + 2, sizeof(*out->start));
	each_lane(s, false, count_lane, out);
	for (size_t i = 2; i < n + 2; i++)
		out->start[i] += out->start[i - 1];
	out->at = lode_alloc(out->start[n + 1] * sizeof(*out->at));
	each_lane(s, true, put_lane, out);
	sort_sides(out, n);
}

void lode_similar_pairs_release(struct lode_similar_pairs *pairs)
{
	free(pairs->start);
	free(pairs->at);
	memset(pairs, 0, sizeof(*pairs));
}

/* ---- The lowest ---- */

struct lowest_search {
	struct lode_pair_search *search;
	const uint32_t *cluster_of;
	const struct lode_similar_pairs *known;
	size_t n_clusters;
	uint32_t *member;  /* places, cluster by cluster, ascending */
	size_t *end;	   /* of each cluster's members */
	double *lowest;	   /* by worker, then by cluster */
	uint32_t **with_p; /* by worker: what is known of P and each pattern; 0: nothing */
};

/* What can be lower: floats must not cost a pair. */
static struct wanted below(double similarity)
{
	double most = similarity + 1e-5;

	return (struct wanted){0, most < 1 ? (float)(most / (1 - most) * (1 + 1e-4)) : INFINITY};
}

static void note_known(uint32_t *with_p, const struct lode_similar_pairs *known, uint32_t p,
		       bool is_on)
{
	for (size_t i = known->at ? known->start[p] : 0; known->at && i < known->start[p + 1]; i++)
		with_p[known->at[i].other] = is_on ? known->at[i].similarity : 0;
}

/* A member of a cluster with those behind it, but for those known to be more similar: whole numbers
   are in the order of what they were rounded from. */
static void find_lowest(void *context, size_t at, unsigned worker)
{
	struct lowest_search *l = context;
	struct lode_pair_search *s = l->search;
	struct finder *f = &s->finders[worker];
	uint32_t place = l->member[at], p = s->places.pattern[place], cluster = l->cluster_of[p];
	double *lowest = &l->lowest[worker * l->n_clusters + cluster], similarity;
	uint32_t *with_p = l->with_p[worker], rounded = lode_similarity_fixed(*lowest);

	set_pattern(f, s, place);
	note_known(with_p, l->known, p, true);
	for (size_t i = at + 1; i < l->end[cluster]; i++) {
		if (with_p[s->places.pattern[l->member[i]]] > rounded)
			continue;
		similarity = similarity_to(f, s, l->member[i], below(*lowest));
		if (similarity >= 0 && similarity < *lowest) {
			*lowest = similarity;
			rounded = lode_similarity_fixed(similarity);
		}
	}
	note_known(with_p, l->known, p, false);
}

void lode_pairs_lowest(double *lowest, size_t n_clusters, const uint32_t *cluster_of,
		       const struct lode_similar_pairs *known, struct lode_pair_search *s)
{
	struct lowest_search l = {
		.search = s, .cluster_of = cluster_of, .known = known, .n_clusters = n_clusters};

	l.member = lode_alloc(s->places.n * sizeof(*l.member));
	l.end = lode_alloc0(n_clusters + 1, sizeof(*l.end));
	l.lowest = lode_alloc(s->n_threads * n_clusters * sizeof(*l.lowest));
	for (size_t i = 0; i < s->places.n; i++)
		l.end[cluster_of[i] + 1]++;
	for (size_t c = 1; c < n_clusters; c++)
		l.end[c] += l.end[c - 1];
	for (uint32_t place = 0; place < s->places.n; place++)
		l.member[l.end[cluster_of[s->places.pattern[place]]]++] = place;
	for (size_t i = 0; i < s->n_threads * n_clusters; i++)
		l.lowest[i] = 1;
	l.with_p = lode_alloc(s->n_threads * sizeof(*l.with_p));
	for (unsigned i = 0; i < s->n_threads; i++)
		l.with_p[i] = lode_alloc0(s->places.n, sizeof(**l.with_p));
	lode_pool_run(s->n_threads, s->places.n, find_lowest, &l);
	for (size_t c = 0; c < n_clusters; c++) {
		lowest[c] = 1;
		for (size_t i = c; i < s->n_threads * n_clusters; i += n_clusters)
			lowest[c] = l.lowest[i] < lowest[c] ? l.lowest[i] : lowest[c];
	}
	for (unsigned i = 0; i < s->n_threads; i++)
		free(l.with_p[i]);
	free(l.with_p);
	free(l.member);
	free(l.end);
	free(l.lowest);
}

static void choose_rows(struct lode_pair_search *s, const struct lode_pair_options *options)
{
	const struct lode_similarity *similarity = s->similarity;
	uint32_t *count = lode_alloc0(similarity->n_functions, sizeof(*count));

	for (size_t i = 0; i < similarity->patterns->items.n; i++)
		count[similarity->functions[i]]++;
	lode_sub_table_init(&s->subs, &similarity->words, similarity->n_functions, count,
			    options->max_rows ? options->max_rows : LODE_SUB_TABLE_ROWS,
			    s->n_threads);
	free(count);
}

struct lode_pair_search *lode_pair_search_new(const struct lode_similarity *similarity,
					      const struct lode_pair_options *options)
{
	struct lode_pair_search *s = lode_alloc0(1, sizeof(*s));
	/* Floats and the rounding of similarities must not cost a pair: the bound is a bit low. */
	double least = (double)options->cut / LODE_SIMILARITY_ONE - 1e-5;

	s->similarity = similarity;
	s->cut = options->cut;
	s->ratio = (float)(lode_similarity_ratio(least) * (1 - 1e-4));
	s->n_threads = options->n_threads ? options->n_threads : 1;
	choose_rows(s, options);
	lode_places_init(&s->places, similarity, &s->subs);
	lode_reach_init(&s->reach, &s->places, &s->subs, similarity->n_functions, s->ratio,
			options->max_kind < lode_reach_best_kind() ? options->max_kind
								   : lode_reach_best_kind());
	s->sub_of = lode_alloc(s->subs.n_codes * sizeof(*s->sub_of));
	for (size_t i = 0; i < s->subs.n_codes; i++)
		s->sub_of[i] = (float)s->subs.sub[i];
	s->n_jobs = (s->places.n + s->reach.n_lanes - 1) / s->reach.n_lanes;
	s->found = lode_alloc0(s->n_jobs, sizeof(*s->found));
	s->finders = lode_alloc(s->n_threads * sizeof(*s->finders));
	for (unsigned i = 0; i < s->n_threads; i++)
		finder_init(&s->finders[i], s);
	return s;
}

void lode_pair_search_free(struct lode_pair_search *s)
{
	if (!s)
		return;
	for (unsigned i = 0; i < s->n_threads; i++)
		finder_release(&s->finders[i]);
	free(s->finders);
	for (size_t i = 0; i < s->n_jobs; i++)
		lode_vec_release(&s->found[i].similar);
	free(s->found);
	free(s->sub_of);
	lode_reach_release(&s->reach);
	lode_places_release(&s->places);
	lode_sub_table_release(&s->subs);
	free(s);
}
