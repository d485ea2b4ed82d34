/* Lists folders. */
#include "base/folder.h"

#include <dirent.h>
#include <errno.h>

#include "base/sorted.h"

char *lode_path_join(const char *folder, const char *name)
{
	size_t n = strlen(folder), n_name = strlen(name) + 1;
	bool needs_slash = n && folder[n - 1] != '/';
	char *path = lode_alloc(n + needs_slash + n_name);

	memcpy(path, folder, n);
	path[n] = '/';
	memcpy(path + n + needs_slash, name, n_name);
	return path;
}

char *lode_path_folder(const char *path)
{
	size_t n = lode_path_folder_bytes(path);
	char *folder = lode_strdup(n ? path : ".");

	folder[n > 1 ? n - 1 : 1] = '\0';
	return folder;
}

int lode_folder_list(lode_path_list *out, const char *folder, struct lode_error *err)
{
	size_t first = out->n;
	struct dirent *entry;
	DIR *dir = opendir(folder);

	if (!dir)
		return lode_fail_errno(err, errno, folder, "cannot list it");
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			lode_vec_append(out, lode_path_join(folder, entry->d_name));
	closedir(dir);
	lode_sort(out->at + first, out->n - first, lode_compare_text);
	return LODE_OK;
}

void lode_path_list_release(lode_path_list *paths)
{
	lode_vec_release_each(paths, it, free(*it));
}
