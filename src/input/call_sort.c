/* Sorts and nests calls of formats that promise no order. */
#include "input/call_sort.h"

#include <stdio.h>
#include <unistd.h>

#include "base/map.h"
#include "base/sorted.h"
#include "base/time_sum.h"
#include "base/unnamed_file.h"
#include "model/clock_guard.h"

#define MEMORY_DEFAULT ((size_t)256 << 20)
enum { READ_RECORDS = 4096, OUT_EVENTS = 4096 };

/* Up to this much the two ends of a call may differ from the truth by being rounded. */
#define ROUNDING_NS 1

struct record {
	int64_t t_ns, span_ns;
	uint32_t function;
	uint32_t order; /* of coming, within the thread */
};

/* Sorted records of one thread, in the file. */
struct run {
	uint32_t thread;
	int64_t offset;
	size_t n;
};

/* Of a wrong time, as it seems: put in its place once all times are known. */
struct suspect {
	struct lode_call_sorted call;
	uint32_t order;
	int64_t mended_ns;
};

struct thread {
	LODE_VEC(struct record) records;
	int64_t last_ns; /* of the last one that was put here */
	uint32_t n_come;
	uint32_t held; /* one that is far from that waits for the next: index + 1 in `held` */
	uint8_t n_put; /* 2: two or more */
	bool is_unsorted;
};

struct lode_call_sort {
	size_t max_records, n_records; /* in memory */
	LODE_VEC(struct thread) threads;
	LODE_VEC(struct run) runs; /* in order of writing */
	int fd;
	int64_t file_bytes;
	LODE_VEC(struct suspect) held, suspects;
	struct lode_map days; /* how many have found their place, by day */
	int64_t day;	      /* of the last one, and of so many before it */
	uint32_t n_day;	      /* that are not in `days` yet */
	int64_t latest_ns;    /* start */
	int64_t end_ns;	      /* latest start or end */
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
	sort->day = sort->latest_ns = sort->end_ns = INT64_MIN;
	return sort;
}

void lode_call_sort_free(struct lode_call_sort *sort)
{
	if (!sort)
		return;
	lode_vec_release_each(&sort->threads, it, lode_vec_release(&it->records));
	lode_vec_release(&sort->runs);
	lode_vec_release(&sort->held);
	lode_vec_release(&sort->suspects);
	lode_map_release(&sort->days);
	if (sort->fd >= 0)
		close(sort->fd);
	free(sort);
}

/* ---- Collecting ---- */

LODE_COMPARE(by_time, struct record, LODE_ORDER(a->t_ns, b->t_ns) ?: LODE_ORDER(a->order, b->order))

static void sort_thread(struct thread *thread)
{
	if (thread->is_unsorted)
		lode_sort(thread->records.at, thread->records.n, by_time);
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

static int64_t day_of(int64_t t_ns)
{
	return t_ns / LODE_CLOCK_DAY_NS - (t_ns % LODE_CLOCK_DAY_NS < 0);
}

static void count_day(struct lode_call_sort *sort, int64_t day, uint32_t n)
{
	uint32_t *count;

	if (day == sort->day) {
		sort->n_day += n;
		return;
	}
	count = lode_map_slot(&sort->days, (uint64_t)sort->day);
	*count = (*count == LODE_NONE ? 0 : *count) + sort->n_day;
	sort->day = day;
	sort->n_day = n;
}

static int insert(struct lode_call_sort *sort, const struct lode_call_sorted *call, uint32_t order,
		  struct lode_error *err)
{
	struct thread *t = &sort->threads.at[call->thread];
	int64_t end_ns = call->span_ns > 0 ? lode_time_add(call->t_ns, call->span_ns) : call->t_ns;

	count_day(sort, day_of(call->t_ns), 1);
	if (call->t_ns > sort->latest_ns)
		sort->latest_ns = call->t_ns;
	if (end_ns > sort->end_ns)
		sort->end_ns = end_ns;
	if (t->records.n && t->records.at[t->records.n - 1].t_ns > call->t_ns)
		t->is_unsorted = true;
	if (t->records.n == t->records.capacity && t->records.n < 8)
		lode_vec_fit(&t->records, t->records.n ? 2 * t->records.n : 1);
	lode_vec_append(&t->records, ((struct record){.t_ns = call->t_ns,
						      .span_ns = call->span_ns,
						      .function = call->function,
						      .order = order}));
	t->last_ns = call->t_ns;
	t->n_put += t->n_put < 2;
	return ++sort->n_records == sort->max_records ? spill(sort, err) : LODE_OK;
}

/* ---- Wrong times ---- */

static void suspect(struct lode_call_sort *sort, const struct lode_call_sorted *call,
		    uint32_t order, int64_t mended_ns)
{
	lode_vec_append(&sort->suspects, ((struct suspect){*call, order, mended_ns}));
}

/* The thread's first record turns out to be far from the next two. */
static void suspect_first(struct lode_call_sort *sort, struct thread *t,
			  const struct lode_call_sorted *next)
{
	const struct record *first = &t->records.at[0];
	struct lode_call_sorted call = {.thread = next->thread,
					.t_ns = first->t_ns,
					.span_ns = first->span_ns,
					.function = first->function,
					.tid = next->tid};

	suspect(sort, &call, first->order, next->t_ns);
	count_day(sort, day_of(first->t_ns), UINT32_MAX);
	t->records.n = 0;
	sort->n_records--;
}

/* What a thread holds back finds its place, by what comes next; NULL: nothing does. */
static int settle_held(struct lode_call_sort *sort, struct thread *t, const int64_t *next_ns,
		       struct lode_error *err)
{
	const struct suspect held = sort->held.at[t->held - 1];

	t->held = 0;
	if (t->n_put == 1 && t->records.n &&
	    lode_clock_is_stray(NULL, t->last_ns, &held.call.t_ns, next_ns)) {
		suspect_first(sort, t, &held.call);
	} else if (lode_clock_is_stray(&t->last_ns, held.call.t_ns, next_ns, NULL)) {
		suspect(sort, &held.call, held.order, t->last_ns);
		return LODE_OK;
	}
	return insert(sort, &held.call, held.order, err);
}

int lode_call_sort_add(struct lode_call_sort *sort, const struct lode_call_sorted *call,
		       struct lode_error *err)
{
	struct thread *t;
	uint32_t order;
	int rc = LODE_OK;

	while (sort->threads.n <= call->thread)
		(void)lode_vec_append_zero(&sort->threads);
	t = &sort->threads.at[call->thread];
	order = t->n_come++;
	if (call->span_ns > LODE_CLOCK_PAUSE_NS) {
		suspect(sort, call, order, call->t_ns);
		return LODE_OK;
	}
	if (t->held)
		rc = settle_held(sort, t, &call->t_ns, err);
	if (rc < 0 || !t->n_put || lode_clock_is_near(call->t_ns, t->last_ns))
		return rc < 0 ? rc : insert(sort, call, order, err);
	lode_vec_append(&sort->held, ((struct suspect){.call = *call, .order = order}));
	t->held = (uint32_t)sort->held.n;
	return LODE_OK;
}

/* Whether something else of the trace happened in the days around a time. */
static bool has_company(struct lode_call_sort *sort, int64_t t_ns)
{
	count_day(sort, INT64_MIN, 0);
	for (int64_t day = day_of(t_ns) - 1; day <= day_of(t_ns) + 1; day++) {
		uint32_t n = lode_map_find(&sort->days, (uint64_t)day);

		if (n != LODE_NONE && n)
			return true;
	}
	return false;
}

/* A length that no other time bears out. */
static bool is_too_long(const struct lode_call_sort *sort, const struct lode_call_sorted *call)
{
	int64_t end_ns;

	return call->span_ns > LODE_CLOCK_PAUSE_NS &&
	       (__builtin_add_overflow(call->t_ns, call->span_ns, &end_ns) ||
		(end_ns > sort->latest_ns && !lode_clock_may_pause(sort->latest_ns, end_ns)));
}

static int settle_all(struct lode_call_sort *sort, struct lode_losses *losses,
		      struct lode_error *err)
{
	int rc = LODE_OK;

	for (size_t i = 0; i < sort->threads.n && rc == LODE_OK; i++)
		if (sort->threads.at[i].held)
			rc = settle_held(sort, &sort->threads.at[i], NULL, err);
	for (size_t i = 0; i < sort->suspects.n && rc == LODE_OK; i++) {
		const struct suspect *s = &sort->suspects.at[i];
		struct lode_call_sorted call = s->call;
		bool is_stray = s->mended_ns != call.t_ns && !has_company(sort, call.t_ns);
		double days = (is_stray ? (double)call.t_ns - (double)s->mended_ns
					: (double)call.span_ns) /
			      (double)LODE_CLOCK_DAY_NS;
		char event[32] = "the first event";

		if (call.event)
			snprintf(event, sizeof(event), "event %llu",
				 (unsigned long long)call.event);
		if (is_stray)
			lode_loss_add(losses, LODE_LOSS_CLOCK_JUMP, 1, -1, s->mended_ns,
				      "thread %d, %s: %+.1f days from the %s: moved there",
				      call.tid, event, days,
				      call.event ? "one before" : "one behind it");
		else if (is_too_long(sort, &call))
			lode_loss_add(losses, LODE_LOSS_CLOCK_JUMP, 1, -1, call.t_ns,
				      "thread %d, %s: a call of %.1f days, longer than the "
				      "recording: treated as having no duration",
				      call.tid, event, days);
		if (is_stray)
			call.t_ns = s->mended_ns;
		if (call.span_ns > 0 && (is_stray || is_too_long(sort, &call)))
			call.span_ns = 0;
		rc = insert(sort, &call, s->order, err);
	}
	return rc;
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
		    (!best || by_time(&cursor->at[cursor->next], &best->at[best->next]) < 0))
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

/* Calls that nest: one thread of the sink. */
struct track {
	uint32_t thread;		 /* the sink's */
	LODE_VEC(struct open_call) open; /* whole calls that have started, ends falling */
	uint64_t span_id;		 /* whose spans are open here, if any are */
	uint32_t n_spans;
	LODE_VEC(struct lode_call_event) out;
};

struct nest {
	struct lode_call_sink *sink;
	const struct lode_call_tracks *names;
	uint32_t thread; /* the sort's */
	LODE_VEC(struct track) tracks;
	LODE_VEC(struct record) group; /* records of one time */
};

static void release_track(struct track *track)
{
	lode_vec_release(&track->open);
	lode_vec_release(&track->out);
}

static void release_nest(struct nest *nest)
{
	lode_vec_release_each(&nest->tracks, it, release_track(it));
	lode_vec_release(&nest->group);
}

static struct track *add_track(struct nest *nest)
{
	uint32_t n = (uint32_t)nest->tracks.n;
	struct track *track = lode_vec_append_zero(&nest->tracks);

	track->thread = nest->names->track(nest->names->context, nest->thread, n);
	return track;
}

static int flush(struct nest *nest, struct track *track, struct lode_error *err)
{
	size_t n = track->out.n;

	track->out.n = 0;
	if (n == 0)
		return LODE_OK;
	return nest->sink->events(nest->sink->context, track->thread, track->out.at, n, err);
}

static int put(struct nest *nest, struct track *track, int64_t t_ns, enum lode_call_event_kind kind,
	       uint32_t function, struct lode_error *err)
{
	struct lode_call_event event = {.t_ns = t_ns, .function = function, .kind = (uint8_t)kind};

	lode_vec_append(&track->out, event);
	return track->out.n == OUT_EVENTS ? flush(nest, track, err) : LODE_OK;
}

/* Exits of the track's whole calls that end by `t_ns`. */
static int close_until(struct nest *nest, struct track *track, int64_t t_ns, struct lode_error *err)
{
	int rc = LODE_OK;

	while (track->open.n && track->open.at[track->open.n - 1].end_ns <= t_ns && rc == LODE_OK) {
		const struct open_call *call = &track->open.at[--track->open.n];

		rc = put(nest, track, call->end_ns, LODE_CALL_EXIT, call->function, err);
	}
	return rc;
}

/* ---- Whole calls ---- */

/* How long a call goes on after the end of the one that it would start in. */
static int64_t overhang(const struct track *track, int64_t end_ns)
{
	int64_t outer_ns = track->open.n ? track->open.at[track->open.n - 1].end_ns : INT64_MAX;

	return end_ns > outer_ns ? end_ns - outer_ns : 0;
}

static void count_cut(struct nest *nest, const struct record *record, int64_t cut_ns)
{
	struct lode_loss *loss = &nest->sink->losses->by_kind[LODE_LOSS_OVERLAP];

	lode_loss_add(nest->sink->losses, LODE_LOSS_OVERLAP, 1, -1, record->t_ns,
		      "a call at %lld ns ends %lld ns after the call that it is in: truncated",
		      (long long)record->t_ns, (long long)cut_ns);
	if (__builtin_add_overflow(loss->cost_ns, cut_ns, &loss->cost_ns))
		loss->cost_ns = INT64_MAX;
}

static int open_call(struct nest *nest, const struct record *record, struct lode_error *err)
{
	struct open_call call = {.function = record->function};
	struct track *track = NULL;
	int64_t over_ns = 0;
	int rc = LODE_OK;

	call.end_ns = lode_time_add(record->t_ns, record->span_ns);
	for (size_t i = 0; rc == LODE_OK; i++) {
		track = i < nest->tracks.n ? &nest->tracks.at[i] : add_track(nest);
		rc = close_until(nest, track, record->t_ns, err);
		over_ns = overhang(track, call.end_ns);
		if (over_ns <= ROUNDING_NS || i + 1 == LODE_CALL_TRACKS)
			break;
	}
	if (rc < 0)
		return rc;
	if (over_ns > ROUNDING_NS)
		count_cut(nest, record, over_ns);
	call.end_ns -= over_ns;
	lode_vec_append(&track->open, call);
	return put(nest, track, record->t_ns, LODE_CALL_ENTER, record->function, err);
}

/* ---- Spans with an id ---- */

static void leave_out(struct nest *nest, const struct record *record, const char *why)
{
	lode_loss_add(nest->sink->losses, LODE_LOSS_LEFT_OUT, 1, -1, record->t_ns,
		      "an asynchronous span at %lld ns: %s", (long long)record->t_ns, why);
}

/* The track of the id's open spans; NULL: it has none. */
static struct track *find_span(struct nest *nest, uint64_t id)
{
	for (size_t i = 0; i < nest->tracks.n; i++)
		if (nest->tracks.at[i].n_spans && nest->tracks.at[i].span_id == id)
			return &nest->tracks.at[i];
	return NULL;
}

/* The first track without open spans; NULL: all are taken. */
static struct track *find_free(struct nest *nest)
{
	for (size_t i = 0; i < nest->tracks.n; i++)
		if (!nest->tracks.at[i].n_spans)
			return &nest->tracks.at[i];
	return nest->tracks.n < LODE_CALL_TRACKS ? add_track(nest) : NULL;
}

static int begin_span(struct nest *nest, const struct record *record, uint64_t id,
		      struct lode_error *err)
{
	struct track *track = find_span(nest, id) ?: find_free(nest);

	if (!track) {
		leave_out(nest, record, "too many are open at once");
		return LODE_OK;
	}
	track->span_id = id;
	track->n_spans++;
	return put(nest, track, record->t_ns, LODE_CALL_ENTER, record->function, err);
}

static int end_span(struct nest *nest, const struct record *record, uint64_t id,
		    struct lode_error *err)
{
	struct track *track = find_span(nest, id);

	if (!track) {
		leave_out(nest, record, "it ends without a begin");
		return LODE_OK;
	}
	track->n_spans--;
	return put(nest, track, record->t_ns, LODE_CALL_EXIT_ANY, 0, err);
}

/* ---- Records in order ---- */

static int take_record(struct nest *nest, const struct record *record, struct lode_error *err)
{
	struct track *track = &nest->tracks.at[0];
	int64_t span_ns = record->span_ns;
	int rc;

	if (span_ns >= 0)
		return open_call(nest, record, err);
	if (span_ns <= LODE_CALL_SORT_BEGIN(0)) {
		uint64_t code = (uint64_t)(LODE_CALL_SORT_BEGIN(0) - span_ns);

		return (code & 1 ? end_span : begin_span)(nest, record, code >> 1, err);
	}
	rc = close_until(nest, track, record->t_ns, err);
	if (rc < 0)
		return rc;
	return put(nest, track, record->t_ns,
		   span_ns == LODE_CALL_SORT_ENTER  ? LODE_CALL_ENTER
		   : span_ns == LODE_CALL_SORT_EXIT ? LODE_CALL_EXIT
						    : LODE_CALL_EXIT_ANY,
		   record->function, err);
}

LODE_COMPARE(longest_first, struct record,
	     LODE_ORDER(b->span_ns, a->span_ns) ?: LODE_ORDER(a->order, b->order))

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
			lode_sort(at + from, i - from, longest_first);
	}
	for (size_t i = 0; i < n && rc == LODE_OK; i++)
		rc = take_record(nest, &at[i], err);
	return rc;
}

static int finish_thread(struct nest *nest, struct merge *merge, struct lode_error *err)
{
	struct record record;
	int rc;

	(void)add_track(nest);
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
	for (size_t i = 0; i < nest->tracks.n && rc == LODE_OK; i++) {
		rc = close_until(nest, &nest->tracks.at[i], INT64_MAX, err);
		if (rc == LODE_OK && nest->tracks.at[i].n_spans)
			rc = put(nest, &nest->tracks.at[i], merge->sort->end_ns,
				 LODE_CALL_STILL_OPEN, 0, err);
		if (rc == LODE_OK)
			rc = flush(nest, &nest->tracks.at[i], err);
	}
	return rc;
}

int lode_call_sort_finish(struct lode_call_sort *sort, struct lode_call_sink *sink,
			  const struct lode_call_tracks *tracks, struct lode_error *err)
{
	int rc = settle_all(sort, sink->losses, err);

	for (size_t i = 0; i < sort->threads.n && rc == LODE_OK; i++) {
		struct merge merge = {.sort = sort};
		struct nest nest = {.sink = sink, .names = tracks, .thread = (uint32_t)i};

		sort_thread(&sort->threads.at[i]);
		rc = start_merge(&merge, (uint32_t)i, err);
		if (rc == LODE_OK)
			rc = finish_thread(&nest, &merge, err);
		end_merge(&merge);
		lode_vec_release(&sort->threads.at[i].records);
		release_nest(&nest);
	}
	return rc;
}
