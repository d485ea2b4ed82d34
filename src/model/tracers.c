/* Frames of tracers, and threads that record. */
#include "model/tracers.h"

#include "base/glob.h"
#include "model/stream.h"

/* What a function is to tracing. */
enum tracer {
	NO_TRACER,
	ENTRY,	    /* all that it calls is tracing */
	TRAMPOLINE, /* stands above tracing code, but also above the traced function itself */
	PROGRAM,    /* a BPF program: of a tracer if a tracer called it */
	SCHEDULER,  /* a wait, if it is in tracing code */
};

struct tracer_row {
	const char *glob;
	uint8_t tracer;
};

/* Kernel functions, x86-64 and aarch64, 4.x to 6.x. */
static const struct tracer_row tracer_rows[] = {
	{"__traceiter_*", ENTRY},
	{"__bpf_trace_*", ENTRY},
	{"bpf_trace_run*", ENTRY},
	{"trace_call_bpf*", ENTRY},
	{"trace_event_raw_event_*", ENTRY},
	{"trace_event_buffer_*", ENTRY},
	{"event_trigger*", ENTRY},
	{"ftrace_syscall_*", ENTRY},
	{"perf_*", ENTRY},
	{"__perf_*", ENTRY},
	{"___perf_*", ENTRY},
	{"kprobe_perf_func", ENTRY},
	{"kretprobe_perf_func", ENTRY},
	{"kprobe_trace_func", ENTRY},
	{"kretprobe_trace_func", ENTRY},
	{"kprobe_dispatcher", ENTRY},
	{"kretprobe_dispatcher", ENTRY},
	{"kprobe_multi_link_*", ENTRY},
	{"aggr_pre_handler", ENTRY},
	{"uprobe_dispatcher", ENTRY},
	{"uretprobe_dispatcher", ENTRY},
	{"__uprobe_perf_func*", ENTRY},
	{"uprobe_multi_link_*", ENTRY},
	{"function_stack_trace_call", ENTRY},
	{"function_trace_call", ENTRY},
	{"trace_graph_entry*", ENTRY},
	{"trace_graph_return*", ENTRY},
	{"ftrace_*", TRAMPOLINE},
	{"arch_ftrace_ops_list_func", TRAMPOLINE},
	{"fprobe_*", TRAMPOLINE},
	{"return_to_handler", TRAMPOLINE},
	{"kprobe_ftrace_handler", TRAMPOLINE},
	{"kprobe_int3_handler", TRAMPOLINE},
	{"kprobe_breakpoint_*", TRAMPOLINE},
	{"kretprobe_trampoline*", TRAMPOLINE},
	{"__kretprobe_trampoline*", TRAMPOLINE},
	{"arch_rethook_*", TRAMPOLINE},
	{"rethook_*", TRAMPOLINE},
	{"optimized_callback", TRAMPOLINE},
	{"asm_exc_int3", TRAMPOLINE},
	{"exc_int3", TRAMPOLINE},
	{"do_int3", TRAMPOLINE},
	{"bpf_trampoline*", TRAMPOLINE},
	{"__bpf_tramp*", TRAMPOLINE},
	{"bpf_dispatcher_*", TRAMPOLINE},
	{"bpf_prog_*", PROGRAM},
	{"__bpf_prog_*", PROGRAM},
	{"schedule", SCHEDULER},
	{"__schedule", SCHEDULER},
};

/* What a stack ends with. */
enum place {
	OUTSIDE,
	AT_LEAF,     /* frames of tracers, behind which a function may come that they trace */
	AT_PROGRAM,  /* a BPF program that no tracer called: of a socket, perhaps */
	INSIDE,	     /* tracing code */
	WAIT_INSIDE, /* blocked in tracing code */
};

static enum tracer tracer_of(const struct lode_calltree *tree, uint32_t frame)
{
	const char *function;

	if (!(tree->frames.at[frame].flags & LODE_FRAME_KERNEL))
		return NO_TRACER;
	function = lode_frame_function(tree, frame);
	for (size_t i = 0; i < sizeof(tracer_rows) / sizeof(*tracer_rows); i++)
		if (lode_glob_match(tracer_rows[i].glob, function))
			return (enum tracer)tracer_rows[i].tracer;
	return NO_TRACER;
}

static enum place traced_place(enum tracer tracer, enum place caller)
{
	if (caller == INSIDE)
		return tracer == SCHEDULER ? WAIT_INSIDE : INSIDE;
	if (caller == WAIT_INSIDE)
		return WAIT_INSIDE;
	switch (tracer) {
	case ENTRY:
		return INSIDE;
	case TRAMPOLINE:
		return AT_LEAF;
	case PROGRAM:
		return caller == AT_LEAF ? AT_LEAF : AT_PROGRAM;
	default:
		return OUTSIDE;
	}
}

uint32_t lode_tracers_recording(const struct lode_calltree *tree)
{
	for (uint32_t i = 1; i < tree->nodes.n; i++) {
		const struct lode_callnode *node = &tree->nodes.at[i];

		if (!node->parent && !*lode_frame_function(tree, node->frame) &&
		    !strcmp(lode_frame_module(tree, node->frame), LODE_RECORDING_MODULE))
			return i;
	}
	return LODE_NONE;
}

static uint32_t recording_node(struct lode_calltree *tree)
{
	return lode_calltree_child(tree, 0, lode_frame_intern(tree, LODE_RECORDING_MODULE, "", 0));
}

/* Gives whether any stack is in tracing code. */
static bool trace_places(uint8_t *place, const struct lode_calltree *tree)
{
	uint8_t *tracer = lode_alloc(tree->frames.n + 1);
	bool is_any = false;

	for (uint32_t i = 0; i < tree->frames.n; i++)
		tracer[i] = (uint8_t)tracer_of(tree, i);
	/* Node 0 is the empty stack; parents have smaller ids. */
	place[0] = OUTSIDE;
	for (uint32_t i = 1; i < tree->nodes.n; i++) {
		const struct lode_callnode *node = &tree->nodes.at[i];

		place[i] = (uint8_t)traced_place((enum tracer)tracer[node->frame],
						 (enum place)place[node->parent]);
		is_any |= place[i] != OUTSIDE;
	}
	free(tracer);
	return is_any;
}

void lode_tracers_find(struct lode_tracers *out, struct lode_calltree *tree)
{
	size_t n = tree->nodes.n;
	uint8_t *place = lode_alloc(n);
	uint32_t recording = trace_places(place, tree) ? recording_node(tree) : 0;

	out->event = lode_alloc(tree->nodes.n * sizeof(*out->event));
	out->sample = lode_alloc(tree->nodes.n * sizeof(*out->sample));
	for (uint32_t i = 0; i < tree->nodes.n; i++) {
		enum place at = i < n ? (enum place)place[i] : OUTSIDE;

		out->event[i] = at == OUTSIDE	    ? i
				: at == WAIT_INSIDE ? recording
						    : out->event[tree->nodes.at[i].parent];
		out->sample[i] = at == OUTSIDE || at == AT_PROGRAM ? i : recording;
	}
	free(place);
}

void lode_tracers_release(struct lode_tracers *tracers)
{
	free(tracers->event);
	free(tracers->sample);
}

/* ---- Threads ---- */

static bool is_lode(const char *comm)
{
	static const char *const names[] = {"lode-record", "lode-perf",	 "lode-titles",
					    "lode-awake",  "lode-watch", "lode-stacks"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(comm, names[i]))
			return true;
	return false;
}

void lode_tracers_name_recorder(struct lode_stream *stream)
{
	const char *const *text = stream->tree.strings.text.at;
	bool has_lode = stream->is_command_asked;
	const char *name;
	uint32_t title;

	for (size_t i = 0; i < stream->threads.n; i++)
		has_lode |= is_lode(text[stream->threads.at[i].comm]);
	name = has_lode ? "lode's recorder" : "perf (recorder)";
	title = lode_strings_intern(&stream->tree.strings, name, strlen(name));
	text = stream->tree.strings.text.at;
	for (size_t i = 0; i < stream->threads.n; i++) {
		struct lode_thread *thread = &stream->threads.at[i];
		const char *comm = text[thread->comm];

		if (thread->is_command || !(is_lode(comm) || !strcmp(comm, "perf")))
			continue;
		thread->is_recorder = true;
		thread->title = title;
	}
}
