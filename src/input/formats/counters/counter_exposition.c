/*
 * Prometheus' text format, OpenMetrics, and what `promtool tsdb dump` prints: a sample a line.
 *
 *   # TYPE http_requests_total counter
 *   http_requests_total{code="200"} 1027 1795233864000     ms
 *   http_requests_total{code="200"} 1027 1795233864.0 # {trace_id="x"} 1     s, and an exemplar
 *   {__name__="up", job="x"} 1 1795233864000
 *   {"a.name", "a.label"="v"} 1 1795233864000
 *   # EOF                                                  other scrapes may follow
 *
 * Samples without a time are of one scrape, and no series: they are counted, not read.
 */
#include "base/decimal.h"
#include "base/slice.h"
#include "input/formats/counters/counter_reader.h"
#include "input/formats/counters/prometheus_series.h"

/* What "# TYPE" says of a metric, as far as it decides which samples are totals. */
enum family { FAMILY_UNKNOWN, FAMILY_COUNTER, FAMILY_GAUGE_HISTOGRAM, FAMILY_OTHER };

struct exposition {
	struct lode_counter_reader *reader;
	struct lode_lines lines;
	struct lode_prometheus_series series;
	struct lode_strings families;
	LODE_VEC(uint8_t) kinds; /* enum family, per one of these */
	uint64_t n_untimed;
};

/* ---- One line ---- */

static bool is_name(char c)
{
	return lode_is_word(c) || c == ':';
}

static char *skip_blanks(char *at)
{
	while (lode_is_blank(*at))
		at++;
	return at;
}

/* What is quoted at `*at`, without its escapes, in place. False: the quote is not closed. */
static bool take_quoted(char **at, struct lode_slice *out)
{
	char *from = *at + 1, *to = from;

	out->at = from;
	while (*from && *from != '"') {
		bool is_escape = from[0] == '\\' && from[1] && strchr("\\\"n", from[1]);

		from += is_escape;
		*to++ = is_escape && *from == 'n' ? '\n' : *from;
		from++;
	}
	out->len = (size_t)(to - out->at);
	*at = from + (*from == '"');
	return *at > from;
}

/* A name, maybe quoted. */
static bool take_name(char **at, struct lode_slice *out)
{
	char *end = *at;

	if (*end == '"')
		return take_quoted(at, out);
	while (is_name(*end))
		end++;
	*out = lode_slice_between(*at, end);
	*at = end;
	return out->len && !lode_is_digit(*out->at);
}

/* From the '{' to behind the '}'. */
static bool take_labels(struct lode_prometheus_series *series, char **at)
{
	struct lode_slice key, value;

	*at = skip_blanks(*at + 1);
	while (**at != '}') {
		bool is_quoted = **at == '"';

		if (!take_name(at, &key))
			return false;
		*at = skip_blanks(*at);
		if (**at == '=') {
			*at = skip_blanks(*at + 1);
			if (**at != '"' || !take_quoted(at, &value))
				return false;
			lode_prometheus_series_label(series, key.at, key.len, value.at, value.len);
			*at = skip_blanks(*at);
		} else if (is_quoted) { /* the metric's name */
			lode_prometheus_series_label(series, "__name__", 8, key.at, key.len);
		} else {
			return false;
		}
		if (**at == ',')
			*at = skip_blanks(*at + 1);
		else if (**at != '}')
			return false;
	}
	*at = skip_blanks(*at + 1);
	return true;
}

static struct lode_slice take_word(char **at)
{
	char *end = *at;
	struct lode_slice word;

	while (*end && !lode_is_blank(*end))
		end++;
	word = lode_slice_between(*at, end);
	*at = skip_blanks(end);
	return word;
}

struct sample {
	double value;
	int64_t t_ns;
	bool has_time;
};

/* OpenMetrics writes seconds, the others milliseconds: 10^11 s is the year 5138. */
static bool parse_time(int64_t *out_ns, struct lode_slice text)
{
	struct lode_decimal decimal;
	int64_t whole;

	return lode_decimal_take(&decimal, text.at, text.len, false) == text.len &&
	       !decimal.is_negative && lode_decimal_scale(&whole, &decimal, 0, false) &&
	       lode_decimal_scale(out_ns, &decimal, whole < INT64_C(100000000000) ? 9 : 6, true);
}

/* The line's sample, its labels in `series`. NULL, or what is wrong with it. */
static const char *take_sample(struct sample *out, struct lode_prometheus_series *series,
			       char *line)
{
	static const char no_sample[] = "is not a sample of Prometheus' text format";
	struct lode_slice name, word;
	bool is_bad = false;
	char *at = skip_blanks(line);

	lode_prometheus_series_begin(series);
	memset(out, 0, sizeof(*out));
	if (*at != '{') {
		if (!is_name(*at) || !take_name(&at, &name))
			return no_sample;
		lode_prometheus_series_label(series, "__name__", 8, name.at, name.len);
		if (*at != '{' && !lode_is_blank(*at))
			return no_sample;
		at = skip_blanks(at);
	}
	if (*at == '{' && !take_labels(series, &at))
		return no_sample;
	if (*at == '{')
		return "is a native histogram, which has no single value";
	word = take_word(&at);
	if (!word.len)
		return no_sample;
	out->value = lode_counter_number(word.at, word.len, &is_bad);
	if (is_bad)
		return no_sample;
	if (!*at || *at == '#')
		return NULL;
	word = take_word(&at);
	out->has_time = parse_time(&out->t_ns, word);
	if (!out->has_time)
		return "has a time that is not in seconds or milliseconds since 1970";
	return *at && *at != '#' ? no_sample : NULL;
}

/* ---- Types ---- */

/* "# TYPE name type"; false: another comment. */
static bool take_type(char *line, struct lode_slice *name, struct lode_slice *type)
{
	char *at = line;

	if (!lode_slice_is(take_word(&at), "#") || !lode_slice_is(take_word(&at), "TYPE") ||
	    !take_name(&at, name) || !lode_is_blank(*at))
		return false;
	at = skip_blanks(at);
	*type = take_word(&at);
	return type->len && !*at;
}

static void read_comment(struct exposition *e, char *line)
{
	struct lode_slice name, type;
	uint32_t id;

	if (!take_type(line, &name, &type))
		return;
	id = lode_strings_intern(&e->families, name.at, name.len);
	if (id == e->kinds.n)
		lode_vec_append(&e->kinds, FAMILY_UNKNOWN);
	if (lode_slice_is(type, "counter"))
		e->kinds.at[id] = FAMILY_COUNTER;
	else if (lode_slice_is(type, "gaugehistogram"))
		e->kinds.at[id] = FAMILY_GAUGE_HISTOGRAM;
	else if (lode_slice_is(type, "untyped") || lode_slice_is(type, "unknown"))
		e->kinds.at[id] = FAMILY_UNKNOWN;
	else
		e->kinds.at[id] = FAMILY_OTHER;
}

static enum family family_of(const struct exposition *e, const char *name, size_t len)
{
	uint32_t id = lode_strings_find(&e->families, name, len);

	return id == LODE_NONE ? FAMILY_UNKNOWN : (enum family)e->kinds.at[id];
}

/* A type of the very name decides; else its ending, as "x_bucket" of the histogram "x". */
static bool is_total(const struct exposition *e, const char *metric)
{
	size_t len = strlen(metric), ending = lode_counter_total_ending(metric);
	enum family own = family_of(e, metric, len);

	if (own != FAMILY_UNKNOWN)
		return own == FAMILY_COUNTER;
	return ending && family_of(e, metric, len - ending) != FAMILY_GAUGE_HISTOGRAM;
}

/* ---- The file ---- */

static void read_line(struct exposition *e, char *line, size_t len)
{
	struct lode_counter_reader *reader = e->reader;
	struct sample sample;
	const char *fault;

	lode_counter_place(reader, e->lines.offset, e->lines.number);
	if (memchr(line, '\0', len)) {
		lode_counter_bad(reader, e->lines.offset, e->lines.number, "is not text");
		return;
	}
	line = skip_blanks(line);
	if (*line == '#') {
		read_comment(e, line);
		return;
	}
	if (!*line)
		return;
	if (e->lines.is_unended) { /* its number may be cut, and look like another */
		lode_loss_add(lode_counter_log_losses(reader->log), LODE_LOSS_TRUNCATED, 1,
			      e->lines.offset, reader->last_ns, "%s: line %lld has no end",
			      reader->path, (long long)e->lines.number);
		return;
	}
	fault = take_sample(&sample, &e->series, line);
	if (!fault && !sample.has_time) {
		e->n_untimed++;
		fault = "has no time";
	}
	if (fault) {
		lode_counter_bad(reader, e->lines.offset, e->lines.number, fault);
		return;
	}
	reader->last_ns = sample.t_ns;
	lode_prometheus_series_add(&e->series, reader,
				   is_total(e, lode_prometheus_series_metric(&e->series))
					   ? LODE_COUNTER_TOTAL
					   : LODE_COUNTER_STATE,
				   sample.t_ns, sample.value);
}

static int read_exposition(struct lode_counter_reader *reader, struct lode_error *err)
{
	struct exposition e = {.reader = reader};
	char *line;
	size_t len;
	int rc;

	reader->facts->format = "Prometheus text";
	lode_lines_init(&e.lines, reader->input);
	while ((rc = lode_lines_next(&e.lines, &line, &len, err)) > 0)
		read_line(&e, line, len);
	if (rc < 0 && reader->facts->n_rows) {
		lode_loss_add(lode_counter_log_losses(reader->log), LODE_LOSS_TRUNCATED, 1,
			      e.lines.next_offset, reader->last_ns, "%s: %s", reader->path,
			      err->message);
		rc = LODE_OK;
	}
	if (rc == LODE_OK && !reader->facts->n_rows && e.n_untimed)
		rc = lode_fail(err, LODE_ERR_FORMAT, reader->path, -1,
			       "these metrics of Prometheus have no times: a scrape shows one "
			       "moment, not a series; use the output of 'promtool tsdb dump DIR', "
			       "or the JSON of a range query (/api/v1/query_range)");
	lode_prometheus_series_release(&e.series);
	lode_strings_release(&e.families);
	lode_vec_release(&e.kinds);
	lode_lines_release(&e.lines);
	return rc;
}

/* ---- Recognition ---- */

/* A line that other formats do not have: labels, a time, or the type of a metric. */
static bool is_distinct(struct lode_prometheus_series *series, char *line, bool *is_wrong)
{
	struct lode_slice name, type;
	bool has_labels = strchr(line, '{') != NULL;
	struct sample sample;
	const char *fault;

	line = skip_blanks(line);
	if (*line == '#')
		return take_type(line, &name, &type);
	if (!*line)
		return false;
	fault = take_sample(&sample, series, line);
	*is_wrong = fault != NULL;
	return !fault && (has_labels || sample.has_time);
}

/* Most of the first lines are comments and samples, and one is distinct. The last may be cut. */
static bool recognise_exposition(const uint8_t *head, size_t size)
{
	enum { LINES_LOOKED_AT = 50 };
	const char *at = (const char *)head, *end = at + size;
	struct lode_prometheus_series series = {0};
	bool is_one = false;
	int n_right = 0, n_wrong = 0;
	LODE_VEC(char) line = {0};

	for (int i = 0; i < LINES_LOOKED_AT && at < end; i++) {
		const char *feed = memchr(at, '\n', (size_t)(end - at));
		bool is_wrong;

		if (!feed)
			break;
		line.n = 0;
		lode_vec_append_all(&line, at, (size_t)(feed - at));
		line.n -= line.n && line.at[line.n - 1] == '\r';
		lode_vec_append(&line, '\0');
		is_wrong = memchr(line.at, '\0', line.n - 1) != NULL;
		is_one |= !is_wrong && is_distinct(&series, line.at, &is_wrong);
		n_wrong += is_wrong;
		n_right += !is_wrong;
		at = feed + 1;
	}
	lode_vec_release(&line);
	lode_prometheus_series_release(&series);
	return is_one && n_right > n_wrong;
}

const struct lode_format lode_format_exposition = {
	.name = "Prometheus' text format",
	.recognise = recognise_exposition,
	.read_counters = read_exposition,
};
