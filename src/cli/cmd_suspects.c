#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/suspects/suspects.h"
#include "base/escape.h"
#include "base/memory_limit.h"
#include "cli/aoi_options.h"
#include "cli/command.h"
#include "cli/export_options.h"
#include "cli/help.h"
#include "cli/html_option.h"
#include "cli/input_options.h"
#include "cli/messages.h"
#include "cli/output_options.h"
#include "cli/progress.h"
#include "job/suspects_job.h"
#include "reports/suspects_report.h"

struct suspects_values {
	struct lode_input_options input;
	struct lode_aoi_values aoi;
	/* what is measured */
	lode_text_list metrics;
	bool kernel_frames, pooled;
	/* what is slow */
	lode_text_list baseline, versus, thresholds;
	bool robust;
	/* ranking */
	int sort, correction;
	/* output */
	struct lode_top_value top;
	double min_increase; /* NAN: not given */
	const char *explain, *html;
	bool wants_histograms, wants_json, wants_detail, wants_folded;
	struct lode_export_values exports;
	char *const *inputs; /* the operands */
	size_t n_inputs;
	/* made of the above */
	struct lode_metric_spec spec;
	lode_threshold_rules rules;
	struct lode_arena arena;
};

/* Choices in the order of the enums that they stand for. */
static const char *const orders[] = {"increase",  "excess", "failure",	  "context", "ochiai",
				     "tarantula", "dstar",  "importance", "p",	     "mean",
				     "std",	  "time",   NULL};
static const char *const corrections[] = {"holm", "bh", "none", NULL};
static const char *const correction_names[] = {"Holm", "Benjamini-Hochberg", "uncorrected"};

/* Functions and contrasts of a page; functions that it can show in full. */
enum { PAGE_TOP = 2000, PAGE_DETAILS = 60, PAGE_CONTRASTS = 10 };

#define AT(field) .offset = offsetof(struct suspects_values, field)

static const struct lode_option options[] = {
	{.name = "metric",
	 .argument = "METRIC",
	 .help = "measure only this: a kind (syscall, block, offcpu ...), a glob of names "
		 "('syscall:*stat*'), or an own metric 'NAME=BEGIN_EVENT..END_EVENT[by FIELD]'; "
		 "may "
		 "be repeated (default: all that the recordings have events for)",
	 .set = lode_set_list,
	 AT(metrics),
	 .group = "What is measured"},
	{.name = "pooled",
	 .help = "all system calls are one metric, as in the paper's case studies: slow is slow, "
		 "whatever the call",
	 .set = lode_set_flag,
	 AT(pooled)},
	{.name = "kernel-frames",
	 .help = "keep the kernel's frames in stacks of system calls, and "
		 "the scheduler's in those of waits",
	 .set = lode_set_flag,
	 AT(kernel_frames)},

	{.name = "baseline",
	 .argument = "INPUT",
	 .help = "a healthy recording: its mean and σ of each metric say what is slow; may be "
		 "repeated",
	 .set = lode_set_list,
	 .file = LODE_FILE_READ,
	 AT(baseline),
	 .group = "What is slow"},
	{.name = "versus",
	 .argument = "INPUT",
	 .help = "fast recordings (or a folder of them): rank what the slow ones, the operands, do "
		 "more or longer; may be repeated",
	 .set = lode_set_list,
	 .file = LODE_FILE_READ,
	 AT(versus)},
	{.name = "thresholds",
	 .argument = "BOUNDS",
	 .help = "by hand, [METRICS=][PRUNE,]SUCCESS,FAILED: 20ms,50ms or 'block:*=0,5ms,20ms'; "
		 "up to PRUNE ignored, up to SUCCESS succeeded, above FAILED failed; may be "
		 "repeated, the last that matches counts (default: mean - 2σ, mean + σ, mean + 2σ)",
	 .set = lode_set_list,
	 AT(thresholds)},
	{.name = "robust",
	 .help = "median and 1.4826 MAD in place of mean and σ: a few extreme values move neither",
	 .set = lode_set_flag,
	 AT(robust)},

	LODE_SYMPTOM_OPTIONS(offsetof(struct suspects_values, aoi)),

	{.name = "sort",
	 .argument = "BY",
	 .help = "increase (default), excess (default with --versus), failure, context, ochiai, "
		 "tarantula, dstar, importance, p, mean, std or time",
	 .set = lode_set_choice,
	 .choices = orders,
	 AT(sort),
	 .group = "Ranking"},
	{.name = "correction",
	 .argument = "HOW",
	 .help = "how p-values are made to hold for many tests: holm (default), bh "
		 "(Benjamini-Hochberg) or none",
	 .set = lode_set_choice,
	 .choices = corrections,
	 AT(correction)},
	{.name = "top",
	 .letter = 'n',
	 .argument = "N|P%",
	 .help = "the first N functions, or that share of them (default 15%, but 10 to 25 in the "
		 "table and 50 in JSON; 0: all)",
	 .set = lode_set_top,
	 AT(top)},
	{.name = "min-increase",
	 .argument = "X",
	 .help = "only functions with at least this Increase",
	 .set = lode_set_ratio,
	 AT(min_increase)},

	{.name = "explain",
	 .argument = "FUNCTION",
	 .help = "one function (or module!function) in full: metrics with it and without, callers, "
		 "longest executions",
	 .set = lode_set_text,
	 AT(explain),
	 .group = "Output"},
	{.name = "histograms",
	 .help = "the latency histogram of each metric, thresholds drawn in",
	 .set = lode_set_flag,
	 AT(wants_histograms)},
	LODE_JSON_OPTION(offsetof(struct suspects_values, wants_json), "docs/json.md"),
	{.name = "detail",
	 .help = "JSON with what pages are drawn of: the first functions in full, as --explain "
		 "tells one",
	 .set = lode_set_flag,
	 AT(wants_detail)},
	LODE_HTML_OPTION(offsetof(struct suspects_values, html)),
	LODE_FORCE_OPTION,
	{.name = "folded",
	 .help = "stacks of the failed executions with their time, for flame graphs",
	 .set = lode_set_flag,
	 AT(wants_folded)},
	LODE_STACK_EXPORT_OPTIONS(offsetof(struct suspects_values, exports)),

	LODE_SPAN_OPTIONS(offsetof(struct suspects_values, input)),
	LODE_SYMBOL_OPTIONS(offsetof(struct suspects_values, input)),
	LODE_MACHINE_OPTIONS(offsetof(struct suspects_values, input)),
	LODE_OPTIONS_END,
};

static const struct lode_example examples[] = {
	{"Which functions go with the slow executions of a recording", "lode suspects perf.data"},
	{"System calls only, as one metric, and the whole list",
	 "lode suspects --metric syscall --pooled --top 0 perf.data"},
	{"What the slow runs do that the fast ones do not", "lode suspects slow/ --versus fast/"},
	{"A run of today, judged by a healthy one",
	 "lode suspects today.data --baseline good.data"},
	{"One of them in full", "lode suspects --explain fstatat perf.data"},
	{"Time that locks are waited for, per lock",
	 "lode suspects --metric 'lock=lock:contention_begin..lock:contention_end[by lock_addr]' "
	 "perf.data"},
	{"A flame graph of what is slow", "lode suspects --folded perf.data | flamegraph.pl"},
	{"Slow and other executions side by side in speedscope.app",
	 "lode suspects --speedscope slow.speedscope.json perf.data"},
	{NULL},
};

static void init(struct suspects_values *v)
{
	memset(v, 0, sizeof(*v));
	lode_input_options_init(&v->input);
	lode_aoi_values_init(&v->aoi);
	v->sort = LODE_UNSET;
	v->min_increase = NAN;
}

static void release(struct suspects_values *v)
{
	lode_aoi_values_release(&v->aoi);
	lode_vec_release(&v->metrics);
	lode_vec_release(&v->baseline);
	lode_vec_release(&v->versus);
	lode_vec_release(&v->thresholds);
	lode_vec_release(&v->rules);
	lode_metric_spec_release(&v->spec);
	lode_arena_release(&v->arena);
}

static int check(const struct lode_command *self, const struct suspects_values *v, int n_operands)
{
	bool versus = v->versus.n > 0;

	if (n_operands == 0)
		return lode_command_misused(self, "give recordings, or folders of recordings");
	if (versus && v->baseline.n)
		return lode_command_misused(self, "--versus and --baseline exclude each other");
	if (versus && (v->robust || v->thresholds.n))
		return lode_command_misused(
			self, "--versus compares sets: there are no thresholds to be set");
	if (v->sort == LODE_ORDER_EXCESS && !versus)
		return lode_command_misused(self, "--sort excess needs --versus");
	if (v->wants_json + v->wants_folded + v->wants_histograms > 1)
		return lode_command_misused(self,
					    "--json, --folded and --histograms exclude each other");
	if (v->wants_detail && (!v->wants_json || v->explain))
		return lode_command_misused(self, "--detail goes with --json, without --explain");
	if (v->html && (v->wants_json || v->wants_folded || v->wants_histograms || v->explain))
		return lode_command_misused(self, "--html stands alone, without --json, --folded, "
						  "--histograms, --explain");
	if (lode_export_check(self, &v->exports,
			      v->html || v->wants_json || v->wants_folded || v->wants_histograms ||
				      v->explain,
			      "--html, --json, --folded, --histograms, --explain") != 0)
		return LODE_EXIT_USAGE;
	if (v->html && lode_html_check(self) != LODE_EXIT_OK)
		return LODE_EXIT_FAILURE;
	if (v->explain && (v->wants_folded || v->wants_histograms))
		return lode_command_misused(self, "--explain goes with --json only");
	return 0;
}

/* Reads the texts of --metric and --thresholds. */
static int read_texts(const struct lode_command *self, struct suspects_values *v)
{
	struct lode_threshold_rule rule;
	struct lode_error err;

	for (size_t i = 0; i < v->metrics.n; i++) {
		if (lode_metric_spec_add(&v->spec, v->metrics.at[i], &err) < 0)
			return lode_command_misused(self, "%s", err.message);
	}
	for (size_t i = 0; i < v->thresholds.n; i++) {
		if (lode_threshold_rule_parse(&rule, v->thresholds.at[i], &v->arena, &err) < 0)
			return lode_command_misused(self, "%s", err.message);
		lode_vec_append(&v->rules, rule);
	}
	return 0;
}

/* ---- Reading ---- */

struct reading {
	const struct lode_command *self;
	const struct suspects_values *values;
	struct lode_progress progress;
	struct lode_execution_set *set;
	struct lode_suspects_job jobs[LODE_N_SIDES];
	uint32_t n_subject_streams;
};

static int read_side(struct reading *r, enum lode_side side, char *const *inputs, size_t n_inputs)
{
	const struct suspects_values *v = r->values;
	struct lode_suspects_job *job = &r->jobs[side];
	struct lode_suspects_job_options with = {
		.symbols = v->input.symbols,
		.narrow = lode_input_options_narrow(&v->input),
		.symptoms = lode_aoi_values_symptoms(&v->aoi),
		.metrics = v->metrics.n ? &v->spec : NULL,
		.kernel_frames = v->kernel_frames,
		.n_threads = v->input.n_threads,
		.memory_bytes = v->input.memory_bytes,
		.progress = lode_progress_read,
		.progress_context = &r->progress,
	};
	struct lode_error err;
	int rc;

	lode_progress_start(&r->progress);
	rc = lode_suspects_job_run(job, r->set, inputs, n_inputs, &with, &err);
	lode_progress_end(&r->progress);
	lode_say_inputs(r->self, "skipped: ", job->skipped.at, job->skipped.n);
	lode_say_incomplete(r->self, job->incomplete.at, job->incomplete.n);
	lode_say_other_files(r->self, job->n_other);
	return rc < 0 ? lode_say_error(r->self, &err) : LODE_EXIT_OK;
}

/* Nothing was measured: says why, as far as that is known. */
static int say_nothing(const struct lode_command *self, const struct lode_suspects_job *job,
		       const char *what)
{
	char text[2048];

	lode_say(self, "nothing to measure in %s", what);
	for (size_t i = 0; i < job->notes.n; i++)
		lode_say(self, "%s", lode_escape(text, sizeof(text), job->notes.at[i].text));
	lode_say(self, "lode info RECORDING says what a recording serves");
	return LODE_EXIT_NOTHING;
}

static int read_all(struct reading *r, char **inputs, size_t n_inputs)
{
	const struct suspects_values *v = r->values;
	const lode_text_list *other = v->versus.n ? &v->versus : &v->baseline;
	uint64_t n_subject;
	int code = read_side(r, LODE_SIDE_SUBJECT, inputs, n_inputs);

	r->n_subject_streams = (uint32_t)r->set->streams.n;
	n_subject = r->set->n;
	if (code != LODE_EXIT_OK)
		return code;
	if (n_subject == 0)
		return say_nothing(r->self, &r->jobs[LODE_SIDE_SUBJECT],
				   n_inputs == 1 ? "the input" : "the inputs");
	if (!other->n) {
		r->n_subject_streams = UINT32_MAX;
		return code;
	}
	code = read_side(r, LODE_SIDE_OTHER, (char *const *)other->at, other->n);
	if (code == LODE_EXIT_OK && r->set->n == n_subject)
		code = say_nothing(r->self, &r->jobs[LODE_SIDE_OTHER],
				   v->versus.n ? "what --versus names" : "what --baseline names");
	return code;
}

/* ---- Statistics and reports ---- */

static struct lode_suspects_options suspects_options(const struct reading *r)
{
	const struct suspects_values *v = r->values;
	int order = v->sort;

	if (order == LODE_UNSET)
		order = v->versus.n ? LODE_ORDER_EXCESS : LODE_ORDER_INCREASE;
	return (struct lode_suspects_options){
		.tally = {.n_subject_streams = r->n_subject_streams,
			  .pooled = v->pooled,
			  .source = v->baseline.n ? LODE_THRESHOLDS_OTHER : LODE_THRESHOLDS_SUBJECT,
			  .robust = v->robust,
			  .by_hand = v->rules.n ? &v->rules : NULL},
		.kind = v->versus.n ? LODE_EVIDENCE_SIDES : LODE_EVIDENCE_LABELS,
		.order = (enum lode_suspect_order)order,
		.correction = (enum lode_correction)v->correction,
	};
}

static const char *threshold_words(const struct suspects_values *v, char *buffer, size_t size)
{
	if (v->versus.n)
		snprintf(buffer, size, "none: sets are compared");
	else
		snprintf(buffer, size, "longer than %s of %s's executions of the metric%s",
			 v->robust ? "median + 2 · 1.4826 MAD" : "mean + 2σ",
			 v->baseline.n ? "the baseline" : "this run",
			 v->rules.n ? ", or than --thresholds" : "");
	return buffer;
}

static size_t share_of(double share, size_t n)
{
	return (size_t)ceil(share * (double)n - 1e-9);
}

static void set_cut(struct lode_suspects_report *report, const struct suspects_values *v, size_t n)
{
	const struct lode_top_value *top = &v->top;

	report->cut = share_of(top->share > 0 ? top->share : 0.15, n);
	report->list_top = 50;
	if (top->share > 0)
		report->top = report->cut;
	else if (top->is_given)
		report->top = report->list_top = top->n;
	else if (v->html)
		report->top = report->list_top = PAGE_TOP;
	else if (v->wants_json)
		report->top = 50;
	else
		report->top = report->cut < 10 ? 10 : report->cut > 25 ? 25 : report->cut;
	/* By Increase alone, all that reach it. */
	report->has_min_increase = !isnan(v->min_increase);
	report->min_increase = v->min_increase;
	if (report->has_min_increase && !top->is_given)
		report->top = 0;
}

static int explain(const struct reading *r, const struct lode_suspects_report *report)
{
	const struct lode_suspects *s = report->suspects;
	struct lode_explanation explanation;
	const struct lode_suspect *suspect;
	struct lode_error err;
	char name[600];
	size_t n_found;

	suspect = lode_suspects_find(s, r->values->explain, &n_found);
	if (!suspect)
		return lode_command_misused(r->self, "no function '%s': --top 0 lists all %zu",
					    lode_escape_fit(name, sizeof(name), r->values->explain,
							    80),
					    s->functions.n);
	if (n_found > 1)
		lode_say(r->self, "%zu modules have a function %s; MODULE!FUNCTION tells which",
			 n_found, lode_escape_fit(name, sizeof(name), r->values->explain, 80));
	if (lode_explain(&explanation, s, suspect, &err) < 0)
		return lode_say_error(r->self, &err);
	if (r->values->wants_json)
		lode_suspects_report_json(stdout, report, &explanation);
	else
		lode_suspects_report_function(stdout, report, &explanation);
	lode_explanation_release(&explanation);
	return LODE_EXIT_OK;
}

static void put_json(FILE *out, const void *report)
{
	lode_suspects_report_json(out, report, NULL);
}

/* Marks the suspect that is this frame, by its place in the ranking. */
static void want_frame(bool *is_wanted, const struct lode_suspects *s, uint32_t frame)
{
	for (size_t i = 0; i < s->functions.n; i++)
		if (s->ranked[i].function->frame == frame)
			is_wanted[i] = true;
}

/*
 * The functions that pages show in full: the first by rank, and both ends of the first contrasts,
 * wherever they rank. `*details` is the caller's, to be released also on failure.
 */
static int explain_first(struct lode_explanation **details, size_t *n_details,
			 const struct lode_suspects *s, struct lode_error *err)
{
	bool *is_wanted = lode_alloc0(s->functions.n + 1, sizeof(*is_wanted));
	int rc = 0;

	*n_details = 0;
	*details = lode_alloc0(s->functions.n + 1, sizeof(**details));
	for (size_t i = 0; i < s->functions.n && i < PAGE_DETAILS; i++)
		is_wanted[i] = true;
	for (size_t i = 0; i < s->contrasts.n && i < PAGE_CONTRASTS; i++) {
		want_frame(is_wanted, s, s->contrasts.at[i].leaf);
		if (s->contrasts.at[i].n_callers)
			want_frame(is_wanted, s, s->contrasts.at[i].callers[0]);
	}
	for (size_t i = 0; i < s->functions.n && rc == 0; i++) {
		if (!is_wanted[i])
			continue;
		rc = lode_explain(&(*details)[*n_details], s, &s->ranked[i], err);
		*n_details += rc == 0;
	}
	free(is_wanted);
	return rc;
}

static int report_in_detail(const struct reading *r, struct lode_suspects_report *report)
{
	const struct suspects_values *v = r->values;
	struct lode_explanation *details;
	struct lode_error err;
	int code = LODE_EXIT_OK;

	if (explain_first(&details, &report->n_details, report->suspects, &err) < 0)
		code = lode_say_error(r->self, &err);
	report->details = details;
	if (code == LODE_EXIT_OK && v->html)
		code = lode_html_put(r->self, v->html, "lode/suspects/1", v->inputs, v->n_inputs,
				     put_json, report);
	else if (code == LODE_EXIT_OK)
		lode_suspects_report_json(stdout, report, NULL);
	for (size_t i = 0; i < report->n_details; i++)
		lode_explanation_release(&details[i]);
	free(details);
	return code;
}

static int export(const struct reading *r, const struct lode_suspects *suspects)
{
	struct lode_export_stacks stacks;
	int code;

	lode_export_suspects(&stacks, suspects);
	code = lode_export_put_stacks(r->self, &r->values->exports, &stacks);
	lode_export_stacks_release(&stacks);
	return code;
}

static int report(const struct reading *r, const struct lode_suspects *suspects)
{
	const struct suspects_values *v = r->values;
	bool has_other = v->versus.n + v->baseline.n > 0;
	char words[160];
	struct lode_suspects_report report = {
		.suspects = suspects,
		.job = &r->jobs[LODE_SIDE_SUBJECT],
		.other_job = has_other ? &r->jobs[LODE_SIDE_OTHER] : NULL,
		.thresholds = threshold_words(v, words, sizeof(words)),
		.correction = correction_names[v->correction],
		.columns = lode_columns(stdout, 100),
		.is_terminal = lode_columns(stdout, 0) > 0,
	};

	set_cut(&report, v, suspects->functions.n);
	if (lode_export_is_asked(&v->exports))
		return export(r, suspects);
	if (v->explain)
		return explain(r, &report);
	if (v->html || v->wants_detail)
		return report_in_detail(r, &report);
	if (v->wants_json)
		lode_suspects_report_json(stdout, &report, NULL);
	else if (v->wants_folded)
		lode_suspects_report_folded(stdout, &report);
	else if (v->wants_histograms)
		lode_suspects_report_histograms(stdout, &report);
	else
		lode_suspects_report_table(stdout, &report);
	return LODE_EXIT_OK;
}

static bool is_incomplete(const struct reading *r)
{
	size_t n = 0;

	for (unsigned side = 0; side < LODE_N_SIDES; side++)
		n += r->jobs[side].skipped.n + r->jobs[side].incomplete.n;
	return n > 0;
}

/* Records of executions that stay in memory: beyond, they go to a temporary file. */
static size_t record_memory(const struct suspects_values *v)
{
	const size_t most = (size_t)256 << 20;
	size_t share = lode_memory_budget(v->input.memory_bytes) / 4;

	return share < most ? share : most;
}

static int run_suspects(const struct lode_command *self, const struct suspects_values *v,
			char **inputs, size_t n_inputs)
{
	struct reading r = {.self = self, .values = v};
	struct lode_suspects *suspects = NULL;
	struct lode_suspects_options with;
	struct lode_error err;
	int code;

	r.set = lode_execution_set_new(record_memory(v));
	code = read_all(&r, inputs, n_inputs);
	if (code == LODE_EXIT_OK) {
		with = suspects_options(&r);
		if (lode_suspects(&suspects, r.set, &with, &err) < 0)
			code = lode_say_error(self, &err);
		else
			code = report(&r, suspects);
	}
	if (code == LODE_EXIT_OK && is_incomplete(&r))
		code = LODE_EXIT_INCOMPLETE;
	lode_suspects_free(suspects);
	lode_execution_set_free(r.set);
	for (unsigned side = 0; side < LODE_N_SIDES; side++)
		lode_suspects_job_release(&r.jobs[side]);
	return code;
}

static int run(const struct lode_command *self, int argc, char **argv)
{
	struct suspects_values values;
	int n, code = LODE_EXIT_OK;

	init(&values);
	if (lode_command_start(self, &values, argc, argv, &n, &code)) {
		values.inputs = argv;
		values.n_inputs = (size_t)n;
		code = check(self, &values, n);
		if (code == 0)
			code = read_texts(self, &values);
		if (code == 0)
			code = run_suspects(self, &values, argv, (size_t)n);
	}
	release(&values);
	return code;
}

const struct lode_command lode_cmd_suspects = {
	.name = "suspects",
	.summary = "rank the functions that go with slow system calls, I/O, waits and interrupts",
	.usage = "[OPTION]... INPUT...",
	.description =
		"Reads perf recordings of kernel events with call stacks (lode record --syscalls, "
		"or "
		"any perf record of tracepoints with -g) and measures each system call, block "
		"request, "
		"interrupt and wait in them. Executions above mean + 2σ of their metric failed, "
		"those "
		"up to mean + σ succeeded. Functions are ranked by Increase: how much more often "
		"executions fail in which the function is the last one than those in which it "
		"occurs "
		"at all. Other scores, exact p-values that hold for all tests together, and the "
		"callers "
		"that part slow calls from fast ones stand beside it.\n\n"
		"Statistics say what goes together, not what causes what; docs/suspects.md says "
		"what "
		"each number can tell.",
	.options = options,
	.examples = examples,
	.run = run,
};
