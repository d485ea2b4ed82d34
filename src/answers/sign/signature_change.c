/* Signs, edits, retires and deletes signatures of a list in memory. */
#include "answers/sign/signature_change.h"

#include "base/closest_name.h"
#include "base/escape.h"
#include "model/signature_pattern.h"

typedef LODE_VEC(const char *) text_vec;

struct lode_signature *lode_signature_named(const struct lode_signatures *list, const char *name,
					    struct lode_error *err)
{
	struct lode_signature *s = lode_signatures_find(list, name);
	char safe[200], other[200] = "";
	const char **names, *closest;

	if (s)
		return s;
	names = lode_alloc0(list->list.n + 1, sizeof(*names));
	for (size_t i = 0; i < list->list.n; i++)
		names[i] = list->list.at[i].name;
	closest = lode_closest_name(name, names);
	if (closest)
		lode_escape_fit(other, sizeof(other), closest, 80);
	lode_fail(err, LODE_ERR_ARG, NULL, -1, "unknown signature '%s'%s%s%s",
		  lode_escape_fit(safe, sizeof(safe), name, 80), closest ? "; did you mean '" : "",
		  other, closest ? "'?" : "");
	free(names);
	return NULL;
}

/* Takes what the words say; `patterns` are those that it has already. */
static int describe_signature_change(struct lode_signature *s,
				     const struct lode_signature_words *words, text_vec *patterns,
				     struct lode_error *err)
{
	int rc = 0;

	for (size_t i = 0; words->cluster && i < words->cluster->n_patterns; i++)
		lode_vec_append(patterns, words->cluster->patterns[i]);
	for (size_t i = 0; i < words->n_patterns; i++)
		lode_vec_append(patterns, words->patterns[i]);
	s->patterns = patterns->at;
	s->n_patterns = patterns->n;
	if (words->bug)
		s->bug = words->bug;
	if (words->owner)
		s->owner = words->owner;
	if (words->note)
		s->note = words->note;
	if (words->kind)
		rc = lode_signature_bits_parse(&s->kinds, LODE_SIGNATURE_KINDS, words->kind, err);
	if (rc == 0 && words->reason)
		rc = lode_signature_bits_parse(&s->reasons, LODE_SIGNATURE_REASONS, words->reason,
					       err);
	return rc;
}

int lode_signature_sign(struct lode_signatures *list, const char *name,
			const struct lode_signature_words *words, int64_t now_s,
			struct lode_error *err)
{
	struct lode_signature s = {
		.name = name,
		.kinds = words->cluster ? words->cluster->kinds : 0,
		.created_s = now_s,
		.updated_s = now_s,
	};
	text_vec patterns = {0};
	int rc = describe_signature_change(&s, words, &patterns, err);

	if (rc == 0)
		rc = lode_signatures_add(list, &s, err);
	lode_vec_release(&patterns);
	return rc;
}

/* One form for patterns that mean the same; NULL if it is none. */
static const char *canonical(const char *text, struct lode_arena *arena, struct lode_error *err)
{
	lode_signature_step_vec steps = {0};
	const char *out = NULL;

	if (lode_signature_pattern_parse(&steps, text, arena, err) == 0)
		out = lode_signature_pattern_text(steps.at, steps.n, arena);
	lode_vec_release(&steps);
	return out;
}

/* The patterns of `s` but those to drop, of which each must be there. */
static int keep_patterns(text_vec *kept, const struct lode_signature *s,
			 const struct lode_signature_edit *edit, struct lode_error *err)
{
	struct lode_arena arena = {0};
	int rc = 0;

	for (size_t p = 0; p < s->n_patterns; p++)
		lode_vec_append(kept, s->patterns[p]);
	for (size_t d = 0; rc == 0 && d < edit->n_drop; d++) {
		const char *text = canonical(edit->drop[d], &arena, err);
		size_t n = 0;

		if (!text) {
			rc = LODE_ERR_ARG;
			break;
		}
		for (size_t p = 0; p < kept->n; p++)
			if (strcmp(kept->at[p], text) != 0)
				kept->at[n++] = kept->at[p];
		if (n == kept->n)
			rc = lode_fail(err, LODE_ERR_ARG, NULL, -1,
				       "'%.60s' has no pattern '%.200s'", s->name, edit->drop[d]);
		kept->n = n;
	}
	lode_arena_release(&arena);
	return rc;
}

/* Puts `s` in the place of `old`, whose texts it may have; where that fails, `old` is there again.
 */
static int replace(struct lode_signatures *list, struct lode_signature *old,
		   const struct lode_signature *s, struct lode_error *err)
{
	struct lode_signature was = *old;
	int rc;

	lode_signatures_remove(list, old);
	rc = lode_signatures_add(list, s, err);
	if (rc < 0)
		(void)lode_signatures_add(list, &was, NULL);
	return rc;
}

int lode_signature_edit(struct lode_signatures *list, const char *name,
			const struct lode_signature_edit *edit, int64_t now_s,
			struct lode_error *err)
{
	struct lode_signature *old = lode_signature_named(list, name, err), s;
	text_vec patterns = {0};
	int rc;

	if (!old)
		return LODE_ERR_ARG;
	s = *old;
	s.updated_s = now_s;
	if (edit->rename)
		s.name = edit->rename;
	rc = keep_patterns(&patterns, old, edit, err);
	if (rc == 0)
		rc = describe_signature_change(&s, &edit->words, &patterns, err);
	if (rc == 0)
		rc = replace(list, old, &s, err);
	lode_vec_release(&patterns);
	return rc;
}

int lode_signature_set_retired(struct lode_signatures *list, const char *name, bool is_retired,
			       int64_t now_s, struct lode_error *err)
{
	struct lode_signature *s = lode_signature_named(list, name, err);

	if (!s)
		return LODE_ERR_ARG;
	if (s->is_retired != is_retired)
		s->updated_s = now_s;
	s->is_retired = is_retired;
	return 0;
}

int lode_signature_delete(struct lode_signatures *list, const char *name, struct lode_error *err)
{
	struct lode_signature *s = lode_signature_named(list, name, err);

	if (!s)
		return LODE_ERR_ARG;
	lode_signatures_remove(list, s);
	return 0;
}

/* ---- Two lists ---- */

/* Do both say the same, times apart? */
static bool is_same_signature_change(const struct lode_signature *a, const struct lode_signature *b)
{
	struct lode_signature x = *a, y = *b;
	size_t x_size, y_size;
	char *p, *q;
	bool same;

	x.created_s = x.updated_s = y.created_s = y.updated_s = 0;
	p = lode_signature_format(&x, &x_size);
	q = lode_signature_format(&y, &y_size);
	same = x_size == y_size && memcmp(p, q, x_size) == 0;
	free(p);
	free(q);
	return same;
}

int lode_signature_merge(struct lode_signature_merge *out, struct lode_signatures *list,
			 const struct lode_signatures *from, int64_t now_s, struct lode_error *err)
{
	int rc = 0;

	memset(out, 0, sizeof(*out));
	for (size_t i = 0; rc == 0 && i < from->list.n; i++) {
		struct lode_signature s = from->list.at[i];
		struct lode_signature *old = lode_signatures_find(list, s.name);

		if (!s.created_s)
			s.created_s = old ? old->created_s : now_s;
		if (!s.updated_s)
			s.updated_s =
				old && is_same_signature_change(&s, old) ? old->updated_s : now_s;
		if (!old)
			rc = lode_signatures_add(list, &s, err), out->n_new++;
		else if (is_same_signature_change(&s, old))
			out->n_same++;
		else
			rc = replace(list, old, &s, err), out->n_changed++;
	}
	return rc;
}
