/* Fisher's exact test. */
#include "engine/suspects/fisher.h"

#include <math.h>

#include "base/sorted.h"

/* lgammal_r, since lgammal writes a global. */
static long double log_factorial(uint64_t n)
{
	int sign;

	return lgammal_r((long double)n + 1, &sign);
}

static long double log_choose(uint64_t n, uint64_t k)
{
	return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
}

/* Of `all`, `failed` failed and `with` are drawn. */
struct hypergeometric {
	uint64_t all, failed, with;
};

static long double log_mass(const struct hypergeometric *h, uint64_t x)
{
	return log_choose(h->failed, x) + log_choose(h->all - h->failed, h->with - x) -
	       log_choose(h->all, h->with);
}

/* Terms that no longer change the sum. */
static const long double negligible = 1e-20L;

/* P(x), P(x + 1) ... over P(x); x is at or above the mode, so terms fall. */
static long double sum_upwards(const struct hypergeometric *h, uint64_t x)
{
	long double failed = (long double)h->failed, with = (long double)h->with;
	long double rest = (long double)h->all - failed - with;
	long double sum = 1, term = 1, at = (long double)x;
	uint64_t last = h->failed < h->with ? h->failed : h->with;

	for (; x < last && term > sum * negligible; x++, at++) {
		term *= (failed - at) * (with - at) / ((at + 1) * (rest + at + 1));
		sum += term;
	}
	return sum;
}

/* P(x), P(x - 1) ... over P(x); x is below the mode. */
static long double sum_downwards(const struct hypergeometric *h, uint64_t x, uint64_t first)
{
	long double failed = (long double)h->failed, with = (long double)h->with;
	long double rest = (long double)h->all - failed - with;
	long double sum = 1, term = 1, at = (long double)x;

	for (; x > first && term > sum * negligible; x--, at--) {
		term *= at * (rest + at) / ((failed - at + 1) * (with - at + 1));
		sum += term;
	}
	return sum;
}

double lode_fisher_log_p(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	struct hypergeometric h = {.all = a + b + c + d, .failed = a + c, .with = a + b};
	uint64_t first = a > d ? a - d : 0; /* least that the margins allow */
	long double mode, p;

	if (a == first)
		return 0;
	mode = floorl(((long double)h.failed + 1) * ((long double)h.with + 1) /
		      ((long double)h.all + 2));
	if ((long double)a >= mode) {
		p = log_mass(&h, a) + logl(sum_upwards(&h, a));
	} else {
		/* The lower tail is the smaller sum, and has no cancellation. */
		p = log_mass(&h, a - 1) + logl(sum_downwards(&h, a - 1, first));
		p = p < 0 ? log1pl(-expl(p)) : 0;
	}
	return p < 0 ? (double)p : 0;
}

/* ---- Many tests ---- */

struct test {
	double log_p;
	size_t index;
};

LODE_COMPARE(smallest_first, struct test,
	     LODE_ORDER(a->log_p, b->log_p) ?: LODE_ORDER(a->index, b->index))

void lode_correct_log_p(double *log_p, size_t n, enum lode_correction correction)
{
	struct test *tests;
	double bound, p;

	if (correction == LODE_CORRECTION_NONE)
		return;
	tests = lode_alloc(n * sizeof(*tests));
	for (size_t i = 0; i < n; i++)
		tests[i] = (struct test){log_p[i], i};
	lode_sort(tests, n, smallest_first);
	if (correction == LODE_CORRECTION_HOLM) {
		bound = -INFINITY; /* adjusted values never fall along the order */
		for (size_t i = 0; i < n; i++) {
			p = tests[i].log_p + log((double)(n - i));
			bound = p > bound ? p : bound;
			log_p[tests[i].index] = bound < 0 ? bound : 0;
		}
	} else {
		bound = 0;
		for (size_t i = n; i > 0; i--) {
			p = tests[i - 1].log_p + log((double)n / (double)i);
			bound = p < bound ? p : bound;
			log_p[tests[i - 1].index] = bound;
		}
	}
	free(tests);
}

struct lode_interval lode_wilson(double part, double whole)
{
	const double z = 1.959963984540054, z2 = z * z;
	double p, middle, half;

	if (whole <= 0)
		return (struct lode_interval){0, 1};
	p = part / whole;
	middle = (p + z2 / (2 * whole)) / (1 + z2 / whole);
	half = z / (1 + z2 / whole) * sqrt(p * (1 - p) / whole + z2 / (4 * whole * whole));
	return (struct lode_interval){middle - half > 0 && part > 0 ? middle - half : 0,
				      middle + half < 1 && part < whole ? middle + half : 1};
}
