/*
 * Memory of the process that uses the library.
 *
 * A call that runs out of memory fails with LODE_ERR_LIMIT. What it held until then is not given
 * back, and objects that it was asked to make are not made; others stay sound. That holds for calls
 * with n_threads 0 or 1: when a thread of lode's own runs out of memory, the process ends.
 */
#ifndef LODE_PUBLIC_MEMORY_H
#define LODE_PUBLIC_MEMORY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * How much may be had: the least of what cgroups, the machine and the process' limits allow;
 * SIZE_MAX when nothing says. Half of it is what `lode` takes for itself.
 */
size_t lode_memory_available(void);

#ifdef __cplusplus
}
#endif

#endif
