#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tool/command.h"
#include "tool/help.h"
#include "tool/html_option.h"
#include "tool/messages.h"
#include "tool/option_values.h"
#include "tool/output_options.h"
#include "answers/analyze/page_overview.h"
#include "answers/analyze/page_runs.h"
#include "tool/repo_options.h"

struct analyze_values {
	const char *html, *threads, *memory, *repo, *signatures;
	bool wants_json;
};

static const char default_html[] = "lode-report.html";

#define AT(field) offsetof(struct analyze_values, field)

/* Checked here, and handed on as it stands. */
static int set_machine(const struct lode_option *option, void *field, const char *text,
		       struct lode_error *err)
{
	lode_option_setter *check =
		strcmp(option->name, "threads") == 0 ? lode_set_unsigned : lode_set_memory;
	size_t ignored;
	int rc = check(option, &ignored, text, err);

	if (rc == 0)
		*(const char **)field = text;
	return rc;
}

static const struct lode_option options[] = {
	LODE_REPO_OPTION(
		AT(repo),
		"hold recordings against the signatures of this repository, too (lode triage)",
		.group = "What is known"),
	LODE_OPTION("signatures", "FILE", lode_set_text, AT(signatures),
		    "the same with a file of signatures", .letter = 's', .file = LODE_FILE_READ),
	LODE_OPTION("html", "FILE", lode_set_text, AT(html),
		    "where the report goes (default: lode-report.html)", .letter = 'o',
		    .file = LODE_FILE_WRITTEN, .kind = LODE_KIND_PAGE,
		    .file_otherwise = default_html, .group = "Output"),
	LODE_FORCE_OPTION,
	LODE_FLAG("json", AT(wants_json),
		  "what was found as one JSON document (docs/json.md), beside the report"),
	LODE_OPTION("threads", "N", set_machine, AT(threads), "use N threads (default: all CPUs)",
		    .letter = 'j', .group = "Machine"),
	LODE_OPTION("memory", "SIZE", set_machine, AT(memory),
		    "each analysis keeps to this much memory (default: half of what this process "
		    "may have)"),
	LODE_OPTIONS_END,
};

static const struct lode_example examples[] = {
	{"All that was recorded of an incident, in one page to mail",
	 "lode analyze incident-4711/ -o incident-4711.html"},
	{"And how much of it has a name already",
	 "lode analyze --signatures signatures.txt incident-4711/"},
	{"The same, served, with more to ask", "lode serve incident-4711/"},
	{NULL},
};

static void starts(void *context, const struct lode_page_runs *runs, size_t i)
{
	const struct lode_page_run *run = &runs->list.at[i];

	(void)context;
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "lode analyze: %zu of %zu: %s\n", i + 1, runs->list.n,
			run->analysis);
}

static int show_analyze(const struct lode_command *self, const struct analyze_values *v,
			struct lode_page_runs *runs, const struct lode_page_overview *overview)
{
	struct lode_error err;
	int code = lode_page_overview_exit(overview);

	if (code == LODE_EXIT_NOTHING || code == LODE_EXIT_FAILURE) {
		lode_say(self, "nothing here could be analysed");
		return code;
	}
	if (lode_html_write(v->html, runs->reports.parts.at, runs->reports.parts.n, &err) < 0)
		return lode_say_error(self, &err);
	if (v->wants_json) {
		lode_document_put(stdout, &lode_analyze_document, &overview->report, NULL);
	} else {
		lode_analyze_text(stdout, &overview->report);
		printf("\n%s has all of it: open it in a browser, or mail it\n", v->html);
	}
	return code;
}

static int run_all(const struct lode_command *self, const struct analyze_values *v, char **inputs,
		   size_t n_inputs)
{
	struct lode_survey survey = {.output = v->html};
	struct lode_page_runs runs = {
		.memory = v->memory, .repo = v->repo, .signatures = v->signatures};
	struct lode_page_overview overview = {0};
	struct lode_error err;
	int code;

	lode_survey(&survey, inputs, n_inputs);
	lode_page_runs_say_unread(self, &survey);
	if (lode_page_runs_plan(&runs, &survey, v->threads, false, &err) < 0 ||
	    lode_page_runs_do(&runs, starts, NULL, &err) < 0) {
		code = lode_say_error(self, &err);
	} else {
		lode_page_overview_make(&overview, &runs, &survey, inputs, n_inputs);
		code = show_analyze(self, v, &runs, &overview);
	}
	lode_page_overview_release(&overview);
	lode_page_runs_release(&runs);
	lode_survey_release(&survey);
	return code;
}

static int run_analyze(const struct lode_command *self, int argc, char **argv)
{
	struct analyze_values values = {.html = default_html};
	int n, code = LODE_EXIT_OK;

	if (!lode_command_start(self, &values, argc, argv, &n, &code))
		return code;
	if (n == 0)
		return lode_command_misused(self, "give folders or files of anything recorded");
	if (values.repo && values.signatures)
		return lode_command_misused(self, "signatures come from --repo or from "
						  "--signatures, not from both");
	code = lode_html_check(self);
	return code ? code : run_all(self, &values, argv, (size_t)n);
}

const struct lode_command lode_cmd_analyze = {
	.name = "analyze",
	.summary = "look at what is there, run what fits, write one report",
	.usage = "[OPTION]... INPUT...",
	.description =
		"Looks through folders for recordings, function traces, request logs and counters, "
		"runs what fits - mine, suspects, timeline, pio -, and writes one page that holds "
		"all "
		"their reports, with what they found on the first. Files of one folder belong "
		"together: its recordings are mined as one set, its logs and counters are one "
		"service. A model of lode pio train that lies beside them is used; without one, "
		"lode learns from the same time. symbols.tsv and threads.tsv beside a function "
		"trace name its functions and threads.\n\n"
		"Each analysis is the command that you would type, and the report shows it: run it "
		"by hand to set more.",
	.options = options,
	.examples = examples,
	.run = run_analyze,
};
