/*
 * Counters in JSON: what `sadf -j` prints, and answers of Prometheus to range queries. Both are
 * read as a stream of values with the path that leads to them; memory does not depend on the file.
 *
 *   sadf        sysstat.hosts[].nodename, .statistics[].timestamp{date,time,utc}, then any objects:
 *               numbers are counters, the texts beside them say of which device
 *   Prometheus  data.result[].metric{name: text}, .values[][time, "value"]
 */
#include <stdio.h>
#include <yajl/yajl_parse.h>

#include "base/escape.h"
#include "input/formats/counters/counter_json.h"
#include "input/formats/counters/counter_reader.h"
#include "input/formats/counters/prometheus_series.h"

enum { MAX_DEPTH = 24, MAX_NAME = 512, CHUNK_BYTES = 1 << 16 };

/* A number of an object that is not finished: its device may be named behind it. */
struct held {
	char name[128];
	double value;
};

struct level {
	char key[128];	  /* the key under way, if this is an object */
	char device[128]; /* texts of this object, joined */
	bool is_array;
	size_t first_held; /* of this object's numbers */
	size_t n_items;	   /* of an array, so far */
};

struct json {
	struct lode_counter_reader *reader;
	struct level levels[MAX_DEPTH + 1];
	int depth;
	LODE_VEC(struct held) held;
	/* sadf */
	char date[32], time[32];
	int64_t t_ns;
	bool has_time, is_local; /* local: "utc": 0 */
	/* Prometheus */
	struct lode_prometheus_series series;
	char refusal[256]; /* its words, when it answered with an error */
	int64_t point_ns;
	bool has_point;
};

static bool is_key(const struct json *j, int depth, const char *key)
{
	return depth >= 0 && depth <= j->depth && !j->levels[depth].is_array &&
	       strcmp(j->levels[depth].key, key) == 0;
}

/* Is the path to here sysstat/hosts/[]/statistics/[] and below? */
static bool is_in_statistics(const struct json *j)
{
	return j->depth >= 6 && is_key(j, 2, "hosts") && is_key(j, 4, "statistics");
}

static bool is_in_timestamp(const struct json *j)
{
	return is_in_statistics(j) && is_key(j, 6, "timestamp");
}

/* data/result/[]/metric, data/result/[]/values/[]/[] */
static bool is_in_metric(const struct json *j)
{
	return j->depth == 5 && is_key(j, 2, "result") && is_key(j, 4, "metric");
}

static bool is_in_point(const struct json *j)
{
	return j->depth >= 5 && is_key(j, 2, "result") &&
	       ((is_key(j, 4, "values") && j->depth == 6) ||
		(is_key(j, 4, "value") && j->depth == 5));
}

static void join_counter_json(char *to, size_t size, const char *separator, const char *text,
			      size_t len)
{
	size_t n = strlen(to);

	snprintf(to + n, size - n, "%s%.*s", n ? separator : "", (int)(len > 120 ? 120 : len),
		 text);
}

/* ---- sadf ---- */

static void set_sadf_time(struct json *j)
{
	char text[80];

	snprintf(text, sizeof(text), "%sT%s%s", j->date, j->time, j->is_local ? "" : "Z");
	j->has_time =
		*j->date && *j->time && lode_counter_time(j->reader, &j->t_ns, text, strlen(text));
	if (!j->has_time && *j->date && *j->time)
		lode_counter_bad(j->reader, -1, 0, "a statistic has no time");
}

/* The object ends: its numbers have their names now. */
static void give_held(struct json *j)
{
	const struct level *level = &j->levels[j->depth];
	char name[MAX_NAME];

	for (size_t i = level->first_held; i < j->held.n; i++) {
		const struct held *held = &j->held.at[i];

		*name = '\0';
		for (int d = 6; d < j->depth; d++)
			if (!j->levels[d].is_array)
				join_counter_json(name, sizeof(name), "/", j->levels[d].key,
						  strlen(j->levels[d].key));
		for (int d = 6; d <= j->depth; d++)
			if (*j->levels[d].device)
				join_counter_json(name, sizeof(name), "/", j->levels[d].device,
						  strlen(j->levels[d].device));
		join_counter_json(name, sizeof(name), "/", held->name, strlen(held->name));
		if (j->has_time)
			lode_counter_add(j->reader, j->reader->server, name, LODE_COUNTER_VALUE,
					 j->t_ns, held->value);
	}
	j->held.n = level->first_held;
}

/* ---- Prometheus ---- */

static void take_point(struct json *j, const char *text, size_t len)
{
	struct level *level = &j->levels[j->depth];
	bool is_bad = false;
	double value;

	if (level->n_items == 1) {
		j->has_point = lode_counter_time(j->reader, &j->point_ns, text, len);
		return;
	}
	value = lode_counter_number(text, len, &is_bad);
	if (level->n_items != 2 || !j->has_point)
		return;
	lode_prometheus_series_add(&j->series, j->reader,
				   lode_counter_total_ending(
					   lode_prometheus_series_metric(&j->series))
					   ? LODE_COUNTER_TOTAL
					   : LODE_COUNTER_STATE,
				   j->point_ns, value);
}

/* What it could not do fully, as when a shard of it did not answer. */
static void take_warning(struct json *j, const char *text, size_t len)
{
	char shown[120];

	lode_loss_add(lode_counter_log_losses(j->reader->log), LODE_LOSS_TRUNCATED, 1, -1,
		      j->reader->last_ns, "Prometheus warns: %s",
		      lode_escape_n(shown, sizeof(shown), text, len));
}

/* ---- The stream ---- */

static void count_item(struct json *j)
{
	if (j->levels[j->depth].is_array)
		j->levels[j->depth].n_items++;
}

static int on_number(void *context, const char *text, size_t len)
{
	struct json *j = context;
	struct level *level = &j->levels[j->depth];
	struct held *held;
	bool is_bad = false;

	count_item(j);
	if (is_in_timestamp(j) && is_key(j, j->depth, "utc"))
		j->is_local = len == 1 && *text == '0';
	if (is_in_point(j)) {
		take_point(j, text, len);
	} else if (is_in_statistics(j) && !is_in_timestamp(j) && !level->is_array) {
		held = lode_vec_append_zero(&j->held);
		snprintf(held->name, sizeof(held->name), "%s", level->key);
		held->value = lode_counter_number(text, len, &is_bad);
	}
	return 1;
}

static int on_string(void *context, const unsigned char *bytes, size_t len)
{
	struct json *j = context;
	struct level *level = &j->levels[j->depth];
	const char *text = (const char *)bytes;

	count_item(j);
	if (is_in_point(j))
		take_point(j, text, len);
	else if (is_in_metric(j))
		lode_prometheus_series_label(&j->series, level->key, strlen(level->key), text, len);
	else if (is_in_timestamp(j) && is_key(j, j->depth, "date"))
		snprintf(j->date, sizeof(j->date), "%.*s", (int)len, text);
	else if (is_in_timestamp(j) && is_key(j, j->depth, "time"))
		snprintf(j->time, sizeof(j->time), "%.*s", (int)len, text);
	else if (is_in_statistics(j) && !level->is_array)
		join_counter_json(level->device, sizeof(level->device), " ", text, len);
	else if (is_key(j, j->depth, "nodename"))
		lode_counter_host(j->reader, text, len);
	else if (j->depth == 1 && is_key(j, 1, "error"))
		lode_escape_n(j->refusal, sizeof(j->refusal), text, len);
	else if (j->depth == 2 && is_key(j, 1, "warnings"))
		take_warning(j, text, len);
	return 1;
}

static int push(struct json *j, bool is_array)
{
	struct level *level;

	if (j->depth == MAX_DEPTH)
		return 0; /* deeper than either format goes */
	count_item(j);
	level = &j->levels[++j->depth];
	memset(level, 0, sizeof(*level));
	level->is_array = is_array;
	level->first_held = j->held.n;
	if (j->depth == 4 && is_key(j, 2, "result"))
		lode_prometheus_series_begin(&j->series);
	if (j->depth == 6 && is_key(j, 4, "statistics"))
		*j->date = *j->time = '\0';
	return 1;
}

static int on_start_map(void *context)
{
	return push(context, false);
}

static int on_key(void *context, const unsigned char *text, size_t len)
{
	struct json *j = context;

	snprintf(j->levels[j->depth].key, sizeof(j->levels[j->depth].key), "%.*s", (int)len,
		 (const char *)text);
	return 1;
}

static int on_end_map(void *context)
{
	struct json *j = context;

	if (is_in_timestamp(j) && j->depth == 7)
		set_sadf_time(j);
	else if (is_in_statistics(j))
		give_held(j);
	j->depth--;
	return 1;
}

static int on_start_array(void *context)
{
	return push(context, true);
}

static int on_end_array(void *context)
{
	((struct json *)context)->depth--;
	return 1;
}

struct lode_counter_json {
	struct json json;
	yajl_handle parser;
	yajl_status status;
	int64_t offset; /* of what comes next */
};

static const yajl_callbacks callbacks = {
	.yajl_number = on_number,
	.yajl_string = on_string,
	.yajl_start_map = on_start_map,
	.yajl_map_key = on_key,
	.yajl_end_map = on_end_map,
	.yajl_start_array = on_start_array,
	.yajl_end_array = on_end_array,
};

struct lode_counter_json *lode_counter_json_new(struct lode_counter_reader *reader)
{
	struct lode_counter_json *parse = lode_alloc0(1, sizeof(*parse));

	parse->json.reader = reader;
	parse->parser = yajl_alloc(&callbacks, NULL, &parse->json);
	parse->status = yajl_status_ok;
	return parse;
}

void lode_counter_json_free(struct lode_counter_json *parse)
{
	if (!parse)
		return;
	yajl_free(parse->parser);
	lode_vec_release(&parse->json.held);
	lode_prometheus_series_release(&parse->json.series);
	free(parse);
}

bool lode_counter_json_feed(struct lode_counter_json *parse, const void *bytes, size_t size)
{
	if (parse->status != yajl_status_ok)
		return false;
	parse->status = yajl_parse(parse->parser, bytes, size);
	parse->offset += parse->status == yajl_status_ok
				 ? (int64_t)size
				 : (int64_t)yajl_get_bytes_consumed(parse->parser);
	return parse->status == yajl_status_ok;
}

bool lode_counter_json_end(struct lode_counter_json *parse)
{
	if (parse->status == yajl_status_ok)
		parse->status = yajl_complete_parse(parse->parser);
	return parse->status == yajl_status_ok;
}

int64_t lode_counter_json_offset(const struct lode_counter_json *parse)
{
	return parse->offset;
}

const char *lode_counter_json_refusal(const struct lode_counter_json *parse)
{
	return *parse->json.refusal ? parse->json.refusal : NULL;
}

static int read_json(struct lode_counter_reader *reader, struct lode_error *err)
{
	struct lode_counter_json *parse = lode_counter_json_new(reader);
	unsigned char *chunk = lode_alloc(CHUNK_BYTES);
	struct lode_losses *losses = lode_counter_log_losses(reader->log);
	bool is_json = true;
	ssize_t n;
	int rc = LODE_OK;

	reader->facts->format = "JSON";
	while (is_json && (n = lode_input_read(reader->input, chunk, CHUNK_BYTES, err)) > 0)
		is_json = lode_counter_json_feed(parse, chunk, (size_t)n);
	if (is_json && n == 0)
		is_json = lode_counter_json_end(parse);
	if (is_json && n < 0) {
		rc = reader->facts->n_rows ? LODE_OK : (int)n;
		if (rc == LODE_OK)
			lode_loss_add(losses, LODE_LOSS_TRUNCATED, 1, parse->offset,
				      reader->last_ns, "%s: %s", reader->path, err->message);
	} else if (!is_json) {
		lode_loss_add(losses, LODE_LOSS_TRUNCATED, 1, parse->offset, reader->last_ns,
			      "%s: no longer valid JSON", reader->path);
	}
	if (rc == LODE_OK && !reader->facts->n_rows && *parse->json.refusal)
		rc = lode_fail(err, LODE_ERR_FORMAT, reader->path, -1, "Prometheus answered: %s",
			       parse->json.refusal);
	lode_counter_json_free(parse);
	free(chunk);
	return rc;
}

static bool recognise_json(const uint8_t *head, size_t size)
{
	size_t blank = 0;

	while (blank < size && memchr(" \t\r\n", head[blank], 4))
		blank++;
	return blank < size && head[blank] == '{' &&
	       (memmem(head, size, "\"sysstat\"", 9) || memmem(head, size, "\"resultType\"", 12));
}

const struct lode_format lode_format_counter_json = {
	.name = "counters as JSON of sadf or Prometheus",
	.recognise = recognise_json,
	.read_counters = read_json,
};
