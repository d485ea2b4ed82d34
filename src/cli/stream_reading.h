/*
 * Reading the streams that a command is about: progress while it lasts, and one place that says
 * what was skipped, and why there is nothing.
 */
#ifndef LODE_STREAM_READING_H
#define LODE_STREAM_READING_H

#include "cli/command.h"
#include "cli/progress.h"
#include "job/stream_set.h"

/*
 * LODE_EXIT_OK when there are streams with symptoms in `*set`; else what is wrong was said, and the
 * code is the command's. Progress goes to `progress`, which is ended. `*set` is the caller's to
 * release in any case.
 */
int lode_streams_read(const struct lode_command *self, struct lode_stream_set *set,
		      const struct lode_stream_set_options *options,
		      struct lode_progress *progress);

/* What the command's own code becomes: what was skipped or is incomplete shows in it. */
int lode_streams_exit(const struct lode_stream_set *set, int code);

#endif
