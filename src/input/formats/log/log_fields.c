/* Interprets the fields of a request log's line. */
#include "input/formats/log/log_fields.h"

#include <stdio.h>
#include <strings.h>

static const int64_t ns_per_s = 1000000000, ns_per_ms = 1000000, ns_per_us = 1000;

struct known {
	const char *name;
	struct lode_log_meaning meaning;
};

/* Names that servers and frameworks give to their fields, in any case. */
static const struct known names[] = {
	{"time", {LODE_LOG_TIME, 0, false}},
	{"timestamp", {LODE_LOG_TIME, 0, false}},
	{"@timestamp", {LODE_LOG_TIME, 0, false}},
	{"ts", {LODE_LOG_TIME, 0, false}},
	{"datetime", {LODE_LOG_TIME, 0, false}},
	{"time_local", {LODE_LOG_TIME, 0, false}},
	{"time_iso8601", {LODE_LOG_TIME, 0, false}},
	{"end", {LODE_LOG_TIME, 0, false}},
	{"end_time", {LODE_LOG_TIME, 0, false}},
	{"msec", {LODE_LOG_FINE_TIME, 0, false}},
	{"start", {LODE_LOG_TIME, 0, true}},
	{"start_time", {LODE_LOG_TIME, 0, true}},
	{"startutc", {LODE_LOG_TIME, 0, true}},
	{"date", {LODE_LOG_DATE, 0, false}},
	{"request_time", {LODE_LOG_RESPONSE, ns_per_s, false}},
	{"time-taken", {LODE_LOG_RESPONSE, 0, false}},
	{"response_time", {LODE_LOG_RESPONSE, 0, false}},
	{"response", {LODE_LOG_RESPONSE, 0, false}},
	{"time_taken", {LODE_LOG_RESPONSE, 0, false}},
	{"total_time", {LODE_LOG_RESPONSE, 0, false}},
	{"responsetime", {LODE_LOG_RESPONSE, 0, false}},
	{"duration", {LODE_LOG_RESPONSE, 0, false}},
	{"elapsed", {LODE_LOG_RESPONSE, 0, false}},
	{"latency", {LODE_LOG_RESPONSE, 0, false}},
	{"took", {LODE_LOG_RESPONSE, 0, false}},
	{"rt", {LODE_LOG_RESPONSE, 0, false}},
	{"upstream_response_time", {LODE_LOG_UPSTREAM, ns_per_s, false}},
	{"upstream_time", {LODE_LOG_UPSTREAM, 0, false}},
	{"upstream_service_time", {LODE_LOG_UPSTREAM, ns_per_ms, false}},
	{"originduration", {LODE_LOG_UPSTREAM, 1, false}},
	{"urt", {LODE_LOG_UPSTREAM, 0, false}},
	{"request", {LODE_LOG_REQUEST, 0, false}},
	{"method", {LODE_LOG_METHOD, 0, false}},
	{"request_method", {LODE_LOG_METHOD, 0, false}},
	{"requestmethod", {LODE_LOG_METHOD, 0, false}},
	{"cs-method", {LODE_LOG_METHOD, 0, false}},
	{"url", {LODE_LOG_URL, 0, false}},
	{"uri", {LODE_LOG_URL, 0, false}},
	{"path", {LODE_LOG_URL, 0, false}},
	{"action", {LODE_LOG_URL, 0, false}},
	{"route", {LODE_LOG_URL, 0, false}},
	{"request_uri", {LODE_LOG_URL, 0, false}},
	{"requesturl", {LODE_LOG_URL, 0, false}},
	{"requestpath", {LODE_LOG_URL, 0, false}},
	{"cs-uri-stem", {LODE_LOG_URL, 0, false}},
	{"status", {LODE_LOG_STATUS, 0, false}},
	{"status_code", {LODE_LOG_STATUS, 0, false}},
	{"code", {LODE_LOG_STATUS, 0, false}},
	{"response_code", {LODE_LOG_STATUS, 0, false}},
	{"downstreamstatus", {LODE_LOG_STATUS, 0, false}},
	{"sc-status", {LODE_LOG_STATUS, 0, false}},
	{"user", {LODE_LOG_USER, 0, false}},
	{"user_id", {LODE_LOG_USER, 0, false}},
	{"userid", {LODE_LOG_USER, 0, false}},
	{"remote_user", {LODE_LOG_USER, 0, false}},
	{"clientusername", {LODE_LOG_USER, 0, false}},
	{"cs-username", {LODE_LOG_USER, 0, false}},
};

/* Roles as the option `fields` names them. */
static const struct known roles[] = {
	{"time", {LODE_LOG_TIME, 0, false}},	     {"start", {LODE_LOG_TIME, 0, true}},
	{"response", {LODE_LOG_RESPONSE, 0, false}}, {"upstream", {LODE_LOG_UPSTREAM, 0, false}},
	{"request", {LODE_LOG_REQUEST, 0, false}},   {"method", {LODE_LOG_METHOD, 0, false}},
	{"action", {LODE_LOG_URL, 0, false}},	     {"status", {LODE_LOG_STATUS, 0, false}},
	{"user", {LODE_LOG_USER, 0, false}},
};

static const struct {
	const char *name;
	int64_t ns;
} units[] = {
	{"ns", 1}, {"us", ns_per_us}, {"ms", ns_per_ms}, {"s", ns_per_s}, {"sec", ns_per_s},
};

static bool is_name(const char *text, size_t len, const char *name)
{
	return strlen(name) == len && strncasecmp(text, name, len) == 0;
}

static int64_t unit_of(const char *text, size_t len)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (is_name(text, len, units[i].name))
			return units[i].ns;
	return 0;
}

static const struct lode_log_meaning *find_log_fields(const struct known *in, size_t n,
						      const char *name, size_t len)
{
	for (size_t i = 0; i < n; i++)
		if (is_name(name, len, in[i].name))
			return &in[i].meaning;
	return NULL;
}

struct lode_log_meaning lode_log_meaning_of(const char *name, size_t len)
{
	const struct lode_log_meaning *known;
	struct lode_log_meaning meaning = {0};
	size_t stem = len;

	known = find_log_fields(names, sizeof(names) / sizeof(names[0]), name, len);
	if (known)
		return *known;
	/* duration_ms, latency_us: the unit stands behind the name */
	while (stem && name[stem - 1] != '_')
		stem--;
	if (stem > 1 && unit_of(name + stem, len - stem)) {
		known = find_log_fields(names, sizeof(names) / sizeof(names[0]), name, stem - 1);
		if (known &&
		    (known->role == LODE_LOG_RESPONSE || known->role == LODE_LOG_UPSTREAM)) {
			meaning = *known;
			meaning.unit_ns = unit_of(name + stem, len - stem);
		}
	}
	return meaning;
}

/* One "role=field[:unit]" of the option: the next one, or false at its end. */
struct assignment {
	const char *role, *field, *unit;
	size_t role_len, field_len, unit_len;
	bool is_sound;
};

static bool next_assignment(const char **at, struct assignment *a)
{
	size_t len = strcspn(*at, ",");
	const char *text = *at, *equals = memchr(text, '=', len), *end = text + len;
	const char *colon;

	if (!*text)
		return false;
	*at = end + (*end == ',');
	memset(a, 0, sizeof(*a));
	a->role = text;
	a->role_len = equals ? (size_t)(equals - text) : len;
	if (!equals || equals + 1 == end)
		return true;
	a->field = equals + 1;
	colon = memrchr(a->field, ':', (size_t)(end - a->field));
	if (colon && unit_of(colon + 1, (size_t)(end - colon - 1))) {
		a->unit = colon + 1;
		a->unit_len = (size_t)(end - colon - 1);
		end = colon;
	}
	a->field_len = (size_t)(end - a->field);
	a->is_sound = a->field_len > 0 && find_log_fields(roles, sizeof(roles) / sizeof(roles[0]),
							  a->role, a->role_len) != NULL;
	return true;
}

struct lode_log_meaning lode_log_meaning_with(const char *fields, const char *name, size_t len)
{
	struct lode_log_meaning suggested = lode_log_meaning_of(name, len), meaning;
	struct assignment a;
	bool is_taken = false;

	for (const char *at = fields ? fields : ""; next_assignment(&at, &a);) {
		if (!a.is_sound)
			continue;
		meaning = *find_log_fields(roles, sizeof(roles) / sizeof(roles[0]), a.role,
					   a.role_len);
		if (a.field_len == len && memcmp(a.field, name, len) == 0) {
			if (a.unit)
				meaning.unit_ns = unit_of(a.unit, a.unit_len);
			else if (suggested.role == meaning.role)
				meaning.unit_ns = suggested.unit_ns;
			return meaning;
		}
		/* A role that the user gave to one field is no other's. */
		is_taken |=
			meaning.role == suggested.role ||
			(meaning.role == LODE_LOG_TIME && (suggested.role == LODE_LOG_FINE_TIME ||
							   suggested.role == LODE_LOG_DATE)) ||
			(meaning.role == LODE_LOG_URL && suggested.role == LODE_LOG_REQUEST);
	}
	if (is_taken)
		suggested = (struct lode_log_meaning){0};
	return suggested;
}

const char *lode_log_fields_misuse(const char *fields, char *buffer, size_t size)
{
	struct assignment a;

	for (const char *at = fields ? fields : ""; next_assignment(&at, &a);) {
		if (a.is_sound)
			continue;
		snprintf(buffer, size,
			 "'%.*s' is not a field mapping such as 'response=took:ms', with time, "
			 "start, response, upstream, request, method, action, status or user",
			 (int)(a.role_len > 60 ? 60 : a.role_len), a.role);
		return buffer;
	}
	return NULL;
}

void lode_log_units_add(struct lode_log_units *u, const struct lode_log_meaning *meaning)
{
	switch (meaning->role) {
	case LODE_LOG_RESPONSE:
		u->response_ns = meaning->unit_ns;
		break;
	case LODE_LOG_UPSTREAM:
		u->upstream_ns = meaning->unit_ns;
		break;
	case LODE_LOG_FRACTION:
		u->fraction_ns = meaning->unit_ns;
		break;
	case LODE_LOG_TIME:
	case LODE_LOG_FINE_TIME:
		u->is_start = meaning->is_start;
		break;
	default:
		break;
	}
}
