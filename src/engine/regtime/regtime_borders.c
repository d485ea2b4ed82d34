/* Borders of other threads' outliers (REGTIME24 §7.6). */
#include "engine/regtime/regtime_borders.h"

#include "base/sorted.h"

LODE_COMPARE(compare_borders, struct lode_regtime_border,
	     LODE_ORDER(a->t_ns, b->t_ns) ?: LODE_ORDER(a->thread, b->thread))

void lode_regtime_borders_add(struct lode_regtime_borders *borders, size_t index,
			      const struct lode_regtime_thread *thread,
			      const lode_call_vec *outliers)
{
	uint32_t clock = thread->thread->clock;

	for (size_t k = 0; k < outliers->n; k++) {
		const struct lode_call *call = &outliers->at[k];

		lode_vec_append(&borders->at,
				((struct lode_regtime_border){call->start_ns, index, clock}));
		lode_vec_append(&borders->at,
				((struct lode_regtime_border){lode_call_end(call), index, clock}));
	}
}

void lode_regtime_borders_take(struct lode_regtime_borders *to, struct lode_regtime_borders *from)
{
	size_t n = to->at.n + from->at.n;

	if (!to->at.n) {
		lode_regtime_borders_release(to);
		*to = *from;
		*from = (struct lode_regtime_borders){0};
		return;
	}
	lode_vec_reserve(&to->at, n);
	if (from->at.n)
		memcpy(to->at.at + to->at.n, from->at.at, from->at.n * sizeof(*from->at.at));
	to->at.n = n;
	lode_regtime_borders_release(from);
}

void lode_regtime_borders_sort(struct lode_regtime_borders *borders)
{
	lode_sort(borders->at.at, borders->at.n, compare_borders);
}

void lode_regtime_borders_release(struct lode_regtime_borders *borders)
{
	lode_vec_release(&borders->at);
}

/* Those of other threads, at least `apart_ns` from each other; equal ones are one. */
static void choose_regtime_borders(lode_border_vec *out, const struct lode_regtime_borders *borders,
				   size_t index, const struct lode_regtime_thread *thread,
				   int64_t apart_ns)
{
	size_t from = 0, to = borders->at.n;

	while (from < to) { /* the first behind the thread's beginning */
		size_t middle = from + (to - from) / 2;

		if (borders->at.at[middle].t_ns <= thread->t0_ns)
			from = middle + 1;
		else
			to = middle;
	}
	out->n = 0;
	for (size_t i = from; i < borders->at.n && borders->at.at[i].t_ns < thread->t1_ns; i++) {
		const struct lode_regtime_border *border = &borders->at.at[i];

		if (border->thread == index || border->clock != thread->thread->clock)
			continue;
		if (!out->n || border->t_ns - out->at[out->n - 1] >= apart_ns)
			lode_vec_append(out, border->t_ns);
	}
}

void lode_regtime_borders_of(lode_border_vec *out, const struct lode_regtime_borders *borders,
			     size_t index, const struct lode_regtime_thread *thread)
{
	choose_regtime_borders(out, borders, index, thread, 1);
	if (out->n > LODE_REGTIME_MAX_BORDERS)
		choose_regtime_borders(out, borders, index, thread,
				       (thread->t1_ns - thread->t0_ns) / LODE_REGTIME_MAX_BORDERS +
					       1);
}
