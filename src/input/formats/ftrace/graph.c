/* Reads function_graph text of ftrace. */
#include "input/call_source.h"

#include <stdio.h>

#include "base/time_sum.h"
#include "base/lines.h"
#include "model/clock_guard.h"
#include "input/call_batch.h"
#include "input/formats/ftrace/graph_line.h"

/*
 * Who runs on a CPU is in each line (funcgraph-proc) or in lines of their own when it changes. What
 * comes before the first of those is held until it says who that was.
 *
 * Times of the text are cut to microseconds, lengths are not. A call starts at its time, or at the
 * end of what its thread did before if that is later; it ends at its line's time, or at its start
 * and its length if that is later. All of these are at or before the truth, so their latest is the
 * best that the text gives, and nothing overlaps. Text without times is laid end to end.
 */

/* LIMIT: with more than this the thread of a CPU that has told no name is called by the CPU. */
#define HELD_MAX ((size_t)1 << 20)

struct task {
	uint32_t thread; /* the sink's; LODE_NONE: not known yet */
	bool has_name;
	int64_t last_ns;
	LODE_VEC(int64_t) starts; /* of the functions that are open */
	LODE_VEC(struct lode_call_event) held;
};

struct cpu {
	uint32_t task;	/* index; LODE_NONE: nothing ran here yet */
	int64_t now_ns; /* where the text has no times */
};

struct reader {
	struct lode_call_sink *sink;
	struct lode_call_batches batches;
	struct lode_call_names names;
	LODE_VEC(struct task) tasks;
	struct lode_map by_tid; /* -> index; idle threads as -1 - CPU */
	LODE_VEC(struct cpu) cpus;
	uint64_t n_calls;
	bool has_times, has_durations, lacks_times;
	struct lode_clock_guard clock; /* lines stand in order of time */
	int64_t line;
	struct lode_error *err;
};

/* ---- Who ---- */

static uint32_t add_task(struct reader *r, uint32_t thread)
{
	struct task *task = lode_vec_append_zero(&r->tasks);

	task->thread = thread;
	task->last_ns = INT64_MIN;
	return (uint32_t)(r->tasks.n - 1);
}

/* Events of a thread that is known now go where they belong. */
static int release_held(struct reader *r, struct task *task)
{
	int rc = LODE_OK;

	for (size_t i = 0; i < task->held.n && rc == LODE_OK; i++) {
		const struct lode_call_event *e = &task->held.at[i];

		rc = lode_call_batches_add(&r->batches, task->thread, e->t_ns,
					   (enum lode_call_event_kind)e->kind, e->function, r->err);
	}
	lode_vec_release(&task->held);
	return rc;
}

struct identity {
	int32_t tid;
	char name[64]; /* empty: not known */
};

static struct identity identify(const struct lode_graph_task *task, int32_t cpu)
{
	struct identity id = {.tid = task->tid};
	size_t n = task->comm.len < sizeof(id.name) - 1 ? task->comm.len : sizeof(id.name) - 1;

	if (task->tid == 0) { /* one per CPU, all of the same number */
		id.tid = -1 - cpu;
		snprintf(id.name, sizeof(id.name), "swapper/%d", cpu);
	} else if (task->comm.len != 5 || memcmp(task->comm.at, "<...>", 5) != 0) {
		memcpy(id.name, task->comm.at, n);
	}
	return id;
}

static uint32_t task_of(struct reader *r, const struct lode_graph_task *named, int32_t cpu)
{
	struct identity id = identify(named, cpu);
	uint32_t *slot = lode_map_slot(&r->by_tid, (uint32_t)id.tid);
	struct lode_call_sink *sink = r->sink;

	if (*slot == LODE_NONE)
		*slot = add_task(r,
				 sink->thread(sink->context, 0, id.tid, *id.name ? id.name : NULL));
	else if (*id.name && !r->tasks.at[*slot].has_name)
		sink->thread(sink->context, 0, id.tid, id.name);
	if (*id.name)
		r->tasks.at[*slot].has_name = true;
	return *slot;
}

static struct cpu *cpu_of(struct reader *r, int32_t number)
{
	size_t i = number < 0 ? 0 : (size_t)number;

	while (r->cpus.n <= i) {
		struct cpu cpu = {.task = LODE_NONE};

		lode_vec_append(&r->cpus, cpu);
	}
	return &r->cpus.at[i];
}

/* The thread is unknown: it is named by its CPU. */
static int name_by_cpu(struct reader *r, struct task *task, size_t cpu)
{
	struct lode_call_sink *sink = r->sink;
	char name[32];

	snprintf(name, sizeof(name), "CPU %zu", cpu);
	task->thread = sink->thread(sink->context, 0, -1 - (int32_t)(cpu + (1u << 20)), name);
	return release_held(r, task);
}

static int take_switch(struct reader *r, const struct lode_graph_line *line)
{
	struct cpu *cpu = cpu_of(r, line->cpu);
	uint32_t prev = task_of(r, &line->task, line->cpu);
	int rc = LODE_OK;

	if (cpu->task != LODE_NONE && r->tasks.at[cpu->task].thread == LODE_NONE) {
		struct task *unknown = &r->tasks.at[cpu->task], *known = &r->tasks.at[prev];

		unknown->thread = known->thread;
		rc = release_held(r, unknown);
		if (known->last_ns < unknown->last_ns)
			known->last_ns = unknown->last_ns;
		/* What it had open is still open when it comes back. */
		for (size_t i = 0; i < unknown->starts.n && known->starts.n < unknown->starts.n;
		     i++)
			lode_vec_append(&known->starts, unknown->starts.at[i]);
	}
	cpu->task = task_of(r, &line->next, line->cpu);
	return rc;
}

/* ---- What and when ---- */

static int put_graph(struct reader *r, struct task *task, size_t cpu, int64_t t_ns,
		     enum lode_call_event_kind kind, uint32_t function)
{
	struct lode_call_event event = {.t_ns = t_ns, .function = function, .kind = (uint8_t)kind};

	task->last_ns = t_ns;
	if (task->thread != LODE_NONE)
		return lode_call_batches_add(&r->batches, task->thread, t_ns, kind, function,
					     r->err);
	lode_vec_append(&task->held, event);
	return task->held.n < HELD_MAX ? LODE_OK : name_by_cpu(r, task, cpu);
}

static uint32_t function_of_graph(struct reader *r, const struct lode_graph_line *line)
{
	char module[64] = "[kernel]";
	size_t n = line->module.len;

	if (n && n < sizeof(module) - 2) {
		module[0] = '[';
		memcpy(module + 1, line->module.at, n);
		memcpy(module + 1 + n, "]", 2);
	}
	return lode_call_names_id(&r->names, r->sink, module, line->function.at,
				  line->function.len);
}

/* The later of a line's time and one worked out from lengths, unless that is beyond all reason: a
   wrong length moves nothing but its own call's end. */
static int64_t later(int64_t a, int64_t b)
{
	return a > b || !lode_clock_is_near(a, b) ? a : b;
}

static void say_jump(struct reader *r, int64_t t_ns, int64_t by_ns, const char *what)
{
	lode_loss_add(r->sink->losses, LODE_LOSS_CLOCK_JUMP, 1, -1, t_ns,
		      "line %lld: %+.1f days %s", (long long)r->line,
		      (double)by_ns / (double)LODE_CLOCK_DAY_NS, what);
}

/* In order of the file: a wrong time becomes that of the line before. */
static void mend_time(struct reader *r, struct lode_graph_line *line)
{
	int64_t read_ns = line->t_ns, before_ns = r->clock.now_ns, by_ns;
	bool is_odd;

	line->t_ns = lode_clock_guard_next(&r->clock, read_ns, &is_odd);
	if (is_odd && !__builtin_sub_overflow(read_ns, before_ns, &by_ns))
		say_jump(r, before_ns, by_ns,
			 "from the line before: assumed to continue from there");
}

static int take_exit(struct reader *r, struct task *task, struct cpu *cpu,
		     const struct lode_graph_line *line, int64_t at_ns)
{
	bool is_named = line->function.len > 0;

	if (task->starts.n) {
		int64_t start_ns = task->starts.at[--task->starts.n];

		if (line->has_duration && lode_clock_is_near(start_ns, at_ns) &&
		    line->duration_ns > 2 * LODE_CLOCK_DAY_NS)
			say_jump(r, at_ns, line->duration_ns,
				 "is an implausible duration of a call: ended at its line instead");
		else if (line->has_duration)
			at_ns = later(at_ns, lode_time_add(start_ns, line->duration_ns));
	}
	cpu->now_ns = at_ns;
	return put_graph(r, task, (size_t)(cpu - r->cpus.at), at_ns,
			 is_named ? LODE_CALL_EXIT : LODE_CALL_EXIT_ANY,
			 is_named ? function_of_graph(r, line) : 0);
}

static int take_call(struct reader *r, const struct lode_graph_line *line)
{
	struct cpu *cpu = cpu_of(r, line->cpu);
	size_t index = (size_t)(cpu - r->cpus.at);
	struct task *task;
	uint32_t function;
	int64_t at_ns;
	int rc;

	if (line->task.comm.at)
		cpu->task = task_of(r, &line->task, line->cpu < 0 ? 0 : line->cpu);
	else if (cpu->task == LODE_NONE)
		cpu->task = add_task(r, LODE_NONE);
	task = &r->tasks.at[cpu->task];
	r->has_times = r->has_times || line->has_time;
	r->lacks_times = r->lacks_times || !line->has_time;
	r->has_durations = r->has_durations || line->has_duration;
	r->n_calls++;
	at_ns = later(line->has_time ? line->t_ns : cpu->now_ns, task->last_ns);
	if (line->kind == LODE_GRAPH_EXIT)
		return take_exit(r, task, cpu, line, at_ns);
	function = function_of_graph(r, line);
	rc = put_graph(r, task, index, at_ns, LODE_CALL_ENTER, function);
	if (line->kind == LODE_GRAPH_ENTER) {
		lode_vec_append(&task->starts, at_ns);
	} else if (rc == LODE_OK) {
		if (line->has_duration)
			at_ns = lode_time_add(at_ns, line->duration_ns);
		rc = put_graph(r, task, index, at_ns, LODE_CALL_EXIT, function);
	}
	cpu->now_ns = at_ns;
	return rc;
}

/* Lines of a CPU are missing: the open calls of the thread that ran there are no longer known. */
static int take_lost(struct reader *r, const struct lode_graph_line *line)
{
	struct cpu *cpu = cpu_of(r, line->cpu);
	struct task *task;

	lode_loss_add(r->sink->losses, LODE_LOSS_EVENTS, line->n_lost, -1, cpu->now_ns,
		      "CPU %d lost %llu events", line->cpu, (unsigned long long)line->n_lost);
	if (cpu->task == LODE_NONE)
		return LODE_OK;
	task = &r->tasks.at[cpu->task];
	task->starts.n = 0;
	return put_graph(r, task, (size_t)(cpu - r->cpus.at), later(cpu->now_ns, task->last_ns),
			 LODE_CALL_CUT, 0);
}

static int take_line_graph(struct reader *r, const struct lode_graph_line *line, int64_t number,
			   int64_t offset)
{
	enum { CPUS_MAX = 1 << 16 }; /* LIMIT: CPUs beyond are no CPUs */

	if (line->cpu >= CPUS_MAX || line->kind == LODE_GRAPH_BAD) {
		lode_loss_add(r->sink->losses, LODE_LOSS_BAD_RECORD, 1, offset, 0,
			      "line %lld: not a line of function_graph", (long long)number);
		return LODE_OK;
	}
	switch (line->kind) {
	case LODE_GRAPH_ENTER:
	case LODE_GRAPH_LEAF:
	case LODE_GRAPH_EXIT:
		return take_call(r, line);
	case LODE_GRAPH_SWITCH:
		return take_switch(r, line);
	case LODE_GRAPH_LOST:
		return take_lost(r, line);
	default:
		return LODE_OK;
	}
}

/* ---- All ---- */

static int finish_graph(struct reader *r, const char *path, struct lode_error *err)
{
	int rc = LODE_OK;

	if (r->n_calls == 0)
		return lode_fail(err, LODE_ERR_FORMAT, path, -1,
				 "no calls found: another tracer was used, or nothing was traced");
	if (!r->has_times && !r->has_durations)
		return lode_fail(err, LODE_ERR_UNSUPPORTED, path, -1,
				 "the text has no times or durations: record with the options "
				 "funcgraph-abstime and funcgraph-duration");
	if (r->lacks_times)
		lode_loss_add(r->sink->losses, LODE_LOSS_UNDECODABLE, 1, -1, 0,
			      "no times in the text: calls are placed end to end on each CPU, and "
			      "CPUs are not aligned (record with funcgraph-abstime)");
	for (size_t i = 0; i < r->cpus.n && rc == LODE_OK; i++) {
		uint32_t task = r->cpus.at[i].task;

		if (task != LODE_NONE && r->tasks.at[task].thread == LODE_NONE)
			rc = name_by_cpu(r, &r->tasks.at[task], i);
	}
	return rc < 0 ? rc : lode_call_batches_flush(&r->batches, err);
}

static int read_lines_graph(struct reader *r, struct lode_input *input,
			    const struct lode_call_options *options, struct lode_error *err)
{
	struct lode_error fault;
	struct lode_lines lines;
	int rc = LODE_OK, more = 0;
	char *text;
	size_t len;

	lode_lines_init(&lines, input);
	while (rc == LODE_OK && (more = lode_lines_next(&lines, &text, &len, &fault)) > 0) {
		struct lode_graph_line line;

		lode_graph_parse(&line, text, len);
		r->line = lines.number;
		if (line.has_time)
			mend_time(r, &line);
		rc = take_line_graph(r, &line, lines.number, lines.offset);
		if (options->progress && lines.number % 65536 == 0)
			options->progress(options->progress_context,
					  lode_input_consumed_bytes(input),
					  lode_input_size_bytes(input));
	}
	if (more < 0)
		lode_loss_add(r->sink->losses, LODE_LOSS_TRUNCATED, 1, lines.next_offset, 0, "%s",
			      fault.message);
	lode_lines_release(&lines);
	return rc < 0 ? rc : finish_graph(r, lode_input_path(input), err);
}

static int read_graph(struct lode_input *input, const struct lode_call_options *options,
		      struct lode_call_sink *sink, struct lode_error *err)
{
	static const struct lode_calls_about about = {.format = "ftrace function_graph"};
	struct reader reader = {.sink = sink, .batches.sink = sink, .err = err};
	int rc;

	if (sink->about)
		sink->about(sink->context, &about);
	rc = read_lines_graph(&reader, input, options, err);
	for (size_t i = 0; i < reader.tasks.n; i++) {
		lode_vec_release(&reader.tasks.at[i].starts);
		lode_vec_release(&reader.tasks.at[i].held);
	}
	lode_vec_release(&reader.tasks);
	lode_vec_release(&reader.cpus);
	lode_map_release(&reader.by_tid);
	lode_call_names_release(&reader.names);
	lode_call_batches_release(&reader.batches);
	return rc;
}

/* The heading of the tracer, or lines that have a CPU or a duration before a function. */
static bool recognise_graph(const uint8_t *head, size_t size)
{
	static const char heading[] = "# tracer: function_graph";
	const char *at = (const char *)head, *end = at + size;
	size_t n_good = 0, n_bad = 0;

	if (memmem(at, size < 256 ? size : 256, heading, sizeof(heading) - 1))
		return true;
	while (at < end) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		struct lode_graph_line line;

		if (!stop)
			break; /* maybe cut */
		lode_graph_parse(&line, at, (size_t)(stop - at));
		if (line.kind >= LODE_GRAPH_ENTER && line.kind <= LODE_GRAPH_EXIT)
			(line.has_duration || line.cpu >= 0) ? n_good++ : n_bad++;
		else if (line.kind == LODE_GRAPH_BAD)
			n_bad++;
		at = stop + 1;
	}
	return n_good > n_bad;
}

const struct lode_format lode_format_graph = {
	.name = "ftrace function_graph",
	.words = "function_graph text",
	.recognise = recognise_graph,
	.read_calls = read_graph,
};
