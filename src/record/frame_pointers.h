/*
 * Whether what will be recorded keeps frame pointers, and what to do if it does not.
 *
 *   asked     the program of a command (behind "#!" its interpreter), or of a running process the
 *             file that most of its code is mapped from
 *   told by   its unwind tables: in the middle of a function that keeps one, the caller's frame is
 *             found by it, else by the stack pointer; or by the stacks of the first second
 *
 * Without them stacks end early. Stack dumps avoid that, at 32 KiB for each event of the machine.
 */
#pragma once

#include "model/stream.h"
#include "record/recorder.h"

struct lode_frame_pointers {
	size_t n, n_kept; /* functions that were asked, at most some hundred; that keep one */
	char file[80];	  /* that has them: "libc.so.6" */
};

/* False when its tables do not tell: no ELF file, another machine's, none, or too few functions. */
bool lode_frame_pointers_ask(struct lode_frame_pointers *out, const char *path);

/* The same of the program behind a script. */
bool lode_program_frame_pointers(struct lode_frame_pointers *out, const char *path);
/* The same of the file that most of a process's code is mapped from. */
bool lode_process_frame_pointers(struct lode_frame_pointers *out, int32_t pid);

/* From so much of the cost on, stacks that end early are worth a word. */
enum { LODE_NOTABLE_UNROOTED_PCT = 25 };

/* What the stacks of a recording are like (record/stacks_seen.h). */
struct lode_stacks_seen {
	bool has_shares;		      /* there are enough of them */
	bool has_dumps;			      /* dumps were looked at as well */
	double chains_pct;		      /* of the command's time: chains that end early, */
	double dumps_pct;		      /* and with dumps that do; without dumps the same */
	double events_per_s;		      /* of the machine, that dumps would be taken of */
	struct lode_frame_pointers functions; /* of its newest process, if there are too few */
	bool are_too_many;		      /* dumps were turned off */
};

/* What perf has written meanwhile. */
struct lode_dumps_seen {
	uint64_t n, n_lost; /* records; events that it could not keep up with */
};

/*
 * Adds what the file that perf writes has from `from`, 0: its first record. Gives the end of the
 * last whole one.
 */
int64_t lode_dumps_walk(struct lode_dumps_seen *seen, const char *path, int64_t from);

/*
 * Decides options->want_dwarf for processes that run already, and says so: dumps are taken where
 * one keeps no frame pointers and the machine makes few enough events for them. Of a command
 * neither is known before: that is for its first second (record/first_second.h).
 */
void lode_choose_stacks(struct lode_record_options *options);
/* Whether what was seen of a command is enough to decide. */
bool lode_stacks_tell(const struct lode_stacks_seen *seen);
/* The same for a command, by what was seen of it. */
bool lode_want_dumps(const struct lode_record_options *options,
		     const struct lode_stacks_seen *seen);
/* Whether dumps are beyond the limit, or lost, and says it. */
bool lode_are_too_many_dumps(const struct lode_record_options *options, bool is_beyond,
			     const struct lode_dumps_seen *seen);
/* Says that the perf that takes dumps ended by itself. */
void lode_say_dumps_failed(const struct lode_record_options *options);

/*
 * Of a recording that has no dumps: says what share of the cost has stacks that end early, or that
 * lack the innermost caller, if it is notable, which module is at fault, and what dumps would take.
 */
void lode_say_stacks(const struct lode_record_options *options,
		     const struct lode_record_result *result);
