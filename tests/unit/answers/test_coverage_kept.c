/* answers/coverage/coverage_job.h, streams/cover_form.h, store/repo_cover.h: costs from kept covers
 * are those of a full computation, whatever became of recordings and signatures meanwhile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "answers/coverage/coverage_job.h"
#include "scratch.h"
#include "store/repo_care.h"
#include "store/repo_cover.h"
#include "store/repo_db.h"
#include "streams/shape.h"
#include "unit/model/random_digest.h"

enum { N_DIGESTS = 90, N_SEQUENCES = 200, N_STEPS = 12, N_KILLS = 60 };

struct world {
	struct scratch scratch;
	char path[256];
	struct lode_digest *digests[N_DIGESTS];
	const char *shape;
	struct lode_arena arena;
	struct lode_repo *repo;
	struct lode_signatures signatures;
	uint64_t seed;
};

#define CHECK(world, call)                                                               \
	do {                                                                             \
		struct lode_error err;                                                   \
		if ((call) < 0)                                                          \
			fail_msg("seed %lu: %s: %s", (world)->seed, #call, err.message); \
	} while (0)

static void open_world(struct world *world)
{
	CHECK(world, lode_repo_open(&world->repo, world->path, LODE_REPO_CREATE, &err));
	CHECK(world, lode_repo_exec(world->repo, "PRAGMA synchronous = OFF", &err));
	if (world->seed % 2)
		world->repo->segment_bytes = 16384;
}

static struct world *make_world(uint64_t seed)
{
	struct lode_digest_job_options options = {.narrow = lode_narrow_none};
	struct world *world = calloc(1, sizeof(*world));
	struct rng rng = {seed};

	assert_non_null(world);
	world->seed = seed;
	scratch_make(&world->scratch);
	snprintf(world->path, sizeof(world->path), "%s/r.lode", world->scratch.dir);
	world->shape = lode_shape_of(&options, false, &world->arena);
	for (int i = 0; i < N_DIGESTS; i++)
		world->digests[i] = random_digest(&rng, i);
	open_world(world);
	return world;
}

static void free_world(struct world *world)
{
	lode_repo_close(world->repo);
	for (int i = 0; i < N_DIGESTS; i++)
		lode_digest_free(world->digests[i]);
	lode_signatures_release(&world->signatures);
	lode_arena_release(&world->arena);
	scratch_remove(&world->scratch);
	free(world);
}

/* ---- What becomes of recordings ---- */

static struct lode_repo_entry *entry_of(const struct world *world, const struct lode_digest *from)
{
	struct lode_digest *copy = lode_digest_new();
	struct lode_digest_origin origin = {0};
	struct lode_repo_source source = {.path = "/x", .file_ns = 1000};
	struct lode_repo_entry *entry;

	lode_digest_merge(copy, from);
	lode_digest_origin_set(&origin, world->shape, "all");
	entry = lode_repo_entry_new(copy, &origin, &source, NULL, 0, NULL);
	lode_digest_origin_release(&origin);
	return entry;
}

static void add(struct world *world, const struct lode_digest *const *digests, size_t n,
		bool replace)
{
	struct lode_repo_entry *entries[N_DIGESTS] = {NULL};
	enum lode_repo_added added[N_DIGESTS];

	for (size_t i = 0; i < n; i++)
		entries[i] = entry_of(world, digests[i]);
	CHECK(world, lode_repo_add(world->repo, entries, n, replace, added, &err));
	for (size_t i = 0; i < n; i++)
		lode_repo_entry_free(entries[i]);
}

static void import(struct world *world, struct rng *rng)
{
	const struct lode_digest *some[N_DIGESTS];
	size_t n = 1 + rng_below(rng, rng_chance(rng, 50) ? 4 : 40);

	for (size_t i = 0; i < n; i++)
		some[i] = world->digests[rng_below(rng, N_DIGESTS)];
	add(world, some, n, false);
	if (rng_chance(rng, 80))
		CHECK(world, lode_repo_settle(world->repo, &err));
}

/* Several recordings as one digest. */
static void import_merged(struct world *world, struct rng *rng)
{
	struct lode_digest *merged = lode_digest_new();
	size_t first = rng_below(rng, N_DIGESTS - 4);
	const struct lode_digest *one = merged;

	for (size_t i = 0; i < 4; i++)
		lode_digest_merge(merged, world->digests[first + i]);
	add(world, &one, 1, false);
	lode_digest_free(merged);
}

/* Recorded or digested in another way: what it is known by stays. */
static void replace(struct world *world, struct rng *rng)
{
	size_t i = rng_below(rng, N_DIGESTS);
	struct lode_digest *other = random_digest(rng, (int)i);
	const struct lode_digest *one = other;

	other->streams.at[0].content_hash = world->digests[i]->streams.at[0].content_hash;
	lode_digest_free(world->digests[i]);
	world->digests[i] = other;
	add(world, &one, 1, true);
}

static void forget(struct world *world, struct rng *rng)
{
	struct lode_repo_streams streams = {0};
	uint32_t percent = rng_below(rng, 3) ? 3 : 40;
	size_t n = 0;

	CHECK(world, lode_repo_find(&streams, world->repo, NULL, &err));
	for (size_t i = 0; i < streams.list.n; i++)
		if (rng_chance(rng, percent))
			streams.list.at[n++] = streams.list.at[i];
	streams.list.n = n;
	CHECK(world, lode_repo_forget(world->repo, &streams, &err));
	lode_repo_streams_release(&streams);
}

/* ---- What becomes of signatures ---- */

static const char *const patterns[] = {"main",	   "work",  "read",	  "f;f",
				       "main;*;f", "app!*", "libc!read",  "[kernel]!*",
				       "libx!*",   "→ *",   "work;>read", "schedule",
				       "main;work"};

static void add_signature(struct world *world, struct rng *rng, const char *name)
{
	const char *some[2];
	struct lode_signature s = {.name = name,
				   .is_retired = rng_chance(rng, 25),
				   .patterns = some,
				   .n_patterns = 1 + rng_below(rng, 2)};

	for (size_t i = 0; i < s.n_patterns; i++)
		some[i] = patterns[rng_below(rng, sizeof(patterns) / sizeof(*patterns))];
	if (rng_chance(rng, 20))
		s.kinds = 1u << rng_below(rng, LODE_N_EVENT_KINDS);
	if (rng_chance(rng, 20))
		s.reasons = 2;
	(void)lode_signatures_add(&world->signatures, &s, NULL);
}

/* Adds one, or retires, changes or removes one that is there. */
static void sign(struct world *world, struct rng *rng)
{
	struct lode_signature *one;
	char name[16];

	snprintf(name, sizeof(name), "s%u", rng_below(rng, 8));
	one = lode_signatures_find(&world->signatures, name);
	if (one && rng_chance(rng, 40)) {
		one->is_retired = !one->is_retired;
		return;
	}
	if (one)
		lode_signatures_remove(&world->signatures, one);
	if (!one || rng_chance(rng, 60))
		add_signature(world, rng, name);
}

static void step(struct world *world, struct rng *rng)
{
	switch (rng_below(rng, 9)) {
	case 0:
	case 1:
	case 2:
		import(world, rng);
		break;
	case 3:
		import_merged(world, rng);
		break;
	case 4:
		forget(world, rng);
		break;
	case 5:
		replace(world, rng);
		break;
	case 6:
		CHECK(world, lode_repo_settle(world->repo, &err));
		if (rng_chance(rng, 20))
			CHECK(world, lode_repo_compact(world->repo, rng_chance(rng, 30), &err));
		break;
	default:
		sign(world, rng);
	}
}

/* ---- Both ways ---- */

static int run(struct lode_coverage_job *job, struct world *world, const char *where,
	       const char *by, enum lode_coverage_stacks stacks)
{
	struct lode_stream_set_options streams = {
		.repo = world->repo,
		.where = where,
		.now_ns = 1,
		.job = {.narrow = lode_narrow_none, .n_threads = 2},
	};
	struct lode_error err;
	int rc = lode_coverage_job_run(job, &world->signatures, &streams, by, stacks, &err);

	if (rc < 0 && rc != LODE_ERR_ARG) /* no stream has that label */
		fail_msg("seed %lu: %s", world->seed, err.message);
	return rc;
}

static void check_symptom(const struct world *world, const struct lode_digest *a, uint32_t i,
			  const struct lode_digest *b, uint32_t k)
{
	const struct lode_digest_symptom *x, *y;

	if (i == LODE_NONE || k == LODE_NONE) {
		assert_int_equal(i, k);
		return;
	}
	x = &a->symptoms.at[i];
	y = &b->symptoms.at[k];
	if (x->tid != y->tid || x->t0_ns != y->t0_ns || x->t1_ns != y->t1_ns ||
	    a->streams.at[x->stream].content_hash != b->streams.at[y->stream].content_hash ||
	    strcmp(a->tree.strings.text.at[x->comm], b->tree.strings.text.at[y->comm]) != 0)
		fail_msg("seed %lu: another symptom", world->seed);
}

static void check_digests(const struct world *world, const struct lode_digest *a,
			  const struct lode_digest *b)
{
	assert_int_equal(a->streams.n, b->streams.n);
	assert_int_equal(a->symptoms.n, b->symptoms.n);
	assert_int_equal(a->n_events, b->n_events);
	assert_string_equal(a->unit ? a->unit : "", b->unit ? b->unit : "");
	for (size_t i = 0; i < a->streams.n; i++) {
		assert_int_equal(a->streams.at[i].content_hash, b->streams.at[i].content_hash);
		assert_string_equal(a->tree.strings.text.at[a->streams.at[i].path],
				    b->tree.strings.text.at[b->streams.at[i].path]);
	}
	for (uint32_t i = 0; i < a->symptoms.n; i++)
		check_symptom(world, a, i, b, i);
}

static void check_costs(const struct world *world, const struct lode_coverage_job *a,
			const struct lode_coverage_job *b)
{
	const struct lode_coverage *x = &a->coverage, *y = &b->coverage;

	assert_memory_equal(&x->all, &y->all, sizeof(x->all));
	assert_int_equal(x->n_signatures, y->n_signatures);
	for (size_t i = 0; i < x->n_signatures; i++) {
		struct lode_signature_cost p = x->signatures[i], q = y->signatures[i];

		check_symptom(world, a->streams.job.digest, p.worst_symptom, b->streams.job.digest,
			      q.worst_symptom);
		if (memcmp(&p, &q, sizeof(p)) != 0)
			fail_msg("seed %lu: signature %s: %ld is not %ld", world->seed,
				 a->signatures->list.at[i].name, p.total_ns, q.total_ns);
	}
	assert_int_equal(x->n_streams, y->n_streams);
	assert_memory_equal(x->streams, y->streams, x->n_streams * sizeof(*x->streams));
	assert_int_equal(x->in_streams.n, y->in_streams.n);
	if (x->in_streams.n)
		assert_memory_equal(x->in_streams.at, y->in_streams.at,
				    x->in_streams.n * sizeof(*x->in_streams.at));
}

static void check_rest(const struct lode_coverage_job *a, const struct lode_coverage_job *b)
{
	const struct lode_signature_trend *x = &a->trend, *y = &b->trend;
	const struct lode_digest_job *p = &a->streams.job, *q = &b->streams.job;

	assert_int_equal(x->n_groups, y->n_groups);
	for (size_t i = 0; i < x->n_groups; i++)
		assert_string_equal(a->groups[i], b->groups[i]);
	if (x->n_groups) {
		assert_memory_equal(x->groups, y->groups, x->n_groups * sizeof(*x->groups));
		assert_memory_equal(x->n_streams, y->n_streams,
				    x->n_groups * sizeof(*x->n_streams));
		if (x->n_signatures)
			assert_memory_equal(x->cells, y->cells,
					    x->n_groups * x->n_signatures * sizeof(*x->cells));
	}
	assert_int_equal(p->incomplete.n, q->incomplete.n);
	for (size_t i = 0; i < p->incomplete.n; i++) {
		assert_string_equal(p->incomplete.at[i].path, q->incomplete.at[i].path);
		assert_string_equal(p->incomplete.at[i].reason, q->incomplete.at[i].reason);
	}
	assert_int_equal(p->n_inputs, q->n_inputs);
	assert_int_equal(p->input_bytes, q->input_bytes);
}

static void check_both_ways(struct world *world, const char *where, const char *by)
{
	struct lode_coverage_job kept, full;
	int rc = run(&kept, world, where, by, LODE_COVERAGE_WITHOUT_STACKS);

	assert_int_equal(rc, run(&full, world, where, by, LODE_COVERAGE_STACKS));
	assert_int_equal(!kept.streams.job.digest, !full.streams.job.digest);
	if (kept.streams.job.digest && rc == 0) {
		assert_true(kept.streams.has_covers);
		check_digests(world, full.streams.job.digest, kept.streams.job.digest);
		check_costs(world, &full, &kept);
		check_rest(&full, &kept);
	}
	lode_coverage_job_release(&kept);
	lode_coverage_job_release(&full);
}

static void check_world(struct world *world, struct rng *rng)
{
	static const char *const wheres[] = {NULL, "host=app", "symptoms>1", "not comm=disk"};
	static const char *const bys[] = {NULL, "host", "kernel"};

	check_both_ways(world, wheres[rng_below(rng, 4)], bys[rng_below(rng, 3)]);
	if (rng_chance(rng, 30))
		check_both_ways(world, NULL, NULL);
}

static void costs_are_those_of_a_full_computation(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= N_SEQUENCES; seed++) {
		struct world *world = make_world(seed);
		struct rng rng = {seed * 77};

		for (int i = 0; i < N_STEPS; i++) {
			step(world, &rng);
			if (rng_chance(&rng, 70))
				check_world(world, &rng);
		}
		check_both_ways(world, NULL, "host");
		free_world(world);
	}
}

/* ---- What is kept ---- */

static int64_t number(const struct world *world, const char *sql)
{
	int64_t n;

	CHECK(world, lode_repo_number(&n, world->repo, sql, &err));
	return n;
}

static const char n_covers[] = "SELECT count(*) FROM segment_cover";
static const char n_segments[] = "SELECT count(*) FROM segment";

/* Segments of the recordings first, first + 1, ... */
static void add_range(struct world *world, size_t first, size_t n)
{
	const struct lode_digest *some[N_DIGESTS];

	for (size_t i = 0; i < n; i++)
		some[i] = world->digests[first + i];
	add(world, some, n, false);
	CHECK(world, lode_repo_settle(world->repo, &err));
}

static void forget_first(struct world *world)
{
	struct lode_repo_streams streams = {0};
	size_t n = 0;

	CHECK(world, lode_repo_find(&streams, world->repo, NULL, &err));
	for (size_t i = 0; i < streams.list.n; i++)
		if (streams.list.at[i].row == 1)
			streams.list.at[n++] = streams.list.at[i];
	assert_int_equal(n, 1);
	streams.list.n = n;
	CHECK(world, lode_repo_forget(world->repo, &streams, &err));
	lode_repo_streams_release(&streams);
}

static void only_what_has_changed_is_read_again(void **state)
{
	struct world *world = make_world(5);
	struct rng rng = {5};

	(void)state;
	add_signature(world, &rng, "a");
	add_range(world, 0, 16);
	add_range(world, 16, 16);
	add_range(world, 32, 20);
	assert_int_equal(number(world, n_segments), 3);
	check_both_ways(world, NULL, NULL);
	assert_int_equal(number(world, n_covers), 3);
	/* Covers that are there stay as they are: what is not read cannot be written. */
	CHECK(world, lode_repo_exec(world->repo,
				    "CREATE TABLE was AS SELECT rowid AS id, * FROM segment_cover;"
				    "UPDATE segment_cover SET signatures = signatures || ',999'",
				    &err));
	forget_first(world);
	assert_int_equal(number(world, n_covers), 2);
	add_range(world, 60, 16);
	check_both_ways(world, NULL, NULL);
	assert_int_equal(number(world, n_covers), 4);
	assert_int_equal(number(world, "SELECT count(*) FROM segment_cover"
				       " WHERE signatures LIKE '%,999'"),
			 2);
	/* Neither one that is gone, nor another state or name, needs new ones. */
	world->signatures.list.at[0].is_retired = !world->signatures.list.at[0].is_retired;
	check_both_ways(world, NULL, NULL);
	assert_int_equal(number(world, "SELECT count(*) FROM segment_cover"
				       " WHERE signatures LIKE '%,999'"),
			 2);
	lode_signatures_remove(&world->signatures, &world->signatures.list.at[0]);
	check_both_ways(world, NULL, NULL);
	assert_int_equal(number(world, "SELECT count(*) FROM segment_cover"
				       " WHERE signatures LIKE '%,999'"),
			 2);
	/* A new one does. */
	add_signature(world, &rng, "b");
	add_signature(world, &rng, "c");
	check_both_ways(world, NULL, NULL);
	assert_int_equal(number(world, "SELECT count(*) FROM segment_cover"
				       " WHERE signatures LIKE '%,999'"),
			 0);
	free_world(world);
}

static struct lode_digest *as_it_is(void *context, struct lode_digest *digest)
{
	(void)context;
	return digest;
}

/* What was made of a segment that others have changed meanwhile is not its cover. */
static void a_cover_of_an_older_edition_is_not_kept(void **state)
{
	struct world *world = make_world(6);
	const struct lode_repo_cover_form form = {.make = as_it_is};
	struct lode_repo_made_covers made = {0};
	struct lode_repo_read_options options = {.n_threads = 1, .covers = &form, .made = &made};
	struct lode_repo_streams streams = {0};
	struct lode_digest_origin origin = {0};
	struct lode_digest *digest;

	(void)state;
	add_range(world, 0, 16);
	CHECK(world, lode_repo_find(&streams, world->repo, NULL, &err));
	CHECK(world, lode_repo_read(&digest, &origin, world->repo, &streams, &options, &err));
	assert_int_equal(made.list.n, 1);
	forget_first(world);
	CHECK(world, lode_repo_keep_covers(world->path, &form, &made, &err));
	assert_int_equal(number(world, n_segments), 1);
	assert_int_equal(number(world, n_covers), 0);
	lode_repo_made_covers_release(&made);
	lode_repo_streams_release(&streams);
	lode_digest_origin_release(&origin);
	lode_digest_free(digest);
	free_world(world);
}

static void check_soundness(struct world *world, bool is_sound)
{
	struct lode_repo_check check;

	CHECK(world, lode_repo_check(&check, world->repo, &err));
	assert_int_equal(check.n_faults == 0, is_sound);
	lode_repo_check_release(&check);
}

static void a_damaged_cover_is_made_again(void **state)
{
	static const char *const damages[] = {
		"UPDATE segment_cover SET content = substr(content, 1, length(content) - 9)",
		"UPDATE segment_cover SET content = x'00'",
		"UPDATE segment_cover SET content ="
		" (SELECT content FROM segment_cover AS o WHERE o.segment <> "
		"segment_cover.segment)",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(damages) / sizeof(*damages); i++) {
		struct world *world = make_world(7 + i);
		struct rng rng = {7};

		add_signature(world, &rng, "a");
		add_range(world, 0, 16);
		add_range(world, 16, 16);
		check_both_ways(world, NULL, NULL);
		assert_int_equal(number(world, n_covers), 2);
		check_soundness(world, true);
		CHECK(world, lode_repo_exec(world->repo, damages[i], &err));
		check_soundness(world, false);
		check_both_ways(world, NULL, NULL);
		assert_int_equal(number(world, n_covers), 2);
		check_both_ways(world, NULL, NULL);
		check_soundness(world, true);
		free_world(world);
	}
}

/* ---- Killed ---- */

static void child(struct world *world, uint64_t seed)
{
	struct rng rng = {seed};
	struct lode_coverage_job job;

	open_world(world);
	CHECK(world, lode_repo_exec(world->repo, "PRAGMA wal_autocheckpoint = 20", &err));
	for (;;) {
		step(world, &rng);
		run(&job, world, NULL, NULL, LODE_COVERAGE_WITHOUT_STACKS);
		lode_coverage_job_release(&job);
	}
}

static void killed_at_any_time_it_keeps_nothing_wrong(void **state)
{
	struct world *world = make_world(11);
	struct rng rng = {11};

	(void)state;
	for (uint64_t seed = 1; seed <= N_KILLS; seed++) {
		struct timespec pause = {.tv_nsec = 1000L * (long)rng_below(&rng, 60000)};
		int status;
		pid_t pid;

		lode_repo_close(world->repo);
		world->repo = NULL;
		pid = fork();
		assert_true(pid >= 0);
		if (pid == 0) {
			child(world, seed);
			_exit(0);
		}
		nanosleep(&pause, NULL);
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status));
		open_world(world);
		sign(world, &rng);
		check_both_ways(world, NULL, "host");
	}
	free_world(world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(costs_are_those_of_a_full_computation),
		cmocka_unit_test(only_what_has_changed_is_read_again),
		cmocka_unit_test(a_cover_of_an_older_edition_is_not_kept),
		cmocka_unit_test(a_damaged_cover_is_made_again),
		cmocka_unit_test(killed_at_any_time_it_keeps_nothing_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
