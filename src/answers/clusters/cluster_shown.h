/*
 * One cluster in full: its figures, its shared call path with what stands in the gaps, its
 * patterns, and the symptoms that it cost most. What --show prints.
 */
#pragma once

#include "answers/clusters/cluster_rows.h"
#include "document/text_page.h"
#include "engine/mine/mine.h"

/* What stands in a gap of the common part. */
struct lode_shown_gap {
	const struct lode_variant *variants; /* by cost */
	size_t n;
	const struct lode_variant *main; /* that has nearly all of the cost; NULL: none has */
	double main_pct;
};

struct lode_cluster_shown {
	const struct lode_mined *mined;
	const struct lode_cluster *cluster;		 /* one of mined->clusters */
	struct lode_reason_cost reasons[LODE_N_REASONS]; /* by cost; names are reasons' */
	size_t n_reasons;
	const struct lode_shown_gap *gaps; /* cluster->n_common + 1 */
	size_t n_patterns, n_worst;	   /* that are listed */
	const char *const *set_of; /* per stream: which set it is of; NULL: there are none */
};

/* Lists are `top` long at most; 0: no bound. Borrows `mined`, and is the arena's otherwise. */
void lode_cluster_shown_build(struct lode_cluster_shown *out, const struct lode_mined *mined,
			      const struct lode_cluster *cluster, size_t top,
			      struct lode_arena *arena);

/* Its headline, of any length; and all the rest, whose figures stand behind labels as wide as that.
 */
enum { LODE_SHOWN_LABEL = 12 };
void lode_cluster_shown_headline(FILE *out, const struct lode_cluster_shown *shown,
				 const struct lode_text_page *page);
void lode_cluster_shown_text(FILE *out, const struct lode_cluster_shown *shown,
			     const struct lode_text_page *page);
