/* Pairs entries with exits, with rules of repair (docs/timeline.md). */
#include "model/call_pairing.h"

#include "model/call_levels.h"
#include "model/clock_guard.h"

#define NO_TIME INT64_MIN

enum {
	repeat_is_sure = 4,    /* so many events in a row are no coincidence */
	repeat_looked_at = 32, /* to tell where among events of one time it begins */
	equal_times_max = 16,
	kind_dropped = 0xff, /* in the history: an event that was not taken */
	pause_looked_at = 8, /* events behind a pause, none of which goes back */
};

/* A call that is open. The one at the bottom is the thread itself. */
struct open_call {
	int64_t start_ns;
	int64_t callee_end_ns; /* of the last callee that has ended, or NO_TIME */
	uint32_t stack, function;
	uint32_t index; /* in the block at hand */
	uint32_t late;	/* once that block was full */
};

struct run {
	struct lode_call_event *at;
	size_t n;
};

struct lode_call_pairing {
	struct lode_call_thread *thread;
	struct lode_call_store *store;
	LODE_VEC(struct open_call) open;
	/* the block at hand */
	LODE_VEC(int64_t) starts;
	LODE_VEC(int64_t) durations;
	LODE_VEC(uint32_t) stacks;
	size_t n;
	uint32_t min_depth, top;
	int64_t max_gap_ns;
	uint32_t open_before;	       /* late call innermost at its beginning */
	struct lode_call_pieces early; /* sums of blocks, without what late calls add to them */

	int64_t last_ns;  /* time of the last event; NO_TIME before the first */
	int64_t shift_ns; /* added to what is read, since the clock was set */
	/* Events at far times, which wait for those behind them. */
	LODE_VEC(struct lode_call_event) waiting;
	struct lode_losses *losses; /* of the clock; NULL: none */
	/* How many of a function are open; only kept once an exit did not fit. */
	struct lode_map n_open;
	bool counts_open;

	LODE_VEC(struct run) history;
	size_t n_history;
	/* Position in the history of what an event must equal to be a repeat; LODE_NONE: none. */
	uint32_t repeat_run;
	size_t repeat_at;
	/* Where a repeat ends: the last event taken before it. */
	uint32_t repeat_end_run;
	size_t repeat_end_at;
};

void lode_pairing_tools_release(struct lode_pairing_tools *tools)
{
	lode_call_packer_release(&tools->packer);
	lode_call_sums_release(&tools->sums);
	lode_call_buckets_release(&tools->buckets);
}

static void begin_block(struct lode_call_pairing *p)
{
	p->n = 0;
	p->min_depth = UINT32_MAX;
	p->max_gap_ns = -1;
	p->open_before = p->open.at[p->open.n - 1].late;
}

struct lode_call_pairing *lode_call_pairing_new(struct lode_call_thread *thread,
						struct lode_call_store *store)
{
	struct lode_call_pairing *p = lode_alloc0(1, sizeof(*p));

	p->thread = thread;
	p->store = store;
	p->last_ns = NO_TIME;
	p->repeat_run = LODE_NONE;
	lode_vec_append(&p->open, ((struct open_call){.callee_end_ns = NO_TIME,
						      .function = LODE_NONE,
						      .late = LODE_NONE}));
	begin_block(p);
	return p;
}

void lode_call_pairing_free(struct lode_call_pairing *p)
{
	if (!p)
		return;
	lode_vec_release_each(&p->history, it, free(it->at));
	lode_call_pieces_release(&p->early, p->store);
	lode_vec_release(&p->open);
	lode_vec_release(&p->starts);
	lode_vec_release(&p->durations);
	lode_vec_release(&p->stacks);
	lode_map_release(&p->n_open);
	lode_vec_release(&p->waiting);
	free(p->losses);
	free(p);
}

/* ---- Blocks ---- */

/* Calls of this block that are open stay behind as late ones; they are the innermost. */
static void keep_late(struct lode_call_pairing *p)
{
	struct lode_call_thread *thread = p->thread;
	size_t i = p->open.n;

	while (i > 1 && p->open.at[i - 1].late == LODE_NONE)
		i--;
	for (; i < p->open.n; i++) {
		struct open_call *open = &p->open.at[i];

		open->late = (uint32_t)thread->late.n;
		lode_vec_append(&thread->late,
				((struct lode_call_late){.call = {.start_ns = open->start_ns,
								  .stack = open->stack},
							 .caller = open[-1].late,
							 .index = open->index}));
	}
}

/* Late calls have no duration yet; they come in order. */
static void find_longest(const struct lode_call_pairing *p, struct lode_call_span *span)
{
	const struct lode_call_late *late = p->thread->late.at + span->first_late;
	const struct lode_call_late *end = late + span->n_late;
	int64_t first = -1, second = -1;

	for (uint32_t i = 0; i < p->n; i++) {
		int64_t duration = p->durations.at[i];

		if (late < end && late->index == i) {
			late++;
		} else if (duration > first) {
			second = first;
			first = duration;
			span->longest_index = i;
		} else if (duration > second) {
			second = duration;
		}
	}
	span->second_ns = second;
	span->longest = (struct lode_call){.start_ns = p->starts.at[span->longest_index],
					   .duration_ns = first,
					   .stack = p->stacks.at[span->longest_index]};
	span->max_duration_ns = first < 0 ? 0 : first;
}

/* Packs the block at hand. What late calls will add to it comes at the end (call_levels.h). */
static int end_block(struct lode_call_pairing *p, struct lode_pairing_tools *tools,
		     struct lode_error *err)
{
	struct lode_call_thread *thread = p->thread;
	struct lode_call_columns columns = {p->starts.at, p->durations.at, p->stacks.at, p->n};
	struct lode_call_span span = {
		.first_ns = p->starts.at[0],
		.max_gap_ns = p->max_gap_ns,
		.top_start_ns = p->starts.at[p->top],
		.top_end_ns = p->starts.at[p->top] + p->durations.at[p->top],
		.first_call = thread->n_calls,
		.n_calls = p->n,
		.min_depth = p->min_depth,
		.open = p->open_before,
		.first_late = (uint32_t)thread->late.n,
	};
	int rc;

	keep_late(p);
	span.n_late = (uint32_t)thread->late.n - span.first_late;
	lode_call_sums_reserve(&tools->sums, thread->stacks.at.n);
	lode_call_sums_clear(&tools->sums);
	for (size_t i = 0; i < p->n; i++)
		lode_call_sums_add(&tools->sums, p->stacks.at[i], 1, (uint64_t)p->durations.at[i]);
	find_longest(p, &span);
	lode_call_block_pack(&tools->packer, &columns);
	rc = lode_call_pieces_append(&span.calls, &thread->pieces, p->store,
				     tools->packer.packed.at, tools->packer.packed.n, err);
	if (rc < 0)
		return rc;
	tools->packer.packed.n = 0;
	if (lode_call_sums_pay(&tools->sums, p->n))
		lode_call_sums_pack(&tools->packer, &tools->sums);
	rc = lode_call_pieces_append(&span.sums, &p->early, p->store, tools->packer.packed.at,
				     tools->packer.packed.n, err);
	if (rc < 0)
		return rc;
	if (!thread->n_levels)
		lode_call_thread_add_level(thread);
	lode_vec_append(&thread->levels[0], span);
	thread->n_calls += p->n;
	begin_block(p);
	return LODE_OK;
}

static int grow_block(struct lode_call_pairing *p, struct lode_pairing_tools *tools,
		      struct lode_error *err)
{
	if (p->n >> p->thread->block_bits)
		return end_block(p, tools, err);
	lode_vec_reserve(&p->starts, p->n + 1);
	lode_vec_reserve(&p->durations, p->starts.capacity);
	lode_vec_reserve(&p->stacks, p->starts.capacity);
	return LODE_OK;
}

/* ---- Entries and exits ---- */

static void count_open(struct lode_call_pairing *p, uint32_t function, uint32_t step)
{
	uint32_t *n = lode_map_slot(&p->n_open, function);

	*n = (*n == LODE_NONE ? 0 : *n) + step;
}

static inline int enter(struct lode_call_pairing *p, struct lode_pairing_tools *tools, int64_t t_ns,
			uint32_t function, struct lode_error *err)
{
	struct open_call *caller;
	uint32_t depth = (uint32_t)p->open.n - 1, stack;
	int64_t gap;
	int rc;

	if (p->n == p->starts.capacity || p->n >> p->thread->block_bits) {
		rc = grow_block(p, tools, err);
		if (rc < 0)
			return rc;
	}
	caller = &p->open.at[depth];
	gap = caller->callee_end_ns == NO_TIME ? -1 : t_ns - caller->callee_end_ns;
	stack = lode_call_stacks_callee(&p->thread->stacks, caller->stack, function);
	if (depth < p->min_depth) {
		p->min_depth = depth;
		p->max_gap_ns = gap;
		p->top = (uint32_t)p->n;
	} else if (depth == p->min_depth) {
		p->max_gap_ns = gap > p->max_gap_ns ? gap : p->max_gap_ns;
		p->top = (uint32_t)p->n;
	}
	p->starts.at[p->n] = t_ns;
	p->durations.at[p->n] = 0;
	p->stacks.at[p->n] = stack;
	lode_vec_append(&p->open, ((struct open_call){.start_ns = t_ns,
						      .callee_end_ns = NO_TIME,
						      .stack = stack,
						      .function = function,
						      .index = (uint32_t)p->n,
						      .late = LODE_NONE}));
	p->n++;
	if (__builtin_expect(p->counts_open, 0))
		count_open(p, function, 1);
	return LODE_OK;
}

/* Ends the innermost call, which must be one. */
static inline void leave(struct lode_call_pairing *p, struct lode_pairing_tools *tools,
			 int64_t t_ns)
{
	struct open_call *open = &p->open.at[--p->open.n];
	int64_t duration = t_ns - open->start_ns;

	if (__builtin_expect(open->late == LODE_NONE, 1))
		p->durations.at[open->index] = duration;
	else
		p->thread->late.at[open->late].call.duration_ns = duration;
	open[-1].callee_end_ns = t_ns;
	lode_call_buckets_add(&tools->buckets, open->function, (uint64_t)duration);
	if (__builtin_expect(p->counts_open, 0))
		count_open(p, open->function, UINT32_MAX);
}

static void leave_all(struct lode_call_pairing *p, struct lode_pairing_tools *tools,
		      enum lode_call_repair repair)
{
	if (p->open.n > 1)
		lode_call_repaired(p->thread, repair, p->open.n - 1);
	while (p->open.n > 1)
		leave(p, tools, p->last_ns);
}

/* From the first exit that does not fit on, so that the next ones need no search in vain. */
static bool is_open(struct lode_call_pairing *p, uint32_t function)
{
	uint32_t n;

	if (!p->counts_open) {
		p->counts_open = true;
		for (size_t i = 1; i < p->open.n; i++)
			count_open(p, p->open.at[i].function, 1);
	}
	n = lode_map_find(&p->n_open, function);
	return n != LODE_NONE && n > 0;
}

static void leave_unfit(struct lode_call_pairing *p, struct lode_pairing_tools *tools, int64_t t_ns,
			uint32_t function)
{
	if (!is_open(p, function)) {
		lode_call_repaired(p->thread, LODE_REPAIR_EXIT_ALONE, 1);
		return;
	}
	while (p->open.at[p->open.n - 1].function != function) {
		lode_call_repaired(p->thread, LODE_REPAIR_NO_EXIT, 1);
		leave(p, tools, t_ns);
	}
	leave(p, tools, t_ns);
}

/* ---- Repeats ---- */

static bool is_same_event(const struct lode_call_event *a, const struct lode_call_event *b)
{
	return a->t_ns == b->t_ns && a->function == b->function && a->kind == b->kind;
}

/* The next event that was taken, at or behind a position. */
static const struct lode_call_event *history_at(const struct lode_call_pairing *p, uint32_t *run,
						size_t *at)
{
	for (; *run < p->history.n; ++*run, *at = 0)
		for (; *at < p->history.at[*run].n; ++*at)
			if (p->history.at[*run].at[*at].kind != kind_dropped)
				return &p->history.at[*run].at[*at];
	return NULL;
}

static bool is_behind(uint32_t run, size_t at, uint32_t end_run, size_t end_at)
{
	return run > end_run || (run == end_run && at >= end_at);
}

/* How many of the `n` events from `event` on repeat the history from a position on. */
static size_t repeat_length(const struct lode_call_pairing *p, uint32_t run, size_t at,
			    const struct lode_call_event *event, size_t n)
{
	size_t i = 0;

	for (; i < n && i < repeat_looked_at; i++, at++) {
		const struct lode_call_event *old = history_at(p, &run, &at);

		/* At its end a repeat is complete: what follows is new. */
		if (!old || is_behind(run, at, p->repeat_end_run, p->repeat_end_at))
			return i ? repeat_looked_at : 0;
		if (!is_same_event(old, &event[i]))
			return i;
	}
	return i == n ? repeat_looked_at : i;
}

/* First event of a run at `t_ns` or later; its times rise. */
static size_t lower_bound(const struct run *run, size_t n, int64_t t_ns)
{
	size_t from = 0;

	while (from < n) {
		size_t middle = from + (n - from) / 2;

		if (run->at[middle].t_ns < t_ns)
			from = middle + 1;
		else
			n = middle;
	}
	return from;
}

/* Looks for what stands at event[0..n) before position `now` of the last run. */
static bool find_repeat(struct lode_call_pairing *p, const struct lode_call_event *event, size_t n,
			size_t now)
{
	uint32_t last = (uint32_t)p->history.n - 1, run = 0;
	size_t at, n_run, best = 0;

	p->repeat_end_run = last;
	p->repeat_end_at = now;
	for (; run < last; run++)
		if (p->history.at[run].at[p->history.at[run].n - 1].t_ns >= event->t_ns)
			break;
	n_run = run == last ? now : p->history.at[run].n;
	at = lower_bound(&p->history.at[run], n_run, event->t_ns);
	for (unsigned tries = 0; tries < equal_times_max && best < repeat_looked_at;
	     tries++, at++) {
		const struct lode_call_event *old = history_at(p, &run, &at);
		size_t length;

		if (!old || is_behind(run, at, last, now) || old->t_ns > event->t_ns)
			break;
		length = repeat_length(p, run, at, event, n);
		if (length < repeat_is_sure || length <= best)
			continue;
		best = length;
		p->repeat_run = run;
		p->repeat_at = at;
	}
	return best > 0;
}

/* Whether `event` is the next one of the repeat under way. */
static bool goes_on(struct lode_call_pairing *p, const struct lode_call_event *event)
{
	const struct lode_call_event *old = history_at(p, &p->repeat_run, &p->repeat_at);

	if (!old || is_behind(p->repeat_run, p->repeat_at, p->repeat_end_run, p->repeat_end_at) ||
	    !is_same_event(old, event)) {
		p->repeat_run = LODE_NONE;
		return false;
	}
	p->repeat_at++;
	return true;
}

static void drop(struct lode_call_pairing *p, struct lode_call_event *event,
		 enum lode_call_repair repair)
{
	event->kind = kind_dropped;
	event->t_ns = p->last_ns;
	lode_call_repaired(p->thread, repair, 1);
}

/* ---- The clock ---- */

/* Event[0] and what is behind it. */
struct ahead {
	struct lode_call_event *event;
	size_t n;
	bool is_end; /* behind these nothing comes */
};

static bool is_time(int64_t t_ns)
{
	return t_ns <= LODE_CALL_TIME_MAX && t_ns >= -LODE_CALL_TIME_MAX;
}

/* The time of the next event from at[i] on, in terms of those before; NULL: there is none. */
static const int64_t *time_from(const struct lode_call_pairing *p, const struct ahead *ahead,
				size_t *i, int64_t *t_ns)
{
	while (*i < ahead->n && ahead->event[*i].kind == LODE_CALL_CUT)
		++*i;
	if (*i == ahead->n)
		return NULL;
	if (__builtin_add_overflow(ahead->event[(*i)++].t_ns, p->shift_ns, t_ns))
		*t_ns = INT64_MAX;
	return t_ns;
}

/* Says what is odd about event[0], by how much, and what became of it. */
static void say(struct lode_call_pairing *p, const struct ahead *ahead, enum lode_loss_kind kind,
		int64_t from_ns, int64_t t_ns, const char *what)
{
	const struct lode_call_thread *thread = p->thread;

	if (!p->losses)
		p->losses = lode_alloc0(1, sizeof(*p->losses));
	lode_loss_add(p->losses, kind, 1, -1, from_ns, "thread %d, event %llu: %+.1f days %s",
		      thread->tid, (unsigned long long)thread->n_events - ahead->n + 1,
		      ((double)t_ns - (double)from_ns) / (double)LODE_CLOCK_DAY_NS, what);
}

/* The thread's first event; false: too little is known of the next ones. */
static bool begin_thread(struct lode_call_pairing *p, const struct ahead *ahead)
{
	struct lode_call_event *event = ahead->event;
	int64_t t1_ns, t2_ns;
	size_t i = 1;
	const int64_t *next = time_from(p, ahead, &i, &t1_ns);
	const int64_t *after = time_from(p, ahead, &i, &t2_ns);

	if (!ahead->is_end && (!next || (!after && !lode_clock_is_near(event->t_ns, *next))))
		return false;
	if (!next || !is_time(*next) ||
	    (is_time(event->t_ns) && !lode_clock_is_stray(NULL, event->t_ns, next, after)))
		return true;
	say(p, ahead, LODE_LOSS_CLOCK_JUMP, *next, event->t_ns,
	    "from the events after it: moved there");
	event->t_ns = *next;
	return true;
}

/* Whether it may be behind a pause: the next events are so too, rather than back at the last one.
 */
static bool is_pause(const struct lode_call_pairing *p, const struct ahead *ahead, int64_t t_ns)
{
	int64_t next_ns;
	int n_back = 0, n_seen = 0;

	if (!is_time(t_ns) || !lode_clock_may_pause(p->last_ns, t_ns))
		return false;
	for (size_t i = 1; i < pause_looked_at && time_from(p, ahead, &i, &next_ns); n_seen++)
		n_back += lode_clock_is_near(next_ns, p->last_ns) ? 1 : -1;
	return n_back < 0 || !n_seen;
}

/* An event more than a day from the last one, of which `read_ns` was read and `t_ns` made; false:
   too little is known of the next one. */
static bool leap(struct lode_call_pairing *p, const struct ahead *ahead, int64_t read_ns,
		 int64_t t_ns)
{
	struct lode_call_event *event = ahead->event;
	int64_t next_ns = 0, last_ns = p->last_ns;
	size_t i = 1;
	const int64_t *next = time_from(p, ahead, &i, &next_ns);

	event->t_ns = last_ns;
	if (lode_clock_is_near(read_ns, last_ns)) {
		p->shift_ns = 0;
		if (read_ns > last_ns)
			event->t_ns = read_ns;
		say(p, ahead, LODE_LOSS_CLOCK_JUMP, t_ns, read_ns,
		    "from the one before, as before its clock was set");
		return true;
	}
	if (!next && !ahead->is_end)
		return false;
	if (!is_time(t_ns) || lode_clock_is_stray(&last_ns, t_ns, next, NULL)) {
		say(p, ahead, LODE_LOSS_CLOCK_JUMP, last_ns, t_ns,
		    "from the one before: moved there");
	} else if (is_pause(p, ahead, t_ns)) {
		say(p, ahead, LODE_LOSS_PAUSE, last_ns, t_ns, "after the one before");
		event->t_ns = t_ns;
	} else {
		say(p, ahead, LODE_LOSS_CLOCK_JUMP, last_ns, t_ns,
		    "from the one before, and so are the next ones: assumed to continue from "
		    "there");
		p->shift_ns = last_ns - read_ns;
	}
	return true;
}

enum mended { TAKEN, DROPPED, WAITS };

/* Repairs the time of event[0], which is at `now` in the last run, or drops it. */
static enum mended mend(struct lode_call_pairing *p, const struct ahead *ahead, size_t now)
{
	struct lode_call_event *event = ahead->event;
	int64_t read_ns = event->t_ns, t_ns;

	if (p->last_ns == NO_TIME) {
		if (!begin_thread(p, ahead))
			return WAITS;
		if (is_time(event->t_ns))
			return TAKEN;
		drop(p, event, LODE_REPAIR_BAD_TIME);
		return DROPPED;
	}
	if (__builtin_add_overflow(read_ns, p->shift_ns, &t_ns))
		t_ns = INT64_MAX;
	event->t_ns = t_ns;
	if ((p->repeat_run != LODE_NONE && goes_on(p, event)) ||
	    (t_ns < p->last_ns && find_repeat(p, event, ahead->n, now) && goes_on(p, event))) {
		drop(p, event, LODE_REPAIR_DUPLICATE);
		return DROPPED;
	}
	if (!is_time(t_ns) || !lode_clock_is_near(t_ns, p->last_ns)) {
		if (leap(p, ahead, read_ns, t_ns))
			return TAKEN;
		event->t_ns = read_ns;
		return WAITS;
	}
	if (t_ns < p->last_ns) {
		event->t_ns = p->last_ns;
		lode_call_repaired(p->thread, LODE_REPAIR_BACKWARDS, 1);
	}
	return TAKEN;
}

static void remember(struct lode_call_pairing *p, struct lode_call_event *at, size_t n,
		     size_t history)
{
	size_t n_old = 0;

	lode_vec_append(&p->history, ((struct run){at, n}));
	p->n_history += n;
	while (n_old + 1 < p->history.n && p->n_history - p->history.at[n_old].n >= history) {
		p->n_history -= p->history.at[n_old].n;
		free(p->history.at[n_old++].at);
	}
	if (!n_old)
		return;
	p->history.n -= n_old;
	memmove(p->history.at, p->history.at + n_old, p->history.n * sizeof(*p->history.at));
	if (p->repeat_run == LODE_NONE)
		return;
	if (p->repeat_run < n_old || p->repeat_end_run < n_old) {
		p->repeat_run = LODE_NONE;
		return;
	}
	p->repeat_run -= (uint32_t)n_old;
	p->repeat_end_run -= (uint32_t)n_old;
}

/* ---- Events ---- */

static int take_event(struct lode_call_pairing *p, struct lode_pairing_tools *tools,
		      const struct lode_call_event *event, struct lode_error *err)
{
	p->last_ns = event->t_ns;
	if (event->kind == LODE_CALL_STILL_OPEN)
		return LODE_OK;
	if (event->kind == LODE_CALL_ENTER)
		return enter(p, tools, event->t_ns, event->function, err);
	if (p->open.n > 1 && (event->kind == LODE_CALL_EXIT_ANY ||
			      p->open.at[p->open.n - 1].function == event->function))
		leave(p, tools, event->t_ns);
	else
		leave_unfit(p, tools, event->t_ns, event->function);
	return LODE_OK;
}

/* The last `n` events of the last run are taken later, with what comes behind them. */
static void put_off(struct lode_call_pairing *p, size_t n)
{
	struct run *run = &p->history.at[p->history.n - 1];

	run->n -= n;
	p->n_history -= n;
	p->thread->n_events -= n;
	for (size_t i = 0; i < n; i++)
		lode_vec_append(&p->waiting, run->at[run->n + i]);
	if (run->n)
		return;
	free(run->at);
	p->history.n--;
}

static int take_events(struct lode_call_pairing *p, struct lode_pairing_tools *tools,
		       struct lode_call_event *at, size_t n, size_t history, bool is_end,
		       struct lode_error *err)
{
	int rc = LODE_OK;

	remember(p, at, n, history);
	p->thread->n_events += n;
	for (size_t i = 0; i < n && rc == LODE_OK; i++) {
		struct lode_call_event *event = &at[i];

		if (event->kind == LODE_CALL_CUT) {
			p->thread->n_events--;
			leave_all(p, tools, LODE_REPAIR_CUT_AT_LOSS);
			event->kind = kind_dropped;
			event->t_ns = p->last_ns;
			continue;
		}
		if (__builtin_expect((uint64_t)event->t_ns - (uint64_t)p->last_ns >
						     (uint64_t)LODE_CLOCK_DAY_NS ||
					     p->repeat_run != LODE_NONE ||
					     event->t_ns > LODE_CALL_TIME_MAX ||
					     p->last_ns == NO_TIME,
				     0)) {
			struct ahead ahead = {event, n - i, is_end};
			enum mended mended = mend(p, &ahead, i);

			if (mended == DROPPED)
				continue;
			if (mended == WAITS) {
				put_off(p, n - i);
				break;
			}
		}
		rc = take_event(p, tools, event, err);
	}
	return rc;
}

/* Those that wait, and `n` more behind them; as an array of its own. */
static struct lode_call_event *with_waiting(struct lode_call_pairing *p, struct lode_call_event *at,
					    size_t *n)
{
	size_t n_waiting = p->waiting.n;

	at = lode_realloc_n(at, n_waiting + *n, sizeof(*at));
	memmove(at + n_waiting, at, *n * sizeof(*at));
	memcpy(at, p->waiting.at, n_waiting * sizeof(*at));
	*n += n_waiting;
	p->waiting.n = 0;
	return at;
}

int lode_call_pairing_take(struct lode_call_pairing *p, struct lode_pairing_tools *tools,
			   struct lode_call_event *at, size_t n, size_t history,
			   struct lode_error *err)
{
	if (!n) {
		free(at);
		return LODE_OK;
	}
	if (p->waiting.n)
		at = with_waiting(p, at, &n);
	return take_events(p, tools, at, n, history, false, err);
}

int lode_call_pairing_end(struct lode_call_pairing *p, struct lode_pairing_tools *tools,
			  struct lode_error *err)
{
	int rc = LODE_OK;

	if (p->waiting.n) {
		size_t n = 0;
		struct lode_call_event *at = with_waiting(p, NULL, &n);

		rc = take_events(p, tools, at, n, LODE_PAIRING_HISTORY, true, err);
	}
	leave_all(p, tools, LODE_REPAIR_CUT_AT_END);
	if (rc == LODE_OK && p->n)
		rc = end_block(p, tools, err);
	if (rc == LODE_OK)
		rc = lode_call_levels_make(p->thread, &p->early, p->store, &tools->sums,
					   &tools->packer, err);
	return rc;
}

struct lode_losses *lode_call_pairing_take_losses(struct lode_call_pairing *p)
{
	struct lode_losses *losses = p->losses;

	p->losses = NULL;
	return losses;
}
