/* Fields of the answers to questions of lode timeline. */
#include "answers/timeline/question_fields.h"

#include <math.h>

struct lode_timeline_questions {
	const struct lode_timeline_answer *answer;
	lode_timeline_nodes *nodes;
	size_t n_functions, functions_more;
	const struct versus *versus;
	const struct during *during;
	const struct moment *at;
	const struct use_of_function *function;
};

/* ---- Meanwhile ---- */

struct meanwhile {
	const struct lode_timeline_answer *answer;
	struct lode_timeline_span span;
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
	LODE_LIST("leaves", struct meanwhile_thread, leaves, n_leaves, &lode_timeline_leaf_record,
		  NULL),
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

static const struct lode_field meanwhile_fields[] = {
	LODE_FIELDS_OF(struct meanwhile, span, &lode_timeline_span_record),
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
	const struct lode_timeline_questions *questions;
	const struct lode_moment *of;
	const struct lode_regtime_thread *thread;
	int32_t tid;
	int64_t t_ns;
	struct lode_timeline_span span;
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
	const struct lode_call_spread *spreads = m->questions->answer->job.trace->spreads.at;
	uint32_t function = lode_call_function(m->thread->thread, call->stack);

	*(struct open_call *)row = (struct open_call){
		function, call->start_ns, call->duration_ns,
		lode_times_median(call->duration_ns, spreads[function].median_ns)};
}

static void item_of_moment(void *row, const void *owner, size_t i)
{
	const struct moment *m = owner;

	(void)i;
	lode_timeline_item_make(row, m->questions->nodes, m->thread, m->of->item);
}

static const struct lode_field moment_fields[] = {
	LODE_FIELD(struct moment, tid, NULL),
	LODE_FIELD(struct moment, t_ns, NULL),
	LODE_FIELDS_OF(struct moment, span, &lode_timeline_span_record),
	LODE_ROWS("stack", struct moment, n_open, open_call_at, &open_call_record,
		  "outermost first"),
	LODE_ROWS("items", struct moment, n_items, item_of_moment, &lode_timeline_item_record,
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
	LODE_FIELD_POINTER("spread", struct profile_row, spread, &lode_timeline_spread_record,
			   "how long its calls take, each one counted",
			   .absent = "--window or --thread is given"),
};
LODE_RECORD(profile_row, struct profile_row);

static void profile_row_at(void *row, const void *owner, size_t i)
{
	const struct lode_timeline_answer *answer =
		((const struct lode_timeline_questions *)owner)->answer;
	const struct lode_profile_row *of = &answer->profile->rows.at[i];

	*(struct profile_row *)row =
		(struct profile_row){*of, lode_timeline_is_whole(answer)
						  ? &answer->job.trace->spreads.at[of->function]
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

/* ---- The functions of two traces ---- */

static const char *name_or_null(const struct lode_call_trace *trace, uint32_t function,
				struct lode_arena *arena)
{
	char name[4096];

	if (function == LODE_NONE)
		return NULL;
	return lode_arena_strdup(arena, lode_frame_full_name(&trace->functions, function, name,
							     sizeof(name)));
}

struct change_side {
	uint64_t n_calls, self_ns, total_ns;
	size_t n_threads;
	const struct lode_call_spread *spread;
};

struct change {
	const char *function;
	int64_t self_ns;
	const struct change_side *here, *there;
	double longer, log10_q;
};

struct versus {
	const char *path, *format;
	int64_t t0_ns, t1_ns;
	uint64_t n_calls;
	const struct change *rows;
	size_t n_rows, n_more;
};

static const struct lode_field change_side_fields[] = {
	LODE_FIELD_AS("calls", struct change_side, n_calls, NULL),
	LODE_FIELD_AS("self_ns", struct change_side, self_ns, "without callees"),
	LODE_FIELD_AS("total_ns", struct change_side, total_ns,
		      "with callees; recursion counted once"),
	LODE_FIELD_AS("threads", struct change_side, n_threads, "threads that call it"),
	LODE_FIELD_POINTER("spread", struct change_side, spread, &lode_timeline_spread_record,
			   "how long its calls take, each one counted"),
};
LODE_RECORD(change_side, struct change_side, .is_shared = true);

static const struct lode_field change_fields[] = {
	LODE_FIELD(struct change, function, NULL),
	LODE_FIELD_AS("self_ns", struct change, self_ns, "in this trace, less in the other"),
	LODE_FIELD_POINTER("this", struct change, here, &change_side_record, NULL,
			   .absent = "not called in this trace"),
	LODE_FIELD_POINTER("other", struct change, there, &change_side_record, NULL,
			   .absent = "not called in the other trace"),
	LODE_FIELD(struct change, longer,
		   "of all pairs of a call of each trace, the share in which that of this trace "
		   "takes longer; half of equal ones",
		   .is_positive = true, .absent = "fewer than 8 calls on one side"),
	LODE_FIELD(struct change, log10_q,
		   "probability of such a share by chance (Mann and Whitney's test of ranks), "
		   "corrected for all functions",
		   .is_negative = true, .absent = "fewer than 8 calls on one side"),
};
LODE_RECORD(change, struct change);

static const struct lode_field versus_fields[] = {
	LODE_FIELD(struct versus, path, "the other trace"),
	LODE_FIELD(struct versus, format, NULL),
	LODE_FIELD(struct versus, t0_ns, NULL),
	LODE_FIELD(struct versus, t1_ns, NULL),
	LODE_FIELD_AS("calls", struct versus, n_calls, NULL),
	LODE_LIST("functions", struct versus, rows, n_rows, &change_record,
		  "largest difference of self time first"),
	LODE_FIELD_AS("more", struct versus, n_more, NULL),
};
LODE_RECORD(versus, struct versus);

static const struct change_side *side_of(const struct lode_profile_row *row,
					 const struct lode_call_trace *trace,
					 struct lode_arena *arena)
{
	struct change_side *out = row ? lode_arena_array(arena, struct change_side, 1) : NULL;

	if (out)
		*out = (struct change_side){row->n_calls, row->self_ns, row->total_ns,
					    row->n_threads, &trace->spreads.at[row->function]};
	return out;
}

static const struct versus *versus_of(const struct lode_timeline_answer *answer,
				      struct lode_arena *arena)
{
	const struct lode_timeline_versus *v = answer->versus;
	const struct lode_call_trace *here = answer->job.trace, *there = v->job.trace;
	struct versus *out = lode_arena_array(arena, struct versus, 1);
	struct change *rows = lode_arena_array(arena, struct change, v->n_rows + 1);

	for (size_t i = 0; i < v->n_rows; i++) {
		const struct lode_profile_change *of = &v->diff.rows.at[i];

		rows[i] = (struct change){
			.function = of->here ? name_or_null(here, of->here->function, arena)
					     : name_or_null(there, of->there->function, arena),
			.self_ns = of->self_ns,
			.here = side_of(of->here, here, arena),
			.there = side_of(of->there, there, arena),
			.longer = of->longer,
			.log10_q = v->log_q[i] / M_LN10,
		};
	}
	*out = (struct versus){there->path,    there->format, there->first_ns, there->last_ns,
			       there->n_calls, rows,	      v->n_rows,       v->n_more};
	return out;
}

/* ---- While a thread is in a function or idle ---- */

struct during_row {
	int32_t tid;
	const char *name, *function;
	int64_t inside_ns, outside_ns;
	uint64_t n_inside, n_outside;
	double p;
};

struct during {
	const struct lode_timeline_answer *answer;
	int32_t tid;
	const char *function;
	struct lode_timeline_span span;
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
	LODE_FIELD_AS("inside_calls", struct during_row, n_inside,
		      "calls that begin inside; of idle time 0"),
	LODE_FIELD_AS("outside_calls", struct during_row, n_outside, "the same outside"),
	LODE_FIELD(struct during_row, p,
		   "share of shifts in time with at least this difference between the shares of "
		   "the time inside and outside",
		   .is_positive = true),
};
LODE_RECORD(during_row, struct during_row);

static const struct lode_field during_fields[] = {
	LODE_FIELD(struct during, tid, NULL),
	LODE_FIELD(struct during, function, "anywhere on the stack", .absent = "idle"),
	LODE_FIELDS_OF(struct during, span, &lode_timeline_span_record),
	LODE_FIELD_AS("spans", struct during, n_spans, NULL),
	LENGTH("inside_ns", struct during, inside_ns),
	LENGTH("outside_ns", struct during, outside_ns),
	LODE_LIST("rows", struct during, rows, n_rows, &during_row_record,
		  "other threads, largest difference first"),
	LODE_FIELD_AS("more", struct during, n_more, NULL),
};
LODE_RECORD(during, struct during);

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
			.n_inside = row->n_inside,
			.n_outside = row->n_outside,
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
		    "time in each of equal parts of the trace, or of the window"),
};
LODE_RECORD(use, struct lode_timeline_use);

static void outlier_of_function(void *row, const void *owner, size_t i)
{
	const struct lode_timeline_answer *answer = ((const struct use_of_function *)owner)->answer;

	lode_timeline_outlier_make(row, answer, answer->function->long_calls.at[i]);
}

static const struct lode_field function_fields[] = {
	FUNCTION(struct use_of_function),
	LODE_FIELDS_AT(struct use_of_function, spread, &lode_timeline_spread_record),
	LODE_LIST("threads", struct use_of_function, uses, n_uses, &use_record,
		  "threads that call it, most time first"),
	LODE_FIELD(struct use_of_function, self_ns, "without callees"),
	LODE_LIST("callers", struct use_of_function, callers, n_callers, &profile_edge_record,
		  "most time first"),
	LODE_LIST("callees", struct use_of_function, callees, n_callees, &profile_edge_record,
		  "most time first"),
	LODE_ROWS("outliers", struct use_of_function, n_outliers, outlier_of_function,
		  &lode_timeline_outlier_record, "longest first"),
	LODE_FIELD_POINTER("meanwhile", struct use_of_function, meanwhile, &meanwhile_record,
			   "during its longest call", .absent = "none of its calls is long"),
};
LODE_RECORD(function, struct use_of_function);

/* ---- All questions ---- */

static const struct lode_field questions_fields[] = {
	LODE_ROWS("functions", struct lode_timeline_questions, n_functions, profile_row_at,
		  &profile_row_record, "most self time first",
		  .absent = "--functions is not given"),
	LODE_FIELD(struct lode_timeline_questions, functions_more, NULL,
		   .absent = "--functions is not given"),
	LODE_FIELD_POINTER("versus", struct lode_timeline_questions, versus, &versus_record, NULL,
			   .absent = "--versus is not given"),
	LODE_FIELD_POINTER("during", struct lode_timeline_questions, during, &during_record, NULL,
			   .absent = "--during is not given"),
	LODE_FIELD_POINTER("at", struct lode_timeline_questions, at, &moment_record, NULL,
			   .absent = "--at is not given"),
	LODE_FIELD_POINTER("function", struct lode_timeline_questions, function, &function_record,
			   NULL, .absent = "--function is not given"),
};
const struct lode_record lode_timeline_questions_record =
	LODE_RECORD_OF("questions", questions_fields, struct lode_timeline_questions);

static const struct moment *moment_of(const struct lode_timeline_questions *questions,
				      const struct meanwhile *meanwhile, struct lode_arena *arena)
{
	const struct lode_timeline_answer *answer = questions->answer;
	const struct lode_moment *m = answer->moment;
	struct moment *out = lode_arena_array(arena, struct moment, 1);

	*out = (struct moment){
		.questions = questions,
		.of = m,
		.thread = &answer->job.regtime->threads[m->thread],
		.tid = answer->job.trace->threads.at[m->thread]->tid,
		.t_ns = m->t_ns,
		.span = {m->t0_ns, m->t1_ns},
		.n_open = m->open.n,
		.n_items = m->item != NULL,
		.meanwhile = meanwhile,
	};
	return out;
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

static const struct use_of_function *function_of(const struct lode_timeline_answer *answer,
						 const struct meanwhile *meanwhile,
						 struct lode_arena *arena)
{
	const struct lode_timeline_function *f = answer->function;
	size_t n = f->long_calls.n;
	struct use_of_function *out = lode_arena_array(arena, struct use_of_function, 1);

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
	return out;
}

const struct lode_timeline_questions *
lode_timeline_questions_of(const struct lode_timeline_answer *answer, lode_timeline_nodes *nodes,
			   struct lode_arena *arena)
{
	const struct meanwhile *meanwhile = meanwhile_of(answer, arena);
	struct lode_timeline_questions *out =
		lode_arena_array(arena, struct lode_timeline_questions, 1);

	*out = (struct lode_timeline_questions){
		.answer = answer,
		.nodes = nodes,
		.n_functions = answer->function ? 0 : answer->n_functions,
		.functions_more = answer->function ? 0 : answer->n_functions_more,
	};
	if (answer->moment)
		out->at = moment_of(out, meanwhile, arena);
	if (answer->versus)
		out->versus = versus_of(answer, arena);
	if (answer->during)
		out->during = during_of(answer, arena);
	if (answer->function)
		out->function = function_of(answer, meanwhile, arena);
	return out;
}
