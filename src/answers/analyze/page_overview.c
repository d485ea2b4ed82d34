#include "answers/analyze/page_overview.h"

#include <string.h>

#include "tool/command.h"
#include "tool/help.h"
#include "document/units.h"

static void add_run(struct lode_page_overview *overview, struct lode_page_runs *runs, size_t i,
		    size_t n_details)
{
	const struct lode_page_run *from = &runs->list.at[i];
	struct lode_analyze_run run = {
		.analysis = from->analysis,
		.title = from->title,
		.command = lode_page_run_text(runs, from),
		.exit_code = from->exit_code,
		.elapsed_ns = from->elapsed_ns,
		.findings = {.summary = ""},
	};

	if (from->n_parts) {
		const struct lode_html_part *part = &runs->reports.parts.at[from->first_part];

		run.report = part->name;
		if (part->findings)
			lode_findings_parse(&run.findings, part->findings, strlen(part->findings),
					    &overview->arena);
		if (run.findings.n_details > n_details)
			run.findings.n_details = n_details;
	}
	lode_vec_append(&overview->runs, run);
}

static bool is_worse(const struct lode_analyze_run *a, const struct lode_analyze_run *b)
{
	return a->report && b->report && strcmp(a->analysis, b->analysis) == 0 &&
	       a->findings.weight > b->findings.weight;
}

/* Of one kind of analysis what hurts most comes first; equals stay in the order of folders. */
static void order_runs(struct lode_page_overview *overview)
{
	for (size_t i = 1; i < overview->runs.n; i++) {
		struct lode_analyze_run run = overview->runs.at[i];
		size_t k = i;

		for (; k > 0 && is_worse(&run, &overview->runs.at[k - 1]); k--)
			overview->runs.at[k] = overview->runs.at[k - 1];
		overview->runs.at[k] = run;
	}
}

/* The overview as a report, the first. */
static void put_first(struct lode_page_overview *overview, struct lode_page_runs *runs)
{
	struct lode_html_part part = {.name = "overview", .schema = "lode/analyze/1"};
	char *json = NULL, title[1024];
	FILE *out = open_memstream(&json, &part.json_bytes);

	if (!out)
		lode_oom(1);
	lode_document_put(out, &lode_analyze_document, &overview->report, NULL);
	if (fclose(out) != 0)
		lode_oom(part.json_bytes);
	lode_html_title(title, sizeof(title), overview->report.inputs, overview->report.n_inputs);
	part.title = lode_arena_strndup(&runs->reports.arena, title, strlen(title));
	part.json = lode_arena_strndup(&runs->reports.arena, json, part.json_bytes);
	free(json);
	lode_vec_append(&runs->reports.parts, part);
	memmove(runs->reports.parts.at + 1, runs->reports.parts.at,
		(runs->reports.parts.n - 1) * sizeof(part));
	runs->reports.parts.at[0] = part;
}

void lode_page_overview_make(struct lode_page_overview *overview, struct lode_page_runs *runs,
			     const struct lode_survey *survey, char *const *inputs, size_t n_inputs)
{
	size_t n_reports = 0;

	for (size_t i = 0; i < runs->list.n; i++)
		n_reports += runs->list.at[i].n_parts > 0;
	/* What gave nothing stands last. */
	for (int is_empty = 0; is_empty < 2; is_empty++)
		for (size_t i = 0; i < runs->list.n; i++)
			if ((runs->list.at[i].n_parts == 0) == is_empty)
				add_run(overview, runs, i, lode_analyze_details(n_reports));
	order_runs(overview);
	overview->report = (struct lode_analyze_report){
		.inputs = inputs,
		.n_inputs = n_inputs,
		.survey = survey,
		.runs = overview->runs.at,
		.n_runs = overview->runs.n,
		.columns = lode_columns(stdout, 100),
		.is_terminal = lode_columns(stdout, 0) > 0,
	};
	lode_analyze_count(&overview->report);
	put_first(overview, runs);
}

int lode_page_overview_exit(const struct lode_page_overview *overview)
{
	size_t n_reports = 0;
	bool is_whole = overview->report.survey->unread.n == 0, has_failed = false;

	for (size_t i = 0; i < overview->runs.n; i++) {
		n_reports += overview->runs.at[i].report != NULL;
		is_whole = is_whole && overview->runs.at[i].exit_code == LODE_EXIT_OK;
		has_failed = has_failed || overview->runs.at[i].exit_code == LODE_EXIT_FAILURE;
	}
	if (n_reports == 0)
		return has_failed ? LODE_EXIT_FAILURE : LODE_EXIT_NOTHING;
	return is_whole ? LODE_EXIT_OK : LODE_EXIT_INCOMPLETE;
}

void lode_page_overview_release(struct lode_page_overview *overview)
{
	lode_vec_release(&overview->runs);
	lode_arena_release(&overview->arena);
}
