/*
 * store/repo_intake.h: a process that is killed while it adds and forgets loses nothing of what it
 * was told is done, and leaves nothing half done.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "scratch.h"
#include "store/repo_care.h"
#include "store/repo_db.h"
#include "store/repo_intake.h"
#include "unit/model/random_digest.h"

enum { N_STREAMS = 40, N_KILLS = 300 };

/* What a child says, a byte each with the stream's number: it begins, and it is done. */
enum { ADDING, ADDED, FORGETTING, FORGOTTEN };

struct world {
	struct scratch scratch;
	char path[256];
	struct lode_digest *digests[N_STREAMS];
};

/* ---- The child ---- */

static int told_fd;

static void tell(int what, size_t stream)
{
	uint8_t word[2] = {(uint8_t)what, (uint8_t)stream};

	if (write(told_fd, word, sizeof(word)) != sizeof(word))
		_exit(3);
}

static void told(void *context, const char *path, enum lode_repo_added added, size_t n_streams)
{
	(void)context;
	(void)added;
	(void)n_streams;
	tell(ADDED, strtoul(path, NULL, 10));
}

static void add(struct world *world, struct lode_repo_intake *intake, size_t i, bool more)
{
	struct lode_digest_origin origin = {0};
	struct lode_repo_source source = {.path = "x"};
	struct lode_digest *copy = lode_digest_new();
	struct lode_repo_label label = {"number", "1"};
	char name[16];

	snprintf(name, sizeof(name), "%zu", i);
	lode_digest_merge(copy, world->digests[i]);
	lode_digest_origin_set(&origin, "", "");
	tell(ADDING, i);
	if (lode_repo_intake_put(intake,
				 lode_repo_entry_new(copy, &origin, &source, &label, 1, NULL), name,
				 more, NULL) < 0)
		_exit(4);
	lode_digest_origin_release(&origin);
}

static void forget(struct world *world, struct lode_repo *repo, size_t i)
{
	struct lode_repo_streams all = {0};
	size_t n = 0;

	if (lode_repo_find(&all, repo, NULL, NULL) < 0)
		_exit(5);
	for (size_t k = 0; k < all.list.n; k++)
		if (all.list.at[k].content_hash == world->digests[i]->streams.at[0].content_hash)
			all.list.at[n++] = all.list.at[k];
	all.list.n = n;
	tell(FORGETTING, i);
	if (lode_repo_forget(repo, &all, NULL) < 0)
		_exit(6);
	tell(FORGOTTEN, i);
	lode_repo_streams_release(&all);
}

/* Adds and forgets until it is killed, or for `n` steps. */
static void child(struct world *world, uint64_t seed, int n)
{
	struct rng rng = {seed};
	struct lode_repo_intake_options options = {.told = told};
	struct lode_repo_intake *intake;
	struct lode_repo *repo;

	if (lode_repo_open(&repo, world->path, LODE_REPO_CREATE, NULL) < 0)
		_exit(2);
	/* What is asked is what a killed process leaves, which the disk has no part in. */
	lode_repo_exec(repo, "PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 20", NULL);
	intake = lode_repo_intake_new(repo, &options);
	for (; n; n--) {
		size_t i = rng_below(&rng, N_STREAMS);

		if (rng_chance(&rng, 80)) {
			add(world, intake, i, rng_chance(&rng, 50));
			continue;
		}
		if (lode_repo_intake_flush(intake, NULL) < 0)
			_exit(7);
		forget(world, repo, i);
	}
	if (lode_repo_intake_flush(intake, NULL) < 0)
		_exit(7);
	lode_repo_intake_free(intake);
	lode_repo_close(repo);
}

/* ---- The parent ---- */

enum known { IS_OUT, IS_IN, IS_UNKNOWN };

static void hear(int fd, enum known *known)
{
	static const enum known becomes[] = {IS_UNKNOWN, IS_IN, IS_UNKNOWN, IS_OUT};
	uint8_t word[2];

	while (read(fd, word, sizeof(word)) == sizeof(word))
		/* Adding again what is there changes nothing. */
		if (word[0] != ADDING || known[word[1]] != IS_IN)
			known[word[1]] = becomes[word[0]];
}

/* What is there now is known from here on. */
static void check(struct world *world, enum known *known, bool is_thorough, uint64_t seed)
{
	struct lode_repo_streams all = {0};
	struct lode_repo_check found;
	struct lode_repo *repo;
	struct lode_error err;

	if (lode_repo_open(&repo, world->path, LODE_REPO_CREATE, &err) < 0)
		fail_msg("seed %lu: %s", seed, err.message);
	assert_int_equal(lode_repo_find(&all, repo, NULL, &err), 0);
	for (size_t i = 0; i < N_STREAMS; i++) {
		bool is_there = false;

		for (size_t k = 0; k < all.list.n; k++)
			if (all.list.at[k].content_hash ==
			    world->digests[i]->streams.at[0].content_hash) {
				is_there = true;
				assert_int_equal(all.list.at[k].n_labels, 1);
			}
		if (known[i] != IS_UNKNOWN && is_there != (known[i] == IS_IN))
			fail_msg("seed %lu: stream %zu %s", seed, i,
				 is_there ? "came back" : "was lost");
		known[i] = is_there ? IS_IN : IS_OUT;
	}
	lode_repo_streams_release(&all);
	if (is_thorough) {
		assert_int_equal(lode_repo_check(&found, repo, &err), 0);
		if (found.n_faults)
			fail_msg("seed %lu: %s", seed, found.faults.at[0]);
		lode_repo_check_release(&found);
	}
	lode_repo_close(repo);
}

static pid_t start(struct world *world, uint64_t seed, int n, int *fd)
{
	int ends[2];
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		close(ends[0]);
		told_fd = ends[1];
		child(world, seed, n);
		_exit(0);
	}
	close(ends[1]);
	*fd = ends[0];
	return pid;
}

/* Once it has begun, so that its start is not all that is ever killed; and a while. */
static void wait_a_while(struct rng *rng, int fd)
{
	struct timespec pause = {.tv_nsec = 1000L * (long)rng_below(rng, 8000)};
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};

	if (rng_chance(rng, 90))
		poll(&poll_fd, 1, 20000);
	nanosleep(&pause, NULL);
}

static void nothing_that_was_told_is_lost(void **state)
{
	struct world *world = calloc(1, sizeof(*world));
	enum known known[N_STREAMS] = {IS_OUT};
	struct rng rng = {17};
	size_t n_killed = 0;
	int fd, status;
	pid_t pid;

	(void)state;
	assert_non_null(world);
	scratch_make(&world->scratch);
	snprintf(world->path, sizeof(world->path), "%s/killed.lode", world->scratch.dir);
	for (int i = 0; i < N_STREAMS; i++)
		world->digests[i] = random_digest(&rng, i);
	for (uint64_t seed = 1; seed <= N_KILLS; seed++) {
		pid = start(world, seed, -1, &fd);
		wait_a_while(&rng, fd);
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (WIFEXITED(status))
			fail_msg("seed %lu: exit %d", seed, WEXITSTATUS(status));
		n_killed++;
		hear(fd, known);
		close(fd);
		check(world, known, seed % 10 == 0, seed);
	}
	assert_int_equal(n_killed, N_KILLS);
	for (int i = 0; i < N_STREAMS; i++)
		lode_digest_free(world->digests[i]);
	scratch_remove(&world->scratch);
	free(world);
}

/* Three at once, none of them killed: each waits for the others, and all that was told is there. */
static void several_add_at_once(void **state)
{
	struct world *world = calloc(1, sizeof(*world));
	enum known known[N_STREAMS];
	struct rng rng = {18};
	int fds[3], status;
	pid_t pids[3];

	(void)state;
	assert_non_null(world);
	scratch_make(&world->scratch);
	snprintf(world->path, sizeof(world->path), "%s/shared.lode", world->scratch.dir);
	for (int i = 0; i < N_STREAMS; i++) {
		world->digests[i] = random_digest(&rng, i);
		known[i] = IS_UNKNOWN; /* what one added another may have forgotten */
	}
	for (int i = 0; i < 3; i++)
		pids[i] = start(world, 100 + (uint64_t)i, 120, &fds[i]);
	for (int i = 0; i < 3; i++) {
		enum known ignored[N_STREAMS];

		memcpy(ignored, known, sizeof(known));
		hear(fds[i], ignored);
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
		close(fds[i]);
	}
	check(world, known, true, 0);
	for (int i = 0; i < N_STREAMS; i++)
		lode_digest_free(world->digests[i]);
	scratch_remove(&world->scratch);
	free(world);
}

/* Whoever comes while another makes the tables sees none of them, or all. */
static void several_make_it_at_once(void **state)
{
	enum { N_ROUNDS = 30, N_PROCESSES = 4 };
	struct scratch scratch;

	(void)state;
	scratch_make(&scratch);
	for (int round = 0; round < N_ROUNDS; round++) {
		char path[256];
		int gate[2], status;

		snprintf(path, sizeof(path), "%s/%d.lode", scratch.dir, round);
		assert_int_equal(pipe(gate), 0);
		for (int i = 0; i < N_PROCESSES; i++) {
			pid_t pid = fork();

			assert_true(pid >= 0);
			if (pid == 0) {
				struct lode_error err;
				struct lode_repo *repo;
				char byte;

				close(gate[1]);
				(void)!read(gate[0], &byte, 1); /* until all are there */
				if (lode_repo_open(&repo, path, LODE_REPO_CREATE, &err) < 0) {
					fprintf(stderr, "%s\n", err.message);
					_exit(1);
				}
				lode_repo_close(repo);
				_exit(0);
			}
		}
		close(gate[0]);
		close(gate[1]);
		for (int i = 0; i < N_PROCESSES; i++) {
			assert_true(wait(&status) > 0);
			assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
		}
	}
	scratch_remove(&scratch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_that_was_told_is_lost),
		cmocka_unit_test(several_add_at_once),
		cmocka_unit_test(several_make_it_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
