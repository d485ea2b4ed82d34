/*
 * Standard output as a terminal: how wide it is, whether colours are fine, and a pager like git's.
 *
 * --color and --no-pager, which every command takes, are LODE_COLOR and LODE_PAGER in the
 * environment: options set them. NO_COLOR and PAGER are heeded where these are not there.
 */
#pragma once

#include "document/text_page.h"
#include "tool/options.h"

/* The options that every command takes, for its help; a table without setters. */
extern const struct lode_option lode_common_options[];

/* Takes one of them by its whole name; `value` NULL: none was given. Gives 1, 0 if it is none of
   them, or LODE_ERR_ARG. */
int lode_common_option_take(const char *name, size_t len, const char *value,
			    struct lode_error *err);

/* Takes those that begin a command line, before its command. Gives their number, or LODE_ERR_ARG.
 */
int lode_common_options_take(int argc, char *const *argv, struct lode_error *err);

/* Columns to fill on `file`: the terminal's width (80 to 200), else `otherwise`. */
unsigned lode_columns(FILE *file, unsigned otherwise);
/* Standard output; 100 columns where it is no terminal. */
struct lode_text_page lode_stdout_page(void);

/*
 * Standard output, which from now on goes through a pager if it is a terminal: LODE_PAGER, PAGER,
 * or "less -FRX", which ends by itself where all fits. An empty name or "cat" is none. Asked for
 * once the page is known and before anything is written; a second time it changes nothing.
 */
FILE *lode_paged_stdout(void);
/* Ends standard output and waits for the pager, if there is one. */
void lode_pager_end(void);
