/*
 * What is in a folder, and what paths are made of.
 */
#ifndef LODE_FOLDER_H
#define LODE_FOLDER_H

#include "base/error.h"
#include "base/mem.h"

typedef LODE_VEC(char *) lode_path_list; /* on the heap */

/*
 * Appends the paths of all that is in a folder, sorted by name; hidden ones (".name") are nobody's.
 * Fails when it cannot be listed.
 */
int lode_folder_list(lode_path_list *out, const char *folder, struct lode_error *err);
void lode_path_list_release(lode_path_list *paths);

/* "FOLDER/NAME" on the heap; one '/' stands between them. */
char *lode_path_join(const char *folder, const char *name);

#endif
