/* Evidence against servers from counters outside of their healthy ranges. */
#include "engine/pio/evidence.h"

#include <assert.h>

#include "base/number_sort.h"

enum { N_STRONGEST = 3 };

/* A fall against a rise. */
#define FALL_SHARE 0.1

void lode_pio_servers_build(struct lode_pio_servers *out, const struct lode_pio_model *model)
{
	*out = (struct lode_pio_servers){0};
	out->of = lode_alloc0(model->counters.n + 1, sizeof(*out->of));
	for (size_t c = 0; c < model->counters.n; c++) {
		const char *name = model->counters.at[c].server;
		size_t s = 0;

		while (s < out->names.n && strcmp(out->names.at[s], name) != 0)
			s++;
		if (s == out->names.n)
			lode_vec_append(&out->names, name);
		out->of[c] = (uint32_t)s;
	}
}

void lode_pio_servers_release(struct lode_pio_servers *servers)
{
	lode_vec_release(&servers->names);
	free(servers->of);
}

double lode_pio_deviation(const struct lode_pio_counter *counter, double value)
{
	double distance = value - counter->median;

	return distance / (distance > 0 ? counter->rise.scale : counter->fall.scale);
}

/* ---- Steps and running medians ---- */

double lode_pio_step(const double *sorted, size_t n)
{
	double *steps = lode_alloc((n + 1) * sizeof(*steps));
	double step = 0;
	size_t n_steps = 0;

	for (size_t i = 1; i < n; i++) {
		if (sorted[i] > sorted[i - 1])
			steps[n_steps++] = sorted[i] - sorted[i - 1];
	}
	lode_sort_doubles(steps, n_steps);
	if (n_steps)
		step = steps[n_steps / 2];
	free(steps);
	return step;
}

double lode_pio_running_median(const double *column, size_t start, size_t row, size_t window)
{
	double values[64] = {0};
	size_t n = 0, first = row + 1 - start < window ? start : row + 1 - window;

	assert(window > 0 && window <= sizeof(values) / sizeof(values[0]));
	for (size_t r = first; r <= row; r++) {
		size_t at = n;

		if (isnan(column[r]))
			continue;
		for (; at && values[at - 1] > column[r]; at--)
			values[at] = values[at - 1];
		values[at] = column[r];
		n++;
	}
	assert(n <= window);
	if (n < (window + 1) / 2)
		return NAN;
	return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

float **lode_pio_deviations(const struct lode_pio_model *model,
			    const struct lode_pio_matrix *matrix, size_t window)
{
	float **out = lode_alloc0(matrix->n_columns + 1, sizeof(*out));

	if (window > 63)
		window = 63;
	for (size_t c = 0; c < matrix->n_columns; c++) {
		out[c] = lode_alloc0(matrix->n_rows + 1, sizeof(float));
		for (size_t p = 0; p < matrix->n_periods; p++) {
			size_t start = matrix->starts[p];

			for (size_t r = start; r < matrix->starts[p + 1]; r++) {
				double x = lode_pio_running_median(matrix->columns[c], start, r,
								   window);
				double d = lode_pio_deviation(&model->counters.at[c], x);

				out[c][r] = isnan(d) ? 0 : (float)d;
			}
		}
	}
	return out;
}

void lode_pio_deviations_free(float **deviations, size_t n_counters)
{
	for (size_t c = 0; deviations && c < n_counters; c++)
		free(deviations[c]);
	free(deviations);
}

/* ---- Evidence ---- */

static double side_blame(const struct lode_pio_side *side, double far, bool is_rise)
{
	return log(far) * side->precision * side->blame * (is_rise ? 1 : FALL_SHARE);
}

struct lode_pio_worth lode_pio_worth_of(const struct lode_pio_counter *counter, double deviation)
{
	const struct lode_pio_side *side = deviation > 0 ? &counter->rise : &counter->fall;
	double far = fabs(deviation);
	struct lode_pio_worth worth = {0, 0};

	if (!(far > 1) || counter->is_drifting)
		return worth;
	worth.detection = log(far) * side->precision;
	worth.blame = side_blame(side, far, deviation > 0);
	return worth;
}

double lode_pio_sharp_blame(const struct lode_pio_counter *counter, double deviation)
{
	const struct lode_pio_side *side = deviation > 0 ? &counter->rise : &counter->fall;
	double far = fabs(deviation);

	return far > 1 && !counter->is_drifting
		       ? side_blame(side, fmax(far * side->scale / counter->spread, sqrt(far)),
				    deviation > 0)
		       : 0;
}

void lode_pio_keep_strongest(double *strongest, size_t n, double x)
{
	for (size_t i = 0; i < n; i++) {
		if (x > strongest[i]) {
			double smaller = strongest[i];

			strongest[i] = x;
			x = smaller;
		}
	}
}

void lode_pio_evidence(struct lode_pio_worth *servers_out, const struct lode_pio_model *model,
		       const struct lode_pio_servers *servers, float *const *deviations, size_t row,
		       const bool *is_out)
{
	size_t c = 0;

	/* Counters are ordered by server: one server's stand together. */
	for (size_t s = 0; s < servers->names.n; s++) {
		double detection[N_STRONGEST] = {0}, blame[N_STRONGEST] = {0};

		servers_out[s] = (struct lode_pio_worth){0, 0};
		for (; c < model->counters.n && servers->of[c] == s; c++) {
			struct lode_pio_worth worth;

			if (is_out && is_out[c])
				continue;
			worth = lode_pio_worth_of(&model->counters.at[c],
						  (double)deviations[c][row]);
			lode_pio_keep_strongest(detection, N_STRONGEST, worth.detection);
			lode_pio_keep_strongest(blame, N_STRONGEST, worth.blame);
		}
		for (size_t i = 0; i < N_STRONGEST; i++) {
			servers_out[s].detection += detection[i];
			servers_out[s].blame += blame[i];
		}
	}
}
