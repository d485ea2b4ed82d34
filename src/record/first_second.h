/*
 * A command's stacks, looked at in its first second: whether they are whole, and what is done.
 *
 *   0 s           events with call chains are on, their twins with stack dumps off
 *   0.7 s         perf writes what it has, and a child of lode reads it: which share of the
 *                 command's CPU time has stacks that end early?
 *   then          a quarter or more: twins on, then chains off; no switch goes unrecorded
 *   then          every half a second: more dumps than the limit, or perf loses them: back again
 *
 * Twins are there if options->may_dump; perf turns events on and off by their names.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/frame_pointers.h"
#include "record/recorder.h"

struct lode_first_second {
	const struct lode_record_options *options;
	const char *data; /* that perf writes */
	int control;	  /* to perf */
	enum { STACKS_WAIT, STACKS_FLUSH, STACKS_READ, STACKS_WATCH, STACKS_DONE } stage;
	unsigned n_owed; /* answers of perf */
	int64_t due_ns;	 /* when to step next, by CLOCK_MONOTONIC; INT64_MAX: not by time */
	pid_t reader;	 /* 0: none */
	int verdict;	 /* what it found can be read there; -1: no reader */
	int64_t seen_ns, seen_bytes; /* up to where the recording has been looked at, and when */
	int64_t dumps_ns;	     /* stacks are dumps from then on; 0: they are not */
};

/* `control`: where perf takes commands. */
void lode_first_second_init(struct lode_first_second *f, const struct lode_record_options *options,
			    const char *data, int control);

/* Whether this perf can turn single events on and off, and the kernel has their twins. */
bool lode_can_dump_later(const char *perf);

/* Tells perf to begin. False: it cannot be told, and errno says why. */
bool lode_first_second_enable(struct lode_first_second *f);
/* perf answered so often; true when it owes no answer any more. */
bool lode_first_second_answered(struct lode_first_second *f, unsigned n);
/* The command begins. */
void lode_first_second_begin(struct lode_first_second *f, int64_t now_ns);
/* To be called when it is due, when perf owes nothing any more, or when `verdict` can be read. */
void lode_first_second_step(struct lode_first_second *f, int64_t now_ns);
void lode_first_second_end(struct lode_first_second *f);
