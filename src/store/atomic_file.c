#include "store/atomic_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

static const char temporary_suffix[] = ".tmp";

/* "FOLDER/.NAME.PID.tmp": not a recording for anybody who lists the folder. */
static char *temporary_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	int folder = slash ? (int)(slash - path) + 1 : 0;
	size_t size = strlen(path) +
		      sizeof(".."
			     ".tmp") +
		      24;
	char *name = lode_alloc(size);

	snprintf(name, size, "%.*s.%s.%ld%s", folder, path, path + folder, (long)getpid(),
		 temporary_suffix);
	return name;
}

static int write_all(int fd, const char *data, size_t size)
{
	while (size > 0) {
		ssize_t n = write(fd, data, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		data += n;
		size -= (size_t)n;
	}
	return 0;
}

/* Some file systems have no fsync; what they promise is all there is. */
static int sync_file(int fd)
{
	return fsync(fd) < 0 && errno != EINVAL && errno != EROFS ? -1 : 0;
}

int lode_atomic_write(const char *path, const void *data, size_t size, struct lode_error *err)
{
	char *temporary = temporary_name(path);
	int fd, rc = 0, errnum = 0;

	/* One with our own pid is a dead process' of that number. */
	unlink(temporary);
	fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0) {
		rc = lode_fail_errno(err, errno, path, "making it");
		free(temporary);
		return rc;
	}
	if (write_all(fd, data, size) < 0 || sync_file(fd) < 0)
		errnum = errno;
	if (close(fd) < 0 && !errnum)
		errnum = errno;
	if (!errnum && rename(temporary, path) < 0)
		errnum = errno;
	if (errnum) {
		unlink(temporary);
		rc = lode_fail_errno(err, errnum, path, "writing it");
	}
	free(temporary);
	return rc;
}

/* ".NAME.PID.tmp" with a NAME that ends in `suffix` */
static int is_left_over(const char *name, const char *suffix)
{
	size_t len = strlen(name), n_tail = sizeof(temporary_suffix) - 1;
	size_t n_suffix = strlen(suffix);

	if (name[0] != '.' || len < n_tail || strcmp(name + len - n_tail, temporary_suffix) != 0)
		return 0;
	len -= n_tail;
	while (len && name[len - 1] >= '0' && name[len - 1] <= '9')
		len--;
	return len > n_suffix + 1 && name[len - 1] == '.' &&
	       memcmp(name + len - 1 - n_suffix, suffix, n_suffix) == 0;
}

void lode_atomic_sweep(const char *folder, const char *suffix)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	if (!dir)
		return;
	while ((entry = readdir(dir)))
		if (is_left_over(entry->d_name, suffix))
			unlinkat(dirfd(dir), entry->d_name, 0);
	closedir(dir);
}
