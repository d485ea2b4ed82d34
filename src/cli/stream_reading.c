#include "cli/stream_reading.h"

#include <time.h>

#include "cli/messages.h"

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

static void say_no_stream(const struct lode_command *self,
			  const struct lode_stream_set_options *options)
{
	if (options->n_inputs)
		lode_say(self, "no usable recording in %s",
			 options->n_inputs == 1 ? "the input" : "the inputs");
	else
		lode_say(self, options->where ? "no stream of the repository is such"
					      : "the repository has no streams");
}

static void say_no_symptom(const struct lode_command *self, const struct lode_digest_job *job)
{
	lode_say(self, "no symptom in %zu stream%s: %s", job->digest->streams.n,
		 job->digest->streams.n == 1 ? "" : "s", job->symptom_text);
	if (job->is_default_symptoms)
		lode_say(self, "the recorded command has no event in it; --symptom 'comm=*' "
			       "takes every process, --symptom comm=NAME those of a name");
}

int lode_streams_read(const struct lode_command *self, struct lode_stream_set *set,
		      const struct lode_stream_set_options *options, struct lode_progress *progress)
{
	struct lode_error err;
	int rc;

	lode_progress_start(progress);
	rc = lode_stream_set_read(set, options, &err);
	lode_progress_end(progress);
	lode_say_skipped(self, &set->job);
	if (rc < 0)
		return lode_say_error(self, &err);
	if (!set->job.digest) {
		say_no_stream(self, options);
		return LODE_EXIT_NOTHING;
	}
	if (set->job.digest->symptoms.n == 0) {
		say_no_symptom(self, &set->job);
		return LODE_EXIT_NOTHING;
	}
	return LODE_EXIT_OK;
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
