#include "analyses/regtime/regtime_borders.h"

#include <stdlib.h>

static int compare_borders(const void *a, const void *b)
{
	const struct lode_regtime_border *x = a, *y = b;

	if (x->t_ns != y->t_ns)
		return x->t_ns < y->t_ns ? -1 : 1;
	return (x->thread > y->thread) - (x->thread < y->thread);
}

void lode_regtime_borders_make(struct lode_regtime_borders *borders,
			       const struct lode_regtime *regtime, const lode_call_vec *outliers)
{
	for (size_t i = 0; i < regtime->n_threads; i++) {
		uint32_t clock = regtime->threads[i].thread->clock;

		for (size_t k = 0; k < outliers[i].n; k++) {
			const struct lode_call *call = &outliers[i].at[k];

			lode_vec_append(&borders->at,
					((struct lode_regtime_border){call->start_ns, i, clock}));
			lode_vec_append(&borders->at, ((struct lode_regtime_border){
							      lode_call_end(call), i, clock}));
		}
	}
	if (borders->at.n)
		qsort(borders->at.at, borders->at.n, sizeof(*borders->at.at), compare_borders);
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
