/* The model that training makes and analysis uses. */
#include "engine/pio/model.h"

struct lode_pio_settings lode_pio_settings_default(bool is_classic)
{
	return (struct lode_pio_settings){
		.is_classic = is_classic,
		.is_log = !is_classic,
		.is_by_start = !is_classic,
		.is_whole_response = is_classic,
		.min_requests = is_classic ? 1 : 10,
		.window = is_classic ? 5 : 0,
		.med_pct = 85,
		.high_pct = 95,
		.n_rulesets = is_classic ? 1 : 5,
		.seed = 1,
	};
}

void lode_pio_model_release(struct lode_pio_model *model)
{
	lode_vec_release(&model->periods);
	lode_request_names_release(&model->names);
	lode_usual_release(&model->usual);
	for (size_t i = 0; i < model->counters.n; i++) {
		free(model->counters.at[i].server);
		free(model->counters.at[i].name);
	}
	lode_vec_release(&model->counters);
	lode_vec_release(&model->bystanders);
	for (size_t i = 0; i < model->rules.n; i++) {
		lode_ruleset_release(&model->rules.at[i].low_other);
		lode_ruleset_release(&model->rules.at[i].med_high);
	}
	lode_vec_release(&model->rules);
	memset(model, 0, sizeof(*model));
}

uint32_t lode_pio_model_counter(const struct lode_pio_model *model, const char *server,
				const char *name)
{
	for (size_t i = 0; i < model->counters.n; i++) {
		if (strcmp(model->counters.at[i].server, server) == 0 &&
		    strcmp(model->counters.at[i].name, name) == 0)
			return (uint32_t)i;
	}
	return LODE_NONE;
}
