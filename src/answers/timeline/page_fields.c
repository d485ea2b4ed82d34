/* Fields of the documents that the page of a timeline draws: columns of numbers. */
#include <inttypes.h>

#include "engine/regtime/regtime.h"
#include "answers/timeline/page.h"
#include "answers/input_fields.h"
#include "base/json.h"

/* LIMIT: of what a thread did during a span, this many functions are named; then "others". */
enum { N_LEAVES = 8, NAME_BYTES = 16384 };

/* What the rows of a document are made of, and what the last ones are made in. */
struct page {
	const struct lode_call_trace *trace;
	/* Functions that are called, numbered in order of their ids. */
	uint32_t *index_of;  /* by function of the trace: index, or LODE_NONE */
	uint32_t *functions; /* by index */
	size_t n_functions;
	LODE_VEC(int64_t) own, leaves;
	LODE_VEC(size_t) places, shown;
	char name[NAME_BYTES];
};

static struct page *page_new(const struct lode_call_trace *trace)
{
	size_t n = trace->functions.frames.n;
	struct page *page = lode_alloc0(1, sizeof(*page));

	page->trace = trace;
	page->index_of = lode_alloc0(n + 1, sizeof(*page->index_of));
	page->functions = lode_alloc0(n + 1, sizeof(*page->functions));
	for (uint32_t f = 0; f < n; f++) {
		page->index_of[f] = LODE_NONE;
		if (!trace->spreads.at[f].n)
			continue;
		page->index_of[f] = (uint32_t)page->n_functions;
		page->functions[page->n_functions++] = f;
	}
	return page;
}

static void page_free(struct page *page)
{
	lode_vec_release(&page->own);
	lode_vec_release(&page->leaves);
	lode_vec_release(&page->places);
	lode_vec_release(&page->shown);
	free(page->index_of);
	free(page->functions);
	free(page);
}

static int64_t since(const struct page *page, int64_t t_ns)
{
	return t_ns - page->trace->first_ns;
}

/* One number of a column. */
#define COLUMN(name, type, expression)                             \
	static void name(void *value, const void *owner, size_t i) \
	{                                                          \
		const type *c = owner;                             \
                                                                   \
		*(int64_t *)value = (int64_t)(expression);         \
	}
#define NUMBERS(key, struct_, n, maker, text, ...) \
	LODE_VALUES(key, LODE_TYPE_INT64, struct_, n, maker, text, __VA_ARGS__)
#define COUNTS(key, struct_, n, maker, text) \
	NUMBERS(key, struct_, n, maker, text, .is_positive = true)

/* ---- Threads' timelines ---- */

struct timeline {
	struct page *page;
	const struct lode_regtime_thread *of;
	const struct lode_regtime_item *at;
	const int64_t *own;
	const size_t *expressions; /* items that are */
	size_t thread, n_items, n_expressions, n_nodes;
	uint64_t n_calls;
	bool is_single;
};

static uint32_t index_of_call(const struct timeline *c, uint32_t stack)
{
	return c->page->index_of[lode_call_function(c->of->thread, stack)];
}

/* A call's function; of an expression its number of calls. */
static int64_t what_of(const struct timeline *c, const struct lode_regtime_item *item)
{
	if (item->kind == LODE_REGTIME_CALL)
		return index_of_call(c, item->stack);
	return item->kind == LODE_REGTIME_EXPRESSION ? (int64_t)item->n_calls : 0;
}

/* A call's own time, -1 where it is not known; an expression's number of nodes. */
static int64_t own_of(const struct timeline *c, size_t i)
{
	if (c->at[i].kind == LODE_REGTIME_CALL)
		return c->own[i] == LODE_OWN_UNKNOWN ? -1 : c->own[i];
	return c->at[i].kind == LODE_REGTIME_EXPRESSION ? (int64_t)c->at[i].n_nodes : 0;
}

COLUMN(item_kind, struct timeline, c->at[i].kind)
COLUMN(item_depth, struct timeline, c->at[i].depth)
COLUMN(item_start, struct timeline,
       i ? c->at[i].start_ns - c->at[i - 1].start_ns : since(c->page, c->at[i].start_ns))
COLUMN(item_duration, struct timeline, c->at[i].end_ns - c->at[i].start_ns)
COLUMN(item_what, struct timeline, what_of(c, &c->at[i]))
COLUMN(item_own, struct timeline, own_of(c, i))
COLUMN(fold_nodes, struct timeline, c->at[c->expressions[i]].n_folded)
COLUMN(fold_functions, struct timeline, c->at[c->expressions[i]].n_folded_functions)
COLUMN(fold_calls, struct timeline, c->at[c->expressions[i]].folded_calls)
COLUMN(fold_own, struct timeline, c->at[c->expressions[i]].folded_ns)
COLUMN(node_function, struct timeline, index_of_call(c, c->of->nodes.at[i].stack))
COLUMN(node_caller, struct timeline,
       c->of->nodes.at[i].caller == LODE_NONE ? 0 : c->of->nodes.at[i].caller + 1)
COLUMN(node_calls, struct timeline, c->of->nodes.at[i].n_calls)
COLUMN(node_total, struct timeline, c->of->nodes.at[i].total_ns)
COLUMN(node_own, struct timeline, c->of->nodes.at[i].own_ns)

static const char *const kinds[] = {"0", "1", "2", NULL};

#define ITEMS(key, maker, text) COUNTS(key, struct timeline, n_items, maker, text)
#define FOLDS(key, maker, text) COUNTS(key, struct timeline, n_expressions, maker, text)
#define NODES(key, maker, text) COUNTS(key, struct timeline, n_nodes, maker, text)

static const struct lode_field timeline_fields[] = {
	LODE_FIELD(struct timeline, thread, "index into the page's threads"),
	LODE_FIELD_AS("calls", struct timeline, n_calls, NULL),
	LODE_FIELD_AS("single", struct timeline, is_single, "true: single calls"),
	NUMBERS("kind", struct timeline, n_items, item_kind, "0 call, 1 merged calls, 2 gap",
		.choices = kinds),
	ITEMS("depth", item_depth, NULL),
	NUMBERS("start", struct timeline, n_items, item_start,
		"delta-encoded: the first value, then differences", .is_positive = false),
	ITEMS("duration", item_duration, NULL),
	ITEMS("what", item_what, "of a call its function, of merged calls their number"),
	NUMBERS("own", struct timeline, n_items, item_own,
		"of a call its self time (-1: unknown), of merged calls the number of nodes",
		.least = -1),
	FOLDS("fold_nodes", fold_nodes, "for each group of merged calls"),
	FOLDS("fold_functions", fold_functions, NULL),
	FOLDS("fold_calls", fold_calls, NULL),
	FOLDS("fold_own", fold_own, NULL),
	NODES("node_function", node_function, "nodes of all groups of merged calls, concatenated"),
	NODES("node_caller", node_caller, "index of the caller in its group + 1; 0: outermost"),
	NODES("node_calls", node_calls, NULL),
	NODES("node_total", node_total, NULL),
	NODES("node_own", node_own, NULL),
};
LODE_RECORD(timeline, struct timeline, .is_shared = true);

/* Timelines of the threads that have one. */
struct timelines {
	struct page *page;
	const struct lode_regtime *regtime;
	const size_t *threads;
	size_t n;
};

static struct timelines timelines_of(struct page *page, const struct lode_regtime *regtime)
{
	page->shown.n = 0;
	for (size_t i = 0; i < regtime->n_threads; i++)
		if (regtime->threads[i].items.n)
			lode_vec_append(&page->shown, i);
	return (struct timelines){page, regtime, page->shown.at, page->shown.n};
}

static void timeline_at(void *row, const void *owner, size_t i)
{
	const struct timelines *c = owner;
	const struct lode_regtime_thread *t = &c->regtime->threads[c->threads[i]];
	struct page *page = c->page;

	page->own.n = page->places.n = 0;
	for (size_t k = 0; k < t->items.n; k++) {
		lode_vec_append(&page->own, 0);
		if (t->items.at[k].kind == LODE_REGTIME_EXPRESSION)
			lode_vec_append(&page->places, k);
	}
	lode_regtime_own(page->own.at, t);
	*(struct timeline *)row = (struct timeline){
		.page = page,
		.of = t,
		.at = t->items.at,
		.own = page->own.at,
		.expressions = page->places.at,
		.thread = c->threads[i],
		.n_items = t->items.n,
		.n_expressions = page->places.n,
		.n_nodes = t->nodes.n,
		.n_calls = t->n_calls,
		.is_single = t->n_expressions == 0,
	};
}

static const struct lode_field timelines_fields[] = {
	LODE_ROWS("timelines", struct timelines, n, timeline_at, &timeline_record,
		  "of the threads that have one"),
};
LODE_RECORD(timelines, struct timelines);

/* ---- The trace ---- */

struct repair {
	const char *words;
	uint64_t n;
};

struct head {
	const char *path, *format, *command, *host, *t0_ns;
	int64_t length_ns;
	uint64_t n_calls, n_events;
	bool is_classic;
	const struct repair *repairs;
	const struct lode_loss_row *losses;
	size_t n_repairs, n_losses;
};

static const struct lode_field repair_fields[] = {
	LODE_FIELD(struct repair, words, NULL),
	LODE_FIELD(struct repair, n, NULL),
};
LODE_RECORD(repair, struct repair);

static const struct lode_field head_fields[] = {
	LODE_FIELD(struct head, path, NULL),
	LODE_FIELD(struct head, format, NULL),
	LODE_FIELD(struct head, command, NULL),
	LODE_FIELD(struct head, host, NULL),
	LODE_FIELD(struct head, t0_ns,
		   "text, since wall-clock ns exceed the integers of JavaScript",
		   .pattern = "^-?[0-9]+$"),
	LODE_FIELD(struct head, length_ns, NULL, .is_positive = true),
	LODE_FIELD_AS("calls", struct head, n_calls, NULL),
	LODE_FIELD_AS("events", struct head, n_events, NULL),
	LODE_FIELD_AS("classic", struct head, is_classic, NULL),
	LODE_MAP_FIELD("repairs", struct head, repairs, n_repairs, &repair_record,
		       "repairs made, by kind"),
	LODE_LIST("losses", struct head, losses, n_losses, &lode_loss_record, NULL),
};
LODE_RECORD(head, struct head);

/* ---- Functions ---- */

struct functions {
	struct page *page;
	const struct lode_timeline_prominence *prominence; /* by function of the trace */
	size_t n;
};

static void function_name(void *value, const void *owner, size_t i)
{
	struct page *page = ((const struct functions *)owner)->page;

	*(const char **)value = lode_frame_full_name(&page->trace->functions, page->functions[i],
						     page->name, sizeof(page->name));
}

#define SPREAD(member) c->page->trace->spreads.at[c->page->functions[i]].member
COLUMN(function_glyphs, struct functions, c->prominence[c->page->functions[i]].n_glyphs)
COLUMN(function_threads, struct functions, c->prominence[c->page->functions[i]].n_threads)
COLUMN(function_calls, struct functions, SPREAD(n))
COLUMN(function_total, struct functions, SPREAD(total_ns))
COLUMN(function_median, struct functions, SPREAD(median_ns))
COLUMN(function_p99, struct functions, SPREAD(p99_ns))
COLUMN(function_max, struct functions, SPREAD(max_ns))

#define FUNCTIONS(key, maker, text) COUNTS(key, struct functions, n, maker, text)

static const struct lode_field functions_fields[] = {
	LODE_VALUES("name", LODE_TYPE_TEXT, struct functions, n, function_name, NULL),
	FUNCTIONS("glyphs", function_glyphs, "times drawn on the whole timeline"),
	FUNCTIONS("threads", function_threads, "threads that call it"),
	FUNCTIONS("calls", function_calls, NULL),
	FUNCTIONS("total_ns", function_total, NULL),
	FUNCTIONS("median_ns", function_median, NULL),
	FUNCTIONS("p99_ns", function_p99, NULL),
	FUNCTIONS("max_ns", function_max, NULL),
};
LODE_RECORD(functions, struct functions);

/* ---- Threads ---- */

/* What a thread did: pairs of function and time, the most first, in one list. */
static void list_leaves(struct page *page, const struct lode_meanwhile_thread *thread, size_t most)
{
	size_t n = thread->leaves.n < most ? thread->leaves.n : most;

	page->leaves.n = 0;
	for (size_t i = 0; i < n && thread->leaves.at[i].leaf_ns; i++) {
		lode_vec_append(&page->leaves, page->index_of[thread->leaves.at[i].function]);
		lode_vec_append(&page->leaves, (int64_t)thread->leaves.at[i].leaf_ns);
	}
}

struct thread {
	const struct page *page;
	struct lode_regtime_thread of;
	int32_t pid, tid;
	const char *name;
	uint32_t clock, max_depth;
	int64_t first, last;
	uint64_t idle_ns;
	const int64_t *leaves;
	size_t n_leaves;
};

#define CALLED(k) c->page->index_of[c->of.functions.at[k].function]
COLUMN(called_function, struct thread, CALLED(i) - (i ? CALLED(i - 1) : 0))
#define OF_CALLED(key, member)                                              \
	LODE_COLUMN_OF(key, struct thread, of.functions.at, of.functions.n, \
		       struct lode_regtime_function, member, NULL)

#define OF_THREAD(key, member, ...) LODE_FIELD_AS(key, struct thread, of.member, NULL, __VA_ARGS__)

static const struct lode_field thread_fields[] = {
	LODE_FIELD(struct thread, pid, NULL),
	LODE_FIELD(struct thread, tid, NULL),
	LODE_FIELD(struct thread, name, NULL),
	LODE_FIELD(struct thread, clock, NULL),
	LODE_FIELD(struct thread, first, NULL, .is_positive = true),
	LODE_FIELD(struct thread, last, NULL, .is_positive = true),
	OF_THREAD("calls", n_calls),
	OF_THREAD("kept_calls", n_kept),
	OF_THREAD("expressions", n_expressions),
	OF_THREAD("gaps", n_gaps),
	OF_THREAD("events_after", n_glyphs),
	OF_THREAD("functions", functions.n),
	LODE_FIELD(struct thread, max_depth, NULL),
	OF_THREAD("long_call_ns", long_call_ns, .is_positive = true),
	OF_THREAD("gap_ns", gap_ns, .is_positive = true),
	OF_THREAD("negligible_ns", negligible_ns, .is_positive = true),
	LODE_FIELD(struct thread, idle_ns, NULL),
	LODE_COLUMN("leaves", struct thread, leaves, n_leaves,
		    "pairs of function and ns, largest first", .is_positive = true),
	COUNTS("called", struct thread, of.functions.n, called_function,
	       "functions that it calls, delta-encoded"),
	OF_CALLED("called_calls", n_calls),
	OF_CALLED("called_leaf", leaf_ns),
};
LODE_RECORD(thread, struct thread);

/* ---- Outliers, the axis ---- */

struct outliers {
	const struct page *page;
	const struct lode_outlier *at;
	size_t n;
};

COLUMN(outlier_function, struct outliers, c->page->index_of[c->at[i].function])
COLUMN(outlier_start, struct outliers, since(c->page, c->at[i].start_ns))

#define OUTLIERS(key, member, ...)                                                            \
	LODE_COLUMN_OF(key, struct outliers, at, n, struct lode_outlier, member, __VA_ARGS__, \
		       .is_positive = true)

static const struct lode_field outliers_fields[] = {
	OUTLIERS("thread", thread, NULL),
	COUNTS("function", struct outliers, n, outlier_function, NULL),
	COUNTS("start", struct outliers, n, outlier_start, NULL),
	OUTLIERS("duration", duration_ns, NULL),
	OUTLIERS("depth", depth, NULL),
	OUTLIERS("times_median", times_median, "duration / median of its function"),
};
LODE_RECORD(outliers, struct outliers);

struct axis {
	const struct page *page;
	const struct lode_axis_knot *knots;
	size_t n;
	int64_t width;
};

COLUMN(knot_time, struct axis, since(c->page, c->knots[i].t_ns))

static const struct lode_field axis_fields[] = {
	LODE_FIELD(struct axis, width, NULL, .is_positive = true),
	COUNTS("t", struct axis, n, knot_time, NULL),
	LODE_COLUMN_OF("x", struct axis, knots, n, struct lode_axis_knot, x, NULL,
		       .is_positive = true),
};
LODE_RECORD(axis, struct axis);

/* ---- What all threads did ---- */

struct meanwhile {
	struct page *page;
	const struct lode_meanwhile *of;
	int64_t t0, t1;
	uint32_t clock;
	size_t n_threads, most;
};

COLUMN(idle_of, struct meanwhile,
       lode_meanwhile_knows(c->of, i) ? (int64_t)c->of->threads[i].idle_ns : -1)

static void leaves_of(void *value, const void *owner, size_t i)
{
	const struct meanwhile *c = owner;

	list_leaves(c->page, &c->of->threads[i], c->most);
	*(struct lode_value_list *)value =
		(struct lode_value_list){c->page->leaves.at, c->page->leaves.n};
}

static const struct lode_field meanwhile_fields[] = {
	LODE_FIELD(struct meanwhile, t0, NULL, .is_positive = true),
	LODE_FIELD(struct meanwhile, t1, NULL, .is_positive = true),
	LODE_FIELD(struct meanwhile, clock, NULL),
	NUMBERS("idle", struct meanwhile, n_threads, idle_of,
		"by thread; -1: unknown, on another clock", .least = -1),
	LODE_LISTS("leaves", LODE_TYPE_INT64, struct meanwhile, n_threads, leaves_of,
		   "by thread: pairs of function and ns, largest first", .is_positive = true),
};
LODE_RECORD(meanwhile, struct meanwhile, .is_shared = true);

static struct meanwhile meanwhile_of(struct page *page, const struct lode_meanwhile *m, size_t most)
{
	return (struct meanwhile){
		page,	      m,   since(page, m->t0_ns), since(page, m->t1_ns), m->clock,
		m->n_threads, most};
}

/* ---- Windows ---- */

struct window {
	int64_t t0, t1;
	bool is_single;
	size_t part;
	struct timelines timelines;
};

static const struct lode_field listed_window_fields[] = {
	LODE_FIELD(struct window, t0, NULL, .is_positive = true),
	LODE_FIELD(struct window, t1, NULL, .is_positive = true),
	LODE_FIELD_AS("single", struct window, is_single, "true: single calls, the finest level"),
	LODE_FIELD(struct window, part, "index of the page part that has it"),
};
LODE_RECORD(listed_window, struct window);

static const struct lode_field window_fields[] = {
	LODE_FIELD(struct window, t0, NULL),
	LODE_FIELD(struct window, t1, NULL),
	LODE_FIELDS_OF(struct window, timelines, &timelines_record),
};
LODE_RECORD(window, struct window);

/* ---- The page's document ---- */

struct content {
	struct lode_opening opening;
	const struct lode_timeline_answer *answer;
	struct page *page;
	const struct lode_timeline_views *views;
	struct head head;
	struct functions functions;
	struct outliers outliers;
	struct axis axis;
	struct timelines timelines;
	size_t n_threads, n_meanwhiles, n_windows, n_left_out;
};

static void thread_at(void *row, const void *owner, size_t i)
{
	const struct content *c = owner;
	const struct lode_regtime_thread *t = &c->views->whole->threads[i];
	struct page *page = c->page;

	list_leaves(page, &c->answer->leaves.threads[i], N_LEAVES);
	*(struct thread *)row = (struct thread){
		.page = page,
		.of = *t,
		.pid = t->thread->pid,
		.tid = t->thread->tid,
		.name = lode_call_thread_name(page->trace, t->thread),
		.clock = t->thread->clock,
		.max_depth = t->thread->max_depth,
		.first = since(page, t->thread->first_ns),
		.last = since(page, t->thread->last_ns),
		.idle_ns = c->answer->leaves.threads[i].idle_ns,
		.leaves = page->leaves.at,
		.n_leaves = page->leaves.n,
	};
}

static void listed_window_at(void *row, const void *owner, size_t i)
{
	const struct content *c = owner;
	const struct lode_timeline_view *w = &c->views->windows.at[i];

	*(struct window *)row = (struct window){since(c->page, w->t0_ns),
						since(c->page, w->t1_ns),
						w->is_single,
						i / LODE_PAGE_WINDOWS,
						{0}};
}

static const struct lode_field content_fields[] = {
	LODE_FIELDS_OF(struct content, opening, &lode_opening_record),
	LODE_FIELD_RECORD("trace", struct content, head, &head_record, NULL),
	LODE_FIELD_RECORD("functions", struct content, functions, &functions_record,
			  "all functions called, in columns"),
	LODE_ROWS("threads", struct content, n_threads, thread_at, &thread_record, NULL),
	LODE_FIELD_RECORD("outliers", struct content, outliers, &outliers_record, "in columns"),
	LODE_FIELD_RECORD("axis", struct content, axis, &axis_record, "the non-linear time axis"),
	LODE_FIELDS_OF(struct content, timelines, &timelines_record),
	LODE_FIELD_AS(
		"meanwhiles", struct content, n_meanwhiles,
		"number of spans with the activity of all threads (lode/timeline-meanwhiles/1)"),
	LODE_ROWS("windows", struct content, n_windows, listed_window_at, &listed_window_record,
		  "windows with more detail, by level, then by time"),
	LODE_FIELD_AS("windows_left_out", struct content, n_left_out,
		      "windows left out of the last level, where the size limit was reached"),
};
LODE_RECORD(content, struct content);

const struct lode_document lode_timeline_page_document = {
	.schema = "lode/timeline-page/1",
	.file = "timeline-page",
	.title = "lode timeline --json --page",
	.record = &content_record,
};

/* ---- The other documents ---- */

struct windows {
	struct page *page;
	const struct lode_timeline_view *at;
	size_t n;
};

static void window_at(void *row, const void *owner, size_t i)
{
	const struct windows *c = owner;
	const struct lode_timeline_view *w = &c->at[i];

	*(struct window *)row = (struct window){.t0 = since(c->page, w->t0_ns),
						.t1 = since(c->page, w->t1_ns),
						.timelines = timelines_of(c->page, w->regtime)};
}

static const struct lode_field windows_fields[] = {
	LODE_ROWS("windows", struct windows, n, window_at, &window_record, NULL),
};
LODE_RECORD(windows, struct windows);

const struct lode_document lode_timeline_windows_document = {
	.schema = "lode/timeline-windows/1",
	.file = "timeline-windows",
	.title = "lode timeline --json --page --window",
	.record = &windows_record,
};

struct meanwhiles {
	struct page *page;
	const struct lode_meanwhile *at;
	size_t n;
};

static void meanwhile_at(void *row, const void *owner, size_t i)
{
	const struct meanwhiles *c = owner;

	*(struct meanwhile *)row = meanwhile_of(c->page, &c->at[i], LODE_VIEWS_LEAVES);
}

static const struct lode_field meanwhiles_fields[] = {
	LODE_ROWS("meanwhile", struct meanwhiles, n, meanwhile_at, &meanwhile_record, NULL),
};
LODE_RECORD(meanwhiles, struct meanwhiles);

const struct lode_document lode_timeline_meanwhiles_document = {
	.schema = "lode/timeline-meanwhiles/1",
	.file = "timeline-meanwhiles",
	.title = "What all threads did during spans of a timeline page",
	.record = &meanwhiles_record,
};

/* Without a line's end; the page is done with. */
static void put_and_free(FILE *out, const char *schema, const struct lode_record *record,
			 const void *content, struct page *page)
{
	struct lode_json *json = lode_json_open_line(out, schema);

	lode_fields_put(json, record, content, NULL);
	lode_json_close(json);
	page_free(page);
}

void lode_timeline_page_json(FILE *out, const struct lode_timeline_answer *answer)
{
	const struct lode_call_trace *trace = answer->job.trace;
	const struct lode_timeline_views *views = answer->views;
	struct page *page = page_new(trace);
	struct lode_loss_row losses[LODE_N_LOSS_KINDS + 1];
	struct repair repairs[LODE_N_REPAIRS];
	char t0_ns[24];
	struct content content = {
		.opening = answer->opening,
		.answer = answer,
		.page = page,
		.views = views,
		.head = {.path = trace->source && *trace->source ? trace->source : trace->path,
			 .format = trace->format ? trace->format : "",
			 .command = trace->command ? trace->command : "",
			 .host = trace->host ? trace->host : "",
			 .t0_ns = t0_ns,
			 .length_ns = trace->last_ns - trace->first_ns,
			 .n_calls = trace->n_calls,
			 .n_events = trace->n_events,
			 .is_classic = answer->options.is_classic,
			 .repairs = repairs,
			 .losses = losses,
			 .n_losses = lode_loss_rows(losses, &trace->losses)},
		.functions = {page, views->functions.at, page->n_functions},
		.outliers = {page, answer->job.outliers.at.at, answer->job.outliers.at.n},
		.axis = {page, views->axis.knots.at, views->axis.knots.n, LODE_AXIS_WIDTH},
		.timelines = timelines_of(page, views->whole),
		.n_threads = views->whole->n_threads,
		.n_meanwhiles = views->meanwhiles.n,
		.n_windows = views->windows.n,
		.n_left_out = views->n_left_out,
	};

	snprintf(t0_ns, sizeof(t0_ns), "%" PRId64, trace->first_ns);
	if (trace->n_left_out)
		losses[content.head.n_losses++] = (struct lode_loss_row){
			.kind = "threads left out of the page",
			.count = trace->n_left_out,
			.detail = "threads with the fewest calls are left out of this page"};
	for (unsigned i = 0; i < LODE_N_REPAIRS; i++)
		if (trace->repairs[i])
			repairs[content.head.n_repairs++] =
				(struct repair){lode_call_repair_words((enum lode_call_repair)i),
						trace->repairs[i]};
	put_and_free(out, lode_timeline_page_document.schema, &content_record, &content, page);
}

size_t lode_timeline_page_parts(const struct lode_timeline_views *views)
{
	return (views->windows.n + LODE_PAGE_WINDOWS - 1) / LODE_PAGE_WINDOWS;
}

static void put_windows(FILE *out, const struct lode_call_trace *trace,
			const struct lode_timeline_view *at, size_t n)
{
	struct page *page = page_new(trace);
	struct windows windows = {page, at, n};

	put_and_free(out, lode_timeline_windows_document.schema, &windows_record, &windows, page);
}

void lode_timeline_part_json(FILE *out, const struct lode_timeline_answer *answer, size_t part)
{
	size_t from = part * LODE_PAGE_WINDOWS, n = answer->views->windows.n - from;

	put_windows(out, answer->job.trace, answer->views->windows.at + from,
		    n < LODE_PAGE_WINDOWS ? n : LODE_PAGE_WINDOWS);
}

void lode_timeline_window_json(FILE *out, const struct lode_regtime *window, int64_t t0_ns,
			       int64_t t1_ns)
{
	const struct lode_timeline_view view = {
		.t0_ns = t0_ns, .t1_ns = t1_ns, .regtime = (struct lode_regtime *)window};

	put_windows(out, window->trace, &view, 1);
}

void lode_timeline_meanwhiles_json(FILE *out, const struct lode_timeline_answer *answer)
{
	struct page *page = page_new(answer->job.trace);
	struct meanwhiles meanwhiles = {page, answer->views->meanwhiles.at,
					answer->views->meanwhiles.n};

	put_and_free(out, lode_timeline_meanwhiles_document.schema, &meanwhiles_record, &meanwhiles,
		     page);
}

void lode_timeline_meanwhile_json(FILE *out, const struct lode_call_trace *trace,
				  const struct lode_meanwhile *meanwhile)
{
	struct page *page = page_new(trace);
	struct meanwhile content = meanwhile_of(page, meanwhile, N_LEAVES);

	put_and_free(out, "lode/timeline-meanwhile/1", &meanwhile_record, &content, page);
}
