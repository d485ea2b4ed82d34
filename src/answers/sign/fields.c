/* Fields of the document of lode sign. */
#include "answers/sign/sign.h"

/* ---- A signature ---- */

#define TEXT(key, member, text) LODE_FIELD_AS(key, struct lode_signature, member, text)

static const char *const states[] = {"active", "retired", NULL};

static const struct lode_field name_fields[] = {
	TEXT("name", name, NULL),
	LODE_FIELD_CHOICE("state", struct lode_signature, is_retired, states, NULL),
	TEXT("bug", bug, "URL of the bug; empty: none"),
	TEXT("owner", owner, NULL),
};
LODE_RECORD(name, struct lode_signature);

static const struct lode_field pattern_fields[] = {
	TEXT("note", note, NULL),
	LODE_COLUMN("patterns", struct lode_signature, patterns, n_patterns, NULL, .least = 1),
};
LODE_RECORD(pattern, struct lode_signature);

static const struct lode_field row_fields[] = {
	LODE_FIELDS_AT(struct lode_signature_row, signature, &name_record),
	LODE_FIELD(struct lode_signature_row, kind, "kinds of events joined by commas; empty: any"),
	LODE_FIELD(struct lode_signature_row, reason, "wait reasons joined by commas; empty: any"),
	LODE_FIELD_AS("created", struct lode_signature_row, created_at,
		      "2026-11-21T09:30:00Z; empty: not known"),
	LODE_FIELD_AS("updated", struct lode_signature_row, updated_at, NULL),
	LODE_FIELDS_AT(struct lode_signature_row, signature, &pattern_record),
};
const struct lode_record lode_signature_row_record =
	LODE_RECORD_OF("signature", row_fields, struct lode_signature_row);

void lode_signature_row_fill(struct lode_signature_row *row, const struct lode_signature *s)
{
	row->signature = s;
	row->kind = lode_signature_bits_text(row->kinds, LODE_SIGNATURE_KINDS, s->kinds);
	row->reason = lode_signature_bits_text(row->reasons, LODE_SIGNATURE_REASONS, s->reasons);
	row->created_at = lode_signature_time_text(row->created, s->created_s);
	row->updated_at = lode_signature_time_text(row->updated, s->updated_s);
}

/* ---- The document ---- */

static void fill_signature_row(void *row, const void *answer, size_t i)
{
	lode_signature_row_fill(row, &((const struct lode_sign_answer *)answer)->signatures[i]);
}

static const char *const actions[] = {"signed",	 "listed",   "changed",	 "retired", "activated",
				      "deleted", "exported", "imported", NULL};

static const struct lode_field answer_fields[] = {
	LODE_FIELDS_OF(struct lode_sign_answer, opening, &lode_opening_record),
	LODE_FIELD(struct lode_sign_answer, path, "of the repository or the file of signatures"),
	LODE_FIELD(struct lode_sign_answer, action, NULL, .choices = actions),
	LODE_ROWS("signatures", struct lode_sign_answer, n_signatures, fill_signature_row,
		  &lode_signature_row_record, "the signatures that the command concerned, by name"),
};
LODE_RECORD(answer, struct lode_sign_answer);

const struct lode_document lode_sign_document = {
	.schema = "lode/sign/1",
	.file = "sign",
	.title = "lode sign --json",
	.record = &answer_record,
};
