/* Fields of the document of lode timeline. */
#include "answers/timeline/timeline.h"

#include "answers/input_fields.h"

enum { TOP_FUNCTIONS = 10 };

#define FUNCTION(struct_) LODE_FIELD_OF("function", LODE_TYPE_FRAME, struct_, function, NULL)
/* A time that is never below 0. */
#define LENGTH(key, struct_, member) LODE_FIELD_AS(key, struct_, member, NULL, .is_positive = true)

struct span {
	int64_t t0_ns, t1_ns;
};

struct node {
	uint32_t function, caller;
	uint64_t n_calls, total_ns, own_ns;
};
typedef LODE_VEC(struct node) node_vec;

/* What is put, with what its rows are made of. */
struct content {
	struct lode_opening opening;
	const struct lode_timeline_answer *answer;
	const struct lode_call_trace *trace;
	const char *format, *command, *host;
	struct span all;
	const struct span *window;
	bool is_classic;
	struct lode_loss_row *losses;
	size_t n_losses, n_threads;
	size_t n_functions, functions_more;
	const struct during *during;
	const struct moment *at;
	const struct use_of_function *function;
	node_vec *nodes; /* of the item that was made last */
};

/* ---- Leaves, repairs, spreads ---- */

static const struct lode_field leaf_fields[] = {
	FUNCTION(struct lode_leaf),
	LODE_FIELD(struct lode_leaf, leaf_ns, NULL),
	LODE_FIELD_AS("calls", struct lode_leaf, n_calls, NULL),
};
LODE_RECORD(leaf, struct lode_leaf, .is_shared = true);

struct repairs {
	uint64_t n[LODE_N_REPAIRS];
};
#define REPAIR(key, which) LODE_FIELD_AS(key, struct repairs, n[which], NULL)

static const struct lode_field repairs_fields[] = {
	REPAIR("exit_without_entry", LODE_REPAIR_EXIT_ALONE),
	REPAIR("entry_without_exit", LODE_REPAIR_NO_EXIT),
	REPAIR("cut_at_loss", LODE_REPAIR_CUT_AT_LOSS),
	REPAIR("cut_at_end", LODE_REPAIR_CUT_AT_END),
	REPAIR("backwards", LODE_REPAIR_BACKWARDS),
	REPAIR("duplicate", LODE_REPAIR_DUPLICATE),
	REPAIR("bad_time", LODE_REPAIR_BAD_TIME),
};
LODE_RECORD(repairs, struct repairs, .is_shared = true);

static const struct lode_field spread_fields[] = {
	LODE_FIELD_AS("calls", struct lode_call_spread, n, NULL),
	LODE_FIELD(struct lode_call_spread, total_ns, NULL),
	LENGTH("min_ns", struct lode_call_spread, min_ns),
	LENGTH("median_ns", struct lode_call_spread, median_ns),
	LENGTH("p99_ns", struct lode_call_spread, p99_ns),
	LENGTH("max_ns", struct lode_call_spread, max_ns),
};
LODE_RECORD(spread, struct lode_call_spread);

/* ---- Items of a timeline ---- */

static const struct lode_field node_fields[] = {
	FUNCTION(struct node),
	LODE_FIELD_OF("caller", LODE_TYPE_INDEX, struct node, caller,
		      "index into these nodes; -1: outermost", .least = -1),
	LODE_FIELD_AS("calls", struct node, n_calls, NULL),
	LODE_FIELD(struct node, total_ns, NULL),
	LODE_FIELD(struct node, own_ns, "self time, without callees"),
};
LODE_RECORD(node, struct node, .is_shared = true);

static const struct lode_field folded_fields[] = {
	LODE_FIELD_AS("nodes", struct lode_regtime_item, n_folded, NULL),
	LODE_FIELD_AS("functions", struct lode_regtime_item, n_folded_functions, NULL),
	LODE_FIELD_AS("calls", struct lode_regtime_item, folded_calls, NULL),
	LODE_FIELD_AS("own_ns", struct lode_regtime_item, folded_ns, NULL),
};
LODE_RECORD(folded, struct lode_regtime_item, .is_shared = true);

struct item {
	const char *kind;
	struct lode_regtime_item of;
	const struct lode_regtime_item *folded; /* `of`, where something is */
	int64_t duration_ns;
	uint32_t function;
	const struct node *nodes;
	size_t n_nodes;
};

#define ITEM_FIELDS(kinds)                                                 \
	LODE_FIELD(struct item, kind, NULL, .choices = (kinds)),           \
		LODE_FIELD_AS("depth", struct item, of.depth, NULL),       \
		LODE_FIELD_AS("start_ns", struct item, of.start_ns, NULL), \
		LENGTH("duration_ns", struct item, duration_ns)

static const char *const call_kind[] = {"call", NULL};
static const char *const gap_kind[] = {"gap", NULL};
static const char *const expression_kind[] = {"expression", NULL};

static const struct lode_field call_fields[] = {
	ITEM_FIELDS(call_kind),
	FUNCTION(struct item),
};
LODE_RECORD(call, struct item);

static const struct lode_field gap_fields[] = {
	ITEM_FIELDS(gap_kind),
};
LODE_RECORD(gap, struct item);

static const struct lode_field expression_fields[] = {
	ITEM_FIELDS(expression_kind),
	LODE_FIELD_AS("calls", struct item, of.n_calls, NULL, .least = 1),
	LODE_LIST("nodes", struct item, nodes, n_nodes, &node_record,
		  "calls by their stacks, callers first"),
	LODE_FIELD_POINTER("folded", struct item, folded, &folded_record,
			   "functions with too little time to show", .absent = "nothing is folded"),
};
LODE_RECORD(expression, struct item);

static const struct lode_record *const item_forms[] = {&call_record, &gap_record,
						       &expression_record, NULL};

static size_t form_of_item(const void *item)
{
	enum lode_regtime_kind kind = ((const struct item *)item)->of.kind;

	return kind == LODE_REGTIME_CALL ? 0 : kind == LODE_REGTIME_GAP ? 1 : 2;
}

static const struct lode_record item_record = {.name = "item",
					       .size_bytes = sizeof(struct item),
					       .is_shared = true,
					       .forms = item_forms,
					       .form_of = form_of_item};

/* The nodes that are shown: who is has a caller who is. */
static void list_nodes(struct item *out, const struct content *content,
		       const struct lode_regtime_thread *t)
{
	const struct lode_regtime_node *nodes = t->nodes.at + out->of.first_node;
	uint32_t *shown = lode_alloc(out->of.n_nodes * sizeof(*shown));

	content->nodes->n = 0;
	for (size_t i = 0; i < out->of.n_nodes; i++) {
		const struct lode_regtime_node *node = &nodes[i];

		if (node->is_folded)
			continue;
		shown[i] = (uint32_t)content->nodes->n;
		lode_vec_append(
			content->nodes,
			((struct node){lode_call_function(t->thread, node->stack),
				       node->caller == LODE_NONE ? LODE_NONE : shown[node->caller],
				       node->n_calls, node->total_ns, node->own_ns}));
	}
	out->nodes = content->nodes->at;
	out->n_nodes = content->nodes->n;
	free(shown);
}

static void make_item(struct item *out, const struct content *content,
		      const struct lode_regtime_thread *t, const struct lode_regtime_item *item)
{
	static const char *const *const kinds[] = {[LODE_REGTIME_CALL] = call_kind,
						   [LODE_REGTIME_GAP] = gap_kind,
						   [LODE_REGTIME_EXPRESSION] = expression_kind};

	out->of = *item;
	out->kind = *kinds[item->kind];
	out->duration_ns = item->end_ns - item->start_ns;
	out->folded = item->n_folded ? item : NULL;
	if (item->kind == LODE_REGTIME_CALL)
		out->function = lode_call_function(t->thread, item->stack);
	if (item->kind == LODE_REGTIME_EXPRESSION)
		list_nodes(out, content, t);
}

/* ---- Threads ---- */

struct thread {
	const struct content *content;
	struct lode_regtime_thread of;
	int32_t pid, tid;
	const char *name;
	uint32_t clock, max_depth;
	double ratio;
	uint64_t idle_ns;
	const struct lode_leaf *leaves;
	size_t n_leaves;
	const struct repairs *repairs;
	const struct thread *full; /* itself; NULL: the timeline is not wanted */
};

static void item_of_thread(void *row, const void *owner, size_t i)
{
	const struct thread *thread = owner;

	make_item(row, thread->content, &thread->of, &thread->of.items.at[i]);
}

static const struct lode_field full_fields[] = {
	LODE_ROWS("timeline", struct thread, of.items.n, item_of_thread, &item_record, NULL),
};
LODE_RECORD(full, struct thread);

#define OF_THREAD(key, member) LODE_FIELD_AS(key, struct thread, of.member, NULL)

static const struct lode_field thread_fields[] = {
	LODE_FIELD(struct thread, pid, NULL),
	LODE_FIELD(struct thread, tid, NULL),
	LODE_FIELD(struct thread, name, NULL),
	LODE_FIELD(struct thread, clock, "index into `clocks`"),
	OF_THREAD("t0_ns", t0_ns),
	OF_THREAD("t1_ns", t1_ns),
	OF_THREAD("calls", n_calls),
	OF_THREAD("kept_calls", n_kept),
	OF_THREAD("expressions", n_expressions),
	OF_THREAD("gaps", n_gaps),
	OF_THREAD("events_after", n_glyphs),
	LODE_FIELD(struct thread, ratio, "calls / events_after", .is_positive = true),
	OF_THREAD("functions", functions.n),
	LODE_FIELD(struct thread, max_depth, NULL),
	LENGTH("long_call_ns", struct thread, of.long_call_ns),
	LENGTH("gap_ns", struct thread, of.gap_ns),
	LENGTH("expression_ns", struct thread, of.expression_ns),
	LENGTH("negligible_ns", struct thread, of.negligible_ns),
	LODE_FIELD(struct thread, idle_ns, NULL),
	LODE_LIST("top_functions", struct thread, leaves, n_leaves, &leaf_record, NULL),
	LODE_FIELD_POINTER("repairs", struct thread, repairs, &repairs_record, NULL),
	LODE_FIELDS_AT(struct thread, full, &full_record, .absent = "--full is not given"),
};
LODE_RECORD(thread, struct thread);

static void thread_at(void *row, const void *owner, size_t i)
{
	static const struct repairs none;
	const struct content *content = owner;
	const struct lode_timeline_answer *answer = content->answer;
	size_t number = answer->listed[i];
	const struct lode_regtime_thread *t = &answer->job.regtime->threads[number];
	const struct lode_meanwhile_thread *leaves = &answer->leaves.threads[number];

	*(struct thread *)row = (struct thread){
		.content = content,
		.of = *t,
		.pid = t->thread->pid,
		.tid = t->thread->tid,
		.name = lode_call_thread_name(answer->job.trace, t->thread),
		.clock = t->thread->clock,
		.max_depth = t->thread->max_depth,
		.ratio = lode_regtime_ratio(t),
		.idle_ns = leaves->idle_ns,
		.leaves = leaves->leaves.at,
		.n_leaves = leaves->leaves.n < TOP_FUNCTIONS ? leaves->leaves.n : TOP_FUNCTIONS,
		.repairs = t->thread->repairs ? (const struct repairs *)t->thread->repairs : &none,
		.full = answer->is_full ? row : NULL,
	};
}

/* ---- Outliers ---- */

struct outlier {
	struct lode_outlier of;
	int32_t pid, tid;
};

static const struct lode_field outlier_fields[] = {
	LODE_FIELD(struct outlier, pid, NULL),
	LODE_FIELD(struct outlier, tid, NULL),
	LODE_FIELD_OF("function", LODE_TYPE_FRAME, struct outlier, of.function, NULL),
	LODE_FIELD_AS("start_ns", struct outlier, of.start_ns, NULL),
	LENGTH("duration_ns", struct outlier, of.duration_ns),
	LODE_FIELD_AS("depth", struct outlier, of.depth, NULL),
	LODE_FIELD_AS("times_median", struct outlier, of.times_median,
		      "duration / median of its function", .is_positive = true),
};
LODE_RECORD(outlier, struct outlier, .is_shared = true);

static void make_outlier(struct outlier *out, const struct lode_timeline_answer *answer, size_t i)
{
	const struct lode_outlier *o = &answer->job.outliers.at.at[i];
	const struct lode_call_thread *thread = answer->job.trace->threads.at[o->thread];

	*out = (struct outlier){*o, thread->pid, thread->tid};
}

static void outlier_at(void *row, const void *owner, size_t i)
{
	const struct lode_timeline_answer *answer = owner;

	make_outlier(row, answer, answer->outliers[i]);
}

struct group {
	struct lode_outlier_group of;
	const struct lode_call_spread *spread;
	double times_median;
};

static const struct lode_field group_fields[] = {
	LODE_FIELD_OF("function", LODE_TYPE_FRAME, struct group, of.function, NULL),
	LODE_FIELDS_AT(struct group, spread, &spread_record),
	LODE_FIELD_AS("outliers", struct group, of.n, NULL),
	LODE_FIELD_AS("outliers_ns", struct group, of.total_ns, NULL),
	LODE_FIELD_AS("threads", struct group, of.n_threads, "threads with such calls"),
	LODE_FIELD(struct group, times_median, "longest duration / median", .is_positive = true),
};
LODE_RECORD(group, struct group);

static void group_at(void *row, const void *owner, size_t i)
{
	const struct lode_timeline_job *job = &((const struct lode_timeline_answer *)owner)->job;
	const struct lode_outlier_group *g = &job->outliers.groups.at[i];

	*(struct group *)row = (struct group){*g, &job->trace->spreads.at[g->function],
					      job->outliers.at.at[g->first].times_median};
}

/* ---- Meanwhile ---- */

struct meanwhile {
	const struct lode_timeline_answer *answer;
	struct span span;
	size_t *threads, n_threads; /* of which it is known */
};

struct meanwhile_thread {
	int32_t pid, tid;
	const char *name;
	uint64_t n_calls, idle_ns;
	const struct lode_leaf *leaves;
	size_t n_leaves;
};

static const struct lode_field meanwhile_thread_fields[] = {
	LODE_FIELD(struct meanwhile_thread, pid, NULL),
	LODE_FIELD(struct meanwhile_thread, tid, NULL),
	LODE_FIELD(struct meanwhile_thread, name, NULL),
	LODE_FIELD_AS("calls", struct meanwhile_thread, n_calls, NULL),
	LODE_FIELD(struct meanwhile_thread, idle_ns, NULL),
	LODE_LIST("leaves", struct meanwhile_thread, leaves, n_leaves, &leaf_record, NULL),
};
LODE_RECORD(meanwhile_thread, struct meanwhile_thread);

static void meanwhile_thread_at(void *row, const void *owner, size_t i)
{
	const struct meanwhile *m = owner;
	const struct lode_meanwhile_thread *t = &m->answer->meanwhile->threads[m->threads[i]];

	*(struct meanwhile_thread *)row = (struct meanwhile_thread){
		.pid = t->thread->pid,
		.tid = t->thread->tid,
		.name = lode_call_thread_name(m->answer->job.trace, t->thread),
		.n_calls = t->n_calls,
		.idle_ns = t->idle_ns,
		.leaves = t->leaves.at,
		.n_leaves = t->leaves.n < m->answer->top ? t->leaves.n : m->answer->top,
	};
}

static const struct lode_field span_fields[] = {
	LODE_FIELD(struct span, t0_ns, NULL),
	LODE_FIELD(struct span, t1_ns, NULL),
};
LODE_RECORD(span, struct span);

static const struct lode_field meanwhile_fields[] = {
	LODE_FIELDS_OF(struct meanwhile, span, &span_record),
	LODE_ROWS("threads", struct meanwhile, n_threads, meanwhile_thread_at,
		  &meanwhile_thread_record, NULL),
};
LODE_RECORD(meanwhile, struct meanwhile, .is_shared = true);

static const struct meanwhile *meanwhile_of(const struct lode_timeline_answer *answer,
					    struct lode_arena *arena)
{
	const struct lode_meanwhile *m = answer->meanwhile;
	struct meanwhile *out;

	if (!m)
		return NULL;
	out = lode_arena_array(arena, struct meanwhile, 1);
	*out = (struct meanwhile){
		answer, {m->t0_ns, m->t1_ns}, lode_arena_array(arena, size_t, m->n_threads + 1), 0};
	for (size_t i = 0; i < m->n_threads; i++)
		if (lode_meanwhile_knows(m, i))
			out->threads[out->n_threads++] = i;
	return out;
}

/* ---- A moment ---- */

struct moment {
	const struct content *content;
	const struct lode_moment *of;
	const struct lode_regtime_thread *thread;
	int32_t tid;
	int64_t t_ns;
	struct span span;
	size_t n_open, n_items;
	const struct meanwhile *meanwhile;
};

struct open_call {
	uint32_t function;
	int64_t start_ns, duration_ns;
	double times_median;
};

static const struct lode_field open_call_fields[] = {
	FUNCTION(struct open_call),
	LODE_FIELD(struct open_call, start_ns, NULL),
	LENGTH("duration_ns", struct open_call, duration_ns),
	LODE_FIELD(struct open_call, times_median, "duration / median of its function",
		   .is_positive = true),
};
LODE_RECORD(open_call, struct open_call);

static void open_call_at(void *row, const void *owner, size_t i)
{
	const struct moment *m = owner;
	const struct lode_call *call = &m->of->open.at[i];
	const struct lode_call_spread *spreads = m->content->answer->job.trace->spreads.at;
	uint32_t function = lode_call_function(m->thread->thread, call->stack);

	*(struct open_call *)row = (struct open_call){
		function, call->start_ns, call->duration_ns,
		lode_times_median(call->duration_ns, spreads[function].median_ns)};
}

static void item_of_moment(void *row, const void *owner, size_t i)
{
	const struct moment *m = owner;

	(void)i;
	make_item(row, m->content, m->thread, m->of->item);
}

static const struct lode_field moment_fields[] = {
	LODE_FIELD(struct moment, tid, NULL),
	LODE_FIELD(struct moment, t_ns, NULL),
	LODE_FIELDS_OF(struct moment, span, &span_record),
	LODE_ROWS("stack", struct moment, n_open, open_call_at, &open_call_record,
		  "outermost first"),
	LODE_ROWS("items", struct moment, n_items, item_of_moment, &item_record,
		  "the innermost item at that time, if any"),
	LODE_FIELD_POINTER("meanwhile", struct moment, meanwhile, &meanwhile_record, NULL),
};
LODE_RECORD(moment, struct moment);

/* ---- Functions ---- */

struct profile_row {
	struct lode_profile_row of;
	const struct lode_call_spread *spread;
};

static const struct lode_field profile_row_fields[] = {
	LODE_FIELD_OF("function", LODE_TYPE_FRAME, struct profile_row, of.function, NULL),
	LODE_FIELD_AS("calls", struct profile_row, of.n_calls, NULL),
	LODE_FIELD_AS("self_ns", struct profile_row, of.self_ns, "without callees"),
	LODE_FIELD_AS("total_ns", struct profile_row, of.total_ns,
		      "with callees; recursion counted once"),
	LODE_FIELD_AS("threads", struct profile_row, of.n_threads, "threads that call it"),
	LODE_FIELD_POINTER("spread", struct profile_row, spread, &spread_record,
			   "how long its calls take, each one counted",
			   .absent = "--window or --thread is given"),
};
LODE_RECORD(profile_row, struct profile_row);

static void profile_row_at(void *row, const void *owner, size_t i)
{
	const struct lode_timeline_answer *answer = ((const struct content *)owner)->answer;
	const struct lode_profile_row *of = &answer->profile->rows.at[i];
	bool is_whole = !answer->only && answer->options.t0_ns == answer->options.t1_ns;

	*(struct profile_row *)row =
		(struct profile_row){*of, is_whole ? &answer->job.trace->spreads.at[of->function]
						   : NULL};
}

struct profile_edge {
	const char *function;
	uint64_t n_calls, total_ns;
};

static const struct lode_field profile_edge_fields[] = {
	LODE_FIELD(struct profile_edge, function, NULL, .absent = "an outermost call of a thread"),
	LODE_FIELD_AS("calls", struct profile_edge, n_calls, NULL),
	LODE_FIELD_AS("time_ns", struct profile_edge, total_ns,
		      "of these calls, with their callees"),
};
LODE_RECORD(profile_edge, struct profile_edge, .is_shared = true);

/* ---- While a thread is in a function or idle ---- */

struct during_row {
	int32_t tid;
	const char *name, *function;
	int64_t inside_ns, outside_ns;
	double p;
};

struct during {
	const struct lode_timeline_answer *answer;
	int32_t tid;
	const char *function;
	struct span span;
	size_t n_spans, n_rows, n_more;
	int64_t inside_ns, outside_ns;
	const struct during_row *rows;
};

static const struct lode_field during_row_fields[] = {
	LODE_FIELD(struct during_row, tid, NULL),
	LODE_FIELD(struct during_row, name, NULL),
	LODE_FIELD(struct during_row, function, "innermost", .absent = "idle"),
	LENGTH("inside_ns", struct during_row, inside_ns),
	LENGTH("outside_ns", struct during_row, outside_ns),
	LODE_FIELD(struct during_row, p,
		   "share of shifts in time with at least this difference between the shares of "
		   "the time inside and outside",
		   .is_positive = true),
};
LODE_RECORD(during_row, struct during_row);

static const struct lode_field during_fields[] = {
	LODE_FIELD(struct during, tid, NULL),
	LODE_FIELD(struct during, function, "anywhere on the stack", .absent = "idle"),
	LODE_FIELDS_OF(struct during, span, &span_record),
	LODE_FIELD_AS("spans", struct during, n_spans, NULL),
	LENGTH("inside_ns", struct during, inside_ns),
	LENGTH("outside_ns", struct during, outside_ns),
	LODE_LIST("rows", struct during, rows, n_rows, &during_row_record,
		  "other threads, largest difference first"),
	LODE_FIELD_AS("more", struct during, n_more, NULL),
};
LODE_RECORD(during, struct during);

static const char *name_or_null(const struct lode_call_trace *trace, uint32_t function,
				struct lode_arena *arena)
{
	char name[4096];

	if (function == LODE_NONE)
		return NULL;
	return lode_arena_strdup(arena, lode_frame_full_name(&trace->functions, function, name,
							     sizeof(name)));
}

static const struct during *during_of(const struct lode_timeline_answer *answer,
				      struct lode_arena *arena)
{
	const struct lode_timeline_during *d = answer->during;
	const struct lode_call_trace *trace = answer->job.trace;
	struct during *out = lode_arena_array(arena, struct during, 1);
	struct during_row *rows = lode_arena_array(arena, struct during_row, d->n_rows + 1);

	for (size_t i = 0; i < d->n_rows; i++) {
		const struct lode_during_row *row = &d->is.rows.at[d->rows[i]];
		const struct lode_call_thread *thread = trace->threads.at[row->thread];

		rows[i] = (struct during_row){
			.tid = thread->tid,
			.name = lode_call_thread_name(trace, thread),
			.function = name_or_null(trace, row->function, arena),
			.inside_ns = row->inside_ns,
			.outside_ns = row->outside_ns,
			.p = row->p,
		};
	}
	*out = (struct during){
		.answer = answer,
		.tid = trace->threads.at[d->condition.thread]->tid,
		.function = name_or_null(trace, d->condition.function, arena),
		.span = {d->is.t0_ns, d->is.t1_ns},
		.n_spans = d->is.spans.n,
		.n_rows = d->n_rows,
		.n_more = d->n_more,
		.inside_ns = d->is.inside_ns,
		.outside_ns = d->is.outside_ns,
		.rows = rows,
	};
	return out;
}

/* ---- A function ---- */

struct use_of_function {
	const struct lode_timeline_answer *answer;
	uint32_t function;
	const struct lode_call_spread *spread;
	const struct lode_timeline_use *uses;
	size_t n_uses, n_outliers;
	uint64_t self_ns;
	const struct profile_edge *callers, *callees;
	size_t n_callers, n_callees;
	const struct meanwhile *meanwhile;
};

static const struct lode_field use_fields[] = {
	LODE_FIELD(struct lode_timeline_use, tid, NULL),
	LODE_FIELD_AS("calls", struct lode_timeline_use, use.n_calls, NULL),
	LODE_FIELD_AS("time_ns", struct lode_timeline_use, use.total_ns, "recursion counted once"),
	LODE_FIELD_AS("longest_start_ns", struct lode_timeline_use, use.longest.start_ns, NULL),
	LENGTH("longest_ns", struct lode_timeline_use, use.longest.duration_ns),
	LODE_COLUMN("bins_ns", struct lode_timeline_use, bins_ns, n_bins,
		    "time in each of equal parts of the trace"),
};
LODE_RECORD(use, struct lode_timeline_use);

static void outlier_of_function(void *row, const void *owner, size_t i)
{
	const struct lode_timeline_answer *answer = ((const struct use_of_function *)owner)->answer;

	make_outlier(row, answer, answer->function->group->first + i);
}

static const struct lode_field function_fields[] = {
	FUNCTION(struct use_of_function),
	LODE_FIELDS_AT(struct use_of_function, spread, &spread_record),
	LODE_LIST("threads", struct use_of_function, uses, n_uses, &use_record,
		  "threads that call it, most time first"),
	LODE_FIELD(struct use_of_function, self_ns, "without callees"),
	LODE_LIST("callers", struct use_of_function, callers, n_callers, &profile_edge_record,
		  "most time first"),
	LODE_LIST("callees", struct use_of_function, callees, n_callees, &profile_edge_record,
		  "most time first"),
	LODE_ROWS("outliers", struct use_of_function, n_outliers, outlier_of_function,
		  &outlier_record, "longest first"),
	LODE_FIELD_POINTER("meanwhile", struct use_of_function, meanwhile, &meanwhile_record,
			   "during its longest call", .absent = "none of its calls is long"),
};
LODE_RECORD(function, struct use_of_function);

/* ---- The document ---- */

static const struct lode_field clock_fields[] = {
	LENGTH("offset_ns", struct lode_call_clock, offset_ns),
	LODE_FIELD_AS("t1_ns", struct lode_call_clock, last_ns, NULL),
	LODE_FIELD_AS("threads", struct lode_call_clock, n_threads, NULL, .least = 1),
	LODE_FIELD_AS("calls", struct lode_call_clock, n_calls, NULL, .least = 1),
};
LODE_RECORD(clock, struct lode_call_clock);

static const struct lode_field loss_fields[] = {
	LODE_FIELD(struct lode_loss_row, kind, NULL),
	LODE_FIELD(struct lode_loss_row, count, NULL),
	LODE_FIELD(struct lode_loss_row, offset, "offset in the file; -1: unknown"),
	LODE_FIELD(struct lode_loss_row, detail, "description of the first one"),
};
LODE_RECORD(loss, struct lode_loss_row);

static const struct lode_field path_fields[] = {
	LODE_FIELD(struct lode_call_trace, path, NULL),
};
LODE_RECORD(path, struct lode_call_trace);

static const struct lode_field size_fields[] = {
	LODE_LIST("clocks", struct lode_call_trace, clocks.at, clocks.n, &clock_record,
		  "clocks of the trace; if they cannot be compared, times are relative to the zero "
		  "of the first",
		  .least = 1),
	LODE_FIELD_AS("calls", struct lode_call_trace, n_calls, NULL),
	LODE_FIELD_AS("events", struct lode_call_trace, n_events, NULL),
};
LODE_RECORD(size, struct lode_call_trace);

static const struct lode_field mended_fields[] = {
	LODE_FIELD_RECORD("repairs", struct lode_call_trace, repairs, &repairs_record, NULL),
};
LODE_RECORD(mended, struct lode_call_trace);

static const struct lode_field list_fields[] = {
	LODE_FIELD_AS("threads_more", struct lode_timeline_answer, n_listed_more, NULL),
	LODE_ROWS("outliers", struct lode_timeline_answer, n_outliers, outlier_at, &outlier_record,
		  "long calls by function, longest first"),
	LODE_FIELD_AS("more", struct lode_timeline_answer, n_outliers_more, NULL),
	LODE_ROWS("outlier_functions", struct lode_timeline_answer, n_groups, group_at,
		  &group_record, "most unusual first"),
	LODE_FIELD_AS("outlier_functions_more", struct lode_timeline_answer, n_groups_more, NULL),
};
LODE_RECORD(list, struct lode_timeline_answer);

static const struct lode_field content_fields[] = {
	LODE_FIELDS_OF(struct content, opening, &lode_opening_record),
	LODE_FIELDS_AT(struct content, trace, &path_record),
	LODE_FIELD(struct content, format, NULL),
	LODE_FIELD(struct content, command, NULL),
	LODE_FIELD(struct content, host, NULL),
	LODE_FIELDS_OF(struct content, all, &span_record),
	LODE_FIELDS_AT(struct content, trace, &size_record),
	LODE_FIELD_AS("classic", struct content, is_classic, NULL),
	LODE_FIELD_POINTER("window", struct content, window, &span_record, NULL,
			   .absent = "--window is not given"),
	LODE_FIELDS_AT(struct content, trace, &mended_record),
	LODE_LIST("losses", struct content, losses, n_losses, &loss_record, NULL),
	LODE_ROWS("threads", struct content, n_threads, thread_at, &thread_record, NULL),
	LODE_FIELDS_AT(struct content, answer, &list_record),
	LODE_ROWS("functions", struct content, n_functions, profile_row_at, &profile_row_record,
		  "most self time first", .absent = "--functions is not given"),
	LODE_FIELD(struct content, functions_more, NULL, .absent = "--functions is not given"),
	LODE_FIELD_POINTER("during", struct content, during, &during_record, NULL,
			   .absent = "--during is not given"),
	LODE_FIELD_POINTER("at", struct content, at, &moment_record, NULL,
			   .absent = "--at is not given"),
	LODE_FIELD_POINTER("function", struct content, function, &function_record, NULL,
			   .absent = "--function is not given"),
};
LODE_RECORD(content, struct content);

const struct lode_document lode_timeline_document = {
	.schema = "lode/timeline/1",
	.file = "timeline",
	.title = "lode timeline --json",
	.record = &content_record,
};

static void add_moment(struct content *content, const struct meanwhile *meanwhile,
		       struct moment *out)
{
	const struct lode_timeline_answer *answer = content->answer;
	const struct lode_moment *m = answer->moment;

	*out = (struct moment){
		.content = content,
		.of = m,
		.thread = &answer->job.regtime->threads[m->thread],
		.tid = answer->job.trace->threads.at[m->thread]->tid,
		.t_ns = m->t_ns,
		.span = {m->t0_ns, m->t1_ns},
		.n_open = m->open.n,
		.n_items = m->item != NULL,
		.meanwhile = meanwhile,
	};
	content->at = out;
}

static const struct profile_edge *edges_of(const struct lode_timeline_answer *answer,
					   const struct lode_profile_edge *const *edges, size_t n,
					   bool is_caller, struct lode_arena *arena)
{
	struct profile_edge *out = lode_arena_array(arena, struct profile_edge, n + 1);

	for (size_t i = 0; i < n; i++)
		out[i] = (struct profile_edge){
			name_or_null(answer->job.trace,
				     is_caller ? edges[i]->caller : edges[i]->callee, arena),
			edges[i]->n_calls, edges[i]->total_ns};
	return out;
}

static void add_function(struct content *content, const struct meanwhile *meanwhile,
			 struct use_of_function *out, struct lode_arena *arena)
{
	const struct lode_timeline_answer *answer = content->answer;
	const struct lode_timeline_function *f = answer->function;
	size_t n = f->group ? f->group->n : 0;

	*out = (struct use_of_function){
		.answer = answer,
		.function = f->function,
		.spread = &answer->job.trace->spreads.at[f->function],
		.uses = f->uses.at,
		.n_uses = f->uses.n,
		.n_outliers = n < answer->top ? n : answer->top,
		.self_ns = f->row ? f->row->self_ns : 0,
		.callers = edges_of(answer, f->callers.at, f->callers.n, true, arena),
		.callees = edges_of(answer, f->callees.at, f->callees.n, false, arena),
		.n_callers = f->callers.n,
		.n_callees = f->callees.n,
		.meanwhile = meanwhile,
	};
	content->function = out;
}

void lode_timeline_json(FILE *out, const struct lode_timeline_answer *answer)
{
	const struct lode_call_trace *trace = answer->job.trace;
	const struct lode_names names = lode_tree_names(&trace->functions);
	struct lode_loss_row losses[LODE_N_LOSS_KINDS];
	struct span window = {answer->options.t0_ns, answer->options.t1_ns};
	struct lode_arena arena = {0};
	const struct meanwhile *meanwhile = meanwhile_of(answer, &arena);
	struct use_of_function function;
	struct moment moment;
	node_vec nodes = {0};
	struct content content = {
		.opening = answer->opening,
		.answer = answer,
		.trace = trace,
		.format = trace->format ? trace->format : "",
		.command = trace->command ? trace->command : "",
		.host = trace->host ? trace->host : "",
		.all = {trace->first_ns, trace->last_ns},
		.window = window.t0_ns < window.t1_ns ? &window : NULL,
		.is_classic = answer->options.is_classic,
		.losses = losses,
		.n_losses = lode_loss_rows(losses, &trace->losses),
		.n_threads = answer->n_listed,
		.n_functions = answer->function ? 0 : answer->n_functions,
		.functions_more = answer->function ? 0 : answer->n_functions_more,
		.nodes = &nodes,
	};

	if (answer->moment)
		add_moment(&content, meanwhile, &moment);
	if (answer->during)
		content.during = during_of(answer, &arena);
	if (answer->function)
		add_function(&content, meanwhile, &function, &arena);
	lode_document_put(out, &lode_timeline_document, &content, &names);
	lode_vec_release(&nodes);
	lode_arena_release(&arena);
}
