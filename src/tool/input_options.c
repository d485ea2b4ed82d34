/* Options of commands that read recordings. */
#include "tool/input_options.h"

const char *const lode_kind_choices[] = {"run", "wait", "ready", NULL};

void lode_input_options_init(struct lode_input_options *options)
{
	memset(options, 0, sizeof(*options));
	options->span = (struct lode_time_span){.from_ns = INT64_MIN, .to_ns = INT64_MAX};
	options->cpu = -1;
	options->folded_kind = LODE_EVENT_RUNNING;
	options->unit = "samples";
}

struct lode_narrow lode_input_options_narrow(const struct lode_input_options *options)
{
	return (struct lode_narrow){
		.from_ns = options->span.from_ns,
		.to_ns = options->span.to_ns,
		.cpu = options->cpu,
		.is_from_offset = options->span.is_from_offset,
		.is_to_offset = options->span.is_to_offset,
	};
}

struct lode_digest_job_options lode_input_options_job(const struct lode_input_options *options)
{
	return (struct lode_digest_job_options){
		.symbols = options->symbols,
		.narrow = lode_input_options_narrow(options),
		.folded_kind = (enum lode_event_kind)options->folded_kind,
		.unit = options->unit,
		.n_threads = options->n_threads,
		.memory_bytes = options->memory_bytes,
	};
}
