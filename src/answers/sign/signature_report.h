/*
 * Signatures as people and programs read them: the list, and what a command did to it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "document/fields.h"
#include "model/signature.h"
#include "document/json.h"

struct lode_signature_report {
	const struct lode_signature *const *signatures; /* n, borrowed */
	size_t n;
	const char *path;   /* of the repository or the file */
	const char *action; /* "listed", "signed", "changed", "retired", ... */
	unsigned columns;
	bool is_terminal;
};

/* A table, a line for each. */
void lode_signature_report_table(FILE *out, const struct lode_signature_report *report);
/* "lode/sign/1", docs/signatures.md. */
extern const struct lode_document lode_sign_document;
void lode_signature_report_json(FILE *out, const struct lode_signature_report *report);

/* One of its signatures, for others that hold signatures. Where it was filled it must stay. */
struct lode_signature_row {
	const struct lode_signature *signature;
	char kinds[LODE_SIGNATURE_BITS_BYTES], reasons[LODE_SIGNATURE_BITS_BYTES];
	char created[LODE_SIGNATURE_TIME_BYTES], updated[LODE_SIGNATURE_TIME_BYTES];
	const char *kind, *reason, *created_at, *updated_at;
};
void lode_signature_row_fill(struct lode_signature_row *row,
			     const struct lode_signature *signature);
extern const struct lode_record lode_signature_row_record;

/* What kind of events it is about: "wait: disk, fault", "run", "any". */
enum { LODE_SIGNATURE_WHY_BYTES = 2 * LODE_SIGNATURE_BITS_BYTES + 4 };
const char *lode_signature_why(char *buffer, const struct lode_signature *signature);

/* A pattern for one line: names without modules, the middle left out where it is too long. Escaped.
 */
const char *lode_signature_pattern_short(char *buffer, size_t size, const char *pattern,
					 size_t columns);
