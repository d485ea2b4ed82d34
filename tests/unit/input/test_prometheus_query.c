/* input/formats/counters/prometheus_query: what users write is what is asked; and answers in files
   that are refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "random.h"
#include "scratch.h"
#include "input/formats/counters/counter_source.h"
#include "input/formats/counters/prometheus_query.h"

#define NS INT64_C(1000000000)

static const int64_t now_ns = 1795233864 * NS;

static void what_is_written_is_asked(void **state)
{
	struct lode_prometheus_query q;
	struct lode_error err;

	(void)state;
	assert_int_equal(
		lode_prometheus_parse(
			&q,
			"prometheus:https://me:secret@host:9090/prom/?query=sum by "
			"(job)(x{a=\"b+c\"})"
			"&query=a%26b%3d%zz&start=now-90m&step=30&dedup=true&timeout=2m&tenant"
			"&limit=5000&header-file=/etc/h",
			now_ns, &err),
		0);
	assert_string_equal(q.url, "https://me:secret@host:9090/prom/api/v1/query_range");
	assert_string_equal(q.shown, "https://host:9090/prom/api/v1/query_range");
	assert_int_equal(q.queries.n, 2);
	assert_string_equal(q.queries.at[0], "sum by (job)(x{a=\"b+c\"})");
	assert_string_equal(q.queries.at[1], "a&b=%zz");
	assert_string_equal(q.others, "&dedup=true&tenant");
	assert_true(q.end_ns == now_ns && q.start_ns == now_ns - 5400 * NS);
	assert_true(q.step_ns == 30 * NS && q.timeout_ns == 120 * NS && q.max_bytes == 5000);
	assert_string_equal(q.header_file, "/etc/h");
	lode_prometheus_release(&q);
	assert_int_equal(
		lode_prometheus_parse(&q,
				      "prometheus:http://h/api/v1/query_range?start=1795233800.5&"
				      "end=2026-11-21T04:04:24Z&query=up&step=500ms",
				      now_ns, &err),
		0);
	assert_string_equal(q.url, "http://h/api/v1/query_range");
	assert_true(q.start_ns == 1795233800 * NS + NS / 2 && q.end_ns == now_ns);
	assert_true(q.step_ns == NS / 2);
	lode_prometheus_release(&q);
}

static void what_makes_no_sense_is_refused(void **state)
{
	static const char *const bad[] = {
		"prometheus:",
		"prometheus:file:///etc/passwd?query=up&start=now",
		"prometheus:http://?query=up&start=now",
		"prometheus:https:////?query=up&start=now",
		"prometheus:http://h#x?query=up&start=now",
		"prometheus:http://h",
		"prometheus:http://h?query=up",
		"prometheus:http://h?start=now",
		"prometheus:http://h?query=&start=now",
		"prometheus:http://h?query=up&start=yesterday",
		"prometheus:http://h?query=up&start=now-soon",
		"prometheus:http://h?query=up&start=now+1h",
		"prometheus:http://h?query=up&start=now-99999999h",
		"prometheus:http://h?query=up&start=now&end=now-1s",
		"prometheus:http://h?query=up&start=now&step=0",
		"prometheus:http://h?query=up&start=now&step=1us",
		"prometheus:http://h?query=up&start=now&timeout=-1s",
		"prometheus:http://h?query=up&start=now&limit=0",
		"prometheus:http://h?query=up&start=now&limit=lots",
	};
	struct lode_prometheus_query q;
	struct lode_error err;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_true(lode_prometheus_is(bad[i]));
		if (lode_prometheus_parse(&q, bad[i], now_ns, &err) != LODE_ERR_ARG)
			fail_msg("taken: %s", bad[i]);
		assert_true(strncmp(err.message, "prometheus: ", 12) == 0);
	}
	assert_false(lode_prometheus_is("prometheus.csv"));
}

/* Whatever is written: it is read or refused, and a bad byte more or less does no harm. */
static void random_texts_do_no_harm(void **state)
{
	static const char *const parts[] = {
		"http://", "h",	   "/",	       "?",   "&",	"query=",  "start=", "now",
		"-1h",	   "=",	   "%",	       "%4",  "%41",	"%00",	   "step=",  "5",
		"@",	   "end=", "timeout=", "x{}", "limit=", "https://"};
	struct test_random random = {5};
	struct lode_prometheus_query q;
	struct lode_error err;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		uint64_t seed = random.state;
		char text[400] = "prometheus:";

		if (test_random_below(&random, 4))
			strncat(text, "http://h?query=u&start=now", sizeof(text) - 1);
		for (uint32_t n = test_random_below(&random, 20); n; n--)
			strncat(text, parts[test_random_below(&random, 22)],
				sizeof(text) - strlen(text) - 1);
		if (lode_prometheus_parse(&q, text, now_ns, &err) == LODE_OK) {
			if (!q.queries.n || q.start_ns < 0 || q.start_ns > q.end_ns ||
			    q.step_ns <= 0)
				fail_msg("seed %llu: %s", (unsigned long long)seed, text);
			lode_prometheus_release(&q);
		}
	}
}

static void a_saved_refusal_is_told_in_its_words(void **state)
{
	static const char refusal[] =
		"{\"status\":\"error\",\"errorType\":\"bad_data\",\"error\":\"no \\u001b such\","
		"\"data\":{\"resultType\":\"matrix\",\"result\":[]}}";
	struct lode_counter_log *log = lode_counter_log_new();
	struct lode_counter_facts facts;
	struct scratch scratch;
	struct lode_error err;

	(void)state;
	scratch_make(&scratch);
	scratch_write(scratch_path(&scratch, "x.json"), refusal, strlen(refusal));
	assert_int_equal(lode_counters_read(log, scratch.path, NULL, &facts, &err),
			 LODE_ERR_FORMAT);
	assert_string_equal(err.message, "Prometheus answered: no \\x1b such");
	scratch_remove(&scratch);
	lode_counter_log_free(log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_asked),
		cmocka_unit_test(what_makes_no_sense_is_refused),
		cmocka_unit_test(random_texts_do_no_harm),
		cmocka_unit_test(a_saved_refusal_is_told_in_its_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
