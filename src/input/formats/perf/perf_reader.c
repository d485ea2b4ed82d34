#include "input/formats/perf/perf_reader.h"

#include <unistd.h>

#include "base/mem.h"
#include "base/unnamed_file.h"
#include "input/formats/perf/perf_abi.h"

enum { CHUNK_BYTES = 1 << 20 };

static int append_perf_reader(struct lode_perf_reader *reader, size_t size, struct lode_error *err)
{
	int rc = reader->fd < 0 ? lode_unnamed_file_open(&reader->fd, err) : LODE_OK;

	if (rc == LODE_OK)
		rc = lode_unnamed_file_write(reader->fd, reader->memory, size, reader->size, err);
	if (rc < 0)
		lode_error_context(err, "keeping a large compressed recording");
	return rc;
}

/* Moves what is in memory to a file. */
static int spill_perf_reader(struct lode_perf_reader *reader, struct lode_error *err)
{
	int64_t size = reader->size;
	int rc;

	reader->size = 0;
	rc = append_perf_reader(reader, (size_t)size, err);
	reader->size = size;
	return rc;
}

static int keep_perf_reader(struct lode_perf_reader *reader, struct lode_error *err)
{
	size_t capacity = CHUNK_BYTES;
	ssize_t n;
	int rc;

	reader->size = 0;
	reader->memory = lode_alloc(capacity);
	for (;;) {
		if (reader->fd < 0 && (size_t)reader->size + CHUNK_BYTES > capacity)
			reader->memory = lode_realloc_n(reader->memory, capacity *= 2, 1);
		n = lode_input_read(reader->input,
				    reader->memory + (reader->fd < 0 ? reader->size : 0),
				    CHUNK_BYTES, &reader->cut);
		reader->is_cut = n < 0;
		if (n <= 0)
			break;
		if (reader->fd >= 0) {
			rc = append_perf_reader(reader, (size_t)n, err);
			if (rc < 0)
				return rc;
		}
		reader->size += n;
		if (reader->fd < 0 && reader->size >= LODE_PERF_KEEP_IN_MEMORY_BYTES) {
			rc = spill_perf_reader(reader, err);
			if (rc < 0)
				return rc;
		}
	}
	if (reader->fd >= 0) {
		free(reader->memory);
		reader->memory = NULL;
	}
	return LODE_OK;
}

int lode_perf_reader_open(struct lode_perf_reader *reader, struct lode_input *input,
			  struct lode_error *err)
{
	uint64_t head[2] = {0};
	ssize_t n;
	int rc;

	memset(reader, 0, sizeof(*reader));
	reader->input = input;
	reader->fd = -1;
	if (lode_input_is_seekable(input)) {
		reader->size = lode_input_size_bytes(input);
		return LODE_OK;
	}
	reader->size = -1;
	n = lode_input_peek(input, head, sizeof(head), err);
	if (n < 0)
		return (int)n;
	if (n < (ssize_t)sizeof(head) || head[0] != LODE_PERF_MAGIC ||
	    head[1] == LODE_PERF_PIPE_HEADER_BYTES)
		return LODE_OK;
	rc = keep_perf_reader(reader, err);
	if (rc < 0)
		lode_perf_reader_close(reader);
	return rc;
}

void lode_perf_reader_close(struct lode_perf_reader *reader)
{
	free(reader->memory);
	if (reader->fd >= 0)
		close(reader->fd);
	reader->memory = NULL;
	reader->fd = -1;
}

ssize_t lode_perf_reader_read_at(const struct lode_perf_reader *reader, void *buffer, size_t size,
				 int64_t offset, struct lode_error *err)
{
	int rc;

	if (offset < 0 || (reader->size >= 0 && offset >= reader->size))
		return 0;
	if (!reader->memory && reader->fd < 0)
		return lode_input_read_at(reader->input, buffer, size, offset, err);
	if ((uint64_t)(reader->size - offset) < size)
		size = (size_t)(reader->size - offset);
	if (reader->memory) {
		memcpy(buffer, reader->memory + offset, size);
		return (ssize_t)size;
	}
	rc = lode_unnamed_file_read(reader->fd, buffer, size, offset, err);
	return rc < 0 ? rc : (ssize_t)size;
}

ssize_t lode_perf_reader_read(struct lode_perf_reader *reader, void *buffer, size_t size)
{
	ssize_t n;

	if (reader->size >= 0)
		n = lode_perf_reader_read_at(reader, buffer, size, reader->at, &reader->cut);
	else
		n = lode_input_read(reader->input, buffer, size, &reader->cut);
	if (n < 0) {
		reader->is_cut = true;
		return 0;
	}
	reader->at += n;
	return n;
}

void lode_perf_reader_skip_to(struct lode_perf_reader *reader, int64_t offset)
{
	uint8_t chunk[16384];
	int64_t left;

	if (reader->size >= 0) {
		reader->at = offset < reader->size ? offset : reader->size;
		return;
	}
	while ((left = offset - reader->at) > 0)
		if (lode_perf_reader_read(reader, chunk,
					  left < (int64_t)sizeof(chunk) ? (size_t)left
									: sizeof(chunk)) == 0)
			break;
}
