/*
 * Names of recordings in text: short, and different for different recordings of one table.
 *
 *   new/slow.data               ->  new/slow.data
 *   old/slow.data               ->  old/slow.data
 *   old/fast.lode/perf.data.zst ->  fast.lode
 */
#pragma once

#include <stddef.h>

/* The path of a row; NULL or "": it has none. */
typedef const char *lode_path_of_row(const void *context, size_t row);

/*
 * Of the paths of n rows: the name of each, the shortest end of its path, from a '/' on, that no
 * other path has. Equal paths have equal names. One heap block; not escaped. O(bytes * log n).
 */
char **lode_recording_names(size_t n, lode_path_of_row *path_of, const void *context);
/* The same of a member of rows that stand behind one another. */
char **lode_recording_names_in(const void *rows, size_t n, size_t row_bytes, size_t offset);
#define LODE_RECORDING_NAMES(rows, n, member) \
	lode_recording_names_in((rows), (n), sizeof(*(rows)), offsetof(typeof(*(rows)), member))

/* The last part of a path alone, escaped and at most so wide. One that perf calls as all others,
   "slow-1.lode/perf.data.zst", goes by its folder's: "slow-1.lode". Gives `buffer`. */
const char *lode_format_recording(char *buffer, size_t size, const char *path, size_t columns);
