/*
 * A context for decompressing zstd that is this thread's own, and is used again for each of many
 * small blocks: making one asks the CPU what it can do, for which a virtual machine goes to its
 * host and back.
 */
#pragma once

#include <zstd.h>

/* Never NULL; freed when the thread ends. */
ZSTD_DCtx *lode_thread_zstd(void);
