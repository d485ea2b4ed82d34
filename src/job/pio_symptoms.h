/*
 * Slow periods as symptoms of recordings that overlap them: the bridge from `lode pio` to `lode
 * mine` and `lode suspects`.
 *
 *   period, wall clock      |======|                  a row per thread that matches and lives then:
 *   recording, own clock  |----------------|          stream  tid  t0_ns  t1_ns  (symptom_table.h)
 *
 * perf.data tells how its clock and the wall clock go together when it was recorded with `-k`
 * (HEADER_CLOCK_DATA); otherwise the user says what to add. Nothing is guessed.
 */
#ifndef LODE_PIO_SYMPTOMS_H
#define LODE_PIO_SYMPTOMS_H

#include <stdio.h>

#include "base/error.h"
#include "model/stream.h"

struct lode_wall_span {
	int64_t start_ns, end_ns; /* since the epoch, UTC */
};

struct lode_pio_symptoms_options {
	const char *comm;	/* glob of threads' names; NULL: all but the kernel's */
	bool has_offset;	/* the user's word on the clock, over the recording's */
	int64_t wall_offset_ns; /* wall clock = the recording's + it */
};

void lode_pio_symptoms_head(FILE *out);
/*
 * Writes the rows of one recording, called `path` in them. Gives their number; LODE_ERR_UNSUPPORTED
 * when nothing says what its clock is, LODE_ERR_ARG when the path cannot stand in a table.
 */
int64_t lode_pio_symptoms_write(FILE *out, const struct lode_stream *stream, const char *path,
				const struct lode_wall_span *periods, size_t n_periods,
				const struct lode_pio_symptoms_options *options,
				struct lode_error *err);

#endif
