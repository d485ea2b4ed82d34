/*
 * bench_miner: how long mining takes, on folded stacks or on sequences in SPMF's format.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "analyses/patterns/miner.h"
#include "base/input.h"
#include "base/lines.h"
#include "base/map.h"
#include "base/pool.h"

static const char usage[] =
	"usage: bench_miner [options] FILE COST\n"
	"\n"
	"FILE holds folded stacks (`a;b;c 12`) or sequences in SPMF's format (`1 -1 2 -1 -2`, each "
	"of\n"
	"cost 1), plain or compressed, - for standard input. COST is the minimum cost, or a share: "
	"1%.\n"
	"\n"
	"  --threads N   (all CPUs)\n"
	"  --runs N      median of so many (1)\n"
	"  --first N     only the first N sequences\n"
	"  --method M    both, prefixes or insertions (both)\n"
	"  --find N      find the minimum cost that gives at most N patterns; COST is left out\n"
	"  --print       also print the patterns, one a line, the cost first\n";

struct options {
	const char *path, *cost;
	unsigned n_threads;
	size_t n_runs, n_first, find;
	enum lode_miner_method method;
	bool prints;
};

struct sequences {
	struct lode_strings names;
	LODE_VEC(uint32_t) items;
	LODE_VEC(size_t) start;
	LODE_VEC(int64_t) cost;
	int64_t total;
};

static void __attribute__((noreturn)) die(const struct lode_error *err)
{
	char text[1200];

	fprintf(stderr, "bench_miner: %s\n", lode_error_text(err, text, sizeof(text)));
	exit(2);
}

static uint64_t number(const char *text)
{
	char *end;
	unsigned long long value;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno || end == text || *end) {
		fprintf(stderr, "bench_miner: %s is not a number\n\n%s", text, usage);
		exit(2);
	}
	return value;
}

static enum lode_miner_method method(const char *text)
{
	if (strcmp(text, "both") == 0)
		return LODE_MINER_BOTH;
	if (strcmp(text, "prefixes") == 0)
		return LODE_MINER_PREFIXES;
	if (strcmp(text, "insertions") == 0)
		return LODE_MINER_INSERTIONS;
	fputs(usage, stderr);
	exit(2);
}

static void parse(struct options *o, int argc, char **argv)
{
	static const struct option long_options[] = {{"threads", required_argument, NULL, 't'},
						     {"runs", required_argument, NULL, 'r'},
						     {"first", required_argument, NULL, 'n'},
						     {"method", required_argument, NULL, 'm'},
						     {"find", required_argument, NULL, 'f'},
						     {"print", no_argument, NULL, 'p'},
						     {0}};
	int c;

	*o = (struct options){.n_threads = lode_pool_cpus(), .n_runs = 1};
	while ((c = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
		if (c == 't')
			o->n_threads = (unsigned)number(optarg);
		else if (c == 'r')
			o->n_runs = number(optarg);
		else if (c == 'n')
			o->n_first = number(optarg);
		else if (c == 'm')
			o->method = method(optarg);
		else if (c == 'f')
			o->find = number(optarg);
		else if (c == 'p')
			o->prints = true;
		else
			optind = argc;
	}
	if (argc - optind != (o->find ? 1 : 2) || o->n_runs == 0) {
		fputs(usage, stderr);
		exit(2);
	}
	o->path = argv[optind];
	o->cost = o->find ? NULL : argv[optind + 1];
}

static void add_item(struct sequences *s, const char *text, size_t len)
{
	lode_vec_append(&s->items, lode_strings_intern(&s->names, text, len));
}

/* `1 -1 2 -1 -2`: itemsets of one item each. */
static int64_t read_spmf(struct sequences *s, char *line)
{
	char *rest, *word;

	for (word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		if (strcmp(word, "-2") == 0)
			break;
		if (strcmp(word, "-1") != 0)
			add_item(s, word, strlen(word));
	}
	return 1;
}

/* `a;b;c 12` */
static int64_t read_folded(struct sequences *s, char *line, char *space)
{
	char *at = line, *end;

	for (; at <= space; at = end + 1) {
		end = memchr(at, ';', (size_t)(space - at));
		if (!end)
			end = space;
		if (end > at)
			add_item(s, at, (size_t)(end - at));
	}
	return (int64_t)number(space + 1);
}

static void read_sequences(struct sequences *s, const struct options *o)
{
	struct lode_input *input = NULL;
	struct lode_lines lines;
	struct lode_error err;
	size_t len;
	char *line;
	int rc;

	if (lode_input_open(&input, o->path, &err) < 0)
		die(&err);
	lode_lines_init(&lines, input);
	lode_vec_append(&s->start, 0);
	while ((o->n_first == 0 || s->cost.n < o->n_first) &&
	       (rc = lode_lines_next(&lines, &line, &len, &err)) != 0) {
		char *space = strrchr(line, ' ');
		int64_t cost;

		if (rc < 0)
			die(&err);
		if (!space || line[0] == '#' || line[0] == '@' || line[0] == '%')
			continue;
		cost = strcmp(space, " -2") == 0 ? read_spmf(s, line) : read_folded(s, line, space);
		lode_vec_append(&s->start, s->items.n);
		lode_vec_append(&s->cost, cost);
		s->total += cost;
	}
	lode_lines_release(&lines);
	lode_input_close(input);
}

static int64_t min_cost(const char *text, int64_t total)
{
	size_t len = strlen(text);
	char *end;
	double share;

	if (len == 0 || text[len - 1] != '%')
		return (int64_t)number(text);
	share = strtod(text, &end);
	if (end != text + len - 1) {
		fputs(usage, stderr);
		exit(2);
	}
	return (int64_t)ceil(share / 100 * (double)total);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double cpu_seconds(void)
{
	struct rusage usage_now;

	getrusage(RUSAGE_SELF, &usage_now);
	return (double)usage_now.ru_utime.tv_sec + (double)usage_now.ru_utime.tv_usec / 1e6 +
	       (double)usage_now.ru_stime.tv_sec + (double)usage_now.ru_stime.tv_usec / 1e6;
}

static int compare_doubles(const void *pa, const void *pb)
{
	double a = *(const double *)pa, b = *(const double *)pb;

	return a < b ? -1 : a > b;
}

static void print_json(const struct options *o, const struct sequences *s, int64_t cost,
		       const struct lode_pattern_set *set, const double *seconds, double cpu)
{
	struct rusage peak;

	getrusage(RUSAGE_SELF, &peak);
	printf("{\"input\": \"%s\", \"sequences\": %zu, \"items\": %zu, \"functions\": %zu, "
	       "\"min_cost\": %" PRId64 ", \"threads\": %u, \"patterns\": %zu, "
	       "\"mean_length\": %.1f, \"runs\": %zu, \"seconds\": %.4f, \"fastest\": %.4f, "
	       "\"slowest\": %.4f, \"cpu_seconds\": %.4f, \"peak_rss_bytes\": %ld}\n",
	       o->path, s->cost.n, s->items.n, s->names.text.n, cost, o->n_threads, set->n,
	       set->n ? (double)set->items.n / (double)set->n : 0, o->n_runs,
	       seconds[o->n_runs / 2], seconds[0], seconds[o->n_runs - 1], cpu / (double)o->n_runs,
	       peak.ru_maxrss * 1024);
}

static void print_patterns(const struct sequences *s, const struct lode_pattern_set *set)
{
	for (size_t i = 0; i < set->n; i++) {
		printf("%" PRId64, set->cost.at[i]);
		for (size_t k = set->start.at[i]; k < set->start.at[i + 1]; k++)
			printf("%c%s", k == set->start.at[i] ? ' ' : ';',
			       s->names.text.at[set->items.at[k]]);
		putchar('\n');
	}
}

int main(int argc, char **argv)
{
	struct lode_pattern_set set = {0};
	struct lode_sequences sequences;
	struct lode_miner_options mining = {0};
	struct sequences s = {0};
	struct lode_error err;
	struct options o;
	double *seconds, cpu;

	parse(&o, argc, argv);
	read_sequences(&s, &o);
	sequences = (struct lode_sequences){s.cost.n, s.items.at, s.start.at, s.cost.at};
	mining.n_threads = o.n_threads;
	mining.method = o.method;
	mining.min_cost = o.cost ? min_cost(o.cost, s.total) : 1;
	seconds = lode_alloc0(o.n_runs, sizeof(*seconds));
	cpu = cpu_seconds();
	for (size_t i = 0; i < o.n_runs; i++) {
		double start = now();

		lode_pattern_set_release(&set);
		if (o.find && lode_mine_find_min_cost(&mining.min_cost, &sequences, o.find, &mining,
						      &err) < 0)
			die(&err);
		if (lode_mine_patterns(&set, &sequences, &mining, &err) < 0)
			die(&err);
		seconds[i] = now() - start;
	}
	cpu = cpu_seconds() - cpu;
	qsort(seconds, o.n_runs, sizeof(*seconds), compare_doubles);
	print_json(&o, &s, mining.min_cost, &set, seconds, cpu);
	if (o.prints)
		print_patterns(&s, &set);
	lode_pattern_set_release(&set);
	lode_strings_release(&s.names);
	lode_vec_release(&s.items);
	lode_vec_release(&s.start);
	lode_vec_release(&s.cost);
	free(seconds);
	return 0;
}
