/* Options about symptoms and areas of interest. */
#include "tool/aoi_options.h"

#include "tool/input_options.h"

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

void lode_aoi_values_apply(const struct lode_aoi_values *values,
			   struct lode_digest_job_options *options)
{
	options->symptoms = lode_aoi_values_symptoms(values);
	options->aoi = (struct lode_aoi_options){
		.scope = (enum lode_scope)values->scope,
		.own_stacks = values->stacks == 1,
		.include = values->include.at,
		.n_include = values->include.n,
		.exclude = values->exclude.at,
		.n_exclude = values->exclude.n,
		.kinds = values->only.bits,
		.reasons = values->reason.bits,
	};
	options->is_scope_given = values->is_scope_given;
	options->are_stacks_given = values->are_stacks_given;
}
