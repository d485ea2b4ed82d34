/*
 * Sentences for terminals: lines filled with words, as wide as the page is, 100 columns at most.
 *
 *   FILE *words = lode_prose_open(&prose);
 *
 *   fprintf(words, ...);                     whole sentences, each paragraph on one line
 *   lode_prose_close(out, page, 2, &prose);
 *
 * Line feeds are kept, and the blanks that begin a line; what goes on in further lines is indented
 * by `hang`. Text is printed as it is: escape what is untrusted first (base/escape.h).
 */
#pragma once

#include <stddef.h>

#include "document/text_page.h"

struct lode_prose {
	FILE *words;
	char *text;
	size_t size;
};

FILE *lode_prose_open(struct lode_prose *prose);
/* Prints what was written, ended by a line feed, and frees it. */
void lode_prose_close(FILE *out, const struct lode_text_page *page, unsigned hang,
		      struct lode_prose *prose);

/* The same of one text. */
void lode_prose_put(FILE *out, const struct lode_text_page *page, unsigned hang, const char *text);
void lode_prose(FILE *out, const struct lode_text_page *page, unsigned hang, const char *format,
		...) __attribute__((format(printf, 4, 5)));
