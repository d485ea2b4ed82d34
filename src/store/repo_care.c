/* Statistics and compaction of a repository. */
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
