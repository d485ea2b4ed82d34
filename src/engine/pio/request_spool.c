/* Keeps requests in few bytes until all have been seen. */
#include "engine/pio/request_spool.h"

#include <assert.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/unnamed_file.h"

enum { BLOCK_BYTES = 1 << 20, ITEM_MAX_BYTES = 32 };

struct block {
	uint8_t *at; /* NULL: in the file */
	int64_t offset;
	size_t size;
};

struct lode_request_spool {
	LODE_VEC(struct block) blocks;
	struct lode_spooled_request last; /* before the next item */
	uint64_t n;
	size_t memory_bytes, held_bytes;
	int fd; /* -1: no file yet */
	int64_t file_bytes;
};

struct lode_request_spool *lode_request_spool_new(size_t memory_bytes)
{
	struct lode_request_spool *spool = lode_alloc0(1, sizeof(*spool));

	spool->memory_bytes = memory_bytes;
	spool->fd = -1;
	return spool;
}

void lode_request_spool_free(struct lode_request_spool *spool)
{
	if (!spool)
		return;
	for (size_t i = 0; i < spool->blocks.n; i++)
		free(spool->blocks.at[i].at);
	lode_vec_release(&spool->blocks);
	if (spool->fd >= 0)
		close(spool->fd);
	free(spool);
}

/* ---- Items ---- */

static uint8_t *put_request_spool(uint8_t *p, uint64_t x)
{
	for (; x >= 0x80; x >>= 7)
		*p++ = (uint8_t)(x | 0x80);
	*p++ = (uint8_t)x;
	return p;
}

static const uint8_t *get(const uint8_t *p, uint64_t *x)
{
	unsigned shift = 0;

	*x = 0;
	do {
		*x |= (uint64_t)(*p & 0x7f) << shift;
		shift += 7;
	} while (*p++ & 0x80);
	return p;
}

static uint64_t zigzag(int64_t x)
{
	return (uint64_t)x << 1 ^ (uint64_t)(x >> 63);
}

static int64_t unzigzag(uint64_t x)
{
	return (int64_t)(x >> 1) ^ -(int64_t)(x & 1);
}

/* Most logs have whole milliseconds or microseconds: the lowest bits say which unit. */
static uint64_t pack_time(int64_t ns)
{
	if (ns % 1000000 == 0)
		return (uint64_t)(ns / 1000000) << 2;
	if (ns % 1000 == 0)
		return (uint64_t)(ns / 1000) << 2 | 1;
	return (uint64_t)ns << 2 | 2;
}

static int64_t unpack_time(uint64_t x)
{
	static const int64_t units[4] = {1000000, 1000, 1, 1};

	return (int64_t)(x >> 2) * units[x & 3];
}

/* Writes the last block, which is full, to the file. */
static int put_away(struct lode_request_spool *spool, struct block *block, struct lode_error *err)
{
	int rc = spool->fd < 0 ? lode_unnamed_file_open(&spool->fd, err) : LODE_OK;

	if (rc == LODE_OK)
		rc = lode_unnamed_file_write(spool->fd, block->at, block->size, spool->file_bytes,
					     err);
	if (rc < 0) {
		lode_error_context(err, "storing requests");
		return rc;
	}
	block->offset = spool->file_bytes;
	spool->file_bytes += (int64_t)block->size;
	free(block->at);
	block->at = NULL;
	return 0;
}

static int next_block(struct lode_request_spool *spool, struct lode_error *err)
{
	assert(!spool->blocks.n || spool->blocks.at);
	if (spool->blocks.n) {
		struct block *full = &spool->blocks.at[spool->blocks.n - 1];

		if (spool->memory_bytes && spool->held_bytes + BLOCK_BYTES > spool->memory_bytes) {
			int rc = put_away(spool, full, err);

			if (rc < 0)
				return rc;
		} else {
			full->at = lode_realloc_n(full->at, full->size, 1);
			spool->held_bytes += full->size;
		}
	}
	lode_vec_append(&spool->blocks, ((struct block){.at = lode_alloc(BLOCK_BYTES)}));
	spool->last = (struct lode_spooled_request){0};
	return 0;
}

int lode_request_spool_add(struct lode_request_spool *spool,
			   const struct lode_spooled_request *item, struct lode_error *err)
{
	struct block *block = spool->blocks.n ? &spool->blocks.at[spool->blocks.n - 1] : NULL;
	uint8_t *p;

	if (!block || block->size + ITEM_MAX_BYTES > BLOCK_BYTES) {
		int rc = next_block(spool, err);

		if (rc < 0)
			return rc;
		block = &spool->blocks.at[spool->blocks.n - 1];
	}
	p = block->at + block->size;
	p = put_request_spool(p, zigzag(item->interval - spool->last.interval));
	p = put_request_spool(p, item->pair);
	p = put_request_spool(p, pack_time(item->response_ns));
	block->size = (size_t)(p - block->at);
	spool->last = *item;
	spool->n++;
	return 0;
}

int lode_request_spool_next(const struct lode_request_spool *spool,
			    struct lode_request_spool_reader *reader,
			    struct lode_spooled_request *item, struct lode_error *err)
{
	const struct block *block;
	const uint8_t *start, *p;
	uint64_t interval, pair, response;

	while (reader->block < spool->blocks.n &&
	       reader->at == spool->blocks.at[reader->block].size) {
		reader->block++;
		reader->at = 0;
		reader->last = (struct lode_spooled_request){0};
	}
	if (reader->block == spool->blocks.n)
		return 0;
	block = &spool->blocks.at[reader->block];
	start = block->at;
	if (!start) {
		if (!reader->buffer)
			reader->buffer = lode_alloc(BLOCK_BYTES);
		if (reader->at == 0) {
			int rc = lode_unnamed_file_read(spool->fd, reader->buffer, block->size,
							block->offset, err);

			if (rc < 0)
				return rc;
		}
		start = reader->buffer;
	}
	p = get(start + reader->at, &interval);
	p = get(p, &pair);
	p = get(p, &response);
	reader->at = (size_t)(p - start);
	*item = (struct lode_spooled_request){.interval =
						      reader->last.interval + unzigzag(interval),
					      .pair = (uint32_t)pair,
					      .response_ns = unpack_time(response)};
	reader->last = *item;
	return 1;
}

void lode_request_spool_reader_release(struct lode_request_spool_reader *reader)
{
	free(reader->buffer);
	*reader = (struct lode_request_spool_reader){0};
}
