/*
 * Triage: what of new streams is known, and what the rest is.
 *
 *   new streams --> coverage --> per stream: known, returned, unexplained
 *                       |
 *                       +--> rows that no signature matches --> mined --> clusters
 */
#ifndef LODE_TRIAGE_JOB_H
#define LODE_TRIAGE_JOB_H

#include "analyses/mine/mine.h"
#include "job/coverage_job.h"

struct lode_triage_options {
	struct lode_stream_set_options streams;
	struct lode_mine_options mining; /* of the rest; λ not set: 1 % of the symptoms' time */
	bool no_mining;			 /* only known or not */
	/* A stream is over when more than this is unexplained; 0 and 0: never. A share is one of
	   its symptoms' time. */
	int64_t limit;
	double limit_share;
	bool has_limit;
};

struct lode_triage_stream {
	uint32_t stream; /* of the digest */
	/* What explains nothing: no signature, or none that is not retired. */
	int64_t unexplained_ns;
	bool is_over;
};

struct lode_triage_job {
	/* Its digest keeps only the rows that no signature matches, once it is run. */
	struct lode_coverage_job coverage;
	struct lode_triage_stream *streams; /* by what is unexplained, then by path */
	size_t n_streams, n_over;
	/* Signatures per stream: indices into coverage.coverage.in_streams, by total cost;
	   those of stream s are from known_start[s] to known_start[s + 1]. */
	uint32_t *known;
	size_t *known_start;
	struct lode_mined *mined; /* of the rest; NULL: there is none, or it was not asked for */
	const char *not_mined;	  /* why it was not, if mining failed; else NULL */
	char reason[512];
};

/*
 * `*out` is the caller's to release, also on failure. Without a digest there was nothing usable.
 * That the rest cannot be mined is no failure.
 */
int lode_triage_job_run(struct lode_triage_job *out, const struct lode_signatures *signatures,
			const struct lode_triage_options *options, struct lode_error *err);
void lode_triage_job_release(struct lode_triage_job *job);

#endif
