/* Parses Prometheus queries as users write them. */
#include "input/formats/counters/prometheus_query.h"

#include "base/ascii.h"
#include "base/duration.h"
#include "base/log_time.h"

static const char endpoint[] = "/api/v1/query_range";
static const int64_t ns_per_s = 1000000000;

/* LIMIT: of one answer; a larger one is an error. `limit=` in the query sets another. */
static const int64_t default_max_bytes = (int64_t)1 << 30;

bool lode_prometheus_is(const char *text)
{
	return strncmp(text, LODE_PROMETHEUS_PREFIX, strlen(LODE_PROMETHEUS_PREFIX)) == 0;
}

static char *copy_prometheus_query(const char *text, size_t len)
{
	char *to = lode_alloc(len + 1);

	memcpy(to, text, len);
	to[len] = '\0';
	return to;
}

static char *concat(const char *a, size_t a_len, const char *b)
{
	size_t b_len = strlen(b);
	char *to = lode_alloc(a_len + b_len + 1);

	memcpy(to, a, a_len);
	memcpy(to + a_len, b, b_len + 1);
	return to;
}

/* %XX becomes its byte, anything else stays as it is: queries may be written plainly. */
static void unescape_percent(char *text)
{
	char *to = text;

	for (const char *p = text; *p; p++) {
		if (*p == '%' && lode_hex_digit(p[1]) >= 0 && lode_hex_digit(p[2]) >= 0 &&
		    (p[1] != '0' || p[2] != '0')) {
			*to++ = (char)(lode_hex_digit(p[1]) * 16 + lode_hex_digit(p[2]));
			p += 2;
		} else {
			*to++ = *p;
		}
	}
	*to = '\0';
}

static int bad(struct lode_error *err, const char *key, const char *value, const char *wanted)
{
	return lode_fail(err, LODE_ERR_ARG, NULL, -1, "prometheus: '%.40s=%.60s' is not %s", key,
			 value, wanted);
}

/* Prometheus' own bare numbers are seconds. */
static bool parse_duration(int64_t *out_ns, const char *text)
{
	if (*text && strspn(text, "0123456789.") == strlen(text))
		return lode_log_decimal(out_ns, text, strlen(text), ns_per_s);
	return lode_duration_parse(out_ns, text);
}

/* "now", "now-6h", epoch seconds or ISO 8601. */
static bool parse_time_prometheus_query(int64_t *out_ns, const char *text, int64_t now_ns)
{
	struct lode_log_clock clock = {0};
	struct lode_log_zone zone = {0};
	struct lode_log_time time;
	int64_t back = 0;

	if (strncmp(text, "now", 3) == 0) {
		if (text[3] && (text[3] != '-' || !parse_duration(&back, text + 4)))
			return false;
		*out_ns = now_ns - back;
		return *out_ns >= 0;
	}
	if (!lode_log_time_parse(&time, &clock, text, strlen(text)))
		return false;
	*out_ns = time.has_zone ? time.ns : lode_log_zone_utc(&zone, time.ns, INT64_MIN);
	return *out_ns >= 0;
}

/* `value` is the caller's until the query takes it. */
static int take_parameter(struct lode_prometheus_query *q, const char *key, char **value,
			  int64_t now_ns, struct lode_error *err)
{
	if (strcmp(key, "query") == 0) {
		if (!**value)
			return bad(err, key, *value, "a query");
		lode_vec_append(&q->queries, *value);
		*value = NULL;
	} else if (strcmp(key, "start") == 0) {
		if (!parse_time_prometheus_query(&q->start_ns, *value, now_ns))
			return bad(err, key, *value,
				   "a time: now-6h, 1795233864, "
				   "2026-11-21T04:04:24Z");
	} else if (strcmp(key, "end") == 0) {
		if (!parse_time_prometheus_query(&q->end_ns, *value, now_ns))
			return bad(err, key, *value,
				   "a time: now, 1795233864, "
				   "2026-11-21T04:04:24Z");
	} else if (strcmp(key, "step") == 0) {
		if (!parse_duration(&q->step_ns, *value) || q->step_ns < ns_per_s / 1000)
			return bad(err, key, *value, "a duration of 1 ms or more, such as 15s");
	} else if (strcmp(key, "timeout") == 0) {
		if (!parse_duration(&q->timeout_ns, *value) || q->timeout_ns < ns_per_s / 1000)
			return bad(err, key, *value, "a duration of 1 ms or more, such as 30s");
	} else if (strcmp(key, "limit") == 0) {
		if (!lode_log_decimal(&q->max_bytes, *value, strlen(*value), 1) || !q->max_bytes)
			return bad(err, key, *value, "a number of bytes");
	} else if (strcmp(key, "header-file") == 0) {
		free(q->header_file);
		q->header_file = *value;
		*value = NULL;
	} else {
		return 1;
	}
	return LODE_OK;
}

static int take_parameters(struct lode_prometheus_query *q, const char *text, int64_t now_ns,
			   struct lode_error *err)
{
	while (*text) {
		size_t len = strcspn(text, "&"), key_len = strcspn(text, "=&");
		char *key = copy_prometheus_query(text, key_len), *value;
		int rc;

		value = key_len < len ? copy_prometheus_query(text + key_len + 1, len - key_len - 1)
				      : lode_strdup("");
		unescape_percent(value);
		rc = take_parameter(q, key, &value, now_ns, err);
		free(key);
		free(value);
		if (rc < 0)
			return rc;
		if (rc > 0 && len) {
			char *part = copy_prometheus_query(text, len), *with = concat("&", 1, part),
			     *all;

			all = concat(q->others, strlen(q->others), with);
			free(q->others);
			free(with);
			free(part);
			q->others = all;
		}
		text += len + (text[len] == '&');
	}
	return LODE_OK;
}

/* Without "user:password@". */
static char *without_user(const char *url)
{
	const char *host = strstr(url, "://") + 3, *end = host + strcspn(host, "/");
	const char *at = memrchr(host, '@', (size_t)(end - host));

	return at ? concat(url, (size_t)(host - url), at + 1) : lode_strdup(url);
}

static void set_url(struct lode_prometheus_query *q, const char *url, size_t len)
{
	while (len && url[len - 1] == '/')
		len--;
	if (len >= strlen(endpoint) &&
	    memcmp(url + len - strlen(endpoint), endpoint, strlen(endpoint)) == 0)
		q->url = copy_prometheus_query(url, len);
	else
		q->url = concat(url, len, endpoint);
	q->shown = without_user(q->url);
}

int lode_prometheus_parse(struct lode_prometheus_query *out, const char *text, int64_t now_ns,
			  struct lode_error *err)
{
	const char *url = text + strlen(LODE_PROMETHEUS_PREFIX);
	size_t len = strcspn(url, "?"), host;
	int rc;

	*out = (struct lode_prometheus_query){.start_ns = -1,
					      .end_ns = now_ns,
					      .step_ns = 15 * ns_per_s,
					      .timeout_ns = 60 * ns_per_s,
					      .max_bytes = default_max_bytes,
					      .others = lode_strdup("")};
	host = strncmp(url, "http://", 7) == 0 ? 7 : strncmp(url, "https://", 8) == 0 ? 8 : len;
	if (host >= len || url[host] == '/' || memchr(url, '#', len)) {
		rc = lode_fail(err, LODE_ERR_ARG, NULL, -1,
			       "prometheus: the address must begin with http:// or https://");
		goto out;
	}
	set_url(out, url, len);
	rc = take_parameters(out, url[len] ? url + len + 1 : "", now_ns, err);
	if (rc < 0)
		goto out;
	if (!out->queries.n)
		rc = lode_fail(err, LODE_ERR_ARG, NULL, -1,
			       "prometheus: give a query: ...?query=EXPRESSION&start=now-6h");
	else if (out->start_ns < 0)
		rc = lode_fail(err, LODE_ERR_ARG, NULL, -1,
			       "prometheus: give a start: ...&start=now-6h");
	else if (out->start_ns > out->end_ns)
		rc = lode_fail(err, LODE_ERR_ARG, NULL, -1,
			       "prometheus: the start is after the end");
out:
	if (rc < 0)
		lode_prometheus_release(out);
	return rc;
}

void lode_prometheus_release(struct lode_prometheus_query *q)
{
	free(q->url);
	free(q->shown);
	lode_vec_release_each(&q->queries, it, free(*it));
	free(q->others);
	free(q->header_file);
	*q = (struct lode_prometheus_query){0};
}
