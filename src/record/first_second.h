/*
 * Which kind of stack a recording has: found out in its first second.
 *
 *   0 s           perf records call chains, and a second one stack dumps (record/dump_recorder.h)
 *   0.7 s         both write what they have, and a child of lode reads it: do chains end early, and
 *                 do dumps end later?
 *   then          the second goes on if so; else it is killed
 *   or at once    dumps go on, as a recording near by has them (record/stacks_seen.h), or as
 *                 they were asked for
 *   all the time  more dumps than the budget (record/dump_recorder.h), or lost ones: killed
 *
 * Chains are recorded throughout. Dumps that are there at the end are so from the first event to
 * the last: then they are the recording. There is a second perf if options->may_dump.
 */
#pragma once

#include "record/dump_recorder.h"
#include "record/frame_pointers.h"
#include "record/recorder.h"

struct lode_first_second {
	const struct lode_record_options *options;
	const char *data; /* that perf writes */
	int control;	  /* to perf */
	enum { STACKS_WAIT, STACKS_FLUSH, STACKS_READ, STACKS_WATCH, STACKS_DONE } stage;
	unsigned n_owed;    /* answers of perf */
	int64_t due_ns;	    /* when to look next, by CLOCK_MONOTONIC; INT64_MAX: never */
	int64_t look_ns;    /* when to read, or to look for losses */
	unsigned n_looks;   /* that did not tell */
	pid_t reader;	    /* 0: none */
	int verdict;	    /* what it found can be read there; -1: no reader */
	int64_t seen_bytes; /* of the dumps, up to where they have been looked at */
	struct lode_dump_recorder dumps;
	struct lode_dump_budget budget;
	bool are_dumps_on, are_too_many;
	enum lode_stack_kind kind;
};

/* `control`: where perf takes commands. */
void lode_first_second_init(struct lode_first_second *f, const struct lode_record_options *options,
			    const char *data, int control);

/* Tells perf to begin, and starts the second one. False: it cannot be told to, errno is set. */
bool lode_first_second_enable(struct lode_first_second *f, const sigset_t *mask);
/* Tells both another thing. */
bool lode_first_second_tell(struct lode_first_second *f, const char *line);
/* perf answered so often; true when neither owes an answer any more. */
bool lode_first_second_answered(struct lode_first_second *f, unsigned n);
/* Events are on. */
void lode_first_second_begin(struct lode_first_second *f, int64_t now_ns);
/* To be called when it is due, */
void lode_first_second_tick(struct lode_first_second *f, int64_t now_ns);
/* when all answers have come, */
void lode_first_second_flushed(struct lode_first_second *f);
/* and when `verdict` can be read. */
void lode_first_second_decide(struct lode_first_second *f);
/* perf is done. If there are dumps, they are whole. */
void lode_first_second_end(struct lode_first_second *f, bool has_recorded);
