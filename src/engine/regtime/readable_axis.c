/* A time axis that is narrow where calls are regular and wide at outliers. */
#include "engine/regtime/readable_axis.h"
#include "base/sorted.h"

/* What each kind of item gets of the width, by enum lode_regtime_kind; the rest goes by time. */
static const double shares[] = {0.35, 0.25, 0.10};

enum { n_kinds = sizeof(shares) / sizeof(shares[0]) };

/* From here on the width grows by so much more per ns. */
struct change {
	int64_t t_ns;
	double slope;
};

struct axis_work {
	LODE_VEC(struct change) changes;
	int64_t t0_ns, t1_ns;
	size_t n_of[n_kinds];
};

/* The part of an item on the axis; false: none of it has room. */
static bool clip(int64_t *start_ns, int64_t *end_ns, const struct axis_work *work,
		 const struct lode_regtime_item *item)
{
	*start_ns = item->start_ns > work->t0_ns ? item->start_ns : work->t0_ns;
	*end_ns = item->end_ns < work->t1_ns ? item->end_ns : work->t1_ns;
	return *start_ns < *end_ns;
}

static void count_readable_axis(struct axis_work *work, const struct lode_regtime *regtime)
{
	int64_t start_ns, end_ns;

	for (size_t i = 0; i < regtime->n_threads; i++)
		for (size_t k = 0; k < regtime->threads[i].items.n; k++) {
			const struct lode_regtime_item *item = &regtime->threads[i].items.at[k];

			work->n_of[item->kind] += clip(&start_ns, &end_ns, work, item);
		}
}

static void deal_out(struct axis_work *work, const struct lode_regtime *regtime)
{
	double by_time = 1;

	for (unsigned kind = 0; kind < n_kinds; kind++)
		by_time -= work->n_of[kind] ? shares[kind] : 0;
	lode_vec_append(
		&work->changes,
		((struct change){work->t0_ns, by_time / (double)(work->t1_ns - work->t0_ns)}));
	for (size_t i = 0; i < regtime->n_threads; i++)
		for (size_t k = 0; k < regtime->threads[i].items.n; k++) {
			const struct lode_regtime_item *item = &regtime->threads[i].items.at[k];
			int64_t start_ns, end_ns;
			double slope;

			if (!clip(&start_ns, &end_ns, work, item))
				continue;
			slope = shares[item->kind] / (double)work->n_of[item->kind] /
				(double)(end_ns - start_ns);
			lode_vec_append(&work->changes, ((struct change){start_ns, slope}));
			lode_vec_append(&work->changes, ((struct change){end_ns, -slope}));
		}
}

LODE_COMPARE(compare_changes, struct change,
	     LODE_ORDER(a->t_ns, b->t_ns) ?: LODE_ORDER(a->slope, b->slope))

static void add_knot(struct lode_readable_axis *axis, int64_t t_ns, double part)
{
	int32_t x = part >= 1 ? LODE_AXIS_WIDTH : (int32_t)(part * LODE_AXIS_WIDTH);

	/* Sums of sums differ in their last digits: never backwards. */
	if (axis->knots.n && x < axis->knots.at[axis->knots.n - 1].x)
		x = axis->knots.at[axis->knots.n - 1].x;
	lode_vec_append(&axis->knots, ((struct lode_axis_knot){t_ns, x < 0 ? 0 : x}));
}

static void walk_readable_axis(struct lode_readable_axis *axis, const struct axis_work *work)
{
	size_t n_borders = 0, step, n = 0;
	double part = 0, slope = 0;
	int64_t at_ns = work->t0_ns;

	for (size_t i = 1; i < work->changes.n; i++)
		n_borders += work->changes.at[i].t_ns != work->changes.at[i - 1].t_ns;
	step = n_borders / LODE_AXIS_MAX_KNOTS + 1;
	for (size_t i = 0; i < work->changes.n; i++) {
		const struct change *change = &work->changes.at[i];

		if (change->t_ns > at_ns) {
			part += slope * (double)(change->t_ns - at_ns);
			at_ns = change->t_ns;
			if (n++ % step == 0 && at_ns < work->t1_ns)
				add_knot(axis, at_ns, part);
		} else if (i == 0) {
			add_knot(axis, at_ns, 0);
		}
		slope += change->slope;
	}
	add_knot(axis, work->t1_ns, 1);
}

void lode_readable_axis_make(struct lode_readable_axis *axis, const struct lode_regtime *regtime,
			     int64_t t0_ns, int64_t t1_ns)
{
	struct axis_work work = {.t0_ns = t0_ns, .t1_ns = t1_ns > t0_ns ? t1_ns : t0_ns + 1};

	axis->knots.n = 0;
	count_readable_axis(&work, regtime);
	deal_out(&work, regtime);
	lode_sort(work.changes.at, work.changes.n, compare_changes);
	walk_readable_axis(axis, &work);
	lode_vec_release(&work.changes);
}

void lode_readable_axis_release(struct lode_readable_axis *axis)
{
	lode_vec_release(&axis->knots);
}
