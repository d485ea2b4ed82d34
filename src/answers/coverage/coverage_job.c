/* Matches recordings with signatures: coverage in all, by recording and by group. */
#include "answers/coverage/coverage_job.h"

#include <stdlib.h>
#include <string.h>

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

int lode_coverage_job_run(struct lode_coverage_job *out, const struct lode_signatures *signatures,
			  const struct lode_stream_set_options *streams, const char *by,
			  struct lode_error *err)
{
	struct lode_signature_matcher *matcher = NULL;
	size_t n = signatures->list.n;
	int rc;

	memset(out, 0, sizeof(*out));
	out->signatures = signatures;
	out->by = by;
	rc = lode_stream_set_read(&out->streams, streams, err);
	if (rc < 0 || !out->streams.job.digest)
		return rc;
	rc = lode_signature_matcher_new(&matcher, signatures->list.at, n, err);
	if (rc < 0)
		return rc;
	lode_signature_match(&out->match, matcher, out->streams.job.digest);
	lode_signature_matcher_free(matcher);
	lode_coverage_build(&out->coverage, &out->match, signatures->list.at, n,
			    out->streams.job.digest);
	return by ? group_streams(out, err) : 0;
}

void lode_coverage_job_release(struct lode_coverage_job *job)
{
	lode_stream_set_release(&job->streams);
	lode_signature_match_release(&job->match);
	lode_coverage_release(&job->coverage);
	lode_signature_trend_release(&job->trend);
	free(job->groups);
	memset(job, 0, sizeof(*job));
}
