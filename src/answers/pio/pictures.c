/* What is drawn: lines, bands and maps over the intervals. */
#include "answers/pio/parts.h"

/* Counters of each period whose raw values are given. */
enum { SERIES_PER_PERIOD = 8 };

/* ---- Rows of the heat map ---- */

LODE_COMPARE(by_value, struct lode_pio_ranked,
	     LODE_ORDER(b->value, a->value) ?: LODE_ORDER(a->at, b->at))

LODE_COMPARE(by_counter, struct lode_pio_ranked, LODE_ORDER(a->at, b->at))

/*
 * Counters that ever left 0 in the matrix, of these the `most` (0: all) with the largest cells, by
 * server and name; value: the largest cell. Gives how many there are in all.
 */
static size_t find_map_rows(lode_pio_ranking *rows, const struct lode_pio_analysis *a, size_t most)
{
	size_t n;

	for (size_t c = 0; c < a->model->counters.n; c++) {
		struct lode_pio_ranked row = {.at = (uint32_t)c};

		for (size_t i = 0; i < a->n_intervals; i++)
			row.value = fmax(row.value, (double)a->coverage[c][i]);
		if (row.value > 0)
			lode_vec_append(rows, row);
	}
	n = rows->n;
	if (!n)
		return 0;
	lode_sort(rows->at, n, by_value);
	rows->n = lode_pio_shown(n, most);
	lode_sort(rows->at, rows->n, by_counter);
	return n;
}

/* ---- The heat map for terminals ---- */

static double largest_cell(const float *row, size_t first, size_t end)
{
	double most = 0;

	for (size_t i = first; i < end; i++)
		most = fmax(most, (double)row[i]);
	return most;
}

/* Which columns hold a slow period, and a HIGH interval. */
static void mark_columns(struct lode_pio_map *out, const struct lode_pio_analysis *a,
			 size_t per_column, struct lode_arena *arena)
{
	bool *is_slow = lode_arena_array(arena, bool, out->n_columns);
	bool *is_high = lode_arena_array(arena, bool, out->n_columns);

	for (size_t c = 0; c < out->n_columns; c++) {
		size_t first = c * per_column, end = first + per_column;

		is_slow[c] = is_high[c] = false;
		for (size_t k = 0; k < a->periods.n; k++)
			is_slow[c] |=
				a->periods.at[k].first < end && a->periods.at[k].last >= first;
		for (size_t i = first; i < end && i < a->n_intervals; i++)
			is_high[c] |= a->intervals[i].class == LODE_PIO_HIGH;
	}
	out->is_slow = is_slow;
	out->is_high = is_high;
}

void lode_pio_map_build(struct lode_pio_map *out, const struct lode_pio_analysis *a,
			const struct lode_pio_request *request, struct lode_arena *arena)
{
	lode_pio_ranking rows = {0};
	size_t per_column;
	double most = 0;

	if (!request->map_columns || !find_map_rows(&rows, a, 3 * request->top))
		return;
	per_column = (a->n_intervals + request->map_columns - 1) / request->map_columns;
	out->n_columns = (a->n_intervals + per_column - 1) / per_column;
	out->column_ns = (int64_t)per_column * a->step_ns;
	mark_columns(out, a, per_column, arena);
	for (size_t k = 0; k < rows.n; k++)
		most = fmax(most, rows.at[k].value);
	out->n_rows = rows.n;
	out->rows = lode_arena_array(arena, struct lode_pio_map_row, rows.n);
	for (size_t k = 0; k < rows.n; k++) {
		const struct lode_pio_counter *counter = &a->model->counters.at[rows.at[k].at];
		double *cells = lode_arena_array(arena, double, out->n_columns);

		for (size_t c = 0; c < out->n_columns; c++) {
			size_t first = c * per_column, left = a->n_intervals - first;

			cells[c] = largest_cell(a->coverage[rows.at[k].at], first,
						first + lode_pio_shown(left, per_column)) /
				   most;
		}
		out->rows[k] = (struct lode_pio_map_row){counter->server, counter->name, cells};
	}
	lode_vec_release(&rows);
}

/* ---- Evidence, and the rule coverage matrix ---- */

static struct lode_pio_line_list evidence_lines(const struct lode_pio_analysis *a,
						struct lode_arena *arena)
{
	struct lode_pio_line_list out = {
		lode_arena_array(arena, struct lode_pio_line, a->n_servers + 1), a->n_servers};

	for (size_t s = 0; s < out.n; s++)
		out.at[s] = (struct lode_pio_line){lode_pio_server_name(a->model, (uint32_t)s),
						   NULL, a->detections[s], a->n_intervals};
	return out;
}

static struct lode_pio_line_list matrix_lines(const struct lode_pio_analysis *a,
					      const lode_pio_ranking *rows,
					      struct lode_arena *arena)
{
	struct lode_pio_line_list out = {lode_arena_array(arena, struct lode_pio_line, rows->n + 1),
					 rows->n};

	for (size_t k = 0; k < out.n; k++) {
		uint32_t c = rows->at[k].at;
		const struct lode_pio_counter *counter = &a->model->counters.at[c];

		out.at[k] = (struct lode_pio_line){counter->server, counter->name, a->coverage[c],
						   a->n_intervals};
	}
	return out;
}

/* ---- Rules, and where each decided ---- */

/* Did rule `at` of ruleset `k` decide interval `i`? `at` n: the list's default. */
static bool is_decided(const struct lode_pio_analysis *a, size_t k, bool is_med_high, size_t at,
		       size_t n, size_t i)
{
	const struct lode_pio_verdict *v = &a->verdicts[k * a->n_intervals + i];
	size_t fired = is_med_high ? v->fired.med_high : v->fired.low_other;

	if (v->class == LODE_PIO_NONE || (is_med_high && v->class == LODE_PIO_LOW))
		return false;
	return at < n ? fired == at : fired == LODE_NO_RULE;
}

static void find_spans(struct lode_pio_rule_row *row, const struct lode_pio_analysis *a,
		       bool is_med_high, size_t n_rules, struct lode_arena *arena)
{
	LODE_VEC(uint32_t) spans = {0};
	uint32_t *kept;

	for (size_t i = 0; i < a->n_intervals; i++) {
		size_t first = i;

		while (i < a->n_intervals &&
		       is_decided(a, row->ruleset, is_med_high, row->rule, n_rules, i))
			i++;
		if (i == first)
			continue;
		lode_vec_append(&spans, (uint32_t)first);
		lode_vec_append(&spans, (uint32_t)i - 1);
	}
	kept = lode_arena_array(arena, uint32_t, spans.n + 1);
	if (spans.n)
		memcpy(kept, spans.at, spans.n * sizeof(*kept));
	row->spans = kept;
	row->n_spans = spans.n / 2;
	lode_vec_release(&spans);
}

static size_t count_rules(const struct lode_pio_model *model, size_t ruleset, bool is_med_high)
{
	const struct lode_pio_rules *rules = &model->rules.at[ruleset];

	return is_med_high ? rules->med_high.rules.n : rules->low_other.rules.n;
}

/* Those of all rulesets, each with its default behind. */
static struct lode_pio_rule_list rule_rows(const struct lode_pio_analysis *a, bool is_med_high,
					   struct lode_arena *arena)
{
	struct lode_pio_rule_list out = {0};
	size_t n = 0;

	for (size_t k = 0; k < a->model->rules.n; k++)
		n += count_rules(a->model, k, is_med_high) + 1;
	out.at = lode_arena_array(arena, struct lode_pio_rule_row, n + 1);
	for (size_t k = 0; k < a->model->rules.n; k++) {
		size_t n_rules = count_rules(a->model, k, is_med_high);

		for (size_t i = 0; i <= n_rules; i++) {
			struct lode_pio_rule_row *row = &out.at[out.n++];

			*row = lode_pio_rule_row(a->model, k, is_med_high, i, arena);
			find_spans(row, a, is_med_high, n_rules, arena);
		}
	}
	return out;
}

/* ---- Raw counters ---- */

/* Which counters: those of the heat map, and those ranked first in a period. */
static bool *choose_series(const struct lode_pio_analysis *a, enum lode_pio_series which,
			   const lode_pio_ranking *rows)
{
	const lode_pio_periods *const lists[] = {&a->periods, &a->unfelt, &a->unexplained};
	bool *is_chosen = lode_alloc0(a->model->counters.n + 1, sizeof(*is_chosen));

	for (size_t c = 0; c < a->model->counters.n; c++)
		is_chosen[c] = which == LODE_PIO_SERIES_ALL;
	if (which != LODE_PIO_SERIES_TOP)
		return is_chosen;
	for (size_t k = 0; k < rows->n; k++)
		is_chosen[rows->at[k].at] = true;
	for (size_t l = 0; l < sizeof(lists) / sizeof(lists[0]); l++) {
		for (size_t p = 0; p < lists[l]->n; p++) {
			const lode_pio_ranking *counters = &lists[l]->at[p].counters;

			for (size_t i = 0; i < counters->n && i < SERIES_PER_PERIOD; i++)
				is_chosen[counters->at[i].at] = true;
		}
	}
	return is_chosen;
}

/* Of the intervals that a point stands for, the value furthest from the median: what stands out
   stays. */
static double furthest(const double *values, size_t first, size_t end, double median)
{
	double chosen = NAN;

	for (size_t i = first; i < end; i++) {
		if (isnan(chosen) || fabs(values[i] - median) > fabs(chosen - median))
			chosen = values[i];
	}
	return chosen;
}

/* The lower border: 0 where it is below, but no value is, as of a counter that counts. */
static double shown_low(const struct lode_pio_counter *counter, const double *values, size_t n)
{
	if (counter->fall.border >= 0 || counter->median < 0)
		return counter->fall.border;
	for (size_t i = 0; i < n; i++)
		if (values[i] < 0)
			return counter->fall.border;
	return 0;
}

static struct lode_pio_values values_of(const struct lode_pio_analysis *a, uint32_t c,
					size_t per_point, struct lode_arena *arena)
{
	const struct lode_pio_counter *counter = &a->model->counters.at[c];
	bool has_median = !isnan(counter->median);
	struct lode_pio_values out = {
		.server = counter->server,
		.counter = counter->name,
		.median = has_median ? lode_pio_finite(counter->median) : NAN,
		.low = has_median
			       ? lode_pio_finite(shown_low(counter, a->values[c], a->n_intervals))
			       : NAN,
		.high = has_median ? lode_pio_finite(counter->rise.border) : NAN,
		.is_drifting = counter->is_drifting,
		.values = a->values[c],
		.n = a->n_intervals,
	};
	double *points;

	if (per_point == 1)
		return out;
	out.n = (a->n_intervals + per_point - 1) / per_point;
	points = lode_arena_array(arena, double, out.n + 1);
	for (size_t i = 0; i < out.n; i++) {
		size_t first = i * per_point, left = a->n_intervals - first;

		points[i] = furthest(a->values[c], first, first + lode_pio_shown(left, per_point),
				     has_median ? counter->median : 0);
	}
	out.values = points;
	return out;
}

static void list_series(struct lode_pio_pictures *out, const struct lode_pio_analysis *a,
			const struct lode_pio_request *request, const lode_pio_ranking *rows,
			struct lode_arena *arena)
{
	size_t per_point =
		request->points ? (a->n_intervals + request->points - 1) / request->points : 1;
	bool *is_chosen = choose_series(a, request->series, rows);

	if (!per_point)
		per_point = 1;
	out->series_step_ns = (int64_t)per_point * a->step_ns;
	out->series = lode_arena_array(arena, struct lode_pio_values, a->model->counters.n + 1);
	for (size_t c = 0; c < a->model->counters.n && a->values; c++) {
		if (is_chosen[c])
			out->series[out->n_series++] = values_of(a, (uint32_t)c, per_point, arena);
	}
	free(is_chosen);
}

void lode_pio_pictures_build(struct lode_pio_pictures *out, const struct lode_pio_analysis *a,
			     const struct lode_pio_request *request, struct lode_arena *arena)
{
	const struct lode_pio_model *model = a->model;
	lode_pio_ranking rows = {0};
	size_t n_rows = find_map_rows(&rows, a, request->top);

	*out = (struct lode_pio_pictures){
		.med = model->med_bound,
		.high = model->high_bound,
		.healthy = model->settings.is_classic ? NAN : lode_pio_finite(model->healthy_ratio),
		.evidence =
			model->settings.is_classic ? NAN : lode_pio_finite(model->evidence_bound),
		.servers = evidence_lines(a, arena),
		.matrix = matrix_lines(a, &rows, arena),
		.n_matrix_more = n_rows - rows.n,
		.low_other = rule_rows(a, false, arena),
		.med_high = rule_rows(a, true, arena),
		.n_intervals = a->n_intervals,
		.analysis = a,
	};
	list_series(out, a, request, &rows, arena);
	lode_vec_release(&rows);
}
