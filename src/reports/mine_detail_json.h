/*
 * What pages need of clusters beyond the numbers: flame graphs, costs by stream, critical paths.
 * Inside of reports/ only.
 */
#ifndef LODE_MINE_DETAIL_JSON_H
#define LODE_MINE_DETAIL_JSON_H

#include "reports/json.h"
#include "reports/mine_report.h"

/* Names that flame graphs share: each once, in order of first use. `{ 0 }` is ready. */
struct lode_mine_names {
	struct lode_map place_of; /* frame id -> its place */
	LODE_VEC(uint32_t) frames;
};

/* "why", "brief" and "brief_variants": a cluster in a line of a list. */
void lode_mine_detail_brief(struct lode_json *json, const struct lode_mine_report *report,
			    const struct lode_cluster *cluster);
/* That, "gap_variants", "by_stream" and "flame" of one cluster; `n_clusters`: how many share the
 * room. */
void lode_mine_detail_cluster(struct lode_json *json, const struct lode_mine_report *report,
			      const struct lode_cluster *cluster, size_t n_clusters,
			      struct lode_mine_names *names);
/* "frames": the names, once all clusters are written. Frees them. */
void lode_mine_detail_names(struct lode_json *json, const struct lode_mine_report *report,
			    struct lode_mine_names *names);
/* "reasons" and "devices", which paths name by number; and one path. */
void lode_mine_path_words_json(struct lode_json *json);
void lode_mine_path_json(struct lode_json *json, const char *key,
			 const struct lode_mine_report *report,
			 const struct lode_cluster_path *path);
/* Both, of all critical paths that the report has, if it has any: "paths". */
void lode_mine_paths_json(struct lode_json *json, const struct lode_mine_report *report);

#endif
