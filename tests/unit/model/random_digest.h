/*
 * Random digests, and what a digest says as text that does not depend on its ids.
 */
#ifndef LODE_TEST_RANDOM_DIGEST_H
#define LODE_TEST_RANDOM_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#include "model/digest.h"
#include "unit/engine/random_stream.h"

/* One stream named "stream<number>" with up to three symptoms. */
struct lode_digest *random_digest(struct rng *rng, int number);

struct digest_lines {
	char *text[4096];
	size_t n;
};

/* Sorted. Streams are named by their path, which must be unique in the digest. */
struct digest_lines *digest_dump(const struct lode_digest *digest);
void digest_lines_free(struct digest_lines *lines);

/* Fails the test, naming the seed, unless both say the same. */
void check_same_digest(const struct lode_digest *a, const struct lode_digest *b, uint64_t seed);

/* The same of the lines that are of name statistics, or of those that are not. */
void check_same_part(const struct lode_digest *a, const struct lode_digest *b, bool names,
		     uint64_t seed);

#endif
