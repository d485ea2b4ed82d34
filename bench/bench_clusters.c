/*
 * bench_clusters: how long it takes to cluster N patterns, mined from generated stacks or from
 * those of a file.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "engine/clusters/clusters.h"
#include "engine/clusters/cut.h"
#include "engine/clusters/similarity.h"
#include "unit/engine/find_min_cost.h"
#include "unit/engine/linkage_oracle.h"
#include "engine/patterns/miner.h"
#include "base/pool.h"
#include "gen_random.h"
#include "gen_world.h"
#include "model/digest.h"
#include "input/source.h"

static const char usage[] =
	"usage: bench_clusters [options] [FILE]\n"
	"\n"
	"FILE holds folded stacks, plain or compressed; without it some are made.\n"
	"\n"
	"  --patterns N     how many, at most (2239)\n"
	"  --share X        take as Î» X percent of all cost, whatever comes\n"
	"  --stacks N       generated stacks that they are mined from (20000)\n"
	"  --seed N         (1)\n"
	"  --similarity S   (0.5)\n"
	"  --linkage L      average, complete or single (average)\n"
	"  --threads N      (all CPUs)\n";

struct options {
	size_t n_patterns;
	double share_pct; /* 0: what gives n_patterns */
	uint64_t n_stacks;
	const char *path; /* NULL: generated */
	bool is_plain;
	struct gen_world_options world;
	struct lode_cluster_options clusters;
};

struct input {
	struct lode_calltree tree;
	struct lode_name_stats names;
	LODE_VEC(uint32_t) items;
	LODE_VEC(size_t) start;
	LODE_VEC(int64_t) cost;
};

static void __attribute__((noreturn)) die(const char *what, const struct lode_error *err)
{
	char text[1200];

	fprintf(stderr, "bench_clusters: %s: %s\n", what,
		err ? lode_error_text(err, text, sizeof(text)) : "cannot be had");
	exit(2);
}

static void parse(struct options *o, int argc, char **argv)
{
	static const struct option long_options[] = {{"patterns", required_argument, NULL, 'p'},
						     {"share", required_argument, NULL, 'h'},
						     {"stacks", required_argument, NULL, 'k'},
						     {"seed", required_argument, NULL, 's'},
						     {"similarity", required_argument, NULL, 'c'},
						     {"linkage", required_argument, NULL, 'l'},
						     {"threads", required_argument, NULL, 't'},
						     {"plain", no_argument, NULL, 'y'},
						     {0}};
	int c;

	while ((c = getopt_long(argc, argv, "", long_options, NULL)) != -1)
		switch (c) {
		case 'p':
			o->n_patterns = strtoull(optarg, NULL, 10);
			break;
		case 'h':
			o->share_pct = strtod(optarg, NULL);
			break;
		case 'k':
			o->n_stacks = strtoull(optarg, NULL, 10);
			break;
		case 's':
			o->world.seed = strtoull(optarg, NULL, 10);
			break;
		case 'c':
			o->clusters.min_similarity = strtod(optarg, NULL);
			break;
		case 'l':
			o->clusters.linkage = *optarg == 's'   ? LODE_LINKAGE_SINGLE
					      : *optarg == 'c' ? LODE_LINKAGE_COMPLETE
							       : LODE_LINKAGE_AVERAGE;
			break;
		case 't':
			o->clusters.n_threads = (unsigned)strtoul(optarg, NULL, 10);
			break;
		case 'y':
			o->is_plain = true;
			break;
		default:
			fputs(usage, stderr);
			exit(2);
		}
	if (optind + 1 == argc)
		o->path = argv[optind++];
	if (optind < argc || !o->n_patterns || !o->n_stacks) {
		fputs(usage, stderr);
		exit(2);
	}
}

/* Generated stacks, through a file, as any folded stacks are read. Gives its name. */
static char *write_stacks(char *path, const struct options *o)
{
	int fd = mkstemp(path);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");

	if (!out)
		die(path, NULL);
	gen_world_write_folded(out, o->n_stacks, &o->world);
	fclose(out);
	return path;
}

static void read_stacks(struct input *in, const struct options *o)
{
	char made[] = "/tmp/bench-clusters-XXXXXX";
	const char *path = o->path ? o->path : write_stacks(made, o);
	struct lode_source_options source = {.narrow = lode_narrow_none, .unit = "ns"};
	struct lode_stream *stream;
	struct lode_error err = {0};
	int rc = lode_stream_load(&stream, path, &source, &err);

	if (!o->path)
		unlink(path);
	if (rc < 0)
		die(path, &err);
	lode_calltree_init(&in->tree);
	lode_name_stats_add_stream(&in->names, &in->tree, stream);
	lode_vec_append(&in->start, 0);
	for (size_t t = 0; t < stream->threads.n; t++) {
		const struct lode_events *events = &stream->threads.at[t].events;

		for (size_t i = 0; i < events->n; i++) {
			uint32_t node =
				lode_calltree_graft(&in->tree, 0, &stream->tree, events->stack[i]);
			size_t n = in->items.n + in->tree.nodes.at[node].depth;

			lode_vec_reserve(&in->items, n);
			lode_calltree_path(&in->tree, node, in->items.at + in->items.n);
			in->items.n = n;
			lode_vec_append(&in->start, n);
			lode_vec_append(&in->cost, events->cost_ns[i]);
		}
	}
	lode_stream_free(stream);
}

/* Gives the lambda taken. */
static int64_t mine(struct lode_pattern_set *patterns, const struct input *in,
		    const struct options *o)
{
	struct lode_sequences sequences = {in->cost.n, in->items.at, in->start.at, in->cost.at};
	struct lode_miner_options options = {.n_threads = o->clusters.n_threads};
	struct lode_error err = {0};
	int64_t total = 0;

	for (size_t i = 0; i < in->cost.n; i++)
		total += in->cost.at[i];
	options.min_cost = (int64_t)((double)total * o->share_pct / 100);
	if ((!options.min_cost && lode_mine_find_min_cost(&options.min_cost, &sequences,
							  o->n_patterns, &options, &err) < 0) ||
	    lode_mine_patterns(patterns, &sequences, &options, &err) < 0)
		die("mining", &err);
	return options.min_cost;
}

static double seconds_on(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Aligns every pair, and agglomerates their matrix: true when it gives the same clusters. */
static bool cluster_plainly(const uint32_t *expected, const struct lode_pattern_set *patterns,
			    const struct input *in, const struct lode_cluster_options *options)
{
	size_t n = patterns->n;
	uint32_t *triangle = lode_alloc(n * n / 2 * sizeof(*triangle) + sizeof(*triangle));
	uint32_t *first_of = lode_alloc(n * sizeof(*first_of));
	struct lode_similarity similarity;
	struct lode_aligner aligner = {0};
	uint32_t n_clusters = 0;
	bool is_same = true;

	lode_similarity_init(&similarity, patterns, &in->tree, &in->names);
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t i = 0; i < k; i++)
			triangle[lode_triangle_at(i, k)] = lode_similarity_fixed(
				lode_pattern_similarity(&similarity, i, k, &aligner));
	lode_agglomerate(first_of, n, triangle, options->linkage,
			 lode_similarity_fixed(options->min_similarity));
	for (uint32_t i = 0; i < n; i++)
		is_same &= expected[i] == (first_of[i] == i ? n_clusters++ : expected[first_of[i]]);
	lode_aligner_release(&aligner);
	lode_similarity_release(&similarity);
	free(triangle);
	free(first_of);
	return is_same;
}

enum { N_SYMPTOMS = 30 };

/*
 * What mining does before it: which stacks are one problem, by what they cost in symptoms. Here the
 * function at an eighth of a stack's depth decides its symptom, but for one stack in eight. Gives
 * how many stacks have a problem.
 */
static size_t cut(const struct input *in)
{
	struct gen_random random = {1};
	size_t n = in->cost.n, n_frames = in->tree.frames.n, n_named = 0;
	struct lode_cut_cost *costs = lode_alloc(n * sizeof(*costs));
	size_t *cost_start = lode_alloc((n + 1) * sizeof(*cost_start));
	uint8_t *may_name = lode_alloc(n_frames);
	uint32_t *name_rank = lode_alloc(n_frames * sizeof(*name_rank));
	uint32_t *name_of = lode_alloc(n * sizeof(*name_of));
	struct lode_cut_stacks stacks = {n,	n_frames,   N_SYMPTOMS, in->items.at, in->start.at,
					 costs, cost_start, may_name,	name_rank};

	for (size_t i = 0; i < n; i++) {
		size_t depth = in->start.at[i + 1] - in->start.at[i];
		uint32_t cause = in->items.at[in->start.at[i] + depth / 8];

		costs[i] = (struct lode_cut_cost){
			gen_below(&random, 8) ? cause % N_SYMPTOMS : gen_below(&random, N_SYMPTOMS),
			in->cost.at[i]};
		cost_start[i + 1] = i + 1;
	}
	cost_start[0] = 0;
	memset(may_name, 1, n_frames);
	for (uint32_t i = 0; i < n_frames; i++)
		name_rank[i] = i;
	lode_cut(name_of, &stacks);
	for (size_t i = 0; i < n; i++)
		n_named += name_of[i] != LODE_NONE;
	free(costs);
	free(cost_start);
	free(may_name);
	free(name_rank);
	free(name_of);
	return n_named;
}

int main(int argc, char **argv)
{
	struct options o = {
		.n_patterns = 2239,
		.n_stacks = 20000,
		.world = {.seed = 1, .n_distinct = 20000, .depth = 34, .n_planted = 20},
		.clusters = {LODE_LINKAGE_AVERAGE, 0.5, lode_pool_cpus()},
	};
	struct lode_pattern_set patterns = {0};
	struct input in = {0};
	struct lode_error err = {0};
	struct rusage usage;
	uint32_t *cluster_of;
	size_t n_clusters;
	int64_t min_cost;
	bool is_same;
	double start, start_cpu, cpu, peak_before;
	size_t n_named;

	parse(&o, argc, argv);
	o.world.n_distinct = (uint32_t)o.n_stacks;
	read_stacks(&in, &o);
	min_cost = mine(&patterns, &in, &o);
	cluster_of = lode_alloc(patterns.n * sizeof(*cluster_of));
	getrusage(RUSAGE_SELF, &usage);
	peak_before = (double)usage.ru_maxrss / 1024;
	start = seconds_on(CLOCK_MONOTONIC);
	start_cpu = seconds_on(CLOCK_PROCESS_CPUTIME_ID);
	if (lode_cluster_patterns(cluster_of, &n_clusters, &patterns, &in.tree, &in.names,
				  &o.clusters, &err) < 0)
		die("clustering", &err);
	cpu = seconds_on(CLOCK_PROCESS_CPUTIME_ID) - start_cpu;
	start = seconds_on(CLOCK_MONOTONIC) - start;
	getrusage(RUSAGE_SELF, &usage);
	start_cpu = seconds_on(CLOCK_PROCESS_CPUTIME_ID);
	n_named = cut(&in);
	printf("{\"patterns\": %zu, \"mean_length\": %.1f, \"min_cost\": %" PRId64
	       ", \"clusters\": %zu, \"threads\": %u, \"seconds\": %.4f, \"cpu_seconds\": %.4f, "
	       "\"mining_peak_mb\": %.1f, \"peak_mb\": %.1f, \"stacks\": %zu, "
	       "\"stacks_of_problems\": %zu, \"cut_cpu_seconds\": %.4f",
	       patterns.n, (double)patterns.items.n / (double)patterns.n, min_cost, n_clusters,
	       o.clusters.n_threads, start, cpu, peak_before, (double)usage.ru_maxrss / 1024,
	       in.cost.n, n_named, seconds_on(CLOCK_PROCESS_CPUTIME_ID) - start_cpu);
	if (o.is_plain) {
		start_cpu = seconds_on(CLOCK_PROCESS_CPUTIME_ID);
		is_same = cluster_plainly(cluster_of, &patterns, &in, &o.clusters);
		printf(", \"plain_seconds\": %.4f, \"same\": %s",
		       seconds_on(CLOCK_PROCESS_CPUTIME_ID) - start_cpu,
		       is_same ? "true" : "false");
	}
	puts("}");
	free(cluster_of);
	lode_pattern_set_release(&patterns);
	lode_name_stats_release(&in.names);
	lode_calltree_release(&in.tree);
	lode_vec_release(&in.items);
	lode_vec_release(&in.start);
	lode_vec_release(&in.cost);
	return 0;
}
