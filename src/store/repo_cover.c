/* Keeps covers of segments: their bytes, and the numbers of the signatures that they are for. */
#include "store/repo_cover.h"

#include "base/written.h"
#include "store/repo_db.h"

/* Others are writing for long: what would be kept is not worth waiting for. */
enum { BUSY_MS = 2000 };

void lode_repo_made_covers_release(struct lode_repo_made_covers *made)
{
	lode_vec_release_each(&made->list, it, lode_vec_release(&it->content));
}

/* ---- Numbers ---- */

int lode_repo_cover_numbers(int64_t *numbers, struct lode_repo *repo, const char *const *texts,
			    size_t n, struct lode_error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = lode_repo_number_of(&numbers[i], repo,
					 "SELECT id FROM cover_signature WHERE text = ?",
					 LODE_REPO_VALUES(LODE_REPO_TEXT(texts[i])), err);
	return rc;
}

int lode_repo_cover_last_number(int64_t *out, struct lode_repo *repo, struct lode_error *err)
{
	return lode_repo_number(out, repo, "SELECT coalesce(max(id), 0) FROM cover_signature", err);
}

static int open_writer(struct lode_repo **repo, const char *path, struct lode_error *err)
{
	int rc = lode_repo_open(repo, path, LODE_REPO_WRITE, err);

	if (rc < 0)
		return rc;
	lode_repo_wait_ms(*repo, BUSY_MS);
	rc = lode_repo_begin(*repo, err);
	if (rc < 0)
		lode_repo_close(*repo);
	return rc;
}

static int close_writer(struct lode_repo *repo, int rc, struct lode_error *err)
{
	rc = lode_repo_end(repo, rc, err);
	lode_repo_close(repo);
	return rc;
}

int lode_repo_keep_numbers(const char *path, const char *const *texts, size_t n,
			   struct lode_error *err)
{
	struct lode_repo *repo;
	int rc = open_writer(&repo, path, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = lode_repo_change(NULL, repo,
				      "INSERT INTO cover_signature(text) VALUES (?)"
				      " ON CONFLICT(text) DO NOTHING",
				      LODE_REPO_VALUES(LODE_REPO_TEXT(texts[i])), err);
	return close_writer(repo, rc, err);
}

/* ---- Covers ---- */

static char *numbers_text(const struct lode_repo_cover_form *form)
{
	char *text = NULL;
	size_t size;
	FILE *out = lode_written_open(&text, &size);

	for (size_t i = 0; i < form->n_signatures; i++)
		fprintf(out, "%s%lld", i ? "," : "", (long long)form->signatures[i]);
	lode_written_close(out);
	return text;
}

/* Are all that the form asks for among them? Both are ascending. */
static bool has_all(const char *numbers, const struct lode_repo_cover_form *form)
{
	size_t n = 0;
	char *end;

	while (n < form->n_signatures && *numbers) {
		int64_t number = strtoll(numbers, &end, 10);

		if (end == numbers || number > form->signatures[n])
			return false;
		n += number == form->signatures[n];
		numbers = *end == ',' ? end + 1 : end;
	}
	return n == form->n_signatures;
}

int lode_repo_cover(lode_byte_vec *out, int64_t *edition, struct lode_repo *repo, int64_t segment,
		    const struct lode_repo_cover_form *form, struct lode_error *err)
{
	sqlite3_stmt *st;
	int rc = lode_repo_kept(&st, repo,
				"SELECT s.edition, c.signatures, c.content FROM segment AS s"
				" LEFT JOIN segment_cover AS c ON c.segment = s.id WHERE s.id = ?",
				err);
	int has = 0;

	*edition = 0;
	if (rc < 0)
		return rc;
	rc = lode_repo_start(repo, st, LODE_REPO_VALUES(LODE_REPO_INT(segment)), err);
	if (rc > 0) {
		const char *numbers = (const char *)sqlite3_column_text(st, 1);

		*edition = sqlite3_column_int64(st, 0);
		if (numbers && has_all(numbers, form)) {
			lode_repo_column_bytes(out, st, 2);
			has = 1;
		}
	}
	sqlite3_reset(st);
	return rc < 0 ? rc : has;
}

static int keep_one(struct lode_repo *repo, sqlite3_stmt *st, const char *numbers,
		    const struct lode_repo_made_cover *made, struct lode_error *err)
{
	int rc;

	sqlite3_bind_text(st, 1, numbers, -1, SQLITE_STATIC);
	sqlite3_bind_blob64(st, 2, made->content.at, made->content.n, SQLITE_STATIC);
	sqlite3_bind_int64(st, 3, made->segment);
	sqlite3_bind_int64(st, 4, made->edition);
	rc = lode_repo_step(repo, st, err);
	sqlite3_reset(st);
	return rc;
}

int lode_repo_keep_covers(const char *path, const struct lode_repo_cover_form *form,
			  const struct lode_repo_made_covers *made, struct lode_error *err)
{
	char *numbers;
	struct lode_repo *repo;
	sqlite3_stmt *st = NULL;
	int rc = open_writer(&repo, path, err);

	if (rc < 0)
		return rc;
	numbers = numbers_text(form);
	rc = lode_repo_prepare(&st, repo,
			       "INSERT OR REPLACE INTO segment_cover SELECT id, ?, ? FROM segment"
			       " WHERE id = ? AND edition = ?",
			       err);
	for (size_t i = 0; rc == 0 && i < made->list.n; i++)
		rc = keep_one(repo, st, numbers, &made->list.at[i], err);
	sqlite3_finalize(st);
	rc = close_writer(repo, rc, err);
	free(numbers);
	return rc;
}
