/*
 * A folder of digests, one per recording: what is there and still right is not made again.
 *
 *   startup-01.perf.data.zst-6f1d0c3a5b7e9f21.digest
 *
 * The number tells recordings of one name in different folders apart. One process at a time writes
 * to a folder; one that is killed leaves nothing that is half done (base/atomic_file.h).
 */
#pragma once

#include <stdint.h>

#include "base/error.h"

struct lode_digest_job_options;

/* `{ .fd = -1 }` is none. */
struct lode_digest_dir {
	const char *path; /* borrowed */
	int fd;
};

/* Makes the folder if it is not there, and takes it for this process. */
int lode_digest_dir_open(struct lode_digest_dir *dir, const char *path, struct lode_error *err);
void lode_digest_dir_close(struct lode_digest_dir *dir);

/* Where the digest of that recording is, or will be; the caller's to free. */
char *lode_digest_dir_file(const struct lode_digest_dir *dir, const char *recording);

/*
 * Of a recording as it lies on the disk (its size and time of change), of what its bundle lacks,
 * of the options and of the table of symptoms beside it (NULL: none): equal keys, equal digests. 0:
 * not known, as for standard input. Files of symbols are not part of it.
 */
uint64_t lode_digest_key(const char *recording, const char *shape, const char *table,
			 const struct lode_digest_job_options *options);
