#include "engine/pio/model_file.h"

#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_tree.h>

#include "engine/pio/rules.h"
#include "base/input.h"
#include "base/json_tree.h"
#include "base/sorted.h"
#include "base/utf8.h"

#define MAX_FILE_BYTES ((size_t)512 << 20)

/* ---- Writing ---- */

static void put_text_model_file(FILE *out, const char *text)
{
	fputc('"', out);
	for (size_t n, left = strlen(text); left; text += n, left -= n) {
		uint32_t c;

		n = lode_utf8_take(&c, text, left);
		if (!n) {
			fputs(LODE_UTF8_REPLACEMENT, out);
			n = 1;
		} else if (c == '"' || c == '\\') {
			fprintf(out, "\\%c", *text);
		} else if (c < 0x20 || c == 0x7f) {
			fprintf(out, "\\u%04x", c);
		} else {
			fwrite(text, 1, n, out);
		}
	}
	fputc('"', out);
}

/* The shortest text that reads back as the same number; NaN and infinities are null. */
static void put_number(FILE *out, double x)
{
	char text[40];

	if (isnan(x) || isinf(x)) {
		fputs("null", out);
		return;
	}
	for (int digits = 6; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, x);
		if (strtod(text, NULL) == x)
			break;
	}
	fputs(text, out);
}

static void put_field(FILE *out, const char *name, double x)
{
	fprintf(out, "\"%s\": ", name);
	put_number(out, x);
}

static const char *truth(bool is)
{
	return is ? "true" : "false";
}

static void put_settings(FILE *out, const struct lode_pio_settings *s)
{
	fprintf(out,
		"  \"settings\": {\n"
		"    \"classic\": %s, \"log\": %s, \"per_action\": %s, \"by_start\": %s, "
		"\"whole_response\": %s,\n"
		"    \"min_requests\": %u, \"window\": %u, \"step_ns\": %lld, ",
		truth(s->is_classic), truth(s->is_log), truth(s->is_per_action),
		truth(s->is_by_start), truth(s->is_whole_response), s->min_requests, s->window,
		(long long)s->step_ns);
	put_field(out, "med_pct", s->med_pct);
	fputs(", ", out);
	put_field(out, "high_pct", s->high_pct);
	fprintf(out, ",\n    \"rulesets\": %u, \"seed\": %llu\n  },\n", s->n_rulesets,
		(unsigned long long)s->seed);
}

static void put_training(FILE *out, const struct lode_pio_model *m)
{
	fputs("  \"training\": [", out);
	for (size_t i = 0; i < m->periods.n; i++) {
		const struct lode_pio_span *p = &m->periods.at[i];

		fprintf(out,
			"%s\n    {\"start_ns\": %lld, \"end_ns\": %lld, \"requests\": %llu, "
			"\"intervals\": %llu}",
			i ? "," : "", (long long)p->start_ns, (long long)p->end_ns,
			(unsigned long long)p->n_requests, (unsigned long long)p->n_intervals);
	}
	fputs("\n  ],\n  \"sa_ratio\": {", out);
	put_field(out, "med", m->med_bound);
	fputs(", ", out);
	put_field(out, "high", m->high_bound);
	fputs(", ", out);
	put_field(out, "likeness", m->likeness);
	fputs(", ", out);
	put_field(out, "healthy", m->healthy_ratio);
	fprintf(out, ",\n    \"intervals\": {\"LOW\": %llu, \"MED\": %llu, \"HIGH\": %llu}},\n",
		(unsigned long long)m->class_counts[LODE_PIO_LOW],
		(unsigned long long)m->class_counts[LODE_PIO_MED],
		(unsigned long long)m->class_counts[LODE_PIO_HIGH]);
}

static int by_pair(const void *a, const void *b, void *context)
{
	const struct lode_usual *usual = context;
	const struct lode_usual_pair *x = &usual->pairs.at[*(const uint32_t *)a];
	const struct lode_usual_pair *y = &usual->pairs.at[*(const uint32_t *)b];

	return LODE_ORDER(x->action, y->action) ?: LODE_ORDER(x->user, y->user);
}

/* [user, requests, mean, deviation] per line, actions in the order of their ids. */
static void put_usual(FILE *out, const struct lode_pio_model *m)
{
	uint32_t *order = lode_alloc((m->usual.pairs.n + 1) * sizeof(*order));
	uint32_t action = LODE_NONE;

	for (size_t i = 0; i < m->usual.pairs.n; i++)
		order[i] = (uint32_t)i;
	lode_sort_r(order, m->usual.pairs.n, by_pair, (void *)&m->usual);
	fprintf(out, "  \"response_times\": {\"unit\": \"%s\", \"actions\": [",
		m->settings.is_log ? "ln ns" : "ns");
	for (size_t i = 0; i < m->usual.pairs.n; i++) {
		const struct lode_usual_pair *p = &m->usual.pairs.at[order[i]];

		if (!p->moments.n)
			continue;
		if (p->action != action) {
			fprintf(out, "%s\n    {\"action\": ", action == LODE_NONE ? "" : "]},");
			put_text_model_file(out, m->names.actions.text.at[p->action]);
			fputs(", \"users\": [", out);
		}
		fprintf(out, "%s\n      [", p->action == action ? "," : "");
		action = p->action;
		if (p->user == LODE_NONE)
			fputs("null", out);
		else
			put_text_model_file(out, m->names.users.text.at[p->user]);
		fprintf(out, ", %llu, ", (unsigned long long)p->moments.n);
		put_number(out, p->moments.mean);
		fputs(", ", out);
		put_number(out, lode_usual_moments_deviation(&p->moments));
		fputc(']', out);
	}
	fprintf(out, "%s\n  ]},\n", action == LODE_NONE ? "" : "]}");
	free(order);
}

static void put_side(FILE *out, const char *name, const struct lode_pio_side *s)
{
	fprintf(out, ",\n     \"%s\": {", name);
	put_field(out, "border", s->border);
	fputs(", ", out);
	put_field(out, "scale", s->scale);
	fputs(", ", out);
	put_field(out, "precision", s->precision);
	fputs(", ", out);
	put_field(out, "blame", s->blame);
	fputc('}', out);
}

static void put_counters(FILE *out, const struct lode_pio_model *m)
{
	fputs("  \"counters\": [", out);
	for (size_t i = 0; i < m->counters.n; i++) {
		const struct lode_pio_counter *c = &m->counters.at[i];

		fprintf(out, "%s\n    {\"server\": ", i ? "," : "");
		put_text_model_file(out, c->server);
		fputs(", \"counter\": ", out);
		put_text_model_file(out, c->name);
		fprintf(out, ", \"values\": %llu", (unsigned long long)c->n_values);
		if (!m->settings.is_classic) {
			fputs(", ", out);
			put_field(out, "median", c->median);
			fprintf(out, ", \"drifting\": %s", truth(c->is_drifting));
			put_side(out, "rise", &c->rise);
			put_side(out, "fall", &c->fall);
		}
		fputc('}', out);
	}
	fputs("\n  ],\n  \"evidence\": {", out);
	put_field(out, "bound", m->evidence_bound);
	fprintf(out, ", \"episodes\": %u, \"bystanders\": [", m->n_episodes);
	for (size_t s = 0; s < m->bystanders.n; s++) {
		fputs(s ? ", " : "", out);
		put_number(out, m->bystanders.at[s]);
	}
	fputs("]},\n", out);
}

/* A condition: [server, counter, "<=", threshold]. */
static void put_ruleset(FILE *out, const struct lode_pio_model *m, const struct lode_ruleset *rules,
			const char *const *classes, double error)
{
	put_field(out, "error", error);
	fputs(", \"rules\": [", out);
	for (size_t r = 0; r < rules->rules.n; r++) {
		const struct lode_rule *rule = &rules->rules.at[r];

		fprintf(out, "%s\n        {\"if\": [", r ? "," : "");
		for (size_t i = 0; i < rule->conditions.n; i++) {
			const struct lode_rule_condition *c = &rule->conditions.at[i];

			fputs(i ? ", [" : "[", out);
			put_text_model_file(out, m->counters.at[c->attribute].server);
			fputs(", ", out);
			put_text_model_file(out, m->counters.at[c->attribute].name);
			fprintf(out, ", \"%s\", ", c->comparison == LODE_AT_MOST ? "<=" : ">=");
			put_number(out, c->value);
			fputc(']', out);
		}
		fprintf(out, "],\n         \"then\": \"%s\", \"covered\": %u, \"wrong\": %u}",
			classes[rule->class], rule->n_covered, rule->n_wrong);
	}
	fprintf(out, "],\n        \"else\": \"%s\", \"covered\": %u, \"wrong\": %u}",
		classes[rules->default_class], rules->n_covered, rules->n_wrong);
}

static const char *const low_other[] = {"LOW", "OTHER"}, *const med_high[] = {"MED", "HIGH"};

void lode_pio_model_write(FILE *out, const struct lode_pio_model *m)
{
	fprintf(out, "{\n  \"schema\": \"lode/pio-model/%d\",\n", LODE_PIO_MODEL_VERSION);
	put_settings(out, &m->settings);
	put_training(out, m);
	put_counters(out, m);
	fputs("  \"rulesets\": [", out);
	for (size_t i = 0; i < m->rules.n; i++) {
		const struct lode_pio_rules *r = &m->rules.at[i];

		fprintf(out,
			"%s\n    {\"seed\": %llu, \"rows\": {\"LOW\": %u, \"MED\": %u, \"HIGH\": "
			"%u},\n      \"low_other\": {",
			i ? "," : "", (unsigned long long)r->seed, r->n_low, r->n_med, r->n_high);
		put_ruleset(out, m, &r->low_other, low_other, r->low_other_error);
		fputs(",\n      \"med_high\": {", out);
		put_ruleset(out, m, &r->med_high, med_high, r->med_high_error);
		fputc('}', out);
	}
	fputs("\n  ],\n", out);
	put_usual(out, m);
	fputs("  \"end\": true\n}\n", out);
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
				  "model: '%s' is missing or not what a model has there", what);
}

static yajl_val member(yajl_val object, const char *name)
{
	const char *path[] = {name, NULL};

	return object && YAJL_IS_OBJECT(object) ? yajl_tree_get(object, path, yajl_t_any) : NULL;
}

/* null is NaN where that has a meaning. */
static double number(struct reading *r, yajl_val object, const char *name, bool may_be_null)
{
	yajl_val v = member(object, name);

	if (v && YAJL_IS_NUMBER(v))
		return YAJL_IS_DOUBLE(v) ? YAJL_GET_DOUBLE(v) : (double)YAJL_GET_INTEGER(v);
	if (!may_be_null || !v || !YAJL_IS_NULL(v))
		bad(r, name);
	return NAN;
}

static int64_t integer(struct reading *r, yajl_val object, const char *name, int64_t least,
		       int64_t most)
{
	yajl_val v = member(object, name);

	if (!v || !YAJL_IS_INTEGER(v) || YAJL_GET_INTEGER(v) < least ||
	    YAJL_GET_INTEGER(v) > most) {
		bad(r, name);
		return least;
	}
	return YAJL_GET_INTEGER(v);
}

static bool boolean(struct reading *r, yajl_val object, const char *name)
{
	yajl_val v = member(object, name);

	if (!v || (!YAJL_IS_TRUE(v) && !YAJL_IS_FALSE(v)))
		bad(r, name);
	return v && YAJL_IS_TRUE(v);
}

static const char *text(struct reading *r, yajl_val object, const char *name)
{
	yajl_val v = member(object, name);

	if (!v || !YAJL_IS_STRING(v)) {
		bad(r, name);
		return "";
	}
	return v->u.string;
}

/* The items of an array; none when there is no such array. */
static size_t items(struct reading *r, yajl_val object, const char *name, yajl_val **at)
{
	yajl_val v = member(object, name);

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
	yajl_val s = member(root, "settings");

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

static void read_training(struct reading *r, yajl_val root)
{
	yajl_val *at, s = member(root, "sa_ratio"), n = member(s, "intervals");
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
	yajl_val *at, e = member(root, "evidence");
	size_t n = items(r, root, "counters", &at);

	for (size_t i = 0; i < n && r->rc >= 0; i++) {
		struct lode_pio_counter c = {.median = NAN};
		const char *server = text(r, at[i], "server"), *name = text(r, at[i], "counter");

		c.n_values = (uint64_t)integer(r, at[i], "values", 0, INT64_MAX);
		if (!m->settings.is_classic) {
			c.median = number(r, at[i], "median", true);
			c.is_drifting = boolean(r, at[i], "drifting");
			if (isnan(c.median)) {
				c.rise.scale = c.fall.scale = 1;
			} else {
				read_side(r, &c.rise, member(at[i], "rise"));
				read_side(r, &c.fall, member(at[i], "fall"));
			}
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
		yajl_val rows = member(at[i], "rows");

		rules.seed = (uint64_t)integer(r, at[i], "seed", 0, INT64_MAX);
		rules.n_low = (uint32_t)integer(r, rows, "LOW", 0, UINT32_MAX);
		rules.n_med = (uint32_t)integer(r, rows, "MED", 0, UINT32_MAX);
		rules.n_high = (uint32_t)integer(r, rows, "HIGH", 0, UINT32_MAX);
		rules.low_other_error =
			read_ruleset(r, &rules.low_other, member(at[i], "low_other"), low_other);
		rules.med_high_error =
			read_ruleset(r, &rules.med_high, member(at[i], "med_high"), med_high);
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
	size_t n = items(r, member(root, "response_times"), "actions", &at);

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
				 "not a model of lode pio: no \"schema\": \"lode/pio-model/1\"");
	if (strcmp(schema + 15, "1") != 0)
		return lode_fail(err, LODE_ERR_UNSUPPORTED, path, -1,
				 "model of version %.20s, this lode reads 1", schema + 15);
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
			got = lode_fail(err, LODE_ERR_LIMIT, path, -1, "a model is at most 512 MB");
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
