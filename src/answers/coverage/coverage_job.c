/* Matches recordings with signatures: coverage in all, by recording and by group, and the rest. */
#include "answers/coverage/coverage_job.h"

#include "engine/aliases/aliases.h"
#include "streams/cover_form.h"
#include "answers/clusters/cluster_brief.h"
#include "document/units.h"
#include "answers/input_fields.h"

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

/* ---- The rest, kept and mined ---- */

/* The limit where λ would give too many patterns: as many as can be read through. */
enum { MANAGEABLE_PATTERNS = 1000 };

void lode_rest_keep(struct lode_coverage_job *job)
{
	struct lode_digest *digest = job->streams.job.digest;
	size_t n = 0;

	digest->n_events = 0;
	for (size_t i = 0; i < digest->rows.n; i++)
		if (!job->match.row_set[i]) {
			digest->n_events += digest->rows.at[i].n_events;
			digest->rows.at[n++] = digest->rows.at[i];
		}
	digest->rows.n = n;
	lode_aliases_join(digest);
}

int lode_rest_mine(struct lode_mined **out, const struct lode_coverage_job *job,
		   const struct lode_mine_options *options, int64_t symptom_ns,
		   struct lode_error *err)
{
	const struct lode_digest *digest = job->streams.job.digest;
	struct lode_mine_options mining = *options;
	int64_t fits = 0;
	int rc;

	*out = NULL;
	mining.fits = &fits;
	if (!digest->rows.n)
		return 0;
	if (!mining.min_cost && !(mining.min_cost_share > 0))
		mining.min_cost = symptom_ns / 100;
	if (!mining.min_cost && mining.min_cost_share > 0)
		mining.min_cost = (int64_t)(mining.min_cost_share * (double)symptom_ns);
	if (mining.min_cost < 1)
		mining.min_cost = 1;
	rc = lode_mine(out, digest, &mining, err);
	if (rc != LODE_ERR_LIMIT)
		return rc;
	mining.min_cost = 0;
	mining.patterns = MANAGEABLE_PATTERNS;
	rc = lode_mine(out, digest, &mining, err);
	/* Few enough patterns may still have too many similar pairs. */
	mining.patterns = 0;
	while (rc == LODE_ERR_LIMIT && fits > mining.min_cost) {
		mining.min_cost = fits;
		rc = lode_mine(out, digest, &mining, err);
	}
	return rc;
}

const struct lode_cluster *lode_rest_largest(const struct lode_mined *mined)
{
	const struct lode_cluster *largest = NULL;

	for (size_t i = 0; mined && i < mined->n_clusters; i++)
		if (mined->clusters[i].own_ns > (largest ? largest->own_ns : 0))
			largest = &mined->clusters[i];
	return largest;
}

const char *lode_rest_words(struct lode_arena *arena, const struct lode_cover *cover,
			    const char *unit, size_t n_streams, const struct lode_mined *mined)
{
	const struct lode_cluster *c = lode_rest_largest(mined);
	char known[LODE_UNITS_BUFFER], whole[LODE_UNITS_BUFFER], n[LODE_UNITS_BUFFER];
	char share[LODE_UNITS_BUFFER], rest[LODE_UNITS_BUFFER], own[LODE_UNITS_BUFFER];
	const char *most = "";

	if (c)
		most = lode_finding_text(arena, ", %s %s (%s): %s%s",
					 lode_opening_part(c->own_ns, cover->unexplained_ns),
					 lode_finding_known_by(arena, mined, c),
					 lode_finding_why(arena, c),
					 lode_format_cost(own, c->own_ns, unit),
					 lode_opening_spread(arena, c->n_streams, n_streams));
	lode_format_share(known, cover->covered_ns, cover->symptom_ns);
	lode_format_cost_long(whole, cover->symptom_ns, unit);
	lode_format_plural(n, n_streams, "recording");
	if (cover->unexplained_ns <= 0)
		return lode_finding_text(arena, "%s of %s in %s is known.", known, whole, n);
	return lode_finding_text(arena, "%s of %s in %s is known; %s (%s) is not%s.", known, whole,
				 n,
				 lode_format_share(share, cover->unexplained_ns, cover->symptom_ns),
				 lode_format_cost(rest, cover->unexplained_ns, unit), most);
}

/* ---- How much signatures explain ---- */

static const struct lode_field times_fields[] = {
	LODE_FIELD(struct lode_cover, symptom_ns, "total duration of the symptoms",
		   .is_positive = true),
	LODE_FIELD(struct lode_cover, aoi_ns, "cost of all events in the area of interest",
		   .is_positive = true),
	LODE_FIELD(struct lode_cover, covered_ns,
		   "matched by any active signature; each event counts once", .is_positive = true),
	LODE_FIELD(struct lode_cover, returned_ns, "matched by retired signatures only",
		   .is_positive = true),
};
const struct lode_record lode_cover_times_record =
	LODE_RECORD_OF("times", times_fields, struct lode_cover);

static const struct lode_field share_fields[] = {
	LODE_FIELD(struct lode_cover, coverage, "covered_ns / symptom_ns", .is_positive = true),
};
const struct lode_record lode_cover_share_record =
	LODE_RECORD_OF("share", share_fields, struct lode_cover);

struct lode_cover lode_cover_of(const struct lode_stream_cover *cover)
{
	return (struct lode_cover){
		.symptom_ns = cover->symptom_ns,
		.aoi_ns = cover->aoi_ns,
		.covered_ns = cover->covered_ns,
		.returned_ns = cover->returned_ns,
		.unexplained_ns = cover->aoi_ns - cover->covered_ns,
		.coverage = lode_ratio(cover->covered_ns, cover->symptom_ns),
	};
}
