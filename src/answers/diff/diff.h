/*
 * lode diff: what is new, gone, worse or better between two sets of recordings.
 *
 *	request --> two sets --> mined as one --> compared --> answer --> text, JSON, page, exports
 *	            sets.h       compare.h
 *
 * What a change is: engine/diff/diff.h.
 */
#pragma once

#include "answers/diff/compare.h"
#include "answers/diff/sets.h"
#include "document/fields.h"
#include "answers/clusters/cluster_rows.h"
#include "answers/clusters/cluster_shown.h"
#include "document/findings.h"
#include "document/text_page.h"

struct lode_diff_request {
	struct lode_diff_sets_options sets;
	struct lode_mine_options mine; /* as lode_diff_job_run takes them */
	struct lode_diff_options diff;
	unsigned fail_on; /* bits of enum lode_diff_class; 0: not asked for */
	const char *show; /* one change in full, by its number or its cluster's id; NULL: all */
	size_t top;	  /* longest list; 0: no bound */
	/* All that documents say of clusters, and what pages are drawn of. */
	bool wants_rows, wants_detail;
	const struct lode_asked *asked; /* NULL: by no command line */
};

struct lode_diff_set {
	const char *name; /* what the user called it */
	size_t n_streams, n_without;
	uint64_t n_symptoms;
	int64_t symptom_ns, per_symptom_ns;
	int64_t other_ns, other_per_symptom_ns; /* in stacks that no cluster explains */
	const struct lode_digest_job *read;
};

/* ---- What documents say of a change ---- */

struct lode_diff_part {
	int64_t cost_ns, per_symptom_ns;
	uint64_t n_streams;
};

struct lode_diff_figures {
	struct lode_diff_part of[LODE_N_DIFF_SIDES];
	int64_t change_ns;
	int64_t low_ns, high_ns; /* its 95 % interval; LODE_NO_INT: there is none */
	double ratio;		 /* B / A; NaN: A has no cost */
	bool matters;
	double p;
};

/* What pages are drawn of: one tree for both sets, so that a function stands in the same place. */
struct lode_diff_detail {
	struct lode_cluster_detail cluster;
	int64_t *own_ns[LODE_N_DIFF_SIDES]; /* of cluster.flame's nodes */
};

struct lode_diff_row {
	size_t number; /* its place among all changes, from 1: what --show takes */
	const struct lode_diff_change *change;
	const struct lode_cluster *cluster;
	struct lode_diff_figures figures;
	const char *kind, *reason; /* of most of its cost, of its waits */
	const uint32_t *gaps;	   /* indices of common functions before which variants stand */
	size_t n_gaps;
	const struct lode_headline_hop *headline;
	size_t n_headline;
	const struct lode_cluster_brief *brief; /* NULL: without detail */
	const struct lode_diff_detail *detail;	/* NULL: without detail */
};

/* One change in full. */
struct lode_diff_shown {
	size_t number;
	const struct lode_diff_change *change;
	struct lode_diff_figures figures;
	struct lode_cluster_shown cluster;  /* in both sets together */
	const struct lode_cluster_row *row; /* with wants_rows: the same, as lode mine lists it */
	const char *worst; /* the recording of the set with more of it that it costs most */
};

/* A stream, as pages list them. */
struct lode_diff_stream_row {
	uint64_t id;
	const char *path, *host, *set; /* "a", "b"; NULL: in both, and left out */
	const struct lode_repo_label *labels;
	size_t n_labels;
	uint64_t n_symptoms;
	int64_t symptom_ns;
};

/* ---- The answer ---- */

/* What --fail-on comes to. */
struct lode_diff_verdict {
	const char **classes;
	size_t n_classes;
	bool has_failed;
};

struct lode_diff_answer {
	struct lode_opening opening;
	const char *unit; /* of all costs */
	struct lode_diff_set sets[LODE_N_DIFF_SIDES];
	const struct lode_diff *diff; /* all changes, as they are ordered there; */
	/* Of both sets: compared is the CPU time of recordings, not the time that symptoms took. */
	bool is_cpu_time;
	const struct lode_mined *mined; /* their items are its clusters */
	struct lode_diff_figures total;
	const struct lode_diff_verdict *verdict; /* NULL: not asked for */
	/* Of the changes: reported ones come first, and are left out; of the others,
	   those that would matter, from first_doubtful on. */
	size_t n_told, n_told_more, first_doubtful, n_doubtful;
	const struct lode_diff_shown *shown; /* with `show` */
	size_t enough_streams;		     /* of each set, that significance takes at least */
	bool has_enough;		     /* p can fall to the level */
	struct lode_diff_row *rows; /* with wants_rows: of the first changes, or the one shown */
	size_t n_rows, n_more;
	const uint32_t *frames; /* with detail: functions of all flame graphs */
	size_t n_frames;
	struct lode_diff_stream_row *streams; /* with detail: in the order that rows count them */
	size_t n_streams;
	int64_t seed, n_strata; /* LODE_NO_INT: all splits were tried; no --within */
	const char *symptoms, *scope, *stacks, *lambda, *within; /* the options, in words */
	int64_t min_change_ns;
	const struct lode_diff_sets *read; /* both sets, for exports */
	const struct lode_diff_job *job;

	struct lode_diff_state *state; /* what all of this points into */
};

/* What costs are compared by, as "per ...". */
static inline const char *lode_diff_per(const struct lode_diff_answer *answer)
{
	return answer->is_cpu_time ? "recording" : "symptom";
}

/*
 * `*out` is the caller's to free, also on failure: what was skipped says why nothing was usable.
 * LODE_ERR_EMPTY: a set has no stream, or no symptom; LODE_ERR_ARG on a λ that gives too many
 * patterns, or no such change; else as lode_diff_sets_read and lode_mine.
 */
int lode_diff_run(struct lode_diff_answer **out, const struct lode_diff_request *request,
		  struct lode_error *err);
void lode_diff_answer_free(struct lode_diff_answer *answer);

/* Names for the numbers in an answer's records. */
lode_names_maker lode_diff_names;

/* "lode/diff/1": of an answer with rows. */
extern const struct lode_document lode_diff_document;

void lode_diff_text(FILE *out, const struct lode_diff_answer *answer,
		    const struct lode_text_page *page);

/* What is said first. */
struct lode_opening lode_diff_opening(const struct lode_diff_answer *answer,
				      const struct lode_diff_request *request,
				      struct lode_arena *arena);
/* In a few lines, of an answer with rows (document/findings.h). */
lode_findings_maker lode_diff_findings;
