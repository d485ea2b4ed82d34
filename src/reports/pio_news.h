/*
 * News of a watch: a line for people, or a line of JSON ("lode/pio-watch/1").
 */
#ifndef LODE_PIO_NEWS_H
#define LODE_PIO_NEWS_H

#include <stdio.h>

#include "analyses/pio/online.h"
#include "model/requests.h"

/* "started", "ended", "withdrawn", "unexplained", "unexplained_ended" */
const char *lode_pio_news_word(enum lode_pio_news_kind kind);

/* Both end in a line feed. The line for people is cut to `columns` (0: not). `names`: of actions
   and users. `top`: longest list; 0: no bound. */
void lode_pio_news_text(FILE *out, const struct lode_pio_news *news, size_t columns);
void lode_pio_news_json(FILE *out, const struct lode_pio_news *news,
			const struct lode_request_names *names, size_t top);

#endif
