/*
 * Times in logs, in files of counters and in questions -> ns since the epoch. Forms are known from
 * the text:
 *
 *   21/Nov/2026:04:04:24 +0000    Apache, nginx, HAProxy (may have a fraction, may lack the zone)
 *   2026-11-21T04:04:24.572Z      ISO 8601 (a space for the T, a comma for the dot, zone optional)
 *   28.11.2026 14:03:05           a dotted date: day, month, year
 *   28/11/2026 14:03:05           day or month first as the date shows, else as its file does
 *   05/11/2026 02:03:05 PM        else month first, as programs with clocks of 12 hours write it
 *   1795233864.572                since the epoch: s, ms, us or ns, known from the size
 */
#pragma once

#include "base/date_order.h"

/* A time as it was read; without a zone it is the wall clock's, as if that were UTC. */
struct lode_log_time {
	int64_t ns;
	bool has_zone;
};

/* The last second that was read: neighbouring lines mostly share it. `{ 0 }` is ready. */
struct lode_log_clock {
	enum lode_date_order order; /* of dates with slashes: as the file shows it */
	char text[32];
	size_t len;
	struct lode_log_time time;
};

/* False: not a time. */
bool lode_log_time_parse(struct lode_log_time *out, struct lode_log_clock *clock, const char *text,
			 size_t len);
/* A date with slashes that does not say whether day or month is first. */
bool lode_log_time_is_ambiguous(const char *text, size_t len);
/* What is wrong with such a date, or with what is no time, as words behind "line 7". */
const char *lode_log_time_fault(bool is_ambiguous);
/* Date and time of day in two texts (W3C): "2026-11-21", "04:04:24" or "04:04:24.572". */
bool lode_log_time_join(struct lode_log_time *out, const char *date, size_t date_len,
			const char *time, size_t time_len);

/*
 * A date that a user writes, in UTC: 2026, 2026-11, 2026-11-01, 2026-11-01T12 (or a blank for the
 * T), T12:30, T12:30:15, the last three with a Z or without. The time that it names is all of
 * [low, high), a year or a second. False: it is none between 1970 and 2260.
 */
bool lode_date_parse(int64_t *low_ns, int64_t *high_ns, const char *text);

/* A decimal number in units of `unit_ns`, exact to the ns below (with an exponent to the nearest);
   false if it is none, negative, or
   more than int64_t holds. */
bool lode_log_decimal(int64_t *out_ns, const char *text, size_t len, int64_t unit_ns);

/*
 * Wall clock -> UTC by the process' time zone (TZ). Of an hour that the clock passes twice the
 * first is meant, unless that lies more than 10 minutes before `near_ns`, the time of the line
 * before (INT64_MIN: there is none). `{ 0 }` is ready.
 */
struct lode_log_zone {
	int64_t quarter; /* of an hour: the one last asked for, since the epoch, + 1; 0: none */
	int64_t first_s, second_s; /* to add, for the first and the second pass */
};
int64_t lode_log_zone_utc(struct lode_log_zone *zone, int64_t wall_ns, int64_t near_ns);
