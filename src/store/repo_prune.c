/* Takes the oldest streams out of a repository until it keeps to an age and a size. */
#include "store/repo_care.h"

#include "store/repo_query_parts.h"
#include "store/repo_segments.h"

/* What of the file holds something: the rest is filled by later imports, or given back. */
static int used_bytes(int64_t *out, struct lode_repo *repo, struct lode_error *err)
{
	return lode_repo_number(out, repo,
				"SELECT (page_count - freelist_count) * page_size FROM"
				" pragma_page_count(), pragma_freelist_count(), pragma_page_size()",
				err);
}

/* Forgets the next ones: none are left where out->n does not grow. */
static int forget_oldest(struct lode_repo_pruned *out, struct lode_repo *repo,
			 const struct lode_repo_query *query, const struct lode_repo_oldest *oldest,
			 struct lode_error *err)
{
	struct lode_repo_streams next = {0};
	int rc = lode_repo_find_oldest(&out->streams, repo, query, oldest, err);

	next.list.at = out->streams.list.at + out->n;
	next.list.n = out->streams.list.n - out->n;
	if (rc == 0 && next.list.n)
		rc = lode_repo_forget(repo, &next, err);
	out->n = out->streams.list.n;
	return rc == 0 ? used_bytes(&out->used_bytes, repo, err) : rc;
}

/* Until the rest keeps to the size, about: each digest with its share of what is merged and
   indexed. */
static int forget_for_size(struct lode_repo_pruned *out, struct lode_repo *repo,
			   const struct lode_repo_query *query, int64_t max_bytes,
			   struct lode_error *err)
{
	size_t n_before;
	int64_t all;
	int rc = 0;

	do {
		struct lode_repo_oldest oldest = {.before_ns = INT64_MIN};

		n_before = out->n;
		rc = lode_repo_number(&all, repo, "SELECT coalesce(sum(n_bytes), 0) FROM digest",
				      err);
		oldest.bytes = (double)(out->used_bytes - max_bytes);
		if (all > 0)
			oldest.bytes *= (double)all / (double)out->used_bytes;
		if (rc == 0 && out->used_bytes > max_bytes)
			rc = forget_oldest(out, repo, query, &oldest, err);
	} while (rc == 0 && out->n > n_before);
	return rc;
}

static int prune_held(struct lode_repo_pruned *out, struct lode_repo *repo,
		      const struct lode_repo_query *query, const struct lode_repo_limits *limits,
		      struct lode_error *err)
{
	const struct lode_repo_oldest too_old = {.before_ns = limits->oldest_ns};
	int64_t left;
	int rc = used_bytes(&out->was_bytes, repo, err);

	out->used_bytes = out->was_bytes;
	if (rc == 0)
		rc = forget_oldest(out, repo, query, &too_old, err);
	if (rc == 0 && limits->max_bytes)
		rc = forget_for_size(out, repo, query, limits->max_bytes, err);
	if (rc == 0)
		rc = lode_repo_number(&left, repo, "SELECT count(*) FROM stream", err);
	if (rc == 0 && out->n && !left)
		rc = lode_fail(err, LODE_ERR_EMPTY, repo->path, -1,
			       "nothing was removed, since none of its %zu recordings would be "
			       "left; use 'lode repo forget' to remove by query",
			       out->n);
	out->is_over = limits->max_bytes && out->used_bytes > limits->max_bytes;
	return rc;
}

int lode_repo_prune(struct lode_repo_pruned *out, struct lode_repo *repo,
		    const struct lode_repo_query *query, const struct lode_repo_limits *limits,
		    struct lode_error *err)
{
	int rc = lode_repo_hold(repo, err);

	memset(out, 0, sizeof(*out));
	if (rc < 0)
		return rc;
	rc = prune_held(out, repo, query, limits, err);
	if (rc == 0 && limits->is_dry) {
		lode_repo_hold_end(repo, LODE_ERR_ARG, NULL);
		return 0;
	}
	return lode_repo_hold_end(repo, rc, err);
}

void lode_repo_pruned_release(struct lode_repo_pruned *pruned)
{
	lode_repo_streams_release(&pruned->streams);
}
