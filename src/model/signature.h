/*
 * Performance signatures: problems that have a name (docs/signatures.md; StackMine §VII).
 *
 *   signature: slow-path-lookup
 *   bug: https://bugs.example.org/4711
 *   owner: files@example.org
 *   kind: wait
 *   reason: disk, fault
 *   created: 2026-11-21T09:30:00Z
 *   note: One lstat per component, from three callers.
 *   pattern: pluginhost!path_canonicalize; pluginhost!path_query_component
 *   pattern: theme_find_icon; lstat
 *
 * That is a paragraph of a file of signatures: text for people, and for version control. Paragraphs
 * are separated by blank lines and stand in the order of their names, fields in the order above and
 * patterns in that of their texts, so that equal lists are equal files. A line that begins with a
 * blank goes on with the field before it; one that begins with '#' is a comment (and is not kept).
 *
 * A signature matches an event if any of its patterns (signature_pattern.h) holds in the event's
 * stack, and its kind and reason are among those asked for.
 */
#pragma once

#include "base/error.h"
#include "base/mem.h"

struct lode_signature {
	const char *name; /* no blanks; unique in its list */
	bool is_retired;  /* fixed: it explains nothing any more, and must not come back */
	unsigned kinds;	  /* bit per enum lode_event_kind; 0: any */
	unsigned reasons; /* bit per enum lode_wait_reason; 0: any */
	const char *bug;  /* URL or number; "" none, as below */
	const char *owner;
	const char *note;	      /* lines separated by line feeds */
	int64_t created_s, updated_s; /* since the epoch; 0 unknown */
	const char *const *patterns;  /* canonical texts, sorted, each once; at least one */
	size_t n_patterns;
};

/* `{ 0 }` is empty. Signatures are in the order of their names; texts are the arena's. */
struct lode_signatures {
	LODE_VEC(struct lode_signature) list;
	struct lode_arena arena;
};

void lode_signatures_release(struct lode_signatures *signatures);

/* May a bug be called so? Numbers and words are; of addresses http, https and mailto. */
bool lode_signature_bug_is_allowed(const char *bug);

/*
 * Adds a copy. The name must be new. Patterns may be in any order and form. Fails (LODE_ERR_ARG) on
 * what no file could say.
 */
int lode_signatures_add(struct lode_signatures *signatures, const struct lode_signature *signature,
			struct lode_error *err);
/* By its name; NULL. Valid until the list changes. */
struct lode_signature *lode_signatures_find(const struct lode_signatures *signatures,
					    const char *name);
void lode_signatures_remove(struct lode_signatures *signatures, struct lode_signature *signature);

/* ---- As text ---- */

/* Names joined by commas <-> bits; "" is 0. LODE_ERR_ARG on a name that is none. */
enum lode_signature_field { LODE_SIGNATURE_KINDS, LODE_SIGNATURE_REASONS };
enum { LODE_SIGNATURE_BITS_BYTES = 128 }; /* always enough */
int lode_signature_bits_parse(unsigned *bits, enum lode_signature_field field, const char *text,
			      struct lode_error *err);
const char *lode_signature_bits_text(char *buffer, enum lode_signature_field field, unsigned bits);

/* "2026-11-21T09:30:00Z"; "" for 0. */
enum { LODE_SIGNATURE_TIME_BYTES = 24 };
const char *lode_signature_time_text(char *buffer, int64_t time_s);

/* Adds the signatures of a file (plain or compressed, "-"). Errors name file and line. */
int lode_signatures_read(struct lode_signatures *signatures, const char *path,
			 struct lode_error *err);
/* The same of bytes in memory; `name` stands for the path. */
int lode_signatures_parse(struct lode_signatures *signatures, const char *name, const char *text,
			  size_t size, struct lode_error *err);
/* The file's text; the caller's to free. Reading it gives the same list. */
char *lode_signatures_format(const struct lode_signatures *signatures, size_t *size);
/* One paragraph of it, without a heading. */
char *lode_signature_format(const struct lode_signature *signature, size_t *size);
