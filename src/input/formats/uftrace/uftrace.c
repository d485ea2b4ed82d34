/* Reads uftrace data directories. */
#include "input/call_source.h"

#include <stdio.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "base/lines.h"
#include "base/sorted.h"
#include "model/clock_guard.h"
#include "input/formats/uftrace/uftrace_names.h"
#include "input/formats/uftrace/uftrace_records.h"
#include "input/formats/uftrace/uftrace_sched.h"
#include "input/formats/uftrace/uftrace_tasks.h"

enum {
	BATCH_EVENTS = 4096,
	INFO_BYTES = 40,
	FEATURE_RELATIVE = 1 << 5, /* symbols' addresses are relative */
	VERSION_MIN = 3,
	VERSION_MAX = 5,
	OPEN_SEARCHED = 1024, /* LIMIT: calls, from the innermost, that an exit is compared with */
};

static const char magic[8] = "Ftrace!";

/* A folder whose file `info` has uftrace's magic number. */
static bool recognise_folder(const char *directory)
{
	char *path = lode_path_join(directory, "info"), head[sizeof(magic)];
	struct lode_input *input;
	bool is_one = false;

	if (lode_input_open_found(&input, path, NULL) == 0) {
		is_one = lode_input_peek(input, head, sizeof(head), NULL) == sizeof(head) &&
			 !memcmp(head, magic, sizeof(magic));
		lode_input_close(input);
	}
	free(path);
	return is_one;
}

struct reader {
	const char *directory;
	const struct lode_call_options *options;
	struct lode_call_sink *sink;
	struct lode_arena arena; /* texts of `info` */
	uint64_t features;
	struct lode_calls_about about;
	struct lode_uftrace_tasks tasks;
	struct lode_uftrace_sched sched;
	struct lode_uftrace_names *names;
	LODE_VEC(int32_t) tids;
	uint64_t n_records; /* that give events */
	struct lode_error *err;
};

/* ---- info ---- */

static int parse_info_header(struct reader *reader, struct lode_input *input, const char *path,
			     struct lode_error *err)
{
	uint8_t head[INFO_BYTES];
	ssize_t n = lode_input_read(input, head, sizeof(head), err);
	struct lode_bytes b;
	uint32_t version, endian, class;

	if (n < 0)
		return (int)n;
	b = lode_bytes_make(head, (size_t)n, 0);
	lode_bytes_u64(&b);
	version = lode_bytes_u32(&b);
	lode_bytes_u16(&b); /* size of this header */
	endian = lode_bytes_u8(&b);
	class = lode_bytes_u8(&b);
	reader->features = lode_bytes_u64(&b);
	if (b.overrun)
		return lode_fail(err, LODE_ERR_TRUNCATED, path, 0, "the header has %zd of %d bytes",
				 n, INFO_BYTES);
	if (version < VERSION_MIN || version > VERSION_MAX || endian != 1 || class != 2)
		return lode_fail(err, LODE_ERR_UNSUPPORTED, path, 8,
				 "version %u, byte order %u, word class %u; only versions %d to "
				 "%d, little-endian, 64 bits are supported",
				 version, endian, class, VERSION_MIN, VERSION_MAX);
	return LODE_OK;
}

static void take_info(struct reader *reader, const char *line, size_t len)
{
	static const char command[] = "cmdline:", host[] = "osinfo:hostname=";

	if (!strncmp(line, command, sizeof(command) - 1))
		reader->about.command =
			lode_arena_strndup(&reader->arena, line + sizeof(command) - 1,
					   len - (sizeof(command) - 1));
	else if (!strncmp(line, host, sizeof(host) - 1))
		reader->about.host = lode_arena_strndup(&reader->arena, line + sizeof(host) - 1,
							len - (sizeof(host) - 1));
}

static int read_info(struct reader *reader, struct lode_error *err)
{
	char *path = lode_path_join(reader->directory, "info"), *line;
	struct lode_input *input;
	struct lode_lines lines;
	size_t len;
	int rc = lode_input_open_found(&input, path, err);

	if (rc == LODE_OK) {
		rc = parse_info_header(reader, input, path, err);
		lode_lines_init(&lines, input);
		while (rc == LODE_OK && lode_lines_next(&lines, &line, &len, NULL) > 0)
			take_info(reader, line, len);
		lode_lines_release(&lines);
		lode_input_close(input);
	}
	free(path);
	reader->about.format = "uftrace";
	return rc;
}

/* ---- Which threads ---- */

LODE_COMPARE(compare_tids, int32_t, LODE_ORDER(*a, *b))

/* Files "<number>.dat". What the kernel did (kernel-cpu*.dat) is not read, and said so. */
static void list_files(struct reader *reader)
{
	lode_path_list paths = {0};

	(void)lode_folder_list(&paths, reader->directory, NULL);
	for (size_t i = 0; i < paths.n; i++) {
		const char *name = lode_path_base(paths.at[i]);
		char *end;
		long tid = strtol(name, &end, 10);
		struct stat st;

		if (!strcmp(end, ".dat") && end > name && tid > 0 && tid <= INT32_MAX)
			lode_vec_append(&reader->tids, (int32_t)tid);
		if (strncmp(name, "kernel-cpu", strlen("kernel-cpu")) == 0 &&
		    stat(paths.at[i], &st) == 0 && st.st_size > 0)
			lode_loss_add(reader->sink->losses, LODE_LOSS_UNDECODABLE, 1, -1, 0,
				      "kernel functions (%s) are not read", "kernel-cpu*.dat");
	}
	lode_path_list_release(&paths);
	lode_sort(reader->tids.at, reader->tids.n, compare_tids);
}

/* ---- One thread ---- */

/* A call that is open. */
struct frame {
	uint32_t depth, function;
};

struct task {
	struct reader *reader;
	int32_t pid, tid;
	uint32_t thread;
	uint32_t session; /* that `session_until` was asked for */
	int64_t session_from, session_until;
	const struct lode_uftrace_sched_event *sched;
	size_t n_sched, next_sched;
	bool is_started;      /* has had its first record */
	uint32_t schedule[2]; /* functions: left by itself, preempted; LODE_NONE: not asked yet */
	uint32_t left_as;     /* the one that is open */
	LODE_VEC(struct frame) open;
	uint32_t depth; /* of the next call, by the records so far */
	/* Records that are not taken yet: the time of the first is far from the one before. */
	struct lode_uftrace_record queue[3];
	size_t n_queued;
	int64_t last_ns;   /* of the last one taken */
	uint64_t n_events; /* functions' and others, for messages */
	struct lode_call_event *events;
	size_t n;
	int rc;
};

/* Sessions are few and times rise: found again only when the thread leaves the known span. */
static uint32_t session_of(struct task *task, int64_t t_ns)
{
	const struct lode_uftrace_tasks *tasks = &task->reader->tasks;

	if (t_ns >= task->session_from && t_ns < task->session_until)
		return task->session;
	task->session = lode_uftrace_session_at(tasks, task->pid, t_ns);
	task->session_from = t_ns;
	task->session_until = INT64_MAX;
	for (size_t i = 0; i < tasks->sessions.n; i++)
		if (tasks->sessions.at[i].t_ns > t_ns &&
		    tasks->sessions.at[i].t_ns < task->session_until)
			task->session_until = tasks->sessions.at[i].t_ns;
	return task->session;
}

static bool is_code(void *context, int64_t t_ns, uint64_t address)
{
	struct task *task = context;

	return lode_uftrace_is_code(task->reader->names, session_of(task, t_ns), address);
}

static void flush_uftrace(struct task *task)
{
	struct lode_call_sink *sink = task->reader->sink;
	size_t n = task->n;

	task->n = 0;
	if (n && task->rc == LODE_OK)
		task->rc = sink->events(sink->context, task->thread, task->events, n,
					task->reader->err);
}

static inline void add_uftrace(struct task *task, int64_t t_ns, enum lode_call_event_kind kind,
			       uint32_t function)
{
	task->events[task->n++] =
		(struct lode_call_event){.t_ns = t_ns, .function = function, .kind = (uint8_t)kind};
	if (task->n == BATCH_EVENTS)
		flush_uftrace(task);
}

static uint32_t schedule_function(struct task *task, bool is_preempted)
{
	struct lode_call_sink *sink = task->reader->sink;
	uint32_t *function = &task->schedule[is_preempted];

	if (*function == LODE_NONE)
		*function = sink->function(sink->context, NULL,
					   is_preempted ? "linux:schedule (pre-empted)"
							: "linux:schedule");
	return *function;
}

/*
 * The scheduler's events before `t_ns`: time off the CPU is a call where the thread was. Those
 * before the thread's first record and behind its last are of no traced function, and left out.
 */
static void add_sched_before(struct task *task, int64_t t_ns)
{
	for (; task->next_sched < task->n_sched && task->sched[task->next_sched].t_ns < t_ns;
	     task->next_sched++) {
		const struct lode_uftrace_sched_event *event = &task->sched[task->next_sched];

		if (event->kind == LODE_UFTRACE_IN) {
			uint32_t function = task->left_as != LODE_NONE
						    ? task->left_as
						    : schedule_function(task, false);

			add_uftrace(task, event->t_ns, LODE_CALL_EXIT, function);
			task->left_as = LODE_NONE;
		} else {
			task->left_as =
				schedule_function(task, event->kind == LODE_UFTRACE_OUT_PREEMPTED);
			add_uftrace(task, event->t_ns, LODE_CALL_ENTER, task->left_as);
		}
	}
}

static void skip_sched_before(struct task *task, int64_t t_ns)
{
	while (task->next_sched < task->n_sched && task->sched[task->next_sched].t_ns < t_ns)
		task->next_sched++;
	/* It ran at its first record: an entry to the CPU at once is the end of nothing. */
	if (task->next_sched < task->n_sched && task->sched[task->next_sched].t_ns == t_ns &&
	    task->sched[task->next_sched].kind == LODE_UFTRACE_IN)
		task->next_sched++;
}

/* ---- Entries and exits ---- */

/* Records have the lowest 10 bits of a depth, which rises by one call at a time. */
static uint32_t whole_depth(const struct task *task, uint32_t bits)
{
	uint32_t below = (task->depth - bits) & LODE_UFTRACE_DEPTH_MASK;

	return below <= task->depth ? task->depth - below : bits;
}

/*
 * Calls at least as deep as one that begins, or deeper than one that ends, are over: longjmp() left
 * them, which records no exit. They ended by the time of this record; that is when it is known.
 */
static inline void end_deeper(struct task *task, int64_t t_ns, uint32_t depth)
{
	while (task->open.n && task->open.at[task->open.n - 1].depth >= depth)
		add_uftrace(task, t_ns, LODE_CALL_EXIT, task->open.at[--task->open.n].function);
}

static bool is_open_uftrace(const struct task *task, uint32_t function)
{
	size_t i = task->open.n, end = i > OPEN_SEARCHED ? i - OPEN_SEARCHED : 0;

	for (; i > end; i--)
		if (task->open.at[i - 1].function == function)
			return true;
	return false;
}

static uint32_t function_of(struct task *task, const struct lode_uftrace_record *record)
{
	return lode_uftrace_function(task->reader->names, session_of(task, record->t_ns),
				     record->address);
}

static void add_entry(struct task *task, const struct lode_uftrace_record *record)
{
	struct frame frame = {whole_depth(task, record->depth), function_of(task, record)};

	end_deeper(task, record->t_ns, frame.depth);
	lode_vec_append(&task->open, frame);
	task->depth = frame.depth + 1;
	add_uftrace(task, record->t_ns, LODE_CALL_ENTER, frame.function);
}

/* An exit ends the call at its depth. Without one there (setjmp() that returns again), it ends
 * nothing: not a call of the same function further out, either. */
static void add_exit(struct task *task, const struct lode_uftrace_record *record)
{
	uint32_t depth = whole_depth(task, record->depth), function;

	end_deeper(task, record->t_ns, depth + 1);
	task->depth = depth;
	if (task->open.n && task->open.at[task->open.n - 1].depth == depth) {
		end_deeper(task, record->t_ns, depth);
		return;
	}
	function = function_of(task, record);
	if (!is_open_uftrace(task, function))
		add_uftrace(task, record->t_ns, LODE_CALL_EXIT, function);
	else
		lode_loss_add(task->reader->sink->losses, LODE_LOSS_BAD_RECORD, 1, -1, record->t_ns,
			      "thread %d: an exit at depth %u, where no call is open", task->tid,
			      depth);
}

static void take_record_uftrace(struct task *task, const struct lode_uftrace_record *record)
{
	if (task->is_started)
		add_sched_before(task, record->t_ns);
	else
		skip_sched_before(task, record->t_ns);
	task->is_started = true;
	if (record->type == LODE_UFTRACE_LOST) {
		lode_loss_add(task->reader->sink->losses, LODE_LOSS_EVENTS,
			      record->address ? record->address : 1, -1, record->t_ns,
			      "thread %d lost %llu records", task->tid,
			      (unsigned long long)record->address);
		add_uftrace(task, record->t_ns, LODE_CALL_CUT, 0);
		task->open.n = 0;
		task->depth = 0;
	} else if (record->type == LODE_UFTRACE_ENTRY) {
		add_entry(task, record);
	} else if (record->type == LODE_UFTRACE_EXIT) {
		add_exit(task, record);
	}
	task->reader->n_records += record->type != LODE_UFTRACE_EVENT;
}

/* The first in the queue: a wrong time becomes that of the record before, or behind. */
static void take_queued(struct task *task)
{
	struct lode_uftrace_record *at = task->queue;
	const int64_t *before = task->is_started ? &task->last_ns : NULL;
	const int64_t *next = task->n_queued > 1 ? &at[1].t_ns : NULL;
	const int64_t *after = task->n_queued > 2 ? &at[2].t_ns : NULL;
	int64_t mended_ns = before ? *before : next ? *next : 0;

	task->n_events++;
	if (lode_clock_is_stray(before, at->t_ns, next, after)) {
		lode_loss_add(task->reader->sink->losses, LODE_LOSS_CLOCK_JUMP, 1, -1, mended_ns,
			      "thread %d, event %llu: %+.1f days from the one %s: moved there",
			      task->tid, (unsigned long long)task->n_events,
			      ((double)at->t_ns - (double)mended_ns) / (double)LODE_CLOCK_DAY_NS,
			      before ? "before" : "behind it");
		at->t_ns = mended_ns;
	}
	task->last_ns = at->t_ns;
	take_record_uftrace(task, at);
	if (--task->n_queued)
		memmove(at, at + 1, task->n_queued * sizeof(*at));
}

/* Whether it is known if the first in the queue has a wrong time. */
static bool is_settled(const struct task *task)
{
	const struct lode_uftrace_record *at = task->queue;

	if (task->is_started)
		return task->n_queued > 1 || lode_clock_is_near(at->t_ns, task->last_ns);
	return task->n_queued > 2 ||
	       (task->n_queued > 1 && lode_clock_is_near(at->t_ns, at[1].t_ns));
}

static const char *name_of_uftrace(struct reader *reader, int32_t pid, int32_t tid)
{
	const char *name = lode_uftrace_name_of(&reader->sched, tid);
	uint32_t session;

	if (name || pid != tid)
		return name;
	session = lode_uftrace_session_at(&reader->tasks, pid, INT64_MAX);
	if (session == LODE_NONE || !reader->tasks.sessions.at[session].exename)
		return NULL;
	name = reader->tasks.sessions.at[session].exename;
	return lode_path_base(name);
}

static int read_task(struct reader *reader, int32_t tid, struct lode_input *input, const char *file,
		     struct lode_error *err)
{
	struct lode_call_sink *sink = reader->sink;
	struct task task = {.reader = reader,
			    .pid = lode_uftrace_pid(&reader->tasks, tid),
			    .tid = tid,
			    .session_from = INT64_MAX,
			    .schedule = {LODE_NONE, LODE_NONE},
			    .left_as = LODE_NONE};
	struct lode_uftrace_records records = {.input = input,
					       .name = file,
					       .losses = sink->losses,
					       .is_code = is_code,
					       .context = &task};

	reader->err = err;
	task.thread =
		sink->thread(sink->context, task.pid, tid, name_of_uftrace(reader, task.pid, tid));
	task.sched = lode_uftrace_sched_of(&reader->sched, tid, &task.n_sched);
	task.events = lode_alloc(BATCH_EVENTS * sizeof(*task.events));
	while (task.rc == LODE_OK &&
	       lode_uftrace_records_next(&records, &task.queue[task.n_queued])) {
		task.n_queued++;
		while (task.n_queued && is_settled(&task))
			take_queued(&task);
	}
	while (task.n_queued)
		take_queued(&task);
	flush_uftrace(&task);
	free(task.events);
	lode_vec_release(&task.open);
	lode_uftrace_records_release(&records);
	return task.rc;
}

static int read_tasks(struct reader *reader, struct lode_error *err)
{
	const struct lode_call_options *options = reader->options;
	int rc = LODE_OK;

	for (size_t i = 0; i < reader->tids.n && rc == LODE_OK; i++) {
		struct lode_input *input;
		struct lode_error fault;
		char file[32], *path;

		snprintf(file, sizeof(file), "%d.dat", reader->tids.at[i]);
		path = lode_path_join(reader->directory, file);
		if (lode_input_open_found(&input, path, &fault) == 0) {
			rc = read_task(reader, reader->tids.at[i], input, file, err);
			lode_input_close(input);
		} else {
			lode_loss_add(reader->sink->losses, LODE_LOSS_UNDECODABLE, 1, -1, 0,
				      "%s: %s", file, fault.message);
		}
		free(path);
		if (options->progress)
			options->progress(options->progress_context, (int64_t)i + 1,
					  (int64_t)reader->tids.n);
	}
	if (rc == LODE_OK && reader->n_records == 0)
		rc = lode_fail(err, LODE_ERR_FORMAT, reader->directory, -1,
			       "no TID.dat file in it has a function record");
	return rc;
}

static int read_folder(const char *directory, const struct lode_call_options *options,
		       struct lode_call_sink *sink, struct lode_error *err)
{
	struct reader reader = {.directory = directory, .options = options, .sink = sink};
	int rc = read_info(&reader, err);

	if (rc == LODE_OK) {
		if (sink->about)
			sink->about(sink->context, &reader.about);
		lode_uftrace_tasks_load(&reader.tasks, directory, sink->losses);
		lode_uftrace_sched_load(&reader.sched, directory, sink->losses);
		reader.names = lode_uftrace_names_new(directory, &reader.tasks,
						      reader.features & FEATURE_RELATIVE, sink);
		list_files(&reader);
		rc = read_tasks(&reader, err);
	}
	lode_uftrace_names_free(reader.names);
	lode_uftrace_tasks_release(&reader.tasks);
	lode_uftrace_sched_release(&reader.sched);
	lode_vec_release(&reader.tids);
	lode_arena_release(&reader.arena);
	return rc;
}

const struct lode_format lode_format_uftrace = {
	.name = "uftrace",
	.recognise_folder = recognise_folder,
	.read_calls_of_folder = read_folder,
};
