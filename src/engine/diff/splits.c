/* Enumerates or samples the ways to split recordings into two sets. */
#include "engine/diff/splits.h"

#include "base/random.h"
#include "base/sorted.h"

/* Streams of one stratum, and how many of them are in the second set. */
struct stratum {
	uint32_t *streams; /* in `order` */
	size_t n, n_second;
	size_t *chosen; /* enumerating: n_second places in `streams`, ascending */
};

struct plan {
	uint32_t *order; /* streams, stratum behind stratum */
	struct stratum *strata;
	size_t n_strata;
	size_t *chosen;
};

double lode_binomial(size_t n, size_t k)
{
	double product = 1;

	if (k > n)
		return 0;
	if (k > n - k)
		k = n - k;
	/* Each quotient is a whole number, and exact while it fits. */
	for (size_t i = 1; i <= k; i++)
		product = product * (double)(n - k + i) / (double)i;
	return product;
}

LODE_COMPARE_WITH(by_stratum, uint32_t, const uint32_t *stratum,
		  LODE_ORDER(stratum[*a], stratum[*b]) ?: LODE_ORDER(*a, *b))

static void plan_init(struct plan *plan, const uint8_t *side, const uint32_t *stratum, size_t n)
{
	plan->order = lode_alloc(n * sizeof(*plan->order));
	plan->strata = lode_alloc0(n, sizeof(*plan->strata));
	plan->chosen = lode_alloc0(n, sizeof(*plan->chosen));
	for (size_t i = 0; i < n; i++)
		plan->order[i] = (uint32_t)i;
	if (stratum && n)
		lode_sort_r(plan->order, n, by_stratum, (void *)stratum);
	for (size_t i = 0; i < n; i++) {
		struct stratum *s;

		if (i == 0 || (stratum && stratum[plan->order[i]] != stratum[plan->order[i - 1]])) {
			s = &plan->strata[plan->n_strata++];
			s->streams = &plan->order[i];
			s->chosen = &plan->chosen[i];
		}
		s = &plan->strata[plan->n_strata - 1];
		s->n++;
		s->n_second += side[plan->order[i]] != 0;
	}
}

static void plan_release(struct plan *plan)
{
	free(plan->order);
	free(plan->strata);
	free(plan->chosen);
}

static void put_splits(struct lode_splits *out, size_t row, uint32_t stream)
{
	out->blocks[stream / LODE_SPLIT_BLOCK * out->n + row] |=
		(uint8_t)(1u << stream % LODE_SPLIT_BLOCK);
}

/* ---- All of them ---- */

static void first_choice(struct stratum *s)
{
	for (size_t i = 0; i < s->n_second; i++)
		s->chosen[i] = i;
}

/* The next choice of n_second out of n, in lexicographic order; false after the last. */
static bool next_choice(struct stratum *s)
{
	size_t i = s->n_second;

	while (i > 0 && s->chosen[i - 1] == s->n - s->n_second + i - 1)
		i--;
	if (i == 0)
		return false;
	s->chosen[i - 1]++;
	for (; i < s->n_second; i++)
		s->chosen[i] = s->chosen[i - 1] + 1;
	return true;
}

static void enumerate(struct lode_splits *out, struct plan *plan)
{
	size_t at = 0, turn = 0;

	for (size_t i = 0; i < plan->n_strata; i++)
		first_choice(&plan->strata[i]);
	do {
		for (size_t i = 0; i < plan->n_strata; i++)
			for (size_t k = 0; k < plan->strata[i].n_second; k++)
				put_splits(out, at,
					   plan->strata[i].streams[plan->strata[i].chosen[k]]);
		at++;
		for (turn = 0; turn < plan->n_strata && !next_choice(&plan->strata[turn]); turn++)
			first_choice(&plan->strata[turn]);
	} while (turn < plan->n_strata);
}

static bool is_row(const struct lode_splits *out, size_t row, const uint8_t *side)
{
	for (size_t i = 0; i < out->n_streams; i++)
		if (lode_split_has(out, row, i) != (side[i] != 0))
			return false;
	return true;
}

/* The observed split changes places with the first. */
static void bring_forward(struct lode_splits *out, const uint8_t *side)
{
	size_t row = 0;

	while (row < out->n && !is_row(out, row, side))
		row++;
	for (size_t k = 0; row < out->n && k < out->n_blocks; k++) {
		uint8_t *block = &out->blocks[k * out->n], first = block[0];

		block[0] = block[row];
		block[row] = first;
	}
}

/* ---- Some of them ---- */

static void draw(struct lode_splits *out, size_t row, struct plan *plan, struct lode_random *random)
{
	for (size_t i = 0; i < plan->n_strata; i++) {
		struct stratum *s = &plan->strata[i];

		for (size_t k = 0; k < s->n_second; k++) {
			size_t j = k + lode_random_below(random, s->n - k);
			uint32_t stream = s->streams[j];

			s->streams[j] = s->streams[k];
			s->streams[k] = stream;
			put_splits(out, row, stream);
		}
	}
}

void lode_splits_build(struct lode_splits *out, const uint8_t *side, const uint32_t *stratum,
		       size_t n_streams, size_t max, uint64_t seed)
{
	struct plan plan = {0};
	struct lode_random random = {seed};

	memset(out, 0, sizeof(*out));
	plan_init(&plan, side, stratum, n_streams);
	out->n_streams = n_streams;
	out->n_blocks = (n_streams + LODE_SPLIT_BLOCK - 1) / LODE_SPLIT_BLOCK;
	out->n_possible = 1;
	out->is_mirrored = true;
	for (size_t i = 0; i < plan.n_strata; i++) {
		out->n_possible *= lode_binomial(plan.strata[i].n, plan.strata[i].n_second);
		out->is_mirrored &= plan.strata[i].n == 2 * plan.strata[i].n_second;
	}
	out->is_exact = out->n_possible <= (double)max;
	out->n = out->is_exact ? (size_t)(out->n_possible + 0.5) : max;
	out->blocks = lode_alloc0(out->n * out->n_blocks + 1, sizeof(*out->blocks));
	if (out->is_exact) {
		enumerate(out, &plan);
		bring_forward(out, side);
	}
	for (size_t i = 0; !out->is_exact && i < n_streams; i++)
		if (side[i])
			put_splits(out, 0, (uint32_t)i);
	for (size_t b = 1; !out->is_exact && b < out->n; b++)
		draw(out, b, &plan, &random);
	plan_release(&plan);
}

void lode_splits_release(struct lode_splits *splits)
{
	free(splits->blocks);
	memset(splits, 0, sizeof(*splits));
}
