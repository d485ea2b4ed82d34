#include "reports/pio_parts.h"

void lode_pio_put_more(struct lode_json *json, const char *key, size_t n, size_t top)
{
	char more[32];

	snprintf(more, sizeof(more), "%s_more", key);
	if (top && n > top)
		lode_json_int(json, more, (int64_t)(n - top));
}

void lode_pio_put_counter(struct lode_json *json, const struct lode_pio_model *model, uint32_t c)
{
	lode_json_text(json, "server", model->counters.at[c].server);
	lode_json_text(json, "counter", model->counters.at[c].name);
}

static void put_span(struct lode_json *json, const struct lode_pio_analysis *a,
		     const struct lode_pio_ranked *ranked)
{
	lode_json_int(json, "start", lode_pio_time(a, ranked->first));
	lode_json_int(json, "end", lode_pio_time(a, ranked->last + 1));
}

static void put_servers(struct lode_json *json, const struct lode_pio_analysis *a,
			const struct lode_pio_period *p)
{
	lode_json_array(json, "servers");
	for (size_t i = 0; i < p->servers.n; i++) {
		lode_json_object(json, NULL);
		lode_json_text(json, "server", lode_pio_server_name(a, p->servers.at[i].at));
		lode_json_number(json, "value", p->servers.at[i].value);
		lode_json_bool(json, "bottleneck", p->servers.at[i].is_at_fault);
		if (p->servers.at[i].is_at_fault)
			put_span(json, a, &p->servers.at[i]);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
}

static void put_counters(struct lode_json *json, const struct lode_pio_analysis *a,
			 const struct lode_pio_period *p, size_t top)
{
	lode_json_array(json, "counters");
	for (size_t i = 0; i < lode_pio_shown(p->counters.n, top); i++) {
		lode_json_object(json, NULL);
		lode_pio_put_counter(json, a->model, p->counters.at[i].at);
		lode_json_number(json, "value", p->counters.at[i].value);
		if (a->deviations)
			lode_json_number(json, "deviation", p->counters.at[i].deviation);
		put_span(json, a, &p->counters.at[i]);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
	lode_pio_put_more(json, "counters", p->counters.n, top);
}

static void put_hits(struct lode_json *json, const char *key, const char *item,
		     const lode_pio_ranking *ranking, const struct lode_strings *names, size_t top)
{
	lode_json_array(json, key);
	for (size_t i = 0; i < lode_pio_shown(ranking->n, top); i++) {
		lode_json_object(json, NULL);
		lode_json_text(json, item, names->text.at[ranking->at[i].at]);
		lode_json_int(json, "slow", (int64_t)ranking->at[i].n_slow);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
	lode_pio_put_more(json, key, ranking->n, top);
}

void lode_pio_put_ranked(struct lode_json *json, const struct lode_pio_analysis *a,
			 const struct lode_pio_period *p, const struct lode_request_names *names,
			 size_t top)
{
	put_servers(json, a, p);
	put_counters(json, a, p, top);
	put_hits(json, "actions", "action", &p->actions, &names->actions, top);
	put_hits(json, "users", "user", &p->users, &names->users, top);
}
