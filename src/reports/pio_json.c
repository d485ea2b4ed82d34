#include <math.h>
#include <stdlib.h>

#include "reports/json.h"
#include "reports/pio_report.h"

static void put_ratio(struct lode_json *json, const char *key, double x)
{
	if (!isnan(x))
		lode_json_number(json, key, x);
}

static size_t shown(size_t n, size_t top)
{
	return top && n > top ? top : n;
}

static void put_more(struct lode_json *json, const char *key, size_t n, size_t top)
{
	if (top && n > top)
		lode_json_int(json, key, (int64_t)(n - top));
}

static void put_counter(struct lode_json *json, const struct lode_pio_model *model, uint32_t c)
{
	lode_json_text(json, "server", model->counters.at[c].server);
	lode_json_text(json, "counter", model->counters.at[c].name);
}

static void put_intervals(struct lode_json *json, const struct lode_pio_analysis *a)
{
	lode_json_array(json, "intervals");
	for (size_t i = 0; i < a->n_intervals; i++) {
		const struct lode_pio_interval *at = &a->intervals[i];

		lode_json_object(json, NULL);
		lode_json_int(json, "t", lode_pio_time(a, i));
		put_ratio(json, "sa_ratio", at->sa_ratio);
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

static void put_hits(struct lode_json *json, const char *key, const char *item,
		     const lode_pio_ranking *ranking, const struct lode_strings *names, size_t top)
{
	char more[32];

	lode_json_array(json, key);
	for (size_t i = 0; i < shown(ranking->n, top); i++) {
		lode_json_object(json, NULL);
		lode_json_text(json, item, names->text.at[ranking->at[i].at]);
		lode_json_int(json, "slow", (int64_t)ranking->at[i].n_slow);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
	snprintf(more, sizeof(more), "%s_more", key);
	put_more(json, more, ranking->n, top);
}

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
	}
	lode_json_array(json, "servers");
	for (size_t i = 0; i < p->servers.n; i++) {
		lode_json_object(json, NULL);
		lode_json_text(json, "server", lode_pio_server_name(a, p->servers.at[i].at));
		lode_json_number(json, "value", p->servers.at[i].value);
		lode_json_bool(json, "bottleneck", i < p->n_at_fault);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
	lode_json_array(json, "counters");
	for (size_t i = 0; i < shown(p->counters.n, r->top); i++) {
		lode_json_object(json, NULL);
		put_counter(json, a->model, p->counters.at[i].at);
		lode_json_number(json, "value", p->counters.at[i].value);
		if (!a->model->settings.is_classic)
			lode_json_number(json, "deviation", p->counters.at[i].deviation);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
	put_more(json, "counters_more", p->counters.n, r->top);
	lode_json_array(json, "rules");
	for (size_t i = 0; i < shown(p->rules.n, r->top); i++) {
		const struct lode_pio_rule_use *u = &p->rules.at[i];

		lode_json_object(json, NULL);
		lode_json_int(json, "ruleset", u->ruleset);
		lode_json_text(json, "list", u->is_med_high ? "med_high" : "low_other");
		lode_json_int(json, "rule", u->rule);
		lode_json_int(json, "intervals", u->n);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
	put_more(json, "rules_more", p->rules.n, r->top);
	put_hits(json, "actions", "action", &p->actions, &r->names->actions, r->top);
	put_hits(json, "users", "user", &p->users, &r->names->users, r->top);
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

static void put_rules(struct lode_json *json, const struct lode_pio_model *model, bool is_med_high)
{
	lode_json_array(json, is_med_high ? "med_high" : "low_other");
	for (size_t k = 0; k < model->rules.n; k++) {
		const struct lode_pio_rules *rules = &model->rules.at[k];
		const struct lode_ruleset *set = is_med_high ? &rules->med_high : &rules->low_other;
		const char *const *names =
			is_med_high ? lode_pio_med_high_names : lode_pio_low_other_names;

		for (size_t i = 0; i <= set->rules.n; i++) {
			static const struct lode_rule otherwise = {0};
			const struct lode_rule *rule =
				i < set->rules.n ? &set->rules.at[i] : &otherwise;
			const char *then =
				names[i < set->rules.n ? rule->class : set->default_class];
			char *text = lode_pio_rule_text(model, rule, then);

			lode_json_object(json, NULL);
			lode_json_int(json, "ruleset", (int64_t)k);
			lode_json_int(json, "rule", (int64_t)i);
			lode_json_text(json, "text", text);
			lode_json_text(json, "then", then);
			lode_json_int(json, "covered",
				      i < set->rules.n ? rule->n_covered : set->n_covered);
			lode_json_int(json, "wrong",
				      i < set->rules.n ? rule->n_wrong : set->n_wrong);
			lode_json_end_object(json);
			free(text);
		}
	}
	lode_json_end_array(json);
}

/* Rows of the matrix that ever left 0. */
static void put_matrix(struct lode_json *json, const struct lode_pio_analysis *a)
{
	lode_json_array(json, "matrix");
	for (size_t c = 0; c < a->model->counters.n; c++) {
		size_t i = 0;

		while (i < a->n_intervals && !(a->coverage[c][i] > 0))
			i++;
		if (i == a->n_intervals)
			continue;
		lode_json_object(json, NULL);
		put_counter(json, a->model, (uint32_t)c);
		lode_json_array(json, "values");
		for (i = 0; i < a->n_intervals; i++)
			lode_json_number(json, NULL, (double)a->coverage[c][i]);
		lode_json_end_array(json);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
}

static void put_counter_list(struct lode_json *json, const char *key,
			     const struct lode_pio_model *model, const uint32_t *at, size_t n)
{
	lode_json_array(json, key);
	for (size_t i = 0; i < n; i++) {
		lode_json_object(json, NULL);
		put_counter(json, model, at[i]);
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
	put_ratio(json, "z", a->regression.z);
	lode_json_bool(json, "estimated", a->regression.is_estimated);
	lode_json_text(json, "verdict", lode_pio_regression_verdict(&a->regression));
	lode_json_end_object(json);
}

static void put_losses(struct lode_json *json, const struct lode_losses *losses)
{
	lode_json_array(json, "losses");
	for (int k = 0; losses && k < LODE_N_LOSS_KINDS; k++) {
		const struct lode_loss *loss = &losses->by_kind[k];

		if (!loss->count)
			continue;
		lode_json_object(json, NULL);
		lode_json_text(json, "kind", lode_loss_name((enum lode_loss_kind)k));
		lode_json_int(json, "count", (int64_t)loss->count);
		lode_json_text(json, "detail", loss->detail);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
}

void lode_pio_report_json(FILE *out, const struct lode_pio_report *r)
{
	const struct lode_pio_analysis *a = r->analysis;
	struct lode_json *json = lode_json_open(out, "lode/pio/1");

	lode_json_bool(json, "classic", a->model->settings.is_classic);
	lode_json_int(json, "step_ns", a->step_ns);
	lode_json_int(json, "start", a->start_ns);
	lode_json_int(json, "end", lode_pio_time(a, a->n_intervals));
	lode_json_bool(json, "has_log", a->has_log);
	put_periods(json, "periods", r, &a->periods, r->order);
	put_periods(json, "unfelt", r, &a->unfelt, LODE_PIO_BY_TIME);
	put_periods(json, "unexplained", r, &a->unexplained, LODE_PIO_BY_TIME);
	put_advice(json, a);
	put_losses(json, r->losses);
	lode_json_object(json, "rules");
	put_rules(json, a->model, false);
	put_rules(json, a->model, true);
	lode_json_end_object(json);
	put_matrix(json, a);
	put_intervals(json, a);
	lode_json_close(json);
}
