/* Reads and writes a model as JSON. */
#include "engine/pio/model_file.h"

#include "engine/pio/rules.h"
#include "base/input.h"
#include "base/json.h"
#include "base/json_tree.h"

#define MAX_FILE_BYTES ((size_t)512 << 20)

/* ---- Writing ---- */

static void put_settings(struct lode_json *json, const struct lode_pio_settings *s)
{
	lode_json_object(json, "settings");
	lode_json_bool(json, "classic", s->is_classic);
	lode_json_bool(json, "log", s->is_log);
	lode_json_bool(json, "per_action", s->is_per_action);
	lode_json_bool(json, "by_start", s->is_by_start);
	lode_json_bool(json, "whole_response", s->is_whole_response);
	lode_json_int(json, "min_requests", s->min_requests);
	lode_json_int(json, "window", s->window);
	lode_json_int(json, "step_ns", s->step_ns);
	lode_json_shortest(json, "med_pct", s->med_pct);
	lode_json_shortest(json, "high_pct", s->high_pct);
	lode_json_int(json, "rulesets", s->n_rulesets);
	lode_json_int(json, "seed", (int64_t)s->seed);
	lode_json_end_object(json);
}

static void put_services(struct lode_json *json, const struct lode_service_names *rule)
{
	char separator[2] = {rule->separator, '\0'};

	if (!lode_service_names_has(rule))
		return;
	lode_json_object(json, "services");
	lode_json_text(json, "label", rule->label);
	lode_json_text(json, "separator", separator);
	lode_json_bool(json, "last", rule->is_last);
	lode_json_bool(json, "behind", rule->is_suffix);
	lode_json_end_object(json);
}

static void put_slos(struct lode_json *json, const struct lode_pio_model *m)
{
	if (!m->slos.n)
		return;
	lode_json_array(json, "slos");
	for (size_t i = 0; i < m->slos.n; i++) {
		lode_json_object(json, NULL);
		lode_json_text(json, "server", m->slos.at[i].server);
		lode_json_text(json, "counter", m->slos.at[i].name);
		lode_json_shortest(json, "bound", m->slos.at[i].bound);
		lode_json_bool(json, "below", m->slos.at[i].is_fall);
		lode_json_bool(json, "histogram", m->slos.at[i].is_histogram);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
}

static void put_training(struct lode_json *json, const struct lode_pio_model *m)
{
	lode_json_break(json);
	lode_json_array(json, "training");
	for (size_t i = 0; i < m->periods.n; i++) {
		const struct lode_pio_span *p = &m->periods.at[i];

		lode_json_object(json, NULL);
		lode_json_int(json, "start_ns", p->start_ns);
		lode_json_int(json, "end_ns", p->end_ns);
		lode_json_int(json, "requests", (int64_t)p->n_requests);
		lode_json_int(json, "intervals", (int64_t)p->n_intervals);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
	lode_json_break(json);
	lode_json_object(json, "sa_ratio");
	lode_json_shortest(json, "med", m->med_bound);
	lode_json_shortest(json, "high", m->high_bound);
	lode_json_shortest(json, "likeness", m->likeness);
	lode_json_shortest(json, "healthy", m->healthy_ratio);
	lode_json_object(json, "intervals");
	for (int c = 0; c < 3; c++)
		lode_json_int(json, lode_pio_class_name((enum lode_pio_class)c),
			      (int64_t)m->class_counts[c]);
	lode_json_end_object(json);
	lode_json_end_object(json);
}

LODE_COMPARE_WITH(by_pair, uint32_t, const struct lode_usual *usual,
		  LODE_ORDER(usual->pairs.at[*a].action, usual->pairs.at[*b].action)
			  ?: LODE_ORDER(usual->pairs.at[*a].user, usual->pairs.at[*b].user))

/* [user, requests, mean, deviation] per line, actions in the order of their ids. */
static void put_usual(struct lode_json *json, const struct lode_pio_model *m)
{
	uint32_t *order = lode_order_by(m->usual.pairs.n, by_pair, &m->usual);
	uint32_t action = LODE_NONE;

	lode_json_break(json);
	lode_json_object(json, "response_times");
	lode_json_text(json, "unit", m->settings.is_log ? "ln ns" : "ns");
	lode_json_array(json, "actions");
	for (size_t i = 0; i < m->usual.pairs.n; i++) {
		const struct lode_usual_pair *p = &m->usual.pairs.at[order[i]];

		if (!p->moments.n)
			continue;
		if (p->action != action) {
			if (action != LODE_NONE) {
				lode_json_end_array(json);
				lode_json_end_object(json);
			}
			lode_json_object(json, NULL);
			lode_json_text(json, "action", m->names.actions.text.at[p->action]);
			lode_json_array(json, "users");
			action = p->action;
		}
		lode_json_break(json);
		lode_json_array(json, NULL);
		if (p->user == LODE_NONE)
			lode_json_null(json, NULL);
		else
			lode_json_text(json, NULL, m->names.users.text.at[p->user]);
		lode_json_int(json, NULL, (int64_t)p->moments.n);
		lode_json_shortest(json, NULL, p->moments.mean);
		lode_json_shortest(json, NULL, lode_usual_moments_deviation(&p->moments));
		lode_json_end_array(json);
	}
	if (action != LODE_NONE) {
		lode_json_end_array(json);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
	lode_json_end_object(json);
	free(order);
}

static void put_side(struct lode_json *json, const char *name, const struct lode_pio_side *s)
{
	lode_json_object(json, name);
	lode_json_shortest(json, "border", s->border);
	lode_json_shortest(json, "scale", s->scale);
	lode_json_shortest(json, "precision", s->precision);
	lode_json_shortest(json, "blame", s->blame);
	lode_json_end_object(json);
}

static void put_counters(struct lode_json *json, const struct lode_pio_model *m)
{
	lode_json_break(json);
	lode_json_array(json, "counters");
	for (size_t i = 0; i < m->counters.n; i++) {
		const struct lode_pio_counter *c = &m->counters.at[i];

		lode_json_break(json);
		lode_json_object(json, NULL);
		lode_json_text(json, "server", c->server);
		lode_json_text(json, "counter", c->name);
		lode_json_int(json, "values", (int64_t)c->n_values);
		if (!m->settings.is_classic) {
			lode_json_shortest(json, "median", c->median);
			lode_json_shortest(json, "spread", c->spread);
			lode_json_bool(json, "drifting", c->is_drifting);
			put_side(json, "rise", &c->rise);
			put_side(json, "fall", &c->fall);
		}
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
	lode_json_break(json);
	lode_json_object(json, "evidence");
	lode_json_shortest(json, "bound", m->evidence_bound);
	lode_json_int(json, "episodes", m->n_episodes);
	lode_json_array(json, "bystanders");
	for (size_t s = 0; s < m->bystanders.n; s++)
		lode_json_shortest(json, NULL, m->bystanders.at[s]);
	lode_json_end_array(json);
	lode_json_end_object(json);
}

/* A condition: [server, counter, "<=", threshold]. */
static void put_ruleset(struct lode_json *json, const char *name, const struct lode_pio_model *m,
			const struct lode_ruleset *rules, const char *const *classes, double error)
{
	lode_json_break(json);
	lode_json_object(json, name);
	lode_json_shortest(json, "error", error);
	lode_json_array(json, "rules");
	for (size_t r = 0; r < rules->rules.n; r++) {
		const struct lode_rule *rule = &rules->rules.at[r];

		lode_json_break(json);
		lode_json_object(json, NULL);
		lode_json_array(json, "if");
		for (size_t i = 0; i < rule->conditions.n; i++) {
			const struct lode_rule_condition *c = &rule->conditions.at[i];

			lode_json_array(json, NULL);
			lode_json_text(json, NULL, m->counters.at[c->attribute].server);
			lode_json_text(json, NULL, m->counters.at[c->attribute].name);
			lode_json_text(json, NULL, c->comparison == LODE_AT_MOST ? "<=" : ">=");
			lode_json_shortest(json, NULL, c->value);
			lode_json_end_array(json);
		}
		lode_json_end_array(json);
		lode_json_text(json, "then", classes[rule->class]);
		lode_json_int(json, "covered", rule->n_covered);
		lode_json_int(json, "wrong", rule->n_wrong);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
	lode_json_text(json, "else", classes[rules->default_class]);
	lode_json_int(json, "covered", rules->n_covered);
	lode_json_int(json, "wrong", rules->n_wrong);
	lode_json_end_object(json);
}

static const char *const low_other[] = {"LOW", "OTHER"}, *const med_high[] = {"MED", "HIGH"};

static void put_rules(struct lode_json *json, const struct lode_pio_model *m)
{
	lode_json_break(json);
	lode_json_array(json, "rulesets");
	for (size_t i = 0; i < m->rules.n; i++) {
		const struct lode_pio_rules *r = &m->rules.at[i];

		lode_json_object(json, NULL);
		lode_json_int(json, "seed", (int64_t)r->seed);
		lode_json_object(json, "rows");
		lode_json_int(json, "LOW", r->n_low);
		lode_json_int(json, "MED", r->n_med);
		lode_json_int(json, "HIGH", r->n_high);
		lode_json_end_object(json);
		put_ruleset(json, "low_other", m, &r->low_other, low_other, r->low_other_error);
		put_ruleset(json, "med_high", m, &r->med_high, med_high, r->med_high_error);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
}

void lode_pio_model_write(FILE *out, const struct lode_pio_model *m)
{
	char schema[32];
	struct lode_json *json;

	snprintf(schema, sizeof(schema), "lode/pio-model/%d", LODE_PIO_MODEL_VERSION);
	json = lode_json_open_line(out, schema);
	put_settings(json, &m->settings);
	put_services(json, &m->services_in);
	put_slos(json, m);
	put_training(json, m);
	put_counters(json, m);
	put_rules(json, m);
	put_usual(json, m);
	lode_json_bool(json, "end", true);
	lode_json_close(json);
	fputc('\n', out);
}

/* ---- Reading ---- */

/* Where a fault was found first; later ones are not looked at. */
struct reading {
	const char *path;
	struct lode_pio_model *model;
	struct lode_error *err;
	int rc;
};

static void bad(struct reading *r, const char *what)
{
	if (r->rc >= 0)
		r->rc = lode_fail(r->err, LODE_ERR_FORMAT, r->path, -1,
				  "model: '%s' is missing or invalid", what);
}

/* null is NaN where that has a meaning. */
static double number(struct reading *r, yajl_val object, const char *name, bool may_be_null)
{
	yajl_val v = lode_json_tree_member(object, name);

	if (v && YAJL_IS_NUMBER(v))
		return YAJL_IS_DOUBLE(v) ? YAJL_GET_DOUBLE(v) : (double)YAJL_GET_INTEGER(v);
	if (!may_be_null || !v || !YAJL_IS_NULL(v))
		bad(r, name);
	return NAN;
}

static int64_t integer(struct reading *r, yajl_val object, const char *name, int64_t least,
		       int64_t most)
{
	yajl_val v = lode_json_tree_member(object, name);

	if (!v || !YAJL_IS_INTEGER(v) || YAJL_GET_INTEGER(v) < least ||
	    YAJL_GET_INTEGER(v) > most) {
		bad(r, name);
		return least;
	}
	return YAJL_GET_INTEGER(v);
}

static bool boolean(struct reading *r, yajl_val object, const char *name)
{
	yajl_val v = lode_json_tree_member(object, name);

	if (!v || (!YAJL_IS_TRUE(v) && !YAJL_IS_FALSE(v)))
		bad(r, name);
	return v && YAJL_IS_TRUE(v);
}

static const char *text(struct reading *r, yajl_val object, const char *name)
{
	yajl_val v = lode_json_tree_member(object, name);

	if (!v || !YAJL_IS_STRING(v)) {
		bad(r, name);
		return "";
	}
	return v->u.string;
}

/* The items of an array; none when there is no such array. */
static size_t items(struct reading *r, yajl_val object, const char *name, yajl_val **at)
{
	yajl_val v = lode_json_tree_member(object, name);

	*at = NULL;
	if (!v || !YAJL_IS_ARRAY(v)) {
		bad(r, name);
		return 0;
	}
	*at = YAJL_GET_ARRAY(v)->values;
	return YAJL_GET_ARRAY(v)->len;
}

static void read_settings(struct reading *r, yajl_val root)
{
	yajl_val s = lode_json_tree_member(root, "settings");

	r->model->settings = (struct lode_pio_settings){
		.is_classic = boolean(r, s, "classic"),
		.is_log = boolean(r, s, "log"),
		.is_per_action = boolean(r, s, "per_action"),
		.is_by_start = boolean(r, s, "by_start"),
		.is_whole_response = boolean(r, s, "whole_response"),
		.min_requests = (uint32_t)integer(r, s, "min_requests", 0, UINT32_MAX),
		.window = (uint32_t)integer(r, s, "window", 1, 63),
		.step_ns = integer(r, s, "step_ns", 1000000, INT64_MAX / 4),
		.med_pct = number(r, s, "med_pct", false),
		.high_pct = number(r, s, "high_pct", false),
		.n_rulesets = (uint32_t)integer(r, s, "rulesets", 0, 1000),
		.seed = (uint64_t)integer(r, s, "seed", 0, INT64_MAX),
	};
	r->model->usual.is_log = r->model->settings.is_log;
	r->model->usual.is_per_action = r->model->settings.is_per_action;
	r->model->usual.min_requests = r->model->settings.min_requests;
}

/* Absent: counters' names do not contain services. */
static void read_services(struct reading *r, yajl_val root)
{
	yajl_val s = lode_json_tree_member(root, "services");
	struct lode_service_names *rule = &r->model->services_in;

	if (!s)
		return;
	snprintf(rule->label, sizeof(rule->label), "%s", text(r, s, "label"));
	rule->separator = text(r, s, "separator")[0];
	rule->is_last = boolean(r, s, "last");
	rule->is_suffix = boolean(r, s, "behind");
}

static void read_slos(struct reading *r, yajl_val root)
{
	yajl_val *at;
	size_t n = lode_json_tree_member(root, "slos") ? items(r, root, "slos", &at) : 0;

	for (size_t i = 0; i < n; i++)
		lode_vec_append(&r->model->slos,
				((struct lode_pio_slo){lode_strdup(text(r, at[i], "server")),
						       lode_strdup(text(r, at[i], "counter")),
						       number(r, at[i], "bound", false),
						       boolean(r, at[i], "below"),
						       boolean(r, at[i], "histogram")}));
}

static void read_training(struct reading *r, yajl_val root)
{
	yajl_val *at, s = lode_json_tree_member(root, "sa_ratio"),
		      n = lode_json_tree_member(s, "intervals");
	size_t n_spans = items(r, root, "training", &at);

	for (size_t i = 0; i < n_spans; i++)
		lode_vec_append(
			&r->model->periods,
			((struct lode_pio_span){
				.start_ns = integer(r, at[i], "start_ns", 0, INT64_MAX),
				.end_ns = integer(r, at[i], "end_ns", 0, INT64_MAX),
				.n_requests = (uint64_t)integer(r, at[i], "requests", 0, INT64_MAX),
				.n_intervals =
					(uint64_t)integer(r, at[i], "intervals", 0, INT64_MAX)}));
	r->model->med_bound = number(r, s, "med", false);
	r->model->high_bound = number(r, s, "high", false);
	r->model->likeness = number(r, s, "likeness", false);
	if (!(r->model->likeness >= 0 && r->model->likeness < 1))
		bad(r, "likeness");
	r->model->healthy_ratio = number(r, s, "healthy", true);
	for (int c = 0; c < 3; c++)
		r->model->class_counts[c] =
			(uint64_t)integer(r, n, lode_pio_class_name((enum lode_pio_class)c), 0,
					  INT64_MAX);
}

static void read_side(struct reading *r, struct lode_pio_side *side, yajl_val v)
{
	side->border = number(r, v, "border", false);
	side->scale = number(r, v, "scale", false);
	side->precision = number(r, v, "precision", false);
	side->blame = number(r, v, "blame", false);
	if (!(side->scale > 0))
		bad(r, "scale");
}

static void read_counters(struct reading *r, yajl_val root)
{
	struct lode_pio_model *m = r->model;
	yajl_val *at, e = lode_json_tree_member(root, "evidence");
	size_t n = items(r, root, "counters", &at);

	for (size_t i = 0; i < n && r->rc >= 0; i++) {
		struct lode_pio_counter c = {.median = NAN};
		const char *server = text(r, at[i], "server"), *name = text(r, at[i], "counter");

		c.n_values = (uint64_t)integer(r, at[i], "values", 0, INT64_MAX);
		if (!m->settings.is_classic) {
			c.median = number(r, at[i], "median", true);
			c.is_drifting = boolean(r, at[i], "drifting");
			if (isnan(c.median)) {
				c.spread = c.rise.scale = c.fall.scale = 1;
			} else {
				read_side(r, &c.rise, lode_json_tree_member(at[i], "rise"));
				read_side(r, &c.fall, lode_json_tree_member(at[i], "fall"));
				c.spread = lode_json_tree_member(at[i], "spread")
						   ? number(r, at[i], "spread", false)
						   : fmin(c.rise.scale, c.fall.scale); /* older */
			}
			if (!(c.spread > 0))
				bad(r, "spread");
		}
		/* Ordered, each once: servers' counters stand together. */
		if (m->counters.n) {
			const struct lode_pio_counter *last = &m->counters.at[m->counters.n - 1];
			int order = strcmp(last->server, server);

			if (order > 0 || (order == 0 && strcmp(last->name, name) >= 0))
				bad(r, "counters");
		}
		c.server = lode_strdup(server);
		c.name = lode_strdup(name);
		lode_vec_append(&m->counters, c);
	}
	m->evidence_bound = number(r, e, "bound", false);
	m->n_episodes = (uint32_t)integer(r, e, "episodes", 0, UINT32_MAX);
	n = items(r, e, "bystanders", &at);
	for (size_t s = 0; s < n; s++) {
		double bound = YAJL_IS_DOUBLE(at[s]) ? YAJL_GET_DOUBLE(at[s]) : NAN;

		if (YAJL_IS_INTEGER(at[s]))
			bound = (double)YAJL_GET_INTEGER(at[s]);
		lode_vec_append(&m->bystanders, bound);
	}
}

static uint32_t class_number(struct reading *r, yajl_val v, const char *field,
			     const char *const *classes)
{
	const char *name = text(r, v, field);

	for (uint32_t c = 0; c < 2; c++) {
		if (strcmp(classes[c], name) == 0)
			return c;
	}
	bad(r, field);
	return 0;
}

static void read_condition(struct reading *r, struct lode_rule *rule, yajl_val v)
{
	struct lode_rule_condition c;
	yajl_val *at;

	if (!YAJL_IS_ARRAY(v) || YAJL_GET_ARRAY(v)->len != 4) {
		bad(r, "if");
		return;
	}
	at = YAJL_GET_ARRAY(v)->values;
	if (!YAJL_IS_STRING(at[0]) || !YAJL_IS_STRING(at[1]) || !YAJL_IS_STRING(at[2]) ||
	    !YAJL_IS_NUMBER(at[3])) {
		bad(r, "if");
		return;
	}
	c.attribute =
		lode_pio_model_counter(r->model, YAJL_GET_STRING(at[0]), YAJL_GET_STRING(at[1]));
	c.comparison = strcmp(at[2]->u.string, "<=") == 0 ? LODE_AT_MOST : LODE_AT_LEAST;
	c.value = YAJL_IS_DOUBLE(at[3]) ? YAJL_GET_DOUBLE(at[3]) : (double)YAJL_GET_INTEGER(at[3]);
	if (c.attribute == LODE_NONE)
		bad(r, "if");
	lode_vec_append(&rule->conditions, c);
}

static double read_ruleset(struct reading *r, struct lode_ruleset *out, yajl_val v,
			   const char *const *classes)
{
	yajl_val *at, *conditions;
	size_t n = items(r, v, "rules", &at);

	for (size_t i = 0; i < n && r->rc >= 0; i++) {
		struct lode_rule rule = {0};
		size_t n_conditions = items(r, at[i], "if", &conditions);

		for (size_t k = 0; k < n_conditions; k++)
			read_condition(r, &rule, conditions[k]);
		rule.class = class_number(r, at[i], "then", classes);
		rule.n_covered = (uint32_t)integer(r, at[i], "covered", 0, UINT32_MAX);
		rule.n_wrong = (uint32_t)integer(r, at[i], "wrong", 0, UINT32_MAX);
		lode_vec_append(&out->rules, rule);
	}
	out->default_class = class_number(r, v, "else", classes);
	out->n_covered = (uint32_t)integer(r, v, "covered", 0, UINT32_MAX);
	out->n_wrong = (uint32_t)integer(r, v, "wrong", 0, UINT32_MAX);
	return number(r, v, "error", true);
}

static void read_rules(struct reading *r, yajl_val root)
{
	yajl_val *at;
	size_t n = items(r, root, "rulesets", &at);

	for (size_t i = 0; i < n && r->rc >= 0; i++) {
		struct lode_pio_rules rules = {0};
		yajl_val rows = lode_json_tree_member(at[i], "rows");

		rules.seed = (uint64_t)integer(r, at[i], "seed", 0, INT64_MAX);
		rules.n_low = (uint32_t)integer(r, rows, "LOW", 0, UINT32_MAX);
		rules.n_med = (uint32_t)integer(r, rows, "MED", 0, UINT32_MAX);
		rules.n_high = (uint32_t)integer(r, rows, "HIGH", 0, UINT32_MAX);
		rules.low_other_error =
			read_ruleset(r, &rules.low_other, lode_json_tree_member(at[i], "low_other"),
				     low_other);
		rules.med_high_error =
			read_ruleset(r, &rules.med_high, lode_json_tree_member(at[i], "med_high"),
				     med_high);
		lode_vec_append(&r->model->rules, rules);
	}
}

/* [user or null, requests, mean, deviation] */
static void read_pair(struct reading *r, uint32_t action, yajl_val v)
{
	struct lode_pio_model *m = r->model;
	uint32_t user = LODE_NONE, pair;
	double mean, deviation;
	yajl_val *at;
	int64_t n;

	if (!YAJL_IS_ARRAY(v) || YAJL_GET_ARRAY(v)->len != 4 ||
	    !YAJL_IS_INTEGER(YAJL_GET_ARRAY(v)->values[1])) {
		bad(r, "users");
		return;
	}
	at = YAJL_GET_ARRAY(v)->values;
	n = YAJL_GET_INTEGER(at[1]);
	if (n < 1 || !YAJL_IS_NUMBER(at[2]) || !YAJL_IS_NUMBER(at[3])) {
		bad(r, "users");
		return;
	}
	mean = strtod(at[2]->u.number.r, NULL);
	deviation = strtod(at[3]->u.number.r, NULL);
	if (YAJL_IS_STRING(at[0]))
		user = lode_strings_intern(&m->names.users, at[0]->u.string,
					   strlen(at[0]->u.string));
	pair = lode_usual_pair(&m->usual, action, user);
	m->usual.pairs.at[pair].moments = (struct lode_usual_moments){
		.n = (uint64_t)n, .mean = mean, .m2 = deviation * deviation * (double)n};
}

static void read_usual(struct reading *r, yajl_val root)
{
	yajl_val *at, *users;
	size_t n = items(r, lode_json_tree_member(root, "response_times"), "actions", &at);

	for (size_t i = 0; i < n && r->rc >= 0; i++) {
		const char *name = text(r, at[i], "action");
		uint32_t action = lode_strings_intern(&r->model->names.actions, name, strlen(name));
		size_t n_users = items(r, at[i], "users", &users);

		for (size_t k = 0; k < n_users && r->rc >= 0; k++)
			read_pair(r, action, users[k]);
	}
	lode_usual_settle(&r->model->usual);
}

static int read_root(struct lode_pio_model *out, yajl_val root, const char *path,
		     struct lode_error *err)
{
	struct reading r = {.path = path, .model = out, .err = err};
	const char *schema = text(&r, root, "schema");

	if (strncmp(schema, "lode/pio-model/", 15) != 0)
		return lode_fail(err, LODE_ERR_FORMAT, path, -1,
				 "not a lode pio model: no \"schema\": \"lode/pio-model/1\"");
	if (strcmp(schema + 15, "1") != 0)
		return lode_fail(err, LODE_ERR_UNSUPPORTED, path, -1,
				 "model of version %.20s, this lode reads 1", schema + 15);
	read_services(&r, root);
	read_slos(&r, root);
	read_settings(&r, root);
	read_training(&r, root);
	read_counters(&r, root);
	read_rules(&r, root);
	read_usual(&r, root);
	return r.rc;
}

/* The whole text, NUL-terminated. */
static int read_all_model_file(char **out, size_t *size_bytes, const char *path,
			       struct lode_error *err)
{
	struct lode_input *input;
	size_t n = 0, size = 1 << 16;
	char *bytes = NULL;
	int rc = lode_input_open(&input, path, err);
	ssize_t got = 1;

	*out = NULL;
	if (rc < 0)
		return rc;
	while (got > 0) {
		size *= 2;
		bytes = lode_realloc_n(bytes, size + 1, 1);
		got = lode_input_read(input, bytes + n, size - n, err);
		n += got > 0 ? (size_t)got : 0;
		if (n >= MAX_FILE_BYTES)
			got = lode_fail(err, LODE_ERR_LIMIT, path, -1,
					"the model is larger than 512 MB");
	}
	lode_input_close(input);
	bytes[n] = 0;
	if (got < 0) {
		free(bytes);
		return (int)got;
	}
	*out = bytes;
	*size_bytes = n;
	return 0;
}

int lode_pio_model_read(struct lode_pio_model *out, const char *path, struct lode_error *err)
{
	yajl_val root;
	char *bytes;
	size_t size = 0;
	int rc = read_all_model_file(&bytes, &size, path, err);

	memset(out, 0, sizeof(*out));
	if (rc < 0)
		return rc;
	rc = lode_json_tree_parse(&root, bytes, size, path, err);
	if (rc == 0)
		rc = read_root(out, root, path, err);
	yajl_tree_free(root);
	free(bytes);
	if (rc < 0)
		lode_pio_model_release(out);
	return rc;
}
