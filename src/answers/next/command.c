/* The command line of lode next. */
#include "answers/next/next.h"
#include "tool/reading_options.h"
#include "tool/command.h"
#include "tool/terminal.h"
#include "tool/messages.h"
#include "tool/mining_options.h"
#include "tool/output_options.h"
#include "tool/repo_options.h"

struct next_values {
	struct lode_input_options input;
	struct lode_aoi_values aoi;
	const char *repo, *where, *signatures;
	lode_text_list opened;
	struct lode_cost_value min_cost;
	double similarity;
	size_t top;
	const char *html;
	bool wants_curves, wants_json, wants_detail;
	struct lode_asked asked;
	/* Operands, for the page's title. */
	char **inputs;
	size_t n_inputs;
};

#define AT(field) offsetof(struct next_values, field)

static const struct lode_option options[] = {
	LODE_REPO_OPTION(AT(repo),
			 "use recordings and signatures of this repository; with INPUTs only its "
			 "signatures (default without INPUTs: $LODE_REPO)",
			 .group = "Known problems"),
	LODE_WHERE_OPTION(AT(where), NULL),
	LODE_OPTION("signatures", "FILE", lode_set_text, AT(signatures),
		    "read signatures from this text file; without signatures, clusters are used "
		    "instead",
		    .letter = 's', .file = LODE_FILE_READ),
	LODE_OPTION("opened", "RECORDING", lode_set_list, AT(opened),
		    "already reviewed: a path, file name or id; may be repeated"),

	LODE_FLAG("compare", AT(wants_curves),
		  "compare the coverage of this order with that of random, greedy-total (most "
		  "symptom time first) and greedy-max (longest symptom first)",
		  .group = "Output", .is_aside = true),
	LODE_TOP_OPTION(AT(top), "(default 10 in the table, 50 in JSON; 0: all)"),
	LODE_JSON_OPTION(AT(wants_json), "docs/json.md"),
	LODE_DETAIL_OPTION(AT(wants_detail)),
	LODE_HTML_OPTION(AT(html)),
	LODE_FORCE_OPTION,

	LODE_OPTION("min-cost", "COST", lode_set_cost, AT(min_cost),
		    "minimum cost λ of a pattern, for clusters: 30s or 0.2% (default)",
		    .group = "Mining"),
	LODE_SIMILARITY_OPTION(AT(similarity)),

	LODE_READING_OPTIONS(AT(aoi), AT(input)),
	LODE_OPTIONS_END,
};

static const struct lode_example examples[] = {
	{"Which recordings to open, and why", "lode next digests/"},
	{"After opening two of them",
	 "lode next --opened run-17.data --opened run-03.data digests/"},
	{"Taking known problems into account", "lode next --signatures known.txt digests/"},
	{"This week's recordings in a repository", "lode next --repo perf.lode --where 'age<7d'"},
	{"How much this order saves", "lode next --compare digests/"},
	{"As a page, with the contents of each recording", "lode next --html next.html digests/"},
	{NULL},
};

static void init_next(struct next_values *v)
{
	memset(v, 0, sizeof(*v));
	lode_input_options_init(&v->input);
	lode_aoi_values_init(&v->aoi);
	v->similarity = LODE_CUT_BY_DATA;
	v->top = SIZE_MAX;
}

static int check_next(const struct lode_command *self, const struct next_values *v, int n_operands)
{
	if (n_operands == 0 && !lode_repo_option_path(v->repo))
		return lode_command_misused(
			self, "give recordings, digests, or folders of them; or --repo FILE");
	if (v->where && n_operands)
		return lode_command_misused(self, "--where selects recordings of a repository and "
						  "cannot be combined with INPUTs");
	if (v->repo && v->signatures)
		return lode_command_misused(self, "--repo and --signatures exclude each other");
	if (lode_aoi_values_check(self, &v->aoi) != LODE_EXIT_OK)
		return LODE_EXIT_USAGE;
	if (lode_html_options_check(self, v->html, v->wants_json, v->wants_detail) != LODE_EXIT_OK)
		return LODE_EXIT_USAGE;
	return v->html ? lode_html_check(self) : 0;
}

static int put_next(const struct lode_command *self, const struct next_values *v,
		    const struct lode_next_answer *answer)
{
	struct lode_text_page page = lode_stdout_page();

	if (v->html)
		return lode_html_put(self, v->html, &lode_next_document, answer, v->inputs,
				     v->n_inputs);
	if (v->wants_json)
		lode_document_put(stdout, &lode_next_document, answer, NULL);
	else
		lode_next_text(lode_paged_stdout(), answer, &page);
	return LODE_EXIT_OK;
}

static int answer(const struct lode_command *self, const struct next_values *v)
{
	struct lode_progress progress;
	struct lode_next_request request = {
		.inputs = v->inputs,
		.n_inputs = v->n_inputs,
		.repo = v->repo || !v->n_inputs ? lode_repo_option_path(v->repo) : NULL,
		.where = v->where,
		.signatures = v->signatures,
		.reading = lode_reading_options(&v->input, &v->aoi, &progress),
		.mine = {.min_cost = v->min_cost.amount,
			 .min_cost_share = v->min_cost.share,
			 .min_similarity = v->similarity,
			 .n_threads = v->input.n_threads,
			 .progress = lode_progress_stage,
			 .progress_context = &progress},
		.opened = v->opened.at,
		.n_opened = v->opened.n,
		.top = v->top,
		.wants_curves = v->wants_curves,
		.wants_detail = v->html || v->wants_detail,
		.asked = &v->asked,
	};
	struct lode_next_answer *answer;
	struct lode_error err;
	int code, rc;

	lode_progress_start(&progress);
	rc = lode_next_run(&answer, &request, &err);
	lode_progress_end(&progress);
	lode_say_inputs(self, "skipped", answer->skipped, answer->n_skipped);
	lode_say_incomplete(self, answer->incomplete, answer->n_incomplete);
	lode_say_other_files(self, answer->n_other);
	code = rc < 0 ? lode_say_error(self, &err) : put_next(self, v, answer);
	if (code == LODE_EXIT_OK && answer->n_skipped + answer->n_incomplete)
		code = LODE_EXIT_INCOMPLETE;
	lode_next_free(answer);
	return code;
}

static int run_next(const struct lode_command *self, int argc, char **argv)
{
	struct next_values values;
	int n, code = LODE_EXIT_OK;

	init_next(&values);
	if (lode_command_start(self, &values, argc, argv, &n, &code)) {
		lode_aoi_values_settle(&values.aoi, false);
		values.inputs = argv;
		values.n_inputs = (size_t)n;
		lode_asked_make(&values.asked, self, argc, argv, n, &lode_cmd_mine);
		values.wants_curves |= values.html != NULL;
		values.top = lode_longest_list(values.top, values.html, values.wants_json, 10);
		code = check_next(self, &values, n);
		if (code == 0)
			code = answer(self, &values);
	}
	lode_aoi_values_release(&values.aoi);
	lode_vec_release(&values.opened);
	lode_asked_release(&values.asked);
	return code;
}

const struct lode_command lode_cmd_next = {
	.name = "next",
	.summary = "show which recording to open next, to see most problems early",
	.usage = "[OPTION]... INPUT...",
	.description = "Orders recordings or digests so that the first ones show the most: at each "
		       "step, the recording with the signature that explains most of the time not "
		       "explained so far. Once all signatures have been seen, recordings with the "
		       "most unexplained time come first.\n\n"
		       "Coverage is the share of all symptom time, including recordings not "
		       "opened, that the signatures seen so far explain; each nanosecond counts "
		       "once. Without signatures, clusters are used instead.",
	.options = options,
	.examples = examples,
	.run = run_next,
};
