#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/mine/mine.h"
#include "cli/aoi_options.h"
#include "cli/command.h"
#include "cli/export_options.h"
#include "cli/help.h"
#include "cli/html_option.h"
#include "cli/input_options.h"
#include "cli/messages.h"
#include "cli/mine_exports.h"
#include "cli/mining_options.h"
#include "cli/output_options.h"
#include "cli/progress.h"
#include "cli/repo_options.h"
#include "cli/stream_reading.h"
#include "job/cluster_choice.h"
#include "job/digest_job.h"
#include "job/mine_run.h"
#include "job/shape.h"
#include "job/stream_set.h"
#include "reports/mine_report.h"

struct mine_values {
	struct lode_input_options input;
	struct lode_aoi_values aoi;
	struct lode_mining_values mining;
	/* output */
	size_t top, paths;
	const char *show, *html, *repo, *where;
	bool wants_json, wants_detail, wants_folded;
	struct lode_export_values exports;
	char *const *inputs; /* the operands */
	size_t n_inputs;
};

/* Critical paths of a page. */
enum { PAGE_PATHS = 10 };

#define AT(field) .offset = offsetof(struct mine_values, field)

static const struct lode_option options[] = {
	LODE_REPO_OPTION(offsetof(struct mine_values, repo),
			 "mine the streams of a repository, which `lode import` has filled "
			 "(default, without INPUT: $LODE_REPO); with INPUT, that is mined, and the "
			 "repository gives name statistics",
			 .group = "Repository"),
	LODE_WHERE_OPTION(offsetof(struct mine_values, where),
			  "only such streams of it: 'release=2.1 and host~web*' (docs/repo.md)",
			  .letter = 'w'),
	LODE_SYMPTOM_OPTIONS(offsetof(struct mine_values, aoi)),
	LODE_AOI_OPTIONS(offsetof(struct mine_values, aoi)),

	LODE_MINING_OPTIONS(offsetof(struct mine_values, mining)),

	LODE_RANK_OPTION(offsetof(struct mine_values, mining.rank),
			 "own (default), total, average, streams or events", .group = "Output"),
	LODE_TOP_OPTION(offsetof(struct mine_values, top),
			"(default 12 in the table, 50 in JSON; 0: no bound)"),
	{.name = "show",
	 .argument = "RANK",
	 .help = "one cluster in full, by its rank or id: variants, wakers, worst streams",
	 .set = lode_set_text,
	 AT(show)},
	LODE_JSON_OPTION(offsetof(struct mine_values, wants_json), "docs/json.md"),
	{.name = "detail",
	 .help = "JSON with what pages are drawn of: costs by stream, flame graphs of clusters",
	 .set = lode_set_flag,
	 AT(wants_detail)},
	{.name = "paths",
	 .argument = "N",
	 .help = "with --detail, the critical path of the worst symptom of each of the first N "
		 "clusters, read from the recordings again (default 0; 10 in a page)",
	 .set = lode_set_count,
	 AT(paths)},
	LODE_HTML_OPTION(offsetof(struct mine_values, html)),
	{.name = "folded",
	 .help = "the area of interest, or with --show one cluster, as folded stacks, for flame "
		 "graphs",
	 .set = lode_set_flag,
	 AT(wants_folded)},
	LODE_STACK_EXPORT_OPTIONS(offsetof(struct mine_values, exports)),
	LODE_TRACE_EXPORT_OPTION(offsetof(struct mine_values, exports),
				 "for Perfetto: the symptom that the first cluster, or that of "
				 "--show, costs most, read from its recording again"),
	LODE_FORCE_OPTION,

	LODE_NARROW_OPTIONS(offsetof(struct mine_values, input)),
	LODE_SYMBOL_OPTIONS(offsetof(struct mine_values, input)),
	LODE_MACHINE_OPTIONS(offsetof(struct mine_values, input)),
	LODE_OPTIONS_END,
};

static const struct lode_example examples[] = {
	{"All recordings of a folder: what made the recorded commands slow",
	 "lode mine recordings/"},
	{"Only the lives of git processes that took more than a second",
	 "lode mine --symptom comm=git --slower-than 1s recordings/*.data"},
	{"Symptoms that somebody else measured", "lode mine --symptoms slow.tsv recordings/"},
	{"The third cluster in full", "lode mine --show 3 recordings/"},
	{"Disk waits alone, as a flame graph",
	 "lode mine --reason disk --folded recordings/ | flamegraph.pl --countname ns"},
	{"What a repository holds of one release",
	 "lode mine --repo startup.lode --where 'release=2.1 and host~web*'"},
	{"The first cluster's worst symptom in ui.perfetto.dev: threads, wake-ups, critical path",
	 "lode mine --chrome-trace worst.json recordings/"},
	{"For speedscope.app, a profile per cluster; for pprof, with clusters as labels",
	 "lode mine --speedscope slow.speedscope.json --pprof slow.pb.gz recordings/"},
	{"Any profiler's folded stacks", "lode mine --min-cost 0.5% profile.folded"},
	{NULL},
};

static void init(struct mine_values *v)
{
	memset(v, 0, sizeof(*v));
	lode_input_options_init(&v->input);
	lode_aoi_values_init(&v->aoi);
	lode_mining_values_init(&v->mining);
	v->top = v->paths = SIZE_MAX;
}

/* What --classic and a scope other than the default imply, unless it was said otherwise. */
static void settle(struct mine_values *v)
{
	lode_aoi_values_settle(&v->aoi, v->mining.is_classic);
	lode_mining_values_settle(&v->mining);
	if (v->paths == SIZE_MAX)
		v->paths = v->html ? PAGE_PATHS : 0;
	v->top = lode_longest_list(v->top, v->html, v->wants_json, v->show ? 10 : 12);
}

static int check(const struct lode_command *self, const struct mine_values *v, int n_operands)
{
	if (n_operands == 0 && !lode_repo_option_path(v->repo))
		return lode_command_misused(
			self, "give recordings, folders of recordings, or --repo FILE");
	if (n_operands && v->where)
		return lode_command_misused(self, "--where picks streams of a repository: give it "
						  "without INPUT");
	if (lode_mining_values_misuse(&v->mining))
		return lode_command_misused(self, "%s", lode_mining_values_misuse(&v->mining));
	if (lode_aoi_values_misuse(&v->aoi))
		return lode_command_misused(self, "%s", lode_aoi_values_misuse(&v->aoi));
	if (v->wants_json && v->wants_folded)
		return lode_command_misused(self, "--json and --folded exclude each other");
	if (v->paths > 0 && !v->wants_detail && !v->html)
		return lode_command_misused(self, "--paths goes with --detail or --html");
	if (v->wants_detail && !v->wants_json)
		return lode_command_misused(self, "--detail goes with --json");
	if (v->html && (v->wants_json || v->wants_folded || v->show))
		return lode_command_misused(
			self, "--html stands alone, without --json, --folded, --show");
	if (lode_export_check(self, &v->exports, v->html || v->wants_json || v->wants_folded,
			      "--html, --json, --folded") != 0)
		return LODE_EXIT_USAGE;
	if (v->html && lode_html_check(self) != LODE_EXIT_OK)
		return LODE_EXIT_FAILURE;
	return 0;
}

static void put_json(FILE *out, const void *report)
{
	lode_mine_report_json(out, report, NULL);
}

/* What pages are drawn of, as a page or as JSON. */
static int report_in_detail(const struct lode_command *self, const struct mine_values *v,
			    struct lode_mine_report *r)
{
	struct lode_digest_job_options options = lode_reading_options(&v->input, &v->aoi, NULL);
	struct lode_cluster_paths paths;
	struct lode_error err;
	int code = LODE_EXIT_OK;

	if (lode_cluster_paths_load(&paths, r->mined, v->paths, &options, &err) < 0)
		return lode_say_error(self, &err);
	if (v->paths)
		r->paths = &paths;
	if (v->html)
		code = lode_html_put(self, v->html, "lode/mine/1", v->inputs, v->n_inputs, put_json,
				     r);
	else
		lode_mine_report_json(stdout, r, NULL);
	lode_cluster_paths_release(&paths);
	return code;
}

static int report(const struct lode_command *self, const struct mine_values *v,
		  const struct lode_mined *mined, const struct lode_digest_job *job)
{
	char lambda[128];
	const struct lode_cluster *only = NULL;
	struct lode_error err;
	struct lode_mine_report r = {
		.mined = mined,
		.job = job,
		.scope = lode_shape_choice(job->origin.shape, "--scope", lode_scope_choices),
		.stacks = lode_shape_choice(job->origin.shape, "--stacks", lode_stacks_choices),
		.rank = lode_rank_choices[v->mining.rank],
		.lambda = lode_lambda_words(&v->mining, lambda, sizeof(lambda)),
		.is_classic = v->mining.is_classic,
		.is_filtered = lode_shape_has_filters(job->origin.shape) || v->aoi.include.n ||
			       v->aoi.exclude.n || v->aoi.only.bits || v->aoi.reason.bits,
		.top = v->top,
		.top_inside = v->html ? LODE_PAGE_TOP_INSIDE : 0,
		.has_detail = v->html || v->wants_detail,
		.columns = lode_columns(stdout, 100),
		.is_terminal = lode_columns(stdout, 0) > 0,
	};

	if (v->show) {
		only = lode_cluster_find(mined, v->show, &err);
		if (!only)
			return lode_say_error(self, &err);
	}
	if (lode_export_is_asked(&v->exports)) {
		struct lode_digest_job_options options =
			lode_reading_options(&v->input, &v->aoi, NULL);

		return lode_mine_put_exports(self, &v->exports, mined, only, &options);
	}
	if (v->wants_folded) {
		lode_mine_report_folded(stdout, job->digest, only);
		return LODE_EXIT_OK;
	}
	if (v->html || (v->wants_detail && !only))
		return report_in_detail(self, v, &r);
	if (v->wants_json)
		lode_mine_report_json(stdout, &r, only);
	else if (only)
		lode_mine_report_cluster(stdout, &r, only);
	else
		lode_mine_report_table(stdout, &r);
	return LODE_EXIT_OK;
}

/* Mines what was read. */
static int mine(const struct lode_command *self, const struct mine_values *v,
		struct lode_progress *progress, const struct lode_digest_job *job)
{
	struct lode_mine_options mining =
		lode_mining_values_options(&v->mining, job->origin.shape, v->input.n_threads);
	struct lode_mined *mined = NULL;
	struct lode_error err;
	int code;

	if (v->wants_folded && !v->show) { /* needs no mining */
		lode_mine_report_folded(stdout, job->digest, NULL);
		return LODE_EXIT_OK;
	}
	mining.progress = lode_progress_stage;
	mining.progress_context = progress;
	if (lode_mine(&mined, job->digest, &mining, &err) < 0) {
		lode_progress_end(progress);
		return lode_say_mining_error(self, &err);
	}
	lode_progress_end(progress);
	code = report(self, v, mined, job);
	/* So that `lode sign` can mean these clusters; a repository that cannot be written can
	   still be mined. */
	if (!v->n_inputs && (code == LODE_EXIT_OK || code == LODE_EXIT_INCOMPLETE))
		lode_mine_keep_run(lode_repo_option_path(v->repo), v->where, mined, NULL);
	lode_mined_free(mined);
	return code;
}

static int run_job(const struct lode_command *self, const struct mine_values *v, char **inputs,
		   struct lode_repo *repo)
{
	struct lode_progress progress;
	struct lode_stream_set set;
	struct lode_stream_set_options with = {
		.inputs = inputs,
		.n_inputs = v->n_inputs,
		.repo = repo,
		.where = v->where,
		.now_ns = lode_query_now_ns(),
		.job = lode_reading_options(&v->input, &v->aoi, &progress),
	};
	int code = lode_streams_read(self, &set, &with, &progress);

	if (code == LODE_EXIT_OK)
		code = lode_job_exit(&set.job, mine(self, v, &progress, &set.job));
	lode_stream_set_release(&set);
	return code;
}

/* With the repository that was named, or, without inputs, that of the environment. */
static int run_with(const struct lode_command *self, const struct mine_values *v, char **inputs)
{
	struct lode_repo *repo = NULL;
	int code = LODE_EXIT_OK;

	if (v->repo || !v->n_inputs)
		code = lode_repo_option_open(self, &repo, v->repo, LODE_REPO_READ);
	if (code == LODE_EXIT_OK)
		code = run_job(self, v, inputs, repo);
	lode_repo_close(repo);
	return code;
}

static int run(const struct lode_command *self, int argc, char **argv)
{
	struct mine_values values;
	int n, code = LODE_EXIT_OK;

	init(&values);
	if (lode_command_start(self, &values, argc, argv, &n, &code)) {
		values.inputs = argv;
		values.n_inputs = (size_t)n;
		settle(&values);
		code = check(self, &values, n);
		if (code == 0)
			code = run_with(self, &values, argv);
	}
	lode_aoi_values_release(&values.aoi);
	return code;
}

const struct lode_command lode_cmd_mine = {
	.name = "mine",
	.summary = "rank the call patterns that made users wait, over many recordings",
	.usage = "[OPTION]... INPUT... | --repo FILE [--where QUERY]",
	.description =
		"Reads recordings (perf.data, perf script text, folded stacks; plain, .zst, .gz or "
		".xz; a folder means every recording in it) or what `lode digest` made of them, "
		"finds the symptoms in them - who "
		"waited, and when -, follows each along the threads and devices that it waited "
		"for, "
		"and mines the call stacks of that time for costly patterns: functions that stand "
		"in one order in many stacks, with anything between them. Similar patterns form a "
		"cluster: one problem, whatever paths lead to it.\n\n"
		"Each cluster has its own cost, which no other cluster counts, and its total cost, "
		"which includes what it shares. Own costs and the rest add up to the whole, to the "
		"nanosecond.",
	.options = options,
	.examples = examples,
	.run = run,
};
