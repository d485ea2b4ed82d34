/*
 * The analyses that fit what is there, run one after another, and their reports: what
 * `lode analyze` puts into one page and `lode serve` serves.
 *
 * Each runs inside of this program by the command line that one would type: the page shows it, and
 * its numbers are that command's.
 */
#pragma once

#include <stdint.h>

#include "tool/command.h"
#include "tool/option_values.h"
#include "answers/analyze/survey.h"
#include "document/html_read.h"

typedef LODE_VEC(const char *) lode_words;

struct lode_page_run {
	const char *analysis; /* "mine" */
	const char *title;    /* of what: a folder, a file */
	lode_words before;    /* another command that must succeed first; n 0: none */
	lode_words words;     /* "mine", "samples/startup": behind the program's name */
	size_t first_input;   /* of `words`; of recordings */
	bool is_served;	      /* a timeline's windows are made as they are asked for */
	const char *index;    /* where a timeline's trace is kept as an index; NULL: nowhere */
	int exit_code;	      /* of the last that ran */
	int64_t elapsed_ns;
	size_t first_part, n_parts; /* of `reports`; n_parts 0: it gave none */
};

struct lode_page_runs;

/*
 * Runs `lode mine` inside of this program instead, whose model then stays there to be asked.
 * `symptom`: in place of the one that was given; or NULL. Sets run->exit_code, and appends the
 * report's part to runs->reports if there is one.
 */
typedef int lode_page_run_inside(void *context, struct lode_page_runs *runs,
				 struct lode_page_run *run, const char *symptom,
				 struct lode_error *err);

struct lode_page_runs {
	/* Set before planning: */
	lode_page_run_inside *mine_inside; /* NULL: as the others */
	void *mine_context;
	const lode_text_list *mine_options; /* words to hand on to lode mine; NULL: none */
	bool are_symptoms_given;	    /* among them */
	const char *memory;		    /* handed on as --memory; NULL: not given */
	const char *repo, *signatures;	    /* that recordings are held against; both NULL: none */
	/* What there is: */
	LODE_VEC(struct lode_page_run) list;
	struct lode_html_reports reports; /* names are unique: "mine", "mine-2" */
	char *folder;			  /* of temporary files; NULL: not planned yet */
	int folder_lock;
	struct lode_arena arena;
};

/* One line per file that could not be opened. */
void lode_page_runs_say_unread(const struct lode_command *self, const struct lode_survey *survey);

/* What fits, in order: mine, triage, suspects, timeline, pio, folder by folder; pages bring their
   reports. `threads` is handed on; NULL: not given. `with_indices`: function traces are kept as
   indices, in `folder`. */
int lode_page_runs_plan(struct lode_page_runs *runs, const struct lode_survey *survey,
			const char *threads, bool with_indices, struct lode_error *err);

/*
 * Runs them; what they say on stderr is shown as it comes. `starts` is called before each; may be
 * NULL. Fails only if nothing can be run at all, or when it was stopped by a signal (LODE_ERR_IO).
 */
int lode_page_runs_do(struct lode_page_runs *runs,
		      void (*starts)(void *context, const struct lode_page_runs *runs, size_t i),
		      void *context, struct lode_error *err);

/* Keeps copies of the parts of a page; `runs` is a struct lode_page_runs. */
void lode_page_runs_take(void *runs, const struct lode_html_part *parts, size_t n_parts);

/* Its command line, for people to copy: words that need it are quoted. Arena's. */
const char *lode_page_run_text(struct lode_page_runs *runs, const struct lode_page_run *run);

void lode_page_runs_release(struct lode_page_runs *runs);
