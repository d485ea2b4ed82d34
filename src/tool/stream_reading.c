/* Reads recordings for a command, and reports what was skipped. */
#include "tool/stream_reading.h"

#include <time.h>

struct lode_digest_job_options lode_reading_options(const struct lode_input_options *input,
						    const struct lode_aoi_values *aoi,
						    struct lode_progress *progress)
{
	struct lode_digest_job_options options = lode_input_options_job(input);

	lode_aoi_values_apply(aoi, &options);
	options.progress = progress ? lode_progress_read : NULL;
	options.progress_context = progress;
	return options;
}

int lode_job_exit(const struct lode_digest_job *job, int code)
{
	bool is_whole = job->skipped.n + job->incomplete.n == 0;

	return code == LODE_EXIT_OK && !is_whole ? LODE_EXIT_INCOMPLETE : code;
}

int64_t lode_query_now_ns(void)
{
	return (int64_t)time(NULL) * 1000000000;
}
