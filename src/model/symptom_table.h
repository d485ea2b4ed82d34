/*
 * Tables of symptoms: tab-separated text with a header, as people keep them (docs/mine.md).
 *
 *   # comment
 *   trace                     comm        tid    t0_ns          t1_ns
 *   startup-01.perf.data.zst  pluginhost  17197  1869769229076  1871693628742
 *
 * Columns are found by name: `stream` or `trace`, `tid`, `t0_ns`, `t1_ns`; others are passed over.
 * Blank lines, lines that start with '#' and carriage returns before line feeds are allowed; a row
 * that is not right is an error that names file and line. The table may be compressed.
 */
#pragma once

#include "base/error.h"
#include "base/mem.h"

struct lode_symptom_row {
	const char *stream; /* without leading "../" and compression suffix; in the arena */
	const char *base;   /* what stands behind its last '/' */
	int32_t tid;
	int64_t t0_ns, t1_ns; /* t0 < t1 */
	int64_t line;
};

/* `{ 0 }` is empty. */
struct lode_symptom_table {
	const char *path;
	LODE_VEC(struct lode_symptom_row) rows; /* once read: by base, then by line */
	struct lode_arena arena;
	bool has_header;
	size_t columns[4]; /* of stream, tid, t0_ns, t1_ns */
};

/* `is_found`: the user did not name it, so it must be a regular file. */
int lode_symptom_table_read(struct lode_symptom_table *table, const char *path, bool is_found,
			    struct lode_error *err);
void lode_symptom_table_release(struct lode_symptom_table *table);

/* The steps of reading: each line in turn (it may hold NUL bytes), then the end. */
int lode_symptom_table_line(struct lode_symptom_table *table, char *line, size_t len,
			    int64_t number, struct lode_error *err);
int lode_symptom_table_end(struct lode_symptom_table *table, struct lode_error *err);

/*
 * The rows that can name the stream at `path`: same base name, compression suffix or not. The first
 * one's index goes to `first`; gives how many. O(log rows).
 */
size_t lode_symptom_table_find(const struct lode_symptom_table *table, const char *path,
			       size_t *first);

/*
 * Whether a row's stream is the one at `path`: the name is the end of the path, from the start of
 * one of its components. A name relative to the table's folder is that, leading "../" apart.
 */
bool lode_symptom_row_names(const struct lode_symptom_row *row, const char *path);
