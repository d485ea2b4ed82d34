/* Options of commands that read recordings. */
#include "tool/reading_options.h"

#include <time.h>

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

static const char *const reasons[] = {"none", "lock",  "disk",	"fault", "network", "ipc",
				      "poll", "timer", "child", "other", NULL};

void lode_aoi_values_init(struct lode_aoi_values *values)
{
	memset(values, 0, sizeof(*values));
	values->pid = -1;
	values->scope = values->stacks = LODE_UNSET;
	values->only.names = lode_kind_choices;
	values->reason.names = reasons;
}

void lode_aoi_values_release(struct lode_aoi_values *values)
{
	lode_vec_release(&values->include);
	lode_vec_release(&values->exclude);
}

void lode_aoi_values_settle(struct lode_aoi_values *values, bool is_classic)
{
	values->is_scope_given = values->scope != LODE_UNSET || is_classic;
	/* A scope other than the default implies its stacks. */
	values->are_stacks_given = values->stacks != LODE_UNSET || values->is_scope_given;
	if (values->scope == LODE_UNSET)
		values->scope = is_classic ? LODE_SCOPE_GRAPH : LODE_SCOPE_CRITICAL;
	if (values->stacks == LODE_UNSET)
		values->stacks = values->scope != LODE_SCOPE_CRITICAL;
}

int lode_aoi_values_check(const struct lode_command *self, const struct lode_aoi_values *values)
{
	if (values->stacks == 0 && values->scope != LODE_SCOPE_CRITICAL)
		return lode_command_misused(self, "--stacks chained requires --scope critical");
	return LODE_EXIT_OK;
}

struct lode_symptom_options lode_aoi_values_symptoms(const struct lode_aoi_values *values)
{
	return (struct lode_symptom_options){
		.select = values->symptom,
		.tsv_path = values->symptoms,
		.comm = values->comm,
		.min_ns = values->slower_than.least_ns,
		.percentile = values->slower_than.percentile,
		.pid = values->pid,
	};
}

struct lode_digest_job_options lode_reading_options(const struct lode_input_options *input,
						    const struct lode_aoi_values *aoi,
						    struct lode_progress *progress)
{
	return (struct lode_digest_job_options){
		.symbols = input->symbols,
		.narrow = lode_input_options_narrow(input),
		.folded_kind = (enum lode_event_kind)input->folded_kind,
		.unit = input->unit,
		.n_threads = input->n_threads,
		.memory_bytes = input->memory_bytes,
		.symptoms = lode_aoi_values_symptoms(aoi),
		.aoi = {.scope = (enum lode_scope)aoi->scope,
			.own_stacks = aoi->stacks == 1,
			.include = aoi->include.at,
			.n_include = aoi->include.n,
			.exclude = aoi->exclude.at,
			.n_exclude = aoi->exclude.n,
			.kinds = aoi->only.bits,
			.reasons = aoi->reason.bits},
		.is_scope_given = aoi->is_scope_given,
		.are_stacks_given = aoi->are_stacks_given,
		.progress = progress ? lode_progress_read : NULL,
		.progress_context = progress,
	};
}

int lode_job_exit(const struct lode_digest_job *job, int code)
{
	bool is_whole = job->skipped.n + job->incomplete.n == 0;

	return code == LODE_EXIT_OK && !is_whole ? LODE_EXIT_INCOMPLETE : code;
}

int64_t lode_query_now_ns(void)
{
	return (int64_t)time(NULL) * 1000000000;
}
