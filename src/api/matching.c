/* include/lode/matching.h: recordings against signatures. */
#include <lode/matching.h>

#include "api/call.h"
#include "answers/coverage/coverage_job.h"

struct lode_matching {
	struct lode_signatures signatures;
	struct lode_coverage_job job;
};

struct running {
	struct lode_matching *matching;
	const char *signatures;
	const char *const *inputs;
	size_t n_inputs;
	const struct lode_mining_options *options;
};

static int match_inputs(void *job, struct lode_error *err)
{
	struct running *running = job;
	struct lode_matching *matching = running->matching;
	struct lode_stream_set_options streams;
	int rc = lode_signatures_read(&matching->signatures, running->signatures, err);

	lode_api_streams(&streams, running->inputs, running->n_inputs, running->options);
	if (rc == LODE_OK)
		rc = lode_coverage_job_run(&matching->job, &matching->signatures, &streams, NULL,
					   LODE_COVERAGE_STACKS, err);
	if (rc == LODE_OK &&
	    (!matching->job.streams.job.digest || !matching->job.streams.job.digest->symptoms.n))
		rc = lode_fail(err, LODE_ERR_EMPTY, NULL, -1, "%s",
			       matching->job.streams.job.digest ? "no symptoms in the recordings"
								: "no usable recording");
	return rc;
}

int lode_matching_run(struct lode_matching **out, const char *signatures, const char *const *inputs,
		      size_t n_inputs, const struct lode_mining_options *options,
		      struct lode_error *err)
{
	struct running running = {calloc(1, sizeof(struct lode_matching)), signatures, inputs,
				  n_inputs, options};
	int rc;

	*out = NULL;
	if (!running.matching)
		return lode_fail(err, LODE_ERR_LIMIT, NULL, -1, "out of memory");
	rc = lode_api_call(match_inputs, &running, err);
	if (rc < 0)
		lode_matching_free(running.matching);
	else
		*out = running.matching;
	return rc;
}

void lode_matching_free(struct lode_matching *matching)
{
	if (!matching)
		return;
	lode_coverage_job_release(&matching->job);
	lode_signatures_release(&matching->signatures);
	free(matching);
}

void lode_matching_tell(const struct lode_matching *matching, struct lode_matching_sums *out)
{
	const struct lode_stream_cover *all = &matching->job.coverage.all;

	*out = (struct lode_matching_sums){
		.unit = matching->job.streams.job.digest->unit,
		.symptom_ns = all->symptom_ns,
		.explained = all->covered_ns,
		.returned = all->returned_ns,
		.n_streams = matching->job.coverage.n_streams,
		.n_signatures = matching->signatures.list.n,
	};
}

void lode_matching_signature(const struct lode_matching *matching, size_t signature,
			     struct lode_matching_signature *out)
{
	const struct lode_signature *from = &matching->signatures.list.at[signature];
	const struct lode_signature_cost *cost = &matching->job.coverage.signatures[signature];

	*out = (struct lode_matching_signature){
		.name = from->name,
		.bug = from->bug,
		.is_retired = from->is_retired,
		.total = cost->total_ns,
		.exclusive = cost->exclusive_ns,
		.n_streams = cost->n_streams,
		.n_symptoms = cost->n_symptoms,
	};
}
