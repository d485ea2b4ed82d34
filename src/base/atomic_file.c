/* Writes files whole or not at all. */
#include "base/atomic_file.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/folder.h"
#include "base/temporary_folder.h"

static const char temporary_suffix[] = ".tmp";

/* "FOLDER/.NAME.NUMBER.tmp": hidden from those who list the folder. */
static char *temporary_name(const char *path, long number)
{
	int folder = (int)lode_path_folder_bytes(path);
	size_t size = strlen(path) +
		      sizeof(".."
			     ".tmp") +
		      24;
	char *name = lode_alloc(size);

	snprintf(name, size, "%.*s.%s.%ld%s", folder, path, path + folder, number,
		 temporary_suffix);
	return name;
}

struct lode_atomic_file {
	char *path;	 /* as it was given, for messages */
	char *place;	 /* where it is */
	char *temporary; /* NULL: written as it is */
	int fd;
	int64_t n_written; /* of what is written as it is */
};

/* Some file systems have no fsync; what they promise is all there is. */
static int sync_file(int fd)
{
	return fsync(fd) < 0 && errno != EINVAL && errno != EROFS ? -1 : 0;
}

static void free_file(struct lode_atomic_file *file)
{
	free(file->path);
	free(file->place);
	free(file->temporary);
	free(file);
}

/* ".NAME.NUMBER.tmp" with a NAME that ends in `suffix`, or that is it. */
static bool is_left_over(const char *name, const char *suffix, bool is_whole)
{
	size_t len = strlen(name), n_tail = sizeof(temporary_suffix) - 1;
	size_t n_suffix = strlen(suffix);

	if (name[0] != '.' || len < n_tail || strcmp(name + len - n_tail, temporary_suffix) != 0)
		return false;
	len -= n_tail;
	while (len && lode_is_digit(name[len - 1]))
		len--;
	return len > n_suffix + 1 && name[len - 1] == '.' && (!is_whole || len == n_suffix + 2) &&
	       memcmp(name + len - 1 - n_suffix, suffix, n_suffix) == 0;
}

/* Of all files of that suffix, or of the one file with that name. */
static void sweep(const char *folder, const char *suffix, bool is_whole)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	if (!dir)
		return;
	while ((entry = readdir(dir)))
		if (is_left_over(entry->d_name, suffix, is_whole))
			lode_temporary_file_sweep(dirfd(dir), entry->d_name);
	closedir(dir);
}

/* What a writer of the same path has left that was killed. */
static void sweep_others(const char *path)
{
	char *folder = lode_path_folder(path);

	sweep(folder, path + lode_path_folder_bytes(path), true);
	free(folder);
}

/* "FOLDER/" of "FOLDER/NAME", then `name`; to be freed. */
static char *beside(const char *path, const char *name)
{
	size_t folder = name[0] == '/' ? 0 : lode_path_folder_bytes(path);
	char *full = lode_alloc(folder + strlen(name) + 1);

	memcpy(full, path, folder);
	memcpy(full + folder, name, strlen(name) + 1);
	return full;
}

char *lode_atomic_place(const char *path)
{
	enum { MOST_LINKS = 40 }; /* as the kernel has it */
	char *place = lode_strdup(path), target[PATH_MAX];

	for (int i = 0; i < MOST_LINKS; i++) {
		ssize_t n = readlink(place, target, sizeof(target) - 1);
		char *next;

		if (n < 0)
			break;
		target[n] = '\0';
		next = beside(place, target);
		free(place);
		place = next;
	}
	return place;
}

/* /dev/stdout and its like: the bytes are wanted there, not in a file of that name. */
static bool is_open_already(const char *path)
{
	static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
		if (strncmp(path, folders[i], strlen(folders[i])) == 0)
			return true;
	return strcmp(path, "/dev/stdout") == 0 || strcmp(path, "/dev/stderr") == 0;
}

/* Behind what is in a file already: standard output may be one. */
static int open_as_it_is(struct lode_atomic_file *file)
{
	file->fd = open(file->path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY);
	return file->fd < 0 ? errno : 0;
}

/* As the file that is replaced, whose group must not be mistaken for this process's; a file system
   without permissions has none to lose. */
static void keep_permissions(int fd, const struct stat *replaced)
{
	mode_t mode = replaced->st_mode & 0777;

	if (fchown(fd, (uid_t)-1, replaced->st_gid) < 0)
		mode &= ~(mode_t)0070;
	(void)!fchmod(fd, mode);
}

/* Does the path still lead to the open file? */
static bool is_at(const char *path, int fd)
{
	struct stat st, found;

	return fstat(fd, &st) == 0 && lstat(path, &found) == 0 && st.st_dev == found.st_dev &&
	       st.st_ino == found.st_ino;
}

/*
 * Creates the file and takes its lock. Between the two another writer of the path may take the file
 * for what a dead process left: then EEXIST, as when the name is taken.
 */
static int create_locked(struct lode_atomic_file *file, mode_t mode)
{
	file->fd = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	if (file->fd < 0)
		return errno;
	if (!lode_temporary_lock(file->fd))
		unlink(file->temporary);
	else if (is_at(file->temporary, file->fd))
		return 0;
	close(file->fd);
	return EEXIST;
}

/* The name has the process's number, or, where that is taken, one above all numbers of processes:
   other machines and containers may have a process of the same number. */
static int create_temporary(struct lode_atomic_file *file, mode_t mode)
{
	enum { MOST_TRIES = 100, MOST_PROCESSES = 1 << 22 }; /* the latter as the kernel has it */
	int errnum = EEXIST;

	for (long i = 0; i < MOST_TRIES && errnum == EEXIST; i++) {
		free(file->temporary);
		file->temporary = temporary_name(file->place, getpid() + i * MOST_PROCESSES);
		errnum = create_locked(file, mode);
	}
	return errnum;
}

/* `mode` is that of a new file. */
static int open_beside(struct lode_atomic_file *file, const struct stat *replaced, mode_t mode)
{
	int errnum;

	file->place = lode_atomic_place(file->path);
	sweep_others(file->place);
	errnum = create_temporary(file, replaced ? 0600 : mode);
	if (!errnum && replaced)
		keep_permissions(file->fd, replaced);
	return errnum;
}

static int open_atomic(struct lode_atomic_file **out, const char *path, mode_t mode,
		       struct lode_error *err)
{
	struct lode_atomic_file *file = lode_alloc0(1, sizeof(*file));
	struct stat st;
	bool exists = stat(path, &st) == 0;
	int errnum, rc;

	*out = NULL;
	file->path = lode_strdup(path);
	if (exists && (!S_ISREG(st.st_mode) || is_open_already(path)))
		errnum = open_as_it_is(file);
	else
		errnum = open_beside(file, exists ? &st : NULL, mode);
	if (errnum) {
		rc = lode_fail_errno(err, errnum, path, "cannot create it");
		free_file(file);
		return rc;
	}
	*out = file;
	return LODE_OK;
}

int lode_atomic_open(struct lode_atomic_file **out, const char *path, struct lode_error *err)
{
	return open_atomic(out, path, 0666, err);
}

int lode_atomic_open_private(struct lode_atomic_file **out, const char *path,
			     struct lode_error *err)
{
	return open_atomic(out, path, 0600, err);
}

/* A pipe knows no offsets: only what comes next can be written. */
static ssize_t write_part(struct lode_atomic_file *file, const char *from, size_t size,
			  int64_t offset)
{
	ssize_t n;

	if (file->temporary)
		return pwrite(file->fd, from, size, offset);
	if (offset != file->n_written) {
		errno = ESPIPE;
		return -1;
	}
	n = write(file->fd, from, size);
	file->n_written += n > 0 ? n : 0;
	return n;
}

int lode_atomic_write_at(struct lode_atomic_file *file, const void *data, size_t size,
			 int64_t offset, struct lode_error *err)
{
	const char *from = data;

	assert(file);
	while (size > 0) {
		ssize_t n = write_part(file, from, size, offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return lode_fail_errno(err, errno, file->path, "cannot write it");
		from += n;
		offset += n;
		size -= (size_t)n;
	}
	return LODE_OK;
}

/* Closing may tell of a failed write; the lock is kept until the file has its own name. */
static int put_in_place(struct lode_atomic_file *file)
{
	int lock = fcntl(file->fd, F_DUPFD_CLOEXEC, 0), errnum = lock < 0 ? errno : 0;

	if (!errnum && sync_file(file->fd) < 0)
		errnum = errno;
	if (close(file->fd) < 0 && !errnum)
		errnum = errno;
	if (!errnum && rename(file->temporary, file->place) < 0)
		errnum = errno;
	if (errnum)
		unlink(file->temporary);
	if (lock >= 0)
		close(lock);
	return errnum;
}

int lode_atomic_commit(struct lode_atomic_file *file, struct lode_error *err)
{
	int errnum, rc = LODE_OK;

	assert(file);
	if (file->temporary)
		errnum = put_in_place(file);
	else
		errnum = close(file->fd) < 0 ? errno : 0;
	if (errnum)
		rc = lode_fail_errno(err, errnum, file->path, "cannot write it");
	free_file(file);
	return rc;
}

void lode_atomic_abandon(struct lode_atomic_file *file)
{
	if (!file)
		return;
	if (file->temporary)
		unlink(file->temporary);
	close(file->fd);
	free_file(file);
}

static int write_atomic(const char *path, const void *data, size_t size, mode_t mode,
			struct lode_error *err)
{
	struct lode_atomic_file *file;
	int rc = open_atomic(&file, path, mode, err);

	if (rc < 0)
		return rc;
	rc = lode_atomic_write_at(file, data, size, 0, err);
	if (rc < 0) {
		lode_atomic_abandon(file);
		return rc;
	}
	return lode_atomic_commit(file, err);
}

int lode_atomic_write(const char *path, const void *data, size_t size, struct lode_error *err)
{
	return write_atomic(path, data, size, 0666, err);
}

int lode_atomic_write_private(const char *path, const void *data, size_t size,
			      struct lode_error *err)
{
	return write_atomic(path, data, size, 0600, err);
}

void lode_atomic_sweep(const char *folder, const char *suffix)
{
	sweep(folder, suffix, false);
}
