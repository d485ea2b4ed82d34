/*
 * A child process that is waited for. It ends with lode, however lode ends.
 */
#pragma once

#include <stddef.h>

#include "base/error.h"

/*
 * Runs argv[0] (a path; argv[1], its subcommand, is named in errors) and waits for it; what it says
 * on stderr is seen, what it prints goes to `output`, up to `size` bytes.
 */
int lode_child_read(char *output, size_t size, size_t *len, const char *const *argv,
		    struct lode_error *err);
