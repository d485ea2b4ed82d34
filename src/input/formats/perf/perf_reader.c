/* Reads the bytes of a perf recording, in order or by offset. */
#include "input/formats/perf/perf_reader.h"

#include <unistd.h>

#include "base/unnamed_file.h"
#include "input/formats/perf/perf_abi.h"

enum { CHUNK_BYTES = 1 << 20 };

static uint8_t *add_chunk(struct lode_perf_reader *reader)
{
	uint8_t *chunk = lode_alloc(CHUNK_BYTES);

	lode_vec_append(&reader->chunks, chunk);
	return chunk;
}

static void free_chunks(struct lode_perf_reader *reader)
{
	lode_vec_release_each(&reader->chunks, it, free(*it));
}

static int append_perf_reader(struct lode_perf_reader *reader, const uint8_t *bytes, size_t size,
			      int64_t offset, struct lode_error *err)
{
	int rc = reader->fd < 0 ? lode_unnamed_file_open(&reader->fd, err) : LODE_OK;

	if (rc == LODE_OK)
		rc = lode_unnamed_file_write(reader->fd, bytes, size, offset, err);
	if (rc < 0)
		lode_error_context(err, "storing a large compressed recording");
	return rc;
}

/* Moves what is in memory to a file; all chunks are full. One is left to go on with. */
static int spill_perf_reader(struct lode_perf_reader *reader, struct lode_error *err)
{
	int rc = LODE_OK;

	for (size_t i = 0; i < reader->chunks.n && rc == LODE_OK; i++)
		rc = append_perf_reader(reader, reader->chunks.at[i], CHUNK_BYTES,
					(int64_t)i * CHUNK_BYTES, err);
	free_chunks(reader);
	add_chunk(reader);
	return rc;
}

/* Whether the last chunk holds records alone; by the file's header, which the first one holds. */
static bool is_of_records(const struct lode_perf_reader *reader)
{
	uint64_t offset, size, start = (uint64_t)(reader->chunks.n - 1) * CHUNK_BYTES;

	memcpy(&offset, reader->chunks.at[0] + LODE_PERF_FILE_DATA_AT, sizeof(offset));
	memcpy(&size, reader->chunks.at[0] + LODE_PERF_FILE_DATA_AT + 8, sizeof(size));
	return start > 0 && start >= offset && start - offset <= size &&
	       size - (start - offset) >= CHUNK_BYTES;
}

static int keep_perf_reader(struct lode_perf_reader *reader, bool has_records,
			    struct lode_error *err)
{
	uint8_t *chunk = add_chunk(reader);
	int rc = LODE_OK;
	ssize_t n;

	reader->size = 0;
	while ((n = lode_input_read(reader->input, chunk, CHUNK_BYTES, &reader->cut)) > 0) {
		if (reader->fd >= 0)
			rc = append_perf_reader(reader, chunk, (size_t)n, reader->size, err);
		reader->size += n;
		if (rc == LODE_OK && reader->fd < 0 &&
		    reader->chunks.n * CHUNK_BYTES >= LODE_PERF_KEEP_IN_MEMORY_BYTES)
			rc = spill_perf_reader(reader, err);
		if (rc < 0)
			return rc;
		if (reader->fd >= 0) {
			chunk = reader->chunks.at[0];
		} else if (n == CHUNK_BYTES && !has_records && is_of_records(reader)) {
			reader->chunks.at[reader->chunks.n - 1] = NULL;
			lode_vec_append(&reader->chunks, chunk);
		} else {
			chunk = add_chunk(reader);
		}
	}
	reader->is_cut = n < 0;
	if (reader->fd >= 0)
		free_chunks(reader);
	return LODE_OK;
}

int lode_perf_reader_open(struct lode_perf_reader *reader, struct lode_input *input,
			  bool has_records, struct lode_error *err)
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
	rc = keep_perf_reader(reader, has_records, err);
	if (rc < 0)
		lode_perf_reader_close(reader);
	return rc;
}

void lode_perf_reader_close(struct lode_perf_reader *reader)
{
	free_chunks(reader);
	if (reader->fd >= 0)
		close(reader->fd);
	reader->fd = -1;
}

/* Up to `size` bytes of what is in memory. */
static ssize_t read_chunks(const struct lode_perf_reader *reader, uint8_t *to, size_t size,
			   size_t offset)
{
	size_t done = 0;

	while (done < size) {
		size_t in_chunk = (offset + done) % CHUNK_BYTES, n = CHUNK_BYTES - in_chunk;
		const uint8_t *chunk = reader->chunks.at[(offset + done) / CHUNK_BYTES];

		if (!chunk)
			break;
		n = n < size - done ? n : size - done;
		memcpy(to + done, chunk + in_chunk, n);
		done += n;
	}
	return (ssize_t)done;
}

ssize_t lode_perf_reader_read_at(const struct lode_perf_reader *reader, void *buffer, size_t size,
				 int64_t offset, struct lode_error *err)
{
	int rc;

	if (offset < 0 || (reader->size >= 0 && offset >= reader->size))
		return 0;
	if (!reader->chunks.n && reader->fd < 0)
		return lode_input_read_at(reader->input, buffer, size, offset, err);
	if ((uint64_t)(reader->size - offset) < size)
		size = (size_t)(reader->size - offset);
	if (reader->chunks.n)
		return read_chunks(reader, buffer, size, (size_t)offset);
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
