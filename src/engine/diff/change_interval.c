/* 95 % interval of a difference of costs per symptom, after Welch. */
#include "engine/diff/change_interval.h"

#include <math.h>

static const double outside = 0.05;

void lode_interval_add(struct lode_interval_side *side, int64_t cost, uint32_t n_symptoms)
{
	double x = (double)cost, n = n_symptoms;

	side->k++;
	side->n += n;
	side->nn += n * n;
	side->x += x;
	side->xx += x * x;
	side->xn += x * n;
}

/* Of a set's cost per symptom: a ratio estimate (Cochran 1977). */
static double variance(const struct lode_interval_side *s)
{
	double k = (double)s->k, r = s->x / s->n;
	double residual = s->xx - 2 * r * s->xn + r * r * s->nn;

	return residual > 0 ? k / (k - 1) * residual / (s->n * s->n) : 0;
}

/* The continued fraction of the incomplete beta function, by Lentz' method. */
static double beta_fraction(double x, double a, double b)
{
	const double tiny = 1e-300;
	double c = 1, d = 1 - (a + b) * x / (a + 1), value;

	d = 1 / (fabs(d) < tiny ? tiny : d);
	value = d;
	for (int m = 1; m < 500; m++) {
		double up = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double down = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));

		for (int half = 0; half < 2; half++) {
			double step = half ? down : up;

			d = 1 + step * d;
			c = 1 + step / c;
			d = 1 / (fabs(d) < tiny ? tiny : d);
			c = fabs(c) < tiny ? tiny : c;
			value *= c * d;
		}
		if (fabs(c * d - 1) < 1e-13)
			break;
	}
	return value;
}

/* I_x(a, b): the share of a beta distribution below x. */
static double incomplete_beta(double x, double a, double b)
{
	int sign; /* lgamma would write a global */
	double front;

	if (x <= 0 || x >= 1)
		return x <= 0 ? 0 : 1;
	front = exp(lgamma_r(a + b, &sign) - lgamma_r(a, &sign) - lgamma_r(b, &sign) + a * log(x) +
		    b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(x, a, b) / a;
	return 1 - front * beta_fraction(1 - x, b, a) / b;
}

double lode_student_bound(double freedom)
{
	double low = 1, high = 16; /* 1.96 of many streams, 12.7 of two */

	for (int i = 0; i < 60; i++) {
		double t = (low + high) / 2;
		double beyond = incomplete_beta(freedom / (freedom + t * t), freedom / 2, 0.5);

		if (beyond > outside)
			low = t;
		else
			high = t;
	}
	return (low + high) / 2;
}

bool lode_change_interval(double *low, double *high, const struct lode_interval_side *a,
			  const struct lode_interval_side *b)
{
	double change, va, vb, freedom, reach = 0;

	if (a->k < 2 || b->k < 2)
		return false;
	change = b->x / b->n - a->x / a->n;
	va = variance(a);
	vb = variance(b);
	if (va + vb > 0) {
		freedom = (va + vb) * (va + vb) /
			  (va * va / (double)(a->k - 1) + vb * vb / (double)(b->k - 1));
		reach = lode_student_bound(freedom < 1 ? 1 : freedom) * sqrt(va + vb);
	}
	*low = change - reach;
	*high = change + reach;
	return true;
}
