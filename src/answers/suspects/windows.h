/*
 * Only executions in slow windows: from one set of a single stream into another.
 *
 *   symptom  thread 7  [--------)
 *   thread 7   |read|  |---- poll ----|   |write|        poll counts, read and write do not
 *   disk         |= a =|  |= b =|                        a and b: they belong to no thread
 */
#pragma once

#include "engine/suspects/execution.h"
#include "model/stream.h"
#include "model/symptom.h"

/*
 * Appends to `to` what `from` (one stream's set) has that overlaps a symptom: of the symptom's
 * thread, or, of metrics that belong to no thread (block, irq, softirq, net), of any. What could
 * not be measured is added as it is.
 */
int lode_suspects_copy_within(struct lode_execution_set *to, struct lode_execution_set *from,
			      const struct lode_stream *stream, const struct lode_symptom *symptoms,
			      size_t n_symptoms, struct lode_error *err);
