/* Exact mean and standard deviation of integers. */
#include "engine/suspects/moments.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

/*
 * n times the sum of squares takes 64 + 126 bits and a few more for millions of values that are all
 * near 2^63, which a hostile recording can have: 256 bits hold everything that is compared here.
 */
struct u256 {
	uint64_t word[4]; /* least significant first */
};

/* a += b << (64 * at) */
static void add_at(struct u256 *a, lode_u128 b, unsigned at)
{
	lode_u128 carry = 0;

	for (; at < 4 && (b || carry); at++, b >>= 64) {
		carry += (lode_u128)a->word[at] + (uint64_t)b;
		a->word[at] = (uint64_t)carry;
		carry >>= 64;
	}
}

static struct u256 multiply(lode_u128 a, lode_u128 b)
{
	struct u256 product = {{0}};
	uint64_t a0 = (uint64_t)a, a1 = (uint64_t)(a >> 64);
	uint64_t b0 = (uint64_t)b, b1 = (uint64_t)(b >> 64);

	add_at(&product, (lode_u128)a0 * b0, 0);
	add_at(&product, (lode_u128)a0 * b1, 1);
	add_at(&product, (lode_u128)a1 * b0, 1);
	add_at(&product, (lode_u128)a1 * b1, 2);
	return product;
}

/* a - b, which is not negative */
static struct u256 subtract(struct u256 a, struct u256 b)
{
	uint64_t borrow = 0, before;

	for (unsigned i = 0; i < 4; i++) {
		before = a.word[i];
		a.word[i] = before - b.word[i] - borrow;
		borrow = before < b.word[i] || (before == b.word[i] && borrow);
	}
	return a;
}

static int compare_moments(struct u256 a, struct u256 b)
{
	for (unsigned i = 4; i > 0; i--) {
		if (a.word[i - 1] != b.word[i - 1])
			return a.word[i - 1] < b.word[i - 1] ? -1 : 1;
	}
	return 0;
}

static struct u256 times(struct u256 a, uint64_t factor)
{
	struct u256 product = {{0}};

	for (unsigned i = 0; i < 4; i++)
		add_at(&product, (lode_u128)a.word[i] * factor, i);
	return product;
}

/* n² times the variance: n·Σv² - (Σv)² */
static struct u256 spread(const struct lode_moments *m)
{
	struct u256 squares = {
		{(uint64_t)m->squares, (uint64_t)(m->squares >> 64), m->squares_high, 0}};

	return subtract(times(squares, m->n), multiply(m->sum, m->sum));
}

void lode_moments_merge(struct lode_moments *into, const struct lode_moments *from)
{
	if (from->n == 0)
		return;
	if (into->n == 0 || from->least < into->least)
		into->least = from->least;
	if (from->largest > into->largest)
		into->largest = from->largest;
	into->n += from->n;
	into->sum += from->sum;
	into->squares += from->squares;
	into->squares_high += from->squares_high + (into->squares < from->squares);
}

int64_t lode_moments_mean(const struct lode_moments *m)
{
	return m->n ? (int64_t)((m->sum + m->n / 2) / m->n) : 0;
}

int64_t lode_moments_std(const struct lode_moments *m)
{
	struct u256 d4 = times(spread(m), 4);
	/* σ is at most half of the range: the largest s for which (s - 1/2)·n <= √D */
	uint64_t low = 0, high = m->largest, middle;

	while (low < high) {
		middle = low + (high - low + 1) / 2;
		lode_u128 side = ((lode_u128)middle * 2 - 1) * m->n;

		if (compare_moments(multiply(side, side), d4) <= 0)
			low = middle;
		else
			high = middle - 1;
	}
	return (int64_t)low;
}

/* Whether x <= mean + k·σ, by n·x - Σv <= k·√D. */
static bool is_within(const struct lode_moments *m, struct u256 kd, int k, __int128 x)
{
	__int128 distance = (__int128)m->n * x - (__int128)m->sum;
	lode_u128 length = (lode_u128)(distance < 0 ? -distance : distance);
	int order = compare_moments(multiply(length, length), kd);

	if (k >= 0)
		return distance <= 0 || order <= 0;
	return distance <= 0 && order >= 0;
}

int64_t lode_moments_bound(const struct lode_moments *m, int k)
{
	struct u256 kd = times(spread(m), (uint64_t)(k < 0 ? -k : k) * (uint64_t)(k < 0 ? -k : k));
	/* |k|·σ is below 2^10 times the largest value, and the mean is not above that. */
	__int128 low = -((__int128)m->largest << 10) - 1, high = (__int128)m->largest << 11;
	__int128 middle;

	assert(m->n > 0 && k >= -1000 && k <= 1000);
	while (low < high) {
		middle = low + (high - low + 1) / 2;
		if (is_within(m, kd, k, middle))
			low = middle;
		else
			high = middle - 1;
	}
	if (low > INT64_MAX)
		return INT64_MAX;
	return low < INT64_MIN ? INT64_MIN : (int64_t)low;
}
