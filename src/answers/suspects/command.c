/* The command line of lode suspects. */
#include "answers/suspects/suspects.h"
#include "base/escape.h"
#include "tool/reading_options.h"
#include "tool/command.h"
#include "tool/terminal.h"
#include "tool/messages.h"
#include "tool/output_options.h"
#include "tool/page_commands.h"
#include "document/export/export_stacks.h"

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
	bool is_verbose, wants_histograms, wants_json, wants_detail, wants_folded;
	struct lode_export_values exports;
	struct lode_asked asked;
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
				     "std",	  "time",   "extra",	  NULL};
static const char *const corrections[] = {"holm", "bh", "none", NULL};

/* Functions and contrasts of a page. */
enum { PAGE_TOP = 2000 };

#define AT(field) offsetof(struct suspects_values, field)

static const struct lode_option options[] = {
	LODE_OPTION(
		"metric", "METRIC", lode_set_list, AT(metrics),
		"measure only this metric: a kind (syscall, block, offcpu ...), a glob of names "
		"('syscall:*stat*'), or your own definition 'NAME=BEGIN_EVENT..END_EVENT[by "
		"FIELD]'; may be repeated (default: all that the recordings have events for)",
		.group = "Metrics"),
	LODE_FLAG("pooled", AT(pooled),
		  "treat all system calls as one metric, as in the paper's case studies"),
	LODE_FLAG("kernel-frames", AT(kernel_frames),
		  "keep kernel frames in stacks of system calls, and scheduler frames in stacks of "
		  "waits"),

	LODE_OPTION("baseline", "INPUT", lode_set_list, AT(baseline),
		    "a healthy recording: take the thresholds of each metric from its mean and σ; "
		    "may be repeated",
		    .file = LODE_FILE_READ, .group = "Thresholds"),
	LODE_OPTION("versus", "INPUT", lode_set_list, AT(versus),
		    "fast recordings (or a folder of them) to compare with: rank what the slow "
		    "ones (INPUTs) do more often or for longer; may be repeated",
		    .file = LODE_FILE_READ),
	LODE_OPTION("thresholds", "BOUNDS", lode_set_list, AT(thresholds),
		    "set thresholds, [METRICS=][PRUNE,]SUCCESS,FAILED: 20ms,50ms or "
		    "'block:*=0,5ms,20ms'; up to PRUNE ignored, up to SUCCESS not slow, above "
		    "FAILED slow; may be repeated, the last match counts (default: mean - 2σ, mean "
		    "+ σ, mean + 2σ)"),
	LODE_FLAG("robust", AT(robust),
		  "use median and 1.4826 MAD instead of mean and σ: robust against a few extreme "
		  "values"),

	LODE_SYMPTOM_OPTIONS(AT(aoi)),

	LODE_OPTION(
		"sort", "BY", lode_set_choice, AT(sort),
		"extra (default: how much of the slow time, or of what slow recordings take "
		"longer, goes with it), increase (the paper's), excess (with --versus), failure, "
		"context, ochiai, tarantula, dstar, importance, p, mean, std or time",
		.choices = orders, .group = "Ranking"),
	LODE_OPTION("correction", "HOW", lode_set_choice, AT(correction),
		    "correction of p-values for multiple tests: holm (default), bh "
		    "(Benjamini-Hochberg) or none",
		    .choices = corrections),
	LODE_OPTION("top", "N|P%", lode_set_top, AT(top),
		    "maximum number or share of functions (default: those with q < 0.05, at most "
		    "25; with --verbose or --sort 15%, but 10 to 25; 50 in JSON; 0: all)",
		    .letter = 'n', .is_aside = true),
	LODE_OPTION("min-increase", "X", lode_set_ratio, AT(min_increase),
		    "only functions with at least this Increase"),

	LODE_OPTION("explain", "FUNCTION", lode_set_text, AT(explain),
		    "show one function (or module!function) in full: metrics with and without it, "
		    "callers, longest executions",
		    .group = "Output", .is_aside = true),
	LODE_FLAG("verbose", AT(is_verbose),
		  "also show functions that are not significant, and all scores", .letter = 'v',
		  .is_aside = true),
	LODE_FLAG("histograms", AT(wants_histograms),
		  "show the latency histogram of each metric, with its thresholds",
		  .is_aside = true),
	LODE_JSON_OPTION(AT(wants_json), "docs/json.md"),
	LODE_FLAG("detail", AT(wants_detail),
		  "with --json: include the data that pages draw: the first functions in full, as "
		  "with --explain",
		  .is_aside = true),
	LODE_HTML_OPTION(AT(html)),
	LODE_FORCE_OPTION,
	LODE_FLAG("folded", AT(wants_folded),
		  "print folded stacks of slow executions with their duration, for flame graphs",
		  .is_aside = true),
	LODE_STACK_EXPORT_OPTIONS(AT(exports)),

	LODE_SPAN_OPTIONS(AT(input)),
	LODE_SYMBOL_OPTIONS(AT(input)),
	LODE_MACHINE_OPTIONS(AT(input)),
	LODE_OPTIONS_END,
};

static const struct lode_example examples[] = {
	{"Which functions are associated with slow calls?", "lode suspects perf.data"},
	{"System calls only, as one metric; list all functions",
	 "lode suspects --metric syscall --pooled --top 0 perf.data"},
	{"What do slow runs do that fast ones do not?", "lode suspects slow/ --versus fast/"},
	{"Compare with thresholds from a healthy run",
	 "lode suspects today.data --baseline good.data"},
	{"One function in full", "lode suspects --explain fstatat perf.data"},
	{"Lock wait time, per lock",
	 "lode suspects --metric 'lock=lock:contention_begin..lock:contention_end[by lock_addr]' "
	 "perf.data"},
	{"A flame graph of slow calls", "lode suspects --folded perf.data | flamegraph.pl"},
	{"Slow and other calls side by side in speedscope.app",
	 "lode suspects --speedscope slow.speedscope.json perf.data"},
	{NULL},
};

static void init_values(struct suspects_values *v)
{
	memset(v, 0, sizeof(*v));
	lode_input_options_init(&v->input);
	lode_aoi_values_init(&v->aoi);
	v->sort = LODE_UNSET;
	v->min_increase = NAN;
}

static void release_values(struct suspects_values *v)
{
	lode_asked_release(&v->asked);
	lode_aoi_values_release(&v->aoi);
	lode_vec_release(&v->metrics);
	lode_vec_release(&v->baseline);
	lode_vec_release(&v->versus);
	lode_vec_release(&v->thresholds);
	lode_vec_release(&v->rules);
	lode_metric_spec_release(&v->spec);
	lode_arena_release(&v->arena);
}

static int check_values(const struct lode_command *self, const struct suspects_values *v,
			int n_operands)
{
	bool versus = v->versus.n > 0;

	if (n_operands == 0)
		return lode_command_misused(self, "give recordings, or folders of recordings");
	if (versus && v->baseline.n)
		return lode_command_misused(self, "--versus and --baseline exclude each other");
	if (versus && (v->robust || v->thresholds.n))
		return lode_command_misused(self, "--versus uses no thresholds: it cannot be "
						  "combined with --thresholds, --robust");
	if (v->sort == LODE_ORDER_EXCESS && !versus)
		return lode_command_misused(self, "--sort excess requires --versus");
	if (v->wants_json + v->wants_folded + v->wants_histograms > 1)
		return lode_command_misused(self,
					    "--json, --folded and --histograms exclude each other");
	if (v->wants_detail && (!v->wants_json || v->explain))
		return lode_command_misused(
			self, "--detail requires --json and cannot be combined with --explain");
	if (v->html && (v->wants_json || v->wants_folded || v->wants_histograms || v->explain))
		return lode_command_misused(self,
					    "--html cannot be combined with --json, --folded, "
					    "--histograms, --explain");
	if (lode_export_check(self, &v->exports,
			      v->html || v->wants_json || v->wants_folded || v->wants_histograms ||
				      v->explain,
			      "--html, --json, --folded, --histograms, --explain") != 0)
		return LODE_EXIT_USAGE;
	if (v->html && lode_html_check(self) != LODE_EXIT_OK)
		return LODE_EXIT_FAILURE;
	if (v->explain && (v->wants_folded || v->wants_histograms))
		return lode_command_misused(self, "--explain can only be combined with --json");
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

/* Fills in how much is shown. */
static void set_lengths(struct lode_suspects_request *request, const struct suspects_values *v)
{
	const struct lode_top_value *top = &v->top;

	request->cut_share = top->share > 0 ? top->share : 0.15;
	request->list_top = 50;
	request->length = top->share > 0 ? LODE_SUSPECTS_CUT : LODE_SUSPECTS_FIRST;
	if (top->share <= 0 && top->is_given)
		request->top = request->list_top = top->n;
	else if (v->html)
		request->top = request->list_top = PAGE_TOP;
	else if (v->wants_json)
		request->top = 50;
	else if (!top->is_given)
		request->length = v->is_verbose || v->sort != LODE_UNSET ? LODE_SUSPECTS_TABLE
									 : LODE_SUSPECTS_SURE;
	/* By Increase alone, all that reach it. */
	request->min_increase = v->min_increase;
	if (!isnan(v->min_increase) && !top->is_given) {
		request->length = LODE_SUSPECTS_FIRST;
		request->top = 0;
	}
}

static struct lode_suspects_request suspects_request_of(const struct suspects_values *v,
							struct lode_progress *progress)
{
	const lode_text_list *other = v->versus.n ? &v->versus : &v->baseline;
	int order = v->sort;
	struct lode_suspects_request request = {
		.inputs = {v->inputs, (char *const *)other->at},
		.n_inputs = {v->n_inputs, other->n},
		.is_versus = v->versus.n > 0,
		.reading = {.symbols = v->input.symbols,
			    .narrow = lode_input_options_narrow(&v->input),
			    .symptoms = lode_aoi_values_symptoms(&v->aoi),
			    .metrics = v->metrics.n ? &v->spec : NULL,
			    .kernel_frames = v->kernel_frames,
			    .n_threads = v->input.n_threads,
			    .memory_bytes = v->input.memory_bytes,
			    .progress = lode_progress_read,
			    .progress_context = progress},
		.pooled = v->pooled,
		.robust = v->robust,
		.by_hand = v->rules.n ? &v->rules : NULL,
		.correction = (enum lode_correction)v->correction,
		.explain = v->explain,
		.wants_details = v->html || v->wants_detail,
		.asked = v->asked.command ? &v->asked : NULL,
	};

	if (order == LODE_UNSET)
		order = LODE_ORDER_EXTRA;
	request.order = (enum lode_suspect_order)order;
	set_lengths(&request, v);
	return request;
}

/* Nothing was measured: says why, as far as that is known. */
static int say_nothing(const struct lode_command *self, const struct lode_suspects_answer *answer)
{
	const struct lode_suspects_job *job = &answer->nothing_in->job;
	char text[2048];

	lode_say(self, "nothing to measure in %s", answer->nothing_in_words);
	for (size_t i = 0; i < job->notes.n; i++)
		lode_say(self, "%s", lode_escape(text, sizeof(text), job->notes.at[i].text));
	lode_say(self, "lode info RECORDING shows which analyses it supports");
	return LODE_EXIT_NOTHING;
}

static int put_explained(const struct lode_command *self, const struct suspects_values *v,
			 const struct lode_suspects_answer *answer,
			 const struct lode_text_page *page)
{
	char name[600];

	lode_escape_fit(name, sizeof(name), v->explain, 80);
	if (!answer->explained)
		return lode_command_misused(self, "unknown function '%s'; --top 0 lists all %zu",
					    name, answer->n_functions);
	if (answer->n_found > 1)
		lode_say(self, "%zu modules have a function %s; give MODULE!FUNCTION",
			 answer->n_found, name);
	if (v->wants_json)
		lode_document_put(stdout, &lode_suspects_document, answer, NULL);
	else
		lode_suspects_explained_text(lode_paged_stdout(), answer, page);
	return LODE_EXIT_OK;
}

static int put_suspects(const struct lode_command *self, const struct suspects_values *v,
			const struct lode_suspects_answer *answer)
{
	const struct lode_text_page page = lode_stdout_page();
	struct lode_export_stacks stacks;
	int code = LODE_EXIT_OK;

	if (lode_export_is_asked(&v->exports)) {
		lode_suspects_export(&stacks, answer);
		code = lode_export_put_stacks(self, &v->exports, &stacks);
		lode_export_stacks_release(&stacks);
	} else if (v->explain) {
		code = put_explained(self, v, answer, &page);
	} else if (v->html) {
		code = lode_html_put(self, v->html, &lode_suspects_document, answer, v->inputs,
				     v->n_inputs);
	} else if (v->wants_json) {
		lode_document_put(stdout, &lode_suspects_document, answer, NULL);
	} else if (v->wants_folded) {
		lode_suspects_folded(stdout, answer);
	} else if (v->wants_histograms) {
		lode_suspects_histograms(lode_paged_stdout(), answer, &page);
	} else {
		lode_suspects_text(lode_paged_stdout(), answer, &page);
	}
	return code;
}

struct lode_suspects_request lode_suspects_page_request(const struct lode_input_options *machine,
							struct lode_progress *progress)
{
	struct suspects_values v;

	init_values(&v);
	v.input = *machine;
	v.html = "";
	return suspects_request_of(&v, progress);
}

int lode_suspects_say(const struct lode_command *self, const struct lode_suspects_answer *answer,
		      int rc, const struct lode_error *err, struct lode_said *said)
{
	for (unsigned side = 0; side < LODE_N_SIDES; side++) {
		const struct lode_suspects_job *job = &answer->sides[side].job;

		lode_say_inputs_once(self, "skipped", job->skipped.at, job->skipped.n, said);
		lode_say_inputs_once(self, "incomplete", job->incomplete.at, job->incomplete.n,
				     said);
		lode_say_other_files(self, job->n_other);
	}
	if (rc < 0)
		return lode_say_error(self, err);
	if (answer->nothing_in)
		return say_nothing(self, answer);
	return answer->n_skipped + answer->n_incomplete ? LODE_EXIT_INCOMPLETE : LODE_EXIT_OK;
}

static int answer_suspects(const struct lode_command *self, const struct suspects_values *v)
{
	struct lode_progress progress;
	const struct lode_suspects_request request = suspects_request_of(v, &progress);
	struct lode_suspects_answer *answer;
	struct lode_error err;
	int code, put = LODE_EXIT_OK, rc;

	lode_progress_start(&progress);
	rc = lode_suspects_run(&answer, &request, &err);
	lode_progress_end(&progress);
	code = lode_suspects_say(self, answer, rc, &err, NULL);
	if (rc >= 0 && !answer->nothing_in)
		put = put_suspects(self, v, answer);
	lode_suspects_answer_free(answer);
	return put ? put : code;
}

static int run_suspects(const struct lode_command *self, int argc, char **argv)
{
	struct suspects_values values;
	int n, code = LODE_EXIT_OK;

	init_values(&values);
	if (lode_command_start(self, &values, argc, argv, &n, &code)) {
		values.inputs = argv;
		values.n_inputs = (size_t)n;
		lode_asked_make(&values.asked, self, argc, argv, n, NULL);
		code = check_values(self, &values, n);
		if (code == 0)
			code = read_texts(self, &values);
		if (code == 0)
			code = answer_suspects(self, &values);
	}
	release_values(&values);
	return code;
}

const struct lode_command lode_cmd_suspects = {
	.name = "suspects",
	.summary = "rank functions linked to slow calls, I/O, waits and interrupts",
	.usage = "[OPTION]... INPUT...",
	.description =
		"Reads perf recordings of kernel events with call stacks (lode record --syscalls, "
		"or any perf record of tracepoints with -g) and measures each system call, block "
		"request, interrupt and wait. Calls above mean + 2σ of their metric are slow "
		"(failed executions, in the paper), those up to mean + σ are not (succeeded). "
		"Functions are ranked by how much of the time of slow calls goes with them, "
		"significant ones first. The paper's Increase and other scores (-v, --sort), "
		"exact p-values corrected for all tests, and the callers that separate slow calls "
		"from fast ones are listed as well.\n\n"
		"Correlation does not imply causation; docs/suspects.md explains each number.",
	.options = options,
	.examples = examples,
	.run = run_suspects,
};
