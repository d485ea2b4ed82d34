/*
 * What the fields of a request log mean, whatever the format: a line becomes one span of text per
 * role. Inside of input/formats/log only.
 */
#pragma once

#include <stdint.h>

#include "base/error.h"
#include "base/slice.h"

enum lode_log_role {
	LODE_LOG_NONE,	    /* of no use here */
	LODE_LOG_TIME,	    /* when it was answered, or began: see is_start */
	LODE_LOG_FINE_TIME, /* the same, finer: preferred */
	LODE_LOG_FRACTION,  /* what to add to the time */
	LODE_LOG_DATE,	    /* day, where the time of day is a field of its own (LODE_LOG_TIME) */
	LODE_LOG_RESPONSE,
	LODE_LOG_UPSTREAM,
	LODE_LOG_TIMERS,  /* HAProxy: TR/Tw/Tc/Tr/Ta in ms */
	LODE_LOG_REQUEST, /* "GET /path HTTP/1.1" */
	LODE_LOG_METHOD,
	LODE_LOG_URL,
	LODE_LOG_STATUS,
	LODE_LOG_USER,
	LODE_N_LOG_ROLES,
};

/* What a field means, and in which unit its numbers are. */
struct lode_log_meaning {
	enum lode_log_role role;
	int64_t unit_ns; /* of response, upstream, fraction; 0: known from the text */
	bool is_start;	 /* of a time: when the request began */
};

/* The meaning that a field's name suggests in JSON, tables and W3C logs; role NONE if it has none.
 */
struct lode_log_meaning lode_log_meaning_of(const char *name, size_t len);

/* As `fields` of struct lode_log_options says it: looks the name up there first. */
struct lode_log_meaning lode_log_meaning_with(const char *fields, const char *name, size_t len);
/* NULL, or what is wrong with `fields`, in `buffer`. */
const char *lode_log_fields_misuse(const char *fields, char *buffer, size_t size);

/* How the parts of a line are to be understood. */
struct lode_log_units {
	int64_t response_ns, upstream_ns, fraction_ns;
	bool is_start;
};
void lode_log_units_add(struct lode_log_units *units, const struct lode_log_meaning *meaning);
