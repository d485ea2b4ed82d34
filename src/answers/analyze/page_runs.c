#include "answers/analyze/page_runs.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "answers/info/info.h"
#include "base/clock.h"
#include "base/escape.h"
#include "base/temporary_folder.h"
#include "tool/messages.h"
#include "document/html_split.h"
#include "store/timeline_file.h"

/* Recordings of one folder were made alike: so many are asked what they hold. */
enum { MOST_ASKED = 4 };

void lode_page_runs_say_unread(const struct lode_command *self, const struct lode_survey *survey)
{
	char path[1200];

	for (size_t i = 0; i < survey->unread.n; i++)
		lode_say(self, "%s: %s", lode_escape(path, sizeof(path), survey->unread.at[i].path),
			 survey->unread.at[i].reason);
}

/* ---- Planning ---- */

static const char *copy_page_runs(struct lode_page_runs *runs, const char *text)
{
	return lode_arena_strndup(&runs->arena, text, strlen(text));
}

static const char *join_page_runs(struct lode_page_runs *runs, const char *a, const char *b)
{
	size_t n = strlen(a) + strlen(b) + 1;
	char *text = lode_arena_alloc(&runs->arena, n, 1);

	snprintf(text, n, "%s%s", a, b);
	return text;
}

static struct lode_page_run *new_run(struct lode_page_runs *runs, const char *analysis,
				     const char *title)
{
	struct lode_page_run *run = lode_vec_append_zero(&runs->list);

	run->analysis = analysis;
	run->title = copy_page_runs(runs, title);
	return run;
}

static void say_page_runs(struct lode_page_runs *runs, lode_words *words, const char *word)
{
	lode_vec_append(words, copy_page_runs(runs, word));
}

static void say_machine(struct lode_page_runs *runs, lode_words *words, const char *threads)
{
	if (threads) {
		say_page_runs(runs, words, "--threads");
		say_page_runs(runs, words, threads);
	}
	if (runs->memory) {
		say_page_runs(runs, words, "--memory");
		say_page_runs(runs, words, runs->memory);
	}
}

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
 * Of a folder's recordings: `lode suspects` runs if they hold what it measures best, calls with
 * entry and exit; `lode mine` unless they hold nothing that costs time. Where neither fits, it is
 * `lode mine` that says why.
 */
static void ask_recordings(bool *is_mined, bool *has_suspects, const lode_path_list *recordings)
{
	*is_mined = *has_suspects = false;
	for (size_t i = 0; i < recordings->n && i < MOST_ASKED && !*is_mined; i++) {
		struct lode_serves mine, suspects;

		if (!ask_recording(&mine, &suspects, recordings->at[i])) {
			*is_mined = true;
			return;
		}
		*is_mined = mine.service != LODE_SERVICE_NO;
		*has_suspects = *has_suspects || suspects.service == LODE_SERVICE_YES;
	}
	*is_mined = *is_mined || !*has_suspects;
}

/* In a folder the command finds the same files itself; bundles it must be told. */
static void say_recordings(struct lode_page_runs *runs, lode_words *words,
			   const struct lode_survey_folder *folder)
{
	const lode_path_list *recordings = &folder->of[LODE_SURVEY_RECORDING];
	bool is_told = *folder->path == 0;

	for (size_t i = 0; i < recordings->n; i++)
		is_told = is_told || lode_survey_is_bundle(recordings->at[i]);
	if (!is_told)
		say_page_runs(runs, words, folder->path);
	for (size_t i = 0; i < recordings->n && is_told; i++)
		say_page_runs(runs, words, recordings->at[i]);
}

/* `analysis`: mine, triage or suspects. */
static void plan_recordings(struct lode_page_runs *runs, const struct lode_survey_folder *folder,
			    const char *analysis, const char *threads)
{
	const lode_path_list *recordings = &folder->of[LODE_SURVEY_RECORDING];
	struct lode_page_run *run;

	if (!recordings->n)
		return;
	run = new_run(runs, analysis, *folder->path ? folder->path : recordings->at[0]);
	say_page_runs(runs, &run->words, analysis);
	say_machine(runs, &run->words, threads);
	for (size_t i = 0;
	     strcmp(analysis, "mine") == 0 && runs->mine_options && i < runs->mine_options->n; i++)
		say_page_runs(runs, &run->words, runs->mine_options->at[i]);
	if (strcmp(analysis, "triage") == 0) {
		say_page_runs(runs, &run->words, runs->signatures ? "--signatures" : "--repo");
		say_page_runs(runs, &run->words, runs->signatures ? runs->signatures : runs->repo);
	}
	run->first_input = run->words.n;
	say_recordings(runs, &run->words, folder);
}

/* A file of that name beside the trace; NULL: there is none. */
static const char *beside(struct lode_page_runs *runs, const struct lode_survey_folder *folder,
			  const char *name)
{
	const char *path = join_page_runs(runs, *folder->path ? folder->path : ".", "/");

	path = join_page_runs(runs, path, name);
	return access(path, R_OK) == 0 ? path : NULL;
}

/* A file of this number in the folder of temporary files. */
static const char *temporary(struct lode_page_runs *runs, size_t number, const char *suffix)
{
	char name[40];

	snprintf(name, sizeof(name), "/%zu%s", number, suffix);
	return join_page_runs(runs, runs->folder, name);
}

static bool is_index(const char *path)
{
	struct lode_call_trace *trace;

	if (lode_timeline_load(&trace, path, NULL) < 0)
		return false;
	lode_call_trace_free(trace);
	return true;
}

static void plan_calls(struct lode_page_runs *runs, const struct lode_survey_folder *folder,
		       const char *threads, bool with_indices)
{
	const lode_path_list *traces = &folder->of[LODE_SURVEY_CALLS];
	const char *symbols = traces->n ? beside(runs, folder, "symbols.tsv") : NULL;
	const char *names = traces->n ? beside(runs, folder, "threads.tsv") : NULL;

	for (size_t i = 0; i < traces->n; i++) {
		struct lode_page_run *run = new_run(runs, "timeline", traces->at[i]);

		say_page_runs(runs, &run->words, "timeline");
		say_machine(runs, &run->words, threads);
		if (symbols) {
			say_page_runs(runs, &run->words, "--symbols");
			say_page_runs(runs, &run->words, symbols);
		}
		if (names) {
			say_page_runs(runs, &run->words, "--thread-names");
			say_page_runs(runs, &run->words, names);
		}
		say_page_runs(runs, &run->words, traces->at[i]);
		run->is_served = with_indices;
		if (with_indices && !is_index(traces->at[i]))
			run->index = temporary(runs, runs->list.n - 1, ".lodet");
	}
}

static void say_inputs(struct lode_page_runs *runs, lode_words *words,
		       const struct lode_survey_folder *folder)
{
	for (size_t i = 0; i < folder->of[LODE_SURVEY_REQUESTS].n; i++) {
		say_page_runs(runs, words, "--log");
		say_page_runs(runs, words, folder->of[LODE_SURVEY_REQUESTS].at[i]);
	}
	for (size_t i = 0; i < folder->of[LODE_SURVEY_COUNTERS].n; i++) {
		say_page_runs(runs, words, "--counters");
		say_page_runs(runs, words, folder->of[LODE_SURVEY_COUNTERS].at[i]);
	}
}

/* With a model beside them, by it; else by one that is learnt from the same time. */
static void plan_pio(struct lode_page_runs *runs, const struct lode_survey_folder *folder,
		     const char *threads)
{
	const lode_path_list *models = &folder->of[LODE_SURVEY_MODEL];
	struct lode_page_run *run;
	const char *model;

	if (!folder->of[LODE_SURVEY_COUNTERS].n ||
	    (!models->n && !folder->of[LODE_SURVEY_REQUESTS].n))
		return;
	run = new_run(runs, "pio",
		      *folder->path ? folder->path : folder->of[LODE_SURVEY_COUNTERS].at[0]);
	if (models->n) {
		model = models->at[0];
	} else {
		model = temporary(runs, runs->list.n - 1, ".model");
		say_page_runs(runs, &run->before, "pio");
		say_page_runs(runs, &run->before, "train");
		say_machine(runs, &run->before, threads);
		say_inputs(runs, &run->before, folder);
		say_page_runs(runs, &run->before, "--output");
		say_page_runs(runs, &run->before, model);
	}
	say_page_runs(runs, &run->words, "pio");
	say_machine(runs, &run->words, threads);
	say_page_runs(runs, &run->words, "--model");
	say_page_runs(runs, &run->words, model);
	say_inputs(runs, &run->words, folder);
}

enum step { MINE, TRIAGE, SUSPECTS, TIMELINES, PIO, PAGES, N_STEPS };

struct asked {
	bool is_mined, has_suspects;
};

static void plan_step(struct lode_page_runs *runs, const struct lode_survey_folder *folder,
		      const struct asked *asked, int step, const char *threads, bool with_indices)
{
	const lode_path_list *pages = &folder->of[LODE_SURVEY_PAGE];

	if (step == MINE && asked->is_mined)
		plan_recordings(runs, folder, "mine", threads);
	else if (step == TRIAGE && asked->is_mined && (runs->repo || runs->signatures))
		plan_recordings(runs, folder, "triage", threads);
	else if (step == SUSPECTS && asked->has_suspects)
		plan_recordings(runs, folder, "suspects", threads);
	else if (step == TIMELINES)
		plan_calls(runs, folder, threads, with_indices);
	else if (step == PIO)
		plan_pio(runs, folder, threads);
	for (size_t k = 0; step == PAGES && k < pages->n; k++)
		new_run(runs, "page", pages->at[k]);
}

int lode_page_runs_plan(struct lode_page_runs *runs, const struct lode_survey *survey,
			const char *threads, bool with_indices, struct lode_error *err)
{
	struct asked *asked = lode_alloc0(survey->folders.n + 1, sizeof(*asked));
	int rc = lode_temporary_folder_make(&runs->folder, &runs->folder_lock, err);

	for (size_t i = 0; i < survey->folders.n && rc == LODE_OK; i++)
		if (survey->folders.at[i].of[LODE_SURVEY_RECORDING].n)
			ask_recordings(&asked[i].is_mined, &asked[i].has_suspects,
				       &survey->folders.at[i].of[LODE_SURVEY_RECORDING]);
	for (int step = 0; step < N_STEPS && rc == LODE_OK; step++)
		for (size_t i = 0; i < survey->folders.n; i++)
			plan_step(runs, &survey->folders.at[i], &asked[i], step, threads,
				  with_indices);
	free(asked);
	return rc;
}

/* ---- Running ---- */

/* Options behind the command's name; NULL: not given. */
struct further {
	const char *index;
	bool has_page, is_whole_only;
};

void lode_page_runs_take(void *context, const struct lode_html_part *parts, size_t n_parts)
{
	struct lode_page_runs *runs = context;
	struct lode_arena *arena = &runs->reports.arena;

	for (size_t i = 0; i < n_parts; i++) {
		struct lode_html_text json = {0};
		struct lode_html_part part = parts[i];

		lode_html_add_compact(&json, part.json, part.json_bytes);
		part.json = lode_arena_strndup(arena, json.bytes.at, json.bytes.n);
		part.json_bytes = json.bytes.n;
		part.name = lode_arena_strndup(arena, part.name, strlen(part.name));
		part.title = lode_arena_strndup(arena, part.title, strlen(part.title));
		if (part.findings)
			part.findings =
				lode_arena_strndup(arena, part.findings, strlen(part.findings));
		lode_vec_append(&runs->reports.parts, part);
		lode_vec_release(&json.bytes);
	}
}

/* Runs a command inside of this one, with its command line; gives its exit code. */
static int run_words(struct lode_page_runs *runs, const lode_words *words, struct further further)
{
	const struct lode_page_taker taker = {runs, lode_page_runs_take};
	struct lode_command command = *lode_command_find(words->at[0]);
	LODE_VEC(char *) argv = {0}; /* which commands may order anew */
	int code;

	for (size_t i = 1; i < words->n; i++)
		lode_vec_append(&argv, (char *)(uintptr_t)words->at[i]);
	if (further.has_page) {
		lode_vec_append(&argv, (char *)"--html");
		lode_vec_append(&argv, (char *)"/dev/null");
	}
	if (further.index) {
		lode_vec_append(&argv, (char *)"--index");
		lode_vec_append(&argv, (char *)(uintptr_t)further.index);
	}
	if (further.is_whole_only)
		lode_vec_append(&argv, (char *)"--whole-only");
	command.taker = &taker;
	code = command.run(&command, (int)argv.n, argv.at);
	lode_vec_release(&argv);
	return code;
}

/* "mine" is taken: "mine-2". What goes with a report, "NAME-part-3", goes with its new name. */
static const char *free_name(struct lode_page_runs *runs, size_t before, const char *name)
{
	char text[200];
	unsigned number = 1;
	bool is_taken;

	snprintf(text, sizeof(text), "%.150s", name);
	do {
		is_taken = false;
		for (size_t i = 0; i < before && !is_taken; i++)
			is_taken = strcmp(runs->reports.parts.at[i].name, text) == 0;
		if (is_taken)
			snprintf(text, sizeof(text), "%.150s-%u", name, ++number);
	} while (is_taken);
	return copy_page_runs(runs, text);
}

static void rename_parts(struct lode_page_runs *runs, size_t first)
{
	const char *base = NULL, *renamed = NULL;

	for (size_t i = first; i < runs->reports.parts.n; i++) {
		struct lode_html_part *part = &runs->reports.parts.at[i];
		size_t n = base ? strlen(base) : 0;

		if (base && strncmp(part->name, base, n) == 0 &&
		    strncmp(part->name + n, "-part-", 6) == 0) {
			part->name = join_page_runs(runs, renamed, part->name + n);
			continue;
		}
		base = part->name;
		renamed = free_name(runs, i, base);
		part->name = renamed;
	}
}

/* `lode mine` in this program; where nobody waited, as run_one. */
static int run_inside(struct lode_page_runs *runs, struct lode_page_run *run,
		      struct lode_error *err)
{
	int rc = runs->mine_inside(runs->mine_context, runs, run, NULL, err);

	if (rc == LODE_OK && run->exit_code == LODE_EXIT_NOTHING && !runs->are_symptoms_given) {
		rc = runs->mine_inside(runs->mine_context, runs, run, "comm=*", err);
		say_page_runs(runs, &run->words, "--symptom");
		say_page_runs(runs, &run->words, "comm=*");
	}
	return rc;
}

static int run_one(struct lode_page_runs *runs, struct lode_page_run *run, struct lode_error *err)
{
	const struct further further = {
		.has_page = true, .index = run->index, .is_whole_only = run->is_served};

	run->first_part = runs->reports.parts.n;
	if (strcmp(run->analysis, "page") == 0)
		return lode_html_read(&runs->reports, run->title, err);
	if (strcmp(run->analysis, "mine") == 0 && runs->mine_inside)
		return run_inside(runs, run, err);
	if (run->before.n)
		run->exit_code = run_words(runs, &run->before, (struct further){0});
	if (run->exit_code > LODE_EXIT_INCOMPLETE)
		return LODE_OK;
	run->exit_code = run_words(runs, &run->words, further);
	if (run->exit_code == LODE_EXIT_NOTHING && strcmp(run->analysis, "mine") == 0) {
		/* Of the whole machine, perhaps: then whoever waited. */
		say_page_runs(runs, &run->words, "--symptom");
		say_page_runs(runs, &run->words, "comm=*");
		run->exit_code = run_words(runs, &run->words, further);
	}
	return LODE_OK;
}

int lode_page_runs_do(struct lode_page_runs *runs,
		      void (*starts)(void *context, const struct lode_page_runs *runs, size_t i),
		      void *context, struct lode_error *err)
{
	for (size_t i = 0; i < runs->list.n; i++) {
		struct lode_page_run *run = &runs->list.at[i];
		int64_t start_ns = lode_clock_ns(CLOCK_MONOTONIC);
		int rc;

		if (starts)
			starts(context, runs, i);
		rc = run_one(runs, run, err);
		if (rc < 0)
			return rc;
		run->elapsed_ns = lode_clock_ns(CLOCK_MONOTONIC) - start_ns;
		run->n_parts = runs->reports.parts.n - run->first_part;
		rename_parts(runs, run->first_part);
	}
	return LODE_OK;
}

/* ---- Showing ---- */

static void put_word(FILE *out, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "-_./=:,@%+";

	if (*word && strspn(word, plain) == strlen(word)) {
		fprintf(out, " %s", word);
		return;
	}
	fputs(" '", out);
	for (; *word; word++) {
		if (*word == '\'')
			fputs("'\\''", out);
		else
			fputc(*word, out);
	}
	fputc('\'', out);
}

const char *lode_page_run_text(struct lode_page_runs *runs, const struct lode_page_run *run)
{
	char *text = NULL;
	const char *kept;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	if (!out)
		lode_oom(1);
	if (run->before.n) {
		fputs("lode", out);
		for (size_t i = 0; i < run->before.n; i++)
			put_word(out, run->before.at[i]);
		fputs(" && ", out);
	}
	if (run->words.n)
		fputs("lode", out);
	for (size_t i = 0; i < run->words.n; i++)
		put_word(out, run->words.at[i]);
	if (fclose(out) != 0)
		lode_oom(n);
	kept = copy_page_runs(runs, text);
	free(text);
	return kept;
}

void lode_page_runs_release(struct lode_page_runs *runs)
{
	if (runs->folder)
		lode_temporary_folder_remove(runs->folder, runs->folder_lock);
	for (size_t i = 0; i < runs->list.n; i++) {
		lode_vec_release(&runs->list.at[i].before);
		lode_vec_release(&runs->list.at[i].words);
	}
	lode_vec_release(&runs->list);
	lode_html_reports_release(&runs->reports);
	lode_arena_release(&runs->arena);
}
