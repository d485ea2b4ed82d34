/* Tells the times behind the common fields of a log's lines from each other. */
#include "input/formats/log/log_tail.h"

#include <stdio.h>

#include "base/decimal.h"
#include "base/mem.h"
#include "input/formats/log/log_fields.h"

/* LIMIT: fields behind these have no meaning. */
enum { MAX_FIELDS = 24 };

static const int64_t EPOCH_NS = INT64_C(1000000000000000000);
static const int64_t ROUNDING_NS = 1500000; /* times in ms, each rounded by itself */

/* "rt=0.005", "0.005" or "\"0.005\"". */
struct field {
	struct lode_slice key, value;
	bool is_quoted;
};

struct column {
	const char *variable;	/* of the format; NULL: of no use, or not yet known */
	bool is_time, is_epoch; /* in all lines so far; at least one has a value */
	bool is_seen, is_fine;
	double sum_ns;
};

struct tail_times {
	struct column columns[MAX_FIELDS];
	struct field first[MAX_FIELDS]; /* the first line's */
	size_t n;
	LODE_VEC(int64_t) values; /* n per line; -1: "-" */
	size_t n_lines;
	bool has_fine; /* then numbers with fewer decimals (gzip's ratio) are no times */
};

bool lode_log_is_within_list(const char *p, const char *start, const char *end)
{
	return (p > start && (p[-1] == ',' || p[-1] == ':')) ||
	       (p + 2 < end && p[1] == ':' && p[2] == ' ');
}

static size_t split_tail(struct field fields[MAX_FIELDS], const struct lode_slice *tail)
{
	const char *p = tail->at, *end = p + tail->len;
	size_t n = 0;

	while (p + 1 < end && *p == ' ' && n < MAX_FIELDS) {
		struct field *f = &fields[n++];
		const char *start = ++p;

		while (p < end && lode_is_word(*p))
			p++;
		if (p == start || p == end || *p != '=')
			p = start;
		f->key = (struct lode_slice){start, (size_t)(p - start)};
		p += p > start;
		f->is_quoted = p < end && *p == '"';
		p += f->is_quoted;
		for (start = p; p < end; p++)
			if (f->is_quoted ? *p == '"' && p[-1] != '\\'
					 : *p == ' ' && !lode_log_is_within_list(p, start, end))
				break;
		f->value = (struct lode_slice){start, (size_t)(p - start)};
		p += f->is_quoted && p < end;
	}
	return n;
}

/* Seconds with a fraction; the times of several servers are added. -1: "-". *is_fine: to the ms. */
static bool read_tail_time(int64_t *out_ns, bool *is_fine, struct lode_slice text)
{
	const char *p = text.at, *end = p + text.len;
	int64_t one;

	*out_ns = -1;
	while (p < end) {
		const char *stop = p, *point;

		while (stop < end && *stop != ',' && *stop != ' ')
			stop++;
		point = memchr(p, '.', (size_t)(stop - p));
		if (stop - p == 1 && (*p == '-' || *p == ':'))
			;
		else if (!lode_is_digit(*p) || !point || stop - point < 2 ||
			 !lode_decimal_parse(&one, p, (size_t)(stop - p), 9) || one < 0 ||
			 __builtin_add_overflow(*out_ns < 0 ? 0 : *out_ns, one, out_ns))
			return false;
		*is_fine &= !point || stop - point >= 4;
		for (p = stop; p < end && (*p == ',' || *p == ' '); p++)
			;
	}
	return true;
}

static void take_tail(struct tail_times *t, const struct lode_slice *tail)
{
	struct field fields[MAX_FIELDS];
	size_t n = split_tail(fields, tail);

	if (!t->n_lines) {
		t->n = n;
		memcpy(t->first, fields, n * sizeof(*fields));
		for (size_t i = 0; i < n; i++)
			t->columns[i].is_time = t->columns[i].is_epoch = t->columns[i].is_fine =
				!fields[i].key.len;
	}
	if (n != t->n)
		return;
	t->n_lines++;
	for (size_t i = 0; i < n; i++) {
		struct column *c = &t->columns[i];
		int64_t ns = -1;

		c->is_time &= read_tail_time(&ns, &c->is_fine, fields[i].value);
		c->is_epoch &= ns < 0 || ns >= EPOCH_NS;
		c->is_seen |= ns >= 0;
		c->sum_ns += ns > 0 ? (double)ns : 0;
		lode_vec_append(&t->values, ns);
	}
}

static bool is_candidate(const struct tail_times *t, size_t i)
{
	const struct column *c = &t->columns[i];

	return c->is_time && c->is_seen && !c->variable && (c->is_fine || !t->has_fine);
}

/* The time that is most; SIZE_MAX: none is left, or another one is more in more than 1 % of lines.
 */
static size_t longest_time(const struct tail_times *t)
{
	size_t most = SIZE_MAX, n_less = 0;

	for (size_t i = 0; i < t->n; i++)
		if (is_candidate(t, i) &&
		    (most == SIZE_MAX || t->columns[i].sum_ns > t->columns[most].sum_ns))
			most = i;
	for (size_t line = 0; most != SIZE_MAX && line < t->n_lines; line++) {
		const int64_t *values = &t->values.at[line * t->n];
		bool is_less = false;

		for (size_t i = 0; i < t->n; i++)
			is_less |= is_candidate(t, i) && values[i] > values[most] + ROUNDING_NS;
		n_less += is_less;
	}
	return 100 * n_less > t->n_lines ? SIZE_MAX : most;
}

/* Decides which field is which variable. NULL: there is a response time; else what is wrong. */
static const char *name_times(struct tail_times *t, size_t *response, size_t *upstream)
{
	bool has_time = false, has_named = false;
	size_t n_times = 0;

	*response = *upstream = SIZE_MAX;
	for (size_t i = 0; i < t->n; i++) {
		struct lode_slice key = t->first[i].key;
		struct column *c = &t->columns[i];

		has_named |=
			key.len && lode_log_meaning_of(key.at, key.len).role == LODE_LOG_RESPONSE;
		if (is_candidate(t, i) && c->is_epoch) {
			c->variable = has_time ? "other" : "msec";
			has_time = true;
		}
		n_times += is_candidate(t, i);
	}
	for (size_t i = 0; i < t->n; i++)
		t->has_fine |= is_candidate(t, i) && t->columns[i].is_fine;
	if (has_named)
		return NULL;
	*response = longest_time(t);
	if (*response == SIZE_MAX)
		return n_times ? "none of the times after the common log fields is at least as "
				 "long as all others: give the format with --format, with "
				 "$request_time for the response time"
			       : "its lines have no response time in seconds after the common log "
				 "fields; give the format with --format";
	t->columns[*response].variable = "request_time";
	*upstream = longest_time(t);
	if (*upstream != SIZE_MAX)
		t->columns[*upstream].variable = "upstream_response_time";
	return NULL;
}

static void write_format(const struct tail_times *t, FILE *out)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct field *f = &t->first[i];
		const char *quote = f->is_quoted ? "\"" : "";

		if (f->key.len)
			fprintf(out, " %.*s=%s${%.*s}%s", (int)f->key.len, f->key.at, quote,
				(int)f->key.len, f->key.at, quote);
		else
			fprintf(out, " %s$%s%s", quote,
				t->columns[i].variable ? t->columns[i].variable : "other", quote);
	}
}

/* "response time in field 1 behind them (s), never below 2 other times in 90 lines" */
static void write_choice(const struct tail_times *t, size_t response, size_t upstream, FILE *out)
{
	size_t n_others = 0;

	for (size_t i = 0; i < t->n; i++)
		n_others += i == upstream || is_candidate(t, i);
	if (response == SIZE_MAX)
		return;
	fprintf(out, "; response time (s): field %zu behind the common ones", response + 1);
	if (n_others)
		fprintf(out, ", at least as long as %s in %zu line%s",
			n_others > 1 ? "the other times" : "the other time", t->n_lines,
			t->n_lines == 1 ? "" : "s");
	if (upstream != SIZE_MAX)
		fprintf(out, "; upstream time: field %zu", upstream + 1);
	else if (n_others)
		fputs("; upstream time: none, as no other time is longest", out);
}

bool lode_log_tail_format(const struct lode_slice *tails, size_t n, char *format,
			  size_t format_size, char *words, size_t words_size, char *why,
			  size_t why_size)
{
	struct tail_times t = {0};
	size_t response, upstream;
	const char *fault;
	FILE *out;

	for (size_t i = 0; i < n; i++)
		take_tail(&t, &tails[i]);
	fault = name_times(&t, &response, &upstream);
	out = fmemopen(format, format_size, "w");
	write_format(&t, out);
	fclose(out);
	out = fmemopen(words, words_size, "w");
	write_choice(&t, response, upstream, out);
	fclose(out);
	lode_vec_release(&t.values);
	if (fault)
		snprintf(why, why_size, "%s", fault);
	return !fault;
}
