/*
 * Parts of JSON documents that several commands have, as docs/json.md says them.
 */
#ifndef LODE_JSON_PARTS_H
#define LODE_JSON_PARTS_H

#include "job/digest_job.h"
#include "reports/json.h"

/* KEY: [{path, reason}]. */
void lode_json_inputs(struct lode_json *json, const char *key,
		      const struct lode_skipped_input *inputs, size_t n);

/* "skipped" and "incomplete", both such lists. */
void lode_json_job_inputs(struct lode_json *json, const struct lode_digest_job *job);

/* What a list leaves out, if anything. */
void lode_json_more(struct lode_json *json, const char *key, size_t n, size_t n_shown);

/* 0 of nothing. */
static inline double lode_ratio(int64_t part, int64_t whole)
{
	return whole > 0 ? (double)part / (double)whole : 0;
}

/* "shape": the options that digests were made with, a text each; NULL: none. */
void lode_json_shape(struct lode_json *json, const char *shape);

#endif
