/*
 * What digests no longer know: the recording behind one of their streams, read once more, and in it
 * the critical paths of the symptoms that clusters cost most.
 */
#pragma once

#include "engine/mine/mine.h"
#include "engine/waits/lanes.h"
#include "streams/digest_job.h"

/* ---- The recording, once more ---- */

/* How its recordings are read: as for the digest. */
struct lode_source_options lode_stream_again_options(const struct lode_digest_job_options *options);

/* The modules of the digest's recordings lend each other build-ids, as when it was made. */
int lode_stream_again_symboliser(struct lode_symboliser **out, const struct lode_digest *digest,
				 const struct lode_digest_job_options *options,
				 struct lode_error *err);

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

/* ---- Critical paths ---- */

struct lode_cluster_path {
	uint32_t symptom; /* index into the digest's symptoms */
	struct lode_lanes lanes;
	char *missing; /* why there are no lanes; NULL: there are */
};

struct lode_cluster_paths {
	LODE_VEC(struct lode_cluster_path) at; /* by symptom */
};

/*
 * Of the worst symptom of each of the first `n_clusters`; symptoms that several share are there
 * once. Each recording is read once, one after the other, but for those that `job`, which made the
 * digest (NULL: another one did), has kept: these are taken from it. A recording that is gone, or
 * that has no switches, is no failure: `missing` says so. `options` as for the digest.
 */
int lode_cluster_paths_load(struct lode_cluster_paths *out, const struct lode_mined *mined,
			    size_t n_clusters, struct lode_digest_job *job,
			    const struct lode_digest_job_options *options, struct lode_error *err);

/*
 * Of one symptom, from the recording at `file`, or else where the digest says that it was: `file`
 * may be the digest that a repository imported. LODE_ERR_IO: it is gone, cannot be read, or is
 * another one now; LODE_ERR_UNSUPPORTED: it has no such path.
 */
int lode_cluster_path_load(struct lode_cluster_path *out, const struct lode_digest *digest,
			   uint32_t symptom, const char *file,
			   const struct lode_digest_job_options *options, struct lode_error *err);
/* The same with more or less detail. */
int lode_cluster_path_load_within(struct lode_cluster_path *out, const struct lode_digest *digest,
				  uint32_t symptom, const char *file,
				  const struct lode_lanes_bounds *bounds,
				  const struct lode_digest_job_options *options,
				  struct lode_error *err);
void lode_cluster_path_release(struct lode_cluster_path *path);

void lode_cluster_paths_release(struct lode_cluster_paths *paths);
