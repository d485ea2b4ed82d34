/*
 * bench_miner: how long the miner alone takes on a file of sequences, and what it needs.
 *
 * Two formats, told line by line: folded stacks (`a;b;c 123`), and SPMF's sequences of single items
 * (`5 -1 15 -1 -2`, each of cost 1), so that the public sets of sequential pattern mining are read
 * as they are. Equal stacks stay apart: joining them is part of the miner's work.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/patterns/miner.h"
#include "base/input.h"
#include "base/lines.h"
#include "base/map.h"
#include "base/pool.h"

static const char usage[] =
	"usage: bench_miner [options] FILE[.zst]\n"
	"\n"
	"  --share X%       λ as a share of all cost (0.5%)\n"
	"  --support N      λ itself, in the file's unit\n"
	"  --method M       all, prefixes, insertions or enumeration (all)\n"
	"  --threads N      (all CPUs)\n"
	"  --max-patterns N give up past so many (no bound)\n"
	"  --print          the patterns, one a line, in place of the figures\n";

struct options {
	double share;
	struct lode_miner_options miner;
	const char *path;
	bool wants_patterns;
};

struct input {
	struct lode_strings names; /* items are ids of these, in both formats */
	LODE_VEC(uint32_t) items;
	LODE_VEC(size_t) start;
	LODE_VEC(int64_t) cost;
	int64_t total;
};

static void __attribute__((noreturn)) die(const char *what, const char *why)
{
	fprintf(stderr, "bench_miner: %s: %s\n", what, why);
	exit(2);
}

static void __attribute__((noreturn)) die_of(const char *what, const struct lode_error *err)
{
	char text[1200];

	die(what, lode_error_text(err, text, sizeof(text)));
}

/* A number from the beginning of `text`, above zero and with `unit` behind it. */
static double number(const char *text, const char *unit)
{
	char *end;
	double x = strtod(text, &end);

	if (end == text || strcmp(end, unit) != 0 || !(x > 0) || x > 9e18)
		die(text, "not a number that can be used here");
	return x;
}

static enum lode_miner_method method(const char *text)
{
	static const char *const names[] = {"all", "prefixes", "insertions", "enumeration"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(text, names[i]))
			return (enum lode_miner_method)i;
	die(text, "no such method");
}

static void parse(struct options *o, int argc, char **argv)
{
	static const struct option long_options[] = {{"share", required_argument, NULL, 's'},
						     {"support", required_argument, NULL, 'u'},
						     {"method", required_argument, NULL, 'm'},
						     {"threads", required_argument, NULL, 't'},
						     {"max-patterns", required_argument, NULL, 'x'},
						     {"print", no_argument, NULL, 'p'},
						     {0}};
	int c;

	while ((c = getopt_long(argc, argv, "", long_options, NULL)) != -1)
		switch (c) {
		case 's':
			o->share = number(optarg, "%") / 100;
			break;
		case 'u':
			o->miner.min_cost = (int64_t)number(optarg, "");
			break;
		case 'm':
			o->miner.method = method(optarg);
			break;
		case 't':
			o->miner.n_threads = (unsigned)number(optarg, "");
			break;
		case 'x':
			o->miner.max_patterns = (size_t)number(optarg, "");
			break;
		case 'p':
			o->wants_patterns = true;
			break;
		default:
			fputs(usage, stderr);
			exit(2);
		}
	if (optind != argc - 1) {
		fputs(usage, stderr);
		exit(2);
	}
	o->path = argv[optind];
}

static void add_item(struct input *in, const char *name, size_t len)
{
	lode_vec_append(&in->items, lode_strings_intern(&in->names, name, len));
}

/* "5 -1 15 -1 -2": false when it is not such a line. Sets of several items are no sequences. */
static bool add_spmf(struct input *in, const char *line)
{
	const char *at = line;
	bool has_item = false;

	for (size_t len; *at; at += len + (at[len] == ' ')) {
		len = strcspn(at, " ");
		if (len == 2 && !memcmp(at, "-2", 2))
			return !at[2 + (at[2] == ' ')];
		if (len == 2 && !memcmp(at, "-1", 2)) {
			has_item = false;
			continue;
		}
		if (has_item || !len || strspn(at, "0123456789") != len)
			return false;
		add_item(in, at, len);
		has_item = true;
	}
	return false;
}

/* "a;b;c 123": its cost, or -1 when it is not such a line. */
static int64_t add_folded(struct input *in, const char *line)
{
	const char *space = strrchr(line, ' ');
	char *end;
	long long cost;

	if (!space)
		return -1;
	errno = 0;
	cost = strtoll(space + 1, &end, 10);
	if (end == space + 1 || *end || cost < 0 || errno)
		return -1;
	for (const char *at = line; at < space;) {
		const char *semicolon = memchr(at, ';', (size_t)(space - at));
		const char *stop = semicolon ? semicolon : space;

		add_item(in, at, (size_t)(stop - at));
		at = stop + 1;
	}
	return cost;
}

static void read_sequences(struct input *in, const char *path)
{
	struct lode_input *input;
	struct lode_lines lines;
	struct lode_error err = {0};
	char *line;
	size_t len;
	int rc;

	if (lode_input_open(&input, path, &err) < 0)
		die_of(path, &err);
	lode_lines_init(&lines, input);
	lode_vec_append(&in->start, 0);
	while ((rc = lode_lines_next(&lines, &line, &len, &err)) > 0) {
		int64_t cost = 1;

		if (!len || strchr("#%@", *line))
			continue;
		if (!add_spmf(in, line)) {
			in->items.n = in->start.at[in->start.n - 1];
			cost = add_folded(in, line);
		}
		if (cost < 0 || in->total > INT64_MAX - cost)
			die(path, "a line is neither a folded stack nor a sequence");
		lode_vec_append(&in->start, in->items.n);
		lode_vec_append(&in->cost, cost);
		in->total += cost;
	}
	if (rc < 0)
		die_of(path, &err);
	lode_lines_release(&lines);
	lode_input_close(input);
}

static void print_patterns(const struct lode_pattern_set *patterns, const struct input *in)
{
	for (size_t i = 0; i < patterns->n; i++) {
		for (size_t k = patterns->start.at[i]; k < patterns->start.at[i + 1]; k++)
			printf("%s%s", k > patterns->start.at[i] ? ";" : "",
			       in->names.text.at[patterns->items.at[k]]);
		printf(" %" PRId64 "\n", patterns->cost.at[i]);
	}
}

static double seconds_now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Not getrusage: its figure begins with that of the process that started this one. */
static double peak_mb(void)
{
	FILE *in = fopen("/proc/self/status", "r");
	char line[256];
	double kb = 0;

	if (!in)
		die("/proc/self/status", strerror(errno));
	while (fgets(line, sizeof(line), in))
		if (!strncmp(line, "VmHWM:", 6))
			kb = strtod(line + 6, NULL);
	fclose(in);
	return kb / 1024;
}

int main(int argc, char **argv)
{
	struct options o = {.share = 0.005, .miner.n_threads = lode_pool_cpus()};
	struct lode_pattern_set patterns = {0};
	struct input in = {0};
	struct lode_error err = {0};
	struct lode_sequences sequences;
	struct lode_miner_stop stop;
	double wall, cpu, read_mb;

	parse(&o, argc, argv);
	read_sequences(&in, o.path);
	if (!o.miner.min_cost)
		o.miner.min_cost = (int64_t)((double)in.total * o.share);
	if (o.miner.min_cost < 1)
		o.miner.min_cost = 1;
	o.miner.stop = &stop;
	read_mb = peak_mb();
	sequences = (struct lode_sequences){in.cost.n, in.items.at, in.start.at, in.cost.at};
	wall = seconds_now(CLOCK_MONOTONIC);
	cpu = seconds_now(CLOCK_PROCESS_CPUTIME_ID);
	if (lode_mine_patterns(&patterns, &sequences, &o.miner, &err) < 0)
		die_of(o.path, &err);
	wall = seconds_now(CLOCK_MONOTONIC) - wall;
	cpu = seconds_now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	if (o.wants_patterns)
		print_patterns(&patterns, &in);
	else
		printf("{\"sequences\": %zu, \"mean_length\": %.1f, \"min_cost\": %" PRId64
		       ", \"patterns\": %zu, \"threads\": %u, \"steps\": %" PRIu64
		       ", \"seconds\": %.4f, \"cpu_seconds\": %.4f, \"read_mb\": %.1f, "
		       "\"peak_mb\": %.1f}\n",
		       sequences.n, (double)in.items.n / (double)(sequences.n ? sequences.n : 1),
		       o.miner.min_cost, patterns.n, o.miner.n_threads, stop.work, wall, cpu,
		       read_mb, peak_mb());
	lode_pattern_set_release(&patterns);
	lode_strings_release(&in.names);
	lode_vec_release(&in.items);
	lode_vec_release(&in.start);
	lode_vec_release(&in.cost);
	return 0;
}
