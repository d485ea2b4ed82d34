/* Whose request is it? Every rule of serve/guard.h, alone and with the others met. */
#include "serve/guard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
/* after those */
#include <cmocka.h>

static const char *const names[] = {"perf.example"};

static struct lode_guard guard(void)
{
	struct lode_guard g = {.port = 7070, .names = names, .n_names = 1};

	assert_true(lode_token_take(&g, "0123456789abcdef"));
	return g;
}

/* A change that has everything. */
static struct lode_request_marks change(void)
{
	return (struct lode_request_marks){
		.host = "127.0.0.1:7070",
		.origin = "http://127.0.0.1:7070",
		.fetch_site = "same-origin",
		.cookie = "0123456789abcdef",
		.content_type = "application/json; charset=utf-8",
		.has_change_header = true,
	};
}

static enum lode_verdict judge(struct lode_request_marks marks, enum lode_request_kind kind)
{
	struct lode_guard g = guard();

	return lode_guard_judge(&g, &marks, kind);
}

static void only_our_names_are_hosts(void **state)
{
	static const char *const ours[] = {"127.0.0.1:7070", "localhost:7070", "LOCALHOST:7070",
					   "[::1]:7070",     "10.1.2.3:7070",  "perf.example:7070"};
	static const char *const others[] = {
		"evil.example:7070",
		"127.0.0.1.evil.example:7070",
		"localhost.evil:7070",
		"127.0.0.1",
		"127.0.0.1:7071",
		"127.0.0.1:",
		"127.0.0.1:7070x",
		"",
		":7070",
		"[::1:7070",
		"[::1]7070",
		"localhost:070707",
		"perf.example.:7070",
		"localhost:99999",
		"127.0.0.1:7070, evil",
		"user@127.0.0.1:7070",
	};
	char endless[600];

	(void)state;
	for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++)
		assert_int_equal(judge((struct lode_request_marks){.host = ours[i]},
				       LODE_REQUEST_READ),
				 LODE_VERDICT_ALLOWED);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		for (int kind = LODE_REQUEST_PAGE; kind <= LODE_REQUEST_CHANGE; kind++) {
			struct lode_request_marks marks = change();

			marks.host = others[i];
			assert_int_equal(judge(marks, (enum lode_request_kind)kind),
					 LODE_VERDICT_HOST);
		}
	memset(endless, '1', sizeof(endless));
	endless[sizeof(endless) - 1] = 0;
	assert_int_equal(judge((struct lode_request_marks){.host = endless}, LODE_REQUEST_READ),
			 LODE_VERDICT_HOST);
	assert_int_equal(judge((struct lode_request_marks){0}, LODE_REQUEST_PAGE),
			 LODE_VERDICT_HOST);
}

static void scripts_of_other_sites_read_nothing(void **state)
{
	static const char *const others[] = {"http://evil.example",    "null",
					     "https://127.0.0.1:7070", "http://127.0.0.1:7071",
					     "http://localhost:7070",  "",
					     "http://127.0.0.1:7070/"};
	static const char *const sites[] = {"cross-site", "same-site", "", "Same-Origin"};

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		for (int kind = LODE_REQUEST_READ; kind <= LODE_REQUEST_CHANGE; kind++) {
			struct lode_request_marks marks = change();

			marks.origin = others[i];
			assert_int_equal(judge(marks, (enum lode_request_kind)kind),
					 LODE_VERDICT_ORIGIN);
		}
	for (size_t i = 0; i < sizeof(sites) / sizeof(*sites); i++) {
		struct lode_request_marks marks = change();

		marks.fetch_site = sites[i];
		assert_int_equal(judge(marks, LODE_REQUEST_READ), LODE_VERDICT_ORIGIN);
		/* A link to the page itself is welcome. */
		assert_int_equal(judge(marks, LODE_REQUEST_PAGE), LODE_VERDICT_ALLOWED);
	}
}

static void changes_need_the_token_and_a_page(void **state)
{
	struct lode_request_marks marks = change();

	(void)state;
	assert_int_equal(judge(marks, LODE_REQUEST_CHANGE), LODE_VERDICT_ALLOWED);
	marks.cookie = NULL;
	assert_int_equal(judge(marks, LODE_REQUEST_CHANGE), LODE_VERDICT_TOKEN);
	assert_int_equal(judge(marks, LODE_REQUEST_READ), LODE_VERDICT_ALLOWED);
	marks.authorization = "Bearer 0123456789abcdef";
	assert_int_equal(judge(marks, LODE_REQUEST_CHANGE), LODE_VERDICT_ALLOWED);
	marks.authorization = "Basic 0123456789abcdef";
	assert_int_equal(judge(marks, LODE_REQUEST_CHANGE), LODE_VERDICT_TOKEN);
	marks = change();
	marks.has_change_header = false;
	assert_int_equal(judge(marks, LODE_REQUEST_CHANGE), LODE_VERDICT_FORM);
	marks = change();
	for (int i = 0; i < 4; i++) {
		static const char *const types[] = {NULL, "text/plain", "application/jsonp",
						    "application/x-www-form-urlencoded"};

		marks.content_type = types[i];
		assert_int_equal(judge(marks, LODE_REQUEST_CHANGE), LODE_VERDICT_FORM);
	}
}

static void beyond_the_loopback_all_need_the_token(void **state)
{
	struct lode_guard g = guard();
	struct lode_request_marks marks = {.host = "10.0.0.7:7070"};

	(void)state;
	g.reads_need_token = true;
	assert_int_equal(lode_guard_judge(&g, &marks, LODE_REQUEST_READ), LODE_VERDICT_TOKEN);
	assert_int_equal(lode_guard_judge(&g, &marks, LODE_REQUEST_PAGE), LODE_VERDICT_ALLOWED);
	marks.cookie = "0123456789abcdef";
	assert_int_equal(lode_guard_judge(&g, &marks, LODE_REQUEST_READ), LODE_VERDICT_ALLOWED);
}

static void what_decides_may_stand_once(void **state)
{
	static const char *const others[] = {"Accept", "Cookie", "X-Forwarded-Host", "Hosts", ""};
	static const char *const pairs[][2] = {
		{"Host", "host"},
		{"Origin", "ORIGIN"},
		{"Authorization", "Authorization"},
		{"Sec-Fetch-Site", "sec-fetch-site"},
		{"Content-Type", "Content-Type"},
		{"Content-Length", "Content-Length"},
		{"Transfer-Encoding", "Transfer-Encoding"},
		{"Content-Length", "Transfer-Encoding"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		struct lode_lone_headers lone = {0};

		lode_lone_headers_add(&lone, pairs[i][0], "chunked");
		for (size_t k = 0; k < 2 * sizeof(others) / sizeof(*others); k++)
			lode_lone_headers_add(&lone, others[k / 2], "chunked");
		assert_false(lone.is_ambiguous);
		lode_lone_headers_add(&lone, pairs[i][1], "chunked");
		assert_true(lone.is_ambiguous);
	}
	for (int kind = LODE_REQUEST_PAGE; kind <= LODE_REQUEST_CHANGE; kind++) {
		struct lode_request_marks marks = change();

		marks.is_ambiguous = true;
		assert_int_equal(judge(marks, (enum lode_request_kind)kind),
				 LODE_VERDICT_AMBIGUOUS);
	}
}

static bool is_ambiguous(const char *name, const char *value)
{
	struct lode_lone_headers lone = {0};

	lode_lone_headers_add(&lone, name, value);
	return lone.is_ambiguous;
}

static void what_a_proxy_may_read_in_another_way_is_ambiguous(void **state)
{
	(void)state;
	assert_false(is_ambiguous("Transfer-Encoding", "Chunked"));
	assert_true(is_ambiguous("Transfer-Encoding", "xchunked"));
	assert_true(is_ambiguous("Transfer-Encoding", "gzip, chunked"));
	assert_true(is_ambiguous("Transfer-Encoding ", "chunked"));
	assert_true(is_ambiguous("Transfer-Encoding\t", "chunked"));
	assert_false(is_ambiguous("X-Long", "a, b: c\td"));
}

static void gzip_is_for_who_takes_it(void **state)
{
	static const char *const takes[] = {"gzip", "deflate, gzip;q=1.0, *;q=0.5", "br,GZIP",
					    "gzip ; q=0.001"};
	static const char *const refuses[] = {NULL,
					      "",
					      "identity",
					      "gzip;q=0",
					      "gzip; q=0.0",
					      "br, gzip;q=0, zstd",
					      "x-gzip, gzips",
					      "br;gzip"};

	(void)state;
	for (size_t i = 0; i < sizeof(takes) / sizeof(*takes); i++)
		assert_true(lode_takes_gzip(takes[i]));
	for (size_t i = 0; i < sizeof(refuses) / sizeof(*refuses); i++)
		assert_false(lode_takes_gzip(refuses[i]));
}

static void tokens_are_equal_or_not(void **state)
{
	struct lode_guard g = guard(), other = guard(), none = {0};

	(void)state;
	assert_true(lode_token_is(&g, "0123456789abcdef"));
	assert_false(lode_token_is(&g, "0123456789abcdeg"));
	assert_false(lode_token_is(&g, "0123456789abcde"));
	assert_false(lode_token_is(&g, "0123456789abcdef0"));
	assert_false(lode_token_is(&g, ""));
	assert_false(lode_token_is(&g, NULL));
	assert_false(lode_token_is(&none, ""));
	lode_token_make(&g);
	lode_token_make(&other);
	assert_int_equal(strlen(g.token), LODE_TOKEN_CHARS);
	assert_string_not_equal(g.token, other.token);
	assert_false(lode_token_take(&g, "short"));
	assert_false(lode_token_take(&g, "0123456789abcdef0123456789abcdef0"));
	assert_false(lode_token_take(&g, "0123456789abcdef; Path=/"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_our_names_are_hosts),
		cmocka_unit_test(scripts_of_other_sites_read_nothing),
		cmocka_unit_test(changes_need_the_token_and_a_page),
		cmocka_unit_test(beyond_the_loopback_all_need_the_token),
		cmocka_unit_test(what_decides_may_stand_once),
		cmocka_unit_test(what_a_proxy_may_read_in_another_way_is_ambiguous),
		cmocka_unit_test(gzip_is_for_who_takes_it),
		cmocka_unit_test(tokens_are_equal_or_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
