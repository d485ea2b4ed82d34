/*
 * What is in a folder, and what paths are made of.
 */
#pragma once

#include "base/error.h"
#include "base/mem.h"

typedef LODE_VEC(char *) lode_path_list; /* on the heap */

/*
 * Appends the paths of all that is in a folder, sorted by name; hidden ones (".name") are left out.
 * Fails when it cannot be listed.
 */
int lode_folder_list(lode_path_list *out, const char *folder, struct lode_error *err);
void lode_path_list_release(lode_path_list *paths);

/* Bytes of the folder that a path begins with, its last '/' included; 0: there is none. */
static inline size_t lode_path_folder_bytes(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) + 1 : 0;
}
/* What stands behind that; all of a path that ends in '/'. */
static inline const char *lode_path_base(const char *path)
{
	const char *base = path + lode_path_folder_bytes(path);

	return *base ? base : path;
}

/* The folder that a path is in, on the heap and without the '/' behind it: "." of "x", "/" of "/x".
 */
char *lode_path_folder(const char *path);

/* "FOLDER/NAME" on the heap; one '/' stands between them. */
char *lode_path_join(const char *folder, const char *name);
