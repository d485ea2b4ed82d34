/* The last mining of a repository, kept in it: which cluster 3 was, for lode sign --cluster 3. */
#include <time.h>

#include "answers/mine/mine.h"
#include "answers/clusters/cluster_signatures.h"
#include "base/lines.h"
#include "base/written.h"
#include "store/repo.h"

/* LIMIT: of a run, the first so many clusters can be signed by their rank. */
enum { MAX_CLUSTERS = 200, BUSY_MS = 2000 };

static const char *common_of(struct lode_arena *arena, const struct lode_mined *mined,
			     const struct lode_cluster *cluster)
{
	char *text = NULL, name[1024];
	size_t size;
	FILE *out = lode_written_open(&text, &size);

	for (size_t i = 0; i < cluster->n_common; i++)
		fprintf(out, "%s%s%s", i ? ";" : "", cluster->gap_before[i] ? "*;" : "",
			lode_frame_full_name(&mined->digest->tree, cluster->common[i], name,
					     sizeof(name)));
	return lode_written_keep(out, &text, &size, arena);
}

static const char *reason_of(const struct lode_cluster *cluster)
{
	enum lode_wait_reason reason = lode_cluster_reason(cluster);

	return reason == LODE_REASON_NONE ? "" : lode_wait_reason_name(reason);
}

static void list_run_clusters(struct lode_repo_run *run, const struct lode_mined *mined, size_t n)
{
	struct lode_cluster_signatures signatures = {0};

	lode_cluster_signatures_build(&signatures, mined, mined->clusters, n);
	for (size_t i = 0; i < n; i++) {
		const struct lode_cluster *cluster = &mined->clusters[i];
		struct lode_repo_cluster kept = {
			.rank = cluster->rank,
			.id = cluster->id,
			.kind = cluster->kind_group ? lode_event_kind_name((enum lode_event_kind)(
							      cluster->kind_group - 1))
						    : "",
			.reason = reason_of(cluster),
			.own_ns = cluster->own_ns,
			.total_ns = cluster->total_ns,
			.common = common_of(&run->arena, mined, cluster),
			.patterns = lode_lines_join(signatures.at[i].patterns,
						    signatures.at[i].n_patterns, &run->arena),
		};

		lode_vec_append(&run->clusters, kept);
	}
	lode_cluster_signatures_release(&signatures);
}

int lode_mine_keep_run(const char *repo_path, const char *where, const struct lode_mined *mined,
		       struct lode_error *err)
{
	struct lode_repo_run run = {
		.created_ns = (int64_t)time(NULL) * 1000000000,
		.where = where ? where : "",
		.n_streams = mined->digest->streams.n,
	};
	struct lode_repo *repo;
	int rc = lode_repo_open(&repo, repo_path, LODE_REPO_WRITE, err);

	if (rc < 0)
		return rc;
	/* When another process writes for long, the run is not worth the wait. */
	lode_repo_wait_ms(repo, BUSY_MS);
	list_run_clusters(&run, mined,
			  mined->n_clusters < MAX_CLUSTERS ? mined->n_clusters : MAX_CLUSTERS);
	rc = lode_repo_put_run(repo, &run, err);
	lode_repo_run_release(&run);
	lode_repo_close(repo);
	return rc;
}
