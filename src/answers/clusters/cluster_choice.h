/*
 * A cluster that the user saw: by the number or id that `lode mine` showed, in what it kept of that
 * run - the repository's last run, or the document of `lode mine --json`; or in clusters that are
 * at hand.
 */
#pragma once

#include "engine/mine/mine.h"
#include "answers/clusters/cluster_signatures.h"
#include "store/repo.h"

struct lode_cluster_choice {
	uint32_t rank;
	uint64_t id;
	unsigned kinds;		     /* as struct lode_signature */
	const char *const *patterns; /* as struct lode_signature */
	size_t n_patterns;
	int64_t total_ns; /* of the cluster, in `unit` */
	const char *unit; /* NULL: not known, as of a run */
	struct lode_arena arena;
};

/*
 * `name`: a rank, or at least four digits at the beginning of an id. LODE_ERR_ARG: no such cluster,
 * or the repository was not mined yet. `*out` is the caller's to release if this succeeds.
 */
int lode_cluster_choice_of_run(struct lode_cluster_choice *out, struct lode_repo *repo,
			       const char *name, struct lode_error *err);
/* The same in a document of `lode mine --json` or `lode triage --json`; "-" is standard input. */
int lode_cluster_choice_of_json(struct lode_cluster_choice *out, const char *path, const char *name,
				struct lode_error *err);

/* The cluster of that rank or id, or NULL and why not. */
const struct lode_cluster *lode_cluster_find(const struct lode_mined *mined, const char *name,
					     struct lode_error *err);
/* The same where clusters are shown by other numbers than their ranks, from 1: one for each. */
const struct lode_cluster *lode_cluster_find_numbered(const struct lode_mined *mined,
						      const char *name, const uint32_t *numbers,
						      struct lode_error *err);
/* What the repository would keep of it (answers/mine/keep_run.c); `unit` is the digest's. Borrows.
 */
void lode_cluster_choice_of(struct lode_cluster_choice *out, const struct lode_mined *mined,
			    const struct lode_cluster *cluster,
			    const struct lode_cluster_signature *signature);

void lode_cluster_choice_release(struct lode_cluster_choice *choice);
