/* Merges digests of a repository into segments. */
#include "store/repo_segments.h"

#include <stdio.h>

#include "base/sorted.h"
#include "model/digest_canonical.h"

/* Digests that come together are merged in one go: what they share is then written once, and they
   skip a level. */
enum { FAN_IN = 16, MAX_LOOSE = FAN_IN * FAN_IN, MAX_RECENT = 640 };

/* Digests of one recording share most of what they hold: merged they take less than an eighth. */
enum { SHRINKS_TO = 8 };

/* LIMIT: of a transaction that merges digests: it holds their ids in memory. */
enum { MAX_MERGED = 4096 };

static const int segment_pack_level = 3;

static const char *const tables[] = {"digest_content", "segment_content", "segment_names"};
static const char *const keys[] = {"digest", "segment", "segment"};
static const char *const words[] = {"digest", "segment", "names of segment"};

/* ---- Contents ---- */

int lode_repo_content(lode_byte_vec *out, struct lode_repo *repo, enum lode_repo_content content,
		      int64_t id, struct lode_error *err)
{
	char sql[96];
	sqlite3_stmt *st;
	int rc;

	snprintf(sql, sizeof(sql), "SELECT content FROM %s WHERE %s = ?", tables[content],
		 keys[content]);
	rc = lode_repo_kept(&st, repo, sql, err);
	if (rc < 0)
		return rc;
	rc = lode_repo_start(repo, st, LODE_REPO_VALUES(LODE_REPO_INT(id)), err);
	if (rc == 0)
		rc = lode_fail(err, LODE_ERR_FORMAT, repo->path, -1,
			       "damaged repository: %s %lld is missing", words[content],
			       (long long)id);
	if (rc > 0)
		lode_repo_column_bytes(out, st, 0);
	sqlite3_reset(st);
	return rc < 0 ? rc : 0;
}

int lode_repo_unpack(struct lode_digest **out, const struct lode_repo *repo, const char *what,
		     int64_t id, const lode_byte_vec *bytes, struct lode_error *err)
{
	struct lode_digest_origin origin = {0};
	char name[600];
	int rc;

	snprintf(name, sizeof(name), "%.480s: %s %lld", repo->path, what, (long long)id);
	rc = lode_digest_unpack(out, &origin, bytes->at, bytes->n, name, err);
	lode_digest_origin_release(&origin);
	if (rc == 0 && !*out)
		rc = lode_fail(err, LODE_ERR_FORMAT, name, -1, "damaged repository: it is empty");
	return rc;
}

int lode_repo_load(struct lode_digest **out, struct lode_repo *repo, enum lode_repo_content content,
		   int64_t id, struct lode_error *err)
{
	lode_byte_vec bytes = {0};
	int rc = lode_repo_content(&bytes, repo, content, id, err);

	*out = NULL;
	if (rc == 0)
		rc = lode_repo_unpack(out, repo, words[content], id, &bytes, err);
	lode_vec_release(&bytes);
	return rc;
}

int lode_repo_put_content(struct lode_repo *repo, enum lode_repo_content content, int64_t id,
			  const lode_byte_vec *bytes, struct lode_error *err)
{
	char sql[96];
	sqlite3_stmt *st;
	int rc;

	snprintf(sql, sizeof(sql), "INSERT OR REPLACE INTO %s VALUES (?, ?)", tables[content]);
	rc = lode_repo_kept(&st, repo, sql, err);
	if (rc < 0)
		return rc;
	sqlite3_bind_int64(st, 1, id);
	sqlite3_bind_blob64(st, 2, bytes->at, bytes->n, SQLITE_STATIC);
	rc = lode_repo_step(repo, st, err);
	sqlite3_reset(st);
	sqlite3_bind_null(st, 2); /* the bytes are the caller's */
	return rc;
}

static int read_ids(lode_id_vec *out, struct lode_repo *repo, const char *sql,
		    const struct lode_repo_value *values, size_t n, struct lode_error *err)
{
	sqlite3_stmt *st;
	int rc = lode_repo_prepare(&st, repo, sql, err);

	if (rc == 0)
		rc = lode_repo_start(repo, st, values, n, err);
	for (; rc > 0; rc = lode_repo_step(repo, st, err))
		lode_vec_append(out, sqlite3_column_int64(st, 0));
	sqlite3_finalize(st);
	return rc;
}

int lode_repo_ids(lode_id_vec *out, struct lode_repo *repo, const char *sql, struct lode_error *err)
{
	return read_ids(out, repo, sql, NULL, 0, err);
}

int lode_repo_digests_in(lode_id_vec *out, struct lode_repo *repo, int64_t segment,
			 struct lode_error *err)
{
	return read_ids(out, repo, "SELECT id FROM digest WHERE segment IS ? ORDER BY id",
			LODE_REPO_VALUES(LODE_REPO_KEY(segment)), err);
}

LODE_COMPARE(by_place, struct lode_repo_place,
	     LODE_ORDER(a->segment, b->segment) ?: LODE_ORDER(a->digest, b->digest))

void lode_repo_places_sort(struct lode_repo_place *places, size_t n)
{
	lode_sort(places, n, by_place);
}

/* ---- Just stored ---- */

void lode_repo_remember(struct lode_repo *repo, int64_t id, struct lode_digest *digest)
{
	struct lode_repo_recent recent = {id, digest};

	if (repo->recent.n == MAX_RECENT)
		lode_repo_forget_recent(repo);
	lode_vec_append(&repo->recent, recent);
}

void lode_repo_forget_recent(struct lode_repo *repo)
{
	for (size_t i = 0; i < repo->recent.n; i++)
		lode_digest_free(repo->recent.at[i].digest);
	repo->recent.n = 0;
}

static struct lode_digest *take_recent(struct lode_repo *repo, int64_t id)
{
	for (size_t i = 0; i < repo->recent.n; i++)
		if (repo->recent.at[i].id == id) {
			struct lode_digest *digest = repo->recent.at[i].digest;

			repo->recent.at[i] = repo->recent.at[--repo->recent.n];
			return digest;
		}
	return NULL;
}

/* ---- Segments ---- */

int lode_repo_level_of(int64_t n_digests)
{
	int level = 1;

	for (int64_t n = FAN_IN; n < n_digests; n *= FAN_IN)
		level++;
	return level;
}

static int put_segment_row(int64_t *id, struct lode_repo *repo, int level, int64_t n_digests,
			   const struct lode_digest *merged, size_t n_bytes, struct lode_error *err)
{
	int64_t row = 0;
	int rc = lode_repo_change(
		&row, repo,
		"INSERT INTO segment(id, level, n_digests, n_streams, n_bytes)"
		" VALUES (?, ?, ?, ?, ?) ON CONFLICT(id) DO UPDATE SET"
		" level = excluded.level, n_digests = excluded.n_digests,"
		" n_streams = excluded.n_streams, n_bytes = excluded.n_bytes,"
		" edition = edition + 1",
		LODE_REPO_VALUES(LODE_REPO_KEY(*id), LODE_REPO_INT(level), LODE_REPO_INT(n_digests),
				 LODE_REPO_INT(merged->streams.n), LODE_REPO_INT(n_bytes)),
		err);

	if (rc == 0 && *id)
		return lode_repo_change(NULL, repo, "DELETE FROM segment_cover WHERE segment = ?",
					LODE_REPO_VALUES(LODE_REPO_INT(*id)), err);
	*id = row;
	return rc;
}

static void pack_repo_segments(lode_byte_vec *out, const struct lode_digest *digest)
{
	struct lode_digest_origin origin = {0};

	lode_digest_pack(out, digest, &origin, segment_pack_level);
}

int lode_repo_put_segment(int64_t *id, struct lode_repo *repo, int level, int64_t n_digests,
			  const struct lode_digest *merged, struct lode_error *err)
{
	bool *keep = lode_alloc0(merged->streams.n + 1, sizeof(*keep)); /* none */
	struct lode_digest *names = lode_digest_canonical(merged, keep);
	lode_byte_vec whole = {0}, part = {0};
	int rc;

	pack_repo_segments(&whole, merged);
	pack_repo_segments(&part, names);
	rc = put_segment_row(id, repo, level, n_digests, merged, whole.n, err);
	if (rc == 0)
		rc = lode_repo_put_content(repo, LODE_CONTENT_SEGMENT, *id, &whole, err);
	if (rc == 0)
		rc = lode_repo_put_content(repo, LODE_CONTENT_NAMES, *id, &part, err);
	lode_vec_release(&whole);
	lode_vec_release(&part);
	lode_digest_free(names);
	free(keep);
	return rc;
}

int lode_repo_merged(struct lode_digest **out, struct lode_repo *repo,
		     enum lode_repo_content content, const int64_t *ids, size_t n,
		     struct lode_error *err)
{
	struct lode_digest *merged = lode_digest_new(), *one;
	int rc = 0;

	*out = NULL;
	for (size_t i = 0; rc == 0 && i < n; i++) {
		one = content == LODE_CONTENT_DIGEST ? take_recent(repo, ids[i]) : NULL;
		if (!one)
			rc = lode_repo_load(&one, repo, content, ids[i], err);
		if (rc == 0 && !lode_digest_fits(merged, one))
			rc = lode_fail(err, LODE_ERR_LIMIT, lode_repo_path(repo), -1,
				       "costs of its recordings add up to 2^63 or more");
		if (rc == 0)
			lode_digest_merge(merged, one);
		lode_digest_free(one);
	}
	if (rc == 0)
		*out = lode_digest_canonical_take(merged);
	else
		lode_digest_free(merged);
	return rc;
}

/* Moves digests, or those of segments, which are then no more, to `segment`. */
static int move_into(struct lode_repo *repo, int64_t segment, enum lode_repo_content content,
		     const int64_t *ids, size_t n, struct lode_error *err)
{
	sqlite3_stmt *move, *drop = NULL;
	int rc = lode_repo_prepare(&move, repo,
				   content == LODE_CONTENT_DIGEST
					   ? "UPDATE digest SET segment = ? WHERE id = ?"
					   : "UPDATE digest SET segment = ? WHERE segment = ?",
				   err);

	if (rc == 0 && content == LODE_CONTENT_SEGMENT)
		rc = lode_repo_prepare(&drop, repo, "DELETE FROM segment WHERE id = ?", err);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		rc = lode_repo_start(
			repo, move, LODE_REPO_VALUES(LODE_REPO_INT(segment), LODE_REPO_INT(ids[i])),
			err);
		if (rc == 0 && drop)
			rc = lode_repo_start(repo, drop, LODE_REPO_VALUES(LODE_REPO_INT(ids[i])),
					     err);
	}
	sqlite3_finalize(move);
	sqlite3_finalize(drop);
	return rc;
}

static int count_digests(int64_t *out, struct lode_repo *repo, enum lode_repo_content content,
			 const int64_t *ids, size_t n, struct lode_error *err)
{
	sqlite3_stmt *st;
	int rc = 0;

	*out = (int64_t)n;
	if (content == LODE_CONTENT_DIGEST)
		return 0;
	*out = 0;
	rc = lode_repo_prepare(&st, repo, "SELECT n_digests FROM segment WHERE id = ?", err);
	for (size_t i = 0; rc >= 0 && i < n; i++) {
		rc = lode_repo_start(repo, st, LODE_REPO_VALUES(LODE_REPO_INT(ids[i])), err);
		if (rc > 0)
			*out += sqlite3_column_int64(st, 0);
	}
	sqlite3_finalize(st);
	return rc < 0 ? rc : 0;
}

/* Merges ids (digests that are in no segment, or segments) into a new segment, in which all of
   their digests are from then on. */
static int merge_segments(int64_t *segment, struct lode_repo *repo, enum lode_repo_content content,
			  const int64_t *ids, size_t n, struct lode_error *err)
{
	struct lode_digest *merged = NULL;
	int64_t n_digests;
	int rc = count_digests(&n_digests, repo, content, ids, n, err);

	*segment = 0;
	if (rc == 0)
		rc = lode_repo_merged(&merged, repo, content, ids, n, err);
	if (rc == 0)
		rc = lode_repo_put_segment(segment, repo, lode_repo_level_of(n_digests), n_digests,
					   merged, err);
	if (rc == 0)
		rc = move_into(repo, *segment, content, ids, n, err);
	lode_digest_free(merged);
	return rc;
}

/* ---- Settling ---- */

/* What is to be merged next: 16 of a kind or more, the oldest; else nothing. */
static int choose_repo_segments(lode_id_vec *ids, enum lode_repo_content *content,
				struct lode_repo *repo, struct lode_error *err)
{
	static const char loose[] = "SELECT id FROM digest WHERE segment IS NULL ORDER BY id"
				    " LIMIT ?";
	char sql[160];
	int64_t level;
	int rc;

	ids->n = 0;
	*content = LODE_CONTENT_DIGEST;
	rc = read_ids(ids, repo, loose, LODE_REPO_VALUES(LODE_REPO_INT(MAX_LOOSE)), err);
	if (rc < 0 || ids->n >= FAN_IN)
		return rc;
	ids->n = 0;
	*content = LODE_CONTENT_SEGMENT;
	snprintf(sql, sizeof(sql),
		 "SELECT level FROM segment WHERE n_bytes < %lld GROUP BY level"
		 " HAVING count(*) >= %d ORDER BY level LIMIT 1",
		 (long long)repo->segment_bytes / FAN_IN, FAN_IN);
	rc = lode_repo_number(&level, repo, sql, err);
	if (rc < 0 || !level)
		return rc;
	snprintf(sql, sizeof(sql),
		 "SELECT id FROM segment WHERE level = %lld AND n_bytes < %lld ORDER BY id LIMIT "
		 "%d",
		 (long long)level, (long long)repo->segment_bytes / FAN_IN, FAN_IN);
	return lode_repo_ids(ids, repo, sql, err);
}

static int settle_one(bool *is_done, struct lode_repo *repo, struct lode_error *err)
{
	enum lode_repo_content content;
	lode_id_vec ids = {0};
	int64_t segment;
	int rc = choose_repo_segments(&ids, &content, repo, err);

	*is_done = rc < 0 || ids.n < FAN_IN;
	/* Again within the transaction: another process may have done it meanwhile. */
	if (!*is_done) {
		rc = lode_repo_begin(repo, err);
		if (rc == 0) {
			rc = choose_repo_segments(&ids, &content, repo, err);
			if (rc == 0 && ids.n >= FAN_IN)
				rc = merge_segments(&segment, repo, content, ids.at, ids.n, err);
			rc = lode_repo_end(repo, rc, err);
		}
	}
	lode_vec_release(&ids);
	return rc;
}

int lode_repo_settle(struct lode_repo *repo, struct lode_error *err)
{
	bool is_done = false;
	int rc = 0;

	while (rc == 0 && !is_done)
		rc = settle_one(&is_done, repo, err);
	return rc;
}

/* ---- Compacting ---- */

struct part {
	int64_t id, n_bytes; /* about what it adds to a segment */
};

/* The next parts that come to one segment, at most; gives how many. */
static size_t fitting(const struct part *parts, size_t n, int64_t most_bytes)
{
	int64_t sum = 0;
	size_t i = 0;

	for (; i < n && i < MAX_MERGED; i++) {
		sum += parts[i].n_bytes;
		if (i && sum > most_bytes)
			break;
	}
	return i;
}

/* All that the statement gives, ids and sizes, become segments of the largest size. */
static int merge_all(struct lode_repo *repo, enum lode_repo_content content, const char *sql,
		     size_t at_least, struct lode_error *err)
{
	LODE_VEC(struct part) parts = {0};
	lode_id_vec ids = {0};
	sqlite3_stmt *st;
	int64_t segment;
	int rc = lode_repo_prepare(&st, repo, sql, err);

	while (rc >= 0 && (rc = lode_repo_step(repo, st, err)) > 0)
		lode_vec_append(&parts, ((struct part){sqlite3_column_int64(st, 0),
						       sqlite3_column_int64(st, 1)}));
	sqlite3_finalize(st);
	for (size_t i = 0, n; rc == 0 && parts.n - i >= at_least && i < parts.n; i += n) {
		n = fitting(parts.at + i, parts.n - i, repo->segment_bytes);
		ids.n = 0;
		for (size_t k = 0; k < n; k++)
			lode_vec_append(&ids, parts.at[i + k].id);
		if (n > 1)
			rc = merge_segments(&segment, repo, content, ids.at, n, err);
	}
	lode_vec_release(&parts);
	lode_vec_release(&ids);
	return rc;
}

int lode_repo_merge_all(struct lode_repo *repo, struct lode_error *err)
{
	char sql[200];
	int rc;

	/* Fewer stay as they are, as beside any segment: merged they would only take more. */
	snprintf(sql, sizeof(sql),
		 "SELECT id, CASE n_streams WHEN 1 THEN n_bytes / %d ELSE n_bytes END FROM digest"
		 " WHERE segment IS NULL ORDER BY id",
		 SHRINKS_TO);
	rc = merge_all(repo, LODE_CONTENT_DIGEST, sql, FAN_IN, err);
	snprintf(sql, sizeof(sql),
		 "SELECT id, n_bytes FROM segment WHERE n_bytes < %lld ORDER BY id",
		 (long long)repo->segment_bytes);
	return rc < 0 ? rc : merge_all(repo, LODE_CONTENT_SEGMENT, sql, 2, err);
}
