/*
 * The analysis, interval by interval as they come: periods are reported when they start and end.
 *
 *   rows (a counter's value each)  -->  evidence or intensity  -->  slow?  -->  started, ended
 *   kept: enough before now to find out where a period began, and the period while it lasts
 *
 * The verdicts are those of lode_pio_analyse over all rows since the first: the same code looks at
 * the rows kept. Two things batch analysis knows better: whether a counter has a new level is
 * decided from the rows so far, not from all of them; and of a period longer than
 * LODE_PIO_ONLINE_MAX intervals the ranking is that of the last so many.
 *
 * The start of a period is reported as soon as it is known, with the first of its slow intervals,
 * which lies before. With requests it is reported only once users feel it. Its end is reported
 * when what comes can no longer belong to it.
 */
#pragma once

#include "engine/pio/analyse.h"
#include "base/state_words.h"

struct lode_pio_online;

enum lode_pio_news_kind {
	LODE_PIO_STARTED,
	LODE_PIO_ENDED,
	LODE_PIO_WITHDRAWN,   /* ended, and all in all no server made users wait */
	LODE_PIO_UNEXPLAINED, /* requests are slow, and no counter says why: known two windows late
			       */
	LODE_PIO_UNEXPLAINED_ENDED,
};

/* All valid during the call. */
struct lode_pio_news {
	enum lode_pio_news_kind kind;
	int64_t start_ns;			  /* of the first slow interval */
	int64_t end_ns;				  /* of the last one so far */
	int64_t known_ns;			  /* end of the interval that showed it */
	const struct lode_pio_analysis *analysis; /* of the rows kept */
	const struct lode_pio_period *period;
};
struct lode_pio_listener {
	void *context;
	void (*tell)(void *context, const struct lode_pio_news *news);
};

/* Borrows the model, and `requests` (judging; NULL: counters only), which it thins out. */
struct lode_pio_online *lode_pio_online_new(const struct lode_pio_model *model,
					    struct lode_request_log *requests);
void lode_pio_online_free(struct lode_pio_online *online);

/*
 * The next interval (counted from the epoch; later than the last) with a value for each counter of
 * the model (NaN: none). Intervals that are left out have no values.
 */
void lode_pio_online_step(struct lode_pio_online *online, int64_t interval, const double *values,
			  const struct lode_pio_listener *listener);

/* The next interval it expects; INT64_MIN: any. Requests before lode_pio_online_oldest are of no
   use any more. */
int64_t lode_pio_online_next(const struct lode_pio_online *online);
int64_t lode_pio_online_oldest(const struct lode_pio_online *online);

/* All it knows, as words; read back with the same model by one that is new. Requests are not part
   of it. False: the words are no such state. */
void lode_pio_online_save(FILE *out, const struct lode_pio_online *online);
bool lode_pio_online_load(struct lode_pio_online *online, struct lode_state_words *words);

#define LODE_PIO_ONLINE_MAX ((size_t)3600)
