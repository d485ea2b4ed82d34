/* Walks the log of a CPU over the time in which a thread was ready. */
#include "engine/waits/ran_instead.h"

#include "base/sorted.h"

/* In whose queue the thread stood; UINT16_MAX: not known. */
static uint16_t queue_of(const struct lode_events *events, size_t event)
{
	bool has_next = event + 1 < events->n && events->kind[event + 1] == LODE_EVENT_RUNNING &&
			events->cpu[event + 1] != UINT16_MAX;

	if (events->flags[event] & LODE_EVENT_PREEMPTED || !has_next)
		return events->cpu[event];
	return events->cpu[event + 1];
}

void lode_ran_instead_begin(struct lode_ran_instead *ran, const struct lode_stream *stream,
			    lode_thread_id thread, size_t event, int64_t start_ns, int64_t end_ns,
			    size_t *near)
{
	uint16_t cpu = queue_of(&stream->threads.at[thread].events, event);

	*ran = (struct lode_ran_instead){.at_ns = start_ns, .end_ns = end_ns};
	if (cpu >= stream->cpus.n)
		return;
	ran->runs = stream->cpus.at[cpu].runs.at;
	ran->n = stream->cpus.at[cpu].runs.n;
	/* The first that begins later: the one before it is at hand. */
	ran->next = lode_sorted_up_to_near(ran->runs, ran->n, sizeof(*ran->runs), start_ns,
					   near ? near[cpu] : 0);
	if (near)
		near[cpu] = ran->next;
}

bool lode_ran_instead_next(struct lode_ran_instead *ran)
{
	int64_t until_ns = ran->end_ns;

	if (ran->at_ns >= ran->end_ns)
		return false;
	ran->thread = ran->next ? ran->runs[ran->next - 1].thread : LODE_NONE;
	if (ran->next < ran->n && ran->runs[ran->next].start_ns < until_ns)
		until_ns = ran->runs[ran->next++].start_ns;
	ran->cost_ns = until_ns - ran->at_ns;
	ran->at_ns = until_ns;
	return true;
}
