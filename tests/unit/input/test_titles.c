/* Titles of processes: what tells those of a recording apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "scratch.h"
#include "input/titles.h"
#include "model/stream.h"

/* ---- Streams of threads that ran for some time ---- */

static struct lode_stream *new_stream(struct scratch *scratch, const char *titles)
{
	struct lode_stream *s = lode_alloc0(1, sizeof(*s));

	scratch_make(scratch);
	scratch_write(scratch_path(scratch, "titles.tsv"), titles, strlen(titles));
	lode_calltree_init(&s->tree);
	s->path = scratch_path(scratch, "perf.data");
	return s;
}

static lode_thread_id add_thread(struct lode_stream *s, int32_t pid, int32_t tid, const char *comm,
				 int64_t run_ns)
{
	struct lode_thread *t = lode_vec_append_zero(&s->threads);

	t->pid = pid;
	t->tid = tid;
	t->comm = lode_strings_intern(&s->tree.strings, comm, strlen(comm));
	t->born_ns = t->exec_ns = INT64_MIN;
	t->died_ns = INT64_MAX;
	lode_events_append(&t->events, LODE_EVENT_RUNNING, 0, run_ns, 0);
	return (lode_thread_id)s->threads.n - 1;
}

static void expect_names(struct lode_stream *s, const char *const *names)
{
	lode_titles_apply(s);
	for (size_t i = 0; i < s->threads.n; i++)
		assert_string_equal(lode_thread_name(s, (lode_thread_id)i), names[i]);
	assert_null(names[s->threads.n]);
}

static void release(struct lode_stream *s, struct scratch *scratch)
{
	lode_stream_free(s);
	scratch_remove(scratch);
}

/* ---- Tests ---- */

static void test_costly_processes_of_one_program_are_told_apart(void **state)
{
	static const char titles[] =
		"5\t10\tmake\\0-j2\n"
		"5\t11\t/usr/lib/gcc/"
		"cc1\\0-quiet\\0-imultiarch\\0x86_64-linux-gnu\\0giant.c\\0-o\\0/tmp/ccA.s\\0\n"
		"5\t12\t/usr/lib/gcc/"
		"cc1\\0-quiet\\0-imultiarch\\0x86_64-linux-gnu\\0small.c\\0-o\\0/tmp/ccB.s\\0\n"
		"5\t13\t/usr/lib/gcc/cc1\\0-quiet\\0-imultiarch\\0x86_64-linux-gnu\\0/src/lib/"
		"half.c\\0\n"
		"5\t14\tas\\0-o\\0/tmp/a.o\\0/tmp/ccA.s\n"
		"5\t15\tas\\0-o\\0/tmp/b.o\\0/tmp/ccB.s\n";
	struct scratch scratch;
	struct lode_stream *s = new_stream(&scratch, titles);

	(void)state;
	add_thread(s, 10, 10, "make", 1);
	add_thread(s, 11, 11, "cc1", 700);
	add_thread(s, 12, 12, "cc1", 50);
	add_thread(s, 13, 13, "cc1", 250);
	add_thread(s, 14, 14, "as", 10);
	add_thread(s, 15, 15, "as", 10);
	expect_names(s, (const char *const[]){"make", "cc1 giant.c", "cc1", "cc1 half.c", "as",
					      "as", NULL});
	release(s, &scratch);
}

/* Whether one that ended soon was read is a matter of luck, and must not change names. */
static void test_programs_that_ended_unread_count(void **state)
{
	static const char titles[] = "5\t11\tcc1\\0-quiet\\0-arch\\0x86\\0giant.c\\0-o\\0/tmp/a\n"
				     "5\t21\tindexd\\0--dir\\0/var/lib/x\\0main.conf\n";
	struct scratch scratch;
	struct lode_stream *s = new_stream(&scratch, titles);

	(void)state;
	add_thread(s, 11, 11, "cc1", 700);
	s->threads.at[add_thread(s, 12, 12, "cc1", 50)].exec_ns = 1;
	add_thread(s, 21, 21, "indexd", 700);
	add_thread(s, 22, 22, "indexd", 50); /* a copy of it, without an exec */
	expect_names(s, (const char *const[]){"cc1 giant.c", "cc1", "indexd", "indexd", NULL});
	release(s, &scratch);
}

static void test_titles_of_their_own_are_cut_to_what_lasts(void **state)
{
	static const char titles[] = "5\t1\tpostgres: checkpointer \n"
				     "5\t2\tpostgres: app shop 10.0.0.7(51234) idle\n"
				     "6\t2\tpostgres: app shop 10.0.0.7(51234) UPDATE\n"
				     "5\t3\tphp-fpm: pool www\n"
				     "5\t4\tredis-server *:6379\n"
				     "5\t5\t/usr/sbin/nginx\\0-g\\0daemon off;\n"
				     "9\t5\tnginx: master process /usr/sbin/nginx -g daemon off;\n"
				     "5\t6\tworker a one\n"
				     "6\t6\tworker a two\n";
	struct scratch scratch;
	struct lode_stream *s = new_stream(&scratch, titles);

	(void)state;
	add_thread(s, 1, 1, "postgres", 1);
	add_thread(s, 2, 2, "postgres", 1);
	add_thread(s, 3, 3, "php-fpm8.2", 1);
	add_thread(s, 4, 4, "redis-server", 1);
	add_thread(s, 4, 40, "bio_aof", 1);
	add_thread(s, 4, 41, "redis-server", 1);
	add_thread(s, 5, 5, "nginx", 1);
	add_thread(s, 6, 6, "worker", 1);
	expect_names(s, (const char *const[]){
				"postgres: checkpointer", "postgres: app shop 10.0.0.7(N)",
				"php-fpm: pool www", "redis-server *:6379", "bio_aof",
				"redis-server *:6379", "nginx: master process /usr/sbin/nginx",
				"worker a", NULL});
	release(s, &scratch);
}

static void test_interpreters_are_called_by_their_scripts(void **state)
{
	static const char titles[] = "5\t1\t/usr/bin/python3\\0-u\\0/srv/app.py\\0--port\\x2080\n"
				     "5\t2\tpython3\\0-m\\0http.server\n"
				     "5\t3\tpython3\\0-c\\0import x\n"
				     "5\t4\tjava\\0-Xmx1g\\0-cp\\0/opt/a.jar\\0com.shop.Main\\0x\n"
				     "5\t5\t/bin/sh\\0./run.sh\n"
				     "5\t6\t/usr/bin/python3\\0./tool.py\n";
	struct scratch scratch;
	struct lode_stream *s = new_stream(&scratch, titles);

	(void)state;
	for (int32_t pid = 1; pid < 4; pid++)
		add_thread(s, pid, pid, "python3", 1);
	add_thread(s, 4, 4, "java", 1);
	add_thread(s, 5, 5, "sh", 1);
	add_thread(s, 6, 6, "tool.py", 1); /* by its #! line */
	expect_names(s, (const char *const[]){"python3 app.py", "python3 http.server", "python3",
					      "java com.shop.Main", "sh run.sh", "tool.py", NULL});
	release(s, &scratch);
}

static void test_a_title_is_of_the_program_that_ran_then(void **state)
{
	static const char titles[] = "100000000000\t1\tcc1\\0old.c\n"
				     "300000000000\t1\tcc1\\0new.c\n"
				     "300000000000\t2\tcc1\\0two.c\n"
				     "300000000000\t3\tcc1\\0three.c\n";
	struct scratch scratch;
	struct lode_stream *s = new_stream(&scratch, titles);
	lode_thread_id id;

	(void)state;
	id = add_thread(s, 1, 1, "cc1", 10);
	s->threads.at[id].died_ns = 150000000000;
	id = add_thread(s, 1, 1, "cc1", 10);
	s->threads.at[id].born_ns = 160000000000;
	/* All that is known of it is from before its exec. */
	id = add_thread(s, 2, 2, "cc1", 10);
	s->threads.at[id].exec_ns = 400000000000;
	id = add_thread(s, 3, 3, "other", 10);
	expect_names(s, (const char *const[]){"cc1 old.c", "cc1 new.c", "cc1", "other", NULL});
	release(s, &scratch);
}

static void test_damaged_lines_name_nobody(void **state)
{
	static const char titles[] = "x\t1\tcc1\\0a.c\n\t\t\n5\t1\n5\t1\t\n5\t2\tcc1\\0b\\\n"
				     "5\t99999999999\tcc1\n5\t3\tcc1\\0\\xzz\n5\t1\t\\0\\0\n";
	struct scratch scratch;
	struct lode_stream *s = new_stream(&scratch, titles);

	(void)state;
	for (int32_t pid = 1; pid < 4; pid++)
		add_thread(s, pid, pid, "cc1", 1);
	expect_names(s, (const char *const[]){"cc1", "cc1", "cc1", NULL});
	release(s, &scratch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_costly_processes_of_one_program_are_told_apart),
		cmocka_unit_test(test_programs_that_ended_unread_count),
		cmocka_unit_test(test_titles_of_their_own_are_cut_to_what_lasts),
		cmocka_unit_test(test_interpreters_are_called_by_their_scripts),
		cmocka_unit_test(test_a_title_is_of_the_program_that_ran_then),
		cmocka_unit_test(test_damaged_lines_name_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
