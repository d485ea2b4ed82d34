/*
 * Variants: what the patterns of a cluster hold between the functions that they have in common.
 *
 *   common   main  app_startup ┆ path_canonicalize  path_query_component
 *   gap 2                      ┆ 3.88 s  config_load_all › config_resolve_include
 *                              ┆ 2.30 s  plugin_registry_scan › plugin_probe
 */
#pragma once

#include "engine/mine/mine.h"

struct lode_variant {
	const uint32_t *frames; /* borrowed from the cluster's patterns */
	size_t n;		/* 0: nothing stands there */
	int64_t own_ns;		/* own cost of the patterns that have it */
};

/* What stands before one common function, or behind the last; the costliest first. */
struct lode_gap {
	LODE_VEC(struct lode_variant) variants;
};

/* n_common + 1 gaps. */
struct lode_gap *lode_gaps_new(const struct lode_cluster *cluster);
void lode_gaps_free(struct lode_gap *gaps, const struct lode_cluster *cluster);

/* The variant that has at least four fifths of the gap's cost; NULL when none has. */
const struct lode_variant *lode_gap_main(const struct lode_gap *gap);

/*
 * The gap that divides the cluster's cost among several of the program's own functions, in one line
 * of at most `columns`: "┆ config_resolve_include 3.88 s, plugin_probe 2.30 s". "" when there is
 * none.
 */
const char *lode_variants_short(char *buffer, size_t size, const struct lode_digest *digest,
				const struct lode_cluster *cluster, size_t columns);
