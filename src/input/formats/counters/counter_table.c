/*
 * Tables with a header: plain CSV, dstat's, Windows' performance monitor's, collectd's. What
 * differs is how the header names the columns; rows are read by one loop.
 */
#include <stdio.h>
#include <strings.h>

#include "base/delimited.h"
#include "input/formats/counters/counter_reader.h"

enum dialect { PLAIN, DSTAT, RELOG, COLLECTD };

struct table {
	struct lode_counter_reader *reader;
	struct lode_lines lines;
	LODE_VEC(struct lode_slice) cells; /* of the line at hand */
	enum dialect dialect;
	char delimiter;
	/* Columns with a meaning of their own; SIZE_MAX: there is none. */
	size_t time_column, server_column, name_column, value_column;
	size_t n_columns;
	int64_t relog_bias_ns; /* to add to have UTC */
	int dstat_year;
	LODE_VEC(char *) names;		/* per column; NULL: no counter */
	LODE_VEC(char *) servers;	/* per column; NULL: the file's */
	struct lode_strings server_ids; /* wide, with a column of servers: a group for each */
	LODE_VEC(uint32_t) groups;
	LODE_VEC(double) values;
};

/* ---- Cells ---- */

static void split(struct table *t, char *line, size_t len)
{
	struct lode_cells cells = lode_cells(line, len, t->delimiter);
	struct lode_slice cell;

	t->cells.n = 0;
	while (lode_cells_next(&cells, &cell))
		lode_vec_append(&t->cells, cell);
}

static char *cell_text(const struct table *t, size_t i)
{
	struct lode_slice name = lode_cells_name(t->cells.at[i]);
	char *text = lode_alloc(name.len + 1);

	memcpy(text, name.at, name.len);
	text[name.len] = '\0';
	return text;
}

/* Tables of one column have none: as good as a comma. */
static char delimiter_of(const char *line, size_t len)
{
	char delimiter = lode_cells_delimiter(line, len, ",;\t");

	return delimiter ? delimiter : ',';
}

static bool is_one_of(const char *text, const char *const *names)
{
	for (; *names; names++)
		if (strcasecmp(text, *names) == 0)
			return true;
	return false;
}

static const char *const time_names[] = {"time", "timestamp", "epoch",	    "datetime", "ts",
					 "date", "clock",     "@timestamp", NULL};
static const char *const server_names[] = {"server", "host", "hostname", "instance", "node", NULL};
static const char *const name_names[] = {"counter", "metric", "name", NULL};
static const char *const value_names[] = {"value", NULL};

/* ---- Headers ---- */

static void set_columns(struct table *t)
{
	bool is_first_time = true;

	t->time_column = t->server_column = t->name_column = t->value_column = SIZE_MAX;
	t->n_columns = t->cells.n;
	for (size_t i = 0; i < t->n_columns; i++) {
		char *name = cell_text(t, i);

		lode_vec_append(&t->servers, NULL);
		if (is_first_time && is_one_of(name, time_names)) {
			t->time_column = i;
			is_first_time = false;
		} else if (t->server_column == SIZE_MAX && is_one_of(name, server_names)) {
			t->server_column = i;
		} else if (t->name_column == SIZE_MAX && is_one_of(name, name_names)) {
			t->name_column = i;
		} else if (t->value_column == SIZE_MAX && is_one_of(name, value_names)) {
			t->value_column = i;
		} else {
			lode_vec_append(&t->names, name);
			continue;
		}
		free(name);
		lode_vec_append(&t->names, NULL);
	}
	/* Without a column of values, one called "name" is a counter as any other; a table of one
	   counter may call it "value". */
	if (t->name_column != SIZE_MAX && t->value_column == SIZE_MAX) {
		t->names.at[t->name_column] = lode_strdup("name");
		t->name_column = SIZE_MAX;
	}
	if (t->value_column != SIZE_MAX && t->name_column == SIZE_MAX) {
		t->names.at[t->value_column] = lode_strdup("value");
		t->value_column = SIZE_MAX;
	}
	if (t->time_column == SIZE_MAX)
		t->time_column = 0;
	free(t->names.at[t->time_column]);
	t->names.at[t->time_column] = NULL;
}

/* collectd names a file .../HOST/PLUGIN[-INSTANCE]/TYPE[-INSTANCE]-YYYY-MM-DD. */
static void name_by_path(struct table *t)
{
	char *copy = lode_strdup(t->reader->path), *parts[3] = {0}, name[512];
	size_t len;

	for (int i = 2; i >= 0; i--) {
		char *slash = strrchr(copy, '/');

		parts[i] = slash ? slash + 1 : copy;
		if (!slash)
			break;
		*slash = '\0';
	}
	len = parts[2] ? strlen(parts[2]) : 0;
	if (len > 11 && parts[2][len - 11] == '-' && parts[2][len - 6] == '-')
		parts[2][len - 11] = '\0';
	for (size_t i = 0; i < t->names.n; i++) {
		if (!t->names.at[i] || !parts[2])
			continue;
		snprintf(name, sizeof(name), "%s%s%s%s%s", parts[1] ? parts[1] : "",
			 parts[1] ? "/" : "", parts[2], t->n_columns > 2 ? "/" : "",
			 t->n_columns > 2 ? t->names.at[i] : "");
		free(t->names.at[i]);
		t->names.at[i] = lode_strdup(name);
		if (parts[0] && *parts[0])
			t->servers.at[i] = lode_strdup(parts[0]);
	}
	free(copy);
}

/* "\\HOST\Processor(_Total)\% Processor Time": the host, and the rest as the counter's name. */
static void name_by_relog(struct table *t)
{
	for (size_t i = 0; i < t->names.n; i++) {
		char *name = t->names.at[i], *host, *rest;

		if (!name || strncmp(name, "\\\\", 2) != 0)
			continue;
		host = name + 2;
		rest = strchr(host, '\\');
		if (!rest)
			continue;
		*rest = '\0';
		t->servers.at[i] = lode_strdup(host);
		t->names.at[i] = lode_strdup(rest + 1);
		free(name);
	}
}

/* dstat has two header lines: groups, which stand over their first column, and columns. */
static int read_dstat_header(struct table *t, char **line, size_t *len, struct lode_error *err)
{
	LODE_VEC(char *) groups = {0};
	char *group = NULL;
	int rc;

	while ((rc = lode_lines_next(&t->lines, line, len, err)) > 0) {
		const char *date = memmem(*line, *len, "\"Date:\",\"", 9);

		if (date)
			sscanf(date + 9, "%*d %*s %d", &t->dstat_year);
		split(t, *line, *len);
		if (t->cells.n > 1 && lode_slice_is(t->cells.at[0], "Host:"))
			lode_counter_host(t->reader, t->cells.at[1].at, t->cells.at[1].len);
		if (t->cells.n > 2 && (lode_slice_begins(t->cells.at[0], "epoch") ||
				       lode_slice_begins(t->cells.at[0], "system") ||
				       lode_slice_begins(t->cells.at[0], "time")))
			break;
	}
	if (rc <= 0)
		return rc;
	for (size_t i = 0; i < t->cells.n; i++)
		lode_vec_append(&groups, cell_text(t, i));
	rc = lode_lines_next(&t->lines, line, len, err);
	if (rc > 0) {
		split(t, *line, *len);
		set_columns(t);
		for (size_t i = 0; i < t->names.n; i++) {
			char *name = t->names.at[i], both[256];

			if (i < groups.n && *groups.at[i])
				group = groups.at[i];
			if (!name || !group)
				continue;
			snprintf(both, sizeof(both), "%s/%s", group, name);
			t->names.at[i] = lode_strdup(both);
			free(name);
		}
	}
	lode_vec_release_each(&groups, it, free(*it));
	return rc;
}

static void bad_row(struct table *t, const char *what)
{
	lode_counter_bad(t->reader, t->lines.offset, t->lines.number, what);
}

/* "(PDH-CSV 4.0) (W. Europe Standard Time)(-60)": minutes from the wall clock to UTC. */
static int64_t relog_bias_ns(struct table *t, const char *line, size_t len)
{
	enum { MOST_MINUTES = 24 * 60 };
	const char *quote = memchr(line + 1, '"', len - 1), *p;
	long minutes;

	for (p = quote; p && p > line && *p != '('; p--)
		;
	minutes = p && p > line ? strtol(p + 1, NULL, 10) : 0;
	if (minutes >= -MOST_MINUTES && minutes <= MOST_MINUTES)
		return minutes * 60 * 1000000000;
	bad_row(t, "has a UTC offset of more than a day: times are treated as UTC");
	return 0;
}

/* Reads the header and leaves the lines at the first row. 1, 0 at the end, or < 0. */
static int read_header_counter_table(struct table *t, struct lode_error *err)
{
	char *line;
	size_t len;
	int rc = lode_lines_next(&t->lines, &line, &len, err);

	if (rc <= 0)
		return rc;
	t->delimiter = delimiter_of(line, len);
	if (memmem(line, len, "(PDH-", 5)) {
		t->dialect = RELOG;
		t->relog_bias_ns = relog_bias_ns(t, line, len);
		t->reader->facts->format = "Windows performance monitor";
	} else if (memmem(line, len, "stat ", 5) && memmem(line, len, " CSV output", 11)) {
		t->dialect = DSTAT;
		t->delimiter = ',';
		t->reader->facts->format = "dstat CSV";
		return read_dstat_header(t, &line, &len, err);
	} else if (len > 6 && !memcmp(line, "epoch,", 6)) {
		t->dialect = COLLECTD;
		t->reader->facts->format = "collectd CSV";
	} else {
		t->reader->facts->format = "table";
	}
	split(t, line, len);
	set_columns(t);
	if (t->dialect == RELOG)
		name_by_relog(t);
	else if (t->dialect == COLLECTD)
		name_by_path(t);
	return 1;
}

/* ---- Rows ---- */

/* The group of a row of a server's. */
static uint32_t group_of(struct table *t, const char *server, size_t len)
{
	size_t n = t->server_ids.text.n, n_columns = 0;
	uint32_t id = lode_strings_intern(&t->server_ids, server, len);
	struct lode_counter_column *columns;

	if (id < n)
		return t->groups.at[id];
	columns = lode_alloc0(t->names.n + 1, sizeof(*columns));
	for (size_t i = 0; i < t->names.n; i++) {
		if (!t->names.at[i])
			continue;
		columns[n_columns].server =
			t->servers.at[i] ? t->servers.at[i] : t->server_ids.text.at[id];
		columns[n_columns].name = t->names.at[i];
		columns[n_columns++].kind = LODE_COUNTER_VALUE;
	}
	lode_vec_append(&t->groups, lode_counter_log_group(t->reader->log, columns, n_columns));
	free(columns);
	return t->groups.at[id];
}

/* "11/21/2026 04:04:24.572" and "21-11 04:04:24" as ISO 8601; others as they are. */
static const char *time_text(const struct table *t, char *buffer, size_t size, size_t *len)
{
	const char *at = t->cells.at[t->time_column].at;

	*len = t->cells.at[t->time_column].len;
	if (t->dialect == RELOG && *len >= 19 && at[2] == '/')
		*len = (size_t)snprintf(buffer, size, "%.4s-%.2s-%.2sT%.*sZ", at + 6, at, at + 3,
					*len > 30 ? 19 : (int)*len - 11, at + 11);
	else if (t->dialect == DSTAT && *len == 14 && at[2] == '-')
		*len = (size_t)snprintf(buffer, size, "%04d-%.2s-%.2sT%.8s", t->dstat_year, at + 3,
					at, at + 6);
	else
		return at;
	return *len < size ? buffer : at;
}

static double number_at(const struct table *t, size_t column, bool *is_bad)
{
	return lode_counter_number(t->cells.at[column].at, t->cells.at[column].len, is_bad);
}

static void take_row(struct table *t, char *line, size_t len)
{
	const char *text, *server = t->reader->server;
	size_t n, server_len = strlen(server);
	char buffer[64];
	int64_t t_ns;
	bool is_bad = false;

	split(t, line, len);
	if (t->cells.n < 2 || t->cells.n > t->n_columns + 1 || t->cells.n <= t->time_column) {
		bad_row(t, "has a different number of columns than the header");
		return;
	}
	lode_counter_place(t->reader, t->lines.offset, t->lines.number);
	text = time_text(t, buffer, sizeof(buffer), &n);
	if (!lode_counter_time(t->reader, &t_ns, text, n) ||
	    __builtin_add_overflow(t_ns, t->relog_bias_ns, &t_ns)) {
		bad_row(t, "has no time in a known format");
		return;
	}
	if (t->server_column != SIZE_MAX && t->server_column < t->cells.n) {
		server = t->cells.at[t->server_column].at;
		server_len = t->cells.at[t->server_column].len;
	}
	if (t->name_column != SIZE_MAX) {
		char *name, *of = lode_alloc(server_len + 1);
		double value = NAN;

		memcpy(of, server, server_len);
		of[server_len] = '\0';
		if (t->name_column < t->cells.n && t->value_column < t->cells.n) {
			name = cell_text(t, t->name_column);
			value = number_at(t, t->value_column, &is_bad);
			lode_counter_add(t->reader, of, name, LODE_COUNTER_VALUE, t_ns, value);
			free(name);
		}
		free(of);
	} else {
		t->values.n = 0;
		for (size_t i = 0; i < t->names.n; i++)
			if (t->names.at[i])
				lode_vec_append(&t->values,
						i < t->cells.n ? number_at(t, i, &is_bad) : NAN);
		lode_counter_log_row(t->reader->log, group_of(t, server, server_len), t_ns,
				     t->values.at);
		t->reader->facts->n_rows++;
	}
	if (is_bad)
		bad_row(t, "has a value that is not a number");
}

static void release_counter_table(struct table *t)
{
	lode_vec_release_each(&t->names, it, free(*it));
	lode_vec_release_each(&t->servers, it, free(*it));
	lode_vec_release(&t->cells);
	lode_vec_release(&t->groups);
	lode_vec_release(&t->values);
	lode_strings_release(&t->server_ids);
	lode_lines_release(&t->lines);
}

static int read_table(struct lode_counter_reader *reader, struct lode_error *err)
{
	struct table t = {.reader = reader};
	char *line;
	size_t len;
	int rc;

	lode_lines_init(&t.lines, reader->input);
	rc = read_header_counter_table(&t, err);
	while (rc > 0 && (rc = lode_lines_next(&t.lines, &line, &len, err)) > 0)
		if (len)
			take_row(&t, line, len);
	if (rc < 0 && reader->facts->n_rows) { /* what was whole is good */
		lode_loss_add(lode_counter_log_losses(reader->log), LODE_LOSS_TRUNCATED, 1,
			      t.lines.next_offset, reader->last_ns, "%s: %s", reader->path,
			      err->message);
		rc = LODE_OK;
	}
	release_counter_table(&t);
	return rc < 0 ? rc : LODE_OK;
}

/* ---- Telling tables of counters from others ---- */

/* What the rows of a table hold, as far as they are known. */
struct sight {
	size_t n_rows, n_timed;	    /* rows; of these with a time where it belongs */
	size_t n_filled, n_numbers; /* cells where counters belong; of these numbers */
};

static void look_at_row(struct sight *sight, const struct table *t, struct lode_log_clock *clock)
{
	struct lode_log_time time;

	sight->n_rows++;
	sight->n_timed += t->time_column < t->cells.n &&
			  lode_log_time_parse(&time, clock, t->cells.at[t->time_column].at,
					      t->cells.at[t->time_column].len);
	for (size_t i = 0; i < t->cells.n && i < t->names.n; i++) {
		bool is_bad = false, is_number;

		if (!t->names.at[i] && i != t->value_column)
			continue;
		is_number = !isnan(number_at(t, i, &is_bad));
		sight->n_numbers += is_number;
		sight->n_filled += is_number || is_bad;
	}
}

/* The rows below a header. The last may be cut: it counts if there is no other. */
static struct sight look_at_rows(struct table *t, char *row, char *end)
{
	struct lode_log_clock clock = {0};
	struct sight sight = {0};

	while (row < end) {
		char *feed = memchr(row, '\n', (size_t)(end - row)), *stop = feed ? feed : end;

		if (!feed && sight.n_rows)
			break;
		if (stop > row && stop[-1] == '\r')
			stop--;
		if (stop > row) {
			split(t, row, (size_t)(stop - row));
			look_at_row(&sight, t, &clock);
		}
		row = feed ? feed + 1 : end;
	}
	return sight;
}

/*
 * A header of several columns; below it most rows have a time, and most of what stands in the
 * columns of counters is a number. Other lists with times (of files, incidents, requests) are
 * mostly words.
 */
static bool recognise_table(const uint8_t *bytes, size_t size)
{
	const char *head = (const char *)bytes;
	const char *feed = memchr(head, '\n', size);
	struct table t = {0};
	struct sight sight;
	size_t header;
	char *copy;

	if (!feed || feed == head || memchr(head, '\0', (size_t)(feed - head)))
		return false;
	header = (size_t)(feed - head);
	if (memmem(head, header, "(PDH-", 5) || memmem(head, header, " CSV output\"", 12))
		return true;
	t.delimiter = delimiter_of(head, header);
	if (!memchr(head, t.delimiter, header))
		return false;
	copy = lode_alloc(size);
	memcpy(copy, head, size);
	split(&t, copy, header - (head[header - 1] == '\r'));
	set_columns(&t);
	sight = look_at_rows(&t, copy + header + 1, copy + size);
	release_counter_table(&t);
	free(copy);
	return sight.n_rows && 2 * sight.n_timed > sight.n_rows &&
	       (!sight.n_filled || 2 * sight.n_numbers > sight.n_filled);
}

static const char *const file_globs[] = {"*.csv", "counters[-_.]*", NULL};

const struct lode_format lode_format_counter_table = {
	.name = "table of counters",
	.recognise = recognise_table,
	.globs = file_globs,
	.named = "tables of counters",
	.begins = "a header with a column of times",
	.read_counters = read_table,
};
