/*
 * How much memory this process may have: the least of what its cgroups, the machine and its own
 * resource limits allow.
 *
 *   cgroup v2   memory.max, memory.high     of its group and of every one above
 *   cgroup v1   memory.limit_in_bytes       likewise; hierarchical_memory_limit of memory.stat
 *   machine     MemTotal, MemAvailable
 *   process     RLIMIT_AS, RLIMIT_DATA
 *
 * Half of it is the default of --memory for every command: the other half is for what is not
 * lode's alone to decide, such as page cache and other processes.
 */
#pragma once

#include <stddef.h>

/*
 * What may be had. `root` is the folder below which proc/ and the cgroups' mount points are looked
 * for: "" outside of tests. SIZE_MAX when nothing says.
 */
size_t lode_memory_allowed(const char *root);

/* The same without what others take at the moment, and what has that limit: "the cgroup", "the
   machine", "ulimit -v" or "ulimit -d". */
struct lode_memory_ceiling {
	size_t bytes;
	const char *of;
};
struct lode_memory_ceiling lode_memory_ceiling(const char *root);

/* --memory as given, or its default when `asked_bytes` is 0. Never 0. */
size_t lode_memory_budget(size_t asked_bytes);
