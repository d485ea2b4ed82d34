/*
 * Indices of function traces on disk (.lodet): from one, any window of any thread is summed up
 * again, or read down to single calls, without the trace.
 *
 *   header      magic, version, where the directory is, checksum
 *   pieces      blocks of calls and sums of spans (model/call_block.h), thread after thread
 *   directory   functions, threads, their stacks and spans, losses; zstd
 *
 * docs/formats/lodet.md has every byte. Written whole or not at all; the same trace gives the same
 * bytes. Opening reads the directory only; pieces are read as they are needed, each with its
 * checksum. Nothing in a file is trusted.
 */
#ifndef LODE_TIMELINE_FILE_H
#define LODE_TIMELINE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "model/call_trace.h"

#define LODE_TIMELINE_VERSION 1u
#define LODE_TIMELINE_SUFFIX  ".lodet"

/* LIMIT: of a directory, unpacked; enough for four thousand million calls. */
#define LODE_TIMELINE_DIRECTORY_MAX ((size_t)256 << 20)

/* From the first bytes; 8 are enough. */
bool lode_timeline_recognise(const uint8_t *head, size_t size);

/* `*size` is what the file takes; may be NULL. */
int lode_timeline_save(const char *path, struct lode_call_trace *trace, int64_t *size,
		       struct lode_error *err);

/* Opens an index; `path` is borrowed until the trace is freed. The file stays open. */
int lode_timeline_load(struct lode_call_trace **out, const char *path, struct lode_error *err);

/* The directory alone, from bytes: for tests of what checksums do not catch. Pieces must lie in
   [LODE_TIMELINE_HEADER_BYTES, pieces_end). */
enum { LODE_TIMELINE_HEADER_BYTES = 48 };
int lode_timeline_directory_read(struct lode_call_trace *trace, const uint8_t *data, size_t size,
				 int64_t pieces_end, const char *path, struct lode_error *err);

#endif
