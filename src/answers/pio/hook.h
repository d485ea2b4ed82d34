/*
 * A command of the user's that is run at events, without ever waiting for it.
 *
 * `/bin/sh -c COMMAND` gets a text on its standard input (a file in memory: it need not read it)
 * and variables in its environment; its output goes where lode's errors go. Several may run at
 * once, up to a bound; beyond it a run is left out, and counted. Runs that ended are reaped when
 * asked.
 */
#pragma once

#include <sys/types.h>

#include "base/error.h"
#include "base/mem.h"

enum { LODE_HOOK_MOST = 32 }; /* that run at once */

struct lode_hook {
	const char *command; /* borrowed */
	LODE_VEC(pid_t) running;
	uint64_t n_left_out, n_failed; /* too many at once; ended with a status other than 0 */
};

/* `variables`: "NAME=VALUE" texts, NULL-terminated. Fails when nothing could be run. */
int lode_hook_run(struct lode_hook *hook, const char *const *variables, const char *text,
		  size_t size, struct lode_error *err);
/* Reaps what has ended; does not wait. */
void lode_hook_reap(struct lode_hook *hook);
/* Runs go on and are no longer reaped. */
void lode_hook_release(struct lode_hook *hook);
