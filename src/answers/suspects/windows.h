/*
 * Only executions in slow windows: from one set of a single stream into another.
 *
 *   symptom  thread 7  [--------)
 *   thread 7   |read|  |---- poll ----|   |write|        poll counts, read and write do not
 *   CPU 0         |irq|  |irq|                           of the machine, no thread's
 */
#pragma once

#include "engine/suspects/execution.h"
#include "model/stream.h"
#include "model/symptom.h"

/*
 * Adds those of all threads of the command, and of the processes that it starts, for rows that are
 * its recorded life: `lode record` writes one for the command's first thread.
 */
void lode_suspects_add_family(lode_symptom_vec *symptoms, const struct lode_stream *stream);

/*
 * Appends to `to` what `from` (one stream's set) has of a symptom's thread that overlaps the
 * symptom. Interrupts, softirqs and packets are the machine's: `*n_of_machine` is how many overlap
 * a symptom, and they are left out; where it is NULL they are appended. What could not be measured
 * is added as it is.
 */
int lode_suspects_copy_within(struct lode_execution_set *to, struct lode_execution_set *from,
			      const struct lode_stream *stream, const struct lode_symptom *symptoms,
			      size_t n_symptoms, uint64_t *n_of_machine, struct lode_error *err);
