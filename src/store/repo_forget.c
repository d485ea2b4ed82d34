/* Taking digests out of segments again, and out of the repository. */
#include <stdio.h>

#include "base/sorted.h"
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

/* A segment of which digests are taken out. */
struct leaving {
	struct lode_digest *merged;
	struct lode_map at; /* content of its streams -> their place */
	bool *keep;	    /* its streams */
	/* `merged` less what was taken out is what the others come to; not with a damaged one. */
	bool is_whole;
};

static void find_streams(struct leaving *leaving)
{
	const struct lode_digest *merged = leaving->merged;

	leaving->keep = lode_alloc(merged->streams.n + 1);
	memset(leaving->keep, true, merged->streams.n);
	lode_map_reserve(&leaving->at, merged->streams.n);
	for (size_t i = 0; i < merged->streams.n; i++)
		*lode_map_slot(&leaving->at, merged->streams.at[i].content_hash) = (uint32_t)i;
}

/* Marks the digest's streams; gives how many of them are there. */
static size_t drop_streams(struct leaving *leaving, const struct lode_digest *digest)
{
	size_t n = 0;

	for (size_t i = 0; i < digest->streams.n; i++) {
		uint32_t found = lode_map_find(&leaving->at, digest->streams.at[i].content_hash);

		if (found == LODE_NONE || !leaving->keep[found])
			continue;
		leaving->keep[found] = false;
		n++;
	}
	return n;
}

static int take_out(struct leaving *leaving, struct lode_repo *repo, int64_t id,
		    struct lode_error *err)
{
	struct lode_digest *digest;
	int rc = lode_repo_load(&digest, repo, LODE_CONTENT_DIGEST, id, err);

	if (rc < 0) {
		leaving->is_whole = false;
		return rc == LODE_ERR_FORMAT ? 0 : rc;
	}
	leaving->is_whole &= is_subtractable(leaving->merged, digest);
	if (drop_streams(leaving, digest) != digest->streams.n ||
	    !subtract_names(leaving->merged, digest))
		rc = lode_fail(err, LODE_ERR_FORMAT, repo->path, -1,
			       "a segment does not match its digests: 'lode repo compact "
			       "--rebuild' rebuilds all segments");
	lode_digest_free(digest);
	return rc;
}

static int run_with_id(struct lode_repo *repo, const char *sql, int64_t id, struct lode_error *err)
{
	return lode_repo_change(NULL, repo, sql, LODE_REPO_VALUES(LODE_REPO_INT(id)), err);
}

/* The digests that are in the segment now, merged again. */
static int merge_again(struct lode_digest **out, struct lode_repo *repo, int64_t segment,
		       struct lode_error *err)
{
	lode_id_vec ids = {0};
	int rc = lode_repo_digests_in(&ids, repo, segment, err);

	*out = NULL;
	if (rc == 0)
		rc = lode_repo_merged(out, repo, LODE_CONTENT_DIGEST, ids.at, ids.n, err);
	lode_vec_release(&ids);
	return rc;
}

/* Stores what is left of a segment of `n` digests; `merged` NULL: it is to be merged again. */
static int put_rest(struct lode_repo *repo, int64_t segment, int64_t n,
		    const struct lode_digest *merged, const bool *keep, struct lode_error *err)
{
	struct lode_digest *rest = NULL;
	int rc = 0;

	if (merged)
		rest = lode_digest_canonical(merged, keep);
	else
		rc = merge_again(&rest, repo, segment, err);
	if (rc == 0)
		rc = lode_repo_put_segment(&segment, repo, lode_repo_level_of(n), n, rest, err);
	lode_digest_free(rest);
	return rc;
}

static int unplace(struct lode_repo *repo, const int64_t *ids, size_t n, struct lode_error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = run_with_id(repo, "UPDATE digest SET segment = NULL WHERE id = ?", ids[i],
				 err);
	return rc;
}

/* Takes `n` digests of that segment, but not all, out of it. */
static int leave_segment(struct lode_repo *repo, int64_t segment, const int64_t *ids, size_t n,
			 int64_t n_left, struct lode_error *err)
{
	struct leaving leaving = {.is_whole = true};
	int rc = lode_repo_load(&leaving.merged, repo, LODE_CONTENT_SEGMENT, segment, err);

	if (rc < 0)
		return rc;
	find_streams(&leaving);
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = take_out(&leaving, repo, ids[i], err);
	if (rc == 0)
		rc = unplace(repo, ids, n, err);
	if (rc == 0)
		rc = put_rest(repo, segment, n_left, leaving.is_whole ? leaving.merged : NULL,
			      leaving.keep, err);
	lode_map_release(&leaving.at);
	free(leaving.keep);
	lode_digest_free(leaving.merged);
	return rc;
}

/* Takes `n` digests out of their segment, which goes with the last of them. */
static int empty_segment(struct lode_repo *repo, int64_t segment, const int64_t *ids, size_t n,
			 struct lode_error *err)
{
	int64_t n_digests;
	int rc = lode_repo_number_of(&n_digests, repo,
				     "SELECT count(*) FROM digest WHERE segment = ?",
				     LODE_REPO_VALUES(LODE_REPO_INT(segment)), err);

	if (rc == 0 && n_digests > (int64_t)n)
		return leave_segment(repo, segment, ids, n, n_digests - (int64_t)n, err);
	if (rc == 0)
		rc = unplace(repo, ids, n, err);
	if (rc == 0)
		rc = run_with_id(repo, "DELETE FROM segment WHERE id = ?", segment, err);
	return rc;
}

/* Takes digests out of whatever segments they are in: they are in none from then on. */
static int unmerge(struct lode_repo *repo, const int64_t *digests, size_t n, struct lode_error *err)
{
	struct lode_repo_place *placed = lode_alloc((n + 1) * sizeof(*placed));
	int64_t *ids = lode_alloc((n + 1) * sizeof(*ids));
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < n; i++) {
		placed[i].digest = digests[i];
		rc = lode_repo_number_of(&placed[i].segment, repo,
					 "SELECT segment FROM digest WHERE id = ?",
					 LODE_REPO_VALUES(LODE_REPO_INT(digests[i])), err);
	}
	if (rc == 0)
		lode_repo_places_sort(placed, n);
	for (size_t first = 0, end; rc == 0 && first < n; first = end) {
		for (end = first; end < n && placed[end].segment == placed[first].segment; end++)
			ids[end - first] = placed[end].digest;
		if (placed[first].segment)
			rc = empty_segment(repo, placed[first].segment, ids, end - first, err);
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
			rc = lode_repo_change(NULL, repo,
					      "UPDATE digest SET n_streams = ?, n_bytes = ?, key = "
					      "NULL WHERE id = ?",
					      LODE_REPO_VALUES(LODE_REPO_INT(rest->streams.n),
							       LODE_REPO_INT(bytes.n),
							       LODE_REPO_INT(id)),
					      err);
		lode_digest_free(rest);
		free(keep);
	}
	lode_digest_free(digest);
	lode_digest_origin_release(&origin);
	lode_vec_release(&bytes);
	return rc;
}

LODE_COMPARE(by_digest, struct lode_repo_stream, LODE_ORDER(a->digest, b->digest))

static int digest_streams(int64_t *n, struct lode_repo *repo, int64_t digest,
			  struct lode_error *err)
{
	return lode_repo_number_of(n, repo, "SELECT n_streams FROM digest WHERE id = ?",
				   LODE_REPO_VALUES(LODE_REPO_INT(digest)), err);
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
			lode_sort(list, n, by_digest);
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
	int rc = lode_repo_change(
		NULL, repo,
		"UPDATE digest SET source = ?, key = ?, input_bytes = ?, content_bytes = ?,"
		" n_beside = ?, n_bytes = ? WHERE id = ?",
		LODE_REPO_VALUES(LODE_REPO_TEXT(entry->source), LODE_REPO_KEY(entry->key),
				 LODE_REPO_INT(entry->input_bytes),
				 LODE_REPO_INT(entry->content_bytes),
				 LODE_REPO_INT(entry->n_beside), LODE_REPO_INT(entry->packed.n),
				 LODE_REPO_INT(id)),
		err);

	return rc < 0 ? rc
		      : lode_repo_put_content(repo, LODE_CONTENT_DIGEST, id, &entry->packed, err);
}

static int update_stream(struct lode_repo *repo, const struct lode_entry_stream *stream,
			 struct lode_error *err)
{
	return lode_repo_change(
		NULL, repo,
		"UPDATE stream SET path = ?, host = ?, kernel = ?, time_ns = ?, is_clock = ?,"
		" length_ns = ?, n_symptoms = ?, symptom_ns = ? WHERE uid = ?",
		LODE_REPO_VALUES(LODE_REPO_TEXT(stream->path), LODE_REPO_TEXT(stream->host),
				 LODE_REPO_TEXT(stream->kernel), LODE_REPO_INT(stream->time_ns),
				 LODE_REPO_INT(stream->is_clock), LODE_REPO_INT(stream->length_ns),
				 LODE_REPO_INT(stream->n_symptoms),
				 LODE_REPO_INT(stream->symptom_ns), LODE_REPO_TEXT(stream->uid)),
		err);
}

static int update_symptoms(struct lode_repo *repo, const struct lode_entry_stream *stream,
			   struct lode_error *err)
{
	sqlite3_stmt *st = NULL;
	int rc = lode_repo_change(
		NULL, repo,
		"DELETE FROM symptom WHERE stream = (SELECT id FROM stream WHERE uid = ?)",
		LODE_REPO_VALUES(LODE_REPO_TEXT(stream->uid)), err);

	if (rc == 0)
		rc = lode_repo_prepare(&st, repo,
				       "INSERT INTO symptom SELECT ?2, id, ?3, ?4, ?5 FROM stream"
				       " WHERE uid = ?1",
				       err);
	for (size_t i = 0; rc == 0 && i < stream->symptoms.n; i++) {
		const struct lode_entry_symptoms *symptoms = &stream->symptoms.at[i];

		rc = lode_repo_start(repo, st,
				     LODE_REPO_VALUES(LODE_REPO_TEXT(stream->uid),
						      LODE_REPO_TEXT(symptoms->comm),
						      LODE_REPO_INT(symptoms->n),
						      LODE_REPO_INT(symptoms->total_ns),
						      LODE_REPO_INT(symptoms->longest_ns)),
				     err);
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
