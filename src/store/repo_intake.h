/*
 * Intake: streams on their way into a repository, from several threads, a few to a transaction.
 *
 * A transaction waits for the disk, so entries that come in quick succession share one: at most
 * 512, and none waits for longer than a second for the next. The caller that puts an entry is
 * notified, once it is on the disk, of the outcome. Nothing is locked while the next entries are
 * being made.
 *
 * Of equal streams in one import that with the earliest place among the inputs counts, with its
 * path and labels, whichever is put first: what an import leaves does not depend on threads.
 */
#pragma once

#include "store/repo.h"

struct lode_repo_intake;

struct lode_repo_intake_options {
	bool replace; /* streams that are there get their new digest */
	bool defer;   /* nothing is merged: lode_repo_compact will */
	/* Called from one thread at a time, when the entry is stored for good. */
	void (*told)(void *context, const char *path, enum lode_repo_added added, size_t n_streams);
	/* The input of the nth call of `told`, from 0, was there already, after all: an equal one
	   that has an earlier place came in its place. Before `told` of that one. */
	void (*overtaken)(void *context, size_t nth);
	void *context;
};

/* `repo` is the intake's own until it is freed. */
struct lode_repo_intake *lode_repo_intake_new(struct lode_repo *repo,
					      const struct lode_repo_intake_options *options);

/* Takes the entry, also on failure. `path` names it for `told`. `more`: another will come at once;
   otherwise all that waits is stored before this returns. */
int lode_repo_intake_put(struct lode_repo_intake *intake, struct lode_repo_entry *entry,
			 const char *path, bool more, struct lode_error *err);
/* Stores what waits. */
int lode_repo_intake_flush(struct lode_repo_intake *intake, struct lode_error *err);
/* What was not stored is dropped. NULL does nothing. */
void lode_repo_intake_free(struct lode_repo_intake *intake);

/* Tells of an input that needs no storing, in turn with the others. */
void lode_repo_intake_tell(struct lode_repo_intake *intake, const char *path,
			   enum lode_repo_added added);
/* As lode_repo_has_source, from any thread. */
bool lode_repo_intake_has(struct lode_repo_intake *intake, const char *path, uint64_t key);
