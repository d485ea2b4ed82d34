/*
 * What is different between two sets of streams: before and after, slow and fast (docs/diff.md).
 *
 *   streams   A A A A | B B B B        each with its symptoms
 *   items     clusters, mined once over both sets, or signatures
 *
 *   class     A          B             per symptom
 *   new       0          1.5 s
 *   gone      240 ms     2 ms
 *   worse     1.1 s      1.9 s
 *   better    800 ms     300 ms
 *   same                               the rest: not significant, or too small to matter
 *
 * A change is called so if it is significant (permutation_test.h: adjusted p <= level) and if it
 * matters: at least `min_change` per symptom, and `min_relative` of the smaller of both costs. Sets
 * may have any sizes, and streams any number of symptoms; those without one say nothing about the
 * cost of a symptom and are only counted.
 */
#pragma once

#include "base/mem.h"

/* What is on neither side is left out. */
enum { LODE_DIFF_A, LODE_DIFF_B, LODE_N_DIFF_SIDES, LODE_DIFF_NEITHER = LODE_N_DIFF_SIDES };

struct lode_diff_stream {
	uint8_t side; /* LODE_DIFF_A, _B or _NEITHER */
	uint32_t n_symptoms;
	int64_t symptom_ns; /* sum of their lengths */
	uint32_t stratum;   /* splits are made within strata; all 0: there are none */
};

/* What an item costs in a stream; each pair once. */
struct lode_diff_cost {
	uint32_t stream;
	int64_t cost_ns;
};

struct lode_diff_input {
	const struct lode_diff_stream *streams;
	size_t n_streams;
	const struct lode_diff_cost *costs; /* costs[start[i] .. start[i + 1]) are item i's */
	const size_t *start;		    /* n_items + 1 */
	size_t n_items;
};

struct lode_diff_options {
	double level;		 /* 0: 0.05 */
	int64_t min_change;	 /* per symptom; 0: `min_change_share` says it */
	double min_change_share; /* of the mean symptom of both sets; 0: 0.01 */
	double min_relative;	 /* 0: 0.1 */
	size_t max_splits;	 /* 0: 10,000 or 200 per item, whichever is more, within reason */
	uint64_t seed;
	unsigned n_threads;
};

enum lode_diff_class {
	LODE_DIFF_NEW, /* more in B, and as good as absent in A: less than 2 % of what it is in B */
	LODE_DIFF_GONE,	  /* the reverse */
	LODE_DIFF_WORSE,  /* more in B */
	LODE_DIFF_BETTER, /* less in B */
	LODE_DIFF_SAME,
	LODE_N_DIFF_CLASSES,
};

/* In the order of the enum, ending with NULL; and without the last. */
extern const char *const lode_diff_class_names[], *const lode_diff_changed_names[];

struct lode_diff_side {
	size_t n_streams; /* with symptoms */
	size_t n_without; /* without: left out */
	uint64_t n_symptoms;
	int64_t symptom_ns;
};

struct lode_diff_change {
	uint32_t item;
	enum lode_diff_class class;
	int64_t cost_ns[LODE_N_DIFF_SIDES];    /* in all of the set's symptoms */
	double per_symptom[LODE_N_DIFF_SIDES]; /* the same over the number of symptoms */
	size_t n_streams[LODE_N_DIFF_SIDES];   /* that it costs anything */
	double ratio;			       /* of these, B / A; NaN: A has no cost */
	double change; /* of the cost per symptom, B - A; within strata, where there are some */
	/* Its 95 % interval (change_interval.h); without it where there are strata, or a set is one
	   stream. */
	double low, high;
	bool has_interval;
	bool matters; /* is large enough */
	double p, p_adjusted;
	int direction; /* of the evidence: 1 more in B, -1 less */
};

struct lode_diff {
	struct lode_diff_side sides[LODE_N_DIFF_SIDES];
	/* Changed ones by class, then the larger change first; then the same ones, those that
	   matter first, the larger change first. Ties by item. */
	struct lode_diff_change *changes;
	size_t n_changes;
	size_t n_of[LODE_N_DIFF_CLASSES];
	/* Of the symptoms' lengths as a whole: one test more, which the correction leaves out; its
	   class is that of no correction. */
	struct lode_diff_change total;
	double level, min_change, min_relative; /* as used */
	size_t n_splits;
	double n_possible;
	bool is_exact;
	/* The smallest p that these streams can give; above the level nothing can be significant,
	   whatever happened. */
	double least_p;
	bool has_strata;
};

/* Both sets must have a stream with symptoms: else NULL. The caller's to free. */
struct lode_diff *lode_diff_build(const struct lode_diff_input *input,
				  const struct lode_diff_options *options);
void lode_diff_free(struct lode_diff *diff);

/* The smallest k for which sets of k and k streams can give a p of `level`. */
size_t lode_diff_enough_streams(double level);
