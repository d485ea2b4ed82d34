/*
 * Whether what will be recorded keeps frame pointers, and what to do if it does not.
 *
 *   asked           the command's program (behind "#!" its interpreter), or of a running process
 * the file that most of its code is mapped from told by         its unwind tables: in the middle of
 * a function that keeps one, the caller's frame is found by it, else by the stack pointer without
 * them    stacks end early. Stack dumps mend that, at 32 KiB for each event of the machine
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "record/recorder.h"

struct lode_frame_pointers {
	size_t n, n_kept; /* functions that were asked, at most some hundred; that keep one */
};

/* False when its tables do not tell: no ELF file, another machine's, none, or too few functions. */
bool lode_frame_pointers_ask(struct lode_frame_pointers *out, const char *path);

/*
 * Decides options->want_dwarf for processes that run already, and says so: dumps are taken where
 * one keeps no frame pointers and the machine makes few enough events for them. A command's start
 * cannot be recorded twice, and how many events it makes is not known before: it gets none.
 */
void lode_choose_stacks(struct lode_record_options *options);

/*
 * Of a recording that has no dumps: says what share of the cost has stacks that end early, if it is
 * notable, whether `program` (NULL: none) is at fault, and what dumps would take.
 */
void lode_say_stacks(const struct lode_record_options *options, const char *program,
		     const struct lode_record_result *result);
