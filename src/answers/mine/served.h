/*
 * What lode serve is asked of an answer: one cluster in full, its streams and symptoms, the
 * critical path of a symptom, signatures and trends. JSON documents of docs/serve.md.
 */
#pragma once

#include "engine/signatures/signature_cover.h"
#include "answers/mine/mine.h"
#include "answers/clusters/cluster_drill.h"
#include "answers/clusters/cluster_signatures.h"
#include "answers/clusters/cluster_costs.h"
#include "model/signature.h"

extern const struct lode_document lode_mine_cluster_document, lode_mine_flame_document,
	lode_mine_path_document, lode_mine_signatures_document, lode_mine_streams_document,
	lode_mine_symptoms_document, lode_mine_trend_document;

/* "lode/mine-cluster/1": all that a page shows of one cluster. */
void lode_mine_cluster_json(FILE *out, const struct lode_mine_answer *answer,
			    const struct lode_cluster *cluster);

/* "lode/mine-flame/1": the stacks of a cluster that a filter leaves. */
void lode_mine_flame_json(FILE *out, const struct lode_mine_answer *answer,
			  const struct lode_cluster *cluster,
			  const struct lode_cell_filter *filter);

/* "lode/mine-streams/1": the `top` first of lode_drill_streams_of. */
void lode_mine_streams_json(FILE *out, const struct lode_stream_set *set,
			    const struct lode_drill *drill, const struct lode_cluster *cluster,
			    size_t top);

/* "lode/mine-symptoms/1": the `top` first of lode_drill_symptoms_of. */
void lode_mine_symptoms_json(FILE *out, const struct lode_drill *drill,
			     const struct lode_cluster *cluster, uint32_t stream, size_t top);

/* "lode/mine-path/1" */
void lode_mine_path_json(FILE *out, const struct lode_mined *mined,
			 const struct lode_cluster_path *path);

/* Signatures held against the streams of a report; all borrowed. */
struct lode_mine_signatures {
	const char *path; /* of the repository */
	const struct lode_signatures *signatures;
	const struct lode_coverage *coverage;
	const struct lode_mined *mined;
	const lode_cluster_matches *matches;
};
/* "lode/mine-signatures/1" */
void lode_mine_signatures_json(FILE *out, const struct lode_mine_signatures *signatures);

/* What something costs in groups of streams; all borrowed. */
struct lode_mine_trend {
	const char *unit, *by;
	const lode_stream_keys *keys;
	const struct lode_cluster *cluster; /* or */
	const char *signature;		    /* its name; the other one is NULL */
	const struct lode_stream_groups *groups;
	const struct lode_group_cost *at; /* groups->n */
};
/* "lode/mine-trend/1" */
void lode_mine_trend_json(FILE *out, const struct lode_mine_trend *trend);
