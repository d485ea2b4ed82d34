/* Which threads of a trace ran on one clock, and all clocks moved to one zero. */
#include "model/call_clocks.h"

#include <stdio.h>

#include "base/sorted.h"

enum { named_max = 6 };

LODE_COMPARE_AT(compare_first, struct lode_call_thread,
	     LODE_ORDER(a->first_ns, b->first_ns) ?: LODE_ORDER(a->pid, b->pid)
		     ?: LODE_ORDER(a->tid, b->tid))

/* Time in which at least one thread lives. */
static __int128 covered(struct lode_call_thread *const *threads, size_t n)
{
	int64_t end_ns = threads[0]->first_ns;
	__int128 ns = 0;

	for (size_t i = 0; i < n; i++) {
		if (threads[i]->last_ns <= end_ns)
			continue;
		ns += threads[i]->last_ns -
		      (threads[i]->first_ns > end_ns ? threads[i]->first_ns : end_ns);
		end_ns = threads[i]->last_ns;
	}
	return ns;
}

static void move_spans(struct lode_call_thread *thread, int64_t by_ns)
{
	for (unsigned level = 0; level < thread->n_levels; level++)
		for (size_t i = 0; i < thread->levels[level].n; i++) {
			struct lode_call_span *span = &thread->levels[level].at[i];

			span->first_ns += by_ns;
			span->top_start_ns += by_ns;
			span->top_end_ns += by_ns;
			if (!level)
				span->longest.start_ns += by_ns;
		}
	for (size_t i = 0; i < thread->late.n; i++)
		thread->late.at[i].call.start_ns += by_ns;
}

void lode_call_clocks_move(const struct lode_call_trace *trace, struct lode_call_thread *thread)
{
	int64_t offset_ns = trace->clocks.n ? trace->clocks.at[thread->clock].offset_ns : 0;

	if (offset_ns)
		move_spans(thread, -offset_ns);
}

/* A thread joins the last clock. */
static void join(struct lode_call_trace *trace, struct lode_call_thread *thread)
{
	struct lode_call_clock *clock = &trace->clocks.at[trace->clocks.n - 1];

	thread->clock = (uint32_t)trace->clocks.n - 1;
	thread->first_ns -= clock->offset_ns;
	thread->last_ns -= clock->offset_ns;
	if (atomic_load(&thread->parts) & LODE_CALL_SPANS)
		lode_call_clocks_move(trace, thread);
	if (thread->last_ns > clock->last_ns)
		clock->last_ns = thread->last_ns;
	if (thread->last_ns > trace->last_ns)
		trace->last_ns = thread->last_ns;
	clock->n_threads++;
	clock->n_calls += thread->n_calls;
}

void lode_call_clocks_find(struct lode_call_trace *trace)
{
	size_t n = trace->threads.n;
	struct lode_call_thread **threads = lode_alloc((n + 1) * sizeof(*threads));
	int64_t end_ns = 0;
	__int128 apart;

	for (size_t i = 0; i < n; i++)
		threads[i] = trace->threads.at[i];
	lode_sort(threads, n, compare_first);
	apart = n ? covered(threads, n) * LODE_CALL_CLOCK_TIMES : 0;
	if (apart < LODE_CALL_CLOCK_GAP_NS)
		apart = LODE_CALL_CLOCK_GAP_NS;
	trace->first_ns = trace->last_ns = n ? threads[0]->first_ns : 0;
	trace->clocks.n = 0;
	for (size_t i = 0; i < n; i++) {
		int64_t last_ns = threads[i]->last_ns;

		if (!i || threads[i]->first_ns - end_ns > apart)
			lode_vec_append(&trace->clocks, ((struct lode_call_clock){
								.offset_ns = threads[i]->first_ns -
									     trace->first_ns}));
		join(trace, threads[i]);
		end_ns = i && end_ns > last_ns ? end_ns : last_ns;
	}
	free(threads);
}

const char *lode_call_clock_threads(const struct lode_call_trace *trace, uint32_t clock,
				    char *buffer, size_t size)
{
	size_t n = trace->clocks.at[clock].n_threads, used = 0, named = 0;

	used = (size_t)snprintf(buffer, size, "thread%s", n == 1 ? "" : "s");
	for (size_t i = 0; i < trace->threads.n && named < named_max && used < size; i++) {
		const struct lode_call_thread *thread = trace->threads.at[i];
		const char *name = lode_call_thread_name(trace, thread);

		if (thread->clock != clock)
			continue;
		used += (size_t)snprintf(buffer + used, size - used, "%s %d%s%.40s",
					 named ? "," : "", thread->tid, *name ? " " : "", name);
		named++;
	}
	if (named < n && used < size)
		snprintf(buffer + used, size - used, " and %zu more", n - named);
	return buffer;
}
