/*
 * What the readers of both kinds of XRay logs share: the header, names of functions and threads.
 */
#pragma once

#include "base/map.h"
#include "model/calls.h"
#include "input/call_source.h"
#include "input/formats/xray/xray_names.h"
#include "input/formats/xray/xray_ticks.h"

struct lode_xray_header {
	uint16_t version, type;
	uint64_t ticks_per_s;  /* 0: not told */
	uint64_t buffer_bytes; /* of flight data recorder logs */
};

struct lode_xray_log {
	const char *path;
	struct lode_xray_header header;
	struct lode_ticks ticks;
	const struct lode_call_options *options;
	struct lode_call_sink *sink;
	struct lode_xray_names names;
	LODE_VEC(uint32_t) functions;	/* [XRay's id]: the sink's, LODE_NONE if not asked yet */
	struct lode_map high_functions; /* the same for very high ids */
	struct lode_map threads;	/* (pid, tid) -> the sink's */
};

/* The sink's id of XRay's function id. */
uint32_t lode_xray_function_slow(struct lode_xray_log *log, uint32_t id);
static inline uint32_t lode_xray_function(struct lode_xray_log *log, uint32_t id)
{
	if (id < log->functions.n && log->functions.at[id] != LODE_NONE)
		return log->functions.at[id];
	return lode_xray_function_slow(log, id);
}

uint32_t lode_xray_thread(struct lode_xray_log *log, int32_t pid, int32_t tid);

/* Reading one kind of log whose header has been peeked at. */
int lode_xray_read_basic(struct lode_xray_log *log, struct lode_input *input,
			 struct lode_error *err);
int lode_xray_read_fdr(struct lode_xray_log *log, struct lode_input *input, struct lode_error *err);
