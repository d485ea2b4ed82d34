/* Finds the buffers of a flight data recorder log and their order. */
#include "input/formats/xray/xray_index.h"

#include "base/bytes.h"
#include "base/sorted.h"
#include "input/formats/xray/xray_format.h"

/* New buffer, wall clock, process, CPU: what a buffer starts with. */
#define PREAMBLE_BYTES (4 * XRAY_METADATA_BYTES)

struct scan {
	struct lode_xray_index *index;
	const struct lode_xray_header *header;
	const struct lode_spool *spool;
	struct lode_losses *losses;
	struct lode_map threads; /* (pid, tid) -> order of first sight */
};

static uint8_t metadata(unsigned kind)
{
	return (uint8_t)(XRAY_IS_METADATA | kind << 1);
}

/* False if the bytes cannot start a buffer. */
static bool parse_preamble(struct lode_xray_buffer *buffer, struct lode_bytes b)
{
	struct lode_bytes record = lode_bytes_sub(&b, XRAY_METADATA_BYTES);

	if (lode_bytes_u8(&record) != metadata(XRAY_NEW_BUFFER))
		return false;
	buffer->tid = lode_bytes_i32(&record);
	while (lode_bytes_left(&b) >= XRAY_METADATA_BYTES && (*b.at & XRAY_IS_METADATA)) {
		uint8_t type;

		record = lode_bytes_sub(&b, XRAY_METADATA_BYTES);
		type = lode_bytes_u8(&record);
		if (type == metadata(XRAY_WALL_CLOCK)) {
			buffer->wall_s = lode_bytes_u64(&record);
			buffer->wall_part = lode_bytes_u32(&record);
		} else if (type == metadata(XRAY_PROCESS)) {
			buffer->pid = lode_bytes_i32(&record);
		} else if (type == metadata(XRAY_NEW_CPU)) {
			lode_bytes_u16(&record);
			buffer->ticks = lode_bytes_u64(&record);
			break;
		}
	}
	return true;
}

static int add_buffer(struct scan *scan, int64_t offset, int64_t size_bytes, struct lode_error *err)
{
	struct lode_xray_buffer buffer = {.offset = offset, .size_bytes = (uint32_t)size_bytes};
	uint8_t bytes[PREAMBLE_BYTES];
	size_t want = size_bytes < PREAMBLE_BYTES ? (size_t)size_bytes : PREAMBLE_BYTES;
	ssize_t n = lode_spool_read(scan->spool, bytes, want, offset, err);

	if (n < 0)
		return (int)n;
	if (!parse_preamble(&buffer, lode_bytes_make(bytes, (size_t)n, offset))) {
		lode_loss_add(scan->losses, LODE_LOSS_BAD_RECORD, 1, offset, 0,
			      "offset 0x%llx: a buffer of %lld bytes without a thread",
			      (unsigned long long)offset, (long long)size_bytes);
		return LODE_OK;
	}
	buffer.thread = lode_map_number(&scan->threads,
					(uint64_t)(uint32_t)buffer.pid << 32 | (uint32_t)buffer.tid,
					scan->threads.n);
	lode_vec_append(&scan->index->buffers, buffer);
	return LODE_OK;
}

/* ---- Version 1: buffers of one size, padded ---- */

static int scan_padded(struct scan *scan, struct lode_error *err)
{
	int64_t size = (int64_t)scan->header->buffer_bytes, end = scan->spool->size_bytes;
	int rc = LODE_OK;

	if (size < PREAMBLE_BYTES || size > LODE_XRAY_BUFFER_MAX)
		return lode_fail(err, LODE_ERR_FORMAT, scan->spool->path, 16,
				 "the header of a log of version 1 declares buffers of %lld bytes",
				 (long long)size);
	for (int64_t at = XRAY_HEADER_BYTES; rc == LODE_OK && at < end; at += size) {
		int64_t left = end - at;

		if (left < size)
			lode_loss_add(scan->losses, LODE_LOSS_TRUNCATED, 1, end, 0,
				      "the last buffer has %lld of %lld bytes", (long long)left,
				      (long long)size);
		rc = add_buffer(scan, at, left < size ? left : size, err);
	}
	return rc;
}

/* ---- Versions 2 to 5: extents before each buffer ---- */

/* Is there an extents record, and behind it a buffer's first? `*size_bytes` as it says. */
static bool parse_extents(const uint8_t *at, size_t n, int64_t *size_bytes)
{
	struct lode_bytes b = lode_bytes_make(at, n, 0);
	uint64_t size;

	if (lode_bytes_u8(&b) != metadata(XRAY_EXTENTS))
		return false;
	size = lode_bytes_u64(&b);
	if (n < XRAY_METADATA_BYTES || size > INT64_MAX)
		return false;
	*size_bytes = (int64_t)size;
	return size == 0 || n == XRAY_METADATA_BYTES ||
	       at[XRAY_METADATA_BYTES] == metadata(XRAY_NEW_BUFFER);
}

/* The next place behind `*at` that looks like extents, or the end. */
static int find_extents(struct scan *scan, int64_t *at, struct lode_error *err)
{
	enum { WINDOW = 65536, LOOK = XRAY_METADATA_BYTES + 1 };
	uint8_t *window = lode_alloc(WINDOW);
	int64_t from = (*at)++, size; /* what is at `*at` is none */
	ssize_t n;

	for (;;) {
		n = lode_spool_read(scan->spool, window, WINDOW, *at, err);
		if (n < LOOK) {
			if (n >= 0)
				*at = scan->spool->size_bytes;
			break;
		}
		for (ssize_t i = 0; i + LOOK <= n; i++)
			if (window[i] == metadata(XRAY_EXTENTS) &&
			    parse_extents(window + i, LOOK, &size) && size > 0 &&
			    size <= scan->spool->size_bytes - *at - i) {
				*at += i;
				goto out;
			}
		*at += n - LOOK + 1;
	}
out:
	free(window);
	if (n < 0)
		return (int)n;
	lode_loss_add(scan->losses, LODE_LOSS_BAD_RECORD, 1, from, 0,
		      "offset 0x%llx: %lld bytes that are not a buffer", (unsigned long long)from,
		      (long long)(*at - from));
	return LODE_OK;
}

static int scan_extents(struct scan *scan, struct lode_error *err)
{
	int64_t at = XRAY_HEADER_BYTES, end = scan->spool->size_bytes;

	while (at < end) {
		uint8_t head[XRAY_METADATA_BYTES + 1];
		ssize_t n = lode_spool_read(scan->spool, head, sizeof(head), at, err);
		int64_t size, left;
		int rc;

		if (n < 0)
			return (int)n;
		if (n < XRAY_METADATA_BYTES) {
			lode_loss_add(scan->losses, LODE_LOSS_TRUNCATED, 1, at, 0,
				      "the log ends inside a buffer's extents");
			break;
		}
		if (!parse_extents(head, (size_t)n, &size) || size > LODE_XRAY_BUFFER_MAX) {
			rc = find_extents(scan, &at, err);
			if (rc < 0)
				return rc;
			continue;
		}
		at += XRAY_METADATA_BYTES;
		left = end - at;
		if (size > left)
			lode_loss_add(scan->losses, LODE_LOSS_TRUNCATED, 1, end, 0,
				      "the last buffer has %lld of %lld bytes", (long long)left,
				      (long long)size);
		if (size > left)
			size = left;
		if (size > 0) {
			rc = add_buffer(scan, at, size, err);
			if (rc < 0)
				return rc;
		}
		at += size;
	}
	return LODE_OK;
}

/* ---- Order ---- */

LODE_COMPARE(earlier_buffer_first, struct lode_xray_buffer,
	     LODE_ORDER(a->wall_s, b->wall_s) ?: LODE_ORDER(a->wall_part, b->wall_part)
		     ?: LODE_ORDER(a->ticks, b->ticks) ?: LODE_ORDER(a->offset, b->offset))

LODE_COMPARE(by_thread_and_time, struct lode_xray_buffer,
	     LODE_ORDER(a->thread, b->thread) ?: earlier_buffer_first(a, b))

static bool same_bytes(const struct scan *scan, const struct lode_xray_buffer *a,
		       const struct lode_xray_buffer *b)
{
	uint8_t left[4096], right[4096];

	for (uint32_t at = 0; at < a->size_bytes; at += sizeof(left)) {
		size_t n = a->size_bytes - at < sizeof(left) ? a->size_bytes - at : sizeof(left);

		if (lode_spool_read(scan->spool, left, n, a->offset + at, NULL) != (ssize_t)n ||
		    lode_spool_read(scan->spool, right, n, b->offset + at, NULL) != (ssize_t)n ||
		    memcmp(left, right, n) != 0)
			return false;
	}
	return true;
}

/* The same buffer twice stands side by side in the order; the same bytes are the same events. */
static void drop_duplicates(struct scan *scan)
{
	struct lode_xray_buffer *at = scan->index->buffers.at;
	size_t n = 0;

	for (size_t i = 0; i < scan->index->buffers.n; i++) {
		const struct lode_xray_buffer *last = n ? &at[n - 1] : NULL;

		if (last && last->thread == at[i].thread && last->wall_s == at[i].wall_s &&
		    last->wall_part == at[i].wall_part && last->ticks == at[i].ticks &&
		    last->size_bytes == at[i].size_bytes && same_bytes(scan, last, &at[i]))
			lode_loss_add(scan->losses, LODE_LOSS_DUPLICATE, 1, at[i].offset, 0,
				      "offset 0x%llx: the same as the buffer at 0x%llx",
				      (unsigned long long)at[i].offset,
				      (unsigned long long)last->offset);
		else
			at[n++] = at[i];
	}
	scan->index->buffers.n = n;
}

int lode_xray_index_build(struct lode_xray_index *index, const struct lode_xray_header *header,
			  const struct lode_spool *spool, struct lode_losses *losses,
			  struct lode_error *err)
{
	struct scan scan = {.index = index, .header = header, .spool = spool, .losses = losses};
	int rc = header->version == 1 ? scan_padded(&scan, err) : scan_extents(&scan, err);

	index->n_threads = scan.threads.n;
	lode_map_release(&scan.threads);
	if (rc == LODE_OK && index->buffers.n) {
		lode_sort(index->buffers.at, index->buffers.n, by_thread_and_time);
		drop_duplicates(&scan);
		lode_sort(index->buffers.at, index->buffers.n, earlier_buffer_first);
	}
	return rc;
}

void lode_xray_index_release(struct lode_xray_index *index)
{
	lode_vec_release(&index->buffers);
}
