/*
 * What pages need of clusters beyond the numbers: flame graphs, costs by stream, critical paths.
 * Inside of reports/ only.
 */
#ifndef LODE_MINE_DETAIL_JSON_H
#define LODE_MINE_DETAIL_JSON_H

#include "analyses/mine/flame.h"
#include "reports/json.h"
#include "reports/mine_report.h"

/* Names that flame graphs share: each once, in order of first use. `{ 0 }` is ready. */
struct lode_mine_names {
	struct lode_map place_of; /* frame id -> its place */
	LODE_VEC(uint32_t) frames;
};

/* "why", "brief" and "brief_variants": the cluster in a few lines, as the table in the terminal has
   them. */
void lode_mine_detail_brief(struct lode_json *json, const struct lode_digest *digest,
			    const struct lode_cluster *cluster);
/* "gap_variants": what stands between the common functions, where anything does. */
void lode_mine_detail_gaps(struct lode_json *json, const struct lode_digest *digest,
			   const struct lode_cluster *cluster);
/* "by_stream" */
void lode_mine_detail_streams(struct lode_json *json, const struct lode_cluster *cluster);
/* Members of a flame graph beside its costs: "parent", "frame" and what was left out. */
void lode_mine_detail_tree(struct lode_json *json, const struct lode_flame *flame,
			   struct lode_mine_names *names);
/* How many nodes the cluster's flame graph may have; `n_clusters`: how many share the room. */
size_t lode_mine_detail_nodes(const struct lode_cluster *cluster, size_t n_clusters);

/* All of these, and "flame". */
void lode_mine_detail_cluster(struct lode_json *json, const struct lode_mine_report *report,
			      const struct lode_cluster *cluster, size_t n_clusters,
			      struct lode_mine_names *names);
/* "frames": the names, once all clusters are written. Frees them. */
void lode_mine_detail_names(struct lode_json *json, const struct lode_calltree *tree,
			    struct lode_mine_names *names);
/* "reasons" and "devices", which paths name by number; and one path. */
void lode_mine_path_words_json(struct lode_json *json);
void lode_mine_path_json(struct lode_json *json, const char *key,
			 const struct lode_mine_report *report,
			 const struct lode_cluster_path *path);
/* Both, of all critical paths that the report has, if it has any: "paths". */
void lode_mine_paths_json(struct lode_json *json, const struct lode_mine_report *report);

#endif
