/* The command line of lode triage. */
#include "answers/triage/triage.h"
#include "tool/reading_options.h"
#include "tool/terminal.h"
#include "tool/messages.h"
#include "tool/output_options.h"
#include "tool/page_commands.h"
#include "tool/signature_run.h"
#include "store/digest_file.h"

struct triage_values {
	struct lode_input_options input;
	struct lode_aoi_values aoi;
	struct lode_signature_values known;
	struct lode_cost_value fail_over, min_cost;
	const char *rest, *html;
	size_t top;
	bool no_mining, wants_json, wants_detail;
};

#define AT(field) offsetof(struct triage_values, field)

static const struct lode_option options[] = {
	LODE_SIGNATURE_OPTIONS(AT(known), "the repository with the signatures; its name statistics "
					  "also improve the clustering of the rest"),
	LODE_OPTION("fail-over", "COST", lode_set_cost, AT(fail_over),
		    "exit with code 5 if more than this is unexplained in any recording: 10s, or a "
		    "share of its symptom time, 20%; time matched only by retired signatures "
		    "counts as unexplained",
		    .group = "CI and cron jobs"),
	LODE_OPTION(
		"rest", "FILE", lode_set_text, AT(rest),
		"write the rest (not matched by any signature) to a digest, for `lode mine FILE`",
		.file = LODE_FILE_WRITTEN, .kind = LODE_KIND_DIGEST, .group = "Rest"),
	LODE_OPTION("min-cost", "COST", lode_set_cost, AT(min_cost),
		    "minimum cost λ of a pattern in the rest: 1s, or a share of symptom time "
		    "(default 1%)"),
	LODE_FLAG("no-mining", AT(no_mining), "do not mine the rest"),
	LODE_TOP_OPTION(AT(top), "(default 12 in the tables, 50 in JSON; 0: all)",
			.group = "Output"),
	LODE_JSON_OPTION(AT(wants_json), "docs/signatures.md"),
	LODE_DETAIL_OPTION(AT(wants_detail)),
	LODE_HTML_OPTION(AT(html)),
	LODE_FORCE_OPTION,
	LODE_READING_OPTIONS(AT(aoi), AT(input)),
	LODE_OPTIONS_END,
};

static const struct lode_example examples[] = {
	{"How much of these new recordings is known?", "lode triage --repo perf.lode new/*.data"},
	{"As a page", "lode triage --repo perf.lode --html today.html new/"},
	{"In CI, without a repository: fail if ten seconds of a run are unexplained",
	 "lode triage --signatures signatures.txt --fail-over 10s run.data"},
	{"Sign the costliest new problem", "lode triage -R perf.lode --json new/ >t.json "
					   "&& lode sign -R perf.lode --from t.json -c 1 "
					   "--name x"},
	{"Analyse the rest in more detail",
	 "lode triage --repo perf.lode --rest rest.digest new/ && lode mine rest.digest"},
	{NULL},
};

static int triage_command_check(const struct lode_command *self, void *values, size_t n_inputs)
{
	struct triage_values *v = values;
	const char *misuse;

	if (!n_inputs)
		return lode_command_misused(self, "give recordings, or folders of recordings");
	misuse = lode_signature_values_settle(&v->known);
	if (misuse)
		return lode_command_misused(self, "%s", misuse);
	if (lode_aoi_values_check(self, &v->aoi) != LODE_EXIT_OK)
		return LODE_EXIT_USAGE;
	if (lode_html_options_check(self, v->html, v->wants_json, v->wants_detail) != LODE_EXIT_OK)
		return LODE_EXIT_USAGE;
	return v->html ? lode_html_check(self) : 0;
}

static int triage_command_put(const struct lode_command *self, const struct triage_values *v,
			      const struct lode_triage_answer *answer, char **inputs,
			      size_t n_inputs)
{
	struct lode_text_page page = lode_stdout_page();
	struct lode_error err;
	int code = LODE_EXIT_OK;

	if (v->rest &&
	    lode_digest_save(v->rest, answer->read->digest, &answer->read->origin, NULL, &err) < 0)
		return lode_say_error(self, &err);
	if (v->html)
		code = lode_html_put(self, v->html, &lode_triage_document, answer, inputs,
				     n_inputs);
	else if (v->wants_json)
		lode_document_put(stdout, &lode_triage_document, answer, NULL);
	else
		lode_triage_text(lode_paged_stdout(), answer, v->rest != NULL, &page);
	if (code == LODE_EXIT_OK && answer->n_over > 0)
		return LODE_EXIT_EXCEEDED;
	return code;
}

static struct lode_triage_request triage_request_of(const struct triage_values *v,
						    const struct lode_signature_sources *sources,
						    struct lode_progress *progress)
{
	return (struct lode_triage_request){
		.signatures = &sources->store.signatures,
		.streams = {.repo = v->no_mining ? NULL : sources->repo,
			    .now_ns = lode_query_now_ns(),
			    .job = lode_reading_options(&v->input, &v->aoi, progress)},
		.mining = {.min_cost = v->min_cost.amount,
			   .min_cost_share = v->min_cost.share,
			   .min_similarity = LODE_CUT_BY_DATA,
			   .n_threads = v->input.n_threads,
			   .progress = lode_progress_stage,
			   .progress_context = progress},
		.no_mining = v->no_mining,
		.limit = v->fail_over.amount,
		.limit_share = v->fail_over.share,
		.top = lode_longest_list(v->top, v->html, v->wants_json, 12),
		.top_inside = v->html ? LODE_PAGE_TOP_INSIDE : 0,
		.wants_rows = v->html || v->wants_json,
		.wants_detail = v->html || v->wants_detail,
	};
}

int lode_triage_say(const struct lode_command *self, const struct lode_triage_answer *answer,
		    int rc, const struct lode_error *err, struct lode_said *said)
{
	lode_say_skipped_once(self, answer->read, said);
	return rc < 0 ? lode_say_error(self, err) : lode_job_exit(answer->read, LODE_EXIT_OK);
}

static int triage_command_answer(const struct lode_command *self, const void *values,
				 const struct lode_signature_sources *sources,
				 const struct lode_asked *asked, char **inputs, size_t n_inputs)
{
	const struct triage_values *v = values;
	struct lode_progress progress;
	struct lode_triage_request request = triage_request_of(v, sources, &progress);
	struct lode_triage_answer *answer;
	struct lode_error err;
	int code, put = LODE_EXIT_OK, rc;

	request.streams.inputs = inputs;
	request.streams.n_inputs = n_inputs;
	request.asked = asked;
	lode_progress_start(&progress);
	rc = lode_triage_run(&answer, &request, &err);
	lode_progress_end(&progress);
	code = lode_triage_say(self, answer, rc, &err, NULL);
	if (rc >= 0)
		put = triage_command_put(self, v, answer, inputs, n_inputs);
	lode_triage_free(answer);
	return put ? put : code;
}

static const struct lode_signature_run signature_run = {
	.size = sizeof(struct triage_values),
	.known_at = AT(known),
	.aoi_at = AT(aoi),
	.input_at = AT(input),
	.top_at = AT(top),
	.check = triage_command_check,
	.next = &lode_cmd_sign,
	.run = triage_command_answer,
};

static int triage_command_run(const struct lode_command *self, int argc, char **argv)
{
	struct triage_values values;

	return lode_signature_run(&signature_run, self, &values, argc, argv);
}

const struct lode_command lode_cmd_triage = {
	.name = "triage",
	.summary = "show how much of new recordings is known, and what is new",
	.usage = "[OPTION]... {--repo FILE | --signatures FILE} INPUT...",
	.description = "Matches each new recording (or digest) against the signatures, like crash "
		       "reports against known bugs: how much of its symptom time each signature "
		       "explains, and how much remains. The rest of all recordings is then mined: "
		       "its clusters are the problems not signed yet. A retired signature that "
		       "matches again has come back; its time counts as unexplained.\n\n"
		       "With --fail-over the exit code is 5 if any recording has more than that "
		       "unexplained, for use in CI and cron jobs; it takes precedence over 1 "
		       "(skipped or incomplete input).",
	.options = options,
	.examples = examples,
	.run = triage_command_run,
};

/* ---- On a page of several ---- */

struct lode_triage_page {
	struct triage_values values;
	struct lode_signature_sources sources;
	struct lode_repo_words words;
	struct lode_progress *progress;
};

int lode_triage_page_open(struct lode_triage_page **out, const char *repo, const char *signatures,
			  const struct lode_input_options *machine, struct lode_progress *progress)
{
	static const lode_text_list nothing_given;
	struct lode_triage_page *page = lode_alloc0(1, sizeof(*page));
	int n, code;

	*out = NULL;
	lode_signature_run_init(&signature_run, &page->values);
	page->values.known = (struct lode_signature_values){repo, signatures};
	page->values.input = *machine;
	page->values.html = "";
	page->progress = progress;
	code = lode_signature_run_open(&signature_run, &lode_cmd_triage, &page->values,
				       &page->sources, &page->words, &nothing_given, &n);
	if (code == LODE_EXIT_OK)
		*out = page;
	else
		lode_triage_page_close(page);
	return code;
}

struct lode_triage_request lode_triage_page_request(const struct lode_triage_page *page)
{
	return triage_request_of(&page->values, &page->sources, page->progress);
}

void lode_triage_page_close(struct lode_triage_page *page)
{
	if (!page)
		return;
	lode_signature_sources_close(&page->sources);
	lode_repo_words_release(&page->words);
	lode_aoi_values_release(&page->values.aoi);
	free(page);
}
