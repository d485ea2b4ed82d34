/*
 * A JSON text of trace events, one event after another, read as it streams in.
 *
 *   [ {"name":"f","ph":"B",...}, ... ]                     the array form; its end may be missing
 *   { "traceEvents": [ ... ], "metadata": { ... } }        the object form
 *
 * Members that are not named below are passed over, whatever they hold.
 */
#pragma once

#include "base/input.h"
#include "base/mem.h"
#include "base/slice.h"

/* A member of "args" that is a number or a text. */
struct lode_chrome_arg {
	struct lode_slice key, value;
};

/* A member that was not there has no text; numbers come as theirs. */
struct lode_chrome_event {
	struct lode_slice ph, name, ts, dur, pid, tid, cat, id, scope;
	struct lode_slice args_name, args_detail; /* members of "args" */
	const struct lode_chrome_arg *args;	  /* all of them, if the reader wants them */
	size_t n_args;
	struct lode_slice id_local, id_global; /* members of "id2" */
};

struct lode_chrome_reader {
	/* Each event, in the order of the file; 0, or a failure that ends the reading. */
	int (*take)(void *context, const struct lode_chrome_event *event);
	void *context;
	bool wants_args; /* `args`, in place of args_name and args_detail */
	void (*progress)(void *context, int64_t consumed_bytes, int64_t size_bytes);
	void *progress_context;
};

/* Whether a text that begins with head[0..size) is one of trace events, as it seems. */
bool lode_chrome_recognise(const uint8_t *head, size_t size);

/*
 * Gives 0 at the end of the text, what `take` failed with, or LODE_ERR_FORMAT/TRUNCATED where the
 * JSON breaks off: the events before have been given. `*is_open`: the array's end was missing,
 * after a whole event.
 */
int lode_chrome_events_read(const struct lode_chrome_reader *reader, struct lode_input *input,
			    bool *is_open, struct lode_error *err);
