/* Checks a repository. */
#include <stdarg.h>
#include <stdio.h>

#include "model/digest_prints.h"
#include "store/repo_care.h"
#include "store/repo_cover.h"
#include "store/repo_entry.h"
#include "store/repo_segments.h"

enum { MAX_FAULTS = 100 };

static void __attribute__((format(printf, 2, 3)))
fault(struct lode_repo_check *check, const char *format, ...)
{
	char text[1200];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	/* Damage is met again by all who need what lies there. */
	if (check->faults.n && strcmp(check->faults.at[check->faults.n - 1], text) == 0)
		return;
	if (check->n_faults++ < MAX_FAULTS)
		lode_vec_append(&check->faults,
				lode_arena_strndup(&check->arena, text, strlen(text)));
}

/* ---- SQLite's own checks ---- */

static int check_structure(struct lode_repo_check *check, struct lode_repo *repo,
			   struct lode_error *err)
{
	sqlite3_stmt *st;
	int rc = lode_repo_prepare(&st, repo, "PRAGMA integrity_check(100)", err);

	while (rc >= 0 && (rc = lode_repo_step(repo, st, err)) > 0) {
		const char *text = (const char *)sqlite3_column_text(st, 0);

		if (text && strcmp(text, "ok") != 0)
			fault(check, "structure: %s", text);
	}
	sqlite3_finalize(st);
	st = NULL;
	/* It reads pages without PRAGMA cell_size_check, and those that stay in the cache are not
	   looked at again: damaged ones would be followed into memory beside them. */
	sqlite3_db_release_memory(repo->db);
	if (rc == 0)
		rc = lode_repo_prepare(&st, repo, "PRAGMA foreign_key_check", err);
	while (rc >= 0 && (rc = lode_repo_step(repo, st, err)) > 0)
		fault(check, "table %s, row %lld: dangling reference",
		      (const char *)sqlite3_column_text(st, 0),
		      (long long)sqlite3_column_int64(st, 1));
	sqlite3_finalize(st);
	return rc;
}

/* ---- Digests ---- */

/* The streams that are listed are those that the digest holds. */
static int check_streams(struct lode_repo_check *check, struct lode_repo *repo, int64_t id,
			 const struct lode_digest *digest, struct lode_error *err)
{
	size_t n_listed = 0, n_known = 0;
	struct lode_map held = {0};
	sqlite3_stmt *st;
	int rc = lode_repo_kept(&st, repo, "SELECT uid FROM stream WHERE digest = ?", err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < digest->streams.n; i++)
		*lode_map_slot(&held, digest->streams.at[i].content_hash) = 1;
	rc = lode_repo_start(repo, st, LODE_REPO_VALUES(LODE_REPO_INT(id)), err);
	for (; rc > 0; rc = lode_repo_step(repo, st, err)) {
		const char *listed = (const char *)sqlite3_column_text(st, 0);

		n_listed++;
		n_known += listed && lode_map_find(&held, lode_repo_uid_hash(listed)) != LODE_NONE;
	}
	sqlite3_reset(st);
	lode_map_release(&held);
	if (rc == 0 && (n_listed != digest->streams.n || n_known != n_listed))
		fault(check,
		      "digest %lld contains %zu recordings, but %zu are listed, %zu of them its "
		      "own",
		      (long long)id, digest->streams.n, n_listed, n_known);
	return rc;
}

/* Of which recordings a digest is, for people: "3f2a77c0 web-1.perf.data, and 3 more". */
static const char *describe_digest(char *text, size_t size, struct lode_repo *repo, int64_t id)
{
	struct lode_error err;
	sqlite3_stmt *st = NULL;
	int rc = lode_repo_prepare(&st, repo,
				   "SELECT substr(coalesce(max(uid), ''), 1, 8),"
				   " coalesce(path, ''), count(*) FROM stream WHERE digest = ?",
				   &err);

	snprintf(text, size, "digest %lld", (long long)id);
	if (rc == 0)
		rc = lode_repo_start(repo, st, LODE_REPO_VALUES(LODE_REPO_INT(id)), &err);
	if (rc > 0 && sqlite3_column_int64(st, 2) > 1)
		snprintf(text, size, "%s %s, and %lld more",
			 (const char *)sqlite3_column_text(st, 0),
			 (const char *)sqlite3_column_text(st, 1),
			 (long long)sqlite3_column_int64(st, 2) - 1);
	else if (rc > 0 && sqlite3_column_int64(st, 2))
		snprintf(text, size, "%s %s", (const char *)sqlite3_column_text(st, 0),
			 (const char *)sqlite3_column_text(st, 1));
	sqlite3_finalize(st);
	return text;
}

/* NULL if it cannot be read: then that is said. */
static struct lode_digest *load_repo_check(struct lode_repo_check *check, struct lode_repo *repo,
					   enum lode_repo_content content, int64_t id)
{
	struct lode_digest *digest;
	struct lode_error err;
	char text[600];

	if (lode_repo_load(&digest, repo, content, id, &err) == 0)
		return digest;
	if (content == LODE_CONTENT_DIGEST)
		fault(check, "%s: %s; 'lode repo forget' removes it, then import it again",
		      describe_digest(text, sizeof(text), repo, id), err.message);
	else
		fault(check, "segment %lld: %s: 'lode repo compact --rebuild' rebuilds it",
		      (long long)id, err.message);
	return NULL;
}

/* `prints` gets what is in it, unless NULL. */
static int check_digest(struct lode_repo_check *check, struct lode_repo *repo, int64_t id,
			struct lode_digest_prints *prints, bool *is_whole, struct lode_error *err)
{
	struct lode_digest *digest = load_repo_check(check, repo, LODE_CONTENT_DIGEST, id);
	int rc = 0;

	check->n_digests++;
	if (!digest) {
		*is_whole = false;
		return 0;
	}
	rc = check_streams(check, repo, id, digest, err);
	if (prints)
		lode_digest_prints_add(prints, digest);
	lode_digest_free(digest);
	return rc;
}

/* ---- Segments ---- */

static int64_t cost_of(const struct lode_digest *digest)
{
	int64_t sum_ns = 0;

	for (size_t i = 0; i < digest->rows.n; i++)
		sum_ns += digest->rows.at[i].cost_ns;
	return sum_ns;
}

static bool is_cover_of(const struct lode_digest *cover, const struct lode_digest *segment)
{
	if (cover->streams.n != segment->streams.n || cover->symptoms.n != segment->symptoms.n ||
	    cover->n_events != segment->n_events || cost_of(cover) != cost_of(segment))
		return false;
	for (size_t i = 0; i < cover->streams.n; i++)
		if (cover->streams.at[i].content_hash != segment->streams.at[i].content_hash)
			return false;
	return true;
}

/* Which signatures match is not looked at; that all is there, is. */
static int check_cover(struct lode_repo_check *check, struct lode_repo *repo, int64_t id,
		       const struct lode_digest *segment, struct lode_error *err)
{
	const struct lode_repo_cover_form any = {.n_signatures = 0};
	struct lode_digest *cover;
	lode_byte_vec bytes = {0};
	struct lode_error damage;
	int64_t edition;
	int rc = lode_repo_cover(&bytes, &edition, repo, id, &any, err);

	if (rc > 0) {
		rc = lode_repo_unpack(&cover, repo, "cover of segment", id, &bytes, &damage);
		if (rc < 0 || !is_cover_of(cover, segment))
			fault(check,
			      "cover of segment %lld: %s: 'lode repo compact --rebuild' removes it",
			      (long long)id, rc < 0 ? damage.message : "of other recordings");
		if (rc == 0)
			lode_digest_free(cover);
		rc = 0;
	}
	lode_vec_release(&bytes);
	return rc;
}

static int compare_segment(struct lode_repo_check *check, struct lode_repo *repo, int64_t id,
			   const struct lode_digest_prints *want, struct lode_error *err)
{
	struct lode_digest *got = load_repo_check(check, repo, LODE_CONTENT_SEGMENT, id);
	struct lode_digest *names = load_repo_check(check, repo, LODE_CONTENT_NAMES, id);
	int rc = 0;

	if (got && !lode_digest_prints_match(want, got))
		fault(check,
		      "segment %lld does not match its digests: 'lode repo compact --rebuild' "
		      "rebuilds it",
		      (long long)id);
	else if (got)
		rc = check_cover(check, repo, id, got, err);
	if (names && !lode_digest_prints_match_names(want, names))
		fault(check,
		      "names of segment %lld do not match its digests: 'lode repo compact "
		      "--rebuild' rebuilds them",
		      (long long)id);
	lode_digest_free(got);
	lode_digest_free(names);
	return rc;
}

static int check_segment(struct lode_repo_check *check, struct lode_repo *repo, int64_t id,
			 struct lode_error *err)
{
	struct lode_digest_prints prints = {.names = 0};
	lode_id_vec ids = {0};
	bool is_whole = true;
	int rc;

	check->n_segments++;
	rc = lode_repo_digests_in(&ids, repo, id, err);
	for (size_t i = 0; rc == 0 && i < ids.n; i++)
		rc = check_digest(check, repo, ids.at[i], &prints, &is_whole, err);
	if (rc == 0 && is_whole)
		rc = compare_segment(check, repo, id, &prints, err);
	lode_vec_release(&ids);
	lode_digest_prints_release(&prints);
	return rc;
}

static int check_contents(struct lode_repo_check *check, struct lode_repo *repo,
			  struct lode_error *err)
{
	lode_id_vec ids = {0};
	bool is_whole;
	int rc = lode_repo_ids(&ids, repo, "SELECT id FROM segment ORDER BY id", err);

	for (size_t i = 0; rc == 0 && i < ids.n; i++)
		rc = check_segment(check, repo, ids.at[i], err);
	ids.n = 0;
	if (rc == 0)
		rc = lode_repo_digests_in(&ids, repo, 0, err);
	for (size_t i = 0; rc == 0 && i < ids.n; i++)
		rc = check_digest(check, repo, ids.at[i], NULL, &is_whole, err);
	lode_vec_release(&ids);
	return rc;
}

int lode_repo_check(struct lode_repo_check *out, struct lode_repo *repo, struct lode_error *err)
{
	static int (*const parts[])(struct lode_repo_check *, struct lode_repo *,
				    struct lode_error *) = {check_structure, check_contents};
	struct lode_error damage;
	int rc;

	memset(out, 0, sizeof(*out));
	rc = lode_repo_snapshot(repo, err);
	/* With a broken structure, reading on may fail anywhere: that is one fault more. */
	for (size_t i = 0; rc == 0 && i < sizeof(parts) / sizeof(*parts); i++) {
		rc = parts[i](out, repo, &damage);
		if (rc == LODE_ERR_FORMAT) {
			fault(out, "%s", damage.message);
			rc = 0;
		} else if (rc < 0 && err) {
			*err = damage;
		}
	}
	lode_repo_snapshot_end(repo);
	return rc;
}

void lode_repo_check_release(struct lode_repo_check *check)
{
	lode_vec_release(&check->faults);
	lode_arena_release(&check->arena);
}
