/* Reading the digest of many streams: segments where they pay, else digests one by one. */
#include <inttypes.h>
#include <stdio.h>

#include "base/pipeline.h"
#include "base/pool.h"
#include "model/digest_canonical.h"
#include "store/repo_cover.h"
#include "store/repo_segments.h"

/* A segment is read for its share of wanted streams: one of a segment's streams costs about a
   twentieth of what it costs to read it from its own digest. */
enum { WORTH_A_SEGMENT = 20, SLOTS_PER_THREAD = 3 };

/* LIMIT: of segments that are read side by side, packed; unpacked they take ten times as much. Two
   are always read, so that one is worked on while another is merged. */
static const int64_t most_bytes_at_once = 48 << 20;

/* What becomes of a stream that is asked for. */
enum { WANTED, FOUND };

static const int cover_pack_level = 3;

struct piece {
	enum lode_repo_content content;
	int64_t id;
	bool has_rows, has_names; /* which of them are wanted */
};

struct slot {
	struct piece piece;
	lode_byte_vec bytes;
	struct lode_digest *digest;
	bool is_cover; /* the bytes are */
	struct lode_repo_made_cover made;
	int rc;
	struct lode_error error;
};

struct reading {
	struct lode_repo *repo;
	LODE_VEC(struct piece) pieces;
	size_t next;
	int64_t largest_bytes;	/* of its segments, packed */
	struct lode_map wanted; /* content of streams: enum */
	bool is_all;
	struct lode_digest *merged;
	struct lode_repo_read_options options;
	bool ignores_kept;	  /* covers: all are made */
	size_t n_covers;	  /* that were there */
	size_t n_done, n_streams; /* for its progress */
	struct lode_error *err;
};

/* ---- Which pieces ---- */

/* Of a part of the streams, name statistics are those of all: digests that are in no segment have
   them with their rows, all others in pieces of their own. */
static void add_piece(struct reading *reading, enum lode_repo_content content, int64_t id,
		      bool is_loose)
{
	struct piece piece = {content, id, true,
			      !reading->options.covers && (reading->is_all || is_loose)};

	lode_vec_append(&reading->pieces, piece);
}

/* The streams placed[0..n) are of one segment, or of none. */
static int add_pieces(struct reading *reading, sqlite3_stmt *size,
		      const struct lode_repo_place *placed, size_t n, struct lode_error *err)
{
	int64_t n_streams = INT64_MAX, n_bytes = 0;
	int rc;

	if (placed->segment) {
		rc = lode_repo_start(reading->repo, size,
				     LODE_REPO_VALUES(LODE_REPO_INT(placed->segment)), err);
		if (rc < 0)
			return rc;
		if (rc > 0) {
			n_streams = sqlite3_column_int64(size, 0);
			n_bytes = sqlite3_column_int64(size, 1);
		}
	}
	if (n_streams / WORTH_A_SEGMENT < (int64_t)n) {
		if (n_bytes > reading->largest_bytes)
			reading->largest_bytes = n_bytes;
		add_piece(reading, LODE_CONTENT_SEGMENT, placed->segment, false);
		return 0;
	}
	for (size_t i = 0; i < n; i++)
		if (!i || placed[i].digest != placed[i - 1].digest)
			add_piece(reading, LODE_CONTENT_DIGEST, placed[i].digest, !placed->segment);
	return 0;
}

static int choose_pieces(struct reading *reading, const struct lode_repo_streams *streams,
			 struct lode_error *err)
{
	size_t n = streams->list.n;
	struct lode_repo_place *placed = lode_alloc((n + 1) * sizeof(*placed));
	sqlite3_stmt *size;
	int rc = lode_repo_prepare(&size, reading->repo,
				   "SELECT n_streams, n_bytes FROM segment WHERE id = ?", err);

	for (size_t i = 0; i < n; i++) {
		const struct lode_repo_stream *stream = &streams->list.at[i];

		placed[i] = (struct lode_repo_place){stream->segment, stream->digest};
		*lode_map_slot(&reading->wanted, stream->content_hash) = WANTED;
	}
	lode_repo_places_sort(placed, n);
	for (size_t first = 0, end; rc == 0 && first < n; first = end) {
		for (end = first; end < n && placed[end].segment == placed[first].segment; end++)
			;
		rc = add_pieces(reading, size, placed + first, end - first, err);
	}
	sqlite3_finalize(size);
	free(placed);
	return rc;
}

/* ---- Reading them ---- */

/* The bytes of a segment's cover, where they are kept; else its own. */
static int read_segment(struct slot *slot, struct reading *reading, struct lode_error *err)
{
	int rc = lode_repo_cover(&slot->bytes, &slot->made.edition, reading->repo, slot->piece.id,
				 reading->options.covers, err);

	if (rc > 0 && reading->ignores_kept)
		slot->bytes.n = 0;
	else
		slot->is_cover = rc > 0;
	reading->n_covers += slot->is_cover;
	if (rc < 0 || slot->is_cover)
		return rc < 0 ? rc : 0;
	return lode_repo_content(&slot->bytes, reading->repo, slot->piece.content, slot->piece.id,
				 err);
}

static int make_slot(void *context, void *item)
{
	struct reading *reading = context;
	struct slot *slot = item;

	if (reading->next == reading->pieces.n)
		return LODE_PIPELINE_END;
	slot->piece = reading->pieces.at[reading->next++];
	slot->bytes.n = 0;
	slot->is_cover = false;
	slot->made = (struct lode_repo_made_cover){.segment = slot->piece.id};
	if (reading->options.covers && slot->piece.content == LODE_CONTENT_SEGMENT)
		slot->rc = read_segment(slot, reading, &slot->error);
	else
		slot->rc = lode_repo_content(&slot->bytes, reading->repo, slot->piece.content,
					     slot->piece.id, &slot->error);
	return LODE_PIPELINE_ITEM;
}

/* Without the streams that are not wanted. */
static struct lode_digest *narrow_repo_read(struct lode_digest *digest,
					    const struct lode_map *wanted)
{
	bool *keep = lode_alloc0(digest->streams.n + 1, sizeof(*keep)), is_all = true;
	struct lode_digest *narrowed = digest;

	for (size_t i = 0; i < digest->streams.n; i++) {
		keep[i] = lode_map_find(wanted, digest->streams.at[i].content_hash) != LODE_NONE;
		is_all &= keep[i];
	}
	if (!is_all) {
		narrowed = lode_digest_canonical(digest, keep);
		lode_digest_free(digest);
	}
	free(keep);
	return narrowed;
}

/* Makes its cover of what was read, and of a segment's its bytes as well. */
static void cover_slot(struct slot *slot, const struct reading *reading)
{
	const struct lode_repo_cover_form *form = reading->options.covers;
	struct lode_digest_origin origin = {0};

	slot->digest = form->make(form->context, slot->digest);
	if (slot->piece.content == LODE_CONTENT_SEGMENT && reading->options.made)
		lode_digest_pack(&slot->made.content, slot->digest, &origin, cover_pack_level);
}

static void work_slot(void *context, void *item, unsigned worker)
{
	static const char *const words[] = {"digest", "segment", "names of segment"};
	struct reading *reading = context;
	struct slot *slot = item;
	const struct piece *piece = &slot->piece;

	(void)worker;
	if (slot->rc == 0)
		slot->rc = lode_repo_unpack(&slot->digest, reading->repo, words[piece->content],
					    piece->id, &slot->bytes, &slot->error);
	if (slot->rc < 0)
		return;
	if (reading->options.covers && !slot->is_cover)
		cover_slot(slot, reading);
	if (!piece->has_names)
		lode_name_stats_release(&slot->digest->names);
	if (piece->has_rows && !reading->is_all)
		slot->digest = narrow_repo_read(slot->digest, &reading->wanted);
}

static int take_slot(void *context, void *item)
{
	struct reading *reading = context;
	struct slot *slot = item;

	if (slot->rc < 0) {
		if (reading->err)
			*reading->err = slot->error;
		if (reading->err && slot->rc == LODE_ERR_FORMAT) {
			char *message = reading->err->message;
			size_t n = strlen(message);

			snprintf(message + n, sizeof(reading->err->message) - n,
				 "; 'lode repo check' shows of which recording");
		}
		return slot->rc;
	}
	if (slot->made.content.n) {
		lode_vec_append(&reading->options.made->list, slot->made);
		slot->made = (struct lode_repo_made_cover){.segment = 0};
	}
	if (slot->piece.has_rows)
		reading->n_done += slot->digest->streams.n;
	if (!slot->piece.has_rows) {
		lode_digest_merge_names(reading->merged, slot->digest);
	} else if (reading->merged && !lode_digest_fits(reading->merged, slot->digest)) {
		lode_digest_free(slot->digest);
		slot->digest = NULL;
		return lode_fail(reading->err, LODE_ERR_LIMIT, lode_repo_path(reading->repo), -1,
				 "costs of its recordings add up to 2^63 or more");
	} else if (reading->merged) {
		lode_digest_merge(reading->merged, slot->digest);
	} else {
		reading->merged = slot->digest;
		slot->digest = NULL;
	}
	lode_digest_free(slot->digest);
	slot->digest = NULL;
	if (slot->piece.has_rows && reading->options.progress)
		reading->options.progress(reading->options.progress_context, reading->n_done,
					  reading->n_streams);
	return 0;
}

/* How many pieces are in memory at once. */
static size_t count_slots(const struct reading *reading, unsigned n_threads)
{
	size_t n = (size_t)n_threads * SLOTS_PER_THREAD, n_large;

	if (!reading->largest_bytes)
		return n;
	n_large = (size_t)(most_bytes_at_once / reading->largest_bytes);
	n_large = n_large < 2 ? 2 : n_large;
	return n < n_large ? n : n_large;
}

static int read_pieces(struct reading *reading)
{
	unsigned n_threads =
		reading->options.n_threads ? reading->options.n_threads : lode_pool_cpus();
	size_t n = count_slots(reading, n_threads);
	struct slot *slots = lode_alloc0(n, sizeof(*slots));
	const struct lode_pipeline pipeline = {
		.make = make_slot,
		.work = work_slot,
		.take = take_slot,
		.context = reading,
		.items = slots,
		.item_bytes = sizeof(*slots),
		.n_items = n,
	};
	int rc;

	if (!reading->pieces.n) {
		free(slots);
		return 0;
	}
	rc = lode_pipeline_run(&pipeline, n_threads);
	for (size_t i = 0; i < n; i++) {
		lode_digest_free(slots[i].digest);
		lode_vec_release(&slots[i].bytes);
		lode_vec_release(&slots[i].made.content);
	}
	free(slots);
	return rc;
}

/* ---- Names ---- */

static void add_names_of(struct reading *reading, enum lode_repo_content content,
			 const lode_id_vec *ids, const struct lode_map *there)
{
	for (size_t i = 0; i < ids->n; i++) {
		struct piece piece = {content, ids->at[i], false, true};

		if (!there || lode_map_find(there, (uint64_t)ids->at[i]) == LODE_NONE)
			lode_vec_append(&reading->pieces, piece);
	}
}

/* Those of the whole repository, but for those of the digests `there`. */
static int read_names(struct reading *reading, const struct lode_map *there, struct lode_error *err)
{
	lode_id_vec segments = {0}, loose = {0};
	int rc = lode_repo_ids(&segments, reading->repo, "SELECT id FROM segment ORDER BY id", err);

	if (rc == 0)
		rc = lode_repo_digests_in(&loose, reading->repo, 0, err);
	if (rc == 0) {
		reading->pieces.n = reading->next = 0;
		reading->largest_bytes = 0;
		add_names_of(reading, LODE_CONTENT_NAMES, &segments, NULL);
		add_names_of(reading, LODE_CONTENT_DIGEST, &loose, there);
		rc = read_pieces(reading);
	}
	lode_vec_release(&segments);
	lode_vec_release(&loose);
	return rc;
}

int lode_repo_add_names(struct lode_digest *digest, struct lode_repo *repo, unsigned n_threads,
			struct lode_error *err)
{
	struct reading reading = {
		.repo = repo, .merged = digest, .options = {.n_threads = n_threads}, .err = err};
	int rc = read_names(&reading, NULL, err);

	lode_vec_release(&reading.pieces);
	return rc;
}

/* ---- All of it ---- */

/* What the streams' inputs were, in sums. */
static int describe_repo_read(struct lode_digest_origin *origin, struct lode_repo *repo,
			      const struct lode_repo_streams *streams, struct lode_error *err)
{
	struct lode_map seen = {0};
	sqlite3_stmt *st;
	bool is_known = true;
	int rc = lode_repo_prepare(&st, repo, "SELECT value FROM meta WHERE key = 'symptom_text'",
				   err);

	if (rc < 0)
		return rc;
	rc = lode_repo_step(repo, st, err);
	if (rc >= 0)
		lode_digest_origin_set(origin, repo->shape ? repo->shape : "",
				       rc > 0 ? (const char *)sqlite3_column_text(st, 0) : "");
	sqlite3_finalize(st);
	if (rc >= 0)
		rc = lode_repo_prepare(&st, repo,
				       "SELECT input_bytes, content_bytes, n_beside FROM digest"
				       " WHERE id = ?",
				       err);
	for (size_t i = 0; rc >= 0 && i < streams->list.n; i++) {
		uint32_t *slot = lode_map_slot(&seen, (uint64_t)streams->list.at[i].digest);

		if (*slot != LODE_NONE)
			continue;
		*slot = 1;
		rc = lode_repo_start(
			repo, st, LODE_REPO_VALUES(LODE_REPO_INT(streams->list.at[i].digest)), err);
		if (rc <= 0)
			continue;
		lode_origin_add_bytes(&origin->input_bytes, sqlite3_column_int64(st, 0));
		lode_origin_add_bytes(&origin->content_bytes, sqlite3_column_int64(st, 1));
		origin->n_beside += (uint64_t)sqlite3_column_int64(st, 2);
		is_known &= sqlite3_column_int64(st, 1) > 0;
	}
	if (!is_known)
		origin->content_bytes = 0;
	origin->n_inputs = streams->list.n;
	if (rc >= 0)
		sqlite3_finalize(st);
	lode_map_release(&seen);
	return rc < 0 ? rc : 0;
}

static int is_everything(bool *is_all, struct lode_repo *repo,
			 const struct lode_repo_streams *streams, struct lode_error *err)
{
	int64_t n;
	int rc = lode_repo_number(&n, repo, "SELECT coalesce(sum(n_streams), 0) FROM digest", err);

	*is_all = rc == 0 && n == (int64_t)streams->list.n;
	return rc;
}

static int finish_repo_read(struct lode_digest **out, struct reading *reading,
			    struct lode_error *err)
{
	struct lode_map there = {0};
	int rc = 0;

	if (!reading->is_all && !reading->options.covers) {
		for (size_t i = 0; i < reading->pieces.n; i++)
			if (reading->pieces.at[i].has_names)
				*lode_map_slot(&there, (uint64_t)reading->pieces.at[i].id) = 1;
		rc = read_names(reading, &there, err);
		lode_map_release(&there);
	}
	if (rc == 0) {
		*out = lode_digest_canonical_take(reading->merged);
		reading->merged = NULL;
	}
	return rc;
}

/* What is listed and what is stored must be the same streams, each once: looked up by its hash. */
static int check_streams(const struct lode_digest *digest, struct reading *reading,
			 const struct lode_repo_streams *streams, struct lode_error *err)
{
	const char *path = reading->repo->path;

	if (digest->streams.n != streams->list.n)
		return lode_fail(err, LODE_ERR_FORMAT, path, -1,
				 "damaged repository: %zu recordings are listed, %zu are stored: "
				 "'lode repo check' shows details",
				 streams->list.n, digest->streams.n);
	for (size_t i = 0; i < digest->streams.n; i++) {
		uint32_t *wanted =
			lode_map_slot(&reading->wanted, digest->streams.at[i].content_hash);

		if (*wanted == WANTED) {
			*wanted = FOUND;
			continue;
		}
		return lode_fail(err, LODE_ERR_FORMAT, path, -1,
				 "damaged repository: recording %016" PRIx64
				 " is stored%s: 'lode repo check' shows details",
				 digest->streams.at[i].content_hash,
				 *wanted == FOUND ? " twice" : ", but not listed");
	}
	return 0;
}

static int read_repo(struct lode_digest **out, struct lode_digest_origin *origin,
		     struct reading reading, const struct lode_repo_streams *streams,
		     size_t *n_covers, struct lode_error *err)
{
	struct lode_repo *repo = reading.repo;
	int rc = is_everything(&reading.is_all, repo, streams, err);

	*out = NULL;
	if (rc == 0)
		rc = choose_pieces(&reading, streams, err);
	if (rc == 0)
		rc = read_pieces(&reading);
	if (rc == 0 && reading.merged)
		rc = finish_repo_read(out, &reading, err);
	if (rc == 0)
		rc = describe_repo_read(origin, repo, streams, err);
	if (rc == 0 && *out)
		rc = check_streams(*out, &reading, streams, err);
	if (rc < 0) {
		lode_digest_free(*out);
		*out = NULL;
		lode_digest_origin_release(origin);
	}
	*n_covers = reading.n_covers;
	lode_digest_free(reading.merged);
	lode_vec_release(&reading.pieces);
	lode_map_release(&reading.wanted);
	return rc;
}

int lode_repo_read(struct lode_digest **out, struct lode_digest_origin *origin,
		   struct lode_repo *repo, const struct lode_repo_streams *streams,
		   const struct lode_repo_read_options *options, struct lode_error *err)
{
	struct reading reading = {
		.repo = repo, .options = *options, .n_streams = streams->list.n, .err = err};
	size_t n_covers;
	int rc = read_repo(out, origin, reading, streams, &n_covers, err);

	/* A damaged cover is made again; if it is something else, that fails again. */
	if (n_covers && (rc == LODE_ERR_FORMAT || rc == LODE_ERR_TRUNCATED ||
			 rc == LODE_ERR_UNSUPPORTED || rc == LODE_ERR_LIMIT)) {
		reading.ignores_kept = true;
		if (options->made)
			lode_repo_made_covers_release(options->made);
		rc = read_repo(out, origin, reading, streams, &n_covers, err);
	}
	return rc;
}
