/*
 * From measured flaws to decisions: what the stream can serve, and what to record better.
 */
#pragma once

#include "engine/quality/quality.h"

/* Fills quality->serves from the stream's contents. */
void lode_quality_decide_services(struct lode_quality *quality, const struct lode_stream *stream);

/* Fills quality->advice; reads quality->serves. */
void lode_quality_give_advice(struct lode_quality *quality, const struct lode_stream *stream);

/*
 * The command line that records again what a stream has, with `options` of lode record:
 * "lode record --syscalls -- make". Longer ones are cut.
 */
void lode_record_again_text(char *text, size_t size, const struct lode_stream *stream,
			    const char *options);
