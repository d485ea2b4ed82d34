#include "model/symptom.h"

#include <errno.h>
#include <stdio.h>

#include "base/duration.h"
#include "base/glob.h"
#include "base/sorted.h"
#include "base/written.h"
#include "model/symptom_table.h"

enum point_kind {
	POINT_EDGE, /* not given: where the recorded life starts or ends */
	POINT_START,
	POINT_EXIT,
	POINT_EXEC,
	POINT_FUNCTION,
	POINT_SYSCALL,
};

/* One end of a symptom. */
struct point {
	enum point_kind kind;
	const char *glob; /* of functions; for a system call its plain name */
};

struct lode_symptom_spec {
	bool has_select, all_threads;
	const char *comm_glob; /* who: NULL any */
	int32_t pid, tid;      /* who: -1 any */
	struct point from, to;
	struct lode_symptom_table table; /* has_header when there is one */
	/* Restrictions on whatever was found. */
	const char *only_comm;
	int32_t only_pid;
	int64_t min_ns;
	char *text;
	struct lode_arena arena;
};

/* ---- From texts to a spec ---- */

static int read_id(int32_t *out, const char *name, const char *text, struct lode_error *err)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 10);
	if (end == text || *end || errno || value <= 0 || value > INT32_MAX)
		return lode_fail(err, LODE_ERR_ARG, NULL, -1,
				 "symptom: %s=%s is not a number above 0", name, text);
	*out = (int32_t)value;
	return 0;
}

static int read_point(struct point *out, const char *name, const char *text, struct lode_error *err)
{
	if (!*text)
		return lode_fail(err, LODE_ERR_ARG, NULL, -1, "symptom: %s= names nothing", name);
	out->glob = text;
	if (!strcmp(text, "start"))
		out->kind = POINT_START;
	else if (!strcmp(text, "exit"))
		out->kind = POINT_EXIT;
	else if (!strcmp(text, "exec"))
		out->kind = POINT_EXEC;
	else if (!strncmp(text, "syscall:", 8)) {
		out->kind = POINT_SYSCALL;
		out->glob = text + 8;
	} else {
		out->kind = POINT_FUNCTION;
	}
	return 0;
}

static int read_part(struct lode_symptom_spec *spec, char *part, struct lode_error *err)
{
	char *value = strchr(part, '=');

	if (!strcmp(part, "threads")) {
		spec->all_threads = true;
		return 0;
	}
	if (!value)
		return lode_fail(err, LODE_ERR_ARG, NULL, -1,
				 "symptom: \"%s\" is not one of comm=, pid=, tid=, from=, to=, "
				 "threads",
				 part);
	*value++ = '\0';
	if (!strcmp(part, "comm")) {
		spec->comm_glob = value;
		return 0;
	}
	if (!strcmp(part, "pid"))
		return read_id(&spec->pid, part, value, err);
	if (!strcmp(part, "tid"))
		return read_id(&spec->tid, part, value, err);
	if (!strcmp(part, "from"))
		return read_point(&spec->from, part, value, err);
	if (!strcmp(part, "to"))
		return read_point(&spec->to, part, value, err);
	return lode_fail(err, LODE_ERR_ARG, NULL, -1,
			 "symptom: \"%s=\" is not one of comm=, pid=, tid=, from=, to=", part);
}

static int read_select(struct lode_symptom_spec *spec, const char *select, struct lode_error *err)
{
	char *text = lode_arena_strndup(&spec->arena, select, strlen(select)), *comma;
	int rc;

	spec->has_select = true;
	for (;; text = comma + 1) {
		comma = strchr(text, ',');
		if (comma)
			*comma = '\0';
		rc = read_part(spec, text, err);
		if (rc < 0 || !comma)
			return rc;
	}
}

static void write_text(struct lode_symptom_spec *spec, const struct lode_symptom_options *o)
{
	char duration[LODE_DURATION_BYTES];
	size_t size;
	FILE *f = lode_written_open(&spec->text, &size);

	if (o->select)
		fprintf(f, "%s%s", o->select, o->tsv_path ? ", and " : "");
	if (o->tsv_path)
		fprintf(f, "the rows of %s", o->tsv_path);
	if (!o->select && !o->tsv_path)
		fprintf(f, "every thread of the recorded command, whole stream");
	if (spec->only_pid >= 0)
		fprintf(f, ", process %d only", spec->only_pid);
	if (spec->only_comm)
		fprintf(f, ", threads named %s only", spec->only_comm);
	if (spec->min_ns > 0)
		fprintf(f, ", slower than %s",
			lode_duration_text(spec->min_ns, duration, sizeof(duration)));
	lode_written_close(f);
}

int lode_symptom_spec_new(struct lode_symptom_spec **out,
			  const struct lode_symptom_options *options, struct lode_error *err)
{
	struct lode_symptom_spec *spec = lode_alloc0(1, sizeof(*spec));
	int rc = 0;

	*out = NULL;
	spec->pid = spec->tid = -1;
	spec->only_pid = options->pid > 0 ? options->pid : -1;
	spec->min_ns = options->min_ns;
	if (options->comm)
		spec->only_comm =
			lode_arena_strndup(&spec->arena, options->comm, strlen(options->comm));
	if (options->select)
		rc = read_select(spec, options->select, err);
	if (rc == 0 && options->tsv_path)
		rc = lode_symptom_table_read(&spec->table, options->tsv_path, err);
	if (rc < 0) {
		lode_symptom_spec_free(spec);
		return rc;
	}
	write_text(spec, options);
	*out = spec;
	return 0;
}

void lode_symptom_spec_free(struct lode_symptom_spec *spec)
{
	if (!spec)
		return;
	lode_symptom_table_release(&spec->table);
	lode_arena_release(&spec->arena);
	free(spec->text);
	free(spec);
}

const char *lode_symptom_spec_text(const struct lode_symptom_spec *spec)
{
	return spec->text;
}

/* ---- Who ---- */

static const char *comm_of(const struct lode_stream *stream, const struct lode_thread *thread)
{
	return stream->tree.strings.text.at[thread->comm];
}

/* The main thread of its process: the latest one before it, else the first after it. */
static const struct lode_thread *main_thread(const struct lode_stream *stream,
					     const struct lode_thread *thread)
{
	lode_thread_id latest;

	if (thread->tid == thread->pid)
		return thread;
	latest = lode_map_find(&stream->thread_index, (uint32_t)thread->pid);
	return latest == LODE_NONE ? thread : &stream->threads.at[latest];
}

static bool is_selected(const struct lode_symptom_spec *spec, const struct lode_stream *stream,
			const struct lode_thread *thread)
{
	if (spec->tid >= 0 && thread->tid != spec->tid)
		return false;
	if (spec->pid >= 0 && thread->pid != spec->pid)
		return false;
	if (spec->tid < 0 && !spec->all_threads && (spec->comm_glob || spec->pid >= 0) &&
	    thread->tid != thread->pid)
		return false;
	return !spec->comm_glob || lode_glob_match(spec->comm_glob, comm_of(stream, thread)) ||
	       (spec->all_threads &&
		lode_glob_match(spec->comm_glob, comm_of(stream, main_thread(stream, thread))));
}

static bool passes(const struct lode_symptom_spec *spec, const struct lode_stream *stream,
		   const struct lode_thread *thread)
{
	return (spec->only_pid < 0 || thread->pid == spec->only_pid) &&
	       (!spec->only_comm || lode_glob_match(spec->only_comm, comm_of(stream, thread)));
}

static bool knows_command(const struct lode_stream *stream)
{
	for (size_t i = 0; i < stream->threads.n; i++)
		if (stream->threads.at[i].is_command)
			return true;
	return false;
}

/* ---- When ---- */

static void add_symptom(lode_symptom_vec *out, const struct lode_symptom_spec *spec,
			lode_thread_id id, int64_t t0_ns, int64_t t1_ns)
{
	struct lode_symptom symptom = {id, t0_ns, t1_ns};

	if (t1_ns > t0_ns && t1_ns - t0_ns >= spec->min_ns)
		lode_vec_append(out, symptom);
}

/* The end of the stream, for a thread whose events are weighted samples: the end of the last. */
static int64_t last_ns(const struct lode_stream *stream, const struct lode_thread *thread)
{
	const struct lode_events *events = &thread->events;
	int64_t end = stream->t1_ns;

	for (size_t i = 0; !stream->has_switches && i < events->n; i++)
		if (lode_event_end_ns(events, i) > end)
			end = lode_event_end_ns(events, i);
	return end;
}

static void find_life(const struct lode_stream *stream, const struct lode_thread *thread,
		      int64_t *t0_ns, int64_t *t1_ns)
{
	*t0_ns = stream->t0_ns;
	*t1_ns = last_ns(stream, thread);
	if (thread->born_ns > *t0_ns)
		*t0_ns = thread->born_ns;
	if (thread->died_ns < *t1_ns)
		*t1_ns = thread->died_ns;
}

/* "__x64_sys_read", "ksys_read", "sys_enter_read", "__libc_read", "read": all are read. */
static bool is_syscall(const char *function, const char *name)
{
	static const char *const prefixes[] = {"__x64_sys_", "__ia32_sys_", "__arm64_sys_",
					       "__se_sys_",  "__do_sys_",   "ksys_",
					       "sys_",	     "__libc_",	    "__GI_",
					       "__"};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		size_t len = strlen(prefixes[i]);

		if (!strncmp(function, prefixes[i], len) && lode_glob_match(name, function + len))
			return true;
	}
	return lode_glob_match(name, function);
}

/* Per node of the call tree: whether its stack has what the point names; NULL: no function. */
static bool *find_nodes(const struct lode_stream *stream, const struct point *point)
{
	const struct lode_calltree *tree = &stream->tree;
	bool *frames, *nodes;

	if (point->kind != POINT_FUNCTION && point->kind != POINT_SYSCALL)
		return NULL;
	frames = lode_alloc0(tree->frames.n, sizeof(*frames));
	nodes = lode_alloc0(tree->nodes.n, sizeof(*nodes));
	for (uint32_t i = 0; i < tree->frames.n; i++)
		frames[i] = point->kind == POINT_SYSCALL
				    ? is_syscall(lode_frame_function(tree, i), point->glob)
				    : lode_glob_match(point->glob, lode_frame_function(tree, i));
	for (size_t i = 1; i < tree->nodes.n; i++)
		nodes[i] = nodes[tree->nodes.at[i].parent] || frames[tree->nodes.at[i].frame];
	free(frames);
	return nodes;
}

/* Start of the first event from `from_ns` on whose stack has what the point names. */
static bool find_event(int64_t *out, const struct lode_events *events, const bool *nodes,
		       int64_t from_ns)
{
	size_t low = 0, high = events->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (events->start_ns[mid] >= from_ns)
			high = mid;
		else
			low = mid + 1;
	}
	while (low < events->n && !nodes[events->stack[low]])
		low++;
	if (low == events->n)
		return false;
	*out = events->start_ns[low];
	return true;
}

/* The time of a point that is no function; false when it is not in the recording. */
static bool find_moment(int64_t *out, const struct lode_thread *thread, const struct point *point,
			int64_t edge_ns)
{
	*out = point->kind == POINT_START  ? thread->born_ns
	       : point->kind == POINT_EXIT ? thread->died_ns
	       : point->kind == POINT_EXEC ? thread->exec_ns
					   : edge_ns;
	return *out != INT64_MIN && *out != INT64_MAX;
}

/* All pairs of points of one thread; without points its life is the pair. */
static void add_pairs(lode_symptom_vec *out, const struct lode_symptom_spec *spec,
		      const struct lode_stream *stream, lode_thread_id id, const bool *from_nodes,
		      const bool *to_nodes)
{
	const struct lode_thread *thread = &stream->threads.at[id];
	int64_t life_t0, life_t1, t0, t1 = INT64_MIN;

	find_life(stream, thread, &life_t0, &life_t1);
	do {
		if (from_nodes ? !find_event(&t0, &thread->events, from_nodes, t1)
			       : !find_moment(&t0, thread, &spec->from, life_t0))
			return;
		if (to_nodes ? !find_event(&t1, &thread->events, to_nodes, t0 + 1)
			     : !find_moment(&t1, thread, &spec->to, life_t1))
			return;
		add_symptom(out, spec, id, t0, t1);
	} while (from_nodes && t1 > t0);
}

static void find_selected(lode_symptom_vec *out, const struct lode_symptom_spec *spec,
			  const struct lode_stream *stream)
{
	bool *from_nodes = find_nodes(stream, &spec->from);
	bool *to_nodes = find_nodes(stream, &spec->to);
	bool any_who = spec->comm_glob || spec->pid >= 0 || spec->tid >= 0;
	bool is_known = !any_who && knows_command(stream);

	for (lode_thread_id id = 0; id < stream->threads.n; id++) {
		const struct lode_thread *thread = &stream->threads.at[id];

		if (!passes(spec, stream, thread) || !is_selected(spec, stream, thread))
			continue;
		if (!any_who && (is_known ? !thread->is_command : thread->is_kernel))
			continue;
		/* A thread of which only the name is known did not live in this recording. */
		if (thread->events.n > 0)
			add_pairs(out, spec, stream, id, from_nodes, to_nodes);
	}
	free(from_nodes);
	free(to_nodes);
}

/* ---- Tables ---- */

/* Of the threads that had this tid the one that lived longest in [t0, t1): ties to the first. */
static lode_thread_id thread_of_row(const struct lode_stream *stream,
				    const struct lode_symptom_row *row)
{
	lode_thread_id best = lode_map_find(&stream->thread_index, (uint32_t)row->tid);
	int64_t best_ns = -1;

	/* Nearly always tids are not reused, or the last thread is meant. */
	if (best == LODE_NONE || stream->threads.at[best].born_ns <= row->t0_ns)
		return best;
	for (lode_thread_id id = 0; id < stream->threads.n; id++) {
		const struct lode_thread *thread = &stream->threads.at[id];
		int64_t t0 = thread->born_ns > row->t0_ns ? thread->born_ns : row->t0_ns;
		int64_t t1 = thread->died_ns < row->t1_ns ? thread->died_ns : row->t1_ns;

		if (thread->tid == row->tid && (t1 > t0 ? t1 - t0 : 0) > best_ns) {
			best = id;
			best_ns = t1 > t0 ? t1 - t0 : 0;
		}
	}
	return best;
}

static void find_rows(lode_symptom_vec *out, const struct lode_symptom_spec *spec,
		      const struct lode_stream *stream)
{
	size_t first, n = lode_symptom_table_find(&spec->table, stream->path, &first);

	for (size_t i = first; i < first + n; i++) {
		const struct lode_symptom_row *row = &spec->table.rows.at[i];
		lode_thread_id id;

		if (!lode_symptom_row_names(row, stream->path))
			continue;
		id = thread_of_row(stream, row);
		if (id != LODE_NONE && passes(spec, stream, &stream->threads.at[id]))
			add_symptom(out, spec, id, row->t0_ns, row->t1_ns);
	}
}

/* Of each symptom from `first` on, what was read; those outside of it go. */
static void cut_to_part(lode_symptom_vec *out, size_t first, const struct lode_stream *stream)
{
	size_t n = first;

	for (size_t i = first; i < out->n; i++) {
		struct lode_symptom symptom = out->at[i];

		if (symptom.t0_ns < stream->part_t0_ns)
			symptom.t0_ns = stream->part_t0_ns;
		if (symptom.t1_ns > stream->part_t1_ns)
			symptom.t1_ns = stream->part_t1_ns;
		if (symptom.t0_ns < symptom.t1_ns)
			out->at[n++] = symptom;
	}
	out->n = n;
}

static int compare_symptoms(const void *a, const void *b)
{
	const struct lode_symptom *x = a, *y = b;

	return LODE_ORDER(x->thread, y->thread) ?: LODE_ORDER(x->t0_ns, y->t0_ns)
			?: LODE_ORDER(x->t1_ns, y->t1_ns);
}

int lode_symptoms_find(lode_symptom_vec *out, const struct lode_symptom_spec *spec,
		       const struct lode_stream *stream, struct lode_error *err)
{
	size_t first = out->n;

	(void)err;
	if (spec->table.has_header)
		find_rows(out, spec, stream);
	if (spec->has_select || !spec->table.has_header)
		find_selected(out, spec, stream);
	if (stream->is_part)
		cut_to_part(out, first, stream);
	lode_sort(out->at + first, out->n - first, compare_symptoms);
	return 0;
}

size_t lode_symptoms_skipped(const struct lode_symptom_spec *spec, const struct lode_stream *stream,
			     char *text, size_t size)
{
	size_t first, n, n_skipped = 0;

	if (size > 0)
		text[0] = '\0';
	if (!spec->table.has_header)
		return 0;
	n = lode_symptom_table_find(&spec->table, stream->path, &first);
	for (size_t i = first; i < first + n; i++) {
		const struct lode_symptom_row *row = &spec->table.rows.at[i];

		if (!lode_symptom_row_names(row, stream->path) ||
		    thread_of_row(stream, row) != LODE_NONE)
			continue;
		if (n_skipped++ == 0)
			snprintf(text, size, "%s: line %lld: %s has no thread %d", spec->table.path,
				 (long long)row->line, stream->path, row->tid);
	}
	return n_skipped;
}

void lode_symptoms_count_skipped(const struct lode_symptom_spec *spec, struct lode_stream *stream)
{
	char text[160];
	size_t n = lode_symptoms_skipped(spec, stream, text, sizeof(text));

	if (n)
		lode_loss_add(&stream->losses, LODE_LOSS_BAD_RECORD, n, -1, 0, "%s", text);
}
