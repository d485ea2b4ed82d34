/* lode suspects in a few lines: which callers make a metric slow, else how slow it was. */
#include <string.h>

#include "answers/suspects/suspects.h"
#include "document/findings.h"
#include "document/units.h"

/* What is rarer than this by accident is said; the page has the rest, too. */
static const double significant = 0.05;

static const char *name_of_frame(const struct lode_names *names, uint32_t frame,
				 struct lode_arena *arena)
{
	char name[1024];

	return lode_finding_text(arena, "%s",
				 names->frame(names->context, frame, name, sizeof(name)));
}

/* "module!function", what pages call a function; its label alone without a module. */
static const char *path_of_frame(const struct lode_names *names, uint32_t frame,
				 struct lode_arena *arena)
{
	const char *module = names->module(names->context, frame);
	char label[1024];

	names->label(names->context, frame, label, sizeof(label));
	return *module ? lode_finding_text(arena, "%s!%s", module, label)
		       : lode_finding_text(arena, "%s", label);
}

/* What the executions of a contrast's caller took longer than those of others, ns in all. */
static double lost_by_caller(const struct lode_suspects_contrast *c)
{
	return (double)c->with.n * ((double)c->with.mean - (double)c->without.mean);
}

/* The significant contrast of a metric that costs most; false: there is none. */
static bool find_contrast(struct lode_suspects_contrast *best,
			  const struct lode_suspects_answer *answer, const char *metric)
{
	bool is_found = false;

	for (size_t i = 0; i < answer->n_contrasts_listed; i++) {
		struct lode_suspects_contrast c = {0};

		lode_suspects_contrast_at(&c, answer, i);
		if (!c.metric || strcmp(c.metric, metric) != 0 || c.chance.q >= significant ||
		    lost_by_caller(&c) <= 0)
			continue;
		if (!is_found || lost_by_caller(&c) > lost_by_caller(best))
			*best = c;
		is_found = true;
	}
	return is_found;
}

static void add_contrast(struct lode_findings *out, const struct lode_suspects_contrast *c,
			 const struct lode_names *names, struct lode_arena *arena)
{
	const char *caller =
		c->n_callers ? name_of_frame(names, c->callers[c->n_callers - 1], arena) : "";
	int64_t n = (int64_t)(c->with.n_failed + c->with.n_succeeded);
	int64_t n_other = (int64_t)(c->without.n_failed + c->without.n_succeeded);
	char pct[LODE_UNITS_BUFFER], else_pct[LODE_UNITS_BUFFER];

	lode_findings_add(
		out,
		lode_finding_text(arena, "%s: slow in %s of its calls from %s, else in %s",
				  c->metric, lode_format_share(pct, (int64_t)c->with.n_failed, n),
				  lode_finding_function(caller),
				  lode_format_share(else_pct, (int64_t)c->without.n_failed,
						    n_other)),
		*caller ? caller : path_of_frame(names, c->leaf, arena));
}

static void add_metric(struct lode_findings *out, const struct lode_suspects_metric *m,
		       struct lode_arena *arena)
{
	char n[LODE_UNITS_BUFFER], all[LODE_UNITS_BUFFER], cost[LODE_UNITS_BUFFER];
	char bound[LODE_UNITS_BUFFER];
	uint64_t failed = m->of.n[LODE_SIDE_SUBJECT][LODE_LABEL_FAILED];
	struct lode_finding *finding;

	finding = lode_findings_add(
		out,
		lode_finding_text(arena, "%s: %s of %s took longer than %s, %s in all", m->of.name,
				  lode_format_count(n, failed), lode_format_count(all, m->values.n),
				  lode_format_cost(bound, m->of.thresholds.failed, m->of.unit),
				  lode_format_cost(cost, m->failed_total, m->of.unit)),
		NULL);
	finding->params[0] =
		(struct lode_finding_param){"metric", lode_finding_text(arena, "%s", m->of.name)};
}

/* Two sets of recordings: what the slow ones do more. */
static void add_excess(struct lode_findings *out, const struct lode_suspects_answer *answer,
		       const struct lode_names *names, struct lode_arena *arena)
{
	for (size_t i = 0; i < answer->n_listed && lode_findings_have_room(out); i++) {
		struct lode_suspects_function f = {0};
		char pct[LODE_UNITS_BUFFER], label[1024];

		lode_suspects_function_at(&f, answer, i);
		if (f.chance.q >= significant || !f.excess || f.excess->of.low <= 0)
			continue;
		lode_findings_add(
			out,
			lode_finding_text(arena, "%s: at least %s of it is not in fast recordings",
					  names->label(names->context, f.frame, label,
						       sizeof(label)),
					  lode_format_pct(pct, 100 * f.excess->of.low)),
			path_of_frame(names, f.frame, arena));
	}
}

/*
 * Metrics stand in the order of the time in what was slow of them: the caller that makes one slow
 * is its line, else how slow it was.
 */
void lode_suspects_findings(struct lode_findings *out, const void *of, struct lode_arena *arena)
{
	const struct lode_suspects_answer *answer = of;
	const struct lode_names names = lode_suspects_names(answer);
	char failed[LODE_UNITS_BUFFER], all[LODE_UNITS_BUFFER], n_metrics[LODE_UNITS_BUFFER];

	*out = (struct lode_findings){0};
	for (size_t i = 0; i < answer->n_metrics_listed; i++)
		out->weight += answer->metrics[i].failed_total;
	out->summary = lode_finding_text(
		arena, "%s slow executions among %s of %s",
		lode_format_count(failed, answer->all.failed),
		lode_format_count(all, answer->sides[LODE_SIDE_SUBJECT].n_executions),
		lode_format_plural(n_metrics, answer->n_metrics_listed + answer->n_metrics_more,
				   "metric"));
	if (answer->is_versus) {
		add_excess(out, answer, &names, arena);
		return;
	}
	for (int is_plain = 0; is_plain < 2; is_plain++) {
		for (size_t i = 0; i < answer->n_metrics_listed && lode_findings_have_room(out);
		     i++) {
			const struct lode_suspects_metric *m = &answer->metrics[i];
			struct lode_suspects_contrast c = {0};
			bool has_contrast = find_contrast(&c, answer, m->of.name);

			if (has_contrast && !is_plain)
				add_contrast(out, &c, &names, arena);
			else if (!has_contrast && is_plain &&
				 m->of.n[LODE_SIDE_SUBJECT][LODE_LABEL_FAILED] > 0)
				add_metric(out, m, arena);
		}
	}
}
