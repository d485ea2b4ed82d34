#include <math.h>
#include <stdlib.h>

#include "reports/pio_parts.h"
#include "reports/json_parts.h"

static void put_period(struct lode_json *json, const struct lode_pio_report *r,
		       const struct lode_pio_period *p)
{
	const struct lode_pio_analysis *a = r->analysis;
	int64_t end = lode_pio_time(a, p->last + 1);
	char text[LODE_PIO_TIME_BYTES];

	lode_json_object(json, NULL);
	lode_json_int(json, "start", lode_pio_time(a, p->first));
	lode_json_int(json, "end", end);
	lode_json_int(json, "reported", lode_pio_time(a, p->reported + 1));
	lode_json_text(json, "start_utc",
		       lode_pio_time_text(text, lode_pio_time(a, p->first), false));
	lode_json_int(json, "duration_ns", end - lode_pio_time(a, p->first));
	lode_json_int(json, "intensity_max", p->intensity_max);
	if (!a->model->settings.is_classic)
		lode_json_number(json, "evidence_max", p->evidence_max);
	if (a->has_log) {
		lode_json_int(json, "requests", (int64_t)p->n);
		lode_json_int(json, "slow", (int64_t)p->n_slow);
		lode_json_number(json, "excess_slow", p->excess);
		lode_json_int(json, "client", (int64_t)p->n_client);
	}
	lode_pio_put_ranked(json, a, p, r->names, r->top);
	lode_json_array(json, "rules");
	for (size_t i = 0; i < lode_pio_shown(p->rules.n, r->top); i++) {
		const struct lode_pio_rule_use *u = &p->rules.at[i];

		lode_json_object(json, NULL);
		lode_json_int(json, "ruleset", u->ruleset);
		lode_json_text(json, "list", u->is_med_high ? "med_high" : "low_other");
		lode_json_int(json, "rule", u->rule);
		lode_json_int(json, "intervals", u->n);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
	lode_pio_put_more(json, "rules", p->rules.n, r->top);
	lode_json_end_object(json);
}

static void put_periods(struct lode_json *json, const char *key, const struct lode_pio_report *r,
			const lode_pio_periods *periods, enum lode_pio_order by)
{
	size_t *order = lode_pio_period_order(periods, by);

	lode_json_array(json, key);
	for (size_t i = 0; i < periods->n; i++)
		put_period(json, r, &periods->at[order[i]]);
	lode_json_end_array(json);
	free(order);
}

static void put_counter_list(struct lode_json *json, const char *key,
			     const struct lode_pio_model *model, const uint32_t *at, size_t n)
{
	lode_json_array(json, key);
	for (size_t i = 0; i < n; i++) {
		lode_json_object(json, NULL);
		lode_pio_put_counter(json, model, at[i]);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
}

static void put_advice(struct lode_json *json, const struct lode_pio_analysis *a)
{
	const struct lode_pio_advice *advice = &a->advice;

	lode_json_object(json, "retraining");
	put_counter_list(json, "vanished", a->model, advice->vanished.at, advice->vanished.n);
	put_counter_list(json, "shifted", a->model, advice->shifted.at, advice->shifted.n);
	lode_json_array(json, "appeared");
	for (size_t i = 0; i < advice->appeared.n; i++) {
		lode_json_object(json, NULL);
		lode_json_text(json, "server", advice->appeared.at[i]->server);
		lode_json_text(json, "counter", advice->appeared.at[i]->name);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
	lode_json_int(json, "unjudged_requests", (int64_t)advice->n_unjudged);
	lode_json_bool(json, "class_drift", advice->is_class_drift);
	lode_json_bool(json, "advised", lode_pio_is_retraining_advised(a));
	lode_json_end_object(json);
	lode_json_object(json, "regression");
	lode_json_int(json, "intervals", (int64_t)a->regression.n);
	lode_json_int(json, "high", (int64_t)a->regression.n_high);
	lode_json_number(json, "expected", a->regression.expected);
	if (!isnan(a->regression.z))
		lode_json_number(json, "z", a->regression.z);
	lode_json_bool(json, "estimated", a->regression.is_estimated);
	lode_json_text(json, "verdict", lode_pio_regression_verdict(&a->regression));
	lode_json_end_object(json);
}

void lode_pio_report_json(FILE *out, const struct lode_pio_report *r)
{
	const struct lode_pio_analysis *a = r->analysis;
	struct lode_json *json = lode_json_open(out, "lode/pio/1");

	lode_json_bool(json, "classic", a->model->settings.is_classic);
	lode_json_int(json, "step_ns", a->step_ns);
	lode_json_int(json, "start", a->start_ns);
	lode_json_int(json, "end", lode_pio_time(a, a->n_intervals));
	lode_json_array(json, "pauses");
	for (size_t i = 0; i < a->pauses.n; i++) {
		lode_json_object(json, NULL);
		lode_json_int(json, "interval", (int64_t)a->pauses.at[i].at);
		lode_json_int(json, "left_out_ns", a->pauses.at[i].n_left_out * a->step_ns);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
	lode_json_bool(json, "has_log", a->has_log);
	put_periods(json, "periods", r, &a->periods, r->order);
	put_periods(json, "unfelt", r, &a->unfelt, LODE_PIO_BY_TIME);
	put_periods(json, "unexplained", r, &a->unexplained, LODE_PIO_BY_TIME);
	put_advice(json, a);
	lode_json_losses(json, r->losses, "detail", false);
	lode_pio_put_pictures(json, r);
	lode_json_close(json);
}
