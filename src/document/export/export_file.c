/* Opens and finishes files in other tools' formats. */
#include "document/export/export_file.h"

#include <errno.h>

#include "base/mem.h"
#include "base/atomic_file.h"

/* What the stream writes to. Its own errors know no reason: the first one is kept here. */
struct target {
	struct lode_atomic_file *file;
	int64_t offset;
	int rc;
	struct lode_error *err;
};

static ssize_t write_part(void *context, const char *data, size_t size)
{
	struct target *target = context;

	if (target->rc == LODE_OK)
		target->rc =
			lode_atomic_write_at(target->file, data, size, target->offset, target->err);
	if (target->rc < 0) {
		errno = EIO;
		return 0;
	}
	target->offset += (int64_t)size;
	return (ssize_t)size;
}

static int write_file(struct target *target, lode_export_put *put, const void *what)
{
	FILE *out = fopencookie(target, "w", (cookie_io_functions_t){.write = write_part});
	int rc;

	if (!out)
		lode_oom(BUFSIZ);
	setvbuf(out, NULL, _IOFBF, (size_t)1 << 16);
	rc = put(out, what, target->err);
	/* The first failure is the one to tell. */
	if (rc < 0)
		target->err = NULL;
	fclose(out);
	return rc < 0 ? rc : target->rc;
}

int lode_export_write(const char *path, lode_export_put *put, const void *what,
		      struct lode_error *err)
{
	struct target target = {.err = err};
	int rc;

	if (strcmp(path, "-") == 0) /* looked at when the program ends */
		return put(stdout, what, err);
	rc = lode_atomic_open(&target.file, path, err);
	if (rc < 0)
		return rc;
	rc = write_file(&target, put, what);
	if (rc == LODE_OK)
		return lode_atomic_commit(target.file, err);
	lode_atomic_abandon(target.file);
	return rc;
}
