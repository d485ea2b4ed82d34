/* Matches recordings with signatures: coverage in all, by recording and by group. */
#include "answers/coverage/coverage_job.h"

#include "streams/cover_form.h"

static int group_streams(struct lode_coverage_job *job, struct lode_error *err)
{
	struct lode_stream_groups groups;
	int rc = lode_stream_groups_make(&groups, &job->streams, job->by, err);

	if (rc == 0) {
		lode_signature_trend_build(&job->trend, &job->coverage, groups.group_of, groups.n);
		job->groups = groups.names;
		groups.names = NULL;
	}
	lode_stream_groups_release(&groups);
	return rc;
}

static int match_digest(struct lode_coverage_job *job, struct lode_error *err)
{
	const struct lode_digest *digest = job->streams.job.digest;
	struct lode_signature_matcher *matcher = NULL;
	int rc;

	if (job->streams.has_covers) {
		lode_covers_match(&job->match, job->covers, digest);
		return 0;
	}
	rc = lode_signature_matcher_new(&matcher, job->signatures->list.at, job->signatures->list.n,
					err);
	if (rc == 0)
		lode_signature_match(&job->match, matcher, digest);
	lode_signature_matcher_free(matcher);
	return rc;
}

int lode_coverage_job_run(struct lode_coverage_job *out, const struct lode_signatures *signatures,
			  const struct lode_stream_set_options *streams, const char *by,
			  enum lode_coverage_stacks stacks, struct lode_error *err)
{
	struct lode_stream_set_options options = *streams;
	size_t n = signatures->list.n;
	int rc = 0;

	memset(out, 0, sizeof(*out));
	out->signatures = signatures;
	out->by = by;
	if (stacks == LODE_COVERAGE_WITHOUT_STACKS && options.repo && !options.n_inputs)
		rc = lode_covers_new(&out->covers, signatures, options.repo, err);
	options.covers = out->covers;
	options.needs_no_labels = !by;
	if (rc == 0)
		rc = lode_stream_set_read(&out->streams, &options, err);
	if (rc < 0 || !out->streams.job.digest)
		return rc;
	rc = match_digest(out, err);
	if (rc < 0)
		return rc;
	lode_coverage_build(&out->coverage, &out->match, signatures->list.at, n,
			    out->streams.job.digest);
	return by ? group_streams(out, err) : 0;
}

void lode_coverage_job_release(struct lode_coverage_job *job)
{
	lode_stream_set_release(&job->streams);
	lode_covers_free(job->covers);
	lode_signature_match_release(&job->match);
	lode_coverage_release(&job->coverage);
	lode_signature_trend_release(&job->trend);
	free(job->groups);
	memset(job, 0, sizeof(*job));
}
