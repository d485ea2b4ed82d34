/* Expressions of one thread's calls (REGTIME24, chapter 4; docs/timeline.md). */
#include "engine/regtime/regtime.h"

#include "engine/regtime/regtime_walk.h"
#include "base/pool.h"
#include "base/sorted.h"

/* ---- Self times ---- */

/* Time in which an expression's outermost calls ran: own times of all its nodes tile it. */
static int64_t called_ns(const struct lode_regtime_thread *thread,
			 const struct lode_regtime_item *item)
{
	uint64_t ns = 0, folded = 0;

	for (size_t i = 0; i < item->n_nodes; i++) {
		const struct lode_regtime_node *node = &thread->nodes.at[item->first_node + i];

		ns += node->own_ns;
		folded += node->is_folded; /* kept, so its time is counted already */
	}
	return (int64_t)(folded ? ns : ns + item->folded_ns);
}

void lode_regtime_own(int64_t *out, const struct lode_regtime_thread *thread)
{
	LODE_VEC(size_t) kept = {0}; /* by depth: the last one */

	for (size_t i = 0; i < thread->items.n; i++) {
		const struct lode_regtime_item *item = &thread->items.at[i];
		int64_t ns = item->kind == LODE_REGTIME_EXPRESSION ? called_ns(thread, item)
								   : item->end_ns - item->start_ns;

		out[i] = 0;
		if (item->kind == LODE_REGTIME_GAP)
			continue;
		if (kept.n > item->depth)
			kept.n = item->depth;
		/* Callers of what is kept, or of an expression's outermost calls, are kept. */
		if (item->depth && kept.n == item->depth && kept.at[item->depth - 1] != SIZE_MAX &&
		    out[kept.at[item->depth - 1]] != LODE_OWN_UNKNOWN)
			out[kept.at[item->depth - 1]] -= ns;
		if (item->kind != LODE_REGTIME_CALL)
			continue;
		while (kept.n < item->depth)
			lode_vec_append(&kept, SIZE_MAX);
		lode_vec_append(&kept, i);
		out[i] = ns;
		if (item->start_ns < thread->t0_ns || item->end_ns > thread->t1_ns)
			out[i] = LODE_OWN_UNKNOWN;
	}
	lode_vec_release(&kept);
}

/* ---- Where other threads' outliers begin and end ([REGTIME24] §7.6) ---- */

enum { MAX_BORDERS = 1000 };

struct border {
	int64_t t_ns;
	size_t thread;
	uint32_t clock; /* of the thread: others have borders of their own */
};

struct borders {
	LODE_VEC(struct border) at; /* by time, once sorted */
};

LODE_COMPARE(compare_borders, struct border,
	     LODE_ORDER(a->t_ns, b->t_ns) ?: LODE_ORDER(a->thread, b->thread))

/* From the long calls of thread `index`. */
static void add_borders(struct borders *borders, size_t index,
			const struct lode_regtime_thread *thread, const lode_call_vec *outliers)
{
	uint32_t clock = thread->thread->clock;

	for (size_t k = 0; k < outliers->n; k++) {
		const struct lode_call *call = &outliers->at[k];

		lode_vec_append(&borders->at, ((struct border){call->start_ns, index, clock}));
		lode_vec_append(&borders->at, ((struct border){lode_call_end(call), index, clock}));
	}
}

/* Moves all of `from`, which is empty then. */
static void take_borders(struct borders *to, struct borders *from)
{
	size_t n = to->at.n + from->at.n;

	if (!to->at.n) {
		lode_vec_release(&to->at);
		*to = *from;
		*from = (struct borders){0};
		return;
	}
	lode_vec_reserve(&to->at, n);
	if (from->at.n)
		memcpy(to->at.at + to->at.n, from->at.at, from->at.n * sizeof(*from->at.at));
	to->at.n = n;
	lode_vec_release(&from->at);
}

/* Those of other threads, at least `apart_ns` from each other; equal ones are one. */
static void choose_borders(lode_border_vec *out, const struct borders *borders, size_t index,
			   const struct lode_regtime_thread *thread, int64_t apart_ns)
{
	size_t from = 0, to = borders->at.n;

	while (from < to) { /* the first behind the thread's beginning */
		size_t middle = from + (to - from) / 2;

		if (borders->at.at[middle].t_ns <= thread->t0_ns)
			from = middle + 1;
		else
			to = middle;
	}
	out->n = 0;
	for (size_t i = from; i < borders->at.n && borders->at.at[i].t_ns < thread->t1_ns; i++) {
		const struct border *border = &borders->at.at[i];

		if (border->thread == index || border->clock != thread->thread->clock)
			continue;
		if (!out->n || border->t_ns - out->at[out->n - 1] >= apart_ns)
			lode_vec_append(out, border->t_ns);
	}
}

/*
 * The borders that the expressions of thread `index` end at. LIMIT: where there are more than
 * MAX_BORDERS within the thread's time, those closer than that part of its time to the
 * one before are left out: thousands of borders would make as many glyphs.
 */
static void borders_of(lode_border_vec *out, const struct borders *borders, size_t index,
		       const struct lode_regtime_thread *thread)
{
	choose_borders(out, borders, index, thread, 1);
	if (out->n > MAX_BORDERS)
		choose_borders(out, borders, index, thread,
			       (thread->t1_ns - thread->t0_ns) / MAX_BORDERS + 1);
}

/* ---- Summaries ---- */

int64_t lode_regtime_threshold_ns(struct lode_regtime_threshold threshold, int64_t whole_ns)
{
	if (threshold.is_time)
		return threshold.ns;
	return (int64_t)((__int128)whole_ns * threshold.parts_1e9 / 1000000000);
}

struct lode_regtime_options lode_regtime_defaults(void)
{
	return (struct lode_regtime_options){
		.long_call = LODE_REGTIME_SHARE(0.01),
		.gap = LODE_REGTIME_SHARE(0.001),
		.expression = LODE_REGTIME_SHARE(0.13),
		.negligible = LODE_REGTIME_SHARE(0.01),
		.n_threads = 1,
	};
}

struct run {
	struct lode_regtime *regtime;
	const struct lode_regtime_options *options;
	struct borders borders;
	/* By thread; NULL where all of each thread is asked for. */
	struct lode_regtime_range *ranges;
	struct worker *workers;
	struct lode_pool_failure *failures; /* by worker */
};

struct worker {
	bool is_open; /* the cursor is */
	struct lode_call_cursor cursor;
	struct lode_regtime_range all; /* of the thread at hand */
	lode_call_vec outliers;
	struct borders borders; /* of all threads it looked at */
};

static void set_thresholds(struct lode_regtime_thread *out,
			   const struct lode_regtime_options *options)
{
	int64_t whole;

	out->t0_ns = out->thread->first_ns;
	out->t1_ns = out->thread->last_ns;
	if (options->t0_ns < options->t1_ns) {
		out->t0_ns = options->t0_ns;
		out->t1_ns = options->t1_ns;
	}
	whole = out->t1_ns - out->t0_ns;
	out->long_call_ns = lode_regtime_threshold_ns(options->long_call, whole);
	out->gap_ns = lode_regtime_threshold_ns(options->gap, whole);
	out->expression_ns = lode_regtime_threshold_ns(options->expression, whole);
	if (!options->is_classic)
		out->negligible_ns = lode_regtime_threshold_ns(options->negligible, whole);
}

/* A worker at a thread of the trace; `is_for_times`: its stacks are not needed. */
static struct worker *worker_at(struct run *run, size_t index, unsigned worker, bool is_for_times)
{
	struct worker *w = &run->workers[worker];

	if (!w->is_open)
		lode_call_cursor_init(&w->cursor, run->regtime->trace, NULL);
	w->is_open = true;
	if (is_for_times)
		lode_call_cursor_move_for_times(&w->cursor, run->regtime->threads[index].thread);
	else
		lode_call_cursor_move(&w->cursor, run->regtime->threads[index].thread);
	return w;
}

/* The calls of the thread that the worker is at. `is_first`: they were not asked for before. */
static const struct lode_regtime_range *range_of(struct run *run, size_t index, struct worker *w,
						 bool is_first)
{
	const struct lode_regtime_thread *thread = &run->regtime->threads[index];
	struct lode_regtime_range *range = run->ranges ? &run->ranges[index] : &w->all;

	if (is_first || !run->ranges)
		lode_regtime_range_find(range, &w->cursor, thread->t0_ns, thread->t1_ns,
					!run->ranges);
	return range;
}

/* First the outliers of all threads: other threads' expressions end at them. */
static void find_outliers(void *context, size_t index, unsigned worker)
{
	struct run *run = context;
	struct lode_regtime_thread *thread = &run->regtime->threads[index];
	struct worker *w = worker_at(run, index, worker, true);
	const struct lode_regtime_range *range = range_of(run, index, w, true);

	w->outliers.n = 0;
	for (size_t i = 0; i < range->open.n; i++)
		if (range->open.at[i].duration_ns > thread->long_call_ns)
			lode_vec_append(&w->outliers, range->open.at[i]);
	lode_call_find_long(&w->outliers, &w->cursor, range->from, range->to, thread->long_call_ns);
	add_borders(&w->borders, index, thread, &w->outliers);
	lode_pool_note(&run->failures[worker], index, w->cursor.rc, &w->cursor.err);
}

static void compress_thread(void *context, size_t index, unsigned worker)
{
	struct run *run = context;
	struct lode_regtime_thread *thread = &run->regtime->threads[index];
	lode_border_vec borders = {0};
	struct worker *w;

	if (run->options->only && run->options->only != thread->thread)
		return;
	w = worker_at(run, index, worker, false);
	if (!run->options->is_classic)
		borders_of(&borders, &run->borders, index, thread);
	lode_regtime_walk(thread, &w->cursor, range_of(run, index, w, run->options->is_classic),
			  &borders, run->options);
	lode_vec_release(&borders);
	lode_pool_note(&run->failures[worker], index, w->cursor.rc, &w->cursor.err);
}

/* What a part failed with stays with its worker: the second pass would tell it of another part. */
static int run_jobs(struct run *run, unsigned n_threads, struct lode_error *err)
{
	struct lode_regtime *regtime = run->regtime;
	int rc;

	if (!run->options->is_classic) {
		lode_pool_run(n_threads, regtime->n_threads, find_outliers, run);
		for (unsigned i = 0; i < n_threads; i++)
			take_borders(&run->borders, &run->workers[i].borders);
		rc = lode_pool_first_failure(run->failures, n_threads, err);
		if (rc < 0)
			return rc;
		lode_sort(run->borders.at.at, run->borders.at.n, compare_borders);
	}
	lode_pool_run(n_threads, regtime->n_threads, compress_thread, run);
	return lode_pool_first_failure(run->failures, n_threads, err);
}

int lode_regtime_run(struct lode_regtime **out, struct lode_call_trace *trace,
		     const struct lode_regtime_options *options, struct lode_error *err)
{
	unsigned n_threads = options->n_threads ? options->n_threads : 1;
	struct lode_regtime *regtime = lode_alloc0(1, sizeof(*regtime));
	struct run run = {.regtime = regtime, .options = options};
	int rc;

	regtime->trace = trace;
	regtime->n_threads = trace->threads.n;
	regtime->threads = lode_alloc0(trace->threads.n, sizeof(*regtime->threads));
	for (size_t i = 0; i < regtime->n_threads; i++) {
		regtime->threads[i].thread = trace->threads.at[i];
		set_thresholds(&regtime->threads[i], options);
	}
	if (options->t0_ns < options->t1_ns)
		run.ranges = lode_alloc0(trace->threads.n, sizeof(*run.ranges));
	run.workers = lode_alloc0(n_threads, sizeof(*run.workers));
	run.failures = lode_alloc0(n_threads, sizeof(*run.failures));
	rc = run_jobs(&run, n_threads, err);
	for (unsigned i = 0; i < n_threads; i++) {
		if (run.workers[i].is_open)
			lode_call_cursor_release(&run.workers[i].cursor);
		lode_vec_release(&run.workers[i].all.open);
		lode_vec_release(&run.workers[i].outliers);
	}
	for (size_t i = 0; run.ranges && i < regtime->n_threads; i++)
		lode_vec_release(&run.ranges[i].open);
	free(run.ranges);
	free(run.workers);
	free(run.failures);
	lode_vec_release(&run.borders.at);
	*out = regtime;
	if (rc < 0) {
		*out = NULL;
		lode_regtime_free(regtime);
	}
	return rc;
}

void lode_regtime_free(struct lode_regtime *regtime)
{
	if (!regtime)
		return;
	for (size_t i = 0; i < regtime->n_threads; i++) {
		lode_vec_release(&regtime->threads[i].items);
		lode_vec_release(&regtime->threads[i].nodes);
		lode_vec_release(&regtime->threads[i].functions);
	}
	free(regtime->threads);
	free(regtime);
}
