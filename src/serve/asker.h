/*
 * Answers questions while the server's own threads serve other clients: a question may
 * take seconds, a document must not wait for it.
 *
 *   job 1, lane a --+--> thread 1: job 1
 *   job 2, lane a --+              (lane a is busy)  then job 2
 *   job 3, lane b --+--> thread 2: job 3
 *
 * Jobs of one lane run one at a time, in order. All calls from any thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct lode_asker;

/* The caller's storage, until it has run. */
struct lode_asker_job {
	size_t lane; /* below n_lanes */
	void (*run)(void *context);
	void *context;
	struct lode_asker_job *next; /* the asker's */
};

struct lode_asker *lode_asker_start(size_t n_lanes, unsigned n_threads);
/* False: it is stopping, and the job will not run. */
bool lode_asker_put(struct lode_asker *asker, struct lode_asker_job *job);
/* Runs what waits, takes nothing more, and ends its threads; lode_asker_put may still be called. */
void lode_asker_stop(struct lode_asker *asker);
/* After the last call. NULL does nothing. */
void lode_asker_free(struct lode_asker *asker);
