/* Where paths lead, and what parameters say. */
#include "serve/site.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <zlib.h>
/* after those */
#include <cmocka.h>

static int answer(void *context, const struct lode_site_query *query, FILE *out,
		  struct lode_error *err)
{
	(void)context;
	(void)query;
	(void)out;
	(void)err;
	return LODE_OK;
}

static struct lode_site *make_site(void)
{
	struct lode_site *site = lode_site_new();

	lode_site_add_report(site, "mine", "lode/mine/1", "slow/", "{}\n", 3);
	lode_site_add_report(site, "timeline", "lode/timeline/1", "run", "[]\n", 3);
	lode_site_add_question(site, "timeline", "window", LODE_REQUEST_READ, answer, NULL);
	lode_site_add_question(site, "mine", "sign", LODE_REQUEST_CHANGE, answer, NULL);
	lode_site_finish(site);
	return site;
}

static void paths_lead_to_what_there_is(void **state)
{
	struct lode_site *site = make_site();
	struct lode_site_place place;

	(void)state;
	assert_int_equal(lode_site_find(site, "/").document, 0);
	assert_int_equal(lode_site_find(site, "/api/reports").document, 1);
	place = lode_site_find(site, "/api/reports/timeline");
	assert_int_equal(place.kind, LODE_SITE_DOCUMENT);
	assert_string_equal(lode_site_document(site, place.document)->plain, "[]\n");
	place = lode_site_find(site, "/api/reports/timeline/window");
	assert_int_equal(place.kind, LODE_SITE_QUESTION);
	assert_int_equal(place.question->kind, LODE_REQUEST_READ);
	assert_int_equal(place.report, 1);
	assert_int_equal(lode_site_find(site, "/api/reports/mine/sign").question->kind,
			 LODE_REQUEST_CHANGE);
	assert_non_null(
		strstr(lode_site_document(site, 1)->plain, "\"schema\": \"lode/timeline/1\""));
	lode_site_free(site);
}

static void other_paths_lead_nowhere(void **state)
{
	static const char *const paths[] = {
		"",
		"//",
		"/index.html",
		"/api",
		"/api/",
		"/api/reports/",
		"/api/reportsmine",
		"/api/reports/min",
		"/api/reports/minee",
		"/api/reports/mine/",
		"/api/reports/mine/window",
		"/api/reports/mine/../timeline",
		"/api/reports/../../etc/passwd",
		"/../../../etc/passwd",
		"/api/reports/timeline/window/",
		"/api/reports//timeline",
	};
	struct lode_site *site = make_site();

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		assert_int_equal(lode_site_find(site, paths[i]).kind, LODE_SITE_NOTHING);
	lode_site_free(site);
}

static void numbers_are_whole_and_in_range(void **state)
{
	struct lode_site_pair pairs[] = {
		{"t0", "-12"}, {"t1", "9223372036854775808"}, {"n", "7x"}, {"m", ""}, {"k", "101"}};
	struct lode_site_query query = {.at = pairs, .n = 5};
	int64_t value = 3;

	(void)state;
	assert_true(lode_site_param_number(&query, "absent", 0, 9, &value));
	assert_int_equal(value, 3);
	assert_true(lode_site_param_number(&query, "t0", -100, 100, &value));
	assert_int_equal(value, -12);
	assert_false(lode_site_param_number(&query, "t1", INT64_MIN, INT64_MAX, &value));
	assert_false(lode_site_param_number(&query, "n", 0, 100, &value));
	assert_false(lode_site_param_number(&query, "m", 0, 100, &value));
	assert_false(lode_site_param_number(&query, "k", 0, 100, &value));
	assert_string_equal(lode_site_param(&query, "m"), "");
	assert_null(lode_site_param(&query, "x"));
}

static void large_documents_are_packed_and_equal_ones_have_one_tag(void **state)
{
	struct lode_site *site = lode_site_new();
	const struct lode_site_document *a, *b;
	char text[5000], back[5000];
	z_stream z = {0};

	(void)state;
	memset(text, 'x', sizeof(text));
	lode_site_add_report(site, "a", "s", "t", text, sizeof(text));
	lode_site_add_report(site, "b", "s", "t", text, sizeof(text) - 1);
	lode_site_finish(site);
	a = lode_site_document(site, 2);
	b = lode_site_document(site, 3);
	assert_string_not_equal(a->tag, b->tag);
	assert_true(a->gzip && a->gzip_bytes < 100);
	assert_int_equal(inflateInit2(&z, MAX_WBITS + 16), Z_OK);
	z.next_in = (unsigned char *)a->gzip;
	z.avail_in = (unsigned)a->gzip_bytes;
	z.next_out = (unsigned char *)back;
	z.avail_out = sizeof(back);
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	assert_memory_equal(text, back, sizeof(text));
	inflateEnd(&z);
	lode_site_free(site);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_lead_to_what_there_is),
		cmocka_unit_test(other_paths_lead_nowhere),
		cmocka_unit_test(numbers_are_whole_and_in_range),
		cmocka_unit_test(large_documents_are_packed_and_equal_ones_have_one_tag),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
