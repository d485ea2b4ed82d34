/*
 * Progress on stderr: one line that is rewritten, only when stderr is a terminal.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "streams/digest_job.h"

struct lode_progress {
	bool is_shown;
	int64_t start_ns;
	atomic_llong next_ns; /* not printed again before that */
};

void lode_progress_start(struct lode_progress *progress);
/* Callbacks for lode_digest_job_run and lode_mine; thread-safe. `context` is a lode_progress. */
void lode_progress_read(void *context, const struct lode_digest_progress *state);
void lode_progress_stage(void *context, const char *stage, double done);
/* One input; `done` of `total` in any unit (-1: not known). */
void lode_progress_part(void *context, int64_t done, int64_t total);
/* Clears the line. */
void lode_progress_end(struct lode_progress *progress);

/*
 * Work that cannot say how far it is, such as a page: "writing the page, 3 s", told by a thread of
 * its own once it takes longer than a second.
 */
struct lode_stopwatch {
	const char *what;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t ended;
	int64_t start_ns;
	bool is_shown, is_ended;
};

/* `what` is borrowed until the end. */
void lode_stopwatch_start(struct lode_stopwatch *watch, const char *what);
/* Of one that has ended, or `{ 0 }`, it does nothing. */
void lode_stopwatch_end(struct lode_stopwatch *watch);
