/*
 * lode mine: which call patterns made users wait, over many streams.
 *
 *	request --> streams --> digest --> clusters --> answer --> text, JSON, page, exports
 *
 * What patterns and clusters are: engine/mine/mine.h. lode serve asks further questions of an
 * answer: served.h.
 */
#pragma once

#include "engine/mine/mine.h"
#include "answers/mine/paths.h"
#include "answers/mine/programs.h"
#include "document/fields.h"
#include "streams/stream_set.h"
#include "answers/clusters/cluster_cells.h"
#include "answers/clusters/cluster_rows.h"
#include "answers/clusters/cluster_shown.h"
#include "document/export/export_trace.h"
#include "document/findings.h"
#include "document/text_page.h"

struct lode_mine_request {
	char *const *inputs; /* recordings, digests, folders of them; none: the repository's */
	size_t n_inputs;
	const char *repo;  /* NULL: none. With inputs: its name statistics */
	const char *where; /* query for the repository's streams; NULL: all */
	struct lode_digest_job_options reading;
	struct lode_mine_options mine; /* kinds of events are apart as the streams' shape says */
	const char *lambda;	       /* how λ was chosen, in words */
	/* Called with a raised λ, formatted for --min-cost; may be NULL. */
	void (*raise_lambda)(void *context, const char *min_cost);
	void *raise_context;
	const char *show;		/* one cluster, by its rank or id; NULL: all */
	size_t top;			/* longest list; 0: no bound */
	size_t top_inside;		/* as struct lode_cluster_rows_options */
	const struct lode_asked *asked; /* NULL: by no command line */
	size_t n_paths_of; /* critical paths of the worst symptom of each of the first clusters */
	/* Where `mine` leaves λ open and the default gives too many patterns: one that fits is
	   mined with in its place. Else it is refused (LODE_ERR_ARG). */
	bool may_raise_lambda;
	bool only_read;	   /* nothing is mined: for lode_mine_folded of all */
	bool folds_small;  /* clusters below 1 % behind the first ones are not shown one by one */
	bool wants_rows;   /* clusters as documents list them */
	bool wants_detail; /* and what pages are drawn of */
	bool is_served;	   /* the list of clusters alone, which are asked for one by one */
	bool wants_paths;  /* critical paths, read from the recordings again */
};

/* What was read, beyond the clusters. */
struct lode_mine_quality {
	/* Cost of clusters of which the table shows a frame without a symbol, and of stacks that
	   end in one: names that the answer needs. Most of it is in `unknown_module`; NULL: none.
	 */
	int64_t unknown_ns;
	const char *unknown_module;
	int64_t no_waker_ns; /* symptom time that waits without a waker */
	uint64_t n_losses[LODE_N_LOSS_KINDS];
	uint64_t n_records;	     /* read of all streams; 0: not known of each */
	double lost_pct;	     /* lode_lost_pct; NaN: not known */
	const char *skipped_callers; /* LODE_LOSS_SKIPPED_CALLER of most cost; NULL: none */
};

/* What can be asked of a served report, and changed. */
struct lode_mine_served {
	const char *repo, *where; /* NULL: made of files */
	const char *const *questions, *const *changes;
	size_t n_questions, n_changes;
};

/* Below 1 % of the time of all symptoms. */
static inline bool lode_cluster_is_small(const struct lode_mined *mined,
					 const struct lode_cluster *cluster)
{
	return (double)cluster->own_ns < 0.01 * (double)mined->symptom_ns;
}

struct lode_mine_answer {
	struct lode_opening opening;	  /* of an answer with clusters */
	struct lode_stream_set *set;	  /* what was read */
	const struct lode_digest *digest; /* of all of it; NULL: nothing was usable */
	const struct lode_mined *mined;	  /* NULL: with only_read, or mining failed */
	size_t n_streams, n_symptoms;
	const char *symptoms, *scope, *stacks, *rank, *lambda; /* the options in words */
	enum lode_rank ranked_by;
	bool is_classic;
	bool is_raised;		  /* λ, as the request allows */
	bool is_filtered;	  /* content filters left out a part of the area of interest */
	bool is_default_symptoms; /* the user did not specify symptoms */
	/* Whose CPU time it is: where all symptoms are lives of CPU samples alone, so that all time
	   is CPU time (model/digest.h); else NULL. */
	const struct lode_mine_cpu *cpu;
	/* Who had the CPUs, in words (cluster_brief.h); NULL: LODE_BUSY_PCT was not ready time in
	   which others had them. */
	const char *busy;
	/* Why it is not known what ready threads waited for, and what to record instead; NULL: that
	   is less than LODE_BUSY_PCT. */
	const char *ready_unknown;
	size_t n_shown, n_more;	       /* clusters in the table, and beyond */
	int64_t explained_ns, more_ns; /* cost of all clusters; of those beyond the table */
	struct lode_mine_quality quality;
	const struct lode_cluster_shown *shown; /* with `show` */
	struct lode_cluster_rows rows;		/* with `wants_rows` */
	/* With `wants_detail` or `is_served`, unless there are too many. */
	const struct lode_cluster_cells *cells;
	/* Of all clusters; with `is_served`. */
	const struct lode_cluster_signatures *signatures;
	const struct lode_mine_served *served;
	const struct lode_path_rows *paths;
	size_t n_inputs_listed, n_inputs_more; /* of the digest's streams */
	const struct lode_skipped_input *skipped, *incomplete;
	size_t n_skipped, n_incomplete;

	struct lode_mine_state *state; /* what all of this points into */
};

/*
 * *out is the caller's to free, also on failure: what was skipped says why nothing was usable.
 * LODE_ERR_EMPTY: there is no stream, or no symptom in any; LODE_ERR_ARG: no such cluster, or a λ
 * that gives too many patterns; else as lode_repo_open, lode_stream_set_read and lode_mine.
 */
int lode_mine_run(struct lode_mine_answer **out, const struct lode_mine_request *request,
		  struct lode_error *err);
void lode_mine_free(struct lode_mine_answer *answer);

/*
 * Keeps the clusters in the repository, in place of the run before, so that `lode sign --cluster 3`
 * knows which that is. `where`: the query that picked the streams, or NULL. Fails where the
 * repository cannot be written, which no reader needs to mind.
 */
int lode_mine_keep_run(const char *repo_path, const char *where, const struct lode_mined *mined,
		       struct lode_error *err);

/* ---- Renderings ---- */

/* "lode/mine/1"; needs `wants_rows`. */
extern const struct lode_document lode_mine_document;
extern const char *const lode_mine_questions[], *const lode_mine_changes[];
/* The ranked table with what it stands on, on one screen; or with `show` one cluster in full. */
void lode_mine_text(FILE *out, const struct lode_mine_answer *answer,
		    const struct lode_text_page *page);
/* The area of interest, or one cluster's stacks (`only`, not NULL), folded, "a;b;c cost". */
void lode_mine_folded(FILE *out, const struct lode_digest *digest, const struct lode_cluster *only);

/*
 * The symptom that the cluster shown, or the first, costs most, for --chrome-trace: read from its
 * recording again, as `reading` says. LODE_ERR_EMPTY: there is none. `*out` is the caller's to
 * release if this succeeds, and stays where it is until then.
 */
struct lode_mine_window {
	struct lode_export_window window;
	struct lode_cluster_path path;
	char title[4096];
};
int lode_mine_window_load(struct lode_mine_window *out, const struct lode_mine_answer *answer,
			  const struct lode_digest_job_options *reading, struct lode_error *err);
void lode_mine_window_release(struct lode_mine_window *window);

/* What is said first, of an answer with clusters: of all, or of the one shown. */
struct lode_opening lode_mine_opening(const struct lode_mine_answer *answer,
				      const struct lode_mine_request *request,
				      struct lode_arena *arena);
/* In a few lines, of an answer with clusters (document/findings.h). */
lode_findings_maker lode_mine_findings;
