/* A window of a trace, summarised again. */
#include "answers/timeline/window.h"

static struct lode_regtime_threshold finer(struct lode_regtime_threshold threshold, unsigned detail)
{
	if (!threshold.is_time && detail > 1)
		threshold.parts_1e9 /= detail;
	return threshold;
}

int lode_timeline_window(struct lode_regtime **out, struct lode_call_trace *trace,
			 const struct lode_regtime_options *options,
			 const struct lode_timeline_window_query *query, struct lode_error *err)
{
	struct lode_regtime_options with = *options;

	with.t0_ns = query->t0_ns;
	with.t1_ns = query->t1_ns;
	with.long_call = finer(with.long_call, query->detail);
	with.gap = finer(with.gap, query->detail);
	with.expression = finer(with.expression, query->detail);
	with.negligible = finer(with.negligible, query->detail);
	with.single_calls = query->single_calls;
	with.only = query->only;
	with.n_threads = query->n_threads;
	return lode_regtime_run(out, trace, &with, err);
}

bool lode_timeline_window_is_single(const struct lode_regtime *window)
{
	for (size_t i = 0; i < window->n_threads; i++)
		if (window->threads[i].n_expressions)
			return false;
	return true;
}
