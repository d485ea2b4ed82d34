/*
 * Parts of JSON documents that several commands have, as docs/json.md says them.
 */
#ifndef LODE_JSON_PARTS_H
#define LODE_JSON_PARTS_H

#include "job/digest_job.h"
#include "reports/json.h"

/* "skipped" and "incomplete": [{path, reason}]. */
void lode_json_job_inputs(struct lode_json *json, const struct lode_digest_job *job);

/* "shape": the options that digests were made with, a text each; NULL: none. */
void lode_json_shape(struct lode_json *json, const char *shape);

#endif
