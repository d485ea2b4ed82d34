/*
 * Reads a perf recording: the whole way from bytes to a stream.
 *
 *   splitter --blocks--> decoders --batches--> merge by time --> builder
 *   (one at a time)      (in parallel)         (one at a time, in file order)
 */
#ifndef LODE_PERF_LOAD_H
#define LODE_PERF_LOAD_H

#include <stdint.h>

#include "base/error.h"
#include "base/input.h"
#include "model/stream.h"
#include "sources/source.h"

/* A sample as it is delivered, for comparisons with perf. */
struct lode_perf_seen {
	const char *event; /* the recording's name for it */
	int64_t t_ns;
	int32_t pid, tid;
	uint32_t cpu;	/* UINT32_MAX unknown */
	uint32_t stack; /* raw: see `finish` */
};

/* Looks at every sample of a recording, with the stacks of all events (else only those used). */
struct lode_perf_observer {
	void (*sample)(void *context, const struct lode_perf_seen *seen);
	/* The nodes of raw stacks in the stream's tree, after the last sample. */
	void (*finish)(void *context, const struct lode_stream *stream, const uint32_t *node_of_raw,
		       size_t n_raw);
	void *context;
};

/* As lode_source_perf.load; `observer` may be NULL. */
int lode_perf_load(struct lode_stream **out, struct lode_input *input,
		   const struct lode_source_options *options,
		   const struct lode_perf_observer *observer, struct lode_error *err);

#endif
