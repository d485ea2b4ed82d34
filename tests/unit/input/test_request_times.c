/* Requests whose time is wrong are dropped and named; pauses, and logs of few requests, stay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "input/formats/log/request_times.h"

enum { MOST = 60 };

static const int64_t S = 1000000000, DAY = 86400 * (int64_t)1000000000;

struct taken {
	int64_t t[MOST];
	size_t n;
};

static int take(void *context, const struct lode_request *at, size_t n, struct lode_error *err)
{
	struct taken *taken = context;

	(void)err;
	for (size_t i = 0; i < n; i++)
		taken->t[taken->n++] = at[i].end_ns;
	return LODE_OK;
}

/* The log in random batches; line i + 1 is time i. */
static struct lode_losses read_log(struct taken *taken, const int64_t *t, size_t n,
				   struct lode_random *rng, struct lode_request_leaps *leaps)
{
	struct lode_losses losses = {0};
	struct lode_request_sink sink = {.context = taken, .requests = take, .losses = &losses};
	struct lode_request_times times = {.sink = &sink, .path = "a.log"};
	struct lode_request requests[MOST];
	uint32_t lines[MOST];
	struct lode_error err;

	taken->n = 0;
	for (size_t at = 0; at < n;) {
		size_t size = 1 + lode_random_below(rng, n - at);

		for (size_t i = 0; i < size; i++) {
			requests[i] = (struct lode_request){.end_ns = t[at + i]};
			lines[i] = (uint32_t)i + 1;
		}
		assert_int_equal(lode_request_times_take(&times, requests, lines, size, (int64_t)at,
							 &err),
				 0);
		at += size;
	}
	assert_int_equal(lode_request_times_end(&times, &err), 0);
	*leaps = times.leaps;
	lode_request_times_release(&times);
	return losses;
}

/* A dense log with pauses, and wrong times far from it that have right ones on both sides. */
static void wrong_times_are_dropped_and_nothing_else(void **state)
{
	unsigned n_all = 0;

	(void)state;
	for (unsigned seed = 0; seed < 20000; seed++) {
		struct lode_random rng = {seed};
		bool is_sparse = lode_random_below(&rng, 4) == 0;
		int64_t t[MOST], right[MOST], now = 20000 * DAY;
		size_t n = 0, n_right = 0, n_wrong = 0, first_wrong = 0;
		struct lode_request_leaps leaps;
		struct lode_losses losses;
		struct taken taken;
		char line[40];

		while (n < MOST - 6 && lode_random_below(&rng, 40)) {
			/* A wrong time: between two of a stretch, before all, or behind all. */
			bool is_wrong = !is_sparse && lode_random_below(&rng, 8) == 0;

			if (is_wrong && n != 1) {
				first_wrong = n_wrong++ ? first_wrong : n + 1;
				int64_t days = 3000 + 40 * (int64_t)n +
					       (int64_t)lode_random_below(&rng, 30);

				t[n++] = now + (lode_random_below(&rng, 2) ? days : -days) * DAY;
			}
			for (size_t i = 0; i < 2; i++) {
				now += is_sparse
					       ? DAY + 1 + (int64_t)lode_random_below(&rng, 5) * DAY
					       : (int64_t)lode_random_below(&rng, 7200) * S;
				t[n++] = right[n_right++] = now;
			}
			if (!is_sparse && lode_random_below(&rng, 10) == 0)
				now += 3 * DAY; /* a weekend */
			while (!is_sparse && n + 1 < MOST && now != right[n_right - 1]) {
				now += S;
				t[n++] = right[n_right++] = now;
				t[n++] = right[n_right++] = ++now;
			}
		}
		losses = read_log(&taken, t, n, &rng, &leaps);
		if (taken.n != n_right || memcmp(taken.t, right, n_right * sizeof(*right)) != 0)
			fail_msg("seed %u: %zu of %zu are right, %zu came", seed, n_right, n,
				 taken.n);
		if (losses.by_kind[LODE_LOSS_CLOCK_JUMP].count != n_wrong)
			fail_msg("seed %u: %zu are wrong", seed, n_wrong);
		snprintf(line, sizeof(line), "a.log: line %zu: ", first_wrong);
		if (n_wrong && !strstr(losses.by_kind[LODE_LOSS_CLOCK_JUMP].detail, line))
			fail_msg("seed %u: %s is not '%s'", seed, line,
				 losses.by_kind[LODE_LOSS_CLOCK_JUMP].detail);
		n_all += n_wrong;
	}
	assert_true(n_all > 10000);
}

static void a_clock_that_leaps_and_stays_is_said(void **state)
{
	const int64_t t[] = {S, 2 * S, 3 * S, 9 * DAY, 9 * DAY + S, 5 * S, 6 * S, 7 * S};
	struct lode_random rng = {1};
	struct lode_request_leaps leaps;
	struct lode_losses losses;
	struct taken taken;

	(void)state;
	losses = read_log(&taken, t, 8, &rng, &leaps);
	assert_int_equal(losses.by_kind[LODE_LOSS_CLOCK_JUMP].count, 0);
	assert_int_equal(taken.n, 8);
	assert_int_equal(leaps.n, 2);
	assert_int_equal(leaps.line, 4);
	assert_int_equal(leaps.to_ns - leaps.from_ns, 9 * DAY - 3 * S);
}

/* A log of weeks whose lines were shuffled has no wrong time. */
static void lines_may_come_in_any_order(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < 3000; seed++) {
		struct lode_random rng = {seed};
		struct lode_request_leaps leaps;
		struct lode_losses losses;
		struct taken taken;
		int64_t t[MOST];
		uint32_t order[MOST];
		size_t sum = 0, taken_sum = 0;

		for (uint32_t i = 0; i < MOST; i++)
			order[i] = i;
		lode_random_shuffle(&rng, order, MOST);
		for (size_t i = 0; i < MOST; i++) {
			t[i] = 20000 * DAY + order[i] * (DAY / 4);
			sum += order[i];
		}
		losses = read_log(&taken, t, MOST, &rng, &leaps);
		for (size_t i = 0; i < taken.n; i++)
			taken_sum += (size_t)((taken.t[i] - 20000 * DAY) / (DAY / 4));
		if (taken.n != MOST || taken_sum != sum)
			fail_msg("seed %u: %zu came", seed, taken.n);
		assert_int_equal(losses.by_kind[LODE_LOSS_CLOCK_JUMP].count, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrong_times_are_dropped_and_nothing_else),
		cmocka_unit_test(lines_may_come_in_any_order),
		cmocka_unit_test(a_clock_that_leaps_and_stays_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
