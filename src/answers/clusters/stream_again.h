/*
 * The recording behind one of a digest's streams, read once more: for what digests do not hold.
 */
#pragma once

#include "streams/digest_job.h"

/* How its recordings are read: as for the digest. */
struct lode_source_options lode_stream_again_options(const struct lode_digest_job_options *options);

/* The modules of the digest's recordings lend each other build-ids, as when it was made. */
int lode_stream_again_symboliser(struct lode_symboliser **out, const struct lode_digest *digest,
				 const struct lode_digest_job_options *options,
				 struct lode_error *err);

/* From `file`; standard input is refused. */
int lode_stream_again_load(struct lode_stream **out, const char *file,
			   const struct lode_source_options *source, struct lode_error *err);

/*
 * From `file`, or else from where the digest says that it was: `file` may be the digest that a
 * repository imported. LODE_ERR_IO: it is gone, cannot be read, or is another one now.
 */
int lode_stream_again_find(struct lode_stream **out, const struct lode_digest *digest,
			   uint32_t stream, const char *file,
			   const struct lode_source_options *source, struct lode_error *err);

/* The thread of a symptom that lived at its time: numbers are used again. LODE_NONE: none. */
lode_thread_id lode_stream_again_thread(const struct lode_stream *stream,
					const struct lode_digest_symptom *symptom);
