/*
 * Where the bytes of a trace's calls are: in memory up to a bound, behind it in a file without a
 * name, or in an index on disk. Pieces are written once and read by their place.
 *
 *   trace    struct lode_call_store     one: the bound, the file
 *   thread   struct lode_call_pieces    one writer each; a thread's pieces lie in order
 */
#pragma once

#include <stdatomic.h>

#include "base/error.h"
#include "base/mem.h"

/* `{ 0 }` keeps everything in memory. */
struct lode_call_store {
	size_t memory_bytes;	    /* bound of what is kept in memory; 0: none */
	atomic_size_t in_memory;    /* taken of it */
	atomic_llong file_bytes;    /* written to the file */
	_Atomic(int) file;	    /* descriptor + 1; 0: none yet. Of an index: its own */
	_Atomic(const char *) path; /* of an index, for messages; borrowed */
};

void lode_call_store_release(struct lode_call_store *store);

/* A piece: `at` is chunk << 32 | offset for what was written here, an offset in the file for an
 * index. */
struct lode_call_piece {
	uint64_t at;
	uint32_t size, check; /* of its bytes: lode_call_check */
};

/* A checksum, eight bytes at a time (docs/formats/lodet.md). */
uint32_t lode_call_check(const uint8_t *data, size_t size);

struct lode_call_chunk {
	uint8_t *memory;     /* NULL: in the file */
	int64_t file_offset; /* there */
	uint32_t size, used;
};

/* `{ 0 }` is empty; `is_index` says that pieces are offsets in the store's file. */
struct lode_call_pieces {
	LODE_VEC(struct lode_call_chunk) chunks;
	bool is_index;
};

/* `store` gets its memory back; NULL if it goes too. */
void lode_call_pieces_release(struct lode_call_pieces *pieces, struct lode_call_store *store);

/* No more pieces come: what of the last chunk is not filled goes back. */
void lode_call_pieces_end(struct lode_call_pieces *pieces, struct lode_call_store *store);
int lode_call_pieces_append(struct lode_call_piece *out, struct lode_call_pieces *pieces,
			    struct lode_call_store *store, const uint8_t *data, size_t size,
			    struct lode_error *err);

/* The bytes of a piece: in place, or read into `buffer`, which grows. Thread-safe once written. */
typedef LODE_VEC(uint8_t) lode_call_buffer;
int lode_call_pieces_read(const uint8_t **out, const struct lode_call_pieces *pieces,
			  struct lode_call_store *store, struct lode_call_piece piece,
			  lode_call_buffer *buffer, struct lode_error *err);
