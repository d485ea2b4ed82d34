/* Metrics of the time that threads are off their CPUs. */
#include "engine/suspects/offcpu.h"

#include <stdio.h>

struct whats {
	uint32_t offcpu[LODE_N_REASONS]; /* by reason */
	uint32_t preempted, woken, cpu;
};

/* A stretch off the CPU, of one event or of two that touch. */
struct stretch {
	int64_t start_ns, length_ns;
	uint32_t stack;
	uint8_t flags; /* of both events */
};

static void measure_offcpu(struct lode_collect *c, uint32_t what, int32_t tid,
			   const struct stretch *s)
{
	if (!lode_collect_is_wanted(c, what))
		return;
	if (s->flags & LODE_EVENT_CUT_START)
		lode_collect_lose(c, what, LODE_EXECUTION_NO_START);
	else if (s->flags & LODE_EVENT_CUT_END)
		lode_collect_lose(c, what, LODE_EXECUTION_NO_END);
	else if (s->flags & LODE_EVENT_INFERRED)
		lode_collect_lose(c, what, LODE_EXECUTION_DOUBTFUL);
	else
		lode_collect_execution(c, what, s->start_ns, s->length_ns, tid, s->stack, true);
}

static struct stretch stretch_of(const struct lode_events *events, size_t i)
{
	return (struct stretch){events->start_ns[i], events->cost_ns[i], events->stack[i],
				events->flags[i]};
}

static void measure_thread(struct lode_collect *c, const struct whats *whats, int32_t tid,
			   const struct lode_events *events)
{
	bool is_woken = false; /* the event before was a wait that ended where this one starts */

	for (size_t i = 0; i < events->n; i++) {
		struct stretch s = stretch_of(events, i), ready;
		bool has_next =
			i + 1 < events->n && events->start_ns[i + 1] == s.start_ns + s.length_ns;

		if (events->kind[i] == LODE_EVENT_WAITING) {
			is_woken = has_next && events->kind[i + 1] == LODE_EVENT_READY;
			if (is_woken) {
				ready = stretch_of(events, i + 1);
				s.length_ns += ready.length_ns;
				s.flags |= ready.flags;
			}
			measure_offcpu(c, whats->offcpu[events->reason[i]], tid, &s);
			continue;
		}
		if (events->kind[i] == LODE_EVENT_READY) {
			measure_offcpu(c, whats->cpu, tid, &s);
			if (s.flags & LODE_EVENT_PREEMPTED)
				measure_offcpu(c, whats->preempted, tid, &s);
			else if (is_woken)
				measure_offcpu(c, whats->woken, tid, &s);
		}
		is_woken = false;
	}
}

void lode_offcpu_measure(struct lode_collect *c, const struct lode_stream *stream)
{
	struct whats whats;
	char name[64];

	if (!stream->has_switches || stream->is_one_cpu)
		return;
	for (int i = 0; i < LODE_N_REASONS; i++) {
		snprintf(name, sizeof(name), "offcpu:%s",
			 lode_wait_reason_name((enum lode_wait_reason)i));
		whats.offcpu[i] = lode_collect_what(c, name, "ns");
	}
	whats.preempted = lode_collect_what(c, "offcpu:preempted", "ns");
	whats.woken = lode_collect_what(c, "ready:woken", "ns");
	whats.cpu = lode_collect_what(c, "cpu:wait", "ns");
	for (size_t i = 0; i < stream->threads.n; i++)
		measure_thread(c, &whats, stream->threads.at[i].tid, &stream->threads.at[i].events);
}
