/*
 * Signatures as text: fields of paragraphs, for people and for version control.
 */
#include <stdarg.h>

#include "base/ascii.h"
#include "base/escape.h"
#include "base/lines.h"
#include "base/log_time.h"
#include "base/written.h"
#include "model/signature.h"

/* Columns of a line of patterns, where steps are short enough for that. */
enum { LINE_COLUMNS = 96 };

static const char heading[] = "# Performance signatures: lode sign --help says what the fields "
			      "mean.\n";
static const char format_name[] = "lode/signatures/1";

/* ---- Reading ---- */

enum field {
	FORMAT,
	SIGNATURE,
	STATE,
	BUG,
	OWNER,
	KIND,
	REASON,
	CREATED,
	UPDATED,
	NOTE,
	PATTERN,
	N_FIELDS
};

static const char *const field_names[N_FIELDS] = {"format",  "signature", "state",  "bug",
						  "owner",   "kind",	  "reason", "created",
						  "updated", "note",	  "pattern"};

typedef LODE_VEC(char) char_vec;

struct reader {
	struct lode_signatures *signatures;
	const char *path;
	struct lode_error *err;
	struct lode_arena arena; /* texts of the paragraph at hand */
	/* The field at hand, as its lines come. */
	enum field field; /* N_FIELDS: none */
	int64_t field_line;
	char_vec value;
	/* The paragraph at hand. */
	struct lode_signature signature;
	LODE_VEC(const char *) patterns;
	unsigned seen; /* bit per field */
	int64_t first_line;
};

__attribute__((format(printf, 3, 4))) static int fail_at(struct reader *r, int64_t line,
							 const char *format, ...)
{
	char message[sizeof(r->err->message)];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	return lode_fail_line(r->err, LODE_ERR_FORMAT, r->path, line, "%s", message);
}

static int read_time(struct reader *r, int64_t *out_s, const char *text)
{
	struct lode_log_clock clock = {0};
	struct lode_log_time time;

	if (!lode_log_time_parse(&time, &clock, text, strlen(text)) || time.ns <= 0)
		return fail_at(r, r->field_line,
			       "%s is '%.40s', not a time such as 2026-11-21T09:30:00Z",
			       field_names[r->field], text);
	*out_s = time.ns / 1000000000;
	return 0;
}

static int read_bits(struct reader *r, unsigned *bits, enum lode_signature_field field,
		     const char *text)
{
	struct lode_error err;

	if (lode_signature_bits_parse(bits, field, text, &err) < 0)
		return fail_at(r, r->field_line, "%s", err.message);
	return *bits ? 0
		     : fail_at(r, r->field_line, "the field %s is empty", field_names[r->field]);
}

static int read_state(struct reader *r, const char *text)
{
	r->signature.is_retired = strcmp(text, "retired") == 0;
	if (!r->signature.is_retired && strcmp(text, "active") != 0)
		return fail_at(r, r->field_line, "state is '%.40s', not active or retired", text);
	return 0;
}

static int read_format(struct reader *r, const char *text)
{
	if (r->seen != 1u << FORMAT || r->signatures->list.n)
		return fail_at(r, r->field_line,
			       "the format must be given once, before any signature");
	if (strcmp(text, format_name) == 0)
		return 0;
	if (strncmp(text, format_name, strlen("lode/signatures/")) == 0)
		return lode_fail_line(r->err, LODE_ERR_UNSUPPORTED, r->path, r->field_line,
				      "made by a newer lode: the format is '%.40s', not %s", text,
				      format_name);
	return fail_at(r, r->field_line, "the format is '%.40s', not %s", text, format_name);
}

/* The field whose lines have all come. */
static int end_field(struct reader *r)
{
	const char *text;
	int rc = 0;

	if (r->field == N_FIELDS)
		return 0;
	text = lode_arena_strndup(&r->arena, r->value.n ? r->value.at : "", r->value.n);
	switch (r->field) {
	case FORMAT:
		rc = read_format(r, text);
		break;
	case SIGNATURE:
		r->signature.name = text;
		break;
	case STATE:
		rc = read_state(r, text);
		break;
	case BUG:
		r->signature.bug = text;
		break;
	case OWNER:
		r->signature.owner = text;
		break;
	case KIND:
		rc = read_bits(r, &r->signature.kinds, LODE_SIGNATURE_KINDS, text);
		break;
	case REASON:
		rc = read_bits(r, &r->signature.reasons, LODE_SIGNATURE_REASONS, text);
		break;
	case CREATED:
		rc = read_time(r, &r->signature.created_s, text);
		break;
	case UPDATED:
		rc = read_time(r, &r->signature.updated_s, text);
		break;
	case NOTE:
		r->signature.note = text;
		break;
	case PATTERN:
	default:
		lode_vec_append(&r->patterns, text);
		break;
	}
	r->field = N_FIELDS;
	return rc;
}

static int end_paragraph(struct reader *r)
{
	struct lode_error err;
	int rc = end_field(r);
	unsigned seen = r->seen;

	if (rc < 0 || !seen)
		return rc;
	if (seen & 1u << SIGNATURE) {
		r->signature.patterns = r->patterns.at;
		r->signature.n_patterns = r->patterns.n;
		rc = lode_signatures_add(r->signatures, &r->signature, &err);
		if (rc < 0)
			rc = fail_at(r, r->first_line, "%s", err.message);
	} else if (seen != 1u << FORMAT) {
		rc = fail_at(r, r->first_line, "the paragraph has no field signature");
	}
	memset(&r->signature, 0, sizeof(r->signature));
	r->patterns.n = 0;
	r->seen = 0;
	lode_arena_release(&r->arena);
	return rc;
}

static void put_value(struct reader *r, const char *text, size_t len)
{
	lode_vec_reserve(&r->value, r->value.n + len);
	for (size_t i = 0; i < len; i++)
		r->value.at[r->value.n++] = text[i];
}

/* A further line of a field: lines of a note stay lines, others are joined by a blank. */
static int go_on(struct reader *r, const char *text, size_t len, int64_t number)
{
	if (r->field == N_FIELDS)
		return fail_at(r, number,
			       "the line begins with a blank, but there is no field to continue");
	put_value(r, r->field == NOTE ? "\n" : " ", 1);
	/* An empty line of a note is "." here, and dots have one more. */
	if (r->field == NOTE && strspn(text, ".") == len)
		len--;
	put_value(r, text, len);
	return 0;
}

static int start_field(struct reader *r, const char *line, size_t len, int64_t number)
{
	const char *colon = memchr(line, ':', len);
	size_t name_len = colon ? (size_t)(colon - line) : 0;
	unsigned field = 0;
	int rc = end_field(r);

	if (rc < 0)
		return rc;
	if (!colon)
		return fail_at(r, number, "'%.*s' is not a field: it has no ':'",
			       len > 40 ? 40 : (int)len, line);
	while (field < N_FIELDS && (strlen(field_names[field]) != name_len ||
				    memcmp(field_names[field], line, name_len) != 0))
		field++;
	if (field == N_FIELDS)
		return fail_at(r, number,
			       "unknown field '%.*s'; expected signature, state, bug, owner, kind, "
			       "reason, created, updated, note, pattern",
			       name_len > 40 ? 40 : (int)name_len, line);
	if (!r->seen)
		r->first_line = number;
	if (field != PATTERN && r->seen >> field & 1)
		return fail_at(
			r, number,
			"%s appears twice in one paragraph (a blank line separates signatures)",
			field_names[field]);
	r->seen |= 1u << field;
	r->field = (enum field)field;
	r->field_line = number;
	r->value.n = 0;
	for (colon++, len -= name_len + 1; len && lode_is_blank(*colon); len--)
		colon++;
	put_value(r, colon, len);
	return 0;
}

static int read_line(struct reader *r, const char *line, size_t len, int64_t number)
{
	bool goes_on = len && lode_is_blank(*line);

	if (memchr(line, '\0', len))
		return fail_at(r, number, "the line contains a NUL byte: not a signature file");
	/* A backslash before the last blank: it belongs to a name. */
	while (len && (line[len - 1] == ' ' || line[len - 1] == '\t') &&
	       !(len > 1 && line[len - 2] == '\\'))
		len--;
	if (len && *line == '#')
		return 0;
	while (goes_on && len && (*line == ' ' || *line == '\t')) {
		line++;
		len--;
	}
	if (len == 0)
		return end_paragraph(r);
	return goes_on ? go_on(r, line, len, number) : start_field(r, line, len, number);
}

static int read_input(struct lode_signatures *signatures, struct lode_input *input,
		      struct lode_error *err)
{
	struct lode_error own;
	struct reader r = {.signatures = signatures,
			   .path = lode_input_path(input),
			   .err = err ? err : &own,
			   .field = N_FIELDS};
	struct lode_lines lines;
	char *line;
	size_t len;
	int rc;

	lode_lines_init(&lines, input);
	while ((rc = lode_lines_next(&lines, &line, &len, r.err)) > 0) {
		rc = read_line(&r, line, len, lines.number);
		if (rc < 0)
			break;
	}
	if (rc == 0)
		rc = end_paragraph(&r);
	lode_lines_release(&lines);
	lode_vec_release(&r.value);
	lode_vec_release(&r.patterns);
	lode_arena_release(&r.arena);
	return rc;
}

int lode_signatures_read(struct lode_signatures *signatures, const char *path,
			 struct lode_error *err)
{
	struct lode_input *input;
	int rc = lode_input_open(&input, path, err);

	if (rc < 0)
		return rc;
	rc = read_input(signatures, input, err);
	lode_input_close(input);
	return rc;
}

int lode_signatures_parse(struct lode_signatures *signatures, const char *name, const char *text,
			  size_t size, struct lode_error *err)
{
	struct lode_input *input;
	int rc;

	lode_input_open_bytes(&input, name, text, size);
	rc = read_input(signatures, input, err);
	lode_input_close(input);
	return rc;
}

/* ---- Writing ---- */

static void put_text_signature(FILE *out, enum field field, const char *text)
{
	if (*text)
		fprintf(out, "%s: %s\n", field_names[field], text);
}

static void put_time(FILE *out, enum field field, int64_t time_s)
{
	char text[LODE_SIGNATURE_TIME_BYTES];

	put_text_signature(out, field, lode_signature_time_text(text, time_s));
}

static void put_bits(FILE *out, enum field field, enum lode_signature_field bits_field,
		     unsigned bits)
{
	char text[LODE_SIGNATURE_BITS_BYTES];

	put_text_signature(out, field, lode_signature_bits_text(text, bits_field, bits));
}

static void put_note(FILE *out, const char *note)
{
	const char *before = "note: ";

	while (*note) {
		size_t len = strcspn(note, "\n");
		bool is_dots = before[0] == ' ' && strspn(note, ".") >= len;

		fprintf(out, "%s%.*s%s\n", before, (int)len, note, is_dots ? "." : "");
		note += len + (note[len] == '\n');
		before = "  ";
	}
}

/* Where the step at `at` ends: its ';', or the end of the text. */
static const char *end_of_step(const char *at)
{
	while (*at && *at != ';')
		at += *at == '\\' && at[1] ? 2 : 1;
	return at;
}

/* "pattern: a; b; c", on further lines where one is too short for it. */
static void put_pattern(FILE *out, const char *pattern)
{
	size_t column = (size_t)fprintf(out, "%s:", field_names[PATTERN]);
	bool is_first = true;
	char step[2048];

	while (*pattern) {
		const char *end = end_of_step(pattern);
		int len = (int)(end - pattern);
		size_t width;

		snprintf(step, sizeof(step), "%.*s", len, pattern);
		width = lode_escape_width(step) + 1 + (*end == ';');
		if (!is_first && column + width > LINE_COLUMNS) {
			fputs("\n ", out);
			column = 1;
		}
		fprintf(out, " %.*s%s", len, pattern, *end ? ";" : "");
		column += width;
		pattern = *end ? end + 1 : end;
		is_first = false;
	}
	fputc('\n', out);
}

static void put_signature(FILE *out, const struct lode_signature *s)
{
	put_text_signature(out, SIGNATURE, s->name);
	put_text_signature(out, STATE, s->is_retired ? "retired" : "");
	put_text_signature(out, BUG, s->bug);
	put_text_signature(out, OWNER, s->owner);
	put_bits(out, KIND, LODE_SIGNATURE_KINDS, s->kinds);
	put_bits(out, REASON, LODE_SIGNATURE_REASONS, s->reasons);
	put_time(out, CREATED, s->created_s);
	put_time(out, UPDATED, s->updated_s);
	put_note(out, s->note);
	for (size_t i = 0; i < s->n_patterns; i++)
		put_pattern(out, s->patterns[i]);
}

char *lode_signatures_format(const struct lode_signatures *signatures, size_t *size)
{
	char *text = NULL;
	FILE *out = lode_written_open(&text, size);

	fprintf(out, "%s%s: %s\n", heading, field_names[FORMAT], format_name);
	for (size_t i = 0; i < signatures->list.n; i++) {
		fputc('\n', out);
		put_signature(out, &signatures->list.at[i]);
	}
	lode_written_close(out);
	return text;
}

char *lode_signature_format(const struct lode_signature *signature, size_t *size)
{
	char *text = NULL;
	FILE *out = lode_written_open(&text, size);

	put_signature(out, signature);
	lode_written_close(out);
	return text;
}
