/*
 * The statistics of `lode suspects` against their plain definitions.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/suspects/explain.h"
#include "unit/engine/random_executions.h"

enum { n_inputs = 12000 };

#define CHECK(input, condition)                                                                   \
	do {                                                                                      \
		if (!(condition)) {                                                               \
			random_executions_print(input);                                           \
			fail_msg("seed %llu: %s", (unsigned long long)(input)->seed, #condition); \
		}                                                                                 \
	} while (0)

static bool is_near(double a, double b)
{
	return a == b || fabs(a - b) <= 1e-9 * (1 + fabs(a) + fabs(b));
}

/* ---- Plain definitions ---- */

enum label { NONE, PRUNED, GOOD, BETWEEN, BAD };

struct oracle {
	const struct random_executions *in;
	uint32_t metric[max_executions]; /* pooled or not */
	bool is_other[max_executions];
	enum label label[max_executions];
	bool has[max_executions][n_names];
};

/* value <= mean + k·σ by n·v - S <= k·√(nQ - S²), in numbers that hold it. */
static bool is_at_most(const __int128 *v, uint32_t n, __int128 value, int k)
{
	__int128 sum = 0;
	long double variance = 0, mean, distance;

	for (uint32_t i = 0; i < n; i++)
		sum += v[i];
	if (sum < (__int128)1 << 50) {
		__int128 squares = 0, d, spread;

		for (uint32_t i = 0; i < n; i++)
			squares += v[i] * v[i];
		spread = (__int128)n * squares - sum * sum;
		d = (__int128)n * value - sum;
		if (k >= 0)
			return d <= 0 || d * d <= k * k * spread;
		return d <= 0 && d * d >= k * k * spread;
	}
	/* Values of this size are far from their bounds, as seen from one ns. */
	mean = (long double)sum / n;
	for (uint32_t i = 0; i < n; i++)
		variance += ((long double)v[i] - mean) * ((long double)v[i] - mean) / n;
	distance = (long double)value - mean;
	return distance <= k * sqrtl(variance);
}

static int by_value(const void *a, const void *b)
{
	const __int128 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Twice the median. */
static __int128 median2(__int128 *v, uint32_t n)
{
	qsort(v, n, sizeof(*v), by_value);
	return v[(n - 1) / 2] + v[n / 2];
}

/* value <= median + k·scale */
static bool is_at_most_robust(const __int128 *v, uint32_t n, __int128 value, int k)
{
	__int128 copy[max_executions], distance[max_executions], m2, mad4, sum = 0;

	memcpy(copy, v, n * sizeof(*v));
	m2 = median2(copy, n);
	for (uint32_t i = 0; i < n; i++) {
		distance[i] = 2 * v[i] > m2 ? 2 * v[i] - m2 : m2 - 2 * v[i];
		sum += distance[i];
	}
	mad4 = median2(distance, n);
	if (mad4) /* value - m2 / 2 <= k · 1.4826 · mad4 / 4 */
		return (2 * value - m2) * 20000 <= k * 14826 * mad4;
	return (2 * value - m2) * 10000 * n <= k * 12533 * sum;
}

static enum label label_of(const struct oracle *o, uint32_t i)
{
	const struct lode_tally_options *tally = &o->in->options.tally;
	bool (*at_most)(const __int128 *, uint32_t, __int128, int) =
		tally->robust ? is_at_most_robust : is_at_most;
	bool from_other = tally->source == LODE_THRESHOLDS_OTHER;
	__int128 v[max_executions];
	uint32_t n = 0;

	for (uint32_t k = 0; k < o->in->n; k++) {
		if (o->metric[k] == o->metric[i] && o->is_other[k] == from_other)
			v[n++] = o->in->e[k].value;
	}
	if (n == 0)
		return NONE;
	if (at_most(v, n, o->in->e[i].value, -2))
		return PRUNED;
	if (at_most(v, n, o->in->e[i].value, 1))
		return GOOD;
	return at_most(v, n, o->in->e[i].value, 2) ? BETWEEN : BAD;
}

static void oracle_init(struct oracle *o, const struct random_executions *in)
{
	memset(o, 0, sizeof(*o));
	o->in = in;
	for (uint32_t i = 0; i < in->n; i++) {
		const struct execution *e = &in->e[i];

		o->metric[i] = in->options.tally.pooled && e->metric != 1 ? 0 : e->metric;
		o->is_other[i] = e->stream >= in->options.tally.n_subject_streams;
		for (uint32_t d = 0; d < e->depth; d++)
			o->has[i][e->frames[d]] = true;
	}
	for (uint32_t i = 0; i < in->n; i++)
		o->label[i] = label_of(o, i);
}

static bool sides(const struct oracle *o)
{
	return o->in->options.kind == LODE_EVIDENCE_SIDES;
}

/* Executions that are looked at. */
static bool counts(const struct oracle *o, uint32_t i)
{
	return sides(o) || !o->is_other[i];
}

static bool failed(const struct oracle *o, uint32_t i)
{
	return sides(o) ? !o->is_other[i] : !o->is_other[i] && o->label[i] == BAD;
}

static bool succeeded(const struct oracle *o, uint32_t i)
{
	return sides(o) ? o->is_other[i] : !o->is_other[i] && o->label[i] == GOOD;
}

static uint32_t leaf(const struct oracle *o, uint32_t i)
{
	const struct execution *e = &o->in->e[i];

	return e->depth ? e->frames[e->depth - 1] : n_names;
}

static struct lode_evidence evidence(const struct oracle *o, uint32_t f)
{
	struct lode_evidence e = {0};

	for (uint32_t i = 0; i < o->in->n; i++) {
		e.o_failed += o->has[i][f] && failed(o, i);
		e.o_success += o->has[i][f] && succeeded(o, i);
		e.d_failed += leaf(o, i) == f && failed(o, i);
		e.d_success += leaf(o, i) == f && succeeded(o, i);
	}
	return e;
}

static double over(double a, double b)
{
	return b > 0 ? a / b : 0;
}

/* n over k, exactly; n <= 60 */
static double choose(uint64_t n, uint64_t k)
{
	unsigned __int128 c = 1;

	for (uint64_t i = 0; i < k; i++)
		c = c * (n - i) / (i + 1);
	return k > n ? 0 : (double)c;
}

/* P(X >= a) by adding up what can happen. */
static double fisher(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	double p = 0, all = choose(a + b + c + d, a + b);

	for (uint64_t x = a; x <= a + b && x <= a + c; x++)
		p += choose(a + c, x) * choose(b + d, a + b - x) / all;
	return p;
}

/* Adjusted p-values as the textbooks say them; n is small. */
static double adjusted(const double *p, uint32_t n, uint32_t i, enum lode_correction how)
{
	double q = how == LODE_CORRECTION_HOLM ? 0 : 1;

	if (how == LODE_CORRECTION_NONE)
		return p[i];
	for (uint32_t j = 0; j < n; j++) {
		uint32_t smaller = 0, not_larger = 0;
		double adjusted_j;

		for (uint32_t k = 0; k < n; k++) {
			smaller += p[k] < p[j] && !is_near(log(p[k]), log(p[j]));
			not_larger += p[k] < p[j] || is_near(log(p[k]), log(p[j]));
		}
		if (how == LODE_CORRECTION_HOLM && (p[j] <= p[i] || is_near(p[j], p[i]))) {
			adjusted_j = fmin(1, (n - smaller) * p[j]);
			q = fmax(q, adjusted_j);
		} else if (how == LODE_CORRECTION_BH && (p[j] >= p[i] || is_near(p[j], p[i]))) {
			q = fmin(q, fmin(1, p[j] * n / not_larger));
		}
	}
	return q;
}

/* ---- Comparisons ---- */

static uint32_t number_of(const struct lode_suspects *s, uint32_t frame)
{
	return (uint32_t)strtoul(lode_frame_function(&s->tally.set->tree, frame) + 1, NULL, 10);
}

static const char *metric_name(const struct random_executions *in, uint32_t metric)
{
	return in->options.tally.pooled && metric != 1 ? "syscall:*" : random_metric_names[metric];
}

static void check_labels(const struct oracle *o, const struct lode_suspects *s)
{
	uint64_t n[max_metrics][LODE_N_LABELS] = {{0}};

	for (uint32_t i = 0; i < o->in->n; i++) {
		if (!o->is_other[i] && o->label[i] != NONE)
			n[o->metric[i]][o->label[i] - PRUNED]++;
	}
	for (size_t k = 0; k < s->tally.metrics.n; k++) {
		const struct lode_tally_metric *m = &s->tally.metrics.at[k];
		uint32_t number = 0;

		while (strcmp(m->name, metric_name(o->in, number)) != 0)
			number++;
		for (unsigned label = 0; label < LODE_N_LABELS; label++)
			CHECK(o->in, m->n[LODE_SIDE_SUBJECT][label] == n[number][label]);
	}
}

static void check_moments(const struct oracle *o, const struct lode_suspects *s,
			  const struct lode_function *f, uint32_t number)
{
	long double sum = 0, variance = 0;
	uint64_t n = 0;
	const struct lode_moments *m = &f->moments[LODE_SIDE_SUBJECT];

	(void)s;
	for (uint32_t i = 0; i < o->in->n; i++) {
		if (o->has[i][number] && !o->is_other[i]) {
			n++;
			sum += (long double)o->in->e[i].value;
		}
	}
	CHECK(o->in, f->n[LODE_SIDE_SUBJECT] == n && m->n == n);
	if (!n)
		return;
	for (uint32_t i = 0; i < o->in->n; i++) {
		long double d = (long double)o->in->e[i].value - sum / n;

		if (o->has[i][number] && !o->is_other[i])
			variance += d * d / n;
	}
	CHECK(o->in, fabsl((long double)lode_moments_mean(m) - sum / n) <= 0.5L + 1e-15L * sum / n);
	CHECK(o->in, fabsl((long double)lode_moments_std(m) - sqrtl(variance)) <=
			     0.5L + 1e-15L * sum + 1e-9L);
}

static void check_scores(const struct oracle *o, const struct lode_suspects *s,
			 const struct lode_suspect *suspect)
{
	const struct lode_evidence *e = &suspect->function->evidence;
	const struct lode_scores *scores = &suspect->scores;
	double of = (double)e->o_failed, os = (double)e->o_success, df = (double)e->d_failed;
	double f = (double)s->all.failed, g = (double)s->all.succeeded, x;
	double failure = over(df, df + (double)e->d_success), context = over(of, of + os);

	CHECK(o->in, scores->failure == failure && scores->context == context);
	CHECK(o->in, scores->increase == failure - context);
	CHECK(o->in, is_near(scores->ochiai, over(of, sqrt(f * (of + os)))));
	x = over(over(of, f), over(of, f) + over(os, g));
	CHECK(o->in, is_near(scores->tarantula, x));
	if (of > 0 && os + f - of == 0)
		CHECK(o->in, isinf(scores->dstar));
	else
		CHECK(o->in, is_near(scores->dstar, over(of * of, os + f - of)));
	x = failure - context > 0 && df > 1 && f > 1
		    ? 2 / (1 / (failure - context) + log(f) / log(df))
		    : 0;
	CHECK(o->in, is_near(scores->importance, x));
	CHECK(o->in, scores->increase_ci.low <= scores->increase + 1e-12 &&
			     scores->increase <= scores->increase_ci.high + 1e-12);
	CHECK(o->in, scores->importance_ci.low <= scores->importance + 1e-12 &&
			     scores->importance <= scores->importance_ci.high + 1e-12);
}

static bool always_together(const struct oracle *o, uint32_t f, uint32_t g)
{
	for (uint32_t i = 0; i < o->in->n; i++) {
		if (counts(o, i) && o->has[i][f] != o->has[i][g])
			return false;
	}
	return true;
}

static void check_order(const struct oracle *o, const struct lode_suspect *a,
			const struct lode_suspect *b, uint32_t number_a, uint32_t number_b)
{
	const struct lode_evidence *x = &a->function->evidence, *y = &b->function->evidence;

	CHECK(o->in, b->rank == a->rank + 1);
	CHECK(o->in, a->scores.increase >= b->scores.increase);
	if (a->scores.increase == b->scores.increase) {
		CHECK(o->in, x->o_failed >= y->o_failed);
		CHECK(o->in, x->o_failed > y->o_failed || number_a < number_b);
	}
}

/* That slow recordings have so much of the time: normal, with Kish's effective number. */
static double time_p(const struct lode_suspects *s, const struct lode_function *f)
{
	const struct lode_moments *a = &f->moments[0], *b = &f->moments[1];
	double sum = (double)a->sum + (double)b->sum;
	double squares = (double)a->squares + (double)b->squares +
			 ldexp((double)a->squares_high + (double)b->squares_high, 128);
	double usual = (double)s->n_streams[0] / (double)(s->n_streams[0] + s->n_streams[1]);
	double n = sum * sum / squares;

	if (sum <= 0)
		return 1;
	return erfc(((double)a->sum / sum - usual) / sqrt(2 * usual * (1 - usual) / n)) / 2;
}

static void check_functions(const struct oracle *o, const struct lode_suspects *s)
{
	uint32_t number[n_names], n = 0, first[n_names], n_tests = 0, test_of[n_names];
	double p[n_names];

	for (uint32_t f = 0; f < n_names; f++) {
		for (uint32_t i = 0; i < o->in->n; i++) {
			if (counts(o, i) && o->has[i][f]) {
				n++;
				break;
			}
		}
	}
	CHECK(o->in, s->functions.n == n);
	for (uint32_t k = 0; k < n; k++)
		number[k] = number_of(s, s->ranked[k].function->frame);
	for (uint32_t k = 0; k < n; k++) {
		const struct lode_suspect *suspect = &s->ranked[k];
		struct lode_evidence e = evidence(o, number[k]);

		CHECK(o->in, memcmp(&suspect->function->evidence, &e, sizeof(e)) == 0);
		check_moments(o, s, suspect->function, number[k]);
		check_scores(o, s, suspect);
		if (k > 0)
			check_order(o, &s->ranked[k - 1], suspect, number[k - 1], number[k]);
		for (first[k] = 0; !always_together(o, number[k], number[first[k]]);)
			first[k]++;
		CHECK(o->in, suspect->group == first[k] + 1);
		test_of[k] = first[k] == k ? n_tests++ : test_of[first[k]];
		p[test_of[k]] = fisher(e.o_failed, e.o_success, s->all.failed - e.o_failed,
				       s->all.succeeded - e.o_success);
		if (sides(o))
			p[test_of[k]] =
				fmin(1, 2 * fmin(p[test_of[k]], time_p(s, suspect->function)));
		CHECK(o->in, is_near(exp(suspect->log_p), p[test_of[k]]));
	}
	CHECK(o->in, s->n_groups == n_tests);
	for (uint32_t k = 0; k < n; k++)
		CHECK(o->in, is_near(exp(s->ranked[k].log_q),
				     adjusted(p, n_tests, test_of[k], o->in->options.correction)));
}

/* ---- Caller contrast ---- */

struct unit_test {
	uint32_t leaf, metric, caller;
	uint64_t a, b, c, d;
	double p;
};

struct unit_tests {
	struct unit_test at[n_names * max_metrics * n_names];
	double p[n_names * max_metrics * n_names];
	uint32_t n;
};

static bool in_unit(const struct oracle *o, uint32_t i, uint32_t f, uint32_t metric)
{
	return counts(o, i) && leaf(o, i) == f && (sides(o) || o->metric[i] == metric);
}

/* The caller's executions of the unit are those of a caller of smaller number: one test. */
static bool is_repeated(const struct oracle *o, uint32_t f, uint32_t metric, uint32_t caller)
{
	for (uint32_t other = 0; other < caller; other++) {
		bool same = other != f;

		for (uint32_t i = 0; i < o->in->n && same; i++)
			same = !in_unit(o, i, f, metric) || o->has[i][caller] == o->has[i][other];
		if (same)
			return true;
	}
	return false;
}

static void add_unit_test(const struct oracle *o, struct unit_tests *tests, uint32_t f,
			  uint32_t metric, uint32_t caller)
{
	struct unit_test t = {.leaf = f, .metric = metric, .caller = caller};
	bool occurs = false;

	for (uint32_t i = 0; i < o->in->n; i++) {
		if (!in_unit(o, i, f, metric))
			continue;
		occurs |= o->has[i][caller];
		t.a += o->has[i][caller] && failed(o, i);
		t.b += o->has[i][caller] && succeeded(o, i);
		t.c += !o->has[i][caller] && failed(o, i);
		t.d += !o->has[i][caller] && succeeded(o, i);
	}
	if (!occurs || !(t.a + t.b) || !(t.c + t.d) || !(t.a + t.c) || !(t.b + t.d) ||
	    is_repeated(o, f, metric, caller))
		return;
	t.p = fisher(t.a, t.b, t.c, t.d);
	tests->p[tests->n] = t.p;
	tests->at[tests->n++] = t;
}

static void check_contrast(const struct oracle *o, const struct lode_suspects *s,
			   const struct unit_tests *tests, const struct unit_test *t)
{
	for (size_t k = 0; k < s->contrasts.n; k++) {
		const struct lode_contrast *c = &s->contrasts.at[k];
		bool has_caller = false;

		for (size_t i = 0; i < c->n_callers; i++)
			has_caller |= number_of(s, c->callers[i]) == t->caller;
		if (number_of(s, c->leaf) != t->leaf || !has_caller ||
		    (!sides(o) && strcmp(s->tally.metrics.at[c->metric].name,
					 metric_name(o->in, t->metric)) != 0))
			continue;
		CHECK(o->in, c->with.outcome.failed == t->a && c->with.outcome.succeeded == t->b);
		CHECK(o->in,
		      c->without.outcome.failed == t->c && c->without.outcome.succeeded == t->d);
		CHECK(o->in, is_near(exp(c->log_p), t->p));
		CHECK(o->in,
		      is_near(exp(c->log_q), adjusted(tests->p, tests->n, (uint32_t)(t - tests->at),
						      o->in->options.correction)));
		return;
	}
	random_executions_print(o->in);
	fail_msg("seed %llu: no contrast of F%u by F%u", (unsigned long long)o->in->seed, t->leaf,
		 t->caller);
}

static void check_contrasts(const struct oracle *o, const struct lode_suspects *s)
{
	struct unit_tests tests = {.n = 0};
	uint32_t n_larger = 0;

	for (uint32_t f = 0; f < n_names; f++) {
		for (uint32_t metric = 0; metric < (sides(o) ? 1 : max_metrics); metric++) {
			for (uint32_t caller = 0; caller < n_names; caller++) {
				if (caller != f)
					add_unit_test(o, &tests, f, metric, caller);
			}
		}
	}
	CHECK(o->in, s->n_contrast_tests == tests.n);
	for (uint32_t k = 0; k < tests.n; k++) {
		const struct unit_test *t = &tests.at[k];

		if (over((double)t->a, (double)(t->a + t->b)) <=
		    over((double)t->c, (double)(t->c + t->d)))
			continue;
		n_larger++;
		check_contrast(o, s, &tests, t);
	}
	CHECK(o->in, s->contrasts.n == n_larger);
	for (size_t k = 1; k < s->contrasts.n; k++)
		CHECK(o->in, s->contrasts.at[k - 1].log_p <= s->contrasts.at[k].log_p);
}

/* ---- Two sets ---- */

static double excess(double slow, double fast)
{
	return slow > 0 ? fmax(-1, 1 - fast / slow) : (fast > 0 ? -1 : 0);
}

static void check_excess(const struct oracle *o, const struct lode_suspects *s)
{
	uint32_t n_subject = o->in->options.tally.n_subject_streams;
	double slow_runs = n_subject, fast_runs = (double)o->in->n_streams - n_subject;

	if (!sides(o))
		return;
	for (size_t k = 0; k < s->functions.n; k++) {
		const struct lode_excess *e = &s->ranked[k].excess;
		uint32_t f = number_of(s, s->ranked[k].function->frame);
		double calls[2] = {0}, time[2] = {0};

		for (uint32_t i = 0; i < o->in->n; i++) {
			calls[o->is_other[i]] += o->has[i][f];
			time[o->is_other[i]] += o->has[i][f] ? (double)o->in->e[i].value : 0;
		}
		CHECK(o->in, is_near(e->calls, excess(calls[0] / slow_runs, calls[1] / fast_runs)));
		CHECK(o->in, is_near(e->time, excess(time[0] / slow_runs, time[1] / fast_runs)));
		CHECK(o->in, e->calls_low <= e->calls + 1e-9 && e->time_low <= e->time + 1e-9);
		CHECK(o->in, e->low == fmax(e->calls_low, e->time_low));
	}
}

/* ---- One function in full ---- */

/* The frame `step` away from the innermost f of a stack; n_names: there is none. */
static uint32_t beside(const struct execution *e, uint32_t f, int step)
{
	int d = (int)e->depth - 1;

	while (e->frames[d] != f)
		d--;
	d += step;
	return d < 0 || d >= (int)e->depth ? n_names : e->frames[d];
}

static void check_neighbours(const struct oracle *o, const struct lode_suspects *s, uint32_t f,
			     int step, const struct lode_explained_neighbour *at, size_t n)
{
	struct lode_outcome all = {0};
	struct lode_evidence e = evidence(o, f);

	for (size_t k = 0; k < n; k++) {
		uint32_t who = at[k].frame == LODE_NONE ? n_names : number_of(s, at[k].frame);
		struct lode_outcome want = {0};

		for (uint32_t i = 0; i < o->in->n; i++) {
			if (!o->has[i][f] || beside(&o->in->e[i], f, step) != who)
				continue;
			want.failed += failed(o, i);
			want.succeeded += succeeded(o, i);
		}
		CHECK(o->in, memcmp(&want, &at[k].outcome, sizeof(want)) == 0);
		CHECK(o->in, k == 0 || at[k - 1].outcome.failed >= at[k].outcome.failed);
		all.failed += want.failed;
		all.succeeded += want.succeeded;
	}
	CHECK(o->in, all.failed == e.o_failed && all.succeeded == e.o_success);
}

static void check_worst(const struct oracle *o, const struct lode_explanation *x, uint32_t f)
{
	uint32_t n = 0;

	/* So many executions with the function are longer than the k-th worst. */
	for (uint32_t i = 0; i < o->in->n; i++)
		n += o->has[i][f] && !o->is_other[i];
	CHECK(o->in, x->n_worst == (n < LODE_EXPLAIN_WORST ? n : LODE_EXPLAIN_WORST));
	for (size_t k = 0; k < x->n_worst; k++) {
		uint32_t longer = 0, index = (uint32_t)x->worst[k].start_ns;

		for (uint32_t i = 0; i < o->in->n; i++)
			longer += o->has[i][f] && !o->is_other[i] &&
				  o->in->e[i].value > x->worst[k].value;
		CHECK(o->in, longer <= k);
		CHECK(o->in, o->has[index][f] && o->in->e[index].value == x->worst[k].value);
	}
}

static void check_explanation(const struct oracle *o, const struct lode_suspects *s)
{
	const struct lode_suspect *suspect = s->functions.n ? &s->ranked[s->functions.n / 2] : NULL;
	struct lode_explanation x;
	struct lode_error err;
	uint64_t n = 0;
	uint32_t f;

	if (!suspect)
		return;
	f = number_of(s, suspect->function->frame);
	assert_int_equal(lode_explain(&x, s, suspect, &err), 0);
	check_neighbours(o, s, f, -1, x.callers.at, x.callers.n);
	check_neighbours(o, s, f, 1, x.callees.at, x.callees.n);
	check_worst(o, &x, f);
	for (size_t i = 0; i < x.metrics.n; i++) {
		const struct lode_explained_metric *m = &x.metrics.at[i];
		const struct lode_tally_metric *t = &s->tally.metrics.at[m->metric];
		uint64_t in_buckets = 0;

		n += m->with.failed + m->with.succeeded;
		CHECK(o->in,
		      m->moments_with.n + m->moments_without.n == t->moments[LODE_SIDE_SUBJECT].n);
		for (unsigned b = 0; b < LODE_LATENCY_BUCKETS; b++)
			in_buckets += m->histogram_with.n[b];
		CHECK(o->in, in_buckets == m->moments_with.n);
	}
	CHECK(o->in,
	      n == suspect->function->evidence.o_failed + suspect->function->evidence.o_success);
	lode_explanation_release(&x);
}

static void statistics_are_as_defined(void **state)
{
	struct lode_execution_set *set;
	struct random_executions in;
	struct oracle o;

	(void)state;
	for (uint64_t seed = 1; seed <= n_inputs; seed++) {
		struct lode_suspects *s;

		random_executions_make(&in, seed);
		s = random_executions_run(&in, &set);
		oracle_init(&o, &in);
		check_labels(&o, s);
		check_functions(&o, s);
		check_contrasts(&o, s);
		check_excess(&o, s);
		check_explanation(&o, s);
		lode_suspects_free(s);
		lode_execution_set_free(set);
	}
}

/* ---- The paper's Figure 5 ---- */

static void the_worked_example(void **state)
{
	static const struct {
		const char *function;
		uint64_t ds, df, os, of;
		double failure, context, increase;
	} want[] = {
		{"F5", 0, 2, 1, 2, 1, 2.0 / 3, 1.0 / 3},
		{"F3", 1, 0, 1, 0, 0, 0, 0},
		{"F1", 0, 0, 1, 1, 0, 0.5, -0.5},
		{"F2", 0, 0, 0, 1, 0, 1, -1},
		{"F4", 0, 0, 0, 1, 0, 1, -1},
	};
	struct random_executions in = {
		.n = 3,
		.n_streams = 1,
		.e = {{.depth = 3, .frames = {1, 5, 3}, .value = 12000000},
		      {.depth = 2, .frames = {2, 5}, .value = 140000000},
		      {.depth = 3, .frames = {1, 4, 5}, .value = 110000000}},
	};
	struct lode_threshold_rule rule;
	struct lode_arena arena = {0};
	struct lode_execution_set *set;
	struct lode_suspects *s;
	struct lode_error err;

	(void)state;
	assert_int_equal(lode_threshold_rule_parse(&rule, "50ms,100ms", &arena, &err), 0);
	lode_vec_append(&in.rules, rule);
	in.options.tally.n_subject_streams = UINT32_MAX;
	in.options.tally.by_hand = &in.rules;
	s = random_executions_run(&in, &set);
	assert_int_equal(s->functions.n, 5);
	for (size_t i = 0; i < 5; i++) {
		const struct lode_suspect *f = &s->ranked[i];
		const struct lode_evidence *e = &f->function->evidence;

		assert_string_equal(lode_frame_function(&set->tree, f->function->frame),
				    want[i].function);
		assert_int_equal(e->d_success, want[i].ds);
		assert_int_equal(e->d_failed, want[i].df);
		assert_int_equal(e->o_success, want[i].os);
		assert_int_equal(e->o_failed, want[i].of);
		assert_true(is_near(f->scores.failure, want[i].failure));
		assert_true(is_near(f->scores.context, want[i].context));
		assert_true(is_near(f->scores.increase, want[i].increase));
	}
	lode_suspects_free(s);
	lode_execution_set_free(set);
	lode_vec_release(&in.rules);
	lode_arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_worked_example),
		cmocka_unit_test(statistics_are_as_defined),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
