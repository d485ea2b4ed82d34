/*
 * Two sets of streams as one digest, in which each stream knows its side: what `lode diff`
 * compares.
 *
 *   A: INPUT... --- digest --+
 *   B: INPUT... --- digest --+--> one digest, side of each stream
 *
 *   --repo R, A: query, B: query --> one digest, side of each stream
 *
 * A stream that is in both sets says nothing of a difference and is on neither side; one that is
 * in a set twice counts once.
 */
#pragma once

#include "engine/diff/diff.h"
#include "streams/stream_set.h"
#include "model/digest.h"

struct lode_diff_sets_options {
	/* Recordings and digests; with `repo` queries instead, of which any one may hold. */
	char *const *inputs[LODE_N_DIFF_SIDES];
	size_t n_inputs[LODE_N_DIFF_SIDES];
	struct lode_repo *repo; /* NULL: none */
	int64_t now_ns;		/* for ages in queries */
	/* Compare streams only with those that have the same value of this label, as of
	   lode_stream_set_label. NULL: with all. */
	const char *within;
	struct lode_digest_job_options job;
};

struct lode_diff_sets {
	struct lode_digest *digest; /* NULL: a set has no usable stream; `empty` says which */
	unsigned empty;
	/* Per stream of the digest: LODE_DIFF_A, _B, or LODE_DIFF_NEITHER; number of its value of
	   `within`, 0 without. */
	uint8_t *side;
	uint32_t *stratum;
	size_t n_strata;
	size_t n_in_both;  /* streams of A that are in B as well, and so of neither */
	size_t n_repeated; /* streams that came again in the same set */
	/* What was read for each set, without the digests; of a repository, all in the first. */
	struct lode_stream_set sets[LODE_N_DIFF_SIDES];
};

/*
 * `*out` is the caller's to release, also on failure. Fails as lode_stream_set_read does, and with
 * LODE_ERR_ARG where digests of both sets were not made alike, or no stream has the label `within`.
 */
int lode_diff_sets_read(struct lode_diff_sets *out, const struct lode_diff_sets_options *options,
			struct lode_error *err);
void lode_diff_sets_release(struct lode_diff_sets *sets);
