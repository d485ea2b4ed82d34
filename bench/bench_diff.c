/*
 * bench_diff: what it costs to compare two sets of streams, and to order streams, once it is known
 * what clusters or signatures cost in each.
 */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "engine/diff/diff.h"
#include "engine/order/order_curves.h"
#include "base/pool.h"
#include "base/random.h"

static const char usage[] = "usage: bench_diff [options]\n"
			    "\n"
			    "  --streams N    (36)\n"
			    "  --items N      clusters, or signatures (30)\n"
			    "  --in PERCENT   streams that have an item, on average (30)\n"
			    "  --order        order the streams instead, with all four curves\n"
			    "  --splits N     (lode diff's own choice)\n"
			    "  --threads N    (all CPUs)\n"
			    "  --seed N       (1)\n";

struct options {
	size_t n_streams, n_items, n_splits;
	double in_share;
	bool is_order;
	unsigned n_threads;
	uint64_t seed;
};

/* What item i costs in stream s, 0 in most: the same whatever is done with it. */
struct world {
	struct lode_diff_stream *streams;
	LODE_VEC(struct lode_diff_cost) costs; /* by item, then stream */
	size_t *start;
};

static double uniform(struct lode_random *random)
{
	return ((double)(lode_random_next(random) >> 11) + 0.5) / 9007199254740992.0;
}

/* Some items are everywhere, most are rare; the first is only in the second half. */
static void make_world(struct world *w, const struct options *o)
{
	struct lode_random random = {o->seed};

	w->streams = lode_alloc0(o->n_streams, sizeof(*w->streams));
	w->start = lode_alloc0(o->n_items + 1, sizeof(*w->start));
	for (size_t s = 0; s < o->n_streams; s++)
		w->streams[s] = (struct lode_diff_stream){
			.side = s >= o->n_streams / 2,
			.n_symptoms = 1 + (uint32_t)lode_random_below(&random, 3),
		};
	for (size_t i = 0; i < o->n_items; i++) {
		double share = i ? 2 * o->in_share * uniform(&random) : 1;

		w->start[i] = w->costs.n;
		for (size_t s = 0; s < o->n_streams; s++) {
			int64_t cost = (int64_t)((i ? 1e8 : 1e9) * -log(uniform(&random)));

			if (uniform(&random) >= share || (i == 0 && s < o->n_streams / 2))
				continue;
			lode_vec_append(&w->costs, ((struct lode_diff_cost){(uint32_t)s, cost}));
			w->streams[s].symptom_ns += cost;
		}
	}
	w->start[o->n_items] = w->costs.n;
}

static double seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double peak_mb(void)
{
	struct rusage usage_now;

	getrusage(RUSAGE_SELF, &usage_now);
	return (double)usage_now.ru_maxrss / 1024;
}

static void bench_diff(const struct world *w, const struct options *o)
{
	struct lode_diff_input input = {w->streams, o->n_streams, w->costs.at, w->start,
					o->n_items};
	struct lode_diff_options options = {
		.max_splits = o->n_splits, .seed = 1, .n_threads = o->n_threads};
	double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
	struct lode_diff *diff = lode_diff_build(&input, &options);

	wall = seconds(CLOCK_MONOTONIC) - wall;
	cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	printf("{\"streams\": %zu, \"items\": %zu, \"cells\": %zu, \"splits\": %zu, "
	       "\"changes\": %zu, \"seconds\": %.4f, \"cpu_seconds\": %.4f, \"peak_mb\": %.1f}\n",
	       o->n_streams, o->n_items, w->costs.n, diff->n_splits,
	       o->n_items - diff->n_of[LODE_DIFF_SAME], wall, cpu, peak_mb());
	lode_diff_free(diff);
}

/* The same cells by stream; each item is a part of its own. */
static void make_order(struct lode_order_input *input, const struct world *w,
		       const struct options *o)
{
	struct lode_order_stream *streams = lode_alloc0(o->n_streams, sizeof(*streams));
	struct lode_order_sight *sights = lode_alloc(w->costs.n * sizeof(*sights));
	size_t *start = lode_alloc0(o->n_streams + 2, sizeof(*start));
	int64_t *part_ns = lode_alloc0(o->n_items, sizeof(*part_ns));
	uint32_t *part_signatures = lode_alloc(o->n_items * sizeof(*part_signatures));
	size_t *part_start = lode_alloc((o->n_items + 1) * sizeof(*part_start));

	for (size_t k = 0; k < w->costs.n; k++)
		start[w->costs.at[k].stream + 2]++;
	for (size_t s = 0; s < o->n_streams; s++)
		start[s + 2] += start[s + 1];
	for (size_t i = 0; i < o->n_items; i++) {
		part_start[i] = part_signatures[i] = (uint32_t)i;
		for (size_t k = w->start[i]; k < w->start[i + 1]; k++) {
			const struct lode_diff_cost *cost = &w->costs.at[k];

			part_ns[i] += cost->cost_ns;
			sights[start[cost->stream + 1]++] =
				(struct lode_order_sight){(uint32_t)i, cost->cost_ns};
			streams[cost->stream].symptom_ns += cost->cost_ns;
			streams[cost->stream].covered_ns += cost->cost_ns;
			if (cost->cost_ns > streams[cost->stream].longest_ns)
				streams[cost->stream].longest_ns = cost->cost_ns;
		}
	}
	part_start[o->n_items] = o->n_items;
	*input = (struct lode_order_input){streams,	    o->n_streams, sights,
					   start,	    o->n_items,	  part_ns,
					   part_signatures, part_start,	  o->n_items};
}

static void release_order(struct lode_order_input *input)
{
	free((void *)input->streams);
	free((void *)input->sights);
	free((void *)input->sight_start);
	free((void *)input->part_ns);
	free((void *)input->part_signatures);
	free((void *)input->part_start);
}

static void bench_order(const struct world *w, const struct options *o)
{
	struct lode_order_input input;
	struct lode_stream_order order = {0};
	struct lode_order_curves curves;
	double order_cpu, curves_cpu;
	size_t n_needed = 0;

	make_order(&input, w, o);
	order_cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
	lode_stream_order_build(&order, &input, LODE_ORDER_BEST, 0);
	order_cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - order_cpu;
	curves_cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
	lode_order_curves_build(&curves, &input);
	curves_cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - curves_cpu;
	while (n_needed < order.steps.n && order.steps.at[n_needed].signature != LODE_NONE)
		n_needed++;
	printf("{\"streams\": %zu, \"items\": %zu, \"cells\": %zu, \"needed\": %zu, "
	       "\"random_share\": %.4f, \"order_cpu_seconds\": %.4f, \"curves_cpu_seconds\": "
	       "%.4f, \"peak_mb\": %.1f}\n",
	       o->n_streams, o->n_items, w->costs.n, n_needed, curves.best_share[LODE_CURVE_RANDOM],
	       order_cpu, curves_cpu, peak_mb());
	lode_order_curves_release(&curves);
	lode_stream_order_release(&order);
	release_order(&input);
}

static void parse(struct options *o, int argc, char **argv)
{
	static const struct option long_options[] = {{"streams", required_argument, NULL, 's'},
						     {"items", required_argument, NULL, 'i'},
						     {"in", required_argument, NULL, 'p'},
						     {"order", no_argument, NULL, 'o'},
						     {"splits", required_argument, NULL, 'n'},
						     {"threads", required_argument, NULL, 't'},
						     {"seed", required_argument, NULL, 'e'},
						     {0}};
	int c;

	while ((c = getopt_long(argc, argv, "", long_options, NULL)) != -1)
		switch (c) {
		case 's':
			o->n_streams = strtoull(optarg, NULL, 10);
			break;
		case 'i':
			o->n_items = strtoull(optarg, NULL, 10);
			break;
		case 'p':
			o->in_share = strtod(optarg, NULL) / 100;
			break;
		case 'o':
			o->is_order = true;
			break;
		case 'n':
			o->n_splits = strtoull(optarg, NULL, 10);
			break;
		case 't':
			o->n_threads = (unsigned)strtoul(optarg, NULL, 10);
			break;
		case 'e':
			o->seed = strtoull(optarg, NULL, 10);
			break;
		default:
			fputs(usage, stderr);
			exit(2);
		}
	if (optind < argc || o->n_streams < 2 || o->n_items == 0) {
		fputs(usage, stderr);
		exit(2);
	}
}

int main(int argc, char **argv)
{
	struct options o = {.n_streams = 36, .n_items = 30, .in_share = 0.3, .seed = 1};
	struct world w = {0};

	o.n_threads = lode_pool_cpus();
	parse(&o, argc, argv);
	make_world(&w, &o);
	if (o.is_order)
		bench_order(&w, &o);
	else
		bench_diff(&w, &o);
	free(w.streams);
	free(w.start);
	lode_vec_release(&w.costs);
	return 0;
}
