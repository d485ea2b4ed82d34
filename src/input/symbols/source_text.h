/*
 * Source files that debug information names: the only way to the text of a file.
 *
 *   /build/app/src/x.c, --source-dir D:  D/build/app/src/x.c, D/app/src/x.c, D/src/x.c, D/x.c
 *
 * A recording, and the program beside it, can come from an attacker: a file is read only below
 * folders that the user names (--source-dir), however links and ".." would lead out of them. Of the
 * ends of the recorded path the longest that is there counts, of several folders the first. It is
 * shown only if it is a regular file named like a program's source, of text, and not larger than
 * LODE_SOURCE_BYTES.
 */
#pragma once

#include "base/error.h"
#include "base/mem.h"

#define LODE_SOURCE_BYTES ((size_t)16 << 20)

struct lode_source_dirs {
	const char *const *at;
	size_t n;
};

/* Fails when one is not a folder that can be entered. */
int lode_source_dirs_check(const struct lode_source_dirs *dirs, struct lode_error *err);

struct lode_source_text {
	char *path;  /* of the file that was found */
	char *bytes; /* NULL: there is none */
	size_t n_bytes;
	int64_t changed_s;	   /* since 1970 */
	LODE_VEC(uint32_t) starts; /* of each line */
};

/* Fails when there is none, or it is not to be shown. */
int lode_source_text_load(struct lode_source_text *out, const struct lode_source_dirs *dirs,
			  const char *file, struct lode_error *err);
void lode_source_text_release(struct lode_source_text *text);

/* A line, from 1, without its end; NULL: the file has fewer. `*n`: its bytes. */
const char *lode_source_text_line(const struct lode_source_text *text, uint32_t line, size_t *n);
