/*
 * Files in formats of other tools: written whole or not at all, as they come, or to standard
 * output.
 */
#pragma once

#include <stdio.h>

#include "base/error.h"

/* Writes one file of `what`. Errors of `out` itself need not be looked at: they show at the end. */
typedef int lode_export_put(FILE *out, const void *what, struct lode_error *err);

/*
 * Runs `put` on a stream that becomes `path` if all went well, and else leaves what was there.
 * "-" is standard output, to which goes what was written before a failure, too.
 */
int lode_export_write(const char *path, lode_export_put *put, const void *what,
		      struct lode_error *err);
