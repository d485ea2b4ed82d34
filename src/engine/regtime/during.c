/* Compares what threads do inside and outside of the spans of a condition. */
#include "engine/regtime/during.h"

#include <math.h>

#include "base/sorted.h"
#include "engine/regtime/meanwhile.h"

/* ---- Calls of a thread within a span, as what is innermost when ---- */

struct leaf_sink {
	void (*take)(void *context, int64_t from, int64_t to, uint32_t function);
	void (*begin)(void *context, int64_t t_ns, uint32_t function); /* a call; may be NULL */
	void *context;
};

struct walk {
	const struct leaf_sink *sink;
	const struct lode_call_thread *thread;
	lode_call_vec open; /* outermost first */
	int64_t now;
};

static void pass(struct walk *walk, int64_t to, uint32_t function)
{
	if (to > walk->now)
		walk->sink->take(walk->sink->context, walk->now, to, function);
	walk->now = to > walk->now ? to : walk->now;
}

static void advance_to(struct walk *walk, int64_t to)
{
	while (walk->open.n) {
		const struct lode_call *call = &walk->open.at[walk->open.n - 1];
		int64_t end = lode_call_end(call);

		pass(walk, end < to ? end : to, lode_call_function(walk->thread, call->stack));
		if (end > to)
			return;
		walk->open.n--;
	}
	pass(walk, to, LODE_NONE);
}

static int walk_leaves(struct lode_call_cursor *cursor, int64_t t0, int64_t t1,
		       const struct leaf_sink *sink)
{
	struct walk walk = {.sink = sink, .thread = cursor->thread, .now = t0};
	struct lode_call_run run;
	uint64_t from = lode_call_find(cursor, t0), to = lode_call_find(cursor, t1);

	lode_call_open_at(&walk.open, cursor, from, t0);
	while (lode_call_cursor_next(&run, cursor, &from, to) > 0)
		for (size_t i = 0; i < run.n; i++) {
			advance_to(&walk, run.at[i].start_ns);
			lode_vec_append(&walk.open, run.at[i]);
			if (sink->begin)
				sink->begin(sink->context, run.at[i].start_ns,
					    lode_call_function(walk.thread, run.at[i].stack));
		}
	if (cursor->rc == LODE_OK)
		advance_to(&walk, t1);
	lode_vec_release(&walk.open);
	return cursor->rc;
}

/* ---- The condition's spans ---- */

static void add_inside(struct lode_during *out, int64_t from, int64_t to)
{
	struct lode_during_span *last = out->spans.n ? &out->spans.at[out->spans.n - 1] : NULL;

	if (last && last->to_ns == from)
		last->to_ns = to;
	else
		lode_vec_append(&out->spans, ((struct lode_during_span){from, to}));
	out->inside_ns += to - from;
}

static void take_idle(void *context, int64_t from, int64_t to, uint32_t function)
{
	if (function == LODE_NONE)
		add_inside(context, from, to);
}

/* The outermost calls of a function; calls come in order of their start. */
static void take_call(struct lode_during *out, const struct lode_call *call)
{
	int64_t from = call->start_ns > out->t0_ns ? call->start_ns : out->t0_ns;
	int64_t to = lode_call_end(call) < out->t1_ns ? lode_call_end(call) : out->t1_ns;

	if (out->spans.n && from < out->spans.at[out->spans.n - 1].to_ns)
		return;
	if (from < to)
		add_inside(out, from, to);
}

static int find_calls(struct lode_during *out, struct lode_call_cursor *cursor, uint32_t function)
{
	const struct lode_call_thread *thread = cursor->thread;
	uint64_t from = lode_call_find(cursor, out->t0_ns), to = lode_call_find(cursor, out->t1_ns);
	lode_call_vec open = {0};
	struct lode_call_run run;

	lode_call_open_at(&open, cursor, from, out->t0_ns);
	for (size_t i = 0; i < open.n; i++)
		if (lode_call_function(thread, open.at[i].stack) == function)
			take_call(out, &open.at[i]);
	lode_vec_release(&open);
	while (lode_call_cursor_next(&run, cursor, &from, to) > 0)
		for (size_t i = 0; i < run.n; i++)
			if (lode_call_function(thread, run.at[i].stack) == function)
				take_call(out, &run.at[i]);
	return cursor->rc;
}

static int find_spans(struct lode_during *out, struct lode_call_cursor *cursor, uint32_t function)
{
	const struct leaf_sink idle = {.take = take_idle, .context = out};

	if (function != LODE_NONE)
		return find_calls(out, cursor, function);
	return walk_leaves(cursor, out->t0_ns, out->t1_ns, &idle);
}

/* ---- Bins ---- */

/* Adds a length of time to the bins that it is in. */
static void add_to_bins(float *bins, const struct lode_during *during, int64_t from, int64_t to)
{
	double width = (double)(during->t1_ns - during->t0_ns) / LODE_DURING_BINS;
	double at = (double)(from - during->t0_ns) / width;
	double end = (double)(to - during->t0_ns) / width;

	while (at < end) {
		size_t bin = (size_t)at;
		double stop = (double)(bin + 1) < end ? (double)(bin + 1) : end;

		if (bin >= LODE_DURING_BINS)
			break;
		bins[bin] += (float)(stop - at);
		at = stop;
	}
}

/* Of all shifts, the share whose sum of products is as far from the mean as that of none. `twice`:
   the condition's bins, twice in a row. */
static double p_of_shifts(const float *row, const float *twice)
{
	float sums[LODE_DURING_BINS] = {0};
	double mean = 0, far;
	size_t n = 0;

	for (size_t i = 0; i < LODE_DURING_BINS; i++)
		for (size_t shift = 0; shift < LODE_DURING_BINS && row[i] > 0; shift++)
			sums[shift] += row[i] * twice[i + shift];
	for (size_t shift = 0; shift < LODE_DURING_BINS; shift++)
		mean += (double)sums[shift] / LODE_DURING_BINS;
	/* Equal sums may differ by rounding. */
	far = fabs((double)sums[0] - mean) - 1e-5 * mean;
	for (size_t shift = 0; shift < LODE_DURING_BINS; shift++)
		n += fabs((double)sums[shift] - mean) >= far;
	return (double)n / LODE_DURING_BINS;
}

/* ---- Other threads ---- */

struct counting {
	struct lode_during *out;
	size_t thread;
	size_t next_span;	/* the first that ends behind what was taken last */
	size_t first_row;	/* of this thread */
	struct lode_map row_of; /* function + 1 -> row of this thread */
	LODE_VEC(float) bins;	/* LODE_DURING_BINS of each row */
};

static size_t leaf_row(struct counting *c, uint32_t function)
{
	uint32_t n = (uint32_t)(c->out->rows.n - c->first_row);
	uint32_t row = lode_map_number(&c->row_of, (uint64_t)function + 1, n);

	if (row == n) {
		lode_vec_append(&c->out->rows, ((struct lode_during_row){.thread = c->thread,
									 .function = function}));
		lode_vec_reserve(&c->bins, c->bins.n + LODE_DURING_BINS);
		memset(c->bins.at + c->bins.n, 0, LODE_DURING_BINS * sizeof(*c->bins.at));
		c->bins.n += LODE_DURING_BINS;
	}
	return row;
}

static void pass_spans(struct counting *c, int64_t t_ns)
{
	while (c->next_span < c->out->spans.n && c->out->spans.at[c->next_span].to_ns <= t_ns)
		c->next_span++;
}

static void take_begin(void *context, int64_t t_ns, uint32_t function)
{
	struct counting *c = context;
	size_t i = leaf_row(c, function); /* may move the rows */
	struct lode_during_row *row = &c->out->rows.at[c->first_row + i];

	pass_spans(c, t_ns);
	if (c->next_span < c->out->spans.n && c->out->spans.at[c->next_span].from_ns <= t_ns)
		row->n_inside++;
	else
		row->n_outside++;
}

static void take_leaf(void *context, int64_t from, int64_t to, uint32_t function)
{
	struct counting *c = context;
	size_t row = leaf_row(c, function), i;
	int64_t inside = 0;

	pass_spans(c, from);
	for (i = c->next_span; i < c->out->spans.n && c->out->spans.at[i].from_ns < to; i++) {
		const struct lode_during_span *span = &c->out->spans.at[i];

		inside += (span->to_ns < to ? span->to_ns : to) -
			  (span->from_ns > from ? span->from_ns : from);
	}
	c->out->rows.at[c->first_row + row].inside_ns += inside;
	c->out->rows.at[c->first_row + row].outside_ns += to - from - inside;
	add_to_bins(c->bins.at + row * LODE_DURING_BINS, c->out, from, to);
}

static double share(int64_t part_ns, int64_t whole_ns)
{
	return whole_ns ? (double)part_ns / (double)whole_ns : 0;
}

static void compare_row(struct lode_during_row *row, const struct lode_during *during,
			const float *bins, const float *condition)
{
	double inside = share(row->inside_ns, during->inside_ns);
	double outside = share(row->outside_ns, during->outside_ns);

	row->difference = inside - outside;
	row->p = NAN;
	if (during->inside_ns && during->outside_ns &&
	    (inside >= LODE_DURING_LEAST || outside >= LODE_DURING_LEAST))
		row->p = p_of_shifts(bins, condition);
}

/* `condition`: its bins, twice in a row. */
static int count_thread(struct lode_during *out, struct lode_call_cursor *cursor, size_t thread,
			const float *condition)
{
	struct counting c = {.out = out, .thread = thread, .first_row = out->rows.n};
	const struct leaf_sink sink = {take_leaf, take_begin, &c};
	int rc = walk_leaves(cursor, out->t0_ns, out->t1_ns, &sink);

	for (size_t i = c.first_row; i < out->rows.n && rc == LODE_OK; i++)
		compare_row(&out->rows.at[i], out, c.bins.at + (i - c.first_row) * LODE_DURING_BINS,
			    condition);
	lode_map_release(&c.row_of);
	lode_vec_release(&c.bins);
	return rc;
}

LODE_COMPARE_WITH(compare_rows, struct lode_during_row, const struct lode_calltree *functions,
		  LODE_ORDER(fabs(b->difference), fabs(a->difference))
			  ?: LODE_ORDER(a->thread, b->thread)
			  ?: lode_function_compare(a->function, b->function, functions))

int lode_during_make(struct lode_during *out, struct lode_call_trace *trace,
		     const struct lode_during_condition *condition, int64_t t0, int64_t t1,
		     struct lode_error *err)
{
	const struct lode_call_thread *of = trace->threads.at[condition->thread];
	float *bins = lode_alloc0(2 * (size_t)LODE_DURING_BINS, sizeof(*bins));
	struct lode_call_cursor cursor;

	*out = (struct lode_during){.t0_ns = t0, .t1_ns = t1};
	lode_call_cursor_init(&cursor, trace, of);
	find_spans(out, &cursor, condition->function);
	out->outside_ns = t1 - t0 - out->inside_ns;
	for (size_t i = 0; i < out->spans.n; i++)
		add_to_bins(bins, out, out->spans.at[i].from_ns, out->spans.at[i].to_ns);
	memcpy(bins + LODE_DURING_BINS, bins, LODE_DURING_BINS * sizeof(*bins));
	for (size_t i = 0; i < trace->threads.n && cursor.rc == LODE_OK; i++) {
		if (trace->threads.at[i] == of || trace->threads.at[i]->clock != of->clock)
			continue;
		lode_call_cursor_move(&cursor, trace->threads.at[i]);
		count_thread(out, &cursor, i, bins);
	}
	lode_sort_r(out->rows.at, out->rows.n, compare_rows, (void *)&trace->functions);
	if (cursor.rc < 0 && err)
		*err = cursor.err;
	lode_call_cursor_release(&cursor);
	free(bins);
	return cursor.rc;
}

void lode_during_release(struct lode_during *during)
{
	lode_vec_release(&during->spans);
	lode_vec_release(&during->rows);
}
