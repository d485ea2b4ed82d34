/*
 * Critical paths in the documents of lode mine. Inside of reports/ only.
 */
#ifndef LODE_MINE_PATHS_JSON_H
#define LODE_MINE_PATHS_JSON_H

#include "reports/json.h"
#include "reports/mine_report.h"

/* "reasons" and "devices", which paths name by number; and one path. */
void lode_mine_path_words_json(struct lode_json *json);
void lode_mine_path_json(struct lode_json *json, const char *key,
			 const struct lode_mine_report *report,
			 const struct lode_cluster_path *path);
/* Both, of all critical paths that the report has, if it has any: "paths". */
void lode_mine_paths_json(struct lode_json *json, const struct lode_mine_report *report);

#endif
