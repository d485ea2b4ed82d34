#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/json.h"
#include "reports/json_parts.h"
#include "reports/suspects_parts.h"

enum { name_bytes = 4096 };

static size_t shown(const struct lode_suspects_report *report, size_t n)
{
	return report->list_top && report->list_top < n ? report->list_top : n;
}

static void put_sum(struct lode_json *json, const char *key, lode_u128 sum)
{
	lode_json_int(json, key, sum < INT64_MAX ? (int64_t)sum : INT64_MAX);
}

/* The function and its module as two members. */
static void put_function(struct lode_json *json, const char *key, const char *module_key,
			 const struct lode_calltree *tree, uint32_t frame)
{
	char name[name_bytes];

	lode_json_text(json, key, lode_frame_label(tree, frame, name, sizeof(name)));
	lode_json_text(json, module_key, lode_frame_module(tree, frame));
}

static void put_p(struct lode_json *json, const char *key, const char *log_key, double log_p)
{
	lode_json_number(json, key, exp(log_p));
	/* Far below what a double holds, p-values are still told apart. */
	lode_json_number(json, log_key, log_p < 0 ? log_p / log(10) : 0);
}

/* ---- Metrics ---- */

/* The smallest value above the bucket, as far as JSON's readers can count. */
static int64_t bucket_end(unsigned bucket)
{
	uint64_t end = lode_latency_bucket_start(bucket + 1);

	return end < INT64_MAX ? (int64_t)end : INT64_MAX;
}

static void put_histogram(struct lode_json *json, const char *key,
			  const struct lode_latency_histogram *h)
{
	lode_json_array(json, key);
	for (unsigned b = 0; h && b < LODE_LATENCY_BUCKETS; b++) {
		if (!h->n[b])
			continue;
		lode_json_object(json, NULL);
		lode_json_int(json, "from", (int64_t)lode_latency_bucket_start(b));
		lode_json_int(json, "to", bucket_end(b));
		lode_json_int(json, "n", (int64_t)h->n[b]);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
}

static void put_losses(struct lode_json *json, const uint64_t *losses)
{
	static const char *const keys[LODE_N_EXECUTION_LOSSES] = {
		[LODE_EXECUTION_NO_START] = "no_start",	    [LODE_EXECUTION_NO_END] = "no_end",
		[LODE_EXECUTION_MISMATCHED] = "mismatched", [LODE_EXECUTION_DIED] = "died",
		[LODE_EXECUTION_UNROOTED] = "unrooted",	    [LODE_EXECUTION_NO_STACK] = "no_stack",
	};

	lode_json_object(json, "losses");
	for (unsigned k = 0; k < LODE_N_EXECUTION_LOSSES; k++)
		lode_json_int(json, keys[k], (int64_t)losses[k]);
	lode_json_end_object(json);
}

static void put_moments(struct lode_json *json, const struct lode_moments *m)
{
	lode_json_int(json, "n", (int64_t)m->n);
	lode_json_int(json, "mean_ns", lode_moments_mean(m));
	lode_json_int(json, "std_ns", lode_moments_std(m));
	lode_json_int(json, "min_ns", (int64_t)m->least);
	lode_json_int(json, "max_ns", (int64_t)m->largest);
	put_sum(json, "total_ns", m->sum);
}

static void put_labels(struct lode_json *json, const struct lode_tally_metric *m)
{
	const uint64_t *n = m->n[LODE_SIDE_SUBJECT];

	lode_json_int(json, "prune_ns", m->thresholds.prune);
	lode_json_int(json, "success_ns", m->thresholds.success);
	lode_json_int(json, "failed_ns", m->thresholds.failed);
	lode_json_int(json, "succeeded", (int64_t)n[LODE_LABEL_SUCCEEDED]);
	lode_json_int(json, "failed", (int64_t)n[LODE_LABEL_FAILED]);
	lode_json_int(json, "ignored",
		      (int64_t)(m->moments[LODE_SIDE_SUBJECT].n - n[LODE_LABEL_SUCCEEDED] -
				n[LODE_LABEL_FAILED]));
	lode_json_int(json, "pruned", (int64_t)n[LODE_LABEL_PRUNED]);
	lode_json_int(json, "ambiguous", (int64_t)n[LODE_LABEL_AMBIGUOUS]);
	put_sum(json, "failed_total_ns", m->failed_sum);
}

static void put_metrics(struct lode_json *json, const struct lode_suspects_report *report)
{
	const struct lode_suspects *s = report->suspects;
	uint32_t *order = lode_suspects_metric_order(s);
	size_t n = shown(report, s->tally.metrics.n);

	lode_json_array(json, "metrics");
	for (size_t i = 0; i < n; i++) {
		const struct lode_tally_metric *m = &s->tally.metrics.at[order[i]];

		lode_json_object(json, NULL);
		lode_json_text(json, "metric", m->name);
		lode_json_text(json, "unit", m->unit);
		put_moments(json, &m->moments[LODE_SIDE_SUBJECT]);
		lode_json_bool(json, "labelled", m->is_labelled);
		put_labels(json, m);
		put_histogram(json, "histogram", m->histogram[LODE_SIDE_SUBJECT]);
		if (report->other_job) {
			lode_json_object(json, "other");
			put_moments(json, &m->moments[LODE_SIDE_OTHER]);
			put_histogram(json, "histogram", m->histogram[LODE_SIDE_OTHER]);
			lode_json_end_object(json);
		}
		put_losses(json, m->losses);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
	lode_json_more(json, "metrics_more", s->tally.metrics.n, n);
	free(order);
}

/* ---- Functions ---- */

static void put_scores(struct lode_json *json, const struct lode_scores *s)
{
	lode_json_exact(json, "failure", s->failure);
	lode_json_exact(json, "context", s->context);
	lode_json_exact(json, "increase", s->increase);
	lode_json_number(json, "increase_low", s->increase_ci.low);
	lode_json_number(json, "increase_high", s->increase_ci.high);
	lode_json_number(json, "ochiai", s->ochiai);
	lode_json_number(json, "tarantula", s->tarantula);
	/* Without a bound where it is in all failed ones and in no other: left out. */
	if (!isinf(s->dstar))
		lode_json_number(json, "dstar", s->dstar);
	lode_json_number(json, "importance", s->importance);
	lode_json_number(json, "importance_low", s->importance_ci.low);
	lode_json_number(json, "importance_high", s->importance_ci.high);
}

static void put_excess(struct lode_json *json, const struct lode_suspect *f)
{
	const struct lode_function *function = f->function;

	lode_json_number(json, "excess", f->excess.low);
	lode_json_number(json, "excess_calls", f->excess.calls);
	lode_json_number(json, "excess_time", f->excess.time);
	lode_json_int(json, "slow_calls", (int64_t)function->n[LODE_SIDE_SUBJECT]);
	lode_json_int(json, "fast_calls", (int64_t)function->n[LODE_SIDE_OTHER]);
	put_sum(json, "slow_total_ns", function->moments[LODE_SIDE_SUBJECT].sum);
	put_sum(json, "fast_total_ns", function->moments[LODE_SIDE_OTHER].sum);
}

static void put_suspect(struct lode_json *json, const struct lode_suspects_report *report,
			const struct lode_suspect *f)
{
	const struct lode_suspects *s = report->suspects;
	const struct lode_evidence *e = &f->function->evidence;
	const struct lode_moments *m = &f->function->moments[LODE_SIDE_SUBJECT];

	lode_json_object(json, NULL);
	lode_json_int(json, "rank", f->rank);
	put_function(json, "function", "module", &s->tally.set->tree, f->function->frame);
	lode_json_int(json, "d_success", (int64_t)e->d_success);
	lode_json_int(json, "d_failed", (int64_t)e->d_failed);
	lode_json_int(json, "o_success", (int64_t)e->o_success);
	lode_json_int(json, "o_failed", (int64_t)e->o_failed);
	put_scores(json, &f->scores);
	put_p(json, "p", "log10_p", f->log_p);
	put_p(json, "q", "log10_q", f->log_q);
	if (lode_suspects_is_versus(report))
		put_excess(json, f);
	put_moments(json, m);
	lode_json_int(json, "group", f->group);
	lode_json_bool(json, "suspect", f->rank <= report->cut);
	lode_json_end_object(json);
}

static void put_functions(struct lode_json *json, const struct lode_suspects_report *report)
{
	const struct lode_suspects *s = report->suspects;
	size_t n = lode_suspects_n_shown(report), n_put = 0;

	lode_json_array(json, "functions");
	for (size_t i = 0; i < n; i++) {
		if (report->has_min_increase && s->ranked[i].scores.increase < report->min_increase)
			continue;
		put_suspect(json, report, &s->ranked[i]);
		n_put++;
	}
	lode_json_end_array(json);
	lode_json_more(json, "more", s->functions.n, n_put);
}

/* ---- Caller contrast ---- */

static void put_half(struct lode_json *json, const char *key, const struct lode_contrast_half *half)
{
	lode_json_object(json, key);
	lode_json_int(json, "failed", (int64_t)half->outcome.failed);
	lode_json_int(json, "succeeded", (int64_t)half->outcome.succeeded);
	lode_json_int(json, "n", (int64_t)half->n);
	put_sum(json, "mean_ns", half->n ? half->sum / half->n : 0);
	lode_json_end_object(json);
}

static void put_contrasts(struct lode_json *json, const struct lode_suspects_report *report)
{
	const struct lode_suspects *s = report->suspects;
	const struct lode_calltree *tree = &s->tally.set->tree;
	size_t n = shown(report, s->contrasts.n);
	char name[name_bytes];

	lode_json_array(json, "contrasts");
	for (size_t i = 0; i < n; i++) {
		const struct lode_contrast *c = &s->contrasts.at[i];

		lode_json_object(json, NULL);
		put_function(json, "function", "module", tree, c->leaf);
		if (c->metric != LODE_NONE)
			lode_json_text(json, "metric", s->tally.metrics.at[c->metric].name);
		lode_json_array(json, "callers");
		for (size_t k = 0; k < c->n_callers; k++)
			lode_json_text(json, NULL,
				       lode_frame_full_name(tree, c->callers[k], name,
							    sizeof(name)));
		lode_json_end_array(json);
		put_half(json, "with", &c->with);
		put_half(json, "without", &c->without);
		put_p(json, "p", "log10_p", c->log_p);
		put_p(json, "q", "log10_q", c->log_q);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
	lode_json_more(json, "contrasts_more", s->contrasts.n, n);
}

/* ---- One function ---- */

static void put_neighbours(struct lode_json *json, const char *key,
			   const struct lode_suspects_report *report,
			   const struct lode_explained_neighbour *at, size_t n)
{
	const struct lode_calltree *tree = &report->suspects->tally.set->tree;

	lode_json_array(json, key);
	for (size_t i = 0; i < n && i < shown(report, n); i++) {
		lode_json_object(json, NULL);
		if (at[i].frame != LODE_NONE)
			put_function(json, "function", "module", tree, at[i].frame);
		lode_json_int(json, "failed", (int64_t)at[i].outcome.failed);
		lode_json_int(json, "succeeded", (int64_t)at[i].outcome.succeeded);
		lode_json_int(json, "n", (int64_t)at[i].n);
		put_sum(json, "total_ns", at[i].sum);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
}

static void put_explained_half(struct lode_json *json, const char *key,
			       const struct lode_outcome *outcome,
			       const struct lode_moments *moments,
			       const struct lode_latency_histogram *histogram)
{
	lode_json_object(json, key);
	lode_json_int(json, "failed", (int64_t)outcome->failed);
	lode_json_int(json, "succeeded", (int64_t)outcome->succeeded);
	put_moments(json, moments);
	put_histogram(json, "histogram", histogram);
	lode_json_end_object(json);
}

static void put_worst(struct lode_json *json, const struct lode_suspects_report *report,
		      const struct lode_explanation *x)
{
	const struct lode_suspects *s = report->suspects;
	const struct lode_calltree *tree = &s->tally.set->tree;
	uint32_t *frames;
	char name[name_bytes];
	size_t depth;

	lode_json_array(json, "worst");
	for (size_t i = 0; i < x->n_worst; i++) {
		const struct lode_execution *e = &x->worst[i];

		frames = lode_alloc((tree->nodes.at[e->stack].depth + 1) * sizeof(*frames));
		depth = lode_calltree_path(tree, e->stack, frames);
		lode_json_object(json, NULL);
		lode_json_text(json, "metric", s->tally.metrics.at[e->metric].name);
		lode_json_text(json, "stream", s->tally.set->streams.at[e->stream]);
		lode_json_int(json, "tid", e->tid);
		lode_json_int(json, "t0_ns", e->start_ns);
		lode_json_int(json, "value_ns", e->value);
		lode_json_array(json, "stack");
		for (size_t k = 0; k < depth; k++)
			lode_json_text(json, NULL,
				       lode_frame_full_name(tree, frames[k], name, sizeof(name)));
		lode_json_end_array(json);
		lode_json_end_object(json);
		free(frames);
	}
	lode_json_end_array(json);
}

static void put_explanation(struct lode_json *json, const char *key,
			    const struct lode_suspects_report *report,
			    const struct lode_explanation *x)
{
	const struct lode_suspects *s = report->suspects;

	lode_json_object(json, key);
	lode_json_int(json, "rank", x->suspect->rank);
	put_function(json, "function", "module", &s->tally.set->tree, x->suspect->function->frame);
	lode_json_array(json, "metrics");
	for (size_t i = 0; i < x->metrics.n && i < shown(report, x->metrics.n); i++) {
		const struct lode_explained_metric *m = &x->metrics.at[i];

		lode_json_object(json, NULL);
		lode_json_text(json, "metric", s->tally.metrics.at[m->metric].name);
		put_explained_half(json, "with", &m->with, &m->moments_with, &m->histogram_with);
		put_explained_half(json, "without", &m->without, &m->moments_without,
				   &m->histogram_without);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
	put_neighbours(json, "callers", report, x->callers.at, x->callers.n);
	put_neighbours(json, "callees", report, x->callees.at, x->callees.n);
	put_worst(json, report, x);
	lode_json_end_object(json);
}

/* ---- What was read ---- */

static void put_inputs(struct lode_json *json, const struct lode_suspects_report *report,
		       const char *key)
{
	const struct lode_suspects_job *jobs[2] = {report->job, report->other_job};
	bool skipped = strcmp(key, "skipped") == 0;

	lode_json_array(json, key);
	for (unsigned k = 0; k < 2; k++) {
		size_t n = !jobs[k] ? 0 : skipped ? jobs[k]->skipped.n : jobs[k]->incomplete.n;

		for (size_t i = 0; i < n; i++) {
			const struct lode_skipped_input *input =
				skipped ? &jobs[k]->skipped.at[i] : &jobs[k]->incomplete.at[i];

			lode_json_object(json, NULL);
			lode_json_text(json, "path", input->path);
			lode_json_text(json, "reason", input->reason);
			lode_json_end_object(json);
		}
	}
	lode_json_end_array(json);
}

static void put_notes(struct lode_json *json, const struct lode_suspects_report *report)
{
	const struct lode_suspects_job *jobs[2] = {report->job, report->other_job};

	lode_json_array(json, "notes");
	for (unsigned k = 0; k < 2; k++) {
		for (size_t i = 0; jobs[k] && i < jobs[k]->notes.n; i++) {
			lode_json_object(json, NULL);
			lode_json_text(json, "path",
				       jobs[k]->notes.at[i].path ? jobs[k]->notes.at[i].path : "");
			lode_json_text(json, "text", jobs[k]->notes.at[i].text);
			lode_json_end_object(json);
		}
	}
	lode_json_end_array(json);
}

static void put_streams(struct lode_json *json, const struct lode_suspects_report *report,
			const char *key, enum lode_side side)
{
	const struct lode_suspects *s = report->suspects;

	lode_json_array(json, key);
	for (uint32_t i = 0; i < s->tally.set->streams.n; i++) {
		if (lode_tally_side(&s->tally, i) == side)
			lode_json_text(json, NULL, s->tally.set->streams.at[i]);
	}
	lode_json_end_array(json);
}

static void put_options(struct lode_json *json, const struct lode_suspects_report *report)
{
	const struct lode_suspects *s = report->suspects;

	lode_json_object(json, "options");
	lode_json_text(json, "evidence", lode_suspects_is_versus(report) ? "sets" : "labels");
	lode_json_text(json, "thresholds", report->thresholds);
	lode_json_text(json, "sort", lode_suspect_order_name(s->options.order));
	lode_json_text(json, "correction", report->correction);
	lode_json_bool(json, "pooled", s->options.tally.pooled);
	if (report->job && report->job->symptom_text)
		lode_json_text(json, "symptoms", report->job->symptom_text);
	lode_json_end_object(json);
}

void lode_suspects_report_json(FILE *out, const struct lode_suspects_report *report,
			       const struct lode_explanation *explanation)
{
	const struct lode_suspects *s = report->suspects;
	struct lode_json *json = lode_json_open(out, "lode/suspects/1");
	uint64_t events = 0, lost = 0;
	const struct lode_suspects_job *jobs[2] = {report->job, report->other_job};

	for (unsigned k = 0; k < 2; k++) {
		events += jobs[k] ? jobs[k]->n_events : 0;
		lost += jobs[k] ? jobs[k]->n_lost : 0;
	}
	put_streams(json, report, "streams", LODE_SIDE_SUBJECT);
	if (report->other_job)
		put_streams(json, report, "other_streams", LODE_SIDE_OTHER);
	lode_json_int(json, "events", (int64_t)events);
	lode_json_int(json, "lost_events", (int64_t)lost);
	lode_json_int(json, "executions", (int64_t)s->n[LODE_SIDE_SUBJECT]);
	if (report->other_job)
		lode_json_int(json, "other_executions", (int64_t)s->n[LODE_SIDE_OTHER]);
	lode_json_int(json, "failed", (int64_t)s->all.failed);
	lode_json_int(json, "succeeded", (int64_t)s->all.succeeded);
	put_options(json, report);
	put_metrics(json, report);
	lode_json_int(json, "functions_total", (int64_t)s->functions.n);
	lode_json_int(json, "groups", (int64_t)s->n_groups);
	lode_json_int(json, "cut", (int64_t)report->cut);
	put_functions(json, report);
	lode_json_int(json, "contrast_tests", (int64_t)s->n_contrast_tests);
	put_contrasts(json, report);
	if (explanation)
		put_explanation(json, "explain", report, explanation);
	if (report->n_details) {
		lode_json_array(json, "details");
		for (size_t i = 0; i < report->n_details; i++)
			put_explanation(json, NULL, report, &report->details[i]);
		lode_json_end_array(json);
	}
	put_notes(json, report);
	put_inputs(json, report, "skipped");
	put_inputs(json, report, "incomplete");
	lode_json_close(json);
}
