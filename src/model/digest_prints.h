/*
 * Fingerprints of a digest: what it says of each recording, and its name statistics, as numbers
 * that depend on no ids. Merged digests have those of their parts, so whether one is what others
 * come to can be found out without merging them.
 *
 *   digests  a{1}  b{2,3}        streams  1: 7f..  2: 03..  3: c1..
 *   merged   {1,2,3}             streams  the same; names: the sum of both
 *
 * A stream's is of its place, times, losses, symptoms and rows, with their stacks in names. Equal
 * digests have equal ones; of different ones two in 2^64 agree by chance.
 */
#pragma once

#include "model/digest.h"

struct lode_digest_prints {
	struct lode_map stream_at; /* content_hash -> index into streams */
	LODE_VEC(uint64_t) streams;
	LODE_VEC(uint64_t) frames; /* of each distinct one, flags of compiling aside */
	LODE_VEC(uint32_t) flags;  /* those of all its occurrences */
	struct lode_map frame_at;  /* frame -> index into frames */
	uint64_t names;
	char *unit; /* as merging has it; NULL: none */
};

/*
 * Adds those of `digest`. False: a stream is there already, and is added all the same. O(digest),
 * whatever is there.
 */
bool lode_digest_prints_add(struct lode_digest_prints *prints, const struct lode_digest *digest);
void lode_digest_prints_release(struct lode_digest_prints *prints);

/* Does `merged` say the same as what was added, in whatever order? */
bool lode_digest_prints_match(const struct lode_digest_prints *prints,
			      const struct lode_digest *merged);
/* The same of name statistics alone: `names` has no streams. */
bool lode_digest_prints_match_names(const struct lode_digest_prints *prints,
				    const struct lode_digest *names);
