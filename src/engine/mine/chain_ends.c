/* Derives what the last thread of a chain did from the frames behind its last link. */
#include "engine/mine/chain_ends.h"

#include "model/go_idle.h"
#include "model/reason.h"

const char *lode_chain_end_name(unsigned end)
{
	switch (end) {
	case LODE_REASON_NONE:
		return "unknown";
	case LODE_END_CPU:
		return "cpu";
	case LODE_END_READY:
		return "ready";
	case LODE_END_CPU_LIMIT:
		return lode_device_name(LODE_DEVICE_CPU_LIMIT);
	default:
		return lode_wait_reason_name((enum lode_wait_reason)end);
	}
}

/* The device of a link; LODE_DEVICE_NONE: it is to a thread. */
static enum lode_device device_of(const char *link)
{
	static const char meanwhile[] = "timer (meanwhile ";

	for (unsigned d = LODE_DEVICE_NONE + 1; d < LODE_N_DEVICES; d++)
		if (!strcmp(link, lode_device_name((enum lode_device)d)))
			return (enum lode_device)d;
	return strncmp(link, meanwhile, sizeof(meanwhile) - 1) ? LODE_DEVICE_NONE
							       : LODE_DEVICE_TIMER;
}

static unsigned end_by_device(enum lode_device device, unsigned reason)
{
	switch (device) {
	case LODE_DEVICE_DISK:
		return reason == LODE_REASON_FAULT ? reason : LODE_REASON_DISK;
	case LODE_DEVICE_NETWORK:
		return LODE_REASON_NETWORK;
	case LODE_DEVICE_TIMER:
		return LODE_REASON_TIMER;
	case LODE_DEVICE_CPU_LIMIT:
		return LODE_END_CPU_LIMIT;
	default:
		return reason;
	}
}

/* Of a wait there, by its own frames. */
static unsigned own_reason(const struct lode_calltree *tree,
			   const struct lode_stack_meaning *meanings, size_t node)
{
	if (!node)
		return LODE_REASON_NONE;
	if (!strcmp(lode_frame_function(tree, tree->nodes.at[node].frame), LODE_GO_IDLE))
		return LODE_REASON_IDLE;
	return lode_reason_of_wait(&meanings[node], LODE_REASON_NONE, false, LODE_DEVICE_NONE);
}

void lode_chain_ends_find(struct lode_chain_ends *out, const struct lode_calltree *tree)
{
	struct lode_stack_meaning *meanings = lode_stack_meanings(tree);

	out->of_wait = lode_alloc(tree->nodes.n);
	out->has_threads = lode_alloc0(tree->nodes.n, sizeof(*out->has_threads));
	out->of_wait[0] = LODE_N_ENDS;
	/* Parents have smaller ids. */
	for (size_t i = 1; i < tree->nodes.n; i++) {
		const struct lode_callnode *node = &tree->nodes.at[i];
		bool is_link = tree->frames.at[node->frame].flags & LODE_FRAME_LINK;
		enum lode_device device =
			is_link ? device_of(lode_frame_function(tree, node->frame))
				: LODE_DEVICE_NONE;
		unsigned end = LODE_N_ENDS;

		out->has_threads[i] = out->has_threads[node->parent] || (is_link && !device);
		if (device == LODE_DEVICE_CPU_LIMIT)
			end = LODE_END_CPU_LIMIT;
		else if (out->has_threads[i] && is_link)
			end = end_by_device(device, own_reason(tree, meanings, node->parent));
		else if (out->has_threads[i])
			end = own_reason(tree, meanings, i);
		out->of_wait[i] = (uint8_t)end;
	}
	free(meanings);
}

void lode_chain_ends_release(struct lode_chain_ends *ends)
{
	free(ends->of_wait);
	free(ends->has_threads);
}

unsigned lode_chain_end_of(const struct lode_chain_ends *ends, const struct lode_digest_row *row)
{
	unsigned end = ends->of_wait[row->stack];

	if (row->kind != LODE_EVENT_WAITING)
		return row->kind == LODE_EVENT_RUNNING ? LODE_END_CPU : LODE_END_READY;
	return end == LODE_N_ENDS ? row->reason : end;
}
