/* What fits the inputs. */
#include "answers/analyze/plan.h"

#include <unistd.h>

#include "answers/info/info.h"
#include "base/shell_words.h"
#include "base/written.h"
#include "store/timeline_file.h"

/* Recordings of one folder were made alike: so many are asked what they hold. */
enum { MOST_ASKED = 4 };

struct planner {
	lode_analyze_steps *steps;
	const struct lode_analyze_request *request;
	const char *folder; /* of temporary files */
	struct lode_arena *arena;
	FILE *line; /* the command line of the step that is planned */
	char *line_text;
	size_t line_bytes;
	long options_at, operands_at; /* where they start in it */
};

/* ---- Steps and their command lines ---- */

static struct lode_analyze_step *new_step(struct planner *p, enum lode_analyze_kind kind,
					  const char *title)
{
	static const char *const names[LODE_N_ANALYZE_KINDS] = {"mine",	    "triage", "suspects",
								"timeline", "pio",    "page"};
	struct lode_analyze_step *step = lode_vec_append_zero(p->steps);

	step->run = (struct lode_analyze_run){
		.kind = kind, .analysis = names[kind], .title = title, .command = ""};
	p->line = lode_written_open(&p->line_text, &p->line_bytes);
	return step;
}

static void end_step(struct planner *p, struct lode_analyze_step *step)
{
	const char *line = lode_written_keep(p->line, &p->line_text, &p->line_bytes, p->arena);
	const char *options = line + p->options_at, *operands = line + p->operands_at;

	step->run.command = line;
	if (step->run.kind == LODE_ANALYZE_PAGE)
		return;
	step->asked.command = step->run.analysis;
	step->asked.has_page = true; /* that of all */
	step->asked.options = lode_arena_strndup(p->arena, options, (size_t)(operands - options));
	step->asked.operands = lode_arena_strdup(p->arena, operands);
	if (!step->asked.next_options)
		step->asked.next_options = step->asked.options;
}

static void say_word(struct planner *p, const char *option, const char *word)
{
	fputs(option, p->line);
	fputc(' ', p->line);
	lode_shell_word_put(p->line, word);
}

static void say_words(struct planner *p, const struct lode_analyze_words *words)
{
	lode_shell_words_put(p->line, words->at, words->n);
}

static char *words_text(const struct planner *p, const struct lode_analyze_words *words)
{
	struct planner own = {.arena = p->arena};

	own.line = lode_written_open(&own.line_text, &own.line_bytes);
	say_words(&own, words);
	return (char *)lode_written_keep(own.line, &own.line_text, &own.line_bytes, p->arena);
}

static void say_command(struct planner *p, const char *command)
{
	fprintf(p->line, "lode %s", command);
	p->options_at = ftell(p->line);
	say_words(p, &p->request->options);
}

/* What follows are operands. */
static void end_options(struct planner *p)
{
	p->operands_at = ftell(p->line);
}

const char *lode_analyze_join(struct lode_arena *arena, const char *a, const char *b)
{
	size_t n = strlen(a) + strlen(b) + 1;
	char *text = lode_arena_alloc(arena, n, 1);

	snprintf(text, n, "%s%s", a, b);
	return text;
}

/* The step's own file in the folder of temporary files. */
static const char *temporary(struct planner *p, const char *suffix)
{
	char name[40];

	snprintf(name, sizeof(name), "/%zu%s", p->steps->n - 1, suffix);
	return lode_analyze_join(p->arena, p->folder, name);
}

/* ---- Recordings ---- */

struct asked {
	bool is_mined, has_suspects;
};

/* Whether a recording serves an analysis; false: it cannot be read, which others say. */
static bool ask_recording(struct lode_serves *mine, struct lode_serves *suspects, char *path)
{
	const struct lode_info_request request = {
		.inputs = &path, .n_inputs = 1, .source = {.narrow = lode_narrow_none}, .top = 1};
	struct lode_info_answer *answer;
	bool is_known = lode_info_run(&answer, &request, NULL) == LODE_OK && answer->n_streams > 0;

	if (is_known) {
		*mine = answer->streams[0].quality.serves[LODE_ANALYSIS_MINE];
		*suspects = answer->streams[0].quality.serves[LODE_ANALYSIS_SUSPECTS];
	}
	lode_info_free(answer);
	return is_known;
}

/*
 * Of a folder's recordings: `lode mine` runs unless they hold nothing that costs time; `lode
 * suspects` if they hold what it measures best, calls with entry and exit, or what it measures at
 * all where nothing is mined. Where neither fits, it is `lode mine` that says why.
 */
static struct asked ask_recordings(const lode_path_list *recordings)
{
	struct asked asked = {0};
	bool is_measured = false;

	for (size_t i = 0; i < recordings->n && i < MOST_ASKED && !asked.is_mined; i++) {
		struct lode_serves mine, suspects;

		if (!ask_recording(&mine, &suspects, recordings->at[i]))
			return (struct asked){.is_mined = true};
		asked.is_mined = mine.service != LODE_SERVICE_NO;
		asked.has_suspects |= suspects.service == LODE_SERVICE_YES;
		is_measured |= suspects.service != LODE_SERVICE_NO;
	}
	asked.has_suspects |= is_measured && !asked.is_mined;
	asked.is_mined |= recordings->n && !asked.has_suspects;
	return asked;
}

/* In a folder the command finds the same recordings itself. */
static void plan_recordings(struct planner *p, const struct lode_survey_folder *folder,
			    enum lode_analyze_kind kind, const struct lode_analyze_words *options)
{
	const lode_path_list *recordings = &folder->of[LODE_SURVEY_RECORDING];
	struct lode_analyze_step *step =
		new_step(p, kind, *folder->path ? folder->path : recordings->at[0]);
	bool is_told = *folder->path == 0;

	step->inputs = is_told ? recordings->at : (char *const *)(uintptr_t)&folder->path;
	step->n_inputs = is_told ? recordings->n : 1;
	say_command(p, step->run.analysis);
	if (options)
		say_words(p, options);
	end_options(p);
	/* What is found is signed where the signatures are. */
	if (kind == LODE_ANALYZE_TRIAGE)
		step->asked.next_options = words_text(p, options);
	for (size_t i = 0; i < step->n_inputs; i++)
		say_word(p, "", step->inputs[i]);
	end_step(p, step);
}

/* ---- Function traces ---- */

/* A file of that name beside the trace; NULL: there is none. */
static const char *beside(struct planner *p, const struct lode_survey_folder *folder,
			  const char *name)
{
	const char *path = *folder->path ? folder->path : ".";

	path = lode_analyze_join(p->arena, lode_analyze_join(p->arena, path, "/"), name);
	return access(path, R_OK) == 0 ? path : NULL;
}

static bool is_index(const char *path)
{
	struct lode_call_trace *trace;

	if (lode_timeline_load(&trace, path, NULL) < 0)
		return false;
	lode_call_trace_free(trace);
	return true;
}

static void plan_calls(struct planner *p, const struct lode_survey_folder *folder)
{
	const lode_path_list *traces = &folder->of[LODE_SURVEY_CALLS];
	const char *symbols = traces->n ? beside(p, folder, "symbols.tsv") : NULL;
	const char *names = traces->n ? beside(p, folder, "threads.tsv") : NULL;

	for (size_t i = 0; i < traces->n; i++) {
		struct lode_analyze_step *step = new_step(p, LODE_ANALYZE_TIMELINE, traces->at[i]);

		step->inputs = &traces->at[i];
		step->n_inputs = 1;
		step->symbols = symbols;
		step->thread_names = names;
		if (p->request->is_served && !is_index(traces->at[i]))
			step->run.index = temporary(p, ".lodet");
		say_command(p, "timeline");
		if (symbols)
			say_word(p, " --symbols", symbols);
		if (names)
			say_word(p, " --thread-names", names);
		end_options(p);
		say_word(p, "", traces->at[i]);
		end_step(p, step);
	}
}

/* ---- Services ---- */

static void say_pio_inputs(struct planner *p, const struct lode_analyze_step *step)
{
	for (size_t i = 0; i < step->n_inputs; i++)
		say_word(p, step->pio[i].kind == LODE_PIO_LOG ? " --log" : " --counters",
			 step->pio[i].text);
}

/* With a model beside them, by it; else by one that is learnt from the same time. */
static void plan_pio(struct planner *p, const struct lode_survey_folder *folder)
{
	const lode_path_list *models = &folder->of[LODE_SURVEY_MODEL];
	const lode_path_list *logs = &folder->of[LODE_SURVEY_REQUESTS];
	const lode_path_list *counters = &folder->of[LODE_SURVEY_COUNTERS];
	struct lode_analyze_step *step;
	struct lode_pio_input *inputs;
	char **texts;

	if (!counters->n || (!models->n && !logs->n))
		return;
	step = new_step(p, LODE_ANALYZE_PIO, *folder->path ? folder->path : counters->at[0]);
	step->n_inputs = logs->n + counters->n;
	step->pio = inputs = lode_arena_array(p->arena, struct lode_pio_input, step->n_inputs);
	step->inputs = texts = lode_arena_array(p->arena, char *, step->n_inputs);
	for (size_t i = 0; i < step->n_inputs; i++) {
		texts[i] = i < logs->n ? logs->at[i] : counters->at[i - logs->n];
		inputs[i] = (struct lode_pio_input){i < logs->n ? LODE_PIO_LOG : LODE_PIO_COUNTERS,
						    texts[i]};
	}
	step->is_learnt = !models->n;
	step->model = models->n ? models->at[0] : temporary(p, ".model");
	if (step->is_learnt) {
		say_command(p, "pio train");
		say_pio_inputs(p, step);
		say_word(p, " --output", step->model);
		fputs(" && ", p->line);
	}
	say_command(p, "pio");
	say_word(p, " --model", step->model);
	say_pio_inputs(p, step);
	end_options(p);
	end_step(p, step);
}

static void plan_pages(struct planner *p, const struct lode_survey_folder *folder)
{
	const lode_path_list *pages = &folder->of[LODE_SURVEY_PAGE];

	for (size_t i = 0; i < pages->n; i++) {
		struct lode_analyze_step *step = new_step(p, LODE_ANALYZE_PAGE, pages->at[i]);

		step->inputs = &pages->at[i];
		step->n_inputs = 1;
		end_step(p, step);
	}
}

/* ---- The whole ---- */

static void plan_kind(struct planner *p, const struct lode_survey_folder *folder,
		      const struct asked *asked, enum lode_analyze_kind kind)
{
	const struct lode_analyze_request *request = p->request;

	if (kind == LODE_ANALYZE_MINE && asked->is_mined)
		plan_recordings(p, folder, kind, &request->mine_options);
	else if (kind == LODE_ANALYZE_TRIAGE && asked->is_mined && request->is_triaged)
		plan_recordings(p, folder, kind, &request->triage_options);
	else if (kind == LODE_ANALYZE_SUSPECTS && asked->has_suspects)
		plan_recordings(p, folder, kind, NULL);
	else if (kind == LODE_ANALYZE_TIMELINE)
		plan_calls(p, folder);
	else if (kind == LODE_ANALYZE_PIO)
		plan_pio(p, folder);
	else if (kind == LODE_ANALYZE_PAGE)
		plan_pages(p, folder);
}

void lode_analyze_plan(lode_analyze_steps *out, const struct lode_survey *survey,
		       const struct lode_analyze_request *request, const char *folder,
		       struct lode_arena *arena)
{
	struct planner p = {.steps = out, .request = request, .folder = folder, .arena = arena};
	struct asked *asked = lode_alloc0(survey->folders.n + 1, sizeof(*asked));

	for (size_t i = 0; i < survey->folders.n; i++)
		asked[i] = ask_recordings(&survey->folders.at[i].of[LODE_SURVEY_RECORDING]);
	for (int kind = 0; kind < LODE_N_ANALYZE_KINDS; kind++)
		for (size_t i = 0; i < survey->folders.n; i++)
			plan_kind(&p, &survey->folders.at[i], &asked[i],
				  (enum lode_analyze_kind)kind);
	free(asked);
}
