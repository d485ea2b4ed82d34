/*
 * When receives are recorded for the names of their connections: all the time unless some CPU is
 * busy with them, and then in each half second for a tenth of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "random.h"
#include "record/socket_names.h"

enum { MS_NS = 1000000, LONG_MS = 20000, LOOK_MS = 50, TURN_MS = 500, LATE_MS = 15 };

/* Plays a rate of receives for each ms, looked at when due or a bit later; is_on of each ms. */
static void play(bool is_on[LONG_MS], const uint32_t per_ms[LONG_MS], struct test_random *random)
{
	struct lode_socket_names names = {.is_on = true, .due_ns = (int64_t)LOOK_MS * MS_NS};
	uint64_t counted = 0;
	int64_t late_ms = 0;

	for (int64_t ms = 0; ms < LONG_MS; ms++) {
		if (ms * MS_NS >= names.due_ns + late_ms * MS_NS) {
			bool before = names.is_on;
			enum lode_names_change change =
				lode_socket_names_decide(&names, counted, ms * MS_NS);

			assert_int_equal(change, names.is_on == before ? LODE_NAMES_AS_THEY_ARE
						 : names.is_on	       ? LODE_NAMES_ON
								       : LODE_NAMES_OFF);
			assert_true(names.due_ns > ms * MS_NS);
			counted = 0;
			late_ms = test_random_below(random, LATE_MS);
		}
		is_on[ms] = names.is_on;
		/* As the counters, which are off as well. */
		counted += names.is_on ? per_ms[ms] : 0;
	}
}

static void test_few_receives_are_all_recorded(void **state)
{
	static uint32_t per_ms[LONG_MS];
	static bool is_on[LONG_MS];

	(void)state;
	for (uint32_t seed = 0; seed < 50; seed++) {
		struct test_random random = {seed};

		for (int i = 0; i < LONG_MS; i++)
			per_ms[i] = test_random_below(&random, LODE_MOST_NAMED_PER_S / 1000 + 1);
		play(is_on, per_ms, &random);
		for (int i = 0; i < LONG_MS; i++)
			assert_true(is_on[i]);
	}
}

/* Busy and quiet stretches: each window of a turn and a look has a whole look that is on; each ms
   that is off has a busy look before it in its turn. */
static void test_a_busy_cpu_is_recorded_in_turns(void **state)
{
	static uint32_t per_ms[LONG_MS];
	static bool is_on[LONG_MS];

	(void)state;
	for (uint32_t seed = 0; seed < 200; seed++) {
		struct test_random random = {seed};
		int run = 0, since_run = 0;

		for (int i = 0; i < LONG_MS;) {
			int n = 1 + (int)test_random_below(&random, 3000);
			uint32_t rate = test_random_below(&random, 2) ? 60 : 0;

			for (; n-- && i < LONG_MS; i++)
				per_ms[i] = rate;
		}
		play(is_on, per_ms, &random);
		for (int i = 0; i < LONG_MS; i++) {
			run = is_on[i] ? run + 1 : 0;
			since_run = run >= LOOK_MS ? 0 : since_run + 1;
			if (since_run > TURN_MS + LOOK_MS + LATE_MS)
				fail_msg("seed %u: nothing is named before %d ms", seed, i);
			if (!is_on[i] && (!i || is_on[i - 1])) {
				uint64_t n = 0;

				for (int k = i - LOOK_MS - LATE_MS; k < i; k++)
					n += k >= 0 ? per_ms[k] : 0;
				assert_true(n > LODE_MOST_NAMED_PER_S * LOOK_MS / 1000);
			}
		}
	}
}

static void test_what_is_busy_all_the_time_is_on_for_a_tenth(void **state)
{
	static uint32_t per_ms[LONG_MS];
	static bool is_on[LONG_MS];
	struct test_random random = {1};
	int n_on = 0;

	(void)state;
	for (int i = 0; i < LONG_MS; i++)
		per_ms[i] = 60;
	play(is_on, per_ms, &random);
	for (int i = 0; i < LONG_MS; i++)
		n_on += is_on[i];
	assert_in_range(n_on, LONG_MS / TURN_MS * LOOK_MS * 9 / 10,
			LONG_MS / TURN_MS * (LOOK_MS + LATE_MS));
}

static void test_perf_before_5_12_turns_all_events(void **state)
{
	(void)state;
	assert_true(lode_version_turns_events("perf version 6.1.187\n"));
	assert_true(lode_version_turns_events("perf version 5.12.g1234\n"));
	assert_true(lode_version_turns_events("perf version 10.0"));
	assert_false(lode_version_turns_events("perf version 5.10.251\n"));
	assert_false(lode_version_turns_events("perf version 4.19"));
	assert_false(lode_version_turns_events(""));
	assert_false(lode_version_turns_events("WARNING: perf not found for kernel 6.3\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_few_receives_are_all_recorded),
		cmocka_unit_test(test_a_busy_cpu_is_recorded_in_turns),
		cmocka_unit_test(test_what_is_busy_all_the_time_is_on_for_a_tenth),
		cmocka_unit_test(test_perf_before_5_12_turns_all_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
