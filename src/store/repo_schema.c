/* Schema of a repository and its migrations. */
#include "store/repo_db.h"

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
	/* Again, now that nobody else can change it. */
	rc = lode_repo_number(&version, repo, "PRAGMA user_version", err);
	for (int v = (int)version + 1; rc == 0 && v <= LODE_REPO_SCHEMA_VERSION; v++)
		rc = lode_repo_exec(repo, steps[v - 1], err);
	if (rc == 0 && version < LODE_REPO_SCHEMA_VERSION)
		rc = set_version(repo, err);
	return lode_repo_end(repo, rc, err);
}
