/*
 * Chained stacks: the stacks of a chain of waiting threads as one.
 *
 *   main > session_restore > mutex_lock > [kernel] futex_wait
 *     > "→ ph-store" > start > checkpoint > mutex_lock > [kernel] futex_wait
 *       > "→ ph-journal" > start > flush > fsync > [kernel] io_schedule
 *         > "→ disk"
 *
 * A stream has far more chains than stacks, and each is a hundred frames long. So a chain is stored
 * as its parts, and becomes nodes of the digest's tree only when all are known, and only
 * if it has a cost.
 *
 *   base    what precedes a stack: 0 is the root, others are (chain, link)
 *   chain   (base, stack of the stream)
 *
 * Joining costs one look-up for the base and one for the chain, whatever their depth; below base 0
 * a chain's id is its stack's, and there is nothing to look up. Planting costs a few stores per
 * new node and no look-up at all: see chain.c.
 */
#pragma once

#include "model/stream.h"

/*
 * The name that a thread has in links, from its title or comm. Threads of a pool do the same work
 * and must not split a pattern, so numbers that only tell them apart become N:
 *
 *   - a run of digits between separators (or the ends of the name) becomes N; separators are
 *     / - _ : # and space, and a run that begins the name stays:
 *     "ph-worker/3" "ph-worker/N", "pool-1-thread-12" "pool-N-thread-N", "jbd2/loop0-8"
 *     "jbd2/loop0-N", "scsi_eh_0" "scsi_eh_N"
 *   - kworkers carry CPU, pool and the last work queue, which change from one to the next job:
 *     "kworker/u8:3-ext4" is "kworker"
 *   - a name of blanks alone is "[unnamed]"
 *   - all else stays: "x264", "python3.11", "gimp-2.10", "ph-journal".
 *
 * Written to `buffer` (cut if it does not fit), which is returned.
 */
const char *lode_link_name(const char *comm, char *buffer, size_t size);

/* What the chains of one base share. Both are keys of an index. */
struct lode_chain_base {
	uint32_t chain; /* that it continues */
	uint32_t frame; /* of the tree: the link between */
};

struct lode_chain {
	uint32_t base, stack;
};

/* Joins stacks of `from` in `tree`; both must outlive it, and `from` must not change. */
struct lode_chain_joiner {
	struct lode_calltree *tree;
	const struct lode_stream *from;
	uint32_t n_stacks; /* nodes of the stream's tree: chains of base 0 */
	uint32_t *name_of; /* per thread: string id in the tree of its link name, or LODE_NONE */
	uint32_t *link_of; /* per thread: frame id in the tree of its link, or LODE_NONE */
	struct lode_pair_index chain_of;
	struct lode_pair_index base_of;
	LODE_VEC(struct lode_chain) chains; /* those of other bases: from id n_stacks on */
	LODE_VEC(struct lode_chain_base) bases;
	uint32_t unrecorded; /* chain of lode_chain_unrecorded; LODE_NONE: not asked for yet */
	uint32_t recording;  /* of lode_chain_recording, likewise */
	LODE_VEC(uint32_t) node_of; /* per chain, once planted: its node; LODE_NONE: not wanted */
};

void lode_chain_init(struct lode_chain_joiner *joiner, struct lode_calltree *tree,
		     const struct lode_stream *from);
void lode_chain_release(struct lode_chain_joiner *joiner);

/* Chain of the stream's `stack` behind `base`. */
uint32_t lode_chain_stack(struct lode_chain_joiner *joiner, uint32_t base, uint32_t stack);
/* Base of what stands behind `chain` and "→ comm" of a thread. */
uint32_t lode_chain_thread(struct lode_chain_joiner *joiner, uint32_t chain, lode_thread_id thread);
/* The same, with "→ comm, busy with other"; `serving` LODE_NONE: not known. */
uint32_t lode_chain_server(struct lode_chain_joiner *joiner, uint32_t chain, lode_thread_id thread,
			   lode_thread_id serving);
/* Base of what stands behind `base` and "(busy with COMM, inferred)" of a client (client.h). */
uint32_t lode_chain_client(struct lode_chain_joiner *joiner, uint32_t base, lode_thread_id client);
/* Base of what stands behind `chain` and "→ comm (likely holder, inferred)" (polled.h). */
uint32_t lode_chain_holder(struct lode_chain_joiner *joiner, uint32_t chain, lode_thread_id holder);
/* `chain` with "→ disk" of a device behind it: a chain. */
uint32_t lode_chain_device(struct lode_chain_joiner *joiner, uint32_t chain,
			   enum lode_device device);
/* Chain of the one frame `[unrecorded]`: time of which there is no event. */
uint32_t lode_chain_unrecorded(struct lode_chain_joiner *joiner);
/* Chain of the one frame `[recording]`: time that the recording itself took (tracers.h). */
uint32_t lode_chain_recording(struct lode_chain_joiner *joiner);

/* How many chains there are: ids are below. */
static inline size_t lode_chain_count(const struct lode_chain_joiner *joiner)
{
	return joiner->n_stacks + joiner->chains.n;
}

/*
 * Makes nodes of the tree for the chains that are wanted (`is_wanted` per chain, true or false) and
 * the chains that these continue: `node_of` then has them. Once, into a tree without nodes. O(nodes
 * made + chains + frames).
 */
void lode_chain_plant(struct lode_chain_joiner *joiner, bool *is_wanted);

/* String id in the tree of a thread's link name, or a device's name. */
uint32_t lode_chain_thread_name(struct lode_chain_joiner *joiner, lode_thread_id thread);
uint32_t lode_chain_device_name(struct lode_chain_joiner *joiner, enum lode_device device);
