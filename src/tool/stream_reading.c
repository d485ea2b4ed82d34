#include "tool/stream_reading.h"

#include <time.h>

#include "tool/messages.h"

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

int lode_streams_read(const struct lode_command *self, struct lode_stream_set *set,
		      const struct lode_stream_set_options *options, struct lode_progress *progress)
{
	struct lode_error err;
	int rc;

	lode_progress_start(progress);
	rc = lode_stream_set_require(set, options, &err);
	lode_progress_end(progress);
	lode_say_skipped(self, &set->job);
	return rc < 0 ? lode_say_error(self, &err) : LODE_EXIT_OK;
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
