/* Counts stacks that lack the caller of their innermost user function. */
#include "model/skipped.h"

/* The innermost user function of a stack. */
static uint32_t user_frame(const struct lode_calltree *tree, uint32_t stack)
{
	for (; stack; stack = tree->nodes.at[stack].parent) {
		uint32_t frame = tree->nodes.at[stack].frame;

		if (!(tree->frames.at[frame].flags & LODE_FRAME_KERNEL))
			return frame;
	}
	return LODE_NONE;
}

/* The index with the most, the first of equals; LODE_NONE: all are 0. */
static uint32_t most_of(const int64_t *ns, size_t n)
{
	uint32_t most = LODE_NONE;

	for (uint32_t i = 0; i < n; i++)
		if (ns[i] > (most == LODE_NONE ? 0 : ns[most]))
			most = i;
	return most;
}

/* Leaves in frame_ns what is in the module with the most. */
static void name_most(struct lode_skipped_callers *out, const struct lode_calltree *tree,
		      int64_t *frame_ns)
{
	int64_t *module_ns = lode_alloc0(tree->strings.text.n + 1, sizeof(*module_ns));
	uint32_t module, frame;

	for (uint32_t i = 0; i < tree->frames.n; i++)
		module_ns[tree->frames.at[i].module] += frame_ns[i];
	module = most_of(module_ns, tree->strings.text.n);
	for (uint32_t i = 0; i < tree->frames.n; i++)
		if (tree->frames.at[i].module != module)
			frame_ns[i] = 0;
	frame = most_of(frame_ns, tree->frames.n);
	if (frame != LODE_NONE) {
		out->module = lode_frame_module(tree, frame);
		out->function = lode_frame_function(tree, frame);
	}
	free(module_ns);
}

void lode_skipped_callers_count(struct lode_skipped_callers *out, const struct lode_stream *stream,
				bool of_command)
{
	int64_t *frame_ns = lode_alloc0(stream->tree.frames.n + 1, sizeof(*frame_ns));

	*out = (struct lode_skipped_callers){0};
	for (size_t t = 0; t < stream->threads.n; t++) {
		const struct lode_thread *thread = &stream->threads.at[t];

		for (size_t i = 0; i < thread->events.n; i++) {
			uint32_t stack = thread->events.stack[i], frame;
			int64_t cost_ns = thread->events.cost_ns[i];

			if ((of_command && !thread->is_command) || !stack)
				continue;
			out->whole_ns += cost_ns;
			if (stack >= stream->n_stack_flags ||
			    !(stream->stack_flags[stack] & LODE_STACK_SKIPS_CALLER))
				continue;
			out->n_events++;
			out->cost_ns += cost_ns;
			frame = user_frame(&stream->tree, stack);
			if (frame != LODE_NONE)
				frame_ns[frame] += cost_ns;
		}
	}
	name_most(out, &stream->tree, frame_ns);
	free(frame_ns);
}
