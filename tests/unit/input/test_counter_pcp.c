/* input/formats/counters: archives of Performance Co-Pilot, made by its own import library, hold
   what was put into them; folders of counters are all of their files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "find_counter.h"
#include "scratch.h"
#include "input/formats/counters/counter_source.h"

#define NS    INT64_C(1000000000)
#define START INT64_C(1795233864) /* 2026-11-21 04:04:24 UTC */

static struct scratch scratch;

/* Two rows of one counter, as a table. */
static void write_table(const char *name, const char *counter, int64_t start_s)
{
	char text[200];

	snprintf(text, sizeof(text), "time,%s\n%lld,1\n%lld,2\n", counter, (long long)start_s,
		 (long long)start_s + 1);
	scratch_write(scratch_path(&scratch, "%s", name), text, strlen(text));
}

static void folders_are_all_of_their_files(void **state)
{
	struct lode_counter_log *log = lode_counter_log_new();
	struct lode_counter_facts facts;
	struct lode_counters grid;
	struct lode_error err;
	char path[200];

	(void)state;
	write_table("folder/web.csv", "cpu", START);
	write_table("folder/deep/er/db.csv", "cpu", START);
	write_table("folder/.hidden.csv", "cpu", START);
	scratch_write(scratch_path(&scratch, "folder/notes.txt"), "not counters\n", 13);
	scratch_write(scratch_path(&scratch, "folder/bad.csv"), "time,x\n1795233864\n12,\n", 22);
	snprintf(path, sizeof(path), "%s/folder", scratch.dir);
	assert_int_equal(lode_counters_read(log, path, NULL, &facts, &err), 0);
	assert_int_equal(facts.n_rows, 4);
	assert_int_equal(lode_counters_align(&grid, log, NS, NULL, &err), 0);
	assert_int_equal(grid.n_counters, 2);
	assert_non_null(find_counter(&grid, "web", "cpu"));
	assert_non_null(find_counter(&grid, "db", "cpu"));
	lode_counters_release(&grid);
	lode_counter_log_free(log);

	log = lode_counter_log_new();
	(void)scratch_path(&scratch, "empty/folder/x");
	snprintf(path, sizeof(path), "%s/empty", scratch.dir);
	assert_int_equal(lode_counters_read(log, path, NULL, &facts, &err), LODE_ERR_FORMAT);
	lode_counter_log_free(log);
}

#ifdef LODE_HAVE_PCP_IMPORT

#include <pcp/pmapi.h>

#include <pcp/import.h>

enum { N = 20, BREAK = 10, GAP_S = 30 }; /* a mark after so many samples, and time lost there */

static void must(int rc)
{
	if (rc < 0)
		fail_msg("%s", pmiErrStr(rc));
}

static void put(const char *metric, const char *instance, int value)
{
	char text[32];

	snprintf(text, sizeof(text), "%d", value);
	must(pmiPutValue(metric, instance, text));
}

/* When sample `i` was taken. */
static int64_t second_of(int i)
{
	return START + i + (i < BREAK ? 0 : GAP_S);
}

/* A counter of two disks in KB, a state, a constant that changes once, a text, a time in ms. */
static void write_archive(const char *base, const char *host)
{
	pmInDom disks = pmiInDom(245, 1);

	must(pmiStart(base, 0));
	must(pmiSetHostname(host));
	must(pmiSetTimezone("America/Lima")); /* for people: times in archives are UTC */
	must(pmiAddMetric("disk.dev.read_bytes", pmiID(245, 0, 1), PM_TYPE_U64, disks,
			  PM_SEM_COUNTER, pmiUnits(1, 0, 0, PM_SPACE_KBYTE, 0, 0)));
	must(pmiAddMetric("kernel.all.nusers", pmiID(245, 0, 2), PM_TYPE_32, PM_INDOM_NULL,
			  PM_SEM_INSTANT, pmiUnits(0, 0, 0, 0, 0, 0)));
	must(pmiAddMetric("hinv.ncpu", pmiID(245, 0, 3), PM_TYPE_U32, PM_INDOM_NULL,
			  PM_SEM_DISCRETE, pmiUnits(0, 0, 0, 0, 0, 0)));
	must(pmiAddMetric("kernel.uname.release", pmiID(245, 0, 4), PM_TYPE_STRING, PM_INDOM_NULL,
			  PM_SEM_DISCRETE, pmiUnits(0, 0, 0, 0, 0, 0)));
	must(pmiAddMetric("kernel.all.cpu.user", pmiID(245, 0, 5), PM_TYPE_U64, PM_INDOM_NULL,
			  PM_SEM_COUNTER, pmiUnits(0, 1, 0, 0, PM_TIME_MSEC, 0)));
	must(pmiAddInstance(disks, "sda", 0));
	must(pmiAddInstance(disks, "sdb", 1));
	for (int i = 0; i < N; i++) {
		if (i == BREAK)
			must(pmiPutMark());
		put("disk.dev.read_bytes", "sda", i < BREAK ? 100 + 10 * i : 5 * i);
		put("disk.dev.read_bytes", "sdb", 7 * i);
		put("kernel.all.nusers", NULL, i);
		put("kernel.all.cpu.user", NULL, 250 * i);
		if (i == 0 || i == 5) {
			put("hinv.ncpu", NULL, i ? 4 : 2);
			must(pmiPutValue("kernel.uname.release", NULL, "6.1"));
		}
		must(pmiWrite((int)second_of(i), 500000));
	}
	must(pmiEnd());
}

static void check(const struct lode_counters *grid, const char *host, const char *name, int i,
		  double want)
{
	const struct lode_counter *counter = find_counter(grid, host, name);
	int64_t at;

	if (!counter)
		fail_msg("no counter %s of %s", name, host);
	/* A sample at half past a second speaks of the second that ended half a second ago. */
	at = second_of(i) - grid->start_ns / NS - 1;
	if (isnan(want) ? !isnan(counter->at[at]) : counter->at[at] != want)
		fail_msg("%s, sample %d: %g, expected %g", name, i, counter->at[at], want);
}

static void check_host(const struct lode_counters *grid, const char *host)
{
	for (int i = 0; i < N; i++) {
		bool is_first = i == 0 || i == BREAK; /* no difference goes over a mark */

		check(grid, host, "disk.dev.read_bytes[sda]", i,
		      is_first	  ? NAN
		      : i < BREAK ? 10 * 1024
				  : 5 * 1024);
		check(grid, host, "disk.dev.read_bytes[sdb]", i, is_first ? NAN : 7 * 1024);
		check(grid, host, "kernel.all.nusers", i, i);
		check(grid, host, "kernel.all.cpu.user", i, is_first ? NAN : 0.25);
		check(grid, host, "hinv.ncpu", i, i >= BREAK ? NAN : i < 5 ? 2 : 4);
	}
	check(grid, host, "kernel.all.nusers", BREAK - 1, BREAK - 1);
	assert_true(isnan(find_counter(grid, host, "kernel.all.nusers")->at[BREAK + 5]));
}

static void archives_hold_what_was_put_into_them(void **state)
{
	static const char *const names[] = {"", "/one", "/one.0", "/one.meta", "/one.index"};
	char base[200], path[300];

	(void)state;
	snprintf(base, sizeof(base), "%s", scratch_path(&scratch, "pcp/one"));
	write_archive(base, "db1");
	snprintf(base, sizeof(base), "%s", scratch_path(&scratch, "pcp/two"));
	write_archive(base, "db2");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct lode_counter_log *log = lode_counter_log_new();
		struct lode_counter_facts facts;
		struct lode_counters grid;
		struct lode_error err;

		snprintf(path, sizeof(path), "%s/pcp%s", scratch.dir, names[i]);
		if (lode_counters_read(log, path, NULL, &facts, &err) < 0)
			fail_msg("%s: %s", path, err.message);
		assert_int_equal(lode_counters_align(&grid, log, NS, NULL, &err), 0);
		assert_int_equal(grid.n_counters, i == 0 ? 10 : 5);
		check_host(&grid, "db1");
		if (i == 0)
			check_host(&grid, "db2");
		lode_counters_release(&grid);
		lode_counter_log_free(log);
	}
}

/* Cut anywhere, an archive gives what stands before, or says that it cannot be read. */
static void cut_archives_do_no_harm(void **state)
{
	static const char *const endings[] = {"0", "meta", "index"};
	struct lode_counter_facts facts;
	struct lode_error err;
	char base[200];

	(void)state;
	snprintf(base, sizeof(base), "%s", scratch_path(&scratch, "cut/whole"));
	write_archive(base, "db1");
	for (size_t e = 0; e < 3; e++) {
		size_t size, n_rows = 0;
		char *data;

		for (size_t k = 0; k < 3; k++) {
			char from[300];

			snprintf(from, sizeof(from), "%s.%s", base, endings[k]);
			scratch_copy(scratch_path(&scratch, "cut/a.%s", endings[k]), from);
		}
		data = scratch_read(scratch_path(&scratch, "cut/a.%s", endings[e]), &size);
		for (size_t at = 0; at < size; at += 37) {
			struct lode_counter_log *log = lode_counter_log_new();

			scratch_write(scratch_path(&scratch, "cut/a.%s", endings[e]), data, at);
			if (lode_counters_read(log, scratch_path(&scratch, "cut/a.meta"), NULL,
					       &facts, &err) == 0 &&
			    e == 0) {
				assert_true(facts.n_rows >= n_rows);
				n_rows = facts.n_rows;
			}
			lode_counter_log_free(log);
		}
		assert_true(e != 0 || n_rows > 0);
		free(data);
	}
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(folders_are_all_of_their_files),
#ifdef LODE_HAVE_PCP_IMPORT
		cmocka_unit_test(archives_hold_what_was_put_into_them),
		cmocka_unit_test(cut_archives_do_no_harm),
#endif
	};
	int failed;

	scratch_make(&scratch);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	scratch_remove(&scratch);
	return failed;
}
