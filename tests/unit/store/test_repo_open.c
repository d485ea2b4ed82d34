/* store/repo.h: what is opened as a repository, what is refused, and what analysts store in it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "store/repo_db.h"
#include "scratch.h"

static struct lode_repo *open_repo(const char *path, enum lode_repo_mode mode)
{
	struct lode_repo *repo;
	struct lode_error err;

	if (lode_repo_open(&repo, path, mode, &err) < 0)
		fail_msg("%s: %s", err.path, err.message);
	return repo;
}

static void check_refused(const char *path, enum lode_repo_mode mode, enum lode_status status,
			  const char *words)
{
	struct lode_repo *repo;
	struct lode_error err;

	assert_int_equal(lode_repo_open(&repo, path, mode, &err), status);
	assert_null(repo);
	assert_string_equal(err.path, path);
	if (!strstr(err.message, words))
		fail_msg("'%s' does not say '%s'", err.message, words);
}

static char *read_file(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	char *data = malloc(1 << 20);

	assert_non_null(f);
	assert_non_null(data);
	*size = fread(data, 1, 1 << 20, f);
	(void)fclose(f);
	return data;
}

static void write_file(const char *path, const void *data, size_t size)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
}

/* Refused in all ways of opening, and not a byte of it changed. */
static void check_left_alone(const char *path, enum lode_status status, const char *words)
{
	size_t before, after;
	char *old = read_file(path, &before), *now;

	check_refused(path, LODE_REPO_READ, status, words);
	check_refused(path, LODE_REPO_WRITE, status, words);
	check_refused(path, LODE_REPO_CREATE, status, words);
	now = read_file(path, &after);
	assert_int_equal(before, after);
	assert_memory_equal(old, now, before);
	free(old);
	free(now);
}

static void what_is_not_there_is_made_only_when_asked(void **state)
{
	const char *path = scratch_path(*state, "new.lode");

	check_refused(path, LODE_REPO_READ, LODE_ERR_IO, "No such file");
	check_refused(path, LODE_REPO_WRITE, LODE_ERR_IO, "No such file");
	lode_repo_close(open_repo(path, LODE_REPO_CREATE));
	lode_repo_close(open_repo(path, LODE_REPO_CREATE));
	lode_repo_close(open_repo(path, LODE_REPO_WRITE));
	lode_repo_close(open_repo(path, LODE_REPO_READ));
	check_refused("/proc/no/such/folder.lode", LODE_REPO_CREATE, LODE_ERR_IO, "No such file");
	check_refused(((struct scratch *)*state)->dir, LODE_REPO_CREATE, LODE_ERR_ARG,
		      "a regular file");
}

static void other_files_are_left_alone(void **state)
{
	const char *path = scratch_path(*state, "other");
	sqlite3 *db;

	write_file(path, "recordings of last week, please keep", 36);
	check_left_alone(path, LODE_ERR_FORMAT, "not a lode repository");
	assert_int_equal(remove(path), 0);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "CREATE TABLE t(a)", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	check_left_alone(path, LODE_ERR_FORMAT, "SQLite file, but not a lode repository");
}

static void run_sql(const char *path, const char *sql)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
	sqlite3_close(db);
}

static void a_schema_from_the_future_is_left_alone(void **state)
{
	const char *path = scratch_path(*state, "future.lode");
	char sql[64];

	lode_repo_close(open_repo(path, LODE_REPO_CREATE));
	snprintf(sql, sizeof(sql), "PRAGMA user_version = %d", LODE_REPO_SCHEMA_VERSION + 1);
	run_sql(path, sql);
	check_left_alone(path, LODE_ERR_UNSUPPORTED, "made by a newer lode");
}

static void a_cut_file_is_left_alone(void **state)
{
	const char *path = scratch_path(*state, "cut.lode");
	size_t size;
	char *data;

	lode_repo_close(open_repo(path, LODE_REPO_CREATE));
	data = read_file(path, &size);
	write_file(path, data, size / 2 + 100);
	free(data);
	check_left_alone(path, LODE_ERR_FORMAT, "damaged");
}

/* Files of each older version, with something in every table that it has, are brought to this one:
   what was in them is there, and the schema is that of a new file. */
static void older_schemas_are_brought_up_to_date(void **state)
{
	const char *fresh = scratch_path(*state, "fresh.lode");
	static const char schema[] = "SELECT count(*) FROM sqlite_schema";
	int64_t n_fresh, n, version;
	struct lode_repo *repo = open_repo(fresh, LODE_REPO_CREATE);
	struct lode_error err;

	assert_int_equal(lode_repo_number(&n_fresh, repo, schema, &err), 0);
	lode_repo_close(repo);
	for (int v = 1; v < LODE_REPO_SCHEMA_VERSION; v++) {
		for (int mode = LODE_REPO_READ; mode <= LODE_REPO_CREATE; mode++) {
			const char *path = scratch_path(*state, "old.lode");
			char sql[128];

			for (int step = 1; step <= v; step++)
				run_sql(path, lode_repo_schema_step(step));
			snprintf(sql, sizeof(sql),
				 "PRAGMA application_id = %d; PRAGMA user_version = %d",
				 LODE_REPO_APPLICATION_ID, v);
			run_sql(path, sql);
			run_sql(path,
				"INSERT INTO meta VALUES ('shape', '--scope graph');"
				"INSERT INTO digest VALUES (7, 'a.data', 1, 2, 3, 4, 0, 1, 3, "
				"NULL);"
				"INSERT INTO digest_content VALUES (7, x'01');"
				"INSERT INTO stream VALUES (9, 7, '00000000000000ff', 'a.data',"
				" 'h', 'k', 5, 1, 6, 1, 4);"
				"INSERT INTO label VALUES (9, 'release', '2.1')");
			repo = open_repo(path, (enum lode_repo_mode)mode);
			assert_string_equal(lode_repo_shape(repo), "--scope graph");
			assert_int_equal(lode_repo_number(&n, repo, schema, &err), 0);
			assert_int_equal(n, n_fresh);
			lode_repo_number(&version, repo, "PRAGMA user_version", &err);
			assert_int_equal(version, LODE_REPO_SCHEMA_VERSION);
			lode_repo_number(&n, repo,
					 "SELECT stream.id FROM stream JOIN label ON stream ="
					 " stream.id WHERE value = '2.1' AND digest = 7",
					 &err);
			assert_int_equal(n, 9);
			lode_repo_close(repo);
			assert_int_equal(remove(path), 0);
		}
	}
}

/* A step that fails leaves the file as it was. */
static void half_a_migration_is_none(void **state)
{
	const char *path = scratch_path(*state, "old.lode");
	struct lode_repo *repo;
	struct lode_error err;
	sqlite3 *db;

	run_sql(path, lode_repo_schema_step(1));
	run_sql(path, "CREATE TABLE run_cluster(a); PRAGMA user_version = 1;"
		      "PRAGMA application_id = 1819239525");
	assert_int_equal(LODE_REPO_APPLICATION_ID, 1819239525);
	assert_true(lode_repo_open(&repo, path, LODE_REPO_WRITE, &err) < 0);
	assert_non_null(strstr(err.message, "run_cluster"));
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_not_equal(sqlite3_exec(db, "SELECT * FROM signature", NULL, NULL, NULL),
			     SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "SELECT * FROM run_cluster", NULL, NULL, NULL),
			 SQLITE_OK);
	sqlite3_close(db);
}

static void signatures_are_stored(void **state)
{
	struct lode_repo *repo = open_repo(scratch_path(*state, "r.lode"), LODE_REPO_CREATE);
	struct lode_repo_signature two[2] = {
		{.name = "slow-path-lookup",
		 .bug = "https://bugs/1",
		 .owner = "ann",
		 .kind = "wait",
		 .reason = "disk",
		 .pattern = "a;*;b",
		 .state = "active",
		 .note = "x\ny",
		 .created_ns = 5,
		 .changed_ns = 6},
		{.name = "other", .pattern = "c"},
	};
	struct lode_repo_signature again = {.name = "other"};
	struct lode_repo_signatures read = {0};
	struct lode_error err;

	assert_int_equal(lode_repo_put_signatures(repo, two, 2, &err), 0);
	assert_true(two[0].id && two[1].id && two[0].id != two[1].id);
	assert_int_equal(lode_repo_put_signatures(repo, &again, 1, &err), LODE_ERR_ARG);
	assert_non_null(strstr(err.message, "'other'"));
	two[0].owner = "bob";
	assert_int_equal(lode_repo_put_signatures(repo, two, 1, &err), 0);
	assert_int_equal(lode_repo_signatures(&read, repo, &err), 0);
	assert_int_equal(read.list.n, 2);
	assert_string_equal(read.list.at[0].owner, "bob");
	assert_string_equal(read.list.at[0].name, "slow-path-lookup");
	assert_string_equal(read.list.at[0].bug, "https://bugs/1");
	assert_string_equal(read.list.at[0].note, "x\ny");
	assert_string_equal(read.list.at[1].pattern, "c");
	assert_string_equal(read.list.at[1].bug, "");
	assert_int_equal(read.list.at[0].created_ns, 5);
	assert_int_equal(read.list.at[0].changed_ns, 6);
	lode_repo_signatures_release(&read);
	assert_int_equal(lode_repo_remove_signature(repo, two[0].id, &err), 0);
	memset(&read, 0, sizeof(read));
	assert_int_equal(lode_repo_signatures(&read, repo, &err), 0);
	assert_int_equal(read.list.n, 1);
	assert_int_equal(read.list.at[0].id, two[1].id);
	lode_repo_signatures_release(&read);
	lode_repo_close(repo);
}

static void the_last_run_is_stored(void **state)
{
	struct lode_repo *repo = open_repo(scratch_path(*state, "r.lode"), LODE_REPO_CREATE);
	struct lode_repo_run run = {.created_ns = 3, .where = "host=a", .n_streams = 4}, read;
	struct lode_repo_cluster cluster = {.kind = "wait", .reason = "lock", .common = "a;*;b"};
	struct lode_error err;

	assert_int_equal(lode_repo_last_run(&read, repo, &err), 0);
	for (uint32_t rank = 1; rank <= 3; rank++) {
		cluster.rank = rank;
		cluster.id = UINT64_MAX - rank;
		cluster.own_ns = 100 * rank;
		cluster.patterns = "a;b\na;c;b";
		lode_vec_append(&run.clusters, cluster);
		assert_int_equal(lode_repo_put_run(repo, &run, &err), 0);
	}
	assert_int_equal(lode_repo_last_run(&read, repo, &err), 1);
	assert_string_equal(read.where, "host=a");
	assert_int_equal(read.n_streams, 4);
	assert_int_equal(read.clusters.n, 3);
	assert_true(read.clusters.at[2].id == UINT64_MAX - 3);
	assert_int_equal(read.clusters.at[1].own_ns, 200);
	assert_string_equal(read.clusters.at[0].patterns, "a;b\na;c;b");
	lode_repo_run_release(&read);
	lode_repo_run_release(&run);
	lode_repo_close(repo);
}

/* Whoever waits for too long is told, and has changed nothing; others go on reading. */
static void a_lock_that_stays_is_told(void **state)
{
	const char *path = scratch_path(*state, "r.lode");
	struct lode_repo *writer = open_repo(path, LODE_REPO_CREATE);
	struct lode_repo *second = open_repo(path, LODE_REPO_WRITE);
	struct lode_repo *reader = open_repo(path, LODE_REPO_READ);
	struct lode_repo_signature signature = {.name = "a"};
	struct lode_repo_signatures read = {0};
	struct lode_error err;

	assert_int_equal(lode_repo_begin(writer, &err), 0);
	lode_repo_wait_ms(second, 20);
	assert_int_equal(lode_repo_put_signatures(second, &signature, 1, &err), LODE_ERR_IO);
	assert_non_null(strstr(err.message, "locked by another process for more than 0.02 s"));
	assert_int_equal(signature.id, 0);
	assert_int_equal(lode_repo_signatures(&read, reader, &err), 0);
	assert_int_equal(read.list.n, 0);
	assert_int_equal(lode_repo_end(writer, 0, &err), 0);
	assert_int_equal(lode_repo_put_signatures(second, &signature, 1, &err), 0);
	assert_int_equal(lode_repo_signatures(&read, reader, &err), 0);
	assert_int_equal(read.list.n, 1);
	lode_repo_signatures_release(&read);
	lode_repo_close(reader);
	lode_repo_close(second);
	lode_repo_close(writer);
}

static bool pass(int pipe_end)
{
	return write(pipe_end, "x", 1) == 1;
}

static bool await(int pipe_end)
{
	char c;

	return read(pipe_end, &c, 1) == 1;
}

/* Opens and closes the repository, then, when asked again, exits with how many signatures it has.
 */
static void be_a_command(const char *path, int asked, int done)
{
	struct lode_repo_signatures found = {0};
	struct lode_repo *repo;
	struct lode_error err;

	if (await(asked) && lode_repo_open(&repo, path, LODE_REPO_WRITE, &err) == 0) {
		lode_repo_close(repo);
		if (pass(done) && await(asked) &&
		    lode_repo_open(&repo, path, LODE_REPO_READ, &err) == 0 &&
		    lode_repo_signatures(&found, repo, &err) == 0)
			_exit((int)found.list.n);
	}
	_exit(100);
}

/*
 * A server writes in one thread and looks in another, while a command opens and closes the
 * repository: the last one to close it removes the log, so the server's locks must outlast the
 * look.
 */
static void a_look_beside_a_change_takes_no_lock_away(void **state)
{
	const char *path = scratch_path(*state, "r.lode");
	struct lode_repo_signature signature = {.name = "kept", .state = "active"};
	int ask[2], done[2], status;
	struct lode_repo *writer;
	struct lode_error err;

	lode_repo_close(open_repo(path, LODE_REPO_CREATE));
	assert_int_equal(pipe(ask), 0);
	assert_int_equal(pipe(done), 0);
	if (fork() == 0) /* before it is open here: SQLite's state must not be in two processes */
		be_a_command(path, ask[0], done[1]);
	writer = open_repo(path, LODE_REPO_WRITE);
	lode_repo_close(open_repo(path, LODE_REPO_READ));
	assert_true(pass(ask[1]) && await(done[0]));
	assert_int_equal(lode_repo_put_signatures(writer, &signature, 1, &err), 0);
	assert_true(pass(ask[1]));
	assert_true(wait(&status) > 0);
	assert_int_equal(WEXITSTATUS(status), 1);
	lode_repo_close(writer);
	for (int i = 0; i < 2; i++)
		close(ask[i]), close(done[i]);
}

/* SQLite's locks of that moment would be taken for the child's own. */
static void a_process_forked_from_a_reader_opens_none(void **state)
{
	const char *path = scratch_path(*state, "r.lode");
	struct lode_error err;

	lode_repo_close(open_repo(path, LODE_REPO_CREATE));
	for (int is_open = 0; is_open < 2; is_open++) {
		struct lode_repo *repo = is_open ? open_repo(path, LODE_REPO_READ) : NULL, *own;
		int status;
		pid_t child = fork();

		if (child == 0) {
			bool is_right = lode_repo_may_open() == !is_open &&
					(lode_repo_open(&own, path, LODE_REPO_WRITE, &err) == 0) ==
						!is_open;

			_exit(is_right ? 0 : 1);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
		lode_repo_close(repo);
		assert_true(lode_repo_may_open());
	}
}

/* At whatever page the space ends: what was there before is there, and all of it. */
static void a_full_disk_costs_only_what_is_new(void **state)
{
	struct lode_repo_signature signature = {.name = "kept"};
	static char large[200000];
	struct lode_error err;

	memset(large, 'x', sizeof(large) - 1);
	for (int pages = 0; pages < 50; pages += 7) {
		struct lode_repo *repo =
			open_repo(scratch_path(*state, "r.lode"), LODE_REPO_CREATE);
		struct lode_repo_signature more = {.name = "more", .pattern = large};
		struct lode_repo_signatures read = {0};
		int64_t n_pages;
		char sql[64];

		signature.id = 0;
		assert_int_equal(lode_repo_put_signatures(repo, &signature, 1, &err), 0);
		lode_repo_number(&n_pages, repo, "PRAGMA page_count", &err);
		snprintf(sql, sizeof(sql), "PRAGMA max_page_count = %d", (int)n_pages + pages);
		lode_repo_number(&n_pages, repo, sql, &err);
		if (lode_repo_put_signatures(repo, &more, 1, &err) == 0) {
			assert_true(pages > 40);
		} else {
			assert_int_equal(err.status, LODE_ERR_IO);
			assert_non_null(strstr(err.message, "no space left"));
		}
		assert_int_equal(lode_repo_signatures(&read, repo, &err), 0);
		assert_int_equal(read.list.n, more.id ? 2 : 1);
		assert_string_equal(read.list.at[0].name, "kept");
		lode_repo_signatures_release(&read);
		lode_repo_close(repo);
		assert_int_equal(remove(scratch_path(*state, "r.lode")), 0);
	}
}

int main(void)
{
#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, scratch_enter, scratch_leave)
	const struct CMUnitTest tests[] = {
		IN_SCRATCH(what_is_not_there_is_made_only_when_asked),
		IN_SCRATCH(other_files_are_left_alone),
		IN_SCRATCH(a_schema_from_the_future_is_left_alone),
		IN_SCRATCH(a_cut_file_is_left_alone),
		IN_SCRATCH(older_schemas_are_brought_up_to_date),
		IN_SCRATCH(half_a_migration_is_none),
		IN_SCRATCH(a_lock_that_stays_is_told),
		IN_SCRATCH(a_look_beside_a_change_takes_no_lock_away),
		IN_SCRATCH(a_process_forked_from_a_reader_opens_none),
		IN_SCRATCH(a_full_disk_costs_only_what_is_new),
		IN_SCRATCH(signatures_are_stored),
		IN_SCRATCH(the_last_run_is_stored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
