/* The command line of lode timeline. */
#include <errno.h>
#include <unistd.h>

#include "answers/timeline/page.h"
#include "answers/timeline/timeline.h"
#include "base/private_file.h"
#include "input/format.h"
#include "tool/command.h"
#include "tool/terminal.h"
#include "tool/reading_options.h"
#include "tool/messages.h"
#include "tool/output_options.h"
#include "tool/page_commands.h"
#include "document/export/export_trace.h"

struct timeline_values {
	struct lode_regtime_options regtime;
	struct lode_time_span window;
	const char *symbols, *thread_names;
	const char *at, *function, *during, *thread, *versus;
	const char *index, *symptoms_out, *html;
	const char *input;
	struct lode_input_options shared; /* symbols and the machine */
	size_t top;
	bool wants_functions, wants_json, is_full, is_page, is_whole_only, with_details;
	struct lode_export_values exports;
	struct lode_readers readers;
	struct lode_asked asked;
};

/* A share of the thread's time, or a time. */
static int set_regtime_threshold(const struct lode_option *option, void *field, const char *text,
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
		return lode_fail(
			err, LODE_ERR_ARG, NULL, -1,
			"--%s: '%.40s' is neither a share such as 1%% nor a time such as 20ms",
			option->name, text);
	*threshold = LODE_REGTIME_TIME(ns);
	return 0;
}

#define AT(field) offsetof(struct timeline_values, field)

static const struct lode_option options[] = {
	LODE_OPTION("at", "THREAD:TIME", lode_set_text, AT(at),
		    "show what a thread did at a point in time, and what the others did meanwhile; "
		    "THREAD is a tid or a name, TIME is relative to the start (+1.5s) or ns on the "
		    "trace's clock",
		    .group = "Questions", .is_aside = true),
	LODE_OPTION("function", "NAME", lode_set_text, AT(function),
		    "show one function: which threads call it, when, and its long calls",
		    .letter = 'f', .is_aside = true),
	LODE_OPTION("during", "THREAD:FUNCTION", lode_set_text, AT(during),
		    "compare what the other threads (or --thread) do while a thread is in a "
		    "function, or idle (THREAD:idle), with what they do otherwise",
		    .is_aside = true),
	LODE_FLAG("functions", AT(wants_functions),
		  "show a profile: calls, self and total time of each function, of --window and "
		  "--thread if given",
		  .is_aside = true),
	LODE_OPTION("versus", "TRACE", lode_set_text, AT(versus),
		    "with --functions: compare the functions with those of another trace",
		    .file = LODE_FILE_READ, .is_aside = true),
	LODE_OPTION("thread", "THREAD", lode_set_text, AT(thread),
		    "show only this thread, with its timeline in order of time"),
	LODE_OPTION("window", "FROM,TO", lode_set_span, AT(window),
		    "show only this time range, compressed on its own: ns, or relative to the "
		    "start (+1.5s); either end may be empty"),

	LODE_OPTION("long-call", "T", set_regtime_threshold, AT(regtime.long_call),
		    "keep calls longer than this uncompressed: a share of their thread's time, or "
		    "a duration (default 1%; CallDurationThresh)",
		    .group = "Compression"),
	LODE_OPTION(
		"gap", "T", set_regtime_threshold, AT(regtime.gap),
		"show gaps without a call that are longer than this (default 0.1%; CallGapThresh)"),
	LODE_OPTION("expression", "T", set_regtime_threshold, AT(regtime.expression),
		    "maximum duration of merged calls, an expression in the thesis (default 13%; "
		    "TotalTimeFractionThresh)"),
	LODE_OPTION("negligible", "T", set_regtime_threshold, AT(regtime.negligible),
		    "fold functions with less time than this (default 1%; 0: nothing is folded)"),
	LODE_FLAG("classic", AT(regtime.is_classic),
		  "exactly as in the thesis: do not split merged calls at outliers of other "
		  "threads; no gaps, no folding"),

	LODE_OPTION("index", "FILE", lode_set_text, AT(index),
		    "write an index (FILE.lodet) to use in place of the trace: further queries "
		    "then start at once",
		    .file = LODE_FILE_WRITTEN, .kind = LODE_KIND_INDEX, .group = "Output"),
	LODE_GROUP_OPTION(AT(readers), "the index"),
	LODE_OPTION("symptoms-out", "FILE", lode_set_text, AT(symptoms_out),
		    "write the long calls (with --function: those of the function) as symptoms for "
		    "'lode mine --symptoms'",
		    .file = LODE_FILE_WRITTEN, .kind = LODE_KIND_SYMPTOMS),
	LODE_HTML_OPTION(AT(html)),
	LODE_FLAG("whole-only", AT(is_whole_only),
		  "with --html: omit zoom windows and the activity of other threads, which lode "
		  "serve computes on demand",
		  .is_aside = true),
	LODE_TRACE_EXPORT_OPTION(AT(exports),
				 "write the calls (within --window and --thread) for Perfetto "
				 "instead of text; '-' is standard output (docs/exports.md)"),
	LODE_FORCE_OPTION,
	LODE_JSON_OPTION(AT(wants_json), "docs/json.md"),
	LODE_FLAG("full", AT(is_full), "with --json: include the timelines themselves",
		  .is_aside = true),
	LODE_FLAG("page", AT(is_page),
		  "with --json: print the compact document for pages; with --window only for that "
		  "window",
		  .is_aside = true),
	LODE_TOP_OPTION(AT(top), "(default 20 on the page, 50 in JSON; 0: all)"),

	LODE_OPTION("symbols", "FILE", lode_set_text, AT(symbols),
		    "for XRay: the traced program, or a table of function ids and names",
		    .file = LODE_FILE_READ, .group = "Names"),
	LODE_OPTION("thread-names", "FILE", lode_set_text, AT(thread_names),
		    "a table 'tid <tab> name', for traces without thread names",
		    .file = LODE_FILE_READ),
	LODE_FLAG("details", AT(with_details),
		  "for Chrome trace events: add args.detail to names, as in 'Source stdio.h' of "
		  "clang -ftime-trace"),

	LODE_SYMBOL_OPTIONS(AT(shared)),
	LODE_MACHINE_OPTIONS(AT(shared)),
	LODE_OPTIONS_END,
};

static const struct lode_example examples[] = {
	{"An overview of fifty million calls",
	 "lode timeline --symbols ./program xray-log.program.Jk2P7x"},
	{"Index a trace once, then query it at once",
	 "lode timeline --index run.lodet trace.json && lode timeline -f read_page run.lodet"},
	{"What did thread 7 and all others do at 1.5 s?", "lode timeline --at 7:+1.5s run.lodet"},
	{"Which functions take the time, and who calls one of them?",
	 "lode timeline --functions run.lodet && lode timeline -f read_page run.lodet"},
	{"Which functions take longer than in another run?",
	 "lode timeline --functions slow.json --versus fast.json"},
	{"What does thread 17 do while thread 21 is idle, and is it more than otherwise?",
	 "lode timeline --during 21:idle --thread 17 run.lodet"},
	{"One second in more detail", "lode timeline --window +1s,+2s run.lodet"},
	{"One thread's timeline", "lode timeline --thread 7 uftrace.data"},
	{"Single calls of a time range in ui.perfetto.dev",
	 "lode timeline --window +1.5s,+1.6s --chrome-trace calls.json run.lodet"},
	{"Which call patterns made the long calls long?",
	 "lode timeline --symptoms-out slow.tsv perf.data && lode mine --symptoms slow.tsv "
	 "perf.data"},
	{NULL},
};

static void put_timeline_json(FILE *out, const struct lode_timeline_answer *answer, bool is_page)
{
	if (answer->window)
		lode_timeline_window_json(out, answer->window, answer->options.t0_ns,
					  answer->options.t1_ns);
	else if (is_page)
		lode_timeline_page_json(out, answer);
	else
		lode_timeline_json(out, answer);
	if (is_page)
		putc('\n', out);
}

static int put_page(const struct lode_command *self, const struct timeline_values *v,
		    struct lode_timeline_answer *answer)
{
	struct lode_html_part *parts = NULL;
	struct lode_stopwatch watch;
	struct lode_error err;
	size_t n = 0;
	int rc;

	lode_stopwatch_start(&watch, "making the page");
	rc = lode_timeline_add_views(answer, v->is_whole_only, &err);
	if (rc == LODE_OK) {
		n = lode_timeline_html_parts(&parts, answer, v->input, v->is_whole_only);
		rc = lode_html_write(v->html, parts, n, &err);
	}
	lode_stopwatch_end(&watch);
	for (size_t i = 0; i < n; i++)
		lode_html_part_release(&parts[i]);
	free(parts);
	return rc < 0 ? lode_say_error(self, &err) : LODE_EXIT_OK;
}

static int put_calls(const struct lode_command *self, const struct timeline_values *v,
		     const struct lode_timeline_answer *answer)
{
	const struct lode_call_trace *trace = answer->job.trace;
	bool has_window = lode_timeline_has_window(answer);
	struct lode_export_calls calls = {
		.trace = answer->job.trace,
		.only = answer->only,
		.t0_ns = has_window ? answer->options.t0_ns : trace->first_ns,
		.t1_ns = has_window ? answer->options.t1_ns : trace->last_ns + 1,
	};

	return lode_export_put_file(self, v->exports.chrome_trace, lode_export_calls, &calls);
}

static int put_timeline(const struct lode_command *self, const struct timeline_values *v,
			struct lode_timeline_answer *answer)
{
	const struct lode_text_page page = lode_stdout_page();
	struct lode_error err;

	if (v->exports.chrome_trace)
		return put_calls(self, v, answer);
	if (v->html)
		return put_page(self, v, answer);
	if (v->is_page && !answer->window && lode_timeline_add_views(answer, false, &err) < 0)
		return lode_say_error(self, &err);
	if (v->wants_json)
		put_timeline_json(stdout, answer, v->is_page);
	else
		lode_timeline_text(lode_paged_stdout(), answer, &page);
	return LODE_EXIT_OK;
}

static struct lode_timeline_request timeline_request_of(const struct timeline_values *v,
							struct lode_progress *progress)
{
	size_t top = v->top != SIZE_MAX ? v->top : v->wants_json ? 50 : 20;

	return (struct lode_timeline_request){
		.input = v->input,
		.reading = {.reading = {.symbols = v->symbols,
					.thread_names = v->thread_names,
					.with_details = v->with_details,
					.symbol_options = v->shared.symbols,
					.progress = lode_progress_part,
					.progress_context = progress},
			    .index = v->index,
			    .n_threads = v->shared.n_threads,
			    .memory_bytes = v->shared.memory_bytes},
		.regtime = v->regtime,
		.window = v->window,
		.stage = v->exports.chrome_trace ? LODE_TIMELINE_CALLS
			 : v->is_page		 ? LODE_TIMELINE_WINDOW
						 : LODE_TIMELINE_ALL,
		.at = v->at,
		.function = v->function,
		.during = v->during,
		.wants_functions = v->wants_functions,
		.versus = v->versus,
		.thread = v->thread,
		.symptoms = v->symptoms_out,
		.top = top ? top : SIZE_MAX,
		.is_full = v->is_full,
		.is_for_page = v->html || v->is_page,
		.asked = v->asked.command ? &v->asked : NULL,
	};
}

static void init_timeline(struct timeline_values *v)
{
	*v = (struct timeline_values){
		.regtime = lode_regtime_defaults(),
		.window = {.from_ns = INT64_MIN, .to_ns = INT64_MAX},
		.top = SIZE_MAX,
	};
	lode_input_options_init(&v->shared);
}

struct lode_timeline_request lode_timeline_page_request(const struct lode_input_options *machine,
							struct lode_progress *progress)
{
	struct timeline_values v;

	init_timeline(&v);
	v.shared = *machine;
	v.html = "";
	return timeline_request_of(&v, progress);
}

int lode_timeline_say(const struct lode_command *self, const char *input,
		      const struct lode_timeline_answer *answer, int rc,
		      const struct lode_error *err)
{
	const struct lode_skipped_input cut = {.path = input, .reason = answer->incomplete};

	if (rc < 0)
		return answer->is_misuse ? lode_command_misused(self, "%s", err->message)
					 : lode_say_error(self, err);
	lode_say_incomplete(self, &cut, answer->incomplete != NULL);
	return answer->incomplete ? LODE_EXIT_INCOMPLETE : LODE_EXIT_OK;
}

static int answer_timeline(const struct lode_command *self, const struct timeline_values *v)
{
	struct lode_progress progress;
	const struct lode_timeline_request request = timeline_request_of(v, &progress);
	struct lode_timeline_answer *answer;
	struct lode_error err;
	int code, put = LODE_EXIT_OK, rc;

	lode_progress_start(&progress);
	rc = lode_timeline_run(&answer, &request, &err);
	lode_progress_end(&progress);
	code = lode_timeline_say(self, v->input, answer, rc, &err);
	if (rc >= 0)
		put = put_timeline(self, v, answer);
	if (rc >= 0 && v->index && lode_private_share(v->index, &v->readers, &err) < 0)
		put = lode_say_error(self, &err);
	lode_timeline_free(answer);
	return put ? put : code;
}

#define QUESTIONS "--at, --function, --during, --functions"

static int check_timeline(const struct lode_command *self, const struct timeline_values *v)
{
	int n_questions = !!v->at + !!v->function + !!v->during + v->wants_functions;
	bool has_window = v->window.from_ns != INT64_MIN || v->window.to_ns != INT64_MAX;

	if (n_questions > 1)
		return lode_command_misused(self, "give only one of " QUESTIONS);
	if (v->versus && (!v->wants_functions || v->thread || has_window))
		return lode_command_misused(self, "--versus compares the functions of two whole "
						  "traces: give it with --functions, without "
						  "--thread and --window");
	if (v->is_full && !v->wants_json)
		return lode_command_misused(self, "--full requires --json");
	if (v->is_page && (!v->wants_json || n_questions))
		return lode_command_misused(
			self, "--page requires --json and cannot be combined with " QUESTIONS);
	if (v->is_whole_only && !v->html)
		return lode_command_misused(self, "--whole-only requires --html");
	if (v->html && (v->wants_json || n_questions || v->thread || has_window))
		return lode_command_misused(self,
					    "--html shows the whole trace: it cannot be combined "
					    "with --json, --window, --thread, " QUESTIONS);
	if (v->exports.chrome_trace && (v->html || v->wants_json || n_questions || v->symptoms_out))
		return lode_command_misused(self, "--chrome-trace cannot be combined with --html, "
						  "--json, --symptoms-out, " QUESTIONS);
	return LODE_EXIT_OK;
}

static bool is_missing(const struct lode_command *self, const char *path)
{
	struct lode_error err;

	if (!path || strcmp(path, "-") == 0 || access(path, F_OK) == 0 || errno != ENOENT)
		return false;
	(void)lode_fail(&err, LODE_ERR_IO, path, -1, "%s", strerror(errno));
	(void)lode_say_error(self, &err);
	return true;
}

static int run_timeline(const struct lode_command *self, int argc, char **argv)
{
	struct timeline_values values;
	int n, code;

	init_timeline(&values);
	if (!lode_command_start(self, &values, argc, argv, &n, &code))
		return code;
	if (n != 1)
		return lode_command_misused(self, "give one trace or index");
	code = check_timeline(self, &values);
	if (code != LODE_EXIT_OK)
		return code;
	if (values.html && lode_html_check(self) != LODE_EXIT_OK)
		return LODE_EXIT_FAILURE;
	values.input = argv[0];
	if (is_missing(self, values.input) || is_missing(self, values.versus))
		return LODE_EXIT_NOTHING;
	lode_asked_make(&values.asked, self, argc, argv, n, NULL);
	code = answer_timeline(self, &values);
	lode_asked_release(&values.asked);
	return code;
}

const struct lode_command lode_cmd_timeline = {
	.name = "timeline",
	.summary = "compress a function trace into an overview that keeps its outliers",
	.usage = "[OPTION]... TRACE",
	.description = "Reads function entries and exits (from perf recordings: waits and system "
		       "calls) and compresses the calls of each thread with RegTime: long calls "
		       "are kept as they are; the regular rest is merged by call stack, by a "
		       "factor of 1,000 to 30,000. Nothing is lost: sums over the output equal "
		       "those over all calls, to the nanosecond.\n\n"
		       "Lists the outliers (long calls) by function, with the usual duration of "
		       "that function, and shows what each thread did at any point in time (--at).",
	.reads = LODE_HOLDS_CALLS,
	.options = options,
	.examples = examples,
	.run = run_timeline,
};
