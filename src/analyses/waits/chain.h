/*
 * Chained stacks: the stacks of a chain of waiting threads as one (design §3.2).
 *
 *   main > session_restore > mutex_lock > [kernel] futex_wait
 *     > "→ ph-store" > start > checkpoint > mutex_lock > [kernel] futex_wait
 *       > "→ ph-journal" > start > flush > fsync > [kernel] io_schedule
 *         > "→ disk"
 *
 * They are nodes of a digest's tree, made from the nodes of a stream's tree. Joining is memoised
 * per (node so far, stack to add): what is joined again costs one look-up, not its depth.
 */
#ifndef LODE_CHAIN_H
#define LODE_CHAIN_H

#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "model/stream.h"

/*
 * The name that a thread has in links, from its comm. Threads of a pool do the same work and must
 * not split a pattern, so numbers that only tell them apart become N:
 *
 *   - a run of digits between separators (or the ends of the name) becomes N; separators are
 *     / - _ : # and space, and a run that begins the name stays:
 *     "ph-worker/3" "ph-worker/N", "pool-1-thread-12" "pool-N-thread-N", "jbd2/loop0-8"
 *     "jbd2/loop0-N", "scsi_eh_0" "scsi_eh_N"
 *   - kworkers carry CPU, pool and the last work queue, which change from one to the next job:
 *     "kworker/u8:3-ext4" is "kworker"
 *   - all else stays: "x264", "python3.11", "gimp-2.10", "ph-journal".
 *
 * Written to `buffer` (cut if it does not fit), which is returned.
 */
const char *lode_link_name(const char *comm, char *buffer, size_t size);

/* Joins stacks of `from` in `tree`; both must outlive it, and `from` must not change. */
struct lode_chain_joiner {
	struct lode_calltree *tree;
	const struct lode_stream *from;
	uint32_t *frame_of;   /* per frame of the stream: the tree's, LODE_NONE not met yet */
	uint32_t *name_of;    /* per thread: string id in the tree of its link name, same */
	uint32_t *link_of;    /* per thread: frame id in the tree of its link, same */
	struct lode_map memo; /* (node of the tree, stack of the stream) -> node of the tree */
	LODE_VEC(uint32_t) pending;
};

void lode_chain_init(struct lode_chain_joiner *joiner, struct lode_calltree *tree,
		     const struct lode_stream *from);
void lode_chain_release(struct lode_chain_joiner *joiner);

/* `node` with the stream's `stack` behind it. */
uint32_t lode_chain_stack(struct lode_chain_joiner *joiner, uint32_t node, uint32_t stack);
/* `node` with "→ comm" of a thread, or "→ disk" of a device, behind it. */
uint32_t lode_chain_thread(struct lode_chain_joiner *joiner, uint32_t node, lode_thread_id thread);
uint32_t lode_chain_device(struct lode_chain_joiner *joiner, uint32_t node,
			   enum lode_device device);

/* String id in the tree of a thread's link name, or a device's name. */
uint32_t lode_chain_thread_name(struct lode_chain_joiner *joiner, lode_thread_id thread);
uint32_t lode_chain_device_name(struct lode_chain_joiner *joiner, enum lode_device device);

#endif
