/*
 * Address spaces: which module is mapped where, per process and over time.
 *
 * Fed in time order. `epoch` names a state of one process's maps: it changes whenever a new mapping
 * could change the meaning of an address, so (epoch, raw stack) -> resolved stack can be cached.
 * Kernel addresses belong to no process. Not thread-safe.
 */
#pragma once

#include "base/mem.h"

struct lode_spaces;

struct lode_spaces *lode_spaces_new(void);
void lode_spaces_free(struct lode_spaces *spaces);

/* `dso` is the caller's id of the module. Overlapped older mappings are cut, as the kernel does.
   A mapping of size 0 is none. */
void lode_spaces_mmap(struct lode_spaces *spaces, int32_t pid, uint64_t start, uint64_t size,
		      uint64_t page_offset, uint32_t dso);
/* Kernel map (pid -1): text of the kernel and its modules. */
void lode_spaces_mmap_kernel(struct lode_spaces *spaces, uint64_t start, uint64_t size,
			     uint64_t page_offset, uint32_t dso);
/* The child starts with its parent's maps (and epoch); a thread (pid == parent_pid) has them. */
void lode_spaces_fork(struct lode_spaces *spaces, int32_t pid, int32_t parent_pid);
/* A new program: no maps. */
void lode_spaces_exec(struct lode_spaces *spaces, int32_t pid);

/* The current state of `pid`'s maps; never 0. O(1). */
uint32_t lode_spaces_epoch(struct lode_spaces *spaces, int32_t pid);

/*
 * For anonymous executable memory (LODE_DSO_JIT, whose symbols are absolute) let the mapping's
 * page_offset be its start.
 */
struct lode_place {
	uint32_t dso;
	uint64_t address; /* address - start + page_offset (for kernel maps: absolute) */
};
/* Where an address lies now; false when nothing is mapped there. O(log maps). */
bool lode_spaces_find(const struct lode_spaces *spaces, int32_t pid, uint64_t address,
		      struct lode_place *out);
/* An address of the kernel's half outside all maps belongs to the module of the first kernel map.
 */
bool lode_spaces_find_kernel(const struct lode_spaces *spaces, uint64_t address,
			     struct lode_place *out);
