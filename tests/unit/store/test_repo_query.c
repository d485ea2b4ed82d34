/*
 * store/repo_query.h: queries as SQL pick what the plain meaning of their words picks; indices are
 * used wherever one serves; mistakes are said in their place.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/glob.h"
#include "scratch.h"
#include "store/repo_db.h"
#include "store/repo_query_parts.h"
#include "unit/engine/random_stream.h"
#include "cases.h"

enum { N_ROWS = 60 };

static const int64_t day_ns = 86400000000000;

/* ---- Rows ---- */

struct row {
	char uid[17];
	const char *host, *kernel, *path, *release, *comms[2];
	int64_t time_ns, n_symptoms, symptom_ns, length_ns;
};

static const char *one_of(struct rng *rng, const char *const *texts, uint32_t n)
{
	return texts[rng_below(rng, n)];
}

static const char *const hosts[] = {"web1", "web2", "web10", "db", "", "a'b", "\xc3\xa4"};
static const char *const kernels[] = {"6.1", "6.9", "6.10", "5.10.0-1"};
static const char *const paths[] = {"a/x.data", "a/y.data", "b (1).data", "x\xff"};
static const char *const releases[] = {"2.1", "2.9", "2.10", "2.01", "beta"};
static const char *const comms[] = {"git", "make", "git-lfs", "x*"};

static void random_rows(struct rng *rng, struct row *rows)
{
	for (size_t i = 0; i < N_ROWS; i++) {
		struct row *row = &rows[i];

		snprintf(row->uid, sizeof(row->uid), "%016llx",
			 (unsigned long long)(rng_next(rng) & 0xff000000000000ffu) | i << 8);
		row->host = one_of(rng, hosts, 7);
		row->kernel = one_of(rng, kernels, 4);
		row->path = one_of(rng, paths, 4);
		row->release = rng_chance(rng, 70) ? one_of(rng, releases, 5) : NULL;
		row->comms[0] = rng_chance(rng, 80) ? one_of(rng, comms, 4) : NULL;
		row->comms[1] = rng_chance(rng, 30) ? one_of(rng, comms, 4) : NULL;
		row->time_ns = 1793491200000000000 + (int64_t)rng_below(rng, 90) * day_ns / 2;
		row->n_symptoms = rng_below(rng, 4);
		row->symptom_ns = (int64_t)rng_below(rng, 5) * 500000000;
		row->length_ns = (int64_t)rng_below(rng, 5) * 1000000000;
	}
}

static void run_sql(struct lode_repo *repo, const char *sql, ...)
{
	struct lode_error err;
	va_list args;
	char *text;

	va_start(args, sql);
	text = sqlite3_vmprintf(sql, args);
	va_end(args);
	if (lode_repo_exec(repo, text, &err) < 0)
		fail_msg("%s: %s", text, err.message);
	sqlite3_free(text);
}

static void store_rows(struct lode_repo *repo, const struct row *rows)
{
	run_sql(repo, "BEGIN; DELETE FROM stream; DELETE FROM digest;"
		      "INSERT INTO digest VALUES (1, 'x', 0, 0, 0, 0, 0, 60, 0, NULL)");
	for (int i = 0; i < N_ROWS; i++) {
		const struct row *row = &rows[i];

		run_sql(repo,
			"INSERT INTO stream VALUES (%d, 1, %Q, %Q, %Q, %Q, %lld, 1, %lld, %lld,"
			" %lld)",
			i + 1, row->uid, row->path, row->host, row->kernel, (long long)row->time_ns,
			(long long)row->length_ns, (long long)row->n_symptoms,
			(long long)row->symptom_ns);
		if (row->release)
			run_sql(repo, "INSERT INTO label VALUES (%d, 'release', %Q)", i + 1,
				row->release);
		for (int k = 0; k < 2; k++)
			if (row->comms[k])
				run_sql(repo,
					"INSERT OR IGNORE INTO symptom VALUES (%Q, %d, 1, 1, 1)",
					row->comms[k], i + 1);
	}
	run_sql(repo, "COMMIT");
}

/* ---- What the words mean ---- */

static bool holds_order(enum lode_query_op op, int order)
{
	switch (op) {
	case LODE_OP_LT:
		return order < 0;
	case LODE_OP_LE:
		return order <= 0;
	case LODE_OP_GT:
		return order > 0;
	default:
		return order >= 0;
	}
}

/* Of one text; NULL: the stream has none. */
static bool holds_text(const struct lode_query_expr *expr, enum lode_query_op op, const char *text)
{
	if (!text)
		return false;
	if (op == LODE_OP_GLOB || expr->field == LODE_FIELD_ID)
		return lode_glob_match(expr->text, text);
	if (op == LODE_OP_EQ)
		return strcmp(text, expr->text) == 0;
	return holds_order(op, lode_query_natural(text, expr->text));
}

static bool holds_any_text(const struct lode_query_expr *expr, enum lode_query_op op,
			   const struct row *row)
{
	switch (expr->field) {
	case LODE_FIELD_ID:
		return holds_text(expr, op, row->uid);
	case LODE_FIELD_HOST:
		return holds_text(expr, op, row->host);
	case LODE_FIELD_KERNEL:
		return holds_text(expr, op, row->kernel);
	case LODE_FIELD_PATH:
		return holds_text(expr, op, row->path);
	case LODE_FIELD_LABEL:
		return holds_text(expr, op,
				  strcmp(expr->key, "release") == 0 ? row->release : NULL);
	default:
		return holds_text(expr, op, row->comms[0]) || holds_text(expr, op, row->comms[1]);
	}
}

static bool holds_number(const struct lode_query_expr *expr, const struct row *row)
{
	int64_t x = expr->field == LODE_FIELD_TIME	     ? row->time_ns
		    : expr->field == LODE_FIELD_SYMPTOMS     ? row->n_symptoms
		    : expr->field == LODE_FIELD_SYMPTOM_TIME ? row->symptom_ns
							     : row->length_ns;
	int order = x < expr->low ? -1 : x >= expr->high;

	if (expr->op == LODE_OP_EQ || expr->op == LODE_OP_NE)
		return (order == 0) == (expr->op == LODE_OP_EQ);
	return holds_order(expr->op, order);
}

static bool holds(const struct lode_query_expr *expr, const struct row *row)
{
	switch (expr->kind) {
	case LODE_QUERY_AND:
		return holds(expr->left, row) && holds(expr->right, row);
	case LODE_QUERY_OR:
		return holds(expr->left, row) || holds(expr->right, row);
	case LODE_QUERY_NOT:
		return !holds(expr->left, row);
	case LODE_QUERY_COMPARE:
		break;
	}
	if (lode_query_is_number(expr->field))
		return holds_number(expr, row);
	if (expr->op == LODE_OP_NE)
		return !holds_any_text(expr, LODE_OP_EQ, row);
	if (expr->op == LODE_OP_NOT_GLOB)
		return !holds_any_text(expr, LODE_OP_GLOB, row);
	return holds_any_text(expr, expr->op, row);
}

/* ---- Random queries ---- */

static void append(char *text, size_t size, const char *more)
{
	size_t n = strlen(text);

	snprintf(text + n, size - n, "%s", more);
}

/* A value as it is, or in quotes. */
static void append_value(struct rng *rng, char *text, size_t size, const char *value)
{
	bool is_plain = *value && !strpbrk(value, " \t()=!~<>\"'");

	if (is_plain && rng_chance(rng, 60)) {
		append(text, size, value);
		return;
	}
	append(text, size, "\"");
	append(text, size, value);
	append(text, size, "\"");
}

static void append_comparison(struct rng *rng, char *text, size_t size)
{
	static const char *const texts[] = {"host", "kernel", "path", "release", "none"};
	static const char *const ops[] = {"=", "!=", "~", "!~", "<", "<=", ">", ">="};
	static const char *const orders[] = {"=", "!=", "<", "<=", ">", ">="};
	static const char *const globs[] = {"web*",  "*1",   "?", "",
					    "[dw]*", "6.1*", "*", "a/x.data"};
	static const char *const days[] = {"2026", "2026-11", "2026-11-15", "2026-11-15T12",
					   "2026-12-01T00:00"};
	static const char *const ids[] = {"0", "a", "ff", "3"};
	char number[32];

	switch (rng_below(rng, 6)) {
	case 0:
		append(text, size, "comm");
		append(text, size, ops[rng_below(rng, 4)]);
		append_value(rng, text, size,
			     rng_chance(rng, 50) ? one_of(rng, comms, 4) : one_of(rng, globs, 8));
		return;
	case 1:
		append(text, size, "time");
		append(text, size,
		       ops[rng_chance(rng, 50) ? 4 + rng_below(rng, 4) : rng_below(rng, 2)]);
		append_value(rng, text, size, one_of(rng, days, 5));
		return;
	case 2:
		append(text, size, rng_chance(rng, 50) ? "symptom_time" : "length");
		append(text, size, one_of(rng, orders, 6));
		snprintf(number, sizeof(number), "%ums", rng_below(rng, 6) * 500);
		append_value(rng, text, size, number);
		return;
	case 3:
		append(text, size, "id");
		append(text, size, ops[rng_below(rng, 4)]);
		append_value(rng, text, size,
			     rng_chance(rng, 50) ? one_of(rng, ids, 4) : one_of(rng, globs, 8));
		return;
	default:
		append(text, size, one_of(rng, texts, 5));
		append(text, size, " ");
		append(text, size, one_of(rng, ops, 8));
		append(text, size, " ");
		append_value(rng, text, size,
			     rng_chance(rng, 30)   ? one_of(rng, globs, 8)
			     : rng_chance(rng, 50) ? one_of(rng, hosts, 7)
						   : one_of(rng, releases, 5));
	}
}

static void append_query(struct rng *rng, char *text, size_t size, int depth)
{
	if (depth == 0 || rng_chance(rng, 35)) {
		append_comparison(rng, text, size);
		return;
	}
	if (rng_chance(rng, 20)) {
		append(text, size, "not ");
		append(text, size, "(");
		append_query(rng, text, size, depth - 1);
		append(text, size, ")");
		return;
	}
	append(text, size, "(");
	append_query(rng, text, size, depth - 1);
	append(text, size, rng_chance(rng, 60) ? " and " : " or ");
	append_query(rng, text, size, depth - 1);
	append(text, size, ")");
}

/* ---- Tests ---- */

static struct lode_repo *open_repo(struct scratch *scratch)
{
	struct lode_repo *repo;
	struct lode_error err;

	if (lode_repo_open(&repo, scratch_path(scratch, "q.lode"), LODE_REPO_CREATE, &err) < 0)
		fail_msg("%s", err.message);
	run_sql(repo, "PRAGMA synchronous = OFF");
	return repo;
}

static struct lode_repo_query *parse(const char *text, int64_t now_ns)
{
	struct lode_repo_query *query;
	struct lode_error err;

	if (lode_repo_query_parse(&query, text, now_ns, &err) < 0)
		fail_msg("'%s': %s", text, err.message);
	return query;
}

static void sql_picks_what_the_words_mean(void **state)
{
	struct scratch scratch;
	struct lode_repo *repo;
	size_t n_some = 0;

	(void)state;
	scratch_make(&scratch);
	repo = open_repo(&scratch);
	for (uint64_t seed = 1; seed <= TEST_CASES(3000); seed++) {
		struct rng rng = {seed};
		static struct row rows[N_ROWS];
		struct lode_repo_streams found = {0};
		struct lode_repo_query *query;
		struct lode_error err;
		char text[4096] = "";
		size_t n = 0;

		if (seed % 50 == 1) {
			random_rows(&rng, rows);
			store_rows(repo, rows);
		}
		append_query(&rng, text, sizeof(text), 4);
		query = parse(text, 0);
		if (lode_repo_find(&found, repo, query, &err) < 0)
			fail_msg("seed %lu: %s: %s", seed, text, err.message);
		for (size_t i = 0; i < N_ROWS; i++) {
			bool is_found = false;

			for (size_t k = 0; k < found.list.n; k++)
				is_found |= found.list.at[k].row == (int64_t)i + 1;
			if (is_found != holds(query->root, &rows[i]))
				fail_msg("seed %lu: '%s': row %zu (%s %s %s) %s", seed, text, i,
					 rows[i].uid, rows[i].host,
					 rows[i].release ? rows[i].release : "-",
					 is_found ? "was found" : "was not found");
			n += is_found;
		}
		assert_int_equal(n, found.list.n);
		n_some += n > 0 && n < N_ROWS;
		lode_repo_streams_release(&found);
		lode_repo_query_free(query);
	}
	assert_true(n_some > TEST_CASES(1000));
	lode_repo_close(repo);
	scratch_remove(&scratch);
}

/* Does the plan of the query walk over all streams? */
static bool scans_streams(struct lode_repo *repo, const struct lode_repo_query *query, char *plan,
			  size_t size)
{
	char head[600];
	char *sql;
	struct lode_error err;
	sqlite3_stmt *st;
	bool scans = false;

	plan[0] = '\0';
	snprintf(head, sizeof(head), "EXPLAIN QUERY PLAN %s", lode_repo_find_head);
	sql = lode_repo_query_sql(query, head, lode_repo_find_tail);
	assert_int_equal(lode_repo_query_register(repo, &err), 0);
	assert_int_equal(lode_repo_prepare(&st, repo, sql, &err), 0);
	lode_repo_query_bind(query, st);
	while (lode_repo_step(repo, st, &err) > 0) {
		const char *line = (const char *)sqlite3_column_text(st, 3);

		scans |= strncmp(line, "SCAN s", 6) == 0 && (!line[6] || line[6] == ' ');
		append(plan, size, line);
		append(plan, size, "\n");
	}
	sqlite3_finalize(st);
	free(sql);
	return scans;
}

static void indices_are_used(void **state)
{
	static const char *const served[] = {
		"release=2.1 and host~web*",
		"release=2.1",
		"release~2.*",
		"release>2.1",
		"host=web1",
		"host~web*",
		"kernel~6.*",
		"path=x",
		"id=3f",
		"comm=git",
		"comm~git*",
		"time>=2026-11",
		"time=2026-11-01 and not release=2.1",
		"age<7d",
		"not age>7d",
		"symptoms>2",
		"symptom_time>1s",
		"length<1s",
		"not host!=web1",
		"host=web1 or release=2.1",
		"(host=web1 or comm=git) and kernel~*x",
		"not (host!=web1 and release!=2.1)",
	};
	static const char *const not_served[] = {"host!=web1", "not release=2.1", "host~*1",
						 "host<web1", "host=web1 or path~*x"};
	struct scratch scratch;
	struct lode_repo *repo;
	char plan[8192], text[4096];
	size_t n_served = 0;

	(void)state;
	scratch_make(&scratch);
	repo = open_repo(&scratch);
	for (size_t i = 0; i < sizeof(served) / sizeof(*served); i++) {
		struct lode_repo_query *query = parse(served[i], 1793491200000000000);

		if (!lode_repo_query_is_indexed(query))
			fail_msg("'%s' should be served", served[i]);
		if (scans_streams(repo, query, plan, sizeof(plan)))
			fail_msg("'%s':\n%s", served[i], plan);
		lode_repo_query_free(query);
	}
	for (size_t i = 0; i < sizeof(not_served) / sizeof(*not_served); i++) {
		struct lode_repo_query *query = parse(not_served[i], 0);

		assert_false(lode_repo_query_is_indexed(query));
		lode_repo_query_free(query);
	}
	for (uint64_t seed = 1; seed <= TEST_CASES(3000); seed++) {
		struct rng rng = {seed};
		struct lode_repo_query *query;

		text[0] = '\0';
		append_query(&rng, text, sizeof(text), 3);
		query = parse(text, 0);
		if (lode_repo_query_is_indexed(query)) {
			n_served++;
			if (scans_streams(repo, query, plan, sizeof(plan)))
				fail_msg("seed %lu: '%s':\n%s", seed, text, plan);
		}
		lode_repo_query_free(query);
	}
	assert_true(n_served > TEST_CASES(500));
	lode_repo_close(repo);
	scratch_remove(&scratch);
}

static void numbers_in_texts_count_as_numbers(void **state)
{
	static const char *const rising[] = {"",      "0", "01", "1", "1.9", "1.10", "1.10a",
					     "1.010", "2", "10", "a", "a2",  "a10",  "b"};
	size_t n = sizeof(rising) / sizeof(*rising);

	(void)state;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++) {
			int order = lode_query_natural(rising[i], rising[k]);
			bool is_equal = i == k;

			/* 01 and 1, 1.010 and 1.10 are the same numbers: their texts decide. */
			if ((order == 0) != is_equal)
				fail_msg("'%s' and '%s': %d", rising[i], rising[k], order);
			if (order != 0 &&
			    (order < 0) != (lode_query_natural(rising[k], rising[i]) > 0))
				fail_msg("'%s' and '%s' have no order", rising[i], rising[k]);
		}
	assert_true(lode_query_natural("2.9", "2.10") < 0);
	assert_true(lode_query_natural("web2", "web10") < 0);
	assert_true(lode_query_natural("99999999999999999999", "100000000000000000000") < 0);
}

static void times_stand_for_all_of_what_they_name(void **state)
{
	static const struct {
		const char *text;
		int64_t low_s, high_s;
	} times[] = {
		{"time=1970", 0, 31536000},
		{"time=2026-11", 1793491200, 1796083200},
		{"time=2026-12", 1796083200, 1798761600},
		{"time=2026-11-01", 1793491200, 1793577600},
		{"time=2026-11-01T23", 1793574000, 1793577600},
		{"time=2026-11-01T23Z", 1793574000, 1793577600},
		{"time=2026-11-01T23:59", 1793577540, 1793577600},
		{"time='2026-11-01 23:59:59'", 1793577599, 1793577600},
		{"time=2024-02-29", 1709164800, 1709251200},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
		struct lode_repo_query *query = parse(times[i].text, 0);

		if (query->root->low != times[i].low_s * 1000000000 ||
		    query->root->high != times[i].high_s * 1000000000)
			fail_msg("%s: %ld to %ld", times[i].text, query->root->low,
				 query->root->high);
		lode_repo_query_free(query);
	}
}

static void mistakes_are_said_in_their_place(void **state)
{
	static const struct {
		const char *text, *words;
		int column;
	} wrong[] = {
		{"", "expected a comparison", 0},
		{"release", "expected an operator", 7},
		{"release=", "expected a value", 8},
		{"release=2.1 and", "expected a comparison", 15},
		{"release=2.1 host=a", "expected 'and' or 'or'", 12},
		{"(host=a", "unclosed parenthesis", 0},
		{"host=a)", "expected 'and' or 'or'", 6},
		{"host=\"a", "unterminated quote", 5},
		{"time>=yesterday", "expected a time (UTC)", 6},
		{"time=2026-02-30", "expected a time (UTC)", 5},
		{"time~2026", "compared with = != <", 4},
		{"comm<git", "= != ~ !~ only", 4},
		{"age=7d", "< <= > >= only", 3},
		{"age<7", "expected an age", 4},
		{"length>5", "a duration with its unit", 7},
		{"symptoms=many", "expected a count", 9},
		{"9x=1", "not a field and cannot be a label", 0},
		{"not", "expected a comparison", 3},
		{"\xc3\xa4=1 and host=", "not a field", 0},
		{"host=\xc3\xa4\xc3\xa4 and host=", "expected a value", 17},
	};
	struct lode_repo_query *query;
	struct lode_error err;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		const char *caret;

		assert_int_equal(lode_repo_query_parse(&query, wrong[i].text, 0, &err),
				 LODE_ERR_ARG);
		assert_null(query);
		if (!strstr(err.message, wrong[i].words))
			fail_msg("'%s': '%s'", wrong[i].text, err.message);
		caret = strrchr(err.message, '\n');
		assert_non_null(caret);
		if ((int)strlen(caret) - 1 - 3 != wrong[i].column)
			fail_msg("'%s': %s", wrong[i].text, err.message);
	}
}

/* Whatever is asked, the answer is a query or a mistake. */
static void nonsense_is_refused(void **state)
{
	static const char *const words[] = {"(", ")",  "and",  "or",   "not",	  "host",   "=",
					    "~", "!",  "<",    ">=",   "\"",	  "'",	    "a",
					    " ", "\\", "\xff", "time", "2026-11", "release"};
	char deep[40000];

	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(20000); seed++) {
		struct rng rng = {seed};
		struct lode_repo_query *query;
		struct lode_error err;
		char text[512] = "";

		for (uint32_t n = rng_below(&rng, 14); n; n--)
			append(text, sizeof(text), one_of(&rng, words, 20));
		if (lode_repo_query_parse(&query, text, 0, &err) < 0)
			assert_non_null(strchr(err.message, '^'));
		lode_repo_query_free(query);
	}
	memset(deep, '(', sizeof(deep) - 1);
	deep[sizeof(deep) - 1] = '\0';
	{
		struct lode_repo_query *query;
		struct lode_error err;

		assert_int_equal(lode_repo_query_parse(&query, deep, 0, &err), LODE_ERR_ARG);
		assert_non_null(strstr(err.message, "nested"));
		deep[0] = '\0';
		for (int i = 0; i < 300; i++)
			append(deep, sizeof(deep), i ? " or host=a" : "host=a");
		assert_int_equal(lode_repo_query_parse(&query, deep, 0, &err), LODE_ERR_ARG);
		assert_non_null(strstr(err.message, "too many"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sql_picks_what_the_words_mean),
		cmocka_unit_test(indices_are_used),
		cmocka_unit_test(numbers_in_texts_count_as_numbers),
		cmocka_unit_test(times_stand_for_all_of_what_they_name),
		cmocka_unit_test(mistakes_are_said_in_their_place),
		cmocka_unit_test(nonsense_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
