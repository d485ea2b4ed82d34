#include "job/triage_job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where λ would give too many patterns: as many as somebody may look through. */
enum { MANAGEABLE_PATTERNS = 1000 };

static const struct lode_digest *digest_of(const struct lode_triage_job *job)
{
	return job->coverage.streams.job.digest;
}

/* ---- Streams ---- */

static const char *path_of(const struct lode_triage_job *job, uint32_t stream)
{
	const struct lode_digest *digest = digest_of(job);

	return digest->tree.strings.text.at[digest->streams.at[stream].path];
}

static int least_explained_first(const void *a, const void *b, void *context)
{
	const struct lode_triage_stream *p = a, *q = b;
	int order;

	if (p->unexplained_ns != q->unexplained_ns)
		return p->unexplained_ns > q->unexplained_ns ? -1 : 1;
	order = strcmp(path_of(context, p->stream), path_of(context, q->stream));
	return order ? order : (p->stream > q->stream) - (p->stream < q->stream);
}

static bool is_over(const struct lode_triage_options *options,
		    const struct lode_stream_cover *cover, int64_t unexplained_ns)
{
	if (!options->has_limit)
		return false;
	if (options->limit_share > 0)
		return (double)unexplained_ns > options->limit_share * (double)cover->symptom_ns;
	return unexplained_ns > options->limit;
}

static void judge_streams(struct lode_triage_job *job, const struct lode_triage_options *options)
{
	const struct lode_coverage *coverage = &job->coverage.coverage;

	job->n_streams = coverage->n_streams;
	job->streams = lode_alloc0(job->n_streams, sizeof(*job->streams));
	for (size_t i = 0; i < job->n_streams; i++) {
		const struct lode_stream_cover *cover = &coverage->streams[i];
		struct lode_triage_stream *stream = &job->streams[i];

		stream->stream = (uint32_t)i;
		stream->unexplained_ns = cover->aoi_ns - cover->covered_ns;
		stream->is_over = is_over(options, cover, stream->unexplained_ns);
		job->n_over += stream->is_over;
	}
	qsort_r(job->streams, job->n_streams, sizeof(*job->streams), least_explained_first, job);
}

static int costliest_first(const void *a, const void *b, void *context)
{
	const struct lode_coverage_job *job = context;
	const struct lode_signature_in_stream *p =
		&job->coverage.in_streams.at[*(const uint32_t *)a];
	const struct lode_signature_in_stream *q =
		&job->coverage.in_streams.at[*(const uint32_t *)b];

	if (p->total_ns != q->total_ns)
		return p->total_ns > q->total_ns ? -1 : 1;
	return (p->signature > q->signature) - (p->signature < q->signature);
}

/* The coverage lists streams by signature; here, signatures by stream. */
static void list_known(struct lode_triage_job *job)
{
	const struct lode_coverage *coverage = &job->coverage.coverage;
	size_t n = coverage->in_streams.n, *start;

	job->known = lode_alloc(n * sizeof(*job->known));
	start = job->known_start = lode_alloc0(coverage->n_streams + 2, sizeof(*start));
	for (size_t i = 0; i < n; i++)
		start[coverage->in_streams.at[i].stream + 2]++;
	for (size_t s = 0; s < coverage->n_streams; s++)
		start[s + 2] += start[s + 1];
	for (size_t i = 0; i < n; i++)
		job->known[start[coverage->in_streams.at[i].stream + 1]++] = (uint32_t)i;
	for (size_t s = 0; s < coverage->n_streams; s++)
		if (start[s + 1] > start[s])
			qsort_r(job->known + start[s], start[s + 1] - start[s], sizeof(*job->known),
				costliest_first, &job->coverage);
}

/* ---- The rest ---- */

/* Leaves the rows that no signature matches; what retired ones match has a name as well. */
static void keep_rest(struct lode_triage_job *job)
{
	struct lode_digest *digest = job->coverage.streams.job.digest;
	size_t n = 0;

	digest->n_events = 0;
	for (size_t i = 0; i < digest->rows.n; i++)
		if (!job->coverage.match.row_set[i]) {
			digest->n_events += digest->rows.at[i].n_events;
			digest->rows.at[n++] = digest->rows.at[i];
		}
	digest->rows.n = n;
}

static void mine_rest(struct lode_triage_job *job, const struct lode_triage_options *options)
{
	const struct lode_digest *digest = digest_of(job);
	struct lode_mine_options mining = options->mining;
	struct lode_error err;
	char text[sizeof(err.message) + 64];
	int rc;

	if (!digest->rows.n)
		return;
	if (!mining.min_cost && !(mining.min_cost_share > 0))
		mining.min_cost = job->coverage.coverage.all.symptom_ns / 100;
	/* A share is one of all symptoms, whatever is left of them. */
	if (!mining.min_cost && mining.min_cost_share > 0)
		mining.min_cost = (int64_t)(mining.min_cost_share *
					    (double)job->coverage.coverage.all.symptom_ns);
	if (mining.min_cost < 1)
		mining.min_cost = 1;
	rc = lode_mine(&job->mined, digest, &mining, &err);
	if (rc == LODE_ERR_LIMIT) {
		mining.min_cost = 0;
		mining.patterns = MANAGEABLE_PATTERNS;
		rc = lode_mine(&job->mined, digest, &mining, &err);
	}
	if (rc < 0) {
		snprintf(job->reason, sizeof(job->reason), "%s",
			 lode_error_text(&err, text, sizeof(text)));
		job->not_mined = job->reason;
	}
}

int lode_triage_job_run(struct lode_triage_job *out, const struct lode_signatures *signatures,
			const struct lode_triage_options *options, struct lode_error *err)
{
	int rc;

	memset(out, 0, sizeof(*out));
	rc = lode_coverage_job_run(&out->coverage, signatures, &options->streams, NULL, err);
	if (rc < 0 || !digest_of(out))
		return rc;
	judge_streams(out, options);
	list_known(out);
	keep_rest(out);
	if (!options->no_mining)
		mine_rest(out, options);
	return 0;
}

void lode_triage_job_release(struct lode_triage_job *job)
{
	lode_mined_free(job->mined);
	free(job->streams);
	free(job->known);
	free(job->known_start);
	lode_coverage_job_release(&job->coverage);
	memset(job, 0, sizeof(*job));
}
