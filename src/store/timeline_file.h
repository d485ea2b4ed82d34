/*
 * Indices of function traces on disk (.lodet): from one, any window of any thread is summed up
 * again, or read down to single calls, without the trace.
 *
 *   header      magic, version, where the directory is, checksum
 *   threads     one after the other, each:
 *     pieces    blocks of calls and sums of spans (model/call_block.h)
 *     spans     where the thread's pieces are, and what is known of them; zstd
 *     stacks    the thread's; zstd
 *   directory   losses, functions, threads with their figures and places; zstd
 *
 * docs/formats/lodet.md has every byte. Written whole or not at all; the same trace gives the same
 * bytes. Opening reads the directory only; a thread's spans and stacks, and pieces, are read when
 * they are first needed, each with its checksum: a window of one thread costs no more in a large
 * trace than in a small one. Nothing in a file is trusted.
 */
#pragma once

#include "model/call_trace.h"

#define LODE_TIMELINE_VERSION 2u

/* LIMIT: of the directory, of a thread's spans, and of its stacks, each unpacked; enough for four
   thousand million calls in one thread. */
#define LODE_TIMELINE_DIRECTORY_MAX ((size_t)256 << 20)

/* From the first bytes; 8 are enough. */
bool lode_timeline_recognise(const uint8_t *head, size_t size);

/* `*size` is what the file takes; may be NULL. */
int lode_timeline_save(const char *path, struct lode_call_trace *trace, int64_t *size,
		       struct lode_error *err);

/* Opens an index; `path` is borrowed until the trace is freed. The file stays open. What is read
   later may be found damaged then: cursors say so. */
int lode_timeline_load(struct lode_call_trace **out, const char *path, struct lode_error *err);

/* The directory from bytes, for tests of what checksums do not catch: spans and stacks of threads
   are then neither packed nor checked. Threads must fill [LODE_TIMELINE_HEADER_BYTES, threads_end)
   of the file, which is in trace->store. */
enum { LODE_TIMELINE_HEADER_BYTES = 48 };
int lode_timeline_directory_read(struct lode_call_trace *trace, const uint8_t *data, size_t size,
				 int64_t threads_end, const char *path, struct lode_error *err);
