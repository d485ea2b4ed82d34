/* A recording's clock: wrong times become those of the record before, a set clock goes on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/random.h"
#include "model/clock_guard.h"

enum { MOST = 80 };

static const int64_t DAY = LODE_CLOCK_DAY_NS;

/* What is read, and what it must become. */
struct clock_case {
	int64_t read[MOST], right[MOST];
	bool is_odd[MOST];
	size_t n;
};

static int64_t far(struct lode_random *rng, int64_t least_days)
{
	int64_t days = least_days + (int64_t)lode_random_below(rng, 20000);

	return lode_random_below(rng, 2) ? days * DAY : -days * DAY;
}

/* Steps of up to hours, back and forth; single wrong times; a clock that is set, and set back. */
static void make_case(struct clock_case *c, struct lode_random *rng)
{
	int64_t now = 1000 * DAY, set = 0;

	c->n = 0;
	while (c->n < MOST - 3) {
		unsigned kind = (unsigned)lode_random_below(rng, 20);

		now += (int64_t)lode_random_below(rng, (size_t)(DAY / 6)) - DAY / 20;
		if (c->n && kind == 0) { /* a wrong one */
			c->right[c->n] = c->right[c->n - 1];
			c->is_odd[c->n] = true;
			c->read[c->n++] = now + set + far(rng, 50000);
			now = c->right[c->n - 1];
		} else if (c->n && kind == 1) { /* set: two records agree; the first is as before */
			int64_t next = set ? 0 : far(rng, 3);

			now = c->right[c->n - 1];
			set = next;
			c->right[c->n] = now;
			c->is_odd[c->n] = true;
			c->read[c->n++] = now + set;
		}
		c->right[c->n] = now;
		c->is_odd[c->n] = false;
		c->read[c->n++] = now + set;
	}
}

static void every_time_is_mended_as_the_header_says(void **state)
{
	unsigned n_odd = 0;

	(void)state;
	for (unsigned seed = 0; seed < 20000; seed++) {
		struct lode_random rng = {seed};
		struct lode_clock_guard guard = {0};
		struct clock_case c;

		make_case(&c, &rng);
		for (size_t i = 0; i < c.n; i++) {
			bool is_odd;
			int64_t t = lode_clock_guard_next(&guard, c.read[i], &is_odd);

			if (t != c.right[i] || is_odd != c.is_odd[i])
				fail_msg("seed %u: record %zu of %zu: %lld, not %lld", seed, i, c.n,
					 (long long)t, (long long)c.right[i]);
			n_odd += is_odd;
		}
	}
	assert_true(n_odd > 10000);
}

/* Any times at all: what comes out never leaps, and nothing overflows. */
static void what_comes_out_never_leaps(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < 20000; seed++) {
		struct lode_random rng = {seed};
		struct lode_clock_guard guard = {0};
		int64_t before = 0;

		for (int i = 0; i < MOST; i++) {
			uint64_t bits = lode_random_next(&rng);
			int64_t read =
				(int64_t)(lode_random_below(&rng, 3) ? bits % (1u << 30) : bits);
			bool is_odd;
			int64_t t = lode_clock_guard_next(&guard, read, &is_odd);

			assert_true(i == 0 || lode_clock_is_near(t, before));
			before = t;
		}
	}
}

/* What is read, and what it must become, at both ends of what 64 bits hold. */
static void a_clock_that_was_set_stays_within_64_bits(void **state)
{
	static const struct clock_case cases[] = {
		{{INT64_MAX, 1000, 1100, 1050},
		 {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX - 50},
		 {false, true, true, false},
		 4},
		{{INT64_MIN, 1000, 1100, INT64_MIN + 5},
		 {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN + 5},
		 {false, true, true, false},
		 4},
	};

	(void)state;
	for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
		struct lode_clock_guard guard = {0};

		for (size_t i = 0; i < cases[k].n; i++) {
			bool is_odd;
			int64_t t = lode_clock_guard_next(&guard, cases[k].read[i], &is_odd);

			assert_true(t == cases[k].right[i]);
			assert_true(is_odd == cases[k].is_odd[i]);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_time_is_mended_as_the_header_says),
		cmocka_unit_test(what_comes_out_never_leaps),
		cmocka_unit_test(a_clock_that_was_set_stays_within_64_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
