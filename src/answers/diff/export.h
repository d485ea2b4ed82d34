/*
 * A comparison of two sets of streams, in the forms in which other tools show differences
 * (docs/exports.md):
 *
 *   folded   "a;b;c 31 33": A's cost and B's, as difffolded.pl writes and flamegraph.pl draws them
 *   pprof    B's samples, and A's below zero with the label pprof::base, as -diff_base makes them
 *
 * Sets of unequal sizes are compared per symptom: what A costs is scaled to as many symptoms as B
 * has, each number by itself. With equally many nothing is scaled, and sums are exact.
 */
#pragma once

#include "answers/diff/compare.h"
#include "document/export/export_stacks.h"

/*
 * Lines in the order of their stacks, of all that either set spent; the other column may be 0.
 * Here and below only the stacks of one cluster, if `only` is not NULL.
 */
void lode_export_diff_folded(FILE *out, const struct lode_diff_sets *sets,
			     const struct lode_diff_job *job, const struct lode_cluster *only);

/* Samples for lode_export_pprof, of which those of A are negative. */
struct lode_export_diff {
	struct lode_export_stacks stacks;
	const struct lode_diff_sets *sets;
	const struct lode_diff_job *job;
	struct lode_export_stacks of_both;
	enum lode_diff_class *class_of; /* per rank of a cluster */
};
void lode_export_diff_make(struct lode_export_diff *out, const struct lode_diff_sets *sets,
			   const struct lode_diff_job *job, const struct lode_cluster *only);
void lode_export_diff_release(struct lode_export_diff *diff);
