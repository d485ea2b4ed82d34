/* include/lode/wait_chain.h: symptoms, and the critical path of one. */
#include <lode/wait_chain.h>

#include "engine/waits/critpath.h"
#include "api/call.h"
#include "model/symptom.h"

/* ---- Symptoms ---- */

struct finding {
	const struct lode_recording *recording;
	const char *which;
	struct lode_recorded_symptom *out;
	size_t n;
};

static int find_symptoms(void *job, struct lode_error *err)
{
	struct finding *finding = job;
	const struct lode_symptom_options options = {.select = finding->which, .pid = -1};
	struct lode_symptom_spec *spec;
	lode_symptom_vec found = {0};
	int rc = lode_symptom_spec_new(&spec, &options, err);

	if (rc == LODE_OK)
		rc = lode_symptoms_find(&found, spec, finding->recording->stream, NULL, err);
	if (rc == LODE_OK) {
		finding->n = found.n;
		finding->out = lode_alloc0(found.n, sizeof(*finding->out));
		for (size_t i = 0; i < found.n; i++)
			finding->out[i] = (struct lode_recorded_symptom){
				found.at[i].thread, found.at[i].t0_ns, found.at[i].t1_ns};
	}
	lode_vec_release(&found);
	lode_symptom_spec_free(spec);
	return rc;
}

int lode_recording_symptoms(struct lode_recorded_symptom **out, size_t *n,
			    const struct lode_recording *recording, const char *which,
			    struct lode_error *err)
{
	struct finding finding = {.recording = recording, .which = which};
	int rc = lode_api_call(find_symptoms, &finding, err);

	*out = finding.out;
	*n = finding.n;
	return rc;
}

void lode_recording_symptoms_free(struct lode_recorded_symptom *symptoms)
{
	free(symptoms);
}

/* ---- The chain of one ---- */

struct lode_wait_chain {
	struct lode_critpath path;
};

struct making {
	struct lode_wait_chain *chain;
	const struct lode_stream *stream;
	struct lode_symptom symptom;
};

static int make_chain(void *job, struct lode_error *err)
{
	struct making *making = job;

	if (!making->stream->has_switches)
		return lode_fail(err, LODE_ERR_UNSUPPORTED, making->stream->path, -1,
				 "no context switches were recorded: waits are unknown");
	if (making->symptom.thread >= making->stream->threads.n ||
	    making->symptom.t0_ns > making->symptom.t1_ns)
		return lode_fail(err, LODE_ERR_ARG, making->stream->path, -1,
				 "the recording cannot have such a symptom");
	lode_critpath_build(&making->chain->path, making->stream, &making->symptom);
	return LODE_OK;
}

int lode_wait_chain_make(struct lode_wait_chain **out, const struct lode_recording *recording,
			 const struct lode_recorded_symptom *symptom, struct lode_error *err)
{
	struct making making = {.chain = calloc(1, sizeof(struct lode_wait_chain)),
				.stream = recording->stream,
				.symptom = {.thread = symptom->thread < LODE_NONE
							      ? (lode_thread_id)symptom->thread
							      : LODE_NONE,
					    .t0_ns = symptom->begin_ns,
					    .t1_ns = symptom->end_ns}};
	int rc;

	*out = NULL;
	if (!making.chain)
		return lode_fail(err, LODE_ERR_LIMIT, NULL, -1, "out of memory");
	rc = lode_api_call(make_chain, &making, err);
	if (rc < 0)
		lode_wait_chain_free(making.chain);
	else
		*out = making.chain;
	return rc;
}

void lode_wait_chain_free(struct lode_wait_chain *chain)
{
	if (!chain)
		return;
	lode_critpath_release(&chain->path);
	free(chain);
}

size_t lode_wait_chain_n_steps(const struct lode_wait_chain *chain)
{
	return chain->path.spans.n;
}

void lode_wait_chain_step(const struct lode_wait_chain *chain, size_t step,
			  struct lode_wait_step *out)
{
	const struct lode_span *span = &chain->path.spans.at[step];

	*out = (struct lode_wait_step){span->start_ns, span->end_ns,
				       lode_wait_chain_links(chain, step, NULL, 0)};
}

size_t lode_wait_chain_links(const struct lode_wait_chain *chain, size_t step,
			     struct lode_wait_link *links, size_t room)
{
	const struct lode_link *all = chain->path.links.at;
	uint32_t last = chain->path.spans.at[step].link;
	size_t depth = 0;

	for (uint32_t i = last; i != LODE_NONE; i = all[i].parent)
		depth++;
	for (size_t k = depth; k-- > 0; last = all[last].parent)
		if (k < room)
			links[k] = (struct lode_wait_link){
				all[last].thread,
				all[last].event == LODE_NONE ? -1 : (int64_t)all[last].event};
	return depth;
}
