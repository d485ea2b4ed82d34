/*
 * Which signatures match which rows of a digest: all signatures at once, each stack once.
 *
 *   patterns        a;b;c   a;b;d   e           one trie: what begins alike is there once
 *   stack           x a y b d                   walked down the call tree: a, then a;b, then a;b;d
 *   its signatures  {1}                         shared by all stacks with the same ones
 *
 * A pattern that waits for a function is only looked at when that function comes, so a stack costs
 * what it reaches in the trie, however many signatures there are; and a prefix that many stacks
 * share is walked once. Globs are compared once per distinct function.
 */
#pragma once

#include "model/digest.h"
#include "model/signature.h"

/* Signatures made ready to be matched. Immutable: share it freely. */
struct lode_signature_matcher;

/* Of list[0..n), retired ones too; nothing of it is kept. Signatures are numbered as they stand
   there. */
int lode_signature_matcher_new(struct lode_signature_matcher **out,
			       const struct lode_signature *list, size_t n, struct lode_error *err);
void lode_signature_matcher_free(struct lode_signature_matcher *matcher);

/*
 * Sets of signatures, each distinct one once: members[start[s] .. start[s + 1]) are those of set s,
 * ascending. Set 0 is the empty one.
 */
struct lode_signature_match {
	LODE_VEC(size_t) start; /* sets + 1 */
	LODE_VEC(uint32_t) members;
	uint32_t *row_set; /* per row of the digest: its set */
	size_t n_rows;
};

/* O(rows + nodes of their stacks + patterns reached). Deterministic. */
void lode_signature_match(struct lode_signature_match *out,
			  const struct lode_signature_matcher *matcher,
			  const struct lode_digest *digest);
void lode_signature_match_release(struct lode_signature_match *match);

static inline size_t lode_signature_match_n_sets(const struct lode_signature_match *match)
{
	return match->start.n ? match->start.n - 1 : 0;
}

/* The signatures of a set; gives how many. */
static inline size_t lode_signature_set(const struct lode_signature_match *match, uint32_t set,
					const uint32_t **signatures)
{
	size_t n = match->start.at[set + 1] - match->start.at[set];

	/* Where all sets are empty there are no members at all. */
	*signatures = n ? match->members.at + match->start.at[set] : NULL;
	return n;
}
