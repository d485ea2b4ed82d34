/*
 * gen_stream: makes perf.data files of any size, or folded stacks, of a program that never ran.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "gen_names.h"
#include "gen_perf.h"
#include "gen_sched.h"
#include "gen_world.h"

static const char usage[] =
	"usage: gen_stream [options] -o DIR\n"
	"       gen_stream [options] --folded N > stacks.folded\n"
	"\n"
	"Writes DIR/perf.data (or DIR/stream-NNNN.perf.data, when there are several), DIR/symbols\n"
	"(perf's build-id cache layout) and DIR/truth.json. Read a recording with\n"
	"perf --buildid-dir DIR/symbols script -i FILE\n"
	"\n"
	"  -o, --output DIR   where to; made if it is not there\n"
	"      --seed N       same seed, same bytes (1)\n"
	"      --events N     samples per stream (100000)\n"
	"      --size N       bytes per stream instead (K, M, G behind the number)\n"
	"      --streams K    number of streams (1)\n"
	"      --threads N    threads of the program, 8 to a process (16)\n"
	"      --cpus N       (4)\n"
	"      --depth N      mean depth of the stacks (34)\n"
	"      --distinct N   distinct stacks, about (10000)\n"
	"      --planted N    costly patterns put in on purpose (6)\n"
	"      --lost         drop samples now and then, with LOST records\n"
	"      --compressed   zstd in COMPRESSED records\n"
	"      --folded N     N distinct stacks as folded text on standard output instead\n";

struct options {
	struct gen_world_options world;
	struct gen_sched_options sched;
	uint64_t n_folded;
	uint32_t n_streams;
	bool is_compressed;
	const char *output;
};

enum {
	OPTION_SEED = 256,
	OPTION_EVENTS,
	OPTION_SIZE,
	OPTION_STREAMS,
	OPTION_THREADS,
	OPTION_CPUS,
	OPTION_DEPTH,
	OPTION_DISTINCT,
	OPTION_PLANTED,
	OPTION_LOST,
	OPTION_COMPRESSED,
	OPTION_FOLDED,
};

static const struct option long_options[] = {
	{"output", required_argument, NULL, 'o'},
	{"help", no_argument, NULL, 'h'},
	{"seed", required_argument, NULL, OPTION_SEED},
	{"events", required_argument, NULL, OPTION_EVENTS},
	{"size", required_argument, NULL, OPTION_SIZE},
	{"streams", required_argument, NULL, OPTION_STREAMS},
	{"threads", required_argument, NULL, OPTION_THREADS},
	{"cpus", required_argument, NULL, OPTION_CPUS},
	{"depth", required_argument, NULL, OPTION_DEPTH},
	{"distinct", required_argument, NULL, OPTION_DISTINCT},
	{"planted", required_argument, NULL, OPTION_PLANTED},
	{"lost", no_argument, NULL, OPTION_LOST},
	{"compressed", no_argument, NULL, OPTION_COMPRESSED},
	{"folded", required_argument, NULL, OPTION_FOLDED},
	{0},
};

static void __attribute__((noreturn)) die(const char *what, const char *why)
{
	fprintf(stderr, "gen_stream: %s: %s\n", what, why);
	exit(2);
}

/* A whole number from `least` to `most`, with K, M or G behind it. */
static uint64_t number(const char *text, uint64_t least, uint64_t most)
{
	static const char units[] = "KMG";
	char *end;
	unsigned long long n = strtoull(text, &end, 10);
	const char *unit = *end ? strchr(units, *end) : NULL;

	if (unit) {
		end++;
		n <<= 10 * (unit - units + 1);
	}
	if (end == text || *end || *text == '-' || n < least || n > most)
		die(text, "not a number that can be used here");
	return n;
}

static void parse(struct options *o, int argc, char **argv)
{
	int c;

	while ((c = getopt_long(argc, argv, "o:h", long_options, NULL)) != -1)
		switch (c) {
		case 'o':
			o->output = optarg;
			break;
		case 'h':
			fputs(usage, stdout);
			exit(0);
		case OPTION_SEED:
			o->world.seed = o->sched.seed = number(optarg, 0, UINT64_MAX);
			break;
		case OPTION_EVENTS:
			o->sched.n_events = number(optarg, 1, UINT64_MAX);
			break;
		case OPTION_SIZE:
			o->sched.n_bytes = number(optarg, 1, UINT64_MAX);
			o->sched.n_events = 0;
			break;
		case OPTION_STREAMS:
			o->n_streams = (uint32_t)number(optarg, 1, 9999);
			break;
		case OPTION_THREADS:
			o->sched.n_threads = (uint32_t)number(optarg, 1, 100000);
			break;
		case OPTION_CPUS:
			o->sched.n_cpus = (uint32_t)number(optarg, 1, 1024);
			break;
		case OPTION_DEPTH:
			o->world.depth = (double)number(optarg, 8, 60);
			break;
		case OPTION_DISTINCT:
			o->world.n_distinct = (uint32_t)number(optarg, 1, 5000000);
			break;
		case OPTION_PLANTED:
			o->world.n_planted = (uint32_t)number(optarg, 0, 1000);
			break;
		case OPTION_LOST:
			o->sched.has_losses = true;
			break;
		case OPTION_COMPRESSED:
			o->is_compressed = true;
			break;
		case OPTION_FOLDED:
			o->n_folded = number(optarg, 1, 100000000);
			break;
		default:
			fputs(usage, stderr);
			exit(2);
		}
	if (optind < argc || (!o->output == !o->n_folded)) {
		fputs(usage, stderr);
		exit(2);
	}
}

static void print_cost(FILE *out, const struct gen_cost *cost)
{
	fprintf(out,
		"\"cost_ns\": %" PRId64 ", \"run_ns\": %" PRId64 ", \"wait_ns\": %" PRId64
		", \"ready_ns\": %" PRId64 ", \"activities\": %" PRIu64,
		cost->run_ns + cost->wait_ns + cost->ready_ns, cost->run_ns, cost->wait_ns,
		cost->ready_ns, cost->n);
}

static void print_planted(FILE *out, const struct gen_world *world, const struct gen_truth *truth)
{
	for (uint32_t i = 0; i < world->n_planted; i++) {
		const struct gen_planted *planted = &world->planted[i];

		fprintf(out, "%s\n    {\"name\": \"%s\", \"reason\": \"%s\", ", i ? "," : "",
			planted->name,
			planted->is_cpu ? "cpu" : gen_wait_names[planted->wait].reason);
		print_cost(out, &truth->planted[i]);
		fprintf(out, ",\n     \"functions\": [");
		for (uint32_t k = 0; k < planted->n; k++)
			fprintf(out, "%s\"%s\"", k ? ", " : "",
				world->functions.at[planted->function[k]].name);
		fprintf(out, "]}");
	}
}

/* One stream behind the other; the planted costs are sums over all of them. */
static void write_streams(const struct options *o, const struct gen_world *world, FILE *json)
{
	struct gen_truth total = {0};

	total.planted = lode_alloc0(world->n_planted, sizeof(*total.planted));
	fprintf(json, "{\"seed\": %" PRIu64 ", \"streams\": [", o->world.seed);
	for (uint32_t i = 0; i < o->n_streams; i++) {
		struct gen_truth truth = {.planted = total.planted};
		struct gen_sched_options sched = o->sched;
		char name[64], path[4096], host[32];
		struct gen_perf_options options = {
			.path = path,
			.hostname = host,
			.command = "/usr/bin/perf record -a -g -- /opt/synth/bin/synthapp",
			.n_cpus = sched.n_cpus,
			.is_compressed = o->is_compressed,
		};
		struct gen_perf *perf;

		if (o->n_streams == 1)
			snprintf(name, sizeof(name), "perf.data");
		else
			snprintf(name, sizeof(name), "stream-%04u.perf.data", i + 1);
		snprintf(path, sizeof(path), "%s/%s", o->output, name);
		snprintf(host, sizeof(host), "synth-%04u", i + 1);
		sched.seed = o->world.seed * 1000003 + i;
		perf = gen_perf_open(&options, world);
		if (!perf)
			die(path, strerror(errno));
		gen_sched_run(perf, world, &sched, &truth);
		if (gen_perf_close(perf))
			die(path, strerror(errno));
		fprintf(json,
			"%s\n    {\"file\": \"%s\", \"samples\": %" PRIu64
			", \"switches\": %" PRIu64 ", \"wakings\": %" PRIu64 ", \"lost\": %" PRIu64
			", \"t0_ns\": %" PRId64 ", \"t1_ns\": %" PRId64 ", ",
			i ? "," : "", name, truth.n_samples, truth.n_switches, truth.n_wakings,
			truth.n_lost, truth.t0_ns, truth.t1_ns);
		print_cost(json, &truth.all);
		fprintf(json, "}");
	}
	fprintf(json, "\n  ], \"planted\": [");
	print_planted(json, world, &total);
	fprintf(json, "\n  ]}\n");
	free(total.planted);
}

int main(int argc, char **argv)
{
	struct options o = {
		.world = {.seed = 1, .n_distinct = 10000, .depth = 34, .n_planted = 6},
		.sched = {.seed = 1, .n_events = 100000, .n_threads = 16, .n_cpus = 4},
		.n_streams = 1,
	};
	struct gen_world world;
	char path[4096];
	FILE *json;

	parse(&o, argc, argv);
	if (o.n_folded) {
		o.world.n_distinct = o.n_folded < 5000000 ? (uint32_t)o.n_folded : 5000000;
		gen_world_write_folded(stdout, o.n_folded, &o.world);
		return fflush(stdout) || ferror(stdout) ? 2 : 0;
	}
	if (mkdir(o.output, 0777) && errno != EEXIST)
		die(o.output, strerror(errno));
	gen_world_init(&world, &o.world);
	snprintf(path, sizeof(path), "%s/symbols/", o.output);
	if (gen_world_write_symbols(&world, path))
		die(path, strerror(errno));
	snprintf(path, sizeof(path), "%s/truth.json", o.output);
	json = fopen(path, "w");
	if (!json)
		die(path, strerror(errno));
	write_streams(&o, &world, json);
	if (ferror(json) | fclose(json))
		die(path, strerror(errno));
	gen_world_release(&world);
	return 0;
}
