/*
 * lode triage: what of new streams is known, and what the rest is.
 *
 *	request --> coverage --> per stream: known, returned, unexplained --+
 *	                |                                                    +--> answer --> text,
 *	                +--> rows that no signature matches --> mined -------+      JSON, page
 *
 * What matches a signature that was retired has come back, and counts as unexplained.
 */
#pragma once

#include "engine/mine/mine.h"
#include "document/fields.h"
#include "answers/coverage/coverage_job.h"
#include "answers/clusters/cluster_rows.h"
#include "document/findings.h"
#include "document/text_page.h"

struct lode_triage_request {
	const struct lode_signatures *signatures;
	struct lode_stream_set_options streams;
	struct lode_mine_options mining; /* of the rest; λ not set: 1 % of the symptoms' time */
	bool no_mining;			 /* only known or not */
	/* A stream is over when more than this is unexplained; 0 and 0: never. A share is one of
	   its symptoms' time. */
	int64_t limit;
	double limit_share;
	size_t top;	   /* longest list; 0: no bound */
	size_t top_inside; /* of the lists inside of clusters; 0: as `top` */
	/* All that documents say of clusters, and what pages are drawn of. */
	bool wants_rows, wants_detail;
	const struct lode_asked *asked; /* NULL: by no command line */
};

/* A signature in a stream. */
struct lode_triage_known {
	const char *name, *owner, *bug;
	bool is_retired;
	int64_t total_ns, exclusive_ns;
	uint64_t n_events;
};

struct lode_triage_stream {
	uint64_t id;
	const char *path, *host, *kernel;
	struct lode_cover cover;
	bool is_over;
	struct lode_triage_known *known; /* by total cost: n_known + n_known_more of them */
	size_t n_known, n_known_more;	 /* in lists, and left out there */
};

/* A retired signature that matches something. */
struct lode_triage_returned {
	const char *name, *owner, *bug;
	int64_t total_ns;
	uint64_t n_events;
	uint32_t n_streams;
};

struct lode_triage_answer {
	struct lode_opening opening;
	const char *unit; /* of all costs */
	size_t n_streams, n_symptoms, n_active;
	struct lode_cover all;
	const char *limit;		    /* in words; NULL: none */
	int64_t n_over;			    /* streams; LODE_NO_INT: there is no limit */
	struct lode_triage_stream *streams; /* by what is unexplained, then by path */
	size_t n_listed, n_more;
	struct lode_triage_returned *returned;
	size_t n_returned;
	const char *not_mined;		      /* why the rest was not, if mining failed */
	const struct lode_mined *mined;	      /* the rest; NULL: none, or not asked for */
	int64_t lambda_ns, other_ns;	      /* LODE_NO_INT: not mined */
	size_t n_clusters, n_clusters_more;   /* in lists, and left out there */
	const struct lode_cluster_rows *rows; /* with wants_rows, if it was mined */
	/* With detail, if it was mined: all streams, in the order in which rows count them. */
	const struct lode_digest_stream *inputs;
	size_t n_inputs;
	const struct lode_digest_job *read; /* its digest holds the rest alone */

	struct lode_triage_state *state; /* what all of this points into */
};

/*
 * `*out` is the caller's to free, also on failure: what was skipped says why nothing was usable.
 * LODE_ERR_EMPTY: there is no stream, or no symptom in any; else as lode_coverage_job_run. That the
 * rest cannot be mined is no failure.
 */
int lode_triage_run(struct lode_triage_answer **out, const struct lode_triage_request *request,
		    struct lode_error *err);
void lode_triage_free(struct lode_triage_answer *answer);

/* Names for the numbers in an answer's records. */
lode_names_maker lode_triage_names;

/* "lode/triage/1", docs/signatures.md: of an answer with rows, or that was not mined. */
extern const struct lode_document lode_triage_document;

/* `keeps_rest`: what is not explained was written to a file. */
void lode_triage_text(FILE *out, const struct lode_triage_answer *answer, bool keeps_rest,
		      const struct lode_text_page *page);

/* What is said first. */
struct lode_opening lode_triage_opening(const struct lode_triage_answer *answer,
					const struct lode_triage_request *request,
					struct lode_arena *arena);
/* In a few lines, of an answer (document/findings.h). */
lode_findings_maker lode_triage_findings;
