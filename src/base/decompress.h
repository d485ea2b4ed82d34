/*
 * Decompression of zstd, gzip and xz, bytes in, bytes out; recognised by the first bytes.
 *
 * All three formats may be several frames (members, streams) one behind the other, as `cat a b`,
 * pzstd and log rotation make them; they read as one. Memory is bounded by named limits, never by
 * what a file claims.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum lode_codec {
	LODE_CODEC_PLAIN,
	LODE_CODEC_ZSTD,
	LODE_CODEC_GZIP,
	LODE_CODEC_XZ,
};

/* Enough first bytes for lode_codec_recognise to be sure. */
#define LODE_CODEC_HEAD_BYTES 6

enum lode_codec lode_codec_recognise(const uint8_t *head, size_t size);

struct lode_decompressor;

/* Never NULL; `codec` is not LODE_CODEC_PLAIN. */
struct lode_decompressor *lode_decompressor_new(enum lode_codec codec);
void lode_decompressor_free(struct lode_decompressor *decompressor);

/* What goes in and comes out of one call; both sides are moved on by what was used. */
struct lode_flow {
	const uint8_t *in;
	size_t in_size;
	uint8_t *out;
	size_t out_size;
	bool is_last; /* nothing follows `in` */
};

enum lode_flow_state {
	LODE_FLOW_MORE = 0, /* wants more input (in_size is 0) or more room (out_size is 0) */
	LODE_FLOW_END = 1,  /* is_last was set, and the data are complete */
};

/*
 * Decompresses until the input or the room is used up. Gives a lode_flow_state, or fails: bytes
 * that came out before the fault have been moved to `out`, the fault is at `flow->in`.
 * `path` and `offset` (of flow->in, at the call) are for the message.
 */
int lode_decompress(struct lode_decompressor *decompressor, struct lode_flow *flow,
		    const char *path, int64_t offset, struct lode_error *err);
