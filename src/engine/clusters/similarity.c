/* Similarity of two patterns (docs/clusters.md; StackMine §VI.B). */
#include "engine/clusters/similarity.h"

#include <math.h>

#include "base/sorted.h"

/* ---- Alignment ---- */

/*
 * One number orders alignments: cost in units, then fewer matches is worse. A match takes 1 off, so
 * a unit must weigh more than all matches together: 2^20 of them, and 2^63 holds 12 million
 * operations of full cost.
 */
static const int64_t unit_weight = (int64_t)1 << 20, gap = LODE_SUB_ONE * ((int64_t)1 << 20);

struct sides {
	const struct lode_words *words;
	const uint32_t *a, *b;
	size_t n_b;
};

/* What it costs to take a[i - 1] and b[k - 1] for one another. */
static inline int64_t cost_of_pair(const struct sides *s, size_t i, size_t k)
{
	if (s->a[i - 1] == s->b[k - 1])
		return -1;
	return lode_words_sub_units(s->words, s->a[i - 1], s->b[k - 1]) * unit_weight;
}

/* Row i, cell k: least cost of the first i functions of `a` with the first k of `b`. */
static void make_least(const void *context, size_t i, const int64_t *above, int64_t *cells)
{
	const struct sides *s = context;
	int64_t pair, best;

	cells[0] = (int64_t)i * gap;
	for (size_t k = 1; k <= s->n_b; k++) {
		best = cells[k - 1] + gap;
		if (above) {
			best = above[k] + gap < best ? above[k] + gap : best;
			pair = above[k - 1] + cost_of_pair(s, i, k);
			best = pair < best ? pair : best;
		}
		cells[k] = best;
	}
}

static void reverse(uint8_t *op, size_t n)
{
	uint8_t swapped;

	for (size_t i = 0; i < n / 2; i++) {
		swapped = op[i];
		op[i] = op[n - 1 - i];
		op[n - 1 - i] = swapped;
	}
}

static void trace_back(struct lode_aligner *aligner, const struct sides *s, size_t n_a)
{
	size_t i = n_a, k = s->n_b, n = 0;

	lode_vec_reserve(&aligner->op, n_a + s->n_b);
	while (i && k) {
		const int64_t *row = lode_row_table_at(&aligner->table, i);
		const int64_t *above = row - aligner->table.width;
		uint8_t op;

		if (row[k] == above[k - 1] + cost_of_pair(s, i, k))
			op = s->a[i - 1] == s->b[k - 1] ? LODE_ALIGN_MATCH : LODE_ALIGN_SUBSTITUTE;
		else
			op = row[k] == above[k] + gap ? LODE_ALIGN_DELETE : LODE_ALIGN_INSERT;
		aligner->op.at[n++] = op;
		i -= op != LODE_ALIGN_INSERT;
		k -= op != LODE_ALIGN_DELETE;
	}
	for (; i; i--)
		aligner->op.at[n++] = LODE_ALIGN_DELETE;
	for (; k; k--)
		aligner->op.at[n++] = LODE_ALIGN_INSERT;
	aligner->op.n = n;
	reverse(aligner->op.at, n);
}

/*
 * What both end with alike is matched: where the last functions are equal, no alignment costs less
 * than that of the rest and their match, and the way back prefers it. So recursion of different
 * depths costs no table.
 */
static size_t common_end(const uint32_t *a, size_t n_a, const uint32_t *b, size_t n_b)
{
	size_t n = 0;

	while (n < n_a && n < n_b && a[n_a - 1 - n] == b[n_b - 1 - n])
		n++;
	return n;
}

int64_t lode_align(struct lode_aligner *aligner, const struct lode_words *words, const uint32_t *a,
		   size_t n_a, const uint32_t *b, size_t n_b)
{
	struct sides sides = {words, a, b, n_b};
	size_t n_end = common_end(a, n_a, b, n_b);
	int64_t least;

	n_a -= n_end;
	sides.n_b -= n_end;
	lode_row_table_fill(&aligner->table, n_a + 1, sides.n_b + 1, make_least, &sides);
	least = lode_row_table_at(&aligner->table, n_a)[sides.n_b];
	trace_back(aligner, &sides, n_a);
	for (size_t i = 0; i < n_end; i++)
		lode_vec_append(&aligner->op, LODE_ALIGN_MATCH);
	/* Matches took less than one unit off in all: round up to get the cost alone. */
	return (least + unit_weight - 1) / unit_weight;
}

void lode_aligner_release(struct lode_aligner *aligner)
{
	lode_row_table_release(&aligner->table);
	lode_vec_release(&aligner->op);
}

/* ---- Weights ---- */

/* 1 - part / whole, with 0/0 = 0. Statistics that contradict themselves stay within [0, 1]. */
static double one_minus_share(uint64_t part, uint64_t whole)
{
	if (!part || !whole)
		return 1;
	return part < whole ? 1 - (double)part / (double)whole : 0;
}

double lode_weight_uni(const struct lode_name_stats *names, uint32_t frame)
{
	return one_minus_share(frame < names->n_with.n ? names->n_with.at[frame] : 0,
			       names->n_stacks);
}

double lode_weight_fbi(const struct lode_name_stats *names, uint32_t caller, uint32_t callee)
{
	return one_minus_share(lode_name_stats_pair(names, caller, callee),
			       caller < names->n_callee.n ? names->n_callee.at[caller] : 0);
}

double lode_weight_bbi(const struct lode_name_stats *names, uint32_t caller, uint32_t callee)
{
	return one_minus_share(lode_name_stats_pair(names, caller, callee),
			       callee < names->n_caller.n ? names->n_caller.at[callee] : 0);
}

static void weigh_pattern(struct lode_weight *weights, const struct lode_name_stats *names,
			  const uint32_t *frames, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		weights[i].uni = lode_weight_uni(names, frames[i]);
		weights[i].fbi = i ? lode_weight_fbi(names, frames[i - 1], frames[i]) : 1;
		weights[i].bbi = i + 1 < n ? lode_weight_bbi(names, frames[i], frames[i + 1]) : 1;
	}
}

/* ---- Patterns ---- */

struct named_frame {
	uint32_t frame;
	uint32_t flags; /* links and functions are different things even when their names agree */
	const char *module, *function;
};

LODE_COMPARE(compare_names, struct named_frame,
	     strcmp(a->function, b->function) ?: strcmp(a->module, b->module)
		     ?: LODE_ORDER(a->flags, b->flags) ?: LODE_ORDER(a->frame, b->frame))

/* The distinct frames of the patterns in the order of their names. */
static void number_functions(struct lode_similarity *similarity, const struct lode_calltree *tree,
			     uint32_t *function_of)
{
	const struct lode_pattern_set *patterns = similarity->patterns;
	LODE_VEC(struct named_frame) named = {0};
	struct named_frame entry;
	const char *name;

	for (size_t i = 0; i < patterns->items.n; i++) {
		entry.frame = patterns->items.at[i];
		if (function_of[entry.frame] != LODE_NONE)
			continue;
		function_of[entry.frame] = 0;
		entry.flags = tree->frames.at[entry.frame].flags & LODE_FRAME_LINK;
		entry.module = lode_frame_module(tree, entry.frame);
		entry.function = lode_frame_function(tree, entry.frame);
		lode_vec_append(&named, entry);
	}
	lode_sort(named.at, named.n, compare_names);
	similarity->n_functions = named.n;
	similarity->frame_of = lode_alloc(named.n * sizeof(*similarity->frame_of));
	for (uint32_t i = 0; i < named.n; i++) {
		similarity->frame_of[i] = named.at[i].frame;
		function_of[named.at[i].frame] = i;
		/* A frame without a symbol goes by the name of its module, as in all output. */
		name = *named.at[i].function ? named.at[i].function : named.at[i].module;
		lode_words_append(&similarity->words, name);
	}
	lode_vec_release(&named);
}

void lode_similarity_init(struct lode_similarity *similarity,
			  const struct lode_pattern_set *patterns, const struct lode_calltree *tree,
			  const struct lode_name_stats *names)
{
	uint32_t *function_of = lode_alloc_none(tree->frames.n);
	size_t start;

	memset(similarity, 0, sizeof(*similarity));
	similarity->patterns = patterns;
	number_functions(similarity, tree, function_of);
	similarity->functions = lode_alloc(patterns->items.n * sizeof(*similarity->functions));
	similarity->weights = lode_alloc(patterns->items.n * sizeof(*similarity->weights));
	for (size_t i = 0; i < patterns->items.n; i++)
		similarity->functions[i] = function_of[patterns->items.at[i]];
	for (size_t i = 0; i < patterns->n; i++) {
		start = patterns->start.at[i];
		weigh_pattern(similarity->weights + start, names, patterns->items.at + start,
			      lode_pattern_length(patterns, (uint32_t)i));
	}
	free(function_of);
}

void lode_similarity_release(struct lode_similarity *similarity)
{
	free(similarity->frame_of);
	free(similarity->functions);
	free(similarity->weights);
	lode_words_release(&similarity->words);
	memset(similarity, 0, sizeof(*similarity));
}

/* < 0: `a` is aligned with `b`; > 0: `b` with `a`; 0: they are equal. Names decide, not ids. */
static int compare_patterns(const struct lode_similarity *similarity, uint32_t a, uint32_t b)
{
	const struct lode_pattern_set *patterns = similarity->patterns;
	size_t n_a = lode_pattern_length(patterns, a), n_b = lode_pattern_length(patterns, b);
	const uint32_t *f_a = similarity->functions + patterns->start.at[a];
	const uint32_t *f_b = similarity->functions + patterns->start.at[b];

	if (n_a != n_b)
		return n_a < n_b ? -1 : 1;
	for (size_t i = 0; i < n_a; i++)
		if (f_a[i] != f_b[i])
			return f_a[i] < f_b[i] ? -1 : 1;
	return 0;
}

/*
 * Aligns the pair in its canonical order, so that ties fall alike from both sides. True when that
 * order is (b, a).
 */
static bool align_canonical(const struct lode_similarity *similarity, uint32_t a, uint32_t b,
			    struct lode_aligner *aligner)
{
	const struct lode_pattern_set *patterns = similarity->patterns;
	bool turned = compare_patterns(similarity, a, b) > 0;
	uint32_t first = turned ? b : a, second = turned ? a : b;

	lode_align(aligner, &similarity->words, similarity->functions + patterns->start.at[first],
		   lode_pattern_length(patterns, first),
		   similarity->functions + patterns->start.at[second],
		   lode_pattern_length(patterns, second));
	return turned;
}

/* Insertions and deletions are one operation as far as segments go. */
static enum lode_align_op segment_of(uint8_t op)
{
	return op == LODE_ALIGN_INSERT ? LODE_ALIGN_DELETE : (enum lode_align_op)op;
}

static double sub_of(const struct lode_similarity *similarity, const struct lode_sub_table *subs,
		     size_t i, size_t k)
{
	uint32_t a = similarity->functions[i], b = similarity->functions[k];

	return subs ? subs->sub[lode_sub_codes(subs, subs->row[a])[subs->row[b]]]
		    : lode_words_sub(&similarity->words, a, b);
}

/* Adds omega of the n >= 1 functions of a segment that is of one pattern. */
static double add_segment(double sum, const struct lode_weight *w, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sum += lode_weight_omega(&w[i], i > 0, i + 1 < n);
	return sum;
}

static size_t segment_end(const uint8_t *op, size_t from, size_t n)
{
	size_t end = from + 1;

	while (end < n && segment_of(op[end]) == segment_of(op[from]))
		end++;
	return end;
}

/* Segment by segment: within one, nothing depends on the operation but which pattern is next. */
double lode_similarity_of_ops(const struct lode_similarity *similarity,
			      const struct lode_sub_table *subs, uint32_t first, uint32_t second,
			      const uint8_t *op, size_t n)
{
	const struct lode_weight *w = similarity->weights;
	size_t i = similarity->patterns->start.at[first];
	size_t k = similarity->patterns->start.at[second];
	double matched = 0, other = 0;

	for (size_t from = 0, end; from < n; from = end) {
		end = segment_end(op, from, n);
		switch (segment_of(op[from])) {
		case LODE_ALIGN_MATCH:
			matched = add_segment(matched, &w[i], end - from);
			i += end - from;
			k += end - from;
			break;
		case LODE_ALIGN_SUBSTITUTE:
			for (size_t at = from; at < end; at++, i++, k++)
				other += sub_of(similarity, subs, i, k) *
					 (lode_weight_omega(&w[i], at > from, at + 1 < end) +
					  lode_weight_omega(&w[k], at > from, at + 1 < end)) /
					 2;
			break;
		case LODE_ALIGN_DELETE:
		case LODE_ALIGN_INSERT:
			for (size_t at = from; at < end; at++)
				other += lode_weight_omega(
					&w[op[at] == LODE_ALIGN_INSERT ? k++ : i++], at > from,
					at + 1 < end);
			break;
		}
	}
	if (matched > 0 || other > 0)
		return matched / (matched + other);
	return compare_patterns(similarity, first, second) ? 0 : 1;
}

double lode_similarity_ratio(double least)
{
	return least > 0 ? least / (1 - least) : 0;
}

double lode_pattern_similarity(const struct lode_similarity *similarity, uint32_t a, uint32_t b,
			       struct lode_aligner *aligner)
{
	bool turned = align_canonical(similarity, a, b, aligner);

	return lode_similarity_of_ops(similarity, NULL, turned ? b : a, turned ? a : b,
				      aligner->op.at, aligner->op.n);
}

void lode_pattern_align(const struct lode_similarity *similarity, uint32_t a, uint32_t b,
			struct lode_aligner *aligner)
{
	if (!align_canonical(similarity, a, b, aligner))
		return;
	for (size_t n = 0; n < aligner->op.n; n++) {
		if (aligner->op.at[n] == LODE_ALIGN_INSERT)
			aligner->op.at[n] = LODE_ALIGN_DELETE;
		else if (aligner->op.at[n] == LODE_ALIGN_DELETE)
			aligner->op.at[n] = LODE_ALIGN_INSERT;
	}
}

uint32_t lode_similarity_fixed(double similarity)
{
	if (!(similarity > 0))
		return 0;
	return similarity < 1 ? (uint32_t)llround(similarity * LODE_SIMILARITY_ONE)
			      : LODE_SIMILARITY_ONE;
}
