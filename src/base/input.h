/*
 * An input file as bytes, whatever wraps it: plain, .zst, .gz, .xz (recognised by content), or "-"
 * for standard input. Read sequentially, from behind a byte order mark of UTF-8 if there is one;
 * text in UTF-16 or with carriage returns alone comes as UTF-8 with line feeds (text_form.h). A
 * plain regular file can also be read at an offset. Memory does not depend on the size of the file.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

struct lode_input;

int lode_input_open(struct lode_input **out, const char *path, struct lode_error *err);
/* A file that the user did not name (base/found_file.h): it is regular, or this fails. */
int lode_input_open_found(struct lode_input **out, const char *path, struct lode_error *err);
/* Plain bytes that are in memory already; they are copied. `name` stands for a path. */
void lode_input_open_bytes(struct lode_input **out, const char *name, const void *bytes,
			   size_t size);
void lode_input_close(struct lode_input *input);

/* For messages; "standard input" for "-". */
const char *lode_input_path(const struct lode_input *input);
/* Uncompressed bytes are addressable by lode_input_read_at (a plain regular file). */
bool lode_input_is_seekable(const struct lode_input *input);
/* Size of what is on disk (compressed or not), or -1 if not known: for progress. */
int64_t lode_input_size_bytes(const struct lode_input *input);
/* How much of lode_input_size_bytes has been consumed. */
int64_t lode_input_consumed_bytes(const struct lode_input *input);

/* Size of the content, uncompressed: of a seekable input the whole, else what was read so far. */
int64_t lode_input_content_bytes(const struct lode_input *input);

/* What formats are recognised by: the first 4 KiB, or where these are fewer than two lines (a table
   of thousands of columns, a deep stack), up to 64 KiB. */
#define LODE_PEEK_LEAST_BYTES ((size_t)4096)
#define LODE_PEEK_BYTES	      ((size_t)64 << 10)

/* The next bytes without consuming them: up to `size`, fewer at the end; of more than
   LODE_PEEK_LEAST_BYTES (at most LODE_PEEK_BYTES) only these where they have two lines. */
ssize_t lode_input_peek(struct lode_input *input, void *buffer, size_t size,
			struct lode_error *err);
/* All of `size` (at most LODE_PEEK_BYTES) unless the end comes first. */
ssize_t lode_input_peek_all(struct lode_input *input, void *buffer, size_t size,
			    struct lode_error *err);
/* Fills `buffer` unless the end comes first; gives the number of bytes, 0 at the end, or < 0. */
ssize_t lode_input_read(struct lode_input *input, void *buffer, size_t size,
			struct lode_error *err);
/* As lode_input_read, at an absolute offset. Thread-safe. Only for seekable inputs. */
ssize_t lode_input_read_at(struct lode_input *input, void *buffer, size_t size, int64_t offset,
			   struct lode_error *err);
