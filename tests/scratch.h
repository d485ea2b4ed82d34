/*
 * A directory for the files of one test, gone after it.
 */
#ifndef LODE_TEST_SCRATCH_H
#define LODE_TEST_SCRATCH_H

#include <ftw.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct scratch {
	char dir[64];
	char path[PATH_MAX]; /* of the last scratch_path */
};

static inline void scratch_make(struct scratch *scratch)
{
	snprintf(scratch->dir, sizeof(scratch->dir), "/tmp/lode-test-XXXXXX");
	if (!mkdtemp(scratch->dir))
		abort();
}

static inline int scratch_unlink(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline void scratch_remove(struct scratch *scratch)
{
	(void)nftw(scratch->dir, scratch_unlink, 16, FTW_DEPTH | FTW_PHYS);
}

/* For cmocka: a test's own, as its state, and the present folder while it runs. */
static inline int scratch_enter(void **state)
{
	struct scratch *scratch = calloc(1, sizeof(*scratch));

	scratch_make(scratch);
	*state = scratch;
	return chdir(scratch->dir);
}

static inline int scratch_leave(void **state)
{
	int rc = chdir("/");

	scratch_remove(*state);
	free(*state);
	return rc;
}

/* A path below the directory; the folders on the way are made. Valid until the next call. */
static inline const char *__attribute__((format(printf, 2, 3)))
scratch_path(struct scratch *scratch, const char *format, ...)
{
	size_t n = strlen(scratch->dir);
	va_list args;

	snprintf(scratch->path, sizeof(scratch->path), "%s/", scratch->dir);
	va_start(args, format);
	vsnprintf(scratch->path + n + 1, sizeof(scratch->path) - n - 1, format, args);
	va_end(args);
	for (char *p = scratch->path + n + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		(void)mkdir(scratch->path, 0755);
		*p = '/';
	}
	return scratch->path;
}

static inline void scratch_write(const char *path, const void *data, size_t size)
{
	FILE *file = fopen(path, "w");

	if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0)
		abort();
}

static inline char *scratch_read(const char *path, size_t *size)
{
	FILE *file = fopen(path, "r");
	char *data = NULL;
	size_t n = 0, got;

	*size = 0;
	if (!file)
		return NULL;
	do {
		data = realloc(data, n + 65536);
		got = data ? fread(data + n, 1, 65536, file) : 0;
		n += got;
	} while (got);
	fclose(file);
	*size = n;
	return data;
}

static inline void scratch_copy(const char *to, const char *from)
{
	size_t size;
	char *data = scratch_read(from, &size);

	if (!data)
		abort();
	scratch_write(to, data, size);
	free(data);
}

#endif
