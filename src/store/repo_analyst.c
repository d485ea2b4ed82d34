/* What analysts add to a repository: signatures and runs. */
#include <stdio.h>

#include "store/repo_db.h"

/* ---- Signatures ---- */

int lode_repo_signatures(struct lode_repo_signatures *out, struct lode_repo *repo,
			 struct lode_error *err)
{
	sqlite3_stmt *st;
	int rc = lode_repo_prepare(&st, repo,
				   "SELECT id, name, bug, owner, kind, reason, pattern, state,"
				   " note, created_ns, changed_ns FROM signature ORDER BY id",
				   err);

	while (rc >= 0 && (rc = lode_repo_step(repo, st, err)) > 0) {
		struct lode_repo_signature signature = {
			.id = sqlite3_column_int64(st, 0),
			.name = lode_repo_column_text(st, 1, &out->arena),
			.bug = lode_repo_column_text(st, 2, &out->arena),
			.owner = lode_repo_column_text(st, 3, &out->arena),
			.kind = lode_repo_column_text(st, 4, &out->arena),
			.reason = lode_repo_column_text(st, 5, &out->arena),
			.pattern = lode_repo_column_text(st, 6, &out->arena),
			.state = lode_repo_column_text(st, 7, &out->arena),
			.note = lode_repo_column_text(st, 8, &out->arena),
			.created_ns = sqlite3_column_int64(st, 9),
			.changed_ns = sqlite3_column_int64(st, 10),
		};

		lode_vec_append(&out->list, signature);
	}
	sqlite3_finalize(st);
	return rc;
}

void lode_repo_signatures_release(struct lode_repo_signatures *signatures)
{
	lode_vec_release(&signatures->list);
	lode_arena_release(&signatures->arena);
}

static int put_signature(struct lode_repo *repo, sqlite3_stmt *st,
			 const struct lode_repo_signature *signature, struct lode_error *err)
{
	int rc = lode_repo_start(
		repo, st,
		LODE_REPO_VALUES(LODE_REPO_KEY(signature->id), LODE_REPO_TEXT(signature->name),
				 LODE_REPO_TEXT(signature->bug), LODE_REPO_TEXT(signature->owner),
				 LODE_REPO_TEXT(signature->kind), LODE_REPO_TEXT(signature->reason),
				 LODE_REPO_TEXT(signature->pattern),
				 LODE_REPO_TEXT(signature->state), LODE_REPO_TEXT(signature->note),
				 LODE_REPO_INT(signature->created_ns),
				 LODE_REPO_INT(signature->changed_ns)),
		err);

	if (rc < 0 && (sqlite3_errcode(repo->db) & 0xff) == SQLITE_CONSTRAINT)
		return lode_fail(err, LODE_ERR_ARG, repo->path, -1, "signature '%s' already exists",
				 signature->name);
	return rc < 0 ? lode_repo_fail(repo, "cannot store a signature", err) : 0;
}

int lode_repo_put_signatures(struct lode_repo *repo, struct lode_repo_signature *signatures,
			     size_t n, struct lode_error *err)
{
	int64_t *ids = lode_alloc(n * sizeof(*ids));
	sqlite3_stmt *st = NULL;
	int rc = lode_repo_begin(repo, err);

	if (rc < 0) {
		free(ids);
		return rc;
	}
	rc = lode_repo_prepare(&st, repo,
			       "INSERT INTO signature VALUES (?,?,?,?,?,?,?,?,?,?,?)"
			       " ON CONFLICT(id) DO UPDATE SET name = excluded.name,"
			       " bug = excluded.bug, owner = excluded.owner, kind = excluded.kind,"
			       " reason = excluded.reason, pattern = excluded.pattern,"
			       " state = excluded.state, note = excluded.note,"
			       " created_ns = excluded.created_ns,"
			       " changed_ns = excluded.changed_ns",
			       err);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		rc = put_signature(repo, st, &signatures[i], err);
		ids[i] = signatures[i].id ? signatures[i].id : sqlite3_last_insert_rowid(repo->db);
	}
	sqlite3_finalize(st);
	rc = lode_repo_end(repo, rc, err);
	for (size_t i = 0; rc == 0 && i < n; i++)
		signatures[i].id = ids[i];
	free(ids);
	return rc;
}

int lode_repo_remove_signature(struct lode_repo *repo, int64_t id, struct lode_error *err)
{
	return lode_repo_change(NULL, repo, "DELETE FROM signature WHERE id = ?",
				LODE_REPO_VALUES(LODE_REPO_INT(id)), err);
}

/* ---- The last run ---- */

static int put_cluster(struct lode_repo *repo, sqlite3_stmt *st, int64_t run,
		       const struct lode_repo_cluster *cluster, struct lode_error *err)
{
	char uid[17];

	snprintf(uid, sizeof(uid), "%016llx", (unsigned long long)cluster->id);
	return lode_repo_start(
		repo, st,
		LODE_REPO_VALUES(LODE_REPO_INT(run), LODE_REPO_INT(cluster->rank),
				 LODE_REPO_TEXT(uid), LODE_REPO_TEXT(cluster->kind),
				 LODE_REPO_TEXT(cluster->reason), LODE_REPO_INT(cluster->own_ns),
				 LODE_REPO_INT(cluster->total_ns), LODE_REPO_TEXT(cluster->common),
				 LODE_REPO_TEXT(cluster->patterns)),
		err);
}

static int put_run(struct lode_repo *repo, const struct lode_repo_run *run, struct lode_error *err)
{
	sqlite3_stmt *st = NULL;
	int64_t id;
	int rc = lode_repo_exec(repo, "DELETE FROM run", err);

	if (rc == 0)
		rc = lode_repo_change(
			&id, repo, "INSERT INTO run(created_ns, query, n_streams) VALUES (?, ?, ?)",
			LODE_REPO_VALUES(LODE_REPO_INT(run->created_ns), LODE_REPO_TEXT(run->where),
					 LODE_REPO_INT(run->n_streams)),
			err);
	if (rc == 0)
		rc = lode_repo_prepare(&st, repo,
				       "INSERT INTO run_cluster VALUES (?,?,?,?,?,?,?,?,?)", err);
	for (size_t i = 0; rc == 0 && i < run->clusters.n; i++)
		rc = put_cluster(repo, st, id, &run->clusters.at[i], err);
	sqlite3_finalize(st);
	return rc;
}

int lode_repo_put_run(struct lode_repo *repo, const struct lode_repo_run *run,
		      struct lode_error *err)
{
	int rc = lode_repo_begin(repo, err);

	return rc < 0 ? rc : lode_repo_end(repo, put_run(repo, run, err), err);
}

static int read_clusters(struct lode_repo_run *out, struct lode_repo *repo, int64_t run,
			 struct lode_error *err)
{
	sqlite3_stmt *st;
	int rc = lode_repo_prepare(&st, repo,
				   "SELECT rank, uid, kind, reason, own_ns, total_ns, common,"
				   " patterns FROM run_cluster WHERE run = ? ORDER BY rank",
				   err);

	if (rc == 0)
		rc = lode_repo_start(repo, st, LODE_REPO_VALUES(LODE_REPO_INT(run)), err);
	for (; rc > 0; rc = lode_repo_step(repo, st, err)) {
		struct lode_repo_cluster cluster = {
			.rank = (uint32_t)sqlite3_column_int64(st, 0),
			.id = strtoull(lode_repo_column_text(st, 1, &out->arena), NULL, 16),
			.kind = lode_repo_column_text(st, 2, &out->arena),
			.reason = lode_repo_column_text(st, 3, &out->arena),
			.own_ns = sqlite3_column_int64(st, 4),
			.total_ns = sqlite3_column_int64(st, 5),
			.common = lode_repo_column_text(st, 6, &out->arena),
			.patterns = lode_repo_column_text(st, 7, &out->arena),
		};

		lode_vec_append(&out->clusters, cluster);
	}
	sqlite3_finalize(st);
	return rc;
}

int lode_repo_last_run(struct lode_repo_run *out, struct lode_repo *repo, struct lode_error *err)
{
	sqlite3_stmt *st;
	int64_t id;
	int rc = lode_repo_prepare(&st, repo,
				   "SELECT id, created_ns, query, n_streams FROM run"
				   " ORDER BY id DESC LIMIT 1",
				   err);

	memset(out, 0, sizeof(*out));
	if (rc < 0)
		return rc;
	rc = lode_repo_step(repo, st, err);
	if (rc > 0) {
		id = sqlite3_column_int64(st, 0);
		out->created_ns = sqlite3_column_int64(st, 1);
		out->where = lode_repo_column_text(st, 2, &out->arena);
		out->n_streams = (uint64_t)sqlite3_column_int64(st, 3);
		rc = read_clusters(out, repo, id, err);
		rc = rc < 0 ? rc : 1;
	}
	sqlite3_finalize(st);
	if (rc < 0)
		lode_repo_run_release(out);
	return rc;
}

void lode_repo_run_release(struct lode_repo_run *run)
{
	lode_vec_release(&run->clusters);
	lode_arena_release(&run->arena);
	memset(run, 0, sizeof(*run));
}
