#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/digest.h"
#include "unit/engine/random_stream.h"
#include "unit/model/random_digest.h"
#include "cases.h"

static void check_order(const struct lode_digest *digest, uint64_t seed)
{
	for (size_t i = 1; i < digest->rows.n; i++)
		if (lode_digest_row_compare(&digest->rows.at[i - 1], &digest->rows.at[i]) >= 0)
			fail_msg("seed %lu: row %zu is out of order", seed, i);
}

/* ---- Merging ---- */

enum { N_DIGESTS = 5 };

/* One digest of all, from the left. */
static struct lode_digest *merge_in_order(struct lode_digest *const *digests, const int *order)
{
	struct lode_digest *merged = lode_digest_new();

	for (int i = 0; i < N_DIGESTS; i++)
		lode_digest_merge(merged, digests[order[i]]);
	return merged;
}

/* One digest of digests[first .. first + n), from parts that are merged in the same way. */
static struct lode_digest *merge_in_groups(struct rng *rng, struct lode_digest *const *digests,
					   int first, int n)
{
	struct lode_digest *left, *right;
	int n_left;

	if (n == 1) {
		left = lode_digest_new();
		lode_digest_merge(left, digests[first]);
		return left;
	}
	n_left = 1 + (int)rng_below(rng, (uint32_t)n - 1);
	left = merge_in_groups(rng, digests, first, n_left);
	right = merge_in_groups(rng, digests, first + n_left, n - n_left);
	lode_digest_merge(left, right);
	lode_digest_free(right);
	return left;
}

/* Two that hold no more than half of what int64_t does, and one nanosecond, which is too much. */
static void test_sums_of_merged_digests_fit(void **state)
{
	struct lode_digest *digests[3];

	(void)state;
	for (unsigned is_length = 0; is_length < 2; is_length++) {
		for (int i = 0; i < 3; i++) {
			int64_t ns = i < 2 ? INT64_MAX / 2 : 1;

			digests[i] = lode_digest_new();
			lode_vec_append_zero(&digests[i]->streams);
			lode_vec_append_zero(&digests[i]->symptoms);
			lode_vec_append_zero(&digests[i]->rows);
			*(is_length ? &digests[i]->symptoms.at[0].t1_ns
				    : &digests[i]->rows.at[0].cost_ns) = ns;
		}
		assert_true(lode_digest_fits(digests[0], digests[1]));
		lode_digest_merge(digests[0], digests[1]);
		assert_false(lode_digest_fits(digests[0], digests[2]));
		assert_false(lode_digest_fits(digests[2], digests[0]));
		assert_true(lode_digest_fits(digests[1], digests[2]));
		for (int i = 0; i < 3; i++)
			lode_digest_free(digests[i]);
	}
}

static void test_merging_does_not_depend_on_order_or_groups(void **state)
{
	int in_order[N_DIGESTS] = {0, 1, 2, 3, 4};

	(void)state;
	for (uint64_t seed = 1; seed <= 400; seed++) {
		struct rng rng = {seed};
		struct lode_digest *digests[N_DIGESTS], *a, *b, *c;
		int shuffled[N_DIGESTS] = {0, 1, 2, 3, 4};

		for (int i = 0; i < N_DIGESTS; i++) {
			uint32_t k = rng_below(&rng, (uint32_t)i + 1);

			digests[i] = random_digest(&rng, i);
			shuffled[i] = shuffled[k];
			shuffled[k] = i;
		}
		a = merge_in_order(digests, in_order);
		b = merge_in_order(digests, shuffled);
		c = merge_in_groups(&rng, digests, 0, N_DIGESTS);
		check_order(a, seed);
		check_order(b, seed);
		check_order(c, seed);
		check_same_digest(a, b, seed);
		check_same_digest(a, c, seed);
		lode_digest_free(a);
		lode_digest_free(b);
		lode_digest_free(c);
		for (int i = 0; i < N_DIGESTS; i++)
			lode_digest_free(digests[i]);
	}
}

static void test_merging_into_an_empty_digest_changes_nothing(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct rng rng = {seed};
		struct lode_digest *digest = random_digest(&rng, 0), *copy = lode_digest_new();
		struct lode_digest *empty = lode_digest_new();

		lode_digest_merge(copy, digest);
		check_same_digest(copy, digest, seed);
		lode_digest_merge(copy, empty);
		check_same_digest(copy, digest, seed);
		lode_digest_free(digest);
		lode_digest_free(copy);
		lode_digest_free(empty);
	}
}

static bool is_counted(const struct lode_name_stats *names, size_t frame)
{
	return frame < names->n_with.n &&
	       (names->n_with.at[frame] || names->n_callee.at[frame] || names->n_caller.at[frame]);
}

/* What merging all of it adds to the names, and nothing else: no stream, stack or other frame. */
static void test_names_alone_are_merged(void **state)
{
	size_t n_left_out = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 400; seed++) {
		struct rng rng = {seed};
		struct lode_digest *a = random_digest(&rng, 0), *b = random_digest(&rng, 1);
		struct lode_digest *all = lode_digest_new(), *names = lode_digest_new();
		size_t n_wanted, n_nodes;

		lode_digest_merge(all, a);
		lode_digest_merge(names, a);
		n_wanted = names->tree.frames.n;
		n_nodes = names->tree.nodes.n;
		lode_digest_merge(all, b);
		for (size_t i = 0; i < b->tree.frames.n; i++) {
			const struct lode_frame *frame = &b->tree.frames.at[i];
			bool is_there = false;

			for (size_t k = 0; k < a->tree.frames.n; k++)
				is_there |= !strcmp(lode_frame_function(&a->tree, (uint32_t)k),
						    lode_frame_function(&b->tree, (uint32_t)i)) &&
					    !strcmp(lode_frame_module(&a->tree, (uint32_t)k),
						    lode_frame_module(&b->tree, (uint32_t)i)) &&
					    !((a->tree.frames.at[k].flags ^ frame->flags) &
					      LODE_FRAME_LINK);
			n_wanted += !is_there && is_counted(&b->names, i);
			n_left_out += !is_there && !is_counted(&b->names, i);
		}
		lode_digest_merge_names(names, b);
		check_same_part(names, all, true, seed);
		check_same_part(names, a, false, seed);
		if (names->tree.frames.n != n_wanted || names->tree.nodes.n != n_nodes)
			fail_msg("seed %lu: %zu frames in place of %zu", seed, names->tree.frames.n,
				 n_wanted);
		lode_digest_free(a);
		lode_digest_free(b);
		lode_digest_free(all);
		lode_digest_free(names);
	}
	assert_true(n_left_out > 0);
}

/* The dump sees what a merge could lose: it is no test that cannot fail. */
static void test_dumps_of_different_digests_differ(void **state)
{
	struct rng rng = {7};
	struct lode_digest *digest = lode_digest_new(), *other = random_digest(&rng, 0);
	struct digest_lines *x, *y;
	size_t n_same = 0;

	(void)state;
	lode_digest_merge(digest, other);
	while (!digest->rows.n) {
		lode_digest_free(other);
		other = random_digest(&rng, 0);
		lode_digest_merge(digest, other);
	}
	x = digest_dump(digest);
	digest->rows.at[0].cost_ns++;
	y = digest_dump(digest);
	assert_int_equal(x->n, y->n);
	for (size_t i = 0; i < x->n; i++)
		n_same += !strcmp(x->text[i], y->text[i]);
	assert_true(n_same < x->n);
	digest_lines_free(x);
	digest_lines_free(y);
	lode_digest_free(digest);
	lode_digest_free(other);
}

/* Inlined in one stream and not in the other: it has been seen inlined, whichever came first. */
static void test_frames_have_the_flags_of_all_their_occurrences(void **state)
{
	struct lode_digest *a = lode_digest_new(), *b = lode_digest_new();
	uint32_t frame = lode_frame_intern(&a->tree, "app", "f", 0);

	(void)state;
	lode_frame_intern(&b->tree, "app", "f", LODE_FRAME_INLINED);
	lode_digest_merge(a, b);
	assert_int_equal(a->tree.frames.n, 1);
	assert_int_equal(a->tree.frames.at[frame].flags, LODE_FRAME_INLINED);
	lode_digest_free(a);
	lode_digest_free(b);
}

static void test_digests_of_different_units_have_mixed_units(void **state)
{
	struct lode_digest *a = lode_digest_new(), *b = lode_digest_new();

	(void)state;
	a->unit = "ns";
	b->unit = "samples";
	lode_digest_merge(a, b);
	assert_string_equal(a->unit, LODE_UNIT_MIXED);
	lode_digest_free(a);
	lode_digest_free(b);
	lode_digest_free(NULL);
}

/* ---- Name statistics: every event's stack, walked plainly ---- */

enum { MAX_FRAMES = 16 };

struct plain_names {
	uint64_t n_stacks, n_with[MAX_FRAMES], n_callee[MAX_FRAMES], n_caller[MAX_FRAMES];
	uint64_t pairs[MAX_FRAMES][MAX_FRAMES];
};

static void count_stack(struct plain_names *names, const struct lode_calltree *tree, uint32_t stack)
{
	uint32_t path[256];
	size_t depth = lode_calltree_path(tree, stack, path);
	bool seen[MAX_FRAMES] = {false};

	names->n_stacks += depth > 0;
	for (size_t i = 0; i < depth; i++) {
		names->n_with[path[i]] += !seen[path[i]];
		seen[path[i]] = true;
		if (i + 1 < depth) {
			names->n_callee[path[i]]++;
			names->n_caller[path[i + 1]]++;
			names->pairs[path[i]][path[i + 1]]++;
		}
	}
}

static void count_stream(struct plain_names *names, const struct lode_stream *stream)
{
	assert_true(stream->tree.frames.n <= MAX_FRAMES);
	for (size_t t = 0; t < stream->threads.n; t++) {
		const struct lode_events *events = &stream->threads.at[t].events;

		for (size_t i = 0; i < events->n; i++)
			if (events->kind[i] == LODE_EVENT_RUNNING ||
			    events->kind[i] == LODE_EVENT_WAITING ||
			    (events->flags[i] & LODE_EVENT_PREEMPTED))
				count_stack(names, &stream->tree, events->stack[i]);
	}
}

static void test_names_are_counted_as_by_walking_every_stack(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(3000); seed++) {
		struct rng rng = {seed};
		struct lode_stream *stream = random_stream(&rng);
		struct lode_name_stats names = {0};
		struct plain_names plain = {0};
		struct lode_calltree tree;
		uint32_t n_frames = (uint32_t)stream->tree.frames.n, f, g, to[MAX_FRAMES];

		lode_calltree_init(&tree);
		lode_frame_intern(&tree, "other", "frame", 0); /* ids are not the stream's */
		lode_name_stats_add_stream(&names, &tree, stream);
		count_stream(&plain, stream);
		if (names.n_stacks != plain.n_stacks)
			fail_msg("seed %lu: %lu stacks, not %lu", seed, names.n_stacks,
				 plain.n_stacks);
		assert_int_equal(names.n_with.n, tree.frames.n);
		for (f = 0; f < n_frames; f++)
			to[f] = lode_frame_copy(&tree, &stream->tree, f);
		for (f = 0; f < n_frames; f++) {
			if (to[f] >= names.n_with.n) {
				assert_int_equal(plain.n_with[f], 0);
				continue;
			}
			if (names.n_with.at[to[f]] != plain.n_with[f] ||
			    names.n_callee.at[to[f]] != plain.n_callee[f] ||
			    names.n_caller.at[to[f]] != plain.n_caller[f])
				fail_msg("seed %lu: counts of frame %u differ", seed, f);
			for (g = 0; g < n_frames; g++)
				if (lode_name_stats_pair(&names, to[f], to[g]) != plain.pairs[f][g])
					fail_msg("seed %lu: pair %u > %u differs", seed, f, g);
		}
		lode_name_stats_release(&names);
		lode_calltree_release(&tree);
		lode_stream_free(stream);
	}
}

/* Readers and merges rely on the order of kinds. */
static void losses_stay_in_the_order_of_kinds(void **state)
{
	static const struct lode_loss_note found[] = {
		{.kind = LODE_LOSS_UNORDERED, .count = 1, .detail = "first"},
		{.kind = LODE_LOSS_SILENT, .count = 2, .detail = "last"},
	};
	static const enum lode_loss_kind wanted[] = {LODE_LOSS_EVENTS, LODE_LOSS_UNORDERED,
						     LODE_LOSS_BUNDLE, LODE_LOSS_SILENT,
						     LODE_LOSS_SKIPPED_CALLER};
	struct lode_loss_note more = {.count = 3, .detail = "inserted"};
	struct lode_digest *digest = lode_digest_new();
	struct lode_digest_stream *stream = lode_vec_append_zero(&digest->streams);

	(void)state;
	lode_digest_losses_copy(digest, stream, found, 2);
	for (size_t i = 0; i < 5; i += 2) {
		more.kind = wanted[i];
		lode_digest_loss_insert(digest, &more);
	}
	assert_int_equal(stream->n_losses, 5);
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(digest->losses.at[i].kind, wanted[i]);
		assert_string_equal(digest->losses.at[i].detail, i == 1	  ? "first"
								 : i == 3 ? "last"
									  : "inserted");
	}
	lode_digest_free(digest);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_alone_are_merged),
		cmocka_unit_test(test_sums_of_merged_digests_fit),
		cmocka_unit_test(test_merging_does_not_depend_on_order_or_groups),
		cmocka_unit_test(test_merging_into_an_empty_digest_changes_nothing),
		cmocka_unit_test(test_dumps_of_different_digests_differ),
		cmocka_unit_test(test_frames_have_the_flags_of_all_their_occurrences),
		cmocka_unit_test(test_digests_of_different_units_have_mixed_units),
		cmocka_unit_test(test_names_are_counted_as_by_walking_every_stack),
		cmocka_unit_test(losses_stay_in_the_order_of_kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
