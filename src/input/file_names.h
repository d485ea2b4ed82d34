/*
 * What files are called. Formats are recognised by content, never by name; but of a folder's
 * file whose first bytes are damaged the name is all that says it was an input, and without it
 * the file would be passed over in silence.
 *
 *   perf.data.old  web-3.perf.data.zst  a.folded  run.digest     named like an input of that kind
 *   README  perf.data.sha256  manifest.tsv                       not
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Of a file that no source recognises: why it counts as one that cannot be read, or NULL when
 * neither its name nor what its first bytes are close to says that it is an input of `kinds`, a set
 * of enum lode_holds. In words that stand behind its path, with what was expected and what was
 * found; written to `text`.
 */
const char *lode_file_unread_reason(char *text, size_t size, const char *path, unsigned kinds,
				    const uint8_t *head, size_t n_head);

/* The same of what is in a folder, or a link in it, and is neither a file nor a folder, such as a
   pipe: it is not opened. */
const char *lode_file_not_regular_reason(const char *path, unsigned kinds);

/* Is a file called as those of `kinds` are, packed or not? */
bool lode_file_is_named_as(const char *path, unsigned kinds);

/* Files that belong to others of their folder: they are not counted as passed over. */
bool lode_file_is_companion(const char *path);
