/* The command line of lode analyze. */
#include <unistd.h>

#include "answers/analyze/command_pages.h"
#include "tool/terminal.h"
#include "tool/messages.h"
#include "tool/output_options.h"
#include "tool/repo_options.h"

/* A number as it was typed, since command lines are shown so. */
struct typed_number {
	const char *text; /* NULL: not given */
	unsigned n;
	size_t bytes;
};

struct analyze_values {
	const char *html, *repo, *signatures;
	struct typed_number threads, memory;
	bool wants_json;
};

static const char default_html[] = "lode-report.html";

#define AT(field) offsetof(struct analyze_values, field)

static int set_typed(const struct lode_option *option, void *field, const char *text,
		     struct lode_error *err)
{
	struct typed_number *typed = field;

	typed->text = text;
	return strcmp(option->name, "threads") == 0
		       ? lode_set_unsigned(option, &typed->n, text, err)
		       : lode_set_memory(option, &typed->bytes, text, err);
}

static const struct lode_option options[] = {
	LODE_REPO_OPTION(
		AT(repo),
		"also match recordings against the signatures of this repository (lode triage)",
		.group = "Known problems"),
	LODE_OPTION("signatures", "FILE", lode_set_text, AT(signatures),
		    "the same with a signature file", .letter = 's', .file = LODE_FILE_READ),
	LODE_OPTION("html", "FILE", lode_set_text, AT(html),
		    "write the report to FILE (default lode-report.html)", .letter = 'o',
		    .file = LODE_FILE_WRITTEN, .kind = LODE_KIND_PAGE,
		    .file_otherwise = default_html, .group = "Output"),
	LODE_FORCE_OPTION,
	LODE_FLAG("json", AT(wants_json),
		  "print the findings as one JSON document as well (docs/json.md)"),
	LODE_OPTION("threads", "N", set_typed, AT(threads), "use N threads (default: all CPUs)",
		    .letter = 'j', .group = "Machine"),
	LODE_OPTION("memory", "SIZE", set_typed, AT(memory),
		    "memory limit of each analysis (default: half of the memory available to this "
		    "process)"),
	LODE_OPTIONS_END,
};

static const struct lode_example examples[] = {
	{"All recordings of an incident in one page",
	 "lode analyze incident-4711/ -o incident-4711.html"},
	{"Also show which of its problems are known",
	 "lode analyze --signatures signatures.txt incident-4711/"},
	{"The same, interactive", "lode serve incident-4711/"},
	{NULL},
};

static int show_analyze(const struct lode_command *self, const struct analyze_values *v,
			const struct lode_analyze_answer *answer)
{
	const struct lode_text_page page = lode_stdout_page();
	struct lode_error err;

	if (lode_html_write(v->html, answer->parts, answer->n_parts, &err) < 0)
		return lode_say_error(self, &err);
	if (v->wants_json) {
		lode_document_put(stdout, &lode_analyze_document, answer, NULL);
	} else {
		lode_analyze_text(lode_paged_stdout(), answer, &page);
		printf("\n"
		       "Full report: %s (open it in a browser)\n",
		       v->html);
	}
	return LODE_EXIT_OK;
}

static int show_cut_short(const struct lode_pages *pages, const struct lode_analyze_answer *answer)
{
	return show_analyze(pages->self, pages->show_context, answer);
}

static int analyze_and_show(const struct lode_command *self, const struct analyze_values *v,
			    char *const *inputs, size_t n_inputs)
{
	struct lode_pages pages = {
		.self = self,
		.miner = &lode_cmd_mine,
		.says_starts = isatty(STDERR_FILENO),
		.output = v->html,
		.threads = v->threads.text,
		.memory = v->memory.text,
		.repo = v->repo,
		.signatures = v->signatures,
		.show_cut_short = show_cut_short,
		.show_context = v,
	};
	int code, shown = LODE_EXIT_OK;

	lode_input_options_init(&pages.machine);
	pages.machine.n_threads = v->threads.n;
	pages.machine.memory_bytes = v->memory.bytes;
	pages.mine.input = pages.machine;
	lode_aoi_values_init(&pages.mine.aoi);
	lode_mining_values_init(&pages.mine.mining);
	lode_aoi_values_settle(&pages.mine.aoi, false);
	lode_mining_values_settle(&pages.mine.mining);
	code = lode_pages_run(&pages, inputs, n_inputs);
	if (code <= LODE_EXIT_INCOMPLETE)
		shown = show_analyze(self, v, pages.answer);
	lode_pages_release(&pages);
	return shown ? shown : code;
}

static int run_analyze(const struct lode_command *self, int argc, char **argv)
{
	struct analyze_values values = {.html = default_html};
	int n, code = LODE_EXIT_OK;

	if (!lode_command_start(self, &values, argc, argv, &n, &code))
		return code;
	if (n == 0)
		return lode_command_misused(self, "give files or folders to analyse");
	if (values.repo && values.signatures)
		return lode_command_misused(self, "--repo and --signatures exclude each other");
	code = lode_html_check(self);
	return code ? code : analyze_and_show(self, &values, argv, (size_t)n);
}

const struct lode_command lode_cmd_analyze = {
	.name = "analyze",
	.summary = "run all applicable analyses on a folder and write one report",
	.usage = "[OPTION]... INPUT...",
	.description =
		"Searches folders for recordings, function traces, request logs and counters, runs "
		"the applicable analyses (mine, suspects, timeline, pio), and writes one HTML page "
		"with all reports and an overview of the findings. Files in one folder belong "
		"together: its recordings are mined as one set; its logs and counters describe one "
		"service. A model of lode pio train in the same folder is used; without one, lode "
		"trains on the same data. symbols.tsv and threads.tsv beside a function trace name "
		"its functions and threads.\n\n"
		"The report shows the command of each analysis: run it yourself to set more "
		"options.",
	.options = options,
	.examples = examples,
	.run = run_analyze,
};
