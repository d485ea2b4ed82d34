/* What every thread did during a span of time (tasks T1 and T3 of the thesis). */
#include "engine/regtime/meanwhile.h"

#include "base/pool.h"
#include "base/sorted.h"
#include "base/time_sum.h"

/* ---- One thread at one moment ---- */

static void find_item(struct lode_moment *out, const struct lode_regtime_thread *thread)
{
	out->t0_ns = thread->t0_ns < out->t_ns ? thread->t0_ns : out->t_ns;
	out->t1_ns = thread->t1_ns > out->t_ns ? thread->t1_ns : out->t_ns;
	for (size_t i = 0; i < thread->items.n; i++) {
		const struct lode_regtime_item *item = &thread->items.at[i];

		if (item->start_ns > out->t_ns) {
			if (!out->item && item->start_ns < out->t1_ns)
				out->t1_ns = item->start_ns;
			break;
		}
		if (item->end_ns > out->t_ns)
			out->item = item;
		else if (item->end_ns > out->t0_ns)
			out->t0_ns = item->end_ns;
	}
	if (out->item) {
		out->t0_ns = out->item->start_ns;
		out->t1_ns = out->item->end_ns;
	}
}

int lode_moment_find(struct lode_moment *out, const struct lode_regtime *regtime, size_t thread,
		     int64_t t_ns, struct lode_error *err)
{
	struct lode_call_cursor cursor;

	*out = (struct lode_moment){.thread = thread, .t_ns = t_ns};
	lode_call_cursor_init(&cursor, regtime->trace, regtime->threads[thread].thread);
	lode_call_open_at(&out->open, &cursor, lode_call_find(&cursor, lode_time_add(t_ns, 1)),
			  t_ns);
	if (cursor.rc < 0 && err)
		*err = cursor.err;
	find_item(out, &regtime->threads[thread]);
	lode_call_cursor_release(&cursor);
	return cursor.rc;
}

void lode_moment_release(struct lode_moment *moment)
{
	lode_vec_release(&moment->open);
}

/* ---- All threads in a span ---- */

struct job {
	struct lode_meanwhile *out;
	struct lode_call_trace *trace;
	struct lode_pool_failure *failures; /* by worker */
};

/* ---- Leaves of one thread ---- */

int lode_function_compare(uint32_t x, uint32_t y, const struct lode_calltree *functions)
{
	if (x == y || x == LODE_NONE || y == LODE_NONE)
		return LODE_ORDER(x == LODE_NONE, y == LODE_NONE);
	return strcmp(lode_frame_function(functions, x), lode_frame_function(functions, y))
		       ?: LODE_ORDER(x, y);
}

int lode_leaf_compare(const struct lode_leaf *x, const struct lode_leaf *y,
		      const struct lode_calltree *functions)
{
	return LODE_ORDER(y->leaf_ns, x->leaf_ns)
		       ?: lode_function_compare(x->function, y->function, functions);
}

LODE_COMPARE_WITH(compare_leaves, struct lode_leaf, const struct lode_calltree *functions,
		  lode_leaf_compare(a, b, functions))

void lode_leaves_sort(struct lode_meanwhile_thread *out, const struct lode_calltree *functions)
{
	lode_sort_r(out->leaves.at, out->leaves.n, compare_leaves, (void *)functions);
}

void lode_meanwhile_of_whole(struct lode_meanwhile_thread *out, const struct lode_call_trace *trace,
			     const struct lode_regtime_thread *thread)
{
	*out = (struct lode_meanwhile_thread){.thread = thread->thread,
					      .n_calls = thread->n_calls,
					      .idle_ns = (uint64_t)(thread->t1_ns - thread->t0_ns)};
	lode_vec_fit(&out->leaves, thread->functions.n);
	for (size_t i = 0; i < thread->functions.n; i++) {
		const struct lode_regtime_function *function = &thread->functions.at[i];

		out->idle_ns -= function->leaf_ns;
		lode_vec_append(&out->leaves, ((struct lode_leaf){.function = function->function,
								  .leaf_ns = function->leaf_ns,
								  .n_calls = function->n_calls}));
	}
	lode_leaves_sort(out, &trace->functions);
}

static void add_leaves(struct lode_meanwhile_thread *out, const struct lode_call_trace *trace,
		       const struct lode_call_sums *sums, int64_t whole_ns)
{
	size_t n_functions = trace->functions.frames.n;
	struct lode_leaf *by_function = lode_alloc0(n_functions, sizeof(*by_function));
	uint64_t busy = 0;

	/* A call's own time is its time without its callees': taken from their caller's function.
	 */
	for (size_t i = 0; i < sums->at.n; i++) {
		const struct lode_call_stack *stack =
			&out->thread->stacks.at.at[sums->at.at[i].stack];
		uint32_t f = stack->function;

		by_function[f].leaf_ns += sums->at.at[i].ns;
		if (stack->caller)
			by_function[out->thread->stacks.at.at[stack->caller].function].leaf_ns -=
				sums->at.at[i].ns;
		if (stack->n_functions == 1)
			busy += sums->at.at[i].ns;
		by_function[f].n_calls += sums->at.at[i].n;
		out->n_calls += sums->at.at[i].n;
	}
	for (uint32_t f = 0; f < n_functions; f++) {
		by_function[f].function = f;
		if (by_function[f].n_calls)
			lode_vec_append(&out->leaves, by_function[f]);
	}
	lode_leaves_sort(out, &trace->functions);
	out->idle_ns = (uint64_t)whole_ns - busy;
	free(by_function);
}

static void look_at_job(void *context, size_t index, unsigned worker)
{
	struct job *job = context;
	struct lode_meanwhile_thread *out = &job->out->threads[index];
	struct lode_call_sums sums = {0};
	struct lode_call_cursor cursor;

	if (!lode_meanwhile_knows(job->out, index))
		return;
	lode_call_cursor_init(&cursor, job->trace, out->thread);
	lode_call_sums_reserve(&sums, out->thread->stacks.at.n);
	lode_call_sum_window(&sums, &cursor, job->out->t0_ns, job->out->t1_ns);
	if (cursor.rc == LODE_OK)
		add_leaves(out, job->trace, &sums, job->out->t1_ns - job->out->t0_ns);
	lode_pool_note(&job->failures[worker], index, cursor.rc, &cursor.err);
	lode_call_sums_release(&sums);
	lode_call_cursor_release(&cursor);
}

int lode_meanwhile_make(struct lode_meanwhile *out, struct lode_call_trace *trace,
			const struct lode_call_thread *only, uint32_t clock, int64_t t0_ns,
			int64_t t1_ns, unsigned n_threads, struct lode_error *err)
{
	struct job job = {.out = out, .trace = trace};
	int rc;

	*out = (struct lode_meanwhile){
		.t0_ns = t0_ns, .t1_ns = t1_ns, .clock = only ? only->clock : clock};
	out->n_threads = only ? 1 : trace->threads.n;
	out->threads = lode_alloc0(out->n_threads, sizeof(*out->threads));
	for (size_t i = 0; i < out->n_threads; i++)
		out->threads[i].thread = only ? only : trace->threads.at[i];
	job.failures = lode_alloc0(n_threads + 1, sizeof(*job.failures));
	lode_pool_run(n_threads, out->n_threads, look_at_job, &job);
	rc = lode_pool_first_failure(job.failures, n_threads, err);
	free(job.failures);
	if (rc < 0)
		lode_meanwhile_release(out);
	return rc;
}

void lode_meanwhile_release(struct lode_meanwhile *meanwhile)
{
	for (size_t i = 0; meanwhile->threads && i < meanwhile->n_threads; i++)
		lode_vec_release(&meanwhile->threads[i].leaves);
	free(meanwhile->threads);
	meanwhile->threads = NULL;
}

/* ---- One function ---- */

/* By stack: it ends in the function and has it nowhere else. Callers stand before callees. */
static uint8_t *outermost_stacks(const struct lode_call_thread *thread, uint32_t function)
{
	enum { has = 1, is_first = 2 };
	uint8_t *marks = lode_alloc0(thread->stacks.at.n, 1);

	for (size_t i = 1; i < thread->stacks.at.n; i++) {
		const struct lode_call_stack *stack = &thread->stacks.at.at[i];

		if (marks[stack->caller] & has)
			marks[i] = has;
		else if (stack->function == function)
			marks[i] = has | is_first;
	}
	for (size_t i = 0; i < thread->stacks.at.n; i++)
		marks[i] = (marks[i] & is_first) != 0;
	return marks;
}

static uint64_t sum_marked(const struct lode_call_sums *sums, const uint8_t *marks)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < sums->at.n; i++)
		if (marks[sums->at.at[i].stack])
			ns += sums->at.at[i].ns;
	return ns;
}

int lode_function_over_time(uint64_t *bins_ns, size_t n_bins, struct lode_call_trace *trace,
			    const struct lode_call_thread *thread, uint32_t function, int64_t t0_ns,
			    int64_t t1_ns, struct lode_error *err)
{
	struct lode_call_sums sums = {0};
	struct lode_call_cursor cursor;
	int64_t before = t0_ns;
	uint8_t *marks;

	lode_call_cursor_init(&cursor, trace, thread);
	marks = outermost_stacks(thread, function);
	lode_call_sums_reserve(&sums, thread->stacks.at.n);
	for (size_t i = 0; i < n_bins && cursor.rc == LODE_OK; i++) {
		int64_t end = t0_ns + (int64_t)((__int128)(t1_ns - t0_ns) * (int64_t)(i + 1) /
						(int64_t)n_bins);

		lode_call_sums_clear(&sums);
		lode_call_sum_window(&sums, &cursor, before, end);
		bins_ns[i] = sum_marked(&sums, marks);
		before = end;
	}
	if (cursor.rc < 0 && err)
		*err = cursor.err;
	lode_call_cursor_release(&cursor);
	lode_call_sums_release(&sums);
	free(marks);
	return cursor.rc;
}

/* The longest call of a function: spans without a longer call are passed over. */
static void find_longest(struct lode_function_use *out, struct lode_call_cursor *cursor,
			 uint32_t function, int64_t t0_ns, int64_t t1_ns)
{
	const struct lode_call_thread *thread = cursor->thread;

	out->longest.duration_ns = -1;
	for (size_t b = 0; b < lode_call_blocks(thread).n; b++) {
		struct lode_call_run run;

		if (thread->levels[0].at[b].max_duration_ns <= out->longest.duration_ns)
			continue;
		if (lode_call_cursor_block(&run, cursor, (uint64_t)b << thread->block_bits) < 0)
			break;
		for (size_t i = 0; i < run.n; i++)
			if (run.at[i].duration_ns > out->longest.duration_ns &&
			    (t0_ns == t1_ns ||
			     (run.at[i].start_ns < t1_ns &&
			      run.at[i].start_ns + run.at[i].duration_ns >= t0_ns)) &&
			    lode_call_function(thread, run.at[i].stack) == function)
				out->longest = run.at[i];
	}
}

int lode_function_use(struct lode_function_use *out, struct lode_call_trace *trace,
		      const struct lode_call_thread *thread, uint32_t function, int64_t t0_ns,
		      int64_t t1_ns, struct lode_error *err)
{
	struct lode_call_sums sums = {0};
	struct lode_call_cursor cursor;
	uint8_t *marks;

	memset(out, 0, sizeof(*out));
	lode_call_cursor_init(&cursor, trace, thread);
	marks = outermost_stacks(thread, function);
	lode_call_sums_reserve(&sums, thread->stacks.at.n);
	if (t0_ns == t1_ns)
		lode_call_sum_range(&sums, &cursor, 0, thread->n_calls);
	else
		lode_call_sum_window(&sums, &cursor, t0_ns, t1_ns);
	out->total_ns = sum_marked(&sums, marks);
	for (size_t i = 0; i < sums.at.n; i++)
		if (lode_call_function(thread, sums.at.at[i].stack) == function)
			out->n_calls += sums.at.at[i].n;
	if (out->n_calls)
		find_longest(out, &cursor, function, t0_ns, t1_ns);
	if (cursor.rc < 0 && err)
		*err = cursor.err;
	lode_call_cursor_release(&cursor);
	lode_call_sums_release(&sums);
	free(marks);
	return cursor.rc;
}
