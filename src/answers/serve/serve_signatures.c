/* Signatures of a served mine report, and how they are changed. */
#include <time.h>

#include "answers/serve/serve_mine_parts.h"
#include "answers/clusters/cluster_choice.h"
#include "answers/clusters/cluster_costs.h"
#include "answers/sign/signature_store.h"

/* How long a change waits for others that are writing. */
enum { BUSY_MS = 10000 };

/* ---- What signatures match ---- */

void lode_serve_known_release(struct lode_serve_known *known)
{
	free(known->text);
	if (known->text) {
		lode_coverage_release(&known->coverage);
		lode_signature_match_release(&known->match);
	}
	lode_vec_release(&known->matches);
	memset(known, 0, sizeof(*known));
}

/* Holds them against the streams, unless they are those of the last time. */
static int know(struct lode_serve_mine *mine, const struct lode_signatures *list,
		struct lode_error *err)
{
	const struct lode_digest *digest = mine->mined->digest;
	struct lode_serve_known *known = &mine->known;
	struct lode_signature_matcher *matcher;
	size_t size, n = list->list.n;
	char *text = lode_signatures_format(list, &size);
	int rc;

	if (known->text && known->size == size && memcmp(known->text, text, size) == 0) {
		free(text);
		return LODE_OK;
	}
	rc = lode_signature_matcher_new(&matcher, list->list.at, n, err);
	if (rc < 0) {
		free(text);
		return rc;
	}
	lode_serve_known_release(known);
	known->text = text;
	known->size = size;
	lode_signature_match(&known->match, matcher, digest);
	lode_signature_matcher_free(matcher);
	lode_coverage_build(&known->coverage, &known->match, list->list.at, n, digest);
	lode_cluster_matches_build(&known->matches, mine->mined, &mine->rows, &known->match, n);
	return LODE_OK;
}

/* ---- Reading ---- */

static void put_signatures(FILE *out, const struct lode_serve_mine *mine,
			   const struct lode_signatures *list)
{
	struct lode_mine_signatures report = {
		.path = mine->repo,
		.signatures = list,
		.coverage = &mine->known.coverage,
		.mined = mine->mined,
		.matches = &mine->known.matches,
	};

	lode_mine_signatures_json(out, &report);
}

/* The repository's signatures as they are now; both are the caller's, also on failure. */
static int read_signatures(struct lode_repo **repo, struct lode_signature_store *store,
			   struct lode_serve_mine *mine, struct lode_error *err)
{
	int rc = lode_repo_open(repo, mine->repo, LODE_REPO_READ, err);

	memset(store, 0, sizeof(*store));
	if (rc == 0)
		rc = lode_signature_store_open(store, *repo, mine->repo, false, err);
	if (rc == 0)
		rc = know(mine, &store->signatures, err);
	return rc;
}

static int answer_signatures(void *context, const struct lode_site_query *query, FILE *out,
			     struct lode_error *err)
{
	struct lode_serve_mine *mine = context;
	struct lode_signature_store store;
	struct lode_repo *repo;
	int rc = read_signatures(&repo, &store, mine, err);

	(void)query;
	if (rc == LODE_OK)
		put_signatures(out, mine, &store.signatures);
	lode_signature_store_release(&store);
	lode_repo_close(repo);
	return rc;
}

/* ---- Trends ---- */

static int group(const struct lode_stream_groups **out, struct lode_serve_mine *mine,
		 const char *by, struct lode_error *err)
{
	size_t i = 0;
	int rc = LODE_OK;

	*out = NULL;
	while (i < mine->keys.n && strcmp(mine->keys.at[i], by) != 0)
		i++;
	if (i == mine->keys.n)
		return lode_fail(err, LODE_ERR_ARG, NULL, -1, "no recording has the label '%.60s'",
				 by);
	if (!mine->groups[i].names)
		rc = lode_stream_groups_make(&mine->groups[i], mine->answer->set, mine->keys.at[i],
					     err);
	*out = &mine->groups[i];
	return rc;
}

static int trend_of_cluster(struct lode_mine_trend *trend, struct lode_group_cost **costs,
			    struct lode_serve_mine *mine, const struct lode_site_query *query,
			    struct lode_error *err)
{
	int rc = lode_serve_find_cluster(&trend->cluster, mine, query, "cluster", err);

	if (rc == LODE_OK)
		*costs = lode_group_costs_of_cluster(trend->groups, &mine->drill, trend->cluster);
	return rc;
}

static int trend_of_signature(struct lode_mine_trend *trend, struct lode_group_cost **costs,
			      struct lode_serve_mine *mine, struct lode_error *err)
{
	const struct lode_signature *signature;
	struct lode_signature_store store;
	struct lode_repo *repo;
	int rc = read_signatures(&repo, &store, mine, err);

	if (rc == LODE_OK) {
		signature = lode_signature_named(&store.signatures, trend->signature, err);
		if (signature)
			*costs = lode_group_costs_of_signature(
				trend->groups, &mine->drill, &mine->known.coverage,
				(size_t)(signature - store.signatures.list.at));
		else
			rc = LODE_SITE_ABSENT;
	}
	lode_signature_store_release(&store);
	lode_repo_close(repo);
	return rc;
}

static int answer_trend(void *context, const struct lode_site_query *query, FILE *out,
			struct lode_error *err)
{
	struct lode_serve_mine *mine = context;
	const char *by = lode_site_param(query, "by");
	struct lode_group_cost *costs = NULL;
	struct lode_mine_trend trend = {
		.unit = mine->mined->digest->unit,
		.by = by	     ? by
		      : mine->keys.n ? mine->keys.at[0]
				     : "day",
		.keys = &mine->keys,
		.signature = mine->repo ? lode_site_param(query, "signature") : NULL,
	};
	int rc;

	if (trend.signature && lode_site_param(query, "cluster"))
		return lode_fail(err, LODE_ERR_ARG, NULL, -1,
				 "give cluster= or signature=, not both");
	rc = group(&trend.groups, mine, trend.by, err);
	if (rc == LODE_OK)
		rc = trend.signature ? trend_of_signature(&trend, &costs, mine, err)
				     : trend_of_cluster(&trend, &costs, mine, query, err);
	if (rc == LODE_OK) {
		trend.at = costs;
		lode_mine_trend_json(out, &trend);
	}
	free(costs);
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
static int change_store(struct lode_serve_mine *mine, const struct lode_signature_request *request,
			FILE *out, struct lode_error *err)
{
	struct lode_signature_store store = {0};
	struct lode_repo *repo;
	int rc = lode_repo_open(&repo, mine->repo, LODE_REPO_WRITE, err);

	if (rc < 0)
		return rc;
	lode_repo_wait_ms(repo, BUSY_MS);
	rc = lode_signature_store_begin(&store, repo, mine->repo, false, err);
	if (rc == LODE_OK)
		rc = check_names(&store.signatures, request, err);
	if (rc == LODE_OK)
		rc = lode_signature_request_apply(&store.signatures, request, time(NULL), err);
	if (rc == LODE_OK)
		rc = lode_signature_store_save(&store, err);
	if (rc == LODE_OK)
		rc = know(mine, &store.signatures, err);
	if (rc == LODE_OK)
		put_signatures(out, mine, &store.signatures);
	lode_signature_store_release(&store);
	lode_repo_close(repo);
	return rc;
}

static int change(void *context, const struct lode_site_query *query, FILE *out,
		  struct lode_error *err)
{
	const struct lode_serve_change *asked = context;
	struct lode_serve_mine *mine = asked->mine;
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
