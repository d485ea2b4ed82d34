/*
 * A repository's connection: statements, transactions, and what SQLite's errors mean. Inside of
 * store/repo*.c, and for tests that break things.
 *
 *   rc = lode_repo_begin(repo, err);
 *   if (rc == 0)
 *           rc = lode_repo_prepare(&st, repo, "SELECT ...", err);
 *   while (rc >= 0 && (rc = lode_repo_step(repo, st, err)) > 0)
 *           ...
 *   return lode_repo_end(repo, rc, err);
 */
#pragma once

#include <sqlite3.h>

#include "store/repo.h"

enum {
	LODE_REPO_APPLICATION_ID = 0x6c6f6465, /* "lode" */
	LODE_REPO_SCHEMA_VERSION = 3,
	LODE_REPO_BUSY_MS = 60000,
	/* Of a segment, packed: merging goes no further, so that what reads, checks or changes one
	   needs some 200 MB, however many streams there are. Of digests of 2 kB a segment has about
	   100,000. */
	LODE_REPO_SEGMENT_BYTES = 16 << 20,
};

struct lode_repo_recent {
	int64_t id;
	struct lode_digest *digest;
};

struct lode_repo_statement {
	char *sql;
	sqlite3_stmt *st;
};

struct lode_repo {
	sqlite3 *db;
	char *path;
	enum lode_repo_mode mode;
	int wait_ms;				  /* for others that are writing */
	int64_t waits_from_ns;			  /* since when it does */
	bool is_held;				  /* one transaction until lode_repo_hold_end */
	char *shape;				  /* NULL: none yet */
	int64_t segment_bytes;			  /* LODE_REPO_SEGMENT_BYTES; less in tests */
	LODE_VEC(struct lode_repo_recent) recent; /* stored by this handle, in no segment yet */
	LODE_VEC(struct lode_repo_statement) kept;
};

/* Creates the tables, or brings those of an older version up to date, in one transaction. */
int lode_repo_migrate(struct lode_repo *repo, struct lode_error *err);
/* The SQL that leads from version - 1 to `version`, from 1; NULL: there is none. */
const char *lode_repo_schema_step(int version);

/* Fills `err` from SQLite's last error; `doing`: "storing a stream". */
int lode_repo_fail(const struct lode_repo *repo, const char *doing, struct lode_error *err);
/* The same where SQLite only reads the file: a header that says so is damage, rights are not. */
int lode_repo_fail_read_only(const struct lode_repo *repo, const char *doing,
			     struct lode_error *err);

/* Bytes of the file as it is, without its log; false: there are not so many. Never open and close
 * the file beside SQLite for that: close() takes the process's locks on it away. */
bool lode_repo_read_bytes(const struct lode_repo *repo, void *to, int n, int64_t at);

/* One or more statements without parameters or results. */
int lode_repo_exec(struct lode_repo *repo, const char *sql, struct lode_error *err);
/* *out is to be finalized; NULL on failure. */
int lode_repo_prepare(sqlite3_stmt **out, struct lode_repo *repo, const char *sql,
		      struct lode_error *err);
/* The same of one that runs often: parsed once, and the repository's. To be reset after use, since
   it holds what it reads until then. */
int lode_repo_kept(sqlite3_stmt **out, struct lode_repo *repo, const char *sql,
		   struct lode_error *err);
/* 1: a row; 0: done. */
int lode_repo_step(struct lode_repo *repo, sqlite3_stmt *st, struct lode_error *err);
/* A statement of one number, without parameters. */
int lode_repo_number(int64_t *out, struct lode_repo *repo, const char *sql, struct lode_error *err);

/* What stands for a '?' of a statement. */
struct lode_repo_value {
	const char *text; /* NULL is the empty text */
	int64_t number;
	bool is_text, is_null; /* neither: the number */
};

#define LODE_REPO_TEXT(value) ((struct lode_repo_value){.text = (value), .is_text = true})
#define LODE_REPO_INT(value)  ((struct lode_repo_value){.number = (int64_t)(value)})
/* NULL in the table when it is 0. */
#define LODE_REPO_KEY(value) \
	((struct lode_repo_value){.number = (int64_t)(value), .is_null = !(value)})

/* The values of all parameters, in their order, and how many they are: two arguments. */
#define LODE_REPO_VALUES(...)                          \
	(const struct lode_repo_value[]){__VA_ARGS__}, \
		sizeof((struct lode_repo_value[]){__VA_ARGS__}) / sizeof(struct lode_repo_value)

/* From its start, as lode_repo_step. */
int lode_repo_start(struct lode_repo *repo, sqlite3_stmt *st, const struct lode_repo_value *values,
		    size_t n, struct lode_error *err);
/* A whole statement. *row (NULL: of no interest) is the new row's id. */
int lode_repo_change(int64_t *row, struct lode_repo *repo, const char *sql,
		     const struct lode_repo_value *values, size_t n, struct lode_error *err);
/* Its first row's number; 0: no row. */
int lode_repo_number_of(int64_t *out, struct lode_repo *repo, const char *sql,
			const struct lode_repo_value *values, size_t n, struct lode_error *err);

/* A writing transaction, or a part of that of lode_repo_hold. _end commits if rc >= 0, else rolls
   back and leaves err as it is; gives rc, or why it could not commit. */
int lode_repo_begin(struct lode_repo *repo, struct lode_error *err);
int lode_repo_end(struct lode_repo *repo, int rc, struct lode_error *err);

/* Within a transaction: what lode_repo_state stands for is another now. */
int lode_repo_mark_changed(struct lode_repo *repo, struct lode_error *err);

/* A column's text in the arena; NULL becomes "". */
const char *lode_repo_column_text(sqlite3_stmt *st, int column, struct lode_arena *arena);

/* Appends a column's bytes. */
void lode_repo_column_bytes(lode_byte_vec *out, sqlite3_stmt *st, int column);

/* Reads the shape again: another process may have set it. */
int lode_repo_read_shape(struct lode_repo *repo, struct lode_error *err);
