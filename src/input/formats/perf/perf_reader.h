/*
 * The recording's bytes, in order or from anywhere.
 *
 * perf writes a file's feature sections behind its data, but they are needed first. So a recording
 * in file layout that arrives compressed or through a pipe is kept: in memory while it is small,
 * beyond in an unnamed temporary file. A recording in pipe layout is read once, in order.
 */
#pragma once

#include "base/input.h"
#include "base/mem.h"

struct lode_perf_reader {
	struct lode_input *input; /* borrowed */
	LODE_VEC(uint8_t *)
	chunks;	      /* what was kept, of 1 MiB each; NULL: records alone, not kept */
	int fd;	      /* or where it was kept; -1 none */
	int64_t size; /* bytes in all; -1 not known (read in order only) */
	int64_t at;   /* of the reading in order */
	bool is_cut;  /* the input broke off: `cut` says how */
	struct lode_error cut;
};

enum { LODE_PERF_KEEP_IN_MEMORY_BYTES = 64 << 20 };

/* Without `has_records`, of what would be kept only what is not records. */
int lode_perf_reader_open(struct lode_perf_reader *reader, struct lode_input *input,
			  bool has_records, struct lode_error *err);
void lode_perf_reader_close(struct lode_perf_reader *reader);

/* Up to `size` bytes, fewer only at the end. An input that breaks off ends there. */
ssize_t lode_perf_reader_read(struct lode_perf_reader *reader, void *buffer, size_t size);
/* As read, from anywhere. Not for recordings in pipe layout that are not in a plain file. */
ssize_t lode_perf_reader_read_at(const struct lode_perf_reader *reader, void *buffer, size_t size,
				 int64_t offset, struct lode_error *err);
/* Goes on reading at `offset`, which is not before the present place. */
void lode_perf_reader_skip_to(struct lode_perf_reader *reader, int64_t offset);
