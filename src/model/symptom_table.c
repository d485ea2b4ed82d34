/* Reads and writes tables of symptoms. */
#include "model/symptom_table.h"

#include "base/decimal.h"
#include "base/delimited.h"
#include "base/lines.h"
#include "base/sorted.h"

enum { COLUMN_STREAM, COLUMN_TID, COLUMN_T0, COLUMN_T1, N_COLUMNS };

static const char *const column_names[N_COLUMNS] = {"stream", "tid", "t0_ns", "t1_ns"};

#define NO_COLUMN SIZE_MAX

/* Path length without ".zst", ".gz" or ".xz". */
static size_t plain_len(const char *path, size_t len)
{
	static const char *const suffixes[] = {".zst", ".gz", ".xz"};

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		size_t n = strlen(suffixes[i]);

		if (len > n && !memcmp(path + len - n, suffixes[i], n))
			return len - n;
	}
	return len;
}

/* What stands behind the last '/' of the first `len` bytes. */
static const char *base_of(const char *path, size_t len)
{
	const char *slash = memrchr(path, '/', len);

	return slash ? slash + 1 : path;
}

/* Without leading "./" and "../": what is left is the end of the path, wherever it starts. */
static struct lode_slice without_climb(struct lode_slice path)
{
	size_t n;

	do {
		n = 0;
		while (n < 2 && n < path.len && path.at[n] == '.')
			n++;
		if (n == 0 || n == path.len || path.at[n] != '/')
			return path;
		while (n < path.len && path.at[n] == '/')
			n++;
		path.at += n;
		path.len -= n;
	} while (path.len > 0);
	return path;
}

static int read_header_symptom_table(struct lode_symptom_table *table, struct lode_cells cells,
				     int64_t number, struct lode_error *err)
{
	struct lode_slice field;
	size_t i;

	for (i = 0; i < N_COLUMNS; i++)
		table->columns[i] = NO_COLUMN;
	for (size_t column = 0; lode_cells_next(&cells, &field); column++) {
		for (i = 0; i < N_COLUMNS; i++)
			if (lode_slice_is(field, column_names[i]) ||
			    (i == COLUMN_STREAM && lode_slice_is(field, "trace")))
				break;
		if (i == N_COLUMNS)
			continue;
		if (table->columns[i] != NO_COLUMN)
			return lode_fail_line(err, LODE_ERR_FORMAT, table->path, number,
					      "duplicate column %.*s", (int)field.len, field.at);
		table->columns[i] = column;
	}
	for (i = 0; i < N_COLUMNS; i++)
		if (table->columns[i] == NO_COLUMN)
			return lode_fail_line(
				err, LODE_ERR_FORMAT, table->path, number,
				"the header has no column %s%s (tab-separated, needed: "
				"stream or trace, tid, t0_ns, t1_ns)",
				column_names[i], i == COLUMN_STREAM ? " or trace" : "");
	table->has_header = true;
	return 0;
}

static int read_row_symptom_table(struct lode_symptom_table *table, struct lode_cells cells,
				  int64_t number, struct lode_error *err)
{
	struct lode_slice fields[N_COLUMNS] = {{0}}, field;
	struct lode_symptom_row row = {.line = number};
	int64_t numbers[N_COLUMNS] = {0};
	size_t len;

	for (size_t column = 0; lode_cells_next(&cells, &field); column++)
		for (size_t i = 0; i < N_COLUMNS; i++)
			if (table->columns[i] == column)
				fields[i] = field;
	for (size_t i = 0; i < N_COLUMNS; i++) {
		if (!fields[i].at)
			return lode_fail_line(err, LODE_ERR_FORMAT, table->path, number,
					      "the row has no column %s", column_names[i]);
		if (i != COLUMN_STREAM && !lode_int_parse(&numbers[i], fields[i].at, fields[i].len))
			return lode_fail_line(err, LODE_ERR_FORMAT, table->path, number,
					      "%s is \"%.*s\", not a whole number", column_names[i],
					      fields[i].len > 40 ? 40 : (int)fields[i].len,
					      fields[i].at);
	}
	if (numbers[COLUMN_TID] <= 0 || numbers[COLUMN_TID] > INT32_MAX)
		return lode_fail_line(err, LODE_ERR_FORMAT, table->path, number,
				      "%lld is not a thread id", (long long)numbers[COLUMN_TID]);
	row.tid = (int32_t)numbers[COLUMN_TID];
	row.t0_ns = numbers[COLUMN_T0];
	row.t1_ns = numbers[COLUMN_T1];
	if (__builtin_sub_overflow(row.t1_ns, row.t0_ns, &numbers[COLUMN_T0]) ||
	    numbers[COLUMN_T0] <= 0)
		return lode_fail_line(err, LODE_ERR_FORMAT, table->path, number,
				      "t1_ns %lld is not after t0_ns %lld", (long long)row.t1_ns,
				      (long long)row.t0_ns);
	field = without_climb(fields[COLUMN_STREAM]);
	len = plain_len(field.at, field.len);
	if (len == 0 || field.at[len - 1] == '/')
		return lode_fail_line(err, LODE_ERR_FORMAT, table->path, number,
				      "the recording has no name");
	row.stream = lode_arena_strndup(&table->arena, field.at, len);
	row.base = base_of(row.stream, len);
	lode_vec_append(&table->rows, row);
	return 0;
}

int lode_symptom_table_line(struct lode_symptom_table *table, char *line, size_t len,
			    int64_t number, struct lode_error *err)
{
	struct lode_cells cells;

	while (len > 0 && line[len - 1] == '\r')
		len--;
	if (!lode_slice_trim((struct lode_slice){line, len}).len || *line == '#')
		return 0;
	if (memchr(line, '\0', len))
		return lode_fail_line(err, LODE_ERR_FORMAT, table->path, number,
				      "the line contains a NUL byte: not a symptom table");
	cells = lode_cells(line, len, '\t');
	cells.is_bare = true; /* a comm may begin with a quote */
	return table->has_header ? read_row_symptom_table(table, cells, number, err)
				 : read_header_symptom_table(table, cells, number, err);
}

LODE_COMPARE(compare_rows, struct lode_symptom_row,
	     strcmp(a->base, b->base) ?: LODE_ORDER(a->line, b->line))

int lode_symptom_table_end(struct lode_symptom_table *table, struct lode_error *err)
{
	if (!table->has_header)
		return lode_fail(err, LODE_ERR_FORMAT, table->path, -1,
				 "the symptom table has no header");
	if (table->rows.n > 1)
		qsort(table->rows.at, table->rows.n, sizeof(*table->rows.at), compare_rows);
	return 0;
}

int lode_symptom_table_read(struct lode_symptom_table *table, const char *path, bool is_found,
			    struct lode_error *err)
{
	struct lode_input *input = NULL;
	struct lode_lines lines;
	char *line;
	size_t len;
	int rc;

	memset(table, 0, sizeof(*table));
	rc = (is_found ? lode_input_open_found : lode_input_open)(&input, path, err);
	if (rc < 0)
		return rc;
	table->path = lode_arena_strndup(&table->arena, path, strlen(path));
	lode_lines_init(&lines, input);
	while ((rc = lode_lines_next(&lines, &line, &len, err)) > 0) {
		rc = lode_symptom_table_line(table, line, len, lines.number, err);
		if (rc < 0)
			break;
	}
	if (rc == 0)
		rc = lode_symptom_table_end(table, err);
	lode_lines_release(&lines);
	lode_input_close(input);
	if (rc < 0)
		lode_symptom_table_release(table);
	return rc;
}

void lode_symptom_table_release(struct lode_symptom_table *table)
{
	lode_vec_release(&table->rows);
	lode_arena_release(&table->arena);
	memset(table, 0, sizeof(*table));
}

static int compare_base(const struct lode_symptom_row *row, struct lode_slice base)
{
	size_t len = strlen(row->base);
	int order = memcmp(row->base, base.at, len < base.len ? len : base.len);

	return order ? order : (len > base.len) - (len < base.len);
}

/* The first row whose base is not before `base` (or, `past`: behind it). */
static size_t find_bound(const struct lode_symptom_table *table, struct lode_slice base, bool past)
{
	size_t low = 0, high = table->rows.n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (compare_base(&table->rows.at[mid], base) < past)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

size_t lode_symptom_table_find(const struct lode_symptom_table *table, const char *path,
			       size_t *first)
{
	size_t len = plain_len(path, strlen(path));
	const char *base = base_of(path, len);
	struct lode_slice name = {base, len - (size_t)(base - path)};

	*first = find_bound(table, name, false);
	return find_bound(table, name, true) - *first;
}

/* Whether `name` is all of `path`, or its end from the start of a component. */
static bool ends_with(const char *path, const char *name)
{
	size_t path_len = plain_len(path, strlen(path)), len = strlen(name);

	if (len > path_len || memcmp(path + path_len - len, name, len) != 0)
		return false;
	return len == path_len || (name[0] != '/' && path[path_len - len - 1] == '/');
}

bool lode_symptom_row_names(const struct lode_symptom_row *row, const char *path)
{
	char *absolute;
	bool is_same;

	if (ends_with(path, row->stream))
		return true;
	/* "a.data", given inside of runs/, is runs/a.data. */
	if (!strchr(row->stream, '/'))
		return false;
	absolute = realpath(path, NULL);
	is_same = absolute && ends_with(absolute, row->stream);
	free(absolute);
	return is_same;
}
