#include "job/coverage_job.h"

#include <stdlib.h>
#include <string.h>

const char lode_coverage_no_label[] = "(none)";

/* Numbers inside as numbers; no label is last. */
static int by_name(const void *a, const void *b)
{
	const char *x = *(const char *const *)a, *y = *(const char *const *)b;

	if (!x || !y)
		return !x - !y;
	return strverscmp(x, y);
}

static bool is_same_label(const char *x, const char *y)
{
	return x && y ? strcmp(x, y) == 0 : x == y;
}

/* The group of `label`, which there is. */
static uint32_t find_group(const char *const *groups, size_t n, const char *label)
{
	const char *const *found = bsearch(&label, groups, n, sizeof(*groups), by_name);

	/* strverscmp can find texts equal that are not: they stand side by side. */
	while (found > groups && by_name(&found[-1], &label) == 0)
		found--;
	while (!is_same_label(*found, label))
		found++;
	return (uint32_t)(found - groups);
}

static int group_streams(struct lode_coverage_job *job, struct lode_error *err)
{
	size_t n = job->streams.job.digest->streams.n, n_groups = 0;
	const char **labels = lode_alloc0(n, sizeof(*labels));
	uint32_t *group_of = lode_alloc0(n, sizeof(*group_of));
	bool is_known = false;
	int rc = 0;

	job->groups = lode_alloc0(n, sizeof(*job->groups));
	for (size_t i = 0; i < n; i++) {
		labels[i] = lode_stream_set_label(&job->streams, i, job->by);
		job->groups[i] = labels[i];
		is_known |= labels[i] != NULL;
	}
	if (n && !is_known) {
		rc = lode_fail(err, LODE_ERR_ARG, NULL, -1, "no stream has a label '%.60s'",
			       job->by);
		goto out;
	}
	qsort(job->groups, n, sizeof(*job->groups), by_name);
	for (size_t i = 0; i < n; i++)
		if (n_groups == 0 || !is_same_label(job->groups[i], job->groups[n_groups - 1]))
			job->groups[n_groups++] = job->groups[i];
	for (size_t i = 0; i < n; i++)
		group_of[i] = find_group(job->groups, n_groups, labels[i]);
	lode_signature_trend_build(&job->trend, &job->coverage, group_of, n_groups);
	for (size_t g = 0; g < n_groups; g++)
		if (!job->groups[g])
			job->groups[g] = lode_coverage_no_label;
out:
	free(labels);
	free(group_of);
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
