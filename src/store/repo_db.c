/* Statements, transactions and errors of a repository's SQLite. */
#include "store/repo_db.h"

#include <assert.h>
#include <errno.h>

/* ---- Tables ---- */

/*
 * What each version added. A step is never changed once released: files of its version are there.
 *
 * Contents stand in tables of their own, so that the rows that are searched and changed stay small.
 */
static const char *const steps[] = {
	/* 1: streams */
	"CREATE TABLE meta("
	" key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"

	"CREATE TABLE segment("
	" id INTEGER PRIMARY KEY AUTOINCREMENT, level INTEGER NOT NULL CHECK(level > 0),"
	" n_digests INTEGER NOT NULL, n_streams INTEGER NOT NULL, n_bytes INTEGER NOT NULL);"
	"CREATE INDEX segment_level ON segment(level);"
	"CREATE TABLE segment_content("
	" segment INTEGER PRIMARY KEY REFERENCES segment(id) ON DELETE CASCADE,"
	" content BLOB NOT NULL);"
	"CREATE TABLE segment_names("
	" segment INTEGER PRIMARY KEY REFERENCES segment(id) ON DELETE CASCADE,"
	" content BLOB NOT NULL);"

	"CREATE TABLE digest("
	" id INTEGER PRIMARY KEY AUTOINCREMENT, source TEXT NOT NULL, key INTEGER,"
	" imported_ns INTEGER NOT NULL, input_bytes INTEGER NOT NULL,"
	" content_bytes INTEGER NOT NULL, n_beside INTEGER NOT NULL,"
	" n_streams INTEGER NOT NULL, n_bytes INTEGER NOT NULL,"
	" segment INTEGER REFERENCES segment(id));"
	"CREATE INDEX digest_segment ON digest(segment);"
	"CREATE INDEX digest_source ON digest(source, key);"
	"CREATE TABLE digest_content("
	" digest INTEGER PRIMARY KEY REFERENCES digest(id) ON DELETE CASCADE,"
	" content BLOB NOT NULL);"

	"CREATE TABLE stream("
	" id INTEGER PRIMARY KEY AUTOINCREMENT,"
	" digest INTEGER NOT NULL REFERENCES digest(id) ON DELETE CASCADE,"
	" uid TEXT NOT NULL UNIQUE CHECK(length(uid) = 16),"
	" path TEXT NOT NULL, host TEXT NOT NULL, kernel TEXT NOT NULL,"
	" time_ns INTEGER NOT NULL, is_clock INTEGER NOT NULL, length_ns INTEGER NOT NULL,"
	" n_symptoms INTEGER NOT NULL, symptom_ns INTEGER NOT NULL);"
	"CREATE INDEX stream_digest ON stream(digest);"
	"CREATE INDEX stream_host ON stream(host);"
	"CREATE INDEX stream_kernel ON stream(kernel);"
	"CREATE INDEX stream_path ON stream(path);"
	"CREATE INDEX stream_time ON stream(time_ns);"
	"CREATE INDEX stream_symptoms ON stream(n_symptoms);"
	"CREATE INDEX stream_symptom_time ON stream(symptom_ns);"
	"CREATE INDEX stream_length ON stream(length_ns);"

	"CREATE TABLE symptom("
	" comm TEXT NOT NULL, stream INTEGER NOT NULL REFERENCES stream(id) ON DELETE CASCADE,"
	" n INTEGER NOT NULL, total_ns INTEGER NOT NULL, longest_ns INTEGER NOT NULL,"
	" PRIMARY KEY(comm, stream)) WITHOUT ROWID;"
	"CREATE INDEX symptom_stream ON symptom(stream);"

	"CREATE TABLE label("
	" stream INTEGER NOT NULL REFERENCES stream(id) ON DELETE CASCADE,"
	" key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY(stream, key)) WITHOUT ROWID;"
	"CREATE INDEX label_value ON label(key, value, stream);",

	/* 2: what analysts add */
	"CREATE TABLE signature("
	" id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE,"
	" bug TEXT NOT NULL, owner TEXT NOT NULL, kind TEXT NOT NULL, reason TEXT NOT NULL,"
	" pattern TEXT NOT NULL, state TEXT NOT NULL, note TEXT NOT NULL,"
	" created_ns INTEGER NOT NULL, changed_ns INTEGER NOT NULL);"

	"CREATE TABLE run("
	" id INTEGER PRIMARY KEY AUTOINCREMENT, created_ns INTEGER NOT NULL,"
	" query TEXT NOT NULL, n_streams INTEGER NOT NULL);"
	"CREATE TABLE run_cluster("
	" run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE, rank INTEGER NOT NULL,"
	" uid TEXT NOT NULL, kind TEXT NOT NULL, reason TEXT NOT NULL, own_ns INTEGER NOT NULL,"
	" total_ns INTEGER NOT NULL, common TEXT NOT NULL, patterns TEXT NOT NULL,"
	" PRIMARY KEY(run, rank)) WITHOUT ROWID;",

	/* 3: covers of segments. An edition is what a segment holds: another after each change. */
	"ALTER TABLE segment ADD COLUMN edition INTEGER NOT NULL DEFAULT 0;"
	"CREATE TABLE cover_signature("
	" id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL UNIQUE);"
	"CREATE TABLE segment_cover("
	" segment INTEGER PRIMARY KEY REFERENCES segment(id) ON DELETE CASCADE,"
	" signatures TEXT NOT NULL, content BLOB NOT NULL);",
};

_Static_assert(sizeof(steps) / sizeof(*steps) == LODE_REPO_SCHEMA_VERSION,
	       "each version has its step");

const char *lode_repo_schema_step(int version)
{
	return version >= 1 && version <= LODE_REPO_SCHEMA_VERSION ? steps[version - 1] : NULL;
}

static int set_version(struct lode_repo *repo, struct lode_error *err)
{
	char sql[128];

	sqlite3_snprintf((int)sizeof(sql), sql,
			 "PRAGMA application_id = %d; PRAGMA user_version = %d",
			 LODE_REPO_APPLICATION_ID, LODE_REPO_SCHEMA_VERSION);
	return lode_repo_exec(repo, sql, err);
}

int lode_repo_migrate(struct lode_repo *repo, struct lode_error *err)
{
	int64_t version = 0;
	int rc = lode_repo_begin(repo, err);

	if (rc < 0)
		return rc;
	/* Again, now that other processes cannot change it. */
	rc = lode_repo_number(&version, repo, "PRAGMA user_version", err);
	for (int v = (int)version + 1; rc == 0 && v <= LODE_REPO_SCHEMA_VERSION; v++)
		rc = lode_repo_exec(repo, steps[v - 1], err);
	if (rc == 0 && version < LODE_REPO_SCHEMA_VERSION)
		rc = set_version(repo, err);
	return lode_repo_end(repo, rc, err);
}

/* ---- Errors ---- */

/* What went wrong with the file itself: the operating system's words if it has any. */
static int fail_io(const struct lode_repo *repo, const char *doing, struct lode_error *err)
{
	int errnum = sqlite3_system_errno(repo->db);

	if (sqlite3_extended_errcode(repo->db) == SQLITE_IOERR_SHORT_READ)
		return lode_fail(err, LODE_ERR_FORMAT, repo->path, -1,
				 "%s: damaged repository: it ends too early", doing);
	if (errnum)
		return lode_fail_errno(err, errnum, repo->path, doing);
	return lode_fail(err, LODE_ERR_IO, repo->path, -1, "%s: %s", doing,
			 sqlite3_errmsg(repo->db));
}

bool lode_repo_read_bytes(const struct lode_repo *repo, void *to, int n, int64_t at)
{
	sqlite3_file *file = NULL;

	return sqlite3_file_control(repo->db, "main", SQLITE_FCNTL_FILE_POINTER, (void *)&file) ==
		       SQLITE_OK &&
	       file && file->pMethods && file->pMethods->xRead(file, to, n, at) == SQLITE_OK;
}

int lode_repo_fail_read_only(const struct lode_repo *repo, const char *doing,
			     struct lode_error *err)
{
	enum { AT = 18, NEWEST = 2 }; /* write version, https://sqlite.org/fileformat2.html */
	uint8_t version = NEWEST;

	if (lode_repo_read_bytes(repo, &version, sizeof(version), AT) && version > NEWEST)
		return lode_fail(err, LODE_ERR_FORMAT, repo->path, AT,
				 "%s: damaged repository: its header says version %u of SQLite's "
				 "format, which cannot be written; restore a copy, or import again",
				 doing, version);
	return lode_fail(err, LODE_ERR_IO, repo->path, -1,
			 "%s: the file or its folder cannot be written", doing);
}

int lode_repo_fail(const struct lode_repo *repo, const char *doing, struct lode_error *err)
{
	const char *path = repo->path;

	switch (sqlite3_errcode(repo->db) & 0xff) {
	case SQLITE_NOMEM:
		lode_oom(0);
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return lode_fail(
			err, LODE_ERR_IO, path, -1,
			"%s: the repository has been locked by another process for more than %g s",
			doing, repo->wait_ms / 1000.0);
	case SQLITE_FULL:
		return lode_fail(err, LODE_ERR_IO, path, -1,
				 "%s: no space left on the device; data stored before is safe",
				 doing);
	case SQLITE_READONLY:
		return lode_repo_fail_read_only(repo, doing, err);
	case SQLITE_NOTADB:
		return lode_fail(err, LODE_ERR_FORMAT, path, -1, "this is not a lode repository");
	case SQLITE_CORRUPT:
		/* A page that was refused is taken for sound when it is met again in the cache. */
		sqlite3_db_release_memory(repo->db);
		return lode_fail(err, LODE_ERR_FORMAT, path, -1,
				 "%s: damaged repository (%s); nothing was changed. 'lode repo "
				 "check' shows details; 'lode repo compact --rebuild' repairs "
				 "merged data; otherwise restore a copy or import again",
				 doing, sqlite3_errmsg(repo->db));
	case SQLITE_ERROR: /* our SQL is right for our tables, so these are not ours */
	case SQLITE_CONSTRAINT:
	case SQLITE_MISMATCH:
		return lode_fail(err, LODE_ERR_FORMAT, path, -1,
				 "%s: damaged repository: unexpected table layout (%s); restore a "
				 "copy, or import again",
				 doing, sqlite3_errmsg(repo->db));
	case SQLITE_TOOBIG:
		return lode_fail(err, LODE_ERR_LIMIT, path, -1,
				 "%s: more than a gigabyte in one piece", doing);
	case SQLITE_IOERR:
	case SQLITE_CANTOPEN:
	case SQLITE_PERM:
		return fail_io(repo, doing, err);
	default:
		return lode_fail(err, LODE_ERR_IO, path, -1, "%s: %s", doing,
				 sqlite3_errmsg(repo->db));
	}
}

/* ---- Statements ---- */

int lode_repo_exec(struct lode_repo *repo, const char *sql, struct lode_error *err)
{
	if (sqlite3_exec(repo->db, sql, NULL, NULL, NULL) != SQLITE_OK)
		return lode_repo_fail(repo, "cannot change it", err);
	return 0;
}

int lode_repo_prepare(sqlite3_stmt **out, struct lode_repo *repo, const char *sql,
		      struct lode_error *err)
{
	*out = NULL;
	if (sqlite3_prepare_v2(repo->db, sql, -1, out, NULL) != SQLITE_OK)
		return lode_repo_fail(repo, "cannot read it", err);
	return 0;
}

int lode_repo_kept(sqlite3_stmt **out, struct lode_repo *repo, const char *sql,
		   struct lode_error *err)
{
	struct lode_repo_statement *kept;
	int rc;

	for (size_t i = 0; i < repo->kept.n; i++)
		if (strcmp(repo->kept.at[i].sql, sql) == 0) {
			*out = repo->kept.at[i].st;
			return 0;
		}
	rc = lode_repo_prepare(out, repo, sql, err);
	if (rc == 0) {
		kept = lode_vec_append_zero(&repo->kept);
		kept->sql = lode_strdup(sql);
		kept->st = *out;
	}
	return rc;
}

int lode_repo_step(struct lode_repo *repo, sqlite3_stmt *st, struct lode_error *err)
{
	switch (sqlite3_step(st)) {
	case SQLITE_ROW:
		return 1;
	case SQLITE_DONE:
		return 0;
	default:
		return lode_repo_fail(
			repo, sqlite3_stmt_readonly(st) ? "cannot read it" : "cannot store it",
			err);
	}
}

int lode_repo_start(struct lode_repo *repo, sqlite3_stmt *st, const struct lode_repo_value *values,
		    size_t n, struct lode_error *err)
{
	assert((int)n == sqlite3_bind_parameter_count(st));
	sqlite3_reset(st);
	for (int i = 0; i < (int)n; i++) {
		const char *text = values[i].text ? values[i].text : "";

		if (values[i].is_text)
			sqlite3_bind_text(st, i + 1, text, -1, SQLITE_TRANSIENT);
		else if (values[i].is_null)
			sqlite3_bind_null(st, i + 1);
		else
			sqlite3_bind_int64(st, i + 1, values[i].number);
	}
	return lode_repo_step(repo, st, err);
}

int lode_repo_change(int64_t *row, struct lode_repo *repo, const char *sql,
		     const struct lode_repo_value *values, size_t n, struct lode_error *err)
{
	sqlite3_stmt *st;
	int rc = lode_repo_kept(&st, repo, sql, err);

	if (rc == 0) {
		rc = lode_repo_start(repo, st, values, n, err);
		sqlite3_reset(st);
	}
	if (row)
		*row = sqlite3_last_insert_rowid(repo->db);
	return rc;
}

int lode_repo_number_of(int64_t *out, struct lode_repo *repo, const char *sql,
			const struct lode_repo_value *values, size_t n, struct lode_error *err)
{
	sqlite3_stmt *st;
	int rc = lode_repo_kept(&st, repo, sql, err);

	*out = 0;
	if (rc < 0)
		return rc;
	rc = lode_repo_start(repo, st, values, n, err);
	if (rc > 0)
		*out = sqlite3_column_int64(st, 0);
	sqlite3_reset(st);
	return rc < 0 ? rc : 0;
}

int lode_repo_number(int64_t *out, struct lode_repo *repo, const char *sql, struct lode_error *err)
{
	return lode_repo_number_of(out, repo, sql, NULL, 0, err);
}

const char *lode_repo_column_text(sqlite3_stmt *st, int column, struct lode_arena *arena)
{
	const char *text = (const char *)sqlite3_column_text(st, column);

	return lode_arena_strndup(arena, text ? text : "", text ? strlen(text) : 0);
}

void lode_repo_column_bytes(lode_byte_vec *out, sqlite3_stmt *st, int column)
{
	const void *data = sqlite3_column_blob(st, column);
	size_t n = (size_t)sqlite3_column_bytes(st, column);

	lode_vec_reserve(out, out->n + n + 1);
	if (data)
		memcpy(out->at + out->n, data, n);
	out->n += n;
}

/* ---- Transactions ---- */

int lode_repo_begin(struct lode_repo *repo, struct lode_error *err)
{
	if (repo->is_held)
		return 0;
	/* At once the writer's: a reader that becomes one may have to be refused. */
	if (sqlite3_exec(repo->db, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK)
		return lode_repo_fail(repo, "cannot begin a transaction", err);
	return 0;
}

int lode_repo_end(struct lode_repo *repo, int rc, struct lode_error *err)
{
	if (repo->is_held)
		return rc;
	if (rc >= 0 && sqlite3_exec(repo->db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
		rc = lode_repo_fail(repo, "cannot store it", err);
	/* SQLite has rolled back some failures itself. */
	if (rc < 0 && !sqlite3_get_autocommit(repo->db))
		sqlite3_exec(repo->db, "ROLLBACK", NULL, NULL, NULL);
	return rc;
}

int lode_repo_hold(struct lode_repo *repo, struct lode_error *err)
{
	int rc = lode_repo_begin(repo, err);

	repo->is_held = rc == 0;
	return rc;
}

int lode_repo_hold_end(struct lode_repo *repo, int rc, struct lode_error *err)
{
	repo->is_held = false;
	return lode_repo_end(repo, rc, err);
}

int lode_repo_snapshot(struct lode_repo *repo, struct lode_error *err)
{
	int64_t n;

	if (sqlite3_exec(repo->db, "BEGIN", NULL, NULL, NULL) != SQLITE_OK)
		return lode_repo_fail(repo, "cannot read it", err);
	/* The state is that of the first reading. */
	return lode_repo_number(&n, repo, "SELECT count(*) FROM sqlite_schema", err);
}

void lode_repo_snapshot_end(struct lode_repo *repo)
{
	if (!sqlite3_get_autocommit(repo->db))
		sqlite3_exec(repo->db, "ROLLBACK", NULL, NULL, NULL);
}

int lode_repo_mark_changed(struct lode_repo *repo, struct lode_error *err)
{
	return lode_repo_exec(repo,
			      "INSERT INTO meta VALUES ('changes', '1') ON CONFLICT(key) DO UPDATE"
			      " SET value = CAST(value AS INTEGER) + 1",
			      err);
}

int lode_repo_state(uint64_t *out, struct lode_repo *repo, struct lode_error *err)
{
	/* The rest is for a copy that lies there now, and for a lode that counts no changes. */
	static const char *const numbers[] = {
		"SELECT coalesce(max(CAST(value AS INTEGER)), 0) FROM meta WHERE key = 'changes'",
		"SELECT coalesce(max(id), 0) FROM stream",
		"SELECT coalesce(max(id), 0) FROM digest",
		"SELECT count(*) FROM digest",
	};
	int64_t values[sizeof(numbers) / sizeof(*numbers)] = {0};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sizeof(numbers) / sizeof(*numbers); i++)
		rc = lode_repo_number(&values[i], repo, numbers[i], err);
	*out = rc == 0 ? lode_stable_hash(values, sizeof(values), 0) : 0;
	return rc;
}
