/* Turns perf recordings into function traces. */
#include "input/stream_calls.h"

#include <stdio.h>

#include "base/sorted.h"
#include "input/call_batch.h"
#include "input/source.h"
#include "model/syscalls.h"

enum { BATCH_EVENTS = 4096 };

/* An entry or an exit of a system call. */
struct syscall_event {
	int64_t t_ns;
	int32_t tid;
	uint32_t name;	/* string id of "syscall:read"; exits: LODE_NONE */
	uint32_t order; /* of the recording */
};

struct reader {
	struct lode_call_sink *sink;
	struct lode_call_names names;
	LODE_VEC(struct syscall_event) syscalls; /* by thread, then by time */
	/* What the tap was told: the kinds of events it wants. */
	LODE_VEC(struct {
		uint32_t name; /* LODE_NONE: an exit */
		bool is_raw;   /* its number is in values[0] */
	})
	kinds;
	char arch[16]; /* "" unknown */
	struct lode_error *err;
};

/* ---- System calls, as they stand in the recording ---- */

static void on_begin(void *context, const struct lode_tap_about *about)
{
	struct reader *reader = context;

	snprintf(reader->arch, sizeof(reader->arch), "%s", about->arch);
}

static void on_kind(void *context, const struct lode_tap_kind *kind, struct lode_tap_wish *wish)
{
	static const char enter[] = "syscalls:sys_enter_", leave[] = "syscalls:sys_exit_";
	struct reader *reader = context;
	const char *name = kind->tracepoint;
	uint32_t string = LODE_NONE;
	char text[128];

	if (!name)
		return;
	if (!strncmp(name, enter, sizeof(enter) - 1)) {
		int n = snprintf(text, sizeof(text), "syscall:%s", name + sizeof(enter) - 1);

		if (n < 0 || (size_t)n >= sizeof(text))
			return;
		string = lode_call_names_string(&reader->names, text, (size_t)n);
	} else if (!strcmp(name, "raw_syscalls:sys_enter")) {
		wish->n_fields = 1;
		wish->field[0] = "id";
	} else if (strncmp(name, leave, sizeof(leave) - 1) != 0 &&
		   strcmp(name, "raw_syscalls:sys_exit") != 0) {
		return;
	}
	wish->id = (uint32_t)reader->kinds.n;
	lode_vec_reserve(&reader->kinds, reader->kinds.n + 1);
	reader->kinds.at[reader->kinds.n].name = string;
	reader->kinds.at[reader->kinds.n++].is_raw = wish->n_fields > 0;
}

static void on_event(void *context, const struct lode_tap_event *event)
{
	struct reader *reader = context;
	struct syscall_event call = {.t_ns = event->t_ns,
				     .tid = event->tid,
				     .name = reader->kinds.at[event->id].name,
				     .order = (uint32_t)reader->syscalls.n};

	if (reader->kinds.at[event->id].is_raw) {
		int64_t number = event->found & 1 ? (int64_t)event->values[0] : -1;
		const char *name = lode_syscall_name(reader->arch, number);
		char text[64];
		int n = name ? snprintf(text, sizeof(text), "syscall:%s", name)
			     : snprintf(text, sizeof(text), "syscall:nr %lld", (long long)number);

		call.name = lode_call_names_string(&reader->names, text, (size_t)n);
	}
	if (event->is_inside && event->tid >= 0)
		lode_vec_append(&reader->syscalls, call);
}

LODE_COMPARE(by_thread_and_time, struct syscall_event,
	     LODE_ORDER(a->tid, b->tid) ?: LODE_ORDER(a->t_ns, b->t_ns)
		     ?: LODE_ORDER(a->order, b->order))

/* ---- One thread: a state, and maybe a system call around it ---- */

struct walk {
	struct reader *reader;
	uint32_t thread;  /* the sink's */
	uint32_t syscall; /* string ids; LODE_NONE: in none */
	uint32_t state;	  /* LODE_NONE: not known */
	uint32_t open[2]; /* functions of the sink, outermost first */
	unsigned n_open;
	struct lode_call_event out[BATCH_EVENTS];
	size_t n;
	int rc;
};

static void flush_stream_calls(struct walk *walk)
{
	struct lode_call_sink *sink = walk->reader->sink;

	if (walk->n && walk->rc == LODE_OK)
		walk->rc = sink->events(sink->context, walk->thread, walk->out, walk->n,
					walk->reader->err);
	walk->n = 0;
}

static void put_stream_calls(struct walk *walk, int64_t t_ns, enum lode_call_event_kind kind,
			     uint32_t function)
{
	if (walk->n == BATCH_EVENTS)
		flush_stream_calls(walk);
	walk->out[walk->n++] =
		(struct lode_call_event){.t_ns = t_ns, .function = function, .kind = (uint8_t)kind};
}

static uint32_t function_of_stream_calls(struct walk *walk, uint32_t string)
{
	return lode_call_names_of(&walk->reader->names, walk->reader->sink, NULL, string);
}

/* Closes and opens calls at `t_ns` so that they show the state that starts there. `is_new`: of the
   same name as what is open, but another one. */
static void show_stream_calls(struct walk *walk, int64_t t_ns, uint32_t running,
			      bool is_new_syscall)
{
	uint32_t want[2];
	unsigned n = 0, same = 0;

	if (walk->syscall != LODE_NONE)
		want[n++] = function_of_stream_calls(walk, walk->syscall);
	if (walk->state != LODE_NONE && (walk->state != running || n == 0))
		want[n++] = function_of_stream_calls(walk, walk->state);
	if (!is_new_syscall)
		while (same < n && same < walk->n_open && walk->open[same] == want[same])
			same++;
	while (walk->n_open > same)
		put_stream_calls(walk, t_ns, LODE_CALL_EXIT, walk->open[--walk->n_open]);
	while (walk->n_open < n) {
		walk->open[walk->n_open] = want[walk->n_open];
		put_stream_calls(walk, t_ns, LODE_CALL_ENTER, want[walk->n_open++]);
	}
}

static uint32_t state_of(struct reader *reader, const struct lode_events *events, size_t i,
			 uint32_t running)
{
	char text[64];
	int n;

	if (events->kind[i] == LODE_EVENT_RUNNING)
		return running;
	if (events->kind[i] == LODE_EVENT_READY)
		return lode_call_names_string(&reader->names, "ready", 5);
	n = snprintf(text, sizeof(text), "wait:%s",
		     lode_wait_reason_name((enum lode_wait_reason)events->reason[i]));
	return lode_call_names_string(&reader->names, text, (size_t)n);
}

static bool is_of(const struct syscall_event *call, const struct lode_thread *thread)
{
	return call->t_ns >= thread->born_ns && call->t_ns <= thread->died_ns;
}

/*
 * Walks a thread's events and its system calls together, by time. At one time the end of a system
 * call comes before a change of state, and its start after.
 */
static int walk_thread(struct reader *reader, const struct lode_stream *stream,
		       const struct lode_thread *thread, const struct syscall_event *calls,
		       size_t n_calls)
{
	struct lode_call_sink *sink = reader->sink;
	const struct lode_events *events = &thread->events;
	size_t n_events = stream->has_switches ? events->n : 0, next = 0;
	uint32_t running = lode_call_names_string(&reader->names, "running", 7);
	struct walk *walk = lode_alloc0(1, sizeof(*walk));
	int64_t end_ns = INT64_MIN;
	int rc;

	walk->reader = reader;
	walk->syscall = walk->state = LODE_NONE;
	walk->thread = sink->thread(
		sink->context, thread->pid, thread->tid,
		lode_thread_name(stream, (lode_thread_id)(thread - stream->threads.at)));
	for (size_t i = 0; i < n_events || next < n_calls;) {
		const struct syscall_event *call = next < n_calls ? &calls[next] : NULL;

		if (call && !is_of(call, thread)) { /* of another thread with this tid */
			next++;
			continue;
		}
		if (call && (i == n_events || call->t_ns < events->start_ns[i] ||
			     (call->t_ns == events->start_ns[i] && call->name == LODE_NONE))) {
			bool is_new = walk->syscall != LODE_NONE && call->name != LODE_NONE;

			walk->syscall = call->name;
			show_stream_calls(walk, call->t_ns, running, is_new);
			end_ns = call->t_ns > end_ns ? call->t_ns : end_ns;
			next++;
			continue;
		}
		end_ns = lode_event_end_ns(events, i);
		walk->state = state_of(reader, events, i, running);
		show_stream_calls(walk, events->start_ns[i], running, false);
		i++;
	}
	walk->syscall = walk->state = LODE_NONE; /* what is open ends with the recording */
	if (end_ns != INT64_MIN)
		show_stream_calls(walk, end_ns, running, false);
	flush_stream_calls(walk);
	rc = walk->rc;
	free(walk);
	return rc;
}

static bool has_lower_tid(const void *call, const void *tid)
{
	return ((const struct syscall_event *)call)->tid < *(const int32_t *)tid;
}

static int walk_threads(struct reader *reader, const struct lode_stream *stream)
{
	const struct syscall_event *calls = reader->syscalls.at;
	size_t n = reader->syscalls.n;
	int rc = LODE_OK;

	lode_sort(reader->syscalls.at, n, by_thread_and_time);
	for (size_t i = 0; i < stream->threads.n && rc == LODE_OK; i++) {
		const struct lode_thread *thread = &stream->threads.at[i];
		size_t first =
			lode_sorted_before(calls, n, sizeof(*calls), &thread->tid, has_lower_tid);
		size_t end = first;

		while (end < n && calls[end].tid == thread->tid)
			end++;
		if (end > first || (stream->has_switches && thread->events.n))
			rc = walk_thread(reader, stream, thread, n ? calls + first : NULL,
					 end - first);
	}
	return rc;
}

/* ---- All ---- */

static void tell_about(struct lode_call_sink *sink, const struct lode_stream *stream)
{
	struct lode_calls_about about = {
		.format = stream->format, .command = stream->command, .host = stream->host};

	if (sink->about)
		sink->about(sink->context, &about);
}

static int load_stream_calls(struct reader *reader, struct lode_input *input,
			     const struct lode_call_options *options,
			     struct lode_symboliser *symboliser, struct lode_error *err)
{
	const struct lode_tap tap = {.context = reader,
				     .wants_model = true,
				     .begin = on_begin,
				     .kind = on_kind,
				     .event = on_event};
	struct lode_source_options source = {.symboliser = symboliser,
					     .narrow = lode_narrow_none,
					     .n_threads =
						     options->n_threads ? options->n_threads : 1,
					     .tap = &tap};
	struct lode_stream *stream;
	int rc = lode_stream_read(&stream, input, &source, err);

	if (rc < 0)
		return rc;
	lode_losses_add(reader->sink->losses, &stream->losses);
	tell_about(reader->sink, stream);
	if (!stream->has_switches && !reader->syscalls.n)
		rc = lode_fail(err, LODE_ERR_UNSUPPORTED, lode_input_path(input), -1,
			       "this recording has neither context switches nor system calls, and "
			       "samples are not calls (`lode record` records switches)");
	if (rc == LODE_OK)
		rc = walk_threads(reader, stream);
	lode_stream_free(stream);
	return rc;
}

int lode_stream_calls_read(struct lode_input *input, const struct lode_call_options *options,
			   struct lode_call_sink *sink, struct lode_error *err)
{
	struct reader reader = {.sink = sink, .err = err};
	struct lode_symboliser *own = NULL;
	int rc = LODE_OK;

	if (!options->symboliser)
		rc = lode_symboliser_new(&own, &options->symbol_options, err);
	if (rc == LODE_OK)
		rc = load_stream_calls(&reader, input, options, own ? own : options->symboliser,
				       err);
	lode_symboliser_free(own);
	lode_call_names_release(&reader.names);
	lode_vec_release(&reader.syscalls);
	lode_vec_release(&reader.kinds);
	return rc;
}
