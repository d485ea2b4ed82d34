/*
 * Blocks of calls and sums of calls as bytes.
 *
 *   calls   three columns behind each other, then zstd: starts as differences to
 *           the one before, durations (0 for calls that outlived the block: struct lode_call_late
 *           has theirs), stacks
 *   sums    per stack, in order of first occurrence: stack, number of calls, their time
 *
 * docs/formats/lodet.md has every byte. What is read is trusted in nothing: stacks exist, times
 * rise, counts are what they are said to be.
 */
#pragma once

#include "base/bytes.h"
#include "model/call_sums.h"
#include "model/call_trace.h"

/* Scratch of packing and unpacking; one per thread of ours. `{ 0 }` is empty. */
struct lode_call_packer {
	void *compressor, *decompressor;
	LODE_VEC(uint8_t) plain, packed;
};

void lode_call_packer_release(struct lode_call_packer *packer);

/* A decompressor that was used before, if there is one; and its way back. From any thread. */
void lode_call_packer_borrow(struct lode_call_packer *packer, struct lode_call_spares *spares);
void lode_call_packer_give_back(struct lode_call_packer *packer, struct lode_call_spares *spares);

/* A block's calls as columns of equal length, in order of start. */
struct lode_call_columns {
	const int64_t *starts, *durations;
	const uint32_t *stacks;
	size_t n;
};

/* The packed bytes are in packer->packed until the next call. */
void lode_call_block_pack(struct lode_call_packer *packer, const struct lode_call_columns *calls);

/* Unpacks exactly `n` calls of which the first starts at `first_ns`. `path` and `offset` are for
 * messages. */
int lode_call_block_unpack(struct lode_call *out, size_t n, int64_t first_ns, size_t n_stacks,
			   const uint8_t *data, size_t size, struct lode_call_packer *packer,
			   const char *path, int64_t offset, struct lode_error *err);

/* Appends to packer->packed, which is emptied first. */
void lode_call_sums_pack(struct lode_call_packer *packer, const struct lode_call_sums *sums);
/* Adds what is packed to `sums` (reserved for n_stacks). */
int lode_call_sums_unpack(struct lode_call_sums *sums, size_t n_stacks, const uint8_t *data,
			  size_t size, const char *path, int64_t offset, struct lode_error *err);
