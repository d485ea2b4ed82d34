/* The command line of lode diff. */
#include <unistd.h>

#include "answers/diff/diff.h"
#include "answers/diff/export.h"
#include "store/repo_query.h"
#include "tool/reading_options.h"
#include "tool/command.h"
#include "tool/terminal.h"
#include "tool/messages.h"
#include "tool/mining_options.h"
#include "tool/output_options.h"
#include "tool/repo_options.h"

struct diff_values {
	struct lode_input_options input;
	struct lode_aoi_values aoi;
	/* the sets */
	lode_text_list sides[LODE_N_DIFF_SIDES];
	const char *repo, *within;
	/* mining and testing */
	struct lode_cost_value min_cost, min_change;
	double similarity, level, min_relative;
	size_t max_splits, seed;
	/* output */
	struct lode_bits_value fail_on;
	size_t top;
	const char *show, *html;
	struct lode_export_values exports;
	bool wants_json, wants_detail, wants_folded;
	struct lode_asked asked;
};

#define AT(field) offsetof(struct diff_values, field)

static const struct lode_option options[] = {
	LODE_REPO_OPTION(AT(repo),
			 "compare recordings of this repository: A and B are then queries such as "
			 "'release=2.0' (default $LODE_REPO, unless A and B are files)",
			 .group = "Sets"),
	LODE_OPTION("a", "INPUT", lode_set_list, AT(sides[LODE_DIFF_A]),
		    "an input (or query) of the first set; may be repeated", .letter = 'a',
		    .file = LODE_FILE_READ),
	LODE_OPTION("b", "INPUT", lode_set_list, AT(sides[LODE_DIFF_B]),
		    "an input (or query) of the second set; may be repeated", .letter = 'b',
		    .file = LODE_FILE_READ),
	LODE_OPTION("within", "LABEL", lode_set_text, AT(within),
		    "compare only recordings with the same host, kernel, day or (in a repository) "
		    "label: differences between those are not reported as changes"),

	LODE_OPTION("level", "P", lode_set_percent, AT(level),
		    "significance level over all clusters (default 0.05)", .group = "Changes"),
	LODE_OPTION("min-change", "COST", lode_set_cost, AT(min_change),
		    "minimum change of the cost per symptom: 20ms, or a share of the mean symptom "
		    "(default 1%)"),
	LODE_OPTION("min-relative", "SHARE", lode_set_percent, AT(min_relative),
		    "minimum relative change, as a share of the smaller cost (default 10%)"),
	LODE_OPTION("splits", "N", lode_set_positive, AT(max_splits),
		    "number of random splits for the permutation test (default 10000, fewer for "
		    "very large inputs); if there are at most N splits, all are used"),
	LODE_OPTION("seed", "N", lode_set_count, AT(seed), "random seed (default 1)"),

	LODE_OPTION("min-cost", "COST", lode_set_cost, AT(min_cost),
		    "minimum cost λ of a pattern in both sets together: 30s or 0.2% (default: 0.2 "
		    "% of the smaller set)",
		    .group = "Mining"),
	LODE_SIMILARITY_OPTION(AT(similarity)),

	LODE_OPTION("fail-on", "CLASSES", lode_set_bits, AT(fail_on),
		    "exit with code 5 on changes of these classes: new,worse (also gone, better)",
		    .group = "Output", .is_aside = true),
	LODE_TOP_OPTION(AT(top), "(default 20 in the table, 50 in JSON; 0: all)"),
	LODE_OPTION("show", "N", lode_set_text, AT(show),
		    "show one cluster in full, by rank or id: cost in both sets, call path with "
		    "variants, wakers, worst recordings",
		    .is_aside = true),
	LODE_JSON_OPTION(AT(wants_json), "docs/json.md"),
	LODE_DETAIL_OPTION(AT(wants_detail)),
	LODE_HTML_OPTION(AT(html)),
	LODE_FLAG("folded", AT(wants_folded),
		  "print folded stacks with their costs in A and B, in the format of "
		  "difffolded.pl, for flame graphs; A is scaled to the number of symptoms of B. "
		  "With --show, only that cluster's",
		  .is_aside = true),
	LODE_PPROF_EXPORT_OPTION(
		AT(exports), "write the difference B - A for pprof ('go tool pprof FILE') instead "
			     "of text; with --show, only that cluster's (docs/exports.md)"),
	LODE_FORCE_OPTION,

	LODE_READING_OPTIONS(AT(aoi), AT(input)),
	LODE_OPTIONS_END,
};

static const struct lode_example examples[] = {
	{"Before and after: what became slower in a release", "lode diff runs-2.0/ runs-2.1/"},
	{"Fast and slow runs: what only the slow ones have", "lode diff fast/ slow/"},
	{"The largest change in full: call path, worst recordings of both sets",
	 "lode diff --show 1 runs-2.0/ runs-2.1/"},
	{"As a page, with recordings, frames and flame graph of each change",
	 "lode diff --html release-2.1.html runs-2.0/ runs-2.1/"},
	{"As a flame graph, red where B takes longer",
	 "lode diff --folded runs-2.0/ runs-2.1/ | flamegraph.pl --countname ns > diff.svg"},
	{"In CI: fail if anything is new or worse", "lode diff --fail-on new,worse main/ branch/"},
	{"Several machines, each compared with itself", "lode diff --within host before/ after/"},
	{"Two releases in a repository",
	 "lode diff --repo perf.lode release=2.0 'release=2.1 and host~web*'"},
	{"Sets of several inputs", "lode diff -a mon/ -a tue/ -b wed/ -b thu/"},
	{NULL},
};

static void diff_values_init(struct diff_values *v)
{
	memset(v, 0, sizeof(*v));
	lode_input_options_init(&v->input);
	lode_aoi_values_init(&v->aoi);
	v->fail_on.names = lode_diff_changed_names;
	v->similarity = LODE_CUT_BY_DATA;
	v->level = 0.05;
	v->seed = 1;
	v->top = SIZE_MAX;
}

/* Operands are the two sets; with --a and --b there are none. */
static int take_sets(const struct lode_command *self, struct diff_values *v, char **operands, int n)
{
	size_t n_given = v->sides[LODE_DIFF_A].n + v->sides[LODE_DIFF_B].n;

	if (n_given && n)
		return lode_command_misused(self, "give two sets or --a and --b, not both");
	if (n_given && (!v->sides[LODE_DIFF_A].n || !v->sides[LODE_DIFF_B].n))
		return lode_command_misused(self, "--a and --b must be used together");
	if (n_given)
		return 0;
	if (n != 2)
		return lode_command_misused(self, "give two sets: folders, recordings or digests; "
						  "use --a and --b for sets of several inputs");
	lode_vec_append(&v->sides[LODE_DIFF_A], operands[0]);
	lode_vec_append(&v->sides[LODE_DIFF_B], operands[1]);
	return 0;
}

static int diff_command_check(const struct lode_command *self, const struct diff_values *v)
{
	if (v->level <= 0 || v->level >= 1)
		return lode_command_misused(self, "--level must be between 0 and 1");
	if (lode_aoi_values_check(self, &v->aoi) != LODE_EXIT_OK)
		return LODE_EXIT_USAGE;
	if (lode_html_options_check(self, v->html, v->wants_json, v->wants_detail) != LODE_EXIT_OK)
		return LODE_EXIT_USAGE;
	if (v->show && v->html)
		return lode_command_misused(self, "--show cannot be combined with --html");
	if (v->wants_folded && (v->html || v->wants_json))
		return lode_command_misused(self,
					    "--folded cannot be combined with --html or --json");
	if (lode_export_check(self, &v->exports, v->html || v->wants_json || v->wants_folded,
			      "--html, --json, --folded") != 0)
		return LODE_EXIT_USAGE;
	return v->html ? lode_html_check(self) : 0;
}

static int put_diff_page(const struct lode_command *self, const char *path,
			 const struct lode_diff_answer *answer)
{
	char title[LODE_N_DIFF_SIDES * 4096 + 16];
	char *inputs[] = {title};

	snprintf(title, sizeof(title), "%s vs. %s", answer->sets[LODE_DIFF_A].name,
		 answer->sets[LODE_DIFF_B].name);
	return lode_html_put(self, path, &lode_diff_document, answer, inputs, 1);
}

/* The cluster of --show; NULL: all. */
static const struct lode_cluster *shown_cluster(const struct lode_diff_answer *answer)
{
	return answer->shown ? answer->shown->cluster.cluster : NULL;
}

static int put_diff_pprof(const struct lode_command *self, const char *path,
			  const struct lode_diff_answer *answer)
{
	struct lode_export_diff diff;
	int code;

	lode_export_diff_make(&diff, answer->read, answer->job, shown_cluster(answer));
	code = lode_export_put_file(self, path, lode_export_pprof, &diff.stacks);
	lode_export_diff_release(&diff);
	return code;
}

static int diff_command_put(const struct lode_command *self, const struct diff_values *v,
			    const struct lode_diff_answer *answer)
{
	struct lode_text_page page = lode_stdout_page();

	if (lode_export_is_asked(&v->exports))
		return put_diff_pprof(self, v->exports.pprof, answer);
	if (v->html)
		return put_diff_page(self, v->html, answer);
	if (v->wants_folded)
		lode_export_diff_folded(stdout, answer->read, answer->job, shown_cluster(answer));
	else if (v->wants_json || v->wants_detail)
		lode_document_put(stdout, &lode_diff_document, answer, NULL);
	else
		lode_diff_text(lode_paged_stdout(), answer, &page);
	return LODE_EXIT_OK;
}

static struct lode_diff_request diff_request_of(const struct diff_values *v,
						struct lode_progress *progress)
{
	struct lode_diff_request request = {
		.sets = {.now_ns = lode_query_now_ns(),
			 .within = v->within,
			 .job = lode_reading_options(&v->input, &v->aoi, progress)},
		.mine = {.min_cost = v->min_cost.amount,
			 .min_cost_share = v->min_cost.share,
			 .min_similarity = v->similarity,
			 .n_threads = v->input.n_threads,
			 .progress = lode_progress_stage,
			 .progress_context = progress},
		.diff = {.level = v->level,
			 .min_change = v->min_change.amount,
			 .min_change_share = v->min_change.share,
			 .min_relative = v->min_relative,
			 .max_splits = v->max_splits,
			 .seed = v->seed,
			 .n_threads = v->input.n_threads},
		.fail_on = v->fail_on.bits,
		.show = v->show,
		.top = lode_longest_list(v->top, v->html, v->wants_json, v->show ? 10 : 20),
		.wants_rows = v->html || v->wants_json || v->wants_detail,
		.wants_detail = v->html || v->wants_detail,
		.asked = &v->asked,
	};

	for (unsigned s = 0; s < LODE_N_DIFF_SIDES; s++) {
		request.sets.inputs[s] = (char *const *)v->sides[s].at;
		request.sets.n_inputs[s] = v->sides[s].n;
	}
	return request;
}

static int diff_command_answer(const struct lode_command *self, const struct diff_values *v,
			       struct lode_repo *repo)
{
	struct lode_progress progress;
	struct lode_diff_request request = diff_request_of(v, &progress);
	struct lode_diff_answer *answer;
	struct lode_error err;
	int rc, code;

	request.sets.repo = repo;
	lode_progress_start(&progress);
	rc = lode_diff_run(&answer, &request, &err);
	lode_progress_end(&progress);
	for (unsigned s = 0; s < LODE_N_DIFF_SIDES; s++)
		lode_say_skipped(self, answer->sets[s].read);
	code = rc < 0 ? lode_say_error(self, &err) : diff_command_put(self, v, answer);
	if (code == LODE_EXIT_OK && answer->verdict && answer->verdict->has_failed)
		code = LODE_EXIT_EXCEEDED;
	for (unsigned s = 0; s < LODE_N_DIFF_SIDES; s++)
		code = lode_job_exit(answer->sets[s].read, code);
	lode_diff_answer_free(answer);
	return code;
}

/* None is there as a file, and each can be asked of a repository. */
static bool are_queries(const struct diff_values *v)
{
	bool are = true;

	for (unsigned s = 0; s < LODE_N_DIFF_SIDES; s++)
		for (size_t i = 0; i < v->sides[s].n && are; i++) {
			struct lode_repo_query *query = NULL;

			are = strcmp(v->sides[s].at[i], "-") != 0 &&
			      access(v->sides[s].at[i], F_OK) != 0 &&
			      lode_repo_query_parse(&query, v->sides[s].at[i], 0, NULL) == 0;
			lode_repo_query_free(query);
		}
	return are;
}

static int diff_with_repo(const struct lode_command *self, const struct diff_values *v)
{
	struct lode_repo *repo = NULL;
	int code = 0;

	/* $LODE_REPO changes no meaning: without it, queries would be files that are not there. */
	if (v->repo || (lode_repo_option_path(NULL) && are_queries(v)))
		code = lode_repo_option_open(self, &repo, v->repo, LODE_REPO_READ);
	if (code == 0)
		code = diff_command_answer(self, v, repo);
	lode_repo_close(repo);
	return code;
}

static int diff_command_run(const struct lode_command *self, int argc, char **argv)
{
	struct diff_values values;
	int n, code = LODE_EXIT_OK;

	diff_values_init(&values);
	if (lode_command_start(self, &values, argc, argv, &n, &code)) {
		lode_asked_make(&values.asked, self, argc, argv, n, &lode_cmd_mine);
		lode_aoi_values_settle(&values.aoi, false);
		code = take_sets(self, &values, argv, n);
		if (code == 0)
			code = diff_command_check(self, &values);
		if (code == 0)
			code = diff_with_repo(self, &values);
	}
	lode_aoi_values_release(&values.aoi);
	for (unsigned s = 0; s < LODE_N_DIFF_SIDES; s++)
		lode_vec_release(&values.sides[s]);
	lode_asked_release(&values.asked);
	return code;
}

const struct lode_command lode_cmd_diff = {
	.name = "diff",
	.summary = "compare two sets of recordings: what is new, gone, worse or better",
	.usage = "[OPTION]... A B",
	.description =
		"Reads two sets of recordings or digests (before and after, fast and slow), mines "
		"both together, and compares the cost of each cluster per symptom. Sets may differ "
		"in size, and recordings in their number of symptoms.\n\n"
		"A change is reported only if it is significant by a permutation test over "
		"recordings (p is corrected for all clusters) and large enough to matter. With few "
		"recordings nothing can be significant; the output then says how many are needed.",
	.options = options,
	.examples = examples,
	.run = diff_command_run,
};
