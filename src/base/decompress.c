/* Decompresses zstd, gzip and xz, recognised by their first bytes. */
#include "base/decompress.h"

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/mem.h"

/* LIMIT: windows that need more memory than this are refused (LODE_ERR_LIMIT). 128 MiB is what the
   zstd program itself accepts without being asked, and twice what `xz -9` needs. */
#define MAX_WINDOW_LOG	 27
#define MAX_MEMORY_BYTES ((uint64_t)1 << MAX_WINDOW_LOG)

/* The libraries count in 32 bits (zlib), so no call gets more than this. */
#define MAX_CHUNK_BYTES ((size_t)1 << 30)

struct lode_decompressor {
	enum lode_codec codec;
	bool in_frame;	 /* a frame has begun and is not complete */
	bool in_padding; /* gzip: zero bytes behind a member were seen */
	bool is_done;	 /* xz: the end was seen */
	ZSTD_DStream *zstd;
	z_stream gzip;
	lzma_stream xz;
};

enum lode_codec lode_codec_recognise(const uint8_t *head, size_t size)
{
	static const uint8_t zstd[] = {0x28, 0xb5, 0x2f, 0xfd};
	static const uint8_t skippable[] = {0x2a, 0x4d, 0x18}; /* behind 0x50 .. 0x5f */
	static const uint8_t xz[] = {0xfd, '7', 'z', 'X', 'Z', 0};

	if (size >= 2 && head[0] == 0x1f && head[1] == 0x8b)
		return LODE_CODEC_GZIP;
	if (size >= 4 && !memcmp(head, zstd, 4))
		return LODE_CODEC_ZSTD;
	if (size >= 4 && (head[0] & 0xf0) == 0x50 && !memcmp(head + 1, skippable, 3))
		return LODE_CODEC_ZSTD;
	if (size >= 6 && !memcmp(head, xz, 6))
		return LODE_CODEC_XZ;
	return LODE_CODEC_PLAIN;
}

static const char *codec_name(enum lode_codec codec)
{
	static const char *const names[] = {"plain", "zstd", "gzip", "xz"};

	return names[codec];
}

struct lode_decompressor *lode_decompressor_new(enum lode_codec codec)
{
	struct lode_decompressor *d = lode_alloc0(1, sizeof(*d));
	bool ok = false;

	d->codec = codec;
	switch (codec) {
	case LODE_CODEC_ZSTD:
		d->zstd = ZSTD_createDStream();
		ok = d->zstd && !ZSTD_isError(ZSTD_DCtx_setParameter(d->zstd, ZSTD_d_windowLogMax,
								     MAX_WINDOW_LOG));
		break;
	case LODE_CODEC_GZIP:
		ok = inflateInit2(&d->gzip, 15 + 16) == Z_OK;
		break;
	case LODE_CODEC_XZ:
		ok = lzma_stream_decoder(&d->xz, MAX_MEMORY_BYTES, LZMA_CONCATENATED) == LZMA_OK;
		break;
	case LODE_CODEC_PLAIN:
		break;
	}
	if (!ok) /* the only reason that these calls have with valid arguments */
		lode_oom(sizeof(*d));
	return d;
}

void lode_decompressor_free(struct lode_decompressor *d)
{
	if (!d)
		return;
	if (d->codec == LODE_CODEC_ZSTD)
		ZSTD_freeDStream(d->zstd);
	if (d->codec == LODE_CODEC_GZIP)
		inflateEnd(&d->gzip);
	if (d->codec == LODE_CODEC_XZ)
		lzma_end(&d->xz);
	free(d);
}

static int fail_truncated(const struct lode_decompressor *d, const char *path, int64_t offset,
			  struct lode_error *err)
{
	return lode_fail(err, LODE_ERR_TRUNCATED, path, offset,
			 "the file ends in the middle of its %s data", codec_name(d->codec));
}

static void advance(struct lode_flow *flow, size_t n_in, size_t n_out)
{
	flow->in += n_in;
	flow->in_size -= n_in;
	flow->out += n_out;
	flow->out_size -= n_out;
}

static int run_zstd(struct lode_decompressor *d, struct lode_flow *flow, const char *path,
		    int64_t offset, struct lode_error *err)
{
	const uint8_t *start = flow->in;

	while (flow->out_size && (flow->in_size || d->in_frame)) {
		ZSTD_inBuffer in = {flow->in, flow->in_size, 0};
		ZSTD_outBuffer out = {flow->out, flow->out_size, 0};
		size_t rc = ZSTD_decompressStream(d->zstd, &out, &in);

		advance(flow, in.pos, out.pos);
		if (ZSTD_isError(rc)) {
			int64_t at = offset + (flow->in - start);

			if (ZSTD_getErrorCode(rc) == ZSTD_error_frameParameter_windowTooLarge)
				return lode_fail(err, LODE_ERR_LIMIT, path, at,
						 "its zstd window is larger than %u MiB: "
						 "recompress it with --long=%d or less",
						 (1U << MAX_WINDOW_LOG) >> 20, MAX_WINDOW_LOG);
			return lode_fail(err, LODE_ERR_FORMAT, path, at,
					 "its zstd data are damaged: %s", ZSTD_getErrorName(rc));
		}
		d->in_frame = rc != 0;
		if (!flow->in_size && !out.pos) { /* nothing is left inside the decoder either */
			if (flow->is_last && d->in_frame)
				return fail_truncated(d, path, offset + (flow->in - start), err);
			break;
		}
	}
	return flow->is_last && !flow->in_size && !d->in_frame ? LODE_FLOW_END : LODE_FLOW_MORE;
}

/* Between members: zero bytes are padding (tapes, block devices), another header goes on. */
static int next_member(struct lode_decompressor *d, struct lode_flow *flow, const char *path,
		       int64_t offset, struct lode_error *err)
{
	const uint8_t *start = flow->in;

	while (flow->in_size && !*flow->in) {
		d->in_padding = true;
		advance(flow, 1, 0);
	}
	if (!flow->in_size)
		return 0;
	if (d->in_padding || *flow->in != 0x1f)
		return lode_fail(err, LODE_ERR_FORMAT, path, offset + (flow->in - start),
				 "trailing data after its gzip data");
	d->in_frame = true;
	return inflateReset(&d->gzip);
}

static int run_gzip(struct lode_decompressor *d, struct lode_flow *flow, const char *path,
		    int64_t offset, struct lode_error *err)
{
	const uint8_t *start = flow->in;

	while (flow->out_size) {
		size_t n_in, n_out;
		int rc;

		if (!d->in_frame) {
			rc = next_member(d, flow, path, offset + (flow->in - start), err);
			if (rc < 0)
				return rc;
			if (!d->in_frame)
				break;
		}
		n_in = flow->in_size < MAX_CHUNK_BYTES ? flow->in_size : MAX_CHUNK_BYTES;
		n_out = flow->out_size < MAX_CHUNK_BYTES ? flow->out_size : MAX_CHUNK_BYTES;
		d->gzip.next_in = (Bytef *)flow->in; /* zlib does not write to it */
		d->gzip.avail_in = (uInt)n_in;
		d->gzip.next_out = flow->out;
		d->gzip.avail_out = (uInt)n_out;
		rc = inflate(&d->gzip, Z_NO_FLUSH);
		n_in -= d->gzip.avail_in;
		n_out -= d->gzip.avail_out;
		advance(flow, n_in, n_out);
		if (rc == Z_MEM_ERROR)
			lode_oom(1 << 15);
		if (rc == Z_STREAM_END) {
			d->in_frame = false;
		} else if (rc != Z_OK && rc != Z_BUF_ERROR) {
			return lode_fail(err, LODE_ERR_FORMAT, path, offset + (flow->in - start),
					 "its gzip data are damaged: %s",
					 d->gzip.msg ? d->gzip.msg : "unknown method");
		} else if (!n_in && !n_out) {
			if (flow->is_last)
				return fail_truncated(d, path, offset + (flow->in - start), err);
			break;
		}
	}
	return flow->is_last && !flow->in_size && !d->in_frame ? LODE_FLOW_END : LODE_FLOW_MORE;
}

static int fail_xz(lzma_ret rc, const char *path, int64_t at, struct lode_error *err)
{
	switch (rc) {
	case LZMA_MEM_ERROR:
		lode_oom(1 << 16);
	case LZMA_MEMLIMIT_ERROR:
		return lode_fail(err, LODE_ERR_LIMIT, path, at,
				 "its xz data need more than %u MiB of memory: recompress it with "
				 "xz -9 or less",
				 (unsigned)(MAX_MEMORY_BYTES >> 20));
	case LZMA_OPTIONS_ERROR:
		return lode_fail(err, LODE_ERR_UNSUPPORTED, path, at,
				 "its xz data use a filter unknown to liblzma");
	case LZMA_FORMAT_ERROR:
		return lode_fail(err, LODE_ERR_FORMAT, path, at, "trailing data after its xz data");
	default:
		return lode_fail(err, LODE_ERR_FORMAT, path, at, "its xz data are damaged");
	}
}

static int run_xz(struct lode_decompressor *d, struct lode_flow *flow, const char *path,
		  int64_t offset, struct lode_error *err)
{
	const uint8_t *start = flow->in;

	while (flow->out_size && !d->is_done) {
		lzma_ret rc;
		size_t n_in, n_out;

		d->xz.next_in = flow->in;
		d->xz.avail_in = flow->in_size;
		d->xz.next_out = flow->out;
		d->xz.avail_out = flow->out_size;
		rc = lzma_code(&d->xz, flow->is_last ? LZMA_FINISH : LZMA_RUN);
		n_in = flow->in_size - d->xz.avail_in;
		n_out = flow->out_size - d->xz.avail_out;
		advance(flow, n_in, n_out);
		if (rc == LZMA_STREAM_END)
			d->is_done = true;
		else if (rc != LZMA_OK && rc != LZMA_BUF_ERROR)
			return fail_xz(rc, path, offset + (flow->in - start), err);
		else if (!flow->in_size && !n_out) {
			if (flow->is_last && rc == LZMA_BUF_ERROR)
				return fail_truncated(d, path, offset + (flow->in - start), err);
			if (!flow->is_last)
				break;
		}
	}
	return d->is_done ? LODE_FLOW_END : LODE_FLOW_MORE;
}

int lode_decompress(struct lode_decompressor *d, struct lode_flow *flow, const char *path,
		    int64_t offset, struct lode_error *err)
{
	switch (d->codec) {
	case LODE_CODEC_ZSTD:
		return run_zstd(d, flow, path, offset, err);
	case LODE_CODEC_GZIP:
		return run_gzip(d, flow, path, offset, err);
	default:
		return run_xz(d, flow, path, offset, err);
	}
}
