/*
 * What the stacks of a recording are like, of those that are there with chains and with dumps.
 */
#pragma once

#include "record/frame_pointers.h"

/*
 * Reads both recordings, which perf may still be writing; nothing is seen if they cannot be read.
 * `program` is asked where there are too few stacks and the command has ended; may be NULL.
 */
void lode_stacks_look(struct lode_stacks_seen *seen, const char *chains, const char *dumps,
		      const char *program);
