/* Analyses for a page, as their commands would run. */
#include "answers/analyze/command_pages.h"

#include "base/escape.h"
#include "tool/terminal.h"

static void add_option(lode_text_list *words, const char *option, const char *value)
{
	if (!value)
		return;
	lode_vec_append(words, option);
	lode_vec_append(words, value);
}

/* ---- While it runs ---- */

static void say_unread(void *context, const struct lode_survey *survey)
{
	struct lode_pages *pages = context;
	char path[1200];

	for (size_t i = 0; i < survey->unread.n; i++)
		if (lode_said_add(&pages->said, survey->unread.at[i].path,
				  survey->unread.at[i].reason))
			lode_say(pages->self, "%s: %s",
				 lode_escape(path, sizeof(path), survey->unread.at[i].path),
				 survey->unread.at[i].reason);
}

static int ask_triage(void *context, struct lode_triage_request *out)
{
	struct lode_pages *pages = context;
	int code = LODE_EXIT_OK;

	if (!pages->triage)
		code = lode_triage_page_open(&pages->triage, pages->repo, pages->signatures,
					     &pages->machine, &pages->progress);
	if (code == LODE_EXIT_OK)
		*out = lode_triage_page_request(pages->triage);
	return code;
}

static void say_start(void *context, const struct lode_analyze_run *run, size_t i, size_t n)
{
	struct lode_pages *pages = context;

	lode_stopwatch_end(&pages->watch);
	if (pages->says_starts)
		lode_say(pages->self, "%zu of %zu: %s", i + 1, n, run->analysis);
	lode_progress_start(&pages->progress);
}

static int say_answer(struct lode_pages *pages, const struct lode_analyze_end *end)
{
	const struct lode_pio_answer *pio = end->answer;

	switch (end->kind) {
	case LODE_ANALYZE_MINE:
		return lode_mine_say(pages->miner, end->answer, end->rc, end->err, &pages->said);
	case LODE_ANALYZE_TRIAGE:
		return lode_triage_say(&lode_cmd_triage, end->answer, end->rc, end->err,
				       &pages->said);
	case LODE_ANALYZE_SUSPECTS:
		return lode_suspects_say(&lode_cmd_suspects, end->answer, end->rc, end->err,
					 &pages->said);
	case LODE_ANALYZE_TIMELINE:
		return lode_timeline_say(&lode_cmd_timeline, end->input, end->answer, end->rc,
					 end->err);
	default:
		return end->pio ? lode_pio_say_notes(&lode_cmd_pio_train, &end->pio->notes)
				: lode_pio_say_notes(&lode_cmd_pio_analyse, &pio->notes);
	}
}

static int say_end(void *context, const struct lode_analyze_end *end)
{
	struct lode_pages *pages = context;
	int code;

	lode_progress_end(&pages->progress);
	code = say_answer(pages, end);
	if (end->rc >= 0 && !end->pio)
		lode_stopwatch_start(&pages->watch, "making the page");
	return code;
}

/* ---- The whole ---- */

/* What all of it comes to: 0; 1 if an analysis did or could not read all; if none gave a report 3,
   or 4 where the environment was in its way. */
static int exit_of(const struct lode_analyze_answer *answer)
{
	bool is_whole = answer->survey->unread.n == 0, has_failed = false;

	for (size_t i = 0; i < answer->n_runs; i++) {
		is_whole = is_whole && answer->runs[i].exit_code == LODE_EXIT_OK;
		has_failed = has_failed || answer->runs[i].exit_code == LODE_EXIT_FAILURE;
	}
	if (answer->n_reports == 0)
		return has_failed ? LODE_EXIT_FAILURE : LODE_EXIT_NOTHING;
	return is_whole ? LODE_EXIT_OK : LODE_EXIT_INCOMPLETE;
}

/* The process ends with this, from whichever thread: no more than what is to be seen. */
static int end_cut_short(void *context, const struct lode_analyze_answer *answer)
{
	struct lode_pages *pages = context;
	char title[1200];
	int code;

	lode_progress_end(&pages->progress);
	lode_stopwatch_end(&pages->watch);
	for (size_t i = 0; i < answer->n_runs; i++)
		if (!answer->runs[i].report && answer->runs[i].exit_code == LODE_EXIT_FAILURE)
			lode_say(pages->self, "no report of lode %s of %s",
				 answer->runs[i].analysis,
				 lode_escape(title, sizeof(title), answer->runs[i].title));
	code = pages->show_cut_short(pages, answer);
	if (fflush(stdout) || ferror(stdout))
		return LODE_EXIT_FAILURE;
	lode_pager_end();
	return code ? code : exit_of(answer);
}

int lode_pages_run(struct lode_pages *pages, char *const *inputs, size_t n_inputs)
{
	lode_text_list words = {0}, known = {0};
	struct lode_analyze_request request = {
		.inputs = inputs,
		.n_inputs = n_inputs,
		.output = pages->output,
		.is_served = pages->is_served,
		.mine = lode_mine_page_request(&pages->mine, pages->is_served, &pages->progress),
		.are_symptoms_given = pages->are_symptoms_given,
		.is_triaged = pages->repo || pages->signatures,
		.suspects = lode_suspects_page_request(&pages->machine, &pages->progress),
		.timeline = lode_timeline_page_request(&pages->machine, &pages->progress),
		.train = lode_pio_train_page_request(&pages->machine),
		.pio = lode_pio_page_request(&pages->machine),
		.mine_options = {pages->mine_words.at, pages->mine_words.n},
		.context = pages,
		.surveyed = say_unread,
		.ask_triage = ask_triage,
		.starts = say_start,
		.ends = say_end,
		.cut_short = pages->show_cut_short ? end_cut_short : NULL,
	};
	struct lode_error err;
	int code, rc;

	add_option(&words, "--threads", pages->threads);
	add_option(&words, "--memory", pages->memory);
	add_option(&known, pages->signatures ? "--signatures" : "--repo",
		   pages->signatures ? pages->signatures : pages->repo);
	request.options = (struct lode_analyze_words){words.at, words.n};
	request.triage_options = (struct lode_analyze_words){known.at, known.n};
	rc = lode_analyze_run(&pages->answer, &request, &err);
	lode_stopwatch_end(&pages->watch);
	code = rc < 0 ? lode_say_error(pages->self, &err) : exit_of(pages->answer);
	if (rc >= 0 && code > LODE_EXIT_INCOMPLETE)
		lode_say(pages->self, "no input could be analysed");
	lode_vec_release(&words);
	lode_vec_release(&known);
	return code;
}

void lode_pages_release(struct lode_pages *pages)
{
	lode_analyze_free(pages->answer);
	lode_triage_page_close(pages->triage);
	lode_vec_release(&pages->mine_words);
	lode_said_release(&pages->said);
}
