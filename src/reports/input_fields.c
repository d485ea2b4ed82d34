/* Fields that the documents of several commands have. */
#include "reports/input_fields.h"

static const struct lode_field skipped_fields[] = {
	LODE_FIELD(struct lode_skipped_input, path, NULL),
	LODE_FIELD(struct lode_skipped_input, reason, NULL),
	LODE_FIELDS_END,
};
const struct lode_record lode_skipped_record = {"skipped", skipped_fields,
						sizeof(struct lode_skipped_input)};

static const struct lode_field job_fields[] = {
	LODE_SKIPPED_FIELDS(struct lode_digest_job, skipped, incomplete),
	LODE_FIELDS_END,
};
const struct lode_record lode_job_inputs_record = {"inputs", job_fields,
						   sizeof(struct lode_digest_job)};
