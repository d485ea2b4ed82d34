/*
 * Reading request logs alone; and a generator of large ones.
 *
 *   bench_log [--threads N] [--format FORMAT] FILE...   one JSON line: bytes, requests, seconds
 *   bench_log --generate MB > FILE                      combined, then request, upstream time, msec
 *
 * The sink looks at every request and keeps nothing.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "base/mem.h"
#include "base/random.h"
#include "input/formats/log/request_source.h"

struct seen {
	uint64_t n, n_errors;
	int64_t last_ns, response_ns;
};

static int take(void *context, const struct lode_request *at, size_t n, struct lode_error *err)
{
	struct seen *seen = context;

	(void)err;
	for (size_t i = 0; i < n; i++) {
		seen->n_errors += at[i].status >= 500;
		seen->response_ns += at[i].response_ns;
		seen->last_ns = at[i].end_ns > seen->last_ns ? at[i].end_ns : seen->last_ns;
	}
	seen->n += n;
	return LODE_OK;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* A shop's front server: 40 actions with ids in them, 5,000 users, 20 requests a second. */
static int generate(uint64_t size_mb)
{
	static const char *const agents[] = {
		"Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/126.0",
		"curl/7.88.1"};
	struct lode_random random = {9};
	uint64_t written = 0;
	int64_t ms = 1795200000000;

	while (written < size_mb * 1000000) {
		unsigned action = (unsigned)lode_random_below(&random, 40);
		double took = 0.001 * (double)(1 + lode_random_below(&random, 300));
		time_t second;
		struct tm tm;
		char day[40];

		ms += (int64_t)lode_random_below(&random, 100);
		second = (time_t)(ms / 1000);
		gmtime_r(&second, &tm);
		strftime(day, sizeof(day), "%d/%b/%Y:%H:%M:%S +0000", &tm);
		written += (uint64_t)printf(
			"10.%u.%u.%u - user%u [%s] \"%s /shop/section%u/item/%u?session=%016" PRIx64
			"&page=%u HTTP/1.1\" %u %u \"https://shop.example.org/section%u\" \"%s\" "
			"%.3f %.3f %" PRId64 ".%03" PRId64 "\n",
			(unsigned)lode_random_below(&random, 256),
			(unsigned)lode_random_below(&random, 256),
			(unsigned)lode_random_below(&random, 256),
			(unsigned)lode_random_below(&random, 5000), day,
			action % 5 ? "GET" : "POST", action,
			(unsigned)lode_random_below(&random, 100000), lode_random_next(&random),
			(unsigned)lode_random_below(&random, 20),
			lode_random_below(&random, 200) ? 200u : 502u,
			(unsigned)lode_random_below(&random, 60000), action,
			agents[lode_random_below(&random, 3)], took, took * 0.9, ms / 1000,
			ms % 1000);
	}
	return ferror(stdout) ? 4 : 0;
}

int main(int argc, char **argv)
{
	struct lode_log_options options = {.n_threads = 0};
	struct lode_request_names names = {0};
	struct lode_losses losses = {0};
	struct seen seen = {0};
	struct lode_request_sink sink = {
		.context = &seen, .names = &names, .requests = take, .losses = &losses};
	struct lode_log_facts facts;
	struct lode_error err;
	double start = now();
	int64_t n_bytes = 0;
	struct rusage u;
	int i = 1;

	if (argc == 3 && strcmp(argv[1], "--generate") == 0)
		return generate(strtoull(argv[2], NULL, 10));
	for (; i + 1 < argc; i += 2) {
		if (strcmp(argv[i], "--threads") == 0)
			options.n_threads = (unsigned)strtoul(argv[i + 1], NULL, 10);
		else if (strcmp(argv[i], "--format") == 0)
			options.format = argv[i + 1];
		else
			break;
	}
	if (i >= argc) {
		fprintf(stderr, "usage: bench_log [--threads N] [--format FORMAT] FILE...\n");
		return 2;
	}
	for (; i < argc; i++) {
		struct stat st;

		if (lode_requests_read(&sink, argv[i], &options, &facts, &err) < 0) {
			char text[1024];

			fprintf(stderr, "%s\n", lode_error_text(&err, text, sizeof(text)));
			return 3;
		}
		n_bytes += stat(argv[i], &st) == 0 ? st.st_size : 0;
	}
	getrusage(RUSAGE_SELF, &u);
	printf("{\"bytes\": %" PRId64 ", \"requests\": %" PRIu64
	       ", \"actions\": %zu, \"seconds\": %.3f, "
	       "\"cpu_seconds\": %.3f, \"peak_mb\": %.0f}\n",
	       n_bytes, seen.n, names.actions.text.n, now() - start,
	       (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
		       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6,
	       (double)u.ru_maxrss / 1024);
	return 0;
}
