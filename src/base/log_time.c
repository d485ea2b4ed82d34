/* Parses times of logs, counter files and questions. */
#include "base/log_time.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/decimal.h"

static const int64_t ns_per_s = 1000000000;
/* Lines of a log may be out of order by so much. */
static const int64_t unordered_ns = INT64_C(600) * 1000000000;

/* n digits at `text` as a number, or -1. */
static int digits(const char *text, size_t n)
{
	int value = 0;

	for (size_t i = 0; i < n; i++) {
		if (!lode_is_digit(text[i]))
			return -1;
		value = value * 10 + (text[i] - '0');
	}
	return value;
}

/* Days from 1970-01-01 to a day of the Gregorian calendar: years begin in March, so that the day
   that comes and goes is their last. Months and days beyond their ends carry over. */
static int64_t days_of(int year, int month, int day)
{
	int64_t y = month <= 2 ? year - 1 : year;
	int64_t m = month <= 2 ? month + 9 : month - 3;

	return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719468;
}

/* From 1970 to what int64_t holds in ns. */
static bool is_day(int year, int month, int day)
{
	return year >= 1970 && year <= 2260 && month >= 1 && month <= 12 && day >= 1 &&
	       day <= days_of(year, month + 1, 1) - days_of(year, month, 1);
}

static int scale_of(int64_t unit_ns)
{
	return unit_ns == ns_per_s ? 9 : unit_ns == 1000000 ? 6 : unit_ns == 1000 ? 3 : 0;
}

static inline bool parse_decimal(int64_t *out_ns, const char *text, size_t len, int64_t unit_ns,
				 bool may_be_comma)
{
	struct lode_decimal d;

	return len && lode_is_digit(*text) &&
	       lode_decimal_take(&d, text, len, may_be_comma) == len &&
	       lode_is_digit(text[len - 1]) &&
	       lode_decimal_scale(out_ns, &d, scale_of(unit_ns), d.has_exponent);
}

bool lode_log_decimal(int64_t *out_ns, const char *text, size_t len, int64_t unit_ns)
{
	return parse_decimal(out_ns, text, len, unit_ns, false);
}

/* "04:04:24" */
static bool parse_clock(int64_t *out_s, const char *t)
{
	int h = digits(t, 2), m = digits(t + 3, 2), s = digits(t + 6, 2);

	*out_s = h * 3600 + m * 60 + s;
	return t[2] == ':' && t[5] == ':' && h >= 0 && h < 24 && m >= 0 && m < 60 && s >= 0 &&
	       s <= 60;
}

static bool parse_month(int *out, const char *t)
{
	static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

	for (int i = 0; i < 12; i++)
		if (memcmp(names + (ptrdiff_t)3 * i, t, 3) == 0) {
			*out = i + 1;
			return true;
		}
	return false;
}

/* ".572": up to nine digits count, more are read over. Gives where it ends. */
static size_t parse_fraction(int64_t *out_ns, const char *text, size_t len, size_t at)
{
	int64_t scale = ns_per_s;

	*out_ns = 0;
	if (at + 1 >= len || (text[at] != '.' && text[at] != ',') || !lode_is_digit(text[at + 1]))
		return at;
	for (at++; at < len && lode_is_digit(text[at]); at++) {
		scale /= 10;
		*out_ns += scale * (text[at] - '0');
	}
	return at;
}

/* "", "Z", " +0000", "+01:00", " UTC": from `at` to the end. */
static bool parse_zone(int64_t *out_s, bool *has_zone, const char *text, size_t len, size_t at)
{
	int h, m;
	bool has_colon;

	*out_s = 0;
	while (at < len && text[at] == ' ')
		at++;
	*has_zone = at < len;
	if (at == len || (len - at == 1 && (text[at] == 'Z' || text[at] == 'z')) ||
	    (len - at == 3 && (!memcmp(text + at, "UTC", 3) || !memcmp(text + at, "GMT", 3))))
		return true;
	if (text[at] != '+' && text[at] != '-')
		return false;
	has_colon = len - at == 6 && text[at + 3] == ':';
	if (len - at != 5 && len - at != 3 && !has_colon)
		return false;
	h = digits(text + at + 1, 2);
	m = len - at == 3 ? 0 : digits(text + at + 3 + has_colon, 2);
	if (h < 0 || h > 15 || m < 0 || m > 59)
		return false;
	*out_s = (text[at] == '-' ? -1 : 1) * (h * 3600 + m * 60);
	return true;
}

/* " PM" behind a clock of 12 hours, which becomes one of 24; without it nothing changes. Gives
   where it ends; 0: the hour is none of 1 to 12. */
static size_t parse_half(int64_t *clock_s, const char *text, size_t len, size_t at)
{
	size_t blank = at < len && text[at] == ' ';
	const char *half = text + at + blank;
	int64_t hour = *clock_s / 3600;

	if (len < at + blank + 2 || (half[1] | 0x20) != 'm' ||
	    ((half[0] | 0x20) != 'a' && (half[0] | 0x20) != 'p'))
		return at;
	if (hour < 1 || hour > 12)
		return 0;
	*clock_s += ((half[0] | 0x20) == 'p' ? 12 : 0) * 3600 - (hour == 12 ? 12 * 3600 : 0);
	return at + blank + 2;
}

static bool finish_log_time(struct lode_log_time *out, int64_t days, int64_t clock_s,
			    const char *text, size_t len, size_t at)
{
	int64_t fraction_ns, zone_s;

	at = parse_half(&clock_s, text, len, parse_fraction(&fraction_ns, text, len, at));
	if (!at)
		return false;
	if (!parse_zone(&zone_s, &out->has_zone, text, len, at))
		return false;
	out->ns = (days * 86400 + clock_s - zone_s) * ns_per_s + fraction_ns;
	return true;
}

/* "21/Nov/2026:04:04:24 +0000" */
static bool parse_common(struct lode_log_time *out, const char *t, size_t len)
{
	int day, month, year;
	int64_t clock_s;

	if (len < 20 || t[2] != '/' || t[6] != '/' || t[11] != ':')
		return false;
	day = digits(t, 2);
	year = digits(t + 7, 4);
	return parse_month(&month, t + 3) && is_day(year, month, day) &&
	       parse_clock(&clock_s, t + 12) &&
	       finish_log_time(out, days_of(year, month, day), clock_s, t, len, 20);
}

static bool parse_date(int64_t *days, const char *t, size_t len)
{
	int year, month, day;

	if (len < 10 || (t[4] != '-' && t[4] != '/') || t[7] != t[4])
		return false;
	year = digits(t, 4);
	month = digits(t + 5, 2);
	day = digits(t + 8, 2);
	*days = is_day(year, month, day) ? days_of(year, month, day) : 0;
	return is_day(year, month, day);
}

static bool parse_iso(struct lode_log_time *out, const char *t, size_t len)
{
	int64_t days, clock_s;

	return len >= 19 && (t[10] == 'T' || t[10] == ' ' || t[10] == 't') &&
	       parse_date(&days, t, len) && parse_clock(&clock_s, t + 11) &&
	       finish_log_time(out, days, clock_s, t, len, 19);
}

/* One or two digits, and `end` behind them. */
static bool parse_short(int *out, const char *t, size_t len, size_t *at, char end)
{
	size_t n = 0;

	while (n < 2 && *at + n < len && lode_is_digit(t[*at + n]))
		n++;
	*out = n ? digits(t + *at, n) : -1;
	*at += n;
	return n && *at < len && t[(*at)++] == end;
}

/* Is there a clock of 12 hours at `at`, behind the minutes or seconds? */
static bool has_half(const char *t, size_t len, size_t at)
{
	int64_t clock_s = 3600, fraction_ns;
	size_t end = parse_fraction(&fraction_ns, t, len, at);

	return parse_half(&clock_s, t, len, end) > end;
}

/* " 14:03", ":05" perhaps behind it. Gives where it ends; 0: it is none. */
static size_t parse_short_clock(int64_t *out_s, const char *t, size_t len, size_t at)
{
	int hour, minute, second = 0;

	at += at < len && t[at] == ',';
	if (at >= len || (t[at] != ' ' && t[at] != 'T'))
		return 0;
	at++;
	if (!parse_short(&hour, t, len, &at, ':') || len < at + 2)
		return 0;
	minute = digits(t + at, 2);
	at += 2;
	if (len >= at + 3 && t[at] == ':') {
		second = digits(t + at + 1, 2);
		at += 3;
	}
	*out_s = hour * 3600 + minute * 60 + second;
	return hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60 ? 0 : at;
}

/* "28.11.2026 14:03:05", "11/28/2026 02:03:05 PM" */
static bool parse_short_date(struct lode_log_time *out, enum lode_date_order order, const char *t,
			     size_t len)
{
	int first, second, year;
	size_t at = lode_date_slashed(&first, &second, t, len), end;
	bool is_dotted = !at;
	int64_t clock_s;

	if (is_dotted && (!parse_short(&first, t, len, &at, '.') ||
			  !parse_short(&second, t, len, &at, '.') || len < at + 4))
		return false;
	year = digits(t + at, 4);
	end = parse_short_clock(&clock_s, t, len, at + 4);
	if (!end)
		return false;
	if (is_dotted)
		order = LODE_DATE_DAY_FIRST;
	else if (lode_date_order_of(first, second))
		order = lode_date_order_of(first, second);
	else if (!order && has_half(t, len, end))
		order = LODE_DATE_MONTH_FIRST;
	if (order == LODE_DATE_DAY_FIRST) {
		int day = first;

		first = second;
		second = day;
	}
	return order && is_day(year, first, second) &&
	       finish_log_time(out, days_of(year, first, second), clock_s, t, len, end);
}

bool lode_log_time_is_ambiguous(const char *text, size_t len)
{
	int first, second;

	return lode_date_slashed(&first, &second, text, len) && !lode_date_order_of(first, second);
}

const char *lode_log_time_fault(bool is_ambiguous)
{
	return is_ambiguous ? "has a date with slashes, and no date of the file shows whether day "
			      "or month is first; write YYYY-MM-DD"
			    : "has no time in a known format";
}

/* Between 1973 and 2286 the number of digits tells the unit. */
static bool parse_epoch(struct lode_log_time *out, const char *t, size_t len)
{
	size_t n = 0;
	int64_t unit = 0;

	while (n < len && lode_is_digit(t[n]))
		n++;
	if (n >= 9 && n <= 10)
		unit = ns_per_s;
	else if (n >= 12 && n <= 13)
		unit = 1000000;
	else if (n >= 15 && n <= 16)
		unit = 1000;
	else if (n >= 18 && n <= 19)
		unit = 1;
	out->has_zone = true;
	return unit && parse_decimal(&out->ns, t, len, unit, true);
}

bool lode_log_time_parse(struct lode_log_time *out, struct lode_log_clock *clock, const char *text,
			 size_t len)
{
	bool ok;

	if (len >= 2 && text[0] == '[' && text[len - 1] == ']') {
		text++;
		len -= 2;
	}
	if (len && len == clock->len && memcmp(clock->text, text, len) == 0) {
		*out = clock->time;
		return true;
	}
	ok = parse_common(out, text, len) || parse_iso(out, text, len) ||
	     parse_epoch(out, text, len) || parse_short_date(out, clock->order, text, len);
	if (ok && len <= sizeof(clock->text)) {
		memcpy(clock->text, text, len);
		clock->len = len;
		clock->time = *out;
	}
	return ok;
}

bool lode_log_time_join(struct lode_log_time *out, const char *date, size_t date_len,
			const char *time, size_t time_len)
{
	int64_t days, clock_s;

	return date_len == 10 && parse_date(&days, date, date_len) && time_len >= 8 &&
	       parse_clock(&clock_s, time) &&
	       finish_log_time(out, days, clock_s, time, time_len, 8);
}

/* Parts beyond their ends carry over. */
static int64_t ns_of_parts(const int *parts)
{
	int64_t hours = days_of(parts[0], parts[1], parts[2]) * 24 + parts[3];

	return ((hours * 60 + parts[4]) * 60 + parts[5]) * ns_per_s;
}

bool lode_date_parse(int64_t *low_ns, int64_t *high_ns, const char *text)
{
	static const char before[] = "\0--T::";
	int parts[6] = {0, 1, 1}, n = 0;

	for (; n < 6 && *text && *text != 'Z'; n++) {
		size_t width = n ? 2 : 4;

		if (n && *text != before[n] && !(n == 3 && *text == ' '))
			return false;
		text += n > 0;
		parts[n] = digits(text, width);
		if (parts[n] < 0)
			return false;
		text += width;
	}
	text += n >= 4 && *text == 'Z';
	if (*text || !is_day(parts[0], parts[1], parts[2]) || parts[3] > 23 || parts[4] > 59 ||
	    parts[5] > 59)
		return false;
	*low_ns = ns_of_parts(parts);
	parts[n - 1]++;
	*high_ns = ns_of_parts(parts);
	return true;
}

/* What to add to a wall clock's second to have UTC, if the clock was on that side of a change. */
static bool offset_of(int64_t *out_s, int64_t wall_s, int is_dst)
{
	time_t as_utc = (time_t)wall_s, utc;
	struct tm wall, tm, back;

	if (!gmtime_r(&as_utc, &wall))
		return false;
	tm = wall;
	tm.tm_isdst = is_dst;
	utc = mktime(&tm);
	*out_s = (int64_t)utc - wall_s;
	/* mktime gives something for any wish: is it this hour again? */
	return localtime_r(&utc, &back) && back.tm_hour == wall.tm_hour &&
	       back.tm_min == wall.tm_min && back.tm_mday == wall.tm_mday;
}

int64_t lode_log_zone_utc(struct lode_log_zone *zone, int64_t wall_ns, int64_t near_ns)
{
	int64_t wall_s = wall_ns / ns_per_s, quarter = wall_s / 900;
	int64_t first = 0, second = 0;

	/* Clocks change at quarters of an hour, at the finest. */
	if (zone->quarter != quarter + 1) {
		bool has_dst = offset_of(&first, quarter * 900, 1);
		bool has_standard = offset_of(&second, quarter * 900, 0);

		if (!has_dst && !has_standard)
			(void)offset_of(&first, quarter * 900, -1); /* a skipped hour */
		if (!has_dst && has_standard)
			first = second;
		if (!has_standard)
			second = first;
		zone->quarter = quarter + 1;
		zone->first_s = first < second ? first : second;
		zone->second_s = first < second ? second : first;
	}
	first = wall_ns + zone->first_s * ns_per_s;
	second = wall_ns + zone->second_s * ns_per_s;
	return near_ns == INT64_MIN || first >= near_ns - unordered_ns ? first : second;
}
