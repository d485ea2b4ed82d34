/* Losses that no recorder reported: found in damaged recordings, and in no sound one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "model/builder.h"
#include "random.h"

enum { N_THREADS = 6, N_TURNS = 600, SPINNER = 99, N_SEEDS = 50 };
static const int64_t HOUR_NS = INT64_C(3600000000000);

/* What is done to a sound recording. */
struct damage {
	unsigned drop_switches_pct, drop_wakings_pct;
	bool is_doubled, is_of_one_thread, has_idle_cpu;
	int64_t jump_ns; /* from the middle on */
};

struct feed {
	struct lode_builder *builder;
	const struct damage *damage;
	struct test_random rng;
	int64_t t_ns, shift_ns;
};

static bool is_dropped(struct feed *f, unsigned pct)
{
	return test_random_below(&f->rng, 100) < pct;
}

static void put_switch(struct feed *f, uint32_t cpu, int32_t prev, int32_t next)
{
	struct lode_switch record = {.t_ns = f->t_ns + f->shift_ns,
				     .cpu = cpu,
				     .prev_pid = prev,
				     .next_pid = next,
				     .left = LODE_LEFT_SLEEPING};

	if (is_dropped(f, f->damage->drop_switches_pct) ||
	    (f->damage->is_of_one_thread && prev != 1))
		return;
	for (int i = 0; i < 1 + f->damage->is_doubled; i++)
		lode_builder_switch(f->builder, &record);
}

static void put_waking(struct feed *f, uint32_t cpu, int32_t waker, int32_t wakee)
{
	struct lode_waking record = {.t_ns = f->t_ns + f->shift_ns,
				     .cpu = cpu,
				     .waker_tid = waker,
				     .wakee_tid = wakee,
				     .has_context = true};

	if (is_dropped(f, f->damage->drop_wakings_pct) ||
	    (f->damage->is_of_one_thread && waker != 1))
		return;
	for (int i = 0; i < 1 + f->damage->is_doubled; i++)
		lode_builder_waking(f->builder, &record);
}

static void put_sample(struct feed *f, uint32_t cpu, int32_t tid)
{
	struct lode_sample record = {.t_ns = f->t_ns + f->shift_ns,
				     .cpu = cpu,
				     .pid = tid,
				     .tid = tid,
				     .weight_ns = 1000000};

	for (int i = 0; i < 1 + f->damage->is_doubled; i++)
		lode_builder_sample(f->builder, &record);
}

/* A thread runs, wakes another, and sleeps. CPU 1 has a spinner; or idles, and nothing shows that
   it wakes threads up. */
static struct lode_stream *make(uint64_t seed, const struct damage *damage)
{
	static uint32_t no_stack[1];
	struct feed f = {.builder = lode_builder_new("made", "made", "ns", NULL),
			 .damage = damage,
			 .rng = {seed},
			 .t_ns = 1000000000};
	int32_t tid = 1;

	put_switch(&f, 1, SPINNER, damage->has_idle_cpu ? 0 : SPINNER + 1);
	put_switch(&f, 0, SPINNER + 2, tid);
	for (int i = 0; i < N_TURNS; i++) {
		int32_t next = 1 + (int32_t)test_random_below(&f.rng, N_THREADS);

		if (i == N_TURNS / 2)
			f.shift_ns = damage->jump_ns;
		f.t_ns += 1000 + (int64_t)test_random_below(&f.rng, 3000000);
		put_sample(&f, 0, tid);
		if (!damage->has_idle_cpu)
			put_sample(&f, 1, SPINNER + 1);
		if (next == tid)
			continue;
		f.t_ns += 500;
		if (!damage->has_idle_cpu || test_random_below(&f.rng, 2))
			put_waking(&f, 0, tid, next);
		f.t_ns += 500;
		put_switch(&f, 0, tid, next);
		tid = next;
	}
	return lode_builder_finish(f.builder, no_stack, 1);
}

static uint64_t count_of(const struct lode_stream *stream, enum lode_loss_kind kind)
{
	return stream->losses.by_kind[kind].count;
}

/* Only losses of `kind`; LODE_N_LOSS_KINDS: none. */
static uint64_t expect(const struct damage *damage, enum lode_loss_kind kind, uint64_t least)
{
	static const enum lode_loss_kind all[] = {LODE_LOSS_REPEATED, LODE_LOSS_GAP,
						  LODE_LOSS_SILENT, LODE_LOSS_CLOCK_JUMP};
	uint64_t most = 0;

	for (uint64_t seed = 1; seed <= N_SEEDS; seed++) {
		struct lode_stream *stream = make(seed, damage);

		for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
			uint64_t n = count_of(stream, all[i]);

			if (all[i] != kind)
				assert_int_equal(n, 0);
			else if (n < least)
				fail_msg("%llu of kind %d", (unsigned long long)n, (int)kind);
			most = n > most ? n : most;
		}
		lode_stream_free(stream);
	}
	return most;
}

static void test_sound(void **state)
{
	(void)state;
	expect(&(struct damage){0}, LODE_N_LOSS_KINDS, 0);
	expect(&(struct damage){.has_idle_cpu = true}, LODE_N_LOSS_KINDS, 0);
	expect(&(struct damage){.is_of_one_thread = true}, LODE_N_LOSS_KINDS, 0);
	/* A few are missing in any. */
	expect(&(struct damage){.drop_switches_pct = 1, .drop_wakings_pct = 1}, LODE_N_LOSS_KINDS,
	       0);
}

static void test_missing(void **state)
{
	(void)state;
	expect(&(struct damage){.drop_switches_pct = 30}, LODE_LOSS_SILENT, 90);
	expect(&(struct damage){.drop_switches_pct = 30, .has_idle_cpu = true}, LODE_LOSS_SILENT,
	       90);
	expect(&(struct damage){.drop_wakings_pct = 30}, LODE_LOSS_SILENT, 90);
	expect(&(struct damage){.drop_switches_pct = 15, .drop_wakings_pct = 15}, LODE_LOSS_SILENT,
	       60);
}

/* What is recorded twice happened once. */
static void test_doubled(void **state)
{
	struct damage doubled = {.is_doubled = true};
	struct lode_stream *once, *twice;

	(void)state;
	expect(&doubled, LODE_LOSS_REPEATED, N_TURNS);
	once = make(1, &(struct damage){0});
	twice = make(1, &doubled);
	assert_int_equal(count_of(twice, LODE_LOSS_CONTRADICTION), 0);
	for (size_t i = 0; i < once->threads.n; i++) {
		int64_t sums[2] = {0};

		for (size_t k = 0; k < once->threads.at[i].events.n; k++)
			sums[0] += once->threads.at[i].events.cost_ns[k];
		for (size_t k = 0; k < twice->threads.at[i].events.n; k++)
			sums[1] += twice->threads.at[i].events.cost_ns[k];
		assert_int_equal(sums[0], sums[1]);
	}
	lode_stream_free(once);
	lode_stream_free(twice);
}

static void test_clock(void **state)
{
	struct damage jump = {.jump_ns = HOUR_NS};
	struct lode_stream *stream;

	(void)state;
	assert_int_equal(expect(&jump, LODE_LOSS_CLOCK_JUMP, 1), 1);
	jump.has_idle_cpu = true;
	assert_int_equal(expect(&jump, LODE_LOSS_CLOCK_JUMP, 1), 1);
	/* One thread may have slept for an hour. */
	jump = (struct damage){.jump_ns = HOUR_NS, .is_of_one_thread = true};
	assert_int_equal(expect(&jump, LODE_LOSS_GAP, 1), 1);
	/* Backwards: it goes on from before. */
	jump = (struct damage){.jump_ns = -HOUR_NS};
	assert_int_equal(expect(&jump, LODE_LOSS_CLOCK_JUMP, 1), 1);
	stream = make(1, &jump);
	assert_true(stream->t1_ns - stream->t0_ns > 500000000);
	assert_true(stream->t1_ns - stream->t0_ns < INT64_C(5000000000));
	assert_int_equal(count_of(stream, LODE_LOSS_UNORDERED), 0);
	lode_stream_free(stream);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sound),
		cmocka_unit_test(test_missing),
		cmocka_unit_test(test_doubled),
		cmocka_unit_test(test_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
