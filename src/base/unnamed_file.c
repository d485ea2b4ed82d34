/* Files without a name, for data that does not fit in memory. */
#include "base/unnamed_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/temporary_folder.h"

/* Where the file system has no files without a name: one that loses it at once. */
static int open_and_unlink(const char *folder)
{
	char name[4096];
	int n = snprintf(name, sizeof(name), "%s/lode-XXXXXX", folder), fd;

	if (n < 0 || (size_t)n >= sizeof(name)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	return fd;
}

int lode_unnamed_file_open(int *fd, struct lode_error *err)
{
	const char *folder = lode_temporary_parent();

	*fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	/* What is wrong with the folder itself is wrong again, and said the same way. */
	if (*fd < 0)
		*fd = open_and_unlink(folder);
	if (*fd < 0)
		return lode_fail_errno(err, errno, folder,
				       "cannot create a temporary file (see TMPDIR)");
	return LODE_OK;
}

int lode_unnamed_file_write(int fd, const void *data, size_t size, int64_t offset,
			    struct lode_error *err)
{
	const char *at = data;

	while (size) {
		ssize_t n = pwrite(fd, at, size, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return lode_fail_errno(err, n < 0 ? errno : ENOSPC, NULL,
					       "cannot write a temporary file (see TMPDIR)");
		at += n;
		offset += n;
		size -= (size_t)n;
	}
	return LODE_OK;
}

int lode_unnamed_file_read(int fd, void *data, size_t size, int64_t offset, struct lode_error *err)
{
	char *at = data;

	while (size) {
		ssize_t n = pread(fd, at, size, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return lode_fail_errno(err, n < 0 ? errno : EIO, NULL,
					       "cannot read a temporary file back");
		at += n;
		offset += n;
		size -= (size_t)n;
	}
	return LODE_OK;
}
