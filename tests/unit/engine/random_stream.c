#include "unit/engine/random_stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t rng_next(struct rng *rng)
{
	rng->state += 0x9e3779b97f4a7c15u;
	return lode_hash_u64(rng->state);
}

uint32_t rng_below(struct rng *rng, uint32_t n)
{
	return (uint32_t)((rng_next(rng) >> 33) % n);
}

bool rng_chance(struct rng *rng, uint32_t percent)
{
	return rng_below(rng, 100) < percent;
}

struct lode_stream *stream_of_threads(const char *const *comms, size_t n)
{
	struct lode_stream *stream = lode_alloc0(1, sizeof(*stream));

	lode_calltree_init(&stream->tree);
	stream->path = "random";
	stream->format = "random";
	stream->unit = "ns";
	stream->host = stream->kernel = stream->command = stream->arch = "";
	stream->has_switches = stream->has_wakings = true;
	for (size_t i = 0; i < n; i++) {
		struct lode_thread thread = {
			.pid = 100,
			.tid = 100 + (int32_t)i,
			.comm = lode_strings_intern(&stream->tree.strings, comms[i],
						    strlen(comms[i])),
			.parent = LODE_NONE,
			.born_ns = INT64_MIN,
			.died_ns = INT64_MAX,
		};

		lode_vec_append(&stream->threads, thread);
	}
	return stream;
}

uint32_t stack_of(struct lode_stream *stream, const char *folded)
{
	uint32_t stack = 0, frame;
	char name[64];
	size_t len;

	for (; *folded; folded += len + (folded[len] == ';')) {
		len = strcspn(folded, ";");
		snprintf(name, sizeof(name), "%.*s", (int)len, folded);
		frame = lode_frame_intern(&stream->tree, "app", name, 0);
		stack = lode_calltree_push(&stream->tree, stack, frame);
	}
	return stack;
}

void add_wait(struct lode_stream *stream, lode_thread_id thread, int64_t start_ns, int64_t end_ns,
	      const char *folded, lode_thread_id waker, enum lode_device device)
{
	struct lode_events *events = &stream->threads.at[thread].events;
	size_t i = lode_events_append(events, LODE_EVENT_WAITING, start_ns, end_ns - start_ns,
				      stack_of(stream, folded));

	events->other[i] = waker;
	events->device[i] = (uint8_t)device;
	events->reason[i] = LODE_REASON_LOCK;
	if (waker == LODE_NONE && device == LODE_DEVICE_NONE)
		events->flags[i] = LODE_EVENT_NO_WAKER;
}

void add_run(struct lode_stream *stream, lode_thread_id thread, int64_t start_ns, int64_t end_ns,
	     const char *folded)
{
	lode_events_append(&stream->threads.at[thread].events, LODE_EVENT_RUNNING, start_ns,
			   end_ns - start_ns, stack_of(stream, folded));
}

/* ---- The scheduler ---- */

enum { MAX_THREADS = 6, N_STACKS = 14 };

enum state { UNBORN, RUNNING, WAITING, READY, DEAD };

struct simulated {
	enum state state;
	int64_t since;
	uint32_t stack;
	uint8_t flags;
};

struct scheduler {
	struct rng *rng;
	struct lode_stream *stream;
	uint32_t stacks[N_STACKS];
	uint32_t n_cpus, n_running;
	struct simulated threads[MAX_THREADS];
};

static void random_stacks(struct rng *rng, struct lode_stream *stream, uint32_t *stacks)
{
	static const struct {
		const char *module, *function;
		uint32_t flags;
	} functions[] = {
		{"app", "main", 0},
		{"app", "work", 0},
		{"libc", "read", 0},
		{"app", "f", 0},
		{"[kernel]", "schedule", LODE_FRAME_KERNEL},
		{"libx", "", 0},
		{"[jit]", "", 0},
	};
	uint32_t n_functions = 1 + rng_below(rng, 7), depth, f;

	stacks[0] = 0;
	for (size_t i = 1; i < N_STACKS; i++) {
		depth = rng_below(rng, 6);
		stacks[i] = rng_chance(rng, 50) ? stacks[rng_below(rng, (uint32_t)i)] : 0;
		while (depth--) {
			f = rng_below(rng, n_functions);
			stacks[i] = lode_calltree_push(
				&stream->tree, stacks[i],
				lode_frame_intern(&stream->tree, functions[f].module,
						  functions[f].function, functions[f].flags));
		}
	}
}

/* Ends what thread `i` does at `t` and gives the index of the event, or SIZE_MAX if none was made.
 */
static size_t close_event(struct scheduler *s, uint32_t i, int64_t t)
{
	static const enum lode_event_kind kind_of[] = {
		[RUNNING] = LODE_EVENT_RUNNING,
		[WAITING] = LODE_EVENT_WAITING,
		[READY] = LODE_EVENT_READY,
	};
	struct simulated *thread = &s->threads[i];
	struct lode_events *events = &s->stream->threads.at[i].events;
	size_t e;

	if (thread->state == UNBORN || thread->state == DEAD ||
	    (thread->since == t && rng_chance(s->rng, 70)))
		return SIZE_MAX;
	e = lode_events_append(events, kind_of[thread->state], thread->since, t - thread->since,
			       thread->stack);
	events->flags[e] = thread->flags;
	if (thread->state == RUNNING && thread->since % 3 == 0)
		events->flags[e] |= LODE_EVENT_UNSAMPLED;
	if (thread->state == WAITING)
		events->reason[e] = (uint8_t)(rng_chance(s->rng, 60)
						      ? LODE_REASON_LOCK
						      : 1 + rng_below(s->rng, LODE_N_REASONS - 1));
	if (thread->state == READY)
		events->other[e] = rng_below(s->rng, (uint32_t)s->stream->threads.n);
	return e;
}

static void enter(struct scheduler *s, uint32_t i, enum state state, int64_t t, bool new_stack)
{
	struct simulated *thread = &s->threads[i];

	s->n_running += (state == RUNNING) - (thread->state == RUNNING);
	thread->state = state;
	thread->since = t;
	thread->flags = 0;
	if (new_stack)
		thread->stack = s->stacks[rng_below(s->rng, N_STACKS)];
}

static void wake(struct scheduler *s, uint32_t i, int64_t t, lode_thread_id waker,
		 enum lode_device device)
{
	struct lode_events *events = &s->stream->threads.at[i].events;
	size_t e = close_event(s, i, t);

	if (e != SIZE_MAX) {
		events->other[e] = waker;
		events->device[e] = (uint8_t)device;
		if (waker == LODE_NONE && device == LODE_DEVICE_NONE)
			events->flags[e] |= LODE_EVENT_NO_WAKER;
		else if (waker != LODE_NONE)
			events->other_stack[e] = s->stacks[rng_below(s->rng, N_STACKS)];
	}
	enter(s, i, READY, t, false);
	if (e != SIZE_MAX && rng_chance(s->rng, 3))
		events->flags[e] |= s->threads[i].flags = LODE_EVENT_REARMED;
}

static void tick_running(struct scheduler *s, uint32_t i, int64_t t)
{
	uint32_t roll = rng_below(s->rng, 100), j;

	if (roll < 8) {
		close_event(s, i, t);
		enter(s, i, READY, t, true);
		s->threads[i].flags = LODE_EVENT_PREEMPTED;
	} else if (roll < 30) {
		close_event(s, i, t);
		enter(s, i, WAITING, t, true);
	} else if (roll < 32) {
		close_event(s, i, t);
		enter(s, i, DEAD, t, false);
	} else if (roll < 45) {
		close_event(s, i, t); /* a sample */
		enter(s, i, RUNNING, t, true);
	} else if (roll < 80) {
		j = rng_below(s->rng, (uint32_t)s->stream->threads.n);
		for (int tries = 0; tries < 2 && s->threads[j].state != WAITING; tries++)
			j = rng_below(s->rng, (uint32_t)s->stream->threads.n);
		if (s->threads[j].state == WAITING && j != i)
			wake(s, j, t, i, LODE_DEVICE_NONE);
		if (s->threads[j].state == READY && roll < 60) {
			close_event(s, i, t); /* handed over: the waker sleeps, the woken runs */
			enter(s, i, WAITING, t, true);
		}
	}
}

static void tick(struct scheduler *s, uint32_t i, int64_t t)
{
	uint32_t n = (uint32_t)s->stream->threads.n, roll = rng_below(s->rng, 100);

	switch (s->threads[i].state) {
	case UNBORN:
		if (roll < 30)
			enter(s, i, READY, t, true);
		break;
	case RUNNING:
		tick_running(s, i, t);
		break;
	case READY:
		if (s->n_running < s->n_cpus && roll < 70) {
			close_event(s, i, t);
			enter(s, i, RUNNING, t, true);
		}
		break;
	case WAITING:
		if (roll < 2)
			wake(s, i, t, LODE_NONE,
			     (enum lode_device)(1 + rng_below(s->rng, LODE_N_DEVICES - 1)));
		else if (roll < 3)
			wake(s, i, t, LODE_NONE, LODE_DEVICE_NONE);
		else if (roll < 5)
			wake(s, i, t, rng_below(s->rng, n), LODE_DEVICE_NONE);
		break;
	case DEAD:
		break;
	}
}

/* Takes events away, as a recorder does that cannot keep up. */
static void lose_events(struct rng *rng, struct lode_stream *stream)
{
	for (size_t t = 0; t < stream->threads.n; t++) {
		struct lode_events whole = stream->threads.at[t].events, left = {0};

		for (size_t i = 0; i < whole.n; i++) {
			size_t k;

			if (rng_chance(rng, 15))
				continue;
			k = lode_events_append(&left, whole.kind[i], whole.start_ns[i],
					       whole.cost_ns[i], whole.stack[i]);
			left.other[k] = whole.other[i];
			left.other_stack[k] = whole.other_stack[i];
			left.reason[k] = whole.reason[i];
			left.device[k] = whole.device[i];
			left.flags[k] = whole.flags[i];
		}
		lode_events_release(&whole);
		stream->threads.at[t].events = left;
	}
}

/* Makes a thread poll for a while, and others wait for the disk alone, which is to be at work. */
static void add_polling(struct rng *rng, struct lode_stream *stream)
{
	uint32_t n = (uint32_t)stream->threads.n, poller = rng_below(rng, n);
	struct lode_events *e = &stream->threads.at[poller].events;
	uint32_t last = LODE_NONE, left = 2 + rng_below(rng, 4);

	for (uint32_t t = 0; t < n; t++)
		for (size_t i = 0; rng_chance(rng, 60) && i < stream->threads.at[t].events.n; i++)
			if (stream->threads.at[t].events.kind[i] == LODE_EVENT_WAITING &&
			    rng_chance(rng, 80))
				stream->threads.at[t].events.reason[i] = LODE_REASON_DISK;
	if (rng_chance(rng, 30))
		stream->threads.at[rng_below(rng, n)].died_ns = stream->t0_ns + rng_below(rng, 60);
	for (uint32_t i = 0; i < e->n && left > 0; i++) {
		if (e->kind[i] != LODE_EVENT_WAITING)
			continue;
		if (last != LODE_NONE) {
			e->stack[i] = e->stack[last];
			e->flags[last] |= LODE_EVENT_REARMED;
			if (e->kind[last + 1] == LODE_EVENT_READY)
				e->flags[last + 1] |= LODE_EVENT_REARMED;
		}
		e->other[i] = LODE_NONE;
		e->device[i] = LODE_DEVICE_TIMER;
		e->reason[i] = LODE_REASON_TIMER;
		e->flags[i] &= (uint8_t) ~(LODE_EVENT_REARMED | LODE_EVENT_NO_WAKER);
		last = i;
		left--;
	}
}

static struct lode_stream *random_threads(struct rng *rng)
{
	static const char *const comms[] = {
		"app", "ph-worker/3", "ph-worker/4", "kworker/0:1-ev", "kworker/u8:2", "disk",
	};
	const char *chosen[MAX_THREADS];
	uint32_t n = 1 + rng_below(rng, MAX_THREADS), again = 1 + rng_below(rng, MAX_THREADS);

	n = n > again ? n : again; /* rather many than few */
	for (uint32_t i = 0; i < n; i++)
		chosen[i] = comms[rng_below(rng, 6)];
	return stream_of_threads(chosen, n);
}

/* Threads that were created in the recording, some of them by others that were. */
static void add_births(struct rng *rng, struct lode_stream *stream)
{
	for (uint32_t i = 0; i < stream->threads.n; i++) {
		struct lode_thread *thread = &stream->threads.at[i];

		if (!thread->events.n || rng_chance(rng, 40))
			continue;
		thread->born_ns = thread->events.start_ns[0] - rng_below(rng, 3);
		if (rng_chance(rng, 90))
			thread->parent = rng_below(rng, (uint32_t)stream->threads.n);
		if (thread->parent == i)
			thread->parent = LODE_NONE;
	}
}

struct lode_stream *random_stream(struct rng *rng)
{
	struct scheduler s = {.rng = rng, .stream = random_threads(rng)};
	int64_t t0 = (int64_t)rng_below(rng, 40) - 20, length = 5 + rng_below(rng, 90), t;
	uint32_t n = (uint32_t)s.stream->threads.n, i;

	s.n_cpus = 1 + rng_below(rng, 3);
	random_stacks(rng, s.stream, s.stacks);
	for (i = 0; i < n; i++)
		if (rng_chance(rng, 70))
			enter(&s, i, rng_chance(rng, 50) ? WAITING : READY, t0, true);
	for (t = t0 + 1; t < t0 + length; t++)
		for (i = 0; i < n; i++)
			tick(&s, (uint32_t)((i + (uint64_t)t) % n), t);
	for (i = 0; i < n; i++) {
		s.threads[i].flags |= LODE_EVENT_CUT_END;
		if (s.threads[i].state == WAITING)
			wake(&s, i, t, LODE_NONE, LODE_DEVICE_NONE);
		else
			close_event(&s, i, t);
	}
	s.stream->t0_ns = t0;
	s.stream->t1_ns = t;
	if (rng_chance(rng, 30))
		add_polling(rng, s.stream);
	if (rng_chance(rng, 30))
		lose_events(rng, s.stream);
	if (rng_chance(rng, 50))
		add_births(rng, s.stream);
	return s.stream;
}

struct lode_stream *random_samples(struct rng *rng)
{
	struct lode_stream *stream = random_threads(rng);
	uint32_t stacks[N_STACKS], n = (uint32_t)stream->threads.n;

	random_stacks(rng, stream, stacks);
	stream->has_switches = stream->has_wakings = false;
	stream->t1_ns = 40;
	for (int64_t t = 0; t <= stream->t1_ns; t++)
		if (rng_chance(rng, 60))
			lode_events_append(&stream->threads.at[rng_below(rng, n)].events,
					   rng_chance(rng, 20) ? LODE_EVENT_WAITING
							       : LODE_EVENT_RUNNING,
					   t, rng_below(rng, 20), stacks[rng_below(rng, N_STACKS)]);
	return stream;
}

struct lode_symptom random_symptom(struct rng *rng, const struct lode_stream *stream)
{
	int64_t length = stream->t1_ns - stream->t0_ns;
	struct lode_symptom symptom = {
		.thread = rng_below(rng, (uint32_t)stream->threads.n),
		.t0_ns = stream->t0_ns,
		.t1_ns = stream->t1_ns,
	};

	if (rng_chance(rng, 30))
		return symptom;
	symptom.t0_ns += (int64_t)rng_below(rng, (uint32_t)length + 10) - 5;
	symptom.t1_ns = symptom.t0_ns + rng_below(rng, (uint32_t)length + 10);
	return symptom;
}

void add_request_wait(struct lode_stream *stream, lode_thread_id thread, int64_t start_ns,
		      int64_t end_ns, const char *folded, lode_thread_id waker)
{
	struct lode_events *events = &stream->threads.at[thread].events;

	add_wait(stream, thread, start_ns, end_ns, folded, waker, LODE_DEVICE_NONE);
	events->reason[events->n - 1] = LODE_REASON_NETWORK;
}

void append_frames(char *text, size_t size, const struct lode_calltree *tree, uint32_t stack)
{
	char name[128];
	size_t len;

	if (!stack)
		return;
	append_frames(text, size, tree, tree->nodes.at[stack].parent);
	lode_frame_full_name(tree, tree->nodes.at[stack].frame, name, sizeof(name));
	len = strlen(text);
	if (len + sizeof(name) >= size)
		abort();
	snprintf(text + len, size - len, ";%s", name);
}
