/*
 * A digest in an order that depends on nothing but what it says: merged from the same streams, in
 * whatever order and groups, canonical digests are equal, id by id.
 *
 *   streams    by the start of the recording (of day, where that is known), path, content
 *   symptoms   by stream; those of one stream stay in their order
 *   stacks     callers first, then callees by name; frames and strings in the order in which these
 *              need them, then what only name statistics have, by name
 *   pairs      by callee, caller
 *
 * What nothing refers to any more is left out.
 */
#pragma once

#include "model/digest.h"

/*
 * A new digest; `keep` chooses streams (NULL: all), their symptoms and rows. Name statistics are
 * kept whole. O(n log n).
 */
struct lode_digest *lode_digest_canonical(const struct lode_digest *from, const bool *keep);
/* The same of all streams, in place of `from`, whose rows it takes: they are there once. */
struct lode_digest *lode_digest_canonical_take(struct lode_digest *from);
