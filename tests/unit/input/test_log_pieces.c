/* input/formats/log: numbers and actions of random texts are what slow, plain rules make of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/log_time.h"
#include "random.h"
#include "input/formats/log/log_action.h"

enum { ROUNDS = 20000 };

/* ---- Decimals ---- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* digits [(. or ,) digits]; each digit worth a tenth of the one before, those below a ns nothing.
 */
static bool plain_decimal(int64_t *out, const char *text, int64_t unit_ns)
{
	__int128 sum = 0, worth = unit_ns;
	const char *p = text;

	for (; is_digit(*p); p++) {
		sum = sum * 10 + (__int128)unit_ns * (*p - '0');
		if (sum > (__int128)1 << 100)
			return false;
	}
	if (p == text)
		return false;
	if (*p == '.') {
		if (!is_digit(*++p))
			return false;
		for (; is_digit(*p); p++) {
			worth /= 10;
			sum += worth * (*p - '0');
		}
	}
	*out = (int64_t)sum;
	return !*p && sum <= INT64_MAX;
}

static size_t random_digits(struct test_random *random, char *out)
{
	size_t n = test_random_below(random, test_random_below(random, 8) ? 11 : 26);

	for (size_t i = 0; i < n; i++)
		out[i] = (char)('0' + test_random_below(random, 10));
	return n;
}

static void decimals_are_those_of_exact_arithmetic(void **state)
{
	static const int64_t units[] = {1, 1000, 1000000, 1000000000};

	(void)state;
	for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
		struct test_random random = {seed};
		int64_t unit = units[test_random_below(&random, 4)], got = 0, want = 0;
		char text[64];
		size_t n = random_digits(&random, text);

		if (test_random_below(&random, 4)) {
			text[n++] = test_random_below(&random, 8) ? '.' : ',';
			n += random_digits(&random, text + n);
		}
		if (test_random_below(&random, 20) == 0)
			text[n++] = "x- ."[test_random_below(&random, 4)];
		text[n] = '\0';
		if (lode_log_decimal(&got, text, n, unit) != plain_decimal(&want, text, unit) ||
		    (plain_decimal(&want, text, unit) && got != want))
			fail_msg("seed %" PRIu64 ": '%s' in %" PRId64 " ns: %" PRId64
				 " instead of %" PRId64,
				 seed, text, unit, got, want);
	}
}

/* ---- Actions ---- */

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* A number; or eight or more hexadecimal digits, one of them 0 to 9, with no dash or four. */
static bool plain_is_id(const char *text, size_t len)
{
	size_t n_digits = 0, n_hex = 0, n_dashes = 0;

	for (size_t i = 0; i < len; i++) {
		n_digits += is_digit(text[i]);
		n_hex += is_hex(text[i]);
		n_dashes += text[i] == '-';
	}
	if (n_digits == 0 || n_hex + n_dashes != len)
		return false;
	return n_digits == len || (n_hex >= 8 && (n_dashes == 0 || n_dashes == 4));
}

/* Without scheme and host, query and fragment; elements that are ids are "*". */
static void plain_action(char *out, size_t size, const char *method, const char *url)
{
	const char *scheme = strstr(url, "://"), *at, *end;
	bool is_read = !*method || !strcmp(method, "GET") || !strcmp(method, "HEAD");
	size_t n;

	if (scheme && scheme < url + strcspn(url, "?"))
		url = scheme + 3 + strcspn(scheme + 3, "/");
	end = url + strcspn(url, "?#;");
	n = (size_t)snprintf(out, size, "%s%s", is_read ? "" : method, is_read ? "" : " ");
	for (at = url; at < end;) {
		const char *stop = at;

		while (stop < end && *stop != '/')
			stop++;
		n += (size_t)snprintf(out + n, size - n, "%.*s%s",
				      plain_is_id(at, (size_t)(stop - at)) ? 1 : (int)(stop - at),
				      plain_is_id(at, (size_t)(stop - at)) ? "*" : at,
				      stop < end ? "/" : "");
		at = stop + 1;
	}
	if (end - url > 1 && out[n - 1] == '/')
		out[n - 1] = '\0';
}

/* Made of pieces that are nearly ids, nearly schemes. */
static void random_url(struct test_random *random, char *out, size_t size)
{
	static const char *const pieces[] = {
		"/",
		"/",
		"/",
		"items",
		"0",
		"12345",
		"deadbeef",
		"deadbee1",
		"12ab34cd",
		"-",
		"f",
		"x",
		"?a=http://h/b/7",
		";v=1",
		"#top",
		"123e4567-e89b-12d3-a456-426614174000",
		"%20",
		"caf\303\251",
		".html",
		"G",
	};
	uint32_t n = test_random_below(random, 12);
	size_t len = 0;

	if (test_random_below(random, 6) == 0)
		len = (size_t)snprintf(out, size, "https://shop.example:8080");
	out[len] = '\0';
	for (uint32_t i = 0; i < n; i++)
		len += (size_t)snprintf(
			out + len, size - len, "%s",
			pieces[test_random_below(random, sizeof(pieces) / sizeof(pieces[0]))]);
}

static void actions_are_urls_without_what_varies(void **state)
{
	static const char *const methods[] = {"GET", "HEAD", "POST", "DELETE", ""};
	struct lode_log_action *action;
	struct lode_error err;

	(void)state;
	assert_int_equal(lode_log_action_new(&action, NULL, &err), LODE_OK);
	for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
		struct test_random random = {seed};
		const char *method = methods[test_random_below(&random, 5)], *got;
		char url[600], want[700];
		size_t len = 0;

		random_url(&random, url, sizeof(url));
		plain_action(want, sizeof(want), method, url);
		got = lode_log_action_of(action, method, strlen(method), url, strlen(url), &len);
		if (len != strlen(want) || memcmp(got, want, len) != 0)
			fail_msg("seed %" PRIu64 ": %s '%s' is '%.*s' instead of '%s'", seed,
				 method, url, (int)len, got, want);
	}
	lode_log_action_free(action);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decimals_are_those_of_exact_arithmetic),
		cmocka_unit_test(actions_are_urls_without_what_varies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
