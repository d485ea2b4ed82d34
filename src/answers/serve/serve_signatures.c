/* Signatures of a served mine report, and how they are changed. */
#include <time.h>

#include "answers/serve/serve_mine_parts.h"
#include "answers/clusters/cluster_choice.h"
#include "answers/clusters/cluster_costs.h"
#include "answers/sign/signature_store.h"

/* How long a change waits for others that are writing. */
enum { BUSY_MS = 10000 };

/* ---- What signatures match ---- */

/* The repository's signatures as they are now, against the streams. */
struct known {
	struct lode_signature_store store;
	struct lode_coverage coverage;
	struct lode_signature_match match;
	lode_cluster_matches matches;
};

static void release_known(struct known *known)
{
	lode_coverage_release(&known->coverage);
	lode_signature_match_release(&known->match);
	lode_vec_release(&known->matches);
	lode_signature_store_release(&known->store);
}

static int match_known(struct known *known, const struct lode_serve_mine *mine,
		       struct lode_error *err)
{
	const struct lode_signatures *list = &known->store.signatures;
	const struct lode_digest *digest = mine->mined->digest;
	struct lode_signature_matcher *matcher;
	size_t n = list->list.n;
	int rc = lode_signature_matcher_new(&matcher, list->list.at, n, err);

	if (rc < 0)
		return rc;
	lode_signature_match(&known->match, matcher, digest);
	lode_signature_matcher_free(matcher);
	lode_coverage_build(&known->coverage, &known->match, list->list.at, n, digest);
	lode_cluster_matches_build(&known->matches, mine->mined, &mine->rows, &known->match, n);
	return LODE_OK;
}

/* ---- Reading ---- */

static void put_signatures(FILE *out, const struct lode_serve_mine *mine, const struct known *known)
{
	struct lode_mine_signatures report = {
		.path = mine->repo,
		.signatures = &known->store.signatures,
		.coverage = &known->coverage,
		.mined = mine->mined,
		.matches = &known->matches,
	};

	lode_mine_signatures_json(out, &report);
}

int lode_serve_open_repo(struct lode_repo **out, const struct lode_serve_mine *mine,
			 enum lode_repo_mode mode, struct lode_error *err)
{
	int rc = lode_repo_open(out, mine->repo, mode, err);

	return lode_repo_may_open() ? rc : LODE_SITE_PENDING;
}

/* Both are the caller's, also on failure. */
static int read_known(struct known *known, struct lode_repo **repo,
		      const struct lode_serve_mine *mine, struct lode_error *err)
{
	int rc = lode_serve_open_repo(repo, mine, LODE_REPO_READ, err);

	if (rc == 0)
		rc = lode_signature_store_open(&known->store, *repo, mine->repo, false, err);
	if (rc == 0)
		rc = match_known(known, mine, err);
	return rc;
}

static int answer_signatures(void *context, const struct lode_site_query *query, FILE *out,
			     struct lode_error *err)
{
	const struct lode_serve_mine *mine = context;
	struct known known = {0};
	struct lode_repo *repo;
	int rc = read_known(&known, &repo, mine, err);

	(void)query;
	if (rc == LODE_OK)
		put_signatures(out, mine, &known);
	release_known(&known);
	lode_repo_close(repo);
	return rc;
}

/* ---- Trends ---- */

static int group(struct lode_stream_groups *out, const struct lode_serve_mine *mine, const char *by,
		 struct lode_error *err)
{
	for (size_t i = 0; i < mine->keys.n; i++)
		if (strcmp(mine->keys.at[i], by) == 0)
			return lode_stream_groups_make(out, mine->answer->set, mine->keys.at[i],
						       err);
	return lode_fail(err, LODE_ERR_ARG, NULL, -1, "no recording has the label '%.60s'", by);
}

static int trend_of_cluster(struct lode_mine_trend *trend, struct lode_group_cost **costs,
			    const struct lode_serve_mine *mine, const struct lode_site_query *query,
			    struct lode_error *err)
{
	int rc = lode_serve_find_cluster(&trend->cluster, mine, query, "cluster", err);

	if (rc == LODE_OK)
		*costs = lode_group_costs_of_cluster(trend->groups, &mine->drill, trend->cluster);
	return rc;
}

static int trend_of_signature(struct lode_mine_trend *trend, struct lode_group_cost **costs,
			      const struct lode_serve_mine *mine, struct lode_error *err)
{
	const struct lode_signature *signature;
	struct known known = {0};
	struct lode_repo *repo;
	int rc = read_known(&known, &repo, mine, err);

	if (rc == LODE_OK) {
		signature = lode_signature_named(&known.store.signatures, trend->signature, err);
		if (signature)
			*costs = lode_group_costs_of_signature(
				trend->groups, &mine->drill, &known.coverage,
				(size_t)(signature - known.store.signatures.list.at));
		else
			rc = LODE_SITE_ABSENT;
	}
	release_known(&known);
	lode_repo_close(repo);
	return rc;
}

static int answer_trend(void *context, const struct lode_site_query *query, FILE *out,
			struct lode_error *err)
{
	const struct lode_serve_mine *mine = context;
	const char *by = lode_site_param(query, "by");
	struct lode_group_cost *costs = NULL;
	struct lode_stream_groups groups = {0};
	struct lode_mine_trend trend = {
		.unit = mine->mined->digest->unit,
		.by = by	     ? by
		      : mine->keys.n ? mine->keys.at[0]
				     : "day",
		.keys = &mine->keys,
		.groups = &groups,
		.signature = mine->repo ? lode_site_param(query, "signature") : NULL,
	};
	int rc;

	if (trend.signature && lode_site_param(query, "cluster"))
		return lode_fail(err, LODE_ERR_ARG, NULL, -1,
				 "give cluster= or signature=, not both");
	rc = group(&groups, mine, trend.by, err);
	if (rc == LODE_OK)
		rc = trend.signature ? trend_of_signature(&trend, &costs, mine, err)
				     : trend_of_cluster(&trend, &costs, mine, query, err);
	if (rc == LODE_OK) {
		trend.at = costs;
		lode_mine_trend_json(out, &trend);
	}
	free(costs);
	lode_stream_groups_release(&groups);
	return rc;
}

/* ---- Changing ---- */

/* Is what it is about there, and what is to be new not? */
static int check_names(const struct lode_signatures *list,
		       const struct lode_signature_request *request, struct lode_error *err)
{
	bool is_new = request->act == LODE_SIGNATURE_SIGN;
	const char *name = is_new ? request->name : request->edit.rename;

	if (!is_new && !lode_signature_named(list, request->name, err))
		return LODE_SITE_ABSENT;
	if (!name || (!is_new && strcmp(name, request->name) == 0) ||
	    !lode_signatures_find(list, name))
		return LODE_OK;
	lode_fail(err, LODE_ERR_ARG, NULL, -1, "signature '%.60s' already exists", name);
	return LODE_SITE_TAKEN;
}

/* In one transaction: others see the list as it was, or as it is then. */
static int change_store(const struct lode_serve_mine *mine,
			const struct lode_signature_request *request, FILE *out,
			struct lode_error *err)
{
	struct known known = {0};
	struct lode_signature_store *store = &known.store;
	struct lode_repo *repo;
	int rc = lode_serve_open_repo(&repo, mine, LODE_REPO_WRITE, err);

	if (rc < 0)
		return rc;
	lode_repo_wait_ms(repo, BUSY_MS);
	rc = lode_signature_store_begin(store, repo, mine->repo, false, err);
	if (rc == LODE_OK)
		rc = check_names(&store->signatures, request, err);
	if (rc == LODE_OK)
		rc = lode_signature_request_apply(&store->signatures, request, time(NULL), err);
	if (rc == LODE_OK)
		rc = lode_signature_store_save(store, err);
	if (rc == LODE_OK)
		rc = match_known(&known, mine, err);
	if (rc == LODE_OK)
		put_signatures(out, mine, &known);
	release_known(&known);
	lode_repo_close(repo);
	return rc;
}

static int change(void *context, const struct lode_site_query *query, FILE *out,
		  struct lode_error *err)
{
	const struct lode_serve_change *asked = context;
	const struct lode_serve_mine *mine = asked->mine;
	struct lode_signature_request request;
	struct lode_cluster_choice choice = {0};
	const struct lode_cluster *cluster;
	int rc = lode_signature_request_parse(&request, asked->act, query->body, query->body_bytes,
					      err);

	if (rc == LODE_OK && request.cluster) {
		cluster = lode_cluster_find(mine->mined, request.cluster, err);
		rc = cluster ? LODE_OK : LODE_SITE_ABSENT;
		if (cluster)
			lode_cluster_choice_of(
				&choice, mine->mined, cluster,
				&mine->answer->signatures->at[cluster - mine->mined->clusters]);
		request.edit.words.cluster = &choice;
	}
	if (rc == LODE_OK)
		rc = change_store(mine, &request, out, err);
	lode_cluster_choice_release(&choice);
	lode_signature_request_release(&request);
	return rc;
}

void lode_serve_signatures_add(struct lode_serve_mine *mine, struct lode_site *site,
			       const char *report)
{
	lode_site_add_question(site, report, "trend", LODE_REQUEST_READ, answer_trend, mine);
	if (!mine->repo)
		return;
	lode_site_add_question(site, report, "signatures", LODE_REQUEST_READ, answer_signatures,
			       mine);
	for (int act = 0; act < LODE_N_SIGNATURE_CHANGES; act++) {
		mine->changes[act] = (struct lode_serve_change){mine, (enum lode_signature_act)act};
		lode_site_add_question(site, report,
				       lode_signature_act_name((enum lode_signature_act)act),
				       LODE_REQUEST_CHANGE, change, &mine->changes[act]);
	}
}
