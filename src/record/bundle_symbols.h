/*
 * Symbols of a bundle: copies of what its stacks pass through, in the layout of perf's cache.
 *
 *   symbols/.build-id/9a/d8f1.../elf        a program or library, without debug information
 *   symbols/.build-id/9a/d8f1.../debug      its separate debug file, when there is one
 *   symbols/.build-id/.../kallsyms          the kernel's symbols
 *   symbols/.build-id/.../vdso
 *   symbols/usr/local/bin/app               a program without build-id, by its path
 *   perf-PID.map                            names of generated code, beside the recording
 */
#pragma once

#include "model/stream.h"
#include "record/recorder.h"

/*
 * Copies what the stacks of `stream` (recorded in `recording`) pass through. Which file has which
 * build-id, `perf` tells from the recording; a file that is another by now is not copied, and is
 * counted as missing. One that cannot be written costs no other: result->n_unwritten counts them,
 * and the first is the error.
 */
int lode_bundle_symbols(struct lode_record_result *result, const char *dir, const char *recording,
			const char *perf, const struct lode_stream *stream, struct lode_error *err);
