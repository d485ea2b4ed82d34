#include "sources/call_sort.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/unnamed_file.h"

#define MEMORY_DEFAULT ((size_t)256 << 20)
enum { READ_RECORDS = 4096, OUT_EVENTS = 4096 };

/* Up to this much the two ends of a call may differ from the truth by being rounded. */
#define ROUNDING_NS 1

struct record {
	int64_t t_ns, span_ns;
	uint32_t function;
	uint32_t order; /* of coming, within a run; the merge keeps runs in order */
};

/* Sorted records of one thread, in the file. */
struct run {
	uint32_t thread;
	int64_t offset;
	size_t n;
};

struct thread {
	LODE_VEC(struct record) records;
	bool is_unsorted;
};

struct lode_call_sort {
	size_t max_records, n_records; /* in memory */
	LODE_VEC(struct thread) threads;
	LODE_VEC(struct run) runs; /* in order of writing */
	int fd;
	int64_t file_bytes;
};

struct lode_call_sort *lode_call_sort_new(size_t memory_bytes)
{
	struct lode_call_sort *sort = lode_alloc0(1, sizeof(*sort));

	/* Arrays grow by doubling: half of them may be empty. */
	sort->max_records =
		(memory_bytes ? memory_bytes : MEMORY_DEFAULT) / (2 * sizeof(struct record));
	if (sort->max_records < 1024)
		sort->max_records = 1024;
	sort->fd = -1;
	return sort;
}

void lode_call_sort_free(struct lode_call_sort *sort)
{
	if (!sort)
		return;
	for (size_t i = 0; i < sort->threads.n; i++)
		lode_vec_release(&sort->threads.at[i].records);
	lode_vec_release(&sort->threads);
	lode_vec_release(&sort->runs);
	if (sort->fd >= 0)
		close(sort->fd);
	free(sort);
}

/* ---- Collecting ---- */

static int by_time(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	if (x->t_ns != y->t_ns)
		return x->t_ns < y->t_ns ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

static void sort_thread(struct thread *thread)
{
	if (thread->is_unsorted)
		qsort(thread->records.at, thread->records.n, sizeof(*thread->records.at), by_time);
	thread->is_unsorted = false;
}

static int spill(struct lode_call_sort *sort, struct lode_error *err)
{
	int rc = sort->fd < 0 ? lode_unnamed_file_open(&sort->fd, err) : LODE_OK;

	for (size_t i = 0; i < sort->threads.n && rc == LODE_OK; i++) {
		struct thread *thread = &sort->threads.at[i];
		struct run run = {(uint32_t)i, sort->file_bytes, thread->records.n};
		size_t size = run.n * sizeof(struct record);

		if (run.n == 0)
			continue;
		sort_thread(thread);
		rc = lode_unnamed_file_write(sort->fd, thread->records.at, size, sort->file_bytes,
					     err);
		sort->file_bytes += (int64_t)size;
		lode_vec_append(&sort->runs, run);
		lode_vec_release(&thread->records);
	}
	sort->n_records = 0;
	return rc;
}

int lode_call_sort_add(struct lode_call_sort *sort, uint32_t thread, int64_t t_ns, int64_t span_ns,
		       uint32_t function, struct lode_error *err)
{
	struct thread *t;
	struct record record = {.t_ns = t_ns, .span_ns = span_ns, .function = function};

	while (sort->threads.n <= thread)
		(void)lode_vec_append_zero(&sort->threads);
	t = &sort->threads.at[thread];
	record.order = (uint32_t)t->records.n;
	if (t->records.n && t->records.at[t->records.n - 1].t_ns > t_ns)
		t->is_unsorted = true;
	lode_vec_append(&t->records, record);
	return ++sort->n_records == sort->max_records ? spill(sort, err) : LODE_OK;
}

/* ---- Merging one thread's runs ---- */

struct cursor {
	const struct run *run; /* NULL: in memory */
	size_t read;	       /* records taken from the run's file so far */
	struct record *at;
	size_t next, n; /* at[next .. n) are here and not given yet */
};

struct merge {
	const struct lode_call_sort *sort;
	LODE_VEC(struct cursor) cursors; /* in order of coming */
};

static int refill(const struct lode_call_sort *sort, struct cursor *cursor, struct lode_error *err)
{
	size_t left, n;

	if (cursor->next < cursor->n || !cursor->run)
		return LODE_OK;
	left = cursor->run->n - cursor->read;
	n = left < READ_RECORDS ? left : READ_RECORDS;
	cursor->next = 0;
	cursor->n = n;
	if (n == 0)
		return LODE_OK;
	cursor->read += n;
	return lode_unnamed_file_read(
		sort->fd, cursor->at, n * sizeof(struct record),
		cursor->run->offset + (int64_t)((cursor->read - n) * sizeof(struct record)), err);
}

static int start_merge(struct merge *merge, uint32_t thread, struct lode_error *err)
{
	const struct lode_call_sort *sort = merge->sort;
	struct cursor *last;
	int rc = LODE_OK;

	for (size_t i = 0; i < sort->runs.n && rc == LODE_OK; i++) {
		struct cursor cursor = {.run = &sort->runs.at[i]};

		if (cursor.run->thread != thread)
			continue;
		cursor.at = lode_alloc(READ_RECORDS * sizeof(struct record));
		rc = refill(sort, &cursor, err);
		lode_vec_append(&merge->cursors, cursor);
	}
	last = lode_vec_append_zero(&merge->cursors);
	last->at = sort->threads.at[thread].records.at;
	last->n = sort->threads.at[thread].records.n;
	return rc;
}

static void end_merge(struct merge *merge)
{
	for (size_t i = 0; i < merge->cursors.n; i++)
		if (merge->cursors.at[i].run)
			free(merge->cursors.at[i].at);
	lode_vec_release(&merge->cursors);
}

/* The earliest record, of equal ones the first that came: 1, 0 at the end, or < 0. Runs are few. */
static int next_record(struct merge *merge, struct record *out, struct lode_error *err)
{
	struct cursor *best = NULL;
	int rc;

	for (size_t i = 0; i < merge->cursors.n; i++) {
		struct cursor *cursor = &merge->cursors.at[i];

		if (cursor->next < cursor->n &&
		    (!best || cursor->at[cursor->next].t_ns < best->at[best->next].t_ns))
			best = cursor;
	}
	if (!best)
		return 0;
	*out = best->at[best->next++];
	rc = refill(merge->sort, best, err);
	return rc < 0 ? rc : 1;
}

/* ---- Nesting ---- */

struct open_call {
	int64_t end_ns;
	uint32_t function;
};

struct nest {
	struct lode_call_sink *sink;
	uint32_t thread;		 /* the sink's */
	LODE_VEC(struct open_call) open; /* whole calls that have started, ends falling */
	LODE_VEC(struct record) group;	 /* records of one time */
	LODE_VEC(struct lode_call_event) out;
};

static int flush(struct nest *nest, struct lode_error *err)
{
	size_t n = nest->out.n;

	nest->out.n = 0;
	if (n == 0)
		return LODE_OK;
	return nest->sink->events(nest->sink->context, nest->thread, nest->out.at, n, err);
}

static int put(struct nest *nest, int64_t t_ns, enum lode_call_event_kind kind, uint32_t function,
	       struct lode_error *err)
{
	struct lode_call_event event = {.t_ns = t_ns, .function = function, .kind = (uint8_t)kind};

	lode_vec_append(&nest->out, event);
	return nest->out.n == OUT_EVENTS ? flush(nest, err) : LODE_OK;
}

/* Exits of the whole calls that end by `t_ns`. */
static int close_until(struct nest *nest, int64_t t_ns, struct lode_error *err)
{
	int rc = LODE_OK;

	while (nest->open.n && nest->open.at[nest->open.n - 1].end_ns <= t_ns && rc == LODE_OK) {
		const struct open_call *call = &nest->open.at[--nest->open.n];

		rc = put(nest, call->end_ns, LODE_CALL_EXIT, call->function, err);
	}
	return rc;
}

static int open_call(struct nest *nest, const struct record *record, struct lode_error *err)
{
	struct lode_loss *loss = &nest->sink->losses->by_kind[LODE_LOSS_OVERLAP];
	struct open_call call = {.function = record->function};

	if (__builtin_add_overflow(record->t_ns, record->span_ns, &call.end_ns))
		call.end_ns = INT64_MAX;
	if (nest->open.n && call.end_ns > nest->open.at[nest->open.n - 1].end_ns) {
		int64_t end_ns = nest->open.at[nest->open.n - 1].end_ns;

		if (call.end_ns - end_ns > ROUNDING_NS) {
			lode_loss_add(nest->sink->losses, LODE_LOSS_OVERLAP, 1, -1, record->t_ns,
				      "a call at %lld ns lasts %lld ns longer than the call it "
				      "starts in: cut",
				      (long long)record->t_ns, (long long)(call.end_ns - end_ns));
			if (__builtin_add_overflow(loss->cost_ns, call.end_ns - end_ns,
						   &loss->cost_ns))
				loss->cost_ns = INT64_MAX;
		}
		call.end_ns = end_ns;
	}
	lode_vec_append(&nest->open, call);
	return put(nest, record->t_ns, LODE_CALL_ENTER, record->function, err);
}

static int longest_first(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	if (x->span_ns != y->span_ns)
		return x->span_ns > y->span_ns ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/* All records of one time: runs of whole calls are put longest first, the rest stays in order. */
static int take_group(struct nest *nest, struct lode_error *err)
{
	struct record *at = nest->group.at;
	size_t n = nest->group.n;
	int rc = LODE_OK;

	nest->group.n = 0;
	for (size_t i = 0; i < n; i++)
		at[i].order = (uint32_t)i;
	for (size_t i = 0; i < n && n > 1; i++) {
		size_t from = i;

		while (i < n && at[i].span_ns >= 0)
			i++;
		if (i - from > 1)
			qsort(at + from, i - from, sizeof(*at), longest_first);
	}
	for (size_t i = 0; i < n && rc == LODE_OK; i++) {
		rc = close_until(nest, at[i].t_ns, err);
		if (rc < 0)
			break;
		if (at[i].span_ns >= 0)
			rc = open_call(nest, &at[i], err);
		else
			rc = put(nest, at[i].t_ns,
				 at[i].span_ns == LODE_CALL_SORT_ENTER	? LODE_CALL_ENTER
				 : at[i].span_ns == LODE_CALL_SORT_EXIT ? LODE_CALL_EXIT
									: LODE_CALL_EXIT_ANY,
				 at[i].function, err);
	}
	return rc;
}

static int finish_thread(struct nest *nest, struct merge *merge, struct lode_error *err)
{
	struct record record;
	int rc;

	while ((rc = next_record(merge, &record, err)) > 0) {
		if (nest->group.n && nest->group.at[0].t_ns != record.t_ns) {
			rc = take_group(nest, err);
			if (rc < 0)
				return rc;
		}
		lode_vec_append(&nest->group, record);
	}
	if (rc == LODE_OK && nest->group.n)
		rc = take_group(nest, err);
	if (rc == LODE_OK)
		rc = close_until(nest, INT64_MAX, err);
	return rc < 0 ? rc : flush(nest, err);
}

int lode_call_sort_finish(struct lode_call_sort *sort, struct lode_call_sink *sink,
			  const uint32_t *threads, struct lode_error *err)
{
	int rc = LODE_OK;

	for (size_t i = 0; i < sort->threads.n && rc == LODE_OK; i++) {
		struct merge merge = {.sort = sort};
		struct nest nest = {.sink = sink, .thread = threads[i]};

		sort_thread(&sort->threads.at[i]);
		rc = start_merge(&merge, (uint32_t)i, err);
		if (rc == LODE_OK)
			rc = finish_thread(&nest, &merge, err);
		end_merge(&merge);
		lode_vec_release(&sort->threads.at[i].records);
		lode_vec_release(&nest.open);
		lode_vec_release(&nest.group);
		lode_vec_release(&nest.out);
	}
	return rc;
}
