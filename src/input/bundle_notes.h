/*
 * What `lode record` notes in a bundle beside the recording.
 *
 *   DIR/.command     the words of the recorded command that are stored (record/stored_words.h),
 *                    each followed by a NUL: perf does not run it, and so does not know it
 *   DIR/.pids        "12,13": the processes that were running already, or the command's first one,
 *                    which its name alone does not distinguish from others before its exec
 *   DIR/.stacks      "chains" or "dumps": its stacks, for recordings that will be compared with it,
 *                    and a number that distinguishes the command from others; "ended" behind
 *                    them if dumps were given up
 *   DIR/INCOMPLETE   exists until the bundle is complete: what it lacks. It stays with the bundle,
 *                    also when lode was killed:
 *
 *                    lode record: this bundle is incomplete
 *                    lacks symbols of 3 modules (...): No space left on device
 *
 * INCOMPLETE is made in its full size, and changed in place: a disk that is full by then still
 * takes what is to be said. In the end it is cut to that.
 */
#pragma once

#include <stdbool.h>

#include "base/error.h"

/* A folder that is one recording: `lode record` has made it, as its name (*.lode) or what is in it
   says. */
bool lode_bundle_is(const char *path);

/* Until more is known, it says that lode record was not finished with it. */
int lode_bundle_lacks_begin(const char *dir, struct lode_error *err);
/* In the place of what it says: lines. */
int lode_bundle_lacks_say(const char *dir, const char *lines, struct lode_error *err);
/* Nothing is added any more: without the room that is left. */
void lode_bundle_lacks_settle(const char *dir);
/* It lacks nothing. */
void lode_bundle_lacks_end(const char *dir);

/* The lines of the bundle that `recording` lies in, without the first (heap); NULL: it is whole, or
   in no bundle. */
char *lode_bundle_lacks_read(const char *recording);

int lode_bundle_command_write(const char *dir, char *const *words, struct lode_error *err);
/* The command of the bundle that `recording` lies in, words joined by blanks (heap); NULL: none. */
char *lode_bundle_command_read(const char *recording);

int lode_bundle_pids_write(const char *dir, const char *pids, struct lode_error *err);
/* "12,13" (heap); NULL: none. */
char *lode_bundle_pids_read(const char *recording);

#define LODE_STACKS_NOTE ".stacks"
/* `mark`: which command it is of, 16 bits. `gave_up`: dumps were begun, and there were too many. A
   note that cannot be written is no loss. */
void lode_bundle_stacks_write(const char *dir, bool has_dumps, unsigned mark, bool gave_up);
/* False: it does not say. */
bool lode_bundle_stacks_read(const char *recording, bool *has_dumps, unsigned *mark);
/* Were dumps given up while it was recorded, as far as the note says? */
bool lode_bundle_stacks_gave_up(const char *recording);

/* Of a bundle that was not filled. */
void lode_bundle_notes_remove(const char *dir);
