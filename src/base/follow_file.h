/*
 * A growing text file, followed over rotation: whole lines, each once, as they are written.
 *
 *   app.log   ....lines|          app.log -> app.log.1   ....|rest of it, until it is silent
 *             ^offset             app.log (new)          |from its start
 *
 * Two ways to rotate are known: renamed and created again (by device and inode), and copied and
 * truncated (it became shorter, or begins with other bytes). A last line without its line feed is
 * left until the rest of it comes, or until its file was rotated away and stays silent. A file that
 * is not there yet is waited for. Memory: the longest line and one chunk.
 *
 * A place can be kept (struct lode_follow_place) and gone back to after a restart: what was written
 * meanwhile is read, also from rotated files in the same folder that are not compressed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct lode_follow;

/* Where reading goes on: all before `offset` of that file was given. */
struct lode_follow_place {
	uint64_t device, inode;
	int64_t offset;
	uint64_t start_hash; /* of its first `n_start` bytes: tells a file from another with its
				inode */
	uint32_t n_start;
};

/* Lines, and what stands at the start of their file, for formats with a header. */
struct lode_follow_chunk {
	const char *text; /* whole lines; valid until the next read */
	size_t size;
	int64_t offset; /* in its file */
	/* The first whole lines of the file, all before `offset`; empty at offset 0. */
	const char *head;
	size_t head_size;
	uint32_t file; /* changes with the file: heads of one file are the same but for growth */
};

/* `path` is copied. `is_from_end`: a file that is there now is read from its end on. */
struct lode_follow *lode_follow_new(const char *path, bool is_from_end);
void lode_follow_free(struct lode_follow *follow);
const char *lode_follow_path(const struct lode_follow *follow);

/* Before the first read: goes back to a place. False: that file is gone, and what was written to
   it since is lost; the file at the path is read from its start. */
bool lode_follow_resume(struct lode_follow *follow, const struct lode_follow_place *place);

/*
 * The next lines, at most about `most` bytes (a longer line comes whole). 1: a chunk; 0: nothing
 * now; < 0: the file cannot be read (a later call tries again). LIMIT: a line of more than
 * LODE_LINE_MAX_BYTES is LODE_ERR_LIMIT, and skipped.
 */
int lode_follow_read(struct lode_follow *follow, size_t most, struct lode_follow_chunk *chunk,
		     struct lode_error *err);

/* Behind the chunk last given, of the file that it is from. False: nothing was opened yet. */
bool lode_follow_place(const struct lode_follow *follow, struct lode_follow_place *place);

/* How many lines stand before `offset` of the file that the chunk last given is from. O(bytes
   between this place and the one last asked for in that file). */
int64_t lode_follow_lines_before(struct lode_follow *follow, int64_t offset);

/* How often the file was truncated while it was followed: bytes may be lost then. */
uint64_t lode_follow_truncations(const struct lode_follow *follow);
