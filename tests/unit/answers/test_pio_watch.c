/*
 * lode pio watch tells the same of files that grow while it reads them, whenever that is, as of the
 * whole files: before each of its reads, lines may come.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include <sys/syscall.h>
#include <unistd.h>

#include "pio_service.h"
#include "random.h"
#include "scratch.h"
#include "answers/pio/watch.h"

enum { N_SECONDS = 2000, MOST_AT_ONCE = 60, MOST_NEWS = 256, N_RUNS = 40 };

struct news {
	int kind;
	int64_t start_ns, end_ns;
};

struct told {
	struct news at[MOST_NEWS];
	size_t n;
};

/* The service as it runs on: its files, and how far they are written. */
static struct {
	char log[PATH_MAX], counters[PATH_MAX];
	int second;
	unsigned one_in; /* reads that more comes before; 0: none */
	struct test_random random;
} live;

static void append(const char *path, const char *text)
{
	FILE *out = fopen(path, "a");

	assert_non_null(out);
	fputs(text, out);
	fclose(out);
}

/* All lines of `n` seconds, the log's first: as a service writes them. Users feel it four seconds
   after the counters do, and nothing is told before. */
static void write_seconds(int n)
{
	static char log[MOST_AT_ONCE * SERVICE_REQUESTS * 160], counters[MOST_AT_ONCE * 80];
	int n_log = 0, n_counters = 0;

	for (; n && live.second < N_SECONDS; n--, live.second++) {
		int i = live.second;
		long long t = service_start_ns / 1000000000 + i;

		for (int k = 0; k < SERVICE_REQUESTS; k++) {
			double took = (20 + k % 5) * (service_is_slow(i - 4) ? 8 : 1) / 1000.0;

			n_log += sprintf(
				log + n_log,
				"10.0.0.1 - u [21/Nov/2026:02:00:00 +0000] \"GET /x HTTP/1.1\" "
				"200 100 \"-\" \"-\" %.3f %.3f %.3f\n",
				took, took, (double)t + k / 6.0 + took);
		}
		n_counters += sprintf(counters + n_counters, "%lld,%d,%d\n", t + 1,
				      40 + i % 7 + 30 * service_is_slow(i),
				      i % 2 + 12 * service_is_slow(i));
	}
	if (n_log) {
		append(live.log, log);
		append(live.counters, counters);
	}
}

/* What base/follow_file.c reads by: the linker takes this one. */
ssize_t pread(int fd, void *buffer, size_t size, off_t offset)
{
	if (live.one_in && test_random_below(&live.random, live.one_in) == 0)
		write_seconds(1 + (int)test_random_below(&live.random, MOST_AT_ONCE));
	return syscall(SYS_pread64, fd, buffer, size, offset);
}

static void tell(void *context, const struct lode_pio_event *event)
{
	struct told *told = context;

	assert_true(told->n < MOST_NEWS);
	told->at[told->n++] =
		(struct news){(int)event->kind, event->found.start_ns, event->found.end_ns};
}

static void warn(void *context, const struct lode_error *what)
{
	(void)context;
	fail_msg("%s: %s", what->path, what->message);
}

/* From the start of the files until all is told. */
static void watch_all(struct told *told, const char *model_path)
{
	struct lode_pio_watcher watcher = {told, tell, warn};
	struct lode_pio_watch_options options = {.is_from_start = true};
	struct lode_pio_watch *watch;
	struct lode_pio_model model;
	struct lode_error err;

	told->n = 0;
	assert_int_equal(lode_pio_model_read(&model, model_path, &err), 0);
	watch = lode_pio_watch_new(&model, &options);
	lode_pio_watch_add_log(watch, live.log);
	lode_pio_watch_add_counters(watch, live.counters, "c");
	for (int in_vain = 0; in_vain < 8;)
		if (!lode_pio_watch_poll(watch, &watcher) &&
		    (live.second == N_SECONDS || !live.one_in))
			in_vain++;
	lode_pio_watch_free(watch);
	lode_pio_model_release(&model);
}

static void test_growing_files_tell_what_whole_ones_do(void **state)
{
	struct scratch scratch;
	struct told whole, grown;
	char model_path[PATH_MAX], *model;
	size_t size;

	(void)state;
	scratch_make(&scratch);
	model = service_model_text(&size);
	snprintf(model_path, sizeof(model_path), "%s", scratch_path(&scratch, "model"));
	scratch_write(model_path, model, size);
	free(model);
	for (unsigned seed = 0; seed <= N_RUNS; seed++) {
		struct told *told = seed ? &grown : &whole;

		snprintf(live.log, sizeof(live.log), "%s", scratch_path(&scratch, "%u.log", seed));
		snprintf(live.counters, sizeof(live.counters), "%s",
			 scratch_path(&scratch, "%u.csv", seed));
		live.second = 0;
		live.random.state = seed;
		live.one_in = seed ? 1 + seed % 4 : 0;
		append(live.log, "");
		append(live.counters, "time,cpu,waits\n");
		while (!seed && live.second < N_SECONDS)
			write_seconds(MOST_AT_ONCE);
		watch_all(told, model_path);
		live.one_in = 0;
		assert_true(told->n > 6);
		assert_int_equal(told->n, whole.n);
		for (size_t i = 0; i < told->n; i++) {
			assert_int_equal(told->at[i].kind, whole.at[i].kind);
			assert_int_equal(told->at[i].start_ns, whole.at[i].start_ns);
			assert_int_equal(told->at[i].end_ns, whole.at[i].end_ns);
		}
	}
	scratch_remove(&scratch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_growing_files_tell_what_whole_ones_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
