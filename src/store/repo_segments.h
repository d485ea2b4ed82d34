/*
 * Contents of a repository: digests, and segments, which are several of them merged. Inside of
 * store/repo*.c.
 *
 *   digests in no segment    d d d d        up to 15
 *   level 1                  [16] [16]      up to 15
 *   level 2                  [256] [100]    ...       of 16 of level 1, or digests that came
 * together
 *
 * A segment is canonical (model/digest_canonical.h): a function of the digests in it. Beside it
 * stand its name statistics alone, for readers that want no more.
 */
#pragma once

#include "store/repo_db.h"

enum lode_repo_content {
	LODE_CONTENT_DIGEST,
	LODE_CONTENT_SEGMENT,
	LODE_CONTENT_NAMES, /* of a segment */
};

/* Appends the bytes. */
int lode_repo_content(lode_byte_vec *out, struct lode_repo *repo, enum lode_repo_content content,
		      int64_t id, struct lode_error *err);
/* What they say; `what` names it in errors. */
int lode_repo_unpack(struct lode_digest **out, const struct lode_repo *repo, const char *what,
		     int64_t id, const lode_byte_vec *bytes, struct lode_error *err);
/* Both. */
int lode_repo_load(struct lode_digest **out, struct lode_repo *repo, enum lode_repo_content content,
		   int64_t id, struct lode_error *err);

/* Stores bytes as the content of a digest or segment, in place of what was there. */
int lode_repo_put_content(struct lode_repo *repo, enum lode_repo_content content, int64_t id,
			  const lode_byte_vec *bytes, struct lode_error *err);

/* Within a transaction: stores a canonical digest as a segment of so many digests; *id is a new
   segment's (0 before), or that of the one it replaces. */
int lode_repo_put_segment(int64_t *id, struct lode_repo *repo, int level, int64_t n_digests,
			  const struct lode_digest *merged, struct lode_error *err);

/* The least level that holds so many digests. */
int lode_repo_level_of(int64_t n_digests);

/* Within a transaction: merges all that may be merged into as few segments as may be; up to 15
   digests stay in none. */
int lode_repo_merge_all(struct lode_repo *repo, struct lode_error *err);

/* The digests that a statement of ids gives. */
typedef LODE_VEC(int64_t) lode_id_vec;
int lode_repo_ids(lode_id_vec *out, struct lode_repo *repo, const char *sql,
		  struct lode_error *err);
/* Those of a segment; 0: those of none. */
int lode_repo_digests_in(lode_id_vec *out, struct lode_repo *repo, int64_t segment,
			 struct lode_error *err);
/* One digest of all, canonical. */
int lode_repo_merged(struct lode_digest **out, struct lode_repo *repo,
		     enum lode_repo_content content, const int64_t *ids, size_t n,
		     struct lode_error *err);

/* Where a stream is: to be sorted, so that what lies together is read together. */
struct lode_repo_place {
	int64_t segment, digest;
};
void lode_repo_places_sort(struct lode_repo_place *places, size_t n);

/* Digests that this process has just stored, so that merging need not unpack them: takes it. */
void lode_repo_remember(struct lode_repo *repo, int64_t id, struct lode_digest *digest);
void lode_repo_forget_recent(struct lode_repo *repo);
