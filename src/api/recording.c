/* include/lode/recording.h: one recording, as the model has it. */
#include <lode/recording.h>

#include "api/call.h"
#include "streams/digest_job.h"
#include "input/source.h"
#include "input/siblings.h"

struct opening {
	struct lode_recording *recording;
	const char *path;
	const struct lode_recording_options *options;
};

static int open_recording(void *job, struct lode_error *err)
{
	static const struct lode_recording_options defaults;
	struct opening *opening = job;
	const struct lode_recording_options *o = opening->options ? opening->options : &defaults;
	struct lode_recording *recording = opening->recording;
	const struct lode_symbol_options symbols = {.kallsyms = o->kallsyms,
						    .buildid_dir = o->buildid_dir,
						    .symfs = o->symfs,
						    .want_inlined = o->want_inlined};
	struct lode_source_options source = {.narrow = lode_narrow_none,
					     .n_threads = o->n_threads ? o->n_threads : 1,
					     .memory_bytes = o->memory_bytes};
	int rc = lode_symboliser_new(&recording->symboliser, &symbols, err);

	source.symboliser = recording->symboliser;
	if (rc == LODE_OK)
		lode_siblings_lend(recording->symboliser, (char *const[]){(char *)opening->path},
				   1);
	if (rc == LODE_OK)
		rc = lode_stream_load(&recording->stream, opening->path, &source, err);
	if (rc == LODE_OK)
		recording->lacks = lode_job_cut_text(&recording->stream->losses, opening->path);
	return rc;
}

int lode_recording_open(struct lode_recording **out, const char *path,
			const struct lode_recording_options *options, struct lode_error *err)
{
	struct opening opening = {calloc(1, sizeof(struct lode_recording)), path, options};
	int rc;

	*out = NULL;
	if (!opening.recording)
		return lode_fail(err, LODE_ERR_LIMIT, NULL, -1, "out of memory");
	rc = lode_api_call(open_recording, &opening, err);
	if (rc < 0)
		lode_recording_close(opening.recording);
	else
		*out = opening.recording;
	return rc;
}

void lode_recording_close(struct lode_recording *recording)
{
	if (!recording)
		return;
	lode_stream_free(recording->stream);
	lode_symboliser_free(recording->symboliser);
	free(recording->lacks);
	free(recording);
}

void lode_recording_tell(const struct lode_recording *recording, struct lode_recording_about *about)
{
	const struct lode_stream *stream = recording->stream;

	*about = (struct lode_recording_about){
		.format = stream->format,
		.unit = stream->unit,
		.host = stream->host,
		.kernel = stream->kernel,
		.command = stream->command,
		.begin_ns = stream->t0_ns,
		.end_ns = stream->t1_ns,
		.n_samples = stream->n_samples,
		.has_switches = stream->has_switches,
		.has_wakings = stream->has_wakings,
		.has_stacks = stream->has_callchains,
	};
}

const char *lode_recording_lacks(const struct lode_recording *recording)
{
	return recording->lacks;
}

/* ---- Threads and events ---- */

size_t lode_recording_n_threads(const struct lode_recording *recording)
{
	return recording->stream->threads.n;
}

void lode_recording_thread(const struct lode_recording *recording, size_t thread,
			   struct lode_recorded_thread *out)
{
	const struct lode_thread *from = &recording->stream->threads.at[thread];

	*out = (struct lode_recorded_thread){
		.pid = from->pid,
		.tid = from->tid,
		.name = recording->stream->tree.strings.text.at[from->comm],
		.born_ns = from->born_ns,
		.died_ns = from->died_ns,
		.is_kernel = from->is_kernel,
		.is_of_command = from->is_command,
	};
}

size_t lode_recording_n_events(const struct lode_recording *recording, size_t thread)
{
	return recording->stream->threads.at[thread].events.n;
}

void lode_recording_event(const struct lode_recording *recording, size_t thread, size_t event,
			  struct lode_recorded_event *out)
{
	const struct lode_events *from = &recording->stream->threads.at[thread].events;

	*out = (struct lode_recorded_event){
		.kind = (enum lode_event_kind)from->kind[event],
		.reason = (enum lode_wait_reason)from->reason[event],
		.device = (enum lode_device)from->device[event],
		.flags = from->flags[event],
		.begin_ns = from->start_ns[event],
		.cost = from->cost_ns[event],
		.stack = from->stack[event],
		.other = from->other[event] == LODE_NONE ? -1 : (int64_t)from->other[event],
		.other_stack = from->other_stack[event],
		.cpu = from->cpu[event] == UINT16_MAX ? -1 : from->cpu[event],
	};
}

/* ---- Stacks ---- */

static struct lode_stack_frame frame_of_recording(const struct lode_calltree *tree, uint32_t frame)
{
	static const unsigned flags[][2] = {{LODE_FRAME_KERNEL, LODE_STACK_FRAME_KERNEL},
					    {LODE_FRAME_UNKNOWN, LODE_STACK_FRAME_UNKNOWN},
					    {LODE_FRAME_INLINED, LODE_STACK_FRAME_INLINED}};
	struct lode_stack_frame out = {lode_frame_module(tree, frame),
				       lode_frame_function(tree, frame), 0};

	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		out.flags |= tree->frames.at[frame].flags & flags[i][0] ? flags[i][1] : 0;
	return out;
}

size_t lode_recording_stack(const struct lode_recording *recording, uint32_t stack,
			    struct lode_stack_frame *frames, size_t room)
{
	const struct lode_calltree *tree = &recording->stream->tree;
	size_t depth = tree->nodes.at[stack].depth;

	for (size_t i = depth; i-- > 0; stack = tree->nodes.at[stack].parent)
		if (i < room)
			frames[i] = frame_of_recording(tree, tree->nodes.at[stack].frame);
	return depth;
}
