/* Estimates how much stack dumps would be. */
#include "engine/quality/dump_rate.h"

double lode_dump_rate(const struct lode_stream *stream)
{
	double seconds = (double)(stream->t1_ns - stream->t0_ns) / 1e9;
	uint64_t n = stream->losses.by_kind[LODE_LOSS_EVENTS].count;

	for (size_t i = 0; i < stream->event_counts.n; i++) {
		const struct lode_event_count *e = &stream->event_counts.at[i];

		n += e->has_callchain && strcmp(e->name, "sched:sched_waking") != 0 ? e->n : 0;
	}
	return seconds > 0 ? (double)n / seconds : 0;
}

double lode_dump_bytes_per_s(double events_per_s)
{
	return events_per_s * LODE_DUMP_BYTES;
}

bool lode_dumps_fit(double events_per_s, uint32_t n_cpus)
{
	return !n_cpus ||
	       lode_dump_bytes_per_s(events_per_s) <= (double)n_cpus * LODE_MOST_DUMP_BYTES;
}
