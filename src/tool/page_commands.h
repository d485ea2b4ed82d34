/*
 * The commands whose answers lode analyze and lode serve put on one page, each as it is without an
 * option but --html.
 *
 *	lode_NAME_page_request    what it asks, but for its inputs
 *	lode_NAME_say             what it says on stderr of its answer: what was skipped, what is
 *				  wrong; `rc` and `err` are those of lode_NAME_run. Its exit code.
 *				  `said` (may be NULL): of inputs only what was not said before.
 *
 * Both are the command's own (answers/NAME/command.c).
 */
#pragma once

#include "answers/mine/mine.h"
#include "answers/pio/pio.h"
#include "answers/suspects/suspects.h"
#include "answers/timeline/timeline.h"
#include "answers/triage/triage.h"
#include "tool/reading_options.h"
#include "tool/command.h"
#include "tool/mining_options.h"
#include "tool/messages.h"
#include "tool/progress.h"

/* Options that the request borrows; `progress` is borrowed as well. */
struct lode_mine_page_values {
	struct lode_input_options input;
	struct lode_aoi_values aoi;	  /* settled */
	struct lode_mining_values mining; /* settled */
	char lambda[LODE_LAMBDA_WORDS_BYTES];
};
/* `is_served`: for a report whose clusters are asked for one by one. */
struct lode_mine_request lode_mine_page_request(struct lode_mine_page_values *values,
						bool is_served, struct lode_progress *progress);
int lode_mine_say(const struct lode_command *self, const struct lode_mine_answer *answer, int rc,
		  const struct lode_error *err, struct lode_said *said);

/* Opens what recordings are held against, `repo` or `signatures`, and asks as that wants it. Gives
   an exit code; what is wrong was said. */
struct lode_triage_page;
int lode_triage_page_open(struct lode_triage_page **out, const char *repo, const char *signatures,
			  const struct lode_input_options *machine, struct lode_progress *progress);
struct lode_triage_request lode_triage_page_request(const struct lode_triage_page *page);
void lode_triage_page_close(struct lode_triage_page *page); /* NULL does nothing */
int lode_triage_say(const struct lode_command *self, const struct lode_triage_answer *answer,
		    int rc, const struct lode_error *err, struct lode_said *said);

struct lode_suspects_request lode_suspects_page_request(const struct lode_input_options *machine,
							struct lode_progress *progress);
int lode_suspects_say(const struct lode_command *self, const struct lode_suspects_answer *answer,
		      int rc, const struct lode_error *err, struct lode_said *said);

struct lode_timeline_request lode_timeline_page_request(const struct lode_input_options *machine,
							struct lode_progress *progress);
int lode_timeline_say(const struct lode_command *self, const char *input,
		      const struct lode_timeline_answer *answer, int rc,
		      const struct lode_error *err);

/* Training, then analysis; lode_pio_say_notes says both. */
struct lode_pio_train_request lode_pio_train_page_request(const struct lode_input_options *machine);
struct lode_pio_request lode_pio_page_request(const struct lode_input_options *machine);
extern const struct lode_command lode_cmd_pio_train, lode_cmd_pio_analyse;
int lode_pio_say_notes(const struct lode_command *self, const struct lode_pio_notes *notes);
