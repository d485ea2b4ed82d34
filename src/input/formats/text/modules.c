/* Counts frames without a symbol by module. */
#include "input/formats/text/modules.h"

#include "model/stream.h"

/* Cost of all events at or below each node of the tree. */
static int64_t *costs_below(const struct lode_stream *stream)
{
	size_t n = stream->tree.nodes.n;
	int64_t *cost = lode_alloc0(n, sizeof(*cost));

	for (size_t t = 0; t < stream->threads.n; t++) {
		const struct lode_events *events = &stream->threads.at[t].events;

		for (size_t i = 0; i < events->n; i++)
			cost[events->stack[i]] += events->cost_ns[i];
	}
	for (size_t i = n; i-- > 1;) /* children have larger ids than their parents */
		cost[stream->tree.nodes.at[i].parent] += cost[i];
	return cost;
}

/* Stands a frame of the same module (and, if asked, without a symbol too) above `node`? */
static bool is_below_another(const struct lode_calltree *tree, uint32_t node, bool unknown_only)
{
	const struct lode_frame *frame = &tree->frames.at[tree->nodes.at[node].frame];

	for (node = tree->nodes.at[node].parent; node; node = tree->nodes.at[node].parent) {
		const struct lode_frame *above = &tree->frames.at[tree->nodes.at[node].frame];

		if (above->module == frame->module &&
		    (!unknown_only || above->flags & LODE_FRAME_UNKNOWN))
			return true;
	}
	return false;
}

void lode_text_modules(struct lode_stream *stream, const char *symbols)
{
	const struct lode_calltree *tree = &stream->tree;
	struct lode_map index = {0}; /* string id of the module -> index in stream->modules */
	int64_t *cost = costs_below(stream);

	for (size_t i = 0; i < tree->frames.n; i++) {
		const struct lode_frame *frame = &tree->frames.at[i];
		uint32_t slot = lode_map_number(&index, frame->module, stream->modules.n);
		struct lode_module_quality *module;

		if (slot == stream->modules.n) {
			module = lode_vec_append_zero(&stream->modules);
			module->name = tree->strings.text.at[frame->module];
			module->symbols = symbols;
		}
		module = &stream->modules.at[slot];
		module->n_frames++;
		if (frame->flags & LODE_FRAME_UNKNOWN)
			module->n_unknown++;
	}
	/* A stack's cost counts once for a module, at its outermost frame there. */
	for (uint32_t node = 1; node < tree->nodes.n; node++) {
		const struct lode_frame *frame = &tree->frames.at[tree->nodes.at[node].frame];
		struct lode_module_quality *module =
			&stream->modules.at[lode_map_find(&index, frame->module)];

		if (!is_below_another(tree, node, false))
			module->cost_ns += cost[node];
		if (frame->flags & LODE_FRAME_UNKNOWN && !is_below_another(tree, node, true))
			module->unknown_ns += cost[node];
	}
	lode_map_release(&index);
	free(cost);
}
