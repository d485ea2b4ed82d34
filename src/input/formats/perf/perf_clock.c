/* Repairs wrong times of records before these are merged. */
#include "input/formats/perf/perf_clock.h"

#include "base/sorted.h"

enum { MOST_FOR_MIDDLE = 1023 };

/* INT64_MAX is not a time, but a place behind all times. */
static bool is_time(const struct lode_perf_record *record)
{
	return record->t_ns != INT64_MAX;
}

/* The middle one of the first times: a wrong one at the very beginning is not what the clock is. */
static void begin_perf_clock(struct lode_perf_clock *clock, const struct lode_perf_batch *batch)
{
	int64_t times[MOST_FOR_MIDDLE];
	size_t n = 0;

	for (size_t i = 0; i < batch->segments.n; i++) {
		const struct lode_perf_segment *s = &batch->segments.at[i];

		if (s->kind != LODE_PERF_SEG_RUN)
			continue;
		for (uint32_t r = s->begin; r < s->end && n < MOST_FOR_MIDDLE; r++)
			if (is_time(&batch->records.at[r]))
				times[n++] = batch->records.at[r].t_ns;
	}
	if (!n)
		return;
	lode_sort(times, n, lode_compare_i64);
	clock->guard.has_now = true;
	clock->guard.now_ns = times[n / 2];
}

/* Does a stretch go on from what was before, with nothing in it that is odd? */
static bool is_sound(struct lode_clock_guard *guard, const struct lode_perf_batch *batch,
		     const struct lode_perf_segment *segment)
{
	const struct lode_perf_record *first = &batch->records.at[segment->begin];
	uint32_t end = segment->end;

	while (end > segment->begin && !is_time(&batch->records.at[end - 1]))
		end--;
	if (end == segment->begin)
		return true;
	if (guard->shift_ns || guard->has_stray ||
	    !lode_clock_is_near(first->t_ns, guard->now_ns) ||
	    !lode_clock_is_near(batch->records.at[end - 1].t_ns, first->t_ns))
		return false;
	guard->now_ns = batch->records.at[end - 1].t_ns;
	return true;
}

static bool is_batch_sound(struct lode_perf_clock *clock, const struct lode_perf_batch *batch)
{
	struct lode_clock_guard guard = clock->guard;

	for (size_t i = 0; i < batch->segments.n; i++)
		if (batch->segments.at[i].kind == LODE_PERF_SEG_RUN &&
		    !is_sound(&guard, batch, &batch->segments.at[i]))
			return false;
	clock->guard = guard;
	return true;
}

static void count_perf_clock(struct lode_perf_batch *batch, uint32_t record, int64_t read_ns,
			     int64_t now_ns)
{
	double days = ((double)read_ns - (double)now_ns) / 86400e9;

	lode_loss_add(&batch->losses, LODE_LOSS_CLOCK_JUMP, 1, batch->offset, now_ns,
		      "the clock jumps by %+.1f days at record %u of the block: assumed to "
		      "continue from the previous record",
		      days, record + 1);
}

/* A stretch again, in as many pieces as its repaired times make. */
static void mend_run(struct lode_perf_clock *clock, struct lode_perf_batch *batch,
		     struct lode_perf_segment run)
{
	struct lode_perf_segment piece = {LODE_PERF_SEG_RUN, run.begin, run.begin};

	for (uint32_t i = run.begin; i < run.end; i++) {
		struct lode_perf_record *record = &batch->records.at[i];
		int64_t read_ns = record->t_ns, before_ns = clock->guard.now_ns;
		bool is_odd;

		if (is_time(record)) {
			record->t_ns = lode_clock_guard_next(&clock->guard, read_ns, &is_odd);
			if (is_odd)
				count_perf_clock(batch, i, read_ns, before_ns);
		}
		if (i > piece.begin && record->t_ns < batch->records.at[i - 1].t_ns) {
			lode_vec_append(&clock->segments, piece);
			piece.begin = i;
		}
		piece.end = i + 1;
	}
	lode_vec_append(&clock->segments, piece);
}

void lode_perf_clock_mend(struct lode_perf_clock *clock, struct lode_perf_batch *batch)
{
	if (!clock->guard.has_now)
		begin_perf_clock(clock, batch);
	if (!clock->guard.has_now || is_batch_sound(clock, batch))
		return;
	clock->segments.n = 0;
	for (size_t i = 0; i < batch->segments.n; i++) {
		if (batch->segments.at[i].kind == LODE_PERF_SEG_RUN)
			mend_run(clock, batch, batch->segments.at[i]);
		else
			lode_vec_append(&clock->segments, batch->segments.at[i]);
	}
	batch->segments.n = 0;
	for (size_t i = 0; i < clock->segments.n; i++)
		lode_vec_append(&batch->segments, clock->segments.at[i]);
}

void lode_perf_clock_release(struct lode_perf_clock *clock)
{
	lode_vec_release(&clock->segments);
}
