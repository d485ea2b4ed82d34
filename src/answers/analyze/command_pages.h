/*
 * What lode analyze and lode serve have in common: analyses run as their commands would, with what
 * these say on stderr.
 */
#pragma once

#include "answers/analyze/analyze.h"
#include "tool/option_values.h"
#include "tool/page_commands.h"

struct lode_pages {
	/* Set before: */
	const struct lode_command *self;
	const struct lode_command *miner; /* in whose name is said what lode mine says */
	bool says_starts, is_served;
	const char *output;		   /* as in struct lode_analyze_request */
	const char *threads, *memory;	   /* as they were given; NULL: not at all */
	struct lode_input_options machine; /* the same, and nothing else */
	struct lode_mine_page_values mine; /* for lode mine alone */
	lode_text_list mine_words;	   /* the same as they were given */
	bool are_symptoms_given;	   /* among them */
	const char *repo, *signatures;	   /* that recordings are held against; NULL: none */
	/* Memory ended, and this much was found: shows it, and gives what went wrong. NULL: the
	   process ends without. */
	int (*show_cut_short)(const struct lode_pages *pages,
			      const struct lode_analyze_answer *answer);
	const void *show_context;
	/* Inside of command_pages.c. */
	struct lode_analyze_answer *answer;
	struct lode_triage_page *triage;
	struct lode_progress progress;
	struct lode_stopwatch watch;
	struct lode_said said;
};

/* Runs what fits. Gives an exit code; what is wrong was said. With LODE_EXIT_OK and
   LODE_EXIT_INCOMPLETE there is something in pages->answer. */
int lode_pages_run(struct lode_pages *pages, char *const *inputs, size_t n_inputs);
void lode_pages_release(struct lode_pages *pages);
