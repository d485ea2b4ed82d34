#include "analyses/regtime/regtime.h"

#include <stdlib.h>

#include "analyses/regtime/regtime_borders.h"
#include "analyses/regtime/regtime_walk.h"
#include "base/pool.h"

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

/* The first thread of the trace that could not be read, of those a worker looked at. */
struct failure {
	size_t thread;
	int rc;
	struct lode_error err;
};

struct run {
	struct lode_regtime *regtime;
	const struct lode_regtime_options *options;
	struct lode_regtime_borders borders;
	/* by thread, then by worker */
	lode_call_vec *outliers;
	struct lode_regtime_range *ranges;
	struct lode_call_cursor *cursors;
	bool *is_open;
	struct failure *failures; /* by worker */
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

static struct lode_call_cursor *cursor_of(struct run *run, unsigned worker)
{
	struct lode_call_cursor *cursor = &run->cursors[worker];

	if (!run->is_open[worker])
		lode_call_cursor_init(cursor, run->regtime->trace, NULL);
	run->is_open[worker] = true;
	return cursor;
}

static void find_range(struct run *run, size_t index, struct lode_call_cursor *cursor)
{
	const struct lode_regtime_thread *thread = &run->regtime->threads[index];

	lode_regtime_range_find(&run->ranges[index], cursor, thread->t0_ns, thread->t1_ns,
				run->options->t0_ns >= run->options->t1_ns);
}

static void keep_status(struct run *run, size_t thread, unsigned worker)
{
	const struct lode_call_cursor *cursor = &run->cursors[worker];
	struct failure *failure = &run->failures[worker];

	if (cursor->rc < 0 && (failure->rc == LODE_OK || thread < failure->thread))
		*failure = (struct failure){thread, cursor->rc, cursor->err};
}

static int first_failure(const struct run *run, unsigned n_workers, struct lode_error *err)
{
	const struct failure *first = &run->failures[0];

	for (unsigned i = 1; i < n_workers; i++)
		if (run->failures[i].rc < 0 &&
		    (first->rc == LODE_OK || run->failures[i].thread < first->thread))
			first = &run->failures[i];
	if (first->rc < 0 && err)
		*err = first->err;
	return first->rc;
}

/* First the outliers of all threads: other threads' expressions end at them. */
static void find_outliers(void *context, size_t index, unsigned worker)
{
	struct run *run = context;
	struct lode_regtime_thread *thread = &run->regtime->threads[index];
	const struct lode_regtime_range *range = &run->ranges[index];
	struct lode_call_cursor *cursor = cursor_of(run, worker);

	lode_call_cursor_move_for_times(cursor, thread->thread);
	find_range(run, index, cursor);
	for (size_t i = 0; i < range->open.n; i++)
		if (range->open.at[i].duration_ns > thread->long_call_ns)
			lode_vec_append(&run->outliers[index], range->open.at[i]);
	lode_call_find_long(&run->outliers[index], cursor, range->from, range->to,
			    thread->long_call_ns);
	keep_status(run, index, worker);
}

static void compress_thread(void *context, size_t index, unsigned worker)
{
	struct run *run = context;
	struct lode_regtime_thread *thread = &run->regtime->threads[index];
	struct lode_call_cursor *cursor = cursor_of(run, worker);
	lode_border_vec borders = {0};

	if (run->options->only && run->options->only != thread->thread)
		return;
	lode_call_cursor_move(cursor, thread->thread);
	if (run->options->is_classic)
		find_range(run, index, cursor); /* nobody looked for outliers */
	else
		lode_regtime_borders_of(&borders, &run->borders, index, thread);
	lode_regtime_walk(thread, cursor, &run->ranges[index], &borders, run->options);
	lode_vec_release(&borders);
	keep_status(run, index, worker);
}

static void run_jobs(struct run *run, unsigned n_threads)
{
	struct lode_regtime *regtime = run->regtime;

	if (!run->options->is_classic) {
		lode_pool_run(n_threads, regtime->n_threads, find_outliers, run);
		lode_regtime_borders_make(&run->borders, regtime, run->outliers);
	}
	lode_pool_run(n_threads, regtime->n_threads, compress_thread, run);
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
	run.outliers = lode_alloc0(trace->threads.n, sizeof(*run.outliers));
	run.ranges = lode_alloc0(trace->threads.n, sizeof(*run.ranges));
	run.cursors = lode_alloc0(n_threads, sizeof(*run.cursors));
	run.is_open = lode_alloc0(n_threads, sizeof(*run.is_open));
	run.failures = lode_alloc0(n_threads, sizeof(*run.failures));
	run_jobs(&run, n_threads);
	rc = first_failure(&run, n_threads, err);
	for (size_t i = 0; i < regtime->n_threads; i++) {
		lode_vec_release(&run.outliers[i]);
		lode_vec_release(&run.ranges[i].open);
	}
	for (unsigned i = 0; i < n_threads; i++)
		if (run.is_open[i])
			lode_call_cursor_release(&run.cursors[i]);
	free(run.cursors);
	free(run.is_open);
	free(run.failures);
	free(run.outliers);
	free(run.ranges);
	lode_regtime_borders_release(&run.borders);
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
