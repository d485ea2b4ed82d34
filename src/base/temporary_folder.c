/* Temporary folders, removed by the next process if their maker died. */
#include "base/temporary_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

static const char prefix[] = "lode-tmp-", mark[] = ".lode-temporary";

/* lode's own folders have none inside; a bound all the same. */
enum { MAX_DEPTH = 8, MIN_AGE_S = 60 };

/* The folders that this process made and has not removed: a list, in which each is found by the
   lock's descriptor. Process state, as memory that ends is (base/memory_bound.h). */
struct made_folder {
	struct made_folder *next;
	char *path;
	int lock;
};
static struct {
	pthread_mutex_t mutex;
	struct made_folder *first;
} made = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* A child that is forked must not remove its parent's folders when its memory ends. */
static void begin_child_folders(void)
{
	pthread_mutex_init(&made.mutex, NULL);
	made.first = NULL;
}

static void __attribute__((constructor)) heed_forks_folders(void)
{
	(void)pthread_atfork(NULL, NULL, begin_child_folders);
}

const char *lode_temporary_parent(void)
{
	const char *folder = getenv("TMPDIR");

	return folder && *folder ? folder : "/var/tmp";
}

/* ---- Removing ---- */

static DIR *open_dir(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *list = fd < 0 ? NULL : fdopendir(fd);

	if (!list && fd >= 0)
		close(fd);
	return list;
}

static bool is_dots(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* What is in the open folder; the mark last, so that what is left when this is killed has it. */
static void remove_content(DIR *list, int depth)
{
	struct dirent *entry;
	int dir = dirfd(list);

	while ((entry = readdir(list))) {
		DIR *inner;

		if (is_dots(entry->d_name) || strcmp(entry->d_name, mark) == 0 ||
		    unlinkat(dir, entry->d_name, 0) == 0)
			continue;
		inner = depth < MAX_DEPTH ? open_dir(dir, entry->d_name) : NULL;
		if (!inner)
			continue;
		remove_content(inner, depth + 1);
		closedir(inner);
		unlinkat(dir, entry->d_name, AT_REMOVEDIR);
	}
	unlinkat(dir, mark, 0);
}

static bool is_old(const struct stat *st)
{
	return lode_clock_ns(CLOCK_REALTIME) / 1000000000 - st->st_mtim.tv_sec > MIN_AGE_S;
}

/* One of ours, by its name, of a process that is dead. */
static void sweep_folder(int parent, const char *name)
{
	DIR *list = open_dir(parent, name);
	struct stat st, found;

	if (!list)
		return;
	if (fstat(dirfd(list), &st) == 0 && st.st_uid == geteuid() && !(st.st_mode & 077) &&
	    flock(dirfd(list), LOCK_EX | LOCK_NB) == 0) {
		if (fstatat(dirfd(list), mark, &found, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(found.st_mode) && found.st_uid == geteuid())
			remove_content(list, 0);
		else if (!is_old(&st))
			goto out;
		/* Not when it is another by now, or holds something. */
		if (fstatat(parent, name, &found, AT_SYMLINK_NOFOLLOW) == 0 &&
		    found.st_dev == st.st_dev && found.st_ino == st.st_ino)
			unlinkat(parent, name, AT_REMOVEDIR);
	}
out:
	closedir(list);
}

void lode_temporary_file_sweep(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st, found;

	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	    flock(fd, LOCK_EX | LOCK_NB) == 0 &&
	    fstatat(dir, name, &found, AT_SYMLINK_NOFOLLOW) == 0 && found.st_dev == st.st_dev &&
	    found.st_ino == st.st_ino)
		unlinkat(dir, name, 0);
	close(fd);
}

void lode_temporary_sweep(void)
{
	DIR *list = opendir(lode_temporary_parent());
	struct dirent *entry;

	if (!list)
		return;
	while ((entry = readdir(list)))
		if (strncmp(entry->d_name, prefix, sizeof(prefix) - 1) == 0)
			sweep_folder(dirfd(list), entry->d_name);
	closedir(list);
}

/* ---- Making ---- */

bool lode_temporary_lock(int fd)
{
	/* Some file systems have none: then no other process gets it either. */
	return flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

static int mark_folder(const char *path)
{
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), fd;

	if (dir < 0)
		return -1;
	(void)lode_temporary_lock(dir);
	fd = openat(dir, mark, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd >= 0) {
		close(fd);
		return dir;
	}
	close(dir);
	return -1;
}

static void remember_folder(const char *path, int lock)
{
	struct made_folder *folder = lode_alloc(sizeof(*folder));

	*folder = (struct made_folder){.path = lode_strdup(path), .lock = lock};
	pthread_mutex_lock(&made.mutex);
	folder->next = made.first;
	made.first = folder;
	pthread_mutex_unlock(&made.mutex);
}

static void forget_folder(int lock)
{
	struct made_folder **at, *folder;

	pthread_mutex_lock(&made.mutex);
	for (at = &made.first; *at && (*at)->lock != lock; at = &(*at)->next)
		;
	folder = *at;
	if (folder)
		*at = folder->next;
	pthread_mutex_unlock(&made.mutex);
	if (folder)
		free(folder->path);
	free(folder);
}

int lode_temporary_folder_make(char **path, int *lock, struct lode_error *err)
{
	const char *parent = lode_temporary_parent();
	size_t size = strlen(parent) + sizeof(prefix) + sizeof("/XXXXXX");
	char *name = lode_alloc(size);
	int rc;

	*path = NULL;
	*lock = -1;
	lode_temporary_sweep();
	snprintf(name, size, "%s/%sXXXXXX", parent, prefix);
	if (mkdtemp(name)) {
		*lock = mark_folder(name);
		if (*lock >= 0) {
			remember_folder(name, *lock);
			*path = name;
			return LODE_OK;
		}
		rc = lode_fail_errno(err, errno, name,
				     "cannot create a temporary folder (see TMPDIR)");
		rmdir(name);
	} else {
		rc = lode_fail_errno(err, errno, parent,
				     "cannot create a temporary folder (see TMPDIR)");
	}
	free(name);
	return rc;
}

static void remove_folder(const char *path)
{
	DIR *list = open_dir(AT_FDCWD, path);

	if (!list)
		return;
	remove_content(list, 0);
	closedir(list);
	rmdir(path);
}

void lode_temporary_folder_remove(char *path, int lock)
{
	if (path)
		remove_folder(path);
	if (lock >= 0) {
		forget_folder(lock);
		close(lock);
	}
	free(path);
}

void lode_temporary_abandon(void)
{
	/* Never released: no folder is made, removed or abandoned from here on. */
	pthread_mutex_lock(&made.mutex);
	for (const struct made_folder *folder = made.first; folder; folder = folder->next)
		remove_folder(folder->path);
}
