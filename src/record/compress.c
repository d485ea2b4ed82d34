/* Compresses a file with zstd. */
#include "record/compress.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>
#include <zstd.h>

#include "base/folder.h"
#include "base/pool.h"

/* Recordings shrink 10 to 1 at this level, faster than a disk takes the rest. */
enum { level = 6 };

struct pump {
	FILE *in, *out;
	char *from, *to; /* buffers of ZSTD_CStreamInSize and ZSTD_CStreamOutSize */
	const char *from_path, *to_path;
	char *temporary; /* in place of to_path until all is written */
};

/* "FOLDER/.NAME.tmp": not listed as a recording. */
static char *temporary_name(const char *path)
{
	int folder = (int)lode_path_folder_bytes(path);
	size_t size = strlen(path) + sizeof("..tmp");
	char *name = lode_alloc(size);

	snprintf(name, size, "%.*s.%s.tmp", folder, path, path + folder);
	return name;
}

static int pump_open(struct pump *pump, const char *to, const char *from, struct lode_error *err)
{
	*pump = (struct pump){.from_path = from, .to_path = to};
	pump->in = fopen(from, "rbe");
	if (!pump->in)
		return lode_fail_errno(err, errno, from, "cannot open it");
	pump->temporary = temporary_name(to);
	pump->out = fopen(pump->temporary, "wbe");
	if (!pump->out)
		return lode_fail_errno(err, errno, to, "cannot create it");
	pump->from = lode_alloc(ZSTD_CStreamInSize());
	pump->to = lode_alloc(ZSTD_CStreamOutSize());
	return 0;
}

static int pump_close(struct pump *pump, int rc, struct lode_error *err)
{
	if (pump->in)
		fclose(pump->in);
	if (pump->out && fclose(pump->out) && rc == 0)
		rc = lode_fail_errno(err, errno, pump->to_path, "cannot write it");
	if (rc == 0 && rename(pump->temporary, pump->to_path))
		rc = lode_fail_errno(err, errno, pump->to_path, "cannot write it");
	if (rc < 0 && pump->out)
		unlink(pump->temporary);
	free(pump->temporary);
	free(pump->from);
	free(pump->to);
	return rc;
}

static int pump_read(struct pump *pump, size_t *n, struct lode_error *err)
{
	*n = fread(pump->from, 1, ZSTD_CStreamInSize(), pump->in);
	if (ferror(pump->in))
		return lode_fail_errno(err, errno, pump->from_path, "cannot read it");
	return 0;
}

static int pump_write(struct pump *pump, const char *data, size_t n, struct lode_error *err)
{
	if (fwrite(data, 1, n, pump->out) != n)
		return lode_fail_errno(err, errno, pump->to_path, "cannot write it");
	return 0;
}

/* Compresses all that is left to read. */
static int compress(struct pump *pump, ZSTD_CCtx *zstd, struct lode_error *err)
{
	ZSTD_EndDirective mode;

	do {
		ZSTD_inBuffer in = {.src = pump->from};
		size_t left;
		int rc = pump_read(pump, &in.size, err);

		if (rc < 0)
			return rc;
		mode = in.size < ZSTD_CStreamInSize() ? ZSTD_e_end : ZSTD_e_continue;
		do {
			ZSTD_outBuffer out = {.dst = pump->to, .size = ZSTD_CStreamOutSize()};

			left = ZSTD_compressStream2(zstd, &out, &in, mode);
			if (ZSTD_isError(left))
				return lode_fail(err, LODE_ERR_IO, pump->to_path, -1,
						 "compressing it: %s", ZSTD_getErrorName(left));
			rc = pump_write(pump, pump->to, out.pos, err);
			if (rc < 0)
				return rc;
		} while (mode == ZSTD_e_end ? left > 0 : in.pos < in.size);
	} while (mode != ZSTD_e_end);
	return 0;
}

int lode_compress_file(const char *to, const char *from, struct lode_error *err)
{
	ZSTD_CCtx *zstd = ZSTD_createCCtx();
	struct pump pump;
	int rc;

	if (!zstd)
		lode_oom(0);
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, level);
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
	/* Refused by a library built without threads, which compresses as well. */
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_nbWorkers, (int)lode_pool_cpus());
	rc = pump_open(&pump, to, from, err);
	if (rc == 0)
		rc = compress(&pump, zstd, err);
	ZSTD_freeCCtx(zstd);
	return pump_close(&pump, rc, err);
}

int lode_copy_file(const char *to, const char *from, struct lode_error *err)
{
	struct pump pump;
	size_t n = 1;
	int rc = pump_open(&pump, to, from, err);

	while (rc == 0 && n > 0) {
		rc = pump_read(&pump, &n, err);
		if (rc == 0 && n > 0)
			rc = pump_write(&pump, pump.from, n, err);
	}
	return pump_close(&pump, rc, err);
}
