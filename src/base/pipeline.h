/*
 * Ordered pipeline: items are made one after another, worked on in parallel, and taken one after
 * another in the order in which they were made.
 *
 *   make    1 2 3 4 5 ...          one thread at a time
 *   work      1   3   5            any number of threads
 *               2   4
 *   take        1 2 3 4 ...        one thread at a time, in order
 *
 * A free thread does what is next, so that with two threads neither of the three steps leaves a
 * CPU idle. What `take` sees does not depend on the number of threads.
 */
#pragma once

#include <stddef.h>

enum lode_pipeline_made {
	LODE_PIPELINE_END = 0,
	LODE_PIPELINE_ITEM = 1,
	LODE_PIPELINE_DRAIN = 2, /* nothing made: ask again when all earlier items are taken */
};

struct lode_pipeline {
	/* Fills `item`: enum lode_pipeline_made, or a negative status that ends the making. */
	int (*make)(void *context, void *item);
	void (*work)(void *context, void *item, unsigned worker);
	/* 0, or a negative status that ends everything. */
	int (*take)(void *context, void *item);
	void *context;
	void *items; /* storage that is used again and again; more than threads is good */
	size_t n_items, item_bytes;
};

/*
 * Runs until END or an error: gives 0 or the error. What was made before an error of `make` is
 * still worked on and taken. `worker` is below n_threads. With one thread, runs inline.
 */
int lode_pipeline_run(const struct lode_pipeline *pipeline, unsigned n_threads);
