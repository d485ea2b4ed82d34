/*
 * Which threads are the recorded command's, where recordings of all threads begin beside others:
 * either may begin first, and the other's perf may begin within the recording.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <linux/perf_event.h>
#include <string.h>

#include "perf_image.h"

enum { OWN_PERF = 10, OWN = 11, OWN_CHILD = 12, OTHER_PERF = 20, OTHER = 21, OTHER_CHILD = 22 };

struct pair {
	struct perf_image image;
	const struct perf_image_event *clock;
	uint64_t now;
};

static void begin_pair(struct pair *pair, const char *command)
{
	*pair = (struct pair){.image = {.command = command}, .now = 1000};
	lode_vec_append(&pair->image.events, perf_image_clock());
	pair->clock = &pair->image.events.at[0];
}

static void put_fork(struct pair *pair, int32_t tid, int32_t parent, uint64_t time)
{
	struct {
		uint32_t pid, parent_pid, tid, parent_tid;
		uint64_t time;
	} body = {(uint32_t)tid, (uint32_t)parent, (uint32_t)tid, (uint32_t)parent, time};

	perf_put_traced(&pair->image.records, pair->clock, PERF_RECORD_FORK, 0, &body, sizeof(body),
			parent, time, 0);
}

static void put_name(struct pair *pair, int32_t tid, const char *comm, bool is_exec, uint64_t time)
{
	perf_put_comm(&pair->image.records, pair->clock, tid, comm, is_exec, time);
}

/* What perf tells at its start of processes that are there. */
static void put_there(struct pair *pair, int32_t tid, int32_t parent, const char *comm)
{
	put_fork(pair, tid, parent, 0);
	put_name(pair, tid, comm, false, 0);
}

/* A perf or a child of one executes a program, which then makes a child of its own. */
static void put_exec(struct pair *pair, int32_t tid, const char *comm, int32_t child)
{
	put_name(pair, tid, comm, true, pair->now += 1000);
	put_fork(pair, child, tid, pair->now += 1000);
}

static void check_pair(struct pair *pair, bool is_own_known)
{
	struct lode_stream *stream;

	for (int32_t tid = OWN; tid <= OTHER_CHILD; tid++) {
		struct perf_image_sample s = {
			.pid = tid, .tid = tid, .time = pair->now += 1000, .period = 1001001};

		if (tid % 10 == 1 || tid % 10 == 2)
			perf_put_sample(&pair->image.records, pair->clock, &s, 0);
	}
	stream = perf_image_load(&pair->image);
	assert_int_equal(perf_image_thread(stream, OWN)->is_command, is_own_known);
	assert_int_equal(perf_image_thread(stream, OWN_CHILD)->is_command, is_own_known);
	assert_false(perf_image_thread(stream, OTHER)->is_command);
	assert_false(perf_image_thread(stream, OTHER_CHILD)->is_command);
	lode_stream_free(stream);
	perf_image_release(&pair->image);
}

/* The other perf was there as well; which command begins first is chance, their names tell. */
static void test_of_two_that_were_there_the_named_one_is_it(void **state)
{
	static const struct {
		const char *line, *own, *other;
	} rows[] = {
		{"record -a -g -- sleep 30", "sleep", "make"},
		{"record -a -g /usr/bin/sleep 30", "sleep", "make"},
		{"record -a -o x ./a_long_program_name", "a_long_program_", "program"},
	};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(rows) / sizeof(*rows); i++) {
		bool is_own_first = i % 2;
		struct pair pair;

		begin_pair(&pair, rows[i / 2].line);
		put_there(&pair, OWN_PERF, 1, "perf");
		put_there(&pair, OWN, OWN_PERF, "perf-exec");
		put_there(&pair, OTHER_PERF, 1, "perf");
		put_there(&pair, OTHER, OTHER_PERF, "perf-exec");
		if (is_own_first)
			put_exec(&pair, OWN, rows[i / 2].own, OWN_CHILD);
		put_exec(&pair, OTHER, rows[i / 2].other, OTHER_CHILD);
		if (!is_own_first)
			put_exec(&pair, OWN, rows[i / 2].own, OWN_CHILD);
		check_pair(&pair, true);
	}
}

/* Of two of one name, the one whose perf began within the recording is another's. */
static void test_a_perf_that_began_meanwhile_is_another(void **state)
{
	(void)state;
	for (int is_own_first = 0; is_own_first < 2; is_own_first++) {
		struct pair pair;

		begin_pair(&pair, "record -a -- sleep 30");
		put_there(&pair, OWN_PERF, 1, "perf");
		put_there(&pair, OWN, OWN_PERF, "perf-exec");
		if (is_own_first)
			put_exec(&pair, OWN, "sleep", OWN_CHILD);
		put_fork(&pair, OTHER_PERF, 1, pair.now += 1000);
		put_name(&pair, OTHER_PERF, "perf", true, pair.now += 1000);
		put_fork(&pair, OTHER, OTHER_PERF, pair.now += 1000);
		put_name(&pair, OTHER, "perf-exec", false, pair.now += 1000);
		put_exec(&pair, OTHER, "sleep", OTHER_CHILD);
		if (!is_own_first)
			put_exec(&pair, OWN, "sleep", OWN_CHILD);
		check_pair(&pair, true);
	}
}

/* perf record -a, without a command, until it is interrupted. */
static void test_a_recording_without_a_command_has_none_of_anothers(void **state)
{
	struct pair pair;

	(void)state;
	begin_pair(&pair, "record -a");
	put_there(&pair, OWN_PERF, 1, "perf");
	put_there(&pair, OWN, 1, "server");
	put_fork(&pair, OWN_CHILD, OWN, pair.now += 1000);
	put_fork(&pair, OTHER_PERF, 1, pair.now += 1000);
	put_name(&pair, OTHER_PERF, "perf", true, pair.now += 1000);
	put_fork(&pair, OTHER, OTHER_PERF, pair.now += 1000);
	put_name(&pair, OTHER, "perf-exec", false, pair.now += 1000);
	put_exec(&pair, OTHER, "sleep", OTHER_CHILD);
	check_pair(&pair, false);
}

/* Its name then changes, and it runs a perf itself. */
static void test_the_command_may_run_perf_and_other_programs(void **state)
{
	struct pair pair;
	struct lode_stream *stream;
	struct perf_image_sample s = {.pid = OTHER, .tid = OTHER, .period = 1001001};

	(void)state;
	begin_pair(&pair, "record -a -- sh bench");
	put_there(&pair, OWN_PERF, 1, "perf");
	put_there(&pair, OWN, OWN_PERF, "perf-exec");
	put_exec(&pair, OWN, "sh", OWN_CHILD);
	put_name(&pair, OWN, "bench", true, pair.now += 1000);
	put_name(&pair, OWN_CHILD, "perf", true, pair.now += 1000);
	put_fork(&pair, OTHER, OWN_CHILD, pair.now += 1000);
	put_name(&pair, OTHER, "perf-exec", false, pair.now += 1000);
	put_exec(&pair, OTHER, "sleep", OTHER_CHILD);
	s.time = pair.now += 1000;
	perf_put_sample(&pair.image.records, pair.clock, &s, 0);
	stream = perf_image_load(&pair.image);
	assert_true(perf_image_thread(stream, OWN)->is_command);
	assert_true(perf_image_thread(stream, OWN_CHILD)->is_command);
	assert_true(perf_image_thread(stream, OTHER)->is_command);
	assert_true(perf_image_thread(stream, OTHER_CHILD)->is_command);
	lode_stream_free(stream);
	perf_image_release(&pair.image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_of_two_that_were_there_the_named_one_is_it),
		cmocka_unit_test(test_a_perf_that_began_meanwhile_is_another),
		cmocka_unit_test(test_a_recording_without_a_command_has_none_of_anothers),
		cmocka_unit_test(test_the_command_may_run_perf_and_other_programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
