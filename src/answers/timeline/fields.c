/* Fields of the document of lode timeline. */
#include "answers/timeline/question_fields.h"

#include "answers/input_fields.h"

enum { TOP_FUNCTIONS = 10 };

/* What is put, with what its rows are made of. */
struct content {
	struct lode_opening opening;
	const struct lode_timeline_answer *answer;
	const struct lode_call_trace *trace;
	const char *format, *command, *host;
	struct lode_timeline_span all;
	const struct lode_timeline_span *window;
	bool is_classic;
	struct lode_loss_row *losses;
	size_t n_losses, n_threads;
	const struct lode_timeline_questions *questions;
	lode_timeline_nodes *nodes;
};

/* ---- Leaves, repairs, spreads, spans ---- */

static const struct lode_field leaf_fields[] = {
	FUNCTION(struct lode_leaf),
	LODE_FIELD(struct lode_leaf, leaf_ns, NULL),
	LODE_FIELD_AS("calls", struct lode_leaf, n_calls, NULL),
};
const struct lode_record lode_timeline_leaf_record =
	LODE_RECORD_OF("leaf", leaf_fields, struct lode_leaf, .is_shared = true);

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
const struct lode_record lode_timeline_spread_record =
	LODE_RECORD_OF("spread", spread_fields, struct lode_call_spread);

static const struct lode_field span_fields[] = {
	LODE_FIELD(struct lode_timeline_span, t0_ns, NULL),
	LODE_FIELD(struct lode_timeline_span, t1_ns, NULL),
};
const struct lode_record lode_timeline_span_record =
	LODE_RECORD_OF("span", span_fields, struct lode_timeline_span);

/* ---- Items of a timeline ---- */

static const struct lode_field node_fields[] = {
	FUNCTION(struct lode_timeline_node),
	LODE_FIELD_OF("caller", LODE_TYPE_INDEX, struct lode_timeline_node, caller,
		      "index into these nodes; -1: outermost", .least = -1),
	LODE_FIELD_AS("calls", struct lode_timeline_node, n_calls, NULL),
	LODE_FIELD(struct lode_timeline_node, total_ns, NULL),
	LODE_FIELD(struct lode_timeline_node, own_ns, "self time, without callees"),
};
LODE_RECORD(node, struct lode_timeline_node, .is_shared = true);

static const struct lode_field folded_fields[] = {
	LODE_FIELD_AS("nodes", struct lode_regtime_item, n_folded, NULL),
	LODE_FIELD_AS("functions", struct lode_regtime_item, n_folded_functions, NULL),
	LODE_FIELD_AS("calls", struct lode_regtime_item, folded_calls, NULL),
	LODE_FIELD_AS("own_ns", struct lode_regtime_item, folded_ns, NULL),
};
LODE_RECORD(folded, struct lode_regtime_item, .is_shared = true);

#define ITEM_FIELDS(kinds)                                                               \
	LODE_FIELD(struct lode_timeline_item, kind, NULL, .choices = (kinds)),           \
		LODE_FIELD_AS("depth", struct lode_timeline_item, of.depth, NULL),       \
		LODE_FIELD_AS("start_ns", struct lode_timeline_item, of.start_ns, NULL), \
		LENGTH("duration_ns", struct lode_timeline_item, duration_ns)

static const char *const call_kind[] = {"call", NULL};
static const char *const gap_kind[] = {"gap", NULL};
static const char *const expression_kind[] = {"expression", NULL};

static const struct lode_field call_fields[] = {
	ITEM_FIELDS(call_kind),
	FUNCTION(struct lode_timeline_item),
};
LODE_RECORD(call, struct lode_timeline_item);

static const struct lode_field gap_fields[] = {
	ITEM_FIELDS(gap_kind),
};
LODE_RECORD(gap, struct lode_timeline_item);

static const struct lode_field expression_fields[] = {
	ITEM_FIELDS(expression_kind),
	LODE_FIELD_AS("calls", struct lode_timeline_item, of.n_calls, NULL, .least = 1),
	LODE_LIST("nodes", struct lode_timeline_item, nodes, n_nodes, &node_record,
		  "calls by their stacks, callers first"),
	LODE_FIELD_POINTER("folded", struct lode_timeline_item, folded, &folded_record,
			   "functions with too little time to show", .absent = "nothing is folded"),
};
LODE_RECORD(expression, struct lode_timeline_item);

static const struct lode_record *const item_forms[] = {&call_record, &gap_record,
						       &expression_record, NULL};

static size_t form_of_item(const void *item)
{
	enum lode_regtime_kind kind = ((const struct lode_timeline_item *)item)->of.kind;

	return kind == LODE_REGTIME_CALL ? 0 : kind == LODE_REGTIME_GAP ? 1 : 2;
}

const struct lode_record lode_timeline_item_record = {.name = "item",
						      .size_bytes =
							      sizeof(struct lode_timeline_item),
						      .is_shared = true,
						      .forms = item_forms,
						      .form_of = form_of_item};

/* The nodes that are shown: who is has a caller who is. */
static void list_nodes(struct lode_timeline_item *out, lode_timeline_nodes *shown_nodes,
		       const struct lode_regtime_thread *t)
{
	const struct lode_regtime_node *nodes = t->nodes.at + out->of.first_node;
	uint32_t *shown = lode_alloc(out->of.n_nodes * sizeof(*shown));

	shown_nodes->n = 0;
	for (size_t i = 0; i < out->of.n_nodes; i++) {
		const struct lode_regtime_node *node = &nodes[i];

		if (node->is_folded)
			continue;
		shown[i] = (uint32_t)shown_nodes->n;
		lode_vec_append(shown_nodes,
				((struct lode_timeline_node){
					lode_call_function(t->thread, node->stack),
					node->caller == LODE_NONE ? LODE_NONE : shown[node->caller],
					node->n_calls, node->total_ns, node->own_ns}));
	}
	out->nodes = shown_nodes->at;
	out->n_nodes = shown_nodes->n;
	free(shown);
}

void lode_timeline_item_make(struct lode_timeline_item *out, lode_timeline_nodes *nodes,
			     const struct lode_regtime_thread *t,
			     const struct lode_regtime_item *item)
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
		list_nodes(out, nodes, t);
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

	lode_timeline_item_make(row, thread->content->nodes, &thread->of, &thread->of.items.at[i]);
}

static const struct lode_field full_fields[] = {
	LODE_ROWS("timeline", struct thread, of.items.n, item_of_thread, &lode_timeline_item_record,
		  NULL),
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
	LODE_LIST("top_functions", struct thread, leaves, n_leaves, &lode_timeline_leaf_record,
		  NULL),
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

static const struct lode_field outlier_fields[] = {
	LODE_FIELD(struct lode_timeline_outlier, pid, NULL),
	LODE_FIELD(struct lode_timeline_outlier, tid, NULL),
	LODE_FIELD_OF("function", LODE_TYPE_FRAME, struct lode_timeline_outlier, of.function, NULL),
	LODE_FIELD_AS("start_ns", struct lode_timeline_outlier, of.start_ns, NULL),
	LENGTH("duration_ns", struct lode_timeline_outlier, of.duration_ns),
	LODE_FIELD_AS("depth", struct lode_timeline_outlier, of.depth, NULL),
	LODE_FIELD_AS("times_median", struct lode_timeline_outlier, of.times_median,
		      "duration / median of its function", .is_positive = true),
};
const struct lode_record lode_timeline_outlier_record =
	LODE_RECORD_OF("outlier", outlier_fields, struct lode_timeline_outlier, .is_shared = true);

void lode_timeline_outlier_make(struct lode_timeline_outlier *out,
				const struct lode_timeline_answer *answer, size_t i)
{
	const struct lode_outlier *o = &answer->job.outliers.at.at[i];
	const struct lode_call_thread *thread = answer->job.trace->threads.at[o->thread];

	*out = (struct lode_timeline_outlier){*o, thread->pid, thread->tid};
}

static void outlier_at(void *row, const void *owner, size_t i)
{
	const struct lode_timeline_answer *answer = owner;

	lode_timeline_outlier_make(row, answer, answer->outliers[i]);
}

struct group {
	struct lode_outlier_group of;
	const struct lode_call_spread *spread;
	double times_median;
};

static const struct lode_field group_fields[] = {
	LODE_FIELD_OF("function", LODE_TYPE_FRAME, struct group, of.function, NULL),
	LODE_FIELDS_AT(struct group, spread, &lode_timeline_spread_record),
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
	LODE_ROWS("outliers", struct lode_timeline_answer, n_outliers, outlier_at,
		  &lode_timeline_outlier_record, "long calls by function, longest first"),
	LODE_FIELD_AS("more", struct lode_timeline_answer, n_outliers_more, NULL),
	LODE_ROWS("outlier_functions", struct lode_timeline_answer, n_groups, group_at,
		  &group_record,
		  "by what they cost beyond their median, and how rare they are among its calls"),
	LODE_FIELD_AS("outlier_functions_more", struct lode_timeline_answer, n_groups_more, NULL),
};
LODE_RECORD(list, struct lode_timeline_answer);

static const struct lode_field content_fields[] = {
	LODE_FIELDS_OF(struct content, opening, &lode_opening_record),
	LODE_FIELDS_AT(struct content, trace, &path_record),
	LODE_FIELD(struct content, format, NULL),
	LODE_FIELD(struct content, command, NULL),
	LODE_FIELD(struct content, host, NULL),
	LODE_FIELDS_OF(struct content, all, &lode_timeline_span_record),
	LODE_FIELDS_AT(struct content, trace, &size_record),
	LODE_FIELD_AS("classic", struct content, is_classic, NULL),
	LODE_FIELD_POINTER("window", struct content, window, &lode_timeline_span_record, NULL,
			   .absent = "--window is not given"),
	LODE_FIELDS_AT(struct content, trace, &mended_record),
	LODE_LIST("losses", struct content, losses, n_losses, &loss_record, NULL),
	LODE_ROWS("threads", struct content, n_threads, thread_at, &thread_record, NULL),
	LODE_FIELDS_AT(struct content, answer, &list_record),
	LODE_FIELDS_AT(struct content, questions, &lode_timeline_questions_record),
};
LODE_RECORD(content, struct content);

const struct lode_document lode_timeline_document = {
	.schema = "lode/timeline/1",
	.file = "timeline",
	.title = "lode timeline --json",
	.record = &content_record,
};

void lode_timeline_json(FILE *out, const struct lode_timeline_answer *answer)
{
	const struct lode_call_trace *trace = answer->job.trace;
	const struct lode_names names = lode_tree_names(&trace->functions);
	struct lode_loss_row losses[LODE_N_LOSS_KINDS];
	struct lode_timeline_span window = {answer->options.t0_ns, answer->options.t1_ns};
	struct lode_arena arena = {0};
	lode_timeline_nodes nodes = {0};
	struct content content = {
		.opening = answer->opening,
		.answer = answer,
		.trace = trace,
		.format = trace->format ? trace->format : "",
		.command = trace->command ? trace->command : "",
		.host = trace->host ? trace->host : "",
		.all = {trace->first_ns, trace->last_ns},
		.window = lode_timeline_has_window(answer) ? &window : NULL,
		.is_classic = answer->options.is_classic,
		.losses = losses,
		.n_losses = lode_loss_rows(losses, &trace->losses),
		.n_threads = answer->n_listed,
		.questions = lode_timeline_questions_of(answer, &nodes, &arena),
		.nodes = &nodes,
	};

	lode_document_put(out, &lode_timeline_document, &content, &names);
	lode_vec_release(&nodes);
	lode_arena_release(&arena);
}
