/* lode digest in a sentence or two. */
#include "answers/digest/digest.h"
#include "document/findings.h"
#include "document/units.h"

/* Compressed recordings have two sizes, and a share of each. */
static const char *share_words(struct lode_arena *arena, int64_t bytes, int64_t content_bytes,
			       int64_t input_bytes)
{
	char a[LODE_UNITS_BUFFER], b[LODE_UNITS_BUFFER], share[LODE_UNITS_BUFFER];
	bool is_compressed = content_bytes > input_bytes;
	int64_t of_bytes = is_compressed ? content_bytes : input_bytes;
	const char *words = lode_finding_text(arena, "%s", lode_format_bytes(a, bytes));

	if (of_bytes > 0)
		words = lode_finding_text(arena, "%s, %s of %s recordings", words,
					  lode_format_share(share, bytes, of_bytes),
					  lode_format_bytes(b, of_bytes));
	if (is_compressed)
		words = lode_finding_text(arena, "%s, %s of the %s they take compressed", words,
					  lode_format_share(share, bytes, input_bytes),
					  lode_format_bytes(b, input_bytes));
	return words;
}

struct lode_opening lode_digest_opening(const struct lode_digest_answer *answer,
					struct lode_arena *arena)
{
	const struct lode_digest_sums *sums = &answer->sums;
	const struct lode_digest_merged *merged = answer->merged;
	const char *kept = "", *all = "", *to = merged ? merged->path : answer->folder;
	size_t n = sums->n_made + sums->n_kept;

	if (answer->folder)
		kept = lode_finding_text(arena, "%zu digest%s in %s (%zu made, %zu kept): %s.", n,
					 n == 1 ? "" : "s", answer->folder, sums->n_made,
					 sums->n_kept,
					 share_words(arena, sums->digest_bytes, sums->content_bytes,
						     sums->input_bytes));
	if (merged)
		all = lode_finding_text(arena, "%zu recording%s in %s: %s.", merged->n_streams,
					merged->n_streams == 1 ? "" : "s", merged->path,
					share_words(arena, merged->bytes,
						    answer->job->origin.content_bytes,
						    answer->job->input_bytes));
	return (struct lode_opening){
		.finding = lode_finding_text(arena, "%s%s%s", kept, *kept && *all ? " " : "", all),
		.next_command =
			to ? lode_finding_text(arena, "lode mine %s", lode_next_word(arena, to))
			   : NULL,
	};
}
