/* All that a page without an engine shows of a trace. */
#include "answers/timeline/views.h"

#include "engine/regtime/meanwhile_many.h"
#include "base/sorted.h"
#include "answers/timeline/window_walk.h"

enum {
	STEP = 4,	    /* a level's windows are so much shorter than those of the one above */
	MAX_LEVELS = 30,    /* 4^30: from any span to a nanosecond */
	MAX_WINDOWS = 2000, /* looked at in one level */
	SINGLE_CALLS = 400,
	LEAST_STEP = 64,
	ALONE_CALLS = 50000,  /* fewer in a window take less time than starting a thread of ours */
	LEAST_WINDOWS = 24,   /* that the budget is for: none takes more than its part */
	FOLD_STEP = 4,	      /* folding is tried so much finer each time, */
	FOLD_TRIES = 3,	      /* so often, and then without any, */
	MAX_STACKS = 4000000, /* where there cannot be more nodes than that */
	MAX_SPANS = 2000,     /* each reads the index at its ends, in every thread */
	FIRST_SPANS = 64,     /* tell how large they are here, and so how many fit */
};

/* LIMIT: a window looks at every thread, so windows of traces of very many threads end where that
   takes as long as their calls do. */
enum { LEAST_LOOKS = 100000, LOOKS_PER_CALL = 2 };

/* Bytes for windows. Each call is in several, but readers zoom that far in few places: what a page
   costs stays in proportion to its calls. */
enum { LEAST_BUDGET = 250000, BUDGET_PER_CALL = 10 };

/* Of a page, packed: as recorded and generated traces take, rather more. */
enum {
	THREAD_BYTES = 60,
	ITEM_BYTES = 15,
	NODE_BYTES = 11,
	SPAN_BYTES = 8,
	IDLE_BYTES = 6,
	LEAF_BYTES = 5,
};

struct views_work {
	struct lode_timeline_views *out;
	const struct lode_timeline_job *job;
	const struct lode_timeline_views_options *options;
	struct lode_regtime_options windows; /* what they are made with */
	size_t budget, spent;		     /* bytes for windows */
	uint64_t n_looks;		     /* at threads, for windows */
};

/* ---- The whole ---- */

static size_t n_marks(const struct lode_regtime *regtime)
{
	size_t n = 0;

	for (size_t i = 0; i < regtime->n_threads; i++)
		n += regtime->threads[i].items.n + regtime->threads[i].nodes.n;
	return n;
}

size_t lode_timeline_view_bytes(const struct lode_regtime *regtime)
{
	size_t n = 0;

	for (size_t i = 0; i < regtime->n_threads; i++)
		if (regtime->threads[i].items.n)
			n += THREAD_BYTES + regtime->threads[i].items.n * ITEM_BYTES +
			     regtime->threads[i].nodes.n * NODE_BYTES;
	return n;
}

/* Nodes that there could be if nothing was folded. */
static size_t n_nodes_at_most(const struct lode_regtime *regtime)
{
	size_t n = 0;

	for (size_t i = 0; i < regtime->n_threads; i++)
		n += regtime->threads[i].n_expressions * regtime->threads[i].thread->stacks.at.n;
	return n;
}

static struct lode_regtime_threshold scaled(struct lode_regtime_threshold threshold, int by)
{
	int64_t *value = threshold.is_time ? &threshold.ns : &threshold.parts_1e9;

	*value = by ? *value / by : 0;
	return threshold;
}

/* Takes it if it fits: gives 1; 0 when not. */
static int try_folding(struct views_work *work, struct lode_regtime_threshold negligible,
		       struct lode_error *err)
{
	struct lode_regtime_options with = *work->options->regtime;
	struct lode_regtime *regtime;
	int rc;

	with.negligible = negligible;
	with.n_threads = work->job->n_threads;
	rc = lode_regtime_run(&regtime, work->job->trace, &with, err);
	if (rc < 0)
		return rc;
	if (work->out->whole && n_marks(regtime) > work->options->whole_budget) {
		lode_regtime_free(regtime);
		return 0;
	}
	lode_regtime_free(work->out->whole);
	work->out->whole = regtime;
	work->out->negligible = negligible;
	return 1;
}

/* As little folded as fits: what is asked for, then less and less of it. */
static int make_whole(struct views_work *work, struct lode_error *err)
{
	const struct lode_regtime_threshold asked = work->options->regtime->negligible;
	int rc = try_folding(work, asked, err), by = 1;

	if (work->options->regtime->is_classic)
		return rc < 0 ? rc : LODE_OK;
	for (int i = 0; i < FOLD_TRIES && rc > 0; i++)
		rc = try_folding(work, scaled(asked, by *= FOLD_STEP), err);
	if (rc > 0 && n_nodes_at_most(work->out->whole) <= MAX_STACKS)
		rc = try_folding(work, scaled(asked, 0), err);
	return rc < 0 ? rc : LODE_OK;
}

/* ---- Windows ---- */

/* Windows that might be made. */
typedef LODE_VEC(struct lode_walk_window) candidate_vec;

/* Busiest first. */
LODE_COMPARE(compare_candidates, struct lode_walk_window,
	     LODE_ORDER(b->n_calls, a->n_calls) ?: LODE_ORDER(a->t0_ns, b->t0_ns))

LODE_COMPARE(compare_windows, struct lode_timeline_view,
	     LODE_ORDER(a->level, b->level) ?: LODE_ORDER(a->t0_ns, b->t0_ns))

/* Windows that are call by call, by their beginning: up to where one that has begun reaches. */
struct known {
	int64_t t0_ns, reach_ns;
};

typedef LODE_VEC(struct known) known_vec;

LODE_COMPARE(compare_known, struct known, LODE_ORDER(a->t0_ns, b->t0_ns))

static void find_known(known_vec *out, const struct lode_timeline_views *views)
{
	for (size_t i = 0; i < views->windows.n; i++)
		if (views->windows.at[i].is_single)
			lode_vec_append(out, ((struct known){views->windows.at[i].t0_ns,
							     views->windows.at[i].t1_ns}));
	lode_sort(out->at, out->n, compare_known);
	for (size_t i = 1; i < out->n; i++)
		if (out->at[i].reach_ns < out->at[i - 1].reach_ns)
			out->at[i].reach_ns = out->at[i - 1].reach_ns;
}

/* Up to where a window that begins at `t0_ns` is known call by call. */
static int64_t known_until(const known_vec *known, int64_t t0_ns)
{
	const struct known *at = known->at;
	size_t n = at ? lode_sorted_up_to(at, known->n, sizeof(*at), t0_ns) : 0;

	return n ? at[n - 1].reach_ns : INT64_MIN;
}

/* The windows of a level that hold calls and are not known call by call. */
static int find_candidates(candidate_vec *out, struct views_work *work, unsigned level,
			   struct lode_error *err)
{
	struct lode_call_trace *trace = work->job->trace;
	int64_t n_steps = (int64_t)2 << 2 * level;
	struct lode_window_walk walk;
	known_vec known = {0};
	int rc = 1;

	if (trace->last_ns - trace->first_ns + 1 < n_steps)
		return LODE_OK;
	find_known(&known, work->out);
	lode_window_walk_init(&walk, trace, n_steps);
	/* LIMIT: of a level with thousands of windows only the first of these are looked at: the
	   budget has ended long before, save in traces of few calls far apart. */
	while (out->n < MAX_WINDOWS && rc > 0) {
		struct lode_walk_window window;

		rc = lode_window_walk_next(&walk, &window, err);
		if (rc <= 0)
			break;
		if (known_until(&known, window.t0_ns) >= window.t1_ns)
			lode_window_walk_pass(&walk, known_until(&known, window.t0_ns));
		else
			lode_vec_append(out, window);
	}
	work->out->n_visited += walk.n_visited;
	lode_window_walk_release(&walk);
	lode_vec_release(&known);
	return rc < 0 ? rc : LODE_OK;
}

static struct lode_regtime_threshold coarser(struct lode_regtime_threshold threshold,
					     struct lode_regtime_threshold most)
{
	int64_t *value = threshold.is_time ? &threshold.ns : &threshold.parts_1e9;
	int64_t end = most.is_time ? most.ns : most.parts_1e9;

	if (*value > end / STEP)
		*value = end;
	else /* up from nothing, too */
		*value = *value ? *value * STEP : end / LEAST_STEP + 1;
	if (*value > end)
		*value = end;
	return threshold;
}

/* One window, folded as little as its part of the budget allows. */
static int summarise(struct lode_regtime **out, struct views_work *work,
		     const struct lode_walk_window *c, struct lode_error *err)
{
	const struct lode_timeline_window_query query = {
		.t0_ns = c->t0_ns,
		.t1_ns = c->t1_ns,
		.detail = STEP,
		.single_calls = SINGLE_CALLS,
		.n_threads = c->n_calls < ALONE_CALLS ? 1 : work->job->n_threads,
	};
	const struct lode_regtime_threshold most = work->options->regtime->negligible;
	struct lode_regtime_threshold *now = &work->windows.negligible;

	for (;;) {
		int rc = lode_timeline_window(out, work->job->trace, &work->windows, &query, err);

		if (rc < 0 || lode_timeline_view_bytes(*out) <= work->budget / LEAST_WINDOWS ||
		    (now->ns >= most.ns && now->parts_1e9 >= most.parts_1e9))
			return rc;
		lode_regtime_free(*out);
		*now = coarser(*now, most); /* windows after it are alike */
	}
}

/* Gives 1 when there was room for it, 0 when not. */
static int make_window(struct views_work *work, const struct lode_walk_window *c, unsigned level,
		       struct lode_error *err)
{
	struct lode_timeline_view view = {.t0_ns = c->t0_ns, .t1_ns = c->t1_ns, .level = level};
	size_t n;
	int rc;

	work->n_looks += work->job->trace->threads.n;
	if (work->n_looks > LEAST_LOOKS + LOOKS_PER_CALL * work->job->trace->n_calls)
		return 0;
	rc = summarise(&view.regtime, work, c, err);
	if (rc < 0)
		return rc;
	n = lode_timeline_view_bytes(view.regtime);
	if (work->spent + n > work->budget) {
		lode_regtime_free(view.regtime);
		return 0;
	}
	work->spent += n;
	view.is_single = lode_timeline_window_is_single(view.regtime);
	for (size_t i = 0; i < view.regtime->n_threads; i++) /* the largest part, and not shown */
		lode_vec_release(&view.regtime->threads[i].functions);
	lode_vec_append(&work->out->windows, view);
	return 1;
}

/* Gives 1 when a deeper level may be made. */
static int make_level(struct views_work *work, unsigned level, struct lode_error *err)
{
	candidate_vec candidates = {0};
	size_t made = 0;
	int rc = find_candidates(&candidates, work, level, err);

	if (rc == LODE_OK && candidates.n) {
		lode_sort(candidates.at, candidates.n, compare_candidates);
		for (rc = 1; made < candidates.n && rc > 0; made += rc > 0)
			rc = make_window(work, &candidates.at[made], level, err);
		work->out->n_left_out = candidates.n - made;
	}
	lode_vec_release(&candidates);
	return rc;
}

static int make_windows(struct views_work *work, struct lode_error *err)
{
	size_t used = lode_timeline_view_bytes(work->out->whole) + work->out->meanwhile_bytes +
		      work->job->outliers.at.n * ITEM_BYTES;
	int rc = used < work->options->page_bytes;

	uint64_t by_calls = LEAST_BUDGET + BUDGET_PER_CALL * work->job->trace->n_calls;

	work->budget = rc ? work->options->page_bytes - used : 0;
	if (work->budget > by_calls)
		work->budget = by_calls;
	/* Their expressions are shorter: what is folded is, too. */
	work->windows = *work->options->regtime;
	work->windows.negligible =
		coarser(work->out->negligible, work->options->regtime->negligible);
	for (unsigned level = 1; level <= MAX_LEVELS && rc > 0; level++)
		rc = make_level(work, level, err);
	lode_sort(work->out->windows.at, work->out->windows.n, compare_windows);
	return rc < 0 ? rc : LODE_OK;
}

/* ---- Spans of which the page shows what all threads did ---- */

/* An outlier tells more than one that did little but call it. */
enum span_kind { SPAN_OUTLIER, SPAN_GAP, SPAN_CALLER, SPAN_EXPRESSION };

struct span {
	int64_t t0_ns, t1_ns;
	uint32_t clock;
	enum span_kind kind;
};

typedef LODE_VEC(struct span) span_vec;

/* By kind, the longest first. */
LODE_COMPARE(compare_spans, struct span,
	     LODE_ORDER(a->kind, b->kind) ?: LODE_ORDER(b->t1_ns - b->t0_ns, a->t1_ns - a->t0_ns)
	     ?: LODE_ORDER(a->t0_ns, b->t0_ns) ?: LODE_ORDER(a->clock, b->clock))

LODE_COMPARE(compare_by_time, struct span,
	     LODE_ORDER(a->t0_ns, b->t0_ns) ?: LODE_ORDER(a->t1_ns, b->t1_ns)
	     ?: LODE_ORDER(a->clock, b->clock) ?: LODE_ORDER((int)a->kind, (int)b->kind))

static void add_span(span_vec *spans, int64_t t0_ns, int64_t t1_ns, uint32_t clock,
		     enum span_kind kind)
{
	if (t0_ns < t1_ns)
		lode_vec_append(spans, ((struct span){t0_ns, t1_ns, clock, kind}));
}

/* What one thread's marks mean. */
static void add_spans(span_vec *spans, const struct lode_regtime_thread *thread)
{
	LODE_VEC(size_t) open = {0}; /* spans of the calls around, by depth */

	for (size_t k = 0; k < thread->items.n; k++) {
		const struct lode_regtime_item *item = &thread->items.at[k];

		if (item->start_ns == item->end_ns)
			continue;
		if (item->kind != LODE_REGTIME_CALL) {
			add_span(spans, item->start_ns, item->end_ns, thread->thread->clock,
				 item->kind == LODE_REGTIME_GAP ? SPAN_GAP : SPAN_EXPRESSION);
			continue;
		}
		if (item->depth && open.n >= item->depth) {
			struct span *caller = &spans->at[open.at[item->depth - 1]];

			if (item->end_ns - item->start_ns >=
			    (caller->t1_ns - caller->t0_ns) / 10 * 9)
				caller->kind = SPAN_CALLER;
		}
		if (open.n > item->depth)
			open.n = item->depth;
		while (open.n <= item->depth)
			lode_vec_append(&open, spans->n);
		add_span(spans, item->start_ns, item->end_ns, thread->thread->clock, SPAN_OUTLIER);
	}
	lode_vec_release(&open);
}

/* Each once, the most telling first. */
static void find_spans(span_vec *spans, const struct views_work *work)
{
	const struct lode_regtime *regtime = work->out->whole;
	const struct lode_call_trace *trace = work->job->trace;
	size_t n = 0;

	for (size_t i = 0; i < regtime->n_threads; i++) {
		const struct lode_call_thread *thread = regtime->threads[i].thread;

		if (!regtime->threads[i].items.n)
			continue;
		add_span(spans, trace->first_ns, thread->first_ns, thread->clock, SPAN_GAP);
		add_spans(spans, &regtime->threads[i]);
		add_span(spans, thread->last_ns, trace->clocks.at[thread->clock].last_ns,
			 thread->clock, SPAN_GAP);
	}
	if (!spans->n)
		return;
	lode_sort(spans->at, spans->n, compare_by_time);
	for (size_t i = 0; i < spans->n; i++)
		if (!i || spans->at[i].t0_ns != spans->at[n - 1].t0_ns ||
		    spans->at[i].t1_ns != spans->at[n - 1].t1_ns ||
		    spans->at[i].clock != spans->at[n - 1].clock)
			spans->at[n++] = spans->at[i];
	spans->n = n;
	lode_sort(spans->at, spans->n, compare_spans);
}

static size_t meanwhile_bytes(const struct lode_meanwhile *meanwhile)
{
	size_t n = SPAN_BYTES;

	for (size_t i = 0; i < meanwhile->n_threads; i++) {
		size_t leaves = meanwhile->threads[i].leaves.n;

		n += IDLE_BYTES +
		     LEAF_BYTES * (leaves < LODE_VIEWS_LEAVES ? leaves : LODE_VIEWS_LEAVES);
	}
	return n;
}

LODE_COMPARE(compare_meanwhiles, struct lode_meanwhile,
	     LODE_ORDER(a->t0_ns, b->t0_ns) ?: LODE_ORDER(a->t1_ns, b->t1_ns)
	     ?: LODE_ORDER(a->clock, b->clock))

/* As many of the next spans as there is room for, by what those before took. */
static size_t next_batch(const struct views_work *work, size_t n_left)
{
	const struct lode_timeline_views *out = work->out;
	size_t each = out->meanwhiles.n ? out->meanwhile_bytes / out->meanwhiles.n + 1 : 0;
	size_t room = work->options->meanwhile_bytes - out->meanwhile_bytes;
	size_t n = each && room / each > FIRST_SPANS ? room / each : FIRST_SPANS;

	return n < n_left ? n : n_left;
}

/* Keeps what there is room for, in order: gives 1 if that is all of them, else 0. */
static int keep_meanwhiles(struct views_work *work, struct lode_meanwhile *made, size_t n)
{
	struct lode_timeline_views *out = work->out;
	size_t i;

	for (i = 0; i < n; i++) {
		size_t bytes = meanwhile_bytes(&made[i]);

		if (out->meanwhile_bytes + bytes > work->options->meanwhile_bytes)
			break;
		out->meanwhile_bytes += bytes;
		lode_vec_append(&out->meanwhiles, made[i]);
	}
	for (size_t k = i; k < n; k++)
		lode_meanwhile_release(&made[k]);
	return i == n;
}

static int make_meanwhiles(struct views_work *work, struct lode_error *err)
{
	struct lode_timeline_views *out = work->out;
	size_t n_done = 0, n;
	span_vec spans = {0};
	int rc = work->options->meanwhile_bytes > 0;

	find_spans(&spans, work);
	if (spans.n > MAX_SPANS)
		spans.n = MAX_SPANS;
	for (; rc > 0 && n_done < spans.n; n_done += n) {
		struct lode_meanwhile *made;

		n = next_batch(work, spans.n - n_done);
		made = lode_alloc0(n, sizeof(*made));
		for (size_t i = 0; i < n; i++) {
			made[i].t0_ns = spans.at[n_done + i].t0_ns;
			made[i].t1_ns = spans.at[n_done + i].t1_ns;
			made[i].clock = spans.at[n_done + i].clock;
		}
		rc = lode_meanwhile_make_many(made, n, work->job->trace, LODE_VIEWS_LEAVES,
					      work->job->n_threads, err);
		if (rc == LODE_OK)
			rc = keep_meanwhiles(work, made, n);
		free(made);
	}
	lode_sort(out->meanwhiles.at, out->meanwhiles.n, compare_meanwhiles);
	lode_vec_release(&spans);
	return rc < 0 ? rc : LODE_OK;
}

/* ---- Functions ---- */

static void count_functions(struct lode_timeline_views *out, const struct lode_regtime *regtime)
{
	for (size_t f = 0; f < regtime->trace->functions.frames.n; f++)
		lode_vec_append(&out->functions, ((struct lode_timeline_prominence){0}));
	for (size_t i = 0; i < regtime->n_threads; i++) {
		const struct lode_regtime_thread *t = &regtime->threads[i];

		for (size_t f = 0; f < t->functions.n; f++)
			out->functions.at[t->functions.at[f].function].n_threads++;
		for (size_t k = 0; k < t->items.n; k++)
			if (t->items.at[k].kind == LODE_REGTIME_CALL)
				out->functions
					.at[lode_call_function(t->thread, t->items.at[k].stack)]
					.n_glyphs++;
		for (size_t k = 0; k < t->nodes.n; k++)
			if (!t->nodes.at[k].is_folded)
				out->functions
					.at[lode_call_function(t->thread, t->nodes.at[k].stack)]
					.n_glyphs++;
	}
}

int lode_timeline_views_make(struct lode_timeline_views *out, const struct lode_timeline_job *job,
			     const struct lode_timeline_views_options *options,
			     struct lode_error *err)
{
	struct views_work work = {.out = out, .job = job, .options = options};
	int rc;

	*out = (struct lode_timeline_views){0};
	lode_call_trace_keep_blocks(job->trace, true); /* windows overlap */
	rc = make_whole(&work, err);
	if (rc == LODE_OK) {
		count_functions(out, out->whole);
		lode_readable_axis_make(&out->axis, out->whole, job->trace->first_ns,
					job->trace->last_ns);
		rc = make_meanwhiles(&work, err);
	}
	if (rc == LODE_OK)
		rc = make_windows(&work, err);
	lode_call_trace_keep_blocks(job->trace, false);
	if (rc < 0)
		lode_timeline_views_release(out);
	return rc;
}

void lode_timeline_views_release(struct lode_timeline_views *views)
{
	for (size_t i = 0; i < views->windows.n; i++)
		lode_regtime_free(views->windows.at[i].regtime);
	for (size_t i = 0; i < views->meanwhiles.n; i++)
		lode_meanwhile_release(&views->meanwhiles.at[i]);
	lode_vec_release(&views->windows);
	lode_vec_release(&views->meanwhiles);
	lode_regtime_free(views->whole);
	views->whole = NULL;
	lode_vec_release(&views->functions);
	lode_readable_axis_release(&views->axis);
}
