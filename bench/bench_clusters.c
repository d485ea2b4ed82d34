/*
 * bench_clusters: how long it takes to cluster N patterns, mined from generated stacks.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "analyses/clusters/clusters.h"
#include "analyses/patterns/miner.h"
#include "base/pool.h"
#include "gen_world.h"
#include "model/digest.h"
#include "sources/source.h"

static const char usage[] = "usage: bench_clusters [options]\n"
			    "\n"
			    "  --patterns N     how many, at most (2239)\n"
			    "  --stacks N       generated stacks that they are mined from (20000)\n"
			    "  --seed N         (1)\n"
			    "  --similarity S   (0.5)\n"
			    "  --linkage L      average, complete or single (average)\n"
			    "  --threads N      (all CPUs)\n";

struct options {
	size_t n_patterns;
	uint64_t n_stacks;
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
						     {"stacks", required_argument, NULL, 'k'},
						     {"seed", required_argument, NULL, 's'},
						     {"similarity", required_argument, NULL, 'c'},
						     {"linkage", required_argument, NULL, 'l'},
						     {"threads", required_argument, NULL, 't'},
						     {0}};
	int c;

	while ((c = getopt_long(argc, argv, "", long_options, NULL)) != -1)
		switch (c) {
		case 'p':
			o->n_patterns = strtoull(optarg, NULL, 10);
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
		default:
			fputs(usage, stderr);
			exit(2);
		}
	if (optind < argc || !o->n_patterns || !o->n_stacks) {
		fputs(usage, stderr);
		exit(2);
	}
}

/* Through a file, as any folded stacks are read. */
static void read_stacks(struct input *in, const struct options *o)
{
	char path[] = "/tmp/bench-clusters-XXXXXX";
	struct lode_source_options source = {.narrow = lode_narrow_none, .unit = "ns"};
	struct lode_stream *stream;
	struct lode_error err = {0};
	int fd = mkstemp(path), rc;
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");

	if (!out)
		die(path, NULL);
	gen_world_write_folded(out, o->n_stacks, &o->world);
	fclose(out);
	rc = lode_stream_load(&stream, path, &source, &err);
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

static void mine(struct lode_pattern_set *patterns, const struct input *in, const struct options *o)
{
	struct lode_sequences sequences = {in->cost.n, in->items.at, in->start.at, in->cost.at};
	struct lode_miner_options options = {.n_threads = o->clusters.n_threads};
	struct lode_error err = {0};

	if (lode_mine_find_min_cost(&options.min_cost, &sequences, o->n_patterns, &options, &err) <
		    0 ||
	    lode_mine_patterns(patterns, &sequences, &options, &err) < 0)
		die("mining", &err);
}

static double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
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
	double start;

	parse(&o, argc, argv);
	o.world.n_distinct = (uint32_t)o.n_stacks;
	read_stacks(&in, &o);
	mine(&patterns, &in, &o);
	cluster_of = lode_alloc(patterns.n * sizeof(*cluster_of));
	start = seconds_now();
	if (lode_cluster_patterns(cluster_of, &n_clusters, &patterns, &in.tree, &in.names,
				  &o.clusters, &err) < 0)
		die("clustering", &err);
	getrusage(RUSAGE_SELF, &usage);
	printf("{\"patterns\": %zu, \"mean_length\": %.1f, \"clusters\": %zu, \"threads\": %u, "
	       "\"seconds\": %.4f, \"peak_mb\": %.1f}\n",
	       patterns.n, (double)patterns.items.n / (double)patterns.n, n_clusters,
	       o.clusters.n_threads, seconds_now() - start, (double)usage.ru_maxrss / 1024);
	free(cluster_of);
	lode_pattern_set_release(&patterns);
	lode_name_stats_release(&in.names);
	lode_calltree_release(&in.tree);
	lode_vec_release(&in.items);
	lode_vec_release(&in.start);
	lode_vec_release(&in.cost);
	return 0;
}
