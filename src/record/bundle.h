/*
 * The bundle that `lode record` leaves: a recording and all that is needed to read it elsewhere.
 */
#pragma once

#include "model/stream.h"
#include "record/recorder.h"

/*
 * Makes the bundle's directory: options->bundle, which must not be there or be empty, else
 * NAME.lode, NAME-2.lode, ... of the command's name. Gives its path (heap).
 */
int lode_bundle_make(char **path, const struct lode_record_options *options,
		     struct lode_error *err);

/* Reads a recording for what it needs itself: with the files of this machine. */
int lode_bundle_read(struct lode_stream **stream, const char *path, unsigned n_threads,
		     struct lode_error *err);

/*
 * Turns DIR/perf.data into a whole bundle: symbols, symptoms, README, compression. `perf_argv` is
 * the command line that recorded it, `titles` what lode_title_watch_start wrote to (-1: nothing).
 * Fills the counts of *result.
 */
int lode_bundle_fill(struct lode_record_result *result, const char *dir,
		     const struct lode_record_options *options, int titles, char *const *perf_argv,
		     struct lode_error *err);
