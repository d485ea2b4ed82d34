/*
 * Digests on disk: small, versioned, checked, written whole or not at all.
 *
 *   header    magic, version, checksum of the header, size, checksum of the rest
 *   table     per column: its size, and what it takes here
 *   columns   each compressed by itself (digest_columns.h), the origin's first
 *
 * docs/formats/digest.md has every byte. A file is read only if its checksums are right, and even
 * then nothing in it is trusted. Compressed files (.zst, .gz, .xz) and standard input read as well.
 */
#pragma once

#include "base/input.h"
#include "model/digest.h"
#include "base/varint.h"

#define LODE_DIGEST_VERSION 8u
#define LODE_DIGEST_SUFFIX  ".digest"

/* An input that gave nothing, and why: the rest of a digest would not tell that it was there. */
struct lode_origin_skipped {
	const char *path, *reason;
};

/*
 * What a digest was made of and how, as far as its rows do not tell. `{ 0 }` is an empty one;
 * strings are the arena's.
 */
struct lode_digest_origin {
	/* The options that decide what is in it: "name=value" lines in a fixed order. Digests with
	   different ones do not go together. */
	const char *shape;
	const char *symptom_text; /* in words: what counted as a symptom */
	/* Of the recording as it was on the disk and all options: the same key, the same digest. 0
	   of a merged one. */
	uint64_t key;
	uint64_t n_inputs;     /* recordings, also those that were skipped */
	uint64_t n_beside;     /* of these, with their symptoms from a table beside them */
	int64_t input_bytes;   /* of the recordings, on disk */
	int64_t content_bytes; /* the same uncompressed; 0: not known, as of version 1 */
	LODE_VEC(struct lode_origin_skipped) skipped;
	struct lode_arena arena;
};

/* Sums of such sizes: a file can say anything, so they end at the largest number. */
static inline void lode_origin_add_bytes(int64_t *sum, int64_t bytes)
{
	if (bytes > 0 && __builtin_add_overflow(*sum, bytes, sum))
		*sum = INT64_MAX;
}

void lode_digest_origin_release(struct lode_digest_origin *origin);
/* Copies of the texts, in the origin's arena. */
void lode_digest_origin_set(struct lode_digest_origin *origin, const char *shape,
			    const char *symptom_text);
void lode_digest_origin_skip(struct lode_digest_origin *origin, const char *path,
			     const char *reason);

/* ---- In memory ---- */

enum {
	/* Of zstd, for what is kept: 19 would save 3 % and take 8 times as long. Large columns are
	   never searched that long. */
	LODE_DIGEST_LEVEL_FILE = 9,
	LODE_DIGEST_LEVEL_MEMORY = 1,
};

/* Appends the bytes of a file. `digest` NULL: there is none, only an origin. */
void lode_digest_pack(lode_byte_vec *out, const struct lode_digest *digest,
		      const struct lode_digest_origin *origin, int level);

/*
 * What a file's bytes say. `origin` must be `{ 0 }` and is the caller's to release if this
 * succeeds. `digest` NULL: only the origin is wanted; *digest is NULL if the file has none.
 */
int lode_digest_unpack(struct lode_digest **digest, struct lode_digest_origin *origin,
		       const uint8_t *data, size_t size, const char *path, struct lode_error *err);

/* Makes both checksums right again, for tests of what they do not catch. */
void lode_digest_seal(uint8_t *data, size_t size);

/* ---- On disk ---- */

/* From the first bytes (LODE_PEEK_BYTES are enough). */
bool lode_digest_recognise(const uint8_t *head, size_t size);

/* As lode_digest_unpack, of an input that is at its beginning. */
int lode_digest_read(struct lode_digest **digest, struct lode_digest_origin *origin,
		     struct lode_input *input, struct lode_error *err);
int lode_digest_load(struct lode_digest **digest, struct lode_digest_origin *origin,
		     const char *path, struct lode_error *err);

/* The same, and the bytes themselves, for who keeps them elsewhere. */
int lode_digest_load_packed(struct lode_digest **digest, struct lode_digest_origin *origin,
			    lode_byte_vec *bytes, const char *path, struct lode_error *err);

/* Written atomically (atomic_file.h). *size is what it takes there; may be NULL. */
int lode_digest_save(const char *path, const struct lode_digest *digest,
		     const struct lode_digest_origin *origin, size_t *size, struct lode_error *err);
