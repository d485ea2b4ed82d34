/*
 * Requests on their way to the sink: those of a wrong time are dropped and named, real pauses stay.
 *
 *   1000 1001  [leap]  1002 1003        it comes back: wrong
 *   1000 1001  90000000 90000001        it stays: a pause, which is said
 *
 * A time that is more than a day from the one before it, and from all others so far, waits for the
 * next one. It is wrong when
 * that one is nearer to those before; the first of a log when the second and third agree with each
 * other and not with it; and the last one when those before it were within a day of each other. A
 * log whose requests are all days apart is a log of few requests, and stays as it is. Lines may
 * come in any order: what was wrong by these rules waits for the end of the log, and is right after
 * all when another time of the log is within a day of it; then it is delivered last.
 */
#pragma once

#include "model/requests.h"

struct lode_timed_request {
	struct lode_request request;
	int64_t line;
};

struct lode_request_day {
	int64_t first_ns, last_ns;
};

/* LIMIT: so many strays wait; with more of them no time is told to be wrong. */
enum { LODE_REQUEST_STRAYS = 1 << 16 };

/* `{ .sink, .path }` before; one per log. */
struct lode_request_times {
	const struct lode_request_sink *sink;
	const char *path;
	struct lode_timed_request held[2]; /* at most two: the first ones of a log, or one */
	unsigned n_held;
	int64_t last_ns, before_ns; /* of the last two that went on */
	uint64_t n_passed;	    /* that went on; of two at least, both of the above are there */
	struct lode_request_leaps leaps;
	LODE_VEC(struct lode_request) out;
	LODE_VEC(struct lode_timed_request) strays; /* that seem wrong */
	/* Of the days of those that went on: the first and the last time. */
	struct lode_map days;
	LODE_VEC(struct lode_request_day) at_days;
};

/*
 * Takes `n` requests, of lines `first_line` + line[i], and delivers what is known to be right.
 * Fails as the sink does.
 */
int lode_request_times_take(struct lode_request_times *times, const struct lode_request *at,
			    const uint32_t *line, size_t n, int64_t first_line,
			    struct lode_error *err);
/* The log has ended. */
int lode_request_times_end(struct lode_request_times *times, struct lode_error *err);
void lode_request_times_release(struct lode_request_times *times);
