/* Translates a query to SQL. */
#include "base/glob.h"
#include "base/written.h"
#include "store/repo_db.h"
#include "store/repo_query_parts.h"

/* ---- Functions that SQL lacks ---- */

static size_t digits(const char *text)
{
	return strspn(text, "0123456789");
}

/* Numbers of any length: without leading zeros, the longer is the larger. */
static int compare_numbers(const char *a, size_t n_a, const char *b, size_t n_b)
{
	for (; n_a && *a == '0'; n_a--)
		a++;
	for (; n_b && *b == '0'; n_b--)
		b++;
	if (n_a != n_b)
		return n_a < n_b ? -1 : 1;
	return memcmp(a, b, n_a);
}

int lode_query_natural(const char *a, const char *b)
{
	const char *whole_a = a, *whole_b = b;

	while (*a && *b) {
		size_t n_a = digits(a), n_b = digits(b);
		int order;

		if (n_a && n_b) {
			order = compare_numbers(a, n_a, b, n_b);
			a += n_a;
			b += n_b;
		} else {
			order = (unsigned char)*a++ - (unsigned char)*b++;
		}
		if (order)
			return order;
	}
	if (*a || *b)
		return *a ? 1 : -1;
	return strcmp(whole_a, whole_b); /* 2.1 and 2.01 */
}

static const char *argument(sqlite3_value *value)
{
	const char *text = (const char *)sqlite3_value_text(value);

	return text ? text : "";
}

static void sql_glob(sqlite3_context *context, int n, sqlite3_value **values)
{
	(void)n;
	sqlite3_result_int(context, lode_glob_match(argument(values[0]), argument(values[1])));
}

static void sql_natural(sqlite3_context *context, int n, sqlite3_value **values)
{
	(void)n;
	sqlite3_result_int(context, lode_query_natural(argument(values[0]), argument(values[1])));
}

int lode_repo_query_register(struct lode_repo *repo, struct lode_error *err)
{
	enum { FLAGS = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY };

	if (sqlite3_create_function(repo->db, "lode_glob", 2, FLAGS, NULL, sql_glob, NULL, NULL) !=
		    SQLITE_OK ||
	    sqlite3_create_function(repo->db, "lode_natural", 2, FLAGS, NULL, sql_natural, NULL,
				    NULL) != SQLITE_OK)
		return lode_repo_fail(repo, "cannot read it", err);
	return 0;
}

/* ---- SQL ---- */

static const char *const columns[] = {
	[LODE_FIELD_ID] = "s.uid",
	[LODE_FIELD_HOST] = "s.host",
	[LODE_FIELD_KERNEL] = "s.kernel",
	[LODE_FIELD_PATH] = "s.path",
	[LODE_FIELD_COMM] = "comm",
	[LODE_FIELD_LABEL] = "value",
	[LODE_FIELD_TIME] = "s.time_ns",
	[LODE_FIELD_SYMPTOMS] = "s.n_symptoms",
	[LODE_FIELD_SYMPTOM_TIME] = "s.symptom_ns",
	[LODE_FIELD_LENGTH] = "s.length_ns",
};

/*
 * Writes the SQL, or binds its parameters: one walk for both, so that they cannot get out of step.
 * Texts of a query are never part of the SQL.
 */
struct writer {
	FILE *out;	  /* NULL: binding */
	sqlite3_stmt *st; /* NULL: writing */
	int n;		  /* parameters so far */
};

static void put_repo_query_sql(struct writer *w, const char *sql)
{
	if (w->out)
		fputs(sql, w->out);
}

static void put_text_repo_query_sql(struct writer *w, const char *text, size_t len)
{
	w->n++;
	if (w->out)
		fprintf(w->out, "?%d", w->n);
	else
		sqlite3_bind_text64(w->st, w->n, text, len, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static void put_number(struct writer *w, int64_t number)
{
	w->n++;
	if (w->out)
		fprintf(w->out, "?%d", w->n);
	else
		sqlite3_bind_int64(w->st, w->n, number);
}

/* How much of a glob stands for itself. */
static size_t literal_length(const char *glob)
{
	return strcspn(glob, "*?[]\\");
}

/* Texts that begin with `prefix`: a range, which an index finds. */
static void put_prefix(struct writer *w, const char *column, const char *prefix, size_t len)
{
	char *end = lode_alloc(len + 1);

	put_repo_query_sql(w, column);
	put_repo_query_sql(w, " >= ");
	put_text_repo_query_sql(w, prefix, len);
	memcpy(end, prefix, len);
	while (len && (unsigned char)end[len - 1] == 0xff)
		len--;
	if (len) {
		end[len - 1]++;
		put_repo_query_sql(w, " AND ");
		put_repo_query_sql(w, column);
		put_repo_query_sql(w, " < ");
		put_text_repo_query_sql(w, end, len);
	}
	free(end);
}

static void put_glob(struct writer *w, const char *column, const char *glob)
{
	size_t literal = literal_length(glob);

	if (!glob[literal]) {
		put_repo_query_sql(w, column);
		put_repo_query_sql(w, " = ");
		put_text_repo_query_sql(w, glob, literal);
		return;
	}
	put_repo_query_sql(w, "(");
	if (literal) {
		put_prefix(w, column, glob, literal);
		put_repo_query_sql(w, " AND ");
	}
	put_repo_query_sql(w, "lode_glob(");
	put_text_repo_query_sql(w, glob, strlen(glob));
	put_repo_query_sql(w, ", ");
	put_repo_query_sql(w, column);
	put_repo_query_sql(w, "))");
}

static const char *sign_of(enum lode_query_op op)
{
	static const char *const signs[] = {[LODE_OP_LT] = " < ",
					    [LODE_OP_LE] = " <= ",
					    [LODE_OP_GT] = " > ",
					    [LODE_OP_GE] = " >= "};

	return signs[op];
}

/* Without its negation, if it is one. */
static enum lode_query_op plain_op(enum lode_query_op op)
{
	return op == LODE_OP_NE ? LODE_OP_EQ : op == LODE_OP_NOT_GLOB ? LODE_OP_GLOB : op;
}

/* A comparison of texts; of a negation what it negates. */
static void put_text_test(struct writer *w, const struct lode_query_expr *expr)
{
	const char *column = columns[expr->field];
	enum lode_query_op op = plain_op(expr->op);

	if (op == LODE_OP_GLOB || (op == LODE_OP_EQ && expr->field == LODE_FIELD_ID)) {
		put_glob(w, column, expr->text);
	} else if (op == LODE_OP_EQ) {
		put_repo_query_sql(w, column);
		put_repo_query_sql(w, " = ");
		put_text_repo_query_sql(w, expr->text, strlen(expr->text));
	} else {
		put_repo_query_sql(w, "lode_natural(");
		put_repo_query_sql(w, column);
		put_repo_query_sql(w, ", ");
		put_text_repo_query_sql(w, expr->text, strlen(expr->text));
		put_repo_query_sql(w, ")");
		put_repo_query_sql(w, sign_of(op));
		put_repo_query_sql(w, "0");
	}
}

static void put_text_comparison(struct writer *w, const struct lode_query_expr *expr, bool is_not)
{
	if (expr->field == LODE_FIELD_COMM) {
		put_repo_query_sql(w, is_not ? "s.id NOT IN (SELECT stream FROM symptom WHERE "
					     : "s.id IN (SELECT stream FROM symptom WHERE ");
		put_text_test(w, expr);
		put_repo_query_sql(w, ")");
	} else if (expr->field == LODE_FIELD_LABEL) {
		put_repo_query_sql(w, is_not ? "s.id NOT IN (SELECT stream FROM label WHERE key = "
					     : "s.id IN (SELECT stream FROM label WHERE key = ");
		put_text_repo_query_sql(w, expr->key, strlen(expr->key));
		put_repo_query_sql(w, " AND ");
		put_text_test(w, expr);
		put_repo_query_sql(w, ")");
	} else {
		put_repo_query_sql(w, is_not ? "NOT " : "");
		put_text_test(w, expr);
	}
}

static void put_bound(struct writer *w, const char *column, const char *sign, int64_t number)
{
	put_repo_query_sql(w, column);
	put_repo_query_sql(w, sign);
	put_number(w, number);
}

static void put_number_comparison(struct writer *w, const struct lode_query_expr *expr, bool is_not)
{
	const char *column = columns[expr->field];
	/* What `not` makes of an order. */
	static const enum lode_query_op turned[] = {
		[LODE_OP_EQ] = LODE_OP_NE, [LODE_OP_NE] = LODE_OP_EQ, [LODE_OP_LT] = LODE_OP_GE,
		[LODE_OP_GE] = LODE_OP_LT, [LODE_OP_LE] = LODE_OP_GT, [LODE_OP_GT] = LODE_OP_LE};

	switch (is_not ? turned[expr->op] : expr->op) {
	case LODE_OP_EQ:
		put_repo_query_sql(w, "(");
		put_bound(w, column, " >= ", expr->low);
		put_repo_query_sql(w, " AND ");
		put_bound(w, column, " < ", expr->high);
		put_repo_query_sql(w, ")");
		break;
	case LODE_OP_NE:
		put_repo_query_sql(w, "(");
		put_bound(w, column, " < ", expr->low);
		put_repo_query_sql(w, " OR ");
		put_bound(w, column, " >= ", expr->high);
		put_repo_query_sql(w, ")");
		break;
	case LODE_OP_LT:
		put_bound(w, column, " < ", expr->low);
		break;
	case LODE_OP_LE:
		put_bound(w, column, " < ", expr->high);
		break;
	case LODE_OP_GT:
		put_bound(w, column, " >= ", expr->high);
		break;
	default:
		put_bound(w, column, " >= ", expr->low);
		break;
	}
}

/* != is the negation of =, and !~ of ~. */
static bool negates(const struct lode_query_expr *expr)
{
	return expr->op == LODE_OP_NE || expr->op == LODE_OP_NOT_GLOB;
}

/* ---- Indices ---- */

static bool is_indexed(const struct lode_query_expr *expr, bool is_not)
{
	enum lode_query_op op;
	bool is_both;

	switch (expr->kind) {
	case LODE_QUERY_NOT:
		return is_indexed(expr->left, !is_not);
	case LODE_QUERY_AND:
	case LODE_QUERY_OR:
		is_both = (expr->kind == LODE_QUERY_AND) != is_not;
		return is_both ? is_indexed(expr->left, is_not) || is_indexed(expr->right, is_not)
			       : is_indexed(expr->left, is_not) && is_indexed(expr->right, is_not);
	case LODE_QUERY_COMPARE:
		break;
	}
	if (lode_query_is_number(expr->field))
		return expr->op != (is_not ? LODE_OP_EQ : LODE_OP_NE);
	if (negates(expr) != is_not)
		return false;
	if (expr->field == LODE_FIELD_COMM || expr->field == LODE_FIELD_LABEL)
		return true; /* the streams come out of another table */
	op = plain_op(expr->op);
	if (op == LODE_OP_EQ && expr->field != LODE_FIELD_ID)
		return true;
	return (op == LODE_OP_GLOB || op == LODE_OP_EQ) && literal_length(expr->text) > 0;
}

/* ---- Expressions ---- */

static void put_expr(struct writer *w, const struct lode_query_expr *expr, bool is_not);

static bool is_or(const struct lode_query_expr *expr, bool is_not)
{
	return expr->kind == (is_not ? LODE_QUERY_AND : LODE_QUERY_OR);
}

/*
 * Alternatives that indices find are a union of what each finds: left to itself, SQLite gives up on
 * indices for nested ones.
 */
static void put_union(struct writer *w, const struct lode_query_expr *expr, bool is_not,
		      const char *before)
{
	if (is_or(expr, is_not)) {
		put_union(w, expr->left, is_not, before);
		put_union(w, expr->right, is_not, " UNION ");
		return;
	}
	put_repo_query_sql(w, before);
	put_repo_query_sql(w, "SELECT s.id FROM stream AS s WHERE ");
	put_expr(w, expr, is_not);
}

/* `is_not`: the negation of the expression, pushed down to its comparisons, where an index may
   serve it. */
static void put_expr(struct writer *w, const struct lode_query_expr *expr, bool is_not)
{
	switch (expr->kind) {
	case LODE_QUERY_NOT:
		put_expr(w, expr->left, !is_not);
		return;
	case LODE_QUERY_AND:
	case LODE_QUERY_OR:
		if (is_or(expr, is_not) && is_indexed(expr, is_not)) {
			put_repo_query_sql(w, "s.id IN (");
			put_union(w, expr, is_not, "");
			put_repo_query_sql(w, ")");
			return;
		}
		put_repo_query_sql(w, "(");
		put_expr(w, expr->left, is_not);
		put_repo_query_sql(w, is_or(expr, is_not) ? " OR " : " AND ");
		put_expr(w, expr->right, is_not);
		put_repo_query_sql(w, ")");
		return;
	case LODE_QUERY_COMPARE:
		if (lode_query_is_number(expr->field))
			put_number_comparison(w, expr, is_not);
		else
			put_text_comparison(w, expr, is_not != negates(expr));
		return;
	}
}

char *lode_repo_query_sql(const struct lode_repo_query *query, const char *head, const char *tail)
{
	char *sql = NULL;
	size_t size;
	FILE *out = lode_written_open(&sql, &size);
	struct writer w = {.out = out};

	fprintf(out, "%s ", head);
	if (query) {
		fputs("WHERE ", out);
		put_expr(&w, query->root, false);
	}
	fprintf(out, " %s", tail);
	lode_written_close(out);
	return sql;
}

void lode_repo_query_bind(const struct lode_repo_query *query, sqlite3_stmt *st)
{
	struct writer w = {.st = st};

	if (query)
		put_expr(&w, query->root, false);
}

bool lode_repo_query_is_indexed(const struct lode_repo_query *query)
{
	return query && is_indexed(query->root, false);
}
