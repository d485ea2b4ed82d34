/* Walks the critical paths of a recorded command for files without symbols. */
#include "answers/info/path_names.h"

#include "base/sorted.h"
#include "engine/waits/critpath.h"

/* The module that should name the stack and does not, by string id; LODE_NONE: all is well. */
static uint32_t unnamed_module(const struct lode_calltree *tree, uint32_t stack)
{
	for (uint32_t node = stack; node; node = tree->nodes.at[node].parent) {
		const struct lode_frame *frame = &tree->frames.at[tree->nodes.at[node].frame];

		if (frame->flags & LODE_FRAME_UNKNOWN)
			return frame->module;
		/* Behind the kernel's comes the program's. */
		if (!(frame->flags & LODE_FRAME_KERNEL))
			break;
	}
	return LODE_NONE;
}

/* Its own critical path: what another of the command's threads created is on that one's. */
static bool is_root(const struct lode_stream *stream, const struct lode_thread *thread)
{
	return thread->is_command && thread->events.n &&
	       (thread->parent >= stream->threads.n ||
		!stream->threads.at[thread->parent].is_command);
}

static void add_path(int64_t *unnamed_ns, const struct lode_critpath *path,
		     const struct lode_stream *stream)
{
	for (size_t i = 0; i < path->spans.n; i++) {
		const struct lode_span *span = &path->spans.at[i];
		const struct lode_link *link = &path->links.at[span->link];
		uint32_t module;

		if (link->event == LODE_NONE)
			continue;
		module = unnamed_module(&stream->tree,
					stream->threads.at[link->thread].events.stack[link->event]);
		if (module != LODE_NONE)
			unnamed_ns[module] += span->end_ns - span->start_ns;
	}
}

LODE_COMPARE(most_lacking_first, struct lode_path_module,
	     LODE_ORDER(b->unnamed_ns, a->unnamed_ns) ?: strcmp(a->name, b->name))

void lode_path_names_find(struct lode_path_names *out, const struct lode_stream *stream,
			  struct lode_arena *arena)
{
	const struct lode_strings *strings = &stream->tree.strings;
	int64_t *unnamed_ns = lode_alloc0(strings->text.n + 1, sizeof(*unnamed_ns));
	struct lode_critpath path = {0};
	struct lode_path_module *modules;

	*out = (struct lode_path_names){0};
	for (size_t i = 0; i < stream->threads.n && stream->has_switches; i++) {
		const struct lode_thread *thread = &stream->threads.at[i];
		struct lode_symptom symptom = {.thread = (lode_thread_id)i};

		if (!is_root(stream, thread))
			continue;
		/* What was there before was the recorder's. */
		symptom.t0_ns = thread->exec_ns > thread->events.start_ns[0]
					? thread->exec_ns
					: thread->events.start_ns[0];
		symptom.t1_ns = lode_event_end_ns(&thread->events, thread->events.n - 1);
		if (symptom.t1_ns <= symptom.t0_ns)
			continue;
		lode_critpath_build(&path, stream, &symptom);
		add_path(unnamed_ns, &path, stream);
		out->path_ns += symptom.t1_ns - symptom.t0_ns;
	}
	for (size_t i = 0; i < strings->text.n; i++)
		out->n += unnamed_ns[i] > 0;
	modules = lode_arena_array(arena, struct lode_path_module, out->n + 1);
	for (size_t i = 0, n = 0; i < strings->text.n; i++)
		if (unnamed_ns[i] > 0)
			modules[n++] =
				(struct lode_path_module){strings->text.at[i], unnamed_ns[i]};
	lode_sort(modules, out->n, most_lacking_first);
	out->modules = modules;
	lode_critpath_release(&path);
	free(unnamed_ns);
}
