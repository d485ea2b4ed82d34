/*
 * From measured flaws to decisions: what the stream can serve, and what to record better.
 */
#pragma once

#include "engine/quality/quality.h"

/* Fills quality->serves from the stream's contents. */
void lode_quality_decide_services(struct lode_quality *quality, const struct lode_stream *stream);

/* Fills quality->advice; reads quality->serves. */
void lode_quality_give_advice(struct lode_quality *quality, const struct lode_stream *stream);
