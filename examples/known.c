/*
 * How much of recordings' symptoms is a problem that has a name already.
 *
 *	known SIGNATURES INPUT...	a file of lode sign --export; recordings, or folders of them
 */
#include <inttypes.h>
#include <lode/matching.h>
#include <stdio.h>

static double share(int64_t part, int64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

int main(int argc, char **argv)
{
	struct lode_matching *matching;
	struct lode_matching_sums sums;
	struct lode_error err;
	char text[1200];

	if (argc < 3) {
		fprintf(stderr, "usage: known SIGNATURES INPUT...\n");
		return 2;
	}
	if (lode_matching_run(&matching, argv[1], (const char *const *)argv + 2, (size_t)argc - 2,
			      NULL, &err) < 0) {
		fprintf(stderr, "known: %s\n", lode_error_text(&err, text, sizeof(text)));
		return 3;
	}
	lode_matching_tell(matching, &sums);
	printf("%.1f %% of %" PRId64 " %s explained\n", share(sums.explained, sums.symptom_ns),
	       sums.symptom_ns, sums.unit);
	for (size_t i = 0; i < sums.n_signatures; i++) {
		struct lode_matching_signature signature;

		lode_matching_signature(matching, i, &signature);
		printf("%5.1f %%  %s%s  in %zu of %zu recordings  %s\n",
		       share(signature.total, sums.symptom_ns), signature.name,
		       signature.is_retired ? " (retired)" : "", signature.n_streams,
		       sums.n_streams, signature.bug);
	}
	lode_matching_free(matching);
	return 0;
}
