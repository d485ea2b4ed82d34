/*
 * Has what a query picks of a repository changed? For who shows it for weeks, while others import.
 *
 *   look:  the files as the file system lists them --(same)--> no
 *            | (other)
 *            v
 *          the repository's state (store/repo.h) --(same)--> no
 *            | (other)                                      with a query: once a minute, which
 *            v                                              streams it picks, since ages grow
 *          yes
 *
 * Most looks are two calls of stat. A file that was put in place of the old one is seen as well;
 * nothing is kept open in between.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* What stat says of a file; all 0: it is not there. */
struct lode_file_stamp {
	uint64_t device, inode;
	int64_t size, mtime_ns;
};

/* `{ .path = ..., .where = ... }` has seen nothing yet; both are borrowed. */
struct lode_repo_watch {
	const char *path, *where; /* where NULL: all streams */
	struct lode_file_stamp files[2];
	bool has_seen;
	bool is_settled; /* the stamps are older than the clock's ticks: what was written is in them
			  */
	uint64_t state, picked;
	int64_t picked_ns;
};

/*
 * 1: it is not what it was at the last look, or this is the first; 0: it is. What is read from the
 * repository after a look is what it saw, or newer: then the next look says 1, once too often.
 * `now_ns` is the time since the epoch, for ages. On failure (it is gone, or damaged) nothing was
 * seen, and the next look tries again.
 */
int lode_repo_watch_look(struct lode_repo_watch *watch, int64_t now_ns, struct lode_error *err);
