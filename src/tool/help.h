/*
 * What a command says about itself, from its table: help, man page.
 */
#pragma once

#include "tool/command.h"

/* `lode --help`: what lode is, and its commands. */
void lode_help_overview(FILE *out);
/* `lode COMMAND --help`. */
void lode_help_command(FILE *out, const struct lode_command *command);
/* man(7) source of lode-COMMAND(1). */
void lode_man_command(FILE *out, const struct lode_command *command);
/* man(7) source of lode(1). */
void lode_man_overview(FILE *out);
