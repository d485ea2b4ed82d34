/*
 * From clusters down (answers/clusters/cluster_drill.h, cluster_matches.h, group_costs.h): every
 * number again, from the rows of the digest alone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers/clusters/cluster_drill.h"
#include "answers/clusters/cluster_signatures.h"
#include "answers/clusters/cluster_costs.h"
#include "model/signature_pattern.h"
#include "random.h"
#include "unit/model/pattern_oracle.h"
#include "cases.h"

enum { MOST_STREAMS = 6, MOST_SYMPTOMS = 12, MOST_ROWS = 40, N_SIGNATURES = 5 };

static const char *const names[] = {"load_a", "load_b", "read_x", "read_y", "main", "wait"};

static struct lode_digest *make_digest(struct test_random *random)
{
	struct lode_digest *digest = lode_digest_new();
	uint32_t n_streams = 1 + test_random_below(random, MOST_STREAMS), stream = 0;
	uint32_t n_symptoms = 1 + test_random_below(random, MOST_SYMPTOMS);

	digest->unit = "ns";
	for (uint32_t i = 0; i < n_streams; i++)
		lode_vec_append_zero(&digest->streams)->content_hash = 0xabcdef0000000000u + i * 77;
	for (uint32_t i = 0; i < n_symptoms; i++) {
		struct lode_digest_symptom *s = lode_vec_append_zero(&digest->symptoms);

		stream += stream + 1 < n_streams && test_random_below(random, 2);
		s->stream = stream;
		s->t1_ns = 1 + test_random_below(random, 1000);
	}
	for (uint32_t i = 0; i < 5 + test_random_below(random, MOST_ROWS - 5); i++) {
		struct lode_digest_row row = {
			.symptom = test_random_below(random, n_symptoms),
			.kind = (uint8_t)test_random_below(random, 3),
			.reason = (uint8_t)test_random_below(random, 4),
			.cost_ns = test_random_below(random, 20),
			.n_events = 1,
		};

		for (uint32_t n = 1 + test_random_below(random, 8); n > 0; n--)
			row.stack = lode_calltree_child(
				&digest->tree, row.stack,
				lode_frame_intern(&digest->tree, "m",
						  names[test_random_below(random, 6)], 0));
		row.worst_cost_ns = row.cost_ns / 2;
		row.worst_t0_ns = test_random_below(random, 100);
		lode_vec_append(&digest->rows, row);
	}
	qsort(digest->rows.at, digest->rows.n, sizeof(*digest->rows.at), lode_digest_row_compare);
	return digest;
}

/* ---- The definition ---- */

static bool is_of(const struct lode_cluster *c, const struct lode_digest_row *row)
{
	if (c->kind_group && c->kind_group != row->kind + 1u)
		return false;
	for (size_t i = 0; i < c->n_stacks; i++)
		if (c->stacks[i].node == row->stack)
			return true;
	return false;
}

static int64_t cost_in(const struct lode_digest *d, const struct lode_cluster *c, uint32_t symptom)
{
	int64_t cost = 0;

	for (size_t r = 0; r < d->rows.n; r++)
		if (d->rows.at[r].symptom == symptom && is_of(c, &d->rows.at[r]))
			cost += d->rows.at[r].cost_ns;
	return cost;
}

/* The row that is named has the costliest event of all, and of equal ones the first. */
static void check_costliest(const struct lode_digest *d, const struct lode_cluster *c,
			    const struct lode_cluster_worst *w)
{
	const struct lode_digest_row *named = &d->rows.at[w->row];

	assert_true(named->symptom == w->symptom && is_of(c, named));
	for (size_t r = 0; r < d->rows.n; r++) {
		const struct lode_digest_row *row = &d->rows.at[r];

		if (row->symptom != w->symptom || !is_of(c, row))
			continue;
		assert_true(row->worst_cost_ns <= named->worst_cost_ns);
		assert_true(row->worst_cost_ns < named->worst_cost_ns ||
			    row->worst_t0_ns >= named->worst_t0_ns);
	}
}

static int64_t cost_in_stream(const struct lode_digest *d, const struct lode_cluster *c,
			      uint32_t stream)
{
	int64_t cost = 0;

	for (uint32_t i = 0; i < d->symptoms.n; i++)
		cost += d->symptoms.at[i].stream == stream ? cost_in(d, c, i) : 0;
	return cost;
}

/* ---- Streams and symptoms ---- */

static void check_symptoms(const struct lode_drill *drill, const struct lode_cluster *c,
			   const struct lode_drill_stream *at)
{
	const struct lode_digest *d = drill->mined->digest;
	lode_drill_symptoms symptoms = {0};
	int64_t sum = 0, before = INT64_MAX;

	lode_drill_symptoms_of(&symptoms, drill, c, at->stream);
	assert_int_equal(symptoms.n, at->n_symptoms);
	for (size_t i = 0; i < symptoms.n; i++) {
		const struct lode_cluster_worst *w = &c->worst[symptoms.at[i]];
		uint32_t number = drill->number[w->symptom];

		assert_int_equal(d->symptoms.at[w->symptom].stream, at->stream);
		assert_int_equal(w->symptom_cost_ns, cost_in(d, c, w->symptom));
		check_costliest(d, c, w);
		assert_true(w->symptom_cost_ns <= before);
		assert_int_equal(drill->symptoms[drill->start[at->stream] + number], w->symptom);
		if (i < LODE_DRILL_WORST)
			assert_int_equal(at->worst[i], symptoms.at[i]);
		before = w->symptom_cost_ns;
		sum += before;
	}
	assert_int_equal(sum, at->cost_ns);
	lode_vec_release(&symptoms);
}

static void check_streams(const struct lode_drill *drill, const struct lode_cluster *c)
{
	const struct lode_digest *d = drill->mined->digest;
	lode_drill_streams streams = {0};
	int64_t sum = 0, all = 0;

	lode_drill_streams_of(&streams, drill, c);
	for (size_t i = 0; i < streams.n; i++) {
		assert_int_equal(streams.at[i].cost_ns, cost_in_stream(d, c, streams.at[i].stream));
		assert_true(i == 0 || streams.at[i].cost_ns <= streams.at[i - 1].cost_ns);
		check_symptoms(drill, c, &streams.at[i]);
		sum += streams.at[i].cost_ns;
	}
	for (uint32_t s = 0; s < d->streams.n; s++)
		all += cost_in_stream(d, c, s);
	assert_int_equal(sum, all);
	assert_true(!c->own_ns || sum == c->own_ns);
	lode_vec_release(&streams);
}

static void check_drill(const struct lode_drill *drill)
{
	const struct lode_digest *d = drill->mined->digest;
	char name[40];
	uint32_t found;

	for (uint32_t s = 0; s < d->streams.n; s++) {
		int64_t sum = 0;

		for (size_t i = drill->start[s]; i < drill->start[s + 1]; i++) {
			assert_int_equal(d->symptoms.at[drill->symptoms[i]].stream, s);
			sum += d->symptoms.at[drill->symptoms[i]].t1_ns;
		}
		assert_int_equal(drill->symptom_ns[s], sum);
		snprintf(name, sizeof(name), "%u", s);
		assert_int_equal(lode_drill_find_stream(&found, drill, name, NULL), 0);
		assert_int_equal(found, s);
		snprintf(name, sizeof(name), "%016llx",
			 (unsigned long long)d->streams.at[s].content_hash);
		assert_int_equal(lode_drill_find_stream(&found, drill, name, NULL), 0);
		assert_int_equal(found, s);
	}
	assert_int_equal(drill->start[d->streams.n], d->symptoms.n);
	snprintf(name, sizeof(name), "%zu", d->streams.n);
	assert_true(lode_drill_find_stream(&found, drill, name, NULL) < 0);
	assert_true(lode_drill_find_stream(&found, drill, "", NULL) < 0);
	assert_true(lode_drill_find_stream(&found, drill, "-1", NULL) < 0);
	assert_true(lode_drill_find_stream(&found, drill, "0123456789abcdef", NULL) < 0);
	assert_true(lode_drill_find_stream(&found, drill, "00000000000000000", NULL) < 0);
}

/* ---- Signatures ---- */

static void make_signatures(struct lode_signatures *list, struct test_random *random)
{
	for (int i = 0; i < N_SIGNATURES; i++) {
		char name[20], pattern[60];
		const char *patterns[] = {pattern, names[test_random_below(random, 6)]};
		struct lode_signature s = {
			.name = name,
			.kinds = test_random_below(random, 2) ? 0 : test_random_below(random, 8),
			.reasons = test_random_below(random, 3) ? 0 : test_random_below(random, 15),
			.patterns = patterns,
			.n_patterns = 1 + test_random_below(random, 2),
			.is_retired = test_random_below(random, 4) == 0,
		};

		s.reasons &= ~1u; /* "none" is no reason */
		snprintf(name, sizeof(name), "s%d", i);
		snprintf(pattern, sizeof(pattern), "%s;%s%s", names[test_random_below(random, 6)],
			 test_random_below(random, 2) ? ">" : "",
			 names[test_random_below(random, 6)]);
		assert_int_equal(lode_signatures_add(list, &s, NULL), 0);
	}
}

static bool matches(const struct lode_signature *s, const struct lode_calltree *tree,
		    const struct lode_digest_row *row)
{
	bool holds = false;

	if ((s->kinds && !(s->kinds >> row->kind & 1)) ||
	    (s->reasons && !(s->reasons >> row->reason & 1)))
		return false;
	for (size_t p = 0; p < s->n_patterns && !holds; p++) {
		lode_signature_step_vec steps = {0};
		struct lode_arena arena = {0};

		assert_int_equal(lode_signature_pattern_parse(&steps, s->patterns[p], &arena, NULL),
				 0);
		holds = pattern_holds(steps.at, steps.n, tree, row->stack);
		lode_vec_release(&steps);
		lode_arena_release(&arena);
	}
	return holds;
}

static size_t check_matches(const struct lode_mined *mined, const struct lode_signatures *list,
			    const lode_cluster_matches *found)
{
	const struct lode_digest *d = mined->digest;
	size_t n = 0;

	for (size_t c = 0; c < mined->n_clusters; c++)
		for (size_t s = 0; s < list->list.n; s++) {
			int64_t want = 0, got = 0;

			for (size_t r = 0; r < d->rows.n; r++)
				if (is_of(&mined->clusters[c], &d->rows.at[r]) &&
				    matches(&list->list.at[s], &d->tree, &d->rows.at[r]))
					want += d->rows.at[r].cost_ns;
			for (size_t i = 0; i < found->n; i++)
				if (found->at[i].cluster == c && found->at[i].signature == s)
					got = found->at[i].matched_ns;
			assert_int_equal(got, want);
			n += want > 0;
		}
	assert_int_equal(found->n, n);
	for (size_t i = 1; i < found->n; i++) {
		const struct lode_cluster_match *a = &found->at[i - 1], *b = &found->at[i];

		assert_true(a->cluster < b->cluster ||
			    (a->cluster == b->cluster && a->matched_ns >= b->matched_ns));
	}
	return n;
}

/* ---- Groups ---- */

static void check_groups(const struct lode_drill *drill, const struct lode_coverage *coverage,
			 const struct lode_signatures *list, struct test_random *random)
{
	const struct lode_digest *d = drill->mined->digest;
	uint32_t group_of[MOST_STREAMS];
	struct lode_stream_groups groups = {.n = 3, .group_of = group_of};
	size_t signature = test_random_below(random, N_SIGNATURES);
	const struct lode_cluster *c =
		&drill->mined
			 ->clusters[test_random_below(random, (uint32_t)drill->mined->n_clusters)];
	struct lode_group_cost *of_cluster, *of_signature;

	for (size_t s = 0; s < d->streams.n; s++)
		group_of[s] = test_random_below(random, 3);
	of_cluster = lode_group_costs_of_cluster(&groups, drill, c);
	of_signature = lode_group_costs_of_signature(&groups, drill, coverage, signature);
	for (uint32_t g = 0; g < 3; g++) {
		struct lode_group_cost want = {0};
		int64_t matched = 0;

		for (uint32_t s = 0; s < d->streams.n; s++)
			if (group_of[s] == g) {
				want.n_streams++;
				want.cost_ns += cost_in_stream(d, c, s);
			}
		for (size_t i = 0; i < d->symptoms.n; i++)
			if (group_of[d->symptoms.at[i].stream] == g)
				want.symptom_ns += d->symptoms.at[i].t1_ns;
		for (size_t r = 0; r < d->rows.n; r++)
			if (group_of[d->symptoms.at[d->rows.at[r].symptom].stream] == g &&
			    matches(&list->list.at[signature], &d->tree, &d->rows.at[r]))
				matched += d->rows.at[r].cost_ns;
		assert_int_equal(of_cluster[g].n_streams, want.n_streams);
		assert_int_equal(of_cluster[g].symptom_ns, want.symptom_ns);
		assert_int_equal(of_cluster[g].cost_ns, want.cost_ns);
		assert_int_equal(of_signature[g].n_streams, want.n_streams);
		assert_int_equal(of_signature[g].symptom_ns, want.symptom_ns);
		assert_int_equal(of_signature[g].cost_ns, matched);
		assert_true(of_cluster[g].n_with <= want.n_streams);
	}
	free(of_cluster);
	free(of_signature);
}

/* What failed, for the teardown to say: asserts only name a line. */
static uint64_t the_seed;

static int say_seed(void **state)
{
	(void)state;
	if (the_seed)
		print_error("seed %llu\n", (unsigned long long)the_seed);
	return 0;
}

static size_t check_one(uint64_t seed, size_t *n_clusters)
{
	struct test_random random = {seed};
	struct lode_digest *digest = make_digest(&random);
	struct lode_mine_options options = {.min_cost = 5 + test_random_below(&random, 30),
					    .split_kinds = seed % 3 == 0,
					    .min_similarity = 0.5,
					    .n_threads = 1};
	struct lode_signatures list = {0};
	struct lode_signature_matcher *matcher;
	struct lode_signature_match match;
	struct lode_coverage coverage;
	struct lode_rows_of_nodes rows;
	lode_cluster_matches found = {0};
	struct lode_drill drill;
	struct lode_mined *mined;
	size_t n;

	assert_int_equal(lode_mine(&mined, digest, &options, NULL), 0);
	make_signatures(&list, &random);
	assert_int_equal(lode_signature_matcher_new(&matcher, list.list.at, list.list.n, NULL), 0);
	lode_signature_match(&match, matcher, digest);
	lode_coverage_build(&coverage, &match, list.list.at, list.list.n, digest);
	lode_rows_of_nodes_build(&rows, digest);
	lode_cluster_matches_build(&found, mined, &rows, &match, list.list.n);
	lode_drill_build(&drill, mined);
	check_drill(&drill);
	for (size_t c = 0; c < mined->n_clusters; c++)
		check_streams(&drill, &mined->clusters[c]);
	n = check_matches(mined, &list, &found);
	if (mined->n_clusters)
		check_groups(&drill, &coverage, &list, &random);
	*n_clusters += mined->n_clusters;
	lode_drill_release(&drill);
	lode_vec_release(&found);
	lode_rows_of_nodes_release(&rows);
	lode_coverage_release(&coverage);
	lode_signature_match_release(&match);
	lode_signature_matcher_free(matcher);
	lode_signatures_release(&list);
	lode_mined_free(mined);
	lode_digest_free(digest);
	return n;
}

static void numbers_are_those_of_the_rows(void **state)
{
	size_t n_clusters = 0, n_matches = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(1000); seed++) {
		the_seed = seed;
		n_matches += check_one(seed, &n_clusters);
	}
	the_seed = 0;
	assert_true(n_clusters > 1000 && n_matches > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(numbers_are_those_of_the_rows, say_seed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
