/*
 * What people and programs read of a mining run: table, one cluster in full, JSON, folded stacks.
 *
 * Renders struct lode_mined and computes nothing of it.
 */
#ifndef LODE_MINE_REPORT_H
#define LODE_MINE_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "analyses/mine/mine.h"
#include "job/cluster_paths.h"
#include "job/cluster_signatures.h"
#include "job/digest_job.h"

/* What a server says of a report whose clusters are asked for one by one (mine_served.h). */
struct lode_mine_served {
	const char *repo;  /* path; NULL: made of files */
	const char *where; /* of the repository; NULL: all */
};

struct lode_mine_report {
	const struct lode_mined *mined;
	const struct lode_digest_job *job;	    /* what was read, and what was not */
	const char *scope, *stacks, *rank, *lambda; /* the options in words */
	bool is_classic, is_filtered; /* content filters leave out a part of the AOI */
	size_t top;		      /* longest list; 0: no bound */
	size_t top_inside; /* of the lists inside of clusters; 0: as `top`. From the 31st cluster
		    on, a fifth of it */
	const struct lode_cluster_paths *paths; /* for pages; NULL: none */
	/* Of all clusters of `mined`, made before; NULL: they are made when they are needed. */
	const struct lode_cluster_signatures *signatures;
	const struct lode_mine_served *served; /* JSON with the list of clusters alone; or NULL */
	bool has_detail;  /* JSON with what pages need: flame graphs, costs by stream */
	unsigned columns; /* width of a line */
	bool is_terminal; /* escape sequences for bold are fine */
};

/* The ranked table with what it stands on, on one screen. */
void lode_mine_report_table(FILE *out, const struct lode_mine_report *report);
/* One cluster in full. */
void lode_mine_report_cluster(FILE *out, const struct lode_mine_report *report,
			      const struct lode_cluster *cluster);
/* "lode/mine/1", docs/json.md; `only` NULL: all clusters, up to `top`. */
void lode_mine_report_json(FILE *out, const struct lode_mine_report *report,
			   const struct lode_cluster *only);

/* The members "clusters" and "more" of that document, with `has_detail` "frames" too, for others
   that hold clusters; of the report only `mined`, `top` and `top_inside` are needed. */
struct lode_json;
void lode_mine_json_clusters(struct lode_json *json, const struct lode_mine_report *report);

/* The AOI, or one cluster's stacks (`only`, not NULL), folded, "a;b;c cost": what flame graphs are
   drawn from. */
void lode_mine_report_folded(FILE *out, const struct lode_digest *digest,
			     const struct lode_cluster *only);

#endif
