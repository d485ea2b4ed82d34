/*
 * lode next: which stream to open next, so that few of them show most of what is there.
 *
 *	request --> streams, signatures --> order, curves --> answer --> text, JSON, page
 *
 * What the orders are: engine/order/order.h (StackMine §VII.A Q3). Signatures that are retired
 * are no reason to open anything and explain nothing.
 */
#pragma once

#include "engine/mine/mine.h"
#include "document/fields.h"
#include "streams/digest_job.h"
#include "document/findings.h"
#include "document/text_page.h"

struct lode_next_request {
	char *const *inputs; /* recordings, digests, folders of them; none: the repository's */
	size_t n_inputs;
	const char *repo;	/* NULL: none. With inputs: its signatures and name statistics */
	const char *where;	/* query for the repository's streams; NULL: all */
	const char *signatures; /* file of text; NULL: the repository's, or clusters stand in */
	struct lode_digest_job_options reading;
	/* For clusters. What is 0 is as the streams' digests say, or lode's default. */
	struct lode_mine_options mine;
	/* Streams that were looked at already: paths, their last parts, or beginnings of ids (4 hex
	   digits or more). */
	const char *const *opened;
	size_t n_opened;
	size_t top; /* longest list; 0: no bound */
	bool wants_curves, wants_detail;
	const struct lode_asked *asked; /* NULL: by no command line */
};

/* A signature or a cluster, whichever there is. */
struct lode_next_known {
	const char *signature;		    /* NULL: a cluster, or nothing */
	const struct lode_cluster *cluster; /* NULL: a signature, or nothing */
	/* With detail, of a cluster: its common part and variants in short. */
	const char *why, *brief_variants;
	const char **brief;
	size_t n_brief;
};

/* What is in a stream, as columns: indices into the answer's `known`. */
struct lode_next_sights {
	int64_t *known, *cost_ns;
	uint8_t *is_new; /* 1: it is seen here first */
	size_t n;
};

struct lode_next_step {
	const char *stream;
	uint64_t stream_id;
	struct lode_next_known opened_for; /* neither: nothing new is in it */
	uint32_t n_new;
	int64_t adds_ns, covered_ns, symptom_ns, unexplained_ns;
	const struct lode_next_sights *sights; /* with detail */
};

/* The four orders: random, the paper's two, and lode's. */
enum lode_next_order {
	LODE_NEXT_BEST,
	LODE_NEXT_RANDOM,
	LODE_NEXT_TOTAL,
	LODE_NEXT_MAX,
	LODE_N_NEXT_ORDERS
};

struct lode_next_level {
	double coverage; /* a share of symptom_ns */
	uint64_t needed[LODE_N_NEXT_ORDERS];
};

struct lode_next_curves {
	int64_t *covered_ns[LODE_N_NEXT_ORDERS]; /* after 0 .. n streams; of random: expected */
	double *covered[LODE_N_NEXT_ORDERS];	 /* the same, unrounded */
	size_t n_points;			 /* n + 1 */
	struct lode_next_level *levels;
	size_t n_levels;
	/* Streams that best needs over those that this one needs, mean over the levels; NaN: there
	   is no level. */
	double best_share_of[LODE_N_NEXT_ORDERS];
};

/* What nothing that is known explains, in a stream. */
struct lode_next_rest {
	const char *stream;
	uint64_t stream_id;
	int64_t unexplained_ns;
};

struct lode_next_answer {
	struct lode_opening opening;
	const char *unit;		  /* of all costs */
	const struct lode_digest *digest; /* what clusters' frames are of */
	const struct lode_mined *mined;	  /* whose clusters they are; NULL: there are signatures */
	size_t n_streams, n_opened;
	int64_t symptom_ns;		/* of all streams */
	bool is_of_clusters;		/* there were no signatures */
	size_t n_known, n_seen;		/* signatures or clusters; in opened streams */
	int64_t explained_ns, start_ns; /* of symptom_ns: by all of them, by those seen */
	int64_t unexplained_ns;		/* the rest of symptom_ns */
	size_t n_enough; /* streams to open until all of them are seen, in that order */
	/* Of the streams that are not opened, where most is unexplained; NULL: in none. */
	const struct lode_next_rest *rest;
	struct lode_next_step *steps; /* the next stream first */
	size_t n_steps, n_more;
	struct lode_next_known *known; /* with detail: all of them */
	size_t n_known_listed;
	const struct lode_next_curves *curves; /* NULL: not asked for */
	/* Inputs that gave nothing, or not all. */
	const struct lode_skipped_input *skipped, *incomplete;
	size_t n_skipped, n_incomplete;
	size_t n_other; /* files of folders that are no inputs */

	struct lode_next_state *state; /* what all of this points into */
};

/*
 * *out is the caller's to free, also on failure: what was skipped says why nothing was usable.
 * LODE_ERR_EMPTY: there is no stream, or no symptom in any; LODE_ERR_ARG for an opened stream that
 * is not there or not the only one; else as lode_stream_set_read, lode_mine and
 * lode_signature_store_open.
 */
int lode_next_run(struct lode_next_answer **out, const struct lode_next_request *request,
		  struct lode_error *err);
void lode_next_free(struct lode_next_answer *answer);

/* Names for the numbers in an answer's records. */
lode_names_maker lode_next_names;

/* "lode/next/1" */
extern const struct lode_document lode_next_document;

void lode_next_text(FILE *out, const struct lode_next_answer *answer,
		    const struct lode_text_page *page);

/* What is said first. */
struct lode_opening lode_next_opening(const struct lode_next_answer *answer,
				      const struct lode_asked *asked, struct lode_arena *arena);
/* In a few lines, of an answer (document/findings.h). */
lode_findings_maker lode_next_findings;
