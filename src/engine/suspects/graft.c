/* Maps stacks of one recording to those of the execution set. */
#include "engine/suspects/graft.h"

#include "base/glob.h"

static uint32_t *none_each(size_t n)
{
	uint32_t *at = lode_alloc(n * sizeof(*at) + 1);

	memset(at, 0xff, n * sizeof(*at));
	return at;
}

/*
 * From where a thread runs to the moment of the switch: yielding, being preempted on the way out of
 * an interrupt or a system call, sleeping with and without a timeout.
 */
static bool is_of_switch(const struct lode_calltree *from, uint32_t frame)
{
	static const char *const names[] = {
		"__schedule",
		"schedule",
		"schedule_*",
		"__schedule_*",
		"io_schedule*",
		"__io_schedule*",
		"preempt_*",
		"__cond_resched*",
		"_cond_resched",
		"do_sched_yield",
		"yield",
		"exit_to_user_mode*",
		"irqentry_exit*",
		"raw_irqentry_exit*",
		"syscall_exit_to_user_mode*",
		"asm_sysvec_*",
		"sysvec_*",
		"asm_common_interrupt",
		"common_interrupt",
		"prepare_exit_to_usermode",
		"retint_*",
		"el0_interrupt",
		"el1_interrupt",
		"do_notify_resume",
		"do_syscall_64",
		"entry_SYSCALL_64*",
		"el0_svc*",
		"el0t_64_sync*",
	};

	if (!(from->frames.at[frame].flags & LODE_FRAME_KERNEL))
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (lode_glob_match(names[i], lode_frame_function(from, frame)))
			return true;
	return false;
}

void lode_graft_init(struct lode_graft *graft, struct lode_calltree *tree,
		     const struct lode_stream *stream)
{
	const struct lode_calltree *from = &stream->tree;

	graft->tree = tree;
	graft->stream = stream;
	graft->frame_of = none_each(from->frames.n);
	graft->good_of = none_each(from->nodes.n);
	graft->whole_of = none_each(from->nodes.n);
	graft->is_unmapped = lode_alloc0(from->frames.n + 1, sizeof(*graft->is_unmapped));
	graft->is_switch = lode_alloc0(from->frames.n + 1, sizeof(*graft->is_switch));
	for (uint32_t i = 0; i < from->frames.n; i++) {
		const char *module = lode_frame_module(from, i);

		/* Sources call addresses outside of every mapping so. */
		graft->is_unmapped[i] =
			from->frames.at[i].flags & LODE_FRAME_UNKNOWN &&
			(!strcmp(module, "[unknown]") || !strcmp(module, "unknown"));
		graft->is_switch[i] = is_of_switch(from, i);
	}
	graft->good_of[0] = graft->whole_of[0] = 0;
}

void lode_graft_release(struct lode_graft *graft)
{
	free(graft->frame_of);
	free(graft->good_of);
	free(graft->whole_of);
	free(graft->is_unmapped);
	free(graft->is_switch);
	memset(graft, 0, sizeof(*graft));
}

static uint32_t frame_in_set(struct lode_graft *graft, uint32_t frame)
{
	if (graft->frame_of[frame] == LODE_NONE)
		graft->frame_of[frame] = lode_frame_copy(graft->tree, &graft->stream->tree, frame);
	return graft->frame_of[frame];
}

/*
 * Fills `memo` for a node and those around it. `cut`: frames in no mapping, and all around them,
 * are left out.
 */
static uint32_t graft_into(struct lode_graft *graft, uint32_t *memo, uint32_t node, bool cut)
{
	const struct lode_callnode *nodes = graft->stream->tree.nodes.at;
	uint32_t at = node, known, next;
	LODE_VEC(uint32_t) path = {0}; /* outwards, up to what is known */

	while (memo[at] == LODE_NONE) {
		lode_vec_append(&path, at);
		if (cut && graft->is_unmapped[nodes[at].frame]) {
			memo[at] = 0;
			path.n--;
			break;
		}
		at = nodes[at].parent;
	}
	known = memo[at];
	while (path.n) {
		next = path.at[--path.n];
		known = lode_calltree_child(graft->tree, known,
					    frame_in_set(graft, nodes[next].frame));
		memo[next] = known;
	}
	lode_vec_release(&path);
	return known;
}

/* The node without its innermost frames that are to be left out. */
static uint32_t trimmed(const struct lode_graft *graft, uint32_t node, enum lode_graft_trim trim)
{
	const struct lode_calltree *from = &graft->stream->tree;
	uint32_t at = node;

	if (trim == LODE_TRIM_NONE)
		return node;
	for (; at; at = from->nodes.at[at].parent) {
		uint32_t frame = from->nodes.at[at].frame;

		if (trim == LODE_TRIM_KERNEL ? !(from->frames.at[frame].flags & LODE_FRAME_KERNEL)
					     : !graft->is_switch[frame])
			break;
	}
	return at || trim == LODE_TRIM_KERNEL ? at : node;
}

uint32_t lode_graft_node(struct lode_graft *graft, uint32_t node, enum lode_graft_trim trim)
{
	node = trimmed(graft, node, trim);
	if (node && graft->is_unmapped[graft->stream->tree.nodes.at[node].frame])
		return graft_into(graft, graft->whole_of, node, false);
	return graft_into(graft, graft->good_of, node, true);
}

bool lode_graft_is_rooted(const struct lode_graft *graft, uint32_t node)
{
	return node >= graft->stream->n_stack_flags ||
	       !(graft->stream->stack_flags[node] & LODE_STACK_UNROOTED);
}
