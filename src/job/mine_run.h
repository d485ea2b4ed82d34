/*
 * The last mining of a repository, kept in it: which cluster 3 was, for `lode sign --cluster 3`.
 */
#ifndef LODE_MINE_RUN_H
#define LODE_MINE_RUN_H

#include "analyses/mine/mine.h"
#include "base/error.h"

/*
 * Keeps the clusters as signatures of them would be (job/cluster_signatures.h), in place of the run
 * before. `where`: the query that picked the streams, or NULL. Fails where the repository cannot be
 * written, which no reader needs to mind.
 */
int lode_mine_keep_run(const char *repo_path, const char *where, const struct lode_mined *mined,
		       struct lode_error *err);

#endif
