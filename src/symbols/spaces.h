/*
 * Address spaces: which module is mapped where, per process and over time.
 *
 * Fed in time order. `epoch` names a state of one process's maps: it changes whenever a new mapping
 * could change the meaning of an address, so (epoch, raw stack) -> resolved stack can be cached.
 * Kernel addresses belong to no process. Not thread-safe.
 */
#ifndef LODE_SPACES_H
#define LODE_SPACES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"

struct lode_spaces;

struct lode_spaces *lode_spaces_new(void);
void lode_spaces_free(struct lode_spaces *spaces);

/* `dso` is the caller's id of the module. Overlapped older mappings are cut, as the kernel does. */
void lode_spaces_mmap(struct lode_spaces *spaces, int32_t pid, uint64_t start, uint64_t size,
		      uint64_t page_offset, uint32_t dso);
/* Kernel map (pid -1): text of the kernel and its modules. */
void lode_spaces_mmap_kernel(struct lode_spaces *spaces, uint64_t start, uint64_t size,
			     uint64_t page_offset, uint32_t dso);
void lode_spaces_fork(struct lode_spaces *spaces, int32_t pid, int32_t parent_pid);
void lode_spaces_exec(struct lode_spaces *spaces, int32_t pid);

/* The current state of `pid`'s maps; never 0. O(1). */
uint32_t lode_spaces_epoch(const struct lode_spaces *spaces, int32_t pid);

struct lode_place {
	uint32_t dso;
	uint64_t address; /* address - start + page_offset (for kernel maps: absolute) */
};
/* Where an address lies now; false when nothing is mapped there. O(log maps). */
bool lode_spaces_find(const struct lode_spaces *spaces, int32_t pid, uint64_t address,
		      struct lode_place *out);
bool lode_spaces_find_kernel(const struct lode_spaces *spaces, uint64_t address,
			     struct lode_place *out);

#endif
