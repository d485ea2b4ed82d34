#include "reports/json_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void lode_json_inputs(struct lode_json *json, const char *key,
		      const struct lode_skipped_input *inputs, size_t n)
{
	lode_json_array(json, key);
	for (size_t i = 0; i < n; i++) {
		lode_json_object(json, NULL);
		lode_json_text(json, "path", inputs[i].path);
		lode_json_text(json, "reason", inputs[i].reason);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
}

void lode_json_job_inputs(struct lode_json *json, const struct lode_digest_job *job)
{
	lode_json_inputs(json, "skipped", job->skipped.at, job->skipped.n);
	lode_json_inputs(json, "incomplete", job->incomplete.at, job->incomplete.n);
}

void lode_json_shape(struct lode_json *json, const char *shape)
{
	lode_json_array(json, "shape");
	while (shape && *shape) {
		size_t len = strcspn(shape, "\n");
		char *line = lode_alloc(len + 1);

		memcpy(line, shape, len);
		line[len] = '\0';
		lode_json_text(json, NULL, line);
		free(line);
		shape += len + (shape[len] != '\0');
	}
	lode_json_end_array(json);
}

void lode_json_more(struct lode_json *json, const char *key, size_t n, size_t n_shown)
{
	if (n_shown < n)
		lode_json_int(json, key, (int64_t)(n - n_shown));
}
