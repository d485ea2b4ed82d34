/* Says which functions are one over recordings, and which were left out of stacks. */
#include "answers/clusters/alias_words.h"

#include "base/escape.h"
#include "document/fields.h"
#include "document/units.h"

enum { MOST_NAMED = 8, NAME_WIDTH = 60 };

/* Of the list's names, and of those left out. */
static size_t count_left_out(const struct lode_digest *digest)
{
	size_t n = 0;

	for (size_t i = 0; i < digest->aliases.n; i++)
		n += !digest->aliases.at[i].name;
	return n;
}

const char *lode_alias_words(struct lode_arena *arena, const struct lode_digest *digest,
			     const char *label)
{
	char text[1024], n[LODE_UNITS_BUFFER];
	char *words = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&words, &size);
	const char *sep = " (", *kept;

	if (!out)
		lode_oom(0);
	for (size_t i = 0; i < digest->aliases.n; i++) {
		const struct lode_digest_alias *alias = &digest->aliases.at[i];

		if (!alias->name ||
		    strcmp(lode_frame_label(&digest->tree, alias->as, text, sizeof(text)), label) !=
			    0)
			continue;
		fprintf(out, "%sin %s ", sep, lode_format_plural(n, alias->n_streams, "recording"));
		fputs(lode_frame_label(&digest->tree, alias->frame, text, sizeof(text)), out);
		sep = ", ";
	}
	fputs(*sep == ',' ? ")" : "", out);
	fclose(out);
	kept = lode_arena_strdup(arena, words);
	free(words);
	return kept;
}

void lode_alias_lines(FILE *out, const struct lode_digest *digest)
{
	size_t n_left_out = count_left_out(digest), n_named = digest->aliases.n - n_left_out;
	char name[256], alias_name[256], n[LODE_UNITS_BUFFER];

	for (size_t i = 0; i < n_named && i < MOST_NAMED; i++) {
		const struct lode_digest_alias *alias = &digest->aliases.at[i];

		fprintf(out, "%s %s (in %s %s)", i ? "," : "Functions with several names:",
			lode_escape_fit(name, sizeof(name), alias->name, NAME_WIDTH),
			lode_format_plural(n, alias->n_streams, "recording"),
			lode_escape_fit(alias_name, sizeof(alias_name), alias->function,
					NAME_WIDTH));
	}
	if (n_named > MOST_NAMED)
		fprintf(out, ", and %zu more", n_named - MOST_NAMED);
	fputs(n_named ? ".\n" : "", out);
	for (size_t i = 0; i < n_left_out && i < MOST_NAMED; i++) {
		const struct lode_digest_alias *alias = &digest->aliases.at[n_named + i];

		fprintf(out, "%s %s (in %s)",
			i ? "," : "Left out of stacks, as only some recordings have them:",
			lode_escape_fit(alias_name, sizeof(alias_name), alias->function,
					NAME_WIDTH),
			lode_format_plural(n, alias->n_streams, "recording"));
	}
	if (n_left_out > MOST_NAMED)
		fprintf(out, ", and %zu more", n_left_out - MOST_NAMED);
	fputs(n_left_out ? ".\n" : "", out);
}

static const struct lode_field alias_fields[] = {
	LODE_FIELD(struct lode_digest_alias, function, "name in some of the recordings"),
	LODE_FIELD(struct lode_digest_alias, name, "name in this document",
		   .absent = "the function is left out of all stacks"),
	LODE_FIELD_AS("streams", struct lode_digest_alias, n_streams,
		      "recordings in which the function has its own name"),
};
LODE_RECORD(alias, struct lode_digest_alias);

static const struct lode_field aliases_fields[] = {
	LODE_LIST("aliases", struct lode_digest, aliases.at, aliases.n, &alias_record,
		  "functions that are one over groups of recordings, and functions that only some "
		  "recordings have between the same neighbours"),
};
const struct lode_record lode_aliases_record =
	LODE_RECORD_OF("aliases", aliases_fields, struct lode_digest);
