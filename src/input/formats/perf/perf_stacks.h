/*
 * From recorded callchains to stacks of places, one id each; at the end, to nodes of the call tree.
 *
 *   chain of a worker --(state of the process's maps)--> raw stack --(symbols)--> node
 *
 * An address means something only while its module is mapped there, so a chain is looked up again
 * whenever its process's maps have changed; the answer is kept beside the chain. What a chain
 * resolves to is a node of a tree of places (module, address), so equal stacks of any two processes
 * are one raw stack, and each place is given a name once. Everything runs in time order in one
 * thread: ids do not depend on how many decode.
 */
#pragma once

#include "model/stream.h"
#include "input/formats/perf/perf_chains.h"
#include "input/formats/perf/perf_dsos.h"
#include "input/symbols/spaces.h"

#define LODE_PERF_NO_DSO    UINT32_MAX	     /* nothing is mapped there */
#define LODE_PERF_GUEST_DSO (UINT32_MAX - 1) /* code of a guest or the hypervisor */
#define LODE_PERF_RECENT    2048	     /* 32 kB: as large as a cache of a CPU */

/* (module, address): return addresses are one byte back already. */
struct lode_perf_place {
	uint32_t dso;
	uint64_t address;
};

/* Nodes of the tree of places: user and kernel parts have a root each. */
enum { LODE_PERF_USER_ROOT = 0, LODE_PERF_KERNEL_ROOT = 1 };

struct lode_perf_place_node {
	uint32_t parent, place;
};

struct lode_perf_raw {
	uint32_t user, kernel; /* nodes; 0: none */
	bool is_truncated;
	bool is_unwound; /* the user part is from a stack dump, not by frame pointers */
};

struct lode_perf_known_part {
	struct lode_perf_part part;
	uint32_t epoch; /* of the maps for which `node` holds; 0: never looked up */
	uint32_t node;
};

/* The two latest answers: processes that share addresses take turns. */
struct lode_perf_known_chain {
	struct lode_perf_chain chain;
	uint32_t epoch[2], raw[2]; /* latest first; epoch 0: none */
};

/*
 * The chains of one worker, as far as its blocks have been consumed. Parts and chains remember
 * their latest answers; those that were pushed out are in tables, for many processes that share
 * addresses: one look-up instead of finding both parts and their stack again.
 */
struct lode_perf_known {
	LODE_VEC(struct lode_perf_known_part) kernel, user;
	LODE_VEC(struct lode_perf_known_chain) chains;
	struct lode_map older;	    /* user part << 32 | epoch -> node */
	struct lode_map older_raws; /* chain << 32 | epoch -> raw */
};

/* The user part that was looked up last: the next one often has callers in common with it. */
struct lode_perf_latest {
	struct lode_perf_part part;
	uint32_t epoch;		  /* 0: none */
	LODE_VEC(uint32_t) nodes; /* root first */
};

/* What an address of a process was last; addresses of one hash push each other out. */
struct lode_perf_recent {
	uint64_t address;
	uint32_t epoch; /* 0: none */
	uint32_t place;
};

struct lode_perf_stacks {
	struct lode_spaces *spaces; /* borrowed; epochs are given in it */
	uint32_t kernel_epoch;	    /* changes with the kernel's maps */
	struct lode_perf_known *workers;
	unsigned n_workers;
	LODE_VEC(struct lode_perf_place) places;
	struct lode_map place_index; /* hash -> place, stepping on collisions */
	LODE_VEC(struct lode_perf_place_node) nodes;
	struct lode_pair_index node_index; /* parent, place */
	LODE_VEC(struct lode_perf_raw) raws;
	struct lode_map raw_index; /* user << 32 | kernel << 2 | the flags */
	struct lode_perf_latest latest;
	struct lode_perf_recent *recent; /* LODE_PERF_RECENT of them */
};

void lode_perf_stacks_init(struct lode_perf_stacks *stacks, struct lode_spaces *spaces,
			   unsigned n_workers);
void lode_perf_stacks_release(struct lode_perf_stacks *stacks);

/* The chains that a block added to its worker's table: in order of its blocks. */
void lode_perf_stacks_add(struct lode_perf_stacks *stacks, unsigned worker,
			  const struct lode_perf_new_chains *fresh);
void lode_perf_stacks_kernel_changed(struct lode_perf_stacks *stacks);

/* Raw stack of a chain in process `pid` now; 0: none. */
uint32_t lode_perf_stacks_raw(struct lode_perf_stacks *stacks, unsigned worker, uint32_t chain,
			      int32_t pid);

/* As above, with a user part that was unwound: `n` addresses, leaf first. */
uint32_t lode_perf_stacks_unwound(struct lode_perf_stacks *stacks, unsigned worker, uint32_t chain,
				  int32_t pid, const uint64_t *addresses, size_t n,
				  bool is_truncated);
