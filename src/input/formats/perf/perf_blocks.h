/*
 * The splitter: the recording's bytes -> blocks of whole records, in file order.
 *
 * It walks the records' headers, nothing more. Some records are its own to deal with: descriptions
 * (they go to the header, while no other thread uses it), compressed records (their content takes
 * their place; a record may begin in one and end in the next), and AUX traces (skipped).
 */
#pragma once

#include "model/loss.h"
#include "input/formats/perf/perf_decode.h"
#include "input/formats/perf/perf_header.h"
#include "input/formats/perf/perf_reader.h"

/* So few that a block is still in a core's own cache when its records are decoded. */
enum { LODE_PERF_BLOCK_BYTES = 1 << 17 };

/* Bytes being walked: records up to `at` are dealt with. */
struct lode_perf_window {
	uint8_t *data;
	size_t at, end, capacity;
};

struct ZSTD_DCtx_s; /* zstd.h */

struct lode_perf_blocks {
	struct lode_perf_header *header; /* borrowed, as reader */
	struct lode_perf_reader *reader;
	struct lode_perf_window raw, expanded;
	int64_t raw_offset; /* in the file, of raw.data[0] */
	int64_t left_bytes; /* of the records still unread; -1: up to the end */
	bool is_drained;    /* earlier blocks are done with: descriptions may change */
	bool is_at_end, is_damaged;

	struct ZSTD_DCtx_s *zstd;
	size_t packed_at, packed_end; /* of the compressed record under way, in raw.data */
	bool is_expanding;	      /* that record has more to give */
	int64_t expanded_offset;      /* of the compressed record whose content is walked */

	struct lode_losses losses;
	uint64_t head_hash;   /* stable hash of the first bytes */
	int64_t record_bytes; /* read so far */
};

void lode_perf_blocks_init(struct lode_perf_blocks *blocks, struct lode_perf_header *header,
			   struct lode_perf_reader *reader);
void lode_perf_blocks_release(struct lode_perf_blocks *blocks);

/*
 * As a lode_pipeline's `make`: fills `block` (whose storage is taken over and exchanged), or asks
 * to be called again when all earlier blocks are done with.
 */
int lode_perf_blocks_next(struct lode_perf_blocks *blocks, struct lode_perf_block *block);
