/*
 * Covers of segments: what a segment's digests come to when each stack is replaced by what explains
 * it, kept beside it. Who reads covers in place of segments reads no stacks.
 *
 *   segment 7, edition 0   rows of stacks      merged digests, as lode_repo_read reads them
 *   its cover              rows of sets        the same streams and symptoms; made by the reader
 *                                              (streams/cover_form.h), who names what it was made
 *                                              for: signatures, by numbers that mean one text each
 *
 * A cover goes with its segment, and when what is in the segment changes. It holds nothing that the
 * segment does not say; what is not there, or was made for fewer signatures, is made again by who
 * needs it. Digests that are in no segment have none: they are few once segments are merged.
 */
#pragma once

#include "store/repo.h"

/* What covers are made for, and how. */
struct lode_repo_cover_form {
	const int64_t *signatures; /* numbers, ascending; a cover for more of them will do */
	size_t n_signatures;
	/* Takes a digest, and gives its cover; from any thread. */
	struct lode_digest *(*make)(void *context, struct lode_digest *digest);
	void *context;
};

/* A segment's cover that was not there. */
struct lode_repo_made_cover {
	int64_t segment, edition;
	lode_byte_vec content;
};

struct lode_repo_made_covers {
	LODE_VEC(struct lode_repo_made_cover) list;
};
void lode_repo_made_covers_release(struct lode_repo_made_covers *made);

/* The numbers of signatures by what they match, as text; 0: it has none yet. */
int lode_repo_cover_numbers(int64_t *numbers, struct lode_repo *repo, const char *const *texts,
			    size_t n, struct lode_error *err);
/* The greatest number that any has. */
int lode_repo_cover_last_number(int64_t *out, struct lode_repo *repo, struct lode_error *err);

/*
 * Gives numbers to texts that have none; and keeps covers, but for those of segments that have
 * changed since. Each is a transaction of a connection of its own, which waits two seconds for
 * others: the caller's may be a reader's. That nothing could be kept costs the next reader time.
 */
int lode_repo_keep_numbers(const char *path, const char *const *texts, size_t n,
			   struct lode_error *err);
int lode_repo_keep_covers(const char *path, const struct lode_repo_cover_form *form,
			  const struct lode_repo_made_covers *made, struct lode_error *err);

/* ---- For lode_repo_read ---- */

/* Appends the content of a segment's cover that was made for all that the form asks for: 1; 0:
   there is none. *edition is the segment's, either way. */
int lode_repo_cover(lode_byte_vec *out, int64_t *edition, struct lode_repo *repo, int64_t segment,
		    const struct lode_repo_cover_form *form, struct lode_error *err);
