/*
 * Arguments and environment in stack dumps, where secrets are.
 *
 *   low    frames of main, of _start      what unwinding needs
 *          argc, argv[], envp[]
 *          auxiliary vector               ends with AT_NULL
 *   high   arguments, environment
 *
 * The kernel puts them behind the first frame of a process, so that the dump of a thread with a
 * short stack has them all. Programs that start others have such lists in buffers, too.
 */
#pragma once

#include <stddef.h>

#include "base/error.h"

/*
 * Overwrites with zeros what is behind an auxiliary vector, and lists of three texts or more, each
 * with one NUL behind it, which no frame looks like: an address has two. `bytes` are aligned as the
 * stack is.
 */
void lode_dump_erase_arguments(char *bytes, size_t size);

/* The same in every sample of a file that perf has written, in place. */
int lode_dumps_erase_arguments(const char *path, struct lode_error *err);
