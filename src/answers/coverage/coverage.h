/*
 * lode coverage: how much of the waiting signatures explain.
 *
 *	request --> streams against signatures --> coverage --> answer --> text, JSON, page
 *
 * What counts: engine/signatures/signature_cover.h (StackMine §VII.A Q2).
 */
#pragma once

#include "document/fields.h"
#include "answers/clusters/headline.h"
#include "answers/coverage/coverage_job.h"
#include "document/findings.h"
#include "document/text_page.h"

enum lode_coverage_rank {
	LODE_COVERAGE_BY_TOTAL,
	LODE_COVERAGE_BY_EXCLUSIVE,
	LODE_COVERAGE_BY_STREAMS,
	LODE_COVERAGE_BY_NAME,
};

struct lode_coverage_request {
	const struct lode_signatures *signatures;
	struct lode_stream_set_options streams;
	const char *by; /* label that groups streams; NULL: no groups */
	enum lode_coverage_rank rank;
	struct lode_mine_options mining; /* of the rest, as lode_rest_mine takes them */
	bool no_mining;			 /* costs alone */
	size_t top;			 /* longest list; 0: no bound */
	const struct lode_asked *asked;	 /* NULL: by no command line */
};

struct lode_coverage_group {
	const char *name;
	uint32_t n_streams;
	struct lode_cover cover;
};

/* A signature in a group of streams. */
struct lode_coverage_cell {
	const char *name; /* of the group */
	uint32_t n_streams;
	int64_t total_ns, exclusive_ns;
	double share; /* total_ns of the group's symptom time */
};

/* The symptom that a signature costs most. */
struct lode_coverage_worst {
	const char *stream, *comm;
	uint64_t stream_id;
	int32_t pid, tid;
	int64_t t0_ns, cost_ns; /* start of its costliest event there; in that symptom */
};

struct lode_coverage_signature {
	const char *name, *owner, *bug;
	bool is_retired;
	const struct lode_signature_cost *cost;
	double share;	    /* total_ns of all symptom time */
	int64_t average_ns; /* total_ns per event; LODE_NO_INT: it matches none */
	const struct lode_coverage_worst *worst; /* NULL: it matches nothing */
	const struct lode_trend_cell *in_groups; /* one for each group; NULL: there are none */
	struct lode_coverage_cell *cells; /* of the groups where it is; NULL: there are none */
	size_t n_cells;
};

/* A problem in the rest, that no signature matches. */
struct lode_coverage_rest {
	const struct lode_cluster *cluster; /* of answer->mined */
	const char *function, *why;	    /* that it is best known by; what most of its time is */
	int64_t own_ns;
	uint32_t n_streams;
	const struct lode_headline_hop *headline;
	size_t n_headline;
};

struct lode_coverage_answer {
	struct lode_opening opening;
	const char *unit; /* of all costs */
	size_t n_streams, n_symptoms, n_active;
	struct lode_cover all;
	/* Those that are not retired first, each part by rank, then by name. */
	struct lode_coverage_signature *signatures;
	size_t n_signatures, n_more;
	/* Of these, without retired ones that match nothing; how many of these the list leaves
	   out; retired ones that match nothing. */
	size_t n_told, n_told_more, n_quiet;
	struct lode_coverage_rest *rest; /* the largest problems in it first */
	size_t n_rest, n_rest_more;
	const struct lode_mined *mined; /* of the rest; NULL: it was not mined */
	const char *not_mined;		/* why the rest was not, if mining failed */
	int64_t rest_other_ns; /* of the rest, in no such problem; LODE_NO_INT: not mined */
	const char *by;	       /* NULL: no groups */
	struct lode_coverage_group *groups; /* in the order of their names; NULL: none */
	size_t n_groups;
	const struct lode_digest_job *read; /* inputs that gave nothing, or not all */

	struct lode_coverage_state *state; /* what all of this points into */
};

/*
 * `*out` is the caller's to free, also on failure: what was skipped says why nothing was usable.
 * LODE_ERR_EMPTY: there is no stream, or no symptom in any; else as lode_coverage_job_run.
 */
int lode_coverage_run(struct lode_coverage_answer **out,
		      const struct lode_coverage_request *request, struct lode_error *err);
void lode_coverage_free(struct lode_coverage_answer *answer);

/* Names for the numbers in an answer's records. */
lode_names_maker lode_coverage_names;
/* "lode/coverage/1", docs/signatures.md. */
extern const struct lode_document lode_coverage_document;

void lode_coverage_text(FILE *out, const struct lode_coverage_answer *answer,
			const struct lode_text_page *page);

/* What is said first. */
struct lode_opening lode_coverage_opening(const struct lode_coverage_answer *answer,
					  const struct lode_mined *rest,
					  const struct lode_coverage_request *request,
					  struct lode_arena *arena);
/* In a few lines, of an answer (document/findings.h). */
lode_findings_maker lode_coverage_findings;
