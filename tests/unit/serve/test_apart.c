/* A question in a process of its own: its answer, and what becomes of one that fails. */
#include "serve/apart.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/memory_bound.h"
#include "base/sanitized.h"
#include "base/temporary_folder.h"

static const struct lode_apart_limits limits = {(size_t)64 << 20, 20000};

static int run(lode_site_answer *answer, void *context, char **json, struct lode_error *err)
{
	const struct lode_site_query query = {.n = 0};
	size_t n;

	return lode_apart_answer(json, &n, answer, context, &query, &limits, err);
}

static int write_much(void *context, const struct lode_site_query *query, FILE *out,
		      struct lode_error *err)
{
	int *n = context;

	(void)query;
	(void)err;
	for (int i = 0; i < *n; i++)
		fputs("0123456789", out);
	*n = 0;
	return LODE_OK;
}

static void answers_come_whole(void **state)
{
	struct lode_error err;
	int n = 100000;
	char *json;

	(void)state;
	assert_int_equal(run(write_much, &n, &json, &err), LODE_OK);
	assert_int_equal(strlen(json), 1000000);
	assert_memory_equal(json + 999990, "0123456789", 10);
	assert_int_equal(n, 100000); /* the child's alone */
	free(json);
}

static int refuse_it(void *context, const struct lode_site_query *query, FILE *out,
		     struct lode_error *err)
{
	(void)context;
	(void)query;
	fputs("{}", out);
	lode_fail(err, LODE_ERR_ARG, NULL, -1, "no such thing");
	return LODE_SITE_ABSENT;
}

static int __attribute__((noreturn))
crash(void *context, const struct lode_site_query *query, FILE *out, struct lode_error *err)
{
	(void)context;
	(void)query;
	(void)out;
	(void)err;
	signal(SIGABRT, SIG_DFL);
	abort();
}

static int __attribute__((noreturn))
take_memory(void *context, const struct lode_site_query *query, FILE *out, struct lode_error *err)
{
	(void)context;
	(void)query;
	(void)out;
	(void)err;
	for (;;) {
		char *block = lode_alloc((size_t)1 << 20);

		memset(block, 1, (size_t)1 << 20);
	}
}

static void failures_are_errors(void **state)
{
	struct lode_error err;
	char *json;

	(void)state;
	assert_int_equal(run(refuse_it, NULL, &json, &err), LODE_SITE_ABSENT);
	assert_string_equal(err.message, "no such thing");
	assert_null(json);
	assert_int_equal(run(crash, NULL, &json, &err), LODE_ERR_IO);
	assert_non_null(strstr(err.message, "signal 6"));
	assert_true(run(take_memory, NULL, &json, &err) < 0);
	if (!LODE_IS_SANITIZED) /* they end the process in their own way when memory ends */
		assert_non_null(strstr(err.message, "64 MiB of --memory"));
	assert_null(json);
}

static int __attribute__((noreturn))
take_time(void *context, const struct lode_site_query *query, FILE *out, struct lode_error *err)
{
	(void)context;
	(void)query;
	(void)out;
	(void)err;
	for (;;)
		usleep(10000);
}

static void time_is_limited(void **state)
{
	const struct lode_apart_limits short_time = {0, 300};
	const struct lode_site_query query = {.n = 0};
	int64_t start_ns = lode_clock_ns(CLOCK_MONOTONIC);
	struct lode_error err;
	char *json;
	size_t n;

	(void)state;
	assert_int_equal(lode_apart_answer(&json, &n, take_time, NULL, &query, &short_time, &err),
			 LODE_SITE_SLOW);
	assert_true(lode_clock_ns(CLOCK_MONOTONIC) - start_ns < 5000000000);
	assert_null(json);
}

/* The parent's temporary folders and blocks in files outlive a child whose memory ends. */
static void what_the_server_has_stays(void **state)
{
	struct lode_error err;
	char *path, *json;
	int lock;

	(void)state;
	assert_int_equal(lode_temporary_folder_make(&path, &lock, &err), LODE_OK);
	assert_true(run(take_memory, NULL, &json, &err) < 0);
	assert_int_equal(access(path, F_OK), 0);
	lode_temporary_folder_remove(path, lock);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_come_whole),
		cmocka_unit_test(failures_are_errors),
		cmocka_unit_test(time_is_limited),
		cmocka_unit_test(what_the_server_has_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
