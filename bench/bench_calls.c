/*
 * bench_calls [--threads N] [--symbols FILE] TRACE: reading a function trace, alone. One JSON line.
 *
 * The sink looks at every event (so that it must have been written) and keeps nothing.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "input/call_source.h"

struct seen {
	uint64_t n_events, n_enters;
	uint32_t n_threads, n_functions;
	int64_t last_ns;
};

/* Each thread is named once or, if its name comes later, twice: close enough for a count. */
static uint32_t on_thread(void *context, int32_t pid, int32_t tid, const char *name)
{
	struct seen *seen = context;

	(void)pid;
	(void)tid;
	(void)name;
	return seen->n_threads++;
}

static uint32_t on_function(void *context, const char *module, const char *name)
{
	struct seen *seen = context;

	(void)module;
	(void)name;
	return seen->n_functions++;
}

static int on_events(void *context, uint32_t thread, const struct lode_call_event *at, size_t n,
		     struct lode_error *err)
{
	struct seen *seen = context;
	uint64_t n_enters = 0;
	int64_t last_ns = seen->last_ns;

	(void)thread;
	(void)err;
	for (size_t i = 0; i < n; i++) {
		n_enters += at[i].kind == LODE_CALL_ENTER;
		last_ns = at[i].t_ns > last_ns ? at[i].t_ns : last_ns;
	}
	seen->n_events += n;
	seen->n_enters += n_enters;
	seen->last_ns = last_ns;
	return LODE_OK;
}

static double seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	struct seen seen = {0};
	struct lode_losses losses = {0};
	struct lode_call_options options = {.n_threads = 1};
	struct lode_call_sink sink = {.context = &seen,
				      .thread = on_thread,
				      .function = on_function,
				      .events = on_events,
				      .losses = &losses};
	double wall, cpu;
	struct rusage usage;
	struct lode_error err = {0};
	int i;

	for (i = 1; i + 2 < argc; i += 2) {
		if (!strcmp(argv[i], "--threads"))
			options.n_threads = (unsigned)strtoul(argv[i + 1], NULL, 10);
		else if (!strcmp(argv[i], "--symbols"))
			options.symbols = argv[i + 1];
		else
			break;
	}
	if (i + 1 != argc) {
		fprintf(stderr, "usage: bench_calls [--threads N] [--symbols FILE] TRACE\n");
		return 2;
	}
	wall = seconds(CLOCK_MONOTONIC);
	cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
	if (lode_calls_read(argv[i], &options, &sink, &err) < 0) {
		fprintf(stderr, "bench_calls: %s\n", err.message);
		return 3;
	}
	wall = seconds(CLOCK_MONOTONIC) - wall;
	cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	getrusage(RUSAGE_SELF, &usage);
	printf("{\"events\": %" PRIu64 ", \"calls\": %" PRIu64 ", \"threads\": %u, "
	       "\"functions\": %u, \"seconds\": %.3f, \"cpu_seconds\": %.3f, \"peak_mb\": %.0f}\n",
	       seen.n_events, seen.n_enters, seen.n_threads, seen.n_functions, wall, cpu,
	       (double)usage.ru_maxrss / 1024);
	return 0;
}
