/* Takes the oldest streams out of a repository until it keeps to an age and a size. */
#include "store/repo_care.h"

#include "store/repo_query.h"
#include "store/repo_segments.h"

/* What of the file holds something: the rest is filled by later imports, or given back. */
static int used_bytes(int64_t *out, struct lode_repo *repo, struct lode_error *err)
{
	return lode_repo_number(out, repo,
				"SELECT (page_count - freelist_count) * page_size FROM"
				" pragma_page_count(), pragma_freelist_count(), pragma_page_size()",
				err);
}

/*
 * How many streams from `first` on take `excess` of the file's `used` bytes, about: each digest
 * with its share of what is merged and indexed. At least one, if there is one.
 */
static int enough_streams(size_t *n, struct lode_repo *repo,
			  const struct lode_repo_streams *streams, size_t first, int64_t excess,
			  int64_t used, struct lode_error *err)
{
	double taken = 0, share;
	int64_t all = 0, bytes;
	int rc = lode_repo_number(&all, repo, "SELECT coalesce(sum(n_bytes), 0) FROM digest", err);

	share = all > 0 ? (double)used / (double)all : 1;
	for (*n = 0; rc == 0 && first + *n < streams->list.n && taken < (double)excess; ++*n) {
		rc = lode_repo_number_of(
			&bytes, repo, "SELECT n_bytes / max(n_streams, 1) FROM digest WHERE id = ?",
			LODE_REPO_VALUES(LODE_REPO_INT(streams->list.at[first + *n].digest)), err);
		taken += (double)bytes * share;
	}
	return rc;
}

static int forget_next(struct lode_repo_pruned *out, struct lode_repo *repo, size_t n,
		       struct lode_error *err)
{
	struct lode_repo_streams next = {0};
	int rc;

	next.list.at = out->streams.list.at + out->n;
	next.list.n = n;
	rc = lode_repo_forget(repo, &next, err);
	out->n += n;
	return rc == 0 ? used_bytes(&out->used_bytes, repo, err) : rc;
}

static int prune_held(struct lode_repo_pruned *out, struct lode_repo *repo,
		      const struct lode_repo_query *query, const struct lode_repo_limits *limits,
		      struct lode_error *err)
{
	const struct lode_repo_streams *streams = &out->streams;
	int64_t excess, left;
	size_t n = 0;
	int rc = lode_repo_find(&out->streams, repo, query, err);

	if (rc == 0)
		rc = used_bytes(&out->was_bytes, repo, err);
	if (rc < 0)
		return rc;
	out->used_bytes = out->was_bytes;
	while (n < streams->list.n && streams->list.at[n].time_ns < limits->oldest_ns)
		n++;
	if (n)
		rc = forget_next(out, repo, n, err);
	while (rc == 0 && limits->max_bytes && out->n < streams->list.n &&
	       (excess = out->used_bytes - limits->max_bytes) > 0) {
		rc = enough_streams(&n, repo, streams, out->n, excess, out->used_bytes, err);
		if (rc == 0)
			rc = forget_next(out, repo, n, err);
	}
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
