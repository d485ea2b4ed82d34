/*
 * Streams against signatures: what has a name already, in all, per stream and per group of streams.
 *
 *   streams --> digest --+
 *   signatures ----------+--> match --> coverage --> by release, by day ...
 */
#pragma once

#include "engine/signatures/signature_cover.h"
#include "engine/signatures/signature_cover.h"
#include "streams/stream_set.h"
#include "model/signature.h"

struct lode_coverage_job {
	const struct lode_signatures *signatures; /* borrowed */
	struct lode_stream_set streams;
	struct lode_covers *covers; /* that the streams were read as; NULL */
	/* Nothing of what follows is there if streams.job.digest is NULL. */
	struct lode_signature_match match;
	struct lode_coverage coverage;
	/* Groups of streams by a label, in the order of their names (2.9 before 2.10), streams
	   without it last. */
	const char *by; /* NULL: not asked for */
	const char **groups;
	struct lode_signature_trend trend; /* trend.n_groups groups */
};

/*
 * `by`: a label, or a field as lode_stream_set_label has it; NULL: no groups. `*out` is the
 * caller's to release, also on failure. Fails as lode_stream_set_read does, and on a label that no
 * stream has (LODE_ERR_ARG).
 */
enum lode_coverage_stacks {
	LODE_COVERAGE_STACKS,	      /* the job's digest has them: what no signature matches can be
					 mined */
	LODE_COVERAGE_WITHOUT_STACKS, /* costs alone: of a repository, from covers that it keeps */
};
int lode_coverage_job_run(struct lode_coverage_job *out, const struct lode_signatures *signatures,
			  const struct lode_stream_set_options *streams, const char *by,
			  enum lode_coverage_stacks stacks, struct lode_error *err);
void lode_coverage_job_release(struct lode_coverage_job *job);
