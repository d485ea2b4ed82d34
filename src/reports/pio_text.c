#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/escape.h"
#include "reports/pio_parts.h"
#include "reports/units.h"

enum { NAME_COLUMNS = 28 };

/* "web/cpu_user_ms", harmless, at most `columns` wide. */
static const char *counter_name(char *buffer, size_t size, const struct lode_pio_counter *c,
				size_t columns)
{
	char name[1024];

	snprintf(name, sizeof(name), "%s%s%s", c->server, c->server[0] ? "/" : "", c->name);
	return lode_escape_fit(buffer, size, name, columns);
}

/* ---- One period ---- */

static void put_servers(FILE *out, const struct lode_pio_analysis *a,
			const struct lode_pio_period *p)
{
	char name[256], from[LODE_PIO_TIME_BYTES], to[LODE_PIO_TIME_BYTES];

	if (!p->servers.n) {
		fputs("no server stands out", out);
		return;
	}
	for (size_t i = 0; i < p->n_at_fault; i++) {
		const struct lode_pio_ranked *s = &p->servers.at[i];

		lode_escape_fit(name, sizeof(name), lode_pio_server_name(a, s->at), 40);
		fprintf(out, "%s%s", i ? " and " : "", name);
		if (p->n_at_fault > 1)
			fprintf(out, " (%s to %s)",
				lode_pio_time_text(from, lode_pio_time(a, s->first), true),
				lode_pio_time_text(to, lode_pio_time(a, s->last + 1), true));
	}
	for (size_t i = p->n_at_fault; i < p->servers.n && i < p->n_at_fault + 2; i++) {
		lode_escape_fit(name, sizeof(name), lode_pio_server_name(a, p->servers.at[i].at),
				40);
		fprintf(out, "%s%s %.0f %%", i == p->n_at_fault ? "   (then " : ", ", name,
			100 * p->servers.at[i].value / p->servers.at[0].value);
	}
	fputs(p->n_at_fault < p->servers.n ? " of its evidence)" : "", out);
}

static void put_counters(FILE *out, const struct lode_pio_report *r,
			 const struct lode_pio_period *p)
{
	const struct lode_pio_analysis *a = r->analysis;
	size_t n = lode_pio_shown(p->counters.n, r->top), column = 0;
	char name[512], item[640];

	for (size_t i = 0; i < n; i++) {
		const struct lode_pio_ranked *c = &p->counters.at[i];
		const struct lode_pio_counter *counter = &a->model->counters.at[c->at];
		/* Later than smoothing alone would have it. */
		bool is_late = c->first > p->first + a->model->settings.window;
		char from[LODE_PIO_TIME_BYTES];
		size_t width;

		counter_name(name, sizeof(name), counter, 40);
		if (!a->deviations)
			snprintf(item, sizeof(item), "%s %.1f", name, c->value);
		else if (fabs(c->deviation) > 1)
			snprintf(item, sizeof(item), "%s %s%.*f×%s%s", name,
				 c->deviation > 0 ? "↑" : "↓", fabs(c->deviation) < 10,
				 fabs(c->deviation), is_late ? " from " : "",
				 is_late ? lode_pio_time_text(from, lode_pio_time(a, c->first),
							      true)
					 : "");
		else
			snprintf(item, sizeof(item), "%s at times", name);
		width = lode_escape_width(item) + 2;
		if (i && column + width > r->columns) {
			fputc('\n', out);
			column = 0;
		}
		if (!column)
			column = (size_t)fprintf(out, "    ");
		fprintf(out, "%s%s", item, i + 1 < n ? "  " : "");
		column += width;
	}
	if (n)
		fputc('\n', out);
}

static void put_hits(FILE *out, const char *what, const lode_pio_ranking *ranking,
		     const struct lode_strings *names, size_t most)
{
	char name[256];

	if (!ranking->n)
		return;
	fprintf(out, "    %s hit:", what);
	for (size_t i = 0; i < ranking->n && i < most; i++) {
		lode_escape_fit(name, sizeof(name), names->text.at[ranking->at[i].at], 24);
		fprintf(out, "%s %s %llu", i ? "," : "", name,
			(unsigned long long)ranking->at[i].n_slow);
	}
	if (ranking->n > most)
		fprintf(out, " and %zu more", ranking->n - most);
	fputc('\n', out);
}

static void put_rules(FILE *out, const struct lode_pio_report *r, const struct lode_pio_period *p)
{
	const struct lode_pio_model *model = r->analysis->model;

	for (size_t i = 0; i < p->rules.n && i < 2; i++) {
		const struct lode_pio_rule_use *u = &p->rules.at[i];
		const struct lode_pio_rules *rules = &model->rules.at[u->ruleset];
		const struct lode_ruleset *set =
			u->is_med_high ? &rules->med_high : &rules->low_other;
		const struct lode_rule *rule = &set->rules.at[u->rule];
		const char *then = u->is_med_high ? lode_pio_med_high_names[rule->class]
						  : lode_pio_low_other_names[rule->class];
		char *text = lode_pio_rule_text(model, rule, then);
		size_t size = 4 * strlen(text) + 1;
		char *cut = lode_alloc(size);

		/* The text is harmless already: cutting escapes nothing anew. */
		fprintf(out, "    rule: %s\n",
			lode_escape_fit(cut, size, text, r->columns > 24 ? r->columns - 10 : 20));
		free(cut);
		free(text);
	}
}

static void put_period(FILE *out, const struct lode_pio_report *r, const struct lode_pio_period *p,
		       bool is_full)
{
	const struct lode_pio_analysis *a = r->analysis;
	char from[LODE_PIO_TIME_BYTES], to[LODE_PIO_TIME_BYTES], length[LODE_DURATION_BYTES];
	int64_t start = lode_pio_time(a, p->first), end = lode_pio_time(a, p->last + 1);

	fprintf(out, "  %s to %s  %s", lode_pio_time_text(from, start, true),
		lode_pio_time_text(to, end, true),
		lode_duration_text(end - start, length, sizeof(length)));
	if (p->n)
		fprintf(out, "  %.0f %% of %llu requests slow",
			100.0 * (double)p->n_slow / (double)p->n, (unsigned long long)p->n);
	if ((double)p->n_client > p->excess && p->n_client)
		fprintf(out, ", %.0f %% for the client alone",
			100.0 * (double)p->n_client / (double)p->n);
	fputs("   ", out);
	if (is_full)
		put_servers(out, a, p);
	fputc('\n', out);
	if (!is_full)
		return;
	put_counters(out, r, p);
	put_rules(out, r, p);
	put_hits(out, "actions", &p->actions, &r->names->actions, 4);
	put_hits(out, "users", &p->users, &r->names->users, 4);
}

static void put_list(FILE *out, const struct lode_pio_report *r, const lode_pio_periods *periods,
		     const char *title)
{
	if (!periods->n)
		return;
	fprintf(out, "\n%s\n", title);
	for (size_t i = 0; i < lode_pio_shown(periods->n, r->top); i++)
		put_period(out, r, &periods->at[i], false);
	if (lode_pio_shown(periods->n, r->top) < periods->n)
		fprintf(out, "  and %zu more\n", periods->n - lode_pio_shown(periods->n, r->top));
}

/* ---- The heat map ---- */

struct map {
	size_t columns, per_column; /* characters, and intervals in each */
	double most;		    /* value of the darkest shade */
};

static double cell(const float *row, size_t n, const struct map *map, size_t column)
{
	double most = 0;

	for (size_t i = column * map->per_column; i < (column + 1) * map->per_column && i < n; i++)
		most = fmax(most, (double)row[i]);
	return most;
}

static const char *shade(double value, double most)
{
	static const char *const shades[] = {" ", "░", "▒", "▓", "█"};

	if (!(value > 0) || !(most > 0))
		return shades[0];
	/* Square root: small values of short periods stay visible beside long ones. */
	return shades[1 + (size_t)fmin(3, 4 * sqrt(value / most) * 0.999)];
}

/* A line of marks: which columns hold a slow interval, or a period. */
static void put_marks(FILE *out, const struct lode_pio_analysis *a, const struct map *map,
		      bool is_periods)
{
	fprintf(out, "  %-*s ", NAME_COLUMNS, is_periods ? "slow periods" : "HIGH in the log");
	for (size_t c = 0; c < map->columns; c++) {
		bool is_marked = false;

		for (size_t i = c * map->per_column;
		     i < (c + 1) * map->per_column && i < a->n_intervals && !is_periods; i++)
			is_marked |= a->intervals[i].class == LODE_PIO_HIGH;
		for (size_t k = 0; k < a->periods.n && is_periods; k++)
			is_marked |= a->periods.at[k].first < (c + 1) * map->per_column &&
				     a->periods.at[k].last >= c * map->per_column;
		fputs(is_marked ? is_periods ? "=" : "*" : ".", out);
	}
	fputc('\n', out);
}

static void put_map(FILE *out, const struct lode_pio_report *r)
{
	const struct lode_pio_analysis *a = r->analysis;
	lode_pio_ranking rows = {0};
	struct map map = {.columns = r->columns > NAME_COLUMNS + 24 ? r->columns - NAME_COLUMNS - 4
								    : 20};
	char name[512], from[LODE_PIO_TIME_BYTES], each[LODE_DURATION_BYTES];
	const char *server = NULL;

	lode_pio_map_rows(&rows, a, r->top ? 3 * r->top : 0);
	if (!rows.n || !a->n_intervals)
		return;
	map.per_column = (a->n_intervals + map.columns - 1) / map.columns;
	map.columns = (a->n_intervals + map.per_column - 1) / map.per_column;
	for (size_t i = 0; i < rows.n; i++)
		map.most = fmax(map.most, rows.at[i].value);
	fprintf(out, "\nrule coverage, from %s, %s per column\n",
		lode_pio_time_text(from, a->start_ns, true),
		lode_duration_text((int64_t)map.per_column * a->step_ns, each, sizeof(each)));
	put_marks(out, a, &map, true);
	if (a->has_log)
		put_marks(out, a, &map, false);
	for (size_t i = 0; i < rows.n; i++) {
		const struct lode_pio_counter *c = &a->model->counters.at[rows.at[i].at];
		int pad;

		if (!server || strcmp(server, c->server) != 0)
			fprintf(out, "  %s\n",
				lode_escape_fit(name, sizeof(name),
						c->server[0] ? c->server : "(no server)", 60));
		server = c->server;
		lode_escape_fit(name, sizeof(name), c->name, NAME_COLUMNS - 2);
		pad = NAME_COLUMNS - 2 - (int)lode_escape_width(name);
		fprintf(out, "    %s%*s ", name, pad > 0 ? pad : 0, "");
		for (size_t k = 0; k < map.columns; k++)
			fputs(shade(cell(a->coverage[rows.at[i].at], a->n_intervals, &map, k),
				    map.most),
			      out);
		fputc('\n', out);
	}
	lode_vec_release(&rows);
}

/* ---- Advice ---- */

static void put_counter_advice(FILE *out, const char *one, const char *many,
			       const struct lode_pio_model *model, const uint32_t *at, size_t n)
{
	char name[512];

	if (!n)
		return;
	fprintf(out, "  %zu %s:", n, n == 1 ? one : many);
	for (size_t i = 0; i < n && i < 3; i++)
		fprintf(out, "%s %s", i ? "," : "",
			counter_name(name, sizeof(name), &model->counters.at[at[i]], 40));
	fputs(n > 3 ? ", ...\n" : "\n", out);
}

static void put_advice(FILE *out, const struct lode_pio_analysis *a)
{
	const struct lode_pio_advice *advice = &a->advice;
	const struct lode_pio_regression *g = &a->regression;

	fprintf(out, "\nHIGH in %.1f %% of %llu intervals%s, %.1f %% in training: ",
		g->n ? 100.0 * (double)g->n_high / (double)g->n : 0, (unsigned long long)g->n,
		g->is_estimated ? " (by counters)" : "", 100 * g->expected);
	if (isnan(g->z))
		fputs("too few to compare\n", out);
	else
		fprintf(out, "%s (z = %.1f)\n",
			g->z > 2    ? "worse than training"
			: g->z < -2 ? "better than training"
				    : "no significant change",
			g->z);
	if (!lode_pio_is_retraining_advised(a))
		return;
	fputs("train anew: what is measured is not what was learnt from\n", out);
	put_counter_advice(out, "counter has no values any more",
			   "counters have no values any more", a->model, advice->vanished.at,
			   advice->vanished.n);
	put_counter_advice(out, "counter has a new level (left out here)",
			   "counters have a new level (left out here)", a->model,
			   advice->shifted.at, advice->shifted.n);
	if (advice->appeared.n)
		fprintf(out, "  %zu %s new\n", advice->appeared.n,
			advice->appeared.n == 1 ? "counter is" : "counters are");
	if (advice->n_unjudged)
		fprintf(out, "  %llu requests are of actions that training did not see\n",
			(unsigned long long)advice->n_unjudged);
	if (advice->is_class_drift)
		fputs("  the share of HIGH intervals differs far from training's\n", out);
}

void lode_pio_report_text(FILE *out, const struct lode_pio_report *r)
{
	const struct lode_pio_analysis *a = r->analysis;
	char from[LODE_PIO_TIME_BYTES], length[LODE_DURATION_BYTES], step[LODE_DURATION_BYTES];
	size_t *order = lode_pio_period_order(&a->periods, r->order);
	size_t n = lode_pio_shown(a->periods.n, r->top);

	fprintf(out, "%zu slow period%s in %s from %s, intervals of %s%s\n", a->periods.n,
		a->periods.n == 1 ? "" : "s",
		lode_duration_text((int64_t)a->n_intervals * a->step_ns, length, sizeof(length)),
		lode_pio_time_text(from, a->start_ns, false),
		lode_duration_text(a->step_ns, step, sizeof(step)),
		a->has_log ? "" : ", estimated from counters alone");
	for (int k = 0; r->losses && k < LODE_N_LOSS_KINDS; k++) {
		const struct lode_loss *loss = &r->losses->by_kind[k];

		if (loss->count)
			fprintf(out, "not read: %s; first: %s\n",
				lode_loss_words((enum lode_loss_kind)k, loss->count), loss->detail);
	}
	for (size_t i = 0; i < n; i++) {
		fputc('\n', out);
		put_period(out, r, &a->periods.at[order[i]], true);
	}
	if (n < a->periods.n)
		fprintf(out, "\n  and %zu more periods\n", a->periods.n - n);
	put_list(out, r, &a->unfelt, "counters out of range, but no server made users wait");
	put_list(out, r, &a->unexplained, "slow by the log, and no counter says why");
	put_map(out, r);
	put_advice(out, a);
	free(order);
}

/* ---- A model ---- */

static void put_ruleset(FILE *out, const struct lode_pio_model *model,
			const struct lode_ruleset *set, const char *const *names, double error)
{
	fprintf(out, "  %s against %s", names[0], names[1]);
	if (!isnan(error))
		fprintf(out, ", %.1f %% wrong in cross-validation", 100 * error);
	fputc('\n', out);
	for (size_t i = 0; i <= set->rules.n; i++) {
		static const struct lode_rule otherwise = {0};
		bool is_rule = i < set->rules.n;
		const struct lode_rule *rule = is_rule ? &set->rules.at[i] : &otherwise;
		char *text = lode_pio_rule_text(model, rule,
						names[is_rule ? rule->class : set->default_class]);

		fprintf(out, "    %s (%u, %u wrong)\n", text,
			is_rule ? rule->n_covered : set->n_covered,
			is_rule ? rule->n_wrong : set->n_wrong);
		free(text);
	}
}

void lode_pio_model_report(FILE *out, const struct lode_pio_model *model)
{
	char from[LODE_PIO_TIME_BYTES], to[LODE_PIO_TIME_BYTES], step[LODE_DURATION_BYTES];
	size_t n_drifting = 0;

	for (size_t i = 0; i < model->periods.n; i++)
		fprintf(out, "trained on %s to %s: %llu requests, %llu intervals of %s\n",
			lode_pio_time_text(from, model->periods.at[i].start_ns, false),
			lode_pio_time_text(to, model->periods.at[i].end_ns, false),
			(unsigned long long)model->periods.at[i].n_requests,
			(unsigned long long)model->periods.at[i].n_intervals,
			lode_duration_text(model->settings.step_ns, step, sizeof(step)));
	fprintf(out, "%zu (action, user) pairs, %zu actions; %s response times\n",
		model->usual.pairs.n, model->usual.actions.n,
		model->settings.is_log ? "logarithms of" : "plain");
	fprintf(out, "SARatio: MED from %.4f, HIGH from %.4f; %llu LOW, %llu MED, %llu HIGH\n",
		model->med_bound, model->high_bound,
		(unsigned long long)model->class_counts[LODE_PIO_LOW],
		(unsigned long long)model->class_counts[LODE_PIO_MED],
		(unsigned long long)model->class_counts[LODE_PIO_HIGH]);
	for (size_t c = 0; c < model->counters.n; c++)
		n_drifting += model->counters.at[c].is_drifting;
	fprintf(out, "%zu counters", model->counters.n);
	if (!model->settings.is_classic)
		fprintf(out,
			", %zu of which drift and are left out; %u slow episodes; evidence "
			"above %.2f is not seen in healthy time",
			n_drifting, model->n_episodes, model->evidence_bound);
	fputs("\n", out);
	for (size_t i = 0; i < model->rules.n; i++) {
		const struct lode_pio_rules *rules = &model->rules.at[i];

		fprintf(out, "\nrules of seed %llu, from %u LOW, %u MED, %u HIGH intervals\n",
			(unsigned long long)rules->seed, rules->n_low, rules->n_med, rules->n_high);
		put_ruleset(out, model, &rules->low_other, lode_pio_low_other_names,
			    rules->low_other_error);
		put_ruleset(out, model, &rules->med_high, lode_pio_med_high_names,
			    rules->med_high_error);
	}
}
