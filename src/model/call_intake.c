/* Takes in the events of a trace, thread by thread, in parallel. */
#include "model/call_intake.h"

#include <pthread.h>

#include "base/folder.h"
#include "base/pool.h"
#include "base/sorted.h"
#include "model/call_clocks.h"
#include "model/call_pairing.h"
#include "model/call_spread.h"

enum {
	batch_first = 4, /* events; a thread's first batches are small, since most threads are */
	batch_last = 4096,
	waiting_max = 512 << 10, /* events that wait for a pairing */
	history_threads = 64,	 /* with more, each keeps less to find repeats in */
};

struct batch {
	struct lode_call_event *at;
	size_t n, history;
};

/* A thread of the trace, while it comes in. */
struct line {
	struct lode_call_thread *thread;
	struct lode_call_pairing *pairing; /* NULL: all its events are still in `filling` */
	struct lode_losses *losses;	   /* of its clock; NULL: none */
	struct lode_call_event *filling;
	size_t n_filling, room;
	bool is_large;			/* has filled a batch */
	LODE_VEC(struct batch) waiting; /* with the lock held */
	bool is_busy;			/* a thread pairs its batches, or it is among the ready */
};

struct intake {
	struct lode_call_trace *trace;
	lode_call_reader *read;
	void *context;
	LODE_VEC(struct line *) lines; /* the sink's thread indices */
	struct lode_map line_of;       /* (pid, tid) -> line */
	struct lode_pairing_tools *tools;
	unsigned source_worker;
	bool is_alone; /* the only thread that pairs */
	unsigned block_bits;

	pthread_mutex_t lock;
	pthread_cond_t changed;
	LODE_VEC(struct line *)
	ready; /* that have batches, and no thread that pairs them; a ring */
	size_t first_ready;
	size_t n_waiting; /* events */
	bool has_ended;	  /* no more batches */
	int status;
	struct lode_error err;
};

/* ---- Pairing, on any thread ---- */

static void fail(struct intake *in, int rc, const struct lode_error *err)
{
	pthread_mutex_lock(&in->lock);
	if (in->status == LODE_OK) {
		in->status = rc;
		in->err = *err;
	}
	pthread_mutex_unlock(&in->lock);
}

static void pair_batches(struct intake *in, struct line *line, struct batch *batches, size_t n,
			 struct lode_pairing_tools *tools)
{
	struct lode_error err;

	for (size_t i = 0; i < n; i++) {
		int rc = lode_call_pairing_take(line->pairing, tools, batches[i].at, batches[i].n,
						batches[i].history, &err);

		if (rc < 0)
			fail(in, rc, &err);
	}
}

static struct line *next_ready(struct intake *in)
{
	struct line *line;

	if (in->first_ready == in->ready.n)
		return NULL;
	line = in->ready.at[in->first_ready++];
	if (in->first_ready == in->ready.n)
		in->first_ready = in->ready.n = 0;
	return line;
}

/* Called and left with the lock held. */
static void pair_line(struct intake *in, struct line *line, unsigned worker)
{
	size_t n = line->waiting.n, n_events = 0;
	struct batch *batches = line->waiting.at;

	memset(&line->waiting, 0, sizeof(line->waiting));
	for (size_t i = 0; i < n; i++)
		n_events += batches[i].n;
	pthread_mutex_unlock(&in->lock);
	pair_batches(in, line, batches, n, &in->tools[worker]);
	free(batches);
	pthread_mutex_lock(&in->lock);
	in->n_waiting -= n_events;
	line->is_busy = line->waiting.n > 0;
	if (line->is_busy)
		lode_vec_append(&in->ready, line);
	pthread_cond_broadcast(&in->changed);
}

static void pair_all(struct intake *in, unsigned worker)
{
	pthread_mutex_lock(&in->lock);
	for (;;) {
		struct line *line = next_ready(in);

		if (line)
			pair_line(in, line, worker);
		else if (in->has_ended && !in->n_waiting)
			break;
		else
			pthread_cond_wait(&in->changed, &in->lock);
	}
	pthread_mutex_unlock(&in->lock);
}

/* ---- The sink: one call at a time ---- */

static size_t history_of(const struct intake *in)
{
	return LODE_PAIRING_HISTORY / (1 + in->lines.n / history_threads);
}

static int submit(struct intake *in, struct line *line)
{
	struct batch batch = {line->filling, line->n_filling, history_of(in)};
	int rc;

	line->filling = NULL;
	line->n_filling = line->room = 0;
	if (!batch.n)
		return LODE_OK;
	if (!line->pairing)
		line->pairing = lode_call_pairing_new(line->thread, &in->trace->store);
	if (in->is_alone) {
		pair_batches(in, line, &batch, 1, &in->tools[in->source_worker]);
		return in->status;
	}
	pthread_mutex_lock(&in->lock);
	lode_vec_append(&line->waiting, batch);
	in->n_waiting += batch.n;
	if (!line->is_busy) {
		line->is_busy = true;
		lode_vec_append(&in->ready, line);
		pthread_cond_signal(&in->changed);
	}
	while (in->n_waiting > waiting_max) {
		struct line *next = next_ready(in);

		if (next)
			pair_line(in, next, in->source_worker);
		else
			pthread_cond_wait(&in->changed, &in->lock);
	}
	rc = in->status;
	pthread_mutex_unlock(&in->lock);
	return rc;
}

static void take_text(char **to, const char *text)
{
	if (!text || !*text)
		return;
	free(*to);
	*to = lode_strdup(text);
}

static void take_about(void *context, const struct lode_calls_about *about)
{
	struct intake *in = context;

	take_text(&in->trace->format, about->format);
	take_text(&in->trace->command, about->command);
	take_text(&in->trace->host, about->host);
	if (about->ticks_per_ns > 0)
		in->trace->ticks_per_ns = about->ticks_per_ns;
}

static uint32_t take_thread(void *context, int32_t pid, int32_t tid, const char *name)
{
	struct intake *in = context;
	uint32_t *slot = lode_map_slot(&in->line_of, (uint64_t)(uint32_t)pid << 32 | (uint32_t)tid);

	if (*slot == LODE_NONE) {
		struct line *line = lode_alloc0(1, sizeof(*line));

		line->thread = lode_call_thread_new(pid, tid, in->block_bits);
		*slot = (uint32_t)in->lines.n;
		lode_vec_append(&in->lines, line);
	}
	if (name && *name)
		in->lines.at[*slot]->thread->name =
			lode_strings_intern(&in->trace->functions.strings, name, strlen(name));
	return *slot;
}

static uint32_t take_function(void *context, const char *module, const char *name)
{
	struct intake *in = context;

	return lode_frame_intern(&in->trace->functions, module ? module : "", name, 0);
}

static void grow(struct line *line)
{
	line->room = line->room ? line->room * 4 : batch_first;
	if (line->is_large || line->room > batch_last)
		line->room = batch_last;
	line->filling = lode_realloc_n(line->filling, line->room, sizeof(*line->filling));
}

static int take_events(void *context, uint32_t thread, const struct lode_call_event *at, size_t n,
		       struct lode_error *err)
{
	struct intake *in = context;
	struct line *line = in->lines.at[thread];

	while (n) {
		size_t part;
		int rc;

		if (line->n_filling == line->room && line->room < batch_last)
			grow(line);
		part = line->room - line->n_filling < n ? line->room - line->n_filling : n;
		memcpy(line->filling + line->n_filling, at, part * sizeof(*at));
		line->n_filling += part;
		at += part;
		n -= part;
		if (line->n_filling < batch_last)
			continue;
		line->is_large = true;
		rc = submit(in, line);
		if (rc < 0) {
			if (err)
				*err = in->err;
			return rc;
		}
	}
	return LODE_OK;
}

/* ---- The whole ---- */

static void run_source(struct intake *in, unsigned worker)
{
	struct lode_call_sink sink = {
		.context = in,
		.about = take_about,
		.thread = take_thread,
		.function = take_function,
		.events = take_events,
		.losses = &in->trace->losses,
	};
	struct lode_error err;
	int rc;

	in->source_worker = worker;
	rc = in->read(in->context, &sink, &err);
	if (rc < 0)
		fail(in, rc, &err);
	/* Small threads are paired one by one, so that few are under way. */
	for (size_t i = 0; i < in->lines.n; i++)
		if (in->lines.at[i]->pairing)
			submit(in, in->lines.at[i]);
	pthread_mutex_lock(&in->lock);
	in->has_ended = true;
	pthread_cond_broadcast(&in->changed);
	pthread_mutex_unlock(&in->lock);
}

static void run(void *context, size_t index, unsigned worker)
{
	struct intake *in = context;

	if (index == 0)
		run_source(in, worker);
	if (!in->is_alone)
		pair_all(in, worker);
}

static void end_line(void *context, size_t index, unsigned worker)
{
	struct intake *in = context;
	struct lode_error err;
	struct line *line = in->lines.at[index];
	struct batch all = {line->filling, line->n_filling, history_of(in)};
	int rc;

	if (!line->pairing) {
		line->pairing = lode_call_pairing_new(line->thread, &in->trace->store);
		line->filling = NULL;
		pair_batches(in, line, &all, 1, &in->tools[worker]);
	}
	rc = lode_call_pairing_end(line->pairing, &in->tools[worker], &err);
	if (rc < 0)
		fail(in, rc, &err);
	line->losses = lode_call_pairing_take_losses(line->pairing);
	lode_call_pairing_free(line->pairing);
	line->pairing = NULL;
}

LODE_COMPARE_AT(compare_threads, struct lode_call_thread,
		LODE_ORDER(a->pid, b->pid) ?: LODE_ORDER(a->tid, b->tid))

/* Says which threads cannot be compared. */
static void add_clocks(struct lode_call_trace *trace)
{
	char first[72], other[72];

	for (uint32_t i = 1; i < trace->clocks.n; i++) {
		const struct lode_call_clock *clock = &trace->clocks.at[i], *before = &clock[-1];
		int64_t apart =
			clock->offset_ns - before->offset_ns - (before->last_ns - trace->first_ns);

		lode_loss_add(&trace->losses, LODE_LOSS_CLOCKS, 1, -1, clock->offset_ns,
			      "%s are %lld days before %s: each is shown from its own zero",
			      lode_call_clock_threads(trace, i - 1, first, sizeof(first)),
			      (long long)(apart / LODE_CALL_CLOCK_GAP_NS),
			      lode_call_clock_threads(trace, i, other, sizeof(other)));
	}
}

/* Threads without a call, of which only a name came, are none. */
static void finish_trace(struct intake *in)
{
	struct lode_call_trace *trace = in->trace;

	for (size_t i = 0; i < in->lines.n; i++) {
		struct lode_call_thread *thread = in->lines.at[i]->thread;

		if (in->lines.at[i]->losses)
			lode_losses_add(&trace->losses, in->lines.at[i]->losses);
		if (thread->n_cut)
			lode_loss_add(&trace->losses, LODE_LOSS_CALLERS, thread->n_cut, -1,
				      thread->first_ns,
				      "thread %d has more than %zu different stacks", thread->tid,
				      LODE_CALL_MAX_STACKS);
		for (unsigned k = 0; k < LODE_N_REPAIRS; k++)
			trace->repairs[k] += lode_call_repairs(thread, (enum lode_call_repair)k);
		trace->n_events += thread->n_events;
		if (!thread->n_calls)
			continue;
		trace->n_calls += thread->n_calls;
		lode_vec_append(&trace->threads, thread);
		in->lines.at[i]->thread = NULL;
	}
	lode_sort(trace->threads.at, trace->threads.n, compare_threads);
	lode_call_clocks_find(trace);
	add_clocks(trace);
}

static void release(struct intake *in, unsigned n_threads)
{
	for (unsigned i = 0; i < n_threads; i++)
		lode_pairing_tools_release(&in->tools[i]);
	free(in->tools);
	for (size_t i = 0; i < in->lines.n; i++) {
		struct line *line = in->lines.at[i];

		lode_vec_release_each(&line->waiting, it, free(it->at));
		free(line->filling);
		lode_call_pairing_free(line->pairing);
		free(line->losses);
		lode_call_thread_free(line->thread);
		free(line);
	}
	lode_vec_release(&in->lines);
	lode_vec_release(&in->ready);
	lode_map_release(&in->line_of);
	pthread_mutex_destroy(&in->lock);
	pthread_cond_destroy(&in->changed);
}

static int make_spreads(struct intake *in, unsigned n_threads, struct lode_error *err)
{
	struct lode_call_buckets *buckets = lode_alloc0(n_threads, sizeof(*buckets));
	int rc;

	for (unsigned i = 0; i < n_threads; i++) {
		buckets[i] = in->tools[i].buckets;
		memset(&in->tools[i].buckets, 0, sizeof(in->tools[i].buckets));
	}
	rc = lode_call_spreads_make(in->trace, buckets, n_threads, n_threads, err);
	for (unsigned i = 0; i < n_threads; i++)
		lode_call_buckets_release(&buckets[i]);
	free(buckets);
	return rc;
}

int lode_call_intake(struct lode_call_trace **out, const char *path, lode_call_reader *read,
		     void *context, const struct lode_call_intake_options *options,
		     struct lode_error *err)
{
	unsigned n_threads = options->n_threads ? options->n_threads : 1;
	struct intake in = {.trace = lode_call_trace_new(), .read = read, .context = context};
	int rc;

	*out = NULL;
	in.trace->path = path;
	in.trace->source = lode_strdup(lode_path_base(path));
	in.trace->store.memory_bytes = options->memory_bytes;
	in.tools = lode_alloc0(n_threads, sizeof(*in.tools));
	in.is_alone = n_threads == 1;
	in.block_bits = options->block_bits ? options->block_bits : LODE_CALL_BLOCK_BITS;
	pthread_mutex_init(&in.lock, NULL);
	pthread_cond_init(&in.changed, NULL);
	lode_pool_run(n_threads, n_threads, run, &in);
	if (in.status == LODE_OK)
		lode_pool_run(n_threads, in.lines.n, end_line, &in);
	rc = in.status;
	if (rc == LODE_OK) {
		finish_trace(&in);
		rc = make_spreads(&in, n_threads, err);
	} else if (err) {
		*err = in.err;
	}
	release(&in, n_threads);
	if (rc < 0) {
		lode_call_trace_free(in.trace);
		return rc;
	}
	*out = in.trace;
	return LODE_OK;
}
