/* input/formats/counters: files of counters read as their samples, whatever their format. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "random.h"
#include "find_counter.h"
#include "scratch.h"
#include "input/formats/counters/counter_reader.h"

#define NS INT64_C(1000000000)

static struct scratch scratch;

struct sample {
	const char *what, *file, *text;
	/* One counter at the grid's first interval, and how many counters there are. */
	const char *server, *counter;
	int64_t start_s;
	double first;
	size_t n;
};

/* 1795233864 is 2026-11-21 04:04:24 UTC. */
static const struct sample samples[] = {
	{"plain CSV, the server in the file's name", "counters_web.csv",
	 "time,cpu,mem\n1795233865.002,1.5,7\n1795233866.002,2.5,\n", "web", "cpu", 1795233864, 1.5,
	 2},
	{"plain CSV with a column of servers, and a mark of byte order", "all.csv",
	 "\xef\xbb\xbftimestamp;host;cpu\n2026-11-21T04:04:25Z;a;1\n2026-11-21T04:04:25Z;b;2\n"
	 "2026-11-21T04:04:26Z;a;3\n2026-11-21T04:04:26Z;b;4\n",
	 "b", "cpu", 1795233864, 2, 2},
	{"long table", "long.csv",
	 "ts,server,metric,value\n1795233865,a,x,1\n1795233865,a,y,2\n1795233866,a,x,3\n"
	 "1795233866,a,y,4\n",
	 "a", "y", 1795233864, 2, 2},
	{"dstat", "dstat.csv",
	 "\"Dstat 0.8.0 CSV output\"\n\"Author:\",\"D\",,,,\"URL:\",\"h\"\n"
	 "\"Host:\",\"vm\",,,,\"User:\",\"root\"\n"
	 "\"Cmdline:\",\"dstat\",,,,\"Date:\",\"21 Nov 2026 04:04:24 UTC\"\n"
	 "\"epoch\",\"total cpu "
	 "usage\",,\"dsk/total\",\n\"epoch\",\"usr\",\"sys\",\"read\",\"writ\"\n"
	 "1795233865.1,64.434,9.068,1,2\n1795233866.1,4,9,1,2\n",
	 "vm", "total cpu usage/sys", 1795233864, 9.068, 4},
	{"Windows' performance monitor: a wall clock and what it lacks to UTC", "p.csv",
	 "\"(PDH-CSV 4.0) (W. Europe Standard Time)(-60)\",\"\\\\HOST\\Processor(_Total)\\% "
	 "Processor Time\",\"\\\\HOST\\Memory\\Available Bytes\"\r\n\"11/21/2026 "
	 "05:04:25.000\",\"12.5\",\" \"\r\n\"11/21/2026 05:04:26.000\",\"13.5\",\"4\"\r\n",
	 "HOST", "Processor(_Total)\\% Processor Time", 1795233864, 12.5, 2},
	{"collectd: the path tells", "db/cpu-0/cpu-user-2026-11-21",
	 "epoch,value\n1795233865.000,3.25\n1795233866.000,4\n", "db", "cpu-0/cpu-user", 1795233864,
	 3.25, 1},
	{"sadf's text: tables one behind the other", "sadf.txt",
	 "# hostname;interval;timestamp;CPU;%user;%idle\nvm;1;2026-11-21 04:04:25 UTC;-1;42.08;50\n"
	 "vm;1;2026-11-21 04:04:26 UTC;-1;34;60\nvm;-1;2026-11-21 04:04:27 UTC;LINUX-RESTART\t(2 "
	 "CPU)\n# hostname;interval;timestamp;proc/s\nvm;1;2026-11-21 04:04:25 "
	 "UTC;5\nvm;1;2026-11-21 "
	 "04:04:26 UTC;6\n",
	 "vm", "CPU all %user", 1795233864, 42.08, 3},
	{"sadf's text: of interrupts sysstat 12.6 tells all CPUs, then each", "interrupts.txt",
	 "# hostname;interval;timestamp;INTR;CPU*\nvm;1;2026-11-21 04:04:25 "
	 "UTC;sum;947.00;399.00;548.00\nvm;1;2026-11-21 04:04:26 UTC;sum;715.00\n",
	 "vm", "INTR sum intr/s", 1795233864, 947, 1},
	{"sadf's JSON", "sadf.json",
	 "{\"sysstat\":{\"hosts\":[{\"nodename\":\"vm\",\"statistics\":[{\"timestamp\":{\"date\":"
	 "\"2026-11-21\",\"time\":\"04:04:25\",\"utc\":1,\"interval\":1},\"cpu-load\":[{\"cpu\":"
	 "\"all\",\"user\":42.08},{\"user\":1,\"cpu\":\"0\"}]},{\"timestamp\":{\"date\":"
	 "\"2026-11-21\",\"time\":\"04:04:26\",\"utc\":1},\"cpu-load\":[{\"cpu\":\"all\",\"user\":7"
	 "}]}]}]}}",
	 "vm", "cpu-load/0/user", 1795233864, 1, 2},
	{"Prometheus: totals become rates", "prom.json",
	 "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[{\"metric\":{"
	 "\"__name__\":\"requests_total\",\"instance\":\"web1:9100\",\"code\":\"200\"},\"values\":["
	 "["
	 "1795233864,\"10\"],[1795233865,\"14\"],[1795233866,\"19\"]]}]}}",
	 "web1", "requests_total{code=\"200\"}", 1795233863, NAN, 1},
};

static const char *write_file(const char *name, const char *text, size_t len)
{
	const char *path = scratch_path(&scratch, "%s", name);

	scratch_write(path, text, len);
	return path;
}

static void formats_read_as_their_samples(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		const struct sample *s = &samples[i];
		struct lode_counter_log *log = lode_counter_log_new();
		const char *path = write_file(s->file, s->text, strlen(s->text));
		struct lode_counter_facts facts;
		struct lode_counters grid;
		const struct lode_counter *counter;
		struct lode_error err;

		assert_true(lode_format_find_unnamed(LODE_HOLDS_COUNTERS, (const uint8_t *)s->text,
						     strlen(s->text)));
		if (lode_counters_read(log, path, NULL, &facts, &err) < 0)
			fail_msg("%s: %s", s->what, err.message);
		assert_int_equal(lode_counters_align(&grid, log, NS, NULL, &err), 0);
		if (grid.n_counters != s->n)
			fail_msg("%s: %zu counters", s->what, grid.n_counters);
		counter = find_counter(&grid, s->server, s->counter);
		if (!counter)
			fail_msg("%s: no counter %s of %s", s->what, s->counter, s->server);
		assert_int_equal(grid.start_ns / NS, s->start_s);
		if (isnan(s->first) ? !isnan(counter->at[0]) : counter->at[0] != s->first)
			fail_msg("%s: %g, expected %g", s->what, counter->at[0], s->first);
		assert_int_equal(lode_counter_log_losses(log)->by_kind[LODE_LOSS_BAD_RECORD].count,
				 0);
		lode_counters_release(&grid);
		lode_counter_log_free(log);
	}
}

/* The time zone of a header is none, and one row's time overflows with it: both are said. */
static void wrong_times_of_windows_are_losses(void **state)
{
	static const char head[] = "\"(PDH-CSV 4.0) (Somewhere)(%s)\",\"\\\\HOST\\x\"\r\n"
				   "\"11/21/2026 04:04:25.000\",\"12.5\"\r\n"
				   "\"%s\",\"13.5\"\r\n";
	static const struct {
		const char *zone, *second, *said;
	} cases[] = {{"-605908479860", "11/21/2026 04:04:26.000", "line 1 "},
		     {"99999999999999999999", "11/21/2026 04:04:26.000", "line 1 "},
		     {"60", "9223372036854775807", "line 3 "}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct lode_counter_log *log = lode_counter_log_new();
		const struct lode_loss *bad =
			&lode_counter_log_losses(log)->by_kind[LODE_LOSS_BAD_RECORD];
		struct lode_counter_facts facts;
		struct lode_error err;
		char text[300];

		snprintf(text, sizeof(text), head, cases[i].zone, cases[i].second);
		assert_int_equal(lode_counters_read(log, write_file("z.csv", text, strlen(text)),
						    NULL, &facts, &err),
				 0);
		assert_int_equal(bad->count, 1);
		assert_non_null(strstr(bad->detail, cases[i].said));
		lode_counter_log_free(log);
	}
}

/* Tables with times that hold no counters: lists of incidents, of requests, of files. */
static void other_tables_are_none(void **state)
{
	static const char *const others[] = {
		"start\tend\tstart_utc\tend_utc\tkind\ttier\tseverity\tdescription\n"
		"1795233914.7\t1795233939.7\t2026-11-21T04:05:14Z\t2026-11-21T04:05:39Z\tcpu_"
		"hog\tapp"
		"\t1\tCPU-bound processes\n"
		"1795234077.6\t1795234108.6\t2026-11-21T04:07:57Z\t2026-11-21T04:08:"
		"28Z\tlock\tdb\t2"
		"\tan exclusive lock\n",
		"time,user,action,seconds\n1795233865.002,u1,browse,0.2\n1795233866.002,u2,buy,1\n",
		"file,bytes,made\nrun-01.data,120,1795233865\nrun-02.data,130,1795233866\n",
		"time,cpu\nyesterday,1\ntoday,2\n1795233866,3\n",
		"time,cpu\n",
		"x,y\n1,2\n3,4\n",
	};
	/* And counters that a hasty look would take for something else. */
	static const char *const counters[] = {
		"cpu,mem,timestamp\n1,2,1795233865\n3,4,1795233866\n",
		"time,cpu,mem\r\n1795233865,,\r\n1795233866,1,2\r\n",
		"time,cpu,state\n1795233865,5,up\n1795233866,6,\nlate,7,\n",
		"\"time\",\"cpu, all\"\n\"2026-11-21 04:04:25\",\"1.5\"\n",
		"time,cpu\n1795233865,1",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (lode_format_find_unnamed(LODE_HOLDS_COUNTERS, (const uint8_t *)others[i],
					     strlen(others[i])))
			fail_msg("counters: %s", others[i]);
	for (size_t i = 0; i < sizeof(counters) / sizeof(*counters); i++)
		if (!lode_format_find_unnamed(LODE_HOLDS_COUNTERS, (const uint8_t *)counters[i],
					      strlen(counters[i])))
			fail_msg("no counters: %s", counters[i]);
}

/* Header and rows longer than what most formats are told by. */
static void check_wide_table(int n_columns)
{
	enum { ROWS = 3 };
	char *text = lode_alloc((size_t)n_columns * (ROWS + 1) * 16);
	struct lode_counter_log *log = lode_counter_log_new();
	struct lode_counter_facts facts;
	struct lode_counters grid;
	struct lode_error err;
	size_t n = 0;

	for (int row = -1; row < ROWS; row++) {
		n += (size_t)(row < 0 ? sprintf(text + n, "time")
				      : sprintf(text + n, "%d", 1795233865 + row));
		for (int i = 0; i < n_columns; i++)
			n += (size_t)sprintf(text + n, row < 0 ? ",c%d" : ",%d", i);
		text[n++] = '\n';
	}
	assert_int_equal(
		lode_counters_read(log, write_file("wide.csv", text, n), NULL, &facts, &err), 0);
	assert_int_equal(lode_counters_align(&grid, log, NS, NULL, &err), 0);
	assert_int_equal(grid.n_counters, n_columns);
	lode_counters_release(&grid);
	lode_counter_log_free(log);
	free(text);
}

static void tables_of_thousands_of_columns_are_read(void **state)
{
	(void)state;
	check_wide_table(3000);
	check_wide_table(20000); /* the header alone is more than formats are told by */
}

static void the_user_s_name_of_a_server_holds(void **state)
{
	struct lode_counter_log *log = lode_counter_log_new();
	struct lode_counter_facts facts;
	struct lode_counters grid;
	struct lode_error err;

	(void)state;
	assert_int_equal(lode_counters_read(
				 log, write_file("x.csv", samples[3].text, strlen(samples[3].text)),
				 "db7", &facts, &err),
			 0);
	assert_int_equal(lode_counters_align(&grid, log, NS, NULL, &err), 0);
	for (size_t i = 0; i < grid.n_counters; i++)
		assert_string_equal(grid.counters[i].server, "db7");
	lode_counters_release(&grid);
	lode_counter_log_free(log);
}

static void bad_rows_cost_nothing_else(void **state)
{
	static const char text[] = "time,a,b\n1795233865,1,2\nyesterday,1,2\n1795233866,1,2,3,4,5\n"
				   "1795233867,x,2\n1795233868,3,4\n";
	struct lode_counter_log *log = lode_counter_log_new();
	struct lode_counter_facts facts;
	struct lode_error err;

	(void)state;
	assert_int_equal(lode_counters_read(log, write_file("bad.csv", text, strlen(text)), NULL,
					    &facts, &err),
			 0);
	assert_int_equal(facts.n_rows, 3);
	assert_int_equal(lode_counter_log_losses(log)->by_kind[LODE_LOSS_BAD_RECORD].count, 3);
	assert_int_equal(lode_counter_log_values(log), 5);
	lode_counter_log_free(log);
	log = lode_counter_log_new();
	assert_int_equal(lode_counters_read(log, write_file("no.csv", "hello\n", 6), NULL, &facts,
					    &err),
			 LODE_ERR_FORMAT);
	assert_int_equal(lode_counters_read(log, write_file("no.csv", "", 0), NULL, &facts, &err),
			 LODE_ERR_FORMAT);
	lode_counter_log_free(log);
}

/* Every decimal text is the number that the C library reads. */
static void numbers_are_those_of_strtod(void **state)
{
	struct test_random random = {3};
	char text[80];

	(void)state;
	for (int i = 0; i < 50000; i++) {
		uint64_t mantissa = test_random_next(&random) >> test_random_below(&random, 60);
		int n = snprintf(text, sizeof(text), "%s%" PRIu64,
				 test_random_below(&random, 4) ? "" : "-", mantissa);
		bool is_bad = false;
		double got;

		if (test_random_below(&random, 2))
			n += snprintf(text + n, sizeof(text) - (size_t)n, ".%0*u",
				      (int)test_random_below(&random, 12) + 1,
				      test_random_below(&random, 1000));
		if (test_random_below(&random, 10) == 0)
			n += snprintf(text + n, sizeof(text) - (size_t)n, "e%d",
				      (int)test_random_below(&random, 40) - 20);
		got = lode_counter_number(text, (size_t)n, &is_bad);
		assert_false(is_bad);
		if (got != strtod(text, NULL))
			fail_msg("%s: %.17g", text, got);
	}
	for (const char *const *p = (const char *const[]){"", "-", " ", "nan", "inf", NULL}; *p;
	     p++) {
		bool is_bad = false;

		assert_true(isnan(lode_counter_number(*p, strlen(*p), &is_bad)));
		assert_false(is_bad);
	}
	for (const char *const *p = (const char *const[]){"x", "1x", "1.2.3", "--1", NULL}; *p;
	     p++) {
		bool is_bad = false;

		assert_true(isnan(lode_counter_number(*p, strlen(*p), &is_bad)) && is_bad);
	}
}

/* Stands in for sadf: behind the magic number is its text, as long as END ends it. */
static void install_sadf(void)
{
	static const char script[] = "#!/bin/sh\n"
				     "tail -c +3 \"$3\" | grep -v '^END$'\n"
				     "tail -c +3 \"$3\" | grep -q '^END$' || exit 2\n";
	const char *path = write_file("bin/sadf", script, strlen(script));
	char search[PATH_MAX + 4096];

	assert_int_equal(chmod(path, 0755), 0);
	snprintf(search, sizeof(search), "%s/bin:%s", scratch.dir, getenv("PATH"));
	setenv("PATH", search, 1);
}

static const char *write_packed(const char *name, const char *text, size_t len)
{
	const char *path = scratch_path(&scratch, "%s", name);
	gzFile file = gzopen(path, "wb");

	assert_int_equal(gzwrite(file, text, (unsigned)len), len);
	assert_int_equal(gzclose(file), Z_OK);
	return path;
}

#define SAR_MAGIC "\x96\xd5"
#define SADF_ROWS                                                                      \
	"# hostname;interval;timestamp;CPU;%user;%idle\nvm;1;1795233865;-1;42.08;50\n" \
	"vm;1;1795233866;-1;34;60\n"

/* What one file gives: values, and how often it was cut. */
static int read_sar(const char *path, size_t *n_values, uint64_t *n_cut, struct lode_error *err)
{
	struct lode_counter_log *log = lode_counter_log_new();
	struct lode_counter_facts facts;
	int rc = lode_counters_read(log, path, NULL, &facts, err);

	*n_values = facts.n_rows;
	*n_cut = lode_counter_log_losses(log)->by_kind[LODE_LOSS_TRUNCATED].count;
	lode_counter_log_free(log);
	return rc;
}

static void binary_files_of_sar_read_plain_and_packed(void **state)
{
	static const char whole[] = SAR_MAGIC SADF_ROWS "END\n", cut[] = SAR_MAGIC SADF_ROWS;
	char *was = lode_strdup(getenv("PATH"));
	struct lode_error err;
	uint64_t n_cut;
	size_t n;

	(void)state;
	install_sadf();
	assert_int_equal(read_sar(write_file("sa", whole, sizeof(whole) - 1), &n, &n_cut, &err), 0);
	assert_int_equal(n, 4);
	assert_int_equal(n_cut, 0);
	assert_int_equal(
		read_sar(write_packed("sa.gz", whole, sizeof(whole) - 1), &n, &n_cut, &err), 0);
	assert_int_equal(n, 4);
	assert_int_equal(n_cut, 0);
	/* What sadf gave before it stopped is kept, and that it stopped is told. */
	assert_int_equal(read_sar(write_packed("cut.gz", cut, sizeof(cut) - 1), &n, &n_cut, &err),
			 0);
	assert_int_equal(n, 4);
	assert_int_equal(n_cut, 1);
	/* Nothing at all: what to do next is told. */
	assert_int_equal(read_sar(write_file("bad", SAR_MAGIC, 2), &n, &n_cut, &err),
			 LODE_ERR_FORMAT);
	assert_non_null(strstr(err.message, "sadf -c"));
	setenv("PATH", "/nowhere", 1);
	assert_int_equal(read_sar(write_file("sa", whole, sizeof(whole) - 1), &n, &n_cut, &err),
			 LODE_ERR_UNSUPPORTED);
	assert_non_null(strstr(err.message, "install sysstat"));
	setenv("PATH", was, 1);
	free(was);
}

/* A real collector's files of one machine and time agree: dstat, sadf's text, sar's binary file
   where there is a sadf. */
static void files_of_one_machine_agree(void **state)
{
	static const char *const files[] = {"sadf.csv.zst", "dstat.csv.zst", "sar.bin.zst"};
	static const char *const names[] = {"ldavg-1", "load avg/1m", "ldavg-1"};
	const char *top = getenv("LODE_TOP");
	double sums[3] = {0};
	int n_files = access("/usr/bin/sadf", X_OK) == 0 ? 3 : 2;

	(void)state;
	for (int i = 0; i < n_files; i++) {
		struct lode_counter_log *log = lode_counter_log_new();
		struct lode_counter_facts facts;
		struct lode_counters grid;
		const struct lode_counter *counter;
		struct lode_error err;
		char path[600];

		snprintf(path, sizeof(path), "%s/../shared/pio/auction/P1/%s", top ? top : ".",
			 files[i]);
		if (access(path, R_OK) != 0) {
			lode_counter_log_free(log);
			skip();
		}
		assert_int_equal(lode_counters_read(log, path, NULL, &facts, &err), 0);
		assert_int_equal(lode_counters_align(&grid, log, NS, NULL, &err), 0);
		counter = find_counter(&grid, "vm", names[i]);
		assert_non_null(counter);
		for (size_t k = 0; k < grid.n_intervals; k++)
			sums[i] += isnan(counter->at[k]) ? 0 : counter->at[k] / 1800;
		lode_counters_release(&grid);
		lode_counter_log_free(log);
	}
	for (int i = 1; i < n_files; i++)
		assert_true(fabs(sums[0] - sums[i]) < 0.02 * sums[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(formats_read_as_their_samples),
		cmocka_unit_test(wrong_times_of_windows_are_losses),
		cmocka_unit_test(other_tables_are_none),
		cmocka_unit_test(tables_of_thousands_of_columns_are_read),
		cmocka_unit_test(the_user_s_name_of_a_server_holds),
		cmocka_unit_test(bad_rows_cost_nothing_else),
		cmocka_unit_test(numbers_are_those_of_strtod),
		cmocka_unit_test(binary_files_of_sar_read_plain_and_packed),
		cmocka_unit_test(files_of_one_machine_agree),
	};
	int failed;

	scratch_make(&scratch);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	scratch_remove(&scratch);
	return failed;
}
