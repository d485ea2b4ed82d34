/* store/digest_file.h: what is written is what is read; everything else is refused and said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "store/digest_columns.h"
#include "store/digest_file.h"
#include "unit/model/random_digest.h"
#include "cases.h"

/* ---- Random origins ---- */

static void random_origin(struct rng *rng, struct lode_digest_origin *origin)
{
	memset(origin, 0, sizeof(*origin));
	lode_digest_origin_set(origin, rng_chance(rng, 80) ? "scope=graph\nstacks=own\n" : "",
			       rng_chance(rng, 80) ? "main threads of git" : "");
	origin->key = rng_next(rng) >> rng_below(rng, 64);
	origin->n_inputs = rng_below(rng, 5);
	origin->n_beside = rng_below(rng, 5);
	origin->input_bytes = (int64_t)(rng_next(rng) >> 1 >> rng_below(rng, 63));
	origin->content_bytes = (int64_t)(rng_next(rng) >> 1 >> rng_below(rng, 63));
	for (uint32_t n = rng_below(rng, 3); n; n--)
		lode_digest_origin_skip(origin, n == 1 ? "a\nb" : "", "not a recording");
}

static void check_same_origin(const struct lode_digest_origin *a,
			      const struct lode_digest_origin *b)
{
	assert_string_equal(a->shape, b->shape);
	assert_string_equal(a->symptom_text, b->symptom_text);
	assert_true(a->key == b->key);
	assert_true(a->n_inputs == b->n_inputs && a->n_beside == b->n_beside);
	assert_true(a->input_bytes == b->input_bytes);
	assert_true(a->content_bytes == b->content_bytes);
	assert_int_equal(a->skipped.n, b->skipped.n);
	for (size_t i = 0; i < a->skipped.n; i++) {
		assert_string_equal(a->skipped.at[i].path, b->skipped.at[i].path);
		assert_string_equal(a->skipped.at[i].reason, b->skipped.at[i].reason);
	}
}

/* ---- Random digests, now and then with numbers at their limits ---- */

static int64_t wild(struct rng *rng)
{
	switch (rng_below(rng, 4)) {
	case 0:
		return INT64_MIN;
	case 1:
		return INT64_MAX;
	default:
		return (int64_t)rng_next(rng);
	}
}

static void make_wild(struct rng *rng, struct lode_digest *digest)
{
	struct lode_digest_stream *stream = &digest->streams.at[0];

	stream->content_hash = rng_next(rng);
	stream->t0_ns = wild(rng);
	stream->t1_ns = wild(rng);
	stream->lost_cost_ns = wild(rng);
	stream->n_records = rng_chance(rng, 50) ? rng_next(rng) : 0;
	if (stream->has_wall_clock)
		stream->wall_offset_ns = wild(rng);
	for (size_t i = 0; i < digest->losses.n; i++) {
		struct lode_loss_note *loss = &digest->losses.at[i];

		loss->count = rng_next(rng) | 1;
		loss->offset = wild(rng);
		loss->first_ns = wild(rng);
		loss->last_ns = wild(rng);
		loss->cost_ns = wild(rng);
	}
	for (size_t i = 0; i < digest->symptoms.n; i++) {
		struct lode_digest_symptom *symptom = &digest->symptoms.at[i];

		symptom->pid = (int32_t)wild(rng);
		symptom->tid = (int32_t)wild(rng);
		symptom->t0_ns = wild(rng) & ~0xffff;
		symptom->t1_ns = symptom->t0_ns + rng_below(rng, 0xffff);
	}
	for (size_t i = 0; i < digest->rows.n; i++) {
		struct lode_digest_row *row = &digest->rows.at[i];

		row->cost_ns = wild(rng) & INT64_MAX >> 8;
		row->n_runners = 0;
		row->unsampled_ns =
			row->kind == LODE_EVENT_RUNNING
				? (int64_t)(rng_next(rng) % (uint64_t)(row->cost_ns + 1))
				: 0;
		row->n_events = (uint32_t)wild(rng);
		row->n_alone = (uint32_t)wild(rng);
		row->worst_t0_ns = wild(rng);
		row->worst_cost_ns = wild(rng);
	}
	for (size_t i = 0; i < digest->names.pairs.n; i++)
		if (rng_chance(rng, 10))
			digest->names.pairs.at[i].n = (uint64_t)wild(rng);
	for (size_t i = 0; i < digest->names.n_with.n; i++)
		if (rng_chance(rng, 10))
			digest->names.n_with.at[i] = (uint64_t)wild(rng);
	digest->n_events = (uint64_t)wild(rng);
	lode_strings_intern(&digest->tree.strings, "\0nul\0\0inside", 12);
	lode_strings_intern(&digest->tree.strings, "\0", 1);
	lode_strings_intern(&digest->tree.strings, "\0\0", 2);
}

static struct lode_digest *any_digest(struct rng *rng, int number)
{
	struct lode_digest *digest = random_digest(rng, number);

	if (rng_chance(rng, 40))
		make_wild(rng, digest);
	return digest;
}

static void pack(lode_byte_vec *out, const struct lode_digest *digest,
		 const struct lode_digest_origin *origin)
{
	static const struct lode_digest_origin none = {.shape = "", .symptom_text = ""};

	lode_digest_pack(out, digest, origin ? origin : &none, LODE_DIGEST_LEVEL_MEMORY);
}

static struct lode_digest *unpack(const lode_byte_vec *data, struct lode_digest_origin *origin)
{
	struct lode_digest_origin ignored = {0};
	struct lode_digest *digest;
	struct lode_error err = {0};
	char text[1200];

	if (lode_digest_unpack(&digest, origin ? origin : &ignored, data->at, data->n, "x.digest",
			       &err) < 0)
		fail_msg("%s", lode_error_text(&err, text, sizeof(text)));
	lode_digest_origin_release(&ignored);
	return digest;
}

/* Not only the same content: the same ids. */
static void check_same_ids(const struct lode_digest *a, const struct lode_digest *b, uint64_t seed)
{
	const struct lode_calltree *s = &a->tree, *t = &b->tree;
	bool same = s->strings.text.n <= t->strings.text.n && s->frames.n == t->frames.n &&
		    s->nodes.n == t->nodes.n && a->rows.n == b->rows.n;

	for (size_t i = 0; same && i < s->strings.text.n; i++)
		same = s->strings.len.at[i] == t->strings.len.at[i] &&
		       !memcmp(s->strings.text.at[i], t->strings.text.at[i],
			       s->strings.len.at[i] + 1);
	for (size_t i = 0; same && i < s->frames.n; i++)
		same = s->frames.at[i].module == t->frames.at[i].module &&
		       s->frames.at[i].function == t->frames.at[i].function &&
		       s->frames.at[i].flags == t->frames.at[i].flags;
	for (size_t i = 0; same && i < s->nodes.n; i++)
		same = s->nodes.at[i].parent == t->nodes.at[i].parent &&
		       s->nodes.at[i].frame == t->nodes.at[i].frame &&
		       s->nodes.at[i].depth == t->nodes.at[i].depth;
	for (size_t i = 0; same && i < a->rows.n; i++)
		same = lode_digest_row_compare(&a->rows.at[i], &b->rows.at[i]) == 0;
	if (!same)
		fail_msg("seed %lu: ids differ", seed);
}

static void test_what_is_written_is_read(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(3000); seed++) {
		struct rng rng = {seed};
		struct lode_digest *digest = any_digest(&rng, 0), *read, *again;
		struct lode_digest_origin origin, read_origin = {0}, only = {0};
		lode_byte_vec data = {0}, data_again = {0}, data_third = {0};

		random_origin(&rng, &origin);
		pack(&data, digest, &origin);
		read = unpack(&data, &read_origin);
		check_same_origin(&origin, &read_origin);
		check_same_ids(digest, read, seed);
		check_same_digest(digest, read, seed);
		assert_int_equal(lode_digest_unpack(NULL, &only, data.at, data.n, "x", NULL), 0);
		check_same_origin(&origin, &only);
		/* A digest that was read gives the same bytes for ever (its unit is a string). */
		pack(&data_again, read, &origin);
		again = unpack(&data_again, NULL);
		pack(&data_third, again, &origin);
		if (data_again.n != data_third.n ||
		    memcmp(data_again.at, data_third.at, data_again.n) != 0)
			fail_msg("seed %lu: the file changes when it is read and written", seed);
		lode_vec_release(&data);
		lode_vec_release(&data_again);
		lode_vec_release(&data_third);
		lode_digest_origin_release(&origin);
		lode_digest_origin_release(&read_origin);
		lode_digest_origin_release(&only);
		lode_digest_free(digest);
		lode_digest_free(read);
		lode_digest_free(again);
	}
}

static void test_an_origin_can_stand_alone(void **state)
{
	struct rng rng = {1};
	struct lode_digest_origin origin, read_origin = {0};
	lode_byte_vec data = {0};

	(void)state;
	random_origin(&rng, &origin);
	pack(&data, NULL, &origin);
	assert_null(unpack(&data, &read_origin));
	check_same_origin(&origin, &read_origin);
	lode_digest_origin_release(&origin);
	lode_digest_origin_release(&read_origin);
	lode_vec_release(&data);
}

/* ---- Merging through files ---- */

enum { N_DIGESTS = 5 };

/* Merges [first, first + n) in groups; each part goes through a file on its way. */
static struct lode_digest *merge_in_groups(struct rng *rng, struct lode_digest *const *digests,
					   int first, int n)
{
	struct lode_digest *left = lode_digest_new(), *right, *read;
	lode_byte_vec data = {0};
	int n_left;

	if (n == 1) {
		lode_digest_merge(left, digests[first]);
	} else {
		n_left = 1 + (int)rng_below(rng, (uint32_t)n - 1);
		lode_digest_free(left);
		left = merge_in_groups(rng, digests, first, n_left);
		right = merge_in_groups(rng, digests, first + n_left, n - n_left);
		lode_digest_merge(left, right);
		lode_digest_free(right);
	}
	pack(&data, left, NULL);
	read = unpack(&data, NULL);
	lode_vec_release(&data);
	lode_digest_free(left);
	return read;
}

static void test_merging_through_files_does_not_depend_on_order_or_groups(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 400; seed++) {
		struct rng rng = {seed};
		struct lode_digest *digests[N_DIGESTS], *shuffled[N_DIGESTS], *a, *b, *c;

		a = lode_digest_new();
		for (int i = 0; i < N_DIGESTS; i++) {
			uint32_t k = rng_below(&rng, (uint32_t)i + 1);

			digests[i] = random_digest(&rng, i);
			lode_digest_merge(a, digests[i]);
			shuffled[i] = shuffled[k];
			shuffled[k] = digests[i];
		}
		b = merge_in_groups(&rng, digests, 0, N_DIGESTS);
		c = merge_in_groups(&rng, shuffled, 0, N_DIGESTS);
		check_same_digest(a, b, seed);
		check_same_digest(a, c, seed);
		lode_digest_free(a);
		lode_digest_free(b);
		lode_digest_free(c);
		for (int i = 0; i < N_DIGESTS; i++)
			lode_digest_free(digests[i]);
	}
}

/* ---- Damage ---- */

/* In memory of exactly that size, so that a sanitizer sees each byte read beyond. */
static int unpack_copy(struct lode_digest **digest, const uint8_t *data, size_t size,
		       struct lode_error *err)
{
	struct lode_digest_origin origin = {0};
	uint8_t *copy = malloc(size ? size : 1);
	int rc;

	assert_non_null(copy);
	if (size)
		memcpy(copy, data, size);
	memset(err, 0, sizeof(*err));
	rc = lode_digest_unpack(digest, &origin, copy, size, "x.digest", err);
	if (rc < 0) {
		assert_null(*digest);
		assert_true(err->message[0] && err->status == rc);
	}
	lode_digest_origin_release(&origin);
	free(copy);
	return rc;
}

static void test_cut_files_are_refused_at_every_length(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct rng rng = {seed};
		struct lode_digest *digest = any_digest(&rng, 0), *read;
		lode_byte_vec data = {0};
		struct lode_error err;

		pack(&data, digest, NULL);
		for (size_t n = 0; n < data.n; n++) {
			if (unpack_copy(&read, data.at, n, &err) != LODE_ERR_TRUNCATED)
				fail_msg("seed %lu: cut at %zu of %zu", seed, n, data.n);
			assert_int_equal(err.offset, n);
		}
		lode_vec_append(&data, 0);
		assert_int_equal(unpack_copy(&read, data.at, data.n, &err), LODE_ERR_FORMAT);
		assert_non_null(strstr(err.message, "1 extra bytes"));
		lode_vec_release(&data);
		lode_digest_free(digest);
	}
}

static void test_flipped_bits_are_refused_at_every_offset(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct rng rng = {seed};
		struct lode_digest *digest = any_digest(&rng, 0), *read;
		lode_byte_vec data = {0};
		struct lode_error err;

		pack(&data, digest, NULL);
		for (size_t bit = 0; bit < 8 * data.n; bit++) {
			data.at[bit / 8] ^= (uint8_t)(1u << bit % 8);
			if (unpack_copy(&read, data.at, data.n, &err) == 0)
				fail_msg("seed %lu: bit %zu is not checked", seed, bit);
			data.at[bit / 8] ^= (uint8_t)(1u << bit % 8);
		}
		lode_vec_release(&data);
		lode_digest_free(digest);
	}
}

/* With right checksums, damage is found by its sense, or gives another digest that is sound. */
static void test_damage_with_right_checksums_does_no_harm(void **state)
{
	size_t n_read = 0, n_refused = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct rng rng = {seed};
		struct lode_digest *digest = any_digest(&rng, 0), *read, *merged;
		lode_byte_vec data = {0}, bytes = {0};
		struct lode_error err;

		pack(&data, digest, NULL);
		for (size_t at = 32; at < data.n; at++) {
			uint8_t was = data.at[at];

			data.at[at] ^= (uint8_t)(1 + rng_below(&rng, 255));
			lode_digest_seal(data.at, data.n);
			if (unpack_copy(&read, data.at, data.n, &err) == 0 && read) {
				n_read++;
				merged = lode_digest_new();
				lode_digest_merge(merged, read);
				bytes.n = 0;
				pack(&bytes, merged, NULL);
				lode_digest_free(unpack(&bytes, NULL));
				lode_digest_free(merged);
			} else {
				n_refused++;
			}
			lode_digest_free(read);
			data.at[at] = was;
		}
		lode_vec_release(&bytes);
		lode_vec_release(&data);
		lode_digest_free(digest);
	}
	assert_true(n_read > 100 && n_refused > 100);
}

/* With a first row that has one of at least two groups. */
static struct lode_digest *digest_with_groups(void)
{
	for (uint64_t seed = 1;; seed++) {
		struct rng rng = {seed};
		struct lode_digest *digest = random_digest(&rng, 0);

		if (digest->rows.n && digest->rows.at[0].n_shared &&
		    digest->symptoms.at[0].n_groups > 1)
			return digest;
		lode_digest_free(digest);
	}
}

static void test_occurrences_that_cannot_be_are_refused(void **state)
{
	static const struct {
		enum lode_digest_column column;
		uint8_t first_byte;
		const char *message;
	} cases[] = {
		{LODE_COLUMN_ROW_ALONE, 127, "column of row occurrences: 18446744073709551"},
		{LODE_COLUMN_ROW_GROUPS, 127, "column of row numbers of groups: 127 groups"},
		{LODE_COLUMN_ROW_GROUP, 126, "column of row groups: 63, where there are"},
		{LODE_COLUMN_ROW_GROUP, 1, "column of row groups: 18446744073709551615, where"},
		{LODE_COLUMN_SYMPTOM_GROUPS, 127, "bytes for 127 groups"},
		{LODE_COLUMN_GROUP_COUNT, 0, "a group without an occurrence"},
	};
	struct lode_digest *digest = digest_with_groups(), *read;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct lode_digest_columns columns = {0};
		struct lode_bytes cursors[LODE_N_DIGEST_COLUMNS];
		struct lode_error err = {0};

		lode_digest_columns_write(&columns, digest, false);
		columns.at[cases[i].column].at[0] = cases[i].first_byte;
		for (size_t c = 0; c < LODE_N_DIGEST_COLUMNS; c++)
			cursors[c] = lode_bytes_make(columns.at[c].at, columns.at[c].n, 0);
		assert_int_equal(lode_digest_columns_read(&read, cursors, 1000, "x.digest", &err),
				 LODE_ERR_FORMAT);
		if (!strstr(err.message, cases[i].message))
			fail_msg("'%s' does not say '%s'", err.message, cases[i].message);
		lode_digest_columns_release(&columns);
	}
	lode_digest_free(digest);
}

static void test_newer_versions_are_named(void **state)
{
	struct rng rng = {3};
	struct lode_digest *digest = random_digest(&rng, 0), *read;
	lode_byte_vec data = {0};
	struct lode_error err;

	(void)state;
	pack(&data, digest, NULL);
	data.at[8] = LODE_DIGEST_VERSION + 1;
	lode_digest_seal(data.at, data.n);
	assert_int_equal(unpack_copy(&read, data.at, data.n, &err), LODE_ERR_UNSUPPORTED);
	assert_non_null(strstr(err.message, "made by a newer lode: version 9"));
	lode_vec_release(&data);
	lode_digest_free(digest);
}

/* A file of version 1, as it was written. */
static void test_older_versions_are_read(void **state)
{
	struct lode_digest_origin origin = {0};
	struct lode_digest *digest;
	struct lode_error err = {0};
	char path[4096];

	(void)state;
	snprintf(path, sizeof(path), "%s/tests/fuzz/corpus/fuzz_digest/perf", getenv("LODE_TOP"));
	if (lode_digest_load(&digest, &origin, path, &err) < 0)
		fail_msg("%s: %s", path, err.message);
	assert_int_equal(digest->streams.n, 1);
	assert_int_equal(digest->symptoms.n, 1);
	assert_int_equal(digest->rows.n, 5);
	assert_int_equal(digest->tree.nodes.n, 35);
	assert_int_equal(digest->names.pairs.n, 202);
	lode_digest_origin_release(&origin);
	lode_digest_free(digest);
}

/* What digests did not say before version 7. */
static void forget_records(struct lode_digest *digest)
{
	digest->streams.at[0].n_records = 0;
}

/* Nor before version 6. */
static void forget_subjects(struct lode_digest *digest)
{
	forget_records(digest);
	digest->streams.at[0].subject = LODE_SUBJECT_COMMAND;
	for (size_t i = 0; i < digest->symptoms.n; i++) {
		digest->symptoms.at[i].is_cpu_time = false;
		digest->symptoms.at[i].cpu_ns = 0;
	}
}

/* The file as an older version has it: without the last columns of today, which are empty. */
static void make_older(lode_byte_vec *data, unsigned version, size_t n_columns)
{
	struct lode_bytes from = lode_bytes_make(data->at + 32, data->n - 32, 32);
	lode_byte_vec table = {0};
	size_t end;

	assert_int_equal(lode_varint_get(&from), LODE_N_DIGEST_COLUMNS);
	lode_varint_put(&table, n_columns);
	for (size_t i = 0; i < 2 * n_columns; i++)
		lode_varint_put(&table, lode_varint_get(&from));
	for (size_t i = n_columns; i < LODE_N_DIGEST_COLUMNS; i++) {
		assert_int_equal(lode_varint_get(&from), 0);
		assert_int_equal(lode_varint_get(&from), 0);
	}
	end = data->n - lode_bytes_left(&from);
	memmove(data->at + 32 + table.n, data->at + end, data->n - end);
	memcpy(data->at + 32, table.at, table.n);
	data->n -= end - (32 + table.n);
	data->at[8] = (uint8_t)version;
	lode_digest_seal(data->at, data->n);
	lode_vec_release(&table);
}

static void forget_occurrences(struct lode_digest *digest)
{
	for (size_t i = 0; i < digest->symptoms.n; i++)
		digest->symptoms.at[i].n_groups = 0;
	for (size_t i = 0; i < digest->rows.n; i++)
		digest->rows.at[i].n_alone = digest->rows.at[i].n_shared = 0;
}

/* Version 7 has no numbers of occurrences, 6 no numbers of records either; 4 and 5 have no subjects
   either and measure no symptom in CPU time, 4 has no loss of a bundle. */
static void test_versions_4_to_7_are_read(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct rng rng = {seed};
		struct lode_digest *digest = random_digest(&rng, 0), *read;
		unsigned version = 4 + seed % 4;
		lode_byte_vec data = {0};
		struct lode_error err;

		forget_occurrences(digest);
		if (version == 6)
			forget_records(digest);
		else if (version < 6)
			forget_subjects(digest);
		if (version == 4 && digest->losses.n &&
		    digest->losses.at[digest->losses.n - 1].kind == LODE_LOSS_BUNDLE) {
			digest->losses.n--;
			digest->streams.at[0].n_losses--;
		}
		pack(&data, digest, NULL);
		make_older(&data, version,
			   version == 7	  ? LODE_N_DIGEST_COLUMNS_7
			   : version == 6 ? LODE_N_DIGEST_COLUMNS_6
					  : LODE_N_DIGEST_COLUMNS_4);
		if (unpack_copy(&read, data.at, data.n, &err) < 0)
			fail_msg("seed %lu: %s", seed, err.message);
		check_same_digest(digest, read, seed);
		lode_digest_free(read);
		lode_digest_free(digest);
		lode_vec_release(&data);
	}
}

/* A file of version 2 is one of today whose last columns are empty, and not in the table. */
static void test_version_2_has_no_clocks(void **state)
{
	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct rng rng = {seed};
		struct lode_digest *digest = random_digest(&rng, 0), *read;
		lode_byte_vec data = {0};
		struct lode_error err;

		(void)state;
		forget_subjects(digest);
		forget_occurrences(digest);
		digest->streams.at[0].has_wall_clock = false;
		digest->streams.at[0].wall_offset_ns = 0;
		for (size_t i = 0; i < digest->rows.n; i++)
			digest->rows.at[i].unsampled_ns = digest->rows.at[i].n_runners = 0;
		digest->runners.n = 0;
		pack(&data, digest, NULL);
		make_older(&data, 2, LODE_N_DIGEST_COLUMNS_2);
		if (unpack_copy(&read, data.at, data.n, &err) < 0)
			fail_msg("seed %lu: %s", seed, err.message);
		check_same_ids(digest, read, seed);
		lode_digest_free(read);
		lode_digest_free(digest);
		lode_vec_release(&data);
	}
}

/* A deep stack behind each of many links: as runs it would be far smaller than what it unfolds to.
 */
static void test_a_tree_that_repeats_itself_is_read(void **state)
{
	struct lode_digest *digest = lode_digest_new(), *read;
	uint32_t link = lode_frame_link(&digest->tree, "a"), base = 0, node;
	uint32_t frame = lode_frame_intern(&digest->tree, "m", "f", 0);
	lode_byte_vec data = {0};

	(void)state;
	for (int i = 0; i < 400; i++) {
		base = lode_calltree_child(&digest->tree, base, link);
		node = base;
		for (int k = 0; k < 1000; k++)
			node = lode_calltree_child(&digest->tree, node, frame);
	}
	pack(&data, digest, NULL);
	read = unpack(&data, NULL);
	check_same_ids(digest, read, 0);
	/* The reader believes a file 500 bytes for each of its own, and a node is 16. */
	assert_true(data.n * 500 + (1 << 20) > digest->tree.nodes.n * 16);
	lode_digest_free(read);
	lode_digest_free(digest);
	lode_vec_release(&data);
}

/* What compresses beyond belief is written as it is, and read. */
static void test_a_digest_that_repeats_itself_is_read(void **state)
{
	struct lode_digest *digest = lode_digest_new(), *read;
	struct lode_digest_stream stream = {0};
	struct lode_digest_symptom symptom = {0};
	lode_byte_vec data = {0};

	(void)state;
	lode_vec_append(&digest->streams, stream);
	for (int i = 0; i < 400000; i++)
		lode_vec_append(&digest->symptoms, symptom);
	pack(&data, digest, NULL);
	assert_true(data.n > 6 * digest->symptoms.n);
	read = unpack(&data, NULL);
	assert_int_equal(read->symptoms.n, digest->symptoms.n);
	lode_digest_free(read);
	lode_digest_free(digest);
	lode_vec_release(&data);
}

/* ---- On disk ---- */

static size_t count_files(const char *folder)
{
	DIR *dir = opendir(folder);
	size_t n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n - 2;
}

static void test_files_are_replaced_whole(void **state)
{
	char folder[] = "/tmp/lode-store-XXXXXX", path[128], other[128];
	struct rng rng = {5};
	struct lode_digest *digest = random_digest(&rng, 0), *read;
	struct lode_digest_origin origin, read_origin = {0};
	struct lode_error err;
	struct stat st;
	size_t size;
	FILE *file;

	(void)state;
	random_origin(&rng, &origin);
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/a.digest", folder);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(lode_digest_save(path, digest, &origin, &size, &err), 0);
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(st.st_size, size);
		assert_int_equal(count_files(folder), 1);
	}
	assert_int_equal(lode_digest_load(&read, &read_origin, path, &err), 0);
	check_same_digest(digest, read, 5);
	check_same_origin(&origin, &read_origin);
	lode_digest_free(read);
	lode_digest_origin_release(&read_origin);

	/* What a killed writer left goes, what only looks like it stays. */
	for (int i = 0; i < 3; i++) {
		static const char *const names[] = {".a.digest.4711.tmp", ".b.digest.tmp",
						    ".digest.1.tmp"};

		snprintf(other, sizeof(other), "%s/%s", folder, names[i]);
		file = fopen(other, "w");
		assert_non_null(file);
		fclose(file);
	}
	lode_atomic_sweep(folder, LODE_DIGEST_SUFFIX);
	assert_int_equal(count_files(folder), 3);

	snprintf(other, sizeof(other), "%s/none/a.digest", folder);
	assert_int_equal(lode_digest_save(other, digest, &origin, NULL, &err), LODE_ERR_IO);
	assert_string_equal(err.path, other);
	assert_int_equal(truncate(path, (off_t)size - 1), 0);
	assert_int_equal(lode_digest_load(&read, &read_origin, path, &err), LODE_ERR_TRUNCATED);
	assert_int_equal(err.offset, size - 1);

	for (int i = 0; i < 3; i++) {
		static const char *const names[] = {"a.digest", ".b.digest.tmp", ".digest.1.tmp"};

		snprintf(other, sizeof(other), "%s/%s", folder, names[i]);
		assert_int_equal(unlink(other), 0);
	}
	assert_int_equal(rmdir(folder), 0);
	lode_digest_origin_release(&origin);
	lode_digest_free(digest);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_written_is_read),
		cmocka_unit_test(test_an_origin_can_stand_alone),
		cmocka_unit_test(test_merging_through_files_does_not_depend_on_order_or_groups),
		cmocka_unit_test(test_cut_files_are_refused_at_every_length),
		cmocka_unit_test(test_flipped_bits_are_refused_at_every_offset),
		cmocka_unit_test(test_damage_with_right_checksums_does_no_harm),
		cmocka_unit_test(test_occurrences_that_cannot_be_are_refused),
		cmocka_unit_test(test_newer_versions_are_named),
		cmocka_unit_test(test_older_versions_are_read),
		cmocka_unit_test(test_versions_4_to_7_are_read),
		cmocka_unit_test(test_version_2_has_no_clocks),
		cmocka_unit_test(test_a_tree_that_repeats_itself_is_read),
		cmocka_unit_test(test_a_digest_that_repeats_itself_is_read),
		cmocka_unit_test(test_files_are_replaced_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
