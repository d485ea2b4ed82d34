/*
 * Folders of temporary files, and what is left of them when lode is killed.
 *
 *   $TMPDIR/lode-tmp-k3Xw9a/     mode 0700, locked (flock) for as long as its process lives
 *     .lode-temporary            marks the folder as lode's
 *     ...
 *
 * Who makes one, or whose memory goes to files there, removes those that are left: of the same
 * user, with the mark, and unlocked, since the kernel unlocks what the dead held. Without the mark
 * only what is empty goes, and is older than a minute. Other users may write to the parent
 * (/var/tmp): links are not followed, and what was looked at is what is removed.
 */
#pragma once

#include <stdbool.h>

#include "base/error.h"

/* $TMPDIR, else /var/tmp: /tmp is memory on many machines. */
const char *lode_temporary_parent(void);

/* Removes what was left. */
void lode_temporary_sweep(void);
/* The same, then makes one. *path is heap, *lock to be kept open; both for _remove. */
int lode_temporary_folder_make(char **path, int *lock, struct lode_error *err);
/* With all that is in it. NULL does nothing. */
void lode_temporary_folder_remove(char *path, int lock);
/*
 * Removes all folders that this process made: when it ends in the middle of its work, for want of
 * memory or room. Those who work in them meanwhile fail. Thread-safe; only _Exit may follow.
 */
void lode_temporary_abandon(void);

/* Takes the lock of a file that is being written (an open descriptor). false: another process has
   it. */
bool lode_temporary_lock(int fd);
/* Removes the file NAME of the open folder `dir` if its lock is free: a regular file of this user.
   A writer that was not quick enough to lock its new file must see whether it is still there. */
void lode_temporary_file_sweep(int dir, const char *name);
