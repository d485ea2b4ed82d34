/*
 * What every fallible call of the library goes through.
 */
#pragma once

#include "model/stream.h"
#include "input/symbols/symbols.h"

struct lode_mining_options;
struct lode_stream_set_options;

struct lode_recording {
	struct lode_stream *stream;
	struct lode_symboliser *symboliser; /* owns names of functions */
	char *lacks;			    /* NULL: nothing */
};

/*
 * work(job, err), with memory that runs out on this thread as its failure: LODE_ERR_LIMIT. `err`
 * may be NULL here, and is not for `work`.
 */
int lode_api_call(int (*work)(void *job, struct lode_error *err), void *job,
		  struct lode_error *err);

/* Which streams: what lode_mining_options says of reading. Borrows all of it. */
void lode_api_streams(struct lode_stream_set_options *out, const char *const *inputs,
		      size_t n_inputs, const struct lode_mining_options *options);
