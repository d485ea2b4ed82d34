/* Confines a command to its own files. */
#include "store/confinement.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/confine.h"
#include "base/folder.h"
#include "base/temporary_folder.h"

typedef LODE_VEC(char *) path_vec; /* on the heap */

static void add_path(path_vec *paths, const char *path)
{
	if (path && *path)
		lode_vec_append(paths, lode_strdup(path));
}

/* The user's cache folder: what is not there yet could not be made later. */
static void add_caches(path_vec *folders, bool is_online)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char *of_home = home && *home ? lode_path_join(home, ".cache") : NULL;
	const char *used = cache && *cache == '/' ? cache : of_home;

	if (used)
		(void)mkdir(used, 0700);
	add_path(folders, used);
	free(of_home);
	if (!is_online)
		return;
	/* libdebuginfod's: named, or of its early versions. */
	cache = getenv("DEBUGINFOD_CACHE_PATH");
	if (cache && *cache == '/')
		(void)mkdir(cache, 0700);
	add_path(folders, cache);
	if (home && *home)
		lode_vec_append(folders, lode_path_join(home, ".debuginfod_client_cache"));
}

/* The repository, and the log of changes beside it; false: that is not there. */
static bool add_open_repo(path_vec *files, const char *path)
{
	static const char *const suffixes[] = {"", "-wal", "-shm"};
	size_t size = strlen(path) + sizeof("-wal");

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		char *file = lode_alloc(size);

		snprintf(file, size, "%s%s", path, suffixes[i]);
		lode_vec_append(files, file);
		if (access(file, F_OK) < 0)
			return false;
	}
	return true;
}

static bool confine_to(const struct lode_command_rights *rights, path_vec *folders,
		       const path_vec *files, const char *repo_folder)
{
	struct lode_confinement confinement = {
		.is_online = rights->is_online,
		.files = (const char *const *)files->at,
		.n_files = files->n,
		.removes_in = repo_folder,
	};

	add_path(folders, lode_temporary_parent());
	add_path(folders, getenv("SQLITE_TMPDIR"));
	if (rights->has_caches || rights->is_online)
		add_caches(folders, rights->is_online);
	confinement.writable = (const char *const *)folders->at;
	confinement.n_writable = folders->n;
	return lode_confine(&confinement);
}

bool lode_command_confine(const struct lode_command_rights *rights)
{
	path_vec folders = {0}, files = {0};
	/* Where it is a link, SQLite's files are beside what that leads to. */
	char *repo = rights->repo ? realpath(rights->repo, NULL) : NULL, *folder;
	bool is_whole;

	if (rights->repo && !repo)
		repo = lode_strdup(rights->repo);
	folder = repo ? lode_path_folder(repo) : NULL;
	if (rights->is_repo_open && repo && add_open_repo(&files, repo)) {
		is_whole = confine_to(rights, &folders, &files, folder);
	} else {
		if (folder)
			lode_vec_append(&folders, lode_strdup(folder));
		is_whole = confine_to(rights, &folders, &files, NULL);
	}
	lode_vec_release_each(&folders, it, free(*it));
	lode_vec_release_each(&files, it, free(*it));
	free(folder);
	free(repo);
	return is_whole;
}
