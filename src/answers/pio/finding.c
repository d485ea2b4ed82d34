/* A slow period with names and times, for text, JSON and hooks. */
#include "answers/pio/parts.h"

double lode_pio_finite(double value)
{
	return isfinite(value) ? value : 0;
}

static void found_servers(struct lode_pio_found *out, const struct lode_pio_analysis *a,
			  const struct lode_pio_period *p, struct lode_arena *arena)
{
	out->n_servers = p->servers.n;
	out->n_bottlenecks = p->n_at_fault;
	out->servers = lode_arena_array(arena, struct lode_pio_found_server, p->servers.n + 1);
	for (size_t i = 0; i < p->servers.n; i++) {
		const struct lode_pio_ranked *s = &p->servers.at[i];

		out->servers[i] = (struct lode_pio_found_server){
			.server = lode_pio_server_name(a->model, s->at),
			.value = s->value,
			.share_pct = 100 * s->value / p->servers.at[0].value,
			.is_bottleneck = s->is_at_fault,
			.start_ns = s->is_at_fault ? lode_pio_time(a, s->first) : LODE_NO_INT,
			.end_ns = s->is_at_fault ? lode_pio_time(a, s->last + 1) : LODE_NO_INT,
		};
	}
}

/* How many are kept: those shown, and the few that sentences name. */
static size_t list_found(size_t *n, size_t *n_more, size_t n_all, size_t top)
{
	size_t few = lode_pio_shown(n_all, LODE_PIO_FEW);

	*n = lode_pio_shown(n_all, top);
	*n_more = n_all - *n;
	return *n > few ? *n : few;
}

static void found_counters(struct lode_pio_found *out, const struct lode_pio_analysis *a,
			   const struct lode_pio_period *p, size_t top, struct lode_arena *arena)
{
	out->n_counters_there =
		list_found(&out->n_counters, &out->n_counters_more, p->counters.n, top);
	out->counters =
		lode_arena_array(arena, struct lode_pio_found_counter, out->n_counters_there + 1);
	for (size_t i = 0; i < out->n_counters_there; i++) {
		const struct lode_pio_ranked *c = &p->counters.at[i];
		const struct lode_pio_counter *counter = &a->model->counters.at[c->at];

		out->counters[i] = (struct lode_pio_found_counter){
			.server = counter->server,
			.counter = counter->name,
			.value = c->value,
			.deviation = a->deviations ? lode_pio_finite(c->deviation) : NAN,
			.start_ns = lode_pio_time(a, c->first),
			.end_ns = lode_pio_time(a, c->last + 1),
			.is_late = c->first > p->first + a->model->settings.window,
		};
	}
}

static struct lode_pio_found_hits found_hits(const lode_pio_ranking *ranking,
					     const struct lode_strings *names, size_t top,
					     struct lode_arena *arena)
{
	struct lode_pio_found_hits out;

	out.n_there = list_found(&out.n, &out.n_more, ranking->n, top);
	out.at = lode_arena_array(arena, struct lode_pio_found_hit, out.n_there + 1);
	for (size_t i = 0; i < out.n_there; i++)
		out.at[i] = (struct lode_pio_found_hit){names->text.at[ranking->at[i].at],
							ranking->at[i].n_slow};
	return out;
}

void lode_pio_found_place(struct lode_pio_found *out, int64_t start_ns, int64_t end_ns,
			  int64_t known_ns, struct lode_arena *arena)
{
	char start[LODE_PIO_TIME_BYTES];

	out->start_ns = start_ns;
	out->end_ns = end_ns;
	out->known_ns = known_ns;
	out->duration_ns = end_ns - start_ns;
	lode_pio_time_text(start, start_ns, false);
	out->start_utc = lode_arena_strdup(arena, start);
}

void lode_pio_found_build(struct lode_pio_found *out, const struct lode_pio_analysis *a,
			  const struct lode_pio_period *p, const struct lode_request_names *names,
			  size_t top, struct lode_arena *arena)
{
	*out = (struct lode_pio_found){
		.intensity_max = p->intensity_max,
		.evidence_max = a->deviations ? lode_pio_finite(p->evidence_max) : NAN,
		.judged = lode_pio_judged_words(a->model),
		.n_requests = a->has_log ? (int64_t)p->n : LODE_NO_INT,
		.n_slow = a->has_log ? (int64_t)p->n_slow : LODE_NO_INT,
		.n_client = a->has_log ? (int64_t)p->n_client : LODE_NO_INT,
		.excess_slow = a->has_log ? lode_pio_finite(p->excess) : NAN,
		.slow_pct = p->n ? 100.0 * (double)p->n_slow / (double)p->n : NAN,
		.client_pct = p->n_client && (double)p->n_client > p->excess
				      ? 100.0 * (double)p->n_client / (double)p->n
				      : NAN,
		.actions = found_hits(&p->actions, &names->actions, top, arena),
		.users = found_hits(&p->users, &names->users, top, arena),
	};
	lode_pio_found_place(out, lode_pio_time(a, p->first), lode_pio_time(a, p->last + 1),
			     lode_pio_time(a, p->reported + 1), arena);
	found_servers(out, a, p, arena);
	found_counters(out, a, p, top, arena);
}

void lode_pio_found_rules(struct lode_pio_found *out, const struct lode_pio_analysis *a,
			  const struct lode_pio_period *p, size_t top, struct lode_arena *arena)
{
	size_t few = lode_pio_shown(p->rules.n, LODE_PIO_FEW);

	out->n_rules_there = list_found(&out->n_rules, &out->n_rules_more, p->rules.n, top);
	out->rules = lode_arena_array(arena, struct lode_pio_found_rule, out->n_rules_there + 1);
	for (size_t i = 0; i < out->n_rules_there; i++) {
		const struct lode_pio_rule_use *u = &p->rules.at[i];

		out->rules[i] = (struct lode_pio_found_rule){u->ruleset, u->rule, u->n,
							     u->is_med_high, NULL};
		if (i < few)
			out->rules[i].text = lode_pio_rule_row(a->model, u->ruleset, u->is_med_high,
							       u->rule, arena)
						     .text;
	}
}
