/*
 * Tables with a header: plain CSV, dstat's, Windows' performance monitor's, collectd's. What
 * differs is how the header names the columns; rows are read by one loop.
 */
#include <stdio.h>
#include <strings.h>

#include "base/delimited.h"
#include "base/written_number.h"
#include "input/formats/counters/counter_reader.h"

enum dialect { PLAIN, DSTAT, RELOG, COLLECTD };

/* A row that waits until it is known what the commas of its columns mean. */
struct waiting_row {
	int64_t t_ns, offset, number;
	uint32_t group;
};

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
	/* Per column: enum lode_comma; empty: no number so far had a comma. */
	LODE_VEC(uint8_t) commas;
	size_t n_decided, n_decided_before; /* columns; when the waiting rows were last looked at */
	LODE_VEC(struct waiting_row) waiting;
	LODE_VEC(double) waiting_values; /* of these; commas read as decimal ones */
	LODE_VEC(uint8_t)
	waiting_marks;		 /* per value: it is 1000 times that if they part thousands */
	LODE_VEC(uint8_t) marks; /* of the line at hand */
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
static const char *const server_names[] = {"server", "host",	"hostname", "instance",
					   "node",   "service", "entity",   NULL};
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

/* Columns of one name would be one counter: later ones get the number of their column. */
static void part_names(struct table *t)
{
	struct lode_strings seen = {0};

	for (size_t i = 0; i < t->names.n; i++) {
		char *name = t->names.at[i], *parted, text[900];
		size_t n = seen.text.n, size;

		if (!name || lode_strings_intern(&seen, name, strlen(name)) == n)
			continue;
		size = strlen(name) + 32;
		parted = lode_alloc(size);
		snprintf(parted, size, "%s (column %zu)", name, i + 1);
		snprintf(text, sizeof(text),
			 "%.300s: line %lld: column %zu has the name of an earlier one: called "
			 "'%.300s'",
			 t->reader->path, (long long)t->lines.number, i + 1, parted);
		lode_counter_log_skip(t->reader->log, text);
		free(name);
		t->names.at[i] = parted;
	}
	lode_strings_release(&seen);
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
	t->delimiter = lode_cells_stated_delimiter(line, len);
	if (t->delimiter)
		rc = lode_lines_next(&t->lines, &line, &len, err);
	else
		t->delimiter = delimiter_of(line, len);
	if (rc <= 0)
		return rc;
	if (memmem(line, len, "(PDH-", 5)) {
		t->dialect = RELOG;
		t->relog_bias_ns = relog_bias_ns(t, line, len);
		t->reader->facts->format = "Windows performance monitor";
	} else if (memmem(line, len, "stat ", 5) && memmem(line, len, " CSV output", 11)) {
		t->dialect = DSTAT;
		t->delimiter = ',';
		t->reader->facts->format = "dstat CSV";
		rc = read_dstat_header(t, &line, &len, err);
		part_names(t);
		return rc;
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
	part_names(t);
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

/* ---- Numbers ---- */

static void bad_cell(struct table *t, size_t column, const char *what)
{
	struct lode_slice cell = t->cells.at[column];
	char text[400];

	snprintf(text, sizeof(text), "has a value that %s: '%.*s' in column %zu (%.60s)", what,
		 cell.len > 40 ? 40 : (int)cell.len, cell.at, column + 1,
		 t->names.at[column] ? t->names.at[column] : "value");
	bad_row(t, text);
}

static uint8_t *comma_at(struct table *t, size_t column)
{
	while (t->commas.n <= column)
		lode_vec_append(&t->commas, LODE_COMMA_UNKNOWN);
	return &t->commas.at[column];
}

/* What the columns that are decided say of one that is not: the file has one locale. */
static enum lode_comma comma_of_file(const struct table *t)
{
	for (size_t i = 0; i < t->commas.n; i++)
		if (t->commas.at[i])
			return (enum lode_comma)t->commas.at[i];
	return lode_comma_decide(&(struct lode_comma_sight){0}, t->delimiter);
}

/* A number that is more than digits and a point; *mark: it may be 1000 times as much. */
static double written_number_at(struct table *t, size_t column, uint8_t *mark)
{
	struct lode_slice cell = lode_slice_trim(t->cells.at[column]);
	enum lode_comma says = lode_comma_of(cell.at, cell.len), comma;
	uint8_t *known = comma_at(t, column);
	const char *fault;
	double value;

	if (says && !*known && memchr(cell.at, ',', cell.len)) {
		*known = (uint8_t)says;
		t->n_decided++;
	}
	comma = (enum lode_comma) * known;
	*mark = !comma && memchr(cell.at, ',', cell.len);
	fault = lode_written_number(&value, cell.at, cell.len, *mark ? LODE_COMMA_DECIMAL : comma);
	if (fault)
		bad_cell(t, column, fault);
	return value;
}

static bool has_decimal_comma(const struct table *t, size_t column)
{
	return column < t->commas.n && t->commas.at[column] == LODE_COMMA_DECIMAL;
}

/* What is not mere digits and a point, or is written as in another locale. */
static double other_number_at(struct table *t, size_t column, uint8_t *mark)
{
	if (has_decimal_comma(t, column) && !lode_slice_trim(t->cells.at[column]).len)
		return NAN;
	return written_number_at(t, column, mark);
}

static inline double number_at(struct table *t, size_t column, uint8_t *mark)
{
	bool is_bad = t->commas.n && has_decimal_comma(t, column);
	double value = NAN;

	if (!is_bad)
		value = lode_counter_number(t->cells.at[column].at, t->cells.at[column].len,
					    &is_bad);
	return is_bad ? other_number_at(t, column, mark) : value;
}

/* ---- Rows that wait ---- */

static void flush_rows(struct table *t)
{
	size_t n = t->waiting.n ? t->waiting_values.n / t->waiting.n : 0;
	size_t columns = 0;

	for (size_t i = 0; i < t->waiting.n; i++) {
		const struct waiting_row *row = &t->waiting.at[i];
		double *values = &t->waiting_values.at[i * n];

		columns = 0;
		for (size_t c = 0; c < t->names.n; c++) {
			if (!t->names.at[c])
				continue;
			if (t->waiting_marks.at[i * n + columns] &&
			    t->commas.at[c] == LODE_COMMA_THOUSANDS)
				values[columns] *= 1000;
			columns++;
		}
		lode_counter_place(t->reader, row->offset, row->number);
		lode_counter_log_row(t->reader->log, row->group, row->t_ns, values);
	}
	t->waiting.n = t->waiting_values.n = t->waiting_marks.n = 0;
}

/* Is there a column whose numbers wait and that is still undecided? */
static size_t undecided_column(const struct table *t)
{
	size_t n = t->waiting.n ? t->waiting_values.n / t->waiting.n : 0, at = 0;

	for (size_t c = 0; n && c < t->names.n; c++) {
		if (!t->names.at[c])
			continue;
		for (size_t i = 0; c < t->commas.n && !t->commas.at[c] && i < t->waiting.n; i++)
			if (t->waiting_marks.at[i * n + at])
				return c;
		at++;
	}
	return SIZE_MAX;
}

/* At the end of the file: the other columns decide, else the delimiter. */
static void decide_rest(struct table *t)
{
	enum lode_comma comma = comma_of_file(t);
	char text[700];

	for (size_t c; (c = undecided_column(t)) != SIZE_MAX;) {
		snprintf(text, sizeof(text),
			 "%.300s: column %zu (%.100s): no number says whether its commas are "
			 "decimal or part thousands: read as %s",
			 t->reader->path, c + 1, t->names.at[c],
			 comma == LODE_COMMA_DECIMAL ? "decimal" : "thousands");
		lode_counter_log_skip(t->reader->log, text);
		t->commas.at[c] = (uint8_t)comma;
	}
	flush_rows(t);
}

static void pad_marks(struct table *t, size_t n)
{
	while (t->marks.n < n)
		lode_vec_append(&t->marks, 0);
}

/* The last value. */
static void mark_value(struct table *t)
{
	pad_marks(t, t->values.n - 1);
	lode_vec_append(&t->marks, 1);
}

static void append_counter_row(struct table *t, uint32_t group, int64_t t_ns)
{
	struct waiting_row row = {t_ns, t->lines.offset, t->lines.number, group};

	t->reader->facts->n_rows++;
	if (!t->waiting.n && !t->marks.n) {
		lode_counter_log_row(t->reader->log, group, t_ns, t->values.at);
		return;
	}
	pad_marks(t, t->values.n);
	lode_vec_append(&t->waiting, row);
	lode_vec_append_all(&t->waiting_values, t->values.at, t->values.n);
	lode_vec_append_all(&t->waiting_marks, t->marks.at, t->marks.n);
	if (t->n_decided != t->n_decided_before) {
		t->n_decided_before = t->n_decided;
		if (undecided_column(t) == SIZE_MAX)
			flush_rows(t);
	}
}

static void take_row(struct table *t, char *line, size_t len)
{
	const char *text, *server = t->reader->server;
	size_t n, server_len = strlen(server);
	char buffer[64];
	int64_t t_ns;
	uint8_t mark;

	split(t, line, len);
	if (t->cells.n < 2 || t->cells.n > t->n_columns + 1 || t->cells.n <= t->time_column) {
		bad_row(t, t->delimiter == ',' && t->cells.n > t->n_columns
				   ? "has more columns than the header (decimal commas, in a table "
				     "whose cells are separated by commas?)"
				   : "has a different number of columns than the header");
		return;
	}
	lode_counter_place(t->reader, t->lines.offset, t->lines.number);
	text = time_text(t, buffer, sizeof(buffer), &n);
	if (!lode_counter_time(t->reader, &t_ns, text, n) ||
	    __builtin_add_overflow(t_ns, t->relog_bias_ns, &t_ns)) {
		bad_row(t, lode_log_time_fault(lode_log_time_is_ambiguous(text, n)));
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
			mark = 0;
			value = number_at(t, t->value_column, &mark);
			if (mark && comma_of_file(t) == LODE_COMMA_THOUSANDS)
				value *= 1000;
			lode_counter_add(t->reader, of, name, LODE_COUNTER_VALUE, t_ns, value);
			free(name);
		}
		free(of);
	} else {
		t->values.n = t->marks.n = 0;
		for (size_t i = 0; i < t->names.n; i++) {
			if (!t->names.at[i])
				continue;
			mark = 0;
			lode_vec_append(&t->values, i < t->cells.n ? number_at(t, i, &mark) : NAN);
			if (mark)
				mark_value(t);
		}
		append_counter_row(t, group_of(t, server, server_len), t_ns);
	}
}

static void release_counter_table(struct table *t)
{
	lode_vec_release_each(&t->names, it, free(*it));
	lode_vec_release_each(&t->servers, it, free(*it));
	lode_vec_release(&t->cells);
	lode_vec_release(&t->groups);
	lode_vec_release(&t->values);
	lode_vec_release(&t->marks);
	lode_vec_release(&t->commas);
	lode_vec_release(&t->waiting);
	lode_vec_release(&t->waiting_values);
	lode_vec_release(&t->waiting_marks);
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
	decide_rest(&t);
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

static bool is_written_number(struct lode_slice cell)
{
	double value;

	cell = lode_slice_trim(cell);
	return !lode_written_number(&value, cell.at, cell.len, LODE_COMMA_DECIMAL) ||
	       !lode_written_number(&value, cell.at, cell.len, LODE_COMMA_THOUSANDS);
}

/* Also one whose day and month the file must tell. */
static bool has_time(struct lode_log_clock *clock, const struct lode_slice *cell)
{
	struct lode_log_time time;

	return lode_log_time_parse(&time, clock, cell->at, cell->len) ||
	       lode_log_time_is_ambiguous(cell->at, cell->len);
}

static void look_at_row(struct sight *sight, const struct table *t, struct lode_log_clock *clock)
{
	sight->n_rows++;
	sight->n_timed +=
		t->time_column < t->cells.n && has_time(clock, &t->cells.at[t->time_column]);
	for (size_t i = 0; i < t->cells.n && i < t->names.n; i++) {
		struct lode_slice cell = t->cells.at[i];
		bool is_bad = false, is_number;

		if (!t->names.at[i] && i != t->value_column)
			continue;
		is_number = !isnan(lode_counter_number(cell.at, cell.len, &is_bad)) ||
			    (is_bad && is_written_number(cell));
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

/* A header that is longer than what is known of the file: of a time, and of many columns. */
static bool begins_wide_table(const char *head, size_t size, char delimiter)
{
	enum { MANY = 100 };
	size_t n = 0, len = (size_t)((const char *)memchr(head, delimiter, size) - head);
	struct lode_slice name = lode_cells_name((struct lode_slice){(char *)head, len});
	char text[32];

	for (size_t i = 0; i < size; i++)
		n += head[i] == delimiter;
	snprintf(text, sizeof(text), "%.*s", (int)name.len, name.at);
	return n >= MANY && is_one_of(text, time_names);
}

/*
 * A header of several columns; below it most rows have a time, and most of what stands in the
 * columns of counters is a number. Other lists with times (of files, incidents, requests) are
 * mostly words.
 */
static bool recognise_table(const uint8_t *bytes, size_t size)
{
	const char *head = (const char *)bytes, *end = head + size;
	const char *feed = memchr(head, '\n', size);
	struct table t = {0};
	struct sight sight;
	size_t header;
	char *copy;

	t.delimiter = feed ? lode_cells_stated_delimiter(head, (size_t)(feed - head)) : '\0';
	if (t.delimiter) {
		head = feed + 1;
		feed = memchr(head, '\n', (size_t)(end - head));
	}
	header = (size_t)((feed ? feed : end) - head);
	if (!header || memchr(head, '\0', header))
		return false;
	if (memmem(head, header, "(PDH-", 5) || memmem(head, header, " CSV output\"", 12))
		return true;
	if (!t.delimiter)
		t.delimiter = delimiter_of(head, header);
	if (!memchr(head, t.delimiter, header))
		return false;
	if (!feed)
		return size == LODE_PEEK_BYTES && begins_wide_table(head, header, t.delimiter);
	copy = lode_alloc((size_t)(end - head));
	memcpy(copy, head, (size_t)(end - head));
	split(&t, copy, header - (head[header - 1] == '\r'));
	set_columns(&t);
	sight = look_at_rows(&t, copy + header + 1, copy + (end - head));
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
