/* Reads dpkg's lists of files. */
#include "input/symbols/packages.h"

#include <stdio.h>

#include "base/folder.h"
#include "input/symbols/files.h"

enum { MAX_LIST_BYTES = 64 << 20 };

/* Is `path` a line of the list? */
static bool has_line(const char *list, const char *path)
{
	size_t len = strlen(path);

	for (const char *at = list; (at = strstr(at, path)); at += len)
		if ((at == list || at[-1] == '\n') && (at[len] == '\n' || !at[len]))
			return true;
	return false;
}

/* "/lib/x" and "/usr/lib/x" are one file where /lib is a link to /usr/lib. */
static bool lists(const char *list, const char *path)
{
	static const char usr[] = "/usr";
	char merged[4096];

	if (has_line(list, path))
		return true;
	if (!strncmp(path, "/usr/", 5))
		return has_line(list, path + sizeof(usr) - 1);
	return (size_t)snprintf(merged, sizeof(merged), "%s%s", usr, path) < sizeof(merged) &&
	       has_line(list, merged);
}

/* "/var/lib/dpkg/info/libpq5:amd64.list" -> "libpq5-dbgsym" */
static void name_package(char *package, size_t size, const char *list_path)
{
	const char *name = lode_path_base(list_path);
	int len = (int)strcspn(name, ":");

	if (!name[len])
		len = (int)(strlen(name) - strlen(".list"));
	/* The C library's is older than the rule. */
	if (len == 5 && !strncmp(name, "libc6", 5))
		snprintf(package, size, "libc6-dbg");
	else
		snprintf(package, size, "%.*s-dbgsym", len, name);
}

bool lode_debug_package(char *package, size_t size, const char *root, const char *path)
{
	lode_path_list lists_of = {0};
	bool is_found = false;
	char folder[4096];

	snprintf(folder, sizeof(folder), "%s/var/lib/dpkg/info", root);
	if (path[0] != '/' || lode_folder_list(&lists_of, folder, NULL) < 0)
		return false;
	for (size_t i = 0; i < lists_of.n && !is_found; i++) {
		const char *list_path = lists_of.at[i];
		size_t len = strlen(list_path), n;
		char *list;

		if (len < 6 || strcmp(list_path + len - 5, ".list") != 0 ||
		    lode_file_read(&list, &n, list_path, MAX_LIST_BYTES, NULL) < 0)
			continue;
		is_found = lists(list, path);
		if (is_found)
			name_package(package, size, list_path);
		free(list);
	}
	lode_path_list_release(&lists_of);
	return is_found;
}
