#include "analyses/ripper/grow_rule.h"

#include <math.h>
#include <stdlib.h>

#include "analyses/ripper/sorting.h"
#include "base/pool.h"

/* An entry of a sorted list is a row; its highest bit says that its value is larger than that of
   the entry before. */
enum { FIRST_SHIFT = 31 };
#define FIRST	      ((uint32_t)1 << FIRST_SHIFT)
#define ROW_OF(entry) ((entry) & ~FIRST)

/* Below this many entries a second thread costs more than it gives. */
#define WORTH_THREADS ((size_t)400000)

enum row_state { OUTSIDE = 0, NEGATIVE = 1, POSITIVE = 2 };

struct list {
	uint32_t *at;
	size_t n;
};

struct candidate {
	double gain;
	enum lode_comparison comparison;
	uint32_t below, above; /* rows on both sides of a numeric threshold */
	double value;	       /* nominal */
	uint32_t n_positive;
};

struct lode_grower {
	const struct lode_dataset *data;
	unsigned n_threads;
	struct list *sorted, *left, *grown; /* per attribute; nominal ones have none */
	size_t n_sorted_rows, n_left_rows;
	bool is_left_all;  /* `left` is the same as `sorted` and not filled */
	uint8_t *state;	   /* enum row_state per row, of the rule that grows */
	uint32_t *members; /* rows that it covers */
	size_t n_members;
	uint32_t n_positive;	      /* of these */
	double *log2_of;	      /* of 1 .. n_rows + 1 */
	bool *is_used;		      /* nominal attributes that the rule asks for already */
	struct candidate *candidates; /* per attribute, of one pass */
	/* What one pass does. */
	bool is_first;
	double base;	  /* log2 of the share of positives before */
	uint32_t *counts; /* nominal values: [attribute's offset + 2 * value + is_positive] */
	size_t *counts_at;
};

static bool is_numeric(const struct lode_grower *g, size_t attribute)
{
	return g->data->attributes[attribute].n_values == 0;
}

/* Keeps the entries whose rows have a state; `to` may be `from`. */
static size_t filter(uint32_t *to, const uint32_t *from, size_t n, const uint8_t *state)
{
	uint32_t first = 0;
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t row = ROW_OF(from[i]);
		bool keep = state[row] != OUTSIDE;

		first |= from[i] & FIRST;
		to[kept] = row | first;
		kept += keep;
		first = keep ? 0 : first;
	}
	return kept;
}

/* ---- Candidates ---- */

static double gain_of(const struct lode_grower *g, uint32_t positive, uint32_t covered)
{
	return positive * (g->log2_of[positive] - g->log2_of[covered] - g->base);
}

/*
 * The best threshold of a list. A gain can only be highest where positives end ("at most") or begin
 * ("at least": behind a negative, or where none came yet), and never above positives x -base: most
 * places are passed over without a sum.
 */
static void scan_numeric(const struct lode_grower *g, const struct list *list,
			 struct candidate *best)
{
	uint32_t covered = 0, positive = 0, group_start_positive = 0, group_start = 0;
	uint32_t n = (uint32_t)list->n, n_positive = 0, previous = 0;

	if (n == g->n_members) {
		n_positive = g->n_positive;
	} else {
		for (uint32_t i = 0; i < n; i++)
			n_positive += g->state[ROW_OF(list->at[i])] == POSITIVE;
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t entry = list->at[i], row = ROW_OF(entry);

		if (entry & FIRST && i) {
			uint32_t above = n_positive - positive;

			if (positive > group_start_positive && positive * -g->base > best->gain) {
				double gain = gain_of(g, positive, covered);

				if (gain > best->gain)
					*best = (struct candidate){
						gain, LODE_AT_MOST, previous, row, 0, positive};
			}
			if ((covered == positive ||
			     covered - positive > group_start - group_start_positive) &&
			    above * -g->base > best->gain) {
				double gain = gain_of(g, above, n - covered);

				if (gain > best->gain)
					*best = (struct candidate){
						gain, LODE_AT_LEAST, previous, row, 0, above};
			}
			group_start = covered;
			group_start_positive = positive;
		}
		covered++;
		positive += g->state[row] == POSITIVE;
		previous = row;
	}
}

static void scan_nominal(const struct lode_grower *g, size_t attribute, struct candidate *best)
{
	size_t n_values = g->data->attributes[attribute].n_values;
	const double *column = g->data->columns[attribute];
	uint32_t *counts = g->counts + g->counts_at[attribute];

	memset(counts, 0, 2 * n_values * sizeof(*counts));
	for (size_t i = 0; i < g->n_members; i++) {
		double value = column[g->members[i]];

		if (!isnan(value))
			counts[2 * (size_t)value + (g->state[g->members[i]] == POSITIVE ? 1 : 0)]++;
	}
	for (size_t v = 0; v < n_values; v++) {
		uint32_t positive = counts[2 * v + 1];
		double gain = positive ? gain_of(g, positive, positive + counts[2 * v]) : 0;

		if (gain > best->gain)
			*best = (struct candidate){
				.gain = gain,
				.comparison = LODE_EQUAL,
				.value = (double)v,
				.n_positive = positive,
			};
	}
}

/* One attribute of one pass: keep what the rule still covers, find the best condition. */
static void pass(void *context, size_t attribute, unsigned worker)
{
	struct lode_grower *g = context;
	struct candidate *best = &g->candidates[attribute];

	(void)worker;
	*best = (struct candidate){0};
	if (!is_numeric(g, attribute)) {
		if (!g->is_used[attribute])
			scan_nominal(g, attribute, best);
		return;
	}
	struct list *grown = &g->grown[attribute];
	const struct list *from = grown;

	if (g->is_first)
		from = g->is_left_all ? &g->sorted[attribute] : &g->left[attribute];
	grown->n = filter(grown->at, from->at, from->n, g->state);
	scan_numeric(g, grown, best);
}

static const struct candidate *best_candidate(struct lode_grower *g, uint32_t *attribute)
{
	size_t size = g->data->n_attributes * (g->is_first ? g->n_left_rows : g->n_members);
	const struct candidate *best = NULL;

	lode_pool_run(size < WORTH_THREADS ? 1 : g->n_threads, g->data->n_attributes, pass, g);
	for (size_t a = 0; a < g->data->n_attributes; a++) {
		if (g->candidates[a].gain > (best ? best->gain : 0)) {
			best = &g->candidates[a];
			*attribute = (uint32_t)a;
		}
	}
	return best;
}

/* ---- One rule ---- */

static struct lode_condition condition_of(const struct lode_grower *g, uint32_t attribute,
					  const struct candidate *c)
{
	const double *column = g->data->columns[attribute];
	double below, above, middle;

	if (c->comparison == LODE_EQUAL)
		return (struct lode_condition){attribute, LODE_EQUAL, c->value};
	below = column[c->below];
	above = column[c->above];
	/* Half-way: nothing says that the border is at one of the two. */
	middle = below + (above - below) / 2;
	if (c->comparison == LODE_AT_MOST)
		middle = middle < above ? middle : below;
	else
		middle = middle > below ? middle : above;
	return (struct lode_condition){attribute, c->comparison, middle};
}

/* Rows that fail the condition leave. */
static void keep_covered(struct lode_grower *g, const struct lode_condition *c)
{
	const double *column = g->data->columns[c->attribute];
	size_t kept = 0;

	for (size_t i = 0; i < g->n_members; i++) {
		uint32_t row = g->members[i];

		if (lode_condition_holds(c, column[row])) {
			g->members[kept++] = row;
			continue;
		}
		g->n_positive -= g->state[row] == POSITIVE;
		g->state[row] = OUTSIDE;
	}
	g->n_members = kept;
}

static void begin(struct lode_grower *g, const struct lode_rule *rule, const lode_row_word *grow,
		  const lode_row_word *positive)
{
	g->n_members = 0;
	g->n_positive = 0;
	for (size_t w = 0; w < lode_row_words(g->data->n_rows); w++) {
		for (lode_row_word bits = grow[w]; bits; bits &= bits - 1) {
			size_t row = w * 64 + (size_t)__builtin_ctzll(bits);
			bool is_positive = lode_rows_has(positive, row);

			g->state[row] = is_positive ? POSITIVE : NEGATIVE;
			g->n_positive += is_positive;
			g->members[g->n_members++] = (uint32_t)row;
		}
	}
	memset(g->is_used, 0, g->data->n_attributes * sizeof(*g->is_used));
	for (size_t i = 0; i < rule->conditions.n; i++)
		g->is_used[rule->conditions.at[i].attribute] = true;
	g->is_first = true;
}

void lode_grow_rule(struct lode_grower *g, struct lode_rule *rule, const lode_row_word *grow,
		    const lode_row_word *positive, uint32_t min_positive)
{
	begin(g, rule, grow, positive);
	while (g->n_positive && g->n_positive < g->n_members) {
		const struct candidate *best;
		struct lode_condition condition;
		uint32_t attribute = 0;

		g->base = g->log2_of[g->n_positive] - g->log2_of[g->n_members];
		best = best_candidate(g, &attribute);
		g->is_first = false;
		if (!best || best->n_positive < min_positive)
			break;
		condition = condition_of(g, attribute, best);
		lode_vec_append(&rule->conditions, condition);
		g->is_used[attribute] = true;
		keep_covered(g, &condition);
	}
	for (size_t i = 0; i < g->n_members; i++)
		g->state[g->members[i]] = OUTSIDE;
}

/* ---- The lists ---- */

static void sort_attribute(void *context, size_t attribute, unsigned worker)
{
	struct lode_grower *g = context;
	struct list *list = &g->sorted[attribute];
	const double *column = g->data->columns[attribute];

	(void)worker;
	if (!is_numeric(g, attribute))
		return;
	list->at = lode_alloc(g->n_members * sizeof(*list->at) + 1);
	for (size_t i = 0; i < g->n_members; i++) {
		if (!isnan(column[g->members[i]]))
			list->at[list->n++] = g->members[i];
	}
	lode_sort_rows(list->at, list->n, column);
	for (size_t i = list->n; i-- > 0;) {
		if (i == 0 || column[list->at[i]] > column[list->at[i - 1]])
			list->at[i] |= FIRST;
	}
}

static void mark(struct lode_grower *g, const lode_row_word *rows)
{
	g->n_members = 0;
	for (size_t row = 0; row < g->data->n_rows; row++) {
		g->state[row] = lode_rows_has(rows, row) ? NEGATIVE : OUTSIDE;
		if (g->state[row])
			g->members[g->n_members++] = (uint32_t)row;
	}
}

struct lode_grower *lode_grower_new(const struct lode_dataset *data, const lode_row_word *rows,
				    unsigned n_threads)
{
	struct lode_grower *g = lode_alloc0(1, sizeof(*g));
	size_t n_attributes = data->n_attributes, n_counts = 0;

	g->data = data;
	g->n_threads = n_threads ? n_threads : lode_pool_cpus();
	g->sorted = lode_alloc0(n_attributes + 1, sizeof(*g->sorted));
	g->left = lode_alloc0(n_attributes + 1, sizeof(*g->left));
	g->grown = lode_alloc0(n_attributes + 1, sizeof(*g->grown));
	g->state = lode_alloc0(data->n_rows + 1, 1);
	g->members = lode_alloc0(data->n_rows + 1, sizeof(*g->members));
	g->is_used = lode_alloc0(n_attributes + 1, sizeof(*g->is_used));
	g->candidates = lode_alloc0(n_attributes + 1, sizeof(*g->candidates));
	g->counts_at = lode_alloc0(n_attributes + 1, sizeof(*g->counts_at));
	for (size_t a = 0; a < n_attributes; a++) {
		g->counts_at[a] = n_counts;
		n_counts += 2 * data->attributes[a].n_values;
	}
	g->counts = lode_alloc0(n_counts + 1, sizeof(*g->counts));
	/* One more than the count: the gain is a ratio of counts + 1. */
	g->log2_of = lode_alloc0(data->n_rows + 2, sizeof(*g->log2_of));
	for (size_t i = 0; i < data->n_rows + 2; i++)
		g->log2_of[i] = log2((double)i + 1);
	mark(g, rows);
	lode_pool_run(g->n_members < 1000 ? 1 : g->n_threads, n_attributes, sort_attribute, g);
	for (size_t a = 0; a < n_attributes; a++) {
		g->left[a].at = lode_alloc(g->sorted[a].n * sizeof(uint32_t) + 4);
		g->grown[a].at = lode_alloc(g->sorted[a].n * sizeof(uint32_t) + 4);
	}
	g->n_sorted_rows = g->n_left_rows = g->n_members;
	g->is_left_all = true;
	memset(g->state, OUTSIDE, data->n_rows);
	return g;
}

void lode_grower_free(struct lode_grower *g)
{
	if (!g)
		return;
	for (size_t a = 0; a < g->data->n_attributes; a++) {
		free(g->sorted[a].at);
		free(g->left[a].at);
		free(g->grown[a].at);
	}
	free(g->sorted);
	free(g->left);
	free(g->grown);
	free(g->state);
	free(g->members);
	free(g->is_used);
	free(g->candidates);
	free(g->counts_at);
	free(g->counts);
	free(g->log2_of);
	free(g);
}

double lode_grower_possible(const struct lode_grower *g)
{
	double n = 0;

	for (size_t a = 0; a < g->data->n_attributes; a++) {
		n += (double)g->data->attributes[a].n_values;
		for (size_t i = 0; i < g->sorted[a].n; i++)
			n += g->sorted[a].at[i] & FIRST ? 2 : 0;
	}
	return n;
}

void lode_grower_restrict(struct lode_grower *g, const lode_row_word *rows)
{
	mark(g, rows);
	for (size_t a = 0; a < g->data->n_attributes; a++)
		g->sorted[a].n = filter(g->sorted[a].at, g->sorted[a].at, g->sorted[a].n, g->state);
	g->n_sorted_rows = g->n_left_rows = g->n_members;
	g->is_left_all = true;
	memset(g->state, OUTSIDE, g->data->n_rows);
}

void lode_grower_set_left(struct lode_grower *g, const lode_row_word *rows)
{
	size_t n = lode_rows_count(rows, g->data->n_rows);
	bool is_subset_of_left = n <= g->n_left_rows;

	/* Filtering pays when it drops a good part; rows of no state are passed over anyway. */
	if (n > g->n_sorted_rows / 4 * 3) {
		g->is_left_all = true;
		g->n_left_rows = g->n_sorted_rows;
		return;
	}
	if (!g->is_left_all && is_subset_of_left && n > g->n_left_rows / 4 * 3)
		return;
	mark(g, rows);
	for (size_t a = 0; a < g->data->n_attributes; a++)
		g->left[a].n = filter(g->left[a].at, g->sorted[a].at, g->sorted[a].n, g->state);
	g->n_left_rows = n;
	g->is_left_all = false;
	memset(g->state, OUTSIDE, g->data->n_rows);
}
