/*
 * Whether what will be recorded keeps frame pointers, and what to do if it does not.
 *
 *   asked     the program of a command (behind "#!" its interpreter), or of a running process the
 *             file that most of its code is mapped from
 *   told by   its unwind tables: in the middle of a function that keeps one, the caller's frame is
 *             found by it, else by the stack pointer; or by the stacks of a command's first second
 *
 * Without them stacks end early. Stack dumps mend that, at 32 KiB for each event of the machine.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "model/stream.h"
#include "record/recorder.h"

struct lode_frame_pointers {
	size_t n, n_kept; /* functions that were asked, at most some hundred; that keep one */
};

/* False when its tables do not tell: no ELF file, another machine's, none, or too few functions. */
bool lode_frame_pointers_ask(struct lode_frame_pointers *out, const char *path);

/* The same of the file that most of a process's code is mapped from. */
bool lode_process_frame_pointers(struct lode_frame_pointers *out, int32_t pid);

/* What the stacks of a command's first second are like. */
struct lode_stacks_seen {
	int64_t whole_ns;    /* CPU time of the command with a stack of programs; 0: too few */
	int64_t unrooted_ns; /* of that, in stacks that end early, */
	int64_t made_ns;     /* and of that, in code made at run time */
	double events_per_s; /* of the machine, that dumps would be taken of */
	struct lode_frame_pointers functions; /* of its newest process, if there are too few */
	int64_t bytes;			      /* of the recording, up to the end of a record */
};

/* Events of a recording that dumps would be taken of, in a second: all with a stack, but wakings.
 */
double lode_dump_rate(const struct lode_stream *stream);

/* What perf has written meanwhile. */
struct lode_dumps_seen {
	double bytes_per_s;
	uint64_t n, n_lost; /* records; events that it could not keep up with */
};

/*
 * Decides options->want_dwarf for processes that run already, and says so: dumps are taken where
 * one keeps no frame pointers and the machine makes few enough events for them. Of a command
 * neither is known before: that is for its first second (record/first_second.h).
 */
void lode_choose_stacks(struct lode_record_options *options);
/* The same for a command, by what was seen of it. */
bool lode_want_dumps(const struct lode_record_options *options,
		     const struct lode_stacks_seen *seen);
/* Whether dumps are far beyond the limit, or lost, and says it. */
bool lode_are_too_many_dumps(const struct lode_record_options *options,
			     const struct lode_dumps_seen *seen);

/*
 * Of a recording that has no dumps: says what share of the cost has stacks that end early, if it is
 * notable, whether `program` (NULL: none) is at fault, and what dumps would take.
 */
void lode_say_stacks(const struct lode_record_options *options, const char *program,
		     const struct lode_record_result *result);
