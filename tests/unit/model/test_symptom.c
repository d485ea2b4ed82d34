/* model/symptom.h and model/symptom_table.h: who waited and when, in all the ways to say it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/builder.h"
#include "model/symptom.h"
#include "model/symptom_table.h"
#include "random.h"
#include "cases.h"

static char table_path[] = "/tmp/lode-test-symptoms-XXXXXX";

enum { RAW_MAIN = 1, RAW_WORK, RAW_EPOLL, N_RAW };

static void on_switch(struct lode_builder *b, int64_t t, uint32_t cpu, int32_t prev, int32_t next,
		      uint32_t stack)
{
	lode_builder_switch(b, &(struct lode_switch){.t_ns = t,
						     .cpu = cpu,
						     .prev_pid = prev,
						     .next_pid = next,
						     .left = LODE_LEFT_SLEEPING,
						     .stack = stack});
}

/*
 * perf's command git (7, with thread 8) from before the recording, which starts 50 and runs
 * server (9) in it: born 120, exec 130, epoll from 160 and 190, exit 200. The tid 9 is used again.
 */
static struct lode_stream *make_stream(const char *path)
{
	struct lode_builder *b = lode_builder_new(path, "x", "ns", NULL);
	struct lode_calltree *tree = &lode_builder_stream(b)->tree;
	uint32_t nodes[N_RAW] = {0};

	nodes[RAW_MAIN] = lode_calltree_push(tree, 0, lode_frame_intern(tree, "git", "main", 0));
	nodes[RAW_WORK] = lode_calltree_push(tree, nodes[RAW_MAIN],
					     lode_frame_intern(tree, "git", "do_work", 0));
	nodes[RAW_EPOLL] = lode_calltree_push(
		tree, nodes[RAW_MAIN],
		lode_frame_intern(tree, "[kernel]", "__x64_sys_epoll_wait", LODE_FRAME_KERNEL));
	lode_builder_fork(b, 0, 2, 2, 0, 0);
	lode_builder_comm(b, 0, 2, 2, "kthreadd", false);
	lode_builder_comm(b, 0, 5, 5, "sshd", false);
	lode_builder_comm(b, 0, 7, 7, "perf-exec", false);
	lode_builder_time(b, 50);
	on_switch(b, 60, 0, 5, 2, RAW_MAIN);
	lode_builder_comm(b, 61, 7, 7, "git", true);
	lode_builder_fork(b, 62, 7, 8, 7, 7);
	lode_builder_comm(b, 63, 7, 8, "git-preload", false);
	on_switch(b, 70, 0, 2, 7, RAW_MAIN);
	on_switch(b, 80, 0, 7, 8, RAW_WORK);
	on_switch(b, 90, 0, 8, 0, RAW_WORK);
	lode_builder_fork(b, 120, 9, 9, 5, 5);
	lode_builder_comm(b, 130, 9, 9, "server", true);
	on_switch(b, 140, 0, 0, 9, 0);
	on_switch(b, 150, 0, 9, 0, RAW_WORK);
	on_switch(b, 155, 0, 0, 9, 0);
	on_switch(b, 160, 0, 9, 0, RAW_EPOLL);
	on_switch(b, 170, 0, 0, 9, 0);
	on_switch(b, 180, 0, 9, 0, RAW_WORK);
	on_switch(b, 185, 0, 0, 9, 0);
	on_switch(b, 190, 0, 9, 0, RAW_EPOLL);
	on_switch(b, 195, 0, 0, 9, 0);
	lode_builder_exit(b, 200, 9, 9);
	lode_builder_switch(
		b, &(struct lode_switch){.t_ns = 200, .prev_pid = 9, .left = LODE_LEFT_DEAD});
	lode_builder_fork(b, 210, 9, 9, 5, 5);
	on_switch(b, 220, 0, 0, 9, 0);
	on_switch(b, 300, 0, 9, 0, RAW_WORK);
	return lode_builder_finish(b, nodes, N_RAW);
}

static void write_table(const char *text, size_t len)
{
	FILE *f = fopen(table_path, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

/* The symptoms as one text: "7 50-300, 8 62-300". */
static const char *found(const struct lode_symptom_options *options, const char *stream_path)
{
	static char text[1024];
	struct lode_stream *stream = make_stream(stream_path);
	struct lode_symptom_spec *spec;
	lode_symptom_vec symptoms = {0};
	struct lode_error err;
	size_t at = 0;

	if (lode_symptom_spec_new(&spec, options, &err) < 0) {
		assert_null(spec);
		lode_stream_free(stream);
		return lode_error_text(&err, text, sizeof(text));
	}
	assert_int_equal(lode_symptoms_find(&symptoms, spec, stream, NULL, &err), 0);
	text[0] = '\0';
	for (size_t i = 0; i < symptoms.n; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%d %lld-%lld",
				       i ? ", " : "", stream->threads.at[symptoms.at[i].thread].tid,
				       (long long)symptoms.at[i].t0_ns,
				       (long long)symptoms.at[i].t1_ns);
	lode_vec_release(&symptoms);
	lode_symptom_spec_free(spec);
	lode_stream_free(stream);
	return text;
}

static void selections_find_their_threads_and_times(void **state)
{
	static const struct {
		struct lode_symptom_options options;
		const char *expected;
	} rows[] = {
		{{.pid = -1}, "7 50-300, 8 62-300"},
		{{.pid = 0}, "7 50-300, 8 62-300"},
		{{.pid = 7}, "7 50-300, 8 62-300"},
		{{.pid = 5}, ""},
		{{.comm = "git-*"}, "8 62-300"},
		{{.min_ns = 239}, "7 50-300"},
		{{.select = "comm=git"}, "7 50-300"},
		{{.select = "comm=git*"}, "7 50-300"},
		{{.select = "comm=git,threads"}, "7 50-300, 8 62-300"},
		{{.select = "pid=7"}, "7 50-300"},
		{{.select = "pid=7,threads"}, "7 50-300, 8 62-300"},
		{{.select = "pid=7,threads", .comm = "git-preload"}, "8 62-300"},
		{{.select = "tid=8"}, "8 62-300"},
		{{.select = "tid=9"}, "9 120-200, 9 210-300"},
		/* The second 9 is a child of sshd that kept its name. */
		{{.select = "comm=ssh?"}, "5 50-300, 9 210-300"},
		{{.select = "comm=kthreadd"}, "2 50-300"},
		{{.select = "comm=nobody"}, ""},
		{{.select = "comm=server,from=start,to=exit"}, "9 120-200"},
		{{.select = "comm=server,from=exec,to=exit"}, "9 130-200"},
		{{.select = "comm=server,from=exec"}, "9 130-200"},
		{{.select = "comm=server,from=exec,to=syscall:epoll_wait"}, "9 130-160"},
		{{.select = "comm=server,from=exec,to=*epoll*"}, "9 130-160"},
		{{.select = "comm=server,from=do_work,to=syscall:epoll_wait"},
		 "9 140-160, 9 170-190"},
		{{.select = "comm=server,from=do_work,to=syscall:epoll_wait", .min_ns = 20},
		 "9 140-160, 9 170-190"},
		{{.select = "tid=9,to=syscall:epoll_wait"}, "9 120-160"},
		{{.select = "comm=server,from=exec,to=never"}, ""},
		{{.select = "comm=sshd,from=start"}, "9 210-300"},
		{{.select = "from=exec"}, "7 61-300"},
		{{.select = "comm"},
		 "symptom: \"comm\" is not one of comm=, pid=, tid=, from=, to=, key=, "
		 "shared-key=, threads"},
		{{.select = "pid=x"}, "symptom: pid=x is not a number above 0"},
		{{.select = "tid=99999999999"}, "symptom: tid=99999999999 is not a number above 0"},
		{{.select = "comm=git,from="}, "symptom: from= is empty"},
		{{.select = "colour=red"},
		 "symptom: \"colour=\" is not one of comm=, pid=, tid=, from=, to=, key=, "
		 "shared-key="},
		{{.select = ""},
		 "symptom: \"\" is not one of comm=, pid=, tid=, from=, to=, key=, "
		 "shared-key=, threads"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *text = found(&rows[i].options, "a.data");

		if (strcmp(text, rows[i].expected) != 0)
			fail_msg("%s gives %s, not %s",
				 rows[i].options.select ? rows[i].options.select : "(none)", text,
				 rows[i].expected);
	}
}

static const char *from_table(const char *table, const char *stream_path)
{
	write_table(table, strlen(table));
	return found(&(struct lode_symptom_options){.tsv_path = table_path}, stream_path);
}

static void tables_name_streams_by_the_end_of_their_path(void **state)
{
	static const struct {
		const char *name, *path;
		bool is_same;
	} rows[] = {
		{"a.data", "a.data", true},
		{"a.data", "./a.data", true},
		{"./a.data", "a.data", true},
		{"a.data.zst", "a.data", true},
		{"a.data", "/x/a.data.zst", true},
		{"a.data.gz", "x/a.data.xz", true},
		{"runs/a.data", "/x/runs/a.data", true},
		{"../runs/a.data", "runs/a.data", true},
		{"../../runs/a.data", "/y/runs/a.data", true},
		{"/x/a.data", "/x/a.data", true},
		{"/x/a.data", "/y/x/a.data", false},
		{"runs/a.data", "/x/truns/a.data", false},
		{"a.data", "/x/ba.data", false},
		{"a.data", "a.data/b", false},
		{"a", "a.data", false},
		{"...", "...", true},
		{".zst", ".zst", true},
	};
	char table[256];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool is_same;

		snprintf(table, sizeof(table), "stream\ttid\tt0_ns\tt1_ns\n%s\t7\t10\t20\n",
			 rows[i].name);
		is_same = !strcmp(from_table(table, rows[i].path), "7 10-20");
		if (is_same != rows[i].is_same)
			fail_msg("%s names %s: %d", rows[i].name, rows[i].path, is_same);
	}
}

static void tables_are_read_as_people_write_them(void **state)
{
	(void)state;
	assert_string_equal(
		from_table("# made by hand\r\n\r\n\t \r\nt1_ns\tcomm\ttid\ttrace\tt0_ns\r\n"
			   "99\tgit\t7\ta.data\t-5\r\n"
			   "# more\r\n"
			   "80\tgit\t8\ta.data\t70\t\t\textra\r\n"
			   "80\tgit\t8\tb.data\t70",
			   "a.data"),
		"7 -5-99, 8 70-80");
	assert_string_equal(from_table("\xef\xbb\xbfstream\ttid\tt0_ns\tt1_ns\na.data\t7\t1\t2",
				       "a.data"),
			    "7 1-2");
	/* A tid that was used twice means the thread that lived then. */
	assert_string_equal(from_table("stream\ttid\tt0_ns\tt1_ns\na.data\t9\t125\t205\n"
				       "a.data\t9\t190\t290\n",
				       "a.data"),
			    "9 125-205, 9 190-290");
}

static void bad_tables_are_named_with_their_line(void **state)
{
	static const struct {
		const char *table, *message;
	} rows[] = {
		{"", "the symptom table has no header"},
		{"# nothing\n\n", "the symptom table has no header"},
		{"stream\ttid\tt0_ns\n", "line 1: the header has no column t1_ns"},
		{"tid\tt0_ns\tt1_ns\n", "line 1: the header has no column stream or trace"},
		{"stream\ttrace\ttid\tt0_ns\tt1_ns\n", "line 1: duplicate column trace"},
		{"stream tid t0_ns t1_ns\n", "line 1: the header has no column stream or trace"},
		{"stream\ttid\tt0_ns\tt1_ns\na\t7\t1\n", "line 2: the row has no column t1_ns"},
		{"stream\ttid\tt0_ns\tt1_ns\n\na\tx\t1\t2\n",
		 "line 3: tid is \"x\", not a whole number"},
		{"stream\ttid\tt0_ns\tt1_ns\na\t7\t1.5\t2\n",
		 "t0_ns is \"1.5\", not a whole number"},
		{"stream\ttid\tt0_ns\tt1_ns\na\t7\t\t2\n", "t0_ns is \"\", not a whole number"},
		{"stream\ttid\tt0_ns\tt1_ns\na\t7\t1\t-\n", "t1_ns is \"-\", not a whole number"},
		{"stream\ttid\tt0_ns\tt1_ns\na\t7\t1\t9223372036854775808\n", "not a whole number"},
		{"stream\ttid\tt0_ns\tt1_ns\na\t0\t1\t2\n", "line 2: 0 is not a thread id"},
		{"stream\ttid\tt0_ns\tt1_ns\na\t-3\t1\t2\n", "line 2: -3 is not a thread id"},
		{"stream\ttid\tt0_ns\tt1_ns\na\t4294967303\t1\t2\n",
		 "4294967303 is not a thread id"},
		{"stream\ttid\tt0_ns\tt1_ns\na\t7\t2\t2\n", "line 2: t1_ns 2 is not after t0_ns 2"},
		{"stream\ttid\tt0_ns\tt1_ns\na\t7\t-9223372036854775808\t9223372036854775807\n",
		 "is not after t0_ns"},
		{"stream\ttid\tt0_ns\tt1_ns\nruns/\t7\t1\t2\n",
		 "line 2: the recording has no name"},
		{"stream\ttid\tt0_ns\tt1_ns\n\t7\t1\t2\n", "line 2: the recording has no name"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *text = from_table(rows[i].table, "a.data");

		if (strncmp(text, table_path, strlen(table_path)) != 0 ||
		    !strstr(text, rows[i].message))
			fail_msg("%s gives %s", rows[i].table, text);
	}
	assert_non_null(
		strstr(found(&(struct lode_symptom_options){.tsv_path = "/nowhere.tsv"}, "a"),
		       "/nowhere.tsv"));
}

static void rows_of_threads_that_are_not_there_are_told(void **state)
{
	static const char table[] = "stream\ttid\tt0_ns\tt1_ns\n"
				    "b.data\t4711\t1\t2\n"
				    "a.data\t4711\t1\t2\n"
				    "a.data\t7\t1\t2\n"
				    "a.data\t4712\t1\t2\n";
	struct lode_symptom_options options = {.tsv_path = table_path};
	struct lode_stream *stream = make_stream("x/a.data");
	struct lode_symptom_spec *spec;
	char text[256], expected[256];

	(void)state;
	write_table(table, sizeof(table) - 1);
	assert_int_equal(lode_symptom_spec_new(&spec, &options, NULL), 0);
	assert_int_equal(lode_symptoms_skipped(spec, stream, text, sizeof(text)), 2);
	snprintf(expected, sizeof(expected), "%s: line 3: x/a.data has no thread 4711", table_path);
	assert_string_equal(text, expected);
	lode_symptom_spec_free(spec);
	lode_stream_free(stream);
}

static void the_specification_says_itself_in_words(void **state)
{
	static const struct {
		struct lode_symptom_options options;
		const char *text;
	} rows[] = {
		{{.pid = -1}, "every thread of the recorded command, whole recording"},
		{{.select = "comm=git", .min_ns = 1000000000}, "comm=git, slower than 1.00 s"},
		{{.pid = 5, .comm = "a*"},
		 "every thread of the recorded command, whole recording, process 5 only, threads "
		 "named a* "
		 "only"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct lode_symptom_spec *spec;

		assert_int_equal(lode_symptom_spec_new(&spec, &rows[i].options, NULL), 0);
		assert_string_equal(lode_symptom_spec_text(spec), rows[i].text);
		lode_symptom_spec_free(spec);
	}
}

static void any_bytes_give_a_table_or_an_error(void **state)
{
	static const char *const words[] = {"stream", "trace", "tid", "t0_ns", "t1_ns", "\t",
					    "\t",     "\t",    "\n",  "\n",    "\r\n",	"#",
					    "7",      "1",     "25",  "a",     "/",	"..",
					    ".zst",   "-",     "\0",  "\xff",  " "};
	static const char header[] = "stream\ttid\tt0_ns\tt1_ns\n";
	unsigned n_good = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(4000); seed++) {
		struct test_random random = {seed};
		struct lode_symptom_table table;
		struct lode_error err;
		char text[512];
		size_t len = 0;

		if (test_random_below(&random, 4)) {
			len = sizeof(header) - 1;
			memcpy(text, header, len);
		}
		for (uint32_t i = test_random_below(&random, seed % 2 ? 40 : 4); i > 0; i--) {
			const char *word =
				words[test_random_below(&random, sizeof(words) / sizeof(words[0]))];
			size_t n = *word ? strlen(word) : 1;

			memcpy(text + len, word, n);
			len += n;
		}
		if (test_random_below(&random, 2))
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%sa\t7\t1\t2",
						len && text[len - 1] == '\n' ? "" : "\n");
		write_table(text, len);
		if (lode_symptom_table_read(&table, table_path, false, &err) < 0) {
			assert_int_equal(table.rows.n, 0);
			continue;
		}
		n_good += table.rows.n > 0;
		for (size_t i = 0; i < table.rows.n; i++) {
			const struct lode_symptom_row *row = &table.rows.at[i];
			char name[600];
			size_t first, n;

			snprintf(name, sizeof(name), "%s.xz", row->stream);
			n = lode_symptom_table_find(&table, name, &first);
			assert_true(row->t1_ns > row->t0_ns && row->tid > 0);
			assert_true(i >= first && i < first + n);
			assert_true(lode_symptom_row_names(row, name));
		}
		lode_symptom_table_release(&table);
	}
	assert_true(n_good > TEST_CASES(100));
}

/* The table that comes with the shared recordings. */
static void the_manifest_of_the_startup_set_is_a_table(void **state)
{
	const char *top = getenv("LODE_TOP");
	struct lode_symptom_table table;
	struct lode_error err;
	char path[512];
	size_t first;

	(void)state;
	snprintf(path, sizeof(path), "%s/../shared/traces/startup/manifest.tsv", top ? top : ".");
	if (access(path, R_OK) != 0)
		skip();
	assert_int_equal(lode_symptom_table_read(&table, path, false, &err), 0);
	assert_int_equal(table.rows.n, 54);
	assert_int_equal(lode_symptom_table_find(&table, "/any/startup-01.perf.data", &first), 1);
	assert_int_equal(table.rows.at[first].tid, 17197);
	assert_int_equal(table.rows.at[first].t0_ns, 1869769229076);
	assert_int_equal(table.rows.at[first].t1_ns, 1871693628742);
	lode_symptom_table_release(&table);
}

static int make_file(void **state)
{
	int fd = mkstemp(table_path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(table_path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(selections_find_their_threads_and_times),
		cmocka_unit_test(tables_name_streams_by_the_end_of_their_path),
		cmocka_unit_test(tables_are_read_as_people_write_them),
		cmocka_unit_test(bad_tables_are_named_with_their_line),
		cmocka_unit_test(rows_of_threads_that_are_not_there_are_told),
		cmocka_unit_test(the_specification_says_itself_in_words),
		cmocka_unit_test(any_bytes_give_a_table_or_an_error),
		cmocka_unit_test(the_manifest_of_the_startup_set_is_a_table),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
