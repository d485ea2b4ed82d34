/*
 * lode suspects: which functions, and which callers, go with slow executions.
 *
 *	request --> recordings --> executions --> labels, scores, ranks --> answer --> text, JSON,
 *	                                                                    page, exports
 *
 * What the statistics are: engine/suspects/suspects.h.
 */
#pragma once

#include "engine/suspects/explain.h"
#include "engine/suspects/suspects.h"
#include "answers/suspects/read.h"
#include "document/fields.h"
#include "document/findings.h"
#include "document/text_page.h"

/* How many functions are shown. */
enum lode_suspects_length {
	LODE_SUSPECTS_FIRST, /* `top` of them; 0: all */
	LODE_SUSPECTS_CUT,   /* the suspects: those up to the cut */
	LODE_SUSPECTS_TABLE, /* the suspects, but 10 to 25 */
	LODE_SUSPECTS_SURE,  /* the significant ones, 25 at most */
};

struct lode_suspects_request {
	/* Recordings, and folders of them: those asked about, and those held against them. */
	char *const *inputs[LODE_N_SIDES];
	size_t n_inputs[LODE_N_SIDES];
	bool is_versus; /* the other side is fast recordings; false: a healthy one */
	struct lode_suspects_job_options reading;
	bool pooled;			     /* all system calls are one metric */
	bool robust;			     /* median and MAD in place of mean and σ */
	const lode_threshold_rules *by_hand; /* NULL: none */
	enum lode_suspect_order order;
	enum lode_correction correction;
	double cut_share; /* of all functions: ranks within it are suspects */
	enum lode_suspects_length length;
	size_t top;
	double min_increase;		/* only functions with at least this Increase; NAN: all */
	size_t list_top;		/* longest of the other lists; 0: no bound */
	const char *explain;		/* a function that is wanted in full; NULL: none */
	bool wants_details;		/* in full: the functions that pages show so */
	const struct lode_asked *asked; /* NULL: by no command line */
};

/* Values of a metric, or of the executions with a function: in the metric's unit. */
struct lode_suspects_values {
	uint64_t n;
	int64_t mean, std, least, largest, total;
	/* Those buckets of the histogram that hold values; not of functions. */
	struct lode_suspects_bucket {
		int64_t from, to; /* smallest value of it, and above it */
		uint64_t n;
	} * buckets;
	size_t n_buckets;
	const struct lode_latency_histogram *histogram; /* all buckets; NULL: no value */
};

/* What one recording does on average, of slow ones and of fast ones. */
struct lode_suspects_pace {
	double calls[LODE_N_SIDES], sum[LODE_N_SIDES];
};

struct lode_suspects_metric {
	struct lode_tally_metric of;
	struct lode_suspects_values values;
	const struct lode_suspects_values *other; /* NULL: there is no other side */
	uint64_t n_ignored;			  /* pruned or ambiguous, or not labelled */
	int64_t failed_total;
	struct lode_suspects_pace pace; /* of two sets */
};

struct lode_suspects_chance {
	double p, log10_p, q, log10_q;
};

struct lode_suspects_function {
	struct lode_suspect of;
	struct lode_evidence evidence;
	uint32_t frame;
	double extra_share; /* of the slow time, or of what slow recordings take longer */
	int64_t extra_ns;   /* the same; extra_share is that of the answer's */
	bool is_suspect;    /* up to the cut, and significant */
	struct lode_suspects_chance chance;
	struct lode_suspects_values values;
	/* Of two sets, and NULL else. */
	const struct lode_suspects_excess {
		struct lode_excess of;
		uint64_t slow_calls, fast_calls;
		int64_t slow_total, fast_total;
	} * excess;
	struct lode_suspects_excess excess_here;
	struct lode_suspects_pace pace;
};

/* Executions with a caller, or without it; with a function next to the one explained. */
struct lode_suspects_part {
	uint32_t frame; /* of a neighbour; LODE_NONE: none */
	uint64_t n_failed, n_succeeded, n;
	int64_t mean, total;
};

struct lode_suspects_contrast {
	uint32_t leaf;
	const char *metric; /* NULL: all of the leaf's */
	const char *unit;   /* of its values */
	double lost;	    /* what those with the caller took longer than others would have */
	const uint32_t *callers;
	size_t n_callers;
	struct lode_suspects_part with, without;
	struct lode_suspects_chance chance;
};

/* Indexes of contrasts that texts show: the significant ones, but few of one leaf; of labels those
   first whose callers cost most time. */
enum { LODE_SUSPECTS_CHOSEN = 8 };
struct lode_suspects_choice {
	size_t at[LODE_SUSPECTS_CHOSEN], n, n_significant;
};

/* One function in full (engine/suspects/explain.h); of its lists a document has the first. */
struct lode_suspects_explained {
	struct lode_suspect of;
	uint32_t frame;
	struct lode_suspects_chance chance;
	struct lode_suspects_explained_metric {
		const char *metric, *unit;
		const struct lode_thresholds *thresholds; /* NULL: none, or two sets */
		struct lode_suspects_explained_half {
			struct lode_outcome outcome;
			struct lode_suspects_values values;
		} with, without;
	} * metrics;
	struct lode_suspects_part *callers, *callees;
	struct lode_suspects_worst {
		const char *metric, *stream;
		int32_t tid;
		int64_t start_ns, value;
		const uint32_t *frames; /* its stack, outermost first */
		size_t n_frames;
	} * worst;
	size_t n_metrics, n_callers, n_callees, n_worst;
	size_t n_metrics_listed, n_callers_listed, n_callees_listed;
	struct lode_suspects_choice contrasts; /* that have it at either end */
};

/* One side's recordings. */
struct lode_suspects_side {
	struct lode_suspects_job job;
	const char **streams;
	size_t n_streams;
	uint64_t n_executions;
	int64_t time_ns; /* of executions whose values are times */
};

struct lode_suspects_answer {
	struct lode_opening opening;
	/* All of the statistics; NULL: nothing was measured in `nothing_in`, whose job's notes may
	   say why. */
	const struct lode_suspects *suspects;
	const struct lode_suspects_side *nothing_in;
	const char *nothing_in_words; /* "the inputs" */

	struct lode_suspects_side sides[LODE_N_SIDES];
	const struct lode_suspects_side *other; /* NULL: nothing is held against the first side */
	bool is_versus;				/* two sets are compared */
	bool is_pooled;				/* all system calls are one metric */
	const char *stack_note; /* two sets whose stacks are of different kinds; NULL: alike */
	const char *thresholds; /* what is slow, in words */
	const char *order, *correction; /* "increase", "Holm" */
	/* Of both sides. */
	uint64_t n_events, n_lost;
	size_t n_inputs;
	const struct lode_skipped_input *skipped, *incomplete;
	const struct lode_metric_note *notes;
	size_t n_skipped, n_incomplete, n_notes;

	struct lode_outcome all; /* executions */
	int64_t extra_ns;	 /* slow time, or what slow recordings take longer */
	uint64_t n_between;	 /* that neither failed nor succeeded */
	size_t n_functions, n_groups, n_contrast_tests;
	struct lode_suspects_metric *metrics; /* longest failed time first, then longest time */
	size_t n_metrics, n_metrics_listed, n_metrics_more;
	size_t n_metrics_asked, n_metrics_used;	      /* with executions asked about; with any */
	const struct lode_suspects_metric **by_extra; /* two sets: by what slow ones have more */
	/* σ of it is that of a few extreme executions, which decide what is slow; NULL: of none. */
	const struct lode_suspects_metric *long_tail;
	uint64_t losses[LODE_N_EXECUTION_LOSSES], n_unlabelled;

	size_t cut;			    /* ranks up to this one are suspects */
	const struct lode_suspect **listed; /* functions that are shown, by rank */
	size_t n_listed, n_more;
	size_t n_ranked_more; /* behind the last one listed */
	bool are_sure;	      /* only significant ones are listed */
	size_t n_contrasts_listed, n_contrasts_more;
	struct lode_suspects_choice contrasts;

	const struct lode_suspects_explained *explained; /* NULL: not asked for, or not found */
	size_t n_found;					 /* functions of that name */
	struct lode_suspects_explained *details;	 /* NULL: none */
	size_t n_details;

	struct lode_suspects_state *state; /* what all of this points into */
};

/*
 * *out is the caller's to free, also on failure: what was skipped stands in it. Fails as
 * lode_suspects_job_run, lode_suspects and lode_explain do.
 */
int lode_suspects_run(struct lode_suspects_answer **out,
		      const struct lode_suspects_request *request, struct lode_error *err);
void lode_suspects_answer_free(struct lode_suspects_answer *answer);

/* The i-th function that is listed, or contrast that there is: made when it is asked for. */
lode_row_maker lode_suspects_function_at, lode_suspects_contrast_at;

/* Names for the numbers in an answer's records. */
lode_names_maker lode_suspects_names;

/* "lode/suspects/1" */
extern const struct lode_document lode_suspects_document;

/* The ranked table with what it stands on. */
void lode_suspects_text(FILE *out, const struct lode_suspects_answer *answer,
			const struct lode_text_page *page);
/* The function that was asked for. */
void lode_suspects_explained_text(FILE *out, const struct lode_suspects_answer *answer,
				  const struct lode_text_page *page);
/* One latency histogram for each metric, thresholds drawn in. */
void lode_suspects_histograms(FILE *out, const struct lode_suspects_answer *answer,
			      const struct lode_text_page *page);

struct lode_export_stacks;
/*
 * Stacks of executions for other tools: the slow ones, and the others; between sets of recordings,
 * those of slow and those of fast ones. Metrics that are no times are left out. The caller's to
 * release.
 */
void lode_suspects_export(struct lode_export_stacks *out,
			  const struct lode_suspects_answer *answer);
/* Stacks of the executions that failed, weighted by their time. */
void lode_suspects_folded(FILE *out, const struct lode_suspects_answer *answer);

/* Goes with slow executions, or with slow recordings, more than chance allows: q < 0.05. */
bool lode_suspects_is_significant(const struct lode_suspects_answer *answer,
				  const struct lode_suspect *function);
/* What is said first. */
struct lode_opening lode_suspects_opening(const struct lode_suspects_answer *answer,
					  const struct lode_suspects_request *request,
					  struct lode_arena *arena);
/* In a few lines, of an answer (document/findings.h). */
lode_findings_maker lode_suspects_findings;
