/*
 * What stands behind the common fields of a log's line: which of several times without a name is
 * the response time. Inside of input/formats/log only.
 *
 *   "0.320" "0.001" "0.318" "0.319"   request, connect, header and response time, in any order
 *
 * A part takes no longer than the whole: the response time is the one that is never below the
 * others (but for rounding), the upstream's the one that is never below the rest.
 */
#pragma once

#include "base/slice.h"

/* nginx joins the times of several servers by ", " and " : ": the blank at `p` is within a list. */
bool lode_log_is_within_list(const char *p, const char *start, const char *end);

/*
 * The tails of `n` lines, from the blank before their first field on -> the format of the first
 * one, with $request_time, $upstream_response_time and $msec in it, and what was chosen in `words`.
 * False: none of its fields is the response time, as `why` says.
 */
bool lode_log_tail_format(const struct lode_slice *tails, size_t n, char *format,
			  size_t format_size, char *words, size_t words_size, char *why,
			  size_t why_size);
