/* A window of a trace, summarised again. */
#include "answers/timeline/window.h"

#include "model/call_cursor.h"

static struct lode_regtime_threshold finer(struct lode_regtime_threshold threshold, unsigned detail)
{
	if (!threshold.is_time && detail > 1)
		threshold.parts_1e9 /= detail;
	return threshold;
}

int lode_timeline_window_calls(uint64_t *n_calls, struct lode_call_trace *trace, int64_t t0_ns,
			       int64_t t1_ns, struct lode_error *err)
{
	struct lode_call_cursor cursor;
	int rc = LODE_OK;

	*n_calls = 0;
	for (size_t i = 0; i < trace->threads.n && rc == LODE_OK; i++) {
		const struct lode_call_thread *thread = trace->threads.at[i];

		if (!thread->n_calls || thread->last_ns < t0_ns || thread->first_ns >= t1_ns)
			continue;
		lode_call_cursor_init(&cursor, trace, NULL);
		lode_call_cursor_move_for_times(&cursor, thread);
		*n_calls += lode_call_find(&cursor, t1_ns) - lode_call_find(&cursor, t0_ns);
		rc = cursor.rc;
		if (rc < 0 && err)
			*err = cursor.err;
		lode_call_cursor_release(&cursor);
	}
	return rc;
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
