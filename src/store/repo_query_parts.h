/*
 * A query of a repository as a tree, and as SQL. Inside of store/repo*.c, and for the test that
 * holds one against the other.
 */
#pragma once

#include <sqlite3.h>

#include "store/repo.h"
#include "store/repo_query.h"

enum lode_query_kind { LODE_QUERY_AND, LODE_QUERY_OR, LODE_QUERY_NOT, LODE_QUERY_COMPARE };

enum lode_query_field {
	/* texts */
	LODE_FIELD_ID,
	LODE_FIELD_HOST,
	LODE_FIELD_KERNEL,
	LODE_FIELD_PATH,
	LODE_FIELD_COMM,
	LODE_FIELD_LABEL,
	/* numbers */
	LODE_FIELD_TIME, /* age as well */
	LODE_FIELD_SYMPTOMS,
	LODE_FIELD_SYMPTOM_TIME,
	LODE_FIELD_LENGTH,
};

enum lode_query_op {
	LODE_OP_EQ,
	LODE_OP_NE,
	LODE_OP_GLOB,
	LODE_OP_NOT_GLOB,
	LODE_OP_LT,
	LODE_OP_LE,
	LODE_OP_GT,
	LODE_OP_GE,
};

struct lode_query_expr {
	enum lode_query_kind kind;
	struct lode_query_expr *left, *right; /* right: of AND and OR */
	enum lode_query_field field;
	enum lode_query_op op;
	const char *key;   /* of a label */
	const char *text;  /* of texts; of an id that is compared with =, a glob */
	int64_t low, high; /* of numbers: the value is all of [low, high) */
};

struct lode_repo_query {
	struct lode_query_expr *root;
	struct lode_arena arena;
};

static inline bool lode_query_is_number(enum lode_query_field field)
{
	return field >= LODE_FIELD_TIME;
}

/* Order of texts in which runs of digits count as numbers: 2.9 before 2.10. < 0, 0, > 0. */
int lode_query_natural(const char *a, const char *b);

/* "HEAD WHERE ... TAIL", the streams being `s`; `query` NULL: without WHERE. To be freed. */
char *lode_repo_query_sql(const struct lode_repo_query *query, const char *head, const char *tail);
/* What lode_repo_find asks with. */
extern const char lode_repo_find_head[], lode_repo_find_tail[];
/* Sets the parameters of that statement. */
void lode_repo_query_bind(const struct lode_repo_query *query, sqlite3_stmt *st);
/* Makes the functions known that such SQL uses. */
int lode_repo_query_register(struct lode_repo *repo, struct lode_error *err);
/* Can an index find what the query picks, so that it need not look at every stream? */
bool lode_repo_query_is_indexed(const struct lode_repo_query *query);

struct lode_repo_oldest {
	int64_t before_ns; /* all that began before */
	double bytes;	   /* and so many that their digests have as much */
};
/* Appends the first of what lode_repo_find gives. In memory are these alone. */
int lode_repo_find_oldest(struct lode_repo_streams *out, struct lode_repo *repo,
			  const struct lode_repo_query *query,
			  const struct lode_repo_oldest *oldest, struct lode_error *err);
