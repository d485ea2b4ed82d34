/*
 * One line's spans -> one request, but for the names. Inside of input/formats/log only.
 */
#pragma once

#include "model/requests.h"
#include "input/formats/log/log_fields.h"
#include "base/log_time.h"
#include "base/written_number.h"

enum lode_log_verdict {
	LODE_LOG_IS_REQUEST,
	LODE_LOG_NO_RESPONSE, /* "-": it was never answered, or not by a server that measures */
	LODE_LOG_BAD_TIME,
	LODE_LOG_BAD_DATE, /* with slashes */
	LODE_LOG_BAD_RESPONSE,
	LODE_LOG_BAD_COMMA, /* in a response time */
	LODE_LOG_BAD_LINE,  /* not of the log's layout at all */
};

/* Texts are spans of the line; `at` NULL: not there. */
struct lode_log_request {
	struct lode_request request; /* action and user are not set; end_ns may be without a zone */
	bool has_zone;		     /* else end_ns is a wall clock's */
	bool is_start;		     /* the log has the start; end_ns is the end all the same */
	struct lode_slice method, url, user;
};

enum lode_log_verdict lode_log_request_parse(struct lode_log_request *out,
					     struct lode_log_clock *clock,
					     const struct lode_log_units *units,
					     enum lode_comma comma,
					     const struct lode_slice spans[LODE_N_LOG_ROLES]);

const char *lode_log_verdict_words(enum lode_log_verdict verdict);
