#include <string.h>

#include "reports/json.h"
#include "reports/json_parts.h"
#include "reports/timeline_report.h"

enum { name_bytes = 4096, n_top_functions = 10 };

static void put_function(struct lode_json *json, const struct lode_timeline_report *report,
			 uint32_t function)
{
	char name[name_bytes];

	lode_json_text(json, "function",
		       lode_frame_full_name(&report->job->trace->functions, function, name,
					    sizeof(name)));
}

static void put_repairs(struct lode_json *json, const uint64_t *repairs)
{
	lode_json_object(json, "repairs");
	for (unsigned i = 0; i < LODE_N_REPAIRS; i++)
		lode_json_int(json, lode_call_repair_name((enum lode_call_repair)i),
			      (int64_t)repairs[i]);
	lode_json_end_object(json);
}

/* Where clocks cannot be compared, all times are since the first one's zero. */
static void put_clocks(struct lode_json *json, const struct lode_call_trace *trace)
{
	lode_json_array(json, "clocks");
	for (size_t i = 0; i < trace->clocks.n; i++) {
		const struct lode_call_clock *clock = &trace->clocks.at[i];

		lode_json_object(json, NULL);
		lode_json_int(json, "offset_ns", clock->offset_ns);
		lode_json_int(json, "t1_ns", clock->last_ns);
		lode_json_int(json, "threads", (int64_t)clock->n_threads);
		lode_json_int(json, "calls", (int64_t)clock->n_calls);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
}

static void put_trace(struct lode_json *json, const struct lode_timeline_report *report)
{
	const struct lode_call_trace *trace = report->job->trace;

	lode_json_text(json, "path", trace->path);
	lode_json_text(json, "format", trace->format ? trace->format : "");
	lode_json_text(json, "command", trace->command ? trace->command : "");
	lode_json_text(json, "host", trace->host ? trace->host : "");
	lode_json_int(json, "t0_ns", trace->first_ns);
	lode_json_int(json, "t1_ns", trace->last_ns);
	put_clocks(json, trace);
	lode_json_int(json, "calls", (int64_t)trace->n_calls);
	lode_json_int(json, "events", (int64_t)trace->n_events);
	lode_json_bool(json, "classic", report->options->is_classic);
	if (report->options->t0_ns < report->options->t1_ns) {
		lode_json_object(json, "window");
		lode_json_int(json, "t0_ns", report->options->t0_ns);
		lode_json_int(json, "t1_ns", report->options->t1_ns);
		lode_json_end_object(json);
	}
	put_repairs(json, trace->repairs);
	lode_json_losses(json, &trace->losses, "detail", true);
}

/* ---- Threads ---- */

static void put_leaves(struct lode_json *json, const char *key,
		       const struct lode_timeline_report *report,
		       const struct lode_meanwhile_thread *thread, size_t top)
{
	size_t n = thread->leaves.n < top ? thread->leaves.n : top;

	lode_json_array(json, key);
	for (size_t i = 0; i < n; i++) {
		lode_json_object(json, NULL);
		put_function(json, report, thread->leaves.at[i].function);
		lode_json_int(json, "leaf_ns", (int64_t)thread->leaves.at[i].leaf_ns);
		lode_json_int(json, "calls", (int64_t)thread->leaves.at[i].n_calls);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
}

static void put_nodes(struct lode_json *json, const struct lode_timeline_report *report,
		      const struct lode_regtime_thread *t, const struct lode_regtime_item *item)
{
	const struct lode_regtime_node *nodes = t->nodes.at + item->first_node;
	uint32_t *shown = lode_alloc(item->n_nodes * sizeof(*shown)), n = 0;

	lode_json_array(json, "nodes");
	for (size_t i = 0; i < item->n_nodes; i++) {
		if (nodes[i].is_folded)
			continue;
		shown[i] = n++;
		lode_json_object(json, NULL);
		put_function(json, report, lode_call_function(t->thread, nodes[i].stack));
		/* Who is shown has a caller who is. */
		lode_json_int(json, "caller",
			      nodes[i].caller == LODE_NONE ? -1 : (int64_t)shown[nodes[i].caller]);
		lode_json_int(json, "calls", (int64_t)nodes[i].n_calls);
		lode_json_int(json, "total_ns", (int64_t)nodes[i].total_ns);
		lode_json_int(json, "own_ns", (int64_t)nodes[i].own_ns);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
	free(shown);
	if (!item->n_folded)
		return;
	lode_json_object(json, "folded");
	lode_json_int(json, "nodes", item->n_folded);
	lode_json_int(json, "functions", item->n_folded_functions);
	lode_json_int(json, "calls", (int64_t)item->folded_calls);
	lode_json_int(json, "own_ns", (int64_t)item->folded_ns);
	lode_json_end_object(json);
}

static void put_item(struct lode_json *json, const struct lode_timeline_report *report,
		     const struct lode_regtime_thread *t, const struct lode_regtime_item *item)
{
	static const char *const kinds[] = {"call", "expression", "gap"};

	lode_json_object(json, NULL);
	lode_json_text(json, "kind", kinds[item->kind]);
	lode_json_int(json, "depth", item->depth);
	lode_json_int(json, "start_ns", item->start_ns);
	lode_json_int(json, "duration_ns", item->end_ns - item->start_ns);
	if (item->kind == LODE_REGTIME_CALL)
		put_function(json, report, lode_call_function(t->thread, item->stack));
	if (item->kind == LODE_REGTIME_EXPRESSION) {
		lode_json_int(json, "calls", (int64_t)item->n_calls);
		put_nodes(json, report, t, item);
	}
	lode_json_end_object(json);
}

static void put_thread(struct lode_json *json, const struct lode_timeline_report *report, size_t i)
{
	const struct lode_regtime_thread *t = &report->job->regtime->threads[i];

	lode_json_object(json, NULL);
	lode_json_int(json, "pid", t->thread->pid);
	lode_json_int(json, "tid", t->thread->tid);
	lode_json_text(json, "name", lode_call_thread_name(report->job->trace, t->thread));
	lode_json_int(json, "clock", t->thread->clock);
	lode_json_int(json, "t0_ns", t->t0_ns);
	lode_json_int(json, "t1_ns", t->t1_ns);
	lode_json_int(json, "calls", (int64_t)t->n_calls);
	lode_json_int(json, "kept_calls", (int64_t)t->n_kept);
	lode_json_int(json, "expressions", (int64_t)t->n_expressions);
	lode_json_int(json, "gaps", (int64_t)t->n_gaps);
	lode_json_int(json, "events_after", (int64_t)t->n_glyphs);
	lode_json_number(json, "ratio", t->n_glyphs ? (double)t->n_calls / (double)t->n_glyphs : 0);
	lode_json_int(json, "functions", (int64_t)t->n_functions);
	lode_json_int(json, "max_depth", t->thread->max_depth);
	lode_json_int(json, "long_call_ns", t->long_call_ns);
	lode_json_int(json, "gap_ns", t->gap_ns);
	lode_json_int(json, "expression_ns", t->expression_ns);
	lode_json_int(json, "negligible_ns", t->negligible_ns);
	lode_json_int(json, "idle_ns", (int64_t)report->leaves->threads[i].idle_ns);
	put_leaves(json, "top_functions", report, &report->leaves->threads[i], n_top_functions);
	put_repairs(json, t->thread->repairs);
	if (report->is_full) {
		lode_json_array(json, "timeline");
		for (size_t k = 0; k < t->items.n; k++)
			put_item(json, report, t, &t->items.at[k]);
		lode_json_end_array(json);
	}
	lode_json_end_object(json);
}

static void put_threads(struct lode_json *json, const struct lode_timeline_report *report)
{
	const struct lode_regtime *regtime = report->job->regtime;
	size_t n = 0;

	lode_json_array(json, "threads");
	for (size_t i = 0; i < regtime->n_threads; i++) {
		if (report->only && regtime->threads[i].thread != report->only)
			continue;
		if (n++ < report->top)
			put_thread(json, report, i);
	}
	lode_json_end_array(json);
	lode_json_int(json, "threads_more", (int64_t)(n > report->top ? n - report->top : 0));
}

/* ---- Outliers ---- */

static void put_outlier(struct lode_json *json, const struct lode_timeline_report *report,
			const struct lode_outlier *o)
{
	const struct lode_call_thread *thread = report->job->trace->threads.at[o->thread];

	lode_json_object(json, NULL);
	lode_json_int(json, "pid", thread->pid);
	lode_json_int(json, "tid", thread->tid);
	put_function(json, report, o->function);
	lode_json_int(json, "start_ns", o->start_ns);
	lode_json_int(json, "duration_ns", o->duration_ns);
	lode_json_int(json, "depth", o->depth);
	lode_json_number(json, "times_median", o->times_median);
	lode_json_end_object(json);
}

static void put_spread(struct lode_json *json, const struct lode_call_spread *spread)
{
	lode_json_int(json, "calls", (int64_t)spread->n);
	lode_json_int(json, "total_ns", (int64_t)spread->total_ns);
	lode_json_int(json, "min_ns", spread->min_ns);
	lode_json_int(json, "median_ns", spread->median_ns);
	lode_json_int(json, "p99_ns", spread->p99_ns);
	lode_json_int(json, "max_ns", spread->max_ns);
}

static void put_outliers(struct lode_json *json, const struct lode_timeline_report *report)
{
	const struct lode_outliers *outliers = &report->job->outliers;
	size_t n = 0,
	       n_groups = outliers->groups.n < report->top ? outliers->groups.n : report->top;

	lode_json_array(json, "outliers");
	for (size_t i = 0; i < outliers->at.n; i++) {
		if (report->only &&
		    report->job->trace->threads.at[outliers->at.at[i].thread] != report->only)
			continue;
		if (n++ < report->top)
			put_outlier(json, report, &outliers->at.at[i]);
	}
	lode_json_end_array(json);
	lode_json_int(json, "more", (int64_t)(n > report->top ? n - report->top : 0));
	lode_json_array(json, "outlier_functions");
	for (size_t i = 0; i < n_groups; i++) {
		const struct lode_outlier_group *group = &outliers->groups.at[i];

		lode_json_object(json, NULL);
		put_function(json, report, group->function);
		put_spread(json, &report->job->trace->spreads.at[group->function]);
		lode_json_int(json, "outliers", (int64_t)group->n);
		lode_json_int(json, "outliers_ns", (int64_t)group->total_ns);
		lode_json_int(json, "threads", (int64_t)group->n_threads);
		lode_json_number(json, "times_median", outliers->at.at[group->first].times_median);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
	lode_json_int(json, "outlier_functions_more", (int64_t)(outliers->groups.n - n_groups));
}

/* ---- Meanwhile, a moment, a function ---- */

static void put_meanwhile(struct lode_json *json, const struct lode_timeline_report *report,
			  const struct lode_meanwhile *meanwhile)
{
	lode_json_object(json, "meanwhile");
	lode_json_int(json, "t0_ns", meanwhile->t0_ns);
	lode_json_int(json, "t1_ns", meanwhile->t1_ns);
	lode_json_array(json, "threads");
	for (size_t i = 0; i < meanwhile->n_threads; i++) {
		const struct lode_meanwhile_thread *t = &meanwhile->threads[i];

		if (!lode_meanwhile_knows(meanwhile, i))
			continue;
		lode_json_object(json, NULL);
		lode_json_int(json, "pid", t->thread->pid);
		lode_json_int(json, "tid", t->thread->tid);
		lode_json_text(json, "name", lode_call_thread_name(report->job->trace, t->thread));
		lode_json_int(json, "calls", (int64_t)t->n_calls);
		lode_json_int(json, "idle_ns", (int64_t)t->idle_ns);
		put_leaves(json, "leaves", report, t, report->top);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
	lode_json_end_object(json);
}

static void put_moment(struct lode_json *json, const struct lode_timeline_report *report,
		       const struct lode_moment *moment, const struct lode_meanwhile *meanwhile)
{
	const struct lode_regtime_thread *t = &report->job->regtime->threads[moment->thread];

	lode_json_object(json, "at");
	lode_json_int(json, "tid", t->thread->tid);
	lode_json_int(json, "t_ns", moment->t_ns);
	lode_json_int(json, "t0_ns", moment->t0_ns);
	lode_json_int(json, "t1_ns", moment->t1_ns);
	lode_json_array(json, "stack");
	for (size_t i = 0; i < moment->open.n; i++) {
		const struct lode_call *call = &moment->open.at[i];

		lode_json_object(json, NULL);
		put_function(json, report, lode_call_function(t->thread, call->stack));
		lode_json_int(json, "start_ns", call->start_ns);
		lode_json_int(json, "duration_ns", call->duration_ns);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
	lode_json_array(json, "items");
	if (moment->item)
		put_item(json, report, t, moment->item);
	lode_json_end_array(json);
	put_meanwhile(json, report, meanwhile);
	lode_json_end_object(json);
}

static void put_uses(struct lode_json *json, const struct lode_timeline_report *report,
		     const struct lode_timeline_function *function)
{
	lode_json_object(json, "function");
	put_function(json, report, function->function);
	put_spread(json, &report->job->trace->spreads.at[function->function]);
	lode_json_array(json, "threads");
	for (size_t i = 0; i < function->uses.n; i++) {
		const struct lode_timeline_use *use = &function->uses.at[i];

		lode_json_object(json, NULL);
		lode_json_int(json, "tid", report->job->trace->threads.at[use->thread]->tid);
		lode_json_int(json, "calls", (int64_t)use->use.n_calls);
		lode_json_int(json, "time_ns", (int64_t)use->use.total_ns);
		lode_json_int(json, "longest_start_ns", use->use.longest.start_ns);
		lode_json_int(json, "longest_ns", use->use.longest.duration_ns);
		lode_json_array(json, "bins_ns");
		for (size_t b = 0; b < function->n_bins; b++)
			lode_json_int(json, NULL, (int64_t)use->bins_ns[b]);
		lode_json_end_array(json);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
	lode_json_array(json, "outliers");
	for (size_t i = 0; function->group && i < function->group->n && i < report->top; i++)
		put_outlier(json, report, &report->job->outliers.at.at[function->group->first + i]);
	lode_json_end_array(json);
	if (function->meanwhile)
		put_meanwhile(json, report, function->meanwhile);
	lode_json_end_object(json);
}

void lode_timeline_json(FILE *out, const struct lode_timeline_report *report,
			const struct lode_moment *moment, const struct lode_meanwhile *meanwhile,
			const struct lode_timeline_function *function)
{
	struct lode_json *json = lode_json_open(out, "lode/timeline/1");

	put_trace(json, report);
	put_threads(json, report);
	put_outliers(json, report);
	if (moment)
		put_moment(json, report, moment, meanwhile);
	if (function)
		put_uses(json, report, function);
	lode_json_close(json);
}
