/* Sums counts per stack to evidence per function. */
#include "engine/suspects/functions.h"

#include <math.h>

#include "base/sorted.h"

/* ---- Scores ---- */

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

/* ---- Functions ---- */

struct lode_outcome lode_row_outcome(const struct lode_tally_row *row, enum lode_evidence_kind kind)
{
	if (kind == LODE_EVIDENCE_SIDES)
		return row->side == LODE_SIDE_SUBJECT
			       ? (struct lode_outcome){.failed = row->moments.n}
			       : (struct lode_outcome){.succeeded = row->moments.n};
	if (row->side == LODE_SIDE_OTHER)
		return (struct lode_outcome){0};
	return (struct lode_outcome){.failed = row->n[LODE_LABEL_FAILED],
				     .succeeded = row->n[LODE_LABEL_SUCCEEDED]};
}

double lode_row_time(const struct lode_tally *tally, const struct lode_tally_row *row,
		     enum lode_evidence_kind kind)
{
	if (!tally->metrics.at[row->metric].is_counted)
		return 0;
	return (double)(kind == LODE_EVIDENCE_SIDES ? row->moments.sum : row->failed_sum);
}

bool lode_row_counts(const struct lode_tally *tally, const struct lode_tally_row *row,
		     enum lode_evidence_kind kind)
{
	return kind == LODE_EVIDENCE_SIDES ? !tally->metrics.at[row->metric].is_one_sided
					   : row->side != LODE_SIDE_OTHER;
}

void lode_stack_mark(uint64_t mark[2], uint32_t stack)
{
	mark[0] = lode_hash_u64(stack + 0x9e3779b97f4a7c15u);
	mark[1] = lode_hash_u64(mark[0] ^ 0xd1342543de82ef95u);
}

struct expansion {
	const struct lode_tally *tally;
	enum lode_evidence_kind kind;
	lode_functions *functions;
	uint32_t *function_of; /* by frame; LODE_NONE: not seen */
	uint32_t *seen_in;     /* by frame: last row (from 1) that counted it */
};

static struct lode_function *function_of_functions(struct expansion *x, uint32_t frame)
{
	struct lode_function *f;

	if (x->function_of[frame] != LODE_NONE)
		return &x->functions->at[x->function_of[frame]];
	x->function_of[frame] = (uint32_t)x->functions->n;
	f = lode_vec_append_zero(x->functions);
	f->frame = frame;
	return f;
}

static void expand(struct expansion *x, uint32_t index, struct lode_outcome outcome)
{
	const struct lode_tally_row *row = &x->tally->rows.at[index];
	const struct lode_callnode *nodes = x->tally->set->tree.nodes.at;
	bool is_time = strcmp(x->tally->metrics.at[row->metric].unit, "ns") == 0;
	double time_ns = lode_row_time(x->tally, row, x->kind);
	uint64_t mark[2];

	lode_stack_mark(mark, row->stack);
	for (uint32_t node = row->stack; node; node = nodes[node].parent) {
		struct lode_function *f = function_of_functions(x, nodes[node].frame);

		if (node == row->stack) {
			f->evidence.d_failed += outcome.failed;
			f->evidence.d_success += outcome.succeeded;
		}
		if (x->seen_in[f->frame] == index + 1)
			continue; /* recursion counts once */
		x->seen_in[f->frame] = index + 1;
		f->evidence.o_failed += outcome.failed;
		f->evidence.o_success += outcome.succeeded;
		f->n[row->side] += row->moments.n;
		if (is_time)
			lode_moments_merge(&f->moments[row->side], &row->moments);
		f->time_ns[row->side] += time_ns;
		f->depth += time_ns * nodes[node].depth;
		f->mark[0] += mark[0];
		f->mark[1] += mark[1];
	}
}

LODE_COMPARE(by_frame, struct lode_function, LODE_ORDER(a->frame, b->frame))

struct lode_outcome lode_functions_build(lode_functions *functions, const struct lode_tally *tally,
					 enum lode_evidence_kind kind)
{
	size_t n_frames = tally->set->tree.frames.n;
	struct expansion x = {.tally = tally, .kind = kind, .functions = functions};
	struct lode_outcome all = {0};

	x.function_of = lode_alloc_none(n_frames);
	x.seen_in = lode_alloc0(n_frames, sizeof(*x.seen_in));
	for (uint32_t i = 0; i < tally->rows.n; i++) {
		struct lode_outcome outcome = lode_row_outcome(&tally->rows.at[i], kind);

		if (!lode_row_counts(tally, &tally->rows.at[i], kind))
			continue;
		all.failed += outcome.failed;
		all.succeeded += outcome.succeeded;
		expand(&x, i, outcome);
	}
	for (size_t i = 0; i < functions->n; i++) {
		struct lode_function *f = &functions->at[i];
		double all_ns = f->time_ns[LODE_SIDE_SUBJECT] + f->time_ns[LODE_SIDE_OTHER];

		f->depth = all_ns > 0 ? f->depth / all_ns : 0;
	}
	free(x.function_of);
	free(x.seen_in);
	lode_sort(functions->at, functions->n, by_frame);
	return all;
}
