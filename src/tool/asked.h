/*
 * The command line that an answer is asked for by, in the parts that its next command is made of.
 */
#pragma once

#include "document/findings.h"
#include "tool/command.h"

/*
 * Of argv as lode_command_start left it: operands, then the words of options. Left out are options
 * without which the answer is the same, and files that are written; whether one is a page is kept.
 * `next` (NULL: none) is the command that usually comes next: next_options have only what it knows.
 * To be released.
 */
void lode_asked_make(struct lode_asked *out, const struct lode_command *self, int argc,
		     char *const *argv, int n_operands, const struct lode_command *next);
