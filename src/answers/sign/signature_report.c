#include "answers/sign/signature_report.h"

#include <string.h>

#include "base/escape.h"
#include "document/sheet.h"

const char *lode_signature_why(char *buffer, const struct lode_signature *s)
{
	char kinds[LODE_SIGNATURE_BITS_BYTES], reasons[LODE_SIGNATURE_BITS_BYTES];

	lode_signature_bits_text(kinds, LODE_SIGNATURE_KINDS, s->kinds);
	lode_signature_bits_text(reasons, LODE_SIGNATURE_REASONS, s->reasons);
	snprintf(buffer, LODE_SIGNATURE_WHY_BYTES, "%s%s%s", s->kinds || s->reasons ? kinds : "any",
		 s->kinds && s->reasons ? ": " : "", reasons);
	return buffer;
}

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

const char *lode_signature_pattern_short(char *buffer, size_t size, const char *pattern,
					 size_t columns)
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

static const struct lode_sheet_column sheet_columns[N_COLUMNS] = {
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
enum { TEXT_COLUMNS = 32, NAME_COLUMNS = 40 };

static void set_text(struct lode_sheet *sheet, size_t row, enum column column, const char *text,
		     size_t columns)
{
	char safe[1024];

	lode_sheet_set(sheet, row, column, "%s",
		       *text ? lode_escape_fit(safe, sizeof(safe), text, columns) : "-");
}

static void set_row(struct lode_sheet *sheet, const struct lode_signature *s)
{
	char why[LODE_SIGNATURE_WHY_BYTES], time[LODE_SIGNATURE_TIME_BYTES];
	size_t row = lode_sheet_row(sheet);

	set_text(sheet, row, NAME, s->name, NAME_COLUMNS);
	lode_sheet_set(sheet, row, STATE, "%s", s->is_retired ? "retired" : "active");
	lode_sheet_set(sheet, row, WHY, "%s", lode_signature_why(why, s));
	set_text(sheet, row, OWNER, s->owner, TEXT_COLUMNS);
	set_text(sheet, row, BUG, s->bug, TEXT_COLUMNS);
	lode_sheet_set(sheet, row, UPDATED, "%.10s",
		       *lode_signature_time_text(time, s->updated_s) ? time : "-");
	lode_sheet_set(sheet, row, N_PATTERNS, "%zu", s->n_patterns);
}

void lode_signature_report_table(FILE *out, const struct lode_signature_report *report)
{
	struct lode_sheet *sheet;
	char safe[4096], text[4096];
	size_t room;

	if (!report->n) {
		fprintf(out, "No signatures in %s.\n",
			lode_escape(safe, sizeof(safe), report->path));
		return;
	}
	sheet = lode_sheet_new(sheet_columns, N_COLUMNS, 0);
	for (size_t i = 0; i < report->n; i++)
		set_row(sheet, report->signatures[i]);
	room = lode_sheet_fit(sheet, report->columns, 24, PATTERN, NULL);
	for (size_t i = 0; i < report->n; i++)
		lode_sheet_set(sheet, i, PATTERN, "%s",
			       lode_signature_pattern_short(text, sizeof(text),
							    report->signatures[i]->patterns[0],
							    room));
	lode_sheet_print(sheet, out, report->is_terminal);
	lode_sheet_free(sheet);
}

/* ---- JSON ---- */

/* ---- The document ---- */

#define TEXT(key, member, text) LODE_FIELD_AS(key, struct lode_signature, member, text)

static const char *const states[] = {"active", "retired", NULL};

static const struct lode_field name_fields[] = {
	TEXT("name", name, NULL),
	LODE_FIELD_CHOICE("state", struct lode_signature, is_retired, states, NULL),
	TEXT("bug", bug, "its address; empty: none"),
	TEXT("owner", owner, NULL),
	LODE_FIELDS_END,
};
static const struct lode_record name_record = {"name", name_fields, sizeof(struct lode_signature)};

static const struct lode_field pattern_fields[] = {
	TEXT("note", note, NULL),
	LODE_COLUMN("patterns", struct lode_signature, patterns, n_patterns, NULL, .least = 1),
	LODE_FIELDS_END,
};
static const struct lode_record pattern_record = {"patterns", pattern_fields,
						  sizeof(struct lode_signature)};

static const struct lode_field row_fields[] = {
	LODE_FIELDS_AT(struct lode_signature_row, signature, &name_record),
	LODE_FIELD(struct lode_signature_row, kind, "kinds of events joined by commas; empty: any"),
	LODE_FIELD(struct lode_signature_row, reason, "wait reasons joined by commas; empty: any"),
	LODE_FIELD_AS("created", struct lode_signature_row, created_at,
		      "2026-11-21T09:30:00Z; empty: not known"),
	LODE_FIELD_AS("updated", struct lode_signature_row, updated_at, NULL),
	LODE_FIELDS_AT(struct lode_signature_row, signature, &pattern_record),
	LODE_FIELDS_END,
};
const struct lode_record lode_signature_row_record = {"signature", row_fields,
						      sizeof(struct lode_signature_row)};

void lode_signature_row_fill(struct lode_signature_row *row, const struct lode_signature *s)
{
	row->signature = s;
	row->kind = lode_signature_bits_text(row->kinds, LODE_SIGNATURE_KINDS, s->kinds);
	row->reason = lode_signature_bits_text(row->reasons, LODE_SIGNATURE_REASONS, s->reasons);
	row->created_at = lode_signature_time_text(row->created, s->created_s);
	row->updated_at = lode_signature_time_text(row->updated, s->updated_s);
}

static void make_row(void *row, const void *report, size_t i)
{
	lode_signature_row_fill(row, ((const struct lode_signature_report *)report)->signatures[i]);
}

static const char *const actions[] = {"signed",	 "listed",   "changed",	 "retired", "activated",
				      "deleted", "exported", "imported", NULL};

static const struct lode_field report_fields[] = {
	LODE_FIELD(struct lode_signature_report, path,
		   "of the repository or the file of signatures"),
	LODE_FIELD(struct lode_signature_report, action, NULL, .choices = actions),
	LODE_ROWS("signatures", struct lode_signature_report, n, make_row,
		  &lode_signature_row_record, "those that the command was about, by name"),
	LODE_FIELDS_END,
};
static const struct lode_record report_record = {"sign", report_fields,
						 sizeof(struct lode_signature_report)};

const struct lode_document lode_sign_document = {
	.schema = "lode/sign/1",
	.file = "sign",
	.title = "lode sign --json",
	.record = &report_record,
};

void lode_signature_report_json(FILE *out, const struct lode_signature_report *report)
{
	lode_document_put(out, &lode_sign_document, report, NULL);
}
