/* The command line of lode mine. */
#include "answers/mine/mine.h"
#include "answers/mine/source.h"
#include "base/escape.h"
#include "input/format.h"
#include "document/units.h"
#include "tool/reading_options.h"
#include "tool/command.h"
#include "tool/terminal.h"
#include "tool/messages.h"
#include "tool/mining_options.h"
#include "tool/output_options.h"
#include "tool/page_commands.h"
#include "tool/repo_options.h"

struct mine_values {
	struct lode_input_options input;
	struct lode_aoi_values aoi;
	struct lode_mining_values mining;
	/* output */
	size_t top, paths;
	bool folds_small;
	const char *show, *source, *html, *repo, *where;
	bool wants_json, wants_detail, wants_folded;
	struct lode_export_values exports;
	bool is_joined;
	lode_text_list source_dirs;
	lode_text_list clock_offsets; /* as given */
	LODE_VEC(int64_t) offsets_ns;
	struct lode_asked asked;
	char **inputs; /* the operands */
	size_t n_inputs;
};

/* Critical paths of a page. */
enum { PAGE_PATHS = 10 };

#define AT(field) offsetof(struct mine_values, field)

static const struct lode_option options[] = {
	LODE_REPO_OPTION(AT(repo),
			 "mine the recordings of a repository filled by `lode import` (default "
			 "without INPUT: $LODE_REPO); with INPUT, mine the inputs and take only "
			 "name statistics from the repository",
			 .group = "Repository"),
	LODE_WHERE_OPTION(AT(where), NULL),
	LODE_SYMPTOM_OPTIONS(AT(aoi)),
	LODE_AOI_OPTIONS(AT(aoi)),

	LODE_MINING_OPTIONS(AT(mining)),

	LODE_RANK_OPTION(
		AT(mining.rank),
		"own (default), total (inclusive), average (per occurrence; with --classic "
		"per event), streams or events",
		.group = "Output"),
	LODE_TOP_OPTION(AT(top), "(default 12 in the table, 50 in JSON; 0: all)"),
	LODE_OPTION("show", "RANK", lode_set_text, AT(show),
		    "show one cluster in full, by rank or id: variants, wakers, worst recordings",
		    .is_aside = true),
	LODE_OPTION("source", "FUNCTION", lode_set_text, AT(source),
		    "show the cost of each source line and instruction of one function "
		    "(module!function), in the recording with its largest cost",
		    .is_aside = true),
	LODE_SOURCE_DIR_OPTION(AT(source_dirs)),
	LODE_JSON_OPTION(AT(wants_json), "docs/json.md"),
	LODE_FLAG("detail", AT(wants_detail),
		  "with --json: include the data that pages draw: costs by recording, flame graphs "
		  "of clusters",
		  .is_aside = true),
	LODE_OPTION("paths", "N", lode_set_count, AT(paths),
		    "with --detail: add the critical path of the worst symptom of each of the "
		    "first N clusters; reads those recordings again (default 0; 10 in a page)",
		    .is_aside = true),
	LODE_HTML_OPTION(AT(html)),
	LODE_FLAG("folded", AT(wants_folded),
		  "print folded stacks for flame graphs: of the area of interest, or with --show "
		  "of one cluster",
		  .is_aside = true),
	LODE_STACK_EXPORT_OPTIONS(AT(exports)),
	LODE_TRACE_EXPORT_OPTION(AT(exports),
				 "write the worst symptom of the first cluster (or that of --show) "
				 "for Perfetto; reads its recording again"),
	LODE_FORCE_OPTION,

	LODE_NARROW_OPTIONS(AT(input)),
	LODE_FLAG("join", AT(is_joined),
		  "the inputs are recordings of several hosts over the same time: follow waits "
		  "across hosts (docs/mine.md)"),
	LODE_OPTION("clock-offset", "TIME", lode_set_list, AT(clock_offsets),
		    "with --join: offset to add to the times of the second recording, such as 12ms "
		    "or -3.5ms; repeat it for the third (default: from the wall clock times in the "
		    "recordings). Bytes sent both ways correct it"),
	LODE_SYMBOL_OPTIONS(AT(input)),
	LODE_MACHINE_OPTIONS(AT(input)),
	LODE_OPTIONS_END,
};

static const struct lode_example examples[] = {
	{"What made the recorded commands slow, over all recordings of a folder",
	 "lode mine recordings/"},
	{"Only git processes that ran for more than a second",
	 "lode mine --symptom comm=git --slower-than 1s recordings/*.data"},
	{"Symptoms that another tool measured", "lode mine --symptoms slow.tsv recordings/"},
	{"The third cluster in full", "lode mine --show 3 recordings/"},
	{"Disk waits alone, as a flame graph",
	 "lode mine --reason disk --folded recordings/ | flamegraph.pl --countname ns"},
	{"What a repository holds of one release",
	 "lode mine --repo startup.lode --where 'release=2.1 and host~web*'"},
	{"The first cluster's worst symptom in ui.perfetto.dev: threads, wake-ups, critical path",
	 "lode mine --chrome-trace worst.json recordings/"},
	{"For speedscope.app, a profile per cluster; for pprof, with clusters as labels",
	 "lode mine --speedscope slow.speedscope.json --pprof slow.pb.gz recordings/"},
	{"A client's and a server's recording of the same moment",
	 "lode mine --join web1.lode db1.lode"},
	{"Any profiler's folded stacks", "lode mine --min-cost 0.5% profile.folded"},
	{NULL},
};

static void init_values(struct mine_values *v)
{
	memset(v, 0, sizeof(*v));
	lode_input_options_init(&v->input);
	lode_aoi_values_init(&v->aoi);
	lode_mining_values_init(&v->mining);
	v->top = v->paths = SIZE_MAX;
}

/* What --classic and a scope other than the default imply, unless it was said otherwise. */
static void settle_values(struct mine_values *v)
{
	lode_aoi_values_settle(&v->aoi, v->mining.is_classic);
	lode_mining_values_settle(&v->mining);
	if (v->paths == SIZE_MAX)
		v->paths = v->html && !v->is_joined ? PAGE_PATHS : 0;
	v->folds_small = v->top == SIZE_MAX && !v->html && !v->wants_json && !v->show;
	v->top = lode_longest_list(v->top, v->html, v->wants_json, v->show ? 10 : 12);
}

static int take_offsets(const struct lode_command *self, struct mine_values *v)
{
	for (size_t i = 0; i < v->clock_offsets.n; i++) {
		const char *text = v->clock_offsets.at[i];
		bool is_negative = *text == '-';
		int64_t ns;

		if (!lode_duration_parse(&ns, text + (is_negative || *text == '+')))
			return lode_command_misused(
				self, "--clock-offset: '%s' is not a time such as 12ms or -3.5ms",
				text);
		lode_vec_append(&v->offsets_ns, is_negative ? -ns : ns);
	}
	return 0;
}

static int check_join(const struct lode_command *self, struct mine_values *v)
{
	if (v->clock_offsets.n && !v->is_joined)
		return lode_command_misused(self, "--clock-offset requires --join");
	if (!v->is_joined)
		return 0;
	if (v->n_inputs < 2)
		return lode_command_misused(self, "--join needs at least two recordings");
	if (v->paths || v->exports.chrome_trace)
		return lode_command_misused(
			self, "--paths and --chrome-trace cannot be combined with --join");
	return take_offsets(self, v);
}

static int check_values(const struct lode_command *self, const struct mine_values *v,
			int n_operands)
{
	if (n_operands == 0 && !lode_repo_option_path(v->repo))
		return lode_command_misused(
			self, "give recordings, folders of recordings, or --repo FILE");
	if (n_operands && v->where)
		return lode_command_misused(self, "--where selects recordings of a repository and "
						  "cannot be combined with INPUT");
	if (lode_mining_values_misuse(&v->mining))
		return lode_command_misused(self, "%s", lode_mining_values_misuse(&v->mining));
	if (lode_aoi_values_check(self, &v->aoi) != LODE_EXIT_OK)
		return LODE_EXIT_USAGE;
	if (v->wants_json && v->wants_folded)
		return lode_command_misused(self, "--json and --folded exclude each other");
	if (v->paths > 0 && !v->wants_detail && !v->html)
		return lode_command_misused(self, "--paths requires --detail or --html");
	if (v->wants_detail && !v->wants_json)
		return lode_command_misused(self, "--detail goes with --json");
	if (v->source && (v->html || v->wants_folded || v->show || v->wants_detail))
		return lode_command_misused(self, "--source cannot be combined with --html, "
						  "--folded, --show, --detail");
	if (v->source_dirs.n && !v->source)
		return lode_command_misused(self, "--source-dir goes with --source");
	if (v->source && v->is_joined)
		return lode_command_misused(self, "--source cannot be combined with --join");
	if (v->html && (v->wants_json || v->wants_folded || v->show))
		return lode_command_misused(
			self, "--html cannot be combined with --json, --folded, --show");
	if (lode_export_check(self, &v->exports, v->html || v->wants_json || v->wants_folded,
			      "--html, --json, --folded") != 0)
		return LODE_EXIT_USAGE;
	if (v->html && lode_html_check(self) != LODE_EXIT_OK)
		return LODE_EXIT_FAILURE;
	return 0;
}

/* ---- Files for other tools ---- */

/* Without a recording that can be read again there is nothing to show: whatever the reason. */
static int put_window(const struct lode_command *self, const struct mine_values *v,
		      const struct lode_mine_answer *answer,
		      const struct lode_digest_job_options *reading)
{
	struct lode_mine_window window;
	struct lode_error err;
	int code;

	if (lode_mine_window_load(&window, answer, reading, &err) < 0) {
		lode_error_context(&err, "--chrome-trace");
		lode_say_error(self, &err);
		return LODE_EXIT_NOTHING;
	}
	code = lode_export_put_file(self, v->exports.chrome_trace, lode_export_window,
				    &window.window);
	lode_mine_window_release(&window);
	return code;
}

static int put_exports(const struct lode_command *self, const struct mine_values *v,
		       const struct lode_mine_answer *answer,
		       const struct lode_digest_job_options *reading)
{
	struct lode_export_stacks stacks;
	int code;

	lode_export_mined(&stacks, answer->mined, answer->shown ? answer->shown->cluster : NULL);
	code = lode_export_put_stacks(self, &v->exports, &stacks);
	lode_export_stacks_release(&stacks);
	if (code != LODE_EXIT_OK || !v->exports.chrome_trace)
		return code;
	return put_window(self, v, answer, reading);
}

/* ---- One function from the inside ---- */

static int put_source(const struct lode_command *self, const struct mine_values *v,
		      const struct lode_mine_answer *answer,
		      const struct lode_digest_job_options *reading)
{
	struct lode_text_page page = lode_stdout_page();
	const struct lode_source_dirs dirs = {v->source_dirs.at, v->source_dirs.n};
	struct lode_mine_source *source;
	struct lode_error err;

	if (lode_source_dirs_check(&dirs, &err) < 0)
		return lode_say_error(self, &err);
	if (lode_mine_source_make(&source, answer->digest, answer->set, v->source, LODE_NONE,
				  reading, &dirs, &err) < 0) {
		lode_error_context(&err, "--source");
		lode_say_error(self, &err);
		return LODE_EXIT_NOTHING;
	}
	if (v->wants_json)
		lode_mine_source_json(stdout, source);
	else
		lode_mine_source_text(lode_paged_stdout(), source, &page);
	lode_mine_source_free(source);
	return LODE_EXIT_OK;
}

/* ---- From the command line to an answer ---- */

static int put_answer(const struct lode_command *self, const struct mine_values *v,
		      const struct lode_mine_answer *answer,
		      const struct lode_digest_job_options *reading)
{
	struct lode_text_page page = lode_stdout_page();

	if (lode_export_is_asked(&v->exports))
		return put_exports(self, v, answer, reading);
	if (v->source)
		return put_source(self, v, answer, reading);
	if (v->html)
		return lode_html_put(self, v->html, &lode_mine_document, answer, v->inputs,
				     v->n_inputs);
	if (v->wants_folded)
		lode_mine_folded(stdout, answer->digest,
				 answer->shown ? answer->shown->cluster : NULL);
	else if (v->wants_json)
		lode_document_put(stdout, &lode_mine_document, answer, NULL);
	else
		lode_mine_text(lode_paged_stdout(), answer, &page);
	return LODE_EXIT_OK;
}

static struct lode_mine_request mine_request_of(const struct mine_values *v, const char *lambda,
						struct lode_progress *progress)
{
	bool wants_page = v->html || (v->wants_detail && !v->show);
	struct lode_mine_request request = {
		.inputs = v->inputs,
		.n_inputs = v->n_inputs,
		.repo = v->repo || !v->n_inputs ? lode_repo_option_path(v->repo) : NULL,
		.where = v->where,
		.reading = lode_reading_options(&v->input, &v->aoi, progress),
		.mine = lode_mining_values_options(&v->mining, v->input.n_threads),
		.lambda = lambda,
		.only_read = (v->wants_folded && !v->show && !lode_export_is_asked(&v->exports)) ||
			     v->source,
		.show = v->show,
		.top = v->top,
		.folds_small = v->folds_small,
		.top_inside = v->html ? LODE_PAGE_TOP_INSIDE : 0,
		.wants_rows = v->html || (v->wants_json && !v->source),
		.wants_detail = v->html || v->wants_detail,
		.wants_paths = wants_page && v->paths,
		.n_paths_of = v->paths,
		.asked = v->asked.command ? &v->asked : NULL,
	};

	request.reading.is_joined = v->is_joined;
	request.reading.clock_offsets = v->offsets_ns.at;
	request.reading.n_offsets = v->offsets_ns.n;
	request.mine.progress = lode_progress_stage;
	request.mine.progress_context = progress;
	return request;
}

struct lode_mine_request lode_mine_page_request(struct lode_mine_page_values *values,
						bool is_served, struct lode_progress *progress)
{
	struct mine_values v;
	struct lode_mine_request request;

	init_values(&v);
	v.input = values->input;
	v.aoi = values->aoi;
	v.mining = values->mining;
	v.html = "";
	v.top = LODE_PAGE_TOP;
	v.paths = PAGE_PATHS;
	lode_lambda_words(&v.mining, values->lambda, sizeof(values->lambda));
	request = mine_request_of(&v, values->lambda, progress);
	request.repo = NULL;
	request.is_served = is_served;
	request.wants_detail = request.wants_paths = !is_served;
	return request;
}

static void say_joined(const struct lode_command *self, const struct lode_digest_job *job)
{
	char path[2400], offset[LODE_DURATION_BYTES];

	for (size_t i = 0; i < job->joined.n; i++) {
		const struct lode_joined_input *joined = &job->joined.at[i];

		lode_escape(path, sizeof(path), joined->path);
		lode_duration_text(joined->offset_ns, offset, sizeof(offset));
		if (joined->n_links)
			lode_say(self,
				 "%s: clock offset %s, from %zu receives of data that the other "
				 "hosts sent",
				 path, offset, joined->n_links);
		else if (joined->n_turns)
			lode_say(self,
				 "%s: clock offset %s, from %zu turns of messages between the "
				 "hosts; none of their receives could be paired, so no wait "
				 "continues in the other host",
				 path, offset, joined->n_turns);
		else
			lode_say(self,
				 "%s: clock offset %s, not verified: no traffic between the hosts "
				 "was recorded (lode record --network)",
				 path, offset);
	}
}

int lode_mine_say(const struct lode_command *self, const struct lode_mine_answer *answer, int rc,
		  const struct lode_error *err, struct lode_said *said)
{
	char lambda[LODE_UNITS_BUFFER];

	lode_say_skipped_once(self, &answer->set->job, said);
	say_joined(self, &answer->set->job);
	if (rc >= 0 && answer->is_raised)
		lode_say(self, "too many patterns at the default λ: those under λ = %s are ignored",
			 lode_format_cost(lambda, answer->mined->min_cost, answer->digest->unit));
	return rc < 0 ? lode_say_error(self, err) : lode_job_exit(&answer->set->job, LODE_EXIT_OK);
}

static int mine_and_put(const struct lode_command *self, const struct mine_values *v)
{
	char lambda[LODE_LAMBDA_WORDS_BYTES];
	struct lode_progress progress;
	struct lode_mine_request request =
		mine_request_of(v, lode_lambda_words(&v->mining, lambda, sizeof(lambda)),
				&progress);
	struct lode_mine_answer *answer;
	struct lode_error err;
	int code, put = LODE_EXIT_OK, rc;

	request.may_raise_lambda = true;
	lode_progress_start(&progress);
	rc = lode_mine_run(&answer, &request, &err);
	lode_progress_end(&progress);
	code = lode_mine_say(self, answer, rc, &err, NULL);
	request.reading.progress = NULL;
	if (rc >= 0)
		put = put_answer(self, v, answer, &request.reading);
	/* So that `lode sign` can mean these clusters; a repository that cannot be written can
	   still be mined. */
	if (!v->n_inputs && rc >= 0 && put == LODE_EXIT_OK && answer->mined)
		lode_mine_keep_run(request.repo, v->where, answer->mined, NULL);
	lode_mine_free(answer);
	return put ? put : code;
}

static int run_mine(const struct lode_command *self, int argc, char **argv)
{
	struct mine_values values;
	int n, code = LODE_EXIT_OK;

	init_values(&values);
	if (lode_command_start(self, &values, argc, argv, &n, &code)) {
		values.inputs = argv;
		values.n_inputs = (size_t)n;
		lode_asked_make(&values.asked, self, argc, argv, n, NULL);
		settle_values(&values);
		code = check_values(self, &values, n);
		if (code == 0)
			code = check_join(self, &values);
		if (code == 0)
			code = mine_and_put(self, &values);
	}
	lode_aoi_values_release(&values.aoi);
	lode_vec_release(&values.clock_offsets);
	lode_vec_release(&values.source_dirs);
	lode_vec_release(&values.offsets_ns);
	lode_asked_release(&values.asked);
	return code;
}

const struct lode_command lode_cmd_mine = {
	.name = "mine",
	.summary = "rank the call patterns that made users wait",
	.usage = "[OPTION]... INPUT... | --repo FILE [--where QUERY]",
	.description =
		"Reads recordings (a folder means every recording in it) or digests, finds the "
		"symptoms (which thread was slow, and when), follows each along the threads and "
		"devices that it waited for, and mines the call stacks of that time for costly "
		"patterns: functions that occur in the same order in many stacks, with any others "
		"in between. Similar patterns form a cluster: one problem, reached by any path.\n\n"
		"The own cost of a cluster is counted in no other cluster; its total (inclusive) "
		"cost also has what it shares with others. Own costs and the unexplained rest add "
		"up to the total time, to the nanosecond.",
	.reads = LODE_HOLDS_SAMPLES,
	.options = options,
	.examples = examples,
	.run = run_mine,
};
