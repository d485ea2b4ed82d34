/* include/lode/mining.h: recordings to clusters. */
#include <lode/mining.h>

#include "engine/aliases/aliases.h"
#include "engine/mine/mine.h"
#include "api/call.h"
#include "streams/stream_set.h"

struct lode_mining {
	struct lode_stream_set streams;
	struct lode_mined *mined;
	const char ***common; /* per cluster: the names of its common part */
	struct lode_arena arena;
};

struct running {
	struct lode_mining *mining;
	const char *const *inputs;
	size_t n_inputs;
	const struct lode_mining_options *options;
};

static void name_common_parts(struct lode_mining *mining)
{
	const struct lode_mined *mined = mining->mined;

	mining->common = lode_arena_array(&mining->arena, const char **, mined->n_clusters);
	for (size_t i = 0; i < mined->n_clusters; i++) {
		const struct lode_cluster *cluster = &mined->clusters[i];
		const char **names =
			lode_arena_array(&mining->arena, const char *, cluster->n_common);

		for (size_t k = 0; k < cluster->n_common; k++) {
			char text[1024];

			lode_frame_full_name(&mined->digest->tree, cluster->common[k], text,
					     sizeof(text));
			names[k] = lode_arena_strdup(&mining->arena, text);
		}
		mining->common[i] = names;
	}
}

static int mine_inputs(void *job, struct lode_error *err)
{
	struct running *running = job;
	const struct lode_mining_options *options = running->options;
	struct lode_mining *mining = running->mining;
	struct lode_stream_set_options streams;
	struct lode_mine_options mine = {.min_similarity = LODE_CUT_BY_DATA, .n_threads = 1};
	int rc;

	lode_api_streams(&streams, running->inputs, running->n_inputs, options);
	mine.n_threads = streams.job.n_threads;
	if (options) {
		mine.min_cost = options->min_cost;
		mine.min_cost_share = options->min_cost_share;
	}
	rc = lode_stream_set_require(&mining->streams, &streams, err);
	if (rc == LODE_OK) {
		lode_aliases_join(mining->streams.job.digest);
		rc = lode_mine(&mining->mined, mining->streams.job.digest, &mine, err);
	}
	if (rc == LODE_OK)
		name_common_parts(mining);
	return rc;
}

int lode_mining_run(struct lode_mining **out, const char *const *inputs, size_t n_inputs,
		    const struct lode_mining_options *options, struct lode_error *err)
{
	struct running running = {calloc(1, sizeof(struct lode_mining)), inputs, n_inputs, options};
	int rc;

	*out = NULL;
	if (!running.mining)
		return lode_fail(err, LODE_ERR_LIMIT, NULL, -1, "out of memory");
	rc = lode_api_call(mine_inputs, &running, err);
	if (rc < 0)
		lode_mining_free(running.mining);
	else
		*out = running.mining;
	return rc;
}

void lode_mining_free(struct lode_mining *mining)
{
	if (!mining)
		return;
	lode_mined_free(mining->mined);
	lode_stream_set_release(&mining->streams);
	lode_arena_release(&mining->arena);
	free(mining);
}

void lode_mining_tell(const struct lode_mining *mining, struct lode_mining_sums *out)
{
	const struct lode_mined *mined = mining->mined;

	*out = (struct lode_mining_sums){
		.unit = mined->digest->unit,
		.symptom_ns = mined->symptom_ns,
		.cost = mined->aoi_ns,
		.other = mined->other_ns,
		.min_cost = mined->min_cost,
		.n_streams = mined->digest->streams.n,
		.n_symptoms = mined->digest->symptoms.n,
		.n_patterns = mined->n_patterns,
		.n_clusters = mined->n_clusters,
	};
}

void lode_mining_cluster(const struct lode_mining *mining, size_t cluster,
			 struct lode_mining_cluster *out)
{
	const struct lode_cluster *from = &mining->mined->clusters[cluster];

	*out = (struct lode_mining_cluster){
		.id = from->id,
		.own = from->own_ns,
		.total = from->total_ns,
		.n_streams = from->n_streams,
		.n_symptoms = from->n_symptoms,
		.n_patterns = from->n_patterns,
		.common = mining->common[cluster],
		.n_common = from->n_common,
	};
	memcpy(out->own_of, from->split_ns, sizeof(out->own_of));
}

size_t lode_mining_n_skipped(const struct lode_mining *mining)
{
	return mining->streams.job.skipped.n + mining->streams.job.incomplete.n;
}

void lode_mining_skipped(const struct lode_mining *mining, size_t i,
			 struct lode_mining_skipped *out)
{
	const struct lode_digest_job *job = &mining->streams.job;
	bool is_used = i >= job->skipped.n;
	const struct lode_skipped_input *from =
		is_used ? &job->incomplete.at[i - job->skipped.n] : &job->skipped.at[i];

	*out = (struct lode_mining_skipped){from->path, from->reason, is_used};
}
