/*
 * Clusters as documents list them: all that is said of each.
 *
 *   mined --> rows --> "clusters", "more", "frames" of lode mine, lode triage, lode serve
 *
 * A row is laid out when it is asked for: thousands of flame graphs need not be there at the same
 * time. What it holds is borrowed from what was mined, or lives until the next row; lists of
 * patterns, wakers and symptoms are not copied.
 */
#pragma once

#include "engine/mine/flame.h"
#include "engine/mine/mine.h"
#include "document/fields.h"
#include "answers/clusters/cluster_signatures.h"
#include "answers/clusters/cluster_brief.h"
#include "answers/clusters/headline.h"
#include "answers/clusters/variants.h"

/* ---- What pages are drawn of ---- */

/* Functions of all flame graphs of a document: each once, in order of first use. */
struct lode_flame_functions {
	struct lode_map place_of; /* frame id -> its place */
	LODE_VEC(uint32_t) frames;
};
void lode_flame_functions_release(struct lode_flame_functions *functions);

/* A flame graph whose nodes' frames are places in the document's list. */
struct lode_flame_rows {
	const struct lode_flame_node *nodes;
	size_t n_nodes, n_left_out;
	int64_t left_out_ns;
};
void lode_flame_rows_make(struct lode_flame_rows *out, const struct lode_flame *flame,
			  struct lode_flame_functions *functions, struct lode_arena *arena);
/* How many nodes the cluster's flame graph may have; `n_clusters`: how many share the room. */
size_t lode_flame_room(const struct lode_cluster *cluster, size_t n_clusters);

/* What stands before a common function, or behind the last. */
struct lode_gap_row {
	uint32_t before; /* index into the common functions */
	const struct lode_variant *variants;
	size_t n_variants, n_more;
	int64_t more_ns; /* own cost of these; LODE_NO_INT: there are no more */
};

struct lode_cluster_detail {
	const struct lode_gap_row *gaps;
	size_t n_gaps;
	const struct lode_cluster_stream *by_stream;
	size_t n_by_stream;
	struct lode_flame_rows flame; /* empty until it is built */
};
void lode_cluster_detail_build(struct lode_cluster_detail *out, const struct lode_mined *mined,
			       const struct lode_cluster *cluster, struct lode_arena *arena);

/* ---- One cluster ---- */

/* Indices of common functions before which variants stand; gives how many. */
size_t lode_cluster_gaps(const uint32_t **out, const struct lode_cluster *cluster,
			 struct lode_arena *arena);

struct lode_reason_cost {
	const char *name; /* one of lode_reason_cost_names */
	int64_t cost_ns;
};
extern const char *const lode_reason_cost_names[]; /* "lock_ns", "disk_ns", ..., NULL */

/* What lode sign makes of it. */
struct lode_cluster_signature_row {
	const char *kind;
	const char *const *patterns;
	size_t n_patterns;
	int64_t total_ns;
};

struct lode_cluster_row {
	const struct lode_cluster *cluster;
	const struct lode_digest *digest;
	enum lode_event_kind kind;    /* that most of its own cost is */
	enum lode_wait_reason reason; /* of most of its waits */
	const struct lode_reason_cost *reasons;
	size_t n_reasons;
	const struct lode_cluster_part *parts;
	size_t n_parts;
	const struct lode_cluster_part *ends;
	size_t n_ends;
	double coverage;      /* its own cost, of all symptom time */
	const uint32_t *gaps; /* indices of common functions before which variants stand */
	size_t n_gaps;
	const struct lode_headline_hop *headline;
	size_t n_headline;
	const struct lode_cluster_waker *wakers;
	size_t n_wakers, n_wakers_more;
	const struct lode_mined_pattern *patterns;
	size_t n_patterns, n_patterns_more;
	struct lode_cluster_signature_row signature;
	size_t n_worst, n_worst_more;		  /* of cluster->worst */
	const struct lode_cluster_brief *brief;	  /* NULL: not asked for */
	const struct lode_cluster_detail *detail; /* NULL: not asked for */
};

/* ---- All that are listed ---- */

struct lode_cluster_rows_options {
	size_t top;	   /* longest list; 0: no bound */
	size_t top_inside; /* of the lists inside of clusters; 0: as `top`. From the 31st cluster
			      on, a fifth of it */
	bool has_detail;   /* what pages are drawn of */
	/* The list alone, of clusters that are asked for one by one: in brief, without patterns
	   and symptoms. */
	bool is_light;
	/* Of all clusters of `mined`, made before; NULL: they are made here. */
	const struct lode_cluster_signatures *signatures;
	size_t n_sharing; /* clusters that share the room for flame graphs; 0: those listed */
};

struct lode_cluster_rows {
	size_t n, n_more;
	struct lode_flame_functions *functions; /* of rows made so far; NULL: without detail */
	struct lode_arena *arena;		/* of the row that was made last */
	struct lode_cluster_rows_options options;
	const struct lode_mined *mined;
	const struct lode_cluster *first; /* of n */
	struct lode_cluster_signatures made;
};

/* `only`: one of mined->clusters; NULL: all, up to `top`. Borrows `mined`. */
void lode_cluster_rows_build(struct lode_cluster_rows *out, const struct lode_mined *mined,
			     const struct lode_cluster *only,
			     const struct lode_cluster_rows_options *options);
void lode_cluster_rows_release(struct lode_cluster_rows *rows);
/* Row i of struct lode_cluster_rows into a struct lode_cluster_row. With detail, O(stacks of the
   cluster). */
lode_row_maker lode_cluster_row_make;

/* ---- Their fields; names are lode_digest_names' ---- */

/* Of struct lode_cluster_rows: "clusters", "more" and "frames". */
extern const struct lode_record lode_cluster_rows_record;
/* Of struct lode_flame_functions: "frames". Stands behind the rows that name them. */
extern const struct lode_record lode_flame_functions_record;
/* Of struct lode_cluster_row: one cluster. */
extern const struct lode_record lode_runner_record; /* who ran while others were ready */
extern const struct lode_record lode_cluster_row_record;
/* Of struct lode_headline_hop, and what a list of them is. */
extern const struct lode_record lode_headline_hop_record;
#define LODE_HEADLINE_DOC                                                                         \
	"functions common to at least 80 % of its own cost: of the waiting thread, then of each " \
	"thread that it waited for"
/* Of struct lode_cluster: its figures. Those with a heading are columns, in text and on pages. */
extern const struct lode_record lode_cluster_cost_record;
/* Of struct lode_cluster_brief: "why", "brief", "brief_variants". */
extern const struct lode_record lode_cluster_brief_record;
/* Of struct lode_cluster_detail: "gap_variants" and "by_stream". */
extern const struct lode_record lode_cluster_detail_record;
/* Of struct lode_flame_rows: "parent", "frame" and what was left out, without any costs; and with
   those by kind. */
extern const struct lode_record lode_flame_tree_record, lode_flame_record;
