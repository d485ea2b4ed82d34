/* Thresholds of slow executions for each metric (PASD §III-C1; docs/suspects.md). */
#include "engine/suspects/thresholds.h"

#include <assert.h>

#include "base/duration.h"
#include "base/glob.h"

/* ---- Moments ---- */

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

/* ---- Thresholds ---- */

struct lode_thresholds lode_thresholds_of(const struct lode_moments *moments)
{
	return (struct lode_thresholds){
		.prune = lode_moments_bound(moments, -2),
		.success = lode_moments_bound(moments, 1),
		.failed = lode_moments_bound(moments, 2),
	};
}

/* Rounds towards smaller numbers, into what an int64_t holds. */
static int64_t floor_divide(__int128 a, __int128 b)
{
	__int128 q = a / b - (a % b < 0);

	if (q > INT64_MAX)
		return INT64_MAX;
	return q < INT64_MIN ? INT64_MIN : (int64_t)q;
}

/* floor(median + k·scale) */
static int64_t robust_bound(const struct lode_robust *r, int k)
{
	__int128 n = (__int128)r->n;

	/* Values are below 2^63 and there are fewer than 2^40: nothing exceeds 2^126. */
	if (r->mad4)
		return floor_divide((__int128)r->median2 * 20000 +
					    (__int128)k * 14826 * (__int128)r->mad4,
				    40000);
	return floor_divide((__int128)r->median2 * 10000 * n +
				    (__int128)k * 12533 * (__int128)r->distances2,
			    20000 * n);
}

struct lode_thresholds lode_thresholds_robust(const struct lode_robust *robust)
{
	return (struct lode_thresholds){
		.prune = robust_bound(robust, -2),
		.success = robust_bound(robust, 1),
		.failed = robust_bound(robust, 2),
	};
}

/* ---- By hand ---- */

static int wrong_rule(struct lode_error *err, const char *text)
{
	return lode_fail(err, LODE_ERR_ARG, NULL, -1,
			 "thresholds '%.80s': expected [METRICS=][PRUNE,]SUCCESS,FAILED, "
			 "ascending, such as 20ms,50ms or 'block:*=0,5ms,20ms'",
			 text);
}

int lode_threshold_rule_parse(struct lode_threshold_rule *rule, const char *text,
			      struct lode_arena *arena, struct lode_error *err)
{
	const char *equals = strrchr(text, '='), *at = equals ? equals + 1 : text, *comma;
	int64_t bounds[3];
	size_t n = 0;
	char *part;

	for (; at; at = comma ? comma + 1 : NULL) {
		comma = strchr(at, ',');
		part = lode_arena_strndup(arena, at, comma ? (size_t)(comma - at) : strlen(at));
		if (n == 3 || !lode_duration_parse(&bounds[n], part) ||
		    (n > 0 && bounds[n] < bounds[n - 1]))
			return wrong_rule(err, text);
		n++;
	}
	if (n < 2 || equals == text)
		return wrong_rule(err, text);
	rule->glob = equals ? lode_arena_strndup(arena, text, (size_t)(equals - text)) : NULL;
	rule->thresholds = (struct lode_thresholds){
		.prune = n == 3 ? bounds[0] : INT64_MIN,
		.success = bounds[n - 2],
		.failed = bounds[n - 1],
	};
	return 0;
}

const struct lode_threshold_rule *lode_threshold_rule_find(const lode_threshold_rules *rules,
							   const char *metric)
{
	for (size_t i = rules->n; i > 0; i--) {
		if (!rules->at[i - 1].glob || lode_glob_match(rules->at[i - 1].glob, metric))
			return &rules->at[i - 1];
	}
	return NULL;
}
