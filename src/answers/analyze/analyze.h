/*
 * lode analyze: every analysis that the inputs allow, what each found, and one page of all.
 *
 *	request --> what is there --> what fits --> lode_mine_run, lode_triage_run ... --> answer
 *	            (survey.h)        (plan.h)
 *
 * How each analysis asks lies in the request, but for its inputs. The answer has the parts of a
 * page, an overview first; its JSON and its text are that overview.
 */
#pragma once

#include "answers/analyze/survey.h"
#include "answers/mine/mine.h"
#include "answers/pio/pio.h"
#include "answers/suspects/suspects.h"
#include "answers/timeline/timeline.h"
#include "answers/triage/triage.h"
#include "document/fields.h"
#include "document/findings.h"
#include "document/html.h"
#include "document/text_page.h"

enum lode_analyze_kind {
	LODE_ANALYZE_MINE,
	LODE_ANALYZE_TRIAGE,
	LODE_ANALYZE_SUSPECTS,
	LODE_ANALYZE_TIMELINE,
	LODE_ANALYZE_PIO,
	LODE_ANALYZE_PAGE, /* reports of a page that was written before */
	LODE_N_ANALYZE_KINDS,
};

struct lode_analyze_run {
	enum lode_analyze_kind kind;
	const char *analysis; /* "mine" */
	const char *title;    /* of what: a folder, a file */
	const char *command;  /* the same, to be run by hand; "" of a page that was read */
	const char *report;   /* name of its first report in the page; NULL: it gave none */
	int exit_code;	      /* as that command's */
	int64_t elapsed_ns;
	struct lode_findings findings;
	/* With `is_served`: */
	struct lode_mine_answer *mine;		/* which pages may ask; or NULL */
	struct lode_digest_job_options reading; /* of its recordings */
	const char *index;			/* of a timeline's trace; NULL: it is one itself */
};

/* What one command has come to. */
struct lode_analyze_end {
	enum lode_analyze_kind kind;
	const char *input;		    /* the trace, of a timeline */
	const void *answer;		    /* of that kind */
	const struct lode_pio_trained *pio; /* what was learnt first; instead of `answer` */
	int rc;				    /* lode_NAME_run's, and its error */
	const struct lode_error *err;
};

struct lode_analyze_answer;

struct lode_analyze_words {
	const char *const *at;
	size_t n;
};

struct lode_analyze_request {
	char *const *inputs; /* files and folders of anything */
	size_t n_inputs;
	const char *output; /* a file that will be written: no input, if it is there; or NULL */
	bool is_served;	    /* pages can ask: clusters one by one, timelines by an index */
	struct lode_mine_request mine;
	bool are_symptoms_given; /* else, where there are none, every thread's are taken */
	bool is_triaged;	 /* held against what is known: ask_triage */
	struct lode_suspects_request suspects;
	struct lode_timeline_request timeline;
	struct lode_pio_train_request train;
	struct lode_pio_request pio;
	/* Options in the command lines that are shown: of all analyses, and besides of some. */
	struct lode_analyze_words options, mine_options, triage_options;
	void *context;
	/* Says what could not be read. */
	void (*surveyed)(void *context, const struct lode_survey *survey);
	/* Fills in the request, once for each. Else gives an exit code, and has said why. */
	int (*ask_triage)(void *context, struct lode_triage_request *out);
	/* Before the i-th of n, and after each lode_NAME_run: says what is to be said, and gives
	   the exit code of the command. */
	void (*starts)(void *context, const struct lode_analyze_run *run, size_t i, size_t n);
	int (*ends)(void *context, const struct lode_analyze_end *end);
	/* Memory ended in one of the analyses, when others had given their reports: these are in
	   `answer`, as if the rest had failed. Gives the exit code of the process, which ends then.
	   NULL: it ends without. */
	int (*cut_short)(void *context, const struct lode_analyze_answer *answer);
};

struct lode_analyze_answer {
	struct lode_opening opening;
	char *const *inputs;
	size_t n_inputs;
	const struct lode_survey *survey;
	size_t n_found[LODE_N_SURVEY_KINDS + 1]; /* files by kind; the last: others */
	const struct lode_analyze_run *runs; /* that gave a report first, then what hurts most */
	size_t n_runs, n_reports;	     /* of which so many gave one */
	const struct lode_html_part *parts;  /* of the page */
	size_t n_parts;

	struct lode_analyze_state *state; /* what all of this points into */
};

/* *out is the caller's to free, also on failure: of a page that cannot be read, or without a place
   for temporary files. That an analysis fails is no failure. */
int lode_analyze_run(struct lode_analyze_answer **out, const struct lode_analyze_request *request,
		     struct lode_error *err);
void lode_analyze_free(struct lode_analyze_answer *answer);

/* "lode/analyze/1" */
extern const struct lode_document lode_analyze_document;
void lode_analyze_text(FILE *out, const struct lode_analyze_answer *answer,
		       const struct lode_text_page *page);
