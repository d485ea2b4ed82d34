/* Makes a request of one line's fields. */
#include "input/formats/log/log_request.h"

#include "base/decimal.h"
#include "base/duration.h"

static const int64_t ns_per_s = 1000000000, ns_per_ms = 1000000;

/* "-" or nothing: the writer had nothing to say. */
static bool is_absent(const struct lode_slice *span)
{
	return !span->at || span->len == 0 || (span->len == 1 && *span->at == '-');
}

/* A number in its unit; without one, "12ms" says it, and a fraction means seconds. */
static bool parse_plain_duration(int64_t *out_ns, const char *text, size_t len, int64_t unit_ns)
{
	char copy[40];

	if (unit_ns && lode_log_decimal(out_ns, text, len, unit_ns))
		return true;
	if (!unit_ns && memchr(text, '.', len) && lode_log_decimal(out_ns, text, len, ns_per_s))
		return true;
	if (len >= sizeof(copy) || !len || lode_is_digit(text[len - 1]))
		return false;
	memcpy(copy, text, len);
	copy[len] = '\0';
	return lode_duration_parse(out_ns, copy);
}

/* The same of a number with separators of thousands or a decimal comma. */
static inline bool parse_duration(int64_t *out_ns, const struct lode_slice *text, int64_t unit_ns,
				  enum lode_comma comma)
{
	char plain[LODE_WRITTEN_BYTES];

	return parse_plain_duration(out_ns, text->at, text->len, unit_ns) ||
	       (!lode_written_plain(plain, text->at, text->len, comma) &&
		parse_plain_duration(out_ns, plain, strlen(plain), unit_ns));
}

static bool is_decimal_comma(const char *at, const char *end, enum lode_comma comma)
{
	return comma == LODE_COMMA_DECIMAL && at + 1 < end && lode_is_digit(at[1]);
}

/*
 * "0.005", "0.1, 0.2 : 0.3", "-": servers asked one after another, so their times add up. Unknown
 * when no server was asked, or when one of the numbers is none.
 */
static int64_t parse_upstream(const struct lode_slice *span, int64_t unit_ns, enum lode_comma comma)
{
	const char *p = span->at, *end = p + span->len;
	int64_t sum = LODE_UPSTREAM_UNKNOWN, one;

	if (is_absent(span))
		return sum;
	while (p < end) {
		const char *stop = p;

		while (stop < end && *stop != ' ' &&
		       (*stop != ',' || is_decimal_comma(stop, end, comma)))
			stop++;
		if (stop - p != 1 || *p != '-') {
			struct lode_slice number = {p, (size_t)(stop - p)};

			if (!parse_duration(&one, &number, unit_ns, comma) ||
			    one > INT64_MAX / 16 || sum > INT64_MAX / 16)
				return LODE_UPSTREAM_UNKNOWN;
			sum = (sum < 0 ? 0 : sum) + one;
		}
		for (p = stop; p < end && (*p == ',' || *p == ' ' || *p == ':'); p++)
			;
	}
	return sum;
}

/* HAProxy: TR/Tw/Tc/Tr/Ta in ms, -1 for what was never reached, "+" before Ta that is not final. */
static bool parse_timers(const struct lode_slice *span, int64_t *response_ns, int64_t *upstream_ns)
{
	int64_t value[5] = {-1, -1, -1, -1, -1}, upstream = -1;
	const char *p = span->at, *end = p + span->len;

	for (int i = 0; i < 5; i++) {
		const char *stop = memchr(p, '/', (size_t)(end - p));
		size_t len = (size_t)((stop ? stop : end) - p);

		if (len && *p == '+') {
			p++;
			len--;
		}
		if (!(len == 2 && p[0] == '-' && p[1] == '1') &&
		    !lode_log_decimal(&value[i], p, len, ns_per_ms))
			return false;
		if (!stop && i < 4)
			return false;
		p = stop ? stop + 1 : end;
	}
	for (int i = 1; i < 4; i++) /* queue, connection, answer: what the servers are behind */
		if (value[i] >= 0)
			upstream = (upstream < 0 ? 0 : upstream) + value[i];
	*response_ns = value[4];
	*upstream_ns = upstream < 0 ? LODE_UPSTREAM_UNKNOWN : upstream;
	return true;
}

static bool parse_time_log_request(struct lode_log_request *out, struct lode_log_clock *clock,
				   const struct lode_log_units *units,
				   const struct lode_slice *spans)
{
	struct lode_log_time time;
	int64_t fraction;
	const struct lode_slice *fine = &spans[LODE_LOG_FINE_TIME], *t = &spans[LODE_LOG_TIME];

	if (!is_absent(fine) && lode_log_time_parse(&time, clock, fine->at, fine->len))
		;
	else if (is_absent(t))
		return false;
	else if (!is_absent(&spans[LODE_LOG_DATE]) &&
		 lode_log_time_join(&time, spans[LODE_LOG_DATE].at, spans[LODE_LOG_DATE].len, t->at,
				    t->len))
		time.has_zone = true; /* W3C logs are in UTC */
	else if (!lode_log_time_parse(&time, clock, t->at, t->len))
		return false;
	if (spans[LODE_LOG_FRACTION].at && units->fraction_ns) {
		if (!lode_log_decimal(&fraction, spans[LODE_LOG_FRACTION].at,
				      spans[LODE_LOG_FRACTION].len, units->fraction_ns))
			return false;
		time.ns += fraction;
	}
	out->request.end_ns = time.ns;
	out->has_zone = time.has_zone;
	out->is_start = units->is_start;
	return true;
}

/* "GET /path HTTP/1.1"; a request that is none (a scan, TLS on a plain port) is all URL. */
static void parse_request(struct lode_log_request *out, const struct lode_slice *span)
{
	const char *end = span->at + span->len;
	const char *space = memchr(span->at, ' ', span->len), *protocol;

	out->url = *span;
	if (!space || space == span->at)
		return;
	out->method = (struct lode_slice){span->at, (size_t)(space - span->at)};
	protocol = memrchr(space + 1, ' ', (size_t)(end - space - 1));
	out->url.at = space + 1;
	out->url.len = (size_t)((protocol ? protocol : end) - space - 1);
}

static uint16_t parse_status(const struct lode_slice *span)
{
	int32_t value;

	return lode_int32_parse(&value, span->at, span->len) && value > 0 && value < 1000
		       ? (uint16_t)value
		       : 0;
}

static bool has_odd_comma(const struct lode_slice *number, enum lode_comma comma)
{
	char plain[LODE_WRITTEN_BYTES];

	return memchr(number->at, ',', number->len) &&
	       lode_written_plain(plain, number->at, number->len, comma);
}

enum lode_log_verdict lode_log_request_parse(struct lode_log_request *out,
					     struct lode_log_clock *clock,
					     const struct lode_log_units *units,
					     enum lode_comma comma,
					     const struct lode_slice spans[LODE_N_LOG_ROLES])
{
	const struct lode_slice *response = &spans[LODE_LOG_RESPONSE],
				*time = &spans[LODE_LOG_TIME];
	struct lode_request *request = &out->request;

	memset(out, 0, sizeof(*out));
	request->upstream_ns = parse_upstream(&spans[LODE_LOG_UPSTREAM], units->upstream_ns, comma);
	if (spans[LODE_LOG_TIMERS].at) {
		if (!parse_timers(&spans[LODE_LOG_TIMERS], &request->response_ns,
				  &request->upstream_ns))
			return LODE_LOG_BAD_RESPONSE;
		if (request->response_ns < 0)
			return LODE_LOG_NO_RESPONSE;
	} else if (is_absent(response)) {
		return response->at ? LODE_LOG_NO_RESPONSE : LODE_LOG_BAD_LINE;
	} else if (!parse_duration(&request->response_ns, response, units->response_ns, comma)) {
		return has_odd_comma(response, comma) ? LODE_LOG_BAD_COMMA : LODE_LOG_BAD_RESPONSE;
	}
	if (!parse_time_log_request(out, clock, units, spans))
		return time->at && lode_log_time_is_ambiguous(time->at, time->len)
			       ? LODE_LOG_BAD_DATE
			       : LODE_LOG_BAD_TIME;
	out->is_start |= spans[LODE_LOG_TIMERS].at != NULL;
	if (out->is_start &&
	    __builtin_add_overflow(request->end_ns, request->response_ns, &request->end_ns))
		return LODE_LOG_BAD_RESPONSE;
	if (spans[LODE_LOG_REQUEST].at)
		parse_request(out, &spans[LODE_LOG_REQUEST]);
	if (spans[LODE_LOG_URL].at)
		out->url = spans[LODE_LOG_URL];
	if (spans[LODE_LOG_METHOD].at)
		out->method = spans[LODE_LOG_METHOD];
	if (!is_absent(&spans[LODE_LOG_USER]))
		out->user = spans[LODE_LOG_USER];
	request->status = parse_status(&spans[LODE_LOG_STATUS]);
	return LODE_LOG_IS_REQUEST;
}

const char *lode_log_verdict_words(enum lode_log_verdict verdict)
{
	switch (verdict) {
	case LODE_LOG_BAD_TIME:
	case LODE_LOG_BAD_DATE:
		return lode_log_time_fault(verdict == LODE_LOG_BAD_DATE);
	case LODE_LOG_BAD_COMMA:
		return "has a response time whose points or commas are not as in the log's other "
		       "numbers, or that is not a number";
	case LODE_LOG_BAD_RESPONSE:
		return "has no response time (a whole number needs its unit, as in --fields "
		       "'response=took:ms')";
	case LODE_LOG_BAD_LINE:
		return "does not match the log format";
	default:
		return "is a request";
	}
}
