/* lode digest for terminals. */
#include "answers/digest/digest.h"
#include "base/escape.h"
#include "document/units.h"

/* Compressed recordings have two sizes, and a share of each. */
static void print_share(FILE *out, int64_t bytes, int64_t content_bytes, int64_t input_bytes)
{
	char a[LODE_UNITS_BUFFER], b[LODE_UNITS_BUFFER], share[LODE_UNITS_BUFFER];
	bool is_compressed = content_bytes > input_bytes;
	int64_t of_bytes = is_compressed ? content_bytes : input_bytes;

	fprintf(out, "%s", lode_format_bytes(a, bytes));
	if (of_bytes > 0)
		fprintf(out, ", %s of %s recordings", lode_format_share(share, bytes, of_bytes),
			lode_format_bytes(b, of_bytes));
	if (is_compressed)
		fprintf(out, ", %s of the %s they take compressed",
			lode_format_share(share, bytes, input_bytes),
			lode_format_bytes(b, input_bytes));
}

void lode_digest_text(FILE *out, const struct lode_digest_answer *answer)
{
	const struct lode_digest_sums *sums = &answer->sums;
	const struct lode_digest_merged *merged = answer->merged;
	size_t n = sums->n_made + sums->n_kept;
	char name[4096];

	if (answer->folder) {
		fprintf(out, "%zu digest%s in %s (%zu made, %zu kept): ", n, n == 1 ? "" : "s",
			lode_escape(name, sizeof(name), answer->folder), sums->n_made,
			sums->n_kept);
		print_share(out, sums->digest_bytes, sums->content_bytes, sums->input_bytes);
		fputc('\n', out);
	}
	if (merged) {
		fprintf(out, "%zu recording%s in %s: ", merged->n_streams,
			merged->n_streams == 1 ? "" : "s",
			lode_escape(name, sizeof(name), merged->path));
		print_share(out, merged->bytes, answer->job->origin.content_bytes,
			    answer->job->input_bytes);
		fputc('\n', out);
	}
}
