/* PASD's scores of functions (PASD §III-C; design §4). */
#include "engine/suspects/scores.h"

#include <math.h>

static double ratio(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

static struct lode_interval increase_interval(const struct lode_evidence *e)
{
	double last = (double)(e->d_failed + e->d_success);
	double inside_failed = (double)(e->o_failed - e->d_failed);
	double inside = inside_failed + (double)(e->o_success - e->d_success);
	struct lode_interval with = lode_wilson((double)e->d_failed, last);
	struct lode_interval without = lode_wilson(inside_failed, inside);
	double p1, p2, weight, middle;

	if (inside <= 0)
		return (struct lode_interval){0, 0};
	if (last <= 0)
		return (struct lode_interval){-without.high, -without.low};
	p1 = (double)e->d_failed / last;
	p2 = inside_failed / inside;
	weight = inside / (last + inside);
	middle = p1 - p2;
	return (struct lode_interval){
		weight * (middle - hypot(p1 - with.low, without.high - p2)),
		weight * (middle + hypot(with.high - p1, p2 - without.low)),
	};
}

static double harmonic(double x, double y)
{
	return x > 0 && y > 0 ? 2 / (1 / x + 1 / y) : 0;
}

/* ln n / ln all: how much of what failed, on CBI's scale. */
static double sensitivity(double n, double all)
{
	return n > 1 && all > 1 ? log(n) / log(all) : 0;
}

static void importance(struct lode_scores *s, double d_failed, double failed)
{
	struct lode_interval share = lode_wilson(d_failed, failed);
	double x = s->increase, y = sensitivity(d_failed, failed), g = harmonic(x, y);
	double low, high;

	s->importance = g;
	if (failed <= 0) {
		s->importance_ci = (struct lode_interval){0, 0};
		return;
	}
	low = g - hypot(g - harmonic(s->increase_ci.low, y),
			g - harmonic(x, sensitivity(failed * share.low, failed)));
	high = g + hypot(harmonic(s->increase_ci.high, y) - g,
			 harmonic(x, sensitivity(failed * share.high, failed)) - g);
	s->importance_ci = (struct lode_interval){low > 0 ? low : 0, high < 1 ? high : 1};
}

struct lode_scores lode_scores_of(const struct lode_evidence *e, uint64_t failed,
				  uint64_t succeeded)
{
	double of = (double)e->o_failed, os = (double)e->o_success;
	double f = (double)failed, s = (double)succeeded;
	struct lode_scores scores = {
		.failure = ratio((double)e->d_failed, (double)e->d_failed + (double)e->d_success),
		.context = ratio(of, of + os),
	};
	double of_failed = ratio(of, f), of_succeeded = ratio(os, s);

	scores.increase = scores.failure - scores.context;
	scores.increase_ci = increase_interval(e);
	scores.ochiai = ratio(of, sqrt(f * (of + os)));
	scores.tarantula = ratio(of_failed, of_failed + of_succeeded);
	if (e->o_failed == 0)
		scores.dstar = 0;
	else if (e->o_success == 0 && e->o_failed == failed)
		scores.dstar = INFINITY;
	else
		scores.dstar = of * of / (os + (f - of));
	importance(&scores, (double)e->d_failed, f);
	return scores;
}
