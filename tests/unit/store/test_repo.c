/* store/repo.h, store/repo_intake.h: what is added is found and read, whatever the order, and
 * forgotten without trace. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/digest_canonical.h"
#include "store/repo_care.h"
#include "store/repo_intake.h"
#include "store/repo_segments.h"
#include "unit/model/random_digest.h"
#include "scratch.h"

enum { MAX_DIGESTS = 320 };

#define CHECK(call, err)                                                          \
	do {                                                                      \
		if ((call) < 0)                                                   \
			fail_msg("%s: %s: %s", #call, (err).path, (err).message); \
	} while (0)

static struct lode_repo *open_repo(const char *path)
{
	struct lode_repo *repo;
	struct lode_error err;

	CHECK(lode_repo_open(&repo, path, LODE_REPO_CREATE, &err), err);
	/* Whether it survives a power failure is not what these tests ask. */
	CHECK(lode_repo_exec(repo, "PRAGMA synchronous = OFF", &err), err);
	return repo;
}

static struct lode_digest *copy_of(const struct lode_digest *digest)
{
	struct lode_digest *copy = lode_digest_new();

	lode_digest_merge(copy, digest);
	return copy;
}

static struct lode_repo_entry *entry_of(const struct lode_digest *digest, int number,
					const struct lode_repo_label *labels, size_t n_labels)
{
	struct lode_digest_origin origin = {0};
	struct lode_repo_source source = {.path = "/x", .key = (uint64_t)number + 1};
	struct lode_repo_entry *entry;

	lode_digest_origin_set(&origin, "--scope critical\n", "all");
	source.file_ns = 1000000000LL * number;
	origin.input_bytes = 10;
	origin.content_bytes = 100;
	entry = lode_repo_entry_new(copy_of(digest), &origin, &source, labels, n_labels, NULL);
	lode_digest_origin_release(&origin);
	return entry;
}

/* Adds digests[order[i]] in transactions of random size. */
static void add_all(struct rng *rng, struct lode_repo *repo, struct lode_digest *const *digests,
		    const size_t *order, size_t n, enum lode_repo_added want)
{
	struct lode_repo_entry *entries[MAX_DIGESTS];
	enum lode_repo_added added[MAX_DIGESTS];
	struct lode_error err;
	size_t many;

	for (size_t i = 0; i < n; i += many) {
		many = 1 + rng_below(rng, rng_chance(rng, 50) ? 3 : 200);
		if (many > n - i)
			many = n - i;
		for (size_t k = 0; k < many; k++)
			entries[k] = entry_of(digests[order[i + k]], (int)order[i + k], NULL, 0);
		CHECK(lode_repo_add(repo, entries, many, false, added, &err), err);
		for (size_t k = 0; k < many; k++) {
			assert_int_equal(added[k], want);
			lode_repo_entry_free(entries[k]);
		}
		CHECK(lode_repo_settle(repo, &err), err);
	}
}

static void shuffle(struct rng *rng, size_t *order, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t k = rng_below(rng, (uint32_t)i + 1);

		order[i] = order[k];
		order[k] = i;
	}
}

static void check_same_bytes(const struct lode_digest *a, const struct lode_digest *b,
			     uint64_t seed)
{
	struct lode_digest_origin origin = {0};
	lode_byte_vec x = {0}, y = {0};

	lode_digest_pack(&x, a, &origin, 1);
	lode_digest_pack(&y, b, &origin, 1);
	if (x.n != y.n || memcmp(x.at, y.at, x.n) != 0)
		fail_msg("seed %lu: the digests differ", seed);
	lode_vec_release(&x);
	lode_vec_release(&y);
}

/* All digests merged, of those streams that are chosen. */
static struct lode_digest *expected(struct lode_digest *const *digests, const bool *is_there,
				    const bool *is_chosen, size_t n)
{
	struct lode_digest *all = lode_digest_new(), *canonical;
	bool *keep = lode_alloc0(n + 1, sizeof(*keep));
	size_t m = 0;

	for (size_t i = 0; i < n; i++)
		if (is_there[i]) {
			keep[m++] = is_chosen[i];
			lode_digest_merge(all, digests[i]);
		}
	canonical = lode_digest_canonical(all, keep);
	lode_digest_free(all);
	free(keep);
	return canonical;
}

/* Those of `from` whose digests are chosen. */
static struct lode_repo_streams choose(const struct lode_repo_streams *from,
				       struct lode_digest *const *digests, const bool *is_chosen,
				       size_t n)
{
	struct lode_repo_streams chosen = {0};

	for (size_t i = 0; i < from->list.n; i++)
		for (size_t k = 0; k < n; k++)
			if (is_chosen[k] &&
			    digests[k]->streams.at[0].content_hash == from->list.at[i].content_hash)
				lode_vec_append(&chosen.list, from->list.at[i]);
	return chosen;
}

static void count_streams(void *context, size_t n_done, size_t n_streams)
{
	size_t *n_read = context;

	assert_true(n_done >= *n_read && n_done <= n_streams);
	*n_read = n_done;
}

static void check_reading(struct lode_repo *repo, struct lode_digest *const *digests,
			  const bool *is_there, const bool *is_chosen, size_t n, uint64_t seed)
{
	struct lode_digest_origin origin = {0};
	struct lode_repo_streams all = {0}, chosen;
	struct lode_digest *want, *got;
	struct lode_error err;
	size_t n_there = 0, n_read = 0;

	CHECK(lode_repo_find(&all, repo, NULL, &err), err);
	for (size_t i = 0; i < n; i++) {
		n_there += is_there[i];
		assert_int_equal(lode_repo_has_any(repo, digests[i], &err), is_there[i]);
	}
	assert_int_equal(all.list.n, n_there);
	chosen = choose(&all, digests, is_chosen, n);
	/* Each progress is that of more streams; the last is that of all. */
	CHECK(lode_repo_read(&got, &origin, repo, &chosen,
			     &(struct lode_repo_read_options){2, count_streams, &n_read}, &err),
	      err);
	assert_int_equal(n_read, chosen.list.n);
	if (chosen.list.n) {
		want = expected(digests, is_there, is_chosen, n);
		check_same_bytes(got, want, seed);
		assert_string_equal(origin.shape, "--scope critical\n");
		assert_int_equal(origin.n_inputs, chosen.list.n);
		assert_int_equal(origin.input_bytes, 10 * (int64_t)chosen.list.n);
		lode_digest_free(want);
	} else {
		assert_null(got);
	}
	lode_digest_free(got);
	lode_digest_origin_release(&origin);
	lode_vec_release(&chosen.list);
	lode_repo_streams_release(&all);
}

/* All digests have one unit: with several, that of the names alone would show. */
static void make_digests(struct rng *rng, struct lode_digest **digests, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		digests[i] = random_digest(rng, (int)i);
		digests[i]->unit = "ns";
	}
}

static void reads_what_was_added_in_any_order(void **state)
{
	for (uint64_t seed = 1; seed <= 12; seed++) {
		struct rng rng = {seed};
		struct lode_digest *digests[MAX_DIGESTS];
		size_t order[MAX_DIGESTS];
		bool is_there[MAX_DIGESTS], is_chosen[MAX_DIGESTS];
		size_t n = seed % 4 == 0 ? 260 + rng_below(&rng, 60) : 1 + rng_below(&rng, 60);
		struct lode_repo *repo = open_repo(scratch_path(*state, "r.lode"));
		char path[256];
		int64_t n_loose;
		struct lode_error err;

		if (seed % 2)
			repo->segment_bytes = 16384;
		make_digests(&rng, digests, n);
		shuffle(&rng, order, n);
		memset(is_there, true, sizeof(is_there));
		memset(is_chosen, true, sizeof(is_chosen));
		add_all(&rng, repo, digests, order, n, LODE_REPO_ADDED);
		check_reading(repo, digests, is_there, is_chosen, n, seed);
		/* A second time changes nothing. */
		shuffle(&rng, order, n);
		add_all(&rng, repo, digests, order, n, LODE_REPO_THERE);
		check_reading(repo, digests, is_there, is_chosen, n, seed);
		/* 15 at most lie beside segments, and in each level. */
		lode_repo_number(&n_loose, repo,
				 "SELECT count(*) FROM digest WHERE segment IS NULL", &err);
		assert_true(n_loose < 16);
		for (uint32_t percent = 5; percent < 100; percent += 30) {
			for (size_t i = 0; i < n; i++)
				is_chosen[i] = rng_chance(&rng, percent);
			check_reading(repo, digests, is_there, is_chosen, n, seed);
		}
		snprintf(path, sizeof(path), "%s", lode_repo_path(repo));
		lode_repo_close(repo);
		assert_int_equal(remove(path), 0);
		for (size_t i = 0; i < n; i++)
			lode_digest_free(digests[i]);
	}
}

static void what_is_forgotten_leaves_no_trace(void **state)
{
	for (uint64_t seed = 1; seed <= 12; seed++) {
		struct rng rng = {seed};
		struct lode_digest *digests[MAX_DIGESTS];
		size_t order[MAX_DIGESTS];
		bool is_there[MAX_DIGESTS], is_chosen[MAX_DIGESTS], is_gone[MAX_DIGESTS];
		size_t n = 20 + rng_below(&rng, seed % 4 == 0 ? 280 : 40);
		struct lode_repo *repo = open_repo(scratch_path(*state, "r.lode"));
		char path[256];
		struct lode_error err;
		int64_t left;

		if (seed % 2)
			repo->segment_bytes = 16384;
		make_digests(&rng, digests, n);
		shuffle(&rng, order, n);
		memset(is_there, true, sizeof(is_there));
		add_all(&rng, repo, digests, order, n, LODE_REPO_ADDED);
		for (int round = 0; round < 3; round++) {
			struct lode_repo_streams all = {0}, gone;

			for (size_t i = 0; i < n; i++) {
				is_gone[i] = is_there[i] && (round == 2 || rng_chance(&rng, 30));
				is_there[i] &= !is_gone[i];
				is_chosen[i] = is_there[i] && rng_chance(&rng, 60);
			}
			CHECK(lode_repo_find(&all, repo, NULL, &err), err);
			gone = choose(&all, digests, is_gone, n);
			CHECK(lode_repo_forget(repo, &gone, &err), err);
			lode_vec_release(&gone.list);
			lode_repo_streams_release(&all);
			check_reading(repo, digests, is_there, is_there, n, seed);
			check_reading(repo, digests, is_there, is_chosen, n, seed);
		}
		lode_repo_number(&left, repo,
				 "SELECT (SELECT count(*) FROM stream) + (SELECT count(*) FROM"
				 " digest_content) + (SELECT count(*) FROM segment_content) +"
				 " (SELECT count(*) FROM symptom)",
				 &err);
		assert_int_equal(left, 0);
		snprintf(path, sizeof(path), "%s", lode_repo_path(repo));
		lode_repo_close(repo);
		assert_int_equal(remove(path), 0);
		for (size_t i = 0; i < n; i++)
			lode_digest_free(digests[i]);
	}
}

static void streams_know_their_labels_and_times(void **state)
{
	static const struct lode_repo_label labels[] = {{"release", "2.1"}, {"arch", "x86"}};
	struct lode_repo *repo = open_repo(scratch_path(*state, "r.lode"));
	struct rng rng = {1};
	struct lode_repo_streams all = {0};
	struct lode_repo_entry *entry;
	struct lode_digest *digest = random_digest(&rng, 0);
	struct lode_digest_stream *stream = &digest->streams.at[0];
	enum lode_repo_added added;
	struct lode_error err;

	stream->has_wall_clock = true;
	stream->t0_ns = 50;
	stream->t1_ns = 80;
	stream->wall_offset_ns = 1000;
	entry = entry_of(digest, 7, labels, 2);
	CHECK(lode_repo_add(repo, &entry, 1, false, &added, &err), err);
	lode_repo_entry_free(entry);
	CHECK(lode_repo_find(&all, repo, NULL, &err), err);
	assert_int_equal(all.list.n, 1);
	assert_int_equal(all.list.at[0].time_ns, 1050);
	assert_true(all.list.at[0].is_clock);
	assert_int_equal(all.list.at[0].length_ns, 30);
	assert_int_equal(all.list.at[0].n_symptoms, digest->symptoms.n);
	assert_string_equal(lode_repo_stream_label(&all.list.at[0], "release"), "2.1");
	assert_null(lode_repo_stream_label(&all.list.at[0], "none"));
	assert_int_equal(lode_repo_has_source(repo, "/x", 8, 1, &err), 1);
	assert_int_equal(lode_repo_has_source(repo, "/x", 9, 1, &err), 0);
	assert_int_equal(lode_repo_has_source(repo, "/x", 8, 0, &err), 0);
	CHECK(lode_repo_set_label(repo, &all, "release", "2.2", &err), err);
	CHECK(lode_repo_set_label(repo, &all, "arch", NULL, &err), err);
	lode_repo_streams_release(&all);
	CHECK(lode_repo_find(&all, repo, NULL, &err), err);
	assert_string_equal(lode_repo_stream_label(&all.list.at[0], "release"), "2.2");
	assert_null(lode_repo_stream_label(&all.list.at[0], "arch"));
	lode_repo_streams_release(&all);
	lode_digest_free(digest);
	lode_repo_close(repo);
}

/* Compacted: segments end at a size, and are what their digests come to. */
static void segments_end_at_their_size(void **state)
{
	enum { N = 300, MOST = 12000 };
	struct lode_repo *repo = open_repo(scratch_path(*state, "r.lode"));
	struct rng rng = {11};
	struct lode_digest *digests[N];
	size_t order[N];
	bool is_there[N];
	struct lode_repo_check check;
	struct lode_error err;
	int64_t n_segments, n_loose, largest, most = 0;

	make_digests(&rng, digests, N);
	shuffle(&rng, order, N);
	memset(is_there, true, sizeof(is_there));
	add_all(&rng, repo, digests, order, N, LODE_REPO_ADDED);
	CHECK(lode_repo_compact(repo, true, &err), err);
	lode_repo_number(&n_segments, repo, "SELECT count(*) FROM segment", &err);
	assert_int_equal(n_segments, 1);
	for (int round = 0; round < 3; round++) {
		repo->segment_bytes = MOST << round;
		CHECK(lode_repo_compact(repo, round == 0, &err), err);
		lode_repo_number(&n_segments, repo, "SELECT count(*) FROM segment", &err);
		/* Of digests the size is guessed before they are merged; of segments it is known.
		 */
		most = most > repo->segment_bytes ? most : repo->segment_bytes;
		lode_repo_number(&largest, repo, "SELECT max(n_bytes) FROM segment", &err);
		assert_true(round == 0 || largest <= most);
		most = largest;
		lode_repo_number(&n_loose, repo,
				 "SELECT count(*) FROM digest WHERE segment IS NULL", &err);
		assert_true(n_loose < 16);
		if (round == 0)
			assert_true(n_segments > 1);
		check_reading(repo, digests, is_there, is_there, N, (uint64_t)round);
		CHECK(lode_repo_check(&check, repo, &err), err);
		assert_int_equal(check.n_faults, 0);
		assert_int_equal(check.n_digests, N);
		assert_int_equal(check.n_segments, n_segments);
		lode_repo_check_release(&check);
	}
	for (size_t i = 0; i < N; i++)
		lode_digest_free(digests[i]);
	lode_repo_close(repo);
}

/* A new digest of a stream that is there takes the place of the old one, also in segments. */
static void a_digest_is_replaced(void **state)
{
	struct lode_repo *repo = open_repo(scratch_path(*state, "r.lode"));
	struct rng rng = {5};
	struct lode_digest *digests[20], *other;
	size_t order[20];
	bool is_there[20];
	struct lode_repo_entry *entry;
	enum lode_repo_added added;
	struct lode_error err;

	make_digests(&rng, digests, 20);
	shuffle(&rng, order, 20);
	memset(is_there, true, sizeof(is_there));
	add_all(&rng, repo, digests, order, 20, LODE_REPO_ADDED);
	for (size_t i = 0; i < 20; i += 3) {
		other = random_digest(&rng, 100 + (int)i);
		other->unit = "ns";
		other->streams.at[0].content_hash = digests[i]->streams.at[0].content_hash;
		lode_digest_free(digests[i]);
		digests[i] = other;
		entry = entry_of(other, (int)i, NULL, 0);
		CHECK(lode_repo_add(repo, &entry, 1, true, &added, &err), err);
		assert_int_equal(added, LODE_REPO_REPLACED);
		lode_repo_entry_free(entry);
		if (i % 2)
			CHECK(lode_repo_settle(repo, &err), err);
		check_reading(repo, digests, is_there, is_there, 20, i);
	}
	for (size_t i = 0; i < 20; i++)
		lode_digest_free(digests[i]);
	lode_repo_close(repo);
}

static void merged_digests_come_whole(void **state)
{
	struct lode_repo *repo = open_repo(scratch_path(*state, "r.lode"));
	struct rng rng = {9};
	struct lode_digest *digests[4], *pair, *left;
	struct lode_repo_entry *entries[3];
	enum lode_repo_added added[3];
	struct lode_repo_streams all = {0}, one = {0};
	struct lode_digest_origin origin = {0};
	struct lode_error err;
	bool keep[3] = {true, true, true};

	make_digests(&rng, digests, 4);
	pair = copy_of(digests[0]);
	lode_digest_merge(pair, digests[1]);
	entries[0] = entry_of(pair, 1, NULL, 0);
	entries[1] = entry_of(digests[1], 2, NULL, 0);
	lode_digest_merge(pair, digests[2]);
	entries[2] = entry_of(pair, 3, NULL, 0);
	CHECK(lode_repo_add(repo, entries, 3, false, added, &err), err);
	assert_int_equal(added[0], LODE_REPO_ADDED);
	assert_int_equal(added[1], LODE_REPO_THERE);
	assert_int_equal(added[2], LODE_REPO_OVERLAPS);
	for (int i = 0; i < 3; i++)
		lode_repo_entry_free(entries[i]);
	CHECK(lode_repo_find(&all, repo, NULL, &err), err);
	assert_int_equal(all.list.n, 2);
	/* Half of it goes: its names stay. */
	lode_vec_append(&one.list, all.list.at[0]);
	CHECK(lode_repo_forget(repo, &one, &err), err);
	one.list.n = 0;
	CHECK(lode_repo_find(&one, repo, NULL, &err), err);
	assert_int_equal(one.list.n, 1);
	CHECK(lode_repo_read(&left, &origin, repo, &one,
			     &(struct lode_repo_read_options){.n_threads = 1}, &err),
	      err);
	lode_digest_free(pair);
	pair = copy_of(digests[0]);
	lode_digest_merge(pair, digests[1]);
	for (int i = 0; i < 2; i++)
		keep[i] = pair->streams.at[i].content_hash == one.list.at[0].content_hash;
	{
		struct lode_digest *want = lode_digest_canonical(pair, keep);

		check_same_bytes(left, want, 9);
		lode_digest_free(want);
	}
	CHECK(lode_repo_forget(repo, &one, &err), err);
	lode_repo_streams_release(&one);
	lode_repo_streams_release(&all);
	CHECK(lode_repo_find(&all, repo, NULL, &err), err);
	assert_int_equal(all.list.n, 0);
	lode_digest_free(left);
	lode_digest_free(pair);
	lode_digest_origin_release(&origin);
	for (int i = 0; i < 4; i++)
		lode_digest_free(digests[i]);
	lode_repo_close(repo);
}

static void other_shapes_are_refused(void **state)
{
	struct lode_repo *repo = open_repo(scratch_path(*state, "r.lode"));
	struct rng rng = {3};
	struct lode_digest *a = random_digest(&rng, 0), *b = random_digest(&rng, 1);
	struct lode_digest_origin origin = {0};
	struct lode_repo_source source = {.path = "b"};
	struct lode_repo_entry *entries[2];
	enum lode_repo_added added[2];
	struct lode_error err;
	int64_t n;

	lode_digest_origin_set(&origin, "--scope graph\n", "all");
	entries[0] = entry_of(a, 0, NULL, 0);
	entries[1] = lode_repo_entry_new(copy_of(b), &origin, &source, NULL, 0, NULL);
	/* All or none: the first of the two is not there either. */
	assert_int_equal(lode_repo_add(repo, entries, 2, false, added, &err), LODE_ERR_ARG);
	assert_null(lode_repo_shape(repo));
	lode_repo_number(&n, repo, "SELECT count(*) FROM stream", &err);
	assert_int_equal(n, 0);
	CHECK(lode_repo_add(repo, entries, 1, false, added, &err), err);
	assert_string_equal(lode_repo_shape(repo), "--scope critical\n");
	assert_int_equal(lode_repo_add(repo, entries + 1, 1, false, added, &err), LODE_ERR_ARG);
	lode_repo_entry_free(entries[0]);
	lode_repo_entry_free(entries[1]);
	lode_digest_origin_release(&origin);
	lode_digest_free(a);
	lode_digest_free(b);
	lode_repo_close(repo);
}

enum { N_KINDS = 5, N_INPUTS = 30 };

/* Of each input: what the intake said of it last. */
struct told {
	size_t n, place[2 * N_INPUTS];
	enum lode_repo_added added[N_INPUTS];
};

static void note_told(void *context, const char *path, enum lode_repo_added added, size_t n_streams)
{
	struct told *told = context;
	size_t place = strtoul(path, NULL, 10);

	(void)n_streams;
	told->place[told->n++] = place;
	told->added[place] = added;
}

static void note_overtaken(void *context, size_t nth)
{
	struct told *told = context;

	assert_true(nth < told->n);
	told->added[told->place[nth]] = LODE_REPO_THERE;
}

/* An input at `place`, which is its label, source and path. */
static struct lode_repo_entry *entry_at(const struct lode_digest *digest, size_t place)
{
	struct lode_digest_origin origin = {0};
	struct lode_digest *copy = copy_of(digest);
	char text[24];
	struct lode_repo_label label = {"place", text};
	struct lode_repo_source source = {.path = text, .place = place};
	struct lode_repo_entry *entry;

	snprintf(text, sizeof(text), "%zu", place);
	lode_digest_origin_set(&origin, "--scope critical\n", "all");
	entry = lode_repo_entry_new(copy, &origin, &source, &label, 1, NULL);
	lode_digest_origin_release(&origin);
	return entry;
}

/* Puts inputs, of which input i is of kind[i], in a random order and in random transactions. */
static void put_in_any_order(struct told *told, struct rng *rng, struct lode_repo *repo,
			     struct lode_digest *const *kinds, const size_t *kind, bool replace)
{
	struct lode_repo_intake_options options = {.replace = replace,
						   .told = note_told,
						   .overtaken = note_overtaken,
						   .context = told};
	struct lode_repo_intake *intake = lode_repo_intake_new(repo, &options);
	size_t order[N_INPUTS];
	struct lode_error err;

	shuffle(rng, order, N_INPUTS);
	for (size_t i = 0; i < N_INPUTS; i++) {
		char path[24];

		snprintf(path, sizeof(path), "%zu", order[i]);
		CHECK(lode_repo_intake_put(intake, entry_at(kinds[kind[order[i]]], order[i]), path,
					   rng_chance(rng, 60), &err),
		      err);
	}
	CHECK(lode_repo_intake_flush(intake, &err), err);
	lode_repo_intake_free(intake);
	assert_int_equal(told->n, N_INPUTS);
}

/* `first`: the earliest of a kind's inputs. */
static void check_first_counts(struct lode_repo *repo, const struct lode_digest *digest,
			       bool was_there, bool replace, size_t first, uint64_t seed)
{
	struct lode_repo_streams all = {0};
	struct lode_error err;
	size_t n = 0;

	CHECK(lode_repo_find(&all, repo, NULL, &err), err);
	for (size_t i = 0; i < all.list.n; i++) {
		const struct lode_repo_stream *stream = &all.list.at[i];
		bool is_old_source = was_there && !replace;

		if (stream->content_hash != digest->streams.at[0].content_hash)
			continue;
		n++;
		if (strtoul(stream->source, NULL, 10) != (is_old_source ? 99 : first) ||
		    strtoul(lode_repo_stream_label(stream, "place"), NULL, 10) !=
			    (was_there ? 99 : first))
			fail_msg("seed %lu: of source %s, label %s; first is %zu", seed,
				 stream->source, lode_repo_stream_label(stream, "place"), first);
	}
	assert_int_equal(n, 1);
	lode_repo_streams_release(&all);
}

static void of_equal_inputs_the_first_counts(void **state)
{
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct rng rng = {seed};
		struct lode_repo *repo = open_repo(scratch_path(*state, "r.lode"));
		struct lode_digest *kinds[N_KINDS];
		bool was_there[N_KINDS], replace = rng_chance(&rng, 40), is_seen[N_KINDS] = {0};
		size_t kind[N_INPUTS];
		struct told told = {0};
		char path[256];
		struct lode_error err;

		make_digests(&rng, kinds, N_KINDS);
		for (size_t k = 0; k < N_KINDS; k++) {
			struct lode_repo_entry *entry = entry_at(kinds[k], 99);
			enum lode_repo_added added;

			was_there[k] = rng_chance(&rng, 30);
			if (was_there[k])
				CHECK(lode_repo_add(repo, &entry, 1, false, &added, &err), err);
			lode_repo_entry_free(entry);
		}
		for (size_t i = 0; i < N_INPUTS; i++)
			kind[i] = rng_below(&rng, N_KINDS);
		put_in_any_order(&told, &rng, repo, kinds, kind, replace);
		for (size_t i = 0; i < N_INPUTS; i++) {
			size_t k = kind[i];

			assert_int_equal(told.added[i], is_seen[k]	? LODE_REPO_THERE
							: !was_there[k] ? LODE_REPO_ADDED
							: replace	? LODE_REPO_REPLACED
									: LODE_REPO_THERE);
			if (!is_seen[k])
				check_first_counts(repo, kinds[k], was_there[k], replace, i, seed);
			is_seen[k] = true;
		}
		snprintf(path, sizeof(path), "%s", lode_repo_path(repo));
		lode_repo_close(repo);
		assert_int_equal(remove(path), 0);
		for (size_t k = 0; k < N_KINDS; k++)
			lode_digest_free(kinds[k]);
	}
}

int main(void)
{
#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, scratch_enter, scratch_leave)
	const struct CMUnitTest tests[] = {
		IN_SCRATCH(reads_what_was_added_in_any_order),
		IN_SCRATCH(what_is_forgotten_leaves_no_trace),
		IN_SCRATCH(streams_know_their_labels_and_times),
		IN_SCRATCH(segments_end_at_their_size),
		IN_SCRATCH(a_digest_is_replaced),
		IN_SCRATCH(merged_digests_come_whole),
		IN_SCRATCH(other_shapes_are_refused),
		IN_SCRATCH(of_equal_inputs_the_first_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
