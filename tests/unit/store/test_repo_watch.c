/* store/repo_watch.h: every change of what a query picks is seen, and nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "store/repo_watch.h"
#include "scratch.h"
#include "base/clock.h"
#include "base/map.h"
#include "store/repo_care.h"
#include "store/repo_db.h"
#include "store/repo_query.h"
#include "unit/model/random_digest.h"

#define CHECK(call, err)                                                          \
	do {                                                                      \
		if ((call) < 0)                                                   \
			fail_msg("%s: %s: %s", #call, (err).path, (err).message); \
	} while (0)

enum { N_DIGESTS = 30, STEPS = 40 };

/* Files that were written just now are looked into at each look, whatever their times say. */
static int64_t now;

static struct lode_repo *open_repo(const char *path)
{
	struct lode_repo *repo;
	struct lode_error err;

	CHECK(lode_repo_open(&repo, path, LODE_REPO_CREATE, &err), err);
	CHECK(lode_repo_exec(repo, "PRAGMA synchronous = OFF", &err), err);
	return repo;
}

/* Stream `number`, with another content at each `edition`. Its time is `number` days ago. */
static void add(struct lode_repo *repo, int number, int edition, bool replace)
{
	struct rng rng = {(uint64_t)(edition * N_DIGESTS + number + 1)};
	struct lode_digest *digest = random_digest(&rng, number);
	struct lode_digest_origin origin = {0};
	struct lode_repo_source source = {.path = "/x", .key = (uint64_t)number + 1};
	struct lode_repo_label label = {"release", number % 2 ? "1" : "2"};
	struct lode_repo_entry *entry;
	enum lode_repo_added added;
	struct lode_error err;

	digest->unit = "ns";
	digest->streams.at[0].content_hash = (uint64_t)number + 1;
	digest->streams.at[0].has_wall_clock = false;
	source.file_ns = now - number * INT64_C(86400000000000);
	lode_digest_origin_set(&origin, "--scope critical\n", "all");
	entry = lode_repo_entry_new(digest, &origin, &source, &label, 1, NULL);
	CHECK(lode_repo_add(repo, &entry, 1, replace, &added, &err), err);
	lode_repo_entry_free(entry);
	lode_digest_origin_release(&origin);
}

static void with_some(struct lode_repo *repo, struct rng *rng, bool forget)
{
	char text[40], value[8];
	struct lode_repo_streams streams = {0};
	struct lode_repo_query *query;
	struct lode_error err;

	snprintf(text, sizeof(text), "age<%ud", rng_below(rng, 20) + 1);
	snprintf(value, sizeof(value), "%u", rng_below(rng, 3));
	CHECK(lode_repo_query_parse(&query, text, now, &err), err);
	CHECK(lode_repo_find(&streams, repo, query, &err), err);
	streams.list.n = streams.list.n ? 1 : 0;
	if (forget)
		CHECK(lode_repo_forget(repo, &streams, &err), err);
	else
		CHECK(lode_repo_set_label(repo, &streams, "release", value, &err), err);
	lode_repo_streams_release(&streams);
	lode_repo_query_free(query);
}

static void put_signature(struct lode_repo *repo, int number)
{
	char name[20];
	struct lode_repo_signature signature = {
		.name = name,
		.bug = "",
		.owner = "",
		.kind = "",
		.reason = "",
		.pattern = "a",
		.state = "active",
		.note = "",
	};
	struct lode_error err;

	snprintf(name, sizeof(name), "s%d", number);
	CHECK(lode_repo_put_signatures(repo, &signature, 1, &err), err);
}

/* All that a mining of it would read: the streams' digest with its names, and their labels. */
static uint64_t content(struct lode_repo *repo, const char *where, int64_t at_ns)
{
	struct lode_digest_origin origin = {0}, none = {0};
	struct lode_repo_streams streams = {0};
	struct lode_repo_query *query = NULL;
	struct lode_digest *digest;
	lode_byte_vec bytes = {0};
	struct lode_error err;
	uint64_t hash = 0;

	if (where)
		CHECK(lode_repo_query_parse(&query, where, at_ns, &err), err);
	CHECK(lode_repo_find(&streams, repo, query, &err), err);
	CHECK(lode_repo_read(&digest, &origin, repo, &streams,
			     &(struct lode_repo_read_options){.n_threads = 1}, &err),
	      err);
	lode_digest_pack(&bytes, digest, &none, 1);
	for (size_t i = 0; i < streams.list.n; i++) {
		const char *release = lode_repo_stream_label(&streams.list.at[i], "release");

		hash = lode_stable_hash(release ? release : "", release ? strlen(release) : 0,
					hash + 1);
	}
	hash = lode_stable_hash(bytes.at, bytes.n, hash);
	lode_vec_release(&bytes);
	lode_digest_free(digest);
	lode_digest_origin_release(&origin);
	lode_repo_streams_release(&streams);
	lode_repo_query_free(query);
	return hash;
}

/* One step; gives whether it is of a kind that nobody who mines would see. */
static bool change(struct lode_repo *repo, struct rng *rng, int step)
{
	struct lode_error err;

	switch (rng_below(rng, 8)) {
	case 0:
	case 1:
	case 2:
		add(repo, (int)rng_below(rng, N_DIGESTS), 0, false);
		return false;
	case 3:
		add(repo, (int)rng_below(rng, N_DIGESTS), step + 1, true);
		return false;
	case 4:
		with_some(repo, rng, rng_chance(rng, 50));
		return false;
	case 5:
		put_signature(repo, step);
		return true;
	case 6:
		CHECK(lode_repo_settle(repo, &err), err);
		return true;
	default:
		CHECK(lode_repo_compact(repo, rng_chance(rng, 50), &err), err);
		return true;
	}
}

static void every_change_is_seen_and_nothing_else(void **state)
{
	for (uint64_t seed = 1; seed <= 6; seed++) {
		const char *where = seed % 3 == 0 ? "release=1" : seed % 3 == 1 ? "age<9d" : NULL;
		struct rng rng = {seed};
		char path[PATH_MAX];
		struct lode_repo_watch watch = {.path = path, .where = where};
		struct lode_repo *repo;
		struct lode_error err;
		uint64_t before, after;

		snprintf(path, sizeof(path), "%s", scratch_path(*state, "%u.lode", (unsigned)seed));
		repo = open_repo(path);
		add(repo, 1, 0, false);
		assert_int_equal(lode_repo_watch_look(&watch, now, &err), 1);
		before = content(repo, where, now);
		for (int step = 0; step < STEPS; step++) {
			bool is_silent = change(repo, &rng, step);
			int rc = lode_repo_watch_look(&watch, now, &err);

			CHECK(rc, err);
			after = content(repo, where, now);
			if (is_silent ? rc != 0 : (rc == 0 && after != before))
				fail_msg("seed %lu, step %d: %s", seed, step,
					 rc ? "nothing changed" : "it did change");
			before = after;
			assert_int_equal(lode_repo_watch_look(&watch, now, &err), 0);
		}
		lode_repo_close(repo);
	}
}

/* A query by age picks other streams as time goes by, without anybody's doing. */
static void ages_are_looked_at_once_a_minute(void **state)
{
	static const int64_t minute = INT64_C(60000000000), day = 86400 * INT64_C(1000000000);
	char path[PATH_MAX];
	struct lode_repo_watch watch = {.path = path, .where = "age<9d"};
	struct lode_repo *repo;
	struct lode_error err;

	snprintf(path, sizeof(path), "%s", scratch_path(*state, "r.lode"));
	repo = open_repo(path);
	add(repo, 1, 0, false);
	add(repo, 8, 0, false);
	lode_repo_close(repo);
	assert_int_equal(lode_repo_watch_look(&watch, now, &err), 1);
	assert_int_equal(lode_repo_watch_look(&watch, now + minute, &err), 0);
	assert_int_equal(lode_repo_watch_look(&watch, now + day + minute, &err), 1);
	assert_int_equal(lode_repo_watch_look(&watch, now + day + 3 * minute, &err), 0);
}

/* Moved away: that is told. Back: nothing happened. Another file in its place: that is a change. */
static void files_come_and_go(void **state)
{
	char path[PATH_MAX], other[PATH_MAX];
	struct lode_repo_watch watch = {.path = path};
	struct lode_repo *repo;
	struct lode_error err;

	snprintf(path, sizeof(path), "%s", scratch_path(*state, "r.lode"));
	snprintf(other, sizeof(other), "%s", scratch_path(*state, "other.lode"));
	repo = open_repo(path);
	add(repo, 1, 0, false);
	lode_repo_close(repo);
	repo = open_repo(other);
	add(repo, 2, 0, false);
	lode_repo_close(repo);
	assert_int_equal(lode_repo_watch_look(&watch, now, &err), 1);
	assert_int_equal(rename(path, scratch_path(*state, "away")), 0);
	assert_int_equal(lode_repo_watch_look(&watch, now, &err), LODE_ERR_IO);
	assert_int_equal(lode_repo_watch_look(&watch, now, &err), LODE_ERR_IO);
	assert_int_equal(rename(scratch_path(*state, "away"), path), 0);
	assert_int_equal(lode_repo_watch_look(&watch, now, &err), 0);
	assert_int_equal(rename(other, path), 0);
	assert_int_equal(lode_repo_watch_look(&watch, now, &err), 1);
	scratch_write(path, "no repository", 13);
	assert_true(lode_repo_watch_look(&watch, now, &err) < 0);
}

static void set_time(const char *path, int64_t ns)
{
	const struct timespec times[2] = {{.tv_sec = ns / 1000000000}, {.tv_sec = ns / 1000000000}};

	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* A file that has not been touched for long is not even opened: here one would notice. */
static void what_nobody_touched_is_not_read(void **state)
{
	char path[PATH_MAX], wal[PATH_MAX], *bytes;
	struct lode_repo_watch watch = {.path = path};
	struct lode_repo *repo;
	struct lode_error err;
	size_t size;

	snprintf(path, sizeof(path), "%s", scratch_path(*state, "r.lode"));
	snprintf(wal, sizeof(wal), "%s", scratch_path(*state, "r.lode-wal"));
	repo = open_repo(path);
	add(repo, 1, 0, false);
	lode_repo_close(repo);
	set_time(path, now - INT64_C(60000000000));
	assert_int_equal(lode_repo_watch_look(&watch, now, &err), 1);
	/* SQLite leaves an empty log of its own. */
	if (access(wal, F_OK) == 0)
		set_time(wal, now - INT64_C(60000000000));
	assert_int_equal(lode_repo_watch_look(&watch, now, &err), 0);
	bytes = scratch_read(path, &size);
	memset(bytes, 'x', size);
	scratch_write(path, bytes, size);
	set_time(path, now - INT64_C(60000000000));
	assert_int_equal(lode_repo_watch_look(&watch, now, &err), 0);
	set_time(path, now - INT64_C(50000000000));
	assert_true(lode_repo_watch_look(&watch, now, &err) < 0);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_change_is_seen_and_nothing_else,
						scratch_enter, scratch_leave),
		cmocka_unit_test_setup_teardown(ages_are_looked_at_once_a_minute, scratch_enter,
						scratch_leave),
		cmocka_unit_test_setup_teardown(files_come_and_go, scratch_enter, scratch_leave),
		cmocka_unit_test_setup_teardown(what_nobody_touched_is_not_read, scratch_enter,
						scratch_leave),
	};

	now = lode_clock_ns(CLOCK_REALTIME);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
