/* Queries Prometheus over HTTP. */
#include "input/formats/counters/counter_prometheus.h"

#include "input/formats/counters/counter_json.h"
#include "input/formats/counters/counter_reader.h"
#include "input/formats/counters/prometheus_query.h"

#ifndef LODE_HAVE_CURL

int lode_counter_read_prometheus(struct lode_counter_reader *reader, const char *text,
				 struct lode_error *err)
{
	(void)reader;
	(void)text;
	return lode_fail(err, LODE_ERR_UNSUPPORTED, NULL, -1,
			 "prometheus: this lode was built without libcurl: rebuild it with "
			 "libcurl4-openssl-dev, or save the response with curl and give that file");
}

#else

#include <curl/curl.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/escape.h"
#include "base/late_library.h"
#include "base/lines.h"

#define CURL_FUNCTIONS(X)     \
	X(curl_easy_init)     \
	X(curl_easy_cleanup)  \
	X(curl_easy_setopt)   \
	X(curl_easy_getinfo)  \
	X(curl_easy_perform)  \
	X(curl_easy_strerror) \
	X(curl_easy_escape) X(curl_free) X(curl_slist_append) X(curl_slist_free_all)

/* Macros of these names are in the way. */
#undef curl_easy_setopt
#undef curl_easy_getinfo

struct curl_library {
	CURL_FUNCTIONS(LODE_LATE_MEMBER)
};

/* Prometheus gives at most 11,000 points of a series in one answer. */
static const int64_t points_per_request = 10000;
/* LIMIT: a range of more points is a wrong time or step. */
static const int64_t max_points = INT64_C(100) * 1000 * 1000;

/* One request. */
struct answer {
	const struct curl_library *lib;
	CURL *curl;
	struct lode_counter_json *parse;
	int64_t n_bytes, max_bytes;
	bool is_too_large, is_no_json;
	char body[4096]; /* the beginning: what a server says of an error */
	size_t n_body;
};

struct asking {
	struct lode_counter_reader *reader;
	const struct lode_prometheus_query *query;
	struct curl_library lib;
	CURL *curl;
	struct curl_slist *headers;
	char problem[CURL_ERROR_SIZE];
};

/* ---- Headers: who asks ---- */

static int add_header(struct asking *a, const char *line, struct lode_error *err)
{
	struct curl_slist *longer;

	for (const char *p = line; *p; p++) {
		if ((unsigned char)*p < ' ' && *p != '\t')
			return lode_fail(err, LODE_ERR_ARG, NULL, -1,
					 "prometheus: a header contains a control character");
	}
	if (!strchr(line, ':'))
		return lode_fail(err, LODE_ERR_ARG, NULL, -1,
				 "prometheus: a header has no colon: expected 'Name: value'");
	longer = a->lib.curl_slist_append(a->headers, line);
	if (!longer)
		lode_oom(strlen(line));
	a->headers = longer;
	return LODE_OK;
}

/* A header a line; empty ones and those that begin with '#' are none. */
static int read_headers(struct asking *a, const char *path, struct lode_error *err)
{
	struct lode_input *input;
	struct lode_lines lines;
	char *line;
	size_t len;
	int rc = lode_input_open(&input, path, err);

	if (rc < 0)
		return rc;
	lode_lines_init(&lines, input);
	while ((rc = lode_lines_next(&lines, &line, &len, err)) > 0) {
		if (len && *line != '#' && (rc = add_header(a, line, err)) < 0)
			break;
	}
	lode_lines_release(&lines);
	lode_input_close(input);
	return rc < 0 ? rc : LODE_OK;
}

static int set_headers(struct asking *a, struct lode_error *err)
{
	const char *one = getenv("LODE_PROMETHEUS_HEADER");
	int rc = LODE_OK;

	if (one && *one)
		rc = add_header(a, one, err);
	if (rc == LODE_OK && a->query->header_file)
		rc = read_headers(a, a->query->header_file, err);
	return rc;
}

/* ---- One request ---- */

static size_t on_bytes(char *bytes, size_t one, size_t n, void *context)
{
	struct answer *answer = context;
	size_t size = one * n, room = sizeof(answer->body) - 1 - answer->n_body;
	size_t kept = size < room ? size : room;
	long status = 0;

	memcpy(answer->body + answer->n_body, bytes, kept);
	answer->n_body += kept;
	answer->body[answer->n_body] = '\0';
	answer->n_bytes += (int64_t)size;
	if (answer->n_bytes > answer->max_bytes) {
		answer->is_too_large = true;
		return 0; /* ends the transfer */
	}
	answer->lib->curl_easy_getinfo(answer->curl, CURLINFO_RESPONSE_CODE, &status);
	if (status == 200 && !lode_counter_json_feed(answer->parse, bytes, size)) {
		answer->is_no_json = true;
		return 0;
	}
	return size;
}

/* Why the server said no, in its own words if it has any. */
static int refused(struct asking *a, struct answer *answer, long status, struct lode_error *err)
{
	char shown[300], *to = NULL;
	const char *words;

	answer->lib->curl_easy_getinfo(answer->curl, CURLINFO_REDIRECT_URL, &to);
	if (to)
		return lode_fail(err, LODE_ERR_IO, a->query->shown, -1,
				 "HTTP %ld redirects to %s; lode does not follow redirects, since "
				 "headers may contain secrets: use that address directly",
				 status, lode_escape_fit(shown, sizeof(shown), to, 120));
	lode_counter_json_feed(answer->parse, answer->body, answer->n_body);
	words = lode_counter_json_refusal(answer->parse);
	if (!words) {
		for (size_t i = 0; i < answer->n_body; i++)
			if (answer->body[i] == '\n' || answer->body[i] == '\r')
				answer->body[i] = ' ';
		words = lode_escape_fit(shown, sizeof(shown), answer->body, 160);
	}
	return lode_fail(err, LODE_ERR_IO, a->query->shown, -1, "HTTP %ld: %s", status,
			 *words ? words : "no reason given");
}

static int judge_counter_prometheus(struct asking *a, struct answer *answer, CURLcode code,
				    struct lode_error *err)
{
	char shown[200];
	long status = 0;

	a->lib.curl_easy_getinfo(a->curl, CURLINFO_RESPONSE_CODE, &status);
	if (answer->is_too_large)
		return lode_fail(err, LODE_ERR_LIMIT, a->query->shown, -1,
				 "the response is larger than %lld bytes: narrow the query, or set "
				 "limit=BYTES",
				 (long long)answer->max_bytes);
	if (code != CURLE_OK && !answer->is_no_json)
		return lode_fail(err, LODE_ERR_IO, a->query->shown, -1, "%s",
				 *a->problem ? a->problem : a->lib.curl_easy_strerror(code));
	if (status != 200)
		return refused(a, answer, status, err);
	if (answer->is_no_json)
		return lode_fail(err, LODE_ERR_FORMAT, a->query->shown,
				 lode_counter_json_offset(answer->parse),
				 "the response is not JSON: it begins with '%s'",
				 lode_escape_fit(shown, sizeof(shown), answer->body, 60));
	if (!lode_counter_json_end(answer->parse))
		return lode_fail(err, LODE_ERR_TRUNCATED, a->query->shown,
				 lode_counter_json_offset(answer->parse),
				 "the response ends in the middle of its JSON");
	if (lode_counter_json_refusal(answer->parse))
		return lode_fail(err, LODE_ERR_IO, a->query->shown, -1, "%s",
				 lode_counter_json_refusal(answer->parse));
	return LODE_OK;
}

/* "1795233864.500" */
static void seconds_text(char *buffer, size_t size, int64_t ns)
{
	snprintf(buffer, size, "%lld.%03lld", (long long)(ns / 1000000000),
		 (long long)(ns / 1000000 % 1000));
}

/* The address to get: one query over [start, end]. */
static char *address_of(struct asking *a, const char *query, int64_t start_ns, int64_t end_ns)
{
	char *escaped = a->lib.curl_easy_escape(a->curl, query, 0), *address;
	char start[32], end[32], step[32];
	size_t size;

	if (!escaped)
		lode_oom(3 * strlen(query));
	seconds_text(start, sizeof(start), start_ns);
	seconds_text(end, sizeof(end), end_ns);
	seconds_text(step, sizeof(step), a->query->step_ns);
	size = strlen(a->query->url) + strlen(escaped) + strlen(a->query->others) + 160;
	address = lode_alloc(size);
	snprintf(address, size, "%s?query=%s&start=%s&end=%s&step=%s%s", a->query->url, escaped,
		 start, end, step, a->query->others);
	a->lib.curl_free(escaped);
	return address;
}

static int ask(struct asking *a, const char *query, int64_t start_ns, int64_t end_ns,
	       struct lode_error *err)
{
	struct answer answer = {.lib = &a->lib, .curl = a->curl, .max_bytes = a->query->max_bytes};
	char *address = address_of(a, query, start_ns, end_ns);
	CURLcode code;
	int rc;

	*a->problem = '\0';
	answer.parse = lode_counter_json_new(a->reader);
	a->lib.curl_easy_setopt(a->curl, CURLOPT_URL, address);
	a->lib.curl_easy_setopt(a->curl, CURLOPT_WRITEDATA, &answer);
	code = a->lib.curl_easy_perform(a->curl);
	rc = judge_counter_prometheus(a, &answer, code, err);
	lode_counter_json_free(answer.parse);
	free(address);
	return rc;
}

/* ---- All of them ---- */

static void set_options(struct asking *a)
{
	long timeout_ms = (long)(a->query->timeout_ns / 1000000);

	a->lib.curl_easy_setopt(a->curl, CURLOPT_NOSIGNAL, 1L);
	a->lib.curl_easy_setopt(a->curl, CURLOPT_FOLLOWLOCATION, 0L);
#if LIBCURL_VERSION_NUM >= 0x075500
	a->lib.curl_easy_setopt(a->curl, CURLOPT_PROTOCOLS_STR, "http,https");
#else
	a->lib.curl_easy_setopt(a->curl, CURLOPT_PROTOCOLS,
				(long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
	a->lib.curl_easy_setopt(a->curl, CURLOPT_ACCEPT_ENCODING, ""); /* whatever curl can undo */
	a->lib.curl_easy_setopt(a->curl, CURLOPT_CONNECTTIMEOUT_MS,
				timeout_ms < 10000 ? timeout_ms : 10000L);
	a->lib.curl_easy_setopt(a->curl, CURLOPT_TIMEOUT_MS, timeout_ms);
	a->lib.curl_easy_setopt(a->curl, CURLOPT_ERRORBUFFER, a->problem);
	a->lib.curl_easy_setopt(a->curl, CURLOPT_WRITEFUNCTION, on_bytes);
	a->lib.curl_easy_setopt(a->curl, CURLOPT_USERAGENT, "lode");
	if (a->headers)
		a->lib.curl_easy_setopt(a->curl, CURLOPT_HTTPHEADER, a->headers);
}

/* A series without a name is called by what was asked; of a long query the beginning and which
   one it was. */
static void name_series(char *name, size_t size, const char *query, size_t number)
{
	if (strlen(query) < size)
		snprintf(name, size, "%s", query);
	else
		snprintf(name, size, "%.*s... #%zu", (int)size - 32, query, number + 1);
}

static int ask_all(struct asking *a, struct lode_error *err)
{
	const struct lode_prometheus_query *q = a->query;
	int64_t span = (points_per_request - 1) * q->step_ns;
	char name[160];
	int rc = LODE_OK;

	for (size_t i = 0; i < q->queries.n && rc == LODE_OK; i++) {
		uint64_t n_before = a->reader->facts->n_rows;

		name_series(name, sizeof(name), q->queries.at[i], i);
		a->reader->unnamed = name;
		for (int64_t t = q->start_ns; t <= q->end_ns && rc == LODE_OK;
		     t += span + q->step_ns)
			rc = ask(a, q->queries.at[i], t,
				 t + span < q->end_ns ? t + span : q->end_ns, err);
		if (rc == LODE_OK && a->reader->facts->n_rows == n_before)
			lode_loss_add(lode_counter_log_losses(a->reader->log), LODE_LOSS_BAD_RECORD,
				      1, -1, a->reader->last_ns,
				      "%s: nothing in that time for %.60s", q->shown, name);
	}
	a->reader->unnamed = NULL;
	if (rc < 0 && a->reader->facts->n_rows) { /* what came before is good */
		lode_loss_add(lode_counter_log_losses(a->reader->log), LODE_LOSS_TRUNCATED, 1, -1,
			      a->reader->last_ns, "%s: %s", q->shown, err->message);
		rc = LODE_OK;
	}
	return rc;
}

int lode_counter_read_prometheus(struct lode_counter_reader *reader, const char *text,
				 struct lode_error *err)
{
	struct lode_prometheus_query query;
	struct asking a = {.reader = reader, .query = &query};
	int rc;

	reader->facts->format = "Prometheus";
	rc = lode_prometheus_parse(&query, text, lode_clock_ns(CLOCK_REALTIME), err);
	if (rc < 0)
		return rc;
	a.curl = NULL;
	if ((query.end_ns - query.start_ns) / query.step_ns > max_points)
		rc = lode_fail(err, LODE_ERR_LIMIT, query.shown, -1,
			       "there are more than %lld steps from start to end",
			       (long long)max_points);
	if (rc == LODE_OK)
		rc = LODE_LATE_OPEN(&a.lib, CURL_FUNCTIONS, "libcurl.so.4", err);
	if (rc != LODE_OK) {
		lode_prometheus_release(&query);
		return rc;
	}
	rc = set_headers(&a, err);
	if (rc == LODE_OK) {
		a.curl = a.lib.curl_easy_init();
		if (!a.curl)
			lode_oom(0);
		set_options(&a);
		rc = ask_all(&a, err);
	}
	a.lib.curl_slist_free_all(a.headers);
	if (a.curl)
		a.lib.curl_easy_cleanup(a.curl);
	lode_prometheus_release(&query);
	return rc;
}

#endif
