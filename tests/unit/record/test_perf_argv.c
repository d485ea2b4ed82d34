/*
 * perf's command line: which events have call chains, and which stack dumps.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "record/recorder.h"

static bool has_word(char *const *argv, const char *word)
{
	for (; *argv; argv++)
		if (!strcmp(*argv, word))
			return true;
	return false;
}

/* After --call-graph dwarf for all events perf takes no user frames into any chain. */
static void test_system_calls_keep_user_frames_beside_chosen_dumps(void **state)
{
	static const char calls[] = "raw_syscalls:sys_enter/call-graph=fp/";
	static const char clock[] = "cpu-clock/freq=999,name=cpu-clock,call-graph=dwarf,"
				    "stack-size=16384/";
	static const char switches[] = "sched:sched_switch/call-graph=dwarf,stack-size=16384/";
	struct lode_record_options options = {
		.cpu_rate = 999, .want_syscalls = true, .want_dwarf = true, .dump_bytes = 16384};
	char **argv = lode_record_perf_command(&options, "perf.data");

	(void)state;
	assert_true(has_word(argv, clock));
	assert_true(has_word(argv, switches));
	assert_true(has_word(argv, "-g"));
	assert_false(has_word(argv, "--call-graph"));
	if (!has_word(argv, calls))
		assert_false(has_word(argv, "raw_syscalls:sys_enter")); /* not on this machine */
	free(argv);
}

static void test_dumps_that_were_asked_for_are_of_all_events(void **state)
{
	struct lode_record_options options = {
		.cpu_rate = 999, .want_syscalls = true, .want_dwarf = true};
	char **argv = lode_record_perf_command(&options, "perf.data");

	(void)state;
	assert_true(has_word(argv, "cpu-clock/freq=999,name=cpu-clock/"));
	assert_true(has_word(argv, "sched:sched_switch"));
	assert_true(has_word(argv, "--call-graph"));
	assert_true(has_word(argv, "dwarf,32768"));
	free(argv);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_system_calls_keep_user_frames_beside_chosen_dumps),
		cmocka_unit_test(test_dumps_that_were_asked_for_are_of_all_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
