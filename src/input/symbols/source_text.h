/*
 * Source files that debug information names.
 *
 * A recording can come from anybody, and so can the program beside it: what it calls its source is
 * shown only if it is a regular file (not through a link to another kind of file) whose name ends
 * like a program's source, of text, and not larger than LODE_SOURCE_BYTES.
 */
#pragma once

#include "base/error.h"
#include "base/mem.h"

struct lode_dso;

#define LODE_SOURCE_BYTES ((size_t)16 << 20)

struct lode_source_text {
	char *bytes; /* NULL: there is none */
	size_t n_bytes;
	int64_t changed_s;	   /* since 1970 */
	LODE_VEC(uint32_t) starts; /* of each line */
};

/* From below --symfs, else where the compiler had it. Fails when it is not there, or is not to be
   shown. */
int lode_source_text_load(struct lode_source_text *out, const struct lode_dso *dso,
			  const char *file, struct lode_error *err);
void lode_source_text_release(struct lode_source_text *text);

/* A line, from 1, without its end; NULL: the file has fewer. `*n`: its bytes. */
const char *lode_source_text_line(const struct lode_source_text *text, uint32_t line, size_t *n);
