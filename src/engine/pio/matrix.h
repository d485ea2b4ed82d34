/*
 * Counters of one or several periods as one table: a column per counter of the model, a row per
 * interval, period behind period. What a period's counters do not have is NaN.
 */
#pragma once

#include "engine/pio/model.h"
#include "model/counters.h"

struct lode_pio_matrix {
	double **columns; /* [counter][row] */
	size_t n_columns, n_rows;
	size_t *starts; /* first row of each period; [n_periods] is n_rows */
	size_t n_periods;
};

/* Columns in the order of the model's counters. */
void lode_pio_matrix_build(struct lode_pio_matrix *out, const struct lode_pio_model *model,
			   const struct lode_counters *const *periods, size_t n_periods);
void lode_pio_matrix_release(struct lode_pio_matrix *matrix);
