/*
 * What the stacks of a recording are like, of those that are there with chains and with dumps.
 */
#pragma once

#include "record/frame_pointers.h"
#include "record/recorder.h"

/*
 * Reads both recordings, which perf may still be writing; nothing is seen if they cannot be read.
 * `program` is asked where there are too few stacks and the command has ended; may be NULL.
 */
void lode_stacks_look(struct lode_stacks_seen *seen, const char *chains, const char *dumps,
		      const char *program);

/*
 * Recordings that will be compared should have stacks of one kind: that of the latest one near by.
 *
 *   runs/slow-1.lode    dumps, as its first second said
 *   runs/slow-2.lode    dumps, whatever its first second says
 *
 * Near is the same folder, and for a relative path with a folder (fast/1) those beside that
 * (slow/1). It must be of the same program, unchanged since, with the same first argument that is
 * no option.
 */

/*
 * LODE_STACKS_UNDECIDED: there is none. `program` is the file that the command runs, `where` (heap)
 * the bundle that was followed.
 */
enum lode_stack_kind lode_stacks_before(char **where, const struct lode_record_options *options,
					const char *program);
