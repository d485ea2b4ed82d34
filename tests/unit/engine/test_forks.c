#include "engine/clusters/threads_cut.h"

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

enum { MAX_STACKS = 24, MAX_FRAMES = 14, MAX_DEPTH = 9, N_MODULES = 3 };

struct set {
	size_t n;
	uint32_t items[MAX_STACKS * MAX_DEPTH];
	size_t start[MAX_STACKS + 1];
	int64_t cost[MAX_STACKS];
	uint8_t may_name[MAX_FRAMES], is_link[MAX_FRAMES];
	uint32_t rank[MAX_FRAMES], module[MAX_FRAMES];
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

/* `is_in` NULL: all, by how they fork; else these, by threads. */
static void cut_some(uint32_t *name_of, const struct set *set, const bool *is_in)
{
	struct lode_cut_cost costs[2 * MAX_STACKS];
	size_t start[MAX_STACKS + 1];
	struct lode_forks_input in = {
		.stacks =
			{
				.n = set->n,
				.n_frames = MAX_FRAMES,
				.n_symptoms = 1,
				.items = set->items,
				.start = set->start,
				.costs = costs,
				.cost_start = start,
				.may_name = set->may_name,
				.name_rank = set->rank,
			},
		.module = set->module,
		.is_link = set->is_link,
	};

	for (size_t s = 0; s <= set->n; s++)
		start[s] = 2 * s;
	for (size_t s = 0; s < set->n; s++) { /* in two pieces, as rows of several kinds are */
		costs[2 * s] = (struct lode_cut_cost){0, set->cost[s] / 3};
		costs[2 * s + 1] = (struct lode_cut_cost){0, set->cost[s] - set->cost[s] / 3};
	}
	if (is_in)
		lode_cut_by_threads(name_of, &in, is_in);
	else
		lode_cut_by_forks(name_of, &in);
}

static void cut(uint32_t *name_of, const struct set *set)
{
	cut_some(name_of, set, NULL);
}

/* ---- The definition, word by word: every question is put to all stacks ---- */

struct oracle {
	const struct set *set;
	int64_t all, least;
	/* Functions in order: dearest first, then by name. A function is the first frame of those
	   with the same stacks. */
	uint32_t functions[MAX_FRAMES];
	size_t n;
	uint32_t modules[N_MODULES]; /* in the order of their first functions, then the others */
	bool is_close;		     /* a choice that doubles may take otherwise */
	/* Answers, kept. */
	int places[MAX_STACKS][MAX_FRAMES];
	int64_t costs[MAX_FRAMES];
	bool below[MAX_STACKS][MAX_FRAMES][MAX_FRAMES + N_MODULES];
};

static bool same_stacks(const struct set *set, uint32_t f, uint32_t g)
{
	for (size_t s = 0; s < set->n; s++)
		if (has(set, s, f) != has(set, s, g))
			return false;
	return true;
}

static int64_t cost_with(const struct set *set, uint32_t f)
{
	int64_t sum = 0;

	for (size_t s = 0; s < set->n; s++)
		sum += has(set, s, f) ? set->cost[s] : 0;
	return sum;
}

/* Where a function stands in a stack, by the last of its frames that can be names; -1: nowhere. */
static int find_place(const struct set *set, size_t s, uint32_t f)
{
	int found = -1;

	for (size_t i = set->start[s]; i < set->start[s + 1]; i++)
		if (set->may_name[set->items[i]] && same_stacks(set, set->items[i], f))
			found = (int)(i - set->start[s]);
	return found;
}

static int place_in(const struct oracle *o, size_t s, uint32_t f)
{
	return o->places[s][f];
}

static bool is_behind_link(const struct oracle *o, size_t s, int from, int to)
{
	for (int i = from; i < to; i++)
		if (o->set->is_link[o->set->items[o->set->start[s] + (size_t)i]])
			return true;
	return false;
}

static bool is_all(const struct oracle *o, uint32_t f)
{
	return o->all - o->costs[f] < o->least;
}

/* The frame that a function goes by: the deepest, in the last of its stacks. */
static uint32_t frame_of(const struct oracle *o, uint32_t f)
{
	for (size_t s = o->set->n; s-- > 0;) {
		int at = place_in(o, s, f);

		if (at >= 0)
			return o->set->items[o->set->start[s] + (size_t)at];
	}
	return f;
}

static uint32_t module_of(const struct oracle *o, uint32_t f)
{
	return o->set->module[frame_of(o, f)];
}

/* Things below a function: MAX_FRAMES + m is module m. */
static bool find_below(const struct oracle *o, size_t s, uint32_t f, uint32_t thing)
{
	int at = place_in(o, s, f);

	if (at < 0)
		return false;
	for (size_t i = 0; i < o->n; i++) {
		uint32_t k = o->functions[i];
		int place = place_in(o, s, k);
		bool is_itself = is_all(o, f) || module_of(o, k) == module_of(o, f) ||
				 (place > at && is_behind_link(o, s, at, place));

		if (place > at && thing == (is_itself ? k : MAX_FRAMES + module_of(o, k)))
			return true;
	}
	return false;
}

static void keep_answers(struct oracle *o)
{
	for (uint32_t f = 0; f < MAX_FRAMES; f++)
		o->costs[f] = cost_with(o->set, f);
	for (size_t s = 0; s < o->set->n; s++)
		for (uint32_t f = 0; f < MAX_FRAMES; f++)
			o->places[s][f] = find_place(o->set, s, f);
	for (size_t s = 0; s < o->set->n; s++)
		for (size_t i = 0; i < o->n; i++)
			for (uint32_t thing = 0; thing < MAX_FRAMES + N_MODULES; thing++)
				o->below[s][o->functions[i]][thing] =
					find_below(o, s, o->functions[i], thing);
}

static void order_modules(struct oracle *o)
{
	bool is_there[N_MODULES] = {0};
	size_t n = 0;

	for (size_t i = 0; i < o->n + N_MODULES; i++) {
		uint32_t m = i < o->n ? module_of(o, o->functions[i]) : (uint32_t)(i - o->n);

		if (!is_there[m])
			o->modules[n++] = m;
		is_there[m] = true;
	}
}

static bool is_below(const struct oracle *o, size_t s, uint32_t f, uint32_t thing)
{
	return o->below[s][f][thing];
}

static int64_t cost_below(const struct oracle *o, uint32_t f, uint32_t thing, const bool *taken)
{
	int64_t sum = 0;

	for (size_t s = 0; s < o->set->n; s++)
		if (!(taken && taken[s]) && is_below(o, s, f, thing))
			sum += o->set->cost[s];
	return sum;
}

static bool is_substantial(const struct oracle *o, int64_t part, int64_t whole)
{
	return part >= o->least && whole - part >= o->least;
}

static int64_t in_branches(struct oracle *o, uint32_t f)
{
	int64_t whole = o->costs[f], sum = 0;
	bool taken[MAX_STACKS] = {0};

	for (;;) {
		uint32_t best = LODE_NONE;
		int64_t most = 0;

		for (size_t i = 0; i < o->n + N_MODULES; i++) {
			uint32_t thing =
				i < o->n ? o->functions[i] : MAX_FRAMES + (uint32_t)(i - o->n);
			int64_t left = cost_below(o, f, thing, taken);

			if (left < o->least ||
			    !is_substantial(o, cost_below(o, f, thing, NULL), whole))
				continue;
			if (left > most) {
				most = left;
				best = thing;
			}
		}
		if (best == LODE_NONE)
			return sum;
		sum += most;
		for (size_t s = 0; s < o->set->n; s++)
			taken[s] |= is_below(o, s, f, best);
	}
}

static bool calls_decide(struct oracle *o, uint32_t f)
{
	const struct set *set = o->set;
	int64_t whole = o->costs[f];

	for (size_t i = 0; i < o->n; i++) {
		uint32_t h = o->functions[i];
		int64_t above = 0, called = 0;

		for (size_t s = 0; s < set->n; s++) {
			int place = place_in(o, s, h), at = place_in(o, s, f);

			if (place < 0 || at <= place)
				continue;
			above += set->cost[s];
			called += is_behind_link(o, s, place, at) ? 0 : set->cost[s];
		}
		if (module_of(o, h) != module_of(o, f) && is_substantial(o, called, whole))
			return true;
		if (!is_substantial(o, above, whole))
			continue;
		for (size_t j = 0; j < o->n; j++) {
			long double with = 0, without = 0, difference;

			for (size_t s = 0; s < set->n; s++) {
				int at = place_in(o, s, f), place = place_in(o, s, h);

				if (at < 0 || place_in(o, s, o->functions[j]) <= at)
					continue;
				*(place >= 0 && place < at ? &with : &without) +=
					(long double)set->cost[s];
			}
			difference = fabsl(with / (long double)above -
					   without / (long double)(whole - above));
			o->is_close |= fabsl(difference - 0.5L) < 1e-12L;
			if (difference >= 0.5L)
				return true;
		}
	}
	return false;
}

static bool is_problem(struct oracle *o, uint32_t f)
{
	int64_t forked = in_branches(o, f);
	long double share = (long double)forked / (long double)o->costs[f];

	o->is_close |= fabsl(share - 0.65L) < 1e-12L;
	return !(is_all(o, f) ? forked > 0 : share >= 0.65L) && !calls_decide(o, f);
}

static uint32_t name_plainly(struct oracle *o, const bool *in, uint32_t f)
{
	const struct set *set = o->set;
	int64_t problem = 0, held[MAX_FRAMES] = {0}, first[MAX_FRAMES] = {0};
	bool is_specific[MAX_FRAMES];
	uint32_t lead = f, best;

	for (size_t s = 0; s < set->n; s++) {
		problem += in[s] ? set->cost[s] : 0;
		for (size_t i = 0; i < o->n; i++)
			held[i] += in[s] && has(set, s, o->functions[i]) ? set->cost[s] : 0;
	}
	for (size_t i = 0; i < o->n; i++)
		is_specific[i] = problem - held[i] < o->least &&
				 o->costs[o->functions[i]] - held[i] < o->least;
	for (size_t s = 0; s < set->n; s++) {
		size_t found = MAX_FRAMES;

		for (size_t i = 0; i < o->n; i++)
			if (in[s] && is_specific[i] && has(set, s, o->functions[i]) &&
			    (found == MAX_FRAMES ||
			     place_in(o, s, o->functions[i]) < place_in(o, s, o->functions[found])))
				found = i;
		if (found < MAX_FRAMES)
			first[found] += set->cost[s];
	}
	for (size_t i = 0; i < o->n; i++) {
		size_t at = 0;

		while (o->functions[at] != lead)
			at++;
		if (first[i] > first[at])
			lead = o->functions[i];
	}
	best = lead;
	for (size_t i = 0; i < o->n; i++) {
		size_t at = 0;

		while (o->functions[at] != best)
			at++;
		if (module_of(o, o->functions[i]) == module_of(o, lead) && is_specific[i] &&
		    held[i] <= held[at])
			best = o->functions[i];
	}
	return best;
}

static void find_functions(struct oracle *o)
{
	const struct set *set = o->set;
	uint32_t order[MAX_FRAMES];

	for (uint32_t f = 0; f < MAX_FRAMES; f++) {
		size_t place = f;

		while (place > 0 && (cost_with(set, order[place - 1]) < cost_with(set, f) ||
				     (cost_with(set, order[place - 1]) == cost_with(set, f) &&
				      set->rank[order[place - 1]] > set->rank[f]))) {
			order[place] = order[place - 1];
			place--;
		}
		order[place] = f;
	}
	for (size_t i = 0; i < MAX_FRAMES; i++) {
		bool is_new = set->may_name[order[i]] && cost_with(set, order[i]) >= o->least;

		for (size_t j = 0; j < o->n; j++)
			is_new &= !same_stacks(set, order[i], o->functions[j]);
		if (is_new)
			o->functions[o->n++] = order[i];
	}
}

static void cut_plainly(struct oracle *o, uint32_t *name_of, const struct set *set)
{
	bool is_whole[MAX_FRAMES] = {0}, taken[MAX_STACKS] = {0};

	memset(o, 0, sizeof(*o));
	o->set = set;
	for (size_t s = 0; s < set->n; s++) {
		name_of[s] = LODE_NONE;
		o->all += set->cost[s];
	}
	if (o->all <= 0)
		return;
	o->least = o->all / 20 + 1;
	find_functions(o);
	keep_answers(o);
	order_modules(o);
	for (size_t i = 0; i < o->n; i++)
		is_whole[i] = is_problem(o, o->functions[i]);
	for (;;) {
		uint32_t best = LODE_NONE, name;
		bool in[MAX_STACKS];
		int64_t most = o->least - 1;

		for (size_t i = 0; i < o->n; i++) {
			int64_t left = 0;

			for (size_t s = 0; is_whole[i] && s < set->n; s++)
				left += !taken[s] && has(set, s, o->functions[i]) ? set->cost[s]
										  : 0;
			if (left > most) {
				most = left;
				best = o->functions[i];
			}
		}
		if (best == LODE_NONE)
			return;
		for (size_t s = 0; s < set->n; s++)
			in[s] = !taken[s] && has(set, s, best);
		name = is_all(o, best) ? LODE_NONE : frame_of(o, name_plainly(o, in, best));
		for (size_t s = 0; s < set->n; s++) {
			name_of[s] = in[s] ? name : name_of[s];
			taken[s] |= in[s];
		}
	}
}

/* ---- Random trees ---- */

static void append(struct set *set, const uint32_t *frames, size_t n, int64_t cost)
{
	memcpy(&set->items[set->start[set->n]], frames, n * sizeof(*frames));
	set->start[set->n + 1] = set->start[set->n] + n;
	set->cost[set->n++] = cost;
}

/* Stacks grow from earlier ones, often: they share their callers. Some end alike. */
static void random_set(struct set *set)
{
	size_t n = 1 + rnd(MAX_STACKS - 1);
	bool has_modules = rnd(2), has_links = rnd(2);

	memset(set, 0, sizeof(*set));
	for (uint32_t f = 0; f < MAX_FRAMES; f++) {
		set->is_link[f] = has_links && rnd(6) == 0;
		set->may_name[f] = !set->is_link[f] && rnd(8) != 0;
		set->rank[f] = (f * 5 + 3) % MAX_FRAMES;
		set->module[f] = has_modules ? 100 + rnd(N_MODULES) : 100;
	}
	for (size_t s = 0; s < n; s++) {
		uint32_t frames[MAX_DEPTH];
		size_t depth = 0, wanted = 1 + rnd(MAX_DEPTH);

		if (s && rnd(4)) {
			uint32_t from = rnd((uint32_t)s);
			size_t shared = set->start[from + 1] - set->start[from];

			depth = 1 + rnd((uint32_t)(shared < wanted ? shared : wanted));
			depth = depth > shared ? shared : depth;
			memcpy(frames, &set->items[set->start[from]], depth * sizeof(*frames));
		}
		while (depth < wanted)
			frames[depth++] = rnd(3) ? rnd(MAX_FRAMES) : rnd(MAX_FRAMES / 2);
		append(set, frames, depth, rnd(3) ? rnd(1000) : rnd(30));
	}
}

static void random_trees_agree_with_the_definition(void **state)
{
	size_t n_named = 0, n_close = 0, n_sets = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(10000); seed++) {
		uint32_t found[MAX_STACKS], expected[MAX_STACKS];
		struct oracle oracle;
		struct set set;

		generator.state = seed;
		random_set(&set);
		cut(found, &set);
		for (uint32_t f = 0; f < MAX_FRAMES; f++)
			set.module[f] -= 100; /* as the oracle counts them */
		cut_plainly(&oracle, expected, &set);
		n_close += oracle.is_close;
		if (oracle.is_close)
			continue;
		for (size_t s = 0; s < set.n; s++) {
			n_named += found[s] != LODE_NONE;
			if (found[s] != expected[s])
				fail_msg("seed %llu: stack %zu has name %d, by definition %d",
					 (unsigned long long)seed, s, (int)found[s],
					 (int)expected[s]);
		}
		n_sets++;
	}
	assert_true(n_named > 3 * n_sets);
	assert_true(n_close < 100);
}

/* ---- By threads ---- */

/* The links that stack s goes through; gives how many. */
static size_t links_of(uint32_t *links, const struct set *set, size_t s)
{
	size_t n = 0;

	for (size_t i = set->start[s]; i < set->start[s + 1]; i++)
		if (set->is_link[set->items[i]])
			links[n++] = set->items[i];
	return n;
}

static bool same_links(const struct set *set, size_t s, size_t t)
{
	uint32_t a[MAX_DEPTH], b[MAX_DEPTH];
	size_t n = links_of(a, set, s);

	return links_of(b, set, t) == n && memcmp(a, b, n * sizeof(*a)) == 0;
}

/* The first stack of a problem that has the links of most of its cost. */
static size_t main_stack(const struct set *set, const uint32_t *name, uint32_t problem)
{
	size_t best = SIZE_MAX;
	int64_t most = -1;

	for (size_t s = 0; s < set->n; s++) {
		int64_t cost = 0;

		for (size_t t = 0; name[s] == problem && t < set->n; t++)
			cost += name[t] == problem && same_links(set, s, t) ? set->cost[t] : 0;
		if (name[s] == problem && cost > most) {
			most = cost;
			best = s;
		}
	}
	return best;
}

/* Of the stacks of `part`, which forks gave these names. */
static bool goes_its_own_way(const struct set *part, const uint32_t *name, uint32_t problem)
{
	for (size_t s = 0; s < part->n; s++)
		if (name[s] != problem && same_links(part, main_stack(part, name, problem),
						     main_stack(part, name, name[s])))
			return false;
	return true;
}

static void problems_that_share_no_threads_have_names(void **state)
{
	size_t n_kept = 0, n_dropped = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(5000); seed++) {
		uint32_t found[MAX_STACKS], name[MAX_STACKS], before[MAX_STACKS];
		bool is_in[MAX_STACKS];
		struct set set, part;
		size_t at = 0;

		generator.state = seed;
		random_set(&set);
		part = set;
		part.n = 0;
		for (size_t s = 0; s < set.n; s++) {
			is_in[s] = rnd(4) != 0;
			found[s] = before[s] = rnd(2) ? LODE_NONE : rnd(MAX_FRAMES);
			if (is_in[s])
				append(&part, &set.items[set.start[s]],
				       set.start[s + 1] - set.start[s], set.cost[s]);
		}
		cut(name, &part);
		cut_some(found, &set, is_in);
		for (size_t s = 0; s < set.n; s++) {
			if (!is_in[s]) {
				assert_int_equal(found[s], before[s]);
			} else if (name[at] != LODE_NONE &&
				   goes_its_own_way(&part, name, name[at])) {
				assert_int_equal(found[s], name[at]);
				n_kept++;
			} else {
				assert_int_equal(found[s], LODE_NONE);
				n_dropped += name[at] != LODE_NONE;
			}
			at += is_in[s];
		}
	}
	assert_true(n_kept > 1000 && n_dropped > 1000);
}

/* A lock that a reporter holds, and sleep; a scan stays whole, whatever it calls. */
static void what_goes_to_other_threads_is_parted(void **state)
{
	const bool is_in[MAX_STACKS] = {true, true, true, true, true};
	uint32_t found[MAX_STACKS];
	struct set set;

	(void)state;
	for (int is_scan = 0; is_scan < 2; is_scan++) {
		memset(&set, 0, sizeof(set));
		memset(set.may_name, 1, sizeof(set.may_name));
		set.is_link[1] = set.is_link[2] = 1;
		set.may_name[1] = set.may_name[2] = 0;
		append(&set, (const uint32_t[]){0, 3, is_scan ? 5 : 1, 4}, 4, 60);
		append(&set, (const uint32_t[]){0, 6, is_scan ? 7 : 2}, 3, 30);
		append(&set, (const uint32_t[]){0}, 1, 10);
		cut_some(found, &set, is_in);
		assert_int_equal(found[0], is_scan ? LODE_NONE : 4);
		assert_int_equal(found[1], is_scan ? LODE_NONE : 6);
		assert_int_equal(found[2], LODE_NONE);
	}
}

/* ---- What it is for ---- */

enum { MAIN, LOOP, SCAN, FLUSH, A, B, C, SLOW, INNER, LEAF, STEP, SORT, OTHER, WAKES };

static void begin(struct set *set)
{
	memset(set, 0, sizeof(*set));
	memset(set->may_name, 1, sizeof(set->may_name));
	for (uint32_t f = 0; f < MAX_FRAMES; f++)
		set->rank[f] = f;
}

#define STACK(...) (const uint32_t[]){__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__}) / 4

static void what_one_loop_calls_are_problems(void **state)
{
	uint32_t found[MAX_STACKS];
	struct set set;

	(void)state;
	begin(&set);
	append(&set, STACK(MAIN, LOOP, SCAN, LEAF), 60);
	append(&set, STACK(MAIN, LOOP, FLUSH, INNER), 38);
	append(&set, STACK(MAIN, LOOP), 2);
	cut(found, &set);
	assert_int_equal(found[0], LEAF);
	assert_int_equal(found[1], INNER);
	assert_int_equal(found[2], LODE_NONE);
}

/* Between "nearly all" and "a branch" there is no hole. */
static void a_small_branch_beside_nearly_all_takes_its_name_away(void **state)
{
	(void)state;
	for (int64_t small = 0; small <= 1000; small++) {
		uint32_t found[MAX_STACKS];
		struct set set;

		begin(&set);
		append(&set, STACK(MAIN, A, SLOW), 1000 - small);
		append(&set, STACK(MAIN, B), small);
		cut(found, &set);
		for (size_t s = 0; s < set.n; s++)
			assert_true(found[s] != MAIN);
		assert_true(found[0] == LODE_NONE || found[0] != found[1]);
		assert_true(small <= 50 || small >= 950 || (found[0] == SLOW && found[1] == B));
	}
}

static void many_callers_of_one_are_one(void **state)
{
	uint32_t found[MAX_STACKS];
	struct set set;

	(void)state;
	begin(&set);
	append(&set, STACK(MAIN, A, SLOW, INNER), 30);
	append(&set, STACK(MAIN, B, SLOW, INNER), 12);
	append(&set, STACK(MAIN, B, SLOW, INNER, LEAF), 8);
	append(&set, STACK(MAIN, C, SLOW), 2);
	append(&set, STACK(MAIN, LOOP), 30);
	cut(found, &set);
	assert_int_equal(found[0], found[1]);
	assert_int_equal(found[0], found[2]);
	assert_int_equal(found[0], found[3]);
	assert_true(found[0] == SLOW || found[0] == INNER);
	assert_int_equal(found[4], LOOP);
}

/* Both go through the same library, of which one does other things. */
static void callers_that_tell_part_a_library(void **state)
{
	uint32_t found[MAX_STACKS];
	struct set set;

	(void)state;
	begin(&set);
	append(&set, STACK(MAIN, A, STEP, SCAN), 30);
	append(&set, STACK(MAIN, A, STEP), 5);
	append(&set, STACK(MAIN, B, STEP, SORT), 30);
	append(&set, STACK(MAIN, B, STEP), 5);
	append(&set, STACK(MAIN, OTHER), 30);
	cut(found, &set);
	assert_int_equal(found[0], found[1]);
	assert_int_equal(found[2], found[3]);
	assert_true(found[0] == SCAN && found[2] == SORT && found[4] == OTHER);
}

/* What a library does for a function does not part it; nor has the library's function the name. */
static void a_library_is_its_callers(void **state)
{
	uint32_t found[MAX_STACKS];
	struct set set;

	(void)state;
	begin(&set);
	set.module[STEP] = set.module[SCAN] = set.module[SORT] = set.module[LEAF] = 1;
	append(&set, STACK(MAIN, A, STEP, SCAN), 20);
	append(&set, STACK(MAIN, A, STEP, SORT), 20);
	append(&set, STACK(MAIN, B, STEP, SCAN), 15);
	append(&set, STACK(MAIN, B, STEP, SORT), 15);
	append(&set, STACK(MAIN, OTHER), 30);
	cut(found, &set);
	assert_true(found[0] == A && found[1] == A);
	assert_true(found[2] == B && found[3] == B);
	/* Behind a link it is another thread that forks. */
	set.is_link[WAKES] = 1;
	set.may_name[WAKES] = 0;
	set.n = set.start[0] = 0;
	append(&set, STACK(MAIN, A, WAKES, STEP, SCAN), 40);
	append(&set, STACK(MAIN, A, WAKES, STEP, SORT), 30);
	append(&set, STACK(MAIN, OTHER), 30);
	cut(found, &set);
	assert_true(found[0] == SCAN && found[1] == SORT);
}

/* All below is scraps: the function is the problem. */
static void scraps_are_the_function(void **state)
{
	uint32_t found[MAX_STACKS];
	struct set set;

	(void)state;
	begin(&set);
	append(&set, STACK(MAIN, SLOW), 30);
	append(&set, STACK(MAIN, SLOW, A), 4);
	append(&set, STACK(MAIN, SLOW, B), 4);
	append(&set, STACK(MAIN, SLOW, C), 4);
	append(&set, STACK(MAIN, SLOW, SCAN), 10);
	append(&set, STACK(MAIN, LOOP), 48);
	cut(found, &set);
	for (size_t s = 0; s < 5; s++)
		assert_int_equal(found[s], SLOW);
	assert_int_equal(found[5], LOOP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_trees_agree_with_the_definition),
		cmocka_unit_test(problems_that_share_no_threads_have_names),
		cmocka_unit_test(what_goes_to_other_threads_is_parted),
		cmocka_unit_test(what_one_loop_calls_are_problems),
		cmocka_unit_test(a_small_branch_beside_nearly_all_takes_its_name_away),
		cmocka_unit_test(many_callers_of_one_are_one),
		cmocka_unit_test(callers_that_tell_part_a_library),
		cmocka_unit_test(a_library_is_its_callers),
		cmocka_unit_test(scraps_are_the_function),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
