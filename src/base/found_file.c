/* Opens files that lode finds by itself, if they are regular. */
#include "base/found_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

int lode_found_open(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;

	if (fd < 0 || (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)))
		return fd;
	close(fd);
	errno = ENXIO;
	return -1;
}

FILE *lode_found_stream(const char *path)
{
	int fd = lode_found_open(path);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "rb");

	if (fd >= 0 && !file)
		lode_oom(BUFSIZ);
	return file;
}
