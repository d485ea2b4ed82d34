/* Signs, edits, retires and deletes signatures of a list in memory, also as JSON says. */
#include "answers/sign/signature_request.h"

#include "base/json_tree.h"
#include "base/closest_name.h"
#include "base/escape.h"
#include "model/signature_pattern.h"

/* ---- Changes to a list in memory ---- */

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

/* ---- Changes as JSON ---- */

const char *lode_signature_act_name(enum lode_signature_act act)
{
	static const char *const names[LODE_N_SIGNATURE_CHANGES] = {
		[LODE_SIGNATURE_SIGN] = "sign",	    [LODE_SIGNATURE_EDIT] = "edit",
		[LODE_SIGNATURE_RETIRE] = "retire", [LODE_SIGNATURE_ACTIVATE] = "activate",
		[LODE_SIGNATURE_DELETE] = "delete",
	};

	return names[act];
}

struct texts {
	const char *const *at;
	size_t n;
};

/* Where a member goes; one of both is set. */
struct member {
	const char *name;
	unsigned acts; /* a bit per act that has it */
	const char **text;
	struct texts *list;
};

static int fail_member(const char *name, const char *what, struct lode_error *err)
{
	return lode_fail(err, LODE_ERR_ARG, NULL, -1, "\"%.40s\" %s", name, what);
}

static int take_text(const struct member *member, yajl_val value, struct lode_arena *arena,
		     struct lode_error *err)
{
	if (!YAJL_IS_STRING(value))
		return fail_member(member->name, "must be a string", err);
	*member->text = lode_arena_strdup(arena, value->u.string);
	return 0;
}

static int take_list(const struct member *member, yajl_val value, struct lode_arena *arena,
		     struct lode_error *err)
{
	size_t n = YAJL_IS_ARRAY(value) ? YAJL_GET_ARRAY(value)->len : 0;
	const char **texts = lode_arena_array(arena, const char *, n + 1);

	if (!YAJL_IS_ARRAY(value))
		return fail_member(member->name, "must be a list of strings", err);
	for (size_t i = 0; i < n; i++) {
		yajl_val item = YAJL_GET_ARRAY(value)->values[i];

		if (!YAJL_IS_STRING(item))
			return fail_member(member->name, "must be a list of strings", err);
		texts[i] = lode_arena_strdup(arena, item->u.string);
	}
	*member->list = (struct texts){texts, n};
	return 0;
}

static int take_member(const struct member *members, size_t n, enum lode_signature_act act,
		       const char *name, yajl_val value, struct lode_arena *arena,
		       struct lode_error *err)
{
	for (size_t i = 0; i < n; i++) {
		const struct member *m = &members[i];

		if (strcmp(m->name, name) != 0 || !(m->acts & 1u << act))
			continue;
		if (m->text ? *m->text != NULL : m->list->at != NULL)
			return fail_member(name, "is given twice", err);
		return m->text ? take_text(m, value, arena, err) : take_list(m, value, arena, err);
	}
	return fail_member(name, "is unknown", err);
}

static int take_object(struct lode_signature_request *out, yajl_val root, struct lode_error *err)
{
	enum {
		SIGN = 1u << LODE_SIGNATURE_SIGN,
		EDIT = 1u << LODE_SIGNATURE_EDIT,
		BOTH = SIGN | EDIT,
		ALL = (1u << LODE_N_SIGNATURE_CHANGES) - 1,
	};
	struct lode_signature_words *words = &out->edit.words;
	struct texts patterns = {0}, drop = {0};
	const struct member members[] = {
		{"name", ALL, &out->name, NULL},
		{"cluster", BOTH, &out->cluster, NULL},
		{"bug", BOTH, &words->bug, NULL},
		{"owner", BOTH, &words->owner, NULL},
		{"note", BOTH, &words->note, NULL},
		{"kind", BOTH, &words->kind, NULL},
		{"reason", BOTH, &words->reason, NULL},
		{"rename", EDIT, &out->edit.rename, NULL},
		{"patterns", SIGN, NULL, &patterns},
		{"add", EDIT, NULL, &patterns},
		{"drop", EDIT, NULL, &drop},
	};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < YAJL_GET_OBJECT(root)->len; i++)
		rc = take_member(members, sizeof(members) / sizeof(*members), out->act,
				 YAJL_GET_OBJECT(root)->keys[i], YAJL_GET_OBJECT(root)->values[i],
				 &out->arena, err);
	words->patterns = patterns.at;
	words->n_patterns = patterns.n;
	out->edit.drop = drop.at;
	out->edit.n_drop = drop.n;
	if (rc < 0)
		return rc;
	if (!out->name)
		return lode_fail(err, LODE_ERR_ARG, NULL, -1, "\"name\" is required");
	if (out->act == LODE_SIGNATURE_SIGN && !out->cluster && !patterns.n)
		return lode_fail(err, LODE_ERR_ARG, NULL, -1,
				 "give \"cluster\", or \"patterns\" such as "
				 "[\"InitComponents;*;GetHashCode\"]");
	return 0;
}

int lode_signature_request_parse(struct lode_signature_request *out, enum lode_signature_act act,
				 const char *text, size_t size, struct lode_error *err)
{
	yajl_val root;
	int rc = lode_json_tree_parse(&root, text, size, NULL, err);

	memset(out, 0, sizeof(*out));
	out->act = act;
	if (rc < 0) {
		/* The client wrote it: no file is damaged. */
		if (err && err->status == LODE_ERR_FORMAT)
			err->status = LODE_ERR_ARG;
		return rc == LODE_ERR_FORMAT ? LODE_ERR_ARG : rc;
	}
	rc = YAJL_IS_OBJECT(root)
		     ? take_object(out, root, err)
		     : lode_fail(err, LODE_ERR_ARG, NULL, -1, "the body must be a JSON object");
	yajl_tree_free(root);
	return rc;
}

void lode_signature_request_release(struct lode_signature_request *request)
{
	lode_arena_release(&request->arena);
	memset(request, 0, sizeof(*request));
}

int lode_signature_request_apply(struct lode_signatures *list,
				 const struct lode_signature_request *request, int64_t now_s,
				 struct lode_error *err)
{
	switch (request->act) {
	case LODE_SIGNATURE_SIGN:
		return lode_signature_sign(list, request->name, &request->edit.words, now_s, err);
	case LODE_SIGNATURE_EDIT:
		return lode_signature_edit(list, request->name, &request->edit, now_s, err);
	case LODE_SIGNATURE_RETIRE:
	case LODE_SIGNATURE_ACTIVATE:
		return lode_signature_set_retired(
			list, request->name, request->act == LODE_SIGNATURE_RETIRE, now_s, err);
	case LODE_SIGNATURE_DELETE:
		return lode_signature_delete(list, request->name, err);
	default:
		return LODE_ERR_ARG;
	}
}
