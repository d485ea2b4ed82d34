/* The command line of lode coverage. */
#include "answers/coverage/coverage.h"
#include "tool/reading_options.h"
#include "tool/terminal.h"
#include "tool/messages.h"
#include "tool/output_options.h"
#include "tool/repo_options.h"
#include "tool/signature_run.h"

struct coverage_values {
	struct lode_input_options input;
	struct lode_aoi_values aoi;
	struct lode_signature_values known;
	const char *where, *by;
	int rank;
	bool no_mining;
	size_t top;
	const char *html;
	bool wants_json;
};

/* In the order of enum lode_coverage_rank. */
static const char *const ranks[] = {"total", "exclusive", "streams", "name", NULL};

#define AT(field) offsetof(struct coverage_values, field)

static const struct lode_option options[] = {
	LODE_SIGNATURE_OPTIONS(AT(known), "use the signatures of this repository, and its "
					  "recordings unless INPUTs are given"),
	LODE_WHERE_OPTION(AT(where), "Recordings"),
	LODE_OPTION("by", "LABEL", lode_set_text, AT(by),
		    "compare coverage by the value of a label, such as release, or by day, host or "
		    "kernel",
		    .group = "Output", .is_aside = true),
	LODE_FLAG("no-mining", AT(no_mining),
		  "do not mine what no signature explains; of a repository, costs then come from "
		  "sums that it keeps: only what has changed is read"),
	LODE_OPTION("rank", "BY", lode_set_choice, AT(rank),
		    "total (default), exclusive, streams or name", .choices = ranks,
		    .is_aside = true),
	LODE_TOP_OPTION(AT(top), "(default 30 in the table, 50 in JSON; 0: all)"),
	LODE_JSON_OPTION(AT(wants_json), "docs/signatures.md"),
	LODE_HTML_OPTION(AT(html)),
	LODE_FORCE_OPTION,
	LODE_READING_OPTIONS(AT(aoi), AT(input)),
	LODE_OPTIONS_END,
};

static const struct lode_example examples[] = {
	{"How much of the waiting time is explained?", "lode coverage --repo perf.lode"},
	{"Does it improve from release to release?", "lode coverage --repo perf.lode --by release"},
	{"As a page", "lode coverage --repo perf.lode --by release --html coverage.html"},
	{"Of one release, day by day",
	 "lode coverage --repo perf.lode --where 'release=2.1' --by day"},
	{"Of a million recordings, every hour: costs alone, of which only what is new is worked "
	 "out",
	 "lode coverage --repo fleet.lode --no-mining --json"},
	{"Without a repository", "lode coverage --signatures signatures.txt recordings/"},
	{NULL},
};

static int coverage_command_check(const struct lode_command *self, void *values, size_t n_inputs)
{
	struct coverage_values *v = values;
	const char *misuse = lode_signature_values_settle(&v->known);

	if (misuse)
		return lode_command_misused(self, "%s", misuse);
	if (!v->known.repo && !n_inputs)
		return lode_command_misused(self, "give recordings, or --repo FILE");
	if (v->where && (!v->known.repo || n_inputs))
		return lode_command_misused(self, "--where selects recordings of --repo FILE and "
						  "cannot be combined with INPUTs");
	if (lode_aoi_values_check(self, &v->aoi) != LODE_EXIT_OK)
		return LODE_EXIT_USAGE;
	if (lode_html_options_check(self, v->html, v->wants_json, false) != LODE_EXIT_OK)
		return LODE_EXIT_USAGE;
	return v->html ? lode_html_check(self) : 0;
}

static int coverage_command_put(const struct lode_command *self, const struct coverage_values *v,
				const struct lode_coverage_answer *answer, char **inputs,
				size_t n_inputs)
{
	struct lode_text_page page = lode_stdout_page();

	if (v->html)
		return lode_html_put(self, v->html, &lode_coverage_document, answer, inputs,
				     n_inputs);
	if (v->wants_json)
		lode_document_put(stdout, &lode_coverage_document, answer, NULL);
	else
		lode_coverage_text(lode_paged_stdout(), answer, &page);
	return LODE_EXIT_OK;
}

static int coverage_command_answer(const struct lode_command *self, const void *values,
				   const struct lode_signature_sources *sources,
				   const struct lode_asked *asked, char **inputs, size_t n_inputs)
{
	const struct coverage_values *v = values;
	struct lode_progress progress;
	struct lode_coverage_request request = {
		.signatures = &sources->store.signatures,
		.streams = {.inputs = inputs,
			    .n_inputs = n_inputs,
			    .repo = n_inputs ? NULL : sources->repo,
			    .where = v->where,
			    .now_ns = lode_query_now_ns(),
			    .job = lode_reading_options(&v->input, &v->aoi, &progress)},
		.by = v->by,
		.rank = (enum lode_coverage_rank)v->rank,
		.no_mining = v->no_mining,
		.mining = {.min_similarity = 0.5, .n_threads = v->input.n_threads},
		.asked = asked,
		.top = lode_longest_list(v->top, v->html, v->wants_json, 30),
	};
	struct lode_coverage_answer *answer;
	struct lode_error err;
	int code;

	lode_progress_start(&progress);
	code = lode_coverage_run(&answer, &request, &err);
	lode_progress_end(&progress);
	lode_say_skipped(self, answer->read);
	if (code < 0)
		code = lode_say_error(self, &err);
	else
		code = lode_job_exit(answer->read,
				     coverage_command_put(self, v, answer, inputs, n_inputs));
	lode_coverage_free(answer);
	return code;
}

static int coverage_command_run(const struct lode_command *self, int argc, char **argv)
{
	static const struct lode_signature_run how = {
		.size = sizeof(struct coverage_values),
		.known_at = AT(known),
		.aoi_at = AT(aoi),
		.input_at = AT(input),
		.top_at = AT(top),
		.check = coverage_command_check,
		.next = &lode_cmd_triage,
		.run = coverage_command_answer,
	};
	struct coverage_values values;

	return lode_signature_run(&how, self, &values, argc, argv);
}

const struct lode_command lode_cmd_coverage = {
	.name = "coverage",
	.summary = "show how much of the waiting time signatures explain",
	.usage = "[OPTION]... {--repo FILE | --signatures FILE} [INPUT]...",
	.description =
		"Coverage is the cost of all events that any signature matches, as a share of "
		"symptom time. Each event counts once, even if several signatures match it. For "
		"each signature the report shows its total cost, its exclusive cost (matched by no "
		"other signature), and its worst symptom.\n\n"
		"Inputs are the recordings of the repository (all, or those that match --where), "
		"or the recordings and digests on the command line. --by compares releases, hosts "
		"or days: a growing share is a growing problem.\n\n"
		"Retired signatures do not count as coverage; they are listed if they match again.",
	.options = options,
	.examples = examples,
	.run = coverage_command_run,
};
