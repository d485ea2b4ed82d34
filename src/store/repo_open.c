/* Opens and closes a repository. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/private_file.h"
#include "store/repo_segments.h"

/* ---- Forks ---- */

static atomic_uint n_open; /* of all threads */
static bool was_open;	   /* by another thread of the parent, at the fork */

static void begin_child_repo(void)
{
	was_open |= n_open > 0;
	n_open = 0;
}

static void __attribute__((constructor)) heed_forks_repo(void)
{
	(void)pthread_atfork(NULL, NULL, begin_child_repo);
}

bool lode_repo_may_open(void)
{
	return !was_open;
}

/* ---- The file ---- */

/* A path as a URI of SQLite: what has a meaning there is escaped. */
static char *immutable_uri(const char *path)
{
	static const char hex[] = "0123456789abcdef", mode[] = "?immutable=1";
	size_t n = 0;
	char *uri = lode_alloc(3 * strlen(path) + sizeof("file:") + sizeof(mode));

	memcpy(uri, "file:", 5);
	n = 5;
	for (; *path; path++) {
		if (strchr("%?#", *path)) {
			uri[n++] = '%';
			uri[n++] = hex[(unsigned char)*path >> 4];
			uri[n++] = hex[(unsigned char)*path & 15];
		} else {
			uri[n++] = *path;
		}
	}
	memcpy(uri + n, mode, sizeof(mode));
	return uri;
}

/* Is there a log of changes beside it that are not in the file yet? */
static bool has_wal(const char *path)
{
	size_t size = strlen(path) + sizeof("-wal");
	char *wal = lode_alloc(size);
	struct stat st;
	bool has;

	snprintf(wal, size, "%s-wal", path);
	has = stat(wal, &st) == 0 && st.st_size > 0;
	free(wal);
	return has;
}

/*
 * Another process has the lock, for some ms mostly: SQLite's own waits double up to a tenth of a
 * second, in which the lock may lie free while all who want it sleep.
 */
static int wait_for_others(void *context, int n_before)
{
	static const struct timespec pause = {.tv_nsec = 1000 * 1000};
	struct lode_repo *repo = context;
	int64_t now_ns = lode_clock_ns(CLOCK_MONOTONIC);

	if (!n_before)
		repo->waits_from_ns = now_ns;
	if (now_ns - repo->waits_from_ns >= (int64_t)repo->wait_ms * 1000000)
		return 0;
	nanosleep(&pause, NULL);
	return 1;
}

static void wait_ms(struct lode_repo *repo, int ms)
{
	repo->wait_ms = ms;
	sqlite3_busy_handler(repo->db, wait_for_others, repo);
}

static void close_db(struct lode_repo *repo)
{
	for (size_t i = 0; i < repo->kept.n; i++) {
		sqlite3_finalize(repo->kept.at[i].st);
		free(repo->kept.at[i].sql);
	}
	repo->kept.n = 0;
	sqlite3_close_v2(repo->db);
}

static int open_db(struct lode_repo *repo, const char *name, int flags, struct lode_error *err)
{
	close_db(repo);
	repo->db = NULL;
	if (sqlite3_open_v2(name, &repo->db, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
			    NULL) != SQLITE_OK) {
		if (!repo->db)
			lode_oom(0);
		return lode_repo_fail(repo, "cannot open it", err);
	}
	/* A page that contradicts itself is refused as it is read: else SQLite follows its cells
	   into memory beside it, and what it finds there is another thing each time. */
	if (sqlite3_exec(repo->db, "PRAGMA cell_size_check = ON", NULL, NULL, NULL) != SQLITE_OK)
		return lode_repo_fail(repo, "cannot open it", err);
	sqlite3_db_config(repo->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	wait_ms(repo, LODE_REPO_BUSY_MS);
	return 0;
}

/* Reads its first page. */
static int touch(struct lode_repo *repo, struct lode_error *err)
{
	int64_t version;

	return lode_repo_number(&version, repo, "PRAGMA user_version", err);
}

/* May this user write the file and beside it? */
static bool may_write(const char *path)
{
	char *copy = lode_strdup(path);
	bool may = access(path, W_OK) == 0 && access(dirname(copy), W_OK) == 0;

	free(copy);
	return may;
}

/*
 * Does the file say that it is lode's? Read through SQLite: closing a file of its own takes away
 * the locks that the process has on it (fcntl(2)), and another process then removes the log into
 * which this one is writing.
 */
static bool is_ours(struct lode_repo *repo)
{
	enum { AT = 68 }; /* application_id, https://sqlite.org/fileformat2.html */
	static const uint8_t ours[] = {LODE_REPO_APPLICATION_ID >> 24,
				       LODE_REPO_APPLICATION_ID >> 16 & 255,
				       LODE_REPO_APPLICATION_ID >> 8 & 255,
				       LODE_REPO_APPLICATION_ID & 255};
	uint8_t found[sizeof(ours)];

	return lode_repo_read_bytes(repo, found, sizeof(found), AT) &&
	       memcmp(found, ours, sizeof(ours)) == 0;
}

/*
 * A reader that may not write leaves the files of the log that it had to make, FILE-wal and
 * FILE-shm: SQLite removes them with the last connection that may. So readers may, and do not.
 */
static int open_as_reader(struct lode_repo *repo, struct lode_error *err)
{
	if (may_write(repo->path) && open_db(repo, repo->path, SQLITE_OPEN_READWRITE, err) == 0 &&
	    is_ours(repo) && lode_repo_exec(repo, "PRAGMA query_only = ON", err) == 0)
		return 0;
	return open_db(repo, repo->path, SQLITE_OPEN_READONLY, err);
}

/*
 * SQLite wants to write beside a file in WAL mode even to read it. Where it may not, and there is
 * no log, there is no writer, and the file can be read as it is.
 */
static int open_to_read(struct lode_repo *repo, struct lode_error *err)
{
	int rc = open_as_reader(repo, err), code;
	char *uri;

	if (rc == 0)
		rc = touch(repo, err);
	code = sqlite3_errcode(repo->db) & 0xff;
	if (rc == 0 || (code != SQLITE_CANTOPEN && code != SQLITE_READONLY) ||
	    access(repo->path, R_OK) < 0 || has_wal(repo->path))
		return rc;
	uri = immutable_uri(repo->path);
	rc = open_db(repo, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, err);
	free(uri);
	return rc == 0 ? touch(repo, err) : rc;
}

/* What a new file's entry in its folder needs to outlast a power failure. */
static void sync_folder(const char *path)
{
	char *copy = lode_strdup(path);
	int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	free(copy);
	if (fd < 0)
		return;
	(void)fsync(fd);
	close(fd);
}

/* ---- What it is ---- */

/* Gives its version; 0: an empty file. One read: another process may be making the tables. */
static int identify(int64_t *version, struct lode_repo *repo, struct lode_error *err)
{
	int64_t application = 0, n_tables = 0;
	int rc = lode_repo_exec(repo, "BEGIN", err);

	if (rc == 0)
		rc = lode_repo_number(version, repo, "PRAGMA user_version", err);
	if (rc == 0)
		rc = lode_repo_number(&application, repo, "PRAGMA application_id", err);
	if (rc == 0)
		rc = lode_repo_number(&n_tables, repo, "SELECT count(*) FROM sqlite_schema", err);
	if (!sqlite3_get_autocommit(repo->db))
		(void)lode_repo_exec(repo, "ROLLBACK", NULL);
	if (rc < 0)
		return rc;
	if (application == 0 && *version == 0 && n_tables == 0)
		return 0;
	if (application != LODE_REPO_APPLICATION_ID || *version < 1)
		return lode_fail(err, LODE_ERR_FORMAT, repo->path, -1,
				 "this is an SQLite file, but not a lode repository");
	if (*version > LODE_REPO_SCHEMA_VERSION)
		return lode_fail(err, LODE_ERR_UNSUPPORTED, repo->path, -1,
				 "made by a newer lode: its schema has version %lld, this lode "
				 "knows %d; nothing was changed",
				 (long long)*version, LODE_REPO_SCHEMA_VERSION);
	return 0;
}

int lode_repo_read_shape(struct lode_repo *repo, struct lode_error *err)
{
	sqlite3_stmt *st;
	int rc = lode_repo_prepare(&st, repo, "SELECT value FROM meta WHERE key = 'shape'", err);

	if (rc < 0)
		return rc;
	rc = lode_repo_step(repo, st, err);
	free(repo->shape);
	repo->shape = NULL;
	if (rc > 0 && sqlite3_column_text(st, 0))
		repo->shape = lode_strdup((const char *)sqlite3_column_text(st, 0));
	sqlite3_finalize(st);
	return rc < 0 ? rc : 0;
}

/* What SQLite would say less clearly. */
static int check_rights(const struct lode_repo *repo, bool is_new, struct lode_error *err)
{
	char *copy = lode_strdup(repo->path);
	const char *folder = dirname(copy);
	int rc = 0;

	if (is_new && access(folder, W_OK) < 0)
		rc = lode_fail_errno(err, errno, repo->path, "cannot create the repository");
	else if (!is_new && access(repo->path, W_OK) < 0)
		rc = lode_fail_errno(err, errno, repo->path, "cannot write to the repository");
	else if (!is_new && access(folder, W_OK) < 0)
		rc = lode_fail_errno(
			err, errno, folder,
			"cannot write to the repository's folder, which SQLite requires");
	free(copy);
	return rc;
}

/* SQLite does not wait when it changes the mode of a new file, which others may be looking at. */
static int use_wal(struct lode_repo *repo, struct lode_error *err)
{
	static const struct timespec pause = {.tv_nsec = 5 * 1000 * 1000};
	int64_t end_ns = lode_clock_ns(CLOCK_MONOTONIC) + (int64_t)repo->wait_ms * 1000000;

	for (;;) {
		int rc = lode_repo_exec(repo, "PRAGMA journal_mode = WAL", err);

		if (rc == 0 || (sqlite3_errcode(repo->db) & 0xff) != SQLITE_BUSY ||
		    lode_clock_ns(CLOCK_MONOTONIC) >= end_ns)
			return rc;
		nanosleep(&pause, NULL);
	}
}

static int open_to_write(struct lode_repo *repo, struct lode_error *err)
{
	bool may_make = repo->mode == LODE_REPO_CREATE;
	bool is_new = may_make && access(repo->path, F_OK) < 0;
	int64_t version = 0;
	int rc = check_rights(repo, is_new, err);

	/* SQLite's own files beside it take its permissions. */
	if (rc == 0 && is_new)
		rc = lode_private_create(repo->path, err);
	if (rc == 0)
		rc = open_db(repo, repo->path,
			     SQLITE_OPEN_READWRITE | (may_make ? SQLITE_OPEN_CREATE : 0), err);

	if (rc == 0)
		rc = identify(&version, repo, err);
	if (rc == 0 && version == 0 && !may_make)
		return lode_fail(err, LODE_ERR_FORMAT, repo->path, -1,
				 "the file is empty: 'lode import' creates repositories");
	if (rc == 0 && sqlite3_db_readonly(repo->db, "main"))
		return lode_repo_fail_read_only(repo, "cannot open it", err);
	/* Only what is ours is changed from here on. */
	if (rc == 0)
		rc = use_wal(repo, err);
	if (rc == 0)
		rc = lode_repo_exec(repo,
				    "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;"
				    /* The log is copied into the file each 16 MB: less often
				       waiting for the disk. */
				    "PRAGMA wal_autocheckpoint = 4096;"
				    /* Of a million recordings, the indexes are read and written
				       all over. */
				    "PRAGMA cache_size = -65536",
				    err);
	if (rc == 0 && version < LODE_REPO_SCHEMA_VERSION)
		rc = lode_repo_migrate(repo, err);
	if (rc == 0 && version == 0)
		sync_folder(repo->path);
	return rc;
}

/* An older schema is updated by the first process that may write. */
static int open_older(struct lode_repo *repo, int64_t version, struct lode_error *err)
{
	if (open_to_write(repo, NULL) < 0)
		return lode_fail(err, LODE_ERR_UNSUPPORTED, repo->path, -1,
				 "made by an older lode (schema version %lld, this lode has %d), "
				 "and it cannot be upgraded because it is not writable",
				 (long long)version, LODE_REPO_SCHEMA_VERSION);
	return 0;
}

static int open_as(struct lode_repo *repo, struct lode_error *err)
{
	int64_t version = 0;
	int rc;

	if (repo->mode != LODE_REPO_READ)
		return open_to_write(repo, err);
	rc = open_to_read(repo, err);
	if (rc == 0)
		rc = identify(&version, repo, err);
	if (rc < 0)
		return rc;
	if (version == 0)
		return lode_fail(err, LODE_ERR_FORMAT, repo->path, -1,
				 "the file is empty: 'lode import' creates repositories");
	return version < LODE_REPO_SCHEMA_VERSION ? open_older(repo, version, err) : 0;
}

/* What SQLite opens by itself: it would wait for who writes into a FIFO. */
static int check_beside(const char *path, struct lode_error *err)
{
	static const char *const suffixes[] = {"-journal", "-wal", "-shm"};
	char *real = realpath(path, NULL), *place = real ? real : lode_strdup(path);
	size_t size = strlen(place) + sizeof("-journal");
	char *file = lode_alloc(size);
	struct stat st;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		snprintf(file, size, "%s%s", place, suffixes[i]);
		if (lstat(file, &st) == 0 && !S_ISREG(st.st_mode))
			rc = lode_fail(
				err, LODE_ERR_IO, file, -1,
				"not a regular file, where SQLite keeps the repository's log: "
				"remove it");
	}
	free(place);
	free(file);
	return rc;
}

int lode_repo_open(struct lode_repo **out, const char *path, enum lode_repo_mode mode,
		   struct lode_error *err)
{
	struct lode_repo *repo;
	struct stat st;
	int rc;

	*out = NULL;
	if (!lode_repo_may_open())
		return lode_fail(err, LODE_ERR_IO, path, -1,
				 "the repository was being read when this process was started; try "
				 "again in a moment");
	if (stat(path, &st) < 0) {
		if (errno != ENOENT || mode != LODE_REPO_CREATE)
			return lode_fail_errno(err, errno, path, "cannot open the repository");
	} else if (!S_ISREG(st.st_mode)) {
		return lode_fail(err, LODE_ERR_ARG, path, -1,
				 "a repository must be a regular file");
	}
	rc = check_beside(path, err);
	if (rc < 0)
		return rc;
	n_open++;
	repo = lode_alloc0(1, sizeof(*repo));
	repo->path = lode_strdup(path);
	repo->mode = mode;
	repo->segment_bytes = LODE_REPO_SEGMENT_BYTES;
	rc = open_as(repo, err);
	if (rc == 0)
		rc = lode_repo_read_shape(repo, err);
	if (rc < 0) {
		lode_repo_close(repo);
		return rc;
	}
	*out = repo;
	return 0;
}

void lode_repo_close(struct lode_repo *repo)
{
	if (!repo)
		return;
	lode_repo_forget_recent(repo);
	lode_vec_release(&repo->recent);
	close_db(repo);
	lode_vec_release(&repo->kept);
	free(repo->path);
	free(repo->shape);
	free(repo);
	n_open--;
}

void lode_repo_wait_ms(struct lode_repo *repo, int ms)
{
	wait_ms(repo, ms);
}

const char *lode_repo_path(const struct lode_repo *repo)
{
	return repo->path;
}

const char *lode_repo_shape(const struct lode_repo *repo)
{
	return repo->shape;
}
