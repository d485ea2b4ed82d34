/*
 * Answers: from one HTTP request to what the site has for it. Inside of src/serve.
 */
#pragma once

#include <stdatomic.h>

#include "serve/asker.h"
#include "serve/guard.h"
#include "serve/overdue.h"
#include "serve/kept.h"

/* What all requests of a server share. */
struct lode_answers {
	struct lode_showcase showcase;
	size_t n_reports; /* of whatever is shown */
	struct lode_guard guard;
	struct lode_overdue *overdue;
	char cookie[24];	  /* its name: cookies do not know ports */
	struct lode_asker *asker; /* a lane per report: its questions run one at a time */
	int64_t question_ms;	  /* most of one question; 0: the usual */
	atomic_bool is_stopping;  /* questions end, unanswered */
};

/* Makes the site's answers that never change, and starts to take questions. */
void lode_answers_make(struct lode_answers *answers, struct lode_site *site);
/* The same of another site with the same reports, which takes its place. */
void lode_answers_show(struct lode_answers *answers, struct lode_site *site);
/* Ends what is asked, but for changes, and takes no more questions; documents still come. */
void lode_answers_stop(struct lode_answers *answers);
void lode_answers_release(struct lode_answers *answers);

/* MHD's callbacks; `context` is a struct lode_answers. */
enum MHD_Result lode_answer_request(void *context, struct MHD_Connection *connection,
				    const char *url, const char *method, const char *version,
				    const char *upload, size_t *upload_bytes, void **state);
void lode_answer_completed(void *context, struct MHD_Connection *connection, void **state,
			   enum MHD_RequestTerminationCode how);
void lode_answer_connection(void *context, struct MHD_Connection *connection, void **socket_state,
			    enum MHD_ConnectionNotificationCode what);
