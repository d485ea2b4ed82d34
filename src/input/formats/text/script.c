/*
 * The text that `perf script` writes (docs/formats/perf-script.md), for people who have only that.
 *
 *   comm pid/tid [cpu] time: period event: payload       starts a sample
 *   <tab> address symbol+offset (dso)                    its callchain, leaf first
 *   <empty line>                                         ends it
 *
 * A line of a callchain is parsed once per distinct text. The nodes of the call tree serve as raw
 * stacks of the builder.
 */
#include "input/source.h"
#include "input/stream_calls.h"

#include "base/escape.h"
#include "base/lines.h"
#include "model/clock_guard.h"
#include "model/tracers.h"
#include "input/symbols/demangle.h"
#include "input/formats/text/modules.h"
#include "input/formats/text/script_event.h"
#include "input/formats/text/script_line.h"

#define COMM_BYTES     64 /* the kernel's names have 16 */
#define IDENTITY_BYTES ((size_t)64 << 10)
#define MAX_STACK      127 /* what perf records at most, unless set otherwise */

/* A distinct line of a callchain. */
struct frame_text {
	uint32_t frame;	   /* LODE_NONE: inlined; its module is that of the next line */
	uint32_t function; /* string id of an inlined function */
	bool is_part;	   /* the compiler cut it out of its caller, which has the same name */
	bool is_kernel;
	bool is_stray; /* outside of all mappings, and without a name */
};

/* The sample that is being read: its parts outlive the line that they stood in. */
struct pending {
	bool is_open;
	const struct lode_script_event *event; /* NULL: a record that has no stack to wait for */
	struct lode_sample sample;
	struct lode_switch switched;
	struct lode_waking waking;
	char comm[COMM_BYTES], other_comm[COMM_BYTES];
	bool is_understood;	      /* its payload could be read */
	struct lode_tap_event tapped; /* id LODE_NONE: the tap does not want it */
	char text[LODE_TAP_TEXT_BYTES];
};

struct script {
	struct lode_lines lines;
	const struct lode_source_options *options;
	struct lode_builder *builder;
	struct lode_stream *stream; /* the builder's */
	const char *path;
	struct lode_script_events events;
	LODE_VEC(struct lode_tap_wish) wishes; /* per event */
	bool is_tap_begun;
	struct pending pending;
	LODE_VEC(struct frame_text) frames; /* of the pending sample, leaf first */
	struct lode_strings texts;	    /* distinct lines of callchains */
	LODE_VEC(struct frame_text) frame_of_text;
	struct lode_strings comms;
	struct lode_map comm_of_tid;
	struct lode_clock_guard clock;
	LODE_VEC(uint8_t) node_flags; /* enum lode_stack_flag per node */
	int32_t command_tid;	      /* what perf started; 0: not seen */
	bool has_task_records, has_waking, has_pids, is_truncated;
	uint64_t n_samples, n_lines;
	uint64_t identity;
	size_t n_hashed;
};

static void copy_text(char *to, size_t size, struct lode_slice text)
{
	size_t n = text.len < size - 1 ? text.len : size - 1;

	memcpy(to, text.at, n);
	to[n] = '\0';
}

static void bad_line(struct script *s, const char *line, const char *what)
{
	char shown[256];

	lode_loss_add(&s->stream->losses, LODE_LOSS_BAD_RECORD, 1, s->lines.offset, 0,
		      "line %lld %s: %s", (long long)s->lines.number, what,
		      lode_escape_fit(shown, sizeof(shown), line, 60));
}

/* ---- Stacks ---- */

static struct frame_text intern_frame(struct script *s, const struct lode_script_frame *frame)
{
	bool is_jit = frame->module.len > 5 && !memcmp(frame->module.at, "perf-", 5);
	struct lode_slice own = frame->function;
	struct lode_calltree *tree = &s->stream->tree;
	char *module = lode_alloc(frame->module.len + 1);
	char *function = lode_alloc(frame->function.len + 1);
	struct frame_text out = {.frame = LODE_NONE};
	const char *name = module, *shown;

	copy_text(module, frame->module.len + 1, frame->module);
	/* Names of code made at run time are the program's own. */
	if (!is_jit) {
		own.len = lode_function_bytes(own.at, own.len);
		out.is_part = lode_function_is_part(frame->function.at, frame->function.len);
	}
	copy_text(function, frame->function.len + 1, own);
	shown = is_jit ? NULL : lode_demangle(function, &s->stream->arena);
	if (!shown)
		shown = function;
	out.is_kernel = frame->is_kernel;
	out.is_stray =
		!frame->is_kernel && !frame->is_inlined && !*shown && !strcmp(module, "[unknown]");
	if (frame->is_kernel)
		name = "[kernel]";
	else if (!strcmp(module, "[unknown]") || (!*module && !*shown)) /* -F without dso */
		name = "unknown";
	else if (is_jit && strstr(module, ".map"))
		name = "[jit]";
	if (frame->is_inlined)
		out.function = lode_strings_intern(&tree->strings, shown, strlen(shown));
	else
		out.frame = lode_frame_intern(tree, name, shown,
					      frame->is_kernel ? LODE_FRAME_KERNEL : 0);
	free(module);
	free(function);
	return out;
}

/* One line of a callchain; false if it is none. */
static bool take_frame(struct script *s, const char *line, size_t len)
{
	uint32_t id;

	while (len && (*line == '\t' || *line == ' '))
		line++, len--;
	id = lode_strings_find(&s->texts, line, len);
	if (id == LODE_NONE) {
		struct lode_script_frame frame;

		if (!lode_script_parse_frame(&frame, line, len))
			return false;
		id = lode_strings_intern(&s->texts, line, len);
		lode_vec_append(&s->frame_of_text, intern_frame(s, &frame));
	}
	lode_vec_append(&s->frames, s->frame_of_text.at[id]);
	return true;
}

/* An inlined function lies in the module of the function that it was compiled into. */
static uint32_t inlined_frame(struct script *s, uint32_t function, uint32_t parent)
{
	struct lode_calltree *tree = &s->stream->tree;
	const char *module = "";
	uint32_t flags = LODE_FRAME_INLINED;

	if (parent) {
		uint32_t outer = tree->nodes.at[parent].frame;

		module = lode_frame_module(tree, outer);
		flags |= tree->frames.at[outer].flags & LODE_FRAME_KERNEL;
	}
	return lode_frame_intern(tree, module, tree->strings.text.at[function], flags);
}

/* Callers outside of all mappings, as in perf.data (perf_resolve.c). */
static void drop_strays(struct script *s)
{
	size_t n = 0;

	for (size_t i = 0, n_code = 0; i < s->frames.n; i++) {
		const struct frame_text *f = &s->frames.at[i];

		n_code += !f->is_stray && !f->is_kernel;
		if (!f->is_stray || !n_code)
			s->frames.at[n++] = *f;
	}
	s->frames.n = n;
}

static uint32_t pending_stack(struct script *s)
{
	struct lode_calltree *tree = &s->stream->tree;
	uint32_t node = 0;
	bool is_truncated = s->frames.n >= MAX_STACK;

	drop_strays(s);
	for (size_t i = s->frames.n; i-- > 0;) {
		const struct frame_text *f = &s->frames.at[i];
		uint32_t frame =
			f->frame == LODE_NONE ? inlined_frame(s, f->function, node) : f->frame;

		if (!f->is_part || !node || tree->nodes.at[node].frame != frame)
			node = lode_calltree_push(tree, node, frame);
	}
	while (s->node_flags.n < tree->nodes.n)
		lode_vec_append(&s->node_flags, 0);
	if (is_truncated)
		s->node_flags.at[node] |= LODE_STACK_TRUNCATED;
	return node;
}

/* ---- The tap ---- */

static void tap_begin(struct script *s)
{
	const struct lode_tap *tap = s->options->tap;

	if (tap && tap->begin && !s->is_tap_begun)
		tap->begin(tap->context, &(struct lode_tap_about){.arch = s->stream->arch});
	s->is_tap_begun = true;
}

/* What the tap wants of an event; it is asked when the first one comes. */
static const struct lode_tap_wish *wish_of(struct script *s, const struct lode_script_event *event)
{
	const struct lode_tap *tap = s->options->tap;

	while (s->wishes.n <= event->index) {
		struct lode_tap_wish wish = {.id = LODE_NONE};
		struct lode_tap_kind kind = {
			.name = s->events.at.at[s->wishes.n].name,
			.is_sampled = s->events.at.at[s->wishes.n].frequency ||
				      s->events.at.at[s->wishes.n].period > 1,
		};

		kind.tracepoint = strchr(kind.name, ':') ? kind.name : NULL;
		if (tap->kind)
			tap->kind(tap->context, &kind, &wish);
		lode_vec_append(&s->wishes, wish);
	}
	return &s->wishes.at[event->index];
}

/* The fields that the tap wants, while the line is at hand. */
static void tap_payload(struct script *s, struct lode_slice payload)
{
	struct pending *p = &s->pending;
	const struct lode_tap_wish *wish;
	struct lode_tap_event *tapped = &p->tapped;
	struct lode_slice text;

	tapped->id = LODE_NONE;
	if (!s->options->tap)
		return;
	tap_begin(s);
	wish = wish_of(s, p->event);
	if (wish->id == LODE_NONE)
		return;
	*tapped = (struct lode_tap_event){.t_ns = p->sample.t_ns,
					  .id = wish->id,
					  .pid = p->sample.pid,
					  .tid = p->sample.tid,
					  .cpu = p->sample.cpu};
	for (unsigned i = 0; i < wish->n_fields; i++)
		if (lode_script_value(&tapped->values[i], p->event->name, payload, wish->field[i],
				      wish->element[i]))
			tapped->found |= (uint8_t)(1u << i);
	if (!wish->text)
		return;
	text = lode_script_text(p->event->name, payload, wish->text);
	copy_text(p->text, sizeof(p->text), text);
	tapped->text = text.len ? p->text : NULL;
}

static void tap_event(struct script *s, uint32_t stack)
{
	const struct lode_tap *tap = s->options->tap;
	struct lode_tap_event *tapped = &s->pending.tapped;
	struct lode_narrow window;

	if (!tap || tapped->id == LODE_NONE)
		return;
	lode_builder_window(s->builder, &window);
	tapped->is_inside = tapped->t_ns >= window.from_ns && tapped->t_ns < window.to_ns &&
			    (window.cpu < 0 || (uint32_t)window.cpu == tapped->cpu);
	tapped->stack = stack;
	tap->event(tap->context, tapped);
}

static void tap_record(struct script *s, const struct lode_script_record *record,
		       const struct lode_sample *at)
{
	const struct lode_tap *tap = s->options->tap;

	if (!tap)
		return;
	tap_begin(s);
	if (record->kind == LODE_SCRIPT_RECORD_FORK && tap->born)
		tap->born(tap->context, at->t_ns, record->pid, record->tid);
	else if (record->kind == LODE_SCRIPT_RECORD_EXIT && tap->ended)
		tap->ended(tap->context, at->t_ns, record->tid);
	else if (record->kind == LODE_SCRIPT_RECORD_LOST && tap->lost)
		tap->lost(tap->context, at->t_ns, at->cpu);
}

/* ---- Threads ---- */

static void set_comm(struct script *s, const struct lode_sample *sample, struct lode_slice comm)
{
	uint32_t *known;
	uint32_t id;
	char text[COMM_BYTES];
	bool is_exec;

	if (sample->tid <= 0 || !comm.len)
		return;
	id = lode_strings_intern(&s->comms, comm.at, comm.len);
	known = lode_map_slot(&s->comm_of_tid, (uint32_t)sample->tid);
	if (*known == id)
		return;
	/* perf starts its command under this name, which then becomes the command's. */
	is_exec = *known != LODE_NONE && !strcmp(s->comms.text.at[*known], "perf-exec");
	*known = id;
	if (is_exec)
		s->command_tid = sample->tid;
	copy_text(text, sizeof(text), comm);
	lode_builder_comm(s->builder, sample->t_ns, sample->pid, sample->tid, text, is_exec);
}

/* What --show-task-events and --show-lost-events print. */
static void take_record_script(struct script *s, const struct lode_sample *at,
			       struct lode_slice text)
{
	struct lode_script_record record;
	char name[COMM_BYTES];

	if (!lode_script_parse_record(&record, text)) {
		if (at->t_ns > 0)
			lode_builder_time(s->builder, at->t_ns);
		return;
	}
	s->has_task_records |= record.kind != LODE_SCRIPT_RECORD_LOST;
	tap_record(s, &record, at);
	switch (record.kind) {
	case LODE_SCRIPT_RECORD_FORK:
		lode_builder_fork(s->builder, at->t_ns, record.pid, record.tid, record.parent_pid,
				  record.parent_tid);
		break;
	case LODE_SCRIPT_RECORD_EXIT:
		lode_builder_exit(s->builder, at->t_ns, record.pid, record.tid);
		break;
	case LODE_SCRIPT_RECORD_COMM:
		copy_text(name, sizeof(name), record.comm);
		lode_builder_comm(s->builder, at->t_ns, record.pid, record.tid, name,
				  record.is_exec);
		break;
	case LODE_SCRIPT_RECORD_LOST:
		lode_loss_add(&s->stream->losses, LODE_LOSS_EVENTS, record.n_lost, s->lines.offset,
			      at->t_ns, "line %lld: %llu events lost", (long long)s->lines.number,
			      (unsigned long long)record.n_lost);
		lode_builder_lost(s->builder, at->t_ns, at->cpu);
		break;
	}
}

/* Births and ends from their tracepoints, where the records are not in the text. */
static void take_process_event(struct script *s, const struct lode_sample *at,
			       enum lode_script_class class, struct lode_slice payload)
{
	int64_t tid;

	if (s->has_task_records)
		return;
	if (class == LODE_SCRIPT_FORK && lode_script_number(payload, "child_pid=", &tid))
		lode_builder_fork(s->builder, at->t_ns, -1, (int32_t)tid, at->pid, at->tid);
	else if (class == LODE_SCRIPT_EXIT && lode_script_number(payload, "pid=", &tid))
		lode_builder_exit(s->builder, at->t_ns, -1, (int32_t)tid);
}

/* ---- Samples ---- */

static void set_left(struct lode_switch *record, struct lode_slice state)
{
	int64_t bits = -1;

	/* Without the kernel's table of names perf prints the bits: 1 S, 2 D, 16 X, 32 Z, 256 R+.
	 */
	if (state.len && lode_is_digit(state.at[0])) {
		bits = strtoll(state.at, NULL, 0);
		record->left = (bits & 0x30) ? LODE_LEFT_DEAD
			       : bits & 0xff ? LODE_LEFT_SLEEPING
					     : LODE_LEFT_RUNNABLE;
		record->is_disk_sleep = bits & 2;
		return;
	}
	if (!state.len || state.at[0] == 'R')
		record->left = LODE_LEFT_RUNNABLE;
	else if (state.at[0] == 'X' || state.at[0] == 'Z')
		record->left = LODE_LEFT_DEAD;
	else
		record->left = LODE_LEFT_SLEEPING;
	record->is_disk_sleep = state.len && state.at[0] == 'D';
}

static bool take_switch(struct pending *p, struct lode_slice payload)
{
	struct lode_script_switch parsed;

	if (!lode_script_parse_switch(&parsed, payload))
		return false;
	copy_text(p->comm, sizeof(p->comm), parsed.prev_comm);
	copy_text(p->other_comm, sizeof(p->other_comm), parsed.next_comm);
	p->switched = (struct lode_switch){.t_ns = p->sample.t_ns,
					   .cpu = p->sample.cpu,
					   .prev_pid = parsed.prev_pid,
					   .next_pid = parsed.next_pid,
					   .prev_comm = p->comm,
					   .next_comm = p->other_comm};
	set_left(&p->switched, parsed.prev_state);
	return true;
}

static bool take_waking(struct pending *p, struct lode_slice payload)
{
	struct lode_script_waking parsed;

	if (!lode_script_parse_waking(&parsed, payload))
		return false;
	copy_text(p->comm, sizeof(p->comm), parsed.comm);
	p->waking = (struct lode_waking){.t_ns = p->sample.t_ns,
					 .cpu = p->sample.cpu,
					 .waker_tid = p->sample.tid,
					 .wakee_tid = parsed.pid,
					 .wakee_comm = p->comm};
	return true;
}

/* Gives the pending sample, whose stack is complete now, to the builder. */
static void emit(struct script *s)
{
	struct pending *p = &s->pending;
	uint32_t stack;

	if (!p->is_open)
		return;
	p->is_open = false;
	stack = p->sample.stack = pending_stack(s);
	/* One frame is what perf script prints of an event without a callchain as well. */
	if (s->frames.n > 1)
		lode_script_events_has_callchain(&s->events, p->event);
	s->frames.n = 0;
	tap_event(s, stack);
	if (!p->event || !p->is_understood)
		return;
	switch (p->event->class) {
	case LODE_SCRIPT_SWITCH:
		p->switched.stack = stack;
		lode_builder_switch(s->builder, &p->switched);
		break;
	case LODE_SCRIPT_WAKING:
	case LODE_SCRIPT_WAKEUP:
		/* A wake-up follows its waking: it adds nothing where both are recorded. */
		s->has_waking |= p->event->class == LODE_SCRIPT_WAKING;
		p->waking.stack = stack;
		if (p->event->class == LODE_SCRIPT_WAKING || !s->has_waking)
			lode_builder_waking(s->builder, &p->waking);
		break;
	case LODE_SCRIPT_CPU:
		lode_builder_sample(s->builder, &p->sample);
		break;
	case LODE_SCRIPT_OFFCPU:
		lode_builder_offcpu(s->builder, &p->sample);
		break;
	default:
		break;
	}
}

/* The part of a sample that needs no stack. */
static void take_payload(struct script *s, struct lode_slice payload)
{
	struct pending *p = &s->pending;
	const struct lode_sample *at = &p->sample;

	p->is_understood = true;
	switch (p->event->class) {
	case LODE_SCRIPT_SWITCH:
		p->is_understood = take_switch(p, payload);
		break;
	case LODE_SCRIPT_WAKING:
	case LODE_SCRIPT_WAKEUP:
		p->is_understood = take_waking(p, payload);
		break;
	case LODE_SCRIPT_FORK:
	case LODE_SCRIPT_EXIT:
		take_process_event(s, at, p->event->class, payload);
		break;
	case LODE_SCRIPT_SYS_ENTER:
		lode_builder_syscall_enter(s->builder, at->t_ns, at->tid, p->event->syscall_key,
					   p->event->syscall);
		break;
	case LODE_SCRIPT_SYS_EXIT:
		lode_builder_syscall_exit(s->builder, at->t_ns, at->tid);
		break;
	case LODE_SCRIPT_CPU:
	case LODE_SCRIPT_OFFCPU:
		/* Without a callchain the one address stands where a payload would. */
		if (payload.len)
			take_frame(s, payload.at, payload.len);
		break;
	default:
		lode_builder_time(s->builder, at->t_ns);
		break;
	}
	if (!p->is_understood)
		lode_loss_add(&s->stream->losses, LODE_LOSS_UNDECODABLE, 1, s->lines.offset,
			      at->t_ns, "line %lld: cannot parse the fields of %s",
			      (long long)s->lines.number, p->event->name);
}

/* Of a wrong time the one before. What was so before the recording has no time. */
static int64_t mended_time(struct script *s, int64_t read_ns)
{
	int64_t before_ns = s->clock.now_ns, t_ns;
	bool is_odd;

	if (read_ns <= 0)
		return read_ns;
	t_ns = lode_clock_guard_next(&s->clock, read_ns, &is_odd);
	if (is_odd)
		lode_loss_add(&s->stream->losses, LODE_LOSS_CLOCK_JUMP, 1, s->lines.offset, t_ns,
			      "line %lld: the clock jumps by %+.1f days: assumed to continue from "
			      "the previous record",
			      (long long)s->lines.number,
			      ((double)read_ns - (double)before_ns) / 86400e9);
	return t_ns;
}

/* A line that starts a sample; false if it does not. */
static bool take_sample(struct script *s, const char *line, size_t len)
{
	struct lode_script_sample parsed;
	struct pending *p = &s->pending;
	bool is_first;

	if (!lode_script_parse_sample(&parsed, line, len))
		return false;
	emit(s);
	p->sample = (struct lode_sample){.t_ns = mended_time(s, parsed.t_ns),
					 .cpu = parsed.cpu,
					 .pid = parsed.pid,
					 .tid = parsed.tid};
	if (parsed.payload.len > 12 && !memcmp(parsed.payload.at, "PERF_RECORD_", 12)) {
		take_record_script(s, &p->sample, parsed.payload);
		return true;
	}
	s->has_pids |= parsed.pid >= 0;
	set_comm(s, &p->sample, parsed.comm);
	s->n_samples++;
	p->is_open = true;
	p->event = lode_script_events_count(&s->events, parsed.event.at, parsed.event.len);
	p->sample.weight_ns = lode_script_weight(&s->events, p->event, &parsed, &is_first);
	if (is_first)
		lode_builder_drop_weights(s->builder);
	tap_payload(s, parsed.payload);
	take_payload(s, parsed.payload);
	return true;
}

/* ---- Comments of --header ---- */

static const char *value_of_script(const char *line, const char *key)
{
	size_t n = strlen(key);

	if (strncmp(line, "# ", 2) != 0 || strncmp(line + 2, key, n) != 0)
		return NULL;
	line += 2 + n;
	while (*line == ' ')
		line++;
	return strncmp(line, ": ", 2) == 0 ? line + 2 : NULL;
}

static const char *kept_word(struct script *s, const char *value)
{
	size_t n = strlen(value);

	while (n && value[n - 1] == ' ')
		n--;
	return lode_arena_strndup(&s->stream->arena, value, n);
}

static void take_comment(struct script *s, const char *line)
{
	const char *value;

	if ((value = value_of_script(line, "hostname")))
		s->stream->host = kept_word(s, value);
	else if ((value = value_of_script(line, "os release")))
		s->stream->kernel = kept_word(s, value);
	else if ((value = value_of_script(line, "arch")))
		s->stream->arch = kept_word(s, value);
	else if ((value = value_of_script(line, "cmdline")))
		s->stream->command = kept_word(s, value);
	else if ((value = value_of_script(line, "nrcpus online")))
		s->stream->n_cpus = (uint32_t)strtoul(value, NULL, 10);
	else if ((value = value_of_script(line, "event")))
		lode_script_events_describe(&s->events, value);
}

/* ---- The file ---- */

static void take_line_script(struct script *s, const char *line, size_t len)
{
	if (s->n_hashed < IDENTITY_BYTES) {
		s->identity = lode_stable_hash(line, len, s->identity);
		s->n_hashed += len;
	}
	if (!len) {
		emit(s);
	} else if (*line == '\t') {
		if (!s->pending.is_open)
			bad_line(s, line, "is a frame without a sample");
		else if (!take_frame(s, line, len))
			bad_line(s, line, "is not a frame");
	} else if (take_sample(s, line, len)) {
		return;
	} else if (*line == '#') {
		emit(s);
		take_comment(s, line);
	} else if (s->pending.is_open && lode_script_is_source_line(line, len)) {
		return; /* -F +srcline: where the frame before it is */
	} else if (!s->pending.is_open || !take_frame(s, line, len)) {
		bad_line(s, line, "is neither a sample nor a frame");
	}
}

/* The next line that is not too long; those that are, are lost. */
static int next_script(struct script *s, char **line, size_t *len, struct lode_error *err)
{
	int rc;

	while ((rc = lode_lines_next(&s->lines, line, len, err)) < 0 &&
	       lode_lines_may_go_on(&s->lines))
		lode_loss_add(&s->stream->losses, LODE_LOSS_BAD_RECORD, 1, s->lines.offset, 0,
			      "line %lld is longer than %zu MiB", (long long)s->lines.number,
			      LODE_LINE_MAX_BYTES >> 20);
	return rc;
}

static int read_lines_script(struct script *s, struct lode_error *err)
{
	char *line;
	size_t len;
	int rc;

	while ((rc = next_script(s, &line, &len, err)) > 0) {
		if (s->lines.is_unended) { /* perf ends its lines: this one is cut */
			lode_loss_add(&s->stream->losses, LODE_LOSS_TRUNCATED, 1, s->lines.offset,
				      0, "line %lld, the last one, has no end",
				      (long long)s->lines.number);
			s->is_truncated = true;
			break;
		}
		take_line_script(s, line, len);
		if (s->options->progress && ++s->n_lines % 65536 == 0)
			s->options->progress(s->options->progress_context,
					     lode_input_consumed_bytes(s->lines.input));
	}
	if (rc < 0 && s->n_samples) {
		lode_loss_add(&s->stream->losses, LODE_LOSS_TRUNCATED, 1, s->lines.next_offset, 0,
			      "%s", err->message);
		s->is_truncated = true;
		rc = 0;
	}
	if (!s->is_truncated) /* else its stack may lack frames */
		emit(s);
	return rc < 0 ? rc : 0;
}

/* Threads of the command's process. Without pids in the text: those that bear its name. */
static void mark_command(const struct script *s)
{
	uint32_t id = s->command_tid
			      ? lode_map_find(&s->stream->thread_index, (uint32_t)s->command_tid)
			      : LODE_NONE;
	const struct lode_thread *command;

	if (id == LODE_NONE)
		return;
	command = &s->stream->threads.at[id];
	for (size_t i = 0; i < s->stream->threads.n; i++) {
		struct lode_thread *thread = &s->stream->threads.at[i];

		thread->is_command |=
			s->has_pids ? thread->pid == command->pid : thread->comm == command->comm;
	}
}

static struct lode_stream *finish_script(struct script *s)
{
	struct lode_stream *stream = s->stream;
	size_t n = stream->tree.nodes.n;
	uint32_t *nodes = lode_alloc(n * sizeof(*nodes));
	uint64_t sums[2];

	for (size_t i = 0; i < n; i++)
		nodes[i] = (uint32_t)i;
	stream->stack_flags = s->node_flags.at;
	stream->n_stack_flags = s->node_flags.n;
	memset(&s->node_flags, 0, sizeof(s->node_flags));
	lode_builder_finish(s->builder, nodes, n);
	s->builder = NULL;
	stream->n_samples = s->n_samples;
	sums[0] = s->n_samples;
	sums[1] = (uint64_t)(stream->t1_ns - stream->t0_ns);
	stream->content_hash = lode_stable_hash(sums, sizeof(sums), s->identity);
	lode_script_events_finish(&s->events, stream);
	mark_command(s);
	lode_tracers_name_recorder(stream);
	lode_text_modules(stream, "names come from the text");
	if (s->options->tap && s->options->tap->finish)
		s->options->tap->finish(s->options->tap->context, stream, nodes, n);
	free(nodes);
	return stream;
}

static void release_script(struct script *s)
{
	lode_builder_free(s->builder);
	lode_lines_release(&s->lines);
	lode_script_events_release(&s->events);
	lode_vec_release(&s->wishes);
	lode_vec_release(&s->frames);
	lode_strings_release(&s->texts);
	lode_vec_release(&s->frame_of_text);
	lode_strings_release(&s->comms);
	lode_map_release(&s->comm_of_tid);
	lode_vec_release(&s->node_flags);
}

static int script_load(struct lode_stream **out, struct lode_input *input,
		       const struct lode_source_options *options, struct lode_error *err)
{
	struct script s = {.options = options, .path = lode_input_path(input)};
	struct lode_error local;
	int rc;

	*out = NULL;
	lode_lines_init(&s.lines, input);
	s.builder = lode_builder_new(s.path, "perf script", "ns", &options->narrow);
	s.stream = lode_builder_stream(s.builder);
	rc = read_lines_script(&s, err ? err : &local);
	if (rc == 0 && !s.n_samples)
		rc = lode_fail(err, LODE_ERR_FORMAT, s.path, -1,
			       "no line is a sample of perf script: the fields comm, tid, time "
			       "and event (ip, sym and dso for stacks) are needed");
	if (rc == 0)
		*out = finish_script(&s);
	release_script(&s);
	return rc;
}

static bool script_recognise(const uint8_t *head, size_t size)
{
	const char *text = (const char *)head, *end = text + size;
	static const char first[] = "# ========\n# captured on";
	struct lode_script_sample sample;

	if (!size)
		return false;
	if (size > sizeof(first) && !memcmp(text, first, sizeof(first) - 1))
		return true;
	while (text < end) {
		const char *feed = memchr(text, '\n', (size_t)(end - text));
		size_t len = (size_t)((feed ? feed : end) - text);

		if (len && text[len - 1] == '\r')
			len--;
		if (memchr(text, '\0', len))
			return false;
		if (lode_script_parse_sample(&sample, text, len))
			return true;
		if (len && *text != '#')
			return false;
		text = feed ? feed + 1 : end;
	}
	return false;
}

static const char *const file_globs[] = {"*.perf-script", "*.perf.script", NULL};

const struct lode_format lode_format_script = {
	.name = "perf script",
	.words = "perf script text",
	.recognise = script_recognise,
	.globs = file_globs,
	.named = "perf script's output",
	.begins = "samples as perf script prints them",
	.load = script_load,
	.read_calls = lode_stream_calls_read,
};
