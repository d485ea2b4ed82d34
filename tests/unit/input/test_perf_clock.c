/* A batch's records after their times were mended: as the clock's rule has them, in stretches that
   ascend and cover all of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/random.h"
#include "input/formats/perf/perf_clock.h"

static unsigned seed;

static void broken(int line, const char *condition)
{
	fail_msg("seed %u: line %d: %s", seed, line, condition);
}

#define CHECK(condition) ((condition) ? (void)0 : broken(__LINE__, #condition))

/* As the decoder makes them: a stretch ends where time goes back, at a round, at an early record.
 */
static void make_batch(struct lode_perf_batch *batch, struct lode_random *rng, int64_t *now)
{
	size_t n = 1 + lode_random_below(rng, 60);
	bool is_open = false;

	for (uint32_t i = 0; i < n; i++) {
		unsigned kind = (unsigned)lode_random_below(rng, 30);
		struct lode_perf_segment segment = {LODE_PERF_SEG_RUN, i, i + 1};
		struct lode_perf_record record = {0};

		*now += (int64_t)lode_random_below(rng, 1000);
		record.t_ns = *now - (kind == 1 ? 20000 : 0);
		if (kind == 2)
			record.t_ns +=
				(3 + (int64_t)lode_random_below(rng, 900)) * LODE_CLOCK_DAY_NS;
		if (kind == 3)
			record.t_ns -=
				(3 + (int64_t)lode_random_below(rng, 900)) * LODE_CLOCK_DAY_NS;
		if (kind == 4)
			record.t_ns = INT64_MAX;
		if (kind == 5)
			segment.kind = LODE_PERF_SEG_EARLY;
		if (kind == 6) {
			lode_vec_append(&batch->segments,
					((struct lode_perf_segment){LODE_PERF_SEG_ROUND, 0, 0}));
			is_open = false;
		}
		lode_vec_append(&batch->records, record);
		if (segment.kind == LODE_PERF_SEG_RUN && is_open &&
		    record.t_ns >= batch->records.at[i - 1].t_ns)
			batch->segments.at[batch->segments.n - 1].end = i + 1;
		else
			lode_vec_append(&batch->segments, segment);
		is_open = segment.kind == LODE_PERF_SEG_RUN;
	}
}

static void check_segments(const struct lode_perf_batch *batch)
{
	uint32_t at = 0;

	for (size_t i = 0; i < batch->segments.n; i++) {
		const struct lode_perf_segment *s = &batch->segments.at[i];

		if (s->kind == LODE_PERF_SEG_ROUND)
			continue;
		CHECK(s->begin == at && s->end > at);
		for (uint32_t r = s->begin + 1; r < s->end; r++)
			CHECK(batch->records.at[r].t_ns >= batch->records.at[r - 1].t_ns);
		at = s->end;
	}
	CHECK(at == batch->records.n);
}

/* Every record in order through the rule, early ones and places behind all times apart. */
static uint64_t expect(int64_t *right, struct lode_clock_guard *guard,
		       const struct lode_perf_batch *batch)
{
	uint64_t n_odd = 0;

	for (size_t i = 0; i < batch->segments.n; i++) {
		const struct lode_perf_segment *s = &batch->segments.at[i];

		for (uint32_t r = s->begin; s->kind != LODE_PERF_SEG_ROUND && r < s->end; r++) {
			bool is_odd = false;

			right[r] = batch->records.at[r].t_ns;
			if (s->kind == LODE_PERF_SEG_RUN && right[r] != INT64_MAX)
				right[r] = lode_clock_guard_next(guard, right[r], &is_odd);
			n_odd += is_odd;
		}
	}
	return n_odd;
}

static void times_are_those_of_the_rule(void **state)
{
	uint64_t n_all = 0;

	(void)state;
	for (seed = 0; seed < 5000; seed++) {
		struct lode_random rng = {seed};
		struct lode_perf_clock clock = {0};
		struct lode_clock_guard guard = {0};
		int64_t now = 5000 * LODE_CLOCK_DAY_NS;

		for (int b = 0; b < 4; b++) {
			struct lode_perf_batch batch = {.offset = 104};
			int64_t right[60];
			uint64_t n_odd;

			make_batch(&batch, &rng, &now);
			if (!b) /* what the clock is, is not told by a first record that may be
				   wrong */
				guard = (struct lode_clock_guard){.has_now = true, .now_ns = now};
			clock.guard.has_now = true;
			if (!b)
				clock.guard.now_ns = now;
			n_odd = expect(right, &guard, &batch);
			lode_perf_clock_mend(&clock, &batch);
			check_segments(&batch);
			for (size_t r = 0; r < batch.records.n; r++)
				CHECK(batch.records.at[r].t_ns == right[r]);
			CHECK(batch.losses.by_kind[LODE_LOSS_CLOCK_JUMP].count == n_odd);
			n_all += n_odd;
			lode_vec_release(&batch.records);
			lode_vec_release(&batch.segments);
		}
		lode_perf_clock_release(&clock);
	}
	assert_true(n_all > 10000);
}

/* The first record is wrong: the others are not. */
static void the_middle_of_the_first_times_is_the_clock(void **state)
{
	struct lode_perf_clock clock = {0};
	struct lode_perf_batch batch = {0};

	(void)state;
	for (int i = 0; i < 9; i++) {
		struct lode_perf_record record = {.t_ns = i ? 1000 + i : 400 * LODE_CLOCK_DAY_NS};

		lode_vec_append(&batch.records, record);
	}
	lode_vec_append(&batch.segments, ((struct lode_perf_segment){LODE_PERF_SEG_RUN, 0, 1}));
	lode_vec_append(&batch.segments, ((struct lode_perf_segment){LODE_PERF_SEG_RUN, 1, 9}));
	lode_perf_clock_mend(&clock, &batch);
	for (int i = 1; i < 9; i++)
		assert_int_equal(batch.records.at[i].t_ns, 1000 + i);
	assert_int_equal(batch.records.at[0].t_ns, 1005);
	assert_int_equal(batch.losses.by_kind[LODE_LOSS_CLOCK_JUMP].count, 1);
	lode_vec_release(&batch.records);
	lode_vec_release(&batch.segments);
	lode_perf_clock_release(&clock);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_are_those_of_the_rule),
		cmocka_unit_test(the_middle_of_the_first_times_is_the_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
