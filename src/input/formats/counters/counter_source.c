/* Recognises and reads files of performance counters. */
#include "input/formats/counters/counter_source.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/delimited.h"
#include "base/escape.h"
#include "input/formats/counters/counter_prometheus.h"
#include "input/formats/counters/counter_reader.h"
#include "input/formats/counters/prometheus_query.h"
#include "input/file_names.h"
#include "input/strangers.h"

/* "/data/counters_web.csv.zst" -> "web" */
static char *server_of(const char *path)
{
	static const char *const prefixes[] = {"counters_", "counters-", "counters."};
	const char *name = lode_path_base(path);
	char *server;

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			name += strlen(prefixes[i]);
	server = lode_strdup(name);
	server[strcspn(server, ".")] = '\0';
	return server;
}

static int read_by_format(struct lode_counter_reader *reader, struct lode_error *err)
{
	const struct lode_format *format;
	char head[LODE_PEEK_BYTES + 1], shown[100], words[600];
	ssize_t n = lode_input_peek(reader->input, head, LODE_PEEK_BYTES, err);

	if (n < 0)
		return (int)n;
	head[n] = '\0';
	reader->clock.order = lode_date_order_find(reader->input, head, (size_t)n);
	format = lode_format_find(LODE_HOLDS_COUNTERS, (const uint8_t *)head, (size_t)n);
	if (format)
		return format->read_counters(reader, err);
	if (n == 0)
		return lode_fail(err, LODE_ERR_FORMAT, reader->path, 0, "the file is empty");
	if (lode_stranger_words(words, sizeof(words), (const uint8_t *)head, (size_t)n,
				"counters are tables (CSV) with a time in each row, or what 'sadf "
				"-d' or 'sadf -j' print"))
		return lode_fail(err, LODE_ERR_FORMAT, reader->path, 0, "%s", words);
	lode_escape_fit(shown, sizeof(shown), head, 60);
	return lode_fail(err, LODE_ERR_FORMAT, reader->path, 0,
			 "not a table with a header and times, and not another known counter "
			 "format; it begins with '%s'",
			 shown);
}

/* `input` is closed; NULL: what is at `path`. `part`: what it is of a file; NULL: all of it. */
static int read_counters(struct lode_counter_log *log, struct lode_input *input,
			 const struct lode_text_part *part, const char *path, const char *server,
			 struct lode_counter_facts *facts, struct lode_error *err)
{
	struct lode_counter_reader reader = {.log = log,
					     .part = part,
					     .path = path,
					     .is_server_given = server != NULL,
					     .facts = facts,
					     .last_ns = INT64_MIN};
	uint32_t first_group = lode_counter_log_groups(log);
	struct lode_error local;
	char *by_name = server_of(path);
	int rc = LODE_OK;

	lode_counter_log_place(log, path, -1);
	memset(facts, 0, sizeof(*facts));
	err = err ? err : &local;
	reader.server = server ? server : by_name;
	reader.input = input;
	if (!input && lode_prometheus_is(path)) {
		reader.server = server ? server : "";
		rc = lode_counter_read_prometheus(&reader, path, err);
	} else {
		if (!input)
			rc = lode_input_open(&reader.input, path, err);
		if (rc == LODE_OK)
			rc = read_by_format(&reader, err);
	}
	if (rc == LODE_OK && !facts->n_rows)
		rc = lode_fail(
			err, LODE_ERR_FORMAT, lode_prometheus_is(path) ? NULL : path, -1,
			"no row is a sample: %s", /* a query may hold a password */
			lode_counter_log_losses(log)->by_kind[LODE_LOSS_BAD_RECORD].count
				? lode_counter_log_losses(log)->by_kind[LODE_LOSS_BAD_RECORD].detail
				: "it has none");
	lode_counter_log_sift(log, first_group);
	lode_counter_log_place(log, NULL, -1);
	lode_input_close(reader.input);
	lode_strings_release(&reader.series);
	lode_vec_release(&reader.groups);
	lode_vec_release(&reader.key);
	free(by_name);
	return rc;
}

/* ---- Queries ---- */

bool lode_counters_is_query(const char *path)
{
	return lode_prometheus_is(path);
}

/* Of a parameter that is given twice the later one holds. */
char *lode_counters_query_between(const char *path, int64_t start_ns, int64_t end_ns,
				  int64_t *step_ns, struct lode_error *err)
{
	struct lode_prometheus_query query;
	size_t size = strlen(path) + 100;
	char *text = lode_alloc(size), start[50] = "";

	if (start_ns != INT64_MIN)
		snprintf(start, sizeof(start), "&start=%lld.%09lld",
			 (long long)(start_ns / 1000000000), (long long)(start_ns % 1000000000));
	snprintf(text, size, "%s%s&end=%lld.%09lld", path, start, (long long)(end_ns / 1000000000),
		 (long long)(end_ns % 1000000000));
	if (lode_prometheus_parse(&query, text, end_ns, err) == LODE_OK) {
		*step_ns = query.step_ns;
		lode_prometheus_release(&query);
		return text;
	}
	free(text);
	return NULL;
}

/* ---- Folders ---- */

/* LIMIT: folders in folders; deeper ones are not looked into. */
enum { MAX_FOLDERS = 8 };

struct folder {
	struct lode_counter_log *log;
	const char *server;
	struct lode_counter_facts *facts; /* of all files */
	size_t n_read;
	struct lode_error first; /* of the first file that could not be read */
	bool has_failed;
};

static void count_unread(struct folder *f, const char *path, const struct lode_error *err)
{
	char place[LODE_LOSS_PLACE_BYTES], text[sizeof(err->path) + sizeof(err->message) + 4];

	if (!f->has_failed)
		f->first = *err;
	f->has_failed = true;
	snprintf(text, sizeof(text), "%s: skipped: %s", path, err->message);
	lode_counter_log_skip(f->log, text);
	lode_loss_add(lode_counter_log_losses(f->log), LODE_LOSS_BAD_RECORD, 1, -1, 0, "%s%s",
		      lode_loss_place(place, path, -1), err->message);
}

/* One that is named like counters and holds none is counted with those that cannot be read. */
static bool is_counters(struct folder *f, const char *path)
{
	uint8_t head[LODE_PEEK_BYTES];
	struct lode_input *input;
	struct lode_error err;
	char reason[400];
	ssize_t n = lode_input_open(&input, path, &err);

	if (n == LODE_OK) {
		n = lode_input_peek(input, head, sizeof(head), &err);
		lode_input_close(input);
	}
	if (n > 0 && lode_format_find_unnamed(LODE_HOLDS_COUNTERS, head, (size_t)n))
		return true;
	if (n >= 0 && lode_file_unread_reason(reason, sizeof(reason), path, LODE_HOLDS_COUNTERS,
					      head, (size_t)n))
		n = lode_fail(&err, LODE_ERR_FORMAT, path, 0, "%s", reason);
	if (n < 0)
		count_unread(f, path, &err);
	return false;
}

static void consider_file(struct folder *f, const char *path)
{
	struct lode_counter_facts facts;
	struct lode_error err;

	if (!is_counters(f, path))
		return;
	if (read_counters(f->log, NULL, NULL, path, f->server, &facts, &err) < 0) {
		count_unread(f, path, &err);
		return;
	}
	f->n_read++;
	f->facts->format = f->n_read == 1 ? facts.format : "a folder of counters";
	f->facts->n_rows += facts.n_rows;
	f->facts->is_zone_assumed |= facts.is_zone_assumed;
}

/* Every file of counters in it and its folders, by name; hidden ones are skipped. */
static int consider_folder(struct folder *f, const char *path, unsigned depth,
			   struct lode_error *err)
{
	lode_path_list names = {0};
	const char *reason;
	struct lode_error fault;
	struct stat st;
	int rc = lode_folder_list(&names, path, err);

	for (size_t i = 0; i < names.n; i++) {
		if (lstat(names.at[i], &st) == 0 && S_ISDIR(st.st_mode)) {
			if (depth < MAX_FOLDERS)
				consider_folder(f, names.at[i], depth + 1, NULL);
		} else if (stat(names.at[i], &st) == 0 && S_ISREG(st.st_mode)) {
			consider_file(f, names.at[i]);
		} else if ((reason = lode_file_not_regular_reason(names.at[i],
								  LODE_HOLDS_COUNTERS))) {
			lode_fail(&fault, LODE_ERR_FORMAT, names.at[i], -1, "%s", reason);
			count_unread(f, names.at[i], &fault);
		}
	}
	lode_path_list_release(&names);
	return rc;
}

static int read_folder(struct lode_counter_log *log, const char *path, const char *server,
		       struct lode_counter_facts *facts, struct lode_error *err)
{
	struct folder f = {.log = log, .server = server, .facts = facts};
	int rc;

	memset(facts, 0, sizeof(*facts));
	rc = consider_folder(&f, path, 1, err);
	if (rc < 0 || f.n_read)
		return rc;
	if (!f.has_failed)
		return lode_fail(err, LODE_ERR_FORMAT, path, -1,
				 "no file in this folder has counters in a known format");
	if (err)
		*err = f.first;
	return f.first.status;
}

/* PCP's tools call an archive by what the names of its files begin with. */
static char *archive_meta(const char *path)
{
	size_t size = strlen(path) + sizeof(".meta.xz");
	char *meta = lode_alloc(size);

	snprintf(meta, size, "%s.meta", path);
	if (access(meta, R_OK) == 0)
		return meta;
	snprintf(meta, size, "%s.meta.xz", path);
	if (access(meta, R_OK) == 0)
		return meta;
	free(meta);
	return NULL;
}

int lode_counters_read(struct lode_counter_log *log, const char *path, const char *server,
		       struct lode_counter_facts *facts, struct lode_error *err)
{
	struct stat st;
	char *meta;
	int rc;

	if (lode_prometheus_is(path))
		return read_counters(log, NULL, NULL, path, server, facts, err);
	if (stat(path, &st) == 0)
		return S_ISDIR(st.st_mode)
			       ? read_folder(log, path, server, facts, err)
			       : read_counters(log, NULL, NULL, path, server, facts, err);
	meta = archive_meta(path);
	rc = read_counters(log, NULL, NULL, meta ? meta : path, server, facts, err);
	free(meta);
	return rc;
}

int lode_counters_read_text(struct lode_counter_log *log, const char *name,
			    const struct lode_text_part *part, const char *server,
			    struct lode_counter_facts *facts, struct lode_error *err)
{
	struct lode_input *input;

	lode_input_open_bytes(&input, name, part->text, part->size);
	return read_counters(log, input, part, name, server, facts, err);
}
