/* What other tools draw: folded stacks, and the worst symptom of a cluster. */
#include "answers/mine/mine.h"
#include "base/escape.h"
#include "document/export/export_stacks.h"

/* Of all that was read, or of one cluster. */
void lode_mine_folded(FILE *out, const struct lode_digest *digest, const struct lode_cluster *only)
{
	int64_t *cost = lode_alloc0(digest->tree.nodes.n, sizeof(*cost));

	if (only)
		for (size_t i = 0; i < only->n_stacks; i++)
			cost[only->stacks[i].node] += only->stacks[i].cost_ns;
	else
		for (size_t i = 0; i < digest->rows.n; i++)
			cost[digest->rows.at[i].stack] += digest->rows.at[i].cost_ns;
	lode_folded_print(out, &digest->tree, cost);
	free(cost);
}

/* ---- With all that happened meanwhile, for --chrome-trace ---- */

static int no_window(struct lode_error *err, const char *why)
{
	return lode_fail(err, LODE_ERR_EMPTY, NULL, -1, "%s", why);
}

static int load_window(struct lode_mine_window *out, const struct lode_digest *digest,
		       const struct lode_cluster *cluster,
		       const struct lode_digest_job_options *reading, struct lode_error *err)
{
	uint32_t id = cluster->worst[0].symptom;
	const struct lode_digest_symptom *symptom = &digest->symptoms.at[id];
	const char *const *strings = digest->tree.strings.text.at;
	const char *stream = strings[digest->streams.at[symptom->stream].path];
	char comm[1024];
	int rc = lode_cluster_path_load_within(&out->path, digest, id, stream, &LODE_LANES_WHOLE,
					       reading, err);

	if (rc < 0)
		return rc;
	lode_escape(comm, sizeof(comm), strings[symptom->comm]);
	snprintf(out->title, sizeof(out->title), "the symptom that cluster #%u costs most: %s %d",
		 cluster->rank, comm, symptom->tid);
	out->window = (struct lode_export_window){
		.lanes = &out->path.lanes,
		.title = out->title,
		.stream = stream,
		.cluster_id = cluster->id,
		.pid = symptom->pid,
		.tid = symptom->tid,
	};
	return 0;
}

int lode_mine_window_load(struct lode_mine_window *out, const struct lode_mine_answer *answer,
			  const struct lode_digest_job_options *reading, struct lode_error *err)
{
	const struct lode_cluster *cluster = answer->mined->clusters;

	if (answer->shown)
		cluster = answer->shown->cluster;
	else if (!answer->mined->n_clusters)
		return no_window(err, "there is no cluster");
	if (!cluster->n_worst)
		return no_window(err, "the cluster is in no symptom");
	return load_window(out, answer->digest, cluster, reading, err);
}

void lode_mine_window_release(struct lode_mine_window *window)
{
	lode_cluster_path_release(&window->path);
}
