#include "reports/mine_detail_json.h"

#include <string.h>

#include "analyses/mine/flame.h"
#include "reports/cluster_brief.h"
#include "reports/variants.h"

/*
 * LIMIT: nodes of all flame graphs of a document, so that a thousand clusters stay a page that can
 * be mailed. Half of them for the first clusters, which people look at; what is left out of a graph
 * is said in it.
 */
enum { MAX_NODES = 120000, N_FIRST = 30, MIN_NODES = 40 };

/* Variants of a gap. */
enum { MAX_VARIANTS = 12 };

size_t lode_mine_detail_nodes(const struct lode_cluster *cluster, size_t n_clusters)
{
	size_t each = MAX_NODES / 2 / (n_clusters ? n_clusters : 1);

	if (cluster->rank <= N_FIRST)
		return MAX_NODES / 2 / N_FIRST;
	return each < MIN_NODES ? MIN_NODES : each;
}

static uint32_t name_place(struct lode_mine_names *names, uint32_t frame)
{
	uint32_t place = lode_map_find(&names->place_of, frame);

	if (place != LODE_NONE)
		return place;
	place = (uint32_t)names->frames.n;
	lode_vec_append(&names->frames, frame);
	*lode_map_slot(&names->place_of, frame) = place;
	return place;
}

void lode_mine_detail_tree(struct lode_json *json, const struct lode_flame *flame,
			   struct lode_mine_names *names)
{
	lode_json_array(json, "parent");
	for (size_t i = 0; i < flame->nodes.n; i++) {
		uint32_t parent = flame->nodes.at[i].parent;

		lode_json_int(json, NULL, parent == LODE_NONE ? -1 : (int64_t)parent);
	}
	lode_json_end_array(json);
	lode_json_array(json, "frame");
	for (size_t i = 0; i < flame->nodes.n; i++)
		lode_json_int(json, NULL, name_place(names, flame->nodes.at[i].frame));
	lode_json_end_array(json);
	lode_json_int(json, "left_out", (int64_t)flame->n_left_out);
	lode_json_int(json, "left_out_ns", flame->left_out_ns);
}

static void put_flame(struct lode_json *json, const struct lode_flame *flame,
		      struct lode_mine_names *names)
{
	lode_json_object(json, "flame");
	lode_mine_detail_tree(json, flame, names);
	lode_json_array(json, "own_ns");
	for (size_t i = 0; i < flame->nodes.n; i++)
		lode_json_int(json, NULL, flame->nodes.at[i].own_ns);
	lode_json_end_array(json);
	lode_json_end_object(json);
}

void lode_mine_detail_brief(struct lode_json *json, const struct lode_digest *digest,
			    const struct lode_cluster *c)
{
	struct lode_cluster_brief brief;
	struct lode_arena arena = {0};

	lode_cluster_brief_build(&brief, digest, c, &arena);
	lode_json_text(json, "why", brief.why);
	lode_json_array(json, "brief");
	for (size_t i = 0; i < brief.n_lines; i++)
		lode_json_text(json, NULL, brief.lines[i]);
	lode_json_end_array(json);
	lode_json_text(json, "brief_variants", brief.variants);
	lode_arena_release(&arena);
}

static void put_variants(struct lode_json *json, const struct lode_digest *digest,
			 const struct lode_gap *gap, size_t before)
{
	size_t n = gap->variants.n < MAX_VARIANTS ? gap->variants.n : MAX_VARIANTS;
	int64_t more_ns = 0;
	char name[4096];

	lode_json_object(json, NULL);
	lode_json_int(json, "before", (int64_t)before);
	lode_json_array(json, "variants");
	for (size_t i = 0; i < n; i++) {
		const struct lode_variant *v = &gap->variants.at[i];

		lode_json_object(json, NULL);
		lode_json_int(json, "own_ns", v->own_ns);
		lode_json_array(json, "functions");
		for (size_t k = 0; k < v->n; k++)
			lode_json_text(json, NULL,
				       lode_frame_full_name(&digest->tree, v->frames[k], name,
							    sizeof(name)));
		lode_json_end_array(json);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
	if (n < gap->variants.n) {
		for (size_t i = n; i < gap->variants.n; i++)
			more_ns += gap->variants.at[i].own_ns;
		lode_json_int(json, "more", (int64_t)(gap->variants.n - n));
		lode_json_int(json, "more_ns", more_ns);
	}
	lode_json_end_object(json);
}

void lode_mine_detail_gaps(struct lode_json *json, const struct lode_digest *digest,
			   const struct lode_cluster *c)
{
	struct lode_gap *gaps = lode_gaps_new(c);

	lode_json_array(json, "gap_variants");
	for (size_t i = 0; i <= c->n_common; i++)
		if (gaps[i].variants.n > 1 || (gaps[i].variants.n && gaps[i].variants.at[0].n))
			put_variants(json, digest, &gaps[i], i);
	lode_json_end_array(json);
	lode_gaps_free(gaps, c);
}

void lode_mine_detail_streams(struct lode_json *json, const struct lode_cluster *c)
{
	lode_json_object(json, "by_stream");
	lode_json_array(json, "stream");
	for (size_t i = 0; i < c->n_by_stream; i++)
		lode_json_int(json, NULL, c->by_stream[i].stream);
	lode_json_end_array(json);
	lode_json_array(json, "cost_ns");
	for (size_t i = 0; i < c->n_by_stream; i++)
		lode_json_int(json, NULL, c->by_stream[i].cost_ns);
	lode_json_end_array(json);
	lode_json_end_object(json);
}

void lode_mine_detail_cluster(struct lode_json *json, const struct lode_mine_report *report,
			      const struct lode_cluster *c, size_t n_clusters,
			      struct lode_mine_names *names)
{
	struct lode_flame flame = {0};

	lode_mine_detail_brief(json, report->mined->digest, c);
	lode_mine_detail_gaps(json, report->mined->digest, c);
	lode_mine_detail_streams(json, c);
	lode_flame_build(&flame, &report->mined->digest->tree, c->stacks, c->n_stacks,
			 lode_mine_detail_nodes(c, n_clusters));
	put_flame(json, &flame, names);
	lode_flame_release(&flame);
}

void lode_mine_detail_names(struct lode_json *json, const struct lode_calltree *tree,
			    struct lode_mine_names *names)
{
	char name[4096];

	lode_json_array(json, "frames");
	for (size_t i = 0; i < names->frames.n; i++)
		lode_json_text(json, NULL,
			       lode_frame_full_name(tree, names->frames.at[i], name, sizeof(name)));
	lode_json_end_array(json);
	lode_map_release(&names->place_of);
	lode_vec_release(&names->frames);
}
