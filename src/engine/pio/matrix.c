/* Counters of several periods as one table. */
#include "engine/pio/matrix.h"

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
