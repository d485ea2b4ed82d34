#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/glob.h"
#include "cli/command.h"
#include "cli/export_options.h"
#include "cli/help.h"
#include "cli/html_option.h"
#include "cli/input_options.h"
#include "cli/messages.h"
#include "cli/output_options.h"
#include "cli/progress.h"
#include "cli/timeline_output.h"
#include "job/timeline_job.h"
#include "reports/export_trace.h"
#include "reports/timeline_report.h"

struct timeline_values {
	struct lode_regtime_options regtime;
	struct lode_time_span window;
	const char *symbols, *thread_names;
	const char *at, *function, *thread;
	const char *index, *symptoms_out, *html;
	const char *input;
	struct lode_input_options shared; /* symbols and the machine */
	size_t top;
	bool wants_json, is_full, is_page, is_whole_only;
	struct lode_export_values exports;
};

/* A share of the thread's time, or a time. */
static int set_threshold(const struct lode_option *option, void *field, const char *text,
			 struct lode_error *err)
{
	struct lode_regtime_threshold *threshold = field;
	double share;
	int64_t ns;
	size_t n = strlen(text);

	if (n && text[n - 1] == '%' && lode_set_percent(option, &share, text, err) == 0) {
		*threshold = LODE_REGTIME_SHARE(share);
		return 0;
	}
	if (!lode_duration_parse(&ns, text))
		return lode_fail(err, LODE_ERR_ARG, NULL, -1,
				 "--%s: '%.40s' is no share such as 1%% and no time such as 20ms",
				 option->name, text);
	*threshold = LODE_REGTIME_TIME(ns);
	return 0;
}

#define AT(field) .offset = offsetof(struct timeline_values, field)

static const struct lode_option options[] = {
	{.name = "at",
	 .argument = "THREAD:TIME",
	 .help = "what a thread did at a moment, and what the others did meanwhile; THREAD is a "
		 "tid "
		 "or a name, TIME is +1.5s from the trace's start or ns on its clock",
	 .set = lode_set_text,
	 AT(at),
	 .group = "Questions"},
	{.name = "function",
	 .letter = 'f',
	 .argument = "NAME",
	 .help = "one function: which threads call it, when, and its long calls",
	 .set = lode_set_text,
	 AT(function)},
	{.name = "thread",
	 .argument = "THREAD",
	 .help = "only this thread, with its timeline in order of time",
	 .set = lode_set_text,
	 AT(thread)},
	{.name = "window",
	 .argument = "FROM,TO",
	 .help = "only this span, compressed as if it were all: ns, or +1.5s from the trace's "
		 "start; "
		 "either end may be empty",
	 .set = lode_set_span,
	 AT(window)},

	{.name = "long-call",
	 .argument = "T",
	 .help = "calls longer than this stay as they are: a share of their thread's time, or a "
		 "time (default 1%; CallDurationThresh)",
	 .set = set_threshold,
	 AT(regtime.long_call),
	 .group = "Compression"},
	{.name = "gap",
	 .argument = "T",
	 .help = "time without a call that is longer than this is shown (default 0.1%; "
		 "CallGapThresh)",
	 .set = set_threshold,
	 AT(regtime.gap)},
	{.name = "expression",
	 .argument = "T",
	 .help = "longest expression (default 13%; TotalTimeFractionThresh)",
	 .set = set_threshold,
	 AT(regtime.expression)},
	{.name = "negligible",
	 .argument = "T",
	 .help = "fold functions with less time than this (default 1%; 0: nothing is folded)",
	 .set = set_threshold,
	 AT(regtime.negligible)},
	{.name = "classic",
	 .help = "the thesis to the letter: no borders at other threads' outliers, no gaps, no "
		 "folding",
	 .set = lode_set_flag,
	 AT(regtime.is_classic)},

	{.name = "index",
	 .argument = "FILE",
	 .help = "write an index (FILE.lodet): give it in place of the trace, and no question "
		 "reads the trace again",
	 .set = lode_set_text,
	 .file = LODE_FILE_WRITTEN,
	 .kind = LODE_KIND_INDEX,
	 AT(index),
	 .group = "Output"},
	{.name = "symptoms-out",
	 .argument = "FILE",
	 .help = "write the long calls (with --function: its own) as symptoms for 'lode mine "
		 "--symptoms'",
	 .set = lode_set_text,
	 .file = LODE_FILE_WRITTEN,
	 .kind = LODE_KIND_SYMPTOMS,
	 AT(symptoms_out)},
	LODE_HTML_OPTION(offsetof(struct timeline_values, html)),
	{.name = "whole-only",
	 .help = "with --html: without windows to zoom into and what everybody did meanwhile, "
		 "which lode serve works out when it is asked",
	 .set = lode_set_flag,
	 AT(is_whole_only)},
	LODE_TRACE_EXPORT_OPTION(offsetof(struct timeline_values, exports),
				 "the calls, of --window and --thread, for Perfetto, instead of "
				 "text; '-' is standard output (docs/exports.md)"),
	LODE_FORCE_OPTION,
	LODE_JSON_OPTION(offsetof(struct timeline_values, wants_json), "docs/json.md"),
	{.name = "full",
	 .help = "with --json: the timelines themselves, for programs and pages that draw them",
	 .set = lode_set_flag,
	 AT(is_full)},
	{.name = "page",
	 .help = "with --json: the compact document that the page draws; with --window "
		 "what it draws of that window",
	 .set = lode_set_flag,
	 AT(is_page)},
	LODE_TOP_OPTION(offsetof(struct timeline_values, top),
			"(default 20 on the page, 50 in JSON; 0: no bound)"),

	{.name = "symbols",
	 .argument = "FILE",
	 .help = "for XRay: the program, or a table of function ids and names",
	 .set = lode_set_text,
	 .file = LODE_FILE_READ,
	 AT(symbols),
	 .group = "Names"},
	{.name = "thread-names",
	 .argument = "FILE",
	 .help = "a table 'tid <tab> name', for traces without names of threads",
	 .set = lode_set_text,
	 .file = LODE_FILE_READ,
	 AT(thread_names)},

	LODE_SYMBOL_OPTIONS(offsetof(struct timeline_values, shared)),
	LODE_MACHINE_OPTIONS(offsetof(struct timeline_values, shared)),
	LODE_OPTIONS_END,
};

static const struct lode_example examples[] = {
	{"Fifty million calls on one screen",
	 "lode timeline --symbols ./program xray-log.program.Jk2P7x"},
	{"Read it once, then ask as often as you like",
	 "lode timeline --index run.lodet trace.json && lode timeline -f read_page run.lodet"},
	{"What did thread 7 do 1.5 s into the run, and what did the others do meanwhile?",
	 "lode timeline --at 7:+1.5s run.lodet"},
	{"The second around it, compressed anew", "lode timeline --window +1s,+2s run.lodet"},
	{"One thread's timeline", "lode timeline --thread 7 uftrace.data"},
	{"A moment's single calls in ui.perfetto.dev",
	 "lode timeline --window +1.5s,+1.6s --chrome-trace calls.json run.lodet"},
	{"Which call patterns made those calls long?",
	 "lode timeline --symptoms-out slow.tsv perf.data && lode mine --symptoms slow.tsv "
	 "perf.data"},
	{NULL},
};

/* ---- What the options name ---- */

static bool is_thread(const struct lode_call_trace *trace, size_t i, const char *word)
{
	char *end;
	long tid = strtol(word, &end, 10);

	if (end > word && !*end)
		return trace->threads.at[i]->tid == tid;
	return strcmp(lode_call_thread_name(trace, trace->threads.at[i]), word) == 0;
}

static int find_thread(const struct lode_command *self, const struct lode_call_trace *trace,
		       const char *word, size_t *found)
{
	size_t n = 0;

	for (size_t i = trace->threads.n; i-- > 0;)
		if (is_thread(trace, i, word)) {
			*found = i;
			n++;
		}
	if (n == 1)
		return 0;
	if (n)
		return lode_command_misused(self, "%zu threads are '%.60s': give a tid", n, word);
	return lode_command_misused(self, "the trace has no thread '%.60s'", word);
}

static bool parse_time(const struct lode_call_trace *trace, const char *text, int64_t *t_ns)
{
	bool is_offset = *text == '+';

	if (!lode_duration_parse(t_ns, text + is_offset))
		return false;
	if (is_offset)
		*t_ns += trace->first_ns;
	return true;
}

/* A function by its name, or by a glob that only one fits. */
static int find_function(const struct lode_command *self, const struct lode_call_trace *trace,
			 const char *word, uint32_t *found)
{
	char label[4096], full[4096];
	size_t n_equal = 0, n_like = 0;
	uint32_t equal = 0, like = 0;

	for (uint32_t f = 0; f < trace->functions.frames.n; f++) {
		if (!trace->spreads.at[f].n)
			continue;
		lode_frame_label(&trace->functions, f, label, sizeof(label));
		lode_frame_full_name(&trace->functions, f, full, sizeof(full));
		if (strcmp(label, word) == 0 || strcmp(full, word) == 0) {
			n_equal++;
			equal = f;
		} else if (lode_glob_match(word, label) || lode_glob_match(word, full)) {
			n_like++;
			like = f;
		}
	}
	*found = n_equal ? equal : like;
	if (n_equal == 1 || (!n_equal && n_like == 1))
		return 0;
	if (!n_equal && !n_like)
		return lode_command_misused(self, "no function '%.200s' is called in the trace",
					    word);
	return lode_command_misused(self,
				    "%zu functions are '%.200s': give one of them as module!name",
				    n_equal ? n_equal : n_like, word);
}

static int set_window(const struct lode_command *self, struct timeline_values *v,
		      const struct lode_call_trace *trace)
{
	const struct lode_time_span *w = &v->window;
	int64_t from = w->from_ns, to = w->to_ns;

	if (from == INT64_MIN && to == INT64_MAX)
		return 0;
	from = from == INT64_MIN ? trace->first_ns
				 : from + (w->is_from_offset ? trace->first_ns : 0);
	to = to == INT64_MAX ? trace->last_ns + 1 : to + (w->is_to_offset ? trace->first_ns : 0);
	if (from >= to)
		return lode_command_misused(self, "--window: it ends before it begins");
	v->regtime.t0_ns = from;
	v->regtime.t1_ns = to;
	return 0;
}

/* ---- Answers ---- */

struct answering {
	const struct lode_command *self;
	const struct timeline_values *v;
	struct lode_timeline_job *job;
	struct lode_timeline_report *report;
};

static int answer_moment(const struct answering *a, size_t thread, int64_t t_ns)
{
	struct lode_meanwhile meanwhile = {0};
	struct lode_moment moment;
	struct lode_error err;
	int rc = lode_moment_find(&moment, a->job->regtime, thread, t_ns, &err);

	if (rc == LODE_OK)
		rc = lode_meanwhile_make(&meanwhile, a->job->trace, NULL,
					 a->job->trace->threads.at[thread]->clock, moment.t0_ns,
					 moment.t1_ns, a->job->n_threads, &err);
	if (rc == LODE_OK && a->v->wants_json)
		lode_timeline_json(stdout, a->report, &moment, &meanwhile, NULL);
	else if (rc == LODE_OK)
		lode_timeline_moment_text(stdout, a->report, &moment, &meanwhile);
	lode_meanwhile_release(&meanwhile);
	lode_moment_release(&moment);
	return rc < 0 ? lode_say_error(a->self, &err) : LODE_EXIT_OK;
}

static int compare_uses(const void *x, const void *y)
{
	const struct lode_timeline_use *a = x, *b = y;

	if (a->use.total_ns != b->use.total_ns)
		return a->use.total_ns > b->use.total_ns ? -1 : 1;
	return (a->thread > b->thread) - (a->thread < b->thread);
}

static int find_uses(struct lode_timeline_function *f, const struct answering *a,
		     struct lode_error *err)
{
	struct lode_call_trace *trace = a->job->trace;
	int rc = LODE_OK;

	for (size_t i = 0; i < trace->threads.n && rc == LODE_OK; i++) {
		struct lode_timeline_use use = {.thread = i};

		rc = lode_function_use(&use.use, trace, trace->threads.at[i], f->function, err);
		if (rc < 0 || !use.use.n_calls)
			continue;
		use.bins_ns = lode_alloc0(f->n_bins, sizeof(*use.bins_ns));
		lode_vec_append(&f->uses, use);
		rc = lode_function_over_time(use.bins_ns, f->n_bins, trace, trace->threads.at[i],
					     f->function, trace->first_ns, trace->last_ns, err);
	}
	if (f->uses.n)
		qsort(f->uses.at, f->uses.n, sizeof(*f->uses.at), compare_uses);
	return rc;
}

static int answer_function(const struct answering *a, uint32_t function)
{
	struct lode_timeline_function f = {.function = function, .n_bins = 32};
	const struct lode_outliers *outliers = &a->job->outliers;
	struct lode_meanwhile meanwhile = {0};
	struct lode_error err;
	int rc = find_uses(&f, a, &err);

	for (size_t i = 0; i < outliers->groups.n; i++)
		if (outliers->groups.at[i].function == function)
			f.group = &outliers->groups.at[i];
	if (rc == LODE_OK && f.group) {
		const struct lode_outlier *longest = &outliers->at.at[f.group->first];

		rc = lode_meanwhile_make(&meanwhile, a->job->trace, NULL,
					 a->job->trace->threads.at[longest->thread]->clock,
					 longest->start_ns,
					 longest->start_ns + longest->duration_ns,
					 a->job->n_threads, &err);
		f.meanwhile = &meanwhile;
	}
	if (rc == LODE_OK && a->v->wants_json)
		lode_timeline_json(stdout, a->report, NULL, NULL, &f);
	else if (rc == LODE_OK)
		lode_timeline_function_text(stdout, a->report, &f);
	for (size_t i = 0; i < f.uses.n; i++)
		free(f.uses.at[i].bins_ns);
	lode_vec_release(&f.uses);
	lode_meanwhile_release(&meanwhile);
	return rc < 0 ? lode_say_error(a->self, &err) : LODE_EXIT_OK;
}

/* The thread and time of --at; false: it was said what is wrong. */
static int parse_at(const struct answering *a, size_t *thread, int64_t *t_ns)
{
	const char *colon = strrchr(a->v->at, ':');
	char word[256];

	if (!colon || colon == a->v->at || colon - a->v->at >= (ptrdiff_t)sizeof(word) ||
	    !parse_time(a->job->trace, colon + 1, t_ns))
		return lode_command_misused(a->self, "--at: give THREAD:TIME, such as 4711:+1.5s");
	memcpy(word, a->v->at, (size_t)(colon - a->v->at));
	word[colon - a->v->at] = 0;
	return find_thread(a->self, a->job->trace, word, thread);
}

static int answer(const struct answering *a)
{
	uint32_t function = LODE_NONE;
	struct lode_error err;
	size_t thread = 0;
	int64_t t_ns = 0;
	int code = LODE_EXIT_OK;

	if (a->v->function)
		code = find_function(a->self, a->job->trace, a->v->function, &function);
	if (code == LODE_EXIT_OK && a->v->at)
		code = parse_at(a, &thread, &t_ns);
	if (code == LODE_EXIT_OK && a->v->symptoms_out &&
	    lode_timeline_symptoms(a->v->symptoms_out, a->job, function, &err) < 0)
		code = lode_say_error(a->self, &err);
	if (code != LODE_EXIT_OK)
		return code;
	if (a->v->html)
		return lode_timeline_put_html(a->self, a->report, a->v->html, a->v->input,
					      a->v->is_whole_only);
	if (a->v->is_page)
		return lode_timeline_put_page(a->self, a->report);
	if (a->v->at)
		return answer_moment(a, thread, t_ns);
	if (a->v->function)
		return answer_function(a, function);
	if (a->v->wants_json)
		lode_timeline_json(stdout, a->report, NULL, NULL, NULL);
	else
		lode_timeline_text(stdout, a->report);
	return LODE_EXIT_OK;
}

static int report(const struct lode_command *self, const struct timeline_values *v,
		  struct lode_timeline_job *job, const struct lode_call_thread *only)
{
	struct lode_meanwhile leaves;
	struct lode_timeline_report with = {
		.job = job,
		.options = &v->regtime,
		.only = only,
		.leaves = &leaves,
		.top = v->top ? v->top : SIZE_MAX,
		.columns = lode_columns(stdout, 100),
		.is_terminal = lode_columns(stdout, 0) > 0,
		.is_full = v->is_full,
	};
	struct answering answering = {self, v, job, &with};
	struct lode_error err;
	int code;

	if (lode_timeline_job_leaves(&leaves, job, &err) < 0)
		return lode_say_error(self, &err);
	code = answer(&answering);
	lode_meanwhile_release(&leaves);
	return code;
}

static int export(const struct lode_command *self, const struct timeline_values *v,
		  const struct lode_timeline_job *job, const struct lode_call_thread *only)
{
	bool has_window = v->regtime.t0_ns < v->regtime.t1_ns;
	struct lode_export_calls calls = {
		.trace = job->trace,
		.only = only,
		.t0_ns = has_window ? v->regtime.t0_ns : job->trace->first_ns,
		.t1_ns = has_window ? v->regtime.t1_ns : job->trace->last_ns + 1,
	};

	return lode_export_put_file(self, v->exports.chrome_trace, lode_export_calls, &calls);
}

static int run_job(const struct lode_command *self, struct timeline_values *v, const char *path)
{
	struct lode_progress progress;
	struct lode_timeline_job_options with = {
		.reading = {.symbols = v->symbols,
			    .thread_names = v->thread_names,
			    .symbol_options = v->shared.symbols,
			    .progress = lode_progress_part,
			    .progress_context = &progress},
		.index = v->index,
		.n_threads = v->shared.n_threads,
		.memory_bytes = v->shared.memory_bytes,
	};
	const struct lode_call_thread *only = NULL;
	struct lode_timeline_job job;
	struct lode_error err;
	size_t thread = 0;
	char *incomplete;
	int rc, code;

	lode_progress_start(&progress);
	rc = lode_timeline_job_read(&job, path, &with, &err);
	lode_progress_end(&progress);
	if (rc < 0)
		return lode_say_error(self, &err);
	code = set_window(self, v, job.trace);
	if (code == LODE_EXIT_OK && v->thread) {
		code = find_thread(self, job.trace, v->thread, &thread);
		if (code == LODE_EXIT_OK)
			only = job.trace->threads.at[thread];
		/* With a question beside it, the others' timelines may be asked for. */
		if (!v->at && !v->function && !v->symptoms_out)
			v->regtime.only = only;
	}
	if (code == LODE_EXIT_OK && v->exports.chrome_trace)
		code = export(self, v, &job, only);
	else if (code == LODE_EXIT_OK && v->is_page && v->regtime.t0_ns < v->regtime.t1_ns)
		code = lode_timeline_put_window(self, &job, &v->regtime, only);
	else if (code == LODE_EXIT_OK && lode_timeline_job_compress(&job, &v->regtime, &err) < 0)
		code = lode_say_error(self, &err);
	else if (code == LODE_EXIT_OK)
		code = report(self, v, &job, only);
	incomplete = lode_timeline_incomplete(job.trace);
	if (code == LODE_EXIT_OK && incomplete) {
		struct lode_skipped_input input = {.path = (char *)path, .reason = incomplete};

		lode_say_incomplete(self, &input, 1);
		code = LODE_EXIT_INCOMPLETE;
	}
	free(incomplete);
	lode_timeline_job_release(&job);
	return code;
}

static int run(const struct lode_command *self, int argc, char **argv)
{
	struct timeline_values values = {
		.regtime = lode_regtime_defaults(),
		.window = {.from_ns = INT64_MIN, .to_ns = INT64_MAX},
		.top = SIZE_MAX,
	};
	int n, code;

	lode_input_options_init(&values.shared);
	if (!lode_command_start(self, &values, argc, argv, &n, &code))
		return code;
	if (n != 1)
		return lode_command_misused(self, "give one trace, or one index of a trace");
	if (values.at && values.function)
		return lode_command_misused(self, "--at and --function are two questions: ask one");
	if (values.is_full && !values.wants_json)
		return lode_command_misused(self, "--full is for --json");
	if (values.is_page && (!values.wants_json || values.at || values.function))
		return lode_command_misused(self, "--page is for --json, and answers no question");
	if (values.is_whole_only && !values.html)
		return lode_command_misused(self, "--whole-only is for --html");
	if (values.html && (values.wants_json || values.at || values.function || values.thread ||
			    values.window.from_ns != INT64_MIN || values.window.to_ns != INT64_MAX))
		return lode_command_misused(self, "--html shows the whole trace: it stands alone, "
						  "without --json, --window or a question");
	if (values.exports.chrome_trace && (values.html || values.wants_json || values.at ||
					    values.function || values.symptoms_out))
		return lode_command_misused(self, "--chrome-trace goes without --html, --json, "
						  "--symptoms-out or a question");
	if (values.html && lode_html_check(self) != LODE_EXIT_OK)
		return LODE_EXIT_FAILURE;
	values.input = argv[0];
	if (values.top == SIZE_MAX)
		values.top = values.wants_json ? 50 : 20;
	return run_job(self, &values, argv[0]);
}

const struct lode_command lode_cmd_timeline = {
	.name = "timeline",
	.summary = "a function trace on one screen, its outliers intact",
	.usage = "[OPTION]... TRACE",
	.description =
		"Reads entries and exits of functions (XRay, uftrace, Chrome trace events, "
		"ftrace's "
		"function_graph, text; waits and system calls of perf recordings) and compresses "
		"each thread's calls with RegTime: long calls stay as they are, the regular rest "
		"becomes expressions, calls merged by their stacks, a thousand- to "
		"thirty-thousand-fold. No time and no call is lost in that: sums over what is "
		"shown are those over the calls, to the nanosecond.\n\n"
		"Then it lists the outliers: the long calls, by function, with how long that "
		"function's calls usually take; and answers what a thread did at a moment, and "
		"what "
		"all others did meanwhile.",
	.options = options,
	.examples = examples,
	.run = run,
};
