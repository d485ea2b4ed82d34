/* engine/signatures against the plain definitions: every pattern, every stack, every row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/signatures/signature_cover.h"
#include "engine/signatures/signature_match.h"
#include "engine/signatures/signature_cover.h"
#include "model/signature_pattern.h"
#include "random.h"
#include "unit/model/pattern_oracle.h"
#include "cases.h"

/* ---- Random digests and signatures from few names, so that most things happen often ---- */

static uint32_t random_frame(struct lode_calltree *tree, struct test_random *random)
{
	static const char *const names[] = {"a", "b", "c", "ab", "ac"};
	const char *name = names[test_random_below(random, 5)];

	switch (test_random_below(random, 8)) {
	case 0:
		return lode_frame_link(tree, name);
	case 1:
		return lode_frame_intern(tree, name, "", LODE_FRAME_UNKNOWN);
	case 2:
		return lode_frame_intern(tree, "[kernel]", name, LODE_FRAME_KERNEL);
	case 3:
		return lode_frame_intern(tree, "n", name, 0);
	default:
		return lode_frame_intern(tree, "m", name, 0);
	}
}

static struct lode_digest *make_digest(struct test_random *random)
{
	struct lode_digest *digest = lode_digest_new();
	uint32_t n_streams = 1 + test_random_below(random, 4);
	uint32_t n_symptoms = 1 + test_random_below(random, 6);
	uint32_t n_nodes = test_random_below(random, 40), n_rows = test_random_below(random, 60);
	struct lode_digest_row row;

	digest->unit = "ns";
	for (uint32_t i = 0; i < n_streams; i++)
		lode_vec_append_zero(&digest->streams);
	for (uint32_t i = 0; i < n_symptoms; i++)
		lode_vec_append(&digest->symptoms,
				((struct lode_digest_symptom){
					.stream = test_random_below(random, n_streams),
					.t1_ns = test_random_below(random, 500)}));
	for (uint32_t i = 0; i < n_nodes; i++) {
		uint32_t n = (uint32_t)digest->tree.nodes.n;
		/* Deep rather than wide. */
		uint32_t parent =
			test_random_below(random, 3) ? n - 1 : test_random_below(random, n);

		lode_calltree_child(&digest->tree, parent, random_frame(&digest->tree, random));
	}
	for (uint32_t i = 0; i < n_rows; i++) {
		row = (struct lode_digest_row){
			.stack = test_random_below(random, (uint32_t)digest->tree.nodes.n),
			.symptom = test_random_below(random, n_symptoms),
			.kind = (uint8_t)test_random_below(random, LODE_N_EVENT_KINDS),
			.reason = (uint8_t)test_random_below(random, LODE_N_REASONS),
			.cost_ns = test_random_below(random, 100),
			.n_events = test_random_below(random, 5),
			.worst_t0_ns = test_random_below(random, 100),
			.worst_cost_ns = test_random_below(random, 5)};
		lode_vec_append(&digest->rows, row);
	}
	if (digest->rows.n)
		qsort(digest->rows.at, digest->rows.n, sizeof(row), lode_digest_row_compare);
	return digest;
}

static void random_pattern(struct test_random *random, char *text, size_t size)
{
	static const char *const steps[] = {"a",   "b",		 "c",  "ab",  "m!a", "n!*",
					    "a*",  "[ab]",	 "?*", "[a]", "a!*", "→ a",
					    "→ *", "[kernel]!*", "*b", "m!?", "\\a", "[kernel]!a"};
	uint32_t n = 1 + test_random_below(random, 4);
	size_t used = 0;
	bool was_gap = false;

	for (uint32_t i = 0; i < n; i++) {
		const char *mark = !was_gap && test_random_below(random, 4) == 0 ? ">" : "";

		was_gap = !*mark && test_random_below(random, 8) == 0;
		used += (size_t)snprintf(
			text + used, size - used, "%s%s%s", i ? ";" : "", mark,
			was_gap ? "*"
				: steps[test_random_below(random, sizeof(steps) / sizeof(*steps))]);
	}
}

static void make_signatures(struct lode_signatures *list, struct test_random *random)
{
	uint32_t n = test_random_below(random, 7);

	for (uint32_t i = 0; i < n; i++) {
		char name[16], texts[4][128];
		const char *patterns[4];
		struct lode_signature s = {.name = name,
					   .is_retired = test_random_below(random, 4) == 0,
					   .patterns = patterns,
					   .n_patterns = 1 + test_random_below(random, 4)};

		snprintf(name, sizeof(name), "s%u", i);
		if (test_random_below(random, 3) == 0)
			s.kinds = test_random_below(random, 1 << LODE_N_EVENT_KINDS);
		if (test_random_below(random, 3) == 0)
			s.reasons = test_random_below(random, 1 << LODE_N_REASONS) & ~1u;
		for (size_t p = 0; p < s.n_patterns; p++) {
			random_pattern(random, texts[p], sizeof(texts[p]));
			patterns[p] = texts[p];
		}
		lode_signatures_add(list, &s, NULL); /* all but a plain "*" can be */
	}
}

/* ---- The definitions ---- */

static bool signature_matches(const struct lode_signature *s, const struct lode_digest *digest,
			      const struct lode_digest_row *row)
{
	lode_signature_step_vec steps = {0};
	struct lode_arena arena = {0};
	bool holds = false;

	if ((s->kinds && !(s->kinds >> row->kind & 1)) ||
	    (s->reasons && !(s->reasons >> row->reason & 1)))
		return false;
	for (size_t p = 0; p < s->n_patterns && !holds; p++) {
		steps.n = 0;
		assert_int_equal(lode_signature_pattern_parse(&steps, s->patterns[p], &arena, NULL),
				 0);
		holds = pattern_holds(steps.at, steps.n, &digest->tree, row->stack);
	}
	lode_vec_release(&steps);
	lode_arena_release(&arena);
	return holds;
}

struct world {
	struct lode_digest *digest;
	struct lode_signatures list;
	struct lode_signature_match match;
	struct lode_coverage coverage;
	uint8_t *holds; /* per row and signature: the definition */
	uint64_t seed;
};

static bool holds(const struct world *w, size_t row, size_t signature)
{
	return w->holds[row * w->list.list.n + signature];
}

static bool is_active(const struct world *w, size_t signature)
{
	return !w->list.list.at[signature].is_retired;
}

/* Does any signature match the row, of those that are active (or retired), but `except`? */
static bool any_holds(const struct world *w, size_t row, bool active, size_t except)
{
	for (size_t s = 0; s < w->list.list.n; s++)
		if (s != except && is_active(w, s) == active && holds(w, row, s))
			return true;
	return false;
}

static void world_make(struct world *w, uint64_t seed)
{
	struct test_random random = {seed};
	struct lode_signature_matcher *matcher = NULL;
	size_t n;

	memset(w, 0, sizeof(*w));
	w->seed = seed;
	w->digest = make_digest(&random);
	make_signatures(&w->list, &random);
	n = w->list.list.n;
	assert_int_equal(lode_signature_matcher_new(&matcher, w->list.list.at, n, NULL), 0);
	lode_signature_match(&w->match, matcher, w->digest);
	lode_signature_matcher_free(matcher);
	lode_coverage_build(&w->coverage, &w->match, w->list.list.at, n, w->digest);
	w->holds = lode_alloc0(w->digest->rows.n * n + 1, 1);
	for (size_t r = 0; r < w->digest->rows.n; r++)
		for (size_t s = 0; s < n; s++)
			w->holds[r * n + s] = signature_matches(&w->list.list.at[s], w->digest,
								&w->digest->rows.at[r]);
}

static void world_free(struct world *w)
{
	lode_coverage_release(&w->coverage);
	lode_signature_match_release(&w->match);
	lode_signatures_release(&w->list);
	lode_digest_free(w->digest);
	free(w->holds);
}

static void check(const struct world *w, bool is_right, int line, const char *what)
{
	if (!is_right)
		fail_msg("seed %llu: line %d: %s", (unsigned long long)w->seed, line, what);
}

#define CHECK(w, condition) check(w, condition, __LINE__, #condition)

/* ---- Tests ---- */

static size_t check_matches(const struct world *w)
{
	size_t n_found = 0;

	CHECK(w, w->match.n_rows == w->digest->rows.n);
	for (size_t r = 0; r < w->digest->rows.n; r++) {
		const uint32_t *at;
		size_t n = lode_signature_set(&w->match, w->match.row_set[r], &at), i = 0;

		for (size_t s = 0; s < w->list.list.n; s++)
			if (holds(w, r, s)) {
				CHECK(w, i < n && at[i] == s);
				i++;
			}
		CHECK(w, i == n);
		n_found += n;
	}
	/* Each distinct set once. */
	for (uint32_t a = 0; a < lode_signature_match_n_sets(&w->match); a++)
		for (uint32_t b = 0; b < a; b++) {
			const uint32_t *p, *q;
			size_t n_p = lode_signature_set(&w->match, a, &p);

			CHECK(w, n_p != lode_signature_set(&w->match, b, &q) ||
					 memcmp(p, q, n_p * sizeof(*p)) != 0);
		}
	return n_found;
}

static void rows_have_the_signatures_whose_patterns_hold(void **state)
{
	size_t n_found = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(1500); seed++) {
		struct world w;

		world_make(&w, seed);
		n_found += check_matches(&w);
		world_free(&w);
	}
	assert_true(n_found > 7000);
}

static void check_cover(const struct world *w, const struct lode_stream_cover *cover,
			uint32_t stream)
{
	struct lode_stream_cover plain = {0};

	for (size_t i = 0; i < w->digest->symptoms.n; i++) {
		const struct lode_digest_symptom *s = &w->digest->symptoms.at[i];

		if (stream == LODE_NONE || s->stream == stream)
			plain.symptom_ns += s->t1_ns - s->t0_ns;
	}
	for (size_t r = 0; r < w->digest->rows.n; r++) {
		const struct lode_digest_row *row = &w->digest->rows.at[r];

		if (stream != LODE_NONE && w->digest->symptoms.at[row->symptom].stream != stream)
			continue;
		plain.aoi_ns += row->cost_ns;
		if (any_holds(w, r, true, SIZE_MAX))
			plain.covered_ns += row->cost_ns;
		else if (any_holds(w, r, false, SIZE_MAX))
			plain.returned_ns += row->cost_ns;
	}
	CHECK(w, memcmp(cover, &plain, sizeof(plain)) == 0);
}

/* The costs of one signature in one stream (LODE_NONE: in all). */
static struct lode_signature_cost plain_cost(const struct world *w, size_t s, uint32_t stream)
{
	struct lode_signature_cost cost = {.worst_symptom = LODE_NONE};
	const struct lode_digest *digest = w->digest;

	for (uint32_t symptom = 0; symptom < digest->symptoms.n; symptom++) {
		int64_t total = 0, worst_event = -1, worst_t0 = 0;
		bool found = false;

		if (stream != LODE_NONE && digest->symptoms.at[symptom].stream != stream)
			continue;
		for (size_t r = 0; r < digest->rows.n; r++) {
			const struct lode_digest_row *row = &digest->rows.at[r];

			if (row->symptom != symptom || !holds(w, r, s))
				continue;
			found = true;
			total += row->cost_ns;
			cost.split_ns[row->kind] += row->cost_ns;
			cost.n_events += row->n_events;
			if (!any_holds(w, r, true, s) &&
			    (is_active(w, s) || !any_holds(w, r, false, s)))
				cost.exclusive_ns += row->cost_ns;
			if (row->worst_cost_ns > worst_event ||
			    (row->worst_cost_ns == worst_event && row->worst_t0_ns < worst_t0)) {
				worst_event = row->worst_cost_ns;
				worst_t0 = row->worst_t0_ns;
			}
		}
		cost.total_ns += total;
		cost.n_symptoms += found;
		if (found && (cost.worst_symptom == LODE_NONE || total > cost.worst_ns)) {
			cost.worst_symptom = symptom;
			cost.worst_ns = total;
			cost.worst_t0_ns = worst_t0;
		}
	}
	return cost;
}

static void check_signature(const struct world *w, size_t s)
{
	const struct lode_coverage *c = &w->coverage;
	const struct lode_signature_cost *cost = &c->signatures[s];
	struct lode_signature_cost plain = plain_cost(w, s, LODE_NONE);
	size_t at = c->in_start[s];

	for (uint32_t stream = 0; stream < w->digest->streams.n; stream++) {
		struct lode_signature_cost here = plain_cost(w, s, stream);
		const struct lode_signature_in_stream *in = &c->in_streams.at[at];

		if (!here.n_symptoms)
			continue;
		CHECK(w, at < c->in_start[s + 1] && in->signature == s && in->stream == stream);
		CHECK(w, in->total_ns == here.total_ns && in->exclusive_ns == here.exclusive_ns &&
				 in->n_events == here.n_events);
		plain.n_streams++;
		at++;
	}
	CHECK(w, at == c->in_start[s + 1]);
	CHECK(w, cost->total_ns == plain.total_ns);
	CHECK(w, cost->exclusive_ns == plain.exclusive_ns);
	CHECK(w, memcmp(cost->split_ns, plain.split_ns, sizeof(plain.split_ns)) == 0);
	CHECK(w, cost->n_events == plain.n_events);
	CHECK(w, cost->n_streams == plain.n_streams && cost->n_symptoms == plain.n_symptoms);
	CHECK(w, cost->worst_symptom == plain.worst_symptom && cost->worst_ns == plain.worst_ns &&
			 cost->worst_t0_ns == plain.worst_t0_ns);
}

/* What any choice of signatures covers follows from the sets. */
static void check_choices(const struct world *w)
{
	size_t n = w->list.list.n;

	for (unsigned choice = 0; choice < 1u << n; choice++) {
		int64_t plain = 0, by_sets = 0;

		for (size_t r = 0; r < w->digest->rows.n; r++)
			for (size_t s = 0; s < n; s++)
				if (choice >> s & 1 && holds(w, r, s)) {
					plain += w->digest->rows.at[r].cost_ns;
					break;
				}
		for (uint32_t set = 0; set < w->coverage.n_sets; set++) {
			const uint32_t *at;
			size_t n_at = lode_signature_set(&w->match, set, &at);

			for (size_t i = 0; i < n_at; i++)
				if (choice >> at[i] & 1) {
					by_sets += w->coverage.set_ns[set];
					break;
				}
		}
		CHECK(w, plain == by_sets);
	}
}

static void coverage_is_what_it_is_defined_to_be(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 800; seed++) {
		struct world w;

		world_make(&w, seed);
		check_cover(&w, &w.coverage.all, LODE_NONE);
		CHECK(&w, w.coverage.n_streams == w.digest->streams.n);
		for (uint32_t stream = 0; stream < w.digest->streams.n; stream++)
			check_cover(&w, &w.coverage.streams[stream], stream);
		for (size_t s = 0; s < w.list.list.n; s++)
			check_signature(&w, s);
		check_choices(&w);
		world_free(&w);
	}
}

/* Costs of each signature in each group, and of all in it, by walking all streams. */
static void check_trend(const struct world *w, const uint32_t *group_of, uint32_t n_groups)
{
	struct lode_signature_trend trend;

	lode_signature_trend_build(&trend, &w->coverage, group_of, n_groups);
	for (uint32_t g = 0; g < n_groups; g++) {
		struct lode_stream_cover sum = {0};
		uint32_t n = 0;

		for (size_t i = 0; i < w->coverage.n_streams; i++) {
			const struct lode_stream_cover *c = &w->coverage.streams[i];

			if (group_of[i] != g)
				continue;
			sum.symptom_ns += c->symptom_ns;
			sum.aoi_ns += c->aoi_ns;
			sum.covered_ns += c->covered_ns;
			sum.returned_ns += c->returned_ns;
			n++;
		}
		CHECK(w,
		      memcmp(&trend.groups[g], &sum, sizeof(sum)) == 0 && trend.n_streams[g] == n);
		for (size_t s = 0; s < w->list.list.n; s++) {
			struct lode_trend_cell cell = {0};

			for (uint32_t i = 0; i < w->coverage.n_streams; i++) {
				struct lode_signature_cost cost = plain_cost(w, s, i);

				if (group_of[i] != g || !cost.n_symptoms)
					continue;
				cell.total_ns += cost.total_ns;
				cell.exclusive_ns += cost.exclusive_ns;
				cell.n_streams++;
			}
			CHECK(w,
			      lode_trend_cell(&trend, s, g)->total_ns == cell.total_ns &&
				      lode_trend_cell(&trend, s, g)->exclusive_ns ==
					      cell.exclusive_ns &&
				      lode_trend_cell(&trend, s, g)->n_streams == cell.n_streams);
		}
	}
	lode_signature_trend_release(&trend);
}

static void groups_have_what_their_streams_have(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct test_random random = {seed + 1000000};
		uint32_t group_of[8], n_groups = 1 + test_random_below(&random, 3);
		struct world w;

		world_make(&w, seed);
		for (size_t i = 0; i < w.coverage.n_streams; i++)
			group_of[i] = test_random_below(&random, n_groups);
		check_trend(&w, group_of, n_groups);
		world_free(&w);
	}
}

/* A chain of calls that only the last frames tell apart, a thousand deep: no recursion, no blow-up.
 */
static void deep_stacks_are_walked(void **state)
{
	struct lode_digest *digest = lode_digest_new();
	struct lode_signatures list = {0};
	const char *patterns[] = {"f;f;f;g", "f;>g", ">f;>f;h"};
	struct lode_signature s = {.name = "deep", .patterns = patterns, .n_patterns = 3};
	struct lode_signature_matcher *matcher;
	struct lode_signature_match match;
	uint32_t stack = 0, f = lode_frame_intern(&digest->tree, "", "f", 0);

	(void)state;
	lode_vec_append_zero(&digest->streams);
	lode_vec_append_zero(&digest->symptoms);
	for (int i = 0; i < 100000; i++)
		stack = lode_calltree_child(&digest->tree, stack, f);
	stack = lode_calltree_child(&digest->tree, stack,
				    lode_frame_intern(&digest->tree, "", "g", 0));
	lode_vec_append(&digest->rows, ((struct lode_digest_row){.stack = stack, .cost_ns = 5}));
	assert_int_equal(lode_signatures_add(&list, &s, NULL), 0);
	assert_int_equal(lode_signature_matcher_new(&matcher, list.list.at, 1, NULL), 0);
	lode_signature_match(&match, matcher, digest);
	assert_int_equal(match.row_set[0], 1);
	lode_signature_match_release(&match);
	lode_signature_matcher_free(matcher);
	lode_signatures_release(&list);
	lode_digest_free(digest);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_have_the_signatures_whose_patterns_hold),
		cmocka_unit_test(coverage_is_what_it_is_defined_to_be),
		cmocka_unit_test(groups_have_what_their_streams_have),
		cmocka_unit_test(deep_stacks_are_walked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
