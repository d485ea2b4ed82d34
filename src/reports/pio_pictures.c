/* What the page of `lode pio` draws: lines, bands and maps over the intervals. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "reports/pio_parts.h"

/* Counters of each period whose raw values stand in JSON. */
enum { SERIES_PER_PERIOD = 8 };

/* ---- Bounds, servers, intervals ---- */

static void put_bounds(struct lode_json *json, const struct lode_pio_model *model)
{
	lode_json_object(json, "bounds");
	lode_json_number(json, "med", model->med_bound);
	lode_json_number(json, "high", model->high_bound);
	if (!model->settings.is_classic) {
		lode_json_number(json, "healthy", model->healthy_ratio);
		lode_json_number(json, "evidence", model->evidence_bound);
	}
	lode_json_end_object(json);
}

static void put_evidence(struct lode_json *json, const struct lode_pio_analysis *a)
{
	lode_json_array(json, "servers");
	for (size_t s = 0; s < a->n_servers; s++) {
		lode_json_object(json, NULL);
		lode_json_text(json, "server", lode_pio_server_name(a, (uint32_t)s));
		lode_json_array(json, "evidence");
		for (size_t i = 0; i < a->n_intervals; i++)
			lode_json_number(json, NULL, (double)a->detections[s][i]);
		lode_json_end_array(json);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
}

static void put_intervals(struct lode_json *json, const struct lode_pio_analysis *a)
{
	lode_json_array(json, "intervals");
	for (size_t i = 0; i < a->n_intervals; i++) {
		const struct lode_pio_interval *at = &a->intervals[i];

		lode_json_object(json, NULL);
		lode_json_int(json, "t", lode_pio_time(a, i));
		if (!isnan(at->sa_ratio))
			lode_json_number(json, "sa_ratio", at->sa_ratio);
		lode_json_text(json, "class", lode_pio_class_name((enum lode_pio_class)at->class));
		lode_json_text(json, "estimated",
			       lode_pio_class_name((enum lode_pio_class)at->estimated));
		lode_json_int(json, "intensity", at->intensity);
		lode_json_int(json, "requests", at->n);
		lode_json_int(json, "slow", at->n_slow);
		if (!a->model->settings.is_classic)
			lode_json_number(json, "evidence", at->evidence);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
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

/* As runs: [first, last], numbers of intervals. */
static void put_decided(struct lode_json *json, const struct lode_pio_analysis *a, size_t k,
			bool is_med_high, size_t at, size_t n)
{
	lode_json_array(json, "intervals");
	for (size_t i = 0; i < a->n_intervals; i++) {
		size_t first = i;

		while (i < a->n_intervals && is_decided(a, k, is_med_high, at, n, i))
			i++;
		if (i == first)
			continue;
		lode_json_array(json, NULL);
		lode_json_int(json, NULL, (int64_t)first);
		lode_json_int(json, NULL, (int64_t)i - 1);
		lode_json_end_array(json);
	}
	lode_json_end_array(json);
}

static void put_rule(struct lode_json *json, const struct lode_pio_analysis *a, size_t k,
		     bool is_med_high, size_t at)
{
	static const struct lode_rule otherwise = {0};
	const struct lode_pio_rules *rules = &a->model->rules.at[k];
	const struct lode_ruleset *set = is_med_high ? &rules->med_high : &rules->low_other;
	const char *const *names = is_med_high ? lode_pio_med_high_names : lode_pio_low_other_names;
	bool is_rule = at < set->rules.n;
	const struct lode_rule *rule = is_rule ? &set->rules.at[at] : &otherwise;
	const char *then = names[is_rule ? rule->class : set->default_class];
	char *text = lode_pio_rule_text(a->model, rule, then);

	lode_json_object(json, NULL);
	lode_json_int(json, "ruleset", (int64_t)k);
	lode_json_int(json, "rule", (int64_t)at);
	lode_json_text(json, "text", text);
	lode_json_text(json, "then", then);
	lode_json_int(json, "covered", is_rule ? rule->n_covered : set->n_covered);
	lode_json_int(json, "wrong", is_rule ? rule->n_wrong : set->n_wrong);
	put_decided(json, a, k, is_med_high, at, set->rules.n);
	lode_json_end_object(json);
	free(text);
}

static void put_rules(struct lode_json *json, const struct lode_pio_analysis *a, bool is_med_high)
{
	lode_json_array(json, is_med_high ? "med_high" : "low_other");
	for (size_t k = 0; k < a->model->rules.n; k++) {
		const struct lode_pio_rules *rules = &a->model->rules.at[k];
		size_t n = is_med_high ? rules->med_high.rules.n : rules->low_other.rules.n;

		for (size_t i = 0; i <= n; i++)
			put_rule(json, a, k, is_med_high, i);
	}
	lode_json_end_array(json);
}

/* ---- The heat map ---- */

/* Rows of the matrix that ever left 0; of those with the largest cells as many as are shown. */
static void put_matrix(struct lode_json *json, const struct lode_pio_report *r,
		       const lode_pio_ranking *rows, size_t n_all)
{
	const struct lode_pio_analysis *a = r->analysis;

	lode_json_array(json, "matrix");
	for (size_t k = 0; k < rows->n; k++) {
		uint32_t c = rows->at[k].at;

		lode_json_object(json, NULL);
		lode_pio_put_counter(json, a->model, c);
		lode_json_array(json, "values");
		for (size_t i = 0; i < a->n_intervals; i++)
			lode_json_number(json, NULL, (double)a->coverage[c][i]);
		lode_json_end_array(json);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
	lode_pio_put_more(json, "matrix", n_all, r->top);
}

/* ---- Raw counters ---- */

/* Which counters: those of the heat map, and those ranked first in a period. */
static bool *choose_series(const struct lode_pio_report *r, const lode_pio_ranking *rows)
{
	const struct lode_pio_analysis *a = r->analysis;
	const lode_pio_periods *const lists[] = {&a->periods, &a->unfelt, &a->unexplained};
	bool *is_chosen = lode_alloc0(a->model->counters.n + 1, sizeof(*is_chosen));

	for (size_t c = 0; c < a->model->counters.n; c++)
		is_chosen[c] = r->series == LODE_PIO_SERIES_ALL;
	if (r->series != LODE_PIO_SERIES_TOP)
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
static double point(const double *values, size_t first, size_t end, double median)
{
	double chosen = NAN;

	for (size_t i = first; i < end; i++) {
		if (isnan(chosen) || fabs(values[i] - median) > fabs(chosen - median))
			chosen = values[i];
	}
	return chosen;
}

static void put_one_series(struct lode_json *json, const struct lode_pio_analysis *a, uint32_t c,
			   size_t per_point)
{
	const struct lode_pio_counter *counter = &a->model->counters.at[c];

	lode_json_object(json, NULL);
	lode_pio_put_counter(json, a->model, c);
	if (!isnan(counter->median)) {
		lode_json_number(json, "median", counter->median);
		lode_json_number(json, "low", counter->fall.border);
		lode_json_number(json, "high", counter->rise.border);
	}
	lode_json_bool(json, "drifting", counter->is_drifting);
	lode_json_array(json, "values");
	for (size_t i = 0; i < a->n_intervals; i += per_point) {
		size_t end = a->n_intervals - i < per_point ? a->n_intervals : i + per_point;
		double value =
			point(a->values[c], i, end, isnan(counter->median) ? 0 : counter->median);

		if (isnan(value))
			lode_json_null(json, NULL);
		else
			lode_json_number(json, NULL, value);
	}
	lode_json_end_array(json);
	lode_json_end_object(json);
}

static void put_series(struct lode_json *json, const struct lode_pio_report *r,
		       const lode_pio_ranking *rows)
{
	const struct lode_pio_analysis *a = r->analysis;
	size_t per_point = r->points ? (a->n_intervals + r->points - 1) / r->points : 1;
	bool *is_chosen = choose_series(r, rows);

	if (!per_point)
		per_point = 1;
	lode_json_int(json, "series_step_ns", (int64_t)per_point * a->step_ns);
	lode_json_array(json, "series");
	for (size_t c = 0; c < a->model->counters.n && a->values; c++) {
		if (is_chosen[c])
			put_one_series(json, a, (uint32_t)c, per_point);
	}
	lode_json_end_array(json);
	free(is_chosen);
}

void lode_pio_put_pictures(struct lode_json *json, const struct lode_pio_report *r)
{
	const struct lode_pio_analysis *a = r->analysis;
	lode_pio_ranking rows = {0};
	size_t n_rows = lode_pio_map_rows(&rows, a, r->top);

	put_bounds(json, a->model);
	put_evidence(json, a);
	lode_json_object(json, "rules");
	put_rules(json, a, false);
	put_rules(json, a, true);
	lode_json_end_object(json);
	put_matrix(json, r, &rows, n_rows);
	put_series(json, r, &rows);
	put_intervals(json, a);
	lode_vec_release(&rows);
}
