/*
 * From the stacks of one stream to those of the execution set.
 *
 *   stream   [unknown] > [unknown] > main > do_lstat > statx > [kernel]!entry_SYSCALL_64
 *   set                              main > do_lstat > statx            (of a system call)
 *
 * A stack is used as far as it is good: from the innermost frame outwards up to the first address
 * that lies in no mapping; what stands behind such garbage is not the caller. A stack whose
 * innermost frame is such an address is taken as it is. Of a system call the kernel's frames
 * are how it was entered, not what the program did; and all threads leave their CPUs in the same
 * few functions of the scheduler, which say nothing of why: both can be left out.
 */
#pragma once

#include "model/frame.h"
#include "model/stream.h"

struct lode_graft {
	struct lode_calltree *tree; /* of the set */
	const struct lode_stream *stream;
	uint32_t *frame_of; /* per frame of the stream: the set's; LODE_NONE: not met yet */
	uint32_t *good_of;  /* per node: its stack as far as it is good; the same */
	uint32_t *whole_of; /* per node: all of it */
	bool *is_unmapped;  /* per frame */
	bool *is_switch;    /* per frame: of the way by which threads leave their CPUs */
};

/* Which innermost frames are left out. */
enum lode_graft_trim {
	LODE_TRIM_NONE,
	LODE_TRIM_KERNEL, /* all of the kernel's */
	LODE_TRIM_SWITCH, /* those of the switch; none where nothing else would be left */
};

/* Both must outlive it; the stream's tree must not change. */
void lode_graft_init(struct lode_graft *graft, struct lode_calltree *tree,
		     const struct lode_stream *stream);
void lode_graft_release(struct lode_graft *graft);

/* The set's node for a node of the stream; 0: nothing is left of it. */
uint32_t lode_graft_node(struct lode_graft *graft, uint32_t node, enum lode_graft_trim trim);
/* Whether the stack reaches the function in which its thread began. */
bool lode_graft_is_rooted(const struct lode_graft *graft, uint32_t node);
