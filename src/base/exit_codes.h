/*
 * Exit codes of all commands (docs/exit-codes.md).
 */
#pragma once

enum lode_exit {
	LODE_EXIT_OK = 0,
	LODE_EXIT_INCOMPLETE = 1, /* done, but some input was skipped or is incomplete */
	LODE_EXIT_USAGE = 2,
	LODE_EXIT_NOTHING = 3,	/* nothing usable in the input */
	LODE_EXIT_FAILURE = 4,	/* internal or environment failure */
	LODE_EXIT_EXCEEDED = 5, /* done, and a threshold that the user set was exceeded */
};
