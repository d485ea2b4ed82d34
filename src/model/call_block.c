/* Packs and unpacks blocks of calls and their sums. */
#include "model/call_block.h"

#include <zstd.h>

#include "base/varint.h"

enum {
	zstd_level = 1,
	varint_bytes = 10,
	padding_bytes = 16, /* behind a block's columns: a varint that runs over ends there */
};

void lode_call_packer_release(struct lode_call_packer *packer)
{
	ZSTD_freeCCtx(packer->compressor);
	ZSTD_freeDCtx(packer->decompressor);
	lode_vec_release(&packer->plain);
	lode_vec_release(&packer->packed);
	memset(packer, 0, sizeof(*packer));
}

void lode_call_packer_borrow(struct lode_call_packer *packer, struct lode_call_spares *spares)
{
	for (size_t i = 0; i < LODE_CALL_SPARES && !packer->decompressor; i++)
		packer->decompressor = atomic_exchange(&spares->decompressors[i], NULL);
}

void lode_call_packer_give_back(struct lode_call_packer *packer, struct lode_call_spares *spares)
{
	for (size_t i = 0; i < LODE_CALL_SPARES && packer->decompressor; i++)
		packer->decompressor =
			atomic_exchange(&spares->decompressors[i], packer->decompressor);
}

static inline uint8_t *put(uint8_t *to, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*to++ = (uint8_t)(value | 0x80);
	*to++ = (uint8_t)value;
	return to;
}

static void compress(struct lode_call_packer *packer)
{
	size_t bound = ZSTD_compressBound(packer->plain.n), n;

	if (!packer->compressor) {
		packer->compressor = ZSTD_createCCtx();
		if (!packer->compressor)
			lode_oom(bound);
		ZSTD_CCtx_setParameter(packer->compressor, ZSTD_c_compressionLevel, zstd_level);
	}
	lode_vec_reserve(&packer->packed, bound);
	n = ZSTD_compress2(packer->compressor, packer->packed.at, bound, packer->plain.at,
			   packer->plain.n);
	if (ZSTD_isError(n)) /* nothing but memory can fail here */
		lode_oom(bound);
	packer->packed.n = n;
}

void lode_call_block_pack(struct lode_call_packer *packer, const struct lode_call_columns *calls)
{
	uint8_t *to;
	int64_t before = calls->n ? calls->starts[0] : 0;

	lode_vec_reserve(&packer->plain, calls->n * 3 * varint_bytes + 1);
	to = packer->plain.at;
	for (size_t i = 0; i < calls->n; i++) {
		to = put(to, (uint64_t)(calls->starts[i] - before));
		before = calls->starts[i];
	}
	for (size_t i = 0; i < calls->n; i++)
		to = put(to, (uint64_t)calls->durations[i]);
	for (size_t i = 0; i < calls->n; i++)
		to = put(to, calls->stacks[i]);
	packer->plain.n = (size_t)(to - packer->plain.at);
	compress(packer);
}

static int decompress(struct lode_call_packer *packer, size_t bound, const uint8_t *data,
		      size_t size, const char *path, int64_t offset, struct lode_error *err)
{
	size_t n;

	if (!packer->decompressor) {
		packer->decompressor = ZSTD_createDCtx();
		if (!packer->decompressor)
			lode_oom(bound);
	}
	lode_vec_reserve(&packer->plain, bound + padding_bytes);
	n = ZSTD_decompressDCtx(packer->decompressor, packer->plain.at, bound, data, size);
	if (ZSTD_isError(n))
		return lode_fail(err, LODE_ERR_FORMAT, path, offset,
				 "a block of calls is damaged: %s", ZSTD_getErrorName(n));
	packer->plain.n = n;
	memset(packer->plain.at + n, 0, padding_bytes);
	return LODE_OK;
}

/* From a block's columns, which are padded: reads 10 bytes at most. Most numbers are of one byte or
   two. */
static inline uint64_t get_padded(const uint8_t **at)
{
	const uint8_t *p = *at;
	uint64_t value = p[0];

	if (value < 0x80) {
		*at = p + 1;
		return value;
	}
	value = (value & 0x7f) | (uint64_t)(p[1] & 0x7f) << 7;
	if (p[1] < 0x80) {
		*at = p + 2;
		return value;
	}
	p += 2;
	for (unsigned shift = 14; shift < 70; shift += 7) {
		uint8_t byte = *p++;

		value |= shift < 63 ? (uint64_t)(byte & 0x7f) << shift : (uint64_t)byte << 63;
		if (byte < 0x80)
			break;
	}
	*at = p;
	return value;
}

int lode_call_block_unpack(struct lode_call *out, size_t n, int64_t first_ns, size_t n_stacks,
			   const uint8_t *data, size_t size, struct lode_call_packer *packer,
			   const char *path, int64_t offset, struct lode_error *err)
{
	const uint8_t *at, *end;
	int64_t start = first_ns;
	bool is_bad = false;
	/* A frame that gives more than this is not ours. */
	int rc = decompress(packer, 3 * varint_bytes * n + 1, data, size, path, offset, err);

	if (rc < 0)
		return rc;
	at = packer->plain.at;
	end = at + packer->plain.n;
	for (size_t i = 0; i < n && at < end; i++) {
		uint64_t step = get_padded(&at);

		is_bad |= step > 2 * (uint64_t)LODE_CALL_TIME_MAX ||
			  start + (int64_t)step > LODE_CALL_TIME_MAX;
		start = is_bad ? first_ns : start + (int64_t)step;
		out[i].start_ns = start;
	}
	is_bad |= at >= end;
	for (size_t i = 0; i < n && at < end && !is_bad; i++) {
		uint64_t duration = get_padded(&at);

		is_bad |= duration > (uint64_t)(LODE_CALL_TIME_MAX - out[i].start_ns);
		out[i].duration_ns = is_bad ? 0 : (int64_t)duration;
	}
	is_bad |= at >= end;
	for (size_t i = 0; i < n && !is_bad; i++) {
		uint64_t stack = at < end ? get_padded(&at) : 0;

		is_bad |= stack == 0 || stack >= n_stacks;
		out[i].stack = (uint32_t)stack;
	}
	if (is_bad || at != end)
		return lode_fail(err, LODE_ERR_FORMAT, path, offset,
				 "a block of %zu calls does not hold what it should", n);
	return LODE_OK;
}

void lode_call_sums_pack(struct lode_call_packer *packer, const struct lode_call_sums *sums)
{
	uint8_t *to;
	uint32_t before = 0;

	lode_vec_reserve(&packer->packed, sums->at.n * 3 * varint_bytes + 1);
	to = packer->packed.at;
	for (size_t i = 0; i < sums->at.n; i++) {
		const struct lode_call_sum *sum = &sums->at.at[i];
		int64_t step = (int64_t)sum->stack - before;

		to = put(to, (uint64_t)step << 1 ^ (step < 0 ? UINT64_MAX : 0));
		to = put(to, sum->n);
		to = put(to, sum->ns);
		before = sum->stack;
	}
	packer->packed.n = (size_t)(to - packer->packed.at);
}

int lode_call_sums_unpack(struct lode_call_sums *sums, size_t n_stacks, const uint8_t *data,
			  size_t size, const char *path, int64_t offset, struct lode_error *err)
{
	struct lode_bytes from = lode_bytes_make(data, size, offset);
	uint64_t stack = 0;

	while (lode_bytes_left(&from)) {
		uint64_t folded = lode_varint_get(&from), n = lode_varint_get(&from);
		uint64_t ns = lode_varint_get(&from);

		stack += folded >> 1 ^ (folded & 1 ? UINT64_MAX : 0);
		if (from.overrun || stack == 0 || stack >= n_stacks)
			return lode_fail(err, LODE_ERR_FORMAT, path, offset,
					 "sums of calls do not hold what they should");
		lode_call_sums_add(sums, (uint32_t)stack, n, ns);
	}
	return LODE_OK;
}
