/*
 * Inputs that are given twice: the same file by another name (a link), or a copy of its bytes. The
 * first usable one counts, the others are skipped with the reason. Lines of a manifest count as
 * listed. The second function finds copies that are compressed in another way, too.
 */
#pragma once

#include "input/source.h"

/* Whether a recording can be used, as far as what lies beside it says. */
struct lode_input_check {
	bool (*is_usable)(const void *context, const char *path);
	const void *context;
};

/* Files are opened only if another input has the same size. O(inputs), and reading of copies. */
void lode_inputs_skip_repeated(struct lode_inputs *inputs, const struct lode_input_check *check);
/* The same by uncompressed bytes: each file is opened, and read while it equals another one. */
void lode_inputs_skip_recompressed(struct lode_inputs *inputs,
				   const struct lode_input_check *check);
