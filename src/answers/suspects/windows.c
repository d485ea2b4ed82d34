/* Executions in slow windows. */
#include "answers/suspects/windows.h"

#include "base/sorted.h"

/* Windows in order of tid and start; `latest_ns` is the latest end up to here, of this tid. */
struct window {
	int64_t tid; /* all_threads: of any */
	int64_t t0_ns, t1_ns, latest_ns;
};
static const int64_t all_threads = INT64_MIN;

struct copying {
	struct lode_execution_set *to;
	const struct lode_execution_set *from;
	struct window *windows; /* those of threads, and once more for all threads */
	size_t n_windows;
	struct metric {
		uint32_t id; /* in `to` */
		bool is_of_machine, is_time;
	} * metrics;
	bool *is_used; /* per node of from's tree */
	uint64_t n_of_machine;
	struct lode_error *err;
	int rc;
};

/* Does the row say when the command ran, or an attached process, as those of `lode record` do? */
static bool is_recorded_life(const struct lode_stream *stream, const struct lode_symptom *symptom)
{
	const struct lode_thread *thread = &stream->threads.at[symptom->thread];
	int64_t end_ns = thread->died_ns < stream->t1_ns ? thread->died_ns : stream->t1_ns;

	return thread->is_command && symptom->t1_ns >= end_ns &&
	       (stream->is_attached || symptom->t0_ns == thread->exec_ns);
}

void lode_suspects_add_family(lode_symptom_vec *symptoms, const struct lode_stream *stream)
{
	size_t n = symptoms->n;
	struct lode_symptom life = {.t0_ns = INT64_MAX, .t1_ns = INT64_MIN, .is_life = true};

	for (size_t i = 0; i < n; i++) {
		const struct lode_symptom *row = &symptoms->at[i];

		if (!is_recorded_life(stream, row))
			continue;
		life.t0_ns = row->t0_ns < life.t0_ns ? row->t0_ns : life.t0_ns;
		life.t1_ns = row->t1_ns > life.t1_ns ? row->t1_ns : life.t1_ns;
	}
	for (size_t i = 0; i < stream->threads.n; i++) {
		const struct lode_thread *thread = &stream->threads.at[i];
		struct lode_symptom member = life;

		member.thread = (lode_thread_id)i;
		if (thread->born_ns > member.t0_ns)
			member.t0_ns = thread->born_ns;
		if (thread->died_ns < member.t1_ns)
			member.t1_ns = thread->died_ns;
		if (thread->is_command && member.t0_ns < member.t1_ns)
			lode_vec_append(symptoms, member);
	}
}

LODE_COMPARE(by_tid_and_time, struct window,
	     LODE_ORDER(a->tid, b->tid) ?: LODE_ORDER(a->t0_ns, b->t0_ns))

static void make_windows(struct copying *c, const struct lode_stream *stream,
			 const struct lode_symptom *symptoms, size_t n)
{
	c->windows = lode_alloc0(n * 2 + 1, sizeof(*c->windows));
	for (size_t i = 0; i < n; i++) {
		struct window window = {stream->threads.at[symptoms[i].thread].tid,
					symptoms[i].t0_ns, symptoms[i].t1_ns, 0};

		c->windows[c->n_windows++] = window;
		window.tid = all_threads;
		c->windows[c->n_windows++] = window;
	}
	lode_sort(c->windows, c->n_windows, by_tid_and_time);
	for (size_t i = 0; i < c->n_windows; i++) {
		struct window *w = &c->windows[i];

		w->latest_ns = w->t1_ns;
		if (i && w[-1].tid == w->tid && w[-1].latest_ns > w->latest_ns)
			w->latest_ns = w[-1].latest_ns;
	}
}

/* Does a window of `tid` overlap [start, end), or hold the moment `start`? */
static bool is_in_window(const struct copying *c, int64_t tid, int64_t start_ns, int64_t end_ns)
{
	size_t low = 0, high = c->n_windows;

	/* The last window of the tid that begins before the end, or at the moment. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct window *w = &c->windows[middle];

		if (w->tid < tid || (w->tid == tid && (w->t0_ns < end_ns || w->t0_ns == start_ns)))
			low = middle + 1;
		else
			high = middle;
	}
	return low && c->windows[low - 1].tid == tid && c->windows[low - 1].latest_ns > start_ns;
}

static void take_batch(void *context, const struct lode_execution *at, size_t n)
{
	struct copying *c = context;

	for (size_t i = 0; i < n && c->rc == 0; i++) {
		const struct metric *metric = &c->metrics[at[i].metric];
		struct lode_execution execution = at[i];
		int64_t length_ns = metric->is_time ? execution.value : 0;

		if (!is_in_window(c, metric->is_of_machine ? all_threads : execution.tid,
				  execution.start_ns, execution.start_ns + length_ns))
			continue;
		c->n_of_machine += metric->id == LODE_NONE;
		if (metric->id == LODE_NONE)
			continue;
		execution.metric = metric->id;
		c->is_used[execution.stack] = true;
		c->rc = lode_execution_set_append(c->to, &execution, c->err);
	}
}

/* What interrupts do is done in the name of any thread. */
static bool is_of_machine(const char *name)
{
	static const char *const kinds[] = {"irq:", "softirq:", "net:"};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strncmp(name, kinds[i], strlen(kinds[i])))
			return true;
	return false;
}

static void make_metrics(struct copying *c, bool wants_machine)
{
	c->metrics = lode_alloc0(c->from->metrics.n + 1, sizeof(*c->metrics));
	for (size_t i = 0; i < c->from->metrics.n; i++) {
		const struct lode_metric *from = &c->from->metrics.at[i];
		struct metric *metric = &c->metrics[i];

		*metric = (struct metric){LODE_NONE, is_of_machine(from->name),
					  !strcmp(from->unit, "ns")};
		if (metric->is_of_machine && !wants_machine)
			continue;
		metric->id = lode_execution_set_metric(c->to, from->name, from->unit);
		for (int k = 0; k < LODE_N_EXECUTION_LOSSES; k++)
			c->to->metrics.at[metric->id].losses[k] += from->losses[k];
	}
}

int lode_suspects_copy_within(struct lode_execution_set *to, struct lode_execution_set *from,
			      const struct lode_stream *stream, const struct lode_symptom *symptoms,
			      size_t n_symptoms, uint64_t *n_of_machine, struct lode_error *err)
{
	struct copying c = {.to = to, .from = from, .err = err};
	size_t n_nodes = from->tree.nodes.n;
	uint32_t *nodes = lode_alloc0(n_nodes, sizeof(*nodes));
	int rc;

	c.is_used = lode_alloc0(n_nodes, sizeof(*c.is_used));
	make_windows(&c, stream, symptoms, n_symptoms);
	make_metrics(&c, !n_of_machine);
	lode_execution_set_begin(to, stream->path);
	rc = lode_execution_set_each(from, take_batch, &c, err);
	for (uint32_t i = 1; i < n_nodes; i++)
		if (c.is_used[i])
			nodes[i] = lode_calltree_graft(&to->tree, 0, &from->tree, i);
	lode_execution_set_end(to, nodes, n_nodes);
	free(nodes);
	free(c.is_used);
	free(c.windows);
	free(c.metrics);
	if (n_of_machine)
		*n_of_machine = c.n_of_machine;
	return rc < 0 ? rc : c.rc;
}
