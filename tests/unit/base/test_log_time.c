/* base/log_time.h: dates are what the C library's calendar says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/log_time.h"
#include "random.h"

enum { ROUNDS = 20000 };

/* Days that are none and hours beyond 23 come too; the C library would carry them over. */
static void random_parts(struct test_random *random, int *parts)
{
	parts[0] = 1960 + (int)test_random_below(random, 310);
	parts[1] = (int)test_random_below(random, 14);
	parts[2] = (int)test_random_below(random, 33);
	parts[3] = (int)test_random_below(random, 25);
	parts[4] = (int)test_random_below(random, 61);
	parts[5] = (int)test_random_below(random, 61);
}

/* Oracle: whether timegm leaves the parts as they are. */
static bool plain_seconds(int64_t *out, const int *p)
{
	struct tm tm = {.tm_year = p[0] - 1900,
			.tm_mon = p[1] - 1,
			.tm_mday = p[2],
			.tm_hour = p[3],
			.tm_min = p[4],
			.tm_sec = p[5]};

	*out = (int64_t)timegm(&tm);
	return p[0] >= 1970 && p[0] <= 2260 && tm.tm_year == p[0] - 1900 && tm.tm_mon == p[1] - 1 &&
	       tm.tm_mday == p[2] && tm.tm_hour == p[3] && tm.tm_min == p[4] && tm.tm_sec == p[5];
}

static void dates_name_all_of_their_last_part(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
		struct test_random random = {seed};
		int parts[6], n = 1 + (int)test_random_below(&random, 6);
		static const int first[] = {0, 1, 1, 0, 0, 0};
		static const size_t lengths[] = {4, 7, 10, 13, 16, 19};
		int64_t low = 0, high = 0, from, to;
		bool ok, is_date, has_zone = n > 3 && test_random_below(&random, 2);
		char text[160];

		random_parts(&random, parts);
		for (int i = n; i < 6; i++)
			parts[i] = first[i];
		snprintf(text, sizeof(text), "%04d-%02d-%02d%c%02d:%02d:%02d", parts[0], parts[1],
			 parts[2], "T "[test_random_below(&random, 2)], parts[3], parts[4],
			 parts[5]);
		strcpy(text + lengths[n - 1], has_zone ? "Z" : "");
		is_date = plain_seconds(&from, parts);
		parts[n - 1]++;
		(void)plain_seconds(&to, parts);
		ok = lode_date_parse(&low, &high, text);
		if (ok != is_date || (ok && (low != from * 1000000000 || high != to * 1000000000)))
			fail_msg("seed %llu: '%s'", (unsigned long long)seed, text);
	}
}

static void other_texts_are_no_dates(void **state)
{
	static const char *const texts[] = {"",
					    "Z",
					    "202",
					    "20260",
					    "2026-",
					    "2026-1",
					    "2026Z",
					    "2026-11-01Z",
					    "2026/11",
					    "2026-11-",
					    "-2026",
					    "2026-11-01T",
					    "2026-11-01T12:30:15.5",
					    "2026-11-01T12:30:15ZZ",
					    "now"};
	int64_t low, high;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (lode_date_parse(&low, &high, texts[i]))
			fail_msg("'%s'", texts[i]);
}

/* The two forms that logs have, with a fraction and a zone. */
static void times_of_logs_are_those_of_the_calendar(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
		static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
		struct test_random random = {seed};
		struct lode_log_clock clock = {0};
		struct lode_log_time time = {0};
		int parts[6], zone_min = (int)test_random_below(&random, 1500) - 750;
		uint32_t ms = test_random_below(&random, 1000);
		int64_t want;
		bool is_time, ok;
		char text[160];

		random_parts(&random, parts);
		is_time = plain_seconds(&want, parts);
		if (parts[5] == 60) /* a leap second, which the calendar does not know */
			continue;
		if (parts[1] < 1 || parts[1] > 12 || test_random_below(&random, 2))
			snprintf(text, sizeof(text),
				 "%04d-%02d-%02dT%02d:%02d:%02d.%03u%c%02d:%02d", parts[0],
				 parts[1], parts[2], parts[3], parts[4], parts[5], ms,
				 zone_min < 0 ? '-' : '+', abs(zone_min) / 60, abs(zone_min) % 60);
		else
			snprintf(text, sizeof(text),
				 "%02d/%.3s/%04d:%02d:%02d:%02d.%03u %c%02d%02d", parts[2],
				 months + (ptrdiff_t)3 * (parts[1] - 1), parts[0], parts[3],
				 parts[4], parts[5], ms, zone_min < 0 ? '-' : '+',
				 abs(zone_min) / 60, abs(zone_min) % 60);
		ok = lode_log_time_parse(&time, &clock, text, strlen(text));
		if (ok != is_time ||
		    (ok && (!time.has_zone || time.ns != (want - zone_min * 60) * 1000000000 +
								 ms * INT64_C(1000000))))
			fail_msg("seed %llu: '%s'", (unsigned long long)seed, text);
	}
}

/* As the date shows, as the file does, or with a clock of 12 hours the month first. */
static void slashed_dates_have_the_order_that_they_or_their_file_show(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
		struct test_random random = {seed};
		struct lode_log_clock clock = {
			.order = (enum lode_date_order)test_random_below(&random, 3)};
		struct lode_log_time time = {0};
		int first = 1 + (int)test_random_below(&random, 32);
		int second = 1 + (int)test_random_below(&random, 32);
		int hour = (int)test_random_below(&random, 24);
		bool has_half = test_random_below(&random, 2), is_day_first, ok, want_ok;
		int64_t want = 0;
		char text[80];

		snprintf(text, sizeof(text), "%0*d/%0*d/2026 %d:05:06%s", seed % 2 ? 2 : 1, first,
			 seed % 2 ? 2 : 1, second, has_half ? (hour + 11) % 12 + 1 : hour,
			 !has_half   ? ""
			 : hour < 12 ? " AM"
				     : " PM");
		is_day_first = first > 12 || (second <= 12 && clock.order == LODE_DATE_DAY_FIRST);
		want_ok =
			(first > 12 || second > 12 || first == second || has_half || clock.order) &&
			plain_seconds(&want, is_day_first
						     ? (int[]){2026, second, first, hour, 5, 6}
						     : (int[]){2026, first, second, hour, 5, 6});
		ok = lode_log_time_parse(&time, &clock, text, strlen(text));
		if (ok != want_ok || (ok && time.ns != want * 1000000000))
			fail_msg("seed %llu: '%s'", (unsigned long long)seed, text);
	}
}

static enum lode_date_order order_of_text(const char *text, size_t head)
{
	struct lode_input *input;
	struct lode_error err;
	char path[] = "/tmp/lode-dates-XXXXXX";
	int fd = mkstemp(path);
	enum lode_date_order order;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	assert_int_equal(lode_input_open(&input, path, &err), LODE_OK);
	order = lode_date_order_find(input, text, head < strlen(text) ? head : strlen(text));
	lode_input_close(input);
	unlink(path);
	return order;
}

/* Wherever the only date that decides stands, across the blocks of the search too. */
static void one_date_decides_for_its_file(void **state)
{
	enum { LINES = 9000 };
	char *text = malloc(LINES * 20 + 1);

	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct test_random random = {seed};
		size_t line = test_random_below(&random, LINES), n = 0;
		bool is_day = test_random_below(&random, 2);

		for (size_t i = 0; i < LINES; i++)
			n += (size_t)sprintf(text + n, "%s/2026 1:02\n",
					     i != line ? "5/11"
					     : is_day  ? "13/11"
						       : "11/13");
		assert_int_equal(order_of_text(text, 4096),
				 is_day ? LODE_DATE_DAY_FIRST : LODE_DATE_MONTH_FIRST);
	}
	free(text);
	assert_int_equal(order_of_text("13/11/2026,11/13/2026,5/6/2026", 99), LODE_DATE_UNKNOWN);
	assert_int_equal(order_of_text("/13/11/2026 a/13/11/2026 113/11/2026", 99),
			 LODE_DATE_UNKNOWN);
	assert_int_equal(order_of_text("32/11/2026 13/13/2026 1/13/26 0/13/2026", 99),
			 LODE_DATE_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dates_name_all_of_their_last_part),
		cmocka_unit_test(other_texts_are_no_dates),
		cmocka_unit_test(slashed_dates_have_the_order_that_they_or_their_file_show),
		cmocka_unit_test(one_date_decides_for_its_file),
		cmocka_unit_test(times_of_logs_are_those_of_the_calendar),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
