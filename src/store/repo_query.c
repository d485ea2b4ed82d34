/* Parses the language of --where. */
#include <stdio.h>
#include <strings.h>

#include "base/decimal.h"
#include "base/duration.h"
#include "base/escape.h"
#include "base/log_time.h"
#include "store/repo_query_parts.h"

/* LIMIT: of a query, so that neither this parser nor SQLite's runs out of stack. */
enum { MAX_DEPTH = 64, MAX_COMPARISONS = 200 };

static const struct field {
	const char *name;
	enum lode_query_field field;
	unsigned ops; /* bit i for enum lode_query_op i */
} fields[] = {
#define EQUAL  (1u << LODE_OP_EQ | 1u << LODE_OP_NE)
#define GLOBS  (1u << LODE_OP_GLOB | 1u << LODE_OP_NOT_GLOB)
#define ORDERS (1u << LODE_OP_LT | 1u << LODE_OP_LE | 1u << LODE_OP_GT | 1u << LODE_OP_GE)
	{"id", LODE_FIELD_ID, EQUAL | GLOBS},
	{"host", LODE_FIELD_HOST, EQUAL | GLOBS | ORDERS},
	{"kernel", LODE_FIELD_KERNEL, EQUAL | GLOBS | ORDERS},
	{"path", LODE_FIELD_PATH, EQUAL | GLOBS | ORDERS},
	{"comm", LODE_FIELD_COMM, EQUAL | GLOBS},
	{"command", LODE_FIELD_COMM, EQUAL | GLOBS},
	{"time", LODE_FIELD_TIME, EQUAL | ORDERS},
	{"age", LODE_FIELD_TIME, ORDERS},
	{"symptoms", LODE_FIELD_SYMPTOMS, EQUAL | ORDERS},
	{"symptom_time", LODE_FIELD_SYMPTOM_TIME, EQUAL | ORDERS},
	{"length", LODE_FIELD_LENGTH, EQUAL | ORDERS},
};
enum { N_FIELDS = sizeof(fields) / sizeof(*fields) };

/* Longer ones first: what begins alike. */
static const struct {
	const char *text;
	enum lode_query_op op;
} ops[] = {
	{"!=", LODE_OP_NE},  {"!~", LODE_OP_NOT_GLOB}, {"<=", LODE_OP_LE},
	{">=", LODE_OP_GE},  {"==", LODE_OP_EQ},       {"=", LODE_OP_EQ},
	{"~", LODE_OP_GLOB}, {"<", LODE_OP_LT},	       {">", LODE_OP_GT},
};

struct parser {
	struct lode_repo_query *query;
	const char *text, *at;
	int64_t now_ns;
	int depth, n_comparisons;
	struct lode_error *err;
};

static const char *const words[] = {"and", "or", "not"};

int lode_repo_query_is_field(const char *key, size_t len)
{
	for (size_t i = 0; i < N_FIELDS; i++)
		if (strlen(fields[i].name) == len && !strncasecmp(fields[i].name, key, len))
			return 1;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strlen(words[i]) == len && !strncasecmp(words[i], key, len))
			return 1;
	return 0;
}

/* ---- Mistakes ---- */

/* What is wrong, the text around the place, and a caret below it. */
static struct lode_query_expr *fail_repo_query(struct parser *p, const char *place,
					       const char *what)
{
	enum { BEFORE = 48, AFTER = 32 };
	size_t at = (size_t)(place - p->text), start = at > BEFORE ? at - BEFORE : 0;
	char before[BEFORE + 1], shown[4 * (BEFORE + AFTER) + 1], line[BEFORE + AFTER + 1];
	char safe[4 * BEFORE + 1];

	/* Not in the middle of a character. */
	while (start < at && (p->text[start] & 0xc0) == 0x80)
		start++;
	snprintf(before, sizeof(before), "%.*s", (int)(at - start), p->text + start);
	snprintf(line, sizeof(line), "%s", p->text + start);
	lode_escape(shown, sizeof(shown), line);
	lode_escape(safe, sizeof(safe), before);
	lode_fail(p->err, LODE_ERR_ARG, NULL, -1, "%s\n  %s%s\n  %*s^", what, start ? "..." : "",
		  shown, (int)(lode_escape_width(before) + (start ? 3 : 0)), "");
	return NULL;
}

/* ---- Words ---- */

static void skip_blanks(struct parser *p)
{
	while (*p->at && strchr(" \t\r\n", *p->at))
		p->at++;
}

static bool is_plain(char c)
{
	return c && !strchr(" \t\r\n()=!~<>\"'", c);
}

static size_t plain_length(const char *at)
{
	size_t n = 0;

	while (is_plain(at[n]))
		n++;
	return n;
}

static bool take_word(struct parser *p, const char *word)
{
	size_t n;

	skip_blanks(p);
	n = plain_length(p->at);
	if (n != strlen(word) || strncasecmp(p->at, word, n) != 0)
		return false;
	p->at += n;
	return true;
}

/* "..." or '...', a backslash before what would end it; NULL: it does not end. */
static const char *take_quoted(struct parser *p)
{
	char quote = *p->at++;
	size_t n = 0;
	char *text = lode_arena_alloc(&p->query->arena, strlen(p->at) + 1, 1);

	for (; *p->at && *p->at != quote; p->at++) {
		if (*p->at == '\\' && (p->at[1] == quote || p->at[1] == '\\'))
			p->at++;
		text[n++] = *p->at;
	}
	if (!*p->at)
		return NULL;
	p->at++;
	text[n] = '\0';
	return text;
}

static const char *take_value(struct parser *p)
{
	const char *start, *text;
	size_t n;

	skip_blanks(p);
	start = p->at;
	if (*p->at == '"' || *p->at == '\'') {
		text = take_quoted(p);
		if (!text)
			fail_repo_query(p, start, "unterminated quote");
		return text;
	}
	n = plain_length(p->at);
	if (!n) {
		fail_repo_query(p, p->at,
				*p->at ? "expected a value; quote it if it contains blanks, "
					 "parentheses or operators"
				       : "expected a value");
		return NULL;
	}
	p->at += n;
	return lode_arena_strndup(&p->query->arena, start, n);
}

/* ---- Values ---- */

bool lode_repo_query_age(int64_t *out_ns, const char *text)
{
	static const int64_t day_ns = 86400000000000;
	char *end;
	unsigned long n;

	if (lode_is_digit(*text)) {
		n = strtoul(text, &end, 10);
		if ((!strcmp(end, "d") || !strcmp(end, "w")) && n <= 36500) {
			*out_ns = (int64_t)n * day_ns * (*end == 'w' ? 7 : 1);
			return true;
		}
		/* A bare number would be seconds: more likely days are meant. */
		if (!*end && n)
			return false;
	}
	return lode_duration_parse(out_ns, text);
}

static bool parse_count(int64_t *out, const char *text)
{
	return lode_int_parse(out, text, strlen(text)) && *out >= 0 && *out < INT64_MAX;
}

/* A younger stream has a later time: the comparison turns round. */
static bool parse_age(struct lode_query_expr *expr, int64_t now_ns, const char *text)
{
	static const enum lode_query_op turned[] = {[LODE_OP_LT] = LODE_OP_GT,
						    [LODE_OP_LE] = LODE_OP_GE,
						    [LODE_OP_GT] = LODE_OP_LT,
						    [LODE_OP_GE] = LODE_OP_LE};
	int64_t age_ns;

	if (!lode_repo_query_age(&age_ns, text) ||
	    __builtin_sub_overflow(now_ns, age_ns, &expr->low))
		return false;
	expr->high = expr->low + 1;
	expr->op = turned[expr->op];
	return true;
}

/* NULL, or what was expected instead. */
static const char *parse_number(struct lode_query_expr *expr, const struct field *field,
				int64_t now_ns, const char *text)
{
	if (strcmp(field->name, "age") == 0)
		return parse_age(expr, now_ns, text) ? NULL
						     : "expected an age such as 90m, 12h, 7d or 2w";
	if (field->field == LODE_FIELD_TIME)
		return lode_date_parse(&expr->low, &expr->high, text)
			       ? NULL
			       : "expected a time (UTC) such as 2026-11, 2026-11-01 or "
				 "2026-11-01T12:30";
	if (field->field == LODE_FIELD_SYMPTOMS) {
		if (!parse_count(&expr->low, text))
			return "expected a count";
	} else if (!lode_repo_query_age(&expr->low, text)) {
		return "expected a duration with its unit, such as 300ms or 1.5s";
	}
	expr->high = expr->low + 1;
	return NULL;
}

/* An id is given by its beginning. */
static const char *id_glob(struct parser *p, const char *text)
{
	size_t n = strlen(text);
	char *glob = lode_arena_alloc(&p->query->arena, n + 2, 1);

	for (size_t i = 0; i <= n; i++)
		glob[i] = text[i] >= 'A' && text[i] <= 'F' ? (char)(text[i] - 'A' + 'a') : text[i];
	if (n < 16) {
		glob[n] = '*';
		glob[n + 1] = '\0';
	}
	return glob;
}

/* ---- Expressions ---- */

static struct lode_query_expr *new_expr(struct parser *p, enum lode_query_kind kind,
					struct lode_query_expr *left, struct lode_query_expr *right)
{
	struct lode_query_expr *expr =
		lode_arena_array(&p->query->arena, struct lode_query_expr, 1);

	memset(expr, 0, sizeof(*expr));
	expr->kind = kind;
	expr->left = left;
	expr->right = right;
	return expr;
}

static bool take_op(struct parser *p, enum lode_query_op *op)
{
	skip_blanks(p);
	for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++) {
		size_t n = strlen(ops[i].text);

		if (strncmp(p->at, ops[i].text, n) == 0) {
			*op = ops[i].op;
			p->at += n;
			return true;
		}
	}
	return false;
}

static const struct field *find_field(const char *name, size_t len)
{
	for (size_t i = 0; i < N_FIELDS; i++)
		if (strlen(fields[i].name) == len && !strncasecmp(fields[i].name, name, len))
			return &fields[i];
	return NULL;
}

static struct lode_query_expr *parse_comparison(struct parser *p)
{
	struct lode_query_expr *expr = new_expr(p, LODE_QUERY_COMPARE, NULL, NULL);
	const char *name = p->at, *at, *wrong;
	size_t len = plain_length(name);
	const struct field *field = find_field(name, len);

	if (++p->n_comparisons > MAX_COMPARISONS)
		return fail_repo_query(p, name, "too many comparisons: at most 200");
	if (!field && !lode_repo_label_is_key(name, len))
		return fail_repo_query(p, name,
				       len ? "this is not a field and cannot be a label"
					   : "expected a comparison such as release=2.1");
	p->at += len;
	skip_blanks(p);
	at = p->at;
	if (!take_op(p, &expr->op))
		return fail_repo_query(p, at, "expected an operator: = != ~ !~ < <= > >=");
	if (field && !(field->ops >> expr->op & 1))
		return fail_repo_query(
			p, at,
			field->ops & GLOBS   ? "this field can be compared with = != ~ !~ only"
			: field->ops & EQUAL ? "this field can be compared with = != < <= > >= only"
					     : "this field can be compared with < <= > >= only");
	expr->field = field ? field->field : LODE_FIELD_LABEL;
	if (!field)
		expr->key = lode_arena_strndup(&p->query->arena, name, len);
	skip_blanks(p);
	at = p->at;
	expr->text = take_value(p);
	if (!expr->text)
		return NULL;
	if (expr->field == LODE_FIELD_ID && (expr->op == LODE_OP_EQ || expr->op == LODE_OP_NE))
		expr->text = id_glob(p, expr->text);
	if (!lode_query_is_number(expr->field))
		return expr;
	wrong = parse_number(expr, field, p->now_ns, expr->text);
	return wrong ? fail_repo_query(p, at, wrong) : expr;
}

static struct lode_query_expr *parse_or(struct parser *p);

static struct lode_query_expr *parse_term(struct parser *p)
{
	struct lode_query_expr *inner;
	const char *open;

	if (take_word(p, "not")) {
		if (++p->depth > MAX_DEPTH)
			return fail_repo_query(p, p->at, "too deeply nested");
		inner = parse_term(p);
		p->depth--;
		return inner ? new_expr(p, LODE_QUERY_NOT, inner, NULL) : NULL;
	}
	if (*p->at != '(')
		return parse_comparison(p);
	open = p->at++;
	if (++p->depth > MAX_DEPTH)
		return fail_repo_query(p, open, "too deeply nested");
	inner = parse_or(p);
	p->depth--;
	if (!inner)
		return NULL;
	skip_blanks(p);
	if (*p->at != ')')
		return *p->at ? fail_repo_query(p, p->at, "expected 'and', 'or' or ')'")
			      : fail_repo_query(p, open, "unclosed parenthesis");
	p->at++;
	return inner;
}

static struct lode_query_expr *parse_and(struct parser *p)
{
	struct lode_query_expr *left = parse_term(p), *right;

	while (left && take_word(p, "and")) {
		right = parse_term(p);
		left = right ? new_expr(p, LODE_QUERY_AND, left, right) : NULL;
	}
	return left;
}

static struct lode_query_expr *parse_or(struct parser *p)
{
	struct lode_query_expr *left = parse_and(p), *right;

	while (left && take_word(p, "or")) {
		right = parse_and(p);
		left = right ? new_expr(p, LODE_QUERY_OR, left, right) : NULL;
	}
	return left;
}

int lode_repo_query_parse(struct lode_repo_query **out, const char *text, int64_t now_ns,
			  struct lode_error *err)
{
	struct lode_repo_query *query = lode_alloc0(1, sizeof(*query));
	struct lode_error unheard;
	struct parser p = {
		.query = query,
		.text = text,
		.at = text,
		.now_ns = now_ns,
		.err = err ? err : &unheard,
	};

	*out = NULL;
	query->root = parse_or(&p);
	if (query->root) {
		skip_blanks(&p);
		if (*p.at)
			query->root = fail_repo_query(&p, p.at, "expected 'and' or 'or'");
	}
	if (!query->root) {
		lode_repo_query_free(query);
		return LODE_ERR_ARG;
	}
	*out = query;
	return 0;
}

void lode_repo_query_free(struct lode_repo_query *query)
{
	if (!query)
		return;
	lode_arena_release(&query->arena);
	free(query);
}
