/* lode sign for terminals. */
#include "answers/sign/sign.h"
#include "base/escape.h"
#include "document/table.h"
#include "document/units.h"

/* ---- Patterns on one line ---- */

/* The end of the step at `at`. */
static const char *end_of_step(const char *at)
{
	while (*at && *at != ';')
		at += *at == '\\' && at[1] ? 2 : 1;
	return at;
}

/* The step's function, without its module where it names one. */
static void put_step(FILE *out, const char *at, const char *end)
{
	const char *bang = memchr(at, '!', (size_t)(end - at));

	if (*at == '>' && bang)
		fputc('>', out);
	if (bang && bang + 1 < end && bang[1] != '*')
		at = bang + 1;
	fprintf(out, "%.*s", (int)(end - at), at);
}

/* Kernel functions tell least: they are the same below many problems. */
static bool is_kernel_step(const char *at)
{
	return strncmp(at + (*at == '>'), "[kernel]!", strlen("[kernel]!")) == 0;
}

static size_t count_steps(const char *pattern, bool with_kernel)
{
	size_t n = 0;

	for (const char *at = pattern;; at++) {
		n += with_kernel || !is_kernel_step(at);
		at = end_of_step(at);
		if (!*at)
			return n;
	}
}

/* The last `n_last` of the `n` steps that are shown, behind "…" if there are more. */
static void put_last_steps(char *text, size_t size, const char *pattern, size_t n, size_t n_last,
			   bool with_kernel)
{
	FILE *out = fmemopen(text, size, "w");
	size_t i = 0;

	*text = '\0';
	if (!out)
		return;
	if (n_last < n)
		fputs("… ", out);
	for (const char *at = pattern;; at++) {
		const char *end = end_of_step(at);

		if (with_kernel || !is_kernel_step(at)) {
			if (i + n_last >= n) {
				if (i + n_last > n)
					fputs(" › ", out);
				put_step(out, at, end);
			}
			i++;
		}
		at = end;
		if (!*at)
			break;
	}
	fclose(out);
	text[size - 1] = '\0';
}

/* For one line: names without modules, the middle left out where it is too long. Escaped. */
static const char *pattern_short(char *buffer, size_t size, const char *pattern, size_t columns)
{
	char text[4096];
	bool with_kernel = count_steps(pattern, false) == 0;
	size_t n = count_steps(pattern, with_kernel);

	/* What stands last tells most: the ways to it are alike. */
	for (size_t n_last = n; n_last > 0; n_last--) {
		put_last_steps(text, sizeof(text), pattern, n, n_last, with_kernel);
		if (lode_escape_width(text) <= columns)
			break;
	}
	return lode_escape_fit(buffer, size, text, columns);
}

/* ---- The table ---- */

enum column { NAME, STATE, WHY, OWNER, BUG, UPDATED, N_PATTERNS, PATTERN, N_COLUMNS };

static const struct lode_table_column table_columns[N_COLUMNS] = {
	[NAME] = {"signature", false, 0},
	[STATE] = {"state", false, 6},
	[WHY] = {"events", false, 3},
	[OWNER] = {"owner", false, 5},
	[BUG] = {"bug", false, 4},
	[UPDATED] = {"changed", false, 1},
	[N_PATTERNS] = {"patterns", true, 2},
	[PATTERN] = {"first pattern", false, 0},
};

/* Owners and bugs are people's words: as long as they like. */
enum { TEXT_COLUMNS = 32, NAME_COLUMNS = 40, EVENTS_BYTES = 2 * LODE_SIGNATURE_BITS_BYTES + 4 };

/* What kind of events it is about: "wait: disk, fault", "run", "any". */
static const char *events_text(char buffer[EVENTS_BYTES], const struct lode_signature *s)
{
	char kinds[LODE_SIGNATURE_BITS_BYTES], reasons[LODE_SIGNATURE_BITS_BYTES];

	lode_signature_bits_text(kinds, LODE_SIGNATURE_KINDS, s->kinds);
	lode_signature_bits_text(reasons, LODE_SIGNATURE_REASONS, s->reasons);
	snprintf(buffer, EVENTS_BYTES, "%s%s%s", s->kinds || s->reasons ? kinds : "any",
		 s->kinds && s->reasons ? ": " : "", reasons);
	return buffer;
}

static void set_signature_row(struct lode_table *table, const struct lode_signature *s)
{
	char why[EVENTS_BYTES], time[LODE_SIGNATURE_TIME_BYTES];
	size_t row = lode_table_row(table);

	lode_table_set_text(table, row, NAME, s->name, NAME_COLUMNS);
	lode_table_set(table, row, STATE, "%s", s->is_retired ? "retired" : "active");
	lode_table_set(table, row, WHY, "%s", events_text(why, s));
	lode_table_set_text(table, row, OWNER, *s->owner ? s->owner : "-", TEXT_COLUMNS);
	lode_table_set_text(table, row, BUG, *s->bug ? s->bug : "-", TEXT_COLUMNS);
	lode_table_set(table, row, UPDATED, "%.10s",
		       *lode_signature_time_text(time, s->updated_s) ? time : "-");
	lode_table_set(table, row, N_PATTERNS, "%zu", s->n_patterns);
}

static void print_table(FILE *out, const struct lode_sign_answer *answer,
			const struct lode_text_page *page)
{
	struct lode_table *table = lode_table_new(table_columns, N_COLUMNS, 0);
	char text[4096];
	size_t room;

	for (size_t i = 0; i < answer->n_signatures; i++)
		set_signature_row(table, &answer->signatures[i]);
	room = lode_table_fit(table, page->columns, 24, PATTERN, NULL);
	for (size_t i = 0; i < answer->n_signatures; i++)
		lode_table_set(table, i, PATTERN, "%s",
			       pattern_short(text, sizeof(text), answer->signatures[i].patterns[0],
					     room));
	lode_table_end(table, out, page);
}

/* ---- The whole ---- */

void lode_sign_text(FILE *out, const struct lode_sign_answer *answer,
		    const struct lode_text_page *page)
{
	enum lode_signature_act act = answer->act;
	char *text = NULL;
	size_t size = 0;

	/* What can be read again has nothing before it. */
	if (act == LODE_SIGNATURE_SHOW)
		text = lode_signature_format(answer->signatures, &size);
	else if (answer->is_bare)
		text = lode_signatures_format(answer->all, &size);
	else
		lode_opening_put(out, &answer->opening, page);
	if (act == LODE_SIGNATURE_LIST && answer->n_signatures) {
		fputc('\n', out);
		print_table(out, answer, page);
	}
	if (text)
		fwrite(text, 1, size, out);
	free(text);
}
