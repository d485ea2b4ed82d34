/* The model that training makes and analysis uses. */
#include "engine/pio/model.h"

/* ---- Counters as a table ---- */

static void fill_matrix(struct lode_pio_matrix *out, const struct lode_pio_model *model,
			const struct lode_counters *period, size_t at)
{
	for (size_t c = 0; c < period->n_counters; c++) {
		const struct lode_counter *counter = &period->counters[c];
		uint32_t column = lode_pio_model_counter(model, counter->server, counter->name);

		if (column != LODE_NONE)
			memcpy(out->columns[column] + at, counter->at,
			       period->n_intervals * sizeof(double));
	}
}

void lode_pio_matrix_build(struct lode_pio_matrix *out, const struct lode_pio_model *model,
			   const struct lode_counters *const *periods, size_t n_periods)
{
	*out = (struct lode_pio_matrix){.n_columns = model->counters.n, .n_periods = n_periods};
	out->starts = lode_alloc0(n_periods + 1, sizeof(*out->starts));
	for (size_t p = 0; p < n_periods; p++)
		out->starts[p + 1] = out->starts[p] + periods[p]->n_intervals;
	out->n_rows = out->starts[n_periods];
	out->columns = lode_alloc0(out->n_columns + 1, sizeof(*out->columns));
	for (size_t c = 0; c < out->n_columns; c++) {
		out->columns[c] = lode_alloc((out->n_rows + 1) * sizeof(double));
		for (size_t r = 0; r < out->n_rows; r++)
			out->columns[c][r] = NAN;
	}
	for (size_t p = 0; p < n_periods; p++)
		fill_matrix(out, model, periods[p], out->starts[p]);
}

void lode_pio_matrix_release(struct lode_pio_matrix *matrix)
{
	for (size_t c = 0; c < matrix->n_columns; c++)
		free(matrix->columns[c]);
	free(matrix->columns);
	free(matrix->starts);
	memset(matrix, 0, sizeof(*matrix));
}

/* ---- The model ---- */

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
	lode_vec_release_each(&model->slos, it, (free(it->server), free(it->name)));
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

bool lode_pio_model_has_log(const struct lode_pio_model *model)
{
	for (size_t i = 0; i < model->periods.n; i++)
		if (model->periods.at[i].n_requests)
			return true;
	return false;
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
