/* Metrics of the critical path. */
#include "answers/suspects/critical.h"

#include "engine/waits/critpath.h"

/* Where a span of the path belongs: a whole event, or nothing that was recorded. */
static bool is_same_place(const struct lode_link *a, const struct lode_link *b)
{
	return a->thread == b->thread && a->event == b->event;
}

static void measure_stretch(struct lode_collect *c, const struct lode_stream *stream,
			    const uint32_t whats[LODE_N_EVENT_KINDS], const struct lode_link *link,
			    int64_t start_ns, int64_t end_ns)
{
	const struct lode_thread *thread = &stream->threads.at[link->thread];
	enum lode_event_kind kind = LODE_EVENT_WAITING;
	uint32_t node = 0;

	if (link->event != LODE_NONE) {
		kind = (enum lode_event_kind)thread->events.kind[link->event];
		node = thread->events.stack[link->event];
	}
	if (lode_collect_is_wanted(c, whats[kind]))
		lode_collect_execution(c, whats[kind], start_ns, end_ns - start_ns, thread->tid,
				       node, kind != LODE_EVENT_RUNNING);
}

void lode_suspects_critical(struct lode_collect *c, const struct lode_stream *stream,
			    const struct lode_symptom *symptoms, size_t n_symptoms)
{
	const uint32_t whats[LODE_N_EVENT_KINDS] = {
		[LODE_EVENT_RUNNING] = lode_collect_what(c, "critical:running", "ns"),
		[LODE_EVENT_WAITING] = lode_collect_what(c, "critical:blocked", "ns"),
		[LODE_EVENT_READY] = lode_collect_what(c, "critical:preempted", "ns"),
	};
	struct lode_critpath path = {0};

	if (!stream->has_switches || stream->is_one_cpu)
		return;
	for (size_t i = 0; i < n_symptoms; i++) {
		size_t first = 0;

		lode_critpath_build(&path, stream, &symptoms[i]);
		/* Spans of one event, next to each other by different chains, are one stretch. */
		for (size_t k = 0; k < path.spans.n; k++) {
			const struct lode_link *link = &path.links.at[path.spans.at[k].link];

			if (k + 1 < path.spans.n &&
			    is_same_place(link, &path.links.at[path.spans.at[k + 1].link]))
				continue;
			measure_stretch(c, stream, whats, link, path.spans.at[first].start_ns,
					path.spans.at[k].end_ns);
			first = k + 1;
		}
	}
	lode_critpath_release(&path);
}
