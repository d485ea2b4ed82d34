/* Reads Chrome's trace events as calls. */
#include "input/call_source.h"

#include <errno.h>
#include <stdio.h>

#include "base/decimal.h"
#include "input/call_batch.h"
#include "input/call_sort.h"
#include "input/formats/chrome/chrome_events.h"

struct thread {
	int32_t pid, tid;
	uint32_t name; /* string id, LODE_NONE: none */
};

/* A name for threads that are not known yet, or are known by another process. */
struct given_name {
	int32_t pid, tid;
	bool has_tid;
	uint32_t name;
};

/* Events that are not calls, by what they are. */
enum left_out { COUNTERS, FLOWS, INSTANTS, STEPS, OTHERS, N_LEFT_OUT };

struct reader {
	const struct lode_call_options *options;
	struct lode_call_sink *sink;
	struct lode_call_sort *sort;
	struct lode_call_names names;
	LODE_VEC(struct thread) threads;
	struct lode_map thread_index; /* (pid, tid) -> index */
	struct lode_strings ids;      /* pids, tids and spans' ids that are not small numbers */
	LODE_VEC(struct given_name) given;
	LODE_VEC(char) text; /* scratch */
	uint64_t n_events, n_calls, n_left_out[N_LEFT_OUT];
	struct lode_error *err;
};

/* ---- Threads ---- */

/* Text ids, and numbers that are none of a kernel's, get a number of their own below zero. */
static int32_t number_of(struct reader *reader, struct lode_slice text, bool *is_made)
{
	int32_t number;

	*is_made = false;
	if (!text.at || (lode_int32_parse(&number, text.at, text.len) && number >= 0))
		return text.at ? number : 0;
	*is_made = true;
	return -1 - (int32_t)lode_strings_intern(&reader->ids, text.at, text.len);
}

static uint64_t key_of(int32_t pid, int32_t tid)
{
	return (uint64_t)(uint32_t)pid << 32 | (uint32_t)tid;
}

/* The index of a thread; a new one is called `name`, unless a thread_name event names it. */
static uint32_t find_thread(struct reader *reader, uint64_t key, int32_t pid, int32_t tid,
			    const char *name)
{
	uint32_t *slot = lode_map_slot(&reader->thread_index, key);

	if (*slot == LODE_NONE) {
		struct thread thread = {.pid = pid, .tid = tid, .name = LODE_NONE};

		if (name)
			thread.name = lode_call_names_string(&reader->names, name, strlen(name));
		*slot = (uint32_t)reader->threads.n;
		lode_vec_append(&reader->threads, thread);
	}
	return *slot;
}

/* Without "tid" it is the process's first thread, whose number is the process's. */
static uint32_t thread_of(struct reader *reader, const struct lode_chrome_event *event)
{
	bool is_made;
	int32_t pid = number_of(reader, event->pid, &is_made);
	int32_t tid = event->tid.at ? number_of(reader, event->tid, &is_made) : pid;

	return find_thread(reader, key_of(pid, tid), pid, tid,
			   is_made ? reader->ids.text.at[-1 - tid] : NULL);
}

/* "a", "b" as "a b" in the scratch text, NUL-terminated. */
static const char *join(struct reader *reader, struct lode_slice a, const char *between,
			struct lode_slice b)
{
	size_t n = strlen(between);

	lode_vec_reserve(&reader->text, a.len + n + b.len + 1);
	memcpy(reader->text.at, a.at, a.len);
	memcpy(reader->text.at + a.len, between, n);
	memcpy(reader->text.at + a.len + n, b.at, b.len);
	reader->text.n = a.len + n + b.len;
	reader->text.at[reader->text.n] = '\0';
	return reader->text.at;
}

/*
 * The thread whose tracks hold the asynchronous spans of a category: ids are unique within a
 * category, the older events' within a name, and within a process where the file says so.
 */
static uint32_t thread_of_spans(struct reader *reader, const struct lode_chrome_event *event,
				bool is_older)
{
	const struct lode_slice none = {"", 0};
	struct lode_slice kind = is_older ? event->name : event->cat;
	struct lode_slice scope = event->scope.at ? event->scope : none;
	bool is_made;
	int32_t pid = number_of(reader, event->pid, &is_made), tid;

	kind = kind.at ? kind : none;
	join(reader, kind, is_older ? "\n\n" : "\n", scope); /* no pid or tid of a file is such */
	tid = -1 - (int32_t)lode_strings_intern(&reader->ids, reader->text.at, reader->text.n);
	return find_thread(reader, key_of(event->id_local.at ? pid : 0, tid), pid, tid,
			   join(reader, kind, kind.len ? " " : "",
				(struct lode_slice){"(async)", 7}));
}

/* "[17616] demo" says the number twice. */
static struct lode_slice without_number(struct lode_slice name)
{
	size_t i = 1;

	if (name.len < 4 || name.at[0] != '[')
		return name;
	while (i < name.len && lode_is_digit(name.at[i]))
		i++;
	if (i > 1 && i + 2 < name.len && name.at[i] == ']' && name.at[i + 1] == ' ') {
		name.at += i + 2;
		name.len -= i + 2;
	}
	return name;
}

static void take_metadata(struct reader *reader, const struct lode_chrome_event *event)
{
	static const char thread_name[] = "thread_name";
	struct given_name given = {.has_tid = event->tid.at != NULL};
	struct lode_slice name;
	bool is_made;

	if (!event->name.at || strcmp(event->name.at, thread_name) != 0 || !event->args_name.at)
		return;
	name = without_number(event->args_name);
	given.pid = number_of(reader, event->pid, &is_made);
	given.tid = given.has_tid ? number_of(reader, event->tid, &is_made) : given.pid;
	given.name = lode_call_names_string(&reader->names, name.at, name.len);
	lode_vec_append(&reader->given, given);
}

/*
 * Names come anywhere in the file, the last one counts. One without "tid" is meant for the thread
 * of that number, whatever its process (uftrace writes those).
 */
static void apply_names(struct reader *reader)
{
	struct lode_map by_tid = {0}, by_both = {0};

	for (uint32_t i = 0; i < reader->given.n; i++) {
		const struct given_name *given = &reader->given.at[i];
		uint64_t key = key_of(given->pid, given->tid);

		if (given->has_tid)
			*lode_map_slot(&by_both, key) = given->name;
		else
			*lode_map_slot(&by_tid, (uint32_t)given->tid) = given->name;
	}
	for (uint32_t i = 0; i < reader->threads.n; i++) {
		struct thread *thread = &reader->threads.at[i];
		uint64_t key = key_of(thread->pid, thread->tid);
		uint32_t name = lode_map_find(&by_both, key);

		if (name == LODE_NONE)
			name = lode_map_find(&by_tid, (uint32_t)thread->tid);
		if (name != LODE_NONE)
			thread->name = name;
	}
	lode_map_release(&by_tid);
	lode_map_release(&by_both);
}

/* ---- Events ---- */

static int bad_event(struct reader *reader, const char *what)
{
	lode_loss_add(reader->sink->losses, LODE_LOSS_BAD_RECORD, 1, -1, 0, "event %llu: %s",
		      (unsigned long long)reader->n_events, what);
	return LODE_OK;
}

static uint32_t function_of(struct reader *reader, struct lode_slice name)
{
	uint32_t string = lode_call_names_string(&reader->names, name.at, name.len);

	return lode_call_names_of(&reader->names, reader->sink, NULL, string);
}

/* "Source /usr/include/stdio.h", if details are asked for and the event has one. */
static uint32_t named_function(struct reader *reader, const struct lode_chrome_event *event)
{
	if (!event->name.len)
		return function_of(reader, (struct lode_slice){"(no name)", 9});
	if (!reader->options->with_details || !event->args_detail.len)
		return function_of(reader, event->name);
	join(reader, event->name, " ", event->args_detail);
	return function_of(reader, (struct lode_slice){reader->text.at, reader->text.n});
}

static int add_call(struct reader *reader, const struct lode_chrome_event *event,
		    struct lode_call_sorted *call)
{
	if (!event->ts.at || !lode_decimal_parse(&call->t_ns, event->ts.at, event->ts.len, 3))
		return bad_event(reader, "its \"ts\" is not a time in microseconds");
	reader->n_calls++;
	call->event = reader->n_events;
	call->tid = reader->threads.at[call->thread].tid;
	return lode_call_sort_add(reader->sort, call, reader->err);
}

static int take_call(struct reader *reader, const struct lode_chrome_event *event, char phase)
{
	struct lode_call_sorted call = {0};

	switch (phase) {
	case 'B':
		call.span_ns = LODE_CALL_SORT_ENTER;
		break;
	case 'E':
		call.span_ns = event->name.len ? LODE_CALL_SORT_EXIT : LODE_CALL_SORT_EXIT_ANY;
		break;
	default:
		if (!event->dur.at)
			call.span_ns = 0;
		else if (!lode_decimal_parse(&call.span_ns, event->dur.at, event->dur.len, 3) ||
			 call.span_ns < 0)
			return bad_event(reader, "its \"dur\" is not a length in microseconds");
	}
	if (event->name.len || phase != 'E')
		call.function = named_function(reader, event);
	call.thread = thread_of(reader, event);
	return add_call(reader, event, &call);
}

/* Numbers stand for themselves, decimal or "0x1f"; other ids, for example text, are numbered. */
static uint64_t span_id(struct reader *reader, struct lode_slice id)
{
	const uint64_t is_numbered = UINT64_C(1) << 60;
	unsigned long long number;
	char *end;

	errno = 0;
	number = strtoull(id.at, &end, lode_slice_begins(id, "0x") ? 16 : 10);
	if (id.len && lode_is_digit(*id.at) && end == id.at + id.len && !errno &&
	    number < is_numbered)
		return number;
	return is_numbered | lode_strings_intern(&reader->ids, id.at, id.len);
}

/* Begin or end of an asynchronous span: b and e, in older files S and F. */
static int take_span(struct reader *reader, const struct lode_chrome_event *event, char phase)
{
	bool is_end = phase == 'e' || phase == 'F';
	struct lode_slice id = event->id_local.at    ? event->id_local
			       : event->id_global.at ? event->id_global
						     : event->id;
	struct lode_call_sorted call = {0};
	uint64_t number;

	if (!id.at)
		return bad_event(reader, "an asynchronous event without an \"id\"");
	number = span_id(reader, id);
	call.span_ns = is_end ? LODE_CALL_SORT_END(number) : LODE_CALL_SORT_BEGIN(number);
	call.function = named_function(reader, event);
	call.thread = thread_of_spans(reader, event, phase == 'S' || phase == 'F');
	return add_call(reader, event, &call);
}

static int leave_out(struct reader *reader, enum left_out what)
{
	reader->n_left_out[what]++;
	return LODE_OK;
}

static int take_event(void *context, const struct lode_chrome_event *event)
{
	struct reader *reader = context;

	reader->n_events++;
	if (event->ph.len != 1)
		return bad_event(reader, "its \"ph\" is not one letter");
	switch (*event->ph.at) {
	case 'B':
	case 'E':
	case 'X':
		return take_call(reader, event, *event->ph.at);
	case 'b':
	case 'e':
	case 'S':
	case 'F':
		return take_span(reader, event, *event->ph.at);
	case 'M':
		take_metadata(reader, event);
		return LODE_OK;
	case 'C':
		return leave_out(reader, COUNTERS);
	case 's':
	case 't':
	case 'f':
		return leave_out(reader, FLOWS);
	case 'i':
	case 'I':
	case 'R':
		return leave_out(reader, INSTANTS);
	case 'n':
	case 'T':
	case 'p':
		return leave_out(reader, STEPS);
	default:
		return leave_out(reader, OTHERS);
	}
}

/* ---- All ---- */

static void say_left_out(struct reader *reader)
{
	static const char *const words[N_LEFT_OUT] = {[COUNTERS] = "counters (see lode pio)",
						      [FLOWS] = "flow events",
						      [INSTANTS] = "instants",
						      [STEPS] = "steps of asynchronous spans",
						      [OTHERS] = "of other kinds"};
	char text[160] = "";
	uint64_t n = 0;

	for (unsigned i = 0; i < N_LEFT_OUT; i++) {
		size_t used = strlen(text);

		if (reader->n_left_out[i])
			snprintf(text + used, sizeof(text) - used, "%s%llu %s", used ? ", " : "",
				 (unsigned long long)reader->n_left_out[i], words[i]);
		n += reader->n_left_out[i];
	}
	if (n)
		lode_loss_add(reader->sink->losses, LODE_LOSS_LEFT_OUT, n, -1, 0, "%s", text);
}

/* Further tracks of a thread are threads of its process: "network (async) #2". */
static uint32_t name_track(void *context, uint32_t thread, uint32_t track)
{
	struct reader *reader = context;
	const struct thread *t = &reader->threads.at[thread];
	const char *name = t->name == LODE_NONE ? NULL : reader->names.strings.text.at[t->name];
	char number[32], place[64];
	int32_t tid = t->tid;

	if (track) {
		if (!name)
			snprintf(place, sizeof(place), "%d", t->tid);
		name = name ? name : place;
		snprintf(number, sizeof(number), "#%u", track + 1);
		name = join(reader, (struct lode_slice){name, strlen(name)}, " ",
			    (struct lode_slice){number, strlen(number)});
		snprintf(place, sizeof(place), "%d\n%d\n%u", t->pid, t->tid, track);
		tid = -1 - (int32_t)lode_strings_intern(&reader->ids, place, strlen(place));
	}
	return reader->sink->thread(reader->sink->context, t->pid, tid, name);
}

static int hand_over(struct reader *reader, struct lode_error *err)
{
	const struct lode_call_tracks tracks = {name_track, reader};

	apply_names(reader);
	say_left_out(reader);
	return lode_call_sort_finish(reader->sort, reader->sink, &tracks, err);
}

static int read_events(struct reader *reader, struct lode_input *input, struct lode_error *err)
{
	const struct lode_chrome_reader events = {.take = take_event,
						  .context = reader,
						  .progress = reader->options->progress,
						  .progress_context =
							  reader->options->progress_context};
	struct lode_losses *losses = reader->sink->losses;
	struct lode_error fault = {0};
	bool is_open;
	int rc;

	reader->err = &fault;
	rc = lode_chrome_events_read(&events, input, &is_open, &fault);
	if (rc < 0 && (reader->n_calls == 0 || rc == LODE_ERR_IO)) {
		if (err)
			*err = fault;
		return rc;
	}
	if (rc < 0)
		lode_loss_add(losses, LODE_LOSS_TRUNCATED, 1, fault.offset, 0, "offset 0x%llx: %s",
			      (unsigned long long)fault.offset, fault.message);
	if (reader->n_calls == 0)
		return lode_fail(err, LODE_ERR_FORMAT, lode_input_path(input), -1,
				 "none of its %llu events is a call (\"ph\" B, E, X, b, e, S or F)",
				 (unsigned long long)reader->n_events);
	return hand_over(reader, err);
}

static int read_chrome(struct lode_input *input, const struct lode_call_options *options,
		       struct lode_call_sink *sink, struct lode_error *err)
{
	static const struct lode_calls_about about = {.format = "Chrome trace events"};
	struct reader reader = {.options = options,
				.sink = sink,
				.sort = lode_call_sort_new(options->memory_bytes)};
	int rc;

	if (sink->about)
		sink->about(sink->context, &about);
	rc = read_events(&reader, input, err);
	lode_call_sort_free(reader.sort);
	lode_call_names_release(&reader.names);
	lode_vec_release(&reader.threads);
	lode_map_release(&reader.thread_index);
	lode_strings_release(&reader.ids);
	lode_vec_release(&reader.given);
	lode_vec_release(&reader.text);
	return rc;
}

const struct lode_format lode_format_chrome = {
	.name = "Chrome trace events",
	.words = "Chrome trace events (JSON)",
	.recognise = lode_chrome_recognise,
	.read_calls = read_chrome,
};
