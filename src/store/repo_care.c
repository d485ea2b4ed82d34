/* Statistics, compaction and retention of a repository. */
#include "store/repo_care.h"

#include <stdio.h>
#include <sys/stat.h>

#include "base/sorted.h"
#include "store/repo_query_parts.h"
#include "store/repo_segments.h"

/* ---- Sums ---- */

int lode_repo_sums(struct lode_repo_sums *out, struct lode_repo *repo, struct lode_error *err)
{
	const struct {
		int64_t *to;
		const char *sql;
	} sums[] = {
		{&out->n_streams, "SELECT count(*) FROM stream"},
		{&out->n_digests, "SELECT count(*) FROM digest"},
		{&out->n_segments, "SELECT count(*) FROM segment"},
		{&out->n_loose, "SELECT count(*) FROM digest WHERE segment IS NULL"},
		{&out->n_symptoms, "SELECT coalesce(sum(n_symptoms), 0) FROM stream"},
		/* Lengths of hostile streams may be too much for a sum of integers. */
		{&out->symptom_ns, "SELECT cast(total(symptom_ns) AS INTEGER) FROM stream"},
		{&out->n_hosts, "SELECT count(DISTINCT host) FROM stream"},
		{&out->n_signatures, "SELECT count(*) FROM signature"},
		{&out->first_ns, "SELECT coalesce(min(time_ns), 0) FROM stream"},
		{&out->last_ns, "SELECT coalesce(max(time_ns), 0) FROM stream"},
		{&out->digest_bytes, "SELECT coalesce(sum(n_bytes), 0) FROM digest"},
		{&out->segment_bytes, "SELECT coalesce(sum(n_bytes), 0) FROM segment"},
		{&out->file_bytes, "SELECT page_count * page_size FROM pragma_page_count(),"
				   " pragma_page_size()"},
		{&out->free_bytes, "SELECT freelist_count * page_size FROM"
				   " pragma_freelist_count(), pragma_page_size()"},
	};
	int rc = 0;

	memset(out, 0, sizeof(*out));
	for (size_t i = 0; rc == 0 && i < sizeof(sums) / sizeof(*sums); i++)
		rc = lode_repo_number(sums[i].to, repo, sums[i].sql, err);
	return rc;
}

/* ---- Labels ---- */

LODE_COMPARE(by_key_and_value, struct lode_repo_label_count,
	     strcmp(a->key, b->key) ?: lode_query_natural(a->value, b->value))

int lode_repo_label_counts(struct lode_repo_label_counts *out, struct lode_repo *repo,
			   struct lode_error *err)
{
	sqlite3_stmt *st;
	int rc = lode_repo_prepare(
		&st, repo, "SELECT key, value, count(*) FROM label GROUP BY key, value", err);

	while (rc >= 0 && (rc = lode_repo_step(repo, st, err)) > 0) {
		struct lode_repo_label_count count = {
			lode_repo_column_text(st, 0, &out->arena),
			lode_repo_column_text(st, 1, &out->arena),
			sqlite3_column_int64(st, 2),
		};

		lode_vec_append(&out->list, count);
	}
	sqlite3_finalize(st);
	lode_sort(out->list.at, out->list.n, by_key_and_value);
	return rc;
}

void lode_repo_label_counts_release(struct lode_repo_label_counts *counts)
{
	lode_vec_release(&counts->list);
	lode_arena_release(&counts->arena);
}

/* ---- Compacting ---- */

static int merge_segments(struct lode_repo *repo, bool rebuild, struct lode_error *err)
{
	int rc = 0;

	if (rebuild)
		rc = lode_repo_exec(repo,
				    "UPDATE digest SET segment = NULL WHERE segment IS NOT NULL;"
				    "DELETE FROM segment",
				    err);
	return rc < 0 ? rc : lode_repo_merge_all(repo, err);
}

int lode_repo_compact(struct lode_repo *repo, bool rebuild, struct lode_error *err)
{
	int rc = lode_repo_begin(repo, err);

	if (rc < 0)
		return rc;
	lode_repo_forget_recent(repo);
	rc = lode_repo_end(repo, merge_segments(repo, rebuild, err), err);
	if (rc == 0)
		rc = lode_repo_exec(repo, "VACUUM; PRAGMA wal_checkpoint(TRUNCATE)", err);
	return rc;
}

/* ---- Retention: the oldest streams go, until it keeps to an age and a size ---- */

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
