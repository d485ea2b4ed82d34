/*
 * From the items of a job to one digest, in the order of the items, with few of them in memory.
 * Inside of job/ only.
 */
#pragma once

#include "streams/digest_item.h"

/*
 * Merges what the items came to into job->digest, and lists what was skipped and incomplete. A
 * digest whose streams came with an earlier input is skipped: they would count twice.
 */
void lode_job_merge(struct lode_digest_job *job, struct lode_job_run *run, unsigned n_threads,
		    int64_t memory_bytes);

/* The lists alone. */
void lode_job_list(struct lode_digest_job *job, struct lode_job_run *run);

void lode_job_add_skipped(struct lode_digest_job *job, const char *path, const char *reason);

/* As if the digest had been made with these content filters. */
void lode_job_filter(struct lode_digest *digest, const struct lode_aoi_options *aoi);

/* A given digest's streams may have been cut: lists them as incomplete. */
void lode_job_list_cut(struct lode_digest_job *job, const struct lode_digest *digest);
