#include "engine/quality/quality.h"

#include <stdlib.h>

#include "engine/quality/advice.h"

enum node_flag {
	NODE_UNKNOWN = 1,
	NODE_USER = 2,
};

/* Per node of the call tree: what its stack holds. A parent comes before its children. */
static uint8_t *flag_nodes(const struct lode_calltree *tree)
{
	uint8_t *flags = lode_alloc0(tree->nodes.n, 1);

	for (size_t i = 1; i < tree->nodes.n; i++) {
		const struct lode_callnode *node = &tree->nodes.at[i];
		uint32_t frame = tree->frames.at[node->frame].flags;

		flags[i] = flags[node->parent];
		if (frame & LODE_FRAME_UNKNOWN)
			flags[i] |= NODE_UNKNOWN;
		if (!(frame & (LODE_FRAME_KERNEL | LODE_FRAME_LINK)))
			flags[i] |= NODE_USER;
	}
	return flags;
}

static void add_quality(struct lode_part *part, bool is_in, int64_t cost_ns)
{
	part->whole_ns += cost_ns;
	if (is_in)
		part->part_ns += cost_ns;
}

static void add_stack(struct lode_flaws *f, const struct lode_stream *stream, bool is_kernel,
		      const uint8_t *node_flags, uint32_t stack, int64_t cost_ns)
{
	const struct lode_calltree *tree = &stream->tree;
	unsigned flags = stack < stream->n_stack_flags ? stream->stack_flags[stack] : 0;
	uint32_t leaf = tree->nodes.at[stack].frame;

	add_quality(&f->unrooted, flags & LODE_STACK_UNROOTED, cost_ns);
	add_quality(&f->truncated, flags & LODE_STACK_TRUNCATED, cost_ns);
	add_quality(&f->unknown, node_flags[stack] & NODE_UNKNOWN, cost_ns);
	add_quality(&f->leaf_unknown, tree->frames.at[leaf].flags & LODE_FRAME_UNKNOWN, cost_ns);
	if (!is_kernel)
		add_quality(&f->kernel_only, !(node_flags[stack] & NODE_USER), cost_ns);
}

static void add_thread_quality(struct lode_flaws *f, const struct lode_stream *stream,
			       const struct lode_thread *thread, const uint8_t *node_flags)
{
	const struct lode_events *events = &thread->events;

	for (size_t i = 0; i < events->n; i++) {
		int64_t cost_ns = events->cost_ns[i];
		unsigned kind = events->kind[i], flags = events->flags[i];

		/* What was open at an end of the recording has a length that says nothing. */
		if (flags & (LODE_EVENT_CUT_START | LODE_EVENT_CUT_END) &&
		    kind == LODE_EVENT_WAITING)
			continue;
		f->kind_ns[kind] += cost_ns;
		add_quality(&f->no_stack, events->stack[i] == 0, cost_ns);
		add_quality(&f->inferred, flags & LODE_EVENT_INFERRED, cost_ns);
		if (kind == LODE_EVENT_WAITING)
			add_quality(&f->no_waker, flags & LODE_EVENT_NO_WAKER, cost_ns);
		if (kind == LODE_EVENT_RUNNING)
			add_quality(&f->unsampled, flags & LODE_EVENT_UNSAMPLED, cost_ns);
		if (events->stack[i])
			add_stack(f, stream, thread->is_kernel, node_flags, events->stack[i],
				  cost_ns);
	}
}

void lode_quality_assess(struct lode_quality *out, const struct lode_stream *stream)
{
	uint8_t *node_flags = flag_nodes(&stream->tree);

	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < stream->threads.n; i++) {
		const struct lode_thread *thread = &stream->threads.at[i];

		out->n_threads++;
		out->n_events += thread->events.n;
		add_thread_quality(&out->machine, stream, thread, node_flags);
		if (!thread->is_command)
			continue;
		out->n_command_threads++;
		add_thread_quality(&out->command, stream, thread, node_flags);
	}
	free(node_flags);
	out->has_command = out->command.no_stack.whole_ns > 0;
	if (!out->has_command)
		out->command = out->machine;
	lode_quality_decide_services(out, stream);
	lode_quality_give_advice(out, stream);
}

void lode_quality_release(struct lode_quality *quality)
{
	lode_vec_release(&quality->advice);
	lode_arena_release(&quality->arena);
	memset(quality, 0, sizeof(*quality));
}

double lode_part_pct(struct lode_part part)
{
	return part.whole_ns > 0 ? 100.0 * (double)part.part_ns / (double)part.whole_ns : 0;
}

const char *lode_service_name(enum lode_service service)
{
	static const char *const names[] = {"yes", "partly", "no"};

	return names[service];
}

const char *lode_analysis_name(enum lode_analysis analysis)
{
	static const char *const names[] = {"mine", "suspects", "timeline", "pio"};

	return names[analysis];
}
