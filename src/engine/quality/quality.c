/* Measures the flaws of a recording. */
#include "engine/quality/quality.h"

#include "engine/quality/advice.h"
#include "model/skipped.h"

/* ---- Stack dumps ---- */

double lode_dump_rate(const struct lode_stream *stream)
{
	double seconds = (double)(stream->t1_ns - stream->t0_ns) / 1e9;
	uint64_t n = stream->losses.by_kind[LODE_LOSS_EVENTS].count;

	for (size_t i = 0; i < stream->event_counts.n; i++) {
		const struct lode_event_count *e = &stream->event_counts.at[i];

		n += e->has_callchain && strcmp(e->name, "sched:sched_waking") != 0 ? e->n : 0;
	}
	return seconds > 0 ? (double)n / seconds : 0;
}

double lode_dump_bytes_per_s(double events_per_s)
{
	return events_per_s * LODE_DUMP_BYTES;
}

bool lode_dumps_fit(double events_per_s, uint32_t n_cpus)
{
	return !n_cpus ||
	       lode_dump_bytes_per_s(events_per_s) <= (double)n_cpus * LODE_MOST_DUMP_BYTES;
}

/* ---- Quality ---- */

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
	add_quality(&f->skips_caller, flags & LODE_STACK_SKIPS_CALLER, cost_ns);
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

/* ---- Names that answers need ---- */

struct naming {
	const struct lode_stream *stream;
	uint32_t *program_frame; /* per node: the innermost that is not the kernel's; LODE_NONE */
	int64_t *unnamed_ns;	 /* per string: of the module with that name */
};

static void find_program_frames(struct naming *n)
{
	const struct lode_calltree *tree = &n->stream->tree;

	n->program_frame[0] = LODE_NONE;
	for (size_t i = 1; i < tree->nodes.n; i++) {
		uint32_t frame = tree->nodes.at[i].frame;

		n->program_frame[i] = tree->frames.at[frame].flags & LODE_FRAME_KERNEL
					      ? n->program_frame[tree->nodes.at[i].parent]
					      : frame;
	}
}

/* The frame of a stack that should have a name and has none; LODE_NONE: all is well. */
static uint32_t unnamed_frame(const struct naming *n, uint32_t stack)
{
	const struct lode_calltree *tree = &n->stream->tree;
	uint32_t frames[] = {stack ? tree->nodes.at[stack].frame : LODE_NONE,
			     n->program_frame[stack]};

	for (size_t i = 0; i < 2; i++)
		if (frames[i] != LODE_NONE && tree->frames.at[frames[i]].flags & LODE_FRAME_UNKNOWN)
			return frames[i];
	return LODE_NONE;
}

static void count_unnamed(struct lode_quality *q, struct naming *n,
			  const struct lode_events *events)
{
	for (size_t i = 0; i < events->n; i++) {
		uint32_t own = unnamed_frame(n, events->stack[i]);
		uint32_t other = unnamed_frame(n, events->other_stack[i]);
		uint32_t frame = own != LODE_NONE ? own : other;

		if (!events->stack[i] || events->flags[i] & LODE_EVENT_CUT_END)
			continue;
		add_quality(&q->unnamed, frame != LODE_NONE, events->cost_ns[i]);
		if (frame != LODE_NONE)
			n->unnamed_ns[n->stream->tree.frames.at[frame].module] +=
				events->cost_ns[i];
	}
}

static void assess_names(struct lode_quality *q, const struct lode_stream *stream)
{
	const struct lode_strings *strings = &stream->tree.strings;
	struct naming n = {
		.stream = stream,
		.program_frame = lode_alloc(stream->tree.nodes.n * sizeof(*n.program_frame)),
		.unnamed_ns = lode_alloc0(strings->text.n, sizeof(*n.unnamed_ns)),
	};
	int64_t most_ns = 0;

	find_program_frames(&n);
	for (size_t i = 0; i < stream->threads.n; i++)
		if (stream->threads.at[i].is_command || !q->has_command)
			count_unnamed(q, &n, &stream->threads.at[i].events);
	for (size_t i = 0; i < strings->text.n; i++) {
		const char *name = strings->text.at[i];

		if (n.unnamed_ns[i] < most_ns || !n.unnamed_ns[i] ||
		    (n.unnamed_ns[i] == most_ns && strcmp(name, q->unnamed_module) > 0))
			continue;
		most_ns = n.unnamed_ns[i];
		q->unnamed_module = name;
	}
	free(n.program_frame);
	free(n.unnamed_ns);
}

/* ---- Callers ---- */

/* Per string: the cost of stacks that do not reach an entry, by the module that they end in. */
static int64_t *cost_of_ends(const struct lode_quality *q, const struct lode_stream *stream)
{
	const struct lode_calltree *tree = &stream->tree;
	int64_t *module_ns = lode_alloc0(tree->strings.text.n + 1, sizeof(*module_ns));
	uint32_t *root = lode_alloc0(tree->nodes.n, sizeof(*root));

	for (uint32_t i = 1; i < tree->nodes.n; i++)
		root[i] = tree->nodes.at[i].parent ? root[tree->nodes.at[i].parent] : i;
	for (size_t t = 0; t < stream->threads.n; t++) {
		const struct lode_thread *thread = &stream->threads.at[t];
		const struct lode_events *events = &thread->events;

		for (size_t i = 0; i < events->n; i++) {
			uint32_t stack = events->stack[i];

			if (!stack || stack >= stream->n_stack_flags ||
			    (q->has_command && !thread->is_command) ||
			    !(stream->stack_flags[stack] & LODE_STACK_UNROOTED))
				continue;
			module_ns[tree->frames.at[tree->nodes.at[root[stack]].frame].module] +=
				events->cost_ns[i];
		}
	}
	free(root);
	return module_ns;
}

/* In which modules callers are missing: between frames, and beyond the last. */
static void assess_callers(struct lode_quality *q, const struct lode_stream *stream)
{
	const struct lode_strings *strings = &stream->tree.strings;
	struct lode_skipped_callers skipped;
	int64_t *module_ns = cost_of_ends(q, stream), most_ns = 0;

	lode_skipped_callers_count(&skipped, stream, q->has_command);
	if (skipped.module) {
		q->skipping_module = lode_arena_strdup(&q->arena, skipped.module);
		q->skipping_function = lode_arena_strdup(&q->arena, skipped.function);
	}
	for (size_t i = 0; i < strings->text.n; i++) {
		if (module_ns[i] <= most_ns)
			continue;
		most_ns = module_ns[i];
		q->unrooted_module = strings->text.at[i];
	}
	if (q->unrooted_module)
		q->unrooted_module = lode_arena_strdup(&q->arena, q->unrooted_module);
	free(module_ns);
}

void lode_quality_assess(struct lode_quality *out, const struct lode_stream *stream)
{
	uint8_t *node_flags = flag_nodes(&stream->tree);

	memset(out, 0, sizeof(*out));
	out->subject = lode_subject_of(stream);
	out->is_cpu_only = lode_stream_is_cpu_only(stream);
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
	out->has_command =
		lode_subject_is_command(out->subject) && out->command.no_stack.whole_ns > 0;
	if (!out->has_command)
		out->command = out->machine;
	assess_names(out, stream);
	assess_callers(out, stream);
	lode_quality_decide_services(out, stream);
	if (out->unnamed_module)
		out->unnamed_module = lode_arena_strndup(&out->arena, out->unnamed_module,
							 strlen(out->unnamed_module));
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
