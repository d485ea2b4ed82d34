/*
 * What of a command line is stored: one function for all that is written anywhere.
 *
 *   names   program, script, subcommand or first file; a title of its own   (input/title_words.h)
 *   full    all of it, without apparent secrets                             (record/secrets.h)
 *   none    nothing
 */
#pragma once

#include "record/recorder.h"

/*
 * In place, of `size` bytes with a NUL behind them, of process `pid`, whose files count; it never
 * gets longer. The size then.
 */
size_t lode_words_store(char *arguments, size_t size, enum lode_titles titles, int32_t pid);
/* The same of a command: a list of words in one heap block, NULL-terminated; of nothing, one that
   is empty. */
char **lode_words_store_command(char *const *command, enum lode_titles titles);

/* A number of 16 bits that tells commands apart, in which no word of them can be found again: of
   its words up to the first that is no option. */
unsigned lode_words_mark(char *const *command);
