/* Gives samples of counters their time, or counts in its place. */
#include "model/counted_time.h"

#include "base/sorted.h"

#define MAX_TOTAL ((int64_t)1 << 61) /* LIMIT: costs of a thread beyond it have no length */

enum { PAUSE = 10 }; /* times the mean distance */

struct counted {
	int64_t t_ns, count;
	uint16_t cpu;
};

typedef LODE_VEC(struct counted) counted_vec;

LODE_COMPARE(by_cpu_and_time, struct counted,
	     LODE_ORDER(a->cpu, b->cpu) ?: LODE_ORDER(a->t_ns, b->t_ns))

static void find_counted(counted_vec *out, const struct lode_stream *stream)
{
	for (size_t i = 0; i < stream->threads.n; i++) {
		const struct lode_events *events = &stream->threads.at[i].events;

		for (size_t e = 0; e < events->n; e++)
			if (events->kind[e] == LODE_EVENT_RUNNING)
				lode_vec_append(out, ((struct counted){events->start_ns[e],
								       events->cost_ns[e],
								       events->cpu[e]}));
	}
	lode_sort(out->at, out->n, by_cpu_and_time);
}

struct rate {
	__int128 ns, count;
	int64_t n;
};

/* Of distances up to `limit_ns`. */
static struct rate rate_up_to(const counted_vec *samples, int64_t limit_ns)
{
	struct rate rate = {0};

	for (size_t i = 1; i < samples->n; i++) {
		const struct counted *at = &samples->at[i];
		int64_t gap_ns = at->t_ns - at[-1].t_ns;

		if (at->cpu != at[-1].cpu || gap_ns > limit_ns)
			continue;
		rate.ns += gap_ns;
		rate.count += at->count;
		rate.n++;
	}
	return rate;
}

void lode_stream_count_time(struct lode_stream *stream)
{
	counted_vec samples = {0};
	struct rate rate, wider = {.n = -1};

	find_counted(&samples, stream);
	rate = rate_up_to(&samples, INT64_MAX);
	while (rate.n && rate.n != wider.n && rate.ns / rate.n < INT64_MAX / PAUSE) {
		wider = rate;
		rate = rate_up_to(&samples, (int64_t)(wider.ns / wider.n) * PAUSE);
	}
	for (size_t i = 0; i < stream->threads.n; i++) {
		struct lode_events *events = &stream->threads.at[i].events;

		for (size_t e = 0; e < events->n; e++)
			if (events->kind[e] == LODE_EVENT_RUNNING)
				events->cost_ns[e] = rate.count ? (int64_t)(events->cost_ns[e] *
									    rate.ns / rate.count)
								: 0;
	}
	lode_vec_release(&samples);
}

void lode_stream_use_cost_as_time(struct lode_stream *stream)
{
	stream->t0_ns = stream->t1_ns = 0;
	for (size_t i = 0; i < stream->threads.n; i++) {
		struct lode_thread *thread = &stream->threads.at[i];
		int64_t at = 0;

		for (size_t e = 0; e < thread->events.n; e++) {
			thread->events.start_ns[e] = at;
			at = thread->events.cost_ns[e] > MAX_TOTAL - at
				     ? MAX_TOTAL
				     : at + thread->events.cost_ns[e];
		}
		thread->born_ns = thread->exec_ns = INT64_MIN;
		thread->died_ns = at;
		if (at > stream->t1_ns)
			stream->t1_ns = at;
	}
}
