/* From a request to an answer: each analysis that fits, and their reports as parts of a page. */
#include "answers/analyze/plan.h"
#include "answers/timeline/page.h"
#include "base/clock.h"
#include "base/exit_codes.h"
#include "base/temporary_folder.h"
#include "document/html_read.h"
#include "answers/analyze/analyze.h"
#include "document/units.h"

/* ---- What is said first ---- */

static struct lode_opening opening_of_analyze(const struct lode_analyze_answer *answer,
					      struct lode_arena *arena)
{
	const struct lode_analyze_run *first = answer->n_reports ? &answer->runs[0] : NULL;
	char n[LODE_UNITS_BUFFER];

	if (!first)
		return (struct lode_opening){.finding = "No analysis produced a report."};
	if (answer->n_reports == 1)
		return (struct lode_opening){first->findings.summary, first->findings.next_command};
	return (struct lode_opening){
		lode_finding_text(arena, "%s. First, %s of %s: %s",
				  lode_format_plural(n, answer->n_reports, "report"),
				  first->analysis, first->title, first->findings.summary),
		first->findings.next_command};
}

/* ---- The answer ---- */

struct lode_analyze_state {
	struct lode_analyze_answer answer;
	const struct lode_analyze_request *request;
	struct lode_survey survey;
	lode_analyze_steps steps;
	LODE_VEC(struct lode_analyze_run) runs;
	struct lode_html_reports reports; /* the first is the overview */
	size_t step, step_parts;	  /* the step that runs, and how many parts were before */
	char *folder;			  /* of temporary files */
	int folder_lock;
	struct lode_arena arena;
};

/* ---- Parts of the page ---- */

/* "mine" is taken: "mine-2". What goes with a report, "NAME-part-3", goes with its new name. */
static const char *free_name(struct lode_analyze_state *s, size_t before, const char *name)
{
	const char *text = name;

	for (unsigned number = 2;; number++) {
		bool is_taken = false;

		for (size_t i = 0; i < before && !is_taken; i++)
			is_taken = strcmp(s->reports.parts.at[i].name, text) == 0;
		if (!is_taken)
			return text;
		text = lode_finding_text(&s->arena, "%.150s-%u", name, number);
	}
}

static void rename_parts(struct lode_analyze_state *s, size_t first)
{
	const char *base = NULL, *renamed = NULL;

	for (size_t i = first; i < s->reports.parts.n; i++) {
		struct lode_html_part *part = &s->reports.parts.at[i];
		size_t n = base ? strlen(base) : 0;

		if (base && strncmp(part->name, base, n) == 0 &&
		    strncmp(part->name + n, "-part-", 6) == 0) {
			part->name = lode_analyze_join(&s->arena, renamed, part->name + n);
			continue;
		}
		base = part->name;
		renamed = free_name(s, i, base);
		part->name = renamed;
	}
}

/* ---- One analysis after the other ---- */

static void say_end(const struct lode_analyze_state *s, struct lode_analyze_run *run,
		    struct lode_analyze_end end)
{
	end.kind = run->kind;
	run->exit_code = s->request->ends(s->request->context, &end);
}

/* Says what a command has come to, and takes its report; `document` NULL: it gave none. */
static void end_command(struct lode_analyze_state *s, struct lode_analyze_step *step,
			const struct lode_document *document, const void *answer, int rc,
			const struct lode_error *err)
{
	struct lode_html_part part;

	say_end(s, &step->run, (struct lode_analyze_end){.answer = answer, .rc = rc, .err = err});
	if (rc < 0 || !document)
		return;
	lode_html_part_make(&part, document, answer, step->inputs, step->n_inputs);
	lode_html_reports_take(&s->reports, &part, 1);
	lode_html_part_release(&part);
	document->find(&step->run.findings, answer, &s->arena);
}

static void mine_recordings(struct lode_analyze_state *s, struct lode_analyze_step *step,
			    const struct lode_mine_request *request)
{
	struct lode_mine_answer *answer;
	struct lode_error err;
	int rc = lode_mine_run(&answer, request, &err);

	end_command(s, step, &lode_mine_document, answer, rc, &err);
	if (rc < 0 || !s->request->is_served) {
		lode_mine_free(answer);
		return;
	}
	step->run.mine = answer;
	step->run.reading = request->reading;
}

/* Another option of the command that a step runs. */
static void add_option(struct lode_analyze_step *step, struct lode_arena *arena, const char *option)
{
	step->run.command = lode_analyze_join(arena, step->run.command, option);
	step->asked.options = (char *)lode_analyze_join(arena, step->asked.options, option);
}

struct raising {
	struct lode_analyze_step *step;
	struct lode_arena *arena;
};

static void raise_lambda(void *context, const char *min_cost)
{
	const struct raising *raising = context;

	add_option(raising->step, raising->arena,
		   lode_analyze_join(raising->arena, " --min-cost ", min_cost));
}

/* Mines the default symptoms; where there are none, perhaps because the whole machine was recorded,
   every thread's. */
static void run_mine(struct lode_analyze_state *s, struct lode_analyze_step *step)
{
	struct lode_mine_request request = s->request->mine;
	struct raising raising = {step, &s->arena};

	request.may_raise_lambda = true;
	request.raise_lambda = raise_lambda;
	request.raise_context = &raising;
	request.inputs = step->inputs;
	request.n_inputs = step->n_inputs;
	request.asked = &step->asked;
	mine_recordings(s, step, &request);
	if (step->run.exit_code != LODE_EXIT_NOTHING || s->request->are_symptoms_given)
		return;
	add_option(step, &s->arena, " --symptom 'comm=*'");
	request.reading.symptoms.select = "comm=*";
	mine_recordings(s, step, &request);
}

static void run_triage(struct lode_analyze_state *s, struct lode_analyze_step *step)
{
	struct lode_triage_request request;
	struct lode_triage_answer *answer;
	struct lode_error err;
	int rc;

	step->run.exit_code = s->request->ask_triage(s->request->context, &request);
	if (step->run.exit_code != LODE_EXIT_OK)
		return;
	request.streams.inputs = step->inputs;
	request.streams.n_inputs = step->n_inputs;
	request.asked = &step->asked;
	rc = lode_triage_run(&answer, &request, &err);
	end_command(s, step, &lode_triage_document, answer, rc, &err);
	lode_triage_free(answer);
}

static void run_suspects(struct lode_analyze_state *s, struct lode_analyze_step *step)
{
	struct lode_suspects_request request = s->request->suspects;
	struct lode_suspects_answer *answer;
	struct lode_error err;
	int rc;

	request.inputs[LODE_SIDE_SUBJECT] = step->inputs;
	request.n_inputs[LODE_SIDE_SUBJECT] = step->n_inputs;
	request.asked = &step->asked;
	rc = lode_suspects_run(&answer, &request, &err);
	end_command(s, step, answer->nothing_in ? NULL : &lode_suspects_document, answer, rc, &err);
	lode_suspects_answer_free(answer);
}

static void run_timeline(struct lode_analyze_state *s, struct lode_analyze_step *step)
{
	struct lode_timeline_request request = s->request->timeline;
	bool is_whole_only = s->request->is_served;
	struct lode_timeline_answer *answer;
	struct lode_html_part *parts = NULL;
	struct lode_error err;
	size_t n = 0;
	int rc;

	request.input = step->inputs[0];
	request.asked = &step->asked;
	request.reading.index = step->run.index;
	request.reading.reading.symbols = step->symbols;
	request.reading.reading.thread_names = step->thread_names;
	rc = lode_timeline_run(&answer, &request, &err);
	if (rc >= 0)
		rc = lode_timeline_add_views(answer, is_whole_only, &err);
	end_command(s, step, NULL, answer, rc, &err);
	if (rc >= 0) {
		n = lode_timeline_html_parts(&parts, answer, step->inputs[0], is_whole_only);
		lode_timeline_findings(&step->run.findings, answer, &s->arena);
	}
	lode_html_reports_take(&s->reports, parts, n);
	for (size_t i = 0; i < n; i++)
		lode_html_part_release(&parts[i]);
	free(parts);
	lode_timeline_free(answer);
}

static void learn_pio(struct lode_analyze_state *s, struct lode_analyze_step *step)
{
	struct lode_pio_train_request request = s->request->train;
	struct lode_pio_trained *trained;
	struct lode_error err;
	int rc;

	request.inputs.at = step->pio;
	request.inputs.n = step->n_inputs;
	request.model = step->model;
	rc = lode_pio_train_run(&trained, &request, &err);
	say_end(s, &step->run, (struct lode_analyze_end){.pio = trained, .rc = rc, .err = &err});
	lode_pio_trained_free(trained);
}

static void run_pio(struct lode_analyze_state *s, struct lode_analyze_step *step)
{
	struct lode_pio_request request = s->request->pio;
	struct lode_pio_answer *answer;
	struct lode_error err;
	int rc;

	if (step->is_learnt)
		learn_pio(s, step);
	if (step->run.exit_code > LODE_EXIT_INCOMPLETE)
		return;
	request.model = step->model;
	request.inputs.at = step->pio;
	request.inputs.n = step->n_inputs;
	/* A model that was learnt here is gone when the report is read. */
	request.asked = step->is_learnt ? NULL : &step->asked;
	rc = lode_pio_run(&answer, &request, &err);
	end_command(s, step, &lode_pio_document, answer, rc, &err);
	lode_pio_free(answer);
}

static int read_page(struct lode_analyze_state *s, struct lode_analyze_step *step,
		     struct lode_error *err)
{
	size_t first = s->reports.parts.n;
	int rc = lode_html_read(&s->reports, step->inputs[0], err);

	if (rc == LODE_OK && s->reports.parts.at[first].findings)
		lode_findings_parse(&step->run.findings, s->reports.parts.at[first].findings,
				    strlen(s->reports.parts.at[first].findings), &s->arena);
	return rc;
}

static int run_step(struct lode_analyze_state *s, size_t i, struct lode_error *err)
{
	static void (*const runs[LODE_N_ANALYZE_KINDS])(struct lode_analyze_state *,
							struct lode_analyze_step *) = {
		run_mine, run_triage, run_suspects, run_timeline, run_pio,
	};
	struct lode_analyze_step *step = &s->steps.at[i];
	int64_t start_ns = lode_clock_ns(CLOCK_MONOTONIC);
	size_t first = s->reports.parts.n;
	int rc = LODE_OK;

	s->step = i;
	s->step_parts = first;
	step->run.findings.summary = "";
	s->request->starts(s->request->context, &step->run, i, s->steps.n);
	if (step->run.kind == LODE_ANALYZE_PAGE)
		rc = read_page(s, step, err);
	else
		runs[step->run.kind](s, step);
	step->run.elapsed_ns = lode_clock_ns(CLOCK_MONOTONIC) - start_ns;
	if (rc < 0 || s->reports.parts.n == first)
		return rc;
	rename_parts(s, first);
	step->run.report = s->reports.parts.at[first].name;
	s->answer.n_reports++;
	return rc;
}

/* ---- The overview ---- */

/* How many details each run may show so that all fit into ten lines or so. */
static size_t details_of_each(size_t n_reports)
{
	enum { LINES = 10 };
	size_t each = n_reports ? LINES / n_reports : LINES;

	/* The line above them says what the analysis found as a whole. */
	return each < 2 ? 1 : each > LODE_FINDINGS_MOST ? LODE_FINDINGS_MOST : each - 1;
}

static bool is_worse(const struct lode_analyze_run *a, const struct lode_analyze_run *b)
{
	return a->report && b->report && a->kind == b->kind &&
	       a->findings.weight > b->findings.weight;
}

/* What gave nothing stands last. Of one kind of analysis what hurts most comes first; equals stay
   in the order of folders. */
static void list_runs(struct lode_analyze_state *s)
{
	size_t n_details = details_of_each(s->answer.n_reports);

	for (int is_empty = 0; is_empty < 2; is_empty++)
		for (size_t i = 0; i < s->steps.n; i++) {
			struct lode_analyze_run run = s->steps.at[i].run;
			size_t k = s->runs.n;

			if ((run.report == NULL) != (is_empty == 1))
				continue;
			if (run.findings.n_details > n_details)
				run.findings.n_details = n_details;
			lode_vec_append(&s->runs, run);
			for (; k > 0 && is_worse(&run, &s->runs.at[k - 1]); k--)
				s->runs.at[k] = s->runs.at[k - 1];
			s->runs.at[k] = run;
		}
}

static void lay_out_analyze(struct lode_analyze_state *s)
{
	struct lode_analyze_answer *answer = &s->answer;
	struct lode_html_part part;

	for (size_t i = 0; i < s->survey.folders.n; i++)
		for (int kind = 0; kind < LODE_N_SURVEY_KINDS; kind++)
			answer->n_found[kind] += s->survey.folders.at[i].of[kind].n;
	answer->n_found[LODE_SURVEY_OTHER] = s->survey.n_other;
	list_runs(s);
	answer->runs = s->runs.at;
	answer->n_runs = s->runs.n;
	answer->opening = opening_of_analyze(answer, &s->arena);
	lode_html_part_make(&part, &lode_analyze_document, answer, answer->inputs,
			    answer->n_inputs);
	lode_html_reports_take(&s->reports, &part, 1);
	lode_html_part_release(&part);
	s->reports.parts.at[0] = s->reports.parts.at[--s->reports.parts.n];
	s->reports.parts.at[0].name = "overview";
	answer->parts = s->reports.parts.at;
	answer->n_parts = s->reports.parts.n;
}

/* Memory ended in a step: what the steps before it gave is the answer. */
static int cut_short(void *context)
{
	struct lode_analyze_state *s = context;

	if (s->answer.n_reports == 0)
		return LODE_EXIT_FAILURE;
	s->reports.parts.n = s->step_parts;
	for (size_t i = s->step; i < s->steps.n; i++) {
		s->steps.at[i].run.exit_code = LODE_EXIT_FAILURE;
		s->steps.at[i].run.findings = (struct lode_findings){.summary = ""};
	}
	lay_out_analyze(s);
	return s->request->cut_short(s->request->context, &s->answer);
}

int lode_analyze_run(struct lode_analyze_answer **out, const struct lode_analyze_request *request,
		     struct lode_error *err)
{
	struct lode_analyze_state *s = lode_alloc0(1, sizeof(*s));
	int rc;

	s->request = request;
	s->answer = (struct lode_analyze_answer){.inputs = request->inputs,
						 .n_inputs = request->n_inputs,
						 .survey = &s->survey,
						 .state = s};
	*out = &s->answer;
	s->survey.output = request->output;
	lode_survey(&s->survey, request->inputs, request->n_inputs);
	request->surveyed(request->context, &s->survey);
	rc = lode_temporary_folder_make(&s->folder, &s->folder_lock, err);
	if (rc < 0)
		return rc;
	lode_analyze_plan(&s->steps, &s->survey, request, s->folder, &s->arena);
	lode_vec_append_zero(&s->reports.parts)->name = "overview";
	if (request->cut_short)
		lode_memory_before_end(cut_short, s);
	for (size_t i = 0; i < s->steps.n && rc >= 0; i++)
		rc = run_step(s, i, err);
	lode_memory_before_end(NULL, NULL);
	if (rc < 0)
		return rc;
	lay_out_analyze(s);
	return rc;
}

void lode_analyze_free(struct lode_analyze_answer *answer)
{
	struct lode_analyze_state *s = answer ? answer->state : NULL;

	if (!s)
		return;
	if (s->folder)
		lode_temporary_folder_remove(s->folder, s->folder_lock);
	lode_vec_release_each(&s->steps, it, lode_mine_free(it->run.mine));
	lode_vec_release(&s->runs);
	lode_html_reports_release(&s->reports);
	lode_survey_release(&s->survey);
	lode_arena_release(&s->arena);
	free(s);
}
