/* What no signature matches: kept, and mined. */
#include "answers/coverage/rest.h"

#include "answers/clusters/cluster_brief.h"
#include "answers/coverage/cover.h"
#include "document/findings.h"
#include "document/opening.h"
#include "document/units.h"

/* Where λ would give too many patterns: as many as somebody may look through. */
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
