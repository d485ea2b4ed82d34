/* Grows a rule by the condition of the highest FOIL gain. */
#include "engine/ripper/grow_rule.h"

#include <math.h>

#include "engine/ripper/numeric_scan.h"
#include "base/number_sort.h"
#include "base/pool.h"

#define FIRST	      LODE_ENTRY_FIRST
#define ROW_OF(entry) LODE_ENTRY_ROW(entry)

/* Below this many entries a second thread costs more than it gives. */
#define WORTH_THREADS ((size_t)400000)

/* From this share of covered rows on, a list is scanned as it is, by blocks; below, what is covered
   is taken out first. */
enum { WORTH_BLOCKS = 4 };

struct lode_rule_grower {
	struct lode_arena arena; /* of the arrays */
	const struct lode_dataset *data;
	unsigned n_threads;
	struct lode_list *sorted, *grown; /* per attribute; nominal ones have none */
	uint32_t **places;		  /* per attribute and row: where it stands in `sorted` */
	uint64_t **firsts;		  /* per attribute: a bit per entry of `sorted` */
	uint64_t **marks;		  /* per thread: a bit per entry, all 0 */
	size_t n_sorted_rows;
	uint8_t *state;	   /* enum lode_row_state per row, of the rule that grows */
	uint32_t *members; /* rows that it covers */
	size_t n_members;
	uint32_t n_positive;		   /* of these */
	double *log2_of;		   /* of 1 .. n_rows + 1 */
	bool *is_used;			   /* nominal attributes that the rule asks for already */
	struct lode_candidate *candidates; /* per attribute, of one pass */
	/* What one pass does. */
	struct lode_scan scan;
	bool is_grown_filled;	      /* else `grown` is yet to be taken from what is left */
	struct lode_block_sums *sums; /* per attribute, when scanned by blocks */
	double *gains;		      /* per attribute: one that some threshold has */
	uint32_t *counts; /* nominal values: [attribute's offset + 2 * value + is_positive] */
	size_t *counts_at;
};

static bool is_numeric(const struct lode_rule_grower *g, size_t attribute)
{
	return g->data->attributes[attribute].n_values == 0;
}

/* ---- Candidates ---- */

static void scan_nominal(const struct lode_rule_grower *g, size_t attribute,
			 struct lode_candidate *best)
{
	size_t n_values = g->data->attributes[attribute].n_values;
	const double *column = g->data->columns[attribute];
	uint32_t *counts = g->counts + g->counts_at[attribute];

	memset(counts, 0, 2 * n_values * sizeof(*counts));
	for (size_t i = 0; i < g->n_members; i++) {
		double value = column[g->members[i]];

		if (!isnan(value))
			counts[2 * (size_t)value +
			       (g->state[g->members[i]] == LODE_ROW_POSITIVE ? 1 : 0)]++;
	}
	for (size_t v = 0; v < n_values; v++) {
		uint32_t positive = counts[2 * v + 1];
		double gain =
			positive ? lode_foil_gain(&g->scan, positive, positive + counts[2 * v]) : 0;

		if (gain > best->gain)
			*best = (struct lode_candidate){
				.gain = gain,
				.comparison = LODE_EQUAL,
				.value = (double)v,
				.n_positive = positive,
			};
	}
}

/* What the rule covers of a column, taken out of all its rows. */
static void pick(struct lode_rule_grower *g, size_t attribute, unsigned worker)
{
	struct lode_list_places places = {g->places[attribute], g->firsts[attribute],
					  g->marks[worker]};

	g->grown[attribute].n = lode_list_pick(g->grown[attribute].at, &g->sorted[attribute],
					       &places, g->members, g->n_members);
}

/* One attribute of one pass: keep what the rule still covers, find the best condition. */
static void pass_grow_rule(void *context, size_t attribute, unsigned worker)
{
	struct lode_rule_grower *g = context;
	struct lode_candidate *best = &g->candidates[attribute];
	struct lode_list *grown = &g->grown[attribute];
	uint32_t n_positive = g->n_positive;

	*best = (struct lode_candidate){0};
	if (!is_numeric(g, attribute)) {
		if (!g->is_used[attribute])
			scan_nominal(g, attribute, best);
		return;
	}
	if (g->is_grown_filled)
		grown->n = lode_list_filter(grown->at, grown->at, grown->n, g->state);
	else
		pick(g, attribute, worker);
	if (grown->n != g->n_members) { /* values are missing */
		n_positive = 0;
		for (size_t i = 0; i < grown->n; i++)
			n_positive += g->state[ROW_OF(grown->at[i])] == LODE_ROW_POSITIVE;
	}
	lode_scan_covered(&g->scan, grown, n_positive, best);
}

/* The same of a rule that covers a good part of all rows: nothing is copied, and where blocks of
   rows cannot hold the best condition of all attributes, they are only summed up. */
static void sum_pass(void *context, size_t attribute, unsigned worker)
{
	struct lode_rule_grower *g = context;
	struct lode_candidate *best = &g->candidates[attribute];

	(void)worker;
	*best = (struct lode_candidate){0};
	g->gains[attribute] = 0;
	if (is_numeric(g, attribute))
		g->gains[attribute] =
			lode_scan_sum(&g->scan, &g->sorted[attribute], &g->sums[attribute]);
	else if (!g->is_used[attribute])
		scan_nominal(g, attribute, best);
}

static void scan_by_blocks(struct lode_rule_grower *g, unsigned n_threads)
{
	double floor = 0;

	lode_pool_run(n_threads, g->data->n_attributes, sum_pass, g);
	for (size_t a = 0; a < g->data->n_attributes; a++)
		floor = g->gains[a] > floor ? g->gains[a] : floor;
	for (size_t a = 0; a < g->data->n_attributes; a++)
		if (is_numeric(g, a))
			lode_scan_blocks(&g->scan, &g->sorted[a], &g->sums[a], floor,
					 &g->candidates[a]);
}

static const struct lode_candidate *best_candidate(struct lode_rule_grower *g, uint32_t *attribute)
{
	bool is_by_blocks = !g->is_grown_filled && g->n_members >= g->n_sorted_rows / WORTH_BLOCKS;
	size_t n_rows = is_by_blocks ? g->n_sorted_rows : g->n_members;
	unsigned n_threads = g->data->n_attributes * n_rows < WORTH_THREADS ? 1 : g->n_threads;
	const struct lode_candidate *best = NULL;

	if (is_by_blocks) {
		scan_by_blocks(g, n_threads);
	} else {
		lode_pool_run(n_threads, g->data->n_attributes, pass_grow_rule, g);
		g->is_grown_filled = true;
	}
	for (size_t a = 0; a < g->data->n_attributes; a++) {
		if (g->candidates[a].gain > (best ? best->gain : 0)) {
			best = &g->candidates[a];
			*attribute = (uint32_t)a;
		}
	}
	return best;
}

/* ---- One rule ---- */

static struct lode_rule_condition condition_of(const struct lode_rule_grower *g, uint32_t attribute,
					       const struct lode_candidate *c)
{
	const double *column = g->data->columns[attribute];
	double below, above, middle;

	if (c->comparison == LODE_EQUAL)
		return (struct lode_rule_condition){attribute, LODE_EQUAL, c->value};
	below = column[c->below];
	above = column[c->above];
	/* Half-way: nothing says that the border is at one of the two. */
	middle = below + (above - below) / 2;
	if (c->comparison == LODE_AT_MOST)
		middle = middle < above ? middle : below;
	else
		middle = middle > below ? middle : above;
	return (struct lode_rule_condition){attribute, c->comparison, middle};
}

/* Rows that fail the condition leave. */
static void keep_covered(struct lode_rule_grower *g, const struct lode_rule_condition *c)
{
	const double *column = g->data->columns[c->attribute];
	size_t kept = 0;

	for (size_t i = 0; i < g->n_members; i++) {
		uint32_t row = g->members[i];

		if (lode_rule_condition_holds(c, column[row])) {
			g->members[kept++] = row;
			continue;
		}
		g->n_positive -= g->state[row] == LODE_ROW_POSITIVE;
		g->state[row] = LODE_ROW_OUTSIDE;
	}
	g->n_members = kept;
}

static void begin_grow_rule(struct lode_rule_grower *g, const struct lode_rule *rule,
			    const lode_row_word *grow, const lode_row_word *positive)
{
	g->n_members = 0;
	g->n_positive = 0;
	for (size_t w = 0; w < lode_row_words(g->data->n_rows); w++) {
		for (lode_row_word bits = grow[w]; bits; bits &= bits - 1) {
			size_t row = w * 64 + (size_t)__builtin_ctzll(bits);
			bool is_positive = lode_rows_has(positive, row);

			g->state[row] = is_positive ? LODE_ROW_POSITIVE : LODE_ROW_NEGATIVE;
			g->n_positive += is_positive;
			g->members[g->n_members++] = (uint32_t)row;
		}
	}
	memset(g->is_used, 0, g->data->n_attributes * sizeof(*g->is_used));
	for (size_t i = 0; i < rule->conditions.n; i++)
		g->is_used[rule->conditions.at[i].attribute] = true;
	g->is_grown_filled = false;
}

void lode_grow_rule(struct lode_rule_grower *g, struct lode_rule *rule, const lode_row_word *grow,
		    const lode_row_word *positive, uint32_t min_positive)
{
	begin_grow_rule(g, rule, grow, positive);
	while (g->n_positive && g->n_positive < g->n_members) {
		const struct lode_candidate *best;
		struct lode_rule_condition condition;
		uint32_t attribute = 0;

		g->scan.base = g->log2_of[g->n_positive] - g->log2_of[g->n_members];
		best = best_candidate(g, &attribute);
		if (!best || best->n_positive < min_positive)
			break;
		condition = condition_of(g, attribute, best);
		lode_vec_append(&rule->conditions, condition);
		g->is_used[attribute] = true;
		keep_covered(g, &condition);
	}
	for (size_t i = 0; i < g->n_members; i++)
		g->state[g->members[i]] = LODE_ROW_OUTSIDE;
}

/* ---- The lists ---- */

/* Where each row stands in a column's list. */
static void index_list(struct lode_rule_grower *g, size_t attribute)
{
	const struct lode_list *list = &g->sorted[attribute];

	memset(g->places[attribute], 0xff, g->data->n_rows * sizeof(uint32_t)); /* LODE_NONE */
	memset(g->firsts[attribute], 0, (list->n + 63) / 64 * sizeof(uint64_t));
	for (size_t i = 0; i < list->n; i++) {
		g->places[attribute][ROW_OF(list->at[i])] = (uint32_t)i;
		g->firsts[attribute][i / 64] |= (uint64_t)(list->at[i] >> 31) << i % 64;
	}
}

static void sort_attribute(void *context, size_t attribute, unsigned worker)
{
	struct lode_rule_grower *g = context;
	struct lode_list *list = &g->sorted[attribute];
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
	g->grown[attribute].at = lode_alloc(list->n * sizeof(uint32_t) + 4);
	g->sums[attribute].at = lode_alloc(lode_blocks_of(list->n) * sizeof(uint16_t) + 2);
	g->places[attribute] = lode_alloc(g->data->n_rows * sizeof(uint32_t) + 4);
	g->firsts[attribute] = lode_alloc((list->n + 63) / 64 * sizeof(uint64_t) + 8);
	index_list(g, attribute);
}

/* Only rows with a state stay in a column's list. */
static void restrict_attribute(void *context, size_t attribute, unsigned worker)
{
	struct lode_rule_grower *g = context;
	struct lode_list *list = &g->sorted[attribute];

	(void)worker;
	if (!is_numeric(g, attribute))
		return;
	list->n = lode_list_filter(list->at, list->at, list->n, g->state);
	index_list(g, attribute);
}

static void mark(struct lode_rule_grower *g, const lode_row_word *rows)
{
	g->n_members = 0;
	for (size_t row = 0; row < g->data->n_rows; row++) {
		g->state[row] = lode_rows_has(rows, row) ? LODE_ROW_NEGATIVE : LODE_ROW_OUTSIDE;
		if (g->state[row])
			g->members[g->n_members++] = (uint32_t)row;
	}
}

struct lode_rule_grower *lode_rule_grower_new(const struct lode_dataset *data,
					      const lode_row_word *rows, unsigned n_threads)
{
	struct lode_rule_grower *g = lode_alloc0(1, sizeof(*g));
	size_t n_attributes = data->n_attributes, n_counts = 0;

	g->data = data;
	g->n_threads = n_threads ? n_threads : lode_pool_cpus();
	g->sorted = lode_arena_array0(&g->arena, struct lode_list, n_attributes + 1);
	g->places = lode_arena_array0(&g->arena, uint32_t *, n_attributes + 1);
	g->firsts = lode_arena_array0(&g->arena, uint64_t *, n_attributes + 1);
	g->marks = lode_arena_array0(&g->arena, uint64_t *, g->n_threads);
	for (unsigned i = 0; i < g->n_threads; i++)
		g->marks[i] = lode_arena_array0(&g->arena, uint64_t, data->n_rows / 64 + 1);
	g->grown = lode_arena_array0(&g->arena, struct lode_list, n_attributes + 1);
	g->state = lode_arena_array0(&g->arena, uint8_t, data->n_rows + 1);
	g->members = lode_arena_array0(&g->arena, uint32_t, data->n_rows + 1);
	g->is_used = lode_arena_array0(&g->arena, bool, n_attributes + 1);
	g->candidates = lode_arena_array0(&g->arena, struct lode_candidate, n_attributes + 1);
	g->counts_at = lode_arena_array0(&g->arena, size_t, n_attributes + 1);
	for (size_t a = 0; a < n_attributes; a++) {
		g->counts_at[a] = n_counts;
		n_counts += 2 * data->attributes[a].n_values;
	}
	g->counts = lode_arena_array0(&g->arena, uint32_t, n_counts + 1);
	/* One more than the count: the gain is a ratio of counts + 1. */
	g->log2_of = lode_arena_array0(&g->arena, double, data->n_rows + 2);
	for (size_t i = 0; i < data->n_rows + 2; i++)
		g->log2_of[i] = log2((double)i + 1);
	g->scan = (struct lode_scan){.state = g->state, .log2_of = g->log2_of};
	g->sums = lode_arena_array0(&g->arena, struct lode_block_sums, n_attributes + 1);
	g->gains = lode_arena_array0(&g->arena, double, n_attributes + 1);
	mark(g, rows);
	lode_pool_run(g->n_members < 1000 ? 1 : g->n_threads, n_attributes, sort_attribute, g);
	g->n_sorted_rows = g->n_members;
	memset(g->state, LODE_ROW_OUTSIDE, data->n_rows);
	return g;
}

void lode_rule_grower_free(struct lode_rule_grower *g)
{
	if (!g)
		return;
	for (size_t a = 0; a < g->data->n_attributes; a++) {
		free(g->sorted[a].at);
		free(g->places[a]);
		free(g->firsts[a]);
		free(g->grown[a].at);
		free(g->sums[a].at);
	}
	lode_arena_release(&g->arena);
	free(g);
}

double lode_rule_grower_possible(const struct lode_rule_grower *g)
{
	double n = 0;

	for (size_t a = 0; a < g->data->n_attributes; a++) {
		n += (double)g->data->attributes[a].n_values;
		for (size_t i = 0; i < g->sorted[a].n; i++)
			n += g->sorted[a].at[i] & FIRST ? 2 : 0;
	}
	return n;
}

void lode_rule_grower_restrict(struct lode_rule_grower *g, const lode_row_word *rows)
{
	if (lode_rows_count(rows, g->data->n_rows) == g->n_sorted_rows)
		return;
	mark(g, rows);
	lode_pool_run(g->n_members * g->data->n_attributes < WORTH_THREADS ? 1 : g->n_threads,
		      g->data->n_attributes, restrict_attribute, g);
	g->n_sorted_rows = g->n_members;
	memset(g->state, LODE_ROW_OUTSIDE, g->data->n_rows);
}
