/* Makes an input addressable: in place, in memory or in a file without a name. */
#include "input/spool.h"

#include <unistd.h>

#include "base/mem.h"
#include "base/unnamed_file.h"

#define STEP_BYTES ((size_t)1 << 20)

/* `spool->memory` has n bytes and the input goes on: all of it goes to a file. */
static int spill_spool(struct lode_spool *spool, size_t n, struct lode_error *err)
{
	int rc = lode_unnamed_file_open(&spool->fd, err);

	if (rc == 0)
		rc = lode_unnamed_file_write(spool->fd, spool->memory, n, 0, err);
	while (rc == 0) {
		ssize_t got =
			lode_input_read(spool->input, spool->memory, STEP_BYTES, &spool->fault);

		if (got <= 0)
			break;
		rc = lode_unnamed_file_write(spool->fd, spool->memory, (size_t)got,
					     spool->size_bytes, err);
		spool->size_bytes += got;
	}
	free(spool->memory);
	spool->memory = NULL;
	return rc;
}

static int unpack(struct lode_spool *spool, struct lode_error *err)
{
	size_t n = 0, capacity = 0;
	ssize_t got = 1;

	while (got > 0 && n < LODE_SPOOL_MEMORY_BYTES) {
		if (n + STEP_BYTES > capacity)
			spool->memory = lode_vec_grow(spool->memory, &capacity, n + STEP_BYTES, 1);
		got = lode_input_read(spool->input, spool->memory + n, STEP_BYTES, &spool->fault);
		if (got > 0)
			n += (size_t)got;
	}
	spool->size_bytes = (int64_t)n;
	if (got < 0 && n == 0) {
		if (err)
			*err = spool->fault;
		return (int)got;
	}
	if (got > 0) {
		int rc = spill_spool(spool, n, err);

		if (rc < 0)
			return rc;
	}
	spool->input = NULL;
	return 0;
}

int lode_spool_open(struct lode_spool *spool, struct lode_input *input, struct lode_error *err)
{
	int rc = 0;

	memset(spool, 0, sizeof(*spool));
	spool->fd = -1;
	spool->input = input;
	spool->path = lode_input_path(input);
	if (lode_input_is_seekable(input))
		spool->size_bytes = lode_input_size_bytes(input);
	else
		rc = unpack(spool, err);
	if (rc < 0)
		lode_spool_close(spool);
	return rc;
}

void lode_spool_close(struct lode_spool *spool)
{
	free(spool->memory);
	spool->memory = NULL;
	if (spool->fd >= 0)
		close(spool->fd);
	spool->fd = -1;
}

ssize_t lode_spool_read(const struct lode_spool *spool, void *buffer, size_t size, int64_t offset,
			struct lode_error *err)
{
	int rc;

	if (spool->input)
		return lode_input_read_at(spool->input, buffer, size, offset, err);
	if (offset < 0 || offset >= spool->size_bytes)
		return 0;
	if ((int64_t)size > spool->size_bytes - offset)
		size = (size_t)(spool->size_bytes - offset);
	if (spool->memory) {
		memcpy(buffer, spool->memory + offset, size);
		return (ssize_t)size;
	}
	rc = lode_unnamed_file_read(spool->fd, buffer, size, offset, err);
	return rc < 0 ? rc : (ssize_t)size;
}
