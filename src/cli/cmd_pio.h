/*
 * The parts of `lode pio`: each is a command of its own behind that word.
 */
#ifndef LODE_CMD_PIO_H
#define LODE_CMD_PIO_H

#include "cli/command.h"

extern const struct lode_command lode_cmd_pio_train, lode_cmd_pio_analyse, lode_cmd_pio_show,
	lode_cmd_pio_watch;

#endif
