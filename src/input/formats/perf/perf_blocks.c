/* Splits a perf recording into blocks of whole records. */
#include "input/formats/perf/perf_blocks.h"

#include <zstd.h>

#include "base/pipeline.h"
#include "input/formats/perf/perf_sample.h"

enum {
	RECORD_LIMIT_BYTES = 1 << 16, /* sizes are 16 bits */
	WINDOW_BYTES = LODE_PERF_BLOCK_BYTES + RECORD_LIMIT_BYTES,
	EMIT_BYTES = LODE_PERF_BLOCK_BYTES / 2, /* expanded: a block is worth its while */
	HASHED_BYTES = 1 << 16,
	PAYLOAD_LIMIT_BYTES = 256 << 20,
};

/* Why a walk over records ended. */
enum stop {
	STOP_MORE, /* the next record is not whole */
	STOP_DESCRIPTION,
	STOP_COMPRESSED,
	STOP_AUXTRACE,
	STOP_DAMAGED,
};

void lode_perf_blocks_init(struct lode_perf_blocks *blocks, struct lode_perf_header *header,
			   struct lode_perf_reader *reader)
{
	memset(blocks, 0, sizeof(*blocks));
	blocks->header = header;
	blocks->reader = reader;
	blocks->raw.data = lode_alloc(WINDOW_BYTES);
	blocks->raw.capacity = WINDOW_BYTES;
	blocks->raw_offset = header->data_offset;
	blocks->left_bytes = header->data_bytes ? header->data_bytes : -1;
	lode_perf_reader_skip_to(reader, header->data_offset);
}

void lode_perf_blocks_release(struct lode_perf_blocks *blocks)
{
	free(blocks->raw.data);
	free(blocks->expanded.data);
	ZSTD_freeDCtx(blocks->zstd);
	memset(blocks, 0, sizeof(*blocks));
}

/* How many bytes from `at` on are whole, ordinary records; and what comes then. */
static size_t walk_perf_blocks(const struct lode_perf_window *window, enum stop *stop)
{
	const uint8_t *begin, *end, *p;
	uint32_t type;
	uint16_t size;

	*stop = STOP_MORE;
	/* No compressed record was met so far: there is nothing to point into. */
	if (!window->data)
		return 0;
	p = begin = window->data + window->at;
	end = window->data + window->end;
	for (; end - p >= LODE_PERF_RECORD_HEADER_BYTES; p += size) {
		type = lode_perf_u32(p);
		size = lode_perf_u16(p + 6);
		if (size < LODE_PERF_RECORD_HEADER_BYTES || type >= LODE_PERF_TYPE_LIMIT ||
		    (type < LODE_PERF_USER_TYPE_START && size % 8)) {
			*stop = STOP_DAMAGED;
			break;
		}
		if (size > end - p)
			break;
		if (type < LODE_PERF_USER_TYPE_START)
			continue;
		if (lode_perf_header_is_description(type))
			*stop = STOP_DESCRIPTION;
		else if (type == LODE_PERF_COMPRESSED || type == LODE_PERF_COMPRESSED2)
			*stop = STOP_COMPRESSED;
		else if (type == LODE_PERF_AUXTRACE)
			*stop = STOP_AUXTRACE;
		else
			continue;
		break;
	}
	return (size_t)(p - begin);
}

/* ---- Giving blocks away ---- */

static void prepare(struct lode_perf_block *block)
{
	if (block->data)
		return;
	block->data = lode_alloc(WINDOW_BYTES);
	block->capacity = WINDOW_BYTES;
}

static void give_copy(struct lode_perf_window *window, size_t n, struct lode_perf_block *block)
{
	prepare(block);
	memcpy(block->data, window->data + window->at, n);
	block->size_bytes = n;
	window->at += n;
}

/*
 * Gives `n` bytes of the raw window away. When little is left behind them, the window's storage
 * goes with them and the rest moves; else they are copied, so that no byte moves twice.
 */
static void give_raw(struct lode_perf_blocks *blocks, size_t n, struct lode_perf_block *block)
{
	struct lode_perf_window *raw = &blocks->raw;
	size_t rest = raw->end - raw->at - n;
	uint8_t *data = raw->data;

	block->offset = blocks->raw_offset + (int64_t)raw->at;
	block->is_expanded = false;
	if (rest >= RECORD_LIMIT_BYTES || raw->at) {
		give_copy(raw, n, block);
		return;
	}
	prepare(block);
	memcpy(block->data, data + n, rest);
	raw->data = block->data;
	raw->at = 0;
	raw->end = rest;
	blocks->raw_offset += (int64_t)n;
	block->data = data;
	block->size_bytes = n;
}

/* ---- Compressed records ---- */

static void drop_expanded(struct lode_perf_blocks *blocks, const char *what)
{
	lode_loss_add(&blocks->losses, LODE_LOSS_BAD_RECORD, 1, blocks->expanded_offset, 0, "%s",
		      what);
	blocks->is_expanding = false;
	blocks->expanded.at = blocks->expanded.end = 0;
}

/* Gives away what is whole in the expanded window. */
static bool give_expanded(struct lode_perf_blocks *blocks, struct lode_perf_block *block)
{
	enum stop stop;
	size_t n = walk_perf_blocks(&blocks->expanded, &stop);

	if (n == 0 && stop != STOP_MORE) {
		drop_expanded(blocks, stop == STOP_DAMAGED
					      ? "compressed content is not a record; skipped up to "
						"the next compressed record"
					      : "a description inside compressed content");
		return false;
	}
	if (n == 0)
		return false;
	give_copy(&blocks->expanded, n, block);
	block->offset = blocks->expanded_offset;
	block->is_expanded = true;
	return true;
}

static void begin_compressed(struct lode_perf_blocks *blocks)
{
	struct lode_perf_window *raw = &blocks->raw;
	const uint8_t *p = raw->data + raw->at;
	size_t size = lode_perf_u16(p + 6), head = LODE_PERF_RECORD_HEADER_BYTES;

	blocks->expanded_offset = blocks->raw_offset + (int64_t)raw->at;
	blocks->packed_at = raw->at + head;
	blocks->packed_end = raw->at + size;
	raw->at += size;
	if (lode_perf_u32(p) == LODE_PERF_COMPRESSED2) {
		/* Padded; says how much of it counts. */
		if (size < head + 8 || lode_perf_u64(p + head) > size - head - 8) {
			drop_expanded(blocks, "a compressed record is longer than its record");
			return;
		}
		blocks->packed_at += 8;
		blocks->packed_end = blocks->packed_at + (size_t)lode_perf_u64(p + head);
	}
	if (!blocks->zstd)
		blocks->zstd = ZSTD_createDCtx();
	if (!blocks->zstd)
		lode_oom(sizeof(*blocks));
	if (!blocks->expanded.data) {
		blocks->expanded.data = lode_alloc(WINDOW_BYTES);
		blocks->expanded.capacity = WINDOW_BYTES;
	}
	blocks->is_expanding = true;
}

/* Expands until the window is full or the compressed record is used up. */
static void expand(struct lode_perf_blocks *blocks)
{
	struct lode_perf_window *window = &blocks->expanded;
	ZSTD_inBuffer in = {blocks->raw.data, blocks->packed_end, blocks->packed_at};
	ZSTD_outBuffer out;
	size_t rc;

	memmove(window->data, window->data + window->at, window->end - window->at);
	window->end -= window->at;
	window->at = 0;
	out = (ZSTD_outBuffer){window->data, window->capacity, window->end};
	rc = ZSTD_decompressStream(blocks->zstd, &out, &in);
	if (ZSTD_isError(rc)) {
		ZSTD_DCtx_reset(blocks->zstd, ZSTD_reset_session_only);
		drop_expanded(blocks, ZSTD_getErrorName(rc));
		return;
	}
	window->end = out.pos;
	blocks->packed_at = in.pos;
	blocks->is_expanding = in.pos < in.size || out.pos == out.size;
}

/* ---- Records with something behind them ---- */

/* Passes over `n` bytes behind the present place, wherever they end. */
static void skip_perf_blocks(struct lode_perf_blocks *blocks, uint64_t n)
{
	struct lode_perf_window *raw = &blocks->raw;
	uint64_t here = raw->end - raw->at;

	if (n <= here) {
		raw->at += (size_t)n;
		return;
	}
	n -= here;
	if (blocks->left_bytes >= 0 && n > (uint64_t)blocks->left_bytes) {
		lode_loss_add(&blocks->losses, LODE_LOSS_TRUNCATED, 1, blocks->reader->at, 0,
			      "data behind a record reach past the end of the records");
		n = (uint64_t)blocks->left_bytes;
	}
	if (n > INT64_MAX / 2)
		n = INT64_MAX / 2;
	lode_perf_reader_skip_to(blocks->reader, blocks->reader->at + (int64_t)n);
	if (blocks->left_bytes >= 0)
		blocks->left_bytes -= (int64_t)n;
	raw->at = raw->end = 0;
	blocks->raw_offset = blocks->reader->at;
}

/* The `n` bytes behind the present place, from malloc; `*got` may be fewer at the end. */
static uint8_t *take_payload(struct lode_perf_blocks *blocks, size_t n, size_t *got)
{
	struct lode_perf_window *raw = &blocks->raw;
	size_t here = raw->end - raw->at, capacity = here, chunk;
	uint8_t *data;
	ssize_t r;

	if (here > n)
		here = capacity = n;
	data = lode_alloc(capacity);
	memcpy(data, raw->data + raw->at, here);
	raw->at += here;
	*got = here;
	while (*got < n) {
		/* In steps: the size is the file's word, the bytes may not be there. */
		chunk = n - *got < LODE_PERF_BLOCK_BYTES ? n - *got : LODE_PERF_BLOCK_BYTES;
		if (blocks->left_bytes >= 0 && chunk > (size_t)blocks->left_bytes)
			chunk = (size_t)blocks->left_bytes;
		data = lode_realloc_n(data, *got + chunk, 1);
		r = chunk ? lode_perf_reader_read(blocks->reader, data + *got, chunk) : 0;
		if (r <= 0)
			break;
		*got += (size_t)r;
		if (blocks->left_bytes >= 0)
			blocks->left_bytes -= r;
		raw->at = raw->end = 0;
		blocks->raw_offset = blocks->reader->at;
	}
	return data;
}

static void describe_perf_blocks(struct lode_perf_blocks *blocks)
{
	struct lode_perf_window *raw = &blocks->raw;
	int64_t offset = blocks->raw_offset + (int64_t)raw->at;
	size_t size = lode_perf_u16(raw->data + raw->at + 6), n, got = 0;
	uint8_t *payload = NULL, record[RECORD_LIMIT_BYTES];

	memcpy(record, raw->data + raw->at, size);
	raw->at += size;
	if (lode_perf_u32(record) == LODE_PERF_HEADER_TRACING_DATA && size >= 12) {
		n = ((size_t)lode_perf_u32(record + 8) + 7) & ~(size_t)7;
		if (n > PAYLOAD_LIMIT_BYTES) {
			lode_loss_add(&blocks->losses, LODE_LOSS_BAD_RECORD, 1, offset, 0,
				      "implausible tracing data size: %zu bytes", n);
			return;
		}
		payload = take_payload(blocks, n, &got);
	}
	lode_perf_header_add(blocks->header, lode_bytes_make(record, size, offset),
			     lode_bytes_make(payload ? payload : record, got,
					     offset + (int64_t)size),
			     lode_input_path(blocks->reader->input));
	free(payload);
}

static void skip_auxtrace(struct lode_perf_blocks *blocks)
{
	struct lode_perf_window *raw = &blocks->raw;
	const uint8_t *p = raw->data + raw->at;
	size_t size = lode_perf_u16(p + 6);
	uint64_t payload = size >= 16 ? lode_perf_u64(p + 8) : 0;

	raw->at += size;
	skip_perf_blocks(blocks, payload);
}

/* ---- Reading on ---- */

static void end_of_records(struct lode_perf_blocks *blocks)
{
	const struct lode_perf_window *raw = &blocks->raw, *expanded = &blocks->expanded;
	const struct lode_perf_reader *reader = blocks->reader;
	int64_t offset = blocks->raw_offset + (int64_t)raw->at;

	blocks->is_at_end = true;
	if (reader->is_cut)
		lode_loss_add(&blocks->losses, LODE_LOSS_TRUNCATED, 1, reader->cut.offset, 0, "%s",
			      reader->cut.message);
	else if (raw->at < raw->end)
		lode_loss_add(&blocks->losses, LODE_LOSS_TRUNCATED, 1, offset, 0,
			      "the last record ends after %zu bytes", raw->end - raw->at);
	else if (expanded->at < expanded->end)
		lode_loss_add(&blocks->losses, LODE_LOSS_TRUNCATED, 1, blocks->expanded_offset, 0,
			      "the last compressed record ends inside a record");
	else if (blocks->left_bytes > 0)
		lode_loss_add(&blocks->losses, LODE_LOSS_TRUNCATED, 1, offset, 0,
			      "%lld bytes of records are missing", (long long)blocks->left_bytes);
}

static void read_on(struct lode_perf_blocks *blocks)
{
	struct lode_perf_window *raw = &blocks->raw;
	size_t rest = raw->end - raw->at, want;
	ssize_t n;

	memmove(raw->data, raw->data + raw->at, rest);
	blocks->raw_offset += (int64_t)raw->at;
	raw->at = 0;
	raw->end = rest;
	want = raw->capacity - rest;
	if (blocks->left_bytes >= 0 && want > (size_t)blocks->left_bytes)
		want = (size_t)blocks->left_bytes;
	n = want ? lode_perf_reader_read(blocks->reader, raw->data + rest, want) : 0;
	if (n <= 0) {
		end_of_records(blocks);
		return;
	}
	if (blocks->record_bytes == 0)
		blocks->head_hash =
			lode_stable_hash(raw->data, n < HASHED_BYTES ? (size_t)n : HASHED_BYTES, 0);
	blocks->record_bytes += n;
	if (blocks->left_bytes >= 0)
		blocks->left_bytes -= n;
	raw->end += (size_t)n;
}

static void note_damaged(struct lode_perf_blocks *blocks)
{
	const struct lode_perf_window *raw = &blocks->raw;
	const uint8_t *p = raw->data + raw->at;

	blocks->is_damaged = true;
	lode_loss_add(&blocks->losses, LODE_LOSS_BAD_RECORD, 1,
		      blocks->raw_offset + (int64_t)raw->at, 0,
		      "invalid record: type %u, %u bytes; the rest cannot be read",
		      lode_perf_u32(p), lode_perf_u16(p + 6));
}

/* What stands at the walk's end, when nothing ordinary stands before it. True: ask for a drain. */
static bool deal_with(struct lode_perf_blocks *blocks, enum stop stop)
{
	switch (stop) {
	case STOP_MORE:
		read_on(blocks);
		break;
	case STOP_DESCRIPTION:
		if (!blocks->is_drained)
			return true;
		blocks->is_drained = false;
		describe_perf_blocks(blocks);
		break;
	case STOP_COMPRESSED:
		begin_compressed(blocks);
		break;
	case STOP_AUXTRACE:
		skip_auxtrace(blocks);
		break;
	case STOP_DAMAGED:
		note_damaged(blocks);
		break;
	}
	return false;
}

int lode_perf_blocks_next(struct lode_perf_blocks *blocks, struct lode_perf_block *block)
{
	enum stop stop;
	size_t n;

	for (;;) {
		if (blocks->is_expanding) {
			expand(blocks);
			if (blocks->expanded.end >= EMIT_BYTES && give_expanded(blocks, block))
				return LODE_PIPELINE_ITEM;
			continue;
		}
		if (blocks->is_at_end || blocks->is_damaged)
			return give_expanded(blocks, block) ? LODE_PIPELINE_ITEM
							    : LODE_PIPELINE_END;
		n = walk_perf_blocks(&blocks->raw, &stop);
		/* What was expanded stands before it in the recording. */
		if ((n || (stop != STOP_COMPRESSED && stop != STOP_MORE)) &&
		    give_expanded(blocks, block))
			return LODE_PIPELINE_ITEM;
		if (n) {
			give_raw(blocks, n, block);
			return LODE_PIPELINE_ITEM;
		}
		if (deal_with(blocks, stop)) {
			blocks->is_drained = true;
			return LODE_PIPELINE_DRAIN;
		}
	}
}
