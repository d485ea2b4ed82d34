/* lode sign in a sentence: what is there, or what was done. */
#include <ctype.h>

#include "answers/sign/sign.h"
#include "document/findings.h"
#include "document/units.h"

static const char *listed_words(const struct lode_sign_answer *answer, struct lode_arena *arena)
{
	size_t n_retired = 0;
	char n[LODE_UNITS_BUFFER], retired[LODE_UNITS_BUFFER];

	for (size_t i = 0; i < answer->n_signatures; i++)
		n_retired += answer->signatures[i].is_retired;
	if (!answer->n_signatures)
		return lode_finding_text(arena, "No signatures in %s", answer->path);
	return lode_finding_text(arena, "%s in %s%s%s",
				 lode_format_plural(n, answer->n_signatures, "signature"),
				 answer->path, n_retired ? ", retired: " : "",
				 n_retired ? lode_format_count(retired, n_retired) : "");
}

/* "Signed NAME: 2 patterns, cluster 1 of 90 samples in total" */
static const char *signed_words(const struct lode_sign_answer *answer, struct lode_arena *arena)
{
	const struct lode_cluster_choice *cluster = answer->cluster;
	char text[LODE_UNITS_BUFFER];
	const char *words =
		lode_finding_text(arena, "%c%s %s: %s", toupper(*answer->action),
				  answer->action + 1, answer->name,
				  lode_format_plural(text, answer->n_patterns, "pattern"));

	if (cluster)
		words = lode_finding_text(arena, "%s, cluster %u", words, cluster->rank);
	if (cluster && cluster->unit)
		words = lode_finding_text(arena, "%s of %s in total", words,
					  lode_format_cost_long(text, cluster->total_ns,
								cluster->unit));
	return words;
}

static const char *words_of(const struct lode_sign_answer *answer, struct lode_arena *arena)
{
	const struct lode_signature_merge *merge = &answer->merge;
	char n[LODE_UNITS_BUFFER];

	switch (answer->act) {
	case LODE_SIGNATURE_LIST:
		return listed_words(answer, arena);
	case LODE_SIGNATURE_SIGN:
		return signed_words(answer, arena);
	case LODE_SIGNATURE_EXPORT:
		return lode_finding_text(arena, "Exported %s to %s",
					 lode_format_plural(n, answer->n_signatures, "signature"),
					 answer->other);
	case LODE_SIGNATURE_IMPORT:
		return lode_finding_text(arena, "Imported: %zu new, %zu changed, %zu unchanged",
					 merge->n_new, merge->n_changed, merge->n_same);
	case LODE_SIGNATURE_SHOW:
		return lode_finding_text(arena, "%s, %s: %s", answer->name,
					 answer->signatures->is_retired ? "retired" : "active",
					 lode_format_plural(n, answer->signatures->n_patterns,
							    "pattern"));
	default:
		return lode_finding_text(arena, "%c%s %s", toupper(*answer->action),
					 answer->action + 1, answer->name);
	}
}

struct lode_opening lode_sign_opening(const struct lode_sign_answer *answer,
				      struct lode_arena *arena)
{
	bool is_measured = answer->is_of_repo && answer->all->list.n;

	return (struct lode_opening){
		.finding = lode_finding_text(arena, "%s.", words_of(answer, arena)),
		.next_command =
			is_measured ? lode_next_of_repo(arena, "coverage", answer->path) : NULL,
	};
}
