/* What an answer says first, and the command that comes next. */
#include "document/opening.h"

#include <stdarg.h>

#include "base/escape.h"
#include "base/shell_words.h"
#include "base/written.h"
#include "document/fields.h"
#include "document/findings.h"
#include "document/prose.h"
#include "document/style.h"
#include "document/units.h"

static const struct lode_field opening_fields[] = {
	LODE_FIELD(struct lode_opening, finding,
		   "the main finding in a sentence or two: how much, in how many recordings"),
	LODE_FIELD(struct lode_opening, next_command, "the command to run next, quoted for a shell",
		   .absent = "there is no next step, or no command made the document"),
};
const struct lode_record lode_opening_record =
	LODE_RECORD_OF("opening", opening_fields, struct lode_opening, .is_shared = true);

void lode_asked_release(struct lode_asked *asked)
{
	free(asked->options);
	free(asked->next_options);
	free(asked->operands);
	*asked = (struct lode_asked){0};
}

const char *lode_next_again(struct lode_arena *arena, const struct lode_asked *asked,
			    const char *format, ...)
{
	char *text;
	size_t size;
	va_list args;
	FILE *out;

	if (!asked)
		return NULL;
	out = lode_written_open(&text, &size);
	fprintf(out, "lode %s%s ", asked->command, asked->options);
	va_start(args, format);
	vfprintf(out, format, args);
	va_end(args);
	fputs(asked->operands, out);
	return lode_written_keep(out, &text, &size, arena);
}

const char *lode_next_page(struct lode_arena *arena, const struct lode_asked *asked)
{
	if (!asked || asked->has_page)
		return NULL;
	return lode_next_again(arena, asked, "--html %.*s.html", (int)strcspn(asked->command, " "),
			       asked->command);
}

const char *lode_next_word(struct lode_arena *arena, const char *word)
{
	char *text;
	size_t size;
	FILE *out = lode_written_open(&text, &size);

	lode_shell_word_put(out, word);
	return lode_written_keep(out, &text, &size, arena);
}

const char *lode_next_words(struct lode_arena *arena, const char *const *words, size_t n_words)
{
	char *text;
	size_t size;
	FILE *out = lode_written_open(&text, &size);

	lode_shell_words_put(out, words, n_words);
	return lode_written_keep(out, &text, &size, arena);
}

const char *lode_next_of_repo(struct lode_arena *arena, const char *command, const char *repo)
{
	return lode_finding_text(arena, "lode %s --repo %s", command, lode_next_word(arena, repo));
}

const char *lode_opening_spread(struct lode_arena *arena, size_t n, size_t n_all)
{
	char all[LODE_UNITS_BUFFER], some[LODE_UNITS_BUFFER];

	if (n_all <= 1)
		return "";
	lode_format_count(all, n_all);
	if (n == n_all)
		return lode_finding_text(arena, ", in all %s recordings", all);
	return lode_finding_text(arena, ", in %s of %s recordings", lode_format_count(some, n),
				 all);
}

const char *lode_opening_part(int64_t part_ns, int64_t whole_ns)
{
	return part_ns > whole_ns - part_ns ? "most of it" : "the largest part of it";
}

void lode_opening_put(FILE *out, const struct lode_opening *opening,
		      const struct lode_text_page *page)
{
	size_t size = 4 * strlen(opening->finding) + 1;
	size_t next_size = opening->next_command ? 4 * strlen(opening->next_command) + 1 : 0;
	char *safe = lode_alloc(size + next_size);

	fputs(lode_style_start(LODE_STYLE_BOLD, page->has_color), out);
	lode_prose_put(out, page, 0, lode_escape(safe, size, opening->finding));
	fputs(lode_style_end(LODE_STYLE_BOLD, page->has_color), out);
	if (next_size)
		fprintf(out, "Next: %s%s%s\n", lode_style_start(LODE_STYLE_ACCENT, page->has_color),
			lode_escape(safe, next_size, opening->next_command),
			lode_style_end(LODE_STYLE_ACCENT, page->has_color));
	free(safe);
}
