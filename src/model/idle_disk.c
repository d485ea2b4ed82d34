/* Finds waits for a disk whose end an idle CPU did not trace. */
#include "model/idle_disk.h"

#include "base/sorted.h"

bool lode_came_from_idle(const struct lode_stream *stream, const struct lode_events *events,
			 size_t wait)
{
	size_t run = wait + 1, n_before;
	const struct lode_cpu *cpu;

	while (run < events->n && events->kind[run] == LODE_EVENT_READY)
		run++;
	if (run >= events->n || events->kind[run] != LODE_EVENT_RUNNING ||
	    events->cpu[run] >= stream->cpus.n)
		return false;
	cpu = &stream->cpus.at[events->cpu[run]];
	n_before = lode_sorted_up_to(cpu->runs.at, cpu->runs.n, sizeof(*cpu->runs.at),
				     events->start_ns[run] - 1);
	return n_before && cpu->runs.at[n_before - 1].thread == LODE_IDLE;
}

/* Not io_schedule_timeout alone, with which writers are slowed down. */
static enum lode_io_wait io_wait_of(const struct lode_calltree *tree, uint32_t frame)
{
	const char *function = lode_frame_function(tree, frame);

	if (!(tree->frames.at[frame].flags & LODE_FRAME_KERNEL))
		return LODE_IO_NONE;
	if (!strcmp(function, "io_schedule") || !strcmp(function, "wait_for_completion_io") ||
	    !strcmp(function, "wait_for_completion_io_timeout"))
		return LODE_IO_DISK;
	return strcmp(function, "io_cqring_wait") ? LODE_IO_NONE : LODE_IO_RING;
}

uint8_t *lode_io_stacks(const struct lode_calltree *tree)
{
	uint8_t *stacks = lode_alloc0(tree->nodes.n, sizeof(*stacks));
	uint8_t *frames = lode_alloc(tree->frames.n + 1);
	bool is_any = false;

	for (uint32_t i = 0; i < tree->frames.n; i++) {
		frames[i] = (uint8_t)io_wait_of(tree, i);
		is_any |= frames[i] != LODE_IO_NONE;
	}
	/* Node 0 is the empty stack; parents have smaller ids. */
	for (uint32_t i = 1; is_any && i < tree->nodes.n; i++)
		stacks[i] = frames[tree->nodes.at[i].frame] ?: stacks[tree->nodes.at[i].parent];
	free(frames);
	if (is_any)
		return stacks;
	free(stacks);
	return NULL;
}
