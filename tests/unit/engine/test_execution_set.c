/*
 * Executions come back as they were given, wherever they were kept.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "engine/suspects/execution.h"
#include "random.h"

enum { n_raw = 50 };

/* The k-th execution that is made: all of it follows from k. */
static struct lode_execution nth(uint64_t k)
{
	struct test_random random = {k};

	return (struct lode_execution){
		.start_ns = (int64_t)(test_random_next(&random) >> 1),
		.value = (int64_t)(test_random_next(&random) >> 1),
		.metric = test_random_below(&random, 5),
		.stack = test_random_below(&random, n_raw),
		.tid = (int32_t)test_random_below(&random, 100) - 1,
	};
}

/* The node that a stream's own id stands for; differs by stream. */
static uint32_t node_of(uint32_t stream, uint32_t raw)
{
	return raw * 7 + stream + 1;
}

struct expected {
	uint64_t n, *ends; /* of the streams */
	uint32_t stream;
};

static void check_batch(void *context, const struct lode_execution *at, size_t n)
{
	struct expected *e = context;

	assert_true(n > 0);
	for (size_t i = 0; i < n; i++, e->n++) {
		struct lode_execution want = nth(e->n);

		while (e->n >= e->ends[e->stream])
			e->stream++;
		assert_int_equal(at[i].start_ns, want.start_ns);
		assert_int_equal(at[i].value, want.value);
		assert_int_equal(at[i].metric, want.metric);
		assert_int_equal(at[i].tid, want.tid);
		assert_int_equal(at[i].stream, e->stream);
		assert_int_equal(at[i].stack, node_of(e->stream, want.stack));
	}
}

static void fill(struct lode_execution_set *set, uint64_t *ends, uint32_t n_streams)
{
	uint32_t map[n_raw];
	struct lode_error err;
	char path[32];
	uint64_t k = 0;

	for (uint32_t s = 0; s < n_streams; s++) {
		snprintf(path, sizeof(path), "stream-%u", s);
		lode_execution_set_begin(set, path);
		for (; k < ends[s]; k++) {
			struct lode_execution e = nth(k);

			assert_int_equal(lode_execution_set_append(set, &e, &err), 0);
		}
		for (uint32_t raw = 0; raw < n_raw; raw++)
			map[raw] = node_of(s, raw);
		lode_execution_set_end(set, map, n_raw);
	}
}

/* Empty streams, ends at and around the borders of what is kept and written. */
static void executions_come_back_in_order(void **state)
{
	static const size_t memories[] = {0, 1 << 20, 3 << 20, SIZE_MAX / 2};
	uint64_t ends[] = {0, 5, 32768, 32768, 70000, 98304, 98305, 200000};
	struct lode_execution_set *set;
	struct lode_error err;

	(void)state;
	for (size_t m = 0; m < 4; m++) {
		for (uint32_t n_streams = 1; n_streams <= 8; n_streams++) {
			struct expected e = {.ends = ends};

			set = lode_execution_set_new(memories[m]);
			fill(set, ends, n_streams);
			assert_int_equal(set->n, ends[n_streams - 1]);
			assert_int_equal(set->streams.n, n_streams);
			assert_string_equal(set->streams.at[0], "stream-0");
			for (int twice = 0; twice < 2; twice++) {
				e.n = e.stream = 0;
				assert_int_equal(
					lode_execution_set_each(set, check_batch, &e, &err), 0);
				assert_int_equal(e.n, set->n);
			}
			lode_execution_set_free(set);
		}
	}
}

static void metrics_are_made_once(void **state)
{
	struct lode_execution_set *set = lode_execution_set_new(0);
	char name[32];

	(void)state;
	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < 1000; i++) {
			snprintf(name, sizeof(name), "syscall:%u", i);
			assert_int_equal(lode_execution_set_metric(set, name, "ns"), i);
		}
	}
	assert_int_equal(set->metrics.n, 1000);
	assert_string_equal(set->metrics.at[7].name, "syscall:7");
	lode_execution_set_free(set);
	lode_execution_set_free(NULL);
}

static void a_full_disk_is_an_error(void **state)
{
	struct lode_execution_set *set = lode_execution_set_new(0);
	struct lode_execution e = {.value = 1};
	struct rlimit old, small;
	struct lode_error err = {0};
	int rc = 0, appended = 0;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small = (struct rlimit){.rlim_cur = 1 << 20, .rlim_max = old.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	lode_execution_set_begin(set, "s");
	for (; rc == 0 && appended < 200000; appended++)
		rc = lode_execution_set_append(set, &e, &err);
	setrlimit(RLIMIT_FSIZE, &old);
	assert_int_equal(rc, LODE_ERR_IO);
	assert_non_null(strstr(err.message, "temporary file"));
	lode_execution_set_free(set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(executions_come_back_in_order),
		cmocka_unit_test(metrics_are_made_once),
		cmocka_unit_test(a_full_disk_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
