/* Adds entries to a repository. */
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

		rc = lode_repo_start(adding->repo, adding->find,
				     LODE_REPO_VALUES(LODE_REPO_TEXT(entry->streams.at[i].uid)),
				     err);
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
	int rc = lode_repo_start(
		adding->repo, adding->digest,
		LODE_REPO_VALUES(LODE_REPO_TEXT(entry->source), LODE_REPO_KEY(entry->key),
				 LODE_REPO_INT(lode_clock_ns(CLOCK_REALTIME)),
				 LODE_REPO_INT(entry->input_bytes),
				 LODE_REPO_INT(entry->content_bytes),
				 LODE_REPO_INT(entry->n_beside), LODE_REPO_INT(entry->streams.n),
				 LODE_REPO_INT(entry->packed.n)),
		err);

	*id = sqlite3_last_insert_rowid(adding->repo->db);
	return rc < 0 ? rc
		      : lode_repo_put_content(adding->repo, LODE_CONTENT_DIGEST, *id,
					      &entry->packed, err);
}

static int add_symptoms(struct adding *adding, int64_t stream, const struct lode_entry_stream *from,
			struct lode_error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < from->symptoms.n; i++) {
		const struct lode_entry_symptoms *symptoms = &from->symptoms.at[i];

		rc = lode_repo_start(adding->repo, adding->symptom,
				     LODE_REPO_VALUES(LODE_REPO_TEXT(symptoms->comm),
						      LODE_REPO_INT(stream),
						      LODE_REPO_INT(symptoms->n),
						      LODE_REPO_INT(symptoms->total_ns),
						      LODE_REPO_INT(symptoms->longest_ns)),
				     err);
	}
	return rc;
}

static int add_labels(struct adding *adding, int64_t stream, const struct lode_repo_entry *entry,
		      struct lode_error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < entry->labels.n; i++)
		rc = lode_repo_start(adding->repo, adding->label,
				     LODE_REPO_VALUES(LODE_REPO_INT(stream),
						      LODE_REPO_TEXT(entry->labels.at[i].key),
						      LODE_REPO_TEXT(entry->labels.at[i].value)),
				     err);
	return rc;
}

static int add_stream(struct adding *adding, int64_t digest, const struct lode_entry_stream *from,
		      const struct lode_repo_entry *entry, struct lode_error *err)
{
	int64_t id;
	int rc = lode_repo_start(
		adding->repo, adding->stream,
		LODE_REPO_VALUES(LODE_REPO_INT(digest), LODE_REPO_TEXT(from->uid),
				 LODE_REPO_TEXT(from->path), LODE_REPO_TEXT(from->host),
				 LODE_REPO_TEXT(from->kernel), LODE_REPO_INT(from->time_ns),
				 LODE_REPO_INT(from->is_clock), LODE_REPO_INT(from->length_ns),
				 LODE_REPO_INT(from->n_symptoms), LODE_REPO_INT(from->symptom_ns)),
		err);

	id = sqlite3_last_insert_rowid(adding->repo->db);
	if (rc == 0)
		rc = add_symptoms(adding, id, from, err);
	return rc == 0 ? add_labels(adding, id, entry, err) : rc;
}

/* The labels of the entry's one stream, which it took over from another entry, become its own. */
static int relabel(struct adding *adding, const struct lode_repo_entry *entry,
		   struct lode_error *err)
{
	int64_t stream;
	int rc = lode_repo_number_of(&stream, adding->repo, "SELECT id FROM stream WHERE uid = ?",
				     LODE_REPO_VALUES(LODE_REPO_TEXT(entry->streams.at[0].uid)),
				     err);

	if (rc == 0)
		rc = lode_repo_change(NULL, adding->repo, "DELETE FROM label WHERE stream = ?",
				      LODE_REPO_VALUES(LODE_REPO_INT(stream)), err);
	return rc == 0 ? add_labels(adding, stream, entry, err) : rc;
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
			       : lode_fail(
					 err, LODE_ERR_ARG, repo->path, -1,
					 "its digests were made with different options than %.200s",
					 entry->source);
	rc = lode_repo_change(
		NULL, repo, "INSERT INTO meta VALUES ('shape', ?), ('symptom_text', ?)",
		LODE_REPO_VALUES(LODE_REPO_TEXT(entry->shape), LODE_REPO_TEXT(entry->symptom_text)),
		err);
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
	if (entry->turn == LODE_TURN_LATER || (!replace && entry->turn != LODE_TURN_ADDS))
		return 0;
	rc = lode_repo_replace(adding->repo, entry, digest, err);
	if (rc <= 0)
		return rc;
	*added = entry->turn == LODE_TURN_ADDS ? LODE_REPO_ADDED : LODE_REPO_REPLACED;
	return entry->turn == LODE_TURN_ADDS ? relabel(adding, entry, err) : 0;
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

int lode_repo_has_source(struct lode_repo *repo, const char *path, uint64_t key, int64_t last,
			 struct lode_error *err)
{
	return lode_repo_change(
		NULL, repo, "SELECT 1 FROM digest WHERE source = ? AND key = ? AND id <= ?",
		LODE_REPO_VALUES(LODE_REPO_TEXT(path), LODE_REPO_INT(key), LODE_REPO_INT(last)),
		err);
}
