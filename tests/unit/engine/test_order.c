/*
 * Orders of streams against their definition written plainly: coverage summed up anew for every
 * stream that could be next, the random order as the mean over all choices of k streams.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/order/order.h"
#include "random.h"
#include "cases.h"

enum { MAX_STREAMS = 12, MAX_SIGNATURES = 8, MAX_PARTS = 16 };

/* Sets of signatures are bits. */
struct world {
	size_t n_streams, n_signatures, n_parts;
	struct lode_order_stream streams[MAX_STREAMS];
	unsigned shown[MAX_STREAMS];
	struct lode_order_sight sights[MAX_STREAMS * MAX_SIGNATURES];
	size_t sight_start[MAX_STREAMS + 1];
	unsigned part[MAX_PARTS];
	int64_t part_ns[MAX_PARTS];
	uint32_t part_signatures[MAX_PARTS * MAX_SIGNATURES];
	size_t part_start[MAX_PARTS + 1];
	struct lode_order_input input;
};

static void random_world(struct world *w, uint64_t seed)
{
	struct test_random rng = {seed};
	/* Few values give ties. */
	uint32_t below = test_random_below(&rng, 2) ? 3 : 1000, n = 0;

	memset(w, 0, sizeof(*w));
	w->n_streams = test_random_below(&rng, MAX_STREAMS + 1);
	w->n_signatures = 1 + test_random_below(&rng, MAX_SIGNATURES);
	w->n_parts = test_random_below(&rng, MAX_PARTS + 1);
	for (size_t i = 0; i < w->n_streams; i++) {
		w->streams[i].symptom_ns = test_random_below(&rng, below);
		w->streams[i].longest_ns = test_random_below(&rng, below);
		w->streams[i].covered_ns = test_random_below(&rng, below);
		w->streams[i].is_opened = test_random_below(&rng, 8) == 0;
		w->sight_start[i] = n;
		for (uint32_t s = 0; s < w->n_signatures; s++)
			if (test_random_below(&rng, 3) == 0) {
				w->shown[i] |= 1u << s;
				w->sights[n++] = (struct lode_order_sight){
					s, 1 + test_random_below(&rng, below)};
			}
	}
	w->sight_start[w->n_streams] = n;
	n = 0;
	for (size_t p = 0; p < w->n_parts; p++) {
		w->part_start[p] = n;
		w->part[p] = 1 + test_random_below(&rng, (1u << w->n_signatures) - 1);
		w->part_ns[p] = 1 + test_random_below(&rng, below);
		for (uint32_t s = 0; s < w->n_signatures; s++)
			if (w->part[p] >> s & 1)
				w->part_signatures[n++] = s;
	}
	w->part_start[w->n_parts] = n;
	w->input = (struct lode_order_input){
		.streams = w->streams,
		.n_streams = w->n_streams,
		.sights = w->sights,
		.sight_start = w->sight_start,
		.n_signatures = w->n_signatures,
		.part_ns = w->part_ns,
		.part_signatures = w->part_signatures,
		.part_start = w->part_start,
		.n_parts = w->n_parts,
	};
}

/* ---- The definitions ---- */

static int64_t covered(const struct world *w, unsigned seen)
{
	int64_t sum = 0;

	for (size_t p = 0; p < w->n_parts; p++)
		if (w->part[p] & seen)
			sum += w->part_ns[p];
	return sum;
}

static int64_t cost_in(const struct world *w, size_t stream, uint32_t signature)
{
	for (size_t k = w->sight_start[stream]; k < w->sight_start[stream + 1]; k++)
		if (w->sights[k].signature == signature)
			return w->sights[k].cost_ns;
	return 0;
}

static unsigned opened(const struct world *w)
{
	unsigned seen = 0;

	for (size_t i = 0; i < w->n_streams; i++)
		if (w->streams[i].is_opened)
			seen |= w->shown[i];
	return seen;
}

/* The best signature that some stream that is left shows. */
static uint32_t plain_signature(const struct world *w, const bool *is_taken, unsigned seen)
{
	uint32_t best = LODE_NONE;
	int64_t best_gain = 0, best_total = 0;

	for (uint32_t s = 0; s < w->n_signatures; s++) {
		int64_t gain = covered(w, seen | 1u << s) - covered(w, seen);
		int64_t total = covered(w, 1u << s);
		bool is_left = false;

		for (size_t i = 0; i < w->n_streams; i++)
			is_left |= !is_taken[i] && (w->shown[i] >> s & 1);
		if (seen >> s & 1 || !is_left)
			continue;
		if (best == LODE_NONE || gain > best_gain ||
		    (gain == best_gain && total > best_total)) {
			best = s;
			best_gain = gain;
			best_total = total;
		}
	}
	return best;
}

static size_t plain_next(const struct world *w, const bool *is_taken, unsigned seen,
			 enum lode_order_kind kind, uint32_t *signature)
{
	size_t best = w->n_streams;
	int64_t keys[2], best_keys[2] = {0};

	*signature = kind == LODE_ORDER_BEST ? plain_signature(w, is_taken, seen) : LODE_NONE;
	for (size_t i = 0; i < w->n_streams; i++) {
		const struct lode_order_stream *s = &w->streams[i];

		if (is_taken[i] || (*signature != LODE_NONE && !(w->shown[i] >> *signature & 1)))
			continue;
		keys[1] = 0;
		if (*signature != LODE_NONE) {
			keys[0] = covered(w, seen | w->shown[i]);
			keys[1] = cost_in(w, i, *signature);
		} else if (kind == LODE_ORDER_BEST) {
			keys[0] = s->symptom_ns - s->covered_ns;
		} else {
			keys[0] = kind == LODE_ORDER_TOTAL ? s->symptom_ns : s->longest_ns;
		}
		if (best == w->n_streams || keys[0] > best_keys[0] ||
		    (keys[0] == best_keys[0] && keys[1] > best_keys[1])) {
			best = i;
			memcpy(best_keys, keys, sizeof(keys));
		}
	}
	return best;
}

static void check_order(const struct world *w, enum lode_order_kind kind, size_t most,
			uint64_t seed)
{
	struct lode_stream_order order = {0};
	bool is_taken[MAX_STREAMS] = {false};
	unsigned seen = opened(w);
	size_t n = 0;

	lode_stream_order_build(&order, &w->input, kind, most);
	for (size_t i = 0; i < w->n_streams; i++) {
		is_taken[i] = w->streams[i].is_opened;
		n += !is_taken[i];
	}
	if (most && n > most)
		n = most;
	assert_int_equal(order.start_ns, covered(w, seen));
	assert_int_equal(order.n_seen, __builtin_popcount(seen));
	assert_int_equal(order.steps.n, n);
	for (size_t k = 0; k < n; k++) {
		const struct lode_order_step *step = &order.steps.at[k];
		uint32_t signature;
		size_t next = plain_next(w, is_taken, seen, kind, &signature);
		unsigned after = seen | w->shown[next];

		if (step->stream != next || step->signature != signature)
			fail_msg("seed %llu, order %d, step %zu: stream %u for %u, by definition "
				 "%zu for %u",
				 (unsigned long long)seed, kind, k, step->stream, step->signature,
				 next, signature);
		assert_int_equal(step->n_new, __builtin_popcount(after & ~seen));
		seen = after;
		is_taken[next] = true;
		assert_int_equal(step->covered_ns, covered(w, seen));
	}
	lode_stream_order_release(&order);
}

static void orders_are_those_of_the_definition(void **state)
{
	static struct world w;

	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(4000); seed++) {
		random_world(&w, seed);
		for (int kind = LODE_ORDER_BEST; kind <= LODE_ORDER_MAX; kind++)
			check_order(&w, (enum lode_order_kind)kind, seed % 3 ? 0 : seed % 7, seed);
	}
}

static void a_random_order_covers_the_mean_of_all_choices(void **state)
{
	static struct world w;

	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(1500); seed++) {
		double curve[MAX_STREAMS + 1], sum[MAX_STREAMS + 1] = {0};
		unsigned n_choices[MAX_STREAMS + 1] = {0}, left = 0;
		size_t n = 0;

		random_world(&w, seed);
		for (size_t i = 0; i < w.n_streams; i++)
			if (!w.streams[i].is_opened) {
				left |= 1u << i;
				n++;
			}
		lode_stream_order_random(curve, &w.input);
		for (unsigned choice = left;; choice = (choice - 1) & left) {
			unsigned seen = opened(&w), k = (unsigned)__builtin_popcount(choice);

			for (size_t i = 0; i < w.n_streams; i++)
				if (choice >> i & 1)
					seen |= w.shown[i];
			sum[k] += (double)covered(&w, seen);
			n_choices[k]++;
			if (choice == 0)
				break;
		}
		for (size_t k = 0; k <= n; k++)
			if (fabs(curve[k] - sum[k] / n_choices[k]) > 1e-9 * (1 + curve[k]))
				fail_msg("seed %llu: %.17g after %zu streams, the mean is %.17g",
					 (unsigned long long)seed, curve[k], k,
					 sum[k] / n_choices[k]);
	}
}

/* What is longest is not what tells most. */
static void the_best_order_needs_the_fewest_streams(void **state)
{
	static const struct lode_order_stream streams[] = {
		{10, 10, 8, false}, {30, 5, 3, false}, {20, 20, 9, false}};
	static const struct lode_order_sight sights[] = {{0, 5}, {1, 3}, {1, 3}, {2, 9}};
	static const size_t sight_start[] = {0, 2, 3, 4};
	static const int64_t part_ns[] = {5, 6, 9};
	static const uint32_t part_signatures[] = {0, 1, 2};
	static const size_t part_start[] = {0, 1, 2, 3};
	const struct lode_order_input input = {
		streams, 3, sights, sight_start, 3, part_ns, part_signatures, part_start, 3};
	static const uint32_t wanted[][3] = {{2, 0, 1}, {1, 2, 0}, {2, 0, 1}};

	(void)state;
	for (int kind = LODE_ORDER_BEST; kind <= LODE_ORDER_MAX; kind++) {
		struct lode_stream_order order = {0};

		lode_stream_order_build(&order, &input, (enum lode_order_kind)kind, 0);
		for (size_t k = 0; k < 3; k++)
			assert_int_equal(order.steps.at[k].stream, wanted[kind][k]);
		assert_int_equal(order.steps.at[2].covered_ns, 20);
		if (kind == LODE_ORDER_BEST) {
			assert_int_equal(order.steps.at[0].covered_ns, 9);
			assert_int_equal(order.steps.at[1].covered_ns, 20);
			assert_int_equal(order.steps.at[1].n_new, 2);
			assert_int_equal(order.steps.at[1].signature, 1);
			assert_int_equal(order.steps.at[2].signature, LODE_NONE);
		}
		lode_stream_order_release(&order);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(orders_are_those_of_the_definition),
		cmocka_unit_test(a_random_order_covers_the_mean_of_all_choices),
		cmocka_unit_test(the_best_order_needs_the_fewest_streams),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
