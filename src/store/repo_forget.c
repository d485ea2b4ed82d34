/* Taking digests out of segments again, and out of the repository. */
#include <stdio.h>

#include "model/digest_canonical.h"
#include "store/repo_entry.h"
#include "store/repo_segments.h"

/* ---- Out of a segment ---- */

/* What is subtracted was added: anything else means that the segment is not of its digests. */
static bool subtract(uint64_t *from, uint64_t n)
{
	if (*from < n)
		return false;
	*from -= n;
	return true;
}

static bool subtract_names(struct lode_digest *from, const struct lode_digest *digest)
{
	struct lode_name_stats *names = &from->names;
	const struct lode_name_stats *less = &digest->names;
	uint32_t *frame_of = lode_alloc((digest->tree.frames.n + 1) * sizeof(*frame_of));
	bool is_right = subtract(&names->n_stacks, less->n_stacks);

	for (uint32_t i = 0; i < digest->tree.frames.n; i++)
		frame_of[i] = lode_frame_copy(&from->tree, &digest->tree, i);
	for (size_t i = 0; is_right && i < less->n_with.n; i++) {
		uint32_t f = frame_of[i];

		if (!(less->n_with.at[i] | less->n_callee.at[i] | less->n_caller.at[i]))
			continue;
		is_right = f < names->n_with.n &&
			   subtract(&names->n_with.at[f], less->n_with.at[i]) &&
			   subtract(&names->n_callee.at[f], less->n_callee.at[i]) &&
			   subtract(&names->n_caller.at[f], less->n_caller.at[i]);
	}
	for (size_t i = 0; is_right && i < less->pairs.n; i++) {
		const struct lode_name_pair *pair = &less->pairs.at[i];
		uint64_t key = (uint64_t)frame_of[pair->caller] << 32 | frame_of[pair->callee];
		uint32_t at = lode_map_find(&names->pair_index, key);

		is_right = at != LODE_NONE && subtract(&names->pairs.at[at].n, pair->n);
	}
	free(frame_of);
	return is_right;
}

/* Sums can be taken apart again; that two units were mixed, or that one of two digests said that a
   function was inlined, cannot. */
static bool is_subtractable(const struct lode_digest *from, const struct lode_digest *digest)
{
	if (from->unit && strcmp(from->unit, LODE_UNIT_MIXED) == 0)
		return false;
	for (size_t i = 0; i < digest->tree.frames.n; i++)
		if (digest->tree.frames.at[i].flags & LODE_FRAME_INLINED)
			return false;
	return true;
}

/* Marks the digest's streams in `keep`, which is of the segment's. */
static size_t drop_streams(bool *keep, const struct lode_digest *segment,
			   const struct lode_digest *digest)
{
	struct lode_map at = {0};
	size_t n = 0;

	for (size_t i = 0; i < segment->streams.n; i++)
		*lode_map_slot(&at, segment->streams.at[i].content_hash) = (uint32_t)i;
	for (size_t i = 0; i < digest->streams.n; i++) {
		uint32_t found = lode_map_find(&at, digest->streams.at[i].content_hash);

		if (found == LODE_NONE || !keep[found])
			continue;
		keep[found] = false;
		n++;
	}
	lode_map_release(&at);
	return n;
}

/* *is_whole: `merged` less the digest is what the others come to. */
static int take_out(bool *is_whole, struct lode_repo *repo, struct lode_digest *merged, bool *keep,
		    int64_t id, struct lode_error *err)
{
	struct lode_digest *digest;
	int rc = lode_repo_load(&digest, repo, LODE_CONTENT_DIGEST, id, err);

	if (rc < 0)
		return rc;
	*is_whole &= is_subtractable(merged, digest);
	if (drop_streams(keep, merged, digest) != digest->streams.n ||
	    !subtract_names(merged, digest))
		rc = lode_fail(err, LODE_ERR_FORMAT, repo->path, -1,
			       "a segment does not hold what its digests say: 'lode repo compact "
			       "--rebuild' makes all segments anew");
	lode_digest_free(digest);
	return rc;
}

static int run_with_id(struct lode_repo *repo, const char *sql, int64_t id, struct lode_error *err)
{
	sqlite3_stmt *st;
	int rc = lode_repo_prepare(&st, repo, sql, err);

	if (rc < 0)
		return rc;
	sqlite3_bind_int64(st, 1, id);
	while ((rc = lode_repo_step(repo, st, err)) > 0)
		;
	sqlite3_finalize(st);
	return rc;
}

/* The digests that are in the segment now, merged anew. */
static int merge_again(struct lode_digest **out, struct lode_repo *repo, int64_t segment,
		       struct lode_error *err)
{
	struct lode_digest *merged = lode_digest_new(), *digest;
	lode_id_vec ids = {0};
	char sql[96];
	int rc;

	snprintf(sql, sizeof(sql), "SELECT id FROM digest WHERE segment = %lld ORDER BY id",
		 (long long)segment);
	rc = lode_repo_ids(&ids, repo, sql, err);
	for (size_t i = 0; rc == 0 && i < ids.n; i++) {
		rc = lode_repo_load(&digest, repo, LODE_CONTENT_DIGEST, ids.at[i], err);
		if (rc == 0)
			lode_digest_merge(merged, digest);
		lode_digest_free(digest);
	}
	*out = rc == 0 ? lode_digest_canonical(merged, NULL) : NULL;
	lode_digest_free(merged);
	lode_vec_release(&ids);
	return rc;
}

/* Stores what is left of a segment of `n` digests, if anything is; `merged` NULL: it is to be
   merged again. */
static int put_rest(struct lode_repo *repo, int64_t segment, int64_t n,
		    const struct lode_digest *merged, const bool *keep, struct lode_error *err)
{
	struct lode_digest *rest = NULL;
	int rc = 0;

	if (n <= 0)
		return run_with_id(repo, "DELETE FROM segment WHERE id = ?", segment, err);
	if (merged)
		rest = lode_digest_canonical(merged, keep);
	else
		rc = merge_again(&rest, repo, segment, err);
	if (rc == 0)
		rc = lode_repo_put_segment(&segment, repo, lode_repo_level_of(n), n, rest, err);
	lode_digest_free(rest);
	return rc;
}

/* Takes `n` digests, all of that segment, out of it. */
static int leave_segment(struct lode_repo *repo, int64_t segment, const int64_t *ids, size_t n,
			 struct lode_error *err)
{
	struct lode_digest *merged;
	bool *keep, is_whole = true;
	sqlite3_stmt *st;
	int64_t n_digests = 0;
	int rc = lode_repo_load(&merged, repo, LODE_CONTENT_SEGMENT, segment, err);

	if (rc < 0)
		return rc;
	keep = lode_alloc(merged->streams.n + 1);
	memset(keep, true, merged->streams.n);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		rc = take_out(&is_whole, repo, merged, keep, ids[i], err);
		if (rc == 0)
			rc = run_with_id(repo, "UPDATE digest SET segment = NULL WHERE id = ?",
					 ids[i], err);
	}
	if (rc == 0)
		rc = lode_repo_prepare(&st, repo, "SELECT count(*) FROM digest WHERE segment = ?",
				       err);
	if (rc == 0) {
		sqlite3_bind_int64(st, 1, segment);
		rc = lode_repo_step(repo, st, err);
		n_digests = sqlite3_column_int64(st, 0);
		sqlite3_finalize(st);
	}
	if (rc >= 0)
		rc = put_rest(repo, segment, n_digests, is_whole ? merged : NULL, keep, err);
	free(keep);
	lode_digest_free(merged);
	return rc;
}

struct placed {
	int64_t segment, digest;
};

static int by_segment(const void *left, const void *right)
{
	const struct placed *a = left, *b = right;

	if (a->segment != b->segment)
		return a->segment < b->segment ? -1 : 1;
	return (a->digest > b->digest) - (a->digest < b->digest);
}

/* A number of a digest's row, which `sql` asks for; 0: it has none, or is not there. */
static int number_of(int64_t *out, struct lode_repo *repo, const char *sql, int64_t digest,
		     struct lode_error *err)
{
	sqlite3_stmt *st;
	int rc = lode_repo_prepare(&st, repo, sql, err);

	if (rc < 0)
		return rc;
	sqlite3_bind_int64(st, 1, digest);
	rc = lode_repo_step(repo, st, err);
	*out = rc > 0 ? sqlite3_column_int64(st, 0) : 0;
	sqlite3_finalize(st);
	return rc < 0 ? rc : 0;
}

static int segment_of(int64_t *out, struct lode_repo *repo, int64_t digest, struct lode_error *err)
{
	return number_of(out, repo, "SELECT segment FROM digest WHERE id = ?", digest, err);
}

/* Takes digests out of whatever segments they are in: they are in none from then on. */
static int unmerge(struct lode_repo *repo, const int64_t *digests, size_t n, struct lode_error *err)
{
	struct placed *placed = lode_alloc((n + 1) * sizeof(*placed));
	int64_t *ids = lode_alloc((n + 1) * sizeof(*ids));
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < n; i++) {
		placed[i].digest = digests[i];
		rc = segment_of(&placed[i].segment, repo, digests[i], err);
	}
	if (rc == 0)
		qsort(placed, n, sizeof(*placed), by_segment);
	for (size_t first = 0, end; rc == 0 && first < n; first = end) {
		for (end = first; end < n && placed[end].segment == placed[first].segment; end++)
			ids[end - first] = placed[end].digest;
		if (placed[first].segment)
			rc = leave_segment(repo, placed[first].segment, ids, end - first, err);
	}
	free(placed);
	free(ids);
	return rc;
}

/* ---- Forgetting ---- */

/* Which streams of a digest are forgotten: all, or those of `uids`. */
static int shrink_digest(struct lode_repo *repo, int64_t id, const struct lode_map *gone,
			 struct lode_error *err)
{
	struct lode_digest_origin origin = {0};
	struct lode_digest *digest = NULL, *rest;
	lode_byte_vec bytes = {0};
	sqlite3_stmt *st;
	bool *keep;
	int rc = lode_repo_content(&bytes, repo, LODE_CONTENT_DIGEST, id, err);

	if (rc == 0)
		rc = lode_digest_unpack(&digest, &origin, bytes.at, bytes.n, repo->path, err);
	bytes.n = 0;
	if (rc == 0 && digest) {
		keep = lode_alloc(digest->streams.n + 1);
		for (size_t i = 0; i < digest->streams.n; i++)
			keep[i] = lode_map_find(gone, digest->streams.at[i].content_hash) ==
				  LODE_NONE;
		rest = lode_digest_canonical(digest, keep);
		lode_digest_pack(&bytes, rest, &origin, LODE_DIGEST_LEVEL_FILE);
		rc = lode_repo_put_content(repo, LODE_CONTENT_DIGEST, id, &bytes, err);
		if (rc == 0)
			rc = lode_repo_prepare(
				&st, repo,
				"UPDATE digest SET n_streams = ?1, n_bytes = ?2, key = NULL"
				" WHERE id = ?3",
				err);
		if (rc == 0) {
			sqlite3_bind_int64(st, 1, (int64_t)rest->streams.n);
			sqlite3_bind_int64(st, 2, (int64_t)bytes.n);
			sqlite3_bind_int64(st, 3, id);
			rc = lode_repo_step(repo, st, err);
			sqlite3_finalize(st);
		}
		lode_digest_free(rest);
		free(keep);
	}
	lode_digest_free(digest);
	lode_digest_origin_release(&origin);
	lode_vec_release(&bytes);
	return rc;
}

static int by_digest(const void *left, const void *right)
{
	const struct lode_repo_stream *a = left, *b = right;

	return (a->digest > b->digest) - (a->digest < b->digest);
}

static int digest_streams(int64_t *n, struct lode_repo *repo, int64_t digest,
			  struct lode_error *err)
{
	return number_of(n, repo, "SELECT n_streams FROM digest WHERE id = ?", digest, err);
}

/* Once its digest is in no segment: streams [first, end) of `list` are of one digest. */
static int forget_of_digest(struct lode_repo *repo, const struct lode_repo_stream *list, size_t n,
			    const struct lode_map *gone, struct lode_error *err)
{
	int64_t n_streams;
	int rc = digest_streams(&n_streams, repo, list->digest, err);

	if (rc < 0)
		return rc;
	if ((int64_t)n >= n_streams)
		return run_with_id(repo, "DELETE FROM digest WHERE id = ?", list->digest, err);
	rc = shrink_digest(repo, list->digest, gone, err);
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = run_with_id(repo, "DELETE FROM stream WHERE id = ?", list[i].row, err);
	return rc;
}

static int forget(struct lode_repo *repo, const struct lode_repo_stream *list, size_t n,
		  struct lode_error *err)
{
	lode_id_vec digests = {0};
	struct lode_map gone = {0};
	int rc;

	for (size_t i = 0; i < n; i++) {
		*lode_map_slot(&gone, list[i].content_hash) = 1;
		if (!i || list[i].digest != list[i - 1].digest)
			lode_vec_append(&digests, list[i].digest);
	}
	rc = unmerge(repo, digests.at, digests.n, err);
	for (size_t first = 0, end; rc == 0 && first < n; first = end) {
		for (end = first; end < n && list[end].digest == list[first].digest; end++)
			;
		rc = forget_of_digest(repo, list + first, end - first, &gone, err);
	}
	lode_vec_release(&digests);
	lode_map_release(&gone);
	return rc;
}

int lode_repo_forget(struct lode_repo *repo, const struct lode_repo_streams *streams,
		     struct lode_error *err)
{
	size_t n = streams->list.n;
	struct lode_repo_stream *list = lode_alloc((n + 1) * sizeof(*list));
	int rc = lode_repo_begin(repo, err);

	if (rc == 0) {
		lode_repo_forget_recent(repo);
		if (n) {
			memcpy(list, streams->list.at, n * sizeof(*list));
			qsort(list, n, sizeof(*list), by_digest);
			rc = forget(repo, list, n, err);
		}
		if (rc == 0 && n)
			rc = lode_repo_mark_changed(repo, err);
		rc = lode_repo_end(repo, rc, err);
	}
	free(list);
	return rc;
}

/* ---- Replacing ---- */

static int update_digest(struct lode_repo *repo, int64_t id, const struct lode_repo_entry *entry,
			 struct lode_error *err)
{
	sqlite3_stmt *st;
	int rc = lode_repo_prepare(&st, repo,
				   "UPDATE digest SET source = ?2, key = ?3, input_bytes = ?4,"
				   " content_bytes = ?5, n_beside = ?6, n_bytes = ?7 WHERE id = ?1",
				   err);

	if (rc < 0)
		return rc;
	sqlite3_bind_int64(st, 1, id);
	lode_repo_bind_text(st, 2, entry->source);
	if (entry->key)
		sqlite3_bind_int64(st, 3, (int64_t)entry->key);
	sqlite3_bind_int64(st, 4, entry->input_bytes);
	sqlite3_bind_int64(st, 5, entry->content_bytes);
	sqlite3_bind_int64(st, 6, (int64_t)entry->n_beside);
	sqlite3_bind_int64(st, 7, (int64_t)entry->packed.n);
	rc = lode_repo_step(repo, st, err);
	sqlite3_finalize(st);
	return rc < 0 ? rc
		      : lode_repo_put_content(repo, LODE_CONTENT_DIGEST, id, &entry->packed, err);
}

static int update_stream(struct lode_repo *repo, const struct lode_entry_stream *stream,
			 struct lode_error *err)
{
	sqlite3_stmt *st = NULL;
	int rc = lode_repo_prepare(&st, repo,
				   "UPDATE stream SET path = ?2, host = ?3, kernel = ?4,"
				   " time_ns = ?5, is_clock = ?6, length_ns = ?7, n_symptoms = ?8,"
				   " symptom_ns = ?9 WHERE uid = ?1",
				   err);

	if (rc < 0)
		return rc;
	lode_repo_bind_text(st, 1, stream->uid);
	lode_repo_bind_text(st, 2, stream->path);
	lode_repo_bind_text(st, 3, stream->host);
	lode_repo_bind_text(st, 4, stream->kernel);
	sqlite3_bind_int64(st, 5, stream->time_ns);
	sqlite3_bind_int64(st, 6, stream->is_clock);
	sqlite3_bind_int64(st, 7, stream->length_ns);
	sqlite3_bind_int64(st, 8, (int64_t)stream->n_symptoms);
	sqlite3_bind_int64(st, 9, stream->symptom_ns);
	rc = lode_repo_step(repo, st, err);
	sqlite3_finalize(st);
	return rc;
}

static int update_symptoms(struct lode_repo *repo, const struct lode_entry_stream *stream,
			   struct lode_error *err)
{
	sqlite3_stmt *st = NULL;
	int rc = lode_repo_prepare(
		&st, repo,
		"DELETE FROM symptom WHERE stream = (SELECT id FROM stream WHERE uid = ?)", err);

	if (rc < 0)
		return rc;
	lode_repo_bind_text(st, 1, stream->uid);
	rc = lode_repo_step(repo, st, err);
	sqlite3_finalize(st);
	if (rc == 0)
		rc = lode_repo_prepare(&st, repo,
				       "INSERT INTO symptom SELECT ?2, id, ?3, ?4, ?5 FROM stream"
				       " WHERE uid = ?1",
				       err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; rc == 0 && i < stream->symptoms.n; i++) {
		const struct lode_entry_symptoms *symptoms = &stream->symptoms.at[i];

		sqlite3_reset(st);
		lode_repo_bind_text(st, 1, stream->uid);
		lode_repo_bind_text(st, 2, symptoms->comm);
		sqlite3_bind_int64(st, 3, (int64_t)symptoms->n);
		sqlite3_bind_int64(st, 4, symptoms->total_ns);
		sqlite3_bind_int64(st, 5, symptoms->longest_ns);
		rc = lode_repo_step(repo, st, err);
	}
	sqlite3_finalize(st);
	return rc;
}

int lode_repo_replace(struct lode_repo *repo, const struct lode_repo_entry *entry, int64_t digest,
		      struct lode_error *err)
{
	int64_t n_streams;
	int rc = digest_streams(&n_streams, repo, digest, err);

	if (rc < 0 || (size_t)n_streams != entry->streams.n)
		return rc;
	lode_repo_forget_recent(repo);
	rc = unmerge(repo, &digest, 1, err);
	if (rc == 0)
		rc = update_digest(repo, digest, entry, err);
	for (size_t i = 0; rc == 0 && i < entry->streams.n; i++) {
		rc = update_stream(repo, &entry->streams.at[i], err);
		if (rc == 0)
			rc = update_symptoms(repo, &entry->streams.at[i], err);
	}
	return rc < 0 ? rc : 1;
}
