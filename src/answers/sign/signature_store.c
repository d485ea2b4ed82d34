/* Reads and writes the list of signatures, in a repository or a text file. */
#include "answers/sign/signature_store.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/lines.h"

static const int64_t ns_per_s = 1000000000;

/* ---- Rows of a repository ---- */

static const char *bits_of(enum lode_signature_field field, unsigned bits, struct lode_arena *arena)
{
	char text[LODE_SIGNATURE_BITS_BYTES];

	lode_signature_bits_text(text, field, bits);
	return lode_arena_strdup(arena, text);
}

static struct lode_repo_signature row_of(const struct lode_signature *s, struct lode_arena *arena)
{
	return (struct lode_repo_signature){
		.name = s->name,
		.bug = s->bug,
		.owner = s->owner,
		.kind = bits_of(LODE_SIGNATURE_KINDS, s->kinds, arena),
		.reason = bits_of(LODE_SIGNATURE_REASONS, s->reasons, arena),
		.pattern = lode_lines_join(s->patterns, s->n_patterns, arena),
		.state = s->is_retired ? "retired" : "active",
		.note = s->note,
		.created_ns = s->created_s * ns_per_s,
		.changed_ns = s->updated_s * ns_per_s,
	};
}

static int take_row(struct lode_signatures *to, const struct lode_repo_signature *row,
		    struct lode_error *err)
{
	struct lode_signature s = {
		.name = row->name,
		.bug = row->bug,
		.owner = row->owner,
		.note = row->note,
		.is_retired = strcmp(row->state, "retired") == 0,
		.created_s = row->created_ns / ns_per_s,
		.updated_s = row->changed_ns / ns_per_s,
	};
	char bug[1024];
	int rc = lode_signature_bits_parse(&s.kinds, LODE_SIGNATURE_KINDS, row->kind, err);

	if (rc == 0)
		rc = lode_signature_bits_parse(&s.reasons, LODE_SIGNATURE_REASONS, row->reason,
					       err);
	/* Of an older lode, which took any: text, and no address any more. */
	if (!lode_signature_bug_is_allowed(row->bug)) {
		snprintf(bug, sizeof(bug), "(%.1000s)", row->bug);
		s.bug = bug;
	}
	s.patterns = lode_lines_split(row->pattern, &s.n_patterns, &to->arena);
	return rc == 0 ? lode_signatures_add(to, &s, err) : rc;
}

static int read_rows(struct lode_signature_store *store, struct lode_error *err)
{
	struct lode_error own;
	int rc = lode_repo_signatures(&store->rows, store->repo, err);

	for (size_t i = 0; rc == 0 && i < store->rows.list.n; i++) {
		rc = take_row(&store->signatures, &store->rows.list.at[i], &own);
		if (rc < 0)
			rc = lode_fail(err, LODE_ERR_FORMAT, store->path, -1, "signature '%s': %s",
				       store->rows.list.at[i].name, own.message);
	}
	return rc;
}

static bool is_same_row(const struct lode_repo_signature *a, const struct lode_repo_signature *b)
{
	return !strcmp(a->bug, b->bug) && !strcmp(a->owner, b->owner) &&
	       !strcmp(a->kind, b->kind) && !strcmp(a->reason, b->reason) &&
	       !strcmp(a->pattern, b->pattern) && !strcmp(a->state, b->state) &&
	       !strcmp(a->note, b->note) && a->created_ns == b->created_ns &&
	       a->changed_ns == b->changed_ns;
}

static const struct lode_repo_signature *row_named(const struct lode_signature_store *store,
						   const char *name)
{
	for (size_t i = 0; i < store->rows.list.n; i++)
		if (strcmp(store->rows.list.at[i].name, name) == 0)
			return &store->rows.list.at[i];
	return NULL;
}

static int save_rows(struct lode_signature_store *store, struct lode_error *err)
{
	LODE_VEC(struct lode_repo_signature) changed = {0};
	struct lode_arena arena = {0};
	int rc = 0;

	for (size_t i = 0; i < store->signatures.list.n; i++) {
		struct lode_repo_signature row = row_of(&store->signatures.list.at[i], &arena);
		const struct lode_repo_signature *was = row_named(store, row.name);

		row.id = was ? was->id : 0;
		if (!was || !is_same_row(&row, was))
			lode_vec_append(&changed, row);
	}
	if (changed.n)
		rc = lode_repo_put_signatures(store->repo, changed.at, changed.n, err);
	for (size_t i = 0; rc == 0 && i < store->rows.list.n; i++)
		if (!lode_signatures_find(&store->signatures, store->rows.list.at[i].name))
			rc = lode_repo_remove_signature(store->repo, store->rows.list.at[i].id,
							err);
	lode_vec_release(&changed);
	lode_arena_release(&arena);
	return rc;
}

/* ---- Either ---- */

int lode_signature_store_open(struct lode_signature_store *out, struct lode_repo *repo,
			      const char *path, bool may_be_new, struct lode_error *err)
{
	int rc;

	memset(out, 0, sizeof(*out));
	out->repo = repo;
	out->path = repo ? lode_repo_path(repo) : path;
	if (repo)
		rc = read_rows(out, err);
	else if (may_be_new && access(path, F_OK) < 0 && errno == ENOENT)
		rc = 0;
	else
		rc = lode_signatures_read(&out->signatures, path, err);
	if (rc < 0)
		lode_signature_store_release(out);
	return rc;
}

int lode_signature_store_begin(struct lode_signature_store *out, struct lode_repo *repo,
			       const char *path, bool may_be_new, struct lode_error *err)
{
	int rc = repo ? lode_repo_hold(repo, err) : 0;

	memset(out, 0, sizeof(*out));
	if (rc < 0)
		return rc;
	rc = lode_signature_store_open(out, repo, path, may_be_new, err);
	if (rc == 0)
		out->is_held = repo != NULL;
	else if (repo)
		lode_repo_hold_end(repo, rc, err);
	return rc;
}

/* A store that was opened only saves in a transaction of its own. */
static int save_held(struct lode_signature_store *store, struct lode_error *err)
{
	int rc = store->is_held ? 0 : lode_repo_hold(store->repo, err);

	if (rc < 0)
		return rc;
	store->is_held = false;
	return lode_repo_hold_end(store->repo, save_rows(store, err), err);
}

int lode_signature_store_save(struct lode_signature_store *store, struct lode_error *err)
{
	size_t size;
	char *text;
	int rc;

	if (store->repo)
		return save_held(store, err);
	text = lode_signatures_format(&store->signatures, &size);
	rc = lode_atomic_write(store->path, text, size, err);
	free(text);
	return rc;
}

void lode_signature_store_release(struct lode_signature_store *store)
{
	if (store->is_held)
		lode_repo_hold_end(store->repo, LODE_ERR_IO, NULL);
	lode_signatures_release(&store->signatures);
	lode_repo_signatures_release(&store->rows);
	memset(store, 0, sizeof(*store));
}
