/*
 * Reading the streams that a command is about: progress while it lasts, and one place that says
 * what was skipped, and why there is nothing.
 */
#pragma once

#include "tool/aoi_options.h"
#include "tool/command.h"
#include "tool/input_options.h"
#include "tool/progress.h"
#include "streams/stream_set.h"

/*
 * Entries of an option table: all that lode_reading_options takes. Offsets of struct
 * lode_aoi_values and struct lode_input_options in the values.
 */
#define LODE_READING_OPTIONS(aoi_at, input_at)                                                 \
	LODE_SYMPTOM_OPTIONS(aoi_at), LODE_AOI_OPTIONS(aoi_at), LODE_NARROW_OPTIONS(input_at), \
		LODE_SYMBOL_OPTIONS(input_at), LODE_MACHINE_OPTIONS(input_at)

/* How recordings are read: all that the command line says of it. `progress` NULL: quietly. */
struct lode_digest_job_options lode_reading_options(const struct lode_input_options *input,
						    const struct lode_aoi_values *aoi,
						    struct lode_progress *progress);

/* What the command's own code becomes: what was skipped or is incomplete shows in it. */
int lode_job_exit(const struct lode_digest_job *job, int code);

/* Now, as queries count ages from. */
int64_t lode_query_now_ns(void);
