/*
 * A child process that is waited for. It ends with lode, however lode ends.
 */
#ifndef LODE_CHILD_H
#define LODE_CHILD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Runs argv[0] (a path) and waits for it; what it prints goes nowhere, what it says on stderr is
 * seen. SIGINT, SIGTERM and SIGHUP that reach this process send it SIGINT, once each; the wait goes
 * on until it ends. *status is as waitpid gives it.
 */
int lode_child_run_quietly(int *status, bool *was_stopped, const char *const *argv,
			   struct lode_error *err);

/* As lode_child_run_quietly, without signals; its standard output goes to `output`, up to `size`
   bytes. */
int lode_child_read(char *output, size_t size, size_t *len, const char *const *argv,
		    struct lode_error *err);

#endif
