/* Finds the cluster that a user named by the number or id of an earlier run. */
#include "answers/clusters/cluster_choice.h"

#include <stdio.h>

#include "base/json_tree.h"
#include "base/lines.h"

/* LIMIT: bytes of a document; one of a hundred thousand patterns has some hundred million. */
static const size_t max_document_bytes = (size_t)1 << 30;

/* ---- Names ---- */

/* What `name` means: a rank, or the beginning of an id. */
struct wanted {
	const char *name;
	unsigned long rank; /* 0: an id */
	size_t n_found;
};

static int read_wanted(struct wanted *wanted, const char *name, struct lode_error *err)
{
	size_t len = strlen(name), n_hex = strspn(name, "0123456789abcdef");

	*wanted = (struct wanted){.name = name};
	if (len && len < 6 && strspn(name, "0123456789") == len)
		wanted->rank = strtoul(name, NULL, 10);
	else if (len < 4 || len > 16 || n_hex != len)
		return lode_fail(
			err, LODE_ERR_ARG, NULL, -1,
			"'%.40s' is not a cluster: give its number, or the first digits of its id",
			name);
	return 0;
}

static bool is_wanted(struct wanted *wanted, uint64_t rank, const char *id)
{
	bool found = wanted->rank ? wanted->rank == rank
				  : strncmp(id, wanted->name, strlen(wanted->name)) == 0;

	wanted->n_found += found;
	return found;
}

static int check_found(const struct wanted *wanted, size_t n_clusters, const char *where,
		       struct lode_error *err)
{
	if (wanted->n_found == 1)
		return 0;
	if (wanted->n_found > 1)
		return lode_fail(err, LODE_ERR_ARG, NULL, -1,
				 "%zu cluster ids begin with '%s': give more digits",
				 wanted->n_found, wanted->name);
	return lode_fail(err, LODE_ERR_ARG, NULL, -1, "no cluster '%s' in %s, which has %zu",
			 wanted->name, where, n_clusters);
}

/* ---- The repository's last run ---- */

static int take_from_run(struct lode_cluster_choice *out, const struct lode_repo_run *run,
			 const char *name, struct lode_error *err)
{
	struct wanted wanted;
	char id[17];
	int rc = read_wanted(&wanted, name, err);

	for (size_t i = 0; rc == 0 && i < run->clusters.n; i++) {
		const struct lode_repo_cluster *c = &run->clusters.at[i];

		snprintf(id, sizeof(id), "%016llx", (unsigned long long)c->id);
		if (!is_wanted(&wanted, c->rank, id))
			continue;
		out->rank = c->rank;
		out->id = c->id;
		out->total_ns = c->total_ns;
		out->patterns = lode_lines_split(c->patterns, &out->n_patterns, &out->arena);
		rc = lode_signature_bits_parse(&out->kinds, LODE_SIGNATURE_KINDS, c->kind, err);
	}
	return rc < 0 ? rc
		      : check_found(&wanted, run->clusters.n, "the repository's last mining", err);
}

int lode_cluster_choice_of_run(struct lode_cluster_choice *out, struct lode_repo *repo,
			       const char *name, struct lode_error *err)
{
	struct lode_repo_run run = {0};
	int rc = lode_repo_last_run(&run, repo, err);

	memset(out, 0, sizeof(*out));
	if (rc > 0)
		rc = take_from_run(out, &run, name, err);
	else if (rc == 0)
		rc = lode_fail(err, LODE_ERR_ARG, lode_repo_path(repo), -1,
			       "it was not mined yet: run lode mine --repo to number its clusters");
	lode_repo_run_release(&run);
	if (rc < 0)
		lode_cluster_choice_release(out);
	return rc;
}

/* ---- Mined just now ---- */

const struct lode_cluster *lode_cluster_find(const struct lode_mined *mined, const char *name,
					     struct lode_error *err)
{
	return lode_cluster_find_numbered(mined, name, NULL, err);
}

const struct lode_cluster *lode_cluster_find_numbered(const struct lode_mined *mined,
						      const char *name, const uint32_t *numbers,
						      struct lode_error *err)
{
	const struct lode_cluster *found = NULL;
	struct wanted wanted;
	char id[17];
	int rc = read_wanted(&wanted, name, err);

	for (size_t i = 0; rc == 0 && i < mined->n_clusters; i++) {
		snprintf(id, sizeof(id), "%016llx", (unsigned long long)mined->clusters[i].id);
		if (is_wanted(&wanted, numbers ? numbers[i] : mined->clusters[i].rank, id))
			found = &mined->clusters[i];
	}
	if (rc == 0)
		rc = check_found(&wanted, mined->n_clusters, "this report", err);
	return rc == 0 ? found : NULL;
}

void lode_cluster_choice_of(struct lode_cluster_choice *out, const struct lode_mined *mined,
			    const struct lode_cluster *cluster,
			    const struct lode_cluster_signature *signature)
{
	*out = (struct lode_cluster_choice){
		.rank = cluster->rank,
		.id = cluster->id,
		.kinds = signature->kinds,
		.patterns = signature->patterns,
		.n_patterns = signature->n_patterns,
		.total_ns = cluster->total_ns,
		.unit = mined->digest->unit,
	};
}

/* ---- A document ---- */

static const char *text_of(yajl_val object, const char *name)
{
	yajl_val v = lode_json_tree_member(object, name);

	return v && YAJL_IS_STRING(v) ? v->u.string : "";
}

static int64_t integer_of(yajl_val object, const char *name)
{
	yajl_val v = lode_json_tree_member(object, name);

	return v && YAJL_IS_INTEGER(v) ? YAJL_GET_INTEGER(v) : 0;
}

static int take_signature(struct lode_cluster_choice *out, yajl_val signature, const char *path,
			  struct lode_error *err)
{
	yajl_val list = lode_json_tree_member(signature, "patterns");
	size_t n = list && YAJL_IS_ARRAY(list) ? YAJL_GET_ARRAY(list)->len : 0;
	const char **patterns = lode_arena_array(&out->arena, const char *, n);

	for (size_t i = 0; i < n; i++) {
		yajl_val v = YAJL_GET_ARRAY(list)->values[i];

		if (!YAJL_IS_STRING(v))
			n = 0;
		else
			patterns[i] = lode_arena_strdup(&out->arena, v->u.string);
	}
	if (n == 0)
		return lode_fail(err, LODE_ERR_FORMAT, path, -1,
				 "the cluster has no signature.patterns: written by an "
				 "incompatible version of lode");
	out->patterns = patterns;
	out->n_patterns = n;
	return lode_signature_bits_parse(&out->kinds, LODE_SIGNATURE_KINDS,
					 text_of(signature, "kind"), err);
}

static int take_from_document(struct lode_cluster_choice *out, yajl_val root, const char *path,
			      const char *name, struct lode_error *err)
{
	yajl_val list = lode_json_tree_member(root, "clusters");
	struct wanted wanted;
	int rc = read_wanted(&wanted, name, err);
	size_t n;

	if (rc < 0)
		return rc;
	if ((strcmp(text_of(root, "schema"), "lode/mine/1") != 0 &&
	     strcmp(text_of(root, "schema"), "lode/triage/1") != 0) ||
	    !list || !YAJL_IS_ARRAY(list))
		return lode_fail(err, LODE_ERR_FORMAT, path, -1,
				 "not a document of lode mine --json or lode triage --json: no "
				 "\"schema\": \"lode/mine/1\" with clusters");
	n = YAJL_GET_ARRAY(list)->len;
	for (size_t i = 0; rc == 0 && i < n; i++) {
		yajl_val c = YAJL_GET_ARRAY(list)->values[i];

		if (!is_wanted(&wanted, (uint64_t)integer_of(c, "rank"), text_of(c, "id")))
			continue;
		out->rank = (uint32_t)integer_of(c, "rank");
		out->id = strtoull(text_of(c, "id"), NULL, 16);
		out->total_ns = integer_of(c, "total_ns");
		out->unit = lode_arena_strdup(&out->arena, text_of(root, "unit"));
		rc = take_signature(out, lode_json_tree_member(c, "signature"), path, err);
	}
	return rc < 0 ? rc : check_found(&wanted, n, "the document", err);
}

/* The whole text, NUL-terminated. */
static int read_document(char **out, size_t *size, const char *path, struct lode_error *err)
{
	LODE_VEC(char) text = {0};
	struct lode_input *input;
	ssize_t got = 1;
	int rc = lode_input_open(&input, path, err);

	*out = NULL;
	if (rc < 0)
		return rc;
	while (got > 0) {
		lode_vec_reserve(&text, text.n + (1 << 16) + 1);
		got = lode_input_read(input, text.at + text.n, 1 << 16, err);
		text.n += got > 0 ? (size_t)got : 0;
		if (text.n > max_document_bytes)
			got = lode_fail(err, LODE_ERR_LIMIT, lode_input_path(input), -1,
					"the document is larger than 1 GB");
	}
	text.at[text.n] = '\0';
	lode_input_close(input);
	if (got < 0) {
		lode_vec_release(&text);
		return (int)got;
	}
	*out = text.at;
	*size = text.n;
	return 0;
}

int lode_cluster_choice_of_json(struct lode_cluster_choice *out, const char *path, const char *name,
				struct lode_error *err)
{
	const char *shown = strcmp(path, "-") == 0 ? "standard input" : path;
	yajl_val root;
	char *text;
	size_t size = 0;
	int rc = read_document(&text, &size, path, err);

	memset(out, 0, sizeof(*out));
	if (rc < 0)
		return rc;
	rc = lode_json_tree_parse(&root, text, size, shown, err);
	free(text);
	if (rc == 0)
		rc = take_from_document(out, root, shown, name, err);
	yajl_tree_free(root);
	if (rc < 0)
		lode_cluster_choice_release(out);
	return rc;
}

void lode_cluster_choice_release(struct lode_cluster_choice *choice)
{
	lode_arena_release(&choice->arena);
	memset(choice, 0, sizeof(*choice));
}
