/* What a page posts, as a change of signatures. */
#include "answers/sign/signature_request.h"

#include "base/json_tree.h"

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
		/* Whoever asked wrote it: there is no file that is broken. */
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
