/* Signatures: memory, text form, validity (docs/signatures.md). */
#include "model/signature.h"

#include <stdio.h>
#include <strings.h>

#include "base/ascii.h"
#include "base/sorted.h"
#include "base/duration.h"
#include "model/signature_pattern.h"
#include "model/stream.h"

/* LIMIT: bytes of a name. */
enum { MAX_NAME_BYTES = 200 };

/* The last second of the year 2200, as far as base/log_time.h reads. */
static const int64_t last_time_s = 7289654399;

void lode_signatures_release(struct lode_signatures *signatures)
{
	lode_vec_release(&signatures->list);
	lode_arena_release(&signatures->arena);
	memset(signatures, 0, sizeof(*signatures));
}

/* ---- Kinds, reasons, times ---- */

static const char *bit_name(enum lode_signature_field field, unsigned bit)
{
	return field == LODE_SIGNATURE_KINDS ? lode_event_kind_name((enum lode_event_kind)bit)
					     : lode_wait_reason_name((enum lode_wait_reason)bit);
}

static unsigned n_bits(enum lode_signature_field field)
{
	return field == LODE_SIGNATURE_KINDS ? (unsigned)LODE_N_EVENT_KINDS
					     : (unsigned)LODE_N_REASONS;
}

static unsigned first_bit(enum lode_signature_field field)
{
	return field == LODE_SIGNATURE_KINDS ? 0 : LODE_REASON_NONE + 1;
}

int lode_signature_bits_parse(unsigned *bits, enum lode_signature_field field, const char *text,
			      struct lode_error *err)
{
	static const char blanks[] = ", \t";
	char names[256] = "";
	unsigned found = 0;

	for (unsigned i = first_bit(field); i < n_bits(field); i++) {
		size_t used = strlen(names);

		snprintf(names + used, sizeof(names) - used, "%s%s", used ? ", " : "",
			 bit_name(field, i));
	}
	for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
		size_t len = strcspn(text, blanks);
		unsigned bit = first_bit(field);

		while (bit < n_bits(field) && (strlen(bit_name(field, bit)) != len ||
					       memcmp(bit_name(field, bit), text, len) != 0))
			bit++;
		if (bit == n_bits(field))
			return lode_fail(err, LODE_ERR_ARG, NULL, -1,
					 "unknown %s '%.*s'; expected one of %s",
					 field == LODE_SIGNATURE_KINDS ? "kind" : "wait reason",
					 len > 40 ? 40 : (int)len, text, names);
		found |= 1u << bit;
		text += len;
	}
	*bits = found;
	return 0;
}

const char *lode_signature_bits_text(char *buffer, enum lode_signature_field field, unsigned bits)
{
	size_t used = 0;

	*buffer = '\0';
	for (unsigned i = first_bit(field); i < n_bits(field); i++)
		if (bits >> i & 1) {
			snprintf(buffer + used, LODE_SIGNATURE_BITS_BYTES - used, "%s%s",
				 used ? ", " : "", bit_name(field, i));
			used += strlen(buffer + used);
		}
	return buffer;
}

const char *lode_signature_time_text(char *buffer, int64_t time_s)
{
	char text[LODE_UTC_BYTES];

	*buffer = '\0';
	if (time_s > 0 && time_s <= last_time_s)
		snprintf(buffer, LODE_SIGNATURE_TIME_BYTES, "%s",
			 lode_utc_text(text, time_s * 1000000000, "%Y-%m-%dT%H:%M:%SZ"));
	return buffer;
}

/* ---- What a signature may hold ---- */

static bool is_control(char c)
{
	return (unsigned char)c < ' ' || c == 0x7f;
}

/* Without blanks around it; tabs inside become blanks. */
static char *trimmed(struct lode_arena *arena, const char *text, size_t len)
{
	char *copy;

	while (len && lode_is_blank(*text))
		text++, len--;
	while (len && lode_is_blank(text[len - 1]))
		len--;
	copy = lode_arena_strndup(arena, text, len);
	for (char *c = copy; *c; c++)
		if (*c == '\t')
			*c = ' ';
	return copy;
}

static int check_line(const char *field, const char *text, struct lode_error *err)
{
	for (; *text; text++)
		if (is_control(*text))
			return lode_fail(err, LODE_ERR_ARG, NULL, -1,
					 "the %s contains the control character 0x%02x", field,
					 (unsigned)(unsigned char)*text);
	return 0;
}

static int take_name(struct lode_signature *s, const char *name, struct lode_signatures *signatures,
		     struct lode_error *err)
{
	size_t len = name ? strlen(name) : 0;

	if (len == 0)
		return lode_fail(err, LODE_ERR_ARG, NULL, -1, "a signature needs a name");
	if (len > MAX_NAME_BYTES)
		return lode_fail(err, LODE_ERR_ARG, NULL, -1,
				 "the name '%.40s...' is %zu bytes long, at most %d are allowed",
				 name, len, (int)MAX_NAME_BYTES);
	for (const char *c = name; *c; c++)
		if (is_control(*c) || lode_is_blank(*c))
			return lode_fail(err, LODE_ERR_ARG, NULL, -1,
					 "the name '%.60s' contains a blank: use slow-path instead "
					 "of 'slow path'",
					 name);
	if (lode_signatures_find(signatures, name))
		return lode_fail(err, LODE_ERR_ARG, NULL, -1, "signature '%.60s' already exists",
				 name);
	s->name = lode_arena_strndup(&signatures->arena, name, len);
	return 0;
}

static int take_line_signature(const char **out, const char *field, const char *text,
			       struct lode_arena *arena, struct lode_error *err)
{
	*out = trimmed(arena, text ? text : "", text ? strlen(text) : 0);
	return check_line(field, *out, err);
}

/* The length of "scheme" where a text begins with "scheme:", as an address does (RFC 3986); else 0.
 */
static size_t scheme_length(const char *text)
{
	size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				"0123456789+-.");

	return text[n] == ':' && n && !strchr("0123456789+-.", *text) ? n : 0;
}

bool lode_signature_bug_is_allowed(const char *bug)
{
	static const char *const allowed[] = {"http://", "https://", "mailto:"};

	if (!scheme_length(bug))
		return true;
	for (size_t i = 0; i < sizeof(allowed) / sizeof(*allowed); i++)
		if (strncasecmp(bug, allowed[i], strlen(allowed[i])) == 0)
			return true;
	return false;
}

/* A number or an address: pages make links of addresses. */
static int take_bug(struct lode_signature *s, const char *text, struct lode_arena *arena,
		    struct lode_error *err)
{
	int rc = take_line_signature(&s->bug, "bug", text, arena, err);

	if (rc == 0 && !lode_signature_bug_is_allowed(s->bug))
		rc = lode_fail(
			err, LODE_ERR_ARG, NULL, -1,
			"the bug '%.60s' is not an allowed URL: use http://, https:// or mailto:",
			s->bug);
	return rc;
}

/* Each line trimmed, none of the first and last empty. */
static int take_note(const char **out, const char *text, struct lode_arena *arena,
		     struct lode_error *err)
{
	LODE_VEC(char) note = {0};
	size_t n_empty = 0;
	int rc = 0;

	for (const char *at = text ? text : ""; rc == 0 && *at;) {
		size_t len = strcspn(at, "\n");
		const char *line = trimmed(arena, at, len && at[len - 1] == '\r' ? len - 1 : len);

		rc = check_line("note", line, err);
		if (*line) {
			for (size_t i = 0; note.n && i <= n_empty; i++)
				lode_vec_append(&note, '\n');
			for (const char *c = line; *c; c++)
				lode_vec_append(&note, *c);
			n_empty = 0;
		} else {
			n_empty++;
		}
		at += len + (at[len] == '\n');
	}
	*out = lode_arena_strndup(arena, note.n ? note.at : "", note.n);
	lode_vec_release(&note);
	return rc;
}

static int take_patterns(struct lode_signature *s, const struct lode_signature *from,
			 struct lode_arena *arena, struct lode_error *err)
{
	const char **patterns = lode_arena_array(arena, const char *, from->n_patterns);
	lode_signature_step_vec steps = {0};
	size_t n = 0;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < from->n_patterns; i++) {
		steps.n = 0;
		rc = lode_signature_pattern_parse(&steps, from->patterns[i], arena, err);
		if (rc == 0 && steps.n == 0 && !from->kinds && !from->reasons)
			rc = lode_fail(
				err, LODE_ERR_ARG, NULL, -1,
				"the pattern '*' matches every stack: add a kind or a wait reason");
		if (rc == 0)
			patterns[i] = lode_signature_pattern_text(steps.at, steps.n, arena);
	}
	lode_vec_release(&steps);
	if (rc < 0)
		return rc;
	if (!from->n_patterns)
		return lode_fail(err, LODE_ERR_ARG, NULL, -1,
				 "the signature '%.60s' has no pattern", s->name);
	lode_sort(patterns, from->n_patterns, lode_compare_text);
	for (size_t i = 0; i < from->n_patterns; i++)
		if (n == 0 || strcmp(patterns[n - 1], patterns[i]) != 0)
			patterns[n++] = patterns[i];
	s->patterns = patterns;
	s->n_patterns = n;
	return 0;
}

static int64_t sane_time(int64_t time_s)
{
	return time_s > 0 && time_s <= last_time_s ? time_s : 0;
}

/* ---- The list ---- */

static bool has_lower_name(const void *item, const void *name)
{
	const struct lode_signature *signature = item;

	return strcmp(signature->name, name) < 0;
}

/* Where `name` is, or would be. */
static size_t place_of(const struct lode_signatures *signatures, const char *name)
{
	return lode_sorted_before(signatures->list.at, signatures->list.n,
				  sizeof(*signatures->list.at), name, has_lower_name);
}

struct lode_signature *lode_signatures_find(const struct lode_signatures *signatures,
					    const char *name)
{
	size_t i = place_of(signatures, name);

	return i < signatures->list.n && strcmp(signatures->list.at[i].name, name) == 0
		       ? &signatures->list.at[i]
		       : NULL;
}

int lode_signatures_add(struct lode_signatures *signatures, const struct lode_signature *signature,
			struct lode_error *err)
{
	struct lode_arena *arena = &signatures->arena;
	struct lode_signature s = {
		.is_retired = signature->is_retired,
		.kinds = signature->kinds,
		.reasons = signature->reasons,
		.created_s = sane_time(signature->created_s),
		.updated_s = sane_time(signature->updated_s),
	};
	size_t at;
	int rc = take_name(&s, signature->name, signatures, err);

	if (rc == 0)
		rc = take_bug(&s, signature->bug, arena, err);
	if (rc == 0)
		rc = take_line_signature(&s.owner, "owner", signature->owner, arena, err);
	if (rc == 0)
		rc = take_note(&s.note, signature->note, arena, err);
	if (rc == 0)
		rc = take_patterns(&s, signature, arena, err);
	if (rc < 0 || !s.name)
		return rc;
	at = place_of(signatures, s.name);
	lode_vec_append(&signatures->list, s);
	memmove(&signatures->list.at[at + 1], &signatures->list.at[at],
		(signatures->list.n - 1 - at) * sizeof(s));
	signatures->list.at[at] = s;
	return 0;
}

void lode_signatures_remove(struct lode_signatures *signatures, struct lode_signature *signature)
{
	size_t at = (size_t)(signature - signatures->list.at);

	signatures->list.n--;
	memmove(signature, signature + 1, (signatures->list.n - at) * sizeof(*signature));
}
