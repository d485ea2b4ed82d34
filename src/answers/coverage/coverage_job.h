/*
 * Streams against signatures: what has a name already, in all, per stream and per group of streams.
 *
 *   streams --> digest --+
 *   signatures ----------+--> match --> coverage --> by release, by day ...
 */
#pragma once

#include "engine/signatures/signature_cover.h"
#include "engine/signatures/signature_cover.h"
#include "streams/stream_set.h"
#include "model/signature.h"
#include "engine/mine/mine.h"
#include "document/fields.h"
#include "document/findings.h"

struct lode_coverage_job {
	const struct lode_signatures *signatures; /* borrowed */
	struct lode_stream_set streams;
	struct lode_covers *covers; /* that the streams were read as; NULL */
	/* Nothing of what follows is there if streams.job.digest is NULL. */
	struct lode_signature_match match;
	struct lode_coverage coverage;
	/* Groups of streams by a label, in the order of their names (2.9 before 2.10), streams
	   without it last. */
	const char *by; /* NULL: not asked for */
	const char **groups;
	struct lode_signature_trend trend; /* trend.n_groups groups */
};

/*
 * `by`: a label, or a field as lode_stream_set_label has it; NULL: no groups. `*out` is the
 * caller's to release, also on failure. Fails as lode_stream_set_read does, and on a label that no
 * stream has (LODE_ERR_ARG).
 */
enum lode_coverage_stacks {
	LODE_COVERAGE_STACKS,	      /* the job's digest has them: what no signature matches can be
					 mined */
	LODE_COVERAGE_WITHOUT_STACKS, /* costs alone: of a repository, from covers that it keeps */
};
int lode_coverage_job_run(struct lode_coverage_job *out, const struct lode_signatures *signatures,
			  const struct lode_stream_set_options *streams, const char *by,
			  enum lode_coverage_stacks stacks, struct lode_error *err);
void lode_coverage_job_release(struct lode_coverage_job *job);

/* ---- How much signatures explain: of all streams, of one, of a group of them ---- */

struct lode_cover {
	int64_t symptom_ns, aoi_ns, covered_ns, returned_ns; /* as struct lode_stream_cover */
	int64_t unexplained_ns;				     /* aoi_ns - covered_ns */
	double coverage;				     /* covered_ns / symptom_ns */
};
struct lode_cover lode_cover_of(const struct lode_stream_cover *cover);

/* The four times; and the share. */
extern const struct lode_record lode_cover_times_record, lode_cover_share_record;

/* In words: a part of it. */
struct lode_cover_part {
	int64_t cost_ns;
	const char *words, *what, *why; /* "came back: ", "lookup", "disk" or "" */
	const char *path;		/* as a finding's */
};
void lode_cover_add_part(struct lode_findings *out, const struct lode_cover_part *part,
			 int64_t whole_ns, const char *unit, struct lode_arena *arena);

/* ---- The rest: what no signature matches, mined ---- */

/* Leaves the rows of the job's digest that no signature matches; what retired ones match has a name
   as well. */
void lode_rest_keep(struct lode_coverage_job *job);
/*
 * Mines what is left. λ that is not set is 1 % of `symptom_ns`, and a share is one of that,
 * whatever is left; where it gives too many patterns, a larger one is taken. *out NULL: nothing is
 * left. Fails as lode_mine does.
 */
int lode_rest_mine(struct lode_mined **out, const struct lode_coverage_job *job,
		   const struct lode_mine_options *mining, int64_t symptom_ns,
		   struct lode_error *err);

/* Its largest cluster by own cost; NULL: nothing was mined, or found. */
const struct lode_cluster *lode_rest_largest(const struct lode_mined *mined);
/* "60.2 % of 160 s in 36 recordings is known; 39.8 % (64 s) is not, most of it f (disk 78 %): 20 s,
   in 5 of 36 recordings." `mined` NULL: the rest was not mined. */
const char *lode_rest_words(struct lode_arena *arena, const struct lode_cover *cover,
			    const char *unit, size_t n_streams, const struct lode_mined *mined);
