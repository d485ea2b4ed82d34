/* Finds the symptoms of a stream (docs/mine.md). */
#include "model/symptom.h"

#include <errno.h>

#include "base/duration.h"
#include "base/glob.h"
#include "base/sorted.h"
#include "base/written.h"
#include "model/symptom_none.h"
#include "model/symptom_table.h"

struct lode_symptom_spec {
	bool has_select;
	bool all_threads, each_thread; /* of processes that are meant; whatever its process */
	const char *comm_glob;	       /* who: NULL any */
	int32_t pid, tid;	       /* who: -1 any */
	struct lode_point from, to;
	const char *from_key, *to_key;	 /* NULL: requests are a thread's */
	bool is_key_shared;		 /* among processes */
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

/* "fd", or "fd:sock" where the two ends name it differently. */
static int read_key(struct lode_symptom_spec *spec, const char *option, char *text,
		    struct lode_error *err)
{
	char *colon = strchr(text, ':');

	if (colon)
		*colon++ = '\0';
	spec->from_key = text;
	spec->to_key = colon ? colon : text;
	spec->is_key_shared = *option == 's';
	if (!*text || !*spec->to_key)
		return lode_fail(err, LODE_ERR_ARG, NULL, -1, "symptom: %s= needs a field name",
				 option);
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
				 "key=, shared-key=, threads",
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
		return lode_point_read(&spec->from, part, value, &spec->arena, err);
	if (!strcmp(part, "to"))
		return lode_point_read(&spec->to, part, value, &spec->arena, err);
	if (!strcmp(part, "key") || !strcmp(part, "shared-key"))
		return read_key(spec, part, value, err);
	return lode_fail(err, LODE_ERR_ARG, NULL, -1,
			 "symptom: \"%s=\" is not one of comm=, pid=, tid=, from=, to=, key=, "
			 "shared-key=",
			 part);
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
		if (rc < 0)
			return rc;
		if (!comma)
			break;
	}
	if (spec->from_key &&
	    (!lode_point_is_event(&spec->from) || !lode_point_is_event(&spec->to)))
		return lode_fail(err, LODE_ERR_ARG, NULL, -1,
				 "symptom: key= needs events in from= and in to=");
	spec->each_thread = lode_point_is_event(&spec->from);
	return 0;
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
		fputs(LODE_DEFAULT_SYMPTOMS, f);
	if (spec->only_pid >= 0)
		fprintf(f, ", process %d only", spec->only_pid);
	if (spec->only_comm)
		fprintf(f, ", threads named %s only", spec->only_comm);
	if (spec->min_ns > 0 && o->n_all)
		fprintf(f, ", slower than p%g, which is %s (%zu of %zu)", o->percentile,
			lode_duration_text(spec->min_ns, duration, sizeof(duration)), o->n_slowest,
			o->n_all);
	else if (spec->min_ns > 0)
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
		rc = lode_symptom_table_read(&spec->table, options->tsv_path, options->is_tsv_found,
					     err);
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
	if (spec->tid < 0 && !spec->all_threads && !spec->each_thread &&
	    (spec->comm_glob || spec->pid >= 0) && thread->tid != thread->pid)
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

/* ---- When ---- */

static void add_symptom(lode_symptom_vec *out, const struct lode_symptom_spec *spec,
			const struct lode_symptom *symptom)
{
	int64_t length_ns = symptom->t1_ns - symptom->t0_ns;

	if (symptom->t1_ns > symptom->t0_ns && length_ns >= spec->min_ns)
		lode_vec_append(out, *symptom);
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
	if (stream->has_switches || !thread->events.n)
		return;
	/* Samples are taken before the record of a birth is written, and after that of a death. */
	if (thread->events.start_ns[0] < *t0_ns)
		*t0_ns = thread->events.start_ns[0];
	if (thread->events.start_ns[thread->events.n - 1] >= *t1_ns)
		*t1_ns = lode_event_end_ns(&thread->events, thread->events.n - 1);
}

/* Per node of the call tree: whether its stack has what the point names. */
static bool *find_nodes(const struct lode_stream *stream, const struct lode_point *point)
{
	const struct lode_calltree *tree = &stream->tree;
	bool *frames = lode_alloc0(tree->frames.n, sizeof(*frames));
	bool *nodes = lode_alloc0(tree->nodes.n, sizeof(*nodes));

	for (uint32_t i = 0; i < tree->frames.n; i++)
		frames[i] = lode_point_is_function(point, lode_frame_function(tree, i));
	for (size_t i = 1; i < tree->nodes.n; i++)
		nodes[i] = nodes[tree->nodes.at[i].parent] || frames[tree->nodes.at[i].frame];
	free(frames);
	return nodes;
}

/* The time of a point that is no function; false when it is not in the recording. */
static bool find_moment(int64_t *out, const struct lode_thread *thread,
			const struct lode_point *point, int64_t edge_ns)
{
	*out = point->kind == LODE_POINT_START	? thread->born_ns
	       : point->kind == LODE_POINT_EXIT ? thread->died_ns
	       : point->kind == LODE_POINT_EXEC ? thread->exec_ns
						: edge_ns;
	return *out != INT64_MIN && *out != INT64_MAX;
}

typedef LODE_VEC(struct lode_point_event) point_event_vec;

/* How one end of the symptoms is found in a stream. */
struct end {
	const struct lode_point *point;
	enum { END_MOMENT, END_FUNCTION, END_EVENT } how;
	bool *nodes; /* of functions */
	bool is_begin, has_named;
};

struct finding {
	const struct lode_symptom_spec *spec;
	const struct lode_stream *stream;
	struct lode_symptom_events *events; /* NULL: not collected */
	enum lode_subject subject;
	bool is_cpu_only;
	struct end from, to;
	size_t *first_event;	   /* per thread, and the end: into `of_thread` */
	uint32_t *of_thread;	   /* events, thread by thread */
	lode_thread_id *thread_of; /* of events; LODE_NONE */
	size_t n_from, n_to;	   /* ends that were seen */
	size_t n_pairs;		   /* short ones too */
	int64_t longest_ns;	   /* of the pairs */
};

static int end_init(struct end *end, const struct finding *f, const struct lode_point *point,
		    bool is_begin, struct lode_error *err)
{
	const struct lode_point_found *found = !f->events ? NULL
					       : is_begin ? &f->events->found_from
							  : &f->events->found_to;
	char advice[200];

	*end = (struct end){.point = point, .is_begin = is_begin};
	end->has_named = found && found->is_named;
	if (found && found->has_no_key)
		return lode_fail(err, LODE_ERR_UNSUPPORTED, f->stream->path, -1,
				 "%s has no field %s", point->name,
				 is_begin ? f->spec->from_key : f->spec->to_key);
	if (lode_point_is_event(point) && found && found->is_recorded)
		end->how = END_EVENT;
	else if (point->kind == LODE_POINT_EVENT ||
		 (f->spec->from_key && lode_point_is_event(point)))
		return lode_fail(err, LODE_ERR_UNSUPPORTED, f->stream->path, -1,
				 "the recording has no %s%s: %s",
				 point->kind == LODE_POINT_EVENT ? "event " : "system calls",
				 point->kind == LODE_POINT_EVENT ? point->name : "",
				 lode_point_advice(point, advice, sizeof(advice)));
	else if (point->kind == LODE_POINT_FUNCTION || point->kind == LODE_POINT_SYSCALL)
		end->how = END_FUNCTION;
	if (end->how == END_FUNCTION)
		end->nodes = find_nodes(f->stream, point);
	return 0;
}

/* Of the threads that have had the tid the one that lived then. */
static lode_thread_id thread_at(const struct lode_stream *stream, int32_t tid, int64_t t_ns)
{
	lode_thread_id best = lode_map_find(&stream->thread_index, (uint32_t)tid);

	/* Nearly always tids are not reused. */
	if (tid <= 0 || best == LODE_NONE || stream->threads.at[best].born_ns <= t_ns)
		return tid <= 0 ? LODE_NONE : best;
	for (lode_thread_id id = 0; id < best; id++)
		if (stream->threads.at[id].tid == tid && stream->threads.at[id].born_ns <= t_ns)
			best = id;
	return best;
}

/* Not told by the number of a system call where the names are there as well. */
static bool counts(const struct finding *f, const struct lode_symptom_event *event)
{
	return !event->is_raw || !(event->begins ? f->from.has_named : f->to.has_named);
}

static void sort_events(struct finding *f)
{
	size_t n = f->events ? f->events->at.n : 0, n_threads = f->stream->threads.n;

	f->thread_of = lode_alloc(n * sizeof(*f->thread_of));
	f->of_thread = lode_alloc(n * sizeof(*f->of_thread));
	f->first_event = lode_alloc0(n_threads + 2, sizeof(*f->first_event));
	for (size_t i = 0; i < n; i++) {
		const struct lode_symptom_event *event = &f->events->at.at[i];

		f->thread_of[i] = counts(f, event) ? thread_at(f->stream, event->tid, event->t_ns)
						   : LODE_NONE;
		if (f->thread_of[i] != LODE_NONE)
			f->first_event[f->thread_of[i] + 2]++;
	}
	for (size_t id = 2; id < n_threads + 2; id++)
		f->first_event[id] += f->first_event[id - 1];
	for (size_t i = 0; i < n; i++)
		if (f->thread_of[i] != LODE_NONE)
			f->of_thread[f->first_event[f->thread_of[i] + 1]++] = (uint32_t)i;
}

static void add_end(point_event_vec *out, const struct end *end, int64_t t_ns, uint32_t cpu)
{
	lode_vec_append(out, ((struct lode_point_event){.t_ns = t_ns,
							.cpu = cpu,
							.begins = end->is_begin,
							.ends = !end->is_begin}));
}

/*
 * The stack that is known of an event. Time without a sample may have another run's: the user
 * frames with which the thread left the CPU are certain, and it came to them in this run or before.
 */
static uint32_t known_stack(const struct lode_calltree *tree, const struct lode_events *events,
			    size_t i)
{
	uint32_t stack = events->stack[i];

	if (!(events->flags[i] & LODE_EVENT_UNSAMPLED) || i + 1 == events->n)
		return stack;
	stack = events->stack[i + 1];
	while (stack && tree->frames.at[tree->nodes.at[stack].frame].flags & LODE_FRAME_KERNEL)
		stack = tree->nodes.at[stack].parent;
	return stack;
}

/* All that may begin or end a symptom of a thread, but for events of the recording. */
static void add_ends(point_event_vec *out, const struct finding *f, lode_thread_id id,
		     const struct end *end)
{
	const struct lode_thread *thread = &f->stream->threads.at[id];
	int64_t life_t0, life_t1, t_ns;

	find_life(f->stream, thread, &life_t0, &life_t1);
	if (end->how == END_MOMENT &&
	    find_moment(&t_ns, thread, end->point, end->is_begin ? life_t0 : life_t1))
		add_end(out, end, t_ns, UINT32_MAX);
	for (size_t i = 0; end->nodes && i < thread->events.n; i++)
		if (end->nodes[known_stack(&f->stream->tree, &thread->events, i)])
			add_end(out, end, thread->events.start_ns[i], UINT32_MAX);
}

/* By time; at the same time what was listed first. */
LODE_COMPARE(compare_point_events, struct lode_point_event,
	     LODE_ORDER(a->t_ns, b->t_ns) ?: LODE_ORDER(a->order, b->order))

static void count_unpaired(const struct finding *f, const struct lode_point_pairs *pairs)
{
	if (!(pairs->n_unfinished + pairs->n_doubtful))
		return;
	if (f->events->first_ns == INT64_MIN || pairs->first_ns < f->events->first_ns)
		f->events->first_ns = pairs->first_ns;
	f->events->n_unfinished += pairs->n_unfinished;
	f->events->n_doubtful += pairs->n_doubtful;
}

static void pair_events(struct lode_point_pairs *out, struct finding *f,
			const point_event_vec *events)
{
	/* Where an end is no event, what was dropped says nothing, and what is missing did not
	   happen while it was recorded. */
	bool are_events = f->from.how == END_EVENT && f->to.how == END_EVENT;

	lode_point_pairs_find(out, events->at, events->n, are_events ? f->events->gaps.at : NULL,
			      are_events ? f->events->gaps.n : 0,
			      lode_points_nest(&f->spec->from, &f->spec->to));
	if (are_events)
		count_unpaired(f, out);
	for (size_t i = 0; i < events->n; i++) {
		f->n_from += events->at[i].begins;
		f->n_to += events->at[i].ends;
	}
	f->n_pairs += out->at.n;
	for (size_t i = 0; i < out->at.n; i++) {
		int64_t length_ns = out->at.at[i].end->t_ns - out->at.at[i].begin->t_ns;

		f->longest_ns = length_ns > f->longest_ns ? length_ns : f->longest_ns;
	}
}

/* Of one thread; without points its life is the symptom. */
static void find_in_thread(lode_symptom_vec *out, struct finding *f, lode_thread_id id,
			   point_event_vec *scratch)
{
	bool is_life = f->spec->from.kind == LODE_POINT_EDGE && f->spec->to.kind == LODE_POINT_EDGE;
	struct lode_point_pairs pairs = {0};

	scratch->n = 0;
	add_ends(scratch, f, id, &f->to);
	for (size_t k = f->first_event[id]; k < f->first_event[id + 1]; k++) {
		const struct lode_symptom_event *event = &f->events->at.at[f->of_thread[k]];

		if (!event->is_interrupt)
			add_end(scratch, event->begins ? &f->from : &f->to, event->t_ns,
				event->cpu);
	}
	add_ends(scratch, f, id, &f->from);
	for (size_t i = 0; i < scratch->n; i++)
		scratch->at[i].order = (uint32_t)i;
	lode_sort(scratch->at, scratch->n, compare_point_events);
	pair_events(&pairs, f, scratch);
	for (size_t i = 0; i < pairs.at.n; i++)
		add_symptom(out, f->spec,
			    &(struct lode_symptom){id, pairs.at.at[i].begin->t_ns,
						   pairs.at.at[i].end->t_ns, is_life});
	lode_point_pairs_release(&pairs);
}

static bool is_meant(const struct finding *f, lode_thread_id id)
{
	const struct lode_symptom_spec *spec = f->spec;
	const struct lode_thread *thread = &f->stream->threads.at[id];
	bool any_who = spec->comm_glob || spec->pid >= 0 || spec->tid >= 0;

	if (!passes(spec, f->stream, thread) || !is_selected(spec, f->stream, thread))
		return false;
	if (!any_who && !lode_subject_has(f->subject, f->is_cpu_only, thread))
		return false;
	/* A thread of which only the name is known did not live in this recording, as far as the
	   model tells; another tap may know of events that the model does not keep. */
	return thread->events.n > 0 || (f->events && f->events->inner);
}

/* A dense number for each key, of a process or of all. */
static uint32_t scope_of(struct lode_strings *scopes, const struct finding *f, size_t i)
{
	const struct lode_symptom_event *event = &f->events->at.at[i];
	lode_thread_id id = f->thread_of[i];
	uint64_t scope[2] = {event->key};

	/* LIMIT: what happens in an interrupt belongs to no process; such keys must be shared. */
	if (!f->spec->is_key_shared && id != LODE_NONE && !event->is_interrupt)
		scope[1] = (uint64_t)f->stream->threads.at[id].pid;
	return lode_strings_intern(scopes, (const char *)scope, sizeof(scope));
}

/* Whatever their threads: the one that ends it is the symptom's. */
static void find_by_key(lode_symptom_vec *out, struct finding *f)
{
	struct lode_point_pairs pairs = {0};
	struct lode_strings scopes = {0};
	point_event_vec events = {0};

	for (size_t i = 0; i < f->events->at.n; i++) {
		const struct lode_symptom_event *event = &f->events->at.at[i];

		if (!counts(f, event))
			continue;
		lode_vec_append(&events,
				((struct lode_point_event){
					.t_ns = event->t_ns,
					.scope = scope_of(&scopes, f, i),
					.cpu = event->cpu,
					.thread = event->is_interrupt ? LODE_NONE : f->thread_of[i],
					.begins = event->begins,
					.ends = event->ends}));
	}
	pair_events(&pairs, f, &events);
	for (size_t i = 0; i < pairs.at.n; i++) {
		const struct lode_point_pair *pair = &pairs.at.at[i];
		lode_thread_id id = pair->end->thread;

		if (id == LODE_NONE)
			id = pair->begin->thread;
		if (id != LODE_NONE && is_meant(f, id))
			add_symptom(out, f->spec,
				    &(struct lode_symptom){id, pair->begin->t_ns, pair->end->t_ns,
							   false});
	}
	lode_point_pairs_release(&pairs);
	lode_strings_release(&scopes);
	lode_vec_release(&events);
}

/* System calls that were not recorded may be in no stack either. */
static int check_stacks(const struct finding *f, const struct end *end, struct lode_error *err)
{
	char advice[200];

	if (f->n_pairs || end->how != END_FUNCTION || end->point->kind != LODE_POINT_SYSCALL)
		return 0;
	return lode_fail(err, LODE_ERR_UNSUPPORTED, f->stream->path, -1,
			 "the recording has no system calls, and its stacks do not contain %s: %s",
			 end->point->name, lode_point_advice(end->point, advice, sizeof(advice)));
}

/* Why nothing was found, for the events' owner. */
static void explain(const struct finding *f)
{
	const struct lode_symptom_spec *spec = f->spec;
	struct lode_symptom_none none = {.comm = spec->comm_glob,
					 .only_comm = spec->only_comm,
					 .pid = spec->pid,
					 .tid = spec->tid,
					 .only_pid = spec->only_pid,
					 .is_process = !spec->all_threads && !spec->each_thread,
					 .from = &spec->from,
					 .to = &spec->to,
					 .n_from = f->n_from,
					 .n_to = f->n_to,
					 .n_pairs = f->n_pairs,
					 .min_ns = spec->min_ns,
					 .longest_ns = f->longest_ns};

	for (lode_thread_id id = 0; id < f->stream->threads.n; id++)
		none.n_threads += is_meant(f, id);
	free(f->events->why_none);
	f->events->why_none = lode_symptom_none_text(&none, f->stream);
}

static int find_selected(lode_symptom_vec *out, const struct lode_symptom_spec *spec,
			 const struct lode_stream *stream, struct lode_symptom_events *events,
			 struct lode_error *err)
{
	struct finding f = {.spec = spec,
			    .stream = stream,
			    .events = events,
			    .subject = lode_subject_of(stream),
			    .is_cpu_only = lode_stream_is_cpu_only(stream)};
	point_event_vec scratch = {0};
	size_t n_before = out->n;
	int rc = end_init(&f.from, &f, &spec->from, true, err);

	if (rc == 0)
		rc = end_init(&f.to, &f, &spec->to, false, err);
	if (rc == 0)
		sort_events(&f);
	if (rc == 0 && spec->from_key)
		find_by_key(out, &f);
	for (lode_thread_id id = 0; rc == 0 && !spec->from_key && id < stream->threads.n; id++)
		if (is_meant(&f, id))
			find_in_thread(out, &f, id, &scratch);
	if (rc == 0)
		rc = check_stacks(&f, &f.from, err);
	if (rc == 0)
		rc = check_stacks(&f, &f.to, err);
	if (rc == 0 && events && out->n == n_before)
		explain(&f);
	lode_vec_release(&scratch);
	free(f.from.nodes);
	free(f.to.nodes);
	free(f.first_event);
	free(f.of_thread);
	free(f.thread_of);
	return rc;
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
			add_symptom(out, spec,
				    &(struct lode_symptom){id, row->t0_ns, row->t1_ns, false});
	}
}

static void explain_rows(struct lode_symptom_events *events, const struct lode_symptom_spec *spec,
			 const struct lode_stream *stream)
{
	size_t first, n = lode_symptom_table_find(&spec->table, stream->path, &first), n_rows = 0;

	for (size_t i = first; i < first + n; i++)
		n_rows += lode_symptom_row_names(&spec->table.rows.at[i], stream->path);
	free(events->why_none);
	events->why_none = lode_symptom_none_row_text(n_rows);
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

LODE_COMPARE(compare_symptoms, struct lode_symptom,
	     LODE_ORDER(a->thread, b->thread) ?: LODE_ORDER(a->t0_ns, b->t0_ns)
		     ?: LODE_ORDER(a->t1_ns, b->t1_ns))

int lode_symptoms_find(lode_symptom_vec *out, const struct lode_symptom_spec *spec,
		       const struct lode_stream *stream, struct lode_symptom_events *events,
		       struct lode_error *err)
{
	size_t first = out->n;
	int rc = 0;

	if (spec->table.has_header)
		find_rows(out, spec, stream);
	if (spec->table.has_header && events && out->n == first)
		explain_rows(events, spec, stream);
	if (spec->has_select || !spec->table.has_header)
		rc = find_selected(out, spec, stream, events, err);
	if (stream->is_part)
		cut_to_part(out, first, stream);
	lode_sort(out->at + first, out->n - first, compare_symptoms);
	return rc;
}

enum lode_subject lode_symptom_spec_subject(const struct lode_symptom_spec *spec,
					    const struct lode_stream *stream)
{
	bool is_said = spec->has_select || spec->table.has_header;

	return is_said ? LODE_SUBJECT_COMMAND : lode_subject_of(stream);
}

struct lode_symptom_events *lode_symptom_events_new(const struct lode_symptom_spec *spec,
						    const struct lode_tap *inner)
{
	return lode_symptom_events_make(&spec->from, spec->from_key, &spec->to, spec->to_key,
					inner);
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

/* System calls known from stacks alone: calls without a sample are missing. */
static bool is_told_by_stacks(const struct lode_point *point, const struct lode_point_found *found)
{
	return point->kind == LODE_POINT_SYSCALL && !found->is_recorded;
}

void lode_symptoms_count_skipped(const struct lode_symptom_spec *spec, struct lode_stream *stream,
				 const struct lode_symptom_events *events)
{
	char text[160];
	size_t n = lode_symptoms_skipped(spec, stream, text, sizeof(text));

	if (n)
		lode_loss_add(&stream->losses, LODE_LOSS_BAD_RECORD, n, -1, 0, "%s", text);
	if (!events)
		return;
	if (events->n_unfinished + events->n_doubtful)
		lode_loss_add(&stream->losses, LODE_LOSS_REQUEST,
			      events->n_unfinished + events->n_doubtful, -1, events->first_ns,
			      "%llu without an end, %llu with events dropped while they were open",
			      (unsigned long long)events->n_unfinished,
			      (unsigned long long)events->n_doubtful);
	if (is_told_by_stacks(&spec->from, &events->found_from) ||
	    is_told_by_stacks(&spec->to, &events->found_to))
		lode_loss_add(&stream->losses, LODE_LOSS_NO_CALLS, 1, -1, 0,
			      "system calls are derived from stacks only: calls without a sample "
			      "of the thread are missed (use lode record --syscalls)");
}
