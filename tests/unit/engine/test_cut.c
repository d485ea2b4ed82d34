#include "engine/clusters/cut.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/map.h"
#include "base/mem.h"
#include "cases.h"
#include "random.h"

enum { MAX_STACKS = 40, MAX_FRAMES = 16, MAX_SYMPTOMS = 12, MAX_DEPTH = 9 };

struct set {
	size_t n, n_symptoms;
	uint32_t items[MAX_STACKS * MAX_DEPTH];
	size_t start[MAX_STACKS + 1];
	int64_t cost[MAX_STACKS][MAX_SYMPTOMS];
	uint8_t may_name[MAX_FRAMES];
	uint32_t rank[MAX_FRAMES];
};

static struct test_random generator;

static uint32_t rnd(uint32_t n)
{
	return test_random_below(&generator, n);
}

static bool has(const struct set *set, size_t s, uint32_t frame)
{
	for (size_t i = set->start[s]; i < set->start[s + 1]; i++)
		if (set->items[i] == frame)
			return true;
	return false;
}

static void cut(uint32_t *name_of, const struct set *set)
{
	LODE_VEC(struct lode_cut_cost) costs = {0};
	size_t start[MAX_STACKS + 1];
	struct lode_cut_stacks stacks = {
		.n = set->n,
		.n_frames = MAX_FRAMES,
		.n_symptoms = set->n_symptoms,
		.items = set->items,
		.start = set->start,
		.cost_start = start,
		.may_name = set->may_name,
		.name_rank = set->rank,
	};

	for (size_t s = 0; s < set->n; s++) {
		start[s] = costs.n;
		for (uint32_t k = 0; k < set->n_symptoms; k++) {
			int64_t half = set->cost[s][k] / 2;

			if (!set->cost[s][k])
				continue;
			/* In two pieces, as rows of several kinds are. */
			lode_vec_append(&costs, ((struct lode_cut_cost){k, half}));
			lode_vec_append(&costs,
					((struct lode_cut_cost){k, set->cost[s][k] - half}));
		}
	}
	start[set->n] = costs.n;
	stacks.costs = costs.at;
	lode_cut(name_of, &stacks);
	lode_vec_release(&costs);
}

/* ---- The definition, word by word ---- */

struct oracle {
	const struct set *set;
	long double all, even, unit, share[MAX_SYMPTOMS];
	size_t n_functions;	      /* different sets of stacks */
	bool is_function[MAX_FRAMES]; /* the first frame of a set, by name */
	uint32_t name_of[MAX_STACKS];
	bool is_close; /* two choices are as good as equal: nothing to compare */
};

static long double cost_in(const struct set *set, const bool *in, size_t k)
{
	long double sum = 0;

	for (size_t s = 0; s < set->n; s++)
		sum += in[s] ? (long double)set->cost[s][k] : 0;
	return sum;
}

static long double cost_of(const struct set *set, const bool *in)
{
	long double sum = 0;

	for (size_t k = 0; k < set->n_symptoms; k++)
		sum += cost_in(set, in, k);
	return sum;
}

static long double ln_gamma(long double x)
{
	int sign;

	return lgammal_r(x, &sign);
}

static long double evidence(const struct oracle *o, const bool *in)
{
	long double weight = 0.1L * o->even, n = cost_of(o->set, in) / o->unit;
	long double sum = ln_gamma(weight) - ln_gamma(weight + n);

	for (size_t k = 0; k < o->set->n_symptoms; k++) {
		long double a = weight * o->share[k], cost = cost_in(o->set, in, k);

		if (cost > 0)
			sum += ln_gamma(a + cost / o->unit) - ln_gamma(a);
	}
	return sum;
}

/* The stacks of `in` that have the frame, or that have not. */
static void with(bool *out, const struct set *set, const bool *in, uint32_t frame, bool wanted)
{
	for (size_t s = 0; s < set->n; s++)
		out[s] = in[s] && has(set, s, frame) == wanted;
}

static bool is_all(const struct oracle *o, const bool *in, uint32_t frame)
{
	long double held = 0, there = 0;
	bool part[MAX_STACKS];

	with(part, o->set, in, frame, true);
	for (size_t k = 0; k < o->set->n_symptoms; k++) {
		long double cost = cost_in(o->set, part, k);

		held += cost;
		there += cost > 0 ? cost_in(o->set, in, k) : 0;
	}
	return held >= 0.95L * there;
}

/* Candidates that do not hold all of `outer`. */
static bool tells(const struct oracle *o, const bool *outer, uint32_t frame)
{
	bool all[MAX_STACKS], part[MAX_STACKS];

	memset(all, true, sizeof(all));
	with(part, o->set, all, frame, true);
	return o->set->may_name[frame] && cost_of(o->set, part) >= 0.002L * o->all &&
	       !is_all(o, outer, frame);
}

static bool is_one(const struct oracle *o, const bool *in, const bool *outer)
{
	long double sum = cost_of(o->set, in), open = 0;
	bool agreed[MAX_FRAMES] = {0}, part[MAX_STACKS];
	size_t n_agreed = 0;

	for (uint32_t f = 0; f < MAX_FRAMES; f++) {
		with(part, o->set, in, f, true);
		agreed[f] = tells(o, outer, f) && cost_of(o->set, part) >= 0.8L * sum;
		n_agreed += agreed[f];
	}
	for (size_t s = 0; s < o->set->n; s++) {
		bool seen[MAX_FRAMES] = {0}, is_behind = false;
		long double cost = 0;
		size_t n = 0;

		for (size_t k = 0; k < o->set->n_symptoms; k++)
			cost += (long double)o->set->cost[s][k];
		for (size_t i = o->set->start[s]; in[s] && i < o->set->start[s + 1]; i++) {
			uint32_t f = o->set->items[i];

			if (!seen[f] && tells(o, outer, f)) {
				is_behind |= agreed[f];
				n += is_behind && !agreed[f];
			}
			seen[f] = true;
		}
		open += cost * (long double)n;
	}
	return open <= (long double)n_agreed * sum;
}

static uint32_t frame_of_rank(const struct set *set, uint32_t rank)
{
	for (uint32_t f = 0; f < MAX_FRAMES; f++)
		if (set->rank[f] == rank)
			return f;
	return LODE_NONE;
}

/* The gain of the best function, the first by name of the best. */
static uint32_t best_plainly(struct oracle *o, const bool *in)
{
	bool part[MAX_STACKS], other[MAX_STACKS];
	long double best = 0, gain;
	uint32_t found = LODE_NONE;

	for (uint32_t rank = 0; rank < MAX_FRAMES; rank++) {
		uint32_t f = frame_of_rank(o->set, rank);

		if (!o->is_function[f])
			continue;
		with(part, o->set, in, f, true);
		with(other, o->set, in, f, false);
		if (cost_of(o->set, part) < 0.002L * o->all ||
		    cost_of(o->set, other) < 0.002L * o->all)
			continue;
		gain = evidence(o, part) + evidence(o, other) - evidence(o, in) -
		       logl((long double)o->n_functions);
		o->is_close |= fabsl(gain - best) < 1e-6L && fabsl(gain - best) > 1e-12L;
		if (gain > best + 1e-9L) {
			best = gain;
			found = f;
		}
	}
	return found;
}

static bool is_within(const struct set *set, const bool *in, const bool *rest, uint32_t frame)
{
	bool part[MAX_STACKS], left[MAX_STACKS];

	with(part, set, in, frame, true);
	with(left, set, rest, frame, true);
	return cost_of(set, part) == cost_of(set, rest) && cost_of(set, left) == cost_of(set, rest);
}

static void part_plainly(struct oracle *o, const bool *in, const bool *outer, uint32_t name)
{
	bool rest[MAX_STACKS], part[MAX_STACKS];
	uint32_t found;

	memcpy(rest, in, sizeof(rest));
	while ((found = best_plainly(o, rest)) != LODE_NONE) {
		with(part, o->set, rest, found, true);
		part_plainly(o, part, in, is_all(o, in, found) ? name : found);
		with(rest, o->set, rest, found, false);
	}
	for (uint32_t rank = 0; rank < MAX_FRAMES; rank++) {
		uint32_t f = frame_of_rank(o->set, rank);

		if (o->is_function[f] && !is_all(o, in, f) && is_within(o->set, in, rest, f)) {
			name = f;
			outer = in;
			break;
		}
	}
	if (name == LODE_NONE || !is_one(o, rest, outer))
		return;
	for (size_t s = 0; s < o->set->n; s++)
		if (rest[s] && has(o->set, s, name))
			o->name_of[s] = name;
}

static bool same_stacks(const struct set *set, uint32_t f, uint32_t g)
{
	for (size_t s = 0; s < set->n; s++)
		if (has(set, s, f) != has(set, s, g))
			return false;
	return true;
}

static void cut_plainly(struct oracle *o, const struct set *set)
{
	bool all[MAX_STACKS];
	long double squares = 0;

	memset(o, 0, sizeof(*o));
	memset(o->name_of, 0xff, sizeof(o->name_of));
	memset(all, true, sizeof(all));
	o->set = set;
	o->all = cost_of(set, all);
	if (set->n_symptoms < 2 || o->all <= 0)
		return;
	for (size_t k = 0; k < set->n_symptoms; k++) {
		o->share[k] = cost_in(set, all, k) / o->all;
		squares += o->share[k] * o->share[k];
	}
	o->even = 1 / squares;
	o->unit = o->all / (30 * o->even);
	for (uint32_t rank = 0; rank < MAX_FRAMES; rank++) {
		uint32_t f = frame_of_rank(set, rank);
		bool part[MAX_STACKS];

		with(part, set, all, f, true);
		o->is_function[f] = set->may_name[f] && cost_of(set, part) >= 0.002L * o->all;
		for (uint32_t g = 0; g < MAX_FRAMES; g++)
			o->is_function[f] &=
				!(g != f && o->is_function[g] && same_stacks(set, f, g));
		o->n_functions += o->is_function[f];
	}
	if (o->n_functions >= 2)
		part_plainly(o, all, all, LODE_NONE);
}

/* ---- Random sets ---- */

static void append(struct set *set, const uint32_t *frames, size_t n)
{
	memcpy(&set->items[set->start[set->n]], frames, n * sizeof(*frames));
	set->start[set->n + 1] = set->start[set->n] + n;
	set->n++;
}

/* Stacks that have a function which is on in some symptoms cost much there. */
static void random_set(struct set *set)
{
	bool is_on[MAX_FRAMES][MAX_SYMPTOMS];
	size_t n = 1 + rnd(MAX_STACKS - 1);

	memset(set, 0, sizeof(*set));
	set->n_symptoms = 1 + rnd(MAX_SYMPTOMS);
	for (uint32_t f = 0; f < MAX_FRAMES; f++) {
		set->may_name[f] = rnd(6) != 0;
		set->rank[f] = (f * 7 + 3) % MAX_FRAMES;
		for (size_t k = 0; k < MAX_SYMPTOMS; k++)
			is_on[f][k] = rnd(3) == 0;
	}
	for (size_t s = 0; s < n; s++) {
		uint32_t frames[MAX_DEPTH], depth = 1 + (uint32_t)rnd(MAX_DEPTH);
		uint32_t cause;

		frames[0] = 0;
		for (size_t i = 1; i < depth; i++)
			frames[i] = (uint32_t)rnd(MAX_FRAMES);
		cause = frames[rnd(depth)];
		append(set, frames, depth);
		for (size_t k = 0; k < set->n_symptoms; k++)
			set->cost[s][k] = is_on[cause][k] ? (int64_t)rnd(100000)
					  : rnd(3)	  ? 0
							  : (int64_t)rnd(2000);
	}
}

/* Names stand for sets of stacks: two names that the same stacks have are the same. */
static bool is_same_name(const struct set *set, uint32_t found, uint32_t expected)
{
	if (found == LODE_NONE || expected == LODE_NONE)
		return found == expected;
	return same_stacks(set, found, expected);
}

static void random_sets_agree_with_the_definition(void **state)
{
	size_t n_named = 0, n_close = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(3000); seed++) {
		uint32_t found[MAX_STACKS];
		struct oracle oracle;
		struct set set;

		generator.state = seed;
		random_set(&set);
		cut_plainly(&oracle, &set);
		n_close += oracle.is_close;
		if (oracle.is_close)
			continue;
		cut(found, &set);
		for (size_t s = 0; s < set.n; s++) {
			n_named += found[s] != LODE_NONE;
			if (!is_same_name(&set, found[s], oracle.name_of[s]))
				fail_msg("seed %llu: stack %zu has name %d, by definition %d",
					 (unsigned long long)seed, s, (int)found[s],
					 (int)oracle.name_of[s]);
			if (found[s] != LODE_NONE)
				assert_true(has(&set, s, found[s]));
		}
	}
	assert_true(n_named > 1000);
	assert_true(n_close < 300);
}

/* ---- What it is for ---- */

enum { MAIN, LOOP, SCAN, FLUSH, A, B, C, SLOW, INNER, LEAF };

static void begin(struct set *set)
{
	memset(set, 0, sizeof(*set));
	memset(set->may_name, 1, sizeof(set->may_name));
	set->n_symptoms = 10;
	for (uint32_t f = 0; f < MAX_FRAMES; f++)
		set->rank[f] = f;
}

static void costs(struct set *set, const uint32_t *frames, size_t n, const int *ms)
{
	append(set, frames, n);
	for (size_t k = 0; k < set->n_symptoms; k++)
		set->cost[set->n - 1][k] = ms[k] * 1000000LL;
}

#define STACK(...) (const uint32_t[]){__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__}) / 4

/* One server's loop, the same in all stacks; two problems that have nothing to do with each other.
 */
static void two_problems_behind_one_loop_are_two(void **state)
{
	const int scans[] = {900, 20, 880, 10, 0, 950, 30, 900, 0, 920};
	const int flushes[] = {10, 900, 30, 910, 900, 0, 870, 20, 930, 0};
	uint32_t found[MAX_STACKS];
	struct set set;

	(void)state;
	begin(&set);
	costs(&set, STACK(MAIN, LOOP, SCAN, LEAF), scans);
	costs(&set, STACK(MAIN, LOOP, FLUSH, LEAF), flushes);
	cut(found, &set);
	assert_true(found[0] == SCAN || found[1] == FLUSH);
	assert_true(found[0] != found[1]);
}

/* Three callers of one slow function, and little else: it costs where it is on, whoever calls. */
static void many_callers_of_one_are_one(void **state)
{
	const int a[] = {300, 0, 310, 320, 0, 0, 290, 0, 300, 0};
	const int b[] = {210, 0, 190, 200, 0, 0, 200, 0, 220, 0};
	const int c[] = {100, 0, 120, 90, 0, 0, 100, 0, 90, 0};
	const int rest[] = {80, 90, 80, 70, 90, 80, 80, 90, 80, 80};
	uint32_t found[MAX_STACKS];
	struct set set;

	(void)state;
	begin(&set);
	costs(&set, STACK(MAIN, A, SLOW, INNER), a);
	costs(&set, STACK(MAIN, B, SLOW, INNER, LEAF), b);
	costs(&set, STACK(MAIN, C, SLOW), c);
	costs(&set, STACK(MAIN, LOOP), rest);
	cut(found, &set);
	assert_int_equal(found[0], SLOW);
	assert_int_equal(found[1], SLOW);
	assert_int_equal(found[2], SLOW);
	assert_true(found[3] != SLOW);
}

/* Most of all cost, evenly: nothing tells its parts from each other. */
static void what_is_nearly_all_stays_whole(void **state)
{
	const int a[] = {450, 460, 440, 450, 470, 450, 430, 450, 460, 450};
	const int b[] = {440, 450, 460, 440, 450, 450, 460, 440, 450, 430};
	const int rest[] = {100, 110, 90, 100, 100, 120, 100, 90, 100, 100};
	uint32_t found[MAX_STACKS];
	struct set set;

	(void)state;
	begin(&set);
	costs(&set, STACK(MAIN, A, SLOW, INNER), a);
	costs(&set, STACK(MAIN, B, SLOW, LEAF), b);
	costs(&set, STACK(MAIN, LOOP), rest);
	cut(found, &set);
	for (size_t s = 0; s < set.n; s++)
		assert_int_equal(found[s], LODE_NONE);
}

/* Handlers of two kinds of requests: each holds all of its symptoms, and is no problem. */
static void kinds_of_symptoms_are_no_names(void **state)
{
	const int a[] = {500, 520, 480, 500, 510, 0, 0, 0, 0, 0};
	const int b[] = {0, 0, 0, 0, 0, 500, 490, 510, 500, 500};
	uint32_t found[MAX_STACKS];
	struct set set;

	(void)state;
	begin(&set);
	costs(&set, STACK(MAIN, A, SLOW, INNER), a);
	costs(&set, STACK(MAIN, B, SLOW, INNER), b);
	cut(found, &set);
	assert_int_equal(found[0], LODE_NONE);
	assert_int_equal(found[1], LODE_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_sets_agree_with_the_definition),
		cmocka_unit_test(two_problems_behind_one_loop_are_two),
		cmocka_unit_test(many_callers_of_one_are_one),
		cmocka_unit_test(what_is_nearly_all_stays_whole),
		cmocka_unit_test(kinds_of_symptoms_are_no_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
