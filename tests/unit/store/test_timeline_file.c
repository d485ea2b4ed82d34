/* store/timeline_file.h: what is written is what is read, to the byte; everything else is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <unistd.h>

#include "base/pool.h"
#include "model/call_cursor.h"
#include "store/timeline_file.h"
#include "unit/model/random_calls.h"

static uint64_t seed;

static void broken(const char *what, int line)
{
	fail_msg("line %d, seed %llu: %s", line, (unsigned long long)seed, what);
}

#define CHECK(condition) ((condition) ? (void)0 : broken(#condition, __LINE__))

static char folder[] = "/tmp/lode-test-XXXXXX";
static char path[64], other[64];

static int make_folder(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/a.lodet", folder);
	snprintf(other, sizeof(other), "%s/b.lodet", folder);
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	unlink(path);
	unlink(other);
	return rmdir(folder);
}

static uint8_t *read_file(const char *from, size_t *size)
{
	FILE *file = fopen(from, "rb");
	uint8_t *data;
	long n;

	assert_non_null(file);
	fseek(file, 0, SEEK_END);
	n = ftell(file);
	rewind(file);
	data = malloc((size_t)n + 1);
	*size = fread(data, 1, (size_t)n, file);
	fclose(file);
	return data;
}

static void write_file(const char *to, const uint8_t *data, size_t size)
{
	FILE *file = fopen(to, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, size, file), size);
	fclose(file);
}

static struct lode_call_trace *random_trace(void)
{
	struct test_random random = {seed};
	struct random_options options = {.max_events = seed % 10 ? 80 : 2000,
					 .depth = 2 + test_random_below(&random, 10),
					 .faults = seed % 2 ? 10 : 0,
					 .long_step = 300000};
	struct random_trace events;
	struct lode_call_trace *trace;

	random_trace_make(&events, &random, &options);
	trace = random_trace_intake(&events, 1 + (unsigned)(seed % 3),
				    1 + test_random_below(&random, 4));
	random_trace_release(&events);
	return trace;
}

static void check_same_calls(struct lode_call_trace *a, struct lode_call_trace *b, size_t i)
{
	const struct lode_call_thread *s = a->threads.at[i], *t = b->threads.at[i];
	struct lode_call_cursor x, y;
	struct lode_call_sums sums = {0}, other_sums = {0};
	uint64_t from = s->n_calls / 3, to = s->n_calls - s->n_calls / 4;

	CHECK(s->pid == t->pid && s->tid == t->tid && s->n_calls == t->n_calls);
	CHECK(s->first_ns == t->first_ns && s->last_ns == t->last_ns);
	CHECK(s->max_depth == t->max_depth && s->n_events == t->n_events);
	for (unsigned k = 0; k < LODE_N_REPAIRS; k++)
		CHECK(lode_call_repairs(s, k) == lode_call_repairs(t, k));
	CHECK(strcmp(lode_call_thread_name(a, s), lode_call_thread_name(b, t)) == 0);
	lode_call_cursor_init(&x, a, s);
	lode_call_cursor_init(&y, b, t);
	for (uint64_t k = 0; k < s->n_calls; k++) {
		struct lode_call want = *lode_call_at(&x, k), got = *lode_call_at(&y, k);

		CHECK(want.start_ns == got.start_ns && want.duration_ns == got.duration_ns);
		CHECK(want.stack == got.stack);
	}
	lode_call_sums_reserve(&sums, s->stacks.at.n);
	lode_call_sums_reserve(&other_sums, t->stacks.at.n);
	CHECK(lode_call_sum_range(&sums, &x, from, to) == 0);
	CHECK(lode_call_sum_range(&other_sums, &y, from, to) == 0);
	CHECK(sums.at.n == other_sums.at.n);
	for (size_t k = 0; k < sums.at.n; k++)
		CHECK(sums.at.at[k].stack == other_sums.at.at[k].stack &&
		      sums.at.at[k].n == other_sums.at.at[k].n &&
		      sums.at.at[k].ns == other_sums.at.at[k].ns);
	lode_call_sums_release(&sums);
	lode_call_sums_release(&other_sums);
	lode_call_cursor_release(&x);
	lode_call_cursor_release(&y);
}

static void what_is_written_is_read_again(void **state)
{
	(void)state;
	for (seed = 1; seed <= 300; seed++) {
		struct lode_call_trace *trace = random_trace(), *read;
		size_t n_first, n_second;
		uint8_t *first, *second;
		int64_t size;

		CHECK(lode_timeline_save(path, trace, &size, NULL) == 0);
		CHECK(lode_timeline_load(&read, path, NULL) == 0);
		CHECK(read->threads.n == trace->threads.n && read->n_calls == trace->n_calls);
		CHECK(read->first_ns == trace->first_ns && read->last_ns == trace->last_ns);
		CHECK(read->spreads.n == trace->spreads.n);
		CHECK(trace->spreads.n == 0 ||
		      memcmp(read->spreads.at, trace->spreads.at,
			     trace->spreads.n * sizeof(*trace->spreads.at)) == 0);
		for (size_t i = 0; i < trace->threads.n; i++)
			check_same_calls(trace, read, i);
		/* And written again it is the same file. */
		CHECK(lode_timeline_save(other, read, NULL, NULL) == 0);
		first = read_file(path, &n_first);
		second = read_file(other, &n_second);
		CHECK(n_first == (size_t)size && n_first == n_second);
		CHECK(memcmp(first, second, n_first) == 0);
		free(first);
		free(second);
		lode_call_trace_free(read);
		lode_call_trace_free(trace);
	}
}

/* ---- Parts are read when they are needed, by whoever needs them first ---- */

struct reading {
	struct lode_call_trace *trace;
	uint64_t *sums; /* by job */
};

static void sum_thread(void *context, size_t index, unsigned worker)
{
	struct reading *reading = context;
	const struct lode_call_thread *thread =
		reading->trace->threads.at[index % reading->trace->threads.n];
	struct lode_call_sums sums = {0};
	struct lode_call_cursor cursor;
	uint64_t sum = 0;

	(void)worker;
	lode_call_cursor_init(&cursor, reading->trace, NULL);
	if (index % 3 == 0)
		lode_call_cursor_move_for_times(&cursor, thread);
	for (uint64_t i = 0; i < thread->n_calls && index % 3 == 0; i += 5)
		sum += (uint64_t)lode_call_at(&cursor, i)->duration_ns;
	lode_call_cursor_move(&cursor, thread);
	lode_call_sums_reserve(&sums, thread->stacks.at.n);
	lode_call_sum_range(&sums, &cursor, 0, thread->n_calls);
	for (size_t i = 0; i < sums.at.n; i++)
		sum += sums.at.at[i].ns * lode_call_function(thread, sums.at.at[i].stack);
	reading->sums[index] = cursor.rc < 0 ? UINT64_MAX : sum;
	lode_call_sums_release(&sums);
	lode_call_cursor_release(&cursor);
}

static void many_may_read_an_index_at_once(void **state)
{
	enum { n_jobs = 30 };
	uint64_t alone[n_jobs], together[n_jobs];

	(void)state;
	for (seed = 1; seed <= 40; seed++) {
		struct lode_call_trace *trace = random_trace(), *read;
		struct reading first = {trace, alone}, second = {NULL, together};

		if (trace->threads.n) {
			CHECK(lode_timeline_save(path, trace, NULL, NULL) == 0);
			CHECK(lode_timeline_load(&read, path, NULL) == 0);
			for (size_t i = 0; i < read->threads.n; i++)
				CHECK(!read->threads.at[i]->n_levels &&
				      read->threads.at[i]->stacks.at.n == 1);
			second.trace = read;
			lode_pool_run(1, n_jobs, sum_thread, &first);
			lode_pool_run(4, n_jobs, sum_thread, &second);
			CHECK(memcmp(alone, together, sizeof(alone)) == 0);
			lode_call_trace_free(read);
		}
		lode_call_trace_free(trace);
	}
}

/* A cursor that fails gives out no calls, now and later. */
static void nothing_after_a_failure(struct lode_call_cursor *cursor, uint64_t index)
{
	struct lode_call_run run;

	CHECK(lode_call_cursor_block(&run, cursor, index) == cursor->rc);
	CHECK(!run.at && run.n == 0);
	CHECK(!lode_call_at(cursor, index) && !lode_call_at(cursor, 0));
}

/* Reads everything there is; gives the first error. */
static int read_all(struct lode_call_trace *trace)
{
	int rc = 0;

	for (size_t i = 0; i < trace->threads.n && rc == 0; i++) {
		const struct lode_call_thread *thread = trace->threads.at[i];
		struct lode_call_sums sums = {0};
		struct lode_call_cursor cursor;

		lode_call_cursor_init(&cursor, trace, thread);
		lode_call_sums_reserve(&sums, thread->stacks.at.n);
		for (uint64_t k = 0; k < thread->n_calls && cursor.rc == 0; k++)
			if (!lode_call_at(&cursor, k))
				nothing_after_a_failure(&cursor, k);
		for (unsigned level = 0; level < thread->n_levels; level++)
			for (size_t k = 0; k < thread->levels[level].n && cursor.rc == 0; k++)
				if (thread->levels[level].at[k].sums.size)
					lode_call_sum_span(&sums, &cursor,
							   &thread->levels[level].at[k]);
		rc = cursor.rc;
		lode_call_sums_release(&sums);
		lode_call_cursor_release(&cursor);
	}
	return rc;
}

static void every_changed_byte_and_every_cut_is_noticed(void **state)
{
	struct lode_call_trace *trace, *read;
	struct lode_error err;
	uint8_t *data;
	size_t size;

	(void)state;
	seed = 11;
	trace = random_trace();
	CHECK(lode_timeline_save(path, trace, NULL, NULL) == 0);
	data = read_file(path, &size);
	for (size_t i = 0; i < size; i += 1 + size / 700) {
		data[i] ^= 0x10;
		write_file(other, data, size);
		data[i] ^= 0x10;
		if (lode_timeline_load(&read, other, &err) == 0) {
			CHECK(read_all(read) < 0);
			lode_call_trace_free(read);
		} else {
			CHECK(err.message[0] && !read);
		}
	}
	for (size_t i = 0; i < size; i += 1 + size / 100) {
		write_file(other, data, i);
		CHECK(lode_timeline_load(&read, other, &err) < 0);
		CHECK(err.status == LODE_ERR_TRUNCATED || err.status == LODE_ERR_FORMAT);
	}
	free(data);
	lode_call_trace_free(trace);
}

static void another_version_is_said_to_be_one(void **state)
{
	struct lode_call_trace *trace, *read;
	struct lode_error err;
	uint8_t *data;
	size_t size;

	(void)state;
	seed = 3;
	trace = random_trace();
	CHECK(lode_timeline_save(path, trace, NULL, NULL) == 0);
	data = read_file(path, &size);
	data[8] = 9;
	write_file(other, data, size);
	assert_int_equal(lode_timeline_load(&read, other, &err), LODE_ERR_UNSUPPORTED);
	assert_non_null(strstr(err.message, "version 9"));
	free(data);
	lode_call_trace_free(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read_again),
		cmocka_unit_test(many_may_read_an_index_at_once),
		cmocka_unit_test(every_changed_byte_and_every_cut_is_noticed),
		cmocka_unit_test(another_version_is_said_to_be_one),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
