/*
 * What is known in which stream, and the orders that follow from it.
 *
 *   digest, signatures --> which of them are in which stream --> order, curves
 *   digest alone       --> clusters stand in for signatures  --> order, curves
 *
 * Retired signatures are no reason to open anything and explain nothing.
 */
#pragma once

#include "engine/mine/mine.h"
#include "engine/order/order.h"
#include "engine/order/order_curves.h"
#include "model/digest.h"
#include "model/signature.h"

struct lode_known_options {
	const struct lode_signatures *signatures; /* NULL or empty: clusters */
	struct lode_mine_options mine;		  /* for clusters */
	/* Streams that were looked at already: paths, their last parts, or beginnings of ids (4 hex
	   digits or more). */
	const char *const *opened;
	size_t n_opened;
	bool wants_curves;
};

struct lode_known_streams {
	const struct lode_digest *digest;	  /* borrowed, as are the signatures */
	const struct lode_signatures *signatures; /* NULL: clusters stand in */
	struct lode_mined *mined;		  /* NULL: there are signatures */
	/* Per number in the order's input: which signature of the list, or which cluster. */
	uint32_t *which;
	size_t n_which;
	struct lode_order_input input;
	struct lode_stream_order order;
	struct lode_order_curves curves; /* with wants_curves */
	size_t n_opened;
	int64_t symptom_ns; /* of all streams */
	int64_t covered_ns; /* of it, what all of them explain */
	struct lode_arena arena;
};

/*
 * `*out` is the caller's to release, also on failure: LODE_ERR_ARG for an opened stream that is not
 * there or not the only one, else as lode_mine and lode_signature_matcher_new.
 */
int lode_known_streams_build(struct lode_known_streams *out, const struct lode_digest *digest,
			     const struct lode_known_options *options, struct lode_error *err);
void lode_known_streams_release(struct lode_known_streams *job);
