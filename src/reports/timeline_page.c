#include "reports/timeline_page.h"

#include <inttypes.h>
#include <stdlib.h>

#include "analyses/regtime/regtime_own.h"
#include "reports/json.h"

/* LIMIT: of what a thread did during a span, this many functions are named; then "others". */
enum { N_LEAVES = 8, NAME_BYTES = 16384 };

/* Functions that are called, numbered in order of their ids. */
struct function_ids {
	uint32_t *of; /* by function of the trace: index, or LODE_NONE */
	uint32_t *at; /* by index */
	size_t n;
};

struct page {
	struct lode_json *json;
	const struct lode_call_trace *trace;
	struct function_ids ids;
};

static void page_open(struct page *page, FILE *out, const char *schema,
		      const struct lode_call_trace *trace)
{
	size_t n = trace->functions.frames.n;

	page->json = lode_json_open_line(out, schema);
	page->trace = trace;
	page->ids = (struct function_ids){.of = lode_alloc0(n + 1, sizeof(uint32_t)),
					  .at = lode_alloc0(n + 1, sizeof(uint32_t))};
	for (uint32_t f = 0; f < n; f++) {
		page->ids.of[f] = LODE_NONE;
		if (!trace->spreads.at[f].n)
			continue;
		page->ids.of[f] = (uint32_t)page->ids.n;
		page->ids.at[page->ids.n++] = f;
	}
}

static void page_close(struct page *page)
{
	lode_json_close(page->json);
	free(page->ids.of);
	free(page->ids.at);
}

/* One column: get(context, i) for each of n. */
static void put_column(const struct page *page, const char *key, const void *context, size_t n,
		       int64_t (*get)(const struct page *page, const void *context, size_t i))
{
	lode_json_array(page->json, key);
	for (size_t i = 0; i < n; i++)
		lode_json_int(page->json, NULL, get(page, context, i));
	lode_json_end_array(page->json);
}

#define COLUMN(name, type, expression)                                              \
	static int64_t name(const struct page *page, const void *context, size_t i) \
	{                                                                           \
		const type *c = context;                                            \
                                                                                    \
		(void)page;                                                         \
		return (int64_t)(expression);                                       \
	}

static int64_t since(const struct page *page, int64_t t_ns)
{
	return t_ns - page->trace->first_ns;
}

/* ---- Threads' timelines ---- */

struct items {
	const struct lode_regtime_thread *thread;
	const struct lode_regtime_item *at;
	const int64_t *own;
	const size_t *expressions; /* items that are */
};

COLUMN(item_kind, struct items, c->at[i].kind)
COLUMN(item_depth, struct items, c->at[i].depth)
/* Differences: of starts, which rise, but for the first. */
COLUMN(item_start, struct items,
       i ? c->at[i].start_ns - c->at[i - 1].start_ns : since(page, c->at[i].start_ns))
COLUMN(item_duration, struct items, c->at[i].end_ns - c->at[i].start_ns)
/* A call's function; of an expression its number of calls. */
static int64_t item_what(const struct page *page, const void *context, size_t i)
{
	const struct items *c = context;

	if (c->at[i].kind == LODE_REGTIME_CALL)
		return page->ids.of[lode_call_function(c->thread->thread, c->at[i].stack)];
	return c->at[i].kind == LODE_REGTIME_EXPRESSION ? (int64_t)c->at[i].n_calls : 0;
}
/* A call's own time, -1 where it is not known; an expression's number of nodes. */
static int64_t item_own(const struct page *page, const void *context, size_t i)
{
	const struct items *c = context;

	(void)page;
	if (c->at[i].kind == LODE_REGTIME_CALL)
		return c->own[i] == LODE_OWN_UNKNOWN ? -1 : c->own[i];
	return c->at[i].kind == LODE_REGTIME_EXPRESSION ? (int64_t)c->at[i].n_nodes : 0;
}

COLUMN(fold_nodes, struct items, c->at[c->expressions[i]].n_folded)
COLUMN(fold_functions, struct items, c->at[c->expressions[i]].n_folded_functions)
COLUMN(fold_calls, struct items, c->at[c->expressions[i]].folded_calls)
COLUMN(fold_own, struct items, c->at[c->expressions[i]].folded_ns)

COLUMN(node_function, struct lode_regtime_thread,
       page->ids.of[lode_call_function(c->thread, c->nodes.at[i].stack)])
/* Caller + 1 in its expression; 0: outermost. */
COLUMN(node_caller, struct lode_regtime_thread,
       c->nodes.at[i].caller == LODE_NONE ? 0 : c->nodes.at[i].caller + 1)
COLUMN(node_calls, struct lode_regtime_thread, c->nodes.at[i].n_calls)
COLUMN(node_total, struct lode_regtime_thread, c->nodes.at[i].total_ns)
COLUMN(node_own, struct lode_regtime_thread, c->nodes.at[i].own_ns)

static void put_timeline(const struct page *page, const struct lode_regtime_thread *t,
			 size_t thread)
{
	int64_t *own = lode_alloc0(t->items.n + 1, sizeof(*own));
	size_t *expressions = lode_alloc0(t->items.n + 1, sizeof(*expressions)), n = 0;
	struct items items = {t, t->items.at, own, expressions};

	lode_regtime_own(own, t);
	for (size_t i = 0; i < t->items.n; i++)
		if (t->items.at[i].kind == LODE_REGTIME_EXPRESSION)
			expressions[n++] = i;
	lode_json_object(page->json, NULL);
	lode_json_int(page->json, "thread", (int64_t)thread);
	lode_json_int(page->json, "calls", (int64_t)t->n_calls);
	lode_json_bool(page->json, "single", t->n_expressions == 0);
	put_column(page, "kind", &items, t->items.n, item_kind);
	put_column(page, "depth", &items, t->items.n, item_depth);
	put_column(page, "start", &items, t->items.n, item_start);
	put_column(page, "duration", &items, t->items.n, item_duration);
	put_column(page, "what", &items, t->items.n, item_what);
	put_column(page, "own", &items, t->items.n, item_own);
	put_column(page, "fold_nodes", &items, n, fold_nodes);
	put_column(page, "fold_functions", &items, n, fold_functions);
	put_column(page, "fold_calls", &items, n, fold_calls);
	put_column(page, "fold_own", &items, n, fold_own);
	put_column(page, "node_function", t, t->nodes.n, node_function);
	put_column(page, "node_caller", t, t->nodes.n, node_caller);
	put_column(page, "node_calls", t, t->nodes.n, node_calls);
	put_column(page, "node_total", t, t->nodes.n, node_total);
	put_column(page, "node_own", t, t->nodes.n, node_own);
	lode_json_end_object(page->json);
	free(own);
	free(expressions);
}

/* Of the threads that have one. */
static void put_timelines(const struct page *page, const struct lode_regtime *regtime)
{
	lode_json_array(page->json, "timelines");
	for (size_t i = 0; i < regtime->n_threads; i++)
		if (regtime->threads[i].items.n)
			put_timeline(page, &regtime->threads[i], i);
	lode_json_end_array(page->json);
}

/* ---- The trace ---- */

static void put_text_time(const struct page *page, const char *key, int64_t t_ns)
{
	char text[24];

	/* Wall-clock ns do not fit a browser's numbers. */
	snprintf(text, sizeof(text), "%" PRId64, t_ns);
	lode_json_text(page->json, key, text);
}

static void put_losses(const struct page *page)
{
	const struct lode_call_trace *trace = page->trace;

	lode_json_object(page->json, "repairs");
	for (unsigned i = 0; i < LODE_N_REPAIRS; i++)
		if (trace->repairs[i])
			lode_json_int(page->json, lode_call_repair_words((enum lode_call_repair)i),
				      (int64_t)trace->repairs[i]);
	lode_json_end_object(page->json);
	lode_json_array(page->json, "losses");
	for (unsigned i = 0; i < LODE_N_LOSS_KINDS; i++) {
		const struct lode_loss *loss = &trace->losses.by_kind[i];

		if (!loss->count)
			continue;
		lode_json_object(page->json, NULL);
		lode_json_text(page->json, "kind", lode_loss_name((enum lode_loss_kind)i));
		lode_json_int(page->json, "count", (int64_t)loss->count);
		lode_json_text(page->json, "detail", loss->detail);
		lode_json_end_object(page->json);
	}
	lode_json_end_array(page->json);
}

static void put_trace(const struct page *page, const struct lode_timeline_report *report)
{
	const struct lode_call_trace *trace = page->trace;

	lode_json_object(page->json, "trace");
	lode_json_text(page->json, "path",
		       trace->source && *trace->source ? trace->source : trace->path);
	lode_json_text(page->json, "format", trace->format ? trace->format : "");
	lode_json_text(page->json, "command", trace->command ? trace->command : "");
	lode_json_text(page->json, "host", trace->host ? trace->host : "");
	put_text_time(page, "t0_ns", trace->first_ns);
	lode_json_int(page->json, "length_ns", trace->last_ns - trace->first_ns);
	lode_json_int(page->json, "calls", (int64_t)trace->n_calls);
	lode_json_int(page->json, "events", (int64_t)trace->n_events);
	lode_json_bool(page->json, "classic", report->options->is_classic);
	put_losses(page);
	lode_json_end_object(page->json);
}

/* ---- Functions ---- */

static const struct lode_call_spread *spread_at(const struct page *page, size_t i)
{
	return &page->trace->spreads.at[page->ids.at[i]];
}

COLUMN(function_glyphs, struct lode_timeline_views, c->functions.at[page->ids.at[i]].n_glyphs)
COLUMN(function_threads, struct lode_timeline_views, c->functions.at[page->ids.at[i]].n_threads)
COLUMN(function_calls, void, ((void)c, spread_at(page, i)->n))
COLUMN(function_total, void, ((void)c, spread_at(page, i)->total_ns))
COLUMN(function_median, void, ((void)c, spread_at(page, i)->median_ns))
COLUMN(function_p99, void, ((void)c, spread_at(page, i)->p99_ns))
COLUMN(function_max, void, ((void)c, spread_at(page, i)->max_ns))

static void put_functions(const struct page *page, const struct lode_timeline_views *views)
{
	char name[NAME_BYTES];

	lode_json_object(page->json, "functions");
	lode_json_array(page->json, "name");
	for (size_t i = 0; i < page->ids.n; i++)
		lode_json_text(page->json, NULL,
			       lode_frame_full_name(&page->trace->functions, page->ids.at[i], name,
						    sizeof(name)));
	lode_json_end_array(page->json);
	put_column(page, "glyphs", views, page->ids.n, function_glyphs);
	put_column(page, "threads", views, page->ids.n, function_threads);
	put_column(page, "calls", NULL, page->ids.n, function_calls);
	put_column(page, "total_ns", NULL, page->ids.n, function_total);
	put_column(page, "median_ns", NULL, page->ids.n, function_median);
	put_column(page, "p99_ns", NULL, page->ids.n, function_p99);
	put_column(page, "max_ns", NULL, page->ids.n, function_max);
	lode_json_end_object(page->json);
}

/* ---- Threads ---- */

/* What a thread did: pairs of function and time, the most first, in one list. */
static void put_leaves(const struct page *page, const char *key,
		       const struct lode_meanwhile_thread *thread, size_t most)
{
	size_t n = thread->leaves.n < most ? thread->leaves.n : most;

	lode_json_array(page->json, key);
	for (size_t i = 0; i < n && thread->leaves.at[i].leaf_ns; i++) {
		lode_json_int(page->json, NULL, page->ids.of[thread->leaves.at[i].function]);
		lode_json_int(page->json, NULL, (int64_t)thread->leaves.at[i].leaf_ns);
	}
	lode_json_end_array(page->json);
}

/* Every function that the thread calls, also those that are folded everywhere. */
static void put_called(const struct page *page, const struct lode_regtime_thread *t)
{
	size_t n = t->functions.n;
	uint32_t last = 0;

	lode_json_array(page->json, "called");
	for (size_t f = 0; f < n; f++) {
		if (!t->functions.at[f].n_calls)
			continue;
		lode_json_int(page->json, NULL, page->ids.of[f] - last);
		last = page->ids.of[f];
	}
	lode_json_end_array(page->json);
	lode_json_array(page->json, "called_calls");
	for (size_t f = 0; f < n; f++)
		if (t->functions.at[f].n_calls)
			lode_json_int(page->json, NULL, (int64_t)t->functions.at[f].n_calls);
	lode_json_end_array(page->json);
	lode_json_array(page->json, "called_leaf");
	for (size_t f = 0; f < n; f++)
		if (t->functions.at[f].n_calls)
			lode_json_int(page->json, NULL, (int64_t)t->functions.at[f].leaf_ns);
	lode_json_end_array(page->json);
}

static void put_threads(const struct page *page, const struct lode_timeline_report *report,
			const struct lode_timeline_views *views)
{
	lode_json_array(page->json, "threads");
	for (size_t i = 0; i < views->whole->n_threads; i++) {
		const struct lode_regtime_thread *t = &views->whole->threads[i];

		lode_json_object(page->json, NULL);
		lode_json_int(page->json, "pid", t->thread->pid);
		lode_json_int(page->json, "tid", t->thread->tid);
		lode_json_text(page->json, "name", lode_call_thread_name(page->trace, t->thread));
		lode_json_int(page->json, "clock", t->thread->clock);
		lode_json_int(page->json, "first", since(page, t->thread->first_ns));
		lode_json_int(page->json, "last", since(page, t->thread->last_ns));
		lode_json_int(page->json, "calls", (int64_t)t->n_calls);
		lode_json_int(page->json, "kept_calls", (int64_t)t->n_kept);
		lode_json_int(page->json, "expressions", (int64_t)t->n_expressions);
		lode_json_int(page->json, "gaps", (int64_t)t->n_gaps);
		lode_json_int(page->json, "events_after", (int64_t)t->n_glyphs);
		lode_json_int(page->json, "functions", (int64_t)t->n_functions);
		lode_json_int(page->json, "max_depth", t->thread->max_depth);
		lode_json_int(page->json, "long_call_ns", t->long_call_ns);
		lode_json_int(page->json, "gap_ns", t->gap_ns);
		lode_json_int(page->json, "negligible_ns", t->negligible_ns);
		lode_json_int(page->json, "idle_ns", (int64_t)report->leaves->threads[i].idle_ns);
		put_leaves(page, "leaves", &report->leaves->threads[i], N_LEAVES);
		put_called(page, t);
		lode_json_end_object(page->json);
	}
	lode_json_end_array(page->json);
}

/* ---- Outliers, and what everybody did during them and during gaps ---- */

COLUMN(outlier_thread, struct lode_outlier, c[i].thread)
COLUMN(outlier_function, struct lode_outlier, page->ids.of[c[i].function])
COLUMN(outlier_start, struct lode_outlier, since(page, c[i].start_ns))
COLUMN(outlier_duration, struct lode_outlier, c[i].duration_ns)
COLUMN(outlier_depth, struct lode_outlier, c[i].depth)

static void put_outliers(const struct page *page, const struct lode_outliers *outliers)
{
	size_t n = outliers->at.n;

	lode_json_object(page->json, "outliers");
	put_column(page, "thread", outliers->at.at, n, outlier_thread);
	put_column(page, "function", outliers->at.at, n, outlier_function);
	put_column(page, "start", outliers->at.at, n, outlier_start);
	put_column(page, "duration", outliers->at.at, n, outlier_duration);
	put_column(page, "depth", outliers->at.at, n, outlier_depth);
	lode_json_array(page->json, "times_median");
	for (size_t i = 0; i < n; i++)
		lode_json_number(page->json, NULL, outliers->at.at[i].times_median);
	lode_json_end_array(page->json);
	lode_json_end_object(page->json);
}

static void put_meanwhile(const struct page *page, const struct lode_meanwhile *m, size_t most)
{
	lode_json_int(page->json, "t0", since(page, m->t0_ns));
	lode_json_int(page->json, "t1", since(page, m->t1_ns));
	lode_json_int(page->json, "clock", m->clock);
	lode_json_array(page->json, "idle"); /* -1: not known, it is on another clock */
	for (size_t k = 0; k < m->n_threads; k++)
		lode_json_int(page->json, NULL,
			      lode_meanwhile_knows(m, k) ? (int64_t)m->threads[k].idle_ns : -1);
	lode_json_end_array(page->json);
	lode_json_array(page->json, "leaves");
	for (size_t k = 0; k < m->n_threads; k++)
		put_leaves(page, NULL, &m->threads[k], most);
	lode_json_end_array(page->json);
}

static void put_axis(const struct page *page, const struct lode_readable_axis *axis)
{
	lode_json_object(page->json, "axis");
	lode_json_int(page->json, "width", LODE_AXIS_WIDTH);
	lode_json_array(page->json, "t");
	for (size_t i = 0; i < axis->knots.n; i++)
		lode_json_int(page->json, NULL, since(page, axis->knots.at[i].t_ns));
	lode_json_end_array(page->json);
	lode_json_array(page->json, "x");
	for (size_t i = 0; i < axis->knots.n; i++)
		lode_json_int(page->json, NULL, axis->knots.at[i].x);
	lode_json_end_array(page->json);
	lode_json_end_object(page->json);
}

static void put_window(const struct page *page, const struct lode_timeline_view *window)
{
	lode_json_object(page->json, NULL);
	lode_json_int(page->json, "t0", since(page, window->t0_ns));
	lode_json_int(page->json, "t1", since(page, window->t1_ns));
	put_timelines(page, window->regtime);
	lode_json_end_object(page->json);
}

/* Which windows there are, and which of the parts has them. */
static void put_window_list(const struct page *page, const struct lode_timeline_views *views)
{
	lode_json_array(page->json, "windows");
	for (size_t i = 0; i < views->windows.n; i++) {
		const struct lode_timeline_view *w = &views->windows.at[i];

		lode_json_object(page->json, NULL);
		lode_json_int(page->json, "t0", since(page, w->t0_ns));
		lode_json_int(page->json, "t1", since(page, w->t1_ns));
		lode_json_bool(page->json, "single", w->is_single);
		lode_json_int(page->json, "part", (int64_t)(i / LODE_PAGE_WINDOWS));
		lode_json_end_object(page->json);
	}
	lode_json_end_array(page->json);
	lode_json_int(page->json, "windows_left_out", (int64_t)views->n_left_out);
}

void lode_timeline_page_json(FILE *out, const struct lode_timeline_report *report,
			     const struct lode_timeline_views *views)
{
	struct page page;

	page_open(&page, out, "lode/timeline-page/1", report->job->trace);
	put_trace(&page, report);
	put_functions(&page, views);
	put_threads(&page, report, views);
	put_outliers(&page, &report->job->outliers);
	put_axis(&page, &views->axis);
	put_timelines(&page, views->whole);
	lode_json_int(page.json, "meanwhiles", (int64_t)views->meanwhiles.n);
	put_window_list(&page, views);
	page_close(&page);
}

size_t lode_timeline_page_parts(const struct lode_timeline_views *views)
{
	return (views->windows.n + LODE_PAGE_WINDOWS - 1) / LODE_PAGE_WINDOWS;
}

void lode_timeline_part_json(FILE *out, const struct lode_timeline_report *report,
			     const struct lode_timeline_views *views, size_t part)
{
	struct page page;
	size_t from = part * LODE_PAGE_WINDOWS, to = from + LODE_PAGE_WINDOWS;

	page_open(&page, out, "lode/timeline-windows/1", report->job->trace);
	lode_json_array(page.json, "windows");
	for (size_t i = from; i < to && i < views->windows.n; i++)
		put_window(&page, &views->windows.at[i]);
	lode_json_end_array(page.json);
	page_close(&page);
}

void lode_timeline_meanwhiles_json(FILE *out, const struct lode_timeline_report *report,
				   const struct lode_timeline_views *views)
{
	struct page page;

	page_open(&page, out, "lode/timeline-meanwhiles/1", report->job->trace);
	lode_json_array(page.json, "meanwhile");
	for (size_t i = 0; i < views->meanwhiles.n; i++) {
		lode_json_object(page.json, NULL);
		put_meanwhile(&page, &views->meanwhiles.at[i], LODE_VIEWS_LEAVES);
		lode_json_end_object(page.json);
	}
	lode_json_end_array(page.json);
	page_close(&page);
}

void lode_timeline_window_json(FILE *out, const struct lode_regtime *window, int64_t t0_ns,
			       int64_t t1_ns)
{
	const struct lode_timeline_view view = {
		.t0_ns = t0_ns, .t1_ns = t1_ns, .regtime = (struct lode_regtime *)window};
	struct page page;

	page_open(&page, out, "lode/timeline-windows/1", window->trace);
	lode_json_array(page.json, "windows");
	put_window(&page, &view);
	lode_json_end_array(page.json);
	page_close(&page);
}

void lode_timeline_meanwhile_json(FILE *out, const struct lode_call_trace *trace,
				  const struct lode_meanwhile *meanwhile)
{
	struct page page;

	page_open(&page, out, "lode/timeline-meanwhile/1", trace);
	put_meanwhile(&page, meanwhile, N_LEAVES);
	page_close(&page);
}
