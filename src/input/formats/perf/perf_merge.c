/* Merges records of all CPUs in order of time. */
#include "input/formats/perf/perf_merge.h"

void lode_perf_merge_init(struct lode_perf_merge *merge, size_t limit_bytes)
{
	memset(merge, 0, sizeof(*merge));
	merge->round_max_ns = merge->last_round_max_ns = INT64_MIN;
	merge->limit_bytes = limit_bytes;
}

static size_t batch_bytes(const struct lode_perf_batch *batch)
{
	return batch->records.capacity * sizeof(*batch->records.at) + batch->side.capacity;
}

/* Its last stretch is delivered: its storage serves again. */
static void retire(struct lode_perf_merge *merge, struct lode_perf_batch *batch)
{
	if (--batch->n_open)
		return;
	merge->waiting_bytes -= batch_bytes(batch);
	batch->next_free = merge->free_batches;
	merge->free_batches = batch;
}

void lode_perf_merge_release(struct lode_perf_merge *merge)
{
	struct lode_perf_batch *next;

	for (size_t i = 0; i < merge->heap.n; i++)
		retire(merge, merge->heap.at[i].batch);
	for (; merge->free_batches; merge->free_batches = next) {
		next = merge->free_batches->next_free;
		lode_perf_batch_free(merge->free_batches);
	}
	lode_vec_release(&merge->heap);
}

static bool is_before(const struct lode_perf_stretch *a, const struct lode_perf_stretch *b)
{
	return a->t_ns != b->t_ns ? a->t_ns < b->t_ns : a->order < b->order;
}

static void sift_down(struct lode_perf_merge *merge)
{
	struct lode_perf_stretch *heap = merge->heap.at, run = heap[0];
	size_t i = 0, child;

	for (; (child = i * 2 + 1) < merge->heap.n; i = child) {
		if (child + 1 < merge->heap.n && is_before(&heap[child + 1], &heap[child]))
			child++;
		if (!is_before(&heap[child], &run))
			break;
		heap[i] = heap[child];
	}
	heap[i] = run;
}

static void push(struct lode_perf_merge *merge, struct lode_perf_stretch run)
{
	size_t i = merge->heap.n;

	lode_vec_append(&merge->heap, run);
	for (; i && is_before(&run, &merge->heap.at[(i - 1) / 2]); i = (i - 1) / 2)
		merge->heap.at[i] = merge->heap.at[(i - 1) / 2];
	merge->heap.at[i] = run;
}

/* Delivers from the earliest stretch for as long as it is the earliest. */
static void advance(struct lode_perf_merge *merge, int64_t limit_ns)
{
	struct lode_perf_stretch *run = &merge->heap.at[0], *rival = NULL;
	const struct lode_perf_record *records = run->batch->records.at;
	struct lode_perf_batch *batch = run->batch;

	if (merge->heap.n > 1)
		rival = &merge->heap.at[1];
	if (merge->heap.n > 2 && is_before(&merge->heap.at[2], rival))
		rival = &merge->heap.at[2];
	do {
		merge->deliver(merge->context, batch, &records[run->at]);
		if (++run->at == run->end) {
			merge->heap.at[0] = merge->heap.at[--merge->heap.n];
			retire(merge, batch);
			break;
		}
		run->t_ns = records[run->at].t_ns;
	} while (run->t_ns <= limit_ns && (!rival || is_before(run, rival)));
	if (merge->heap.n > 1)
		sift_down(merge);
}

static void flush_perf_merge(struct lode_perf_merge *merge, int64_t limit_ns)
{
	while (merge->heap.n && merge->heap.at[0].t_ns <= limit_ns)
		advance(merge, limit_ns);
}

static void end_round(struct lode_perf_merge *merge)
{
	flush_perf_merge(merge, merge->last_round_max_ns);
	merge->last_round_max_ns = merge->round_max_ns;
}

/* Without rounds: the older half of the time that waits, or all if that does not help. */
static void relieve(struct lode_perf_merge *merge)
{
	int64_t first, last = merge->round_max_ns;

	if (merge->waiting_bytes <= merge->limit_bytes || !merge->heap.n)
		return;
	first = merge->heap.at[0].t_ns;
	flush_perf_merge(merge, first < last ? first + (last - first) / 2 : first);
	if (merge->waiting_bytes > merge->limit_bytes * 2)
		flush_perf_merge(merge, INT64_MAX - 1);
}

static struct lode_perf_batch *empty_batch(struct lode_perf_merge *merge)
{
	struct lode_perf_batch *batch = merge->free_batches;

	if (!batch)
		return lode_alloc0(1, sizeof(*batch));
	merge->free_batches = batch->next_free;
	return batch;
}

static void add_run(struct lode_perf_merge *merge, struct lode_perf_batch *batch, uint32_t begin,
		    uint32_t end)
{
	push(merge, (struct lode_perf_stretch){.t_ns = batch->records.at[begin].t_ns,
					       .order = merge->n_runs++,
					       .batch = batch,
					       .at = begin,
					       .end = end});
	batch->n_open++;
	/* INT64_MAX is not a time, but a place behind all times. */
	for (uint32_t last = end; last-- > begin;) {
		int64_t t_ns = batch->records.at[last].t_ns;

		if (t_ns == INT64_MAX)
			continue;
		if (t_ns > merge->round_max_ns)
			merge->round_max_ns = t_ns;
		break;
	}
}

struct lode_perf_batch *lode_perf_merge_add(struct lode_perf_merge *merge,
					    struct lode_perf_batch *batch)
{
	/* Held open while its segments are looked at. */
	batch->n_open = 1;
	merge->waiting_bytes += batch_bytes(batch);
	for (size_t i = 0; i < batch->segments.n; i++) {
		const struct lode_perf_segment *segment = &batch->segments.at[i];

		switch (segment->kind) {
		case LODE_PERF_SEG_RUN:
			add_run(merge, batch, segment->begin, segment->end);
			break;
		case LODE_PERF_SEG_EARLY:
			merge->deliver(merge->context, batch, &batch->records.at[segment->begin]);
			break;
		case LODE_PERF_SEG_ROUND:
			end_round(merge);
			break;
		}
	}
	retire(merge, batch);
	relieve(merge);
	return empty_batch(merge);
}

void lode_perf_merge_finish(struct lode_perf_merge *merge)
{
	flush_perf_merge(merge, INT64_MAX);
}
