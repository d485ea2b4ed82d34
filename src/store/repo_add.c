#include "base/clock.h"
#include "store/repo_entry.h"
#include "store/repo_query.h"
#include "store/repo_segments.h"

bool lode_repo_label_is_key(const char *key, size_t len)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
	static const char others[] = "0123456789.-";

	if (!len || !memchr(letters, key[0], sizeof(letters) - 1))
		return false;
	for (size_t i = 1; i < len; i++)
		if (!memchr(letters, key[i], sizeof(letters) - 1) &&
		    !memchr(others, key[i], sizeof(others) - 1))
			return false;
	return !lode_repo_query_is_field(key, len);
}

/* Statements of one transaction. */
struct adding {
	struct lode_repo *repo;
	sqlite3_stmt *find, *digest, *stream, *symptom, *label;
};

static int prepare(struct adding *adding, struct lode_error *err)
{
	struct lode_repo *repo = adding->repo;
	int rc = lode_repo_prepare(&adding->find, repo,
				   "SELECT id, digest FROM stream WHERE uid = ?", err);

	if (rc == 0)
		rc = lode_repo_prepare(&adding->digest, repo,
				       "INSERT INTO digest(source, key, imported_ns, input_bytes,"
				       " content_bytes, n_beside, n_streams, n_bytes)"
				       " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
				       err);
	if (rc == 0)
		rc = lode_repo_prepare(&adding->stream, repo,
				       "INSERT INTO stream(digest, uid, path, host, kernel,"
				       " time_ns, is_clock, length_ns, n_symptoms, symptom_ns)"
				       " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
				       err);
	if (rc == 0)
		rc = lode_repo_prepare(&adding->symptom, repo,
				       "INSERT INTO symptom VALUES (?, ?, ?, ?, ?)", err);
	if (rc == 0)
		rc = lode_repo_prepare(&adding->label, repo,
				       "INSERT OR REPLACE INTO label VALUES (?, ?, ?)", err);
	return rc;
}

static void finalize(struct adding *adding)
{
	sqlite3_finalize(adding->find);
	sqlite3_finalize(adding->digest);
	sqlite3_finalize(adding->stream);
	sqlite3_finalize(adding->symptom);
	sqlite3_finalize(adding->label);
}

/* How many of the entry's streams are there, and in which digest the first of them is. */
static int count_there(size_t *n, int64_t *digest, struct adding *adding,
		       const struct lode_repo_entry *entry, struct lode_error *err)
{
	*n = 0;
	*digest = 0;
	for (size_t i = 0; i < entry->streams.n; i++) {
		int rc;

		sqlite3_reset(adding->find);
		lode_repo_bind_text(adding->find, 1, entry->streams.at[i].uid);
		rc = lode_repo_step(adding->repo, adding->find, err);
		if (rc < 0)
			return rc;
		if (rc > 0 && !(*n)++)
			*digest = sqlite3_column_int64(adding->find, 1);
	}
	sqlite3_reset(adding->find);
	return 0;
}

static int add_digest(int64_t *id, struct adding *adding, const struct lode_repo_entry *entry,
		      struct lode_error *err)
{
	sqlite3_stmt *st = adding->digest;
	int rc;

	sqlite3_reset(st);
	lode_repo_bind_text(st, 1, entry->source);
	if (entry->key)
		sqlite3_bind_int64(st, 2, (int64_t)entry->key);
	else
		sqlite3_bind_null(st, 2);
	sqlite3_bind_int64(st, 3, lode_clock_ns(CLOCK_REALTIME));
	sqlite3_bind_int64(st, 4, entry->input_bytes);
	sqlite3_bind_int64(st, 5, entry->content_bytes);
	sqlite3_bind_int64(st, 6, (int64_t)entry->n_beside);
	sqlite3_bind_int64(st, 7, (int64_t)entry->streams.n);
	sqlite3_bind_int64(st, 8, (int64_t)entry->packed.n);
	rc = lode_repo_step(adding->repo, st, err);
	*id = sqlite3_last_insert_rowid(adding->repo->db);
	return rc < 0 ? rc
		      : lode_repo_put_content(adding->repo, LODE_CONTENT_DIGEST, *id,
					      &entry->packed, err);
}

static int add_symptoms(struct adding *adding, int64_t stream, const struct lode_entry_stream *from,
			struct lode_error *err)
{
	sqlite3_stmt *st = adding->symptom;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < from->symptoms.n; i++) {
		const struct lode_entry_symptoms *symptoms = &from->symptoms.at[i];

		sqlite3_reset(st);
		lode_repo_bind_text(st, 1, symptoms->comm);
		sqlite3_bind_int64(st, 2, stream);
		sqlite3_bind_int64(st, 3, (int64_t)symptoms->n);
		sqlite3_bind_int64(st, 4, symptoms->total_ns);
		sqlite3_bind_int64(st, 5, symptoms->longest_ns);
		rc = lode_repo_step(adding->repo, st, err);
	}
	return rc;
}

static int add_stream(struct adding *adding, int64_t digest, const struct lode_entry_stream *from,
		      const struct lode_repo_entry *entry, struct lode_error *err)
{
	sqlite3_stmt *st = adding->stream;
	int64_t id;
	int rc;

	sqlite3_reset(st);
	sqlite3_bind_int64(st, 1, digest);
	lode_repo_bind_text(st, 2, from->uid);
	lode_repo_bind_text(st, 3, from->path);
	lode_repo_bind_text(st, 4, from->host);
	lode_repo_bind_text(st, 5, from->kernel);
	sqlite3_bind_int64(st, 6, from->time_ns);
	sqlite3_bind_int64(st, 7, from->is_clock);
	sqlite3_bind_int64(st, 8, from->length_ns);
	sqlite3_bind_int64(st, 9, (int64_t)from->n_symptoms);
	sqlite3_bind_int64(st, 10, from->symptom_ns);
	rc = lode_repo_step(adding->repo, st, err);
	id = sqlite3_last_insert_rowid(adding->repo->db);
	if (rc == 0)
		rc = add_symptoms(adding, id, from, err);
	for (size_t i = 0; rc == 0 && i < entry->labels.n; i++) {
		sqlite3_reset(adding->label);
		sqlite3_bind_int64(adding->label, 1, id);
		lode_repo_bind_text(adding->label, 2, entry->labels.at[i].key);
		lode_repo_bind_text(adding->label, 3, entry->labels.at[i].value);
		rc = lode_repo_step(adding->repo, adding->label, err);
	}
	return rc;
}

static int add_new(int64_t *id, struct adding *adding, const struct lode_repo_entry *entry,
		   struct lode_error *err)
{
	int rc = add_digest(id, adding, entry, err);

	for (size_t i = 0; rc == 0 && i < entry->streams.n; i++)
		rc = add_stream(adding, *id, &entry->streams.at[i], entry, err);
	return rc;
}

/* All digests of a repository were made alike: the first says how. */
static int agree_on_shape(struct lode_repo *repo, const struct lode_repo_entry *entry,
			  struct lode_error *err)
{
	sqlite3_stmt *st;
	int rc = 0;

	if (repo->shape && strcmp(repo->shape, entry->shape) == 0)
		return 0;
	if (!repo->shape)
		rc = lode_repo_read_shape(repo, err);
	if (rc < 0)
		return rc;
	if (repo->shape)
		return strcmp(repo->shape, entry->shape) == 0
			       ? 0
			       : lode_fail(err, LODE_ERR_ARG, repo->path, -1,
					   "its digests were made with other options than that of "
					   "%.200s",
					   entry->source);
	rc = lode_repo_prepare(&st, repo,
			       "INSERT INTO meta VALUES ('shape', ?1), ('symptom_text', ?2)", err);
	if (rc < 0)
		return rc;
	lode_repo_bind_text(st, 1, entry->shape);
	lode_repo_bind_text(st, 2, entry->symptom_text);
	rc = lode_repo_step(repo, st, err);
	sqlite3_finalize(st);
	return rc < 0 ? rc : lode_repo_read_shape(repo, err);
}

static int add_one(enum lode_repo_added *added, int64_t *id, struct adding *adding,
		   const struct lode_repo_entry *entry, bool replace, struct lode_error *err)
{
	size_t n_there = 0;
	int64_t digest = 0;
	int rc = agree_on_shape(adding->repo, entry, err);

	*id = 0;
	if (rc == 0)
		rc = count_there(&n_there, &digest, adding, entry, err);
	if (rc < 0)
		return rc;
	if (n_there == 0) {
		*added = LODE_REPO_ADDED;
		return add_new(id, adding, entry, err);
	}
	if (n_there < entry->streams.n) {
		*added = LODE_REPO_OVERLAPS;
		return 0;
	}
	*added = LODE_REPO_THERE;
	if (!replace)
		return 0;
	rc = lode_repo_replace(adding->repo, entry, digest, err);
	if (rc > 0)
		*added = LODE_REPO_REPLACED;
	return rc < 0 ? rc : 0;
}

int lode_repo_add(struct lode_repo *repo, struct lode_repo_entry *const *entries, size_t n,
		  bool replace, enum lode_repo_added *added, struct lode_error *err)
{
	struct adding adding = {.repo = repo};
	int64_t *ids = lode_alloc0(n + 1, sizeof(*ids));
	bool has_changed = false;
	int rc = lode_repo_begin(repo, err);

	if (rc < 0) {
		free(ids);
		return rc;
	}
	rc = prepare(&adding, err);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		rc = add_one(&added[i], &ids[i], &adding, entries[i], replace, err);
		has_changed |=
			rc == 0 && (added[i] == LODE_REPO_ADDED || added[i] == LODE_REPO_REPLACED);
	}
	finalize(&adding);
	if (rc == 0 && has_changed)
		rc = lode_repo_mark_changed(repo, err);
	rc = lode_repo_end(repo, rc, err);
	if (rc < 0)
		lode_repo_read_shape(repo, NULL);
	for (size_t i = 0; rc == 0 && i < n; i++)
		if (ids[i]) {
			lode_repo_remember(repo, ids[i], entries[i]->digest);
			entries[i]->digest = NULL;
		}
	free(ids);
	return rc;
}

int lode_repo_has_source(struct lode_repo *repo, const char *path, uint64_t key,
			 struct lode_error *err)
{
	sqlite3_stmt *st;
	int rc = lode_repo_prepare(&st, repo, "SELECT 1 FROM digest WHERE source = ? AND key = ?",
				   err);

	if (rc < 0)
		return rc;
	lode_repo_bind_text(st, 1, path);
	sqlite3_bind_int64(st, 2, (int64_t)key);
	rc = lode_repo_step(repo, st, err);
	sqlite3_finalize(st);
	return rc;
}
