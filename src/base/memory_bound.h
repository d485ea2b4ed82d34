/*
 * Keeps the process to a bound of memory: what --memory says.
 *
 * Nearly all of what lode holds is in few large blocks: columns of events, tables, trees. Once the
 * process's own memory comes close to the bound, a large block that is made or grows gets pages of
 * a temporary file (base/unnamed_file.h) in place of anonymous memory. The block is used and freed
 * as any other. The kernel writes such pages to the disk when memory is wanted elsewhere, also
 * within a cgroup; anonymous memory would have to stay, and the kernel would kill the process.
 *
 *   malloc's block  | head |  whole pages: of a file without a name  | tail |
 *
 * So every structure spills in the same way, no code knows of it, and results cannot differ. Each
 * block has a file of its own, which goes with the block's pages: free() gives the room back.
 *
 * The bound is the one writable state of the process (all of it atomic): memory is the process's,
 * not a module's. Without a bound nothing is looked at.
 *
 * LIMIT: blocks of less than LODE_LARGE_BYTES stay in memory, and so do large ones from before it
 * was short. When what is used of these passes the bound, and when the temporary file cannot be
 * had, the process ends with a sentence (exit 4).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { LODE_LARGE_BYTES = 256 << 10 };

/* 0: no bound. The latest call counts. */
void lode_memory_keep_to(size_t bound_bytes);

/* The bound; 0: none. */
size_t lode_memory_bound(void);

/*
 * A smaller block is made: from time to time it is looked whether what no file has passes the
 * bound, which ends the process with a sentence that says how much is needed. Thread-safe.
 */
void lode_memory_count_small(size_t size_bytes);

/* Would `more_bytes` of a large block take the process too close to its bound? Blocks that are not
   written to yet count. Thread-safe. */
bool lode_memory_is_short(size_t more_bytes);

/*
 * A table of `size_bytes` is made that is looked up at random. One of half of the bound would be
 * read back from the disk all the time: when it does not fit below the bound with all else, the
 * process ends with a sentence that says how much is needed.
 */
void lode_memory_count_table(size_t size_bytes);

/*
 * So much may be looked up at random again and again: what the process may have at all, but for
 * half of its bound, which holds other things. (Pages that it gives up stay in the kernel's cache,
 * up to that.) More would be read from the disk all the time. SIZE_MAX without a bound.
 */
size_t lode_memory_for_lookups(void);

/*
 * A pass over a table comes to `from` now: its next `size_bytes` are read from the disk at once
 * where they are in a file and not in memory, not page by page as they are missed. Half a megabyte
 * or so at a time. Thread-safe.
 */
void lode_memory_read_ahead(const void *from, size_t size_bytes);

/*
 * Gives the whole pages of a fresh block of malloc or calloc, of LODE_LARGE_BYTES or more, to a
 * file; they read as zero. `from_bytes` (at most the block's) at `from` are moved to its beginning:
 * what is there afterwards is undefined, and only to be freed.
 */
void lode_memory_to_file(void *block, size_t size_bytes, const void *from, size_t from_bytes);

/*
 * A block of malloc is about to be freed or to change its size: if it was given to a file, its
 * pages are not given up any more. Must come before, as its place may then be another block's;
 * free() of base/mem.h does it. Thread-safe.
 */
void lode_memory_forget(const void *block);

/*
 * Before the process ends for want of memory, and after it was said how much is needed, the thread
 * that found it calls `act`, which may still finish what was found so far and gives the exit code.
 * (Its memory is not looked at any more. Others wait once they ask for some, and whatever they hold
 * stays as it is.) NULL: nothing is done, and the code is 4.
 */
void lode_memory_before_end(int (*act)(void *context), void *context);

/* Bytes of blocks that went to files so far: for tests. */
size_t lode_memory_in_files(void);
