/*
 * What makes recordings slow: clusters of costly stack patterns, the costliest first.
 *
 *	clusters INPUT...	recordings, or folders of them
 */
#include <inttypes.h>
#include <lode/mining.h>
#include <stdio.h>

static void print_clusters(const struct lode_mining *mining)
{
	struct lode_mining_sums sums;

	lode_mining_tell(mining, &sums);
	printf("%zu recordings, %zu symptoms of %" PRId64 " %s; %zu clusters, %" PRId64
	       " unexplained\n",
	       sums.n_streams, sums.n_symptoms, sums.symptom_ns, sums.unit, sums.n_clusters,
	       sums.other);
	for (size_t i = 0; i < sums.n_clusters; i++) {
		struct lode_mining_cluster cluster;

		lode_mining_cluster(mining, i, &cluster);
		printf("%5.1f %%  %016" PRIx64 "  in %zu recordings: ",
		       100.0 * (double)cluster.own / (double)sums.cost, cluster.id,
		       cluster.n_streams);
		for (size_t k = 0; k < cluster.n_common; k++)
			printf("%s%s", k ? " > " : "", cluster.common[k]);
		putchar('\n');
	}
}

static void print_skipped(const struct lode_mining *mining)
{
	for (size_t i = 0; i < lode_mining_n_skipped(mining); i++) {
		struct lode_mining_skipped skipped;

		lode_mining_skipped(mining, i, &skipped);
		fprintf(stderr, "clusters: %s: %s: %s\n", skipped.path,
			skipped.is_used ? "incomplete" : "skipped", skipped.reason);
	}
}

int main(int argc, char **argv)
{
	struct lode_mining *mining;
	struct lode_error err;
	char text[1200];

	if (argc < 2) {
		fprintf(stderr, "usage: clusters INPUT...\n");
		return 2;
	}
	if (lode_mining_run(&mining, (const char *const *)argv + 1, (size_t)argc - 1, NULL, &err) <
	    0) {
		fprintf(stderr, "clusters: %s\n", lode_error_text(&err, text, sizeof(text)));
		return 3;
	}
	print_clusters(mining);
	print_skipped(mining);
	lode_mining_free(mining);
	return 0;
}
