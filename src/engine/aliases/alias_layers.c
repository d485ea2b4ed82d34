/* Finds functions that only some recordings have between the same neighbours. */
#include "engine/aliases/alias_search.h"

#include <math.h>

#include "base/sorted.h"

static const double explained = 0.7;	  /* of a layer's cost: between neighbours seen alone */
static const double least_present = 0.01; /* of a layer's mean cost by recording: it is there */

/* LIMIT: so many are examined; none if that takes more steps, as in deep recursion. */
enum { MAX_LAYERS = 512, MAX_STEPS_OF_LAYERS = 1 << 27 };

struct layer_tag {
	uint32_t node, layer;
	bool is_direct, is_self;
};

struct layer {
	uint32_t frame;
	bool is_leaf;		   /* it has no callee in most of its cost */
	int64_t *through, *direct; /* per stream */
};

struct layers {
	LODE_VEC(struct layer) list;
	LODE_VEC(struct layer_tag) tags;
};

/* Nodes of (caller, callee), first of a list. */
static void index_edges(struct lode_map *edges, const struct lode_alias_search *s)
{
	for (size_t i = 1; i < s->tree.nodes.n; i++) {
		const struct lode_alias_node *node = &s->tree.nodes.at[i];

		if (!node->parent || node->cost <= 0)
			continue;
		*lode_map_slot(edges, (uint64_t)s->tree.nodes.at[node->parent].frame << 32 |
					      node->frame) = 1;
		if (node->self > 0)
			*lode_map_slot(edges, (uint64_t)node->frame << 32 | LODE_NONE) = 1;
	}
}

/* Whether most of the cost of `f` is between neighbours that are next to each other elsewhere. */
static bool has_direct(const struct lode_alias_search *s, const struct lode_map *edges, uint32_t f,
		       double *self)
{
	const struct lode_alias_node *nodes = s->tree.nodes.at;
	double sum = 0;

	*self = 0;
	for (uint32_t n = s->tree.first_of_frame[f]; n; n = nodes[n].next_of_frame) {
		uint64_t caller = (uint64_t)nodes[nodes[n].parent].frame << 32;

		if (!nodes[n].parent)
			continue;
		if (nodes[n].self > 0 && lode_map_find(edges, caller | LODE_NONE) != LODE_NONE)
			*self += (double)nodes[n].self;
		for (uint32_t c = nodes[n].child; c; c = nodes[c].sibling)
			if (lode_map_find(edges, caller | nodes[c].frame) != LODE_NONE)
				sum += (double)nodes[c].cost;
	}
	return sum + *self >= explained * (double)s->tree.cost[f];
}

LODE_COMPARE(by_node, struct layer_tag,
	     LODE_ORDER(a->node, b->node) ?: LODE_ORDER(a->layer, b->layer)
						     ?: LODE_ORDER(a->is_direct, b->is_direct)
						     ?: LODE_ORDER(a->is_self, b->is_self))

/* The nodes of a layer, and those of its callees right below its callers. */
static void tag_layer(struct lode_alias_search *s, struct layers *layers, uint32_t layer)
{
	const struct lode_alias_node *nodes = s->tree.nodes.at;
	uint32_t f = layers->list.at[layer].frame;
	struct lode_map callers = {0}, callees = {0};
	bool has_self = false;

	for (uint32_t n = s->tree.first_of_frame[f]; n; n = nodes[n].next_of_frame) {
		lode_vec_append(&layers->tags, ((struct layer_tag){n, layer, false, false}));
		has_self |= nodes[n].self > 0;
		if (nodes[n].parent)
			*lode_map_slot(&callers, nodes[nodes[n].parent].frame) = 1;
		for (uint32_t c = nodes[n].child; c; c = nodes[c].sibling)
			*lode_map_slot(&callees, nodes[c].frame) = 1;
	}
	for (size_t i = s->start[LODE_ALIAS_CALLERS][f]; i < s->start[LODE_ALIAS_CALLERS][f + 1];
	     i++) {
		uint32_t caller = s->sides[LODE_ALIAS_CALLERS].at[i].other;

		if (caller == LODE_NONE)
			continue;
		for (uint32_t n = s->tree.first_of_frame[caller]; n; n = nodes[n].next_of_frame) {
			if (has_self && nodes[n].self > 0)
				lode_vec_append(&layers->tags,
						((struct layer_tag){n, layer, true, true}));
			for (uint32_t c = nodes[n].child; c; c = nodes[c].sibling)
				if (nodes[c].frame != f &&
				    lode_map_find(&callees, nodes[c].frame) != LODE_NONE)
					lode_vec_append(
						&layers->tags,
						((struct layer_tag){c, layer, true, false}));
		}
	}
	lode_map_release(&callers);
	lode_map_release(&callees);
}

/* What each layer costs in each stream, and what its callees cost there without it; false: it takes
   too long. */
static bool sum_layers(const struct lode_alias_search *s, struct layers *layers)
{
	const struct lode_digest *digest = s->digest;
	uint32_t *nearest = lode_alloc0(s->tree.nodes.n, sizeof(*nearest));
	uint32_t *first = lode_alloc_none(s->tree.nodes.n);
	size_t n_steps = 0;

	lode_sort(layers->tags.at, layers->tags.n, by_node);
	for (size_t i = layers->tags.n; i-- > 0;)
		first[layers->tags.at[i].node] = (uint32_t)i;
	for (size_t n = 1; n < s->tree.nodes.n; n++)
		nearest[n] =
			first[n] != LODE_NONE ? (uint32_t)n : nearest[s->tree.nodes.at[n].parent];
	for (size_t i = 0; i < digest->rows.n && n_steps < MAX_STEPS_OF_LAYERS; i++) {
		const struct lode_digest_row *row = &digest->rows.at[i];
		uint32_t stream = digest->symptoms.at[row->symptom].stream;
		uint32_t end = s->tree.node_of_row[i];

		for (uint32_t n = nearest[end]; n; n = nearest[s->tree.nodes.at[n].parent])
			for (size_t t = first[n];
			     t < layers->tags.n && layers->tags.at[t].node == n; t++, n_steps++) {
				const struct layer_tag *tag = &layers->tags.at[t];
				struct layer *layer = &layers->list.at[tag->layer];

				if (!tag->is_self || n == end)
					(tag->is_direct ? layer->direct : layer->through)[stream] +=
						row->cost_ns;
			}
	}
	free(nearest);
	free(first);
	return n_steps < MAX_STEPS_OF_LAYERS;
}

static double layer_likeness(struct lode_alias_search *s, const struct layers *layers,
			     uint32_t layer, const struct lode_alias_streams *streams)
{
	double sums[2] = {0};

	lode_alias_clear_paths(s);
	for (size_t i = 0; i < layers->tags.n; i++) {
		const struct layer_tag *tag = &layers->tags.at[i];
		double cost = (double)(tag->is_self ? s->tree.nodes.at[tag->node].self
						    : s->tree.nodes.at[tag->node].cost);

		if (tag->layer != layer)
			continue;
		sums[tag->is_direct] += cost;
		if (!tag->is_self)
			lode_alias_add_paths(s, tag->is_direct, tag->node, tag->is_direct);
		else /* of its caller nothing but what ends there counts */
			for (uint32_t n = tag->node; n; n = s->tree.nodes.at[n].parent)
				lode_alias_add_path(s, s->above[1], s->tree.nodes.at[n].frame,
						    cost);
	}
	return sums[0] > 0 && sums[1] > 0 ? lode_alias_likeness(s, sums, streams) : 0;
}

static void weigh_layer(struct lode_alias_search *s, const struct layers *layers, uint32_t at)
{
	const struct layer *layer = &layers->list.at[at];
	size_t n_words = (s->n_streams + 63) / 64;
	struct lode_alias_streams streams[2] = {
		{lode_arena_array0(&s->arena, uint64_t, n_words), 0},
		{lode_arena_array0(&s->arena, uint64_t, n_words), 0}};
	double cost[2] = {0}, evidence = -1, mean = 0;
	double possible = lode_alias_possible(s, layer->frame, layer->frame);
	bool is_mixed = false;

	for (size_t i = 0; i < s->n_streams; i++)
		mean += (double)(layer->through[i] + layer->direct[i]) / (double)s->n_streams;
	for (size_t i = 0; i < s->n_streams; i++) {
		double with = (double)layer->through[i], without = (double)layer->direct[i];
		bool is_direct = with < lode_alias_neglected * (with + without);

		if (with + without <= least_present * mean)
			continue;
		is_mixed |= !is_direct && without >= lode_alias_neglected * (with + without);
		streams[is_direct].bits[i / 64] |= (uint64_t)1 << (i & 63);
		streams[is_direct].n++;
		cost[is_direct] += with + without;
	}
	if (!is_mixed && streams[0].n && streams[1].n &&
	    lode_alias_ratio_of(cost[0] / streams[0].n, cost[1] / streams[1].n) <=
		    (layer->is_leaf ? lode_alias_ratio_leaf : lode_alias_ratio))
		evidence = lode_alias_exclusion(possible, streams[0].n, streams[1].n) +
			   (streams[0].n + streams[1].n >= possible ? lode_alias_complete : 0) +
			   lode_alias_kernel_evidence(s, layer->frame, &streams[0], &streams[1]) +
			   lode_alias_border_evidence(s, &streams[0], &streams[1]);
	if (evidence >= (layer->is_leaf ? lode_alias_one_side : lode_alias_enough) &&
	    layer_likeness(s, layers, at, streams) >= lode_alias_alike)
		lode_vec_append(&s->joins, ((struct lode_alias_join){layer->frame,
								     LODE_NONE,
								     evidence,
								     {streams[0], streams[1]}}));
}

void lode_alias_find_layers(struct lode_alias_search *s)
{
	struct layers layers = {0};
	struct lode_map edges = {0};

	index_edges(&edges, s);
	for (uint32_t f = 0; f < s->n_frames && layers.list.n < MAX_LAYERS; f++) {
		double self;

		if (!s->is_candidate[f] || !has_direct(s, &edges, f, &self))
			continue;
		lode_vec_append(&layers.list,
				((struct layer){
					.frame = f,
					.is_leaf = 2 * self > (double)s->tree.cost[f],
					.through = lode_alloc0(s->n_streams, sizeof(int64_t)),
					.direct = lode_alloc0(s->n_streams, sizeof(int64_t)),
				}));
		tag_layer(s, &layers, (uint32_t)layers.list.n - 1);
	}
	if (layers.list.n && sum_layers(s, &layers))
		for (uint32_t i = 0; i < layers.list.n; i++)
			weigh_layer(s, &layers, i);
	for (size_t i = 0; i < layers.list.n; i++) {
		free(layers.list.at[i].through);
		free(layers.list.at[i].direct);
	}
	lode_vec_release(&layers.list);
	lode_vec_release(&layers.tags);
	lode_map_release(&edges);
}
