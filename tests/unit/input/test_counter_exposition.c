/* input/formats/counters: Prometheus' text format, with and without times, whole and cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "find_counter.h"
#include "scratch.h"
#include "input/formats/counters/counter_source.h"
#include "input/format.h"

#define NS INT64_C(1000000000)

static struct scratch scratch;

static int read_text(struct lode_counter_log *log, const char *text, size_t len,
		     struct lode_counter_facts *facts, struct lode_error *err)
{
	const char *path = scratch_path(&scratch, "shop.txt");

	scratch_write(path, text, len);
	return lode_counters_read(log, path, NULL, facts, err);
}

static void align_text(struct lode_counters *grid, const char *text, uint64_t n_bad)
{
	struct lode_counter_log *log = lode_counter_log_new();
	const struct lode_loss *bad = &lode_counter_log_losses(log)->by_kind[LODE_LOSS_BAD_RECORD];
	struct lode_counter_facts facts;
	struct lode_error err;

	if (read_text(log, text, strlen(text), &facts, &err) < 0)
		fail_msg("%s", err.message);
	assert_string_equal(facts.format, "Prometheus text");
	if (bad->count != n_bad)
		fail_msg("%d bad: %s", (int)bad->count, bad->detail);
	assert_int_equal(lode_counters_align(grid, log, NS, NULL, &err), 0);
	lode_counter_log_free(log);
}

/* Values at the samples of 04:04:25 and 04:04:26. */
static void check(const struct lode_counters *grid, const char *server, const char *name,
		  double first, double second)
{
	const struct lode_counter *counter = find_counter(grid, server, name);
	size_t at = (size_t)(1795233865 - 1 - grid->start_ns / NS);

	if (!counter)
		fail_msg("no counter %s of %s", name, server);
	if (isnan(first) ? !isnan(counter->at[at]) : counter->at[at] != first)
		fail_msg("%s: %g, expected %g", name, counter->at[at], first);
	if (isnan(second) ? !isnan(counter->at[at + 1]) : counter->at[at + 1] != second)
		fail_msg("%s: then %g, expected %g", name, counter->at[at + 1], second);
}

static const char scrapes[] =
	"# HELP shop_orders_total Orders, by \"kind\".\n"
	"# TYPE shop_orders_total counter\n"
	"shop_orders_total{kind=\"a\\\\\\n\\\"b,}\",instance=\"web1:9100\"} 10 1795233865000\n"
	"# TYPE queued counter\n"
	"queued{instance=\"web1:9100\"} 3 1795233865000\n"
	"# TYPE open_count gauge\n"
	"open_count 7 1795233865000\n"
	"# TYPE lat histogram\n"
	"lat_bucket{le=\"+Inf\"} 4 1795233865000 # {trace_id=\"x\"} 0.5 1795233865\n"
	"lat_sum 1.5 1795233865000\n"
	"# TYPE sizes gaugehistogram\n"
	"sizes_bucket{le=\"1\"} 2 1795233865000\n"
	"# TYPE took summary\n"
	"took{quantile=\"0.99\"} NaN 1795233865000\n"
	"took_count 2 1795233865000\n"
	"# EOF\n"
	"shop_orders_total{instance=\"web1:9100\", kind=\"a\\\\\\n\\\"b,}\", } 14 1795233866000\n"
	"queued{instance=\"web1:9100\"} 5 1795233866000\n"
	"open_count 6 1795233866000\n"
	"lat_bucket{le=\"+Inf\"} 5 1795233866000\n"
	"lat_sum +Inf 1795233866000\n"
	"sizes_bucket{le=\"1\"} 1 1795233866000\n"
	"took{quantile=\"0.99\"} 0.25 1795233866000\n"
	"took_count 3 1795233866000\n"
	"# EOF\n";

static void scrapes_one_behind_the_other_are_series(void **state)
{
	struct lode_counters grid;

	(void)state;
	align_text(&grid, scrapes, 0);
	assert_int_equal(grid.n_counters, 8);
	check(&grid, "web1", "shop_orders_total{kind=\"a\\\n\"b,}\"}", NAN, 4);
	check(&grid, "web1", "queued", NAN, 2);
	check(&grid, "shop", "open_count", 7, 6);
	check(&grid, "shop", "lat_bucket{le=\"+Inf\"}", NAN, 1);
	check(&grid, "shop", "lat_sum", NAN, NAN);
	check(&grid, "shop", "sizes_bucket{le=\"1\"}", 2, 1);
	check(&grid, "shop", "took{quantile=\"0.99\"}", NAN, 0.25);
	check(&grid, "shop", "took_count", NAN, 1);
	lode_counters_release(&grid);
}

/* Seconds with a point or an exponent, milliseconds; labels in any order; names in quotes. */
static void forms_of_names_and_times_are_one(void **state)
{
	static const char *const texts[] = {
		"{__name__=\"m\", b=\"2\", a=\"1\", instance=\"db:1\"} 1 1795233865000\n"
		"{__name__=\"m\", b=\"2\", a=\"1\", instance=\"db:1\"} 2e+00 1795233866000\n",
		"m{a=\"1\",b=\"2\",instance=\"db\"} 1 1795233865.000\n"
		"m{a=\"1\",b=\"2\",instance=\"db\"} 2 1795233866.000\n# EOF\n",
		"m{b=\"2\",instance=\"db\",a=\"1\"}\t1\t1.795233865e+09\r\n"
		"\nm {instance=\"db\", a=\"1\",b=\"2\"} 2 1.795233866e+09 # {} 1\r\n# EOF\r\n",
		"{\"m\",\"a\"=\"1\",b=\"2\",instance=\"db\"} 1 1795233865000\n"
		"{\"m\",\"a\"=\"1\",b=\"2\",instance=\"db\"} 2 1795233866000\n",
		"{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[{"
		"\"metric\":"
		"{\"__name__\":\"m\",\"b\":\"2\",\"a\":\"1\",\"instance\":\"db:1\"},\"values\":["
		"[1795233865,\"1\"],[1795233866,\"2\"]]}]}}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct lode_counter_log *log = lode_counter_log_new();
		struct lode_counter_facts facts;
		struct lode_counters grid;
		struct lode_error err;

		if (read_text(log, texts[i], strlen(texts[i]), &facts, &err) < 0)
			fail_msg("%s: %s", texts[i], err.message);
		assert_int_equal(lode_counters_align(&grid, log, NS, NULL, &err), 0);
		assert_int_equal(grid.n_counters, 1);
		check(&grid, "db", "m{a=\"1\",b=\"2\"}", 1, 2);
		lode_counters_release(&grid);
		lode_counter_log_free(log);
	}
}

/* Labels that differ behind their first hundreds of bytes are labels of different series. */
static void long_labels_part_series(void **state)
{
	char text[4000];
	size_t n = 0;
	struct lode_counters grid;

	(void)state;
	for (int i = 0; i < 4; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "m{id=\"%0700d%d\"} %d %d000\n",
				      0, i % 2, i, 1795233865 + i / 2);
	align_text(&grid, text, 0);
	assert_int_equal(grid.n_counters, 2);
	lode_counters_release(&grid);
}

static void bad_lines_cost_nothing_else(void **state)
{
	static const char text[] = "#\n#\n#\n#\n#\n#\n#\n#\n"
				   "m{a=\"1\"} 1 1795233865000\n"
				   "m{a=\"1} 1 1795233865000\n"
				   "m{a} 1 1795233865000\n"
				   "m{a=\"1\"\n"
				   "m{a=\"1\"} x 1795233866000\n"
				   "m{a=\"1\"} 1 yesterday\n"
				   "m{a=\"1\"} 1 -5\n"
				   "m{a=\"1\"} 1 1795233866000 more\n"
				   "m{a=\"1\"} {count:1, sum:2} 1795233866000\n"
				   "m{a=\"1\"} 3\n"
				   "m{a=\"1\"} 2 1795233866000\n";
	struct lode_counters grid;

	(void)state;
	align_text(&grid, text, 9);
	assert_int_equal(grid.n_counters, 1);
	check(&grid, "shop", "m{a=\"1\"}", 1, 2);
	lode_counters_release(&grid);
}

static void a_scrape_without_times_is_refused(void **state)
{
	static const char text[] = "# TYPE m counter\nm 1\nn{a=\"1\"} 2\n# EOF\n";
	struct lode_counter_log *log = lode_counter_log_new();
	struct lode_counter_facts facts;
	struct lode_error err;

	(void)state;
	assert_int_equal(read_text(log, text, strlen(text), &facts, &err), LODE_ERR_FORMAT);
	assert_non_null(strstr(err.message, "have no times"));
	assert_non_null(strstr(err.message, "promtool tsdb dump"));
	assert_non_null(strstr(err.message, "query_range"));
	lode_counter_log_free(log);
}

/* Wherever it is cut: whole lines are read, and a part of one is a loss, never a number. */
static void cuts_give_whole_lines(void **state)
{
	size_t size = sizeof(scrapes) - 1, n_samples = 0;

	(void)state;
	for (size_t len = 1; len <= size; len++) {
		struct lode_counter_log *log = lode_counter_log_new();
		const struct lode_losses *losses = lode_counter_log_losses(log);
		size_t line = len;
		struct lode_counter_facts facts;
		struct lode_error err;
		int rc = read_text(log, scrapes, len, &facts, &err);

		while (line && scrapes[line - 1] != '\n')
			line--;
		if (line == len) {
			for (line--; line && scrapes[line - 1] != '\n'; line--)
				;
			n_samples += scrapes[line] != '#';
			line = len;
		}
		assert_int_equal(facts.n_rows, n_samples);
		assert_int_equal(rc, n_samples ? LODE_OK : LODE_ERR_FORMAT);
		if (n_samples)
			assert_int_equal(losses->by_kind[LODE_LOSS_TRUNCATED].count,
					 line < len && scrapes[line] != '#');
		assert_int_equal(losses->by_kind[LODE_LOSS_BAD_RECORD].count, 0);
		lode_counter_log_free(log);
	}
	assert_int_equal(n_samples, 16);
}

static void other_texts_are_none(void **state)
{
	static const char *const others[] = {
		"main;read 12\nmain;write 3\n", "main 12\nidle 7\n", "# a comment\n\n",
		"{\"a\": 1}\n{\"b\": 2}\n",	"time,cpu\n1,2\n",   "m{a=\"1\"} 1 2\nand a line\n",
		"cpu 1\nmem 2\n# EOF\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (lode_format_exposition.recognise((const uint8_t *)others[i], strlen(others[i])))
			fail_msg("taken for Prometheus' text: %s", others[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scrapes_one_behind_the_other_are_series),
		cmocka_unit_test(forms_of_names_and_times_are_one),
		cmocka_unit_test(long_labels_part_series),
		cmocka_unit_test(bad_lines_cost_nothing_else),
		cmocka_unit_test(a_scrape_without_times_is_refused),
		cmocka_unit_test(cuts_give_whole_lines),
		cmocka_unit_test(other_texts_are_none),
	};
	int failed;

	scratch_make(&scratch);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	scratch_remove(&scratch);
	return failed;
}
