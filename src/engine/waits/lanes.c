/* Critical path of one symptom as a picture of threads. */
#include "engine/waits/lanes.h"

#include "base/sorted.h"

/* What one thread has of the path. */
struct share {
	lode_thread_id thread;
	int64_t path_ns;
	size_t first_span;
};

struct build {
	struct lode_lanes *out;
	const struct lode_stream *stream;
	const struct lode_symptom *symptom;
	const struct lode_lanes_bounds *bounds;
	struct lode_critpath path;
	uint32_t *share_of; /* per thread */
	LODE_VEC(struct share) shares;
	uint32_t *lane_of; /* per thread */
};

/* ---- Which threads ---- */

static void count_shares(struct build *b)
{
	for (size_t s = 0; s < b->path.spans.n; s++) {
		const struct lode_span *span = &b->path.spans.at[s];
		uint32_t link = span->link;
		bool is_last = true;

		for (; link != LODE_NONE; link = b->path.links.at[link].parent, is_last = false) {
			lode_thread_id thread = b->path.links.at[link].thread;
			uint32_t *share = &b->share_of[thread];

			if (*share == LODE_NONE) {
				*share = (uint32_t)b->shares.n;
				lode_vec_append(&b->shares, ((struct share){thread, 0, s}));
			}
			if (is_last)
				b->shares.at[*share].path_ns += span->end_ns - span->start_ns;
		}
	}
}

/* The symptom's thread, then those with most of the path. */
LODE_COMPARE_WITH(by_share, struct share, const lode_thread_id *own,
		  LODE_ORDER(b->thread == *own, a->thread == *own)
			  ?: LODE_ORDER(b->path_ns, a->path_ns)
			  ?: LODE_ORDER(a->thread, b->thread))

LODE_COMPARE(by_first_span, struct share,
	     LODE_ORDER(a->first_span, b->first_span) ?: LODE_ORDER(a->thread, b->thread))

/* Lanes in order of their first span: the symptom's own stays the first. */
static void choose_lanes(struct build *b)
{
	size_t n = b->shares.n < b->bounds->lanes ? b->shares.n : b->bounds->lanes;

	b->out->n_threads = b->shares.n;
	if (!n)
		return;
	lode_sort_r(b->shares.at, b->shares.n, by_share, (void *)&b->symptom->thread);
	lode_sort(b->shares.at + 1, n - 1, by_first_span);
	for (size_t i = 0; i < n; i++) {
		const struct lode_thread *t = &b->stream->threads.at[b->shares.at[i].thread];
		const char *name = lode_thread_name(b->stream, b->shares.at[i].thread);
		struct lode_thread_lane lane = {
			.pid = t->pid,
			.tid = t->tid,
			.comm = lode_strings_intern(&b->out->tree.strings, name, strlen(name)),
			.path_ns = b->shares.at[i].path_ns,
		};

		b->lane_of[b->shares.at[i].thread] = (uint32_t)i;
		lode_vec_append(&b->out->lanes, lane);
	}
}

/* ---- The path ---- */

/* Lengths below it are too short for a picture of `n` things. */
static int64_t least_of(int64_t whole_ns, size_t n)
{
	return n ? whole_ns / (int64_t)n + 1 : whole_ns;
}

static struct lode_lane_span span_of(struct build *b, const struct lode_span *from)
{
	const struct lode_link *link = &b->path.links.at[from->link];
	const struct lode_events *events = &b->stream->threads.at[link->thread].events;
	struct lode_lane_span span = {
		.start_ns = from->start_ns,
		.end_ns = from->end_ns,
		.lane = b->lane_of[link->thread],
		.merged = 1,
		.kind = LODE_EVENT_WAITING,
		.reason = LODE_REASON_OTHER,
	};

	if (link->event == LODE_NONE)
		return span;
	span.kind = events->kind[link->event];
	span.reason = events->reason[link->event];
	span.device = events->device[link->event];
	span.stack =
		lode_calltree_graft(&b->out->tree, 0, &b->stream->tree, events->stack[link->event]);
	return span;
}

/*
 * Spans that touch and are short together become one, which is what the longest of them was. So no
 * more than about two per `least_ns` are left, and they still sum to the symptom.
 */
static void add_spans(struct build *b)
{
	int64_t whole = b->symptom->t1_ns - b->symptom->t0_ns;
	int64_t least_ns =
		b->path.spans.n > b->bounds->spans ? 2 * least_of(whole, b->bounds->spans) : 0;
	int64_t longest_ns = 0;

	for (size_t s = 0; s < b->path.spans.n; s++) {
		const struct lode_span *from = &b->path.spans.at[s];
		struct lode_lane_span *last =
			b->out->spans.n ? &b->out->spans.at[b->out->spans.n - 1] : NULL;
		int64_t length = from->end_ns - from->start_ns;
		struct lode_lane_span span;

		if (last && last->end_ns - last->start_ns < least_ns && length < least_ns) {
			if (length > longest_ns) {
				span = span_of(b, from);
				span.start_ns = last->start_ns;
				span.merged = last->merged;
				*last = span;
				longest_ns = length;
			}
			last->end_ns = from->end_ns;
			last->merged++;
			continue;
		}
		span = span_of(b, from);
		lode_vec_append(&b->out->spans, span);
		longest_ns = length;
	}
}

/* ---- Who woke whom ---- */

LODE_COMPARE(by_wait, struct lode_lane_wake,
	     LODE_ORDER(b->wait_ns, a->wait_ns) ?: LODE_ORDER(a->t_ns, b->t_ns))

LODE_COMPARE(by_time, struct lode_lane_wake,
	     LODE_ORDER(a->t_ns, b->t_ns) ?: LODE_ORDER(a->to, b->to))

/* The end of the wait of `link`, if that is in the symptom and its thread has a lane. */
static void add_wake(struct build *b, const struct lode_link *link)
{
	const struct lode_events *events = &b->stream->threads.at[link->thread].events;
	struct lode_lane_wake wake = {.to = b->lane_of[link->thread], .from = LODE_NONE};
	lode_thread_id waker;

	if (link->event == LODE_NONE || events->kind[link->event] != LODE_EVENT_WAITING ||
	    wake.to == LODE_NONE)
		return;
	/* Only a timer was there when a wait ended that was taken up again. */
	if (events->flags[link->event] & LODE_EVENT_REARMED &&
	    events->device[link->event] != LODE_DEVICE_TIMER)
		return;
	waker = events->other[link->event];
	if (waker < b->stream->threads.n)
		wake.from = b->lane_of[waker];
	else if (events->device[link->event] == LODE_DEVICE_NONE)
		return;
	/* Recordings also have threads that woke themselves, by mistake. */
	if (waker < b->stream->threads.n && (wake.from == LODE_NONE || wake.from == wake.to))
		return;
	wake.t_ns = lode_event_end_ns(events, link->event);
	wake.wait_ns = events->cost_ns[link->event];
	if (wake.t_ns > b->symptom->t0_ns && wake.t_ns <= b->symptom->t1_ns)
		lode_vec_append(&b->out->wakes, wake);
}

static void add_wakes(struct build *b)
{
	struct lode_lanes *out = b->out;
	size_t n = 0;

	for (size_t i = 0; i < b->path.links.n; i++)
		add_wake(b, &b->path.links.at[i]);
	if (!out->wakes.n)
		return;
	/* One wait can be many links: it is looked into from several sides. */
	lode_sort(out->wakes.at, out->wakes.n, by_time);
	for (size_t i = 1; i < out->wakes.n; i++)
		if (by_time(&out->wakes.at[i], &out->wakes.at[n]) != 0)
			out->wakes.at[++n] = out->wakes.at[i];
	out->wakes.n = n + 1;
	if (out->wakes.n > b->bounds->wakes) {
		lode_sort(out->wakes.at, out->wakes.n, by_wait);
		out->wakes.n = b->bounds->wakes;
		lode_sort(out->wakes.at, out->wakes.n, by_time);
	}
}

/* ---- What the threads did ---- */

/* Shorter than this, neighbours become one. With stacks every event is worth keeping. */
static int64_t least_event(const struct build *b, const struct lode_events *events, size_t first)
{
	int64_t t0 = b->symptom->t0_ns, t1 = b->symptom->t1_ns;
	size_t n;

	if (b->bounds->has_stacks) {
		n = lode_events_find_near(events, t1, first) - first;
		if (n <= b->bounds->events)
			return 0;
	}
	return least_of(t1 - t0, b->bounds->events);
}

/* An event and where it comes from: the stack in the stream, which costs less to compare. */
struct lane_end {
	struct lode_lane_event *last; /* NULL: none yet */
	uint32_t stack;
	int64_t longest_ns; /* of those merged */
};

static bool is_like(const struct build *b, const struct lane_end *end,
		    const struct lode_lane_event *event, uint32_t stack)
{
	return end->last->kind == event->kind && end->last->reason == event->reason &&
	       (!b->bounds->has_stacks || end->stack == stack);
}

static void add_events(struct build *b, struct lode_thread_lane *lane,
		       const struct lode_events *events)
{
	int64_t t0 = b->symptom->t0_ns, t1 = b->symptom->t1_ns;
	size_t first = lode_events_find(events, t0);
	int64_t least_ns = least_event(b, events, first);
	struct lane_end end = {0};

	for (size_t i = first; i < events->n && events->start_ns[i] < t1; i++) {
		int64_t start_ns = events->start_ns[i], end_ns = lode_event_end_ns(events, i);
		uint32_t stack = events->stack[i];
		struct lode_lane_event event = {
			.start_ns = start_ns < t0 ? t0 : start_ns,
			.end_ns = end_ns > t1 ? t1 : end_ns,
			.kind = events->kind[i],
			.reason = events->reason[i],
		};
		int64_t length = event.end_ns - event.start_ns;
		bool joins =
			end.last && end.last->end_ns == event.start_ns &&
			(is_like(b, &end, &event, stack) ||
			 (end.last->end_ns - end.last->start_ns < least_ns && length < least_ns));

		if (length <= 0)
			continue;
		if (joins && length <= end.longest_ns) {
			end.last->end_ns = event.end_ns;
			continue;
		}
		if (b->bounds->has_stacks && (!joins || end.stack != stack))
			event.stack =
				lode_calltree_graft(&b->out->tree, 0, &b->stream->tree, stack);
		else if (joins)
			event.stack = end.last->stack;
		if (joins) {
			event.start_ns = end.last->start_ns;
			*end.last = event;
		} else {
			lode_vec_append(&lane->events, event);
			end.last = &lane->events.at[lane->events.n - 1];
		}
		end.stack = stack;
		end.longest_ns = length;
	}
}

void lode_lanes_build(struct lode_lanes *out, const struct lode_stream *stream,
		      const struct lode_symptom *symptom, const struct lode_lanes_bounds *bounds)
{
	struct build b = {.out = out, .stream = stream, .symptom = symptom, .bounds = bounds};

	memset(out, 0, sizeof(*out));
	out->t0_ns = symptom->t0_ns;
	out->t1_ns = symptom->t1_ns;
	lode_calltree_init(&out->tree);
	b.share_of = lode_alloc(stream->threads.n * sizeof(*b.share_of));
	b.lane_of = lode_alloc(stream->threads.n * sizeof(*b.lane_of));
	for (size_t i = 0; i < stream->threads.n; i++)
		b.share_of[i] = b.lane_of[i] = LODE_NONE;
	lode_critpath_build(&b.path, stream, symptom);
	count_shares(&b);
	choose_lanes(&b);
	add_spans(&b);
	add_wakes(&b);
	for (size_t i = 0; i < out->lanes.n; i++)
		add_events(&b, &out->lanes.at[i],
			   &stream->threads.at[b.shares.at[i].thread].events);
	lode_critpath_release(&b.path);
	lode_vec_release(&b.shares);
	free(b.share_of);
	free(b.lane_of);
}

void lode_lanes_release(struct lode_lanes *lanes)
{
	lode_vec_release_each(&lanes->lanes, it, lode_vec_release(&it->events));
	lode_vec_release(&lanes->spans);
	lode_vec_release(&lanes->wakes);
	lode_calltree_release(&lanes->tree);
}
