/* Finds streams in a repository, and changes their labels. */
#include "store/repo_entry.h"
#include "store/repo_query_parts.h"
#include "store/repo_segments.h"

static void read_stream(struct lode_repo_streams *out, sqlite3_stmt *st)
{
	struct lode_repo_stream stream = {
		.row = sqlite3_column_int64(st, 0),
		.content_hash = lode_repo_uid_hash((const char *)sqlite3_column_text(st, 1)),
		.path = lode_repo_column_text(st, 2, &out->arena),
		.host = lode_repo_column_text(st, 3, &out->arena),
		.kernel = lode_repo_column_text(st, 4, &out->arena),
		.time_ns = sqlite3_column_int64(st, 5),
		.is_clock = sqlite3_column_int(st, 6) != 0,
		.length_ns = sqlite3_column_int64(st, 7),
		.n_symptoms = (size_t)sqlite3_column_int64(st, 8),
		.symptom_ns = sqlite3_column_int64(st, 9),
		.digest = sqlite3_column_int64(st, 10),
		.segment = sqlite3_column_int64(st, 11),
		.imported_ns = sqlite3_column_int64(st, 12),
		.source = lode_repo_column_text(st, 13, &out->arena),
	};

	lode_vec_append(&out->list, stream);
}

static int read_labels(struct lode_repo_streams *out, size_t first, struct lode_repo *repo,
		       struct lode_error *err)
{
	LODE_VEC(struct lode_repo_label) labels = {0};
	sqlite3_stmt *st;
	int rc = lode_repo_prepare(
		&st, repo, "SELECT key, value FROM label WHERE stream = ? ORDER BY key", err);

	for (size_t i = first; rc >= 0 && i < out->list.n; i++) {
		struct lode_repo_stream *stream = &out->list.at[i];
		struct lode_repo_label *copy;

		labels.n = 0;
		rc = lode_repo_start(repo, st, LODE_REPO_VALUES(LODE_REPO_INT(stream->row)), err);
		for (; rc > 0; rc = lode_repo_step(repo, st, err)) {
			struct lode_repo_label label = {lode_repo_column_text(st, 0, &out->arena),
							lode_repo_column_text(st, 1, &out->arena)};

			lode_vec_append(&labels, label);
		}
		if (!labels.n)
			continue;
		copy = lode_arena_array(&out->arena, struct lode_repo_label, labels.n);
		memcpy(copy, labels.at, labels.n * sizeof(*copy));
		stream->labels = copy;
		stream->n_labels = labels.n;
	}
	lode_vec_release(&labels);
	sqlite3_finalize(st);
	return rc < 0 ? rc : 0;
}

const char lode_repo_find_head[] =
	"SELECT s.id, s.uid, s.path, s.host, s.kernel, s.time_ns, s.is_clock, s.length_ns,"
	" s.n_symptoms, s.symptom_ns, s.digest, d.segment, d.imported_ns, d.source,"
	" d.n_bytes / max(d.n_streams, 1)"
	" FROM stream AS s CROSS JOIN digest AS d ON d.id = s.digest";
/* The + keeps SQLite from walking over all streams in the order of an index, rather than sorting
   the few that another index finds. */
const char lode_repo_find_tail[] = "ORDER BY +s.time_ns, s.path, s.uid";

static int start_find(sqlite3_stmt **st, struct lode_repo *repo,
		      const struct lode_repo_query *query, const char *head, const char *tail,
		      struct lode_error *err)
{
	char *sql = lode_repo_query_sql(query, head, tail);
	int rc = lode_repo_query_register(repo, err);

	*st = NULL;
	if (rc == 0)
		rc = lode_repo_prepare(st, repo, sql, err);
	if (rc == 0)
		lode_repo_query_bind(query, *st);
	free(sql);
	return rc;
}

int lode_repo_find(struct lode_repo_streams *out, struct lode_repo *repo,
		   const struct lode_repo_query *query, struct lode_error *err)
{
	size_t first = out->list.n;
	sqlite3_stmt *st;
	int rc = start_find(&st, repo, query, lode_repo_find_head, lode_repo_find_tail, err);

	if (rc < 0)
		return rc;
	while ((rc = lode_repo_step(repo, st, err)) > 0)
		read_stream(out, st);
	sqlite3_finalize(st);
	return rc < 0 ? rc : read_labels(out, first, repo, err);
}

int lode_repo_find_places(struct lode_repo_streams *out, struct lode_repo *repo,
			  const struct lode_repo_query *query, struct lode_error *err)
{
	static const char head[] = "SELECT s.id, s.uid, s.digest, d.segment"
				   " FROM stream AS s CROSS JOIN digest AS d ON d.id = s.digest";
	sqlite3_stmt *st;
	int rc = start_find(&st, repo, query, head, "", err);

	if (rc < 0)
		return rc;
	while ((rc = lode_repo_step(repo, st, err)) > 0) {
		struct lode_repo_stream stream = {
			.row = sqlite3_column_int64(st, 0),
			.content_hash =
				lode_repo_uid_hash((const char *)sqlite3_column_text(st, 1)),
			.digest = sqlite3_column_int64(st, 2),
			.segment = sqlite3_column_int64(st, 3),
		};

		lode_vec_append(&out->list, stream);
	}
	sqlite3_finalize(st);
	return rc;
}

int lode_repo_find_oldest(struct lode_repo_streams *out, struct lode_repo *repo,
			  const struct lode_repo_query *query,
			  const struct lode_repo_oldest *oldest, struct lode_error *err)
{
	/* In the order of lode_repo_find_tail, but along the index of times where that will do: few
	   of many are wanted. */
	static const char tail[] = "ORDER BY s.time_ns, s.path, s.uid";
	size_t first = out->list.n;
	double bytes = 0;
	sqlite3_stmt *st;
	int rc = start_find(&st, repo, query, lode_repo_find_head, tail, err);

	if (rc < 0)
		return rc;
	while ((rc = lode_repo_step(repo, st, err)) > 0 &&
	       (sqlite3_column_int64(st, 5) < oldest->before_ns || bytes < oldest->bytes)) {
		bytes += (double)sqlite3_column_int64(st, 14);
		read_stream(out, st);
	}
	sqlite3_finalize(st);
	return rc < 0 ? rc : read_labels(out, first, repo, err);
}

void lode_repo_streams_release(struct lode_repo_streams *streams)
{
	lode_vec_release(&streams->list);
	lode_arena_release(&streams->arena);
	memset(streams, 0, sizeof(*streams));
}

int lode_repo_has_any(struct lode_repo *repo, const struct lode_digest *digest,
		      struct lode_error *err)
{
	char uid[LODE_REPO_UID_BYTES];
	sqlite3_stmt *st;
	int rc = lode_repo_prepare(&st, repo, "SELECT 1 FROM stream WHERE uid = ?", err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; rc == 0 && i < digest->streams.n; i++) {
		lode_repo_uid(uid, digest->streams.at[i].content_hash);
		rc = lode_repo_start(repo, st, LODE_REPO_VALUES(LODE_REPO_TEXT(uid)), err);
	}
	sqlite3_finalize(st);
	return rc;
}

const char *lode_repo_stream_label(const struct lode_repo_stream *stream, const char *key)
{
	for (size_t i = 0; i < stream->n_labels; i++)
		if (strcmp(stream->labels[i].key, key) == 0)
			return stream->labels[i].value;
	return NULL;
}

int lode_repo_set_label(struct lode_repo *repo, const struct lode_repo_streams *streams,
			const char *key, const char *value, struct lode_error *err)
{
	sqlite3_stmt *st = NULL;
	int rc = lode_repo_begin(repo, err);

	if (rc < 0)
		return rc;
	rc = lode_repo_prepare(&st, repo,
			       value ? "INSERT OR REPLACE INTO label VALUES (?1, ?2, ?3)"
				     : "DELETE FROM label WHERE stream = ?1 AND key = ?2",
			       err);
	for (size_t i = 0; rc == 0 && i < streams->list.n; i++) {
		const struct lode_repo_value values[] = {LODE_REPO_INT(streams->list.at[i].row),
							 LODE_REPO_TEXT(key),
							 LODE_REPO_TEXT(value)};

		rc = lode_repo_start(repo, st, values, value ? 3 : 2, err);
	}
	sqlite3_finalize(st);
	if (rc == 0)
		rc = lode_repo_mark_changed(repo, err);
	return lode_repo_end(repo, rc, err);
}
