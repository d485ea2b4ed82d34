/* Reads Chrome's trace events as calls. */
#include "input/call_source.h"

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

struct reader {
	const struct lode_call_options *options;
	struct lode_call_sink *sink;
	struct lode_call_sort *sort;
	struct lode_call_names names;
	LODE_VEC(struct thread) threads;
	struct lode_map thread_index; /* (pid, tid) -> index */
	struct lode_strings ids;      /* pids and tids that are no small numbers */
	LODE_VEC(struct given_name) given;
	uint64_t n_events, n_calls;
	struct lode_error *err;
};

/* ---- Recognising ---- */

static bool has_word(const char *text, size_t size, const char *word)
{
	return memmem(text, size, word, strlen(word)) != NULL;
}

static bool recognise(const uint8_t *head, size_t size)
{
	const char *text = (const char *)head;
	size_t at = 0;

	while (at < size && strchr(" \t\r\n", text[at]) && text[at])
		at++;
	if (at == size || (text[at] != '[' && text[at] != '{'))
		return false;
	/* What else stands in the outermost object may come first, and be long. */
	return has_word(text, size, "\"traceEvents\"") || has_word(text, size, "\"ph\"") ||
	       (text[at] == '{' &&
		(has_word(text, size, "\"displayTimeUnit\"") ||
		 has_word(text, size, "\"stackFrames\"") || has_word(text, size, "\"otherData\"")));
}

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

/* Without "tid" it is the process's first thread, whose number is the process's. */
static uint32_t thread_of(struct reader *reader, const struct lode_chrome_event *event)
{
	bool is_made_pid, is_made_tid;
	int32_t pid = number_of(reader, event->pid, &is_made_pid);
	int32_t tid = event->tid.at ? number_of(reader, event->tid, &is_made_tid) : pid;
	uint32_t *slot =
		lode_map_slot(&reader->thread_index, (uint64_t)(uint32_t)pid << 32 | (uint32_t)tid);

	if (!event->tid.at)
		is_made_tid = is_made_pid;
	if (*slot == LODE_NONE) {
		struct thread thread = {.pid = pid, .tid = tid, .name = LODE_NONE};

		if (is_made_tid) {
			const char *text = reader->ids.text.at[-1 - tid];

			thread.name = lode_call_names_string(&reader->names, text, strlen(text));
		}
		*slot = (uint32_t)reader->threads.n;
		lode_vec_append(&reader->threads, thread);
	}
	return *slot;
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
		uint64_t key = (uint64_t)(uint32_t)given->pid << 32 | (uint32_t)given->tid;

		if (given->has_tid)
			*lode_map_slot(&by_both, key) = given->name;
		else
			*lode_map_slot(&by_tid, (uint32_t)given->tid) = given->name;
	}
	for (uint32_t i = 0; i < reader->threads.n; i++) {
		struct thread *thread = &reader->threads.at[i];
		uint64_t key = (uint64_t)(uint32_t)thread->pid << 32 | (uint32_t)thread->tid;
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

static int take_call(struct reader *reader, const struct lode_chrome_event *event, char phase)
{
	struct lode_call_sorted call = {.event = reader->n_events};
	bool has_name = event->name.at && event->name.len;

	if (!event->ts.at || !lode_decimal_parse(&call.t_ns, event->ts.at, event->ts.len, 3))
		return bad_event(reader, "its \"ts\" is not a time in microseconds");
	switch (phase) {
	case 'B':
		call.span_ns = LODE_CALL_SORT_ENTER;
		break;
	case 'E':
		call.span_ns = has_name ? LODE_CALL_SORT_EXIT : LODE_CALL_SORT_EXIT_ANY;
		break;
	default:
		if (!event->dur.at)
			call.span_ns = 0;
		else if (!lode_decimal_parse(&call.span_ns, event->dur.at, event->dur.len, 3) ||
			 call.span_ns < 0)
			return bad_event(reader, "its \"dur\" is not a length in microseconds");
	}
	if (has_name)
		call.function = function_of(reader, event->name);
	else if (phase != 'E')
		call.function = function_of(reader, (struct lode_slice){"(no name)", 9});
	reader->n_calls++;
	call.thread = thread_of(reader, event);
	call.tid = reader->threads.at[call.thread].tid;
	return lode_call_sort_add(reader->sort, &call, reader->err);
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
	case 'M':
		take_metadata(reader, event);
		return LODE_OK;
	default: /* counters, flows, instants, asynchronous events: no calls */
		return LODE_OK;
	}
}

/* ---- All ---- */

static int hand_over(struct reader *reader, struct lode_error *err)
{
	struct lode_call_sink *sink = reader->sink;
	uint32_t *threads = lode_alloc(reader->threads.n * sizeof(*threads) + 1);
	int rc;

	apply_names(reader);
	for (size_t i = 0; i < reader->threads.n; i++) {
		const struct thread *t = &reader->threads.at[i];
		const char *name =
			t->name == LODE_NONE ? NULL : reader->names.strings.text.at[t->name];

		threads[i] = sink->thread(sink->context, t->pid, t->tid, name);
	}
	rc = lode_call_sort_finish(reader->sort, sink, threads, err);
	free(threads);
	return rc;
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
				 "none of its %llu events is a call (\"ph\" B, E or X)",
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
	return rc;
}

const struct lode_format lode_format_chrome = {
	.name = "Chrome trace events",
	.words = "Chrome trace events (JSON)",
	.recognise = recognise,
	.read_calls = read_chrome,
};
