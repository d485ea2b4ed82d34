/*
 * What a command says about itself, from its table: help, man page.
 */
#pragma once

#include <stdio.h>

#include "tool/command.h"
#include "document/text_page.h"

/* Columns to fill on `file`: the terminal's width (80 to 120), else `otherwise`. */
unsigned lode_columns(FILE *file, unsigned otherwise);
/* Standard output; 100 columns where it is no terminal. */
struct lode_text_page lode_stdout_page(void);

/* `lode --help`: what lode is, and its commands. */
void lode_help_overview(FILE *out);
/* `lode COMMAND --help`. */
void lode_help_command(FILE *out, const struct lode_command *command);
/* man(7) source of lode-COMMAND(1). */
void lode_man_command(FILE *out, const struct lode_command *command);
/* man(7) source of lode(1). */
void lode_man_overview(FILE *out);
